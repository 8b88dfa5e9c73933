"""Delimited text that the kernel parses says the same as the slower reader of the whole format, errors included."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.readers.formats import delimited

METRICS = ["ap", "ndcg@3", "rr", "p@2"]
ODD = [
    "\n", "\r\n", "# note\n", "q1,i1\n", "q1,i1,1,1,1\n", ",,,\n", "q1,,1,1\n", "q9,i9,+1,1\n", "q9,i8,.5,2\n", "q9,i7,nan,3\n",
    "q9,i6,1e-40,4\n", "q9,i5,9007199254740993,5\n", "q9,i4, 1,6\n", "q9,i3,x,7\n", "q9,i2,inf,8\n", "q9, i1 ,2,9\n", "q9,\udcff,2,9\n",
    "q9,i\rj,2,9\n", "   \n", "q9,i0,1.23456789012345678901234567890,1\n", "q9,i0,-0,2\n", "q9,ï,1E3,3\n",
]  # fmt: skip


def file_of(rng, kind):
    header = "query,item,score,rank\n" if kind == "run" else "query,item,grade,extra\n"
    lines = []
    for query in rng.sample(range(30), rng.randrange(1, 12)):
        for rank, item in enumerate(rng.sample(range(20), rng.randrange(1, 9))):
            number = rng.choice([repr(rng.random()), rank, -1.5]) if kind == "run" else rng.randrange(3)
            lines.append(f"q{query},i{item},{number},{rank + 1}\n")
    if rng.random() < 0.2:
        rng.shuffle(lines)
    lines.append("q30,i1,1,1\n")  # every two files have a query in common
    if rng.random() < 0.6:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(ODD))
    text = header + "".join(lines)
    text = text if "\r" in text or rng.random() < 0.7 else text.replace("\n", "\r\n")
    text = text if rng.random() < 0.7 else text.rstrip("\r\n")
    return ("\ufeff" * (rng.random() < 0.1) + text).encode(errors="surrogateescape")


def outcome(run, qrels, batch, columns, *, held):
    try:
        run = rw.read_run(run, columns=columns) if held or columns else run
        res = rw.evaluate(run, qrels, METRICS, engine=Memory(batch=batch), threads=1)
    except rw.RankwellError as error:
        return str(error)
    return res.mean, res.counts, res.per_query.rows()


@pytest.mark.parametrize("seed", range(6))
def test_both_ways_of_reading_give_the_same_values_and_errors(tmp_path, monkeypatch, seed):
    rng = random.Random(seed)
    run, qrels = tmp_path / "run.csv", tmp_path / "qrels.csv"
    values = 0
    for _ in range(40):
        run.write_bytes(file_of(rng, "run"))
        qrels.write_bytes(file_of(rng, "qrels"))
        how = rng.choice([1, 5, 1000]), rng.choice([None, {"rank": "score", "score": "time"}])
        ours = [outcome(run, qrels, *how, held=held) for held in (True, False)]
        with monkeypatch.context() as patch:
            patch.setattr(delimited.Table, "lines", None)
            theirs = [outcome(run, qrels, *how, held=held) for held in (True, False)]
        assert ours == theirs, (run.read_bytes(), qrels.read_bytes())
        values += not isinstance(ours[0], str)
    assert values


def test_plain_text_is_read_without_polars(tmp_path):
    (tmp_path / "run.csv").write_text("user_id,item_id,score\nu,a,1\nu,b,2\n")
    (tmp_path / "qrels.csv").write_text("user_id,item_id\nu,b\n")
    script = (
        "import sys, rankwell as rw; "
        f"value = rw.evaluate({str(tmp_path / 'run.csv')!r}, {str(tmp_path / 'qrels.csv')!r}, ['rr'])['rr']; "
        "print(value, 'polars' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1.0", "False"]
