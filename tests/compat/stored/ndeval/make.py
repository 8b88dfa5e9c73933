"""Store what NIST's ndeval prints: python make.py PROGRAM $(python ../../../evidence.py trec-web-2012)

PROGRAM is ndeval 4.5 (29 April 2013), compiled from ndeval.c as pyndeval 0.0.8 carries it: cc -O1 -o ndeval ndeval.c -lm. Written
beside this file are web2012.json, by run and options the hash of the output and its last line, and cases.json.xz, random small
cases: options, files, exit code, output. Cases of which a difference is known (rankwell ndeval -differences) have tests of their own,
but for judgements without a relevant document, which are frequent.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
QL, RM = "ql-catb-filtered.run", "rm-catb-filtered.run"
WEB = ["", "-c", "-traditional", "-M 10", "-alpha .3 -beta .8", "-traditional -c -M 10 -alpha .3 -beta .8", "-alpha 0", "-alpha 1 -beta 1",
       "-baseline OTHER", "-c -baseline OTHER -riskAlpha 2.50", "-riskAlpha 1 -traditional -baseline OTHER -M 100"]  # fmt: skip
ODD_QRELS = ["", "  ", "1 1 a", "1 1 a -1", "1 1 a 1.0", "x 1 a 1", "1 x a 1", "1 0 y 2 extra", "# note", "1000009 1 z 1", "1000010 1 z 1",
             "0 0 a 1", "01 001 y 01", "1 1 d1 +1", "wt-1 1 a 1", "1 1 y 99999999999", "\t1\t1\ty\t1\t"]  # fmt: skip
ODD_RUN = ["", "1 Q0 a 1 1", "1 Q0 a x 1 t", "1 Q0 zz 1.0 1 t", "1 Q0 zz 1000009 1 t", "1 Q0 zz 1000010 1 t", "wt09-1 Q0 zz 999 1 t",
           "a-b-1 Q0 zz 999 1 t", "-1 Q0 zz 998 1 t", "abc Q0 zz 998 1 t", "1 Q0 d1 997 1 t", "1 Q0 zz 1 1 t", "1 Q0 zz -1 1 t",
           "wt-001 Q0 zz 77 1 t", "77 Q0 zz 77 1 t extra more", "88 Q0 zz 0 inf t", "1- Q0 a 5 1 t", "1 Q0 d1 997 -99 t",
           "#-1 Q0 zz 996 1 t", "1 Q0 d1 0 1e2 t"]  # fmt: skip


def printed(program, arguments, folder):
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("latin-1")


def web(program, folder):
    found = {}
    for run, other in ((QL, RM), (RM, QL)):
        for options in WEB:
            words = options.replace("OTHER", f"runs/{other}").split()
            _, out = printed(program, [*words, "qrels-for-ndeval.txt", f"runs/{run}"], folder)
            found[f"{run} {options}"] = [
                hashlib.sha256(out.encode("latin-1")).hexdigest(),
                out.splitlines()[-1],
            ]
    return found


def judgements(rng, documents):
    lines, share = [], rng.choice([0.1, 0.3, 0.6])
    gap = rng.choice([1, 1, 10])
    for topic in range(1, rng.randint(2, 4)):
        for document in documents:
            for subtopic in range(rng.choice([0, 1]), rng.randint(1, 5)):
                if rng.random() < 0.6:
                    grade = rng.randint(1, 4) if rng.random() < share else 0
                    lines.append(
                        f"{topic * gap}{rng.choice([' ', '  ', chr(9)])}{subtopic} {document} {grade}"
                    )
    rng.shuffle(lines)
    return lines or ["1 1 d1 1"]


def lists(rng, documents, tag):
    lines, task, gap = [], rng.choice(["", "", "wt09-"]), rng.choice([1, 1, 10])
    for topic in range(1, rng.randint(2, 5)):
        shown = rng.sample([*documents, "x1", "x2", "x3"], rng.randint(1, len(documents) + 3))
        ranks = rng.sample(range(len(shown) + 3), len(shown))
        for document, rank in zip(shown, ranks, strict=True):
            score = rng.choice([rng.randint(-3, 5), round(rng.random(), 3), "1e2", "-.5"])
            lines.append(f"{task}{topic * gap} Q0 {document} {rank} {score} {tag}{rng.choice(['', ' more'])}")
    if rng.random() < 0.5:
        rng.shuffle(lines)
    return lines


def options_of(rng):
    chances = [
        (0.3, ["-c"]), (0.4, ["-traditional"]), (0.3, ["-M", rng.choice("1235")]), (0.3, ["-alpha", rng.choice([".3", "0", "1", ".25"])]),
        (0.3, ["-beta", rng.choice([".8", "0", ".99", "1"])]), (0.4, ["-baseline", "base"]),
        (0.3, ["-riskAlpha", rng.choice(["0", "1", "2.50", ".3", "1e1"])]), (0.1, [rng.choice(["-a", "-ac", "-ca", "-", "-aa"])]),
    ]  # fmt: skip
    chosen = [words for chance, words in chances if rng.random() < chance]
    rng.shuffle(chosen)
    return [word for words in chosen for word in words]


def case(rng, program, folder):
    documents = [f"d{number}" for number in range(1, rng.randint(2, 12))]
    files = {
        "qrels": judgements(rng, documents),
        "run": lists(rng, documents, rng.choice(["t", "a,b", 'x"y', "%s", "d\u00e9j\u00e0"])),
        "base": lists(rng, documents, "base"),
    }
    if rng.random() < 0.35:
        name = rng.choice(["qrels", "run", "run", "base"])
        files[name].insert(
            rng.randint(0, len(files[name])), rng.choice(ODD_QRELS if name == "qrels" else ODD_RUN)
        )
    texts = {}
    for name, lines in files.items():
        end = rng.choice(["\n", "\n", "\r\n"])
        texts[name] = "" if rng.random() < 0.01 else end.join(lines) + rng.choice(["", end])
        (folder / name).write_bytes(texts[name].encode("latin-1"))
    options = options_of(rng)
    code, out = printed(program, [*options, "qrels", "run"], folder)
    if "-baseline" not in options:
        del texts["base"]
    return {"options": options, "files": texts, "code": code, "out": out}


def main(program, folder):
    stored = json.dumps(web(program, folder), indent=0)
    (HERE / "web2012.json").write_text(stored + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        cases = [case(random.Random(seed), program, Path(scratch)) for seed in range(500)]
    text = "\n".join(json.dumps(each) for each in cases)
    (HERE / "cases.json.xz").write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
