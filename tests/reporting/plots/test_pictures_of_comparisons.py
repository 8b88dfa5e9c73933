"""What all pictures of comparisons promise: one look, no colour or address of their own, hostile names as text, few rows."""

from __future__ import annotations

import pytest
from tests.reporting.compared import compared, data, evaluated
from tests.reporting.plots.drawing import HOSTILE, text_of
from tests.reporting.plots.pictures import spec_checked, values_of

import rankwell as rw

KINDS = {
    "correlation": lambda own, found, **more: rw.plot.correlation(own, **more),
    "differences": lambda own, found, **more: rw.plot.differences(own, comparison=found, **more),
    "forest": lambda own, found, **more: rw.plot.forest(found, **more),
    "per_query": lambda own, found, **more: rw.plot.per_query(own, comparison=found, **more),
    "scatter": lambda own, found, **more: rw.plot.scatter(found, **more),
    "wins": lambda own, found, **more: rw.plot.wins(found, **more),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_picture_names_a_colour_or_an_address_and_each_has_a_title_in_its_language(kind):
    own, found = evaluated(3), compared(3)
    english = spec_checked(KINDS[kind](own, found))
    korean = spec_checked(KINDS[kind](own, found, lang="ko", dark=True))
    assert english["title"] != korean["title"]
    assert english["layer"] != korean["layer"]


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_drawn_as_text(kind):
    results = list(evaluated(len(HOSTILE), 12, 1, ("rr", "p@5", "ndcg@10")).values())
    own = dict(zip(HOSTILE, results, strict=True))
    found = rw.compare(own, flips=99, resamples=99)
    chart = KINDS[kind](own, found)
    spec_checked(chart)
    assert len(chart.to_json()) < 100_000
    text = text_of(chart)
    assert "\u202e" not in text
    assert "\x00" not in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("systems", "queries"), [(2, 1), (2, 60), (50, 15)])
def test_few_rows_are_behind_a_picture_of_any_size(kind, systems, queries):
    own = evaluated(systems, queries, 1, ("rr", "p@5", "ndcg@10"))
    found = rw.compare(own, flips=99, resamples=99)
    chart = KINDS[kind](own, found)
    spec_checked(chart)
    assert len(values_of(chart)) < 3_000


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_without_a_hit_and_one_that_lacks_queries_are_drawn(kind):
    qrels, runs = data(2, 20)
    some = {name: items for name, items in runs["s1"].items() if name < "q15"}
    own = rw.Evaluator(qrels, ["rr", "p@5", "ndcg@10"], missing="skip").evaluate_all(
        {"a": runs["s0"], "none": {name: ["zz"] for name in qrels}, "some": some}
    )
    found = rw.compare(own, flips=99, resamples=99)
    assert text_of(KINDS[kind](own, found))
