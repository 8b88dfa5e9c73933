"""A planted bug in each judging method; each is caught by the rule in plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.judging.methods.test_rules import plain_of
from tests.judging.slow import compare_choices
from tests.mutants.planting import around, fails, put

from rankwell.judging.method import ByRun, methods
from rankwell.judging.methods import bla, depth, hedge, mm, mm_ns, mtc, mtf
from rankwell.judging.pools import Pooled


def last_of_depth(self):
    order = self.pooled.pooling_order
    left = order[~self.answers.closed[order]]
    return (int(left[-1]), 1.0 / float(self.pooled.best_rank[left[-1]])) if len(left) else None


def second_open(original, self, query):
    candidate, weight = original(self, query)
    listed = self.lists(query)[self.source[candidate]]
    left = listed[~self.answers.closed[listed]]
    return int(left[min(1, len(left) - 1)]), weight


MUTANTS = {
    "bla: the mean, not a draw": ("bla", put(bla.BLA, "values", mm.MM.values)),
    "bla: α and β swapped": (
        "bla",
        around(bla.BLA, "beliefs", lambda original, *given: original(*given)[::-1]),
    ),
    "depth: the worst rank first": (
        "depth",
        put(depth.Depth, "choose", last_of_depth),
    ),
    "depth: fewer lists first": (
        "depth",
        put(Pooled, "pooling_order", property(lambda self: np.lexsort((self.voices, self.best_rank)))),
    ),
    "hedge: runs do not lose": ("hedge", put(hedge, "BETA", 1.0)),
    "hedge: losses and gains swapped": (
        "hedge",
        around(hedge.Hedge, "stakes", lambda original, *given: -original(*given)),
    ),
    "mm: no uniform belief": (
        "mm",
        around(mm.MM, "beliefs", lambda original, *given: tuple(each - 0.9 for each in original(*given))),
    ),
    "mm: the first of equal runs": (
        "mm",
        put(mm.MM, "best_run", lambda self, query, runs: (
            runs[int(self.values(query, runs).argmax())], float(self.values(query, runs).max()))),
    ),
    "mm_ns: nothing is forgotten": ("mm_ns", put(mm_ns.MMNS, "rate", 1.0)),
    "mtc: only what a relevant answer adds": (
        "mtc",
        around(mtc.MTC, "_effects", lambda original, self, rank, x: original(self, rank, np.minimum(x, 0))),
    ),
    "mtc: the sum of all differences but one": (
        "mtc",
        around(mtc, "spread_of_pairs", lambda original, values: original(values[:, 1:])),
    ),
    "mtf: priority does not fall": ("mtf", put(mtf.MoveToFront, "count", lambda self, query, candidate: (
        self.front.pop(query, None)))),
    "mtf: the last of equal runs": ("mtf", put(mtf.MoveToFront, "best_run", lambda self, query, runs: (
        max(runs, key=lambda run: (self.priority[query][run], run)), float(max(self.priority[query][run] for run in runs))))),
    "mtf: the second open item": (
        "mtf",
        around(ByRun, "choose_in", second_open),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("method", "plant"), MUTANTS.values(), ids=[*MUTANTS])
def test_a_wrong_choice_is_caught(method, plant, monkeypatch):
    plant(monkeypatch)
    assert fails(lambda: compare_choices(method, plain_of(method)))


def test_every_method_has_a_planted_bug():
    assert {method for method, _ in MUTANTS.values()} == set(methods())
