"""Results of Spark with the values of each query held here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    from rankwell.results.results import Results


def collected(res: Results) -> Results:
    """Return the same results with the values that Spark has; results that hold their values are returned as they are."""
    import polars as pl

    if res.spark_rows is None:
        return res
    frame = pl.from_arrow(res.spark_rows.toArrow())
    assert isinstance(frame, pl.DataFrame)
    names = {str(metric): metric for metric in res.metrics}
    values = {
        names[name]: frame[name].fill_null(float("nan")).to_numpy() for name in frame.columns if name in names
    }
    queries = Ids.of_series(frame["query"], "query") if len(frame) else Ids.of([])
    part = replace(res.part, queries=queries, pool_row=np.arange(len(frame)), values=values)
    return replace(res, part=part, spark_rows=None)
