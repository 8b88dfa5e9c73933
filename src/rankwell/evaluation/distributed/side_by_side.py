"""Values of several systems side by side on Spark: each query in one group, and what is asked of a group answered where its rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwell.evaluation.distributed.answers import blobs, groups_for
from rankwell.evaluation.distributed.job import DONE, QUERY
from rankwell.evaluation.distributed.mapping import mapped
from rankwell.evaluation.distributed.of_users import NOBODY, NOTHING, SEGMENT, frame_of
from rankwell.evaluation.distributed.packing import packed
from rankwell.evaluation.streaming.work import users_like
from rankwell.results.segments import Segments
from rankwell.tables.ids import Ids

SYSTEM = "system"
Answer = Callable[[Ids, Mapping[str, np.ndarray], Segments | None], Any]


def can_stand_side_by_side(frames: Sequence[Any]) -> bool:
    """Whether DataFrames of values belong to one session and have ids of one kind."""
    sessions = {id(frame.sparkSession) for frame in frames}
    return len(sessions) == 1 and len({dict(frame.dtypes)[QUERY] for frame in frames}) == 1


def side_by_side(
    frames: Sequence[Any], columns: Sequence[str], rows: int, answer: Answer, segments: Segments | None = None
) -> Iterator[Any]:
    """Yield what a function answers for each group of queries.

    It is given the queries, an array per column (a row per frame, a column per query; NaN where a frame lacks a query), and the
    segments of these queries. ``rows`` is about how many rows the frames have in all.
    """
    from pyspark.sql import functions as sql

    session, kind = frames[0].sparkSession, dict(frames[0].dtypes)[QUERY]
    nothing = sql.lit(None).cast("double")
    parts = [
        frame.select(
            sql.col(QUERY),
            sql.lit(tag).cast("int").alias(SYSTEM),
            nothing.alias(SEGMENT),
            *(sql.col(f"`{column}`").alias(f"value_{place}") for place, column in enumerate(columns)),
        )
        for tag, frame in enumerate(frames)
    ]
    if segments is not None:
        like = Ids.of([""] if kind == "string" else [0])
        users = frame_of(session, users_like(segments.known.ids, like), segments)
        parts.append(
            users.select(
                sql.col(QUERY),
                sql.lit(len(frames)).cast("int").alias(SYSTEM),
                sql.col(SEGMENT).cast("double").alias(SEGMENT),
                *(nothing.alias(f"value_{place}") for place in range(len(columns))),
            )
        )
        segments = segments.of_users(NOBODY, NOTHING, NOTHING)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionAll(part)
    groups = groups_for(session, rows)
    job = Beside(len(frames), tuple(columns), answer, segments)
    yield from blobs(mapped(whole.repartition(groups, QUERY), job, f"{DONE} binary"))


@dataclass(frozen=True)
class Beside:
    """What is done with the rows of a group of queries; ``segments`` know no users but those that are among the rows."""

    frames: int
    columns: Sequence[str]
    answer: Answer
    segments: Segments | None = None

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row with the answer for the rows of a group, in batches of Arrow; none for no rows of values."""
        import polars as pl
        import pyarrow as pa

        given = list(batches)
        if not any(map(len, given)):
            return
        rows: Any = pl.from_arrow(pa.Table.from_batches(given))
        users = rows.filter(pl.col(SYSTEM) == self.frames)
        rows = rows.filter(pl.col(SYSTEM) < self.frames)
        if len(rows):
            blob = packed(self._answered(rows, users))
            yield pa.RecordBatch.from_arrays([pa.array([blob], pa.binary())], names=[DONE])

    def _answered(self, rows: Any, users: Any) -> Any:
        place = rows[QUERY].rank("dense").to_numpy().astype(np.int64) - 1
        system = rows[SYSTEM].to_numpy()
        values = {}
        for number, column in enumerate(self.columns):
            values[column] = np.full((self.frames, place.max() + 1), np.nan)
            values[column][system, place] = rows[f"value_{number}"].fill_null(float("nan")).to_numpy()
        segments = self.segments
        if segments is not None:
            segments = segments.of_users(
                Ids.of_series(users[QUERY], QUERY), users[SEGMENT].to_numpy(), NOTHING
            )
        return self.answer(Ids.of_series(rows[QUERY].unique().sort(), QUERY), values, segments)
