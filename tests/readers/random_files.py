"""A random driver of the readers: valid, damaged and odd files of every format and compression, against a plain reading.

A file that is written from rows and then not changed must give the value that a plain loop over the rows gives; a changed one
may give any value, but nothing else than a RankwellError may come out.

    python -m tests.readers.random_files SECONDS [SEED]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.readers import ways

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory

IDS = ["a", "b7", "d" * 40, "é", "가나", "0012", "x:y", "-3", "😀", "q.1"]
PIECES = [
    b"\n",
    b"\r",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b" ",
    b"\t",
    b"#",
    b'"',
    b",",
    b"{",
    b"[",
    b"9" * 400,
    b"nan",
    b"-inf",
]
ENCODINGS = [None] * 6 + ["utf-8", "latin-1", "utf-16", "euc-kr", "no-such"]
HEADERLESS = {"1": "query", "2": "item", "3": "score"}


def rows_of(rng: random.Random) -> list[tuple[str, str, float]]:
    queries = rng.sample(IDS, rng.randrange(1, len(IDS)))
    rows = [
        (query, item, rng.choice([1.0, 2.5, -3.0, 0.1, 7.0, rng.random()]))
        for query in queries
        for item in rng.sample(IDS, rng.randrange(1, len(IDS)))
    ]
    if rng.random() < 0.3:
        rng.shuffle(rows)
    return rows


def plain_value(rows: list[tuple[str, str, float]], qrels: dict[str, dict[str, int]]) -> float:
    """Reciprocal ranks, lists ordered by score and then by id, both from the highest; a mean over the judged queries."""
    total = 0.0
    for query, judged in qrels.items():
        listed = sorted(((s, i.encode()) for q, i, s in rows if q == query), reverse=True)
        ranks = [rank for rank, (_, item) in enumerate(listed, start=1) if judged.get(item.decode(), 0) > 0]
        total += 1 / ranks[0] if ranks else 0
    return total / len(qrels)


def changed(rng: random.Random, content: bytes) -> bytes:
    """Return the bytes with some damage."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            content = content[:at]
        elif kind == 1:
            content = content[:at] + rng.choice(PIECES) + content[at:]
        elif kind == 2:
            content = content[:at] + content[at + rng.randrange(1, 30) :]
        elif kind == 3:
            content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
        elif kind == 4:
            low = rng.randrange(at + 1)
            content += content[low:at]
        else:
            content = content[:at] + content[at : at + 50][::-1] + content[at + 50 :]
    return content


def once(rng: random.Random, folder: Path) -> str:
    """Read one random file in a random way, and return what came of it; AssertionError if that is wrong."""
    name, packed = rng.choice(list(ways.FILES)), rng.choice(["", "", *ways.COMPRESSIONS])
    rows = rows_of(rng)
    judged = {query: {item: rng.randrange(3) for _, item, _ in rows[:9]} | {"none": 1} for query, *_ in rows}
    content, options = ways.FILES[name](rows, "run"), {}
    if name == "headerless.csv":
        options["columns"] = HEADERLESS
    damage = rng.choice(["none", "none", "inside", "outside"])
    if damage == "inside":
        content = changed(rng, content)
    content = ways.COMPRESSIONS[packed](content) if packed else content
    if damage == "outside":
        content = changed(rng, content)
    encoding = rng.choice(ENCODINGS)
    path = folder / (name + packed)
    path.write_bytes(content)
    is_qrels = rng.random() < 0.15
    engine, threads = Memory(batch=rng.choice([1, 3, 20, 1000])), rng.choice([1, 2])
    try:
        if is_qrels:
            rw.read_qrels(path, encoding=encoding)
            return "qrels"
        if rng.random() < 0.5:
            options["encoding"] = encoding
            source = rw.read_run(path, **options)
            path.write_bytes(b"")
        elif options or encoding:
            source = rw.read_run(path, **options)
        else:
            source = path
        value = rw.evaluate(source, judged, "rr", engine=engine, threads=threads)["rr"]
    except rw.RankwellError as error:
        said = str(error)
    else:
        said = ""
    if said:
        assert "\n" not in said
        assert len(said) < 2000, said
        assert damage != "none" or is_qrels or encoding not in (None, "utf-8"), f"{name}{packed}: {said}"
        return f"{damage}: refused"
    if damage == "none" and options.get("encoding") in (None, "utf-8"):
        assert abs(value - plain_value(rows, judged)) < 1e-12, (name, packed, rows, judged, value)
        return "none: equal"
    return f"{damage}: a value"


def drive(seconds: float, seed: int) -> Counter[str]:
    """Read random files for some seconds; the seed of a file that fails is in the error."""
    counts: Counter[str] = Counter()
    end, number = time.monotonic() + seconds, seed
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            try:
                counts[once(random.Random(number), Path(folder))] += 1
            except BaseException as error:
                error.add_note(f"seed {number}")
                raise
            number += 1
    return counts


if __name__ == "__main__":
    seen = drive(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(seen.total(), dict(seen))
