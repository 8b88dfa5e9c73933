"""Imputed judgements against plain loops; they are marked, and results count them."""

from __future__ import annotations

import random

import polars as pl
import pytest
from tests.prepare.logs import movietweetings

import rankwell as rw
from rankwell.prepare import impute

RNG = random.Random(3)
RATED = {
    f"u{u}": {f"i{i}": RNG.randint(1, 5) for i in RNG.sample(range(12), RNG.randint(1, 5))} for u in range(10)
}
TRAIN = {f"u{u}": {f"i{i}": RNG.randint(1, 5) for i in RNG.sample(range(13), 4)} for u in range(1, 11)}
LISTS = {f"u{u}": [f"i{i}" for i in RNG.sample(range(14), 6)] for u in range(12)}
PREDICTED = {f"u{u}": {f"i{i}": RNG.random() * 5 for i in RNG.sample(range(14), 9)} for u in range(12)}


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def given(user, item, how):
    """The grade that a plain loop gives."""
    if how == "constant":
        return 1.5
    if how == "predictions":
        return PREDICTED[user].get(item)
    if how == "user_mean":
        return mean(TRAIN.get(user, {}).values())
    return mean(row[item] for row in TRAIN.values() if item in row)


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize("how", ["constant", "user_mean", "item_mean", "predictions"])
def test_grades_are_those_of_a_plain_loop(how, k):
    needed = {"constant": {"grade": 1.5}, "predictions": {"predictions": PREDICTED}}
    options = needed.get(how, {"train": TRAIN})
    table, report = impute(RATED, LISTS, how, k=k, **options)
    expected = [(u, i, float(g), 0) for u, row in RATED.items() for i, g in row.items()]
    missing = 0
    for user, items in LISTS.items():
        for item in items[:k]:
            if item in RATED.get(user, {}):
                continue
            grade = given(user, item, how)
            missing += grade is None
            expected += [(user, item, pytest.approx(grade), 1)] if grade is not None else []
    assert table.rows() == expected
    assert str(report["unrated rows without a grade to give"]).startswith(f"{missing} of ")
    new = sum(row[3] for row in expected)
    assert str(report["imputed rows"]).startswith(f"{new} of {len(expected)} ")
    policy = rw.Policy(grades="judgements")
    assert rw.evaluate(LISTS, table, ["ndcg@5"], policy=policy).counts["imputed judgements"] == new
    assert "imputed judgements" not in rw.evaluate(LISTS, RATED, ["ndcg@5"], policy=policy).counts


def test_predictions_may_stand_alone():
    table, _ = impute(RATED, how="predictions", predictions=PREDICTED)
    known = {(u, i) for u, row in RATED.items() for i in row}
    asked = {(u, i) for u, row in PREDICTED.items() for i in row}
    assert {row[:2] for row in table.rows() if row[3]} == asked - known


def test_columns_stay_and_a_file_keeps_the_mark(tmp_path):
    frame = pl.DataFrame(
        {"userId": ["a", "a"], "source": ["x", "y"], "movieId": ["1", "2"], "rating": [4, 5]}
    )
    table, _ = impute(frame, {"a": ["3"]}, "constant", grade=0.5)
    assert table.columns == ["userId", "source", "movieId", "rating", "imputed"]
    assert table.rows()[-1] == ("a", None, "3", 0.5, 1)
    for name, write in (("q.csv", table.write_csv), ("q.parquet", table.write_parquet)):
        write(tmp_path / name)
        policy = rw.Policy(grades="judgements")
        assert (
            rw.evaluate({"a": ["1", "3"]}, tmp_path / name, "ap", policy=policy).counts["imputed judgements"]
            == 1
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "mean"}, "must be constant, user_mean"),
        ({}, "how='user_mean' needs train=, the ratings that the means are taken from"),
        ({"train": {"a": {"x": 1}}, "how": "constant", "grade": 1}, "only to how='user_mean' or 'item_mean'"),
        ({"how": "constant"}, "needs grade="),
        ({"grade": 3, "train": {"a": {"x": 1}}}, "applies only to how='constant'"),
        ({"how": "predictions"}, "needs predictions="),
        ({"lists": None, "how": "constant", "grade": 1}, "needs lists="),
        ({"lists": {"nobody": ["new"]}, "train": {"a": {"x": 1}}}, "nothing to impute"),
        ({"columns": {"stars": "grade"}, "how": "constant", "grade": 1}, "columns= names 'stars'"),
    ],
)
def test_a_wrong_argument_is_refused(options, message):
    frame = pl.DataFrame({"user": ["a"], "item": ["x"], "rating": [3]})
    with pytest.raises(rw.RankwellError, match=message):
        impute(frame, **({"lists": {"a": ["y"]}} | options))


def test_ratings_without_grades_are_refused():
    with pytest.raises(rw.RankwellError, match="no column for the grade"):
        impute({"a": ["x"]}, {"a": ["y"]}, "constant", grade=1)


def test_the_first_ten_of_als_on_movietweetings():
    folder = movietweetings()
    rated = pl.read_csv(folder / "split" / "test.csv", infer_schema=False)
    lists = pl.read_parquet(folder / "recs" / "recs_als.parquet").filter(pl.col("rank") <= 10)
    pairs = set(zip(rated["user_id"], rated["item_id"], strict=True))
    new = [pair for pair in zip(lists["user_id"], lists["item_id"], strict=True) if pair not in pairs]
    table, report = impute(
        folder / "split" / "test.csv",
        folder / "recs" / "recs_als.parquet",
        train=folder / "split" / "train.csv",
        k=10,
    )
    assert table.filter(imputed=1).select("user_id", "item_id").rows() == new
    assert str(report["imputed rows"]) == "26,779 of 38,604 (0.6937)"
