"""One planted bug per rule of list diversity, familiarity and calibration; each is caught by the slow definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.mutants.beyond import caught
from tests.mutants.planting import around, put

from rankwell.matching.scale import Scale
from rankwell.metrics.beyond import calibration, familiarity, lists
from rankwell.metrics.beyond import item_features as pairs
from rankwell.tables.features import Features
from rankwell.tables.lists import Ranked


def with_the_first_of_the_others(original, rows, others, features):
    return original(rows, others.where(others.nth() == 1), features) * others.count()[rows.query]


VECTORS = {"features": "vectors"}
MUTANTS = {
    "ILS: an item is its own neighbour": (
        around(lists, "_similarity", lambda original, rows, *given: original(rows, *given) + rows.count() / 2), ("ils", {})),
    "ILS: items without features are their own": (
        put(Features, "has", lambda self, items: np.ones(len(items), bool)), ("ils", {})),
    "ILS: skip is zero": (
        around(lists.ILS, "per_query", lambda original, self, *given: original(lists.ILS(k=self.k), *given)),
        ("ils", {"missing": "skip"})),
    "ILS: raw vectors for unit vectors": (put(Features, "units", property(lambda self: self)), ("ils", VECTORS)),
    "ILS: the mean for the sum": (
        around(lists.ILS, "per_query", lambda original, self, *given: original(lists.ILS(k=self.k), *given)),
        ("ils", {"average": "sum"})),
    "Jaccard: no union": (
        put(pairs, "_jaccard", lambda both, *_: np.minimum(both, 1.0)), ("ils", {"similarity": "jaccard"})),
    "Jaccard: values for sets": (
        put(Features, "sets", property(lambda self: self)), ("ild", {"distance": "jaccard", **VECTORS})),
    "Euclidean: what only the upper item has": (
        around(pairs, "_distances", lambda original, tables, below, step: original(tables, below * (below > step), step)),
        ("ild", {"distance": "euclidean", **VECTORS})),
    "squared Euclidean that is not": (
        around(lists, "squares_within", lambda original, *given: np.sqrt(original(*given))),
        ("ild", {"distance": "sqeuclidean", **VECTORS})),
    "ILD over n²": (
        around(lists.ILD, "per_query", lambda original, self, judged, context:
            original(self, judged, context) * (1 - 1 / np.maximum(judged.shown.count(), 1))), ("ild", {})),
    "pairs: the last one is forgotten": (
        around(pairs, "within", lambda original, *given: (
            (upper[:-1], lower[:-1], values[:-1]) for upper, lower, values in original(*given) if len(upper) > 1)),
        ("ild", {"distance": "jaccard"})),
    "EILD: ranks further off": (
        around(lists.EILD, "_discount", lambda original, self, ranks: original(self, ranks + 1)), ("eild", {})),
    "EILD: what stands above is not seen": (
        put(lists.EILD, "_seen_from_each", lambda self, rows, _: np.ones(len(rows))), ("eild", {})),
    "EILD: relative for symmetric": (
        around(lists.EILD, "per_query", lambda original, self, *given: original(lists.EILD(k=self.k), *given)),
        ("eild", {"weights": "symmetric"})),
    "EILD: relevance forgotten": (
        put(Scale, "relevant", lambda self, grade, rel: np.ones(len(grade), bool)), ("eild", {"relevance": "binary"})),
    "EILD: its own grade forgotten": (
        around(Scale, "relevant", lambda original, self, grade, rel=None: original(self, grade)),
        ("eild", {"relevance": "binary", "rel": 2})),
    "unserendipity: the sum over the history": (
        put(familiarity, "ratio", lambda above, below: np.where(below > 0, above, np.nan)), ("unserendipity", {})),
    "unserendipity without a history is 0": (
        around(familiarity._Familiar, "likeness", lambda original, *given: np.nan_to_num(original(*given))),
        ("unserendipity", {})),
    "EPD: the first of the history alone": (
        around(familiarity, "_cosines", with_the_first_of_the_others), ("epd", {})),
    "EPD with Jaccard: the first of the history alone": (
        around(familiarity, "jaccard_against", with_the_first_of_the_others), ("epd", {"distance": "jaccard"})),
    "EPD: a similarity": (
        around(familiarity._Familiar, "likeness", lambda original, *given: 1 - original(*given)), ("epd", {})),
    "surprise: all are relevant": (
        put(Scale, "relevant", lambda self, grade, rel: np.ones(len(grade), bool)), ("surprise", {})),
    "calibration: p and q swapped": (
        around(calibration.Calibration, "_divergence", lambda original, self, p, q: original(self, q, p)),
        ("calibration", {})),
    "calibration: topics are not shared": (
        put(Features, "shares", property(lambda self: self)), ("calibration", {"divergence": "tv"})),
    "calibration: smoothing swapped": (
        around(calibration.Calibration, "_divergence", lambda original, self, p, q:
            original(replace(self, smoothing=1 - self.smoothing), p, q)), ("calibration", {})),
    "calibration: grades forgotten": (
        around(calibration.Calibration, "per_query", lambda original, self, *given:
            original(calibration.Calibration(k=self.k), *given)), ("calibration", {"weights": "grade"})),
    "calibration: ranks forgotten": (
        around(calibration.Calibration, "per_query", lambda original, self, *given:
            original(calibration.Calibration(k=self.k), *given)), ("calibration", {"discount": "log2p1"})),
    "calibration: nats for bits": (put(calibration.Calibration, "_unit", lambda self: 1.0), ("calibration", {"base": 2})),
    "JS in nats": (around(calibration, "js", lambda original, p, q: original(p, q) * np.log(2)), ("upd", {})),
    "Hellinger: no root": (
        lambda patch: patch.setitem(calibration.DIVERGENCES, "hellinger", lambda p, q: calibration.hellinger(p, q) ** 2),
        ("calibration", {"divergence": "hellinger"})),
    "UPD: the list against itself": (
        around(calibration.UPD, "_shares", lambda original, self, rows, context: np.full((rows.queries, 3), 1 / 3)),
        ("upd", {})),
    "only the list's first rows count": (
        around(Ranked, "top", lambda original, self, k: original(self, 2)), ("ild", {})),
}  # fmt: skip


def test_nothing_is_caught_where_nothing_is_planted():
    for _, (name, parameters) in MUTANTS.values():
        assert not caught(name, parameters), name


@pytest.mark.parametrize("bug", MUTANTS)
def test_a_planted_bug_is_caught(bug, monkeypatch):
    plant, (name, parameters) = MUTANTS[bug]
    plant(monkeypatch)
    assert caught(name, parameters)
