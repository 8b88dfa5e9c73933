"""Values of several systems side by side on Spark: each query in one group, and what is asked of a group answered where its rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwell.evaluation.distributed.answers import blobs, groups_for
from rankwell.evaluation.distributed.job import DONE, QUERY
from rankwell.evaluation.distributed.mapping import mapped
from rankwell.evaluation.distributed.packing import packed
from rankwell.tables.ids import Ids

SYSTEM = "system"
Answer = Callable[[Ids, Mapping[str, np.ndarray]], Any]


def can_stand_side_by_side(frames: Sequence[Any]) -> bool:
    """Whether DataFrames of values belong to one session and have ids of one kind."""
    sessions = {id(frame.sparkSession) for frame in frames}
    return len(sessions) == 1 and len({dict(frame.dtypes)[QUERY] for frame in frames}) == 1


def side_by_side(frames: Sequence[Any], columns: Sequence[str], rows: int, answer: Answer) -> Iterator[Any]:
    """Yield what a function answers for each group, given its queries, and an array per column: a row per frame, a column per query.

    NaN stands where a frame lacks a query. ``rows`` is about how many rows the frames have in all.
    """
    from pyspark.sql import functions as sql

    parts = [
        frame.select(
            sql.col(QUERY),
            sql.lit(tag).cast("int").alias(SYSTEM),
            *(sql.col(f"`{column}`").alias(f"value_{place}") for place, column in enumerate(columns)),
        )
        for tag, frame in enumerate(frames)
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionAll(part)
    groups = groups_for(frames[0].sparkSession, rows)
    job = Beside(len(frames), tuple(columns), answer)
    yield from blobs(mapped(whole.repartition(groups, QUERY), job, f"{DONE} binary"))


@dataclass(frozen=True)
class Beside:
    """What is done with the rows of a group of queries."""

    frames: int
    columns: Sequence[str]
    answer: Answer

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row with the answer for the rows of a group, in batches of Arrow; none for no rows."""
        import pyarrow as pa

        given = list(batches)
        if any(map(len, given)):
            blob = packed(self._answered(pa.Table.from_batches(given)))
            yield pa.RecordBatch.from_arrays([pa.array([blob], pa.binary())], names=[DONE])

    def _answered(self, table: Any) -> Any:
        import polars as pl

        rows: Any = pl.from_arrow(table)
        place = rows[QUERY].rank("dense").to_numpy().astype(np.int64) - 1
        system = rows[SYSTEM].to_numpy()
        values = {}
        for number, column in enumerate(self.columns):
            values[column] = np.full((self.frames, place.max() + 1), np.nan)
            values[column][system, place] = rows[f"value_{number}"].fill_null(float("nan")).to_numpy()
        queries = Ids.of_series(rows[QUERY].unique().sort(), QUERY, str)
        return self.answer(queries, values)
