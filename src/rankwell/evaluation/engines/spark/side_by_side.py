"""Values of several systems side by side on Spark: each query in one group, and what is asked of a group answered where its rows are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.evaluation.engines.spark.tables import (
    CLUSTER,
    NOBODY,
    NOTHING,
    SEGMENT,
    WEIGHT,
    frame_of,
    refuse_other_kind,
)
from rankwell.evaluation.engines.spark.workers import DONE, QUERY, blobs, groups_for, map_batches, of_blob
from rankwell.evaluation.engines.stream.work import users_like
from rankwell.records import record
from rankwell.results.remote import Answer, RemoteValues
from rankwell.results.segments import Segments
from rankwell.statistics.paired_tests import Ranks, SizeCounts
from rankwell.tables.ids import Ids

SYSTEM = "system"
OF, BIN = "of", "bin"
SCHEMA = f"{OF} int, {BIN} bigint, value double, number bigint, more bigint"


@record(eq=False)
class SparkValues:
    """The values of each query of some results in a DataFrame of Spark: ``RemoteValues``, as Spark answers for them."""

    frame: Any

    @property
    def columns(self) -> Collection[str]:
        """The query and the metrics that have values."""
        columns: list[str] = self.frame.columns
        return columns

    def can_stand_beside(self, others: Sequence[RemoteValues]) -> bool:
        """Whether all belong to one session and have ids of one kind."""
        frames = _frames(self, others)
        sessions = {id(frame.sparkSession) for frame in frames}
        return len(sessions) == 1 and len({dict(frame.dtypes)[QUERY] for frame in frames}) == 1

    def refuse_other_ids(self, name: str, segments: Segments | None) -> None:
        """Raise DataError for queries that are no plain numbers where those of segments are integers."""
        refuse_other_kind({name: self.frame}, segments)

    def answers(
        self,
        others: Sequence[RemoteValues],
        columns: Sequence[str],
        rows: int,
        answer: Answer,
        segments: Segments | None,
    ) -> Iterator[Any]:
        """Yield what a function answers for each group of queries, as ``answered`` asks it."""
        yield from blobs(ask_groups(_frames(self, others), columns, rows, answer, segments))

    def signed_ranks(
        self,
        others: Sequence[RemoteValues],
        columns: Sequence[str],
        rows: int,
        counted: Answer,
        segments: Segments | None,
        *,
        few: Collection[int],
    ) -> Iterator[Mapping[tuple[int, int], Ranks | SizeCounts]]:
        """Yield the ranks of bins of differences, by the number of the set and the bin.

        ``counted`` answers for a group of queries with the counts of some sets of differences, by the number of the set. Of those
        that are ``few``, the counts themselves come back.
        """
        frames = _frames(self, others)
        counts = ask_groups(frames, columns, rows, counted, segments, batch=of_counts, schema=SCHEMA)
        groups = groups_for(self.frame.sparkSession, rows)
        ranking = Ranking(frozenset(few))
        yield from blobs(map_batches(counts.repartition(groups, OF, BIN), ranking, f"{DONE} binary"))


def _frames(values: SparkValues, others: Sequence[RemoteValues]) -> list[Any]:
    return [values.frame, *(other.frame for other in others)]


def ask_groups(
    frames: Sequence[Any],
    columns: Sequence[str],
    rows: int,
    answer: Answer,
    segments: Segments | None = None,
    *,
    batch: Callable[[Any], Any] = of_blob,
    schema: str = f"{DONE} binary",
) -> Any:
    """Return a DataFrame of what a function answers for each group of queries, which ``batch`` makes rows of.

    It is given the queries, an array per column (a row per frame, a column per query; NaN where a frame lacks a query), and the
    segments, weights and clusters of these queries; those of a cluster are in one group. ``rows`` is about how many rows the frames
    have in all.
    """
    from pyspark.sql import functions as sql

    session, kind = frames[0].sparkSession, dict(frames[0].dtypes)[QUERY]
    numbers = [f"value_{place}" for place in range(len(columns))]
    parts = [
        frame.select(
            sql.col(QUERY),
            sql.lit(tag).cast("int").alias(SYSTEM),
            *(sql.col(f"`{column}`").alias(name) for column, name in zip(columns, numbers, strict=True)),
        )
        for tag, frame in enumerate(frames)
    ]
    by = QUERY
    if segments is not None:
        like = Ids.of([""] if kind == "string" else [0])
        users = frame_of(session, users_like(segments.known.ids, like), segments)
        if segments.clusters is not None:
            by, whose = CLUSTER, users.select(QUERY, CLUSTER)
            parts = [part.join(whose, QUERY, "left") for part in parts]
        parts.append(users.withColumn(SYSTEM, sql.lit(len(frames)).cast("int")))
        # users travel as rows beside their queries; the job, which every group is sent, has none
        segments = segments.of_users(NOBODY, NOTHING, NOTHING, NOTHING)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part, allowMissingColumns=True)
    groups = groups_for(session, rows)
    job = GroupOfSystems(len(frames), tuple(columns), answer, batch, segments)
    return map_batches(whole.repartition(groups, by), job, schema)


@record
class GroupOfSystems:
    """What is done with the rows of a group of queries; ``segments`` know no users but those that are among the rows."""

    frames: int
    columns: Sequence[str]
    answer: Answer
    batch: Callable[[Any], Any]
    segments: Segments | None = None

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield a batch with the answer for the rows of a group, in batches of Arrow; none for no rows of values."""
        import polars as pl
        import pyarrow as pa

        tables = list(batches)
        if not any(map(len, tables)):
            return
        rows: Any = pl.from_arrow(pa.Table.from_batches(tables))
        users = rows.filter(pl.col(SYSTEM) == self.frames)
        rows = rows.filter(pl.col(SYSTEM) < self.frames)
        if len(rows):
            yield self.batch(self._answered(rows, users))

    def _answered(self, rows: Any, users: Any) -> Any:
        # the place of each query among the ids in order, which are those that the answer is given
        place = rows[QUERY].rank("dense").to_numpy().astype(np.int64) - 1
        system = rows[SYSTEM].to_numpy()
        values = {}
        for number, column in enumerate(self.columns):
            values[column] = np.full((self.frames, place.max() + 1), np.nan)
            values[column][system, place] = rows[f"value_{number}"].fill_null(float("nan")).to_numpy()
        segments = self.segments
        if segments is not None:
            segments = segments.of_users(
                Ids.of_series(users[QUERY], QUERY),
                _column(users, SEGMENT),
                _column(users, WEIGHT),
                _column(users, CLUSTER).view(np.uint64),
            )
        return self.answer(Ids.of_series(rows[QUERY].unique().sort(), QUERY), values, segments)


