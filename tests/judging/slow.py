"""Choosing once more, slowly: one query, one item, one pair of runs at a time, from the definitions in the papers."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np

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
    """Queries in turn: the one with the fewest judgements, of equal ones the first."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self.queries = list(dict.fromkeys(query for each in lists.values() for query in each))
        self.told: list[tuple[str, str, float]] = []

    def left(self, query: str) -> set[str]:
        judged = {item for q, item, _ in self.told if q == query}
        return {item for q, item in candidates(self.lists) if q == query} - judged

    def query(self) -> str | None:
        having = [query for query in self.queries if self.left(query)]
        return min(having, key=lambda q: sum(each[0] == q for each in self.told), default=None)

    def first_of(self, run: str, query: str) -> str | None:
        left = self.left(query)
        return next((item for item in self.lists[run].get(query, []) if item in left), None)


class Hedge(Turns):
    def scores(self, query: str, beta: float = 0.1) -> dict[str, float]:
        longest = max(len(each.get(query, [])) for each in self.lists.values())

        def cost(run: str, item: str) -> float:
            rank = rank_of(self.lists, run, query, item)
            return 0.0 if math.isinf(rank) else 0.5 * math.log(longest / rank)

        weight = {}
        for run in self.lists:
            loss = sum((-1 if g > 0 else 1) * cost(run, item) for q, item, g in self.told if q == query)
            weight[run] = beta**loss
        total = sum(weight.values())
        return {
            item: sum(weight[run] / total * cost(run, item) for run in self.lists)
            for item in self.left(query)
        }


class MoveToFront(Turns):
    def __init__(self, lists: Lists) -> None:
        super().__init__(lists)
        self.priority = {(run, query): 0 for run in lists for query in self.queries}
        self.front: dict[str, str | None] = dict.fromkeys(self.queries)

    def choose(self) -> tuple[str, str, str] | None:
        query = self.query()
        if query is None:
            return None
        front = self.front[query]
        if front is None or self.first_of(front, query) is None:
            having = [run for run in self.lists if self.first_of(run, query)]
            front = max(having, key=lambda run: self.priority[run, query])  # the first of equal ones
        return query, str(self.first_of(front, query)), front

    def tell(self, query: str, item: str, grade: float, run: str) -> None:
        self.told.append((query, item, grade))
        if grade > 0:
            self.front[query] = run
        else:
            self.front[query] = None
            self.priority[run, query] -= 1


class Bandit(Turns):
    """``how``: mm, mm_ns or bla. Draws are of the generator that the seed and the number of the query give."""

    def __init__(self, lists: Lists, how: str, seed: int) -> None:
        super().__init__(lists)
        self.how = how
        self.draws = {query: np.random.default_rng([seed, at]) for at, query in enumerate(self.queries)}
        self.plays: dict[tuple[str, str], list[bool]] = {(run, q): [] for run in lists for q in self.queries}

    def choose(self) -> tuple[str, str, str] | None:
        query = self.query()
        if query is None:
            return None
        having = [run for run in self.lists if self.first_of(run, query)]
        value = {}
        for run in having:
            plays = self.plays[run, query][-1:] if self.how == "mm_ns" else self.plays[run, query]
            won, lost = sum(plays), len(plays) - sum(plays)
            if self.how == "bla":
                value[run] = self.draws[query].beta(1 + won, 1 + lost)
            else:
                value[run] = (1 + won) / (2 + won + lost)
        best = [run for run in having if value[run] == max(value.values())]
        run = best[0] if len(best) == 1 else best[int(self.draws[query].choice(len(best)))]
        return query, str(self.first_of(run, query)), run

    def tell(self, query: str, item: str, grade: float, run: str) -> None:
        self.told.append((query, item, grade))
        self.plays[run, query].append(grade > 0)
