"""judge() against plain loops: which judged items a list holds, at which ranks, and how long it is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.every import every
from tests.matching.plain import a_case, judged_of, plain_rows, rows_of

import rankwell as rw
from rankwell.kernels import order, ranks

TIES = ("item-desc", "item-asc", "order", "best", "worst")
SEEDS = range(25)


def compare(seed, order="score", *, copies=False, **policy):
    """Compare hits, whole lists and lengths with those of plain loops."""
    run, qrels = a_case(seed, copies=copies)
    judged, _ = judged_of(run, qrels, order, **policy)
    rows, _, lengths = plain_rows(run, qrels, order, **policy)
    assert rows_of(judged, judged.found) == rows
    if policy.get("unjudged") != "condense":  # metrics of whole lists are refused there
        assert rows_of(judged, judged.shown) == rows
    assert dict(zip(judged.queries.tolist(), judged.n_retrieved.tolist(), strict=True)) == lengths


@every("seed", SEEDS)
@pytest.mark.parametrize("ties", TIES)
def test_equal_scores_stand_in_the_order_of_the_rule(seed, ties):
    compare(seed, ties=ties)


@every("seed", SEEDS)
@pytest.mark.parametrize("ties", ["best", "worst"])
@pytest.mark.parametrize("unjudged", ["nonrelevant", "condense"])
def test_hits_without_their_lists_stand_where_they_stand_in_them(seed, ties, unjudged):
    run, qrels = a_case(seed)
    rules = {"ties": ties, "unjudged": unjudged}
    hits, counts = judged_of(run, qrels, needs=("ties",), **rules)
    whole, counts_of_whole = judged_of(run, qrels, needs=("shown", "ties"), **rules)
    assert rows_of(hits, hits.found) == plain_rows(run, qrels, **rules)[0]
    assert counts == counts_of_whole
    for name in ("query", "rank", "grade", "tie_start", "tie_size"):
        np.testing.assert_array_equal(getattr(hits.found, name), getattr(whole.found, name))


@pytest.mark.parametrize("ties", ["item-desc", "best", "worst"])
def test_only_judged_items_are_sorted(ties, monkeypatch):
    run = {"q": [(f"d{item}", item % 3) for item in range(300)]}
    qrels = [("q", item, grade, None) for item, grade in (("d1", 1), ("d4", 0), ("d7", 2))]
    sorted_rows: list[int] = []
    rank = ranks.ranks
    monkeypatch.setattr(ranks, "ranks", lambda *given: (sorted_rows.append(len(given[-2])), rank(*given))[1])
    monkeypatch.setattr(order, "sort", lambda *_: pytest.fail("whole lists are sorted"))
    judged_of(run, qrels, needs=(), ties=ties)
    assert sorted_rows == [3]


@every("seed", SEEDS)
@pytest.mark.parametrize("scores", ["single", "double"])
def test_scores_are_equal_in_single_precision_sooner_than_in_double(seed, scores):
    compare(seed, scores=scores)


@every("seed", SEEDS)
@every(("ties", "depth"), itertools.product(TIES, [1, 2, 5, 100]))
def test_depth_leaves_the_first_items_of_each_list(seed, ties, depth):
    compare(seed, ties=ties, depth=depth)


@every("seed", SEEDS)
@every(("ties", "depth"), itertools.product(TIES, [None, 3]))
@pytest.mark.parametrize("duplicates", ["first", "drop", "each"])
def test_later_copies_gain_nothing_or_are_dropped_or_count_each(seed, ties, depth, duplicates):
    compare(seed, copies=True, ties=ties, depth=depth, duplicates=duplicates)


@every("seed", SEEDS)
@every("order", ["score", "rank", "list"])
@pytest.mark.parametrize("negative", ["unjudged", "nonrelevant"])
def test_negative_grades_are_judged_or_not(seed, order, negative):
    compare(seed, order, negative=negative, ranks="closed")


@every("seed", SEEDS)
@every(
    ("ties", "depth", "negative"),
    itertools.product(TIES, [None, 3], ["unjudged", "nonrelevant"]),
)
@pytest.mark.parametrize("duplicates", ["first", "drop", "each"])
def test_a_condensed_list_holds_its_judged_items_alone(seed, ties, depth, negative, duplicates):
    policy = {"ties": ties, "depth": depth, "negative": negative, "duplicates": duplicates}
    compare(seed, copies=True, unjudged="condense", **policy)


@every("seed", SEEDS)
@every("ties", ["item-desc", "item-asc", "order", "expected"])
def test_a_hit_knows_the_first_rank_and_the_size_of_its_group_of_equal_scores(seed, ties):
    run, qrels = a_case(seed)
    policy = {"ties": ties, "negative": "nonrelevant"}
    judged, _ = judged_of(run, qrels, **policy)
    _, groups, _ = plain_rows(run, qrels, **policy)
    found = {query: [] for query in run}
    tied = judged.tied
    for query, *group in zip(
        tied.query.tolist(), tied.tie_start.tolist(), tied.tie_size.tolist(), strict=True
    ):
        found[judged.queries.one(query)].append(tuple(group))
    assert found == groups


def test_what_each_rule_touched_is_counted():
    run = {"1": [("a", 3.0), ("b", 2.0), ("a", 1.0)], "9": [("a", 1.0)]}
    _, counts = judged_of(run, [("1", "a", 1, None), ("1", "c", 1, None)], duplicates="drop")
    assert counts == {
        "lists": 2,
        "rows": 4,
        "rows that repeat an item": 1,
        "lists without judgements": 1,
        "judged items found": 1,
    }


def test_an_item_twice_in_a_list_is_an_error_that_names_both_rows():
    run = {"1": [("b", 3.0), ("a", 2.0), ("a", 1.0)]}
    with pytest.raises(
        rw.RankwellError, match=r"row 3: query '1' lists item 'a' twice \(first: run, row 2\)"
    ):
        judged_of(run, [("1", "a", 1, None)])


def test_a_query_without_judgements_has_a_list_and_no_hit():
    judged, _ = judged_of({"1": [("a", 1.0)], "2": [("a", 1.0)]}, [("1", "a", 1, None)])
    assert judged.pool_row.tolist() == [0, -1]
    assert judged.found.count().tolist() == [1, 0]
    assert judged.n_retrieved.tolist() == [1, 1]
    assert judged.n_relevant().tolist() == [1, 0]


def test_text_ids_that_are_plain_decimals_meet_integers():
    judged, counts = judged_of({1: [(10, 2.0), (9, 1.0)]}, [("1", "9", 1, None)])
    assert rows_of(judged, judged.found) == {1: [(2, 1.0)]}
    assert counts["judgement ids read as integers"] == 1


def test_text_ids_that_are_no_plain_decimals_do_not():
    with pytest.raises(rw.RankwellError, match="'09'"):
        judged_of({1: [(9, 1.0)]}, [("1", "09", 1, None)])


def test_whole_lists_are_made_only_for_those_who_ask():
    judged, _ = judged_of({"1": [("a", 1.0)]}, [("1", "a", 1, None)], needs=())
    assert judged.listed is None
    with pytest.raises(LookupError, match="shown"):
        _ = judged.shown


def test_the_ideal_list_holds_all_judged_items_best_first_whatever_was_listed():
    judged, _ = judged_of(
        {"1": [("x", 1.0)]}, [("1", item, grade, None) for item, grade in zip("abc", (0, 2, 1), strict=True)]
    )
    np.testing.assert_array_equal(judged.ideal.grade, [2, 1, 0])
    np.testing.assert_array_equal(judged.ideal.rank, [1, 2, 3])
