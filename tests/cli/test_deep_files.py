"""Files that are nested too deeply for a parser, given to every command that reads what was saved: one line, and no traceback."""

from __future__ import annotations

import polars as pl
import pytest
from tests.every import every

from rankwell.cli import run as command

DEEP = "[" * 5000 + "]" * 5000
FILES = {
    "deep.json": DEEP,
    "objects.json": '{"a":' * 5000 + "1" + "}" * 5000,
    "results.json": f'{{"rankwell": "0.1.0", "schema": 1, "metrics": {DEEP}}}',
    "comparison.json": f'{{"rankwell": "0.1.0", "kind": "comparison", "schema": 1, "metrics": {DEEP}}}',
    "deep.toml": f"metrics = {DEEP}",
    "answers.jsonl": f'{{"custom_id": {DEEP}}}\n',
}
COMMANDS = [
    "merge deep.json objects.json", "merge results.json results.json", "merge deep.parquet deep.parquet", "compare results.json results.json",
    "gate results.json --baseline results.json", "gate q.txt r.run --baseline r.run --costs deep.json -m rr", "report comparison.json -o x.html",
    "compare deep.toml", "plot forest results.json -o x.svg", "plot effort deep.json -o x.svg", "plot latency deep.json -o x.svg",
    "plot growth objects.json -o x.svg", "judging answers deep.json answers.jsonl -o x.txt", "evaluate q.txt deep.json -m rr",
    "evaluate objects.json r.run -m rr", "evaluate q.txt r.run -m arp --train deep.json", "prepare split objects.json -o out",
]  # fmt: skip


@every("words", COMMANDS)
def test_a_file_that_is_nested_too_deeply_is_one_line(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    pl.DataFrame({"query": ["u"]}).write_parquet("deep.parquet", metadata={"rankwell": DEEP})
    (tmp_path / "q.txt").write_text("u 0 a 1\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("u Q0 a 1 2.0 t\n", encoding="utf-8")
    assert command(words.split()) in (2, 3)
    error = capsys.readouterr().err.strip().splitlines()
    assert len(error) == 1
    assert "nested too deeply" in error[0]


@pytest.mark.parametrize(
    "words", ["merge nowhere nowhere", "merge nowhere.parquet q.txt", "merge nowhere.json q.txt"]
)
def test_a_saved_file_that_is_not_there_is_said_so(capsys, words):
    assert command(words.split()) == 3
    assert "cannot be read (No such file or directory)." in capsys.readouterr().err
