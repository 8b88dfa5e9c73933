"""The worked examples of αβ-nDCG (``ab.*``), with all values that a literal product down to the rank itself would give."""

from __future__ import annotations

import numpy as np
import pytest

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.metrics.diversity.topic_ideal import without_lists

from .worked import examples

EXAMPLES = {name: case for name, case in examples().items() if name.startswith("ab.")}
NDCG = "ab_ndcg(alpha=.1,beta=.9)@4"


def data():
    given = EXAMPLES["ab.ndcg"]["input"]
    topics = given["item_topics"] | {item: row["topics"] for item, row in given["train_ratings"].items()}
    return {
        "run": {"u": given["list"]},
        "qrels": {"u": given["test_ratings"]},
        "items": [{"item": item, "topics": names} for item, names in topics.items()],
        "train": {"u": {item: row["rating"] for item, row in given["train_ratings"].items()}},
    }


def task_of(text):
    given = data()
    return rw.Evaluator(given["qrels"], text, items=given["items"], train=given["train"]).task


def value_of(text):
    given = data()
    return rw.evaluate(given["run"], given["qrels"], text, items=given["items"], train=given["train"])[text]


def gains_of(text):
    given = data()
    evaluator = rw.Evaluator(given["qrels"], text, items=given["items"], train=given["train"])
    table = rw.explain(
        text, run=given["run"], qrels=given["qrels"], items=given["items"], train=given["train"]
    )
    assert evaluator.metrics[0].words[0] == "gain"
    return [row[3] for row in table.rows if row[3] is not None]


@pytest.mark.parametrize("profile", ["ml", "item_share"])
def test_a_profile_is_that_of_the_worked_example(profile):
    task = task_of(f"ab_dcg(profile={profile})@4")
    interests = task.metrics[0].interests(task.pool, task.context)
    expected = EXAMPLES[f"ab.profile_{profile}"]["expected"]
    found = interests.rows(np.array([0]))[0].tolist()
    names = task.context.items.features("topics").names
    assert dict(zip(names, found, strict=True)) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize(("name", "text"), [
    ("ab.dcg", "ab_dcg(alpha=.1,beta=.9)@4"),
    ("ab.dcg", "ab_dcg(max_grade=5)@4"),
    ("ab.ndcg", NDCG),
    ("ab.ndcg", "ab_ndcg(ideal=exact)@4"),
    ("ab.ndcg", "ab_ndcg(ideal=best_of)@4"),
    ("ab.ndcg_judged_only", "ab_ndcg(candidates=judged)@4"),
])  # fmt: skip
def test_a_worked_example_comes_out_to_1e_12(name, text):
    assert value_of(text) == pytest.approx(EXAMPLES[name]["expected"], rel=0, abs=1e-12)


def test_the_gains_are_those_of_the_worked_example():
    assert gains_of(NDCG) == pytest.approx(EXAMPLES["ab.gains"]["expected"], rel=0, abs=1e-12)


@pytest.mark.parametrize("ideal", ["greedy", "exact"])
def test_the_ideal_list_is_that_of_the_worked_example(ideal):
    text = f"ab_ndcg(ideal={ideal})@4"
    task, expected = task_of(text), EXAMPLES["ab.ideal_greedy_catalogue"]["expected"]
    metric = metric_of(text)
    terms = metric.ideal_terms(without_lists(task.pool), task.context)
    assert [terms.ids.one(row) for row in terms.rows.item.tolist()] == expected["order"]
    assert terms.gain == pytest.approx(expected["gains"], rel=0, abs=1e-12)
    assert terms.sum()[0] == pytest.approx(expected["idcg"], rel=0, abs=1e-12)


def test_what_a_product_down_to_the_rank_itself_would_give_does_not_come_out():
    literal, gains = EXAMPLES["ab.article_literal_gains"]["expected"], gains_of(NDCG)
    assert not any(
        wrong == pytest.approx(right, rel=0.05) for wrong, right in zip(literal[:3], gains, strict=False)
    )
    for text in (
        NDCG,
        "ab_ndcg(ideal=exact)@4",
        "ab_ndcg(candidates=judged)@4",
        "ab_ndcg(candidates=pool)@4",
    ):
        assert abs(value_of(text) - EXAMPLES["ab.article_literal_ndcg"]["expected"]) > 0.1


@pytest.mark.parametrize("place", range(4))
def test_a_surer_hit_gains_more(place):
    chance = EXAMPLES["ab.right_monotone"]["input"]["a"][place]
    items = [{"item": item, "topics": "one"} for item in ("hit", "had")]
    text = f"ab_dcg(alpha=0,beta={chance})@1"
    value = rw.evaluate({"u": ["hit"]}, {"u": {"hit": 1}}, text, items=items, train={"u": {"had": 1}})[text]
    assert value == pytest.approx(EXAMPLES["ab.right_monotone"]["expected"][place], rel=0, abs=1e-12)
    assert abs(value - EXAMPLES["ab.article_literal_blind"]["expected"][place]) > 1e-3


def test_every_worked_example_is_held():
    assert set(EXAMPLES) == {
        "ab.profile_ml", "ab.profile_item_share", "ab.gains", "ab.dcg", "ab.ideal_greedy_catalogue", "ab.ndcg",
        "ab.ndcg_judged_only", "ab.article_literal_gains", "ab.article_literal_ndcg", "ab.article_literal_blind",
        "ab.right_monotone",
    }  # fmt: skip
