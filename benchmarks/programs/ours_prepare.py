"""A step of ``rw.prepare`` on frames in memory: STEP ROWS SEED integers|text. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys
import time

import polars as pl
from log_inputs import tables

import rankwell as rw

CHECKS = "own-future", "test-pairs-in-train", "repeated-items", "training-items-in-lists"


def values_of(step: str, frames: list[pl.DataFrame]) -> dict[str, float]:
    """Do the step, and name some of what it found."""
    if step == "core":
        kept, _ = rw.prepare.core(frames[0], min_per_user=20, min_per_item=10)
        return {
            "rows": len(kept),
            "users": kept["user"].n_unique(),
            "items": kept["item"].n_unique(),
        }
    if step == "long_tail":
        tail = rw.long_tail(frames[0])
        return {"pairs": tail.total, "items of the head": int((tail.part == 0).sum())}
    if step == "check":
        found, _ = rw.prepare.check(*frames)
        numbers = dict(zip(found["check"], found["n"], strict=True))
        return {name: numbers[name] for name in CHECKS}
    if step == "folds":
        parts, report = rw.prepare.folds(frames[0], 320)
        return {"train": sum(len(train) for train, _ in parts), "known": report.tables[0].rows[0][1]}
    train, test, report = rw.prepare.split(frames[0], step.removeprefix("split_"))
    sizes = {"train": len(train), "test": len(test)}
    # what is drawn at random is another matter for others
    known = {} if step == "split_random" else {"known": report["test rows whose pair is in train"].n}
    return sizes | known


def main() -> None:
    step, rows, seed, kind = sys.argv[1:]
    frames = tables(step, int(rows), int(seed), kind)
    start = time.perf_counter()
    values = values_of(step, frames)
    print(json.dumps({"values": values, "seconds": {"call": time.perf_counter() - start}}))


if __name__ == "__main__":
    main()
