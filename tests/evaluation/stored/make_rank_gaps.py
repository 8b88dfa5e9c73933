"""Write rank_gaps.json: what RecTools says of lists whose ranks have gaps.

python -m venv rectools-env && rectools-env/bin/pip install rectools
rectools-env/bin/python tests/evaluation/stored/make_rank_gaps.py
"""

from __future__ import annotations

import importlib.metadata
import json
import random
from pathlib import Path

import pandas as pd
from rectools import metrics as rt

METRICS = {
    "p@1": rt.Precision(k=1),
    "p@3": rt.Precision(k=3),
    "r@1": rt.Recall(k=1),
    "r@5": rt.Recall(k=5),
    "hit@1": rt.HitRate(k=1),
    "hit@3": rt.HitRate(k=3),
    "rr@5": rt.MRR(k=5),
    "ap@3": rt.MAP(k=3),
    "ap@5": rt.MAP(k=5),
    "ndcg@3": rt.NDCG(k=3),
    "ndcg@5": rt.NDCG(k=5),
    "f@3": rt.F1Beta(k=3),
}


def case(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lists of two to five items at ranks from 1 to 9, and what users took."""
    rng = random.Random(seed)
    lists, taken = [], []
    for user in range(1, 6):
        ranks = sorted(rng.sample(range(1, 10), rng.randint(2, 5)))
        items = rng.sample(range(10, 22), len(ranks))
        lists += [(user, item, rank) for item, rank in zip(items, ranks, strict=True)]
        taken += [(user, item) for item in rng.sample(range(10, 22), rng.randint(2, 6))]
    columns = ["user_id", "item_id", "rank"]
    return pd.DataFrame(lists, columns=columns), pd.DataFrame(taken, columns=columns[:2])


def main() -> None:
    """Write the lists and the values."""
    cases = []
    for seed in range(20):
        run, taken = case(seed)
        values = {text: float(metric.calc(run, taken)) for text, metric in METRICS.items()}
        cases.append({"run": run.to_dict("list"), "taken": taken.to_dict("list"), "values": values})
    found = {"rectools": importlib.metadata.version("rectools"), "cases": cases}
    Path(__file__).with_name("rank_gaps.json").write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
