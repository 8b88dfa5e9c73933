"""The slow metrics of topics against worked examples and NIST's ndeval; greedy ideals against exact ones."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.every import every
from tests.evidence import evidence

from .ndeval_cases import MEASURES, stored
from .reference_alphabeta import (
    ALPHA_BETA,
    PROFILE,
    chance_of,
    gain_at,
    ideal_list,
    profile_of,
    without_rated_candidates,
)
from .reference_aspects_case import Case, aspects, exact, gains_of, greedy, log_discount, total
from .reference_aspects_random import random_case, random_ratings
from .reference_intents import SUBTOPICS
from .reference_subtopics import ALL, new_information
from .worked import examples

EXAMPLES = examples()
GIVEN: dict[str, Any] = {"alpha": 0.1, "beta": 0.9, "max_grade": 5}


def binary_example(example: dict[str, Any]) -> Case:
    """Items and their topics, in the order of the list."""
    stated = example["input"]["doc_topics"]
    # an item of no topic was judged too, for a topic that no item is relevant for
    judged = {item: {str(topic): 1.0 for topic in topics} or {"1": 0.0} for item, topics in stated.items()}
    return Case(lists={"q": example["input"].get("list", list(stated))}, judged={"q": judged})


def graded_example(example: dict[str, Any]) -> Case:
    given = example["input"]
    judged = {item: dict(grades) for item, grades in given["grades"].items() if grades}
    return Case(lists={"q": given["list"]}, judged={"q": judged}, weights={"q": given["weights"]})


def ratings_example(example: dict[str, Any]) -> Case:
    given = example["input"]
    topics = {item: set(named) for item, named in given.get("item_topics", {"i5": ["C"]}).items()}
    train = given["train_ratings"]
    columns = topics | {item: set(row["topics"]) for item, row in train.items()}
    return Case(
        lists={"u": given.get("list", [])},
        judged={"u": {item: {"0": rating} for item, rating in given.get("test_ratings", {"i5": 1}).items()}},
        catalogue=list(columns),
        columns={"topics": columns},
        train={"u": {item: row["rating"] for item, row in train.items()}},
    )


DIV: list[tuple[str, str, list[int | None], dict[str, Any]]] = [
    ("div.alpha_dcg", "alpha_dcg", [*range(1, 9)], {"alpha": 0.5}),
    ("div.alpha_ndcg", "alpha_ndcg", [*range(1, 9)], {"alpha": 0.5}),
    ("div.alpha_dcg_ndeval", "alpha_dcg", [5], {"norm": "ndeval"}),
    ("div.err_ia", "err_ia", [8], {"gain": "binary", "alpha": 0.5}),
    ("div.err_ia", "err_ia", [8, None], {"gain": "exp2", "max_grade": 1}),
    ("div.nrbp", "nrbp", [None], {}),
    ("div.srecall", "s_recall", [*range(1, 9)], {}),
    ("div.srecall", "i_rec", [*range(1, 9)], {}),
    ("div.g.rbu_default", "rbu", [5], {"p": 0.8, "e": 0.03, "max_grade": 3}),
    ("div.g.d_ndcg", "d_ndcg", [3], {}),
    ("div.g.i_rec", "i_rec", [3], {}),
    ("div.g.ndcg_ia", "ndcg_ia", [5], {}),
    ("div.g.p_ia", "p_ia", [5], {}),
]


@every(("name", "metric", "cuts", "parameters"), DIV)
def test_a_worked_example_of_topics_comes_out(name, metric, cuts, parameters):
    example = EXAMPLES[name]
    case = graded_example(example) if name.startswith("div.g.") else binary_example(example)
    expected = example["expected"]
    for place, k in enumerate(cuts):
        wanted = expected[place] if isinstance(expected, list) else expected
        assert SUBTOPICS[metric](case, "q", k, **parameters) == pytest.approx(wanted, abs=1e-12)


def test_the_worked_gains_and_the_ideal_of_alpha_ndcg_come_out():
    case = binary_example(EXAMPLES["div.alpha_gain"])
    view = aspects(case, "q")
    gain = new_information(view, 0.5)
    assert [float(each) for each in gains_of(case.lists["q"], gain)] == EXAMPLES["div.alpha_gain"]["expected"]
    ideal = greedy(view.judged, gain, ALL, highest_id=True)
    found = [total(ideal[:k], gain, log_discount) for k in range(1, 9)]
    assert found == pytest.approx(EXAMPLES["div.alpha_idcg"]["expected"], abs=1e-12)


def test_the_worked_example_of_alpha_beta_comes_out_in_every_step():
    case = ratings_example(EXAMPLES["ab.ndcg"])
    for estimator in ("ml", "item_share"):
        found = profile_of(ratings_example(EXAMPLES[f"ab.profile_{estimator}"]), "u", profile=estimator)
        assert {t: float(each) for t, each in found.items()} == EXAMPLES[f"ab.profile_{estimator}"][
            "expected"
        ]
    profile, chance = profile_of(case, "u"), chance_of(case, "u", **GIVEN)

    def gain(before, item):
        return gain_at(chance, profile, before, item)

    found = [float(each) for each in gains_of(case.lists["u"], gain)]
    assert found == pytest.approx(EXAMPLES["ab.gains"]["expected"], abs=1e-12)
    ideal = ideal_list(case, "u", 4, gain, "catalogue")
    wanted = EXAMPLES["ab.ideal_greedy_catalogue"]["expected"]
    assert ideal == wanted["order"]
    assert [float(each) for each in gains_of(ideal, gain)] == pytest.approx(wanted["gains"], abs=1e-12)
    assert total(ideal, gain, log_discount) == pytest.approx(wanted["idcg"], abs=1e-12)
    for name, metric, more in [
        ("ab.dcg", "ab_dcg", {}),
        ("ab.ndcg", "ab_ndcg", {}),
        ("ab.ndcg", "ab_ndcg", {"ideal": "exact"}),
        ("ab.ndcg_judged_only", "ab_ndcg", {"candidates": "judged"}),
    ]:
        value = ALPHA_BETA[metric](case, "u", 4, **GIVEN, **more)
        assert value == pytest.approx(EXAMPLES[name]["expected"], abs=1e-12)


def test_a_topic_that_the_user_likes_is_gained_by_the_chance_and_not_as_the_article_has_it():
    right, wrong = EXAMPLES["ab.right_monotone"], EXAMPLES["ab.article_literal_blind"]
    one = Fraction(1)
    for a, wanted, never in zip(right["input"]["a"], right["expected"], wrong["expected"], strict=True):
        found = gain_at(lambda topic, item, a=a: exact(a), {"t": one}, [], "i")
        assert float(found) == pytest.approx(wanted, abs=1e-15)
        # the article's product goes on to the item itself
        literal = gain_at(lambda topic, item, a=a: exact(a), {"t": one}, ["i"], "i")
        assert float(literal) == pytest.approx(never, abs=1e-15)
    case = ratings_example(EXAMPLES["ab.article_literal_gains"])
    profile, chance = profile_of(case, "u"), chance_of(case, "u", **GIVEN)
    listed = case.lists["u"]
    literal = [
        float(gain_at(chance, profile, listed[: place + 1], item)) for place, item in enumerate(listed)
    ]
    assert literal == pytest.approx(EXAMPLES["ab.article_literal_gains"]["expected"], abs=1e-12)


def test_ndeval_has_the_same_values_of_random_lists_to_1e_6():
    compared = dict.fromkeys(MEASURES, 0)
    _, cases = stored()
    for each in cases:
        judged: dict[str, dict[str, float]] = {}
        for topic, item, grade in each.qrels:
            judged.setdefault(item, {})[topic] = grade
        case = Case(lists={"q": each.order}, judged={"q": judged})
        for measure, name, parameters, k, theirs in each.metrics():
            ours = SUBTOPICS[name](case, "q", k, **parameters)
            assert ours == pytest.approx(theirs, abs=1e-6), (measure, k, parameters, each)
            compared[measure] += 1
    assert min(compared.values()) >= 300


@pytest.mark.parametrize("run", ["ql-catb-filtered.run", "rm-catb-filtered.run"])
def test_ndeval_printed_these_values_for_every_tenth_query_of_the_web_track_2012(run):
    folder = evidence("trec-web-2012")
    judged: dict[str, dict[str, dict[str, float]]] = {}
    for line in (folder / "qrels-for-ndeval.txt").read_text().splitlines():
        query, topic, item, grade = line.split()
        if grade != "0":  # what is not relevant adds nothing, to the list and to its ideal
            judged.setdefault(query, {}).setdefault(item, {})[topic] = int(grade)
    rows: dict[str, list[tuple[float, str]]] = {}
    for line in (folder / "runs" / run).read_text().splitlines():
        query, _, item, _, score, _ = line.split()
        rows.setdefault(query, []).append((-float(score), item))
    lists = {query: [item for _, item in sorted(each)] for query, each in rows.items()}
    case, compared = Case(lists=lists, judged=judged), 0
    for line in (folder / "expected" / "ndeval.tsv").read_text().splitlines():
        name, stated, query, value = line.split("\t")
        if name == run and query != "all" and int(query) % 10 == 1:
            measure, _, k = stated.partition("@")
            metric, parameters = MEASURES[measure]
            ours = SUBTOPICS[metric](case, query, int(k) if k else None, **parameters)
            assert f"{ours:.6f}" == value, (stated, query)
            compared += 1
    assert compared == 105


def test_textbook_err_ia_is_ndevals_times_its_divisor():
    """Spec §2.1: textbook (R = α, equal weights) = ndeval · α·Σ_{i≤k} (1−α)^{i−1}/i."""
    compared = 0
    _, cases = stored()
    for each in cases:
        judged: dict[str, dict[str, float]] = {}
        for topic, item, grade in each.qrels:
            judged.setdefault(item, {})[topic] = grade
        case = Case(lists={"q": each.order}, judged={"q": judged})
        for k, theirs in each.values["ERR-IA"]:
            below = each.alpha * sum((1 - each.alpha) ** (i - 1) / i for i in range(1, k + 1))
            ours = SUBTOPICS["err_ia"](case, "q", k, gain="binary", alpha=each.alpha, rel=each.level)
            assert ours == pytest.approx(theirs * below, abs=1e-8)
            compared += each.alpha > 0
    assert compared > 400


# --- greedy and exact ---------------------------------------------------------------------------------------


def test_no_list_is_above_the_exact_ideal_of_alpha_ndcg():
    compared = 0
    for seed in range(40):
        case = random_case(seed)
        for query in case.judged:
            for k in (2, 3):
                value = SUBTOPICS["alpha_ndcg"](case, query, k, alpha=0.9, ideal="exact")
                found = SUBTOPICS["alpha_ndcg"](case, query, k, alpha=0.9)
                assert (value is None) == (found is None)
                if value is not None and found is not None:
                    assert value <= min(1, found) + 1e-15
                    compared += 1
    assert compared > 200


def test_a_list_can_be_above_the_greedy_ideal_of_alpha_ndcg():
    """Worked out on paper: the item of four topics first leaves one new topic; the two others have three each."""
    tables = {"a": "1234", "b": "125", "c": "346"}
    judged: dict[str, dict[str, float]] = {item: dict.fromkeys(topics, 1) for item, topics in tables.items()}
    case = Case(lists={"q": ["b", "c"]}, judged={"q": judged})
    d = 1 / math.log2(3)
    value = SUBTOPICS["alpha_ndcg"](case, "q", 2, alpha=1)
    assert value == pytest.approx((3 + 3 * d) / (4 + d), abs=1e-15)
    assert value > 1.05
    assert SUBTOPICS["alpha_ndcg"](case, "q", 2, alpha=1, ideal="exact") == 1


def test_no_list_is_above_the_exact_ideal_of_what_it_is_made_of_and_some_are_above_that_of_the_judged_items():
    above = defined = 0
    for seed in range(60):
        case = random_ratings(seed)
        lists = {  # of candidates alone
            user: [item for item in items if item not in case.train.get(user, {})]
            for user, items in case.lists.items()
        }
        case = replace(case, lists=lists)
        for user in case.judged:
            more = {"candidates": "pool", "cold": "prior"}
            value = ALPHA_BETA["ab_ndcg"](case, user, 2, ideal="exact", **more)
            if value is None:
                continue
            defined += 1
            assert value <= 1 + 1e-15
            found = ALPHA_BETA["ab_ndcg"](case, user, 2, **more)
            best = ALPHA_BETA["ab_ndcg"](case, user, 2, ideal="best_of", **more)
            assert best == min(found, 1) == ALPHA_BETA["ab_ndcg"](case, user, 2, clip=True, **more)
            judged = ALPHA_BETA["ab_ndcg"](case, user, 2, candidates="judged", cold="prior")
            above += judged is not None and judged > 1 + 1e-12
    assert defined > 100
    assert above > 2


def test_equal_gains_go_to_the_highest_id_among_subtopics_and_to_the_lowest_under_alpha_beta():
    case = Case(lists={"q": []}, judged={"q": {i: {"t": 1.0} for i in ("i10", "ä", "i9", "Z")}})
    gain = new_information(aspects(case, "q"), 0.5)
    assert greedy(case.judged["q"], gain, ALL, highest_id=True) == ["ä", "i9", "i10", "Z"]
    assert greedy(case.judged["q"], gain, ALL, highest_id=False) == ["Z", "i10", "i9", "ä"]


def test_the_random_cases_hold_what_is_hard():
    """Cold users, users without rated candidates, queries without relevant items, items without topics, ties."""
    subtopics, ratings = [random_case(seed) for seed in range(60)], [random_ratings(s) for s in range(60)]
    assert sum(aspects(case, q) is None for case in subtopics for q in case.judged) > 20
    assert sum(min(case.grades()) < 0 for case in subtopics) > 20
    assert sum(case.weights is None for case in subtopics) > 10
    assert sum(q not in case.lists for case in subtopics for q in case.judged) > 20
    assert sum(profile_of(case, u) is None for case in ratings for u in case.judged) > 20
    assert sum(without_rated_candidates(case, 3) for case in ratings) > 5
    assert sum(not case.topics_of(i, "topics") for case in ratings for i in case.catalogue) > 50
    assert sum(
        item not in case.catalogue for case in ratings for each in case.lists.values() for item in each
    )
    assert "unknown_topic" in PROFILE
