"""One planted bug per rule of αβ-nDCG; the slow definitions, or the plain scan, notice each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.definitions.aspects import differences
from tests.definitions.reference_alphabeta import ALPHA_BETA
from tests.definitions.reference_aspects_case import Case
from tests.definitions.reference_aspects_random import random_ratings
from tests.mutants.planting import around, put

from rankwell.kernels import cascade, exact, ideal
from rankwell.metrics.diversity import satisfaction as topical
from rankwell.metrics.diversity import topic_ideal as rated
from rankwell.tables.features import Features
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked

SEEDS = range(32, 56)  # in two of them the greedy list is not the best
TIES = Case(  # a, b and c gain alike; after a both others gain less, after b or c the other one as much
    lists={"u": ["a", "b"]},
    judged={"u": {"e": {"0": 4.0}}},
    catalogue=["a", "b", "c", "e"],
    columns={"topics": {"a": {"A", "B"}, "b": {"A", "C"}, "c": {"B", "D"}, "e": set()}, "tags": {}},
    train={"v": {"a": 1}},
)


def up_to_the_rank_itself(_, query, row, chance, first, start, offsets, slot, *rest):
    """The article's product: an item takes its own share away before it gains."""
    gained = np.zeros(len(row))
    left = {}
    for place, (user, kind) in enumerate(zip(query.tolist(), row.tolist(), strict=True)):
        own = left.setdefault(user, start[first[user] : first[user + 1]].copy())
        if kind >= 0:
            topics = slot[offsets[kind] : offsets[kind + 1]]
            own[topics] *= 1 - chance[place]
            gained[place] = 1 - np.prod(1 - chance[place] * own[topics])
    return gained


def without_a_second_look(original, start, *given):
    """What a candidate gains at the top decides, as if a list used nothing up."""
    depth = given[-1]
    places, worth, admitted = original(start, *given)
    for user in range(len(start)):
        rest, taken = list(given), []
        own = slice(*given[5][user : user + 2])
        for _ in range(depth):
            rest[5], rest[6:9] = np.array([0, own.stop - own.start]), [column[own] for column in given[6:9]]
            gone = np.concatenate([given[10][slice(*given[9][user : user + 2])], np.array(taken, np.int64)])
            rest[9:11], rest[12] = (np.array([0, len(gone)]), gone), 1
            first, gain, _ = original(start[user : user + 1], *rest)
            if first[0, 0] < 0:
                break
            taken.append(int(first[0, 0]))
            places[user, len(taken) - 1], worth[user, len(taken) - 1] = first[0, 0], gain[0, 0]
    return places, worth, admitted


def nothing_is_rated(original, *given):
    nobody, none = np.zeros_like(given[6]), np.zeros(0, np.int64)
    places, worth, _ = original(*given[:6], nobody, none, none, np.zeros(0), *given[10:])
    return places, worth, np.zeros(len(given[7]), np.uint8)


def of_the_list_alone(original, self, judged, context):
    made = original(self, judged, context)
    listed = (
        judged.shown.top(self.k)
        if judged.listed is not None
        else made.own.where(np.zeros(len(made.own), bool))
    )
    known = made.kinds.of_item[listed.item] >= 0 if len(listed) else np.zeros(0, bool)
    own = listed.where(known & (listed.item >= 0))
    return replace(made, own=own, chance=self.chance(own.grade, context), others=None)


def nobody_had_anything(original, self, judged, context):
    made = original(self, judged, context)
    none = np.zeros(0, np.int64)
    return replace(made, seen=lambda low, high: Ranked(high - low, none, none, np.zeros(0), item=none))


def one_rank_less(original, self, judged, context, cuts):
    made = original(self, judged, context, cuts)
    return replace(made, totals={cut: total * 0.97 for cut, total in made.totals.items()})


