"""Five metrics, or all, of the runs of W2 in memory: five|all FOLDER. The values are those of the five."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import rankwell as rw
from rankwell.metrics import classes
from rankwell.metrics.metric import Metric

FIVE = ["ap", "ndcg@10", "p@10", "rr", "r@100"]


def every_metric() -> list[Metric]:
    """Each metric of judgements that needs nothing but them and a run, as it is, cut at 10 where it needs a cut."""
    found = []
    for cls in classes():
        metric = cls()
        if not metric.judgements or metric.only_grades:
            continue  # metrics of lists alone are other work, and some take no grades such as these
        if "collection_size" in metric.needed():
            metric = cls(collection=1_000_000)
        metric = metric @ 10 if metric.cut == "required" else metric
        try:
            rw.Evaluator({"q": {"a": 1}}, [metric], policy=rw.Policy(grades="judgements"))
        except rw.RankwellError:
            continue  # it needs a table or a parameter more
        found.append(metric)
    return found


def main() -> None:
    which, folder = sys.argv[1], Path(sys.argv[2])
    runs = [rw.read_run(path) for path in sorted(folder.glob("w2_*.run"))]
    qrels = rw.read_qrels(folder / "w2.qrels")
    metrics = FIVE if which == "five" else [*FIVE, *every_metric()]
    evaluator = rw.Evaluator(qrels, metrics, policy=rw.Policy(grades="judgements"))
    evaluator.evaluate(runs[0])  # loads what is loaded once
    start = time.perf_counter()
    results = [evaluator.evaluate(run) for run in runs]
    values = {f"{name}, run {number}": res[name] for number, res in enumerate(results) for name in FIVE}
    print(json.dumps({"values": values, "seconds": {"evaluate": time.perf_counter() - start}}))


if __name__ == "__main__":
    main()
