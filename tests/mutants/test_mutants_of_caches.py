"""Planted bugs of what is kept between runs, metrics and batches; each is caught by the law that is made for it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mutants.planting import around, put
from tests.test_derived import listed_relevant

from rankwell import testing
from rankwell.matching.batch import Context
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.metrics import metric_of
from rankwell.metrics.binary import precision
from rankwell.records import Derived
from rankwell.tables.lists import Ranked

FIRST_RUNS: dict[object, Context] = {}


def by_size(pool, context):
    """The rows of a catalogue, kept by the pool under a number that another catalogue can have too, as an address is."""
    key = ("in catalogue", len(context.catalogue))
    if key not in pool._kept:
        pool._kept[key] = context.catalogue.rows_of(pool.items, "item")
    return pool._kept[key]


def whatever_function(owner, function, *objects):
    if objects not in owner._kept:
        owner._kept[objects] = function(owner, *objects)
    return owner._kept[objects]


def whatever_objects(owner, function, *objects):
    if function not in owner._kept:
        owner._kept[function] = function(owner, *objects)
    return owner._kept[function]


def first_cut_of_all(original, rows, k):
    return rows._tops[min(rows._tops)] if rows._tops else original(rows, k)


def first_run_of_all(original, context, catalogue):
    return FIRST_RUNS.setdefault(context, original(context, catalogue))


def grades_lowered_in_place(original, metric, judged, context):
    made = original(metric, judged, context)
    np.subtract(judged.found.grade, 1.0, out=judged.found.grade)
    return made


RUNS, NEGATIVE = "runs are apart", "negative grades are unjudged"
OF_RUNS = {
    "a run's items are kept by a number": (put(Pool, "rows_in", by_size), listed_relevant, RUNS),
    "all runs have the items of the first": (around(Context, "of_run", first_run_of_all), listed_relevant, RUNS),
    "grades below 0 are judged": (put(Scale, "judged", lambda _, grade: ~np.isnan(grade)), metric_of("bpref"), NEGATIVE),
    "grades below 0 are hits": (put(Scale, "relevant", lambda _, grade, rel=None: grade != 0), metric_of("rr"), NEGATIVE),
    "lists are looked at where nothing is judged": (
        put(Scale, "judged", lambda _, grade: ~np.isnan(grade)), metric_of("judged@3"), NEGATIVE),
}  # fmt: skip
OF_NEIGHBOURS = {
    "keys forget the function": (put(Derived, "once", whatever_function), ["ab_ndcg@2", "test_share@2"]),
    "keys forget the objects": (put(Derived, "once", whatever_objects), ["ap", "ap(rel=2)"]),
    "the first cut-off is that of all": (around(Ranked, "top", first_cut_of_all), ["hit@1", "hit@3"]),
    "a metric changes the grades that all read": (
        around(precision.AP, "per_query", grades_lowered_in_place), ["ap", "ndcg@3"]),
}  # fmt: skip


@pytest.mark.parametrize(("plant", "metric", "law"), OF_RUNS.values(), ids=OF_RUNS)
def test_a_planted_bug_is_caught_by_its_law(plant, metric, law, monkeypatch):
    cases = list(testing.examples(25))
    assert all(testing.LAWS[law](metric, given) for given in cases)
    plant(monkeypatch)
    assert not all(testing.LAWS[law](metric, given) for given in testing.examples(25))


@pytest.mark.parametrize(("plant", "texts"), OF_NEIGHBOURS.values(), ids=OF_NEIGHBOURS)
def test_a_planted_bug_is_caught_beside_another_metric(plant, texts, monkeypatch):
    testing.check_neighbours(texts, cases=5)
    plant(monkeypatch)
    with pytest.raises((testing.LawBroken, TypeError, AttributeError)):
        testing.check_neighbours(texts, cases=5)
