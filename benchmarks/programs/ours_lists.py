"""One metric of some users' lists, in memory: METRIC REC USERS SEED [ITEMS]. Runs where rankwell is installed.

Every call gets lists that it has not seen, and the first call counts like the others. ITEMS has a topic per item.
"""

from __future__ import annotations

import json
import sys
import time
from statistics import mean, median

import numpy as np
import polars as pl
from list_inputs import draws

import rankwell as rw


def main() -> None:
    metric, rec_path, wanted, seed, *items_path = sys.argv[1:]
    rec = pl.read_parquet(rec_path, columns=["user_id", "item_id", "rank"])
    items = {"items": pl.read_parquet(items_path[0])} if items_path else {}
    chosen = draws(np.unique(rec["user_id"].to_numpy()), int(wanted), int(seed))
    frames = [rec.filter(pl.col("user_id").is_in(pl.Series(users).implode())) for users in chosen]
    columns = [[frame[name].to_numpy() for name in ("user_id", "item_id", "rank")] for frame in frames]
    values, seconds = [], []
    for user, item, rank in columns:
        start = time.perf_counter()
        values.append(
            rw.evaluate(rw.Run(query=user, item=item, rank=rank), metrics=[metric], **items)[metric]
        )
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"values": {metric: mean(values)}, "seconds": {"call": median(seconds)}}))


if __name__ == "__main__":
    main()
