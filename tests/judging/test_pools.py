"""Pooled: the candidates of runs and the rows of their lists, beside plain loops; read in blocks as read at once."""

from __future__ import annotations

import random

import numpy as np
import pytest

import rankwell as rw
from rankwell.judging import pools
from rankwell.judging.pools import Pooled, runs_of
from rankwell.matching.policy import Policy


def lists(seed, queries=30, runs=4):
    """Runs as lists of items by query, best first; ids share beginnings, and some queries lack a list."""
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(400)]
    return {
        f"run{run}": {
            f"q{query}": rng.sample(names, rng.randint(1, 60))
            for query in rng.sample(range(queries), queries - run)
        }
        for run in range(runs)
    }


def write(folder, name, own, shuffled=None):
    rows = [
        f"{query} Q0 {item} {rank} {1000 - rank} t\n"
        for query, items in own.items()
        for rank, item in enumerate(items, start=1)
    ]
    if shuffled is not None:
        shuffled.shuffle(rows)
    path = folder / f"{name}.run"
    path.write_text("".join(rows))
    return str(path)


def plain(runs):
    """Candidates by query and the rows of lists, from the formula: queries and items by first appearance, in plain loops."""
    queries = list(dict.fromkeys(query for own in runs.values() for query in own))
    items = list(dict.fromkeys(item for own in runs.values() for listed in own.values() for item in listed))
    number = {item: at for at, item in enumerate(items)}
    candidates = [
        (query, items[at])
        for query in queries
        for at in sorted({number[item] for own in runs.values() for item in own.get(query, [])})
    ]
    place = {candidate: at for at, candidate in enumerate(candidates)}
    rows = [
        (place[query, item], run, rank)
        for query in queries
        for run, own in enumerate(runs.values())
        for rank, item in enumerate(own.get(query, []), start=1)
    ]
    return candidates, rows


def found(sources):
    opened = runs_of(sources, {})
    pooled = Pooled.of([*opened], [*opened.values()], Policy())
    queries, items = pooled.queries.tolist(), pooled.catalogue.tolist()
    candidates = [
        (queries[q], items[i]) for q, i in zip(pooled.query.tolist(), pooled.item.tolist(), strict=True)
    ]
    return candidates, list(
        zip(pooled.candidate.tolist(), pooled.run.tolist(), pooled.rank.tolist(), strict=True)
    )


@pytest.mark.parametrize("block", [1, 2000, 1 << 20])
@pytest.mark.parametrize("part", [1, 700, 1 << 17])
def test_candidates_and_rows_are_those_of_plain_loops_in_blocks_of_any_size(
    tmp_path, monkeypatch, block, part
):
    monkeypatch.setattr(pools, "BATCH_ROWS", block)
    monkeypatch.setattr(pools, "PART_ROWS", part)
    runs = lists(part)
    assert found({name: write(tmp_path, name, own) for name, own in runs.items()}) == plain(runs)
    assert found(runs) == plain(runs)


def test_queries_that_come_again_are_one_list(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "BATCH_ROWS", 40)
    runs = lists(5)
    paths = {name: write(tmp_path, name, own) for name, own in runs.items()}
    whole = found(paths)
    # the last list of each file is cut in two, of which one half stands at the beginning
    for path in paths.values():
        with open(path) as file:
            rows = file.readlines()
        query = rows[-1].split()[0]
        last = [row for row in rows if row.split()[0] == query]
        rest = [row for row in rows if row.split()[0] != query]
        with open(path, "w") as file:
            file.writelines([*last[: len(last) // 2], *rest, *last[len(last) // 2 :]])
    candidates, rows = found(paths)
    by_item = sorted((candidates[at], run, rank) for at, run, rank in rows)
    assert by_item == sorted((whole[0][at], run, rank) for at, run, rank in whole[1])


def test_rows_in_any_order_give_the_same_lists(tmp_path):
    runs = lists(6)
    shuffled = {name: write(tmp_path, name, own, random.Random(1)) for name, own in runs.items()}
    (candidates, rows), (expected, expected_rows) = found(shuffled), plain(runs)
    assert sorted((candidates[at], run, rank) for at, run, rank in rows) == sorted(
        (expected[at], run, rank) for at, run, rank in expected_rows
    )


def test_runs_of_text_and_of_integers_meet(tmp_path):
    text = write(tmp_path, "a", {"1": ["7", "8"], "2": ["9"]})
    candidates, rows = found({"a": text, "b": {1: [8, 5]}})
    assert candidates == [(1, 7), (1, 8), (1, 5), (2, 9)]
    assert rows == [(0, 0, 1), (1, 0, 2), (1, 1, 1), (2, 1, 2), (3, 0, 1)]


def test_lists_without_rows_are_no_queries_and_runs_without_rows_are_refused():
    assert found({"a": {"q": [], "r": ["x"]}})[0] == [("r", "x")]
    with pytest.raises(rw.RankwellError, match="b: the run holds no rows"):
        found({"a": {"q": ["x"]}, "b": {"q": []}})


def test_ranks_above_32_bits_are_kept():
    far = {"query": ["q", "q"], "item": ["a", "b"], "rank": np.array([1, 2**40])}
    assert [row[2] for row in found({"a": far})[1]] == [1, 2**40]
