"""Judging: what to judge next for 50 runs of 1,000 queries: 200 judgements, one after the other; and what is drawn and chosen of 20 runs of files."""

from __future__ import annotations

from tempfile import gettempdir

from harness import Command, nothing
from workload import Maker, Setting, Workload, at_most

from jobs.text import twenty_runs

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


def of_twenty(title: str, *words: str, peak: float) -> Maker:
    """A command on the twenty runs of ``w2``."""

    def make(setting: Setting) -> Workload:
        runs = twenty_runs(setting)
        files = [f"{{data}}/{name}" for name in runs]
        ours = (str(setting.rankwell), "judging", *words, *files)
        return Workload(
            f"{title}: 20 runs of 250 queries × 1,000 rows",
            Command("rankwell", (*ours, "-o", f"{gettempdir()}/rankwell_judging.tsv"), nothing),
            inputs=tuple(runs),
            bars=(at_most("seconds", 4), at_most("peak", peak)),
            repeats=3,
        )

    return make


WORKLOADS: dict[str, Maker] = {
    "next_mtc": chosen("mtc", "ap", "MTC over all pairs under AP"),
    "next_mtc_dcg": chosen("mtc", "dcg@20", "MTC over all pairs under DCG@20"),
    "next_hedge": chosen("hedge", "ap", "Hedge"),
    "next_w2": of_twenty("`rankwell judging next`", "next", "{data}/w2.qrels", peak=0.5),
    "sample_w2": of_twenty("`rankwell judging sample`", "sample", peak=0.4),
    "next_bandit": chosen("mm_ns", "ap", "a bandit (MM-NS)"),
}
