"""Results of Spark with the values of each query held here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankwell.tables.arguments import plain
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    from rankwell.results.results import Results


def collected(self: Results) -> Results:
    """Return the same results with the values of each query held here, which those of Spark are not before (``spark_rows``)."""
    if self.spark_rows is None:
        return self
    kept = vars(self)
    if "_collected" not in kept:  # once for all that ask
        kept["_collected"] = _collected(self)
    found: Results = kept["_collected"]
    return found


def _collected(res: Results) -> Results:
    import polars as pl

    frame = pl.from_arrow(res.spark_rows.toArrow())
    assert isinstance(frame, pl.DataFrame)
    names = {str(metric): metric for metric in res.metrics}
    values = {
        names[name]: frame[name].fill_null(float("nan")).to_numpy() for name in frame.columns if name in names
    }
    queries = Ids.of_series(frame["query"], "query") if len(frame) else Ids.of([])
    part = replace(res.part, queries=queries, pool_row=np.arange(len(frame)), values=values)
    return replace(res, part=part, spark_rows=None)


def shown(res: Results, per_query: object) -> Results:
    """Return results to be shown, with the values of each query if these are wanted; UsageError unless ``per_query`` is true or false."""
    return res.collected() if plain("per_query", per_query, bool) else res
