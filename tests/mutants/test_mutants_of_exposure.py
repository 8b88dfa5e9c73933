"""One planted bug per switch of exposure, rating errors and weighed metrics; each is caught by the slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.definitions.beyond import filled
from tests.definitions.test_exposure import compared
from tests.definitions.test_propensities import weighed_agree
from tests.definitions.test_rating_errors import errors_agree
from tests.mutants.planting import around, fails, put

from rankwell.metrics.fairness import exposure
from rankwell.metrics.fairness import exposure as groups
from rankwell.metrics.ratings import propensities, ratings


def shares(*wanted):
    """Whether the slow definitions of exposure notice nothing."""
    return lambda: [compared(filled(seed), 3, wanted) for seed in range(1, 40) if seed % 3]


def errors(*names):
    return lambda: [errors_agree(seed, 3, names) for seed in range(30)]


def weighed(*metrics, k=3, clip=None):
    return lambda: [weighed_agree(seed, k, clip, metrics) for seed in range(30)]


def every_row(pool, rel):
    return np.ones(len(pool.grades), np.bool_)


PLAIN = ("exposure", {}), ("awrf", {})
MERIT = ("exposure", {"target": "merit"}), ("awrf", {"target": "merit"})


MUTANTS = {
    "the view of the next rank": (
        around(groups.OfGroups, "seen", lambda original, self, ranks: original(self, ranks + 1)), shares(*PLAIN)),
    "rbp that forgets p": (
        around(groups.OfGroups, "seen", lambda original, self, ranks: 0.8 ** (ranks - 1.0)),
        shares(("exposure", {"view": "rbp", "p": 0.5}))),
    "items without a group are one": (
        put(groups.Features, "lengths", property(lambda self: np.maximum(np.diff(self.offsets), 1))),
        shares(("exposure", {}))),
    "uniform for catalogue": (
        around(groups.AgainstTarget, "fair",
            lambda original, self, *given: original(type(self)(target="uniform"), *given)), shares(*PLAIN)),
    "every judgement has merit": (
        put(groups.AgainstTarget, "merits", lambda self, judged, context: judged.in_catalogue(context)), shares(*MERIT)),
    "merit that forgets rel": (
        around(groups.AgainstTarget, "merits",
            lambda original, self, *given: original(type(self)(target="merit"), *given)),
        shares(("exposure", {"target": "merit", "rel": 2}))),
    "merit of the lists alone": (
        put(groups.OfAllLists, "sees_missing", False), shares(("exposure", {"target": "merit"}), ("dtr", {}))),
    "kl the other way round": (
        around(groups, "kl", lambda original, p, q: original(q, p)), shares(("exposure", {"divergence": "kl"}))),
    "kl not smoothed": (put(groups, "SMOOTHING", 1e-6), shares(("awrf", {"divergence": "kl"}))),
    "ratio: groups that should have nothing count": (
        put(groups, "_least_by_greatest",
            lambda share, fair: (share / np.maximum(fair, 1e-9)).min(axis=1) / (share / np.maximum(fair, 1e-9)).max(axis=1)),
        shares(("awrf", {"target": "merit", "divergence": "ratio"}))),
    "DP of shares of the lists": (
        put(exposure._TwoGroups, "compared", lambda self, seen, against: float(seen[0] / seen[1])), shares(("dp_ratio", {}))),
    "DP: the second group over the first": (
        around(exposure._TwoGroups, "compared",
            lambda original, self, seen, against: original(self, seen[::-1], against[::-1])), shares(("dp_ratio", {}))),
    "DP: the pool without what was listed": (
        put(exposure.DPRatio, "against", lambda self, judged, context: groups.sum_by_group(
            self.groups_of(context), groups.items_of(judged.in_catalogue(context)))),
        shares(("dp_ratio", {"candidates": "pool"}))),
    "DTR that is DP": (
        put(exposure.DTR, "against", lambda self, judged, context: exposure.DPRatio(candidates="pool").against(judged, context)),
        shares(("dtr", {}), ("dtr", {"candidates": "list"}))),
    "DTR: the cut-off ignored": (
        put(exposure.DTR, "against", lambda self, judged, context: groups.sum_by_group(
            self.groups_of(context),
            groups.items_of(judged.shown.where(context.scale.relevant(judged.shown.grade))))),
        shares(("dtr", {"candidates": "list"}))),
    "RMSE without a root": (put(ratings.RMSE, "rooted", False), errors("rmse")),
    "MAE of squares": (put(ratings.MAE, "power", 2), errors("mae")),
    "pooled errors that are those of users": (
        around(ratings.OfPairs, "state", lambda original, self, judged, context:
            ratings.PairErrors(ratings.UserMSE(k=self.k).state(judged, context), len(judged))), errors("mse")),
    "errors beyond the cut-off": (
        around(ratings._OfErrors, "losses", lambda original, self, judged: original(ratings.UserMSE(), judged)),
        errors("mse", "user_mse")),
    "weighed by the propensity itself": (
        around(propensities._Weighed, "_weights", lambda original, self, judged:
            (original(self, judged)[0], judged.pool.propensity)), weighed(("ips", "dcg", {}))),
    "clip ignored": (
        around(propensities._Weighed, "_weights", lambda original, self, judged:
            (original(self, judged)[0], 1 / judged.pool.propensity)), weighed(("snips", "dcg", {}), clip=0.4)),
    "IPS that is SNIPS": (put(propensities.IPS, "divisor", propensities.SNIPS.divisor), weighed(("ips", "r", {}))),
    "SNIPS: all that was judged": (
        put(propensities, "_relevant_rows", every_row), weighed(("snips", "r", {}))),
    "SNIPS that forgets rel": (
        put(propensities._Weighed, "rel", None), weighed(("snips", "r", {"rel": 2}))),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_is_caught(name, monkeypatch):
    plant, check = MUTANTS[name]
    assert not fails(check), "caught where nothing is planted"
    plant(monkeypatch)
    assert fails(check)
