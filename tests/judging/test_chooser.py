"""The chooser: answers are not looked at before they are told, and count from then on."""

from __future__ import annotations

import pytest
from tests.judging import slow

import rankwell as rw
from rankwell.judging.method import methods

METRICS = ("ap", "p@3", "dcg@5")


def asked(chooser, grades, n):
    found = []
    for _ in range(n):
        pick = chooser.next()
        if pick is None:
            break
        found.append(pick[:2])
        chooser.tell(*found[-1], grades[found[-1]])
    return found


@pytest.mark.parametrize("method", methods())
def test_choices_are_the_same_until_answers_differ(method):
    lists, grades = slow.worlds(3)
    other = {pair: float(grade == 0) for pair, grade in grades.items()}
    ours, theirs = (asked(rw.judging.Chooser(lists, method=method), each, 1) for each in (grades, other))
    assert ours == theirs
    again = asked(rw.judging.Chooser(lists, method=method), grades, 10)
    known = {
        pair: grades[pair] for pair in again[:9]
    }  # the tenth is chosen before the other answers are made up
    assert asked(rw.judging.Chooser(lists, method=method), known | {again[9]: 0.0}, 10) == again


@pytest.mark.parametrize("method", methods())
def test_the_next_item_is_the_same_until_an_answer_comes(method):
    lists, grades = slow.worlds(4)
    chooser = rw.judging.Chooser(lists, method=method, metric="ap", seed=1)
    for _ in range(5):
        first = chooser.next()
        assert chooser.next() == first
        assert chooser.batch(3)[0] == first
        assert len({pick[:2] for pick in chooser.batch(6)}) == 6
        assert chooser.next() == first
        chooser.tell(*first[:2], grades[first[:2]])


@pytest.mark.parametrize("method", methods())
@pytest.mark.parametrize("metric", METRICS)
def test_every_item_is_asked_for_once(method, metric):
    lists, grades = slow.worlds(5)
    found = asked(rw.judging.Chooser(lists, method=method, metric=metric), grades, 1000)
    assert len(set(found)) == len(found)
    assert set(found) <= slow.candidates(lists)
    if method != "mtc":
        assert set(found) == slow.candidates(lists)


@pytest.mark.parametrize("method", ["mtc", "hedge", "depth", "mm_ns", "mtf"])
def test_judgements_read_are_as_good_as_told(method):
    lists, grades = slow.worlds(6)
    told = rw.judging.Chooser(lists, method=method)
    pairs = sorted(slow.candidates(lists), key=lambda pair: _pooling(lists, pair))[:7]
    for pair in pairs:
        told.tell(*pair, grades[pair])
    qrels = rw.Qrels([q for q, _ in pairs], [i for _, i in pairs], [grades[pair] for pair in pairs])
    read = rw.judging.Chooser(lists, qrels, method=method)
    if method == "mm_ns":  # equal means are drawn, and nothing was drawn so far
        assert read.batch(1)[0].weight == told.batch(1)[0].weight
    else:
        assert read.next()[:2] == told.next()[:2]
    assert sorted(zip(told.told.query.tolist(), told.told.item.tolist(), strict=True)) == sorted(pairs)


def _pooling(lists, pair):
    ranks = [slow.rank_of(lists, run, *pair) for run in lists]
    return min(ranks), -sum(rank < float("inf") for rank in ranks), pair


@pytest.mark.parametrize("method", ["mtc", "hedge", "depth"])
def test_a_corrected_answer_counts_as_if_it_had_been_the_first(method):
    lists, grades = slow.worlds(8)
    right, wrong = (rw.judging.Chooser(lists, method=method) for _ in range(2))
    first = right.next()[:2]
    wrong.tell(*first, 0 if grades[first] else 1)
    wrong.tell(*first, grades[first])
    right.tell(*first, grades[first])
    assert asked(right, grades, 10) == asked(wrong, grades, 10)
    assert wrong.told.grade.tolist() == right.told.grade.tolist()


def test_skipped_items_stay_unjudged():
    lists, grades = slow.worlds(9)
    chooser = rw.judging.Chooser(lists)
    skipped = chooser.next()[:2]
    chooser.skip(*skipped)
    found = asked(chooser, grades, 1000)
    assert skipped not in found
    assert skipped not in set(zip(chooser.told.query.tolist(), chooser.told.item.tolist(), strict=True))


def test_grades_below_zero_are_asked_for_again_unless_they_are_judgements():
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["c", "d"]}}
    qrels = {"q": {"a": -1, "b": 0}}
    assert "a" in {pick.item for pick in rw.judging.next(runs, qrels)}
    assert "a" not in {pick.item for pick in rw.judging.next(runs, qrels, negative="nonrelevant")}


def test_ids_may_be_numbers_on_one_side():
    runs = {"one": rw.Run([1, 1], [10, 11]), "two": rw.Run([1, 1], [12, 13])}
    chosen = rw.judging.next(runs, rw.Qrels(["1"], ["10"], [1]), metric="p@2")
    assert {pick.item for pick in chosen} == {11, 12, 13}
    assert {pick.query for pick in chosen} == {1}


def test_depth_cuts_the_lists():
    lists, _ = slow.worlds(10)
    cut = {run: {q: items[:2] for q, items in each.items()} for run, each in lists.items()}
    assert rw.judging.next(lists, depth=2).picks == rw.judging.next(cut).picks


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "hedg"}, r"method='hedg': must be bla, depth, hedge.*Did you mean hedge\?"),
        ({"aim": "mean"}, "aim='mean' needs one run, and 2 are given. For 2 take aim='order'"),
        ({"metric": "ndcg@10"}, r"For nDCG take dcg"),
        ({"metric": "rr"}, "judgements are chosen for ap"),
        ({"metric": "p(denom=n)@5"}, "judgements are chosen for ap"),
        ({"metric": "rbp(max_grade=query)"}, "judgements are chosen for ap"),
        ({"metric": "ap(denom=hits)"}, r"divided by R or min\(R, k\)"),
        ({"ties": "best"}, "orders by grades that are not known yet"),
        ({"unjudged": "condense"}, "gives items other ranks with every judgement"),
        ({"duplicates": "first"}, "keeps copies"),
        ({"metric": "dcg(gain={1:1,2:3})@5"}, "a table of gains"),
        ({"budget": 0}, "budget=0: must be at least 1"),
        ({"budget": "many"}, "budget='many': must be a whole number"),
        ({"deep": 3}, "there is no argument deep="),
    ],
)
def test_wrong_arguments_are_refused(given, message):
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["c", "d"]}}
    with pytest.raises(rw.RankwellError, match=message):
        rw.judging.next(runs, **given)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (("q", "x", 1), "no run lists item 'x' for query 'q'"),
        (("r", "a", 1), "query 'r' is in none of the runs"),
        (("q", "a", -1), "is no judgement"),
        (("q", "a", float("nan")), "must be a finite number"),
        (("q", "a", "good"), "must be a finite number"),
    ],
)
def test_wrong_answers_are_refused(told, message):
    chooser = rw.judging.Chooser({"one": {"q": ["a", "b"]}, "two": {"q": ["c", "d"]}})
    with pytest.raises(rw.RankwellError, match=message):
        chooser.tell(*told)
