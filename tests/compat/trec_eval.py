"""trec_eval of rankwell, called in this process."""

from __future__ import annotations

import shlex

from tests.evidence import evidence

from rankwell.compat.trec_eval import main


def run(arguments: str, capsys, monkeypatch, version: str = "10") -> tuple[int, str, str]:
    monkeypatch.chdir(evidence("trec_eval"))
    code = main(["--version-of", version, *shlex.split(arguments)])
    return code, *capsys.readouterr()


def write(folder, qrels: str, lists: str):
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(lists)
    return [str(folder / "qrels"), str(folder / "run")]


# run with both versions of the program; * = version 10 only
QRELS = "".join(
    f"1 0 {d} {g}\n" for d, g in (("a", 2), ("b", 1), ("c", 0), ("d", -1), ("e", 1), ("f", 0), ("g", 3))
)
QRELS += "2 0 a 0\n2 0 b 0\n3 0 a 1\n"
LISTS = "".join(
    f"1 Q0 {d} 1 {s} t\n" for d, s in (("x", 9), ("c", 8), ("a", 8), ("d", 7), ("b", 6), ("f", 5), ("g", 4))
)
LISTS += "2 Q0 a 1 1 t\n4 Q0 a 1 1 t\n"
