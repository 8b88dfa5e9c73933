"""Contingency tables: retrieved against relevant items, per query and pooled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, brief
from rankwell.metrics.binary.counts import NumRel, NumRelRet, NumRet
from rankwell.metrics.metric import Metric

if TYPE_CHECKING:
    import polars as pl

    from rankwell.results.results import Results

CELLS = ("TP", "FP", "FN", "TN")


@dataclass(frozen=True, eq=False, repr=False)
class Contingency:
    """TP, FP, FN and TN per query and pooled, with micro and macro precision, recall and F1.

    ``micro`` values come from the pooled cells, so queries with more items weigh more. ``macro`` values are means over
    the queries with a relevant item. TN is null if the size of the collection was not given.
    """

    per_query: pl.DataFrame
    pooled: dict[str, int | None]
    micro: dict[str, float | None]
    macro: dict[str, float | None]

    def to_table(self, *, per_query: bool = False) -> Table:
        """Return a table of the pooled cells with micro and macro P, R and F1; optionally with one row per query."""
        columns = [Column("query"), *(Column(cell, "count") for cell in CELLS)]
        columns += [Column(name, "value", better="higher") for name in ("P", "R", "F1")]
        rows: list[list[Cell]] = []
        if per_query:
            for query, tp, fp, fn, tn in self.per_query.rows():
                own = _ratios(tp, fp, fn) if tp + fn else (None, None, None)
                rows.append([str(query), tp, fp, fn, tn, *own])
        rows.append(["all, micro", *self.pooled.values(), *self.micro.values()])
        rows.append(["all, macro", None, None, None, None, *self.macro.values()])
        notes = [
            "TP relevant and retrieved, FP not relevant but retrieved, FN relevant but not retrieved, TN neither"
        ]
        return Table(columns, rows, notes=notes)

    def __repr__(self) -> str:
        return self.to_table().to_text()

    def _repr_html_(self) -> str:
        return self.to_table().to_html()


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
    some = relevant > 0
    ratios = zip(
        counts["TP"][some].tolist(), counts["FP"][some].tolist(), counts["FN"][some].tolist(), strict=True
    )
    each = [_ratios(*row) for row in ratios]
    means = np.mean([list(map(float, row)) for row in each], axis=0).tolist() if each else [None] * 3
    found = _ratios(*(pooled[name] or 0 for name in ("TP", "FP", "FN")))
    names = ("P", "R", "F1")
    return Contingency(
        per_query, pooled, dict(zip(names, found, strict=True)), dict(zip(names, means, strict=True))
    )


def _ratios(tp: int, fp: int, fn: int) -> tuple[float, float, float]:
    """Return precision, recall and F1; 0 if nothing was retrieved."""
    return tp / max(tp + fp, 1), tp / max(tp + fn, 1), 2 * tp / max(2 * tp + fp + fn, 1)
