"""lint looks at a run batch by batch, finds what it finds in one piece, and reads a clean run once."""

from __future__ import annotations

import gzip
import itertools
import random
from collections import Counter

import pytest

import rankwell as rw
from rankwell.evaluation import id_check
from rankwell.inspection.linting import data, matches
from rankwell.readers.formats import trec
from rankwell.readers.formats.trec import Parsed
from rankwell.readers.read import open_run
from rankwell.tables.lists import owners

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
    assert len(list(data.RunData(open_run(path)).batches())) > 15
    parts = rw.lint(path, QRELS, items=[f"d{item}" for item in range(39)], train={"q50": ["d7", "d9", "d8"]})
    assert list(parts) == list(whole)
    told = {finding.rule for finding in whole}
    assert {"duplicates", "ranks-against-scores", "near-ties", "infinite-scores", "unknown-items"} <= told


@pytest.mark.parametrize("scattered", [False, True])
def test_lists_of_all_batches_are_the_rows_of_the_run(scattered, tmp_path, monkeypatch):
    path = tmp_path / "some.run"
    path.write_text("".join(lines(random.Random(5), scattered=scattered)))
    monkeypatch.setattr(trec, "CACHED_ROWS", 25)
    given = rw.read_run(path).rows.table()
    run = data.RunData(open_run(path))
    run.read()
    ours = run.lists
    query = [ours.queries.one(int(owner)) for owner in owners(ours.offsets)]
    rows = zip(
        query, ours.items.tolist(), ours.score.tolist(), map(ours.place, range(ours.rows)), strict=True
    )
    theirs = zip(
        given.query.tolist(),
        given.item.tolist(),
        given.key.tolist(),
        map(given.place, range(len(given))),
        strict=True,
    )
    assert sorted(rows) == sorted(theirs)
    assert run.n_rows == len(given)


def counted(monkeypatch):
    """The bytes that are parsed, by what is read of them."""
    parsed, made = Counter(), Parsed.__init__

    def counting(self, block, layout):
        parsed[layout] += block.end - block.begin
        made(self, block, layout)

    monkeypatch.setattr(Parsed, "__init__", counting)
    return parsed


def clean(n):
    """A run without oddities, and judgements of its first items."""
    rows = [f"q{q} Q0 d{q}-{r} {r} {9 - r / n} tag\n" for q in range(40) for r in range(1, n + 1)]
    return "".join(rows), {f"q{q}": {f"d{q}-{r}": r % 2 for r in range(1, 11)} for q in range(40)}


def test_a_clean_run_is_read_once_and_its_ranks_are_compared(tmp_path, monkeypatch):
    path = tmp_path / "some.run"
    text, qrels = clean(50)
    path.write_text(text)
    monkeypatch.setattr(trec, "CACHED_ROWS", 100)
    parsed = counted(monkeypatch)
    assert not list(rw.lint(path, qrels))
    # the last ranks of a block, behind which no eight bytes follow, are parsed with their block
    assert parsed[trec.RUN] == len(text)
    assert parsed[trec.RANKS] <= len(text)


@pytest.mark.parametrize("compressed", [False, True])
def test_findings_of_a_dirty_run_take_two_passes_or_three(compressed, tmp_path, monkeypatch):
    path = tmp_path / ("some.run.gz" if compressed else "some.run")
    text = "".join(lines(random.Random(1), scattered=False)).encode()
    path.write_bytes(gzip.compress(text) if compressed else text)
    passes = []
    monkeypatch.setattr(
        data.RunData,
        "read",
        lambda self, read=data.RunData.read: passes.append(len(self._asked)) or read(self),
    )
    found = rw.lint(path, QRELS)
    assert sum(bool(finding.effect) for finding in found) > 2  # each evaluates the run twice
    assert 2 <= sum(map(bool, passes)) <= 3


RANKS = {
    "in order": lambda r: r,
    "from 0": lambda r: r - 1,
    "with zeros": lambda r: f"0{r}",
    "with a point": lambda r: f"{r}.0",
    "backwards": lambda r: 51 - r,
    "words": lambda r: "-",
    "beyond the table": lambda r: r + 20_000,
}


@pytest.mark.parametrize("blank", [" ", "\t", "  "])
@pytest.mark.parametrize("form", RANKS)
def test_ranks_beside_scores_are_those_that_are_parsed(form, blank, tmp_path):
    path = tmp_path / "some.run"
    rows = [
        (f"q{q}", "Q0", f"d{r}", str(RANKS[form](r)), f"{9 - r}", "t") for q in range(3) for r in range(1, 51)
    ]
    path.write_text("".join(blank.join(row) + "\n" for row in rows))
    (make,) = data.RunData(open_run(path)).batches()
    ranks = make().extra.get("rank")
    if form == "words":
        assert ranks is None
    else:
        assert ranks.tolist() == [float(row[3]) for row in rows]
        assert ranks.dtype == float


def test_a_scattered_run_is_packed_for_scores_and_for_ranks_once_in_each_pass(tmp_path, monkeypatch):
    path = tmp_path / "some.run"
    path.write_text("".join(lines(random.Random(2), scattered=True)))
    monkeypatch.setattr(trec, "CACHED_ROWS", 25)
    monkeypatch.setattr(data, "MOST_HELD", 0)
    for module, name in itertools.product((matches, id_check), ("FEW", "MANY")):
        monkeypatch.setattr(module, name, 5)  # rows that show how ids are made: the first batch has as many
    passes, packed, made, pack = [], [], data.RunData.read, trec._packed
    monkeypatch.setattr(
        data.RunData, "read", lambda self: passes.append(bool(self._asked or not self.is_read)) or made(self)
    )
    monkeypatch.setattr(trec, "_packed", lambda whole: packed.append(whole.layout) or pack(whole))
    assert list(rw.lint(path, QRELS))
    assert 2 <= sum(passes) <= 3
    # a first pass shows that lines are scattered
    assert packed.count(trec.RANKS) == sum(passes) - 1
    assert packed.count(trec.RUN) == sum(passes) - 1
