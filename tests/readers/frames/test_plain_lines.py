"""Lines that a kernel parses say the same as the slower reader of the whole format, errors included."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest
from tests.cases import seeds

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.readers.frames import plain_lines

METRICS = ["ap", "ndcg@3", "rr", "p@2"]
ODD_FIELDS = [
    "\n", "\r\n", "# note\n", "q1,i1\n", "q1,i1,1,1,1\n", ",,,\n", "q1,,1,1\n", "q9,i9,+1,1\n", "q9,i8,.5,2\n", "q9,i7,nan,3\n",
    "q9,i6,1e-40,4\n", "q9,i5,9007199254740993,5\n", "q9,i4, 1,6\n", "q9,i3,x,7\n", "q9,i2,inf,8\n", "q9, i1 ,2,9\n", "q9,\udcff,2,9\n",
    "q9,i\rj,2,9\n", "   \n", "q9,i0,1.23456789012345678901234567890,1\n", "q9,i0,-0,2\n", "q9,ï,1E3,3\n",
]  # fmt: skip


ODD_OBJECTS = [
    "\n", "\r\n", "  \n", "{}\n", "[]\n", "null\n", "x\n", '{"query": "q9"}\n', '{"query": "q9", "item": "i9", "score": 1',
    '{"query": "q9", "item": "i9", "score": 1, "grade": 1, "rank": 1}{}\n', '{"query": 9, "item": 1.0, "score": 1, "grade": 1}\n',
    *(
        '{{"query": {}, "item": {}, "score": {}, "grade": {}, "rank": 7, "other": {}}}\n'.format(*each)
        for each in [
            ('"q9"', '"i9"', 1, 1, '[1, {"query": 2}]'), ('"q9"', '"i\\u0031"', 1, 1, 2), ('"q9"', '"i1"', '"1"', '"1"', 2),
            ('"q9"', "null", 1, 1, 2), ("null", '"i1"', 1, 1, 2), ('"q9"', '"i1"', "null", "null", 2), ('"q9"', '"i1"', 1, 1, "null"),
            ('"q9"', '"i1"', 1, 1, "nul"), ('"q9"', '"i1"', 1, 1, "true"), ('"q9"', "true", 1, 1, "false"), ("007", '"i1"', 1, 1, 2),
            ("-0", '"i1"', 1, 1, 2), ("-7", "12345678901234567890", 1, 1, 2), ("1e3", '"i1"', 1, 1, 2), ('"q9"', '"i1"', "NaN", 1, 2),
            ('"q9"', '"i1"', "01", "01", 2), ('"q9"', '"i1"', "-0", "-0", 2), ('"q9"', '"i1"', "+1", 1, 2), ('"q9"', '"i1"', ".5", 1, 2),
            ('"q9"', '"i1"', "1e-40", "1E0", 2), ('"q9"', '"i1"', 9007199254740993, 1, 2), ('"q9"', '"i1"', "1e999", 1, 2),
            ('"q9"', '""', 1, 1, 2), ('"q9"', '"[i1"', 1, 1, 2), ('"q9"', '"\udcff"', 1, 1, 2), ('"q9"', '"ï😀"', 1, 1, 2),
            ('"q9"', '"i\t1"', 1, 1, 2), ('"q9"', '"i1"', 1, 1, '2, "query": 1'), ('"q9"', '"i1"', 1, 1, '2, "other": 1'),
            ('"q9"', '"i1"', 1, 1, '2, "it\\u0065m": 1'), ('"q9"', '"i1"', 1, 1, '2, "": "", "q": "\\""'), ('"q9"', '"i1"', 1, 1, "2, "),
            ('"q9"', '"query"', 1, 1, '":"'), ('"q9"', '"i1"', 1, 1, 12345678901234567890123), ('"q9"', '"i1"', "1]", "1]", 2),
            ('"q9"', '"i1"', 1, 1, '"a\\nb"'), (' "q9"\t', ' "i1" ', " 1 ", " 1\r", " 2 "), ('"q9" "', '"i1"', 1, 1, 2),
        ]
    ),
]  # fmt: skip


def rows_of(rng, kind):
    rows = []
    for query in rng.sample(range(30), rng.randrange(1, 12)):
        for rank, item in enumerate(rng.sample(range(20), rng.randrange(1, 9))):
            number = rng.choice([rng.random(), rank, -1.5]) if kind == "run" else rng.randrange(3)
            rows.append((f"q{query}", f"i{item}", number, rank + 1))
    if rng.random() < 0.2:
        rng.shuffle(rows)
    return [*rows, ("q30", "i1", 1, 1)]  # every two files have a query in common


def fields_of(rng, kind):
    header = "query,item,score,rank\n" if kind == "run" else "query,item,grade,extra\n"
    return header, ["{},{},{!r},{}\n".format(*row) for row in rows_of(rng, kind)], ODD_FIELDS


def objects_of(rng, kind):
    names = ["query", "item", "score" if kind == "run" else "grade", "rank" if kind == "run" else "extra"]
    how = {"separators": rng.choice([None, (",", ":")]), "ensure_ascii": False}
    mixed, whole = rng.random() < 0.2, rng.random() < 0.2
    lines = []
    for row in rows_of(rng, kind):
        pairs = list(zip(names, row, strict=True))
        if mixed:
            rng.shuffle(pairs)
        record = dict(pairs)
        if whole and row[0] != "q30":
            record |= {"query": int(row[0][1:]), "item": int(row[1][1:])}
        lines.append(json.dumps(record, **how) + "\n")
    return "", lines, ODD_OBJECTS


def file_of(rng, kind, lines_of):
    header, lines, odd = lines_of(rng, kind)
    if rng.random() < 0.6:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(odd))
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


def only_slowly(patch):
    """Let only the slower readers of the whole formats read."""
    for kind in ("run", "qrels"):
        patch.setattr(plain_lines.OpenLines, kind, getattr(plain_lines.OpenTable, kind))


@pytest.mark.parametrize(("suffix", "lines_of"), [("csv", fields_of), ("jsonl", objects_of)])
@pytest.mark.parametrize("seed", range(6))
def test_both_ways_of_reading_give_the_same_values_and_errors(tmp_path, monkeypatch, seed, suffix, lines_of):
    rng = random.Random(seed)
    run, qrels = tmp_path / f"run.{suffix}", tmp_path / f"qrels.{suffix}"
    values = 0
    for _ in seeds(40):
        run.write_bytes(file_of(rng, "run", lines_of))
        qrels.write_bytes(file_of(rng, "qrels", lines_of))
        how = rng.choice([1, 5, 1000]), rng.choice([None, None, {"rank": "score", "score": "time"}])
        ours = [outcome(run, qrels, *how, held=held) for held in (True, False)]
        with monkeypatch.context() as patch:
            only_slowly(patch)
            theirs = [outcome(run, qrels, *how, held=held) for held in (True, False)]
        assert ours == theirs, (run.read_bytes(), qrels.read_bytes())
        values += not isinstance(ours[0], str)
    assert values


TABLES = [
    ("csv", "user_id,item_id,score\nu,a,1\nu,b,2\n", "user_id,item_id\nu,b\n"),
    (
        "jsonl",
        '{"user_id": "u", "item_id": "a", "score": 1}\n{"user_id": "u", "score": 2, "item_id": "b"}\n',
        '{"user_id": "u", "item_id": "b"}\n',
    ),
]


@pytest.mark.parametrize(("suffix", "run", "qrels"), TABLES)
def test_plain_text_is_read_without_polars(tmp_path, suffix, run, qrels):
    (tmp_path / f"run.{suffix}").write_text(run)
    (tmp_path / f"qrels.{suffix}").write_text(qrels)
    script = (
        "import sys, rankwell as rw; "
        f"value = rw.evaluate({str(tmp_path / f'run.{suffix}')!r}, {str(tmp_path / f'qrels.{suffix}')!r}, ['rr'])['rr']; "
        "print(value, 'polars' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1.0", "False"]
