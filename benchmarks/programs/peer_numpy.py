"""Five means of top-10 lists in twenty lines of NumPy, for which Polars reads the files: TRUTH REC. Rows in any order; nothing is checked."""

from __future__ import annotations

import numpy as np
import polars as pl
from table_peers import IDEAL, main


def columns(path: str, *names: str) -> list[np.ndarray]:
    return [column.to_numpy() for column in pl.read_parquet(path, columns=list(names))]


def measure(truth: str, rec: str) -> list[float]:
    judged_user, judged_item = columns(truth, "user_id", "item_id")
    user, item, rank = columns(rec, "user_id", "item_id", "rank")
    items = 1 + max(judged_item.max(), item.max())
    judged = np.sort(judged_user * items + judged_item)
    rows = np.flatnonzero(rank <= 10)
    wanted = user[rows] * items + item[rows]
    place = np.minimum(np.searchsorted(judged, wanted), len(judged) - 1)
    rows = rows[judged[place] == wanted]
    user, rank = np.divmod(np.sort(user[rows] * 11 + rank[rows]), 11)  # by user, and the best rank first
    heads = np.flatnonzero(np.diff(user, prepend=-1))
    place = 1 + np.arange(len(user)) - np.repeat(heads, np.diff(heads, append=len(user)))
    relevant = np.bincount(judged_user)
    users, n = np.flatnonzero(relevant), len(relevant)
    relevant = relevant[users]
    precisions, gain, found, first = (
        np.bincount(user, weights, n)[users]
        for weights in (place / rank, 1 / np.log2(rank + 1), None, (place == 1) / rank)
    )
    ideal = np.array(IDEAL)[np.minimum(relevant, 10)]
    return [
        values.mean() for values in (precisions / relevant, gain / ideal, found / 10, found / relevant, first)
    ]


main(measure)
