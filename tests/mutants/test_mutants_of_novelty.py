"""One planted bug per rule of novelty, serendipity and popularity bias; each is caught by the slow definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.mutants.beyond import caught
from tests.mutants.planting import around, put

from rankwell.matching import batch as history
from rankwell.metrics.beyond import novelty, popular, serendipity, tail
from rankwell.metrics.fairness import parity
from rankwell.metrics.graded import gain_functions as gains
from rankwell.tables import popularity
from rankwell.tables.lists import Ranked


def rows_of_all(original, state, *given):
    made = original(state, *given)
    return replace(made, possible=(made.possible[0] + 1, *made.possible[1:]))


def all_items(context, borders):
    size = len(context.catalogue)
    return np.append(np.arange(size), -1), size


MUTANTS = {
    "MSI of pairs": (put(novelty.MSI, "among", "pairs"), ("msi", {})),
    "self-information of users": (put(novelty.SelfInformation, "among", "users"), ("self_information", {})),
    "EPC: an unseen item has a user": (put(novelty.EPC, "fewest", 1), ("epc", {})),
    "EFD: an unseen item is not surprising": (
        around(novelty.EFD, "chances", lambda original, *given: (
            original(*given)[0], np.minimum(original(*given)[1] * 2, 1))),
        ("efd", {})),
    "EPC: ranks from 0": (
        around(gains, "discount", lambda original, kind, base, ranks: original(kind, base, ranks + 1)), ("epc", {})),
    "EPC: relevance forgotten": (
        put(gains.OfRelevance, "_wanted", lambda self, rows, context: np.ones(len(rows))), ("epc", {"relevance": "binary"})),
    "places from 0": (
        around(history.History, "places_of", lambda original, *given: original(*given) - 1), ("unexpectedness", {"top": 3})),
    "unexpected ones need not be relevant": (
        put(serendipity.Serendipity, "_wanted", serendipity.Unexpectedness._wanted), ("serendipity", {"top": 3})),
    "Murakami without the precision": (
        around(Ranked, "nth", lambda original, rows: np.where(original(rows) > 0, rows.rank, 0)),
        ("serendipity_murakami", {})),
    "RecTools' form with places that differ": (
        put(serendipity.SerendipityMurakami, "_places", lambda _, rows, context: context.train.places_of(rows)),
        ("serendipity_murakami", {"form": "rectools"})),
    "Kotkov: own items count": (
        put(Ranked, "among", lambda self, others: np.zeros(len(self), bool)),
        ("serendipity_kotkov", {"distance": 1, "novel": 1})),
    "Kotkov: the first own item for the closest": (
        around(serendipity, "closest", lambda original, rows, others, features:
            original(rows, others.where(others.nth() == 1), features)),
        ("serendipity_kotkov", {"distance": 0.3, "novel": 1})),
    "ARP: the sum": (
        around(popular.ARP, "per_query", lambda original, self, judged, context:
            original(self, judged, context) * judged.shown.count()), ("arp", {})),
    "the head is the tail": (
        around(tail.OfHead, "parts", lambda original, *given: 2 - original(*given)), ("aplt", {"at": 0.5})),
    "the mid is of the tail": (
        around(tail.OfHead, "parts", lambda original, *given: np.where(original(*given) == 1, 2, original(*given))),
        ("aplt", {"at": 0.3, "mid": 0.6})),
    "PopRSP: the mid is of the head": (
        around(tail.OfHead, "parts", lambda original, *given: np.where(original(*given) == 1, 0, original(*given))),
        ("pop_rsp", {"at": 0.3, "mid": 0.6})),
    "PopREO: the mid is left out": (
        put(popularity.Cut, "codes", property(lambda self: (0, 2))), ("pop_reo", {"at": 0.3, "mid": 0.6})),
    "ACLT over n": (put(tail.ACLT, "per_query", tail.APLT.per_query), ("aclt", {})),
    "tail coverage of the catalogue": (
        put(tail, "_tail", all_items),
        ("tail_coverage", {})),
    "PopRSP: one item more is possible": (around(parity.PopRSP, "state", rows_of_all), ("pop_rsp", {"at": 0.5})),
    "PopREO: own items are possible": (
        put(Ranked, "among", lambda self, others: np.zeros(len(self), bool)), ("pop_reo", {"at": 0.5})),
    "PopREO: the missing are forgotten": (put(parity.PopREO, "sees_missing", False), ("pop_reo", {"at": 0.5})),
    "ΔGAP: relative to the lists": (
        put(popular.DeltaGAP, "value", lambda self, state: 1 - state.profiles.value / (state.lists.value or 1)),
        ("delta_gap", {})),
}  # fmt: skip


def test_nothing_is_caught_where_nothing_is_planted():
    for _, (name, parameters) in MUTANTS.values():
        assert not caught(name, parameters), name


@pytest.mark.parametrize("bug", MUTANTS)
def test_a_planted_bug_is_caught(bug, monkeypatch):
    plant, (name, parameters) = MUTANTS[bug]
    plant(monkeypatch)
    assert caught(name, parameters)
