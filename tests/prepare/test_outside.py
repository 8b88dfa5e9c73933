"""Splits, cores and caps of MovieTweetings are those of other libraries, or differ as said (stored/splits.py)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest
from tests.prepare.logs import movietweetings

from rankwell.prepare import PopularityCut, core, split

STORED = json.loads((Path(__file__).parent / "stored" / "splits.json").read_text(encoding="utf-8"))


def rows_of(frame):
    pairs = sorted(f"{user} {item}" for user, item in frame.select("query", "item").rows())
    return {"rows": len(pairs), "sha256": hashlib.sha256("\n".join(pairs).encode()).hexdigest()}


def test_the_last_week_is_that_of_rectools():
    # its weeks end with the last day of the log, 2013-09-01
    found = split(movietweetings() / "ratings.dat", at="2013-08-26")
    assert {"train": rows_of(found.train), "test": rows_of(found.test)} == STORED["TimeRangeSplitter(7D)"]


@pytest.mark.parametrize("n", [1, 3])
def test_the_last_rows_are_those_of_rectools_but_for_users_with_no_more(n):
    # RecTools puts all rows of a user with at most n of them into the test; here they stay in the training data
    found = split(movietweetings() / "ratings.dat", "last", n=n)
    few = found.train.group_by("query").len().filter(pl.col("len") <= n)["query"]
    few = set(few) - set(found.test["query"])
    is_few = pl.col("query").is_in(list(few))
    theirs = {
        "train": rows_of(found.train.filter(~is_few)),
        "test": rows_of(pl.concat([found.test, found.train.filter(is_few)])),
    }
    assert theirs == STORED[f"LastNSplitter({n})"]


def test_the_core_is_that_of_replay():
    kept = core(movietweetings() / "ratings.dat", min_per_user=5, min_per_item=5).table
    assert rows_of(kept) == STORED["InteractionEntriesFilter(5, 5)"]


def test_capping_at_the_interquartile_range_is_that_of_rectools():
    # which rows remain is drawn, how many is not
    train = movietweetings() / "split" / "train.csv"
    cut = PopularityCut(iqr=1.5).fit(train)
    capped = cut.apply(train, "cap").table
    assert STORED["DebiasConfig(1.5)"] == {
        "rows": len(capped),
        "highest": capped["item_id"].value_counts()["count"].max(),
        "items above": len(cut.items_),
    }
