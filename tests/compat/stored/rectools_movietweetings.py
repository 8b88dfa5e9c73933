"""Print what RecTools computes for the bundled MovieTweetings lists: python rectools_movietweetings.py FOLDER.

Run in an environment of RecTools; its output is rectools_movietweetings.json.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

import pandas as pd
from rectools.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall, calc_metrics

METRICS = {"p": Precision, "r": Recall, "ap": MAP, "ndcg": NDCG, "rr": MRR, "hit": HitRate}


def main() -> None:
    folder = sys.argv[1]
    out = {
        "program": f"RecTools {version('rectools')}",
        "script": "tests/compat/stored/rectools_movietweetings.py",
    }
    values = {}
    truth = pd.read_parquet(f"{folder}/test.parquet")
    for rel in (0, 8):
        wanted = truth[truth["rating"] >= rel][["user_id", "item_id"]]
        for name in ("popular", "itemknn", "als", "random"):
            lists = pd.read_parquet(f"{folder}/{name}.parquet")[["user_id", "item_id", "rank"]]
            found = calc_metrics({key: metric(k=10) for key, metric in METRICS.items()}, lists, wanted)
            values[f"{name}, rel={rel}"] = {key: float(value) for key, value in found.items()}
    print(json.dumps({**out, "k": 10, "values": values}, indent=1))


if __name__ == "__main__":
    main()
