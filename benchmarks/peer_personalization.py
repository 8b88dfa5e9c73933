"""Personalization of the first users of REC by recmetrics: REC FEW MORE. Runs in the environment of recmetrics.

Also by all pairs of the first FEW lists in plain Python.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import combinations

import pandas as pd
from recmetrics import personalization

K = 10


def all_pairs(lists: list[list[int]]) -> float:
    """One minus the mean over pairs of lists of the share of items that both have."""
    sets = [frozenset(items) for items in lists]
    shared = sum(len(one & other) for one, other in combinations(sets, 2))
    return 1 - shared / K / (len(sets) * (len(sets) - 1) / 2)


def main() -> None:
    rec_path, few, more = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rec = pd.read_parquet(rec_path, columns=["user_id", "item_id", "rank"], filters=[("user_id", "<", more)])
    first = rec[rec["rank"] <= K].sort_values(["user_id", "rank"])
    lists = first["item_id"].to_numpy().reshape(-1, K).tolist()
    values, seconds = {}, {}
    for users in (few, more):
        start = time.perf_counter()
        values[f"{users} users"] = float(personalization(lists[:users]))
        seconds[str(users)] = time.perf_counter() - start
    start = time.perf_counter()
    values[f"{few} users, all pairs"] = all_pairs(lists[:few])
    seconds[f"all pairs, {few}"] = time.perf_counter() - start
    print(json.dumps({"values": values, "seconds": seconds}))


if __name__ == "__main__":
    main()
