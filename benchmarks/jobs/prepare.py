"""Preparing data: steps on 10,000,000 rows in memory, beside one sort of them; folds; a backtest of MovieTweetings."""

from __future__ import annotations

from harness import Command
from workload import Maker, Setting, Workload, at_most


def step(name: str, kind: str, title: str) -> Maker:
    def make(setting: Setting) -> Workload:
        words = (name, "100000" if setting.quick else "10000000", "{turn}", kind)
        by_hand = setting.script("polars_prepare.py", *words)
        return Workload(
            f"{title}, ids are {kind}",
            Command("rankwell", setting.script("ours_prepare.py", *words), clock="call"),
            limit=Command("Polars, one sort by user and item", by_hand, clock="sort"),
            checks=(Command("plain Polars", by_hand, clock="sort"),),
            bars=(at_most("times_limit", 1.5),),
        )

    return make


STEPS = {
    "split_last": "the last interaction of each user taken out of a log",
    "split_random": "a fifth of a log drawn at random",
    "core": "users of at least 20 and items of at least 10 interactions",
    "long_tail": "items by popularity",
    "check": "training data, test data and lists checked",
}


def folds(setting: Setting) -> Workload:
    words = ("folds", "200000", "{turn}", "integers")
    return Workload(
        "320 folds of a log of 200,000 rows, one after the other",
        Command("rankwell", setting.script("ours_prepare.py", *words)),
        bars=(at_most("peak", 0.25),),
    )


def backtest(setting: Setting) -> Workload:
    return Workload(
        "a backtest of MovieTweetings, 100,000 rows: 12 origins × 4 recommenders made, evaluated and put in a trend",
        Command("rankwell", setting.script("backtests.py", "ours")),
        checks=(Command("plain Python", setting.script("backtests.py", "plain")),),
        bars=(at_most("seconds", 20),),
    )


WORKLOADS: dict[str, Maker] = {
    f"prepare_{name}{'_text' if kind == 'text' else ''}": step(name, kind, title)
    for kind in ("integers", "text")
    for name, title in STEPS.items()
} | {"prepare_folds": folds, "prepare_backtest": backtest}
