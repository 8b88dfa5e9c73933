"""lint looks at a run batch by batch, finds what it finds in one piece, and reads the text once for lists and once for ranks."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import rankwell as rw
from rankwell.inspection.linting import data
from rankwell.readers.formats import trec
from rankwell.readers.formats.trec import Parsed

QRELS = {f"q{query}": {f"d{item}": item % 3 for item in range(0, 40, 2)} for query in range(1, 60)}


def lines(rng, *, scattered):
    """A run with every kind of oddity here and there, far apart."""
    rows = []
    for query in range(58):
        items = rng.sample(range(40), 12)
        score = sorted((round(rng.random(), 3) for _ in items), reverse=True)
        if query in (21, 44):
            items[5] = items[2]
            score[3], score[4] = score[4], score[3] + 1
            score[7] = score[6] - 1e-12
        if query == 37:
            score[0] = float("inf")
        rows += [
            f"q{query} Q0 d{item} {rank} {value!r} t\n"
            for rank, (item, value) in enumerate(zip(items, score, strict=True), 1)
        ]
    if scattered:
        rng.shuffle(rows)
    return rows


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_findings_of_many_batches_are_those_of_one(scattered, seed, tmp_path, monkeypatch):
    path = tmp_path / "some.run"
    path.write_text("".join(lines(random.Random(seed), scattered=scattered)))
    whole = rw.lint(path, QRELS, items=[f"d{item}" for item in range(39)], train={"q50": ["d7", "d9", "d8"]})
    monkeypatch.setattr(trec, "CACHED_ROWS", 25)
    run = data.HeldRows.of(rw.read_run(path).rows)
    assert len(run.lists) > 15
    parts = rw.lint(path, QRELS, items=[f"d{item}" for item in range(39)], train={"q50": ["d7", "d9", "d8"]})
    assert list(parts) == list(whole)
    told = {finding.rule for finding in whole}
    assert {"duplicates", "ranks-against-scores", "near-ties", "infinite-scores", "unknown-items"} <= told


def test_held_lists_are_the_rows_of_the_run(tmp_path, monkeypatch):
    path = tmp_path / "some.run"
    path.write_text("".join(lines(random.Random(5), scattered=False)))
    monkeypatch.setattr(trec, "CACHED_ROWS", 25)
    given = rw.read_run(path).rows
    held = data.HeldRows.of(given)
    ours, theirs = held.table(), given.table()
    assert ours.query.tolist() == theirs.query.tolist()
    assert ours.item.tolist() == theirs.item.tolist()
    assert ours.key.tolist() == theirs.key.tolist()
    assert [ours.place(row) for row in range(len(ours))] == [theirs.place(row) for row in range(len(theirs))]


def test_the_text_is_parsed_once_for_lists_and_once_for_ranks(tmp_path, monkeypatch):
    path = tmp_path / "some.run"
    path.write_text("".join(lines(random.Random(1), scattered=False)))
    parsed = Counter()
    made = Parsed.__init__

    def counting(self, block, layout):
        parsed[layout] += block.end - block.begin
        made(self, block, layout)

    monkeypatch.setattr(Parsed, "__init__", counting)
    found = rw.lint(path, QRELS)
    assert sum(bool(finding.effect) for finding in found) > 2  # each evaluates the run twice
    assert parsed == {trec.RUN: path.stat().st_size, trec.RANKS: path.stat().st_size}
