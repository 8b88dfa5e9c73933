"""The five metrics beyond accuracy in other ways, for their values: REC ITEMS TRAIN. Runs in the environment of rectools.

Coverage and novelty are RecTools'. What it has not, or cannot in the memory there is, is computed here from the
definitions: all 45 pairs of each list; the Lorenz curve; how many lists share each item.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pandas as pd
from rectools.metrics import CatalogCoverage, MeanInvUserFreq, calc_metrics

K = 10
BLOCK = 20_000  # lists at a time


def similarity_in_lists(shown: np.ndarray, features: np.ndarray) -> float:
    """The mean over lists of the mean cosine of two of their items."""
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    above = np.triu_indices(K, k=1)
    total = 0.0
    for at in range(0, len(shown), BLOCK):
        vectors = unit[shown[at : at + BLOCK]]
        total += float(np.matmul(vectors, vectors.transpose(0, 2, 1))[:, *above].mean(axis=1).sum())
    return total / len(shown)


def area_of_inequality(counts: np.ndarray) -> float:
    """One minus twice the area under the Lorenz curve."""
    curve = np.concatenate([[0.0], np.cumsum(np.sort(counts)) / counts.sum()])
    return 1 - float((curve[1:] + curve[:-1]).sum()) / len(counts)


def main() -> None:
    rec_path, items_path, train_path = sys.argv[1:]
    rec = pd.read_parquet(rec_path, columns=["user_id", "item_id", "rank"])
    items = pd.read_parquet(items_path)
    train = pd.read_parquet(train_path).rename(columns={"query": "user_id", "item": "item_id"})
    start = time.perf_counter()
    metrics = {"coverage@10": CatalogCoverage(k=K, normalize=True), "msi@10": MeanInvUserFreq(k=K)}
    values = calc_metrics(metrics, reco=rec, prev_interactions=train, catalog=items["item"].to_numpy())
    theirs = time.perf_counter()
    flat = items.explode("topics")
    features = pd.crosstab(flat["item"], flat["topics"]).reindex(items["item"]).to_numpy(float)
    first = rec[rec["rank"] <= K].sort_values(["user_id", "rank"])["item_id"].to_numpy()
    # items are numbered from 0, as the workload makes them
    shown, counts = first.reshape(-1, K), np.bincount(first, minlength=len(items)).astype(float)
    n = len(shown)
    # the item counts c hold each pair of lists c(c-1)/2 times; all lists have K items, so cosine is shared/K
    alike = (counts * (counts - 1)).sum() / K / (n * (n - 1))
    values |= {
        "personalization@10": 1 - alike,
        "gini@10": area_of_inequality(counts),
        "ils@10": similarity_in_lists(shown, features),
    }
    plain = time.perf_counter()
    seconds = {"rectools": theirs - start, "numpy": plain - theirs}
    print(json.dumps({"values": {name: float(value) for name, value in values.items()}, "seconds": seconds}))


if __name__ == "__main__":
    main()
