"""RecTools' calc_metrics over Parquet: TRUTH REC [--achievable]. Runs in the environment of rectools.

With --achievable, its nDCG divides by the best list that the user's own judgements allow, as rankwell's does;
its default divides by a list whose k places are all relevant.
"""

from __future__ import annotations

import json
import sys
import time

start = time.perf_counter()
import pandas as pd  # noqa: E402  (the imports are one of the phases)
from rectools.metrics import MAP, MRR, NDCG, Precision, Recall, calc_metrics  # noqa: E402


def main() -> None:
    truth_path, rec_path, *flags = sys.argv[1:]
    imported = time.perf_counter()
    truth = pd.read_parquet(truth_path, columns=["user_id", "item_id"])
    rec = pd.read_parquet(rec_path, columns=["user_id", "item_id", "rank"])
    loaded = time.perf_counter()
    metrics = {
        "ap(denom=R)@10": MAP(k=10),
        "ndcg@10": NDCG(k=10, divide_by_achievable="--achievable" in flags),
        "p@10": Precision(k=10),
        "r@10": Recall(k=10),
        "rr@10": MRR(k=10),
    }
    values = calc_metrics(metrics, reco=rec, interactions=truth)
    evaluated = time.perf_counter()
    seconds = {"import": imported - start, "load": loaded - imported, "evaluate": evaluated - loaded}
    print(json.dumps({"values": {name: float(value) for name, value in values.items()}, "seconds": seconds}))


if __name__ == "__main__":
    main()
