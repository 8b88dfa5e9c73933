"""Contingency tables: retrieved against relevant items, per query and pooled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, brief
from rankwell.metrics.binary.counts import NumRel, NumRelRet, NumRet
from rankwell.metrics.metric import Metric

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.results import Results

CELLS = ("TP", "FP", "FN", "TN")


@dataclass(frozen=True, eq=False, repr=False)
class Contingency(Result):
    """TP, FP, FN and TN per query and pooled, with micro and macro precision, recall, F1 and accuracy.

    ``micro`` values come from the pooled cells, so queries with more items weigh more. ``macro`` values are means over
    the queries with a relevant item. If the size of the collection was not given, TN is null and there is no accuracy.
    """

    per_query: pl.DataFrame
    pooled: dict[str, int | None]
    micro: dict[str, float | None]
    macro: dict[str, float | None]

    def to_table(self, *, per_query: bool = False) -> Table:
        """Return a table of the pooled cells with micro and macro values; optionally with one row per query."""
        columns = [Column("query"), *(Column(cell, "count") for cell in CELLS)]
        columns += [Column(name, "value", better="higher") for name in self.micro]
        rows: list[list[Cell]] = []
        if per_query:
            for query, tp, fp, fn, tn in self.per_query.rows():
                own = _ratios(tp, fp, fn, tn) if tp + fn else dict.fromkeys(self.micro)
                rows.append([str(query), tp, fp, fn, tn, *own.values()])
        rows.append(["all, micro", *self.pooled.values(), *self.micro.values()])
        rows.append(["all, macro", None, None, None, None, *self.macro.values()])
        notes = [
            "TP relevant and retrieved, FP not relevant but retrieved, FN relevant but not retrieved, TN neither"
        ]
        if self.pooled["TN"] is None:
            notes.append(
                "TN and accuracy need the number of items that could be retrieved: collection= in Python, --items on the command line"
            )
        return Table(columns, rows, notes=notes)


def cells(k: int | None, rel: float | None) -> list[Metric]:
    """Return the metrics behind the table: hits, retrieved items and relevant items."""
    return [NumRelRet(k=k, rel=rel), NumRet(k=k), NumRel(rel=rel)]


def contingency_from(res: Results, collection: int | None) -> Contingency:
    """Return the contingency table, given results of the metrics in ``cells``."""
    import polars as pl

    frame = res.per_query
    hits, shown, relevant = (frame[str(metric)].to_numpy().astype(np.int64) for metric in res.metrics)
    left = None if collection is None else collection - shown - (relevant - hits)
    if left is not None and len(left) and left.min() < 0:
        query = frame["query"][int(np.argmin(left))]
        raise DataError(
            f"query {brief(query)} has more retrieved or relevant items than the collection ({collection:,}). Set collection= "
            f"to the number of all items that could be retrieved."
        )
    counts = {"TP": hits, "FP": shown - hits, "FN": relevant - hits}
    per_query = pl.DataFrame({"query": frame["query"], **counts, "TN": left})
    pooled: dict[str, int | None] = {name: int(column.sum()) for name, column in counts.items()}
    pooled["TN"] = None if left is None else int(left.sum())
    # without a relevant item, recall is undefined, and such queries would pull macro values towards 0
    some = [row[1:] for row in per_query.rows() if row[1] + row[3]]
    ratios = [_ratios(*row) for row in some]
    tp, fp, fn = (int(column.sum()) for column in counts.values())
    micro = _ratios(tp, fp, fn, pooled["TN"])
    macro = {name: float(np.mean([row[name] for row in ratios])) if ratios else None for name in micro}
    return Contingency(per_query, pooled, dict(micro), macro)


def _ratios(TP: int, FP: int, FN: int, TN: int | None) -> dict[str, float]:
    """Return precision, recall and F1, 0 if nothing was retrieved; and accuracy if TN is known."""
    ratios = {"P": TP / max(TP + FP, 1), "R": TP / max(TP + FN, 1), "F1": 2 * TP / max(2 * TP + FP + FN, 1)}
    return ratios if TN is None else ratios | {"accuracy": (TP + TN) / max(TP + FP + FN + TN, 1)}
