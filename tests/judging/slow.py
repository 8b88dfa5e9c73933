"""Choosing once more, slowly: one query, one item, one pair of runs at a time, from the definitions in the papers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest

import rankwell as rw

Lists = dict[str, dict[str, list[str]]]  # run, query, items in rank order
Grades = dict[tuple[str, str], float]


def worlds(
    seed: int, *, runs: int = 4, queries: int = 3, items: int = 9, length: int = 6
) -> tuple[Lists, Grades]:
    """Lists of random lengths over random items, some of them missing; and a grade for every item."""
    rng = random.Random(seed)
    lists: Lists = {}
    for run in range(runs):
        lists[f"run{run}"] = {
            f"q{q}": rng.sample([f"q{q}d{d}" for d in range(items)], rng.randint(1, length))
            for q in range(queries)
            if run == 0 or rng.random() < 0.9
        }
    grades = {
        (f"q{q}", f"q{q}d{d}"): float(rng.choice([0, 0, 0, 1, 2]))
        for q in range(queries)
        for d in range(items)
    }
    return lists, grades


def candidates(lists: Lists) -> set[tuple[str, str]]:
    return {(query, item) for each in lists.values() for query, listed in each.items() for item in listed}


def rank_of(lists: Lists, run: str, query: str, item: str, k: int | None = None) -> float:
    listed = lists[run].get(query, [])
    rank = listed.index(item) + 1 if item in listed else math.inf
    return rank if k is None or rank <= k else math.inf


def mtc_ap(lists: Lists, told: Grades, query: str, item: str, k: int | None = None) -> float:
    """The weight of an item under AP, from c_ij of every pair of runs and of every pair of items."""
    own = sorted(i for q, i in candidates(lists) if q == query)
    pairs = list(combinations(lists, 2)) if len(lists) > 1 else [(next(iter(lists)), None)]
    if_relevant = if_not = 0.0
    for one, other in pairs:

        def c(i: str, j: str, one: str = one, other: str | None = other) -> float:
            a = [
                1 / max(rank_of(lists, run, query, i, k), rank_of(lists, run, query, j, k)) if run else 0.0
                for run in (one, other)
            ]
            return a[0] - a[1]

        relevant = [j for j in own if j != item and told.get((query, j), 0) > 0]
        unjudged = [j for j in own if j != item and (query, j) not in told]
        if_relevant += abs(c(item, item) + sum(c(item, j) for j in relevant))
        if_not += abs(c(item, item) + sum(c(item, j) for j in [*relevant, *unjudged]))
    known = sum(grade > 0 for (q, _), grade in told.items() if q == query)
    return max(if_relevant, if_not) / max(known, 1)


def mtc_linear(lists: Lists, query: str, item: str, discount, k: int | None) -> float:
    """Σ |difference of discounts| over every pair of runs."""
    values = [
        0.0 if math.isinf(rank := rank_of(lists, run, query, item, k)) else discount(rank) for run in lists
    ]
    return sum(abs(a - b) for a, b in combinations(values, 2)) if len(values) > 1 else values[0]


def sum_of_precisions(listed: list[str], relevant: set[str]) -> float:
    return sum(
        sum(each in relevant for each in listed[:rank]) / rank
        for rank, item in enumerate(listed, start=1)
        if item in relevant
    )


class Turns:
    """A method's rule in plain loops, to choose by beside it. Queries are in turn: the one with the fewest judgements, of equal ones
    the first.

    ``weights`` gives every item that the rule allows next, of which those of the highest weight can be chosen, and is empty
    when nothing is left to ask for. ``metrics`` are those to choose by.
    """

    metrics: tuple[str, ...] = ("ap",)

    def __init__(self, lists: Lists, metric: str, seed: int) -> None:
        self.lists, self.metric, self.seed = lists, metric, seed
        self.queries = list(dict.fromkeys(query for each in lists.values() for query in each))
        self.told: list[tuple[str, str, float]] = []

    def weights(self) -> dict[tuple[str, str], float]:
        raise NotImplementedError

    def tell(self, query: str, item: str, grade: float) -> None:
        self.told.append((query, item, grade))

    def left(self, query: str) -> set[str]:
        judged = {item for q, item, _ in self.told if q == query}
        return {item for q, item in candidates(self.lists) if q == query} - judged

    def query(self) -> str | None:
        having = [query for query in self.queries if self.left(query)]
        return min(having, key=lambda q: sum(each[0] == q for each in self.told), default=None)


class ByRun(Turns):
    """A rule that chooses a run, and takes the first item of its list that is not judged."""

    def value(self, query: str, run: str) -> float:
        raise NotImplementedError

    def of_equal(self, query: str, runs: list[str]) -> str:
        return runs[0]

    def first_of(self, run: str, query: str) -> str | None:
        left = self.left(query)
        return next((item for item in self.lists[run].get(query, []) if item in left), None)

    def weights(self) -> dict[tuple[str, str], float]:
        query = self.query()
        if query is None:
            return {}
        value = {run: self.value(query, run) for run in self.lists if self.first_of(run, query)}
        best = [run for run in value if value[run] == max(value.values())]
        self.taken = self.of_equal(query, best)
        return {(query, str(self.first_of(self.taken, query))): value[self.taken]}


class Bandit(ByRun):
    """Draws are of the generator that the seed and the number of the query give."""

    def __init__(self, lists: Lists, metric: str, seed: int) -> None:
        super().__init__(lists, metric, seed)
        self.draws = {query: np.random.default_rng([seed, at]) for at, query in enumerate(self.queries)}
        self.plays: dict[tuple[str, str], list[bool]] = {(run, q): [] for run in lists for q in self.queries}

    def value(self, query: str, run: str) -> float:
        plays = self.plays[run, query]
        return (1 + sum(plays)) / (2 + len(plays))

    def of_equal(self, query: str, runs: list[str]) -> str:
        return runs[0] if len(runs) == 1 else runs[int(self.draws[query].choice(len(runs)))]

    def tell(self, query: str, item: str, grade: float) -> None:
        super().tell(query, item, grade)
        self.plays[self.taken, query].append(grade > 0)


def compare_choices(method: str, plain: type[Turns], seeds: Iterable[int] = range(8)) -> int:
    """Choose and tell until nothing is left, and compare each choice with the plain rule. Return how many were compared."""
    compared = 0
    for seed in seeds:
        lists, grades = worlds(seed, runs=5, items=14, length=10)
        for metric in plain.metrics:
            chooser = rw.judging.Chooser(lists, method=method, metric=metric, seed=seed)
            other = plain(lists, metric, seed)
            while weights := other.weights():
                pick = chooser.next()
                assert pick is not None, (method, metric, seed, weights)
                query, item, weight = pick
                assert (query, item) in weights, (method, metric, seed, pick, weights)
                assert weights[query, item] == pytest.approx(weight, abs=1e-12), (method, metric, seed, pick)
                assert max(weights.values()) == pytest.approx(weight, abs=1e-12), (
                    method,
                    metric,
                    seed,
                    pick,
                    weights,
                )
                chooser.tell(query, item, grades[query, item])
                other.tell(query, item, grades[query, item])
                compared += 1
            assert chooser.next() is None, (method, metric, seed)
    return compared