MUTANTS = {
    "the product runs up to the rank itself": (
        around(cascade, "gains", up_to_the_rank_itself), ("ab_dcg", {})),
    "the ideal is made of the list": (
        around(rated.Normalised, "_candidates", of_the_list_alone), ("ab_ndcg", {"candidates": "pool"})),
    "a bound is used without a second look": (
        around(ideal, "greedy", without_a_second_look), ("ab_ndcg", {"alpha": 0.3})),
    "of equal items the last": (
        around(Ids, "text_order", lambda original, self: original(self)[::-1]),
        ("ab_ndcg", {"alpha": 0.3, "cold": "uniform"})),
    "training items are candidates": (
        around(rated.Normalised, "_candidates", nobody_had_anything), ("ab_ndcg", {})),
    "rated items are as the others of their kind": (
        around(ideal, "greedy", nothing_is_rated), ("ab_ndcg", {})),
    "IDCG is that of a shorter list": (around(rated.Normalised, "measured", one_rank_less), ("ab_ndcg", {})),
    "the exact list is the greedy one": (
        put(exact, "best", lambda *given: (np.zeros(0, np.int64), np.zeros(0), 0)),
        ("ab_ndcg", {"alpha": 0.3, "cold": "uniform", "ideal": "exact"})),
    "values are clipped unasked": (
        around(rated.Normalised, "divisor", lambda original, self, judged, context: np.maximum(
            original(self, judged, context), self.terms(judged, context).sum())),
        ("ab_ndcg", {"candidates": "judged"})),
    "α counts for rated items of a low rating": (
        around(rated.OfRatings, "chance", lambda original, self, grade, context: np.maximum(
            original(self, grade, context), self.unrated)), ("ab_dcg", {"alpha": 0.3})),
    "ratings are not mapped": (
        put(rated.OfRatings, "map", lambda self, grade, context: np.ones(len(grade))), ("ab_dcg", {})),
    "minmax for ratio": (
        put(rated.OfRatings, "map", lambda self, grade, context: (
            (grade - context.grade_max / 9) / (context.grade_max * 8 / 9))), ("ab_hit", {})),
    "one item, several topics: the gain is their sum": (
        around(cascade, "gains", lambda original, *given: original(*given[:-1], False)), ("ab_dcg", {})),
    "a user's items weigh alike": (
        around(Features, "sums", lambda original, self, rows, weights=None: original(self, rows)), ("ab_dcg", {})),
    "item share is ml": (
        around(topical.InterestEstimate, "_shares", lambda original, self, *given: original(
            replace(self, profile="ml") if self.profile == "item_share" else self, *given)),
        ("ab_dcg", {"profile": "item_share"})),
    "smoothing is the weight of the user": (
        around(topical.InterestEstimate, "_shares", lambda original, self, *given: original(
            replace(self, smoothing=1 - self.smoothing), *given)), ("ab_dcg", {"profile": "smoothed"})),
    "mu weighs once per topic": (
        around(topical.InterestEstimate, "_shares", lambda original, self, *given: original(
            replace(self, mu=self.mu * 2), *given)), ("ab_dcg", {"profile": "dirichlet"})),
    "all users like what the catalogue holds": (
        around(topical, "population", lambda original, train, topics: (
            np.bincount(topics.codes, minlength=len(topics.names)) / max(len(topics.codes), 1))),
        ("ab_dcg", {"cold": "prior"})),
    "cold users are skipped unasked": (
        around(topical.InterestEstimate, "_joined", lambda original, self, *given: original(replace(self, cold="skip"), *given)),
        ("ab_dcg", {"cold": "uniform"})),
    "profiles are of the test": (
        around(topical.Topical, "interests", lambda original, self, *given: original(
            replace(self, profile_source="test"), *given)), ("ab_dcg", {})),
    "items without topics are no topic": (
        around(topical.Topical, "_features", lambda original, self, context: original(
            replace(self, unknown_topic=False), context)), ("ab_dcg", {"unknown_topic": True})),
}  # fmt: skip


def caught(name, parameters):
    """Whether a value differs from that of the slow definition."""
    wanted = [(name, parameters, k) for k in ((2, 3) if parameters.get("ideal") == "exact" else (1, 3, 5))]
    for case in [TIES, *map(random_ratings, SEEDS)]:
        if differences(case, wanted, ALPHA_BETA, Counter()):
            return True
    return False


@pytest.mark.parametrize(
    "what", sorted({(name, tuple(given.items())) for _, (name, given) in MUTANTS.values()}), ids=str
)
def test_nothing_is_caught_where_nothing_is_planted(what):
    name, parameters = what
    assert not caught(name, dict(parameters))


@pytest.mark.parametrize("bug", MUTANTS)
def test_a_planted_bug_is_caught(bug, monkeypatch):
    plant, (name, parameters) = MUTANTS[bug]
    plant(monkeypatch)
    assert caught(name, parameters)
