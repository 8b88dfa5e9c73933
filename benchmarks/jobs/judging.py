"""Judging: what to judge next for 50 runs of 1,000 queries: 200 judgements, one after the other."""

from __future__ import annotations

from harness import Command
from workload import Maker, Setting, Workload, at_most

RUNS = "50 runs × 1,000 queries × 100 items, 200 judgements"


def chosen(method: str, metric: str, title: str) -> Maker:
    def make(setting: Setting) -> Workload:
        return Workload(
            f"{title}: {RUNS}, each chosen after the answer before it, and what would settle the order",
            Command("rankwell", setting.script("ours_judging.py", method, metric), clock="call"),
            bars=(at_most("seconds", 10),),
            repeats=3,
        )

    return make


WORKLOADS: dict[str, Maker] = {
    "next_mtc": chosen("mtc", "ap", "MTC over all pairs under AP"),
    "next_mtc_dcg": chosen("mtc", "dcg@20", "MTC over all pairs under DCG@20"),
    "next_hedge": chosen("hedge", "ap", "Hedge"),
    "next_bandit": chosen("mm_ns", "ap", "a bandit (MM-NS)"),
}
