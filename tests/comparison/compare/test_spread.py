"""Comparisons by sums, against the same comparisons by values: random systems and options, and groups of queries as Spark makes them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest
from tests.cases import seeds

import rankwell as rw
from rankwell.comparison.compare import cells, spread
from rankwell.comparison.compare.cells import differences_of, means_of
from rankwell.comparison.compare.methods import Methods
from rankwell.comparison.compare.spread import cell_by_sums
from rankwell.evaluation.engines.spark.workers import pack, unpack
from rankwell.metrics import metric_of
from rankwell.statistics import intervals
from rankwell.statistics.families import Cell
from rankwell.statistics.many import Design
from rankwell.statistics.paired_tests import Ranks, SizeCounts
from rankwell.tables.ids import Ids

QUERIES = 1_300
METRICS = ["rr", "ndcg@2", "p@1", "first_rank", "coverage@2"]


@dataclass
class Rows:
    """The values of a system as a cluster has them, in so many groups of queries."""

    own: rw.Results
    groups: int

    @property
    def frame(self):
        pytest.fail("the table was looked at")

    @property
    def columns(self):
        return ["query", *(str(metric) for metric in self.own.part.values)]

    def can_stand_beside(self, others):
        return len({each.own.part.queries.is_text for each in (self, *others)}) == 1

    def refuse_other_ids(self, name, segments):
        pass

    def answers(self, others, columns, rows, answer, segments):
        return answers(self.groups, [self, *others], columns, rows, answer, segments)

    def signed_ranks(self, others, columns, rows, counted, segments, *, few):
        return ranks(self.groups, [self, *others], columns, rows, counted, segments, few=few)


def answers(groups, frames, columns, rows, answer, segments=None):
    """What groups of queries answer, by a hash of the query, or of its cluster."""
    every = Ids.of(sorted({query for frame in frames for query in frame.own.queries}))
    places = {query: place for place, query in enumerate(every.tolist())}
    values = {column: np.full((len(frames), len(every)), np.nan) for column in columns}
    for row, frame in enumerate(frames):
        at = [places[query] for query in frame.own.queries]
        for column in columns:
            values[column][row, at] = frame.own.values(metric_of(column))
    by = np.arange(len(every), dtype=np.uint64)
    if segments is not None and segments.clusters is not None:
        by = segments.clusters_of(segments.rows(every), every)
    of = np.random.default_rng(3).integers(0, groups, int(by.max() % 10_007) + 10_008)[by % np.uint64(10_007)]
    for group in np.unique(of):
        own = np.flatnonzero(of == group)
        given = {column: each[:, own] for column, each in values.items()}
        yield unpack(pack(answer(every[own], given, segments)))


def ranks(groups, frames, columns, rows, counted, segments, *, few):
    """What groups of bins answer."""
    sets = {}
    for found in answers(groups, frames, columns, rows, counted, segments):
        for number, each in found.items():
            sets.setdefault(number, []).append(each)
    for number, parts in sets.items():
        whole = SizeCounts.joined(parts)
        for own in np.unique(whole.bins()):
            counts = SizeCounts(*(column[whole.bins() == own] for column in whole))
            yield {(number, own): counts if number in few else Ranks.of(counts)}


@pytest.fixture
def few_are_many(monkeypatch):
    for module in (cells, intervals, spread):
        monkeypatch.setattr(module, "LARGE", 1_000)
    for module in (intervals, spread):
        monkeypatch.setattr(module, "ENOUGH", 60)


def systems(random, names):
    """Lists of up to three items, of which some systems lack some queries, and two are nearly the same."""
    grades = random.integers(0, 3, (QUERIES, 3))
    qrels = pl.DataFrame({
        "query": np.repeat(np.arange(QUERIES), 3), "item": np.tile(["a", "b", "c"], QUERIES), "grade": grades.ravel(),
    })  # fmt: skip
    runs, last = {}, None
    for name in names:
        scores = random.random((QUERIES, 4))
        if last is not None and random.random() < 0.3:
            changed = random.random(QUERIES) < 0.01
            scores = np.where(changed[:, None], scores, last)
        last = scores
        listed = np.repeat(random.random(QUERIES) < random.choice([0.9, 0.99, 2.0]), 4)
        runs[name] = pl.DataFrame({
            "query": np.repeat(np.arange(QUERIES), 4)[listed], "item": np.tile([*"abcd"], QUERIES)[listed],
            "score": scores.ravel()[listed],
        })  # fmt: skip
    return runs, qrels


def users(random):
    queries = np.arange(QUERIES)
    tiers = random.choice(
        ["many", "some", "few"], QUERIES, p=random.choice([[0.9, 0.08, 0.02], [0.5, 0.4, 0.1]])
    )
    tiers[queries < 1] = "one"
    return pl.DataFrame({
        "query": queries,
        "tier": tiers,
        "weight": random.choice([0.0, 1.0, 2.5], QUERIES) if random.random() < 0.5 else random.gamma(0.5, size=QUERIES),
        "cluster": (queries * 9 // 10) if random.random() < 0.5 else (50 * random.random(QUERIES) ** 2).astype(int),
    })  # fmt: skip


def options(random):
    """What goes together, at random."""
    chosen = {"flips": 199, "resamples": 199, "seed": int(random.integers(0, 9))}
    is_plain = random.random() < 0.5
    if not is_plain:
        chosen |= [
            {"weights": "weight"},
            {"clusters": "cluster"},
            {"weights": "weight", "clusters": "cluster"},
        ][random.integers(0, 3)]
    if random.random() < 0.5:
        chosen["by"] = "tier"
    if random.random() < 0.5:
        chosen["baseline"] = "one"
    if random.random() < 0.4:
        chosen["rope"] = 0.02
    if random.random() < 0.4:
        chosen["margins"] = 0.01
    chosen["test"] = str(random.choice(["t", "flips", *(["wilcoxon", "sign"] if is_plain else [])]))
    chosen["correction"] = str(
        random.choice(
            ["auto", "holm", "bh", *(["tukey"] if is_plain and chosen["test"] in ("t", "flips") else [])]
        )
    )
    if chosen["correction"] != "tukey" and random.random() < 0.3:
        chosen["family"] = "all"
    trained = {"two": ["two 1", "two 2", "two 3"], "three": ["three 1", "three 2", "three 3"]}
    kind = random.random()
    if kind < 0.25 and is_plain and chosen["correction"] != "tukey":
        chosen["seeds"] = trained
    elif kind < 0.5:
        chosen["folds"] = trained
    return chosen


@pytest.mark.parametrize("case", seeds(60))
def test_sums_say_what_values_say(few_are_many, monkeypatch, case):
    random = np.random.default_rng(case)
    chosen = options(random)
    groups = "seeds" in chosen or "folds" in chosen
    names = ["one", *(f"{name} {n}" for name in ("two", "three") for n in (1, 2, 3))] if groups else ["one", "two", "three"]  # fmt: skip
    runs, qrels = systems(random, names)
    table = users(random)
    rules = {"items": ["a", "b", "c", "d", "e"], "missing": "skip", "users": table}
    if "by" in chosen:
        rules["by"] = "tier"
    results = {name: rw.evaluate(run, qrels, METRICS, **rules) for name, run in runs.items()}
    assert_same(monkeypatch, results, 1 + case % 9, users=table, **chosen)


@pytest.mark.parametrize("by", [{}, {"by": "tier"}])
def test_metrics_without_values_per_query_are_shown_alone(few_are_many, monkeypatch, by):
    random = np.random.default_rng(0)
    runs, qrels = systems(random, ["one", "two"])
    rules = {"items": ["a", "b", "c", "d", "e"], "users": users(random), **by}
    results = {name: rw.evaluate(run, qrels, ["coverage@2"], **rules) for name, run in runs.items()}
    assert_same(monkeypatch, results, 3, users=rules["users"], **by)


def assert_same(monkeypatch, results, groups, **chosen):
    """Compare by values, and by sums of so many groups of queries."""
    whole = rw.compare(results, **chosen)
    monkeypatch.setattr(
        rw.Results,
        "collected",
        lambda self: self if self.remote is None else pytest.fail("values were collected"),
    )
    there = {name: replace(res, remote=Rows(res, groups)) for name, res in results.items()}
    found = rw.compare(there, **chosen)
    assert_alike(found.to_dict(), whole.to_dict(), ())


def assert_alike(found, told, path):
    assert type(found) is type(told), path
    if isinstance(found, dict):
        assert found.keys() == told.keys(), path
        for name in found:
            assert_alike(found[name], told[name], (*path, name))
    elif isinstance(found, list):
        assert len(found) == len(told), path
        for place, (one, other) in enumerate(zip(found, told, strict=True)):
            assert_alike(one, other, (*path, place))
    elif isinstance(found, float):
        assert found == pytest.approx(told, rel=1e-11, abs=1e-13, nan_ok=True), path
    else:
        assert found == told, path


@pytest.mark.parametrize("kind", ["weights", "clusters", "both"])
def test_a_cell_held_here_is_what_its_values_say(kind):
    random = np.random.default_rng(len(kind))
    n = 2_500
    values = np.round(random.random((4, n)), 2)
    values[1] = values[0] + np.where(random.random(n) < 0.01, 0.1, 0.0)
    values[2] = random.random(n) < 0.3
    values[3, 700:] = np.nan  # fewer than a thousand
    values[random.random((4, n)) < 0.02] = np.nan
    design = Design(
        random.choice([0.0, 1.0, 2.5], n) if kind != "clusters" else None,
        random.integers(0, 400, n).astype(np.uint64) if kind != "weights" else None,
    )
    pairs = np.array([[0, 0, 1, 2], [1, 2, 2, 3]])
    cell = Cell(values, pairs, np.arange(n, dtype=np.uint64))
    how = Methods(resamples=199, flips=99, margins={"rr": 0.01})
    total = 10**6
    means, differences = cell_by_sums(metric_of("rr"), cell, design, how, 1, total=total)
    told = means_of(cell, design, how, (0.0, 1.0), 1, total=total)
    assert_alike([*map(np.ndarray.tolist, means)], [*map(np.ndarray.tolist, told)], ())
    told = differences_of(cell, design, how, margin=0.01, span=1.0, sign=1)
    assert_alike([*map(np.ndarray.tolist, differences)], [*map(np.ndarray.tolist, told)], ())
