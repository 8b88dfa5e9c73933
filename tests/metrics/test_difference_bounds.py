"""Bounds of the difference of two lists under unjudged items, against the enumeration of all grades that these could have."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import numpy as np
import pytest

import rankwell as rw
from rankwell.evaluation.bounds import PairBounds
from rankwell.metrics import metric_of
from rankwell.metrics.binary import precision
from rankwell.readers import open_run

LINEAR = (
    "p@3",
    "cg@2",
    "dcg@3",
    "dcg(gain=exp2)",
    "rbp",
    "rbp(gain=binary)@2",
    "insq",
    "mean_precision@3",
    "ndcg(ideal=maximal)@3",
)
SIGNED = (
    "r@3",
    "r(denom=min_rk)@2",
    "f@2",
    "ndcg",
    "ndcg@3",
    "ndcg(gain=exp2)@2",
    "ndcg(ideal=uncut)@2",
    "ap",
    "ap@3",
    "ap(denom=R)@2",
)
FIRST = ("hit@2", "rr", "rr@2", "ap(denom=k)@3")
OUTER = ("err", "p(denom=n)@3", "f(denom=n)@3", "ap(denom=hits)", "set_f", "ndcg(ideal=retrieved)@2")
ALL = tuple(str(metric_of(name)) for name in (*LINEAR, *SIGNED, *FIRST, *OUTER))
ANCHOR = "~anchor"


@dataclass(frozen=True)
class Case:
    first: list[str]
    second: list[str]
    judged: dict[str, int]
    free: list[str]
    top: int

    def bounded(self, metrics):
        """The bounds that the library gives of this query, by metric."""
        qrels = {"q": self.judged, ANCHOR: {"a": self.top}}
        runs = {
            name: open_run({"q": own, ANCHOR: ["a"]}) for name, own in (("a", self.first), ("b", self.second))
        }
        evaluator = rw.Evaluator(qrels, metrics, bounds=True, pool="all", grades="judgements")
        pairs = PairBounds.of(evaluator.plan.for_runs([*runs.values()]).bounds, runs)
        row = pairs.pool.queries.ids.tolist().index("q")
        found = pairs.differences("a", "b")
        return {
            metric: own._replace(**{end: getattr(own, end)[row] for end in ("least", "most", "low", "high")})
            for metric in metrics
            for own in (found[metric_of(metric)],)
        }

    def enumerated(self, metrics):
        """The differences of all completions, by metric."""
        qrels = {
            f"q{at}": {**self.judged, **dict(zip(self.free, grades, strict=True))}
            for at, grades in enumerate(itertools.product(range(self.top + 1), repeat=len(self.free)))
        }
        frames = [
            rw.evaluate(
                {**dict.fromkeys(qrels, own), ANCHOR: ["a"]},
                {**qrels, ANCHOR: {"a": self.top}},
                metrics,
                grades="judgements",
            ).per_query
            for own in (self.first, self.second)
        ]
        rows = frames[0]["query"] != ANCHOR
        return {metric: (frames[0][metric] - frames[1][metric]).filter(rows).to_numpy() for metric in metrics}


def cases(n, seed, *, most, items=7, top=(1, 2)):
    draw = random.Random(seed)
    for _ in range(n):
        names = [f"i{at}" for at in range(items)]
        first, second = (draw.sample(names, draw.randint(1, items - 1)) for _ in range(2))
        union = list(dict.fromkeys(first + second))
        free = draw.sample(union, min(len(union), draw.randint(1, most)))
        best = draw.choice(top)
        judged = {item: draw.randint(0, best) for item in union if item not in free} | {"elsewhere": 1}
        yield Case(first, second, judged, free, best)


def test_differences_are_bounded_jointly():
    exact = dict.fromkeys(ALL, 0)
    for case in cases(120, seed=1, most=4):
        found, differences = case.bounded(ALL), case.enumerated(ALL)
        for metric in ALL:
            own, d = found[metric], differences[metric]
            lowest, highest = d.min(), d.max()
            assert own.low <= lowest + 1e-12, (metric, case)
            assert own.high >= highest - 1e-12, (metric, case)
            if own.is_decided:
                ends = (own.least, lowest), (own.most, highest)
                assert all(np.sign(ours.round(12)) == np.sign(theirs.round(12)) for ours, theirs in ends), (
                    metric,
                    case,
                )
            if own.is_exact:
                assert own.low == pytest.approx(lowest, abs=1e-12), (metric, case)
                assert own.high == pytest.approx(highest, abs=1e-12), (metric, case)
            exact[metric] += own.is_decided + own.is_exact
    names = [[str(metric_of(name)) for name in group] for group in (LINEAR, FIRST, SIGNED, OUTER)]
    assert all(exact[name] == 240 for name in [*names[0], *names[1]])
    assert all(exact[name] >= 120 for name in names[2])
    assert all(exact[name] == 0 for name in names[3])


def test_joint_bounds_are_narrower_than_those_of_each_list_apart():
    case = Case(["a", "b"], ["b", "a"], {"elsewhere": 1}, ["a", "b"], 1)
    found = case.bounded(["p@2", "rr"])
    assert (found["p@2"].low, found["p@2"].high) == (0.0, 0.0)  # both lists have both items
    assert (found["rr"].low, found["rr"].high) == (-0.5, 0.5)


@pytest.mark.parametrize("metric", ["ap", "ndcg", "ndcg@3", "r@3", "err"])
def test_outer_bounds_are_useful(metric):
    """The median width of outer bounds is at most one and a half times that of exact ones, of up to 8 unjudged items."""
    ratios = []
    for case in cases(60, seed=2, most=8, items=9, top=(1,)):
        own, d = case.bounded([metric])[metric], case.enumerated([metric])[metric]
        if d.max() > d.min():
            ratios.append((own.high - own.low) / (d.max() - d.min()))
    assert len(ratios) > 40
    assert min(ratios) > 1 - 1e-9
    assert np.median(ratios) <= 1.5


def test_more_unjudged_items_than_can_be_tried_give_outer_bounds_of_ap(monkeypatch):
    ratios = []
    for case in cases(60, seed=3, most=8, items=9, top=(1,)):
        exact = case.bounded(["ap"])["ap"]
        for most, large in ((-1, 600), (-1, -1)):
            monkeypatch.setattr(precision, "MOST", most)
            monkeypatch.setattr(precision, "LARGE", large)
            outer = case.bounded(["ap"])["ap"]
            monkeypatch.undo()
            assert not outer.is_decided
            assert outer.least <= exact.least + 1e-12
            assert outer.most >= exact.most - 1e-12
            if large > 0 and exact.most > exact.least:
                ratios.append((outer.most - outer.least) / (exact.most - exact.least))
    assert np.median(ratios) <= 1.5


def test_quadratic_functions_are_maximised_exactly_up_to_twenty_items():
    draw = np.random.default_rng(5)
    for n in (1, 4, 9):
        for _ in range(20):
            linear, pairs = draw.normal(size=n), np.triu(draw.normal(size=(n, n)), 1)
            values = [
                linear @ x + x @ pairs @ x
                for x in (np.array(bits, float) for bits in itertools.product((0, 1), repeat=n))
            ]
            found, is_exact = precision._highest(linear, pairs + pairs.T)
            assert is_exact
            assert found == pytest.approx(max(values), abs=1e-12)
    assert precision.MOST == 20
