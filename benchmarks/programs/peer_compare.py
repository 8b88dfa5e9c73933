"""ranx' comparison of runs: TEST TURN SYSTEMS. Runs in the environment of ranx.

Its calls are compiled before, on two queries, which is not timed. ``fisher`` is its randomisation test, at 1,000.
"""

from __future__ import annotations

import json
import sys
import time

from ranx import Qrels, Run, compare
from statistics_data import DEPTH, judged, lists


def main() -> None:
    test, turn, systems = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    grades = judged(turn)
    qrels = {
        f"q{at}": {f"i{item}": int(grade) for item, grade in enumerate(row)} for at, row in enumerate(grades)
    }
    runs = []
    for system in range(systems):
        answered, items = lists(turn, system)
        found = {
            f"q{at}": {f"i{item}": 1.0 for item in row[:1]} for at, row in enumerate(grades)
        }  # it wants all queries
        for query, row in zip(answered.tolist(), items.tolist(), strict=True):
            found[f"q{query}"] = {f"i{item}": float(DEPTH - rank) for rank, item in enumerate(row)}
        runs.append(Run(found, name=f"s{system}"))
    few = list(qrels)[:2]
    small = [Run({query: {"i0": 1.0, "i1": 0.5} for query in few}, name=name) for name in ("a", "b")]
    compare(Qrels({query: qrels[query] for query in few}), small, metrics=["ndcg@10"], stat_test=test)
    start = time.perf_counter()
    compare(Qrels(qrels), runs, metrics=["ndcg@10"], stat_test=test)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": {"call": seconds}}))


if __name__ == "__main__":
    main()
