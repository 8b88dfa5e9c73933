"""What is drawn for an axiom is what its statement speaks of: every premise once more as a plain check."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from tests.every import every

from rankwell.inspection.axioms import AXIOMS
from rankwell.inspection.axioms.kinds import DrawnAxiom, LengthAxiom
from rankwell.inspection.axioms.situations import RANKS, WEIGHS, Draw, Item, mirrored, pair, tables

DRAWN = [axiom for axiom in AXIOMS.values() if isinstance(axiom, DrawnAxiom)]
SEARCHED = [axiom for axiom in AXIOMS.values() if isinstance(axiom, LengthAxiom)]
MIRRORED = {"Red", "MRed", "AspRel", "P3", "P5", "P6", "P7"}


def drawn(name, trials=200, cut=None):
    random = Random(name)
    return [AXIOMS[name].draw(Draw(random, cut)) for _ in range(trials)]


def grades(items):
    return [dict(item.grades) for item in items]


def differing(made):
    """The places at which two lists of one length hold different items."""
    assert len(made.better) == len(made.worse)
    return [at for at, (x, y) in enumerate(zip(made.better, made.worse, strict=True)) if x is not y]


def last_items(made):
    """The item that ends each of two lists that are the same but for it."""
    assert differing(made) == [len(made.better) - 1]
    return dict(made.better[-1].grades), dict(made.worse[-1].grades)


def grade(item, topic=0):
    return item.grades.get(topic) or 0


@pytest.mark.parametrize("name", ["Pri", "PriGraded", "P1"])
def test_priority_swaps_two_items_of_the_same_topics_and_puts_the_higher_grade_first(name):
    for made in drawn(name):
        first, second = differing(made)
        high, low = made.better[first], made.better[second]
        assert (made.worse[first], made.worse[second]) == (low, high)
        assert high.grades.keys() == low.grades.keys()
        assert all(high.grades[topic] > low.grades[topic] for topic in high.grades)


@pytest.mark.parametrize("name", ["Deep", "DeepGraded"])
def test_deepness_makes_the_same_swap_nearer_the_top_or_deeper(name):
    for made in drawn(name):
        a, b, c, d = differing(made)
        assert (b, d) == (a + 1, c + 1)
        upper, lower = [[grade(made.worse[at]) for at in places] for places in ((a, b), (c, d))]
        assert upper == lower[::-1]  # the worse list has made the lower swap, and not the upper one
        assert upper[0] < upper[1]
        assert [grade(made.better[at]) for at in (a, b, c, d)] == [*upper[::-1], *upper]


def test_p2_swaps_nearer_the_top_or_lifts_a_liked_item_over_disliked_ones():
    forms = Counter()
    for made in drawn("P2"):
        places = differing(made)
        topics = [made.better[at].grades.keys() for at in places]
        assert all(each == topics[0] for each in topics)
        assert Counter(made.better) == Counter(made.worse) or len(places) == 4
        topic = next(iter(topics[0]))
        better = [grade(made.better[at], topic) for at in places]
        worse = [grade(made.worse[at], topic) for at in places]
        if len(places) == 4 and better[2] < better[3]:
            forms["swap"] += 1
            assert better[:2] == better[:1:-1] == worse[2:] == worse[1::-1]
        else:
            forms["lift"] += 1
            assert better == worse[::-1] == [better[0], *[0] * (len(places) - 1)]
            assert better[0] > 0
    assert min(forms["swap"], forms["lift"]) > 50


def test_confidence_adds_one_item_that_is_relevant_for_nothing():
    for made in drawn("Conf"):
        assert made.worse[:-1] == made.better
        assert not any(made.worse[-1].grades.values())
        assert any(grade for item in made.better for grade in item.grades.values())


@pytest.mark.parametrize("name", ["QAspDiv", "P8"])
def test_one_item_gets_a_topic_that_no_other_item_has(name):
    for made in drawn(name):
        (place,) = differing(made)
        more, less = (dict(items[place].grades) for items in (made.better, made.worse))
        new = more.keys() - less.keys()
        assert new == {len(made.weights) - 1}
        assert {topic: more[topic] for topic in less} == less
        assert min(more[topic] for topic in new) > 0
        assert not any(new & item.grades.keys() for item in made.worse)
        if name == "P8":
            assert len(set(more.values())) == 1


def test_redundancy_follows_items_of_one_topic_with_equally_relevant_ones():
    for made in drawn("Red"):
        new, same = last_items(made)
        assert (new.keys(), same.keys()) == ({1}, {0})
        assert new[1] == same[0] > 0
        assert all(item.grades.keys() == {0} for item in made.better[:-1])
        assert any(map(grade, made.better[:-1]))
        assert len(set(made.weights)) == 1


def test_monotonic_redundancy_follows_items_that_have_one_topic_at_least_as_much():
    for made in drawn("MRed"):
        new, same = last_items(made)
        assert new[1] == same[0] > 0
        covered = [(grade(item), grade(item, 1)) for item in made.better[:-1]]
        assert all(first >= second for first, second in covered)
        assert any(first > second == 0 for first, second in covered)


@pytest.mark.parametrize("name", ["AspRel", "P7"])
def test_the_heavier_topic_follows_a_list_that_has_both_alike(name):
    for made in drawn(name):
        heavy, light = last_items(made)
        assert heavy[1] == light[0] > 0
        assert made.weights[0] < made.weights[1]
        assert all(item.grades.get(0) == item.grades.get(1) for item in made.better[:-1])


@pytest.mark.parametrize(("cut", "copies"), [(None, 25), (100, 25), (10, 9), (2, 1)])
def test_p3_adds_a_less_preferred_item_of_a_new_topic_after_strong_ones(cut, copies):
    for made in drawn("P3", 20, cut):
        new, same = last_items(made)
        assert 0 < new[1] < same[0]
        assert grades(made.better[:-1]) == [{0: 3}] * copies


def test_p4_puts_an_unrated_item_in_the_place_of_a_disliked_one_of_the_same_topics():
    seen = set()
    for made in drawn("P4"):
        (place,) = differing(made)
        unrated, disliked = made.better[place].grades, made.worse[place].grades
        assert unrated.keys() == disliked.keys()
        assert set(unrated.values()) == {None}
        assert len(set(disliked.values())) == 1
        seen |= set(disliked.values())
    assert seen == {0, 1}


def test_the_perfect_list_holds_all_that_is_judged_best_first_and_the_other_begins_with_a_miss():
    for made in drawn("Norm"):
        order = [grade(item) for item in made.better]
        assert order == sorted(order, reverse=True)
        assert order[0] > 0
        assert grade(made.worse[0]) == 0
        assert any(map(grade, made.worse))
        assert made.apart


@every("axiom", SEARCHED)
@every("n", [2, 7])
def test_what_is_searched_has_as_many_items_as_the_statement_says(axiom, n):
    made = axiom.build(2, n)
    better, worse = ([grade(item) for item in items] for items in (made.better, made.worse))
    top, depth = [2, *[0] * (2 * n - 1)], [*[0] * n, *[2] * n]
    expected = {"DeepTh": (top, depth), "P5": (top, depth), "CloseTh": (depth, top), "P6": (depth, top)}
    assert (better, worse) == expected.get(axiom.name, ([2] * n, [2] * (n + 1)))


@every("axiom", DRAWN)
@every("cut", [None, 5])
def test_lists_are_no_longer_than_the_cut_off_and_need_no_more_ranks_than_is_said(axiom, cut):
    longest = RANKS if cut is None else cut
    if axiom.name == "P3" and cut is None:
        longest = 26
    for made in drawn(axiom.name, cut=cut):
        assert max(len(made.better), len(made.worse)) <= longest
    simplest = axiom.draw(Draw([], axiom.least))
    assert max(len(simplest.better), len(simplest.worse)) <= axiom.least


@every("axiom", AXIOMS.values())
def test_the_pool_is_the_same_when_two_topics_change_places_where_topics_are_compared(axiom):
    situations = drawn(axiom.name, 50) if isinstance(axiom, DrawnAxiom) else [axiom.build(2, 3)]
    is_same = [
        Counter(str(sorted(item.grades.items())) for item in made.items)
        == Counter(str(sorted(item.mirrored.grades.items())) for item in made.items)
        for made in situations
    ]
    assert all(is_same) == (axiom.name in MIRRORED)


@every("axiom", DRAWN)
def test_noted_choices_make_the_same_situation_again(axiom):
    random = Random(5)
    for _ in range(20):
        draw = Draw(random)
        made, again = axiom.draw(draw), axiom.draw(Draw(draw.made))
        assert (made.size, made.weights) == (again.size, again.weights)
        for first, second in ((made.better, again.better), (made.worse, again.worse)):
            assert grades(first) == grades(second)


def test_tables_hold_the_lists_the_pool_the_weights_and_a_profile_that_equals_them():
    liked, unrated = Item({0: 3, 1: 2}), Item({1: None})
    made = mirrored(pair([[liked, unrated]], [[unrated, liked]], (4, 1)))
    data = tables((made,), 3)
    run, qrels = data.run.rows.table(), data.qrels
    assert run.query.tolist() == [0, 0, 1, 1]
    first, second = run.item.tolist()[:2]
    assert run.item.tolist() == [first, second, second, first]
    topics = data.items.features("topics")
    assert [topics.names[code] for code in topics.entries(run.item.integers[:2])[1]] == ["a", "b", "b"]
    rows = zip(qrels.query.tolist(), qrels.grade, qrels.topic.tolist(), qrels.topic_weight, strict=True)
    stated = [(grade, topic, weight) for query, grade, topic, weight in rows if query == 0]
    assert sorted(stated) == [(2, "a", 4), (2, "b", 1), (3, "a", 4), (3, "b", 1)]
    learned = [topics.names[code] for code in topics.entries(data.train.item.integers[:5])[1]]
    assert learned == ["a", "a", "a", "a", "b"]
    assert data.train.grade is None
    assert (
        max(weight for name in ("AspRel", "P1") for made in drawn(name) for weight in made.weights) <= WEIGHS
    )
