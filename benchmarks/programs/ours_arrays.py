"""rankwell over NumPy arrays that are in memory already: TRUTH REC. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys
import time

import polars as pl

import rankwell as rw

METRICS = ["ap(denom=R)@10", "ndcg@10", "p@10", "r@10", "rr@10"]


def main() -> None:
    truth_path, rec_path = sys.argv[1:]
    truth = pl.read_parquet(truth_path, columns=["user_id", "item_id"])
    rec = pl.read_parquet(rec_path, columns=["user_id", "item_id", "rank"])
    liked = [truth[name].to_numpy() for name in ("user_id", "item_id")]
    shown = [rec[name].to_numpy() for name in ("user_id", "item_id", "rank")]

    start = time.perf_counter()
    evaluator = rw.Evaluator(rw.Qrels(query=liked[0], item=liked[1]), METRICS)
    built = time.perf_counter()
    results = evaluator.evaluate({"query": shown[0], "item": shown[1], "rank": shown[2]})
    values = {name: results[name] for name in METRICS}
    evaluated = time.perf_counter()
    print(json.dumps({"values": values, "seconds": {"build": built - start, "evaluate": evaluated - built}}))


if __name__ == "__main__":
    main()
