"""Presets beyond accuracy: the numbers that the tools print on MovieTweetings, under the rules of the preset."""

from __future__ import annotations

import math
import random

import polars as pl
import pytest
from tests.definitions.test_beyond_peers import FILMS, films
from tests.evaluation.preset_cases import beyond_accuracy

import rankwell as rw
from rankwell.evaluation.preset import names

CASES = [(tool, name) for tool in names() for name in beyond_accuracy(tool)]


def test_the_tools_that_go_beyond_accuracy_have_presets_that_do():
    assert {tool for tool, _ in CASES} >= {"rectools", "recmetrics", "microsoft"}
    assert len(CASES) >= 20


def of_ratings(tool: str, name: str) -> rw.Results:
    """Each test rating guessed as the mean rating of its item in train, or of all of train."""
    test, train, _ = films()
    guess = train.group_by("item_id").agg(pl.col("rating").mean().alias("score"))
    run = test.join(guess, on="item_id", how="left", maintain_order="left")
    run = run.with_columns(pl.col("score").fill_null(train["rating"].mean())).drop("rating")
    return rw.evaluate(run, test, name, preset=tool)


@pytest.mark.parametrize(("tool", "name"), CASES)
def test_a_preset_has_the_numbers_of_the_tool_beyond_accuracy(tool, name):
    entry = beyond_accuracy(tool)[name]
    if entry.get("of") == "ratings":
        assert next(iter(of_ratings(tool, name).mean.values())) == pytest.approx(entry["value"], rel=1e-9)
        return
    test, train, items = films()
    if entry.get("items") == "train":
        items = items.filter(pl.col("item_id").is_in(train["item_id"].implode()))
    for system, theirs in entry["values"].items():
        lists = pl.read_parquet(FILMS / f"{system}.parquet")
        if entry.get("items") == "train":
            lists = lists.filter(pl.col("item_id").is_in(train["item_id"].implode()))
        given = rw.Policy(grades="interactions")
        res = rw.evaluate(lists, test, f"{name}@10", preset=tool, policy=given, items=items, train=train)
        scale = entry.get("times", 1)
        expected = theirs * (scale[system] if isinstance(scale, dict) else scale)
        value = next(iter(res.mean.values()))
        assert math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9 + entry.get("within", 0)), system


def test_ranx_has_the_numbers_of_its_preset_on_random_lists():
    """The values of ranx 0.3.21; in MovieTweetings no item was judged and not wanted, so bpref is tried here."""
    rng = random.Random(8)
    qrels = {f"q{q}": {f"d{i}": rng.choice([0, 0, 1, 2]) for i in range(14)} for q in range(20)}
    run = {q: {f"d{i}": float(s) for s, i in enumerate(rng.sample(range(20), 12))} for q in qrels}
    res = rw.evaluate(run, qrels, ["dcg@5", "p@5"], preset="ranx")
    assert list(res.mean.values()) == pytest.approx([1.635544278716242, 0.34], rel=1e-12)
    # its bpref, which the preset refuses, is on these lists that of trec_eval
    res = rw.evaluate(run, qrels, "bpref", policy=rw.Policy(ties="order", undefined="zero"))
    assert list(res.mean.values()) == pytest.approx([0.37532560296846007], rel=1e-12)


def test_a_binary_preset_shows_all_grades_to_errors_of_ratings():
    run, truth = {"u": {"a": 4.5, "b": 2.0}}, {"u": {"a": 5, "b": 3}}
    for preset in ("recmetrics", "microsoft"):
        assert rw.evaluate(run, truth, "rmse", preset=preset).mean == {
            "rmse": pytest.approx(math.sqrt(1.25 / 2))
        }
    with pytest.raises(rw.RankwellError, match="different rules"):
        rw.evaluate(run, truth, ["rmse", "p@1"], preset="microsoft")
