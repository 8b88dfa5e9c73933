"""Splits, cores and caps of MovieTweetings by other libraries, stored in splits.json: python tests/prepare/stored/splits.py

Needs rectools and replay-rec in the environment, and the ratings unpacked: python tests/evidence.py movietweetings-100k
"""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from rectools.dataset import Interactions
from rectools.metrics.debias import DebiasConfig, debias_interactions
from rectools.model_selection import LastNSplitter, TimeRangeSplitter
from replay.preprocessing.filters import InteractionEntriesFilter

HERE = Path(__file__).resolve()
FOLDER = HERE.parents[3] / "build" / "evidence" / "movietweetings-100k"
NAMES = ["user_id", "item_id", "weight", "datetime"]
ALL = {"filter_cold_users": False, "filter_cold_items": False, "filter_already_seen": False}


def rows_of(frame: pd.DataFrame) -> dict[str, object]:
    """The size of a table and a checksum of its pairs."""
    pairs = sorted(f"{user} {item}" for user, item in zip(frame["user_id"], frame["item_id"], strict=True))
    return {"rows": len(pairs), "sha256": hashlib.sha256("\n".join(pairs).encode()).hexdigest()}


def main() -> None:
    log = pd.read_csv(FOLDER / "ratings.dat", sep="::", engine="python", names=NAMES, dtype={"item_id": str})
    log["datetime"] = pd.to_datetime(log["datetime"], unit="s")
    interactions = Interactions(log.assign(item_id=log["item_id"].astype(int)))
    found: dict[str, object] = {"script": "tests/prepare/stored/splits.py"}
    found |= {name: version(name) for name in ("rectools", "replay-rec")}
    for name, splitter in (
        ("LastNSplitter(1)", LastNSplitter(1, **ALL)),
        ("LastNSplitter(3)", LastNSplitter(3, **ALL)),
        ("TimeRangeSplitter(7D)", TimeRangeSplitter("7D", **ALL)),
    ):
        ((train, test, _),) = splitter.split(interactions)
        found[name] = {"train": rows_of(log.iloc[train]), "test": rows_of(log.iloc[test])}
    limits = {"min_inter_per_user": 5, "min_inter_per_item": 5}
    core = InteractionEntriesFilter(query_column="user_id", item_column="item_id", **limits)
    found["InteractionEntriesFilter(5, 5)"] = rows_of(core.transform(log[["user_id", "item_id"]]))
    train = pd.read_csv(FOLDER / "split" / "train.csv", dtype=str)
    counts = debias_interactions(train, DebiasConfig(iqr_coef=1.5, random_state=1))["item_id"].value_counts()
    before = train["item_id"].value_counts()
    found["DebiasConfig(1.5)"] = {
        "rows": int(counts.sum()),
        "highest": int(counts.max()),
        "items above": int((before > counts.max()).sum()),
    }
    HERE.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
