"""The matrices of a few lists, drawn."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from tests.definitions.worked import examples
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, RUNS, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.errors import UsageError
from rankwell.readers import read_run
from rankwell.readers.items_users import read_catalogue
from rankwell.reporting.plots.similarity import lists_of, of_items, of_users

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


DATA = examples()["rs.data"]["input"]
FEATURES = [{"item": item, "x": x, "y": y, "z": z} for item, (x, y, z) in DATA["features"].items()]


def test_lists_are_as_similar_as_in_the_worked_example():
    found = of_users(DATA["recs"])
    pairs = {
        "u1-u2": 0.666667,
        "u1-u3": 0.333333,
        "u1-u4": 0.816497,
        "u2-u3": 0.333333,
        "u2-u4": 0.408248,
        "u3-u4": 0.0,
    }
    for (a, one), (b, other) in combinations(enumerate(DATA["recs"]), 2):
        assert found.similar[a, b] == pytest.approx(pairs[f"{one}-{other}"], abs=1e-6)
    assert 1 - found.mean == pytest.approx(examples()["rs.personalization"]["expected"], abs=1e-12)


@pytest.mark.parametrize("user", ["u1", "u2", "u3", "u4"])
def test_items_are_as_similar_as_in_the_worked_example(user):
    found = of_items(DATA["recs"][user], read_catalogue(FEATURES), "numeric")
    assert found.mean == pytest.approx(examples()["rs.ils_per_user"]["expected"][user], abs=1e-12)


def test_matrices_of_real_lists_are_those_of_a_plain_loop_and_of_the_metrics():
    lists = lists_of(read_run(RUNS["itemknn"]), None, 10, 12)
    found = of_users(lists)
    listed = list(lists.values())
    for a, b in combinations(range(12), 2):
        shared = len(set(listed[a]) & set(listed[b]))
        assert found.similar[a, b] == pytest.approx(
            shared / math.sqrt(len(listed[a]) * len(listed[b])), abs=1e-12
        )
    res = rw.evaluate(dict(lists), metrics=["personalization@10"])
    assert 1 - found.mean == pytest.approx(res["personalization@10"], abs=1e-12)
    items = read_catalogue(ITEMS)
    for user, own in list(lists.items())[:3]:
        ils = rw.evaluate({user: own}, metrics=["ils"], items=ITEMS)["ils"]
        assert of_items(own, items, "topics").mean == pytest.approx(ils, abs=1e-12)


def test_cells_hold_the_rank_of_each_item_and_shared_items_come_first():
    found = of_users({"u": ["a", "b"], "v": ["c", "b"], "w": ["b"]})
    assert found.columns == ("b", "a", "c")
    assert set(found.cells) == {(0, 0, 2.0), (0, 1, 1.0), (1, 0, 2.0), (1, 2, 1.0), (2, 0, 1.0)}


def test_items_beyond_the_width_are_counted_and_still_compared():
    lists = {str(u): [f"{u}-{i}" for i in range(10)] for u in range(5)}
    found = of_users(lists)
    assert (len(found.columns), found.left_out) == (30, 20)
    assert np.allclose(found.similar, np.eye(5), atol=1e-15)


def test_lists_are_in_the_order_of_the_evaluation():
    run = {"u": {"a": 1.0, "b": 3.0, "c": 3.0}, "v": {"a": 1.0}}
    assert lists_of(read_run(run), "u", 2, 5) == {"u": ["c", "b"]}  # equal scores: the later id first
    assert lists_of(read_run({7: ["a"], 8: ["b"]}), 8, 10, 5) == {8: ["b"]}


def test_too_many_users_and_unknown_ones_are_refused():
    run = read_run({f"u{n}": ["a"] for n in range(30)})
    with pytest.raises(UsageError, match="at most 20"):
        lists_of(run, [f"u{n}" for n in range(21)], 10, 5)
    with pytest.raises(UsageError, match="is in neither"):
        lists_of(run, ["u99"], 10, 5)
    assert len(lists_of(run, None, 10, 5)) == 5


def test_same_titles_are_told_apart_by_their_ids():
    from rankwell.readers.texts import texts_of_items

    texts = texts_of_items([{"item": "a", "title": "Film"}, {"item": "b", "title": "Film"}], None, None)
    assert of_users({"u": ["a", "b"]}, texts).columns == ("Film (a)", "Film (b)")
