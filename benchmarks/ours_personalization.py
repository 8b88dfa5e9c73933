"""rankwell's personalization of the first users of REC, lists in memory: REC FEW MORE. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys
import time
from statistics import median

import polars as pl

import rankwell as rw

METRIC = "personalization@10"
CALLS = 7


def main() -> None:
    rec_path, few, more = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    columns = ["user_id", "item_id", "rank"]
    rec = pl.scan_parquet(rec_path).select(columns).filter(pl.col("user_id") < more).collect()
    values, seconds = {}, {}
    for users in (more, few):
        user, item, rank = (rec.filter(pl.col("user_id") < users)[name].to_numpy() for name in columns)
        calls = []
        for _ in range(CALLS):
            start = time.perf_counter()
            run = rw.Run(query=user, item=item, rank=rank)
            values[f"{users} users"] = rw.evaluate(run, metrics=[METRIC])[METRIC]
            calls.append(time.perf_counter() - start)
        seconds[str(users)] = median(calls)
        if users == more:
            seconds[f"{more}, first call"] = calls[0]
    values[f"{few} users, all pairs"] = values[f"{few} users"]
    print(json.dumps({"values": values, "seconds": seconds}))


if __name__ == "__main__":
    main()
