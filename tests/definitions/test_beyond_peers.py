"""Other recommender tools' numbers beyond accuracy, stored with their versions, against rankwell's.

On four lists of MovieTweetings and on a small ragged example. What has no ``metric`` there is defined otherwise, and its
``note`` says how; ``times`` brings a number to our unit, ``within`` is how far the tool rounds.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from tools import make_elsewhere_page

import rankwell as rw

FILMS = Path(rw.__path__[0]) / "data" / "movietweetings"
STORED = json.loads(make_elsewhere_page.STORED.read_text(encoding="utf-8"))
POLICY = rw.Policy(grades="interactions", outside="ignore")
SMALL = STORED["ragged"]
MEASURES = [
    (tool, part, measure)
    for tool, found in STORED["tools"].items()
    for part in ("lists", "ragged")
    for measure, entry in found[part].items()
    if entry["metric"]
]


@cache
def films():
    """Judgements, training log, catalogue."""
    test, train, items = (pl.read_parquet(FILMS / f"{name}.parquet") for name in ("test", "train", "items"))
    first = pl.col("genres").str.split("|").list.first()
    drama = pl.col("genres").str.split("|").list.contains("Drama")
    groups = [
        first.alias("first"),
        pl.when(drama).then(pl.lit("Drama")).otherwise(pl.lit("other")).alias("drama"),
    ]
    return test, train, items.with_columns(groups)


def observed(test: pl.DataFrame, how: str) -> pl.DataFrame:
    """The judgements with the chance that each was observed."""
    item = pl.col("item_id")
    chances = {
        "place": 1 / item.rank("ordinal").over("user_id"),
        "share": item.count().over("item_id") / len(test),
    }
    return test.with_columns(chances[how].alias("propensity")) if how else test


def of_films(metric: str, system: str, only: str, propensity: str) -> rw.Results:
    test, train, items = films()
    test = observed(test, propensity)
    lists = pl.read_parquet(FILMS / f"{system}.parquet")
    if only == "train":
        items = items.filter(pl.col("item_id").is_in(train["item_id"].implode()))
    if only == "shown":
        items = items.filter(pl.col("item_id").is_in(lists["item_id"].implode()))
    return rw.evaluate(lists, test, metric, items=items, train=train, policy=POLICY)


def of_ratings(metric: str) -> rw.Results:
    """Each test rating guessed as the mean rating of its item in train, or of all of train."""
    test, train, _ = films()
    guess = train.group_by("item_id").agg(pl.col("rating").mean().alias("score"))
    run = test.join(guess, on="item_id", how="left", maintain_order="left")
    run = run.with_columns(pl.col("score").fill_null(train["rating"].mean())).drop("rating")
    return rw.evaluate(run, test, metric, policy=rw.Policy(grades="judgements"))


def of_small(metric: str, only: str, propensity: str, *, is_judged: bool) -> rw.Results:
    lists, train, test = (
        {user: list(row) for user, row in SMALL[name].items()} for name in ("lists", "train", "test")
    )
    kept = set(SMALL["items"])
    if only == "train":
        kept = {item for row in train.values() for item in row}
    if only == "shown":
        kept = {item for row in lists.values() for item in row[: SMALL["k"]]}
    items = [
        {
            "item": item,
            "topics": topics,
            "first": (topics or ["none"])[0],
            "drama": "Drama" if "Drama" in topics else "other",
        }
        for item, topics in SMALL["items"].items()
        if item in kept
    ]
    if propensity:
        rows = [{"user_id": user, "item_id": item} for user, row in test.items() for item in row]
        test = observed(pl.DataFrame(rows), propensity)
    return rw.evaluate(lists, test if is_judged else None, metric, items=items, train=train, policy=POLICY)


@pytest.mark.parametrize(("tool", "part", "measure"), MEASURES, ids=str)
def test_another_tool_has_the_same_number(tool, part, measure, confirm):
    entry = STORED["tools"][tool][part][measure]
    metric, times, only = entry["metric"], entry.get("times", 1), entry.get("items", "")
    propensity = entry.get("propensity", "")
    if entry.get("of") == "ratings":
        pairs = [(of_ratings(metric), entry["value"], 1)]
    elif part == "lists":
        found = {system: of_films(metric, system, only, propensity) for system in entry["values"]}
        scales = times if isinstance(times, dict) else dict.fromkeys(found, times)
        pairs = [(found[system], value, scales[system]) for system, value in entry["values"].items()]
    else:
        is_judged = "without judgements" not in entry.get("note", "")
        pairs = [(of_small(metric, only, propensity, is_judged=is_judged), entry["value"], times)]
    for ours, theirs, scale in pairs:
        value = next(iter(ours.mean.values()))
        assert math.isclose(value, theirs * scale, rel_tol=1e-9, abs_tol=1e-9 + entry.get("within", 0))
    text = str(next(iter(ours.metrics)))
    source = f"{make_elsewhere_page.NAMES[tool]} {STORED['tools'][tool]['version']} {measure}"
    confirm(text, f"{source}, {'MovieTweetings' if part == 'lists' else 'ragged lists'}", len(pairs))


def test_what_another_tool_defines_otherwise_is_said():
    for tool, found in STORED["tools"].items():
        for part in ("lists", "ragged"):
            for measure, entry in found[part].items():
                assert entry["metric"] or entry.get("note") or entry.get("raises"), (tool, part, measure)


def test_the_page_of_other_tools_is_that_of_the_stored_values():
    text = make_elsewhere_page.PAGE.read_text(encoding="utf-8")
    assert text == make_elsewhere_page.page(), "run tools/make_elsewhere_page.py"
