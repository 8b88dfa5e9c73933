"""One metric of some users' lists by recmetrics: METRIC REC USERS SEED [ITEMS]. Runs in the environment of recmetrics."""

from __future__ import annotations

import json
import sys
import time
from statistics import mean, median

import numpy as np
import pandas as pd
import recmetrics
from list_inputs import K, draws


def one_hot(path: str) -> pd.DataFrame:
    """The topics of each item as columns of 0 and 1."""
    flat = pd.read_parquet(path).explode("topics")
    return pd.crosstab(flat["item"], flat["topics"])


def main() -> None:
    metric, rec_path, wanted, seed, *items_path = sys.argv[1:]
    rec = pd.read_parquet(rec_path, columns=["user_id", "item_id", "rank"])
    first = rec[rec["rank"] <= K].sort_values(["user_id", "rank"])
    users = np.unique(first["user_id"].to_numpy())
    lists = first["item_id"].to_numpy().reshape(-1, K)
    features = [one_hot(items_path[0])] if items_path else []
    name = metric.removesuffix(f"@{K}")
    function = {"ils": recmetrics.intra_list_similarity, "personalization": recmetrics.personalization}[name]
    values, seconds = [], []
    for chosen in draws(users, int(wanted), int(seed)):
        shown = lists[np.searchsorted(users, chosen)].tolist()
        start = time.perf_counter()
        values.append(float(function(shown, *features)))
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"values": {metric: mean(values)}, "seconds": {"call": median(seconds)}}))


if __name__ == "__main__":
    main()
