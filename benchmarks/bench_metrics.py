"""What the metrics cost: five of them, and all together, for 20 runs of 250 queries × 1,000 documents (W2).

    python benchmarks/bench_metrics.py [--cache FOLDER] [-n 5]

Both are ours, in turn, in one process on runs and judgements that were read before: what differs is the metrics.
The value of each of the five is the same in both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from harness import CACHE
from workloads import workload

import rankwell as rw
from rankwell.metrics import classes
from rankwell.metrics.metric import Metric

FIVE = ["ap", "ndcg@10", "p@10", "rr", "r@100"]
MOST = 3.0
RESULTS = Path(__file__).parent / "results" / "metrics.jsonl"


def every_metric() -> list[Metric]:
    """Each metric once, as it is, cut at 10 where it needs a cut."""
    found = []
    for cls in classes():
        metric = cls()
        if not metric.judgements:
            continue  # metrics of lists alone need other tables
        if "collection_size" in metric.needed():
            metric = cls(collection=1_000_000)
        found.append(metric @ 10 if metric.cut == "required" else metric)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a small workload, to try the script")
    options = parser.parse_args()
    files = workload("w2", options.cache, options.quick)
    qrels_file = next(path for path in files if path.suffix == ".qrels")
    run_files = sorted(qrels_file.parent.glob("w2_*.run"))
    runs, qrels = [rw.read_run(path) for path in run_files], rw.read_qrels(qrels_file)
    asked = {"five": FIVE, "all": [*FIVE, *every_metric()]}
    seconds: dict[str, list[float]] = {name: [] for name in asked}
    values: dict[str, list[float]] = {}
    for _ in range(options.n + 1):  # the first time is not counted: it loads what is loaded once
        for name, metrics in asked.items():
            evaluator = rw.Evaluator(qrels, metrics, policy=rw.Policy(grades="judgements"))
            start = time.perf_counter()
            results = [evaluator.evaluate(run) for run in runs]
            values[name] = [res[metric] for res in results for metric in FIVE]
            seconds[name].append(time.perf_counter() - start)
    assert values["five"] == values["all"]
    medians = {name: statistics.median(times[1:]) for name, times in seconds.items()}
    ratio = medians["all"] / medians["five"]
    count = len(
        dict.fromkeys(
            map(str, rw.Evaluator(qrels, asked["all"], policy=rw.Policy(grades="judgements")).metrics)
        )
    )
    for name, times in seconds.items():
        print(f"{name:>5}: {medians[name]:.3f} s ({min(times[1:]):.3f}–{max(times[1:]):.3f})")
    verdict = "met" if ratio <= MOST else "MISSED"
    print(f"{verdict}: all {count} metrics cost {ratio:.2f} × five of them (bar: at most {MOST:g})")
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"metrics": count, **medians, "ratio": ratio, "n": options.n}) + "\n")


if __name__ == "__main__":
    main()
