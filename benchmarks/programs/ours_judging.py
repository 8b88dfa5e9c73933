"""What to judge next, 200 times, each time after the answer to the one before: METHOD METRIC. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import rankwell as rw

RUNS, QUERIES, LENGTH, ITEMS, BUDGET = 50, 1_000, 100, 300, 200


def made() -> tuple[dict[str, rw.Run], np.ndarray]:
    """Runs of different quality over 300 items of each query, the first of which are more often relevant."""
    rng = np.random.default_rng(0)
    relevant = rng.random((QUERIES, ITEMS)) < np.linspace(0.3, 0.02, ITEMS)
    query = np.repeat(np.arange(QUERIES), LENGTH)
    rank = np.tile(np.arange(1, LENGTH + 1), QUERIES)
    runs = {}
    for run, quality in enumerate(rng.uniform(0.3, 1.4, RUNS)):
        score = relevant * quality + rng.normal(size=relevant.shape) - np.arange(ITEMS) / 150
        item = np.argsort(-score, axis=1)[:, :LENGTH] + ITEMS * np.arange(QUERIES)[:, None]
        runs[f"run{run}"] = rw.Run(query, item.ravel(), rank=rank)
    return runs, relevant


def main() -> None:
    method, metric = sys.argv[1:]
    runs, relevant = made()
    start = time.perf_counter()
    chooser = rw.judging.Chooser(runs, method=method, metric=metric)
    found = 0
    for _ in range(BUDGET):
        pick = chooser.next()
        assert pick is not None
        answer = int(relevant[pick.query, pick.item % ITEMS])
        found += answer
        chooser.tell(pick.query, pick.item, answer)
    settling = chooser.settling()
    seconds = time.perf_counter() - start
    values = {"relevant found": found, "pairs settled": settling.pairs_after(0)}
    print(json.dumps({"values": values, "seconds": {"call": seconds}}))


if __name__ == "__main__":
    main()
