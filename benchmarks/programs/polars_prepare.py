"""The same steps by plain Polars, for their values, and one sort of each table, for the time: STEP ROWS SEED integers|text."""

from __future__ import annotations

import json
import sys
import time

import polars as pl
from log_inputs import tables

PAIR = ["user", "item"]


def values_of(step: str, frames: list[pl.DataFrame]) -> dict[str, float]:
    """What ``ours_prepare`` names, by other means."""
    log = frames[0]
    if step == "core":
        return core(log, 20, 10)
    if step == "long_tail":
        counts = log.unique(PAIR)["item"].value_counts(sort=True)["count"]
        before = counts.cum_sum() - counts
        return {"pairs": counts.sum(), "items of the head": int((before < 0.8 * counts.sum()).sum())}
    if step == "check":
        train, test, lists = frames
        newest = train.group_by("user").agg(pl.col("time").max().alias("newest"))
        return {
            "own-future": test.join(newest, on="user").filter(pl.col("time") < pl.col("newest")).height,
            "test-pairs-in-train": test.join(train, on=PAIR, how="semi").height,
            "repeated-items": lists.height - lists.n_unique(PAIR),
            "training-items-in-lists": lists.join(train, on=PAIR, how="semi").height,
        }
    if step == "split_random":
        return {"train": log.height - log.height // 5, "test": log.height // 5}
    test = log.with_row_index().sort("user", "time", "index").group_by("user").tail(1)
    test = test.join(log.group_by("user").len().filter(pl.col("len") > 1), on="user", how="semi")
    train = log.with_row_index().join(test, on="index", how="anti")
    known = test.join(train, on=PAIR, how="semi").height
    return {"train": train.height, "test": test.height, "known": known}


def core(log: pl.DataFrame, per_user: int, per_item: int) -> dict[str, float]:
    """Users and items with enough rows, until nothing changes."""
    while True:
        users = log.group_by("user").len().filter(pl.col("len") >= per_user)
        items = log.group_by("item").len().filter(pl.col("len") >= per_item)
        left = log.join(users, on="user", how="semi").join(items, on="item", how="semi")
        if left.height == log.height:
            return {"rows": left.height, "users": users.height, "items": items.height}
        log = left


def main() -> None:
    step, rows, seed, kind = sys.argv[1:]
    frames = tables(step, int(rows), int(seed), kind)
    start = time.perf_counter()
    for frame in frames:
        frame.sort(PAIR)
    seconds = time.perf_counter() - start
    print(json.dumps({"values": values_of(step, frames), "seconds": {"sort": seconds}}))


if __name__ == "__main__":
    main()
