"""Beyond accuracy: coverage, personalization, Gini, novelty and similarity of lists; diversity by topics."""

from __future__ import annotations

import subprocess
import sys

from harness import HERE, Command
from workload import Bar, Maker, Setting, Workload, at_least, at_most

from jobs.tables import rectools

METRICS = ("coverage@10", "personalization@10", "gini@10", "msi@10", "ils@10")
FILES = ("{data}/w3_rec.parquet", "{data}/w3_items.parquet", "{data}/w3_train.parquet")
EVIDENCE = HERE.parent / "tests" / "evidence.py"


def beyond(setting: Setting) -> Workload:
    setting.data("w3", "w3_beyond")
    accuracy = rectools(setting, "w3_truth.parquet", "w3_rec.parquet", label=", accuracy", compared=False)
    slow = setting.peer("rectools", "peer_beyond.py", *FILES, label=" and plain NumPy")
    return Workload(
        "coverage, personalization, Gini, novelty and similarity of 1,000,000 lists, beside the accuracy of the same",
        Command("rankwell", setting.script("ours_beyond.py", *FILES, *METRICS)),
        (accuracy,),
        checks=(slow,),
        inputs=("w3_rec.parquet", "w3_items.parquet", "w3_train.parquet"),
        bars=(at_least("ratio", 5), at_most("peak", 2.5)),
        repeats=3,
    )


def lists(metric: str, users: int, title: str, bar: Bar, *more: str) -> Maker:
    def make(setting: Setting) -> Workload:
        setting.data("w3_few", "w3_beyond")
        words = (metric, "{data}/w3_few_rec.parquet", str(users), "{turn}", *more)
        return Workload(
            f"{title} of {users:,} users",
            Command("rankwell", setting.script("ours_lists.py", *words), clock="call"),
            (setting.peer("recmetrics", "peer_lists.py", *words, clock="call"),),
            bars=(bar,),
        )

    return make


def web_track(run: str) -> Maker:
    """α-nDCG@20 of the TREC 2012 Web track (topics 151-200, in tests/data), files read and evaluated in one process."""

    def make(setting: Setting) -> Workload:
        unpacked = subprocess.check_output([sys.executable, EVIDENCE, "trec-web-2012"], text=True).strip()
        files = (f"{unpacked}/qrels-for-ndeval.txt", f"{unpacked}/runs/{run}-catb-filtered.run")
        phase = "read and evaluate"
        ours = setting.script("ours_diversity.py", *files, "alpha_ndcg@20", "alpha-nDCG@20", "25")
        return Workload(
            f"α-nDCG@20 of a TREC run with judgements by subtopic ({run}), read and evaluated in one process",
            Command("rankwell", ours, clock=phase),
            (setting.peer("pyndeval", "peer_diversity.py", *files, "alpha-nDCG@20", "25", clock=phase),),
            bars=(at_least("ratio", 10),),
        )

    return make


def alphabeta(phase: str, title: str, most: float) -> Maker:
    """A part of αβ-nDCG@10 of 20,000 users beside plain NumPy, in seconds of CPU time."""

    def make(setting: Setting) -> Workload:
        words = ("2000" if setting.quick else "20000", "300")
        return Workload(
            f"αβ-nDCG@10, {title} of 20,000 users, 300 kinds of items",
            Command("rankwell", setting.script("ours_alphabeta.py", *words), clock=phase),
            (Command("plain NumPy", setting.script("peer_alphabeta.py", *words), clock=phase),),
            bars=(at_most("seconds", most),),
        )

    return make


def metrics(setting: Setting) -> Workload:
    setting.data("w2")
    return Workload(
        "all metrics, beside five of them: 20 runs of 250 queries × 1,000 rows in memory",
        Command(
            "rankwell, all metrics", setting.script("ours_metrics.py", "all", "{data}"), clock="evaluate"
        ),
        limit=Command("five metrics", setting.script("ours_metrics.py", "five", "{data}"), clock="evaluate"),
        checks=(Command("five metrics", setting.script("ours_metrics.py", "five", "{data}")),),
        bars=(at_most("times_limit", 3),),
    )


WORKLOADS: dict[str, Maker] = {
    "w3_beyond": beyond,
    "ils": lists("ils@10", 2_000, "similarity within the lists", at_least("ratio", 400), FILES[1]),
    "personalization": lists("personalization@10", 4_000, "personalization", at_least("ratio", 1_000)),
    "alpha_ndcg_ql": web_track("ql"),
    "alpha_ndcg_rm": web_track("rm"),
    "ab_gains": alphabeta("dcg", "gains", 0.030),
    "ab_ideals": alphabeta("ideal", "ideal lists", 1.0),
    "all_metrics": metrics,
}
