"""αβ-nDCG and its components against slow definitions and worked examples."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import polars as pl
import pytest
from tests.cases import FEWER, seeds

import rankwell as rw

from .aspects import POLICY, differences, drawn, policy_of, qrels_of, tables_of, text_of
from .both import same, values_of
from .reference_alphabeta import (
    ALPHA_BETA,
    chance_of,
    gain_at,
    ideal_list,
    profile_of,
)
from .reference_aspects_case import Case
from .reference_aspects_random import crowded_ratings, random_ratings
from .test_reference_subtopics import EXAMPLES, GIVEN, ratings_example

CHANCES: list[dict[str, Any]] = [
    {},
    {"alpha": 0},
    {"alpha": 0, "beta": 1},
    {"alpha": 0.05, "beta": 0.5},
    {"alpha": 0.3, "beta": 0.3},
    {"alpha": 1, "beta": 1},
    {"max_grade": 6},
    {"rating_map": "exp"},
    {"rating_map": "binary"},
    {"rating_map": "binary", "rel": 2},
    {"rating_map": "minmax", "max_grade": 6, "min_grade": 0},
    {"rating_map": "minmax", "max_grade": 5, "min_grade": -1},
]
PROFILES: list[dict[str, Any]] = [
    {},
    {"profile": "item_share"},
    {"profile": "smoothed"},
    {"profile": "smoothed", "smoothing": 0.5},
    {"profile": "dirichlet"},
    {"profile": "dirichlet", "mu": 1},
    {"profile": "given"},
    {"profile_source": "test"},
    {"profile_source": "test", "profile": "dirichlet"},
]
IDEALS: list[dict[str, Any]] = [
    {},
    {},
    {"ideal": "best_of"},
    {"clip": True},
    {"candidates": "judged"},
    {"candidates": "pool"},
]
OWN = {
    "ab_dcg": CHANCES,
    "ab_ndcg": CHANCES,
    "ab_hit": [given for given in CHANCES if "alpha" not in given],
    "ab_topic": [{}, {"beta": 0.5}, {"beta": 1}],
}


def common(name: str, rng: random.Random) -> dict[str, Any]:
    """Whose topics, which profile, what a cold user gets, what the ideal is made of."""
    parameters: dict[str, Any] = dict(rng.choice(PROFILES))
    if rng.random() < 0.3:
        parameters["topics"] = "tags"
    if (cold := rng.choice(["skip", "skip", "prior", "uniform"])) != "skip":
        parameters["cold"] = cold
    if rng.random() < 0.25:
        parameters["unknown_topic"] = True
    if name != "ab_dcg":
        parameters |= rng.choice(IDEALS)
    return parameters


def test_every_metric_of_alpha_beta_is_the_slow_one_on_random_ratings():
    counted: Counter[str] = Counter()
    found = []
    for seed in seeds(300):
        case = random_ratings(seed)
        wanted = drawn(seed, OWN, common, set(OWN))
        found += [
            f"case {seed}: {difference}" for difference in differences(case, wanted, ALPHA_BETA, counted)
        ]
    assert not found, (len(found), found[:10])
    assert counted["undefined"] > 500 / FEWER
    for parameters in [
        *CHANCES,
        *PROFILES,
        *IDEALS,
        {"cold": "prior"},
        {"cold": "uniform"},
        {"unknown_topic": True},
    ]:
        for key, value in parameters.items():
            assert counted[f"ab_ndcg {key}={value}"] > 20 / FEWER, (key, value)
    assert min(counted[name] for name in OWN) > 1000 / FEWER


def test_copies_and_depth_are_those_of_the_policy():
    counted: Counter[str] = Counter()
    found = []
    for seed in seeds(100):
        policy, lists, seen = policy_of(seed, random_ratings(seed), condense=False)
        wanted = drawn(seed, OWN, common, set(OWN))
        difference = rw.Policy(grades="judgements", outside="ignore", **policy)
        each = differences(seen, wanted, ALPHA_BETA, counted, lists=lists, policy=difference)
        found += [f"case {seed} {policy}: {difference}" for difference in each]
    assert not found, (len(found), found[:10])
    assert counted["ab_ndcg"] > 200 / FEWER


def test_gains_that_are_equal_on_paper_go_to_the_smallest_id_in_the_greedy_ideal():
    counted: Counter[str] = Counter()
    found = []
    for seed in seeds(100):
        wanted: list[Any] = [
            (name, {**given, "cold": "uniform", "profile": profile}, 8)
            for name, given in [("ab_ndcg", {}), ("ab_ndcg", {"alpha": 0.3, "beta": 0.3}), ("ab_topic", {})]
            for profile in ("given", "ml")
        ]
        found += [
            f"{seed}: {difference}"
            for difference in differences(crowded_ratings(seed), wanted, ALPHA_BETA, counted)
        ]
    assert not found, (len(found), found[:10])
    assert counted["ab_ndcg"] > 200 / FEWER


def test_ids_that_are_numbers_break_ties_as_text():
    """i10 stands before i9, and so does 10 before 9."""
    texts = ["ab_ndcg(profile=given)@8", "ab_topic(profile=given)@8"]
    for seed in seeds(30):
        case = crowded_ratings(seed)

        def numbered(table):
            return {
                user: {int(item[1:]): rating for item, rating in rows.items()} for user, rows in table.items()
            }

        tables = tables_of(case)
        items = tables["items"].with_columns(pl.col("item").str.slice(1).cast(pl.Int64))
        words = rw.evaluate(case.lists, qrels_of(case), texts, policy=POLICY, **tables)
        lists = {user: [int(item[1:]) for item in rows] for user, rows in case.lists.items()}
        judged = {
            user: {item: rated["0"] for item, rated in rows.items()} for user, rows in case.judged.items()
        }
        given = tables | {"items": items, "train": numbered(case.train)}
        numbers = rw.evaluate(lists, numbered(judged), texts, policy=POLICY, **given)
        assert words.per_query.equals(numbers.per_query)


def test_the_exact_ideal_is_the_best_of_all_lists():
    counted: Counter[str] = Counter()
    for seed in seeds(120):
        rng = random.Random(seed)
        wanted = [
            (name, {**common(name, rng), **given, "ideal": "exact"}, k)
            for name, given, k in [
                ("ab_ndcg", {"alpha": 0.3}, 2), ("ab_ndcg", {}, 3), ("ab_ndcg", {"candidates": "judged"}, 4), ("ab_hit", {}, 2), ("ab_topic", {}, 2),
            ]
        ]  # fmt: skip
        assert not (found := differences(random_ratings(seed), wanted, ALPHA_BETA, counted)), (seed, found)
    assert counted["ab_ndcg"] > 500 / FEWER


@pytest.mark.parametrize(
    ("name", "metric", "more"),
    [
        ("ab.dcg", "ab_dcg", {}),
        ("ab.ndcg", "ab_ndcg", {}),
        ("ab.ndcg", "ab_ndcg", {"ideal": "exact"}),
        ("ab.ndcg_judged_only", "ab_ndcg", {"candidates": "judged"}),
        ("ab.article_literal_ndcg", "ab_ndcg", {"ideal": "exact"}),
        ("ab.article_literal_ndcg", "ab_ndcg", {}),
    ],
)
def test_a_worked_example_comes_out_to_1e_12_and_the_articles_slip_does_not(name, metric, more):
    case = ratings_example(EXAMPLES[name])
    text = text_of(metric, {**GIVEN, **more}, 4)
    res = rw.evaluate(case.lists, qrels_of(case), [text], policy=POLICY, **tables_of(case))
    assert same(res[text], EXAMPLES[name]["expected"]) == (EXAMPLES[name]["kind"] != "invalid")


def cuts(case: Case, texts: list[str]) -> dict[str, float | None]:
    res = rw.evaluate(case.lists, qrels_of(case), texts, policy=POLICY, **tables_of(case))
    return {text: values_of(res, text)["u"] for text in texts}


def test_the_worked_gains_are_the_steps_of_the_worked_list_and_of_its_ideal():
    """ab.gains, ab.ideal_greedy_catalogue, and the profiles: through values at each cut-off."""
    case = ratings_example(EXAMPLES["ab.gains"])
    wanted = EXAMPLES["ab.ideal_greedy_catalogue"]["expected"]
    ideal = Case({"u": wanted["order"]}, case.judged, None, case.catalogue, case.columns, case.train)
    for each, gains in [(case, EXAMPLES["ab.gains"]["expected"]), (ideal, wanted["gains"])]:
        difference = cuts(each, [text_of("ab_dcg", GIVEN, k) for k in (1, 2, 3, 4)])
        below = [1.0, 0.6309297535714574, 0.5, 0.43067655807339306]
        steps = [sum(g * d for g, d in zip(gains[:k], below[:k], strict=True)) for k in (1, 2, 3, 4)]
        assert list(difference.values()) == pytest.approx(steps, abs=1e-12)
    assert list(cuts(ideal, [text_of("ab_ndcg", GIVEN, k) for k in (1, 2, 3, 4)]).values()) == pytest.approx(
        [1] * 4, abs=1e-12
    )
    share = EXAMPLES["ab.profile_item_share"]["expected"]
    one = text_of("ab_dcg", {**GIVEN, "profile": "item_share"}, 1)
    assert cuts(case, [one])[one] == pytest.approx(0.9 * share["R"], abs=1e-12)


def test_users_without_rated_candidates_share_one_value_per_list_whatever_their_ratings_elsewhere():
    """Every chance is 0 or α, so that the score sees topics alone: two lists of the same topics cannot differ."""
    topics = {"a": {"x"}, "b": {"x"}, "c": {"y"}, "d": {"y"}, "r": {"x"}}
    case = Case(
        lists={"u": ["a", "c"], "v": ["b", "d"]},
        judged={"u": {"r": {"0": 5.0}}, "v": {"r": {"0": 1.0}}},
        catalogue=list(topics),
        columns={"topics": topics},
        train={"u": {"r": 1, "c": 1}, "v": {"r": 1, "d": 1}},
    )
    counted: Counter[str] = Counter()
    wanted: list[Any] = [("ab_ndcg", {}, 2), ("ab_dcg", {}, 2)]
    assert not differences(case, wanted, ALPHA_BETA, counted)
    res = rw.evaluate(case.lists, qrels_of(case), ["ab_dcg@2"], policy=POLICY, **tables_of(case))
    assert len(set(values_of(res, "ab_dcg@2").values())) == 1


def test_without_a_column_of_ratings_every_training_row_counts_one():
    for seed in seeds(60):
        case = random_ratings(seed)
        ones = Case(
            **{**vars(case), "train": {user: dict.fromkeys(rows, 1) for user, rows in case.train.items()}}
        )
        rows = [(user, item) for user, items in case.train.items() for item in items]
        table = rw.Qrels(query=[user for user, _ in rows], item=[item for _, item in rows])
        wanted: list[Any] = [
            ("ab_ndcg", {"profile": p, "cold": "prior"}, 3)
            for p in ("ml", "item_share", "smoothed", "dirichlet")
        ]
        assert not (found := differences(ones, wanted, ALPHA_BETA, Counter(), train=table)), (seed, found)


def test_the_slow_ideal_scores_1_and_ends_in_items_that_gain_nothing():
    compared = 0
    for seed in seeds(60):
        case = random_ratings(seed)
        lists = {}
        for user in case.judged:
            profile = profile_of(case, user)
            if profile is not None and any(profile.values()):
                chance = chance_of(case, user, alpha=0.1, beta=0.9)
                lists[user] = ideal_list(
                    case,
                    user,
                    3,
                    lambda before, item, c=chance, p=profile: gain_at(c, p, before, item),
                    "catalogue",
                )
        best = Case(**{**vars(case), "lists": lists or {"q1": ["i1"]}})
        res = rw.evaluate(best.lists, qrels_of(best), ["ab_ndcg@3"], policy=POLICY, **tables_of(best))
        values = values_of(res, "ab_ndcg@3")
        for user in lists:
            if values[user] is not None:
                assert values[user] == pytest.approx(1, abs=1e-12)
                compared += 1
    assert compared > 60 / FEWER