def _column(users: Any, name: str) -> np.ndarray:
    return users[name].to_numpy() if name in users.columns else NOTHING


def of_counts(counts: Mapping[int, SizeCounts]) -> Any:
    """Return a batch with the counts of sets of differences."""
    import pyarrow as pa

    sets = counts or {0: SizeCounts.of(np.empty(0))}
    whole = [np.concatenate(column) for column in zip(*sets.values(), strict=True)]
    numbers = np.repeat(np.array([*sets], np.int32), [len(own.value) for own in sets.values()])
    bins = np.concatenate([own.bins() for own in sets.values()])
    names = [OF, BIN, *SizeCounts._fields]
    return pa.RecordBatch.from_arrays([pa.array(column) for column in (numbers, bins, *whole)], names=names)


@record
class Ranking:
    """What is done with the counts of a group of bins."""

    few: frozenset[int]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield a batch with the ranks, or the counts, by number and bin."""
        import polars as pl
        import pyarrow as pa

        tables = list(batches)
        if not any(map(len, tables)):
            return
        rows: Any = pl.from_arrow(pa.Table.from_batches(tables))
        rows = rows.group_by(OF, BIN, "value").agg(pl.sum("number", "more")).sort("value")
        ranks = {}
        for (number, own), bin_rows in rows.partition_by(OF, BIN, as_dict=True, include_key=False).items():
            counts = SizeCounts(*(bin_rows[name].to_numpy() for name in SizeCounts._fields))
            ranks[number, own] = counts if number in self.few else Ranks.of(counts)
        yield of_blob(ranks)
