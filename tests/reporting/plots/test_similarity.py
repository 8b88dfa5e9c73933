"""The matrices of a few lists, drawn."""

from __future__ import annotations

import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, RUNS, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.errors import UsageError

FILMS = [
    {"item": "a", "genres": "War"},
    {"item": "b", "genres": "Drama|War"},
    {"item": "c", "genres": "Drama"},
]


def plain():
    run, users = second.LISTS["bm25"], second.QUERIES[:4]
    chart = rw.plot.similarity(run, users=users, k=5)
    expected = {}
    for one in users:
        for other in users:
            if one != other:
                expected[one, other] = (len(set(run[one][:5]) & set(run[other][:5])) / 5,)
        for rank, item in enumerate(run[one][:5], start=1):
            expected[one, item] = (rank,)
    shown = second.shown_in(chart, ("row", "other"), ("value",))
    shown |= {(other, one): value for (one, other), value in shown.items()}
    return shown | second.shown_in(chart, ("row", "column"), ("value",)), expected


def test_cells_hold_ranks_and_cosines():
    chart = plot.similarity({"ann": ["a", "b"], "bob": ["a", "c"]})
    rows = values_of(chart)
    assert {"row": "bob", "column": "c", "value": 2.0, "lists": 1} in rows
    assert {"row": "ann", "other": "bob", "value": pytest.approx(0.5)} in rows
    assert chart.title.subtitle[1] == "Cosine of the pair of lists 0.50, so personalization is 0.50"


def test_items_of_a_list_are_compared_by_their_features():
    chart = plot.similarity({"u": ["a", "b", "c"]}, items=FILMS, of="items")
    assert chart.title.text == "What the items of the list of 'u' have in common"
    # the mean of the doctest of ils
    assert chart.title.subtitle[1] == "Mean cosine of the 3 pairs of items (intra-list similarity) 0.47"


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("of", ["users", "items"])
def test_it_is_drawn_in_both_languages_with_titles(lang, of):
    chart = plot.similarity(RUNS["als"], items=ITEMS, of=of, lang=lang, dark=True)
    spec_checked(chart)
    assert any("(2013)" in str(row) for row in values_of(chart))


def test_one_list_and_hostile_ids_are_drawn():
    spec_checked(plot.similarity({"u": ["a", "b"]}))
    names = {name[:50]: ["<b>", "x" * 10_000] for name in HOSTILE}
    assert len(str(spec_checked(plot.similarity(names)))) < 40_000


def test_several_runs_and_missing_features_are_refused():
    with pytest.raises(UsageError, match="of one run"):
        plot.similarity(RUNS)
    with pytest.raises(UsageError, match="give items="):
        plot.similarity({"u": ["a"]}, of="items")
    with pytest.raises(UsageError, match="of one list"):
        plot.similarity({"u": ["a"], "v": ["b"]}, items=FILMS, of="items", users=["u", "v"])
