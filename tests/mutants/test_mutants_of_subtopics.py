"""One planted bug per step from topics of judged items to values; each is caught by the slow definitions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.definitions.aspects import differences
from tests.definitions.reference_aspects_random import random_case
from tests.definitions.test_subtopics import SUBTOPICS, wanted_of
from tests.definitions.test_subtopics import test_the_divisor_of_ndeval_is_the_slow_one as norms
from tests.mutants.planting import around, fails, put

from rankwell.kernels import cascade
from rankwell.metrics.diversity import alpha, aspects, err_ia, intents, subtopics, topic_recall
from rankwell.metrics.diversity import subtopics as cascading

Subtopics = subtopics.Subtopics


def slow():
    for seed in range(100):
        assert not differences(random_case(seed), wanted_of(seed), SUBTOPICS, Counter())


def by_first_id(original, self, pool):
    rows, bounds = original(self, pool)
    for low, high in pairwise(bounds):
        rows[low:high] = rows[low:high][::-1]
    return rows, bounds


def seen_item_counts(original, query, row, chance, first, start, offsets, slot, share, damp, noisy):
    return original(query, row, chance, first, start, offsets, slot, share * (1 - damp), damp, noisy)


def all_weigh_alike(original, pool, context, wanted, *rest):
    return original(pool, context, replace(wanted, weights="uniform"), *rest)


def judged_topics(original, pool, context, wanted, topics, kept):
    return original(pool, context, replace(wanted, universe="judged"), topics, kept)


def with_what_is_not_relevant(original, *columns):
    return original(*columns[:-1], np.ones(len(columns[-1])))


MUTANTS = {
    "an item uses up its topics before it gains": around(cascade, "gains", seen_item_counts),
    "equal items of the greedy list by first id": around(Subtopics, "candidates", by_first_id),
    "greedy list one rank too long": around(
        Subtopics, "greedy", lambda original, self, candidates, bounds, depth, *rest:
        original(self, candidates, bounds, None if depth is None else depth + 1, *rest)),
    "weights of topics are forgotten": around(subtopics, "_weights", all_weigh_alike),
    "weights do not add up to 1": put(subtopics, "_shares", lambda weight, query, queries: weight),
    "every query has the topics of its relevant items": around(subtopics, "_universe", judged_topics),
    "grades are forgotten": around(subtopics, "Subtopics", with_what_is_not_relevant),
    "α of the topic is left, not taken": put(
        alpha._Alpha, "use", lambda self, topics, context: (np.ones(len(topics.slot)), np.full(len(topics.slot), 1 - self.alpha))),
    "NRBP: (1 − α) β for 1 − (1 − α) β": put(
        alpha.NRBP, "weights_of", lambda self, ranks: (1 - self.alpha) * self.beta * self.beta ** (ranks - 1.0)),
    "ERR-IA without the reciprocal rank": put(err_ia._ERRIA, "weights_of", lambda self, ranks: np.ones(len(ranks))),
    "RBU: unjudged items are free": put(err_ia.RBU, "rows", lambda self, judged: judged.found.top(self.k)),
    "RBU: p^r": around(err_ia.RBU, "weights_of", lambda original, self, ranks: original(self, ranks + 1)),
    "RBU: one scale for all topics": around(
        Subtopics, "highest", lambda original, self: np.full(len(self.level), self.level.max(initial=1.0))),
    "intent-aware means without weights": put(
        intents._IntentAware, "subtopics", lambda self, pool, context:
        replace(cascading.OnTopics.subtopics(self, pool, context), weight=np.ones(
            len(cascading.OnTopics.subtopics(self, pool, context).topic)))),
    "S-recall over the topics of the list": put(
        topic_recall.SRecall, "divisor", lambda self, judged, context: np.maximum(
            self.terms(judged, context).sum(), (self.n_topics(judged, context) > 0).astype(float))),
    "S-precision: the list's rank over the ideal's": around(
        topic_recall.SPrecision, "_arrival", lambda original, self, made, wanted: original(made, np.maximum(wanted - 1, 1))),
    "global gain: the highest, not the sum": put(
        aspects.DnDCG, "_global", lambda self, pool, context: pool.grades * 1.0),
    "D#-nDCG: γ on the other part": around(
        aspects.DSharpnDCG, "per_query", lambda original, self, *given: original(replace(self, gamma=1 - self.gamma), *given)),
}  # fmt: skip


@pytest.mark.parametrize("plant", MUTANTS.values(), ids=MUTANTS)
def test_a_planted_bug_is_caught(plant, monkeypatch):
    plant(monkeypatch)
    assert fails(slow)


def test_a_divisor_of_ndeval_with_one_rank_too_many_is_caught(monkeypatch):
    around(cascading, "everything", lambda original, damp, weights_of, k: original(damp, weights_of, k + 1))(
        monkeypatch
    )
    monkeypatch.setattr(alpha, "everything", cascading.everything)
    monkeypatch.setattr(err_ia, "everything", cascading.everything)
    assert fails(norms)
