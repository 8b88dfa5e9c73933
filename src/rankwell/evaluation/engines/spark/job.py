"""The job on a cluster: one table of all rows, each tagged with the table that it comes from, and the function that evaluates a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from rankwell.errors import brief
from rankwell.evaluation.engines.spark.sums import cut
from rankwell.evaluation.engines.spark.tables import TABLE, with_users
from rankwell.evaluation.engines.spark.workers import DONE, QUERY, RANGE, pack, pack_with_code, unpack
from rankwell.evaluation.engines.stream.parts import PartOfTables
from rankwell.evaluation.engines.stream.tables import ids_in
from rankwell.evaluation.engines.stream.work import Work
from rankwell.matching.context import Everyone
from rankwell.readers.frames.gaps import GAPPED, fill_gaps
from rankwell.readers.frames.pieces import Piece, column_of
from rankwell.records import record
from rankwell.tables.ids import Digest, Ids, Known
from rankwell.tables.states import Amounts

USERS = "users"
Answer = Callable[[Work, PartOfTables], Any]


@record
class GroupJob:
    """What is done with a group: the columns of each table by their words, and what is asked of the work on it.

    The tag of a table is its place in ``words``. ``values`` are the names of the columns of values that come back, none if only
    states do. States that count items are cut into ``ranges`` of items, 0 if they come back whole.
    """

    work: Work
    words: Mapping[str, Mapping[str, str]]
    answer: Answer
    values: Sequence[str] = ()
    ranges: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Pack what is sent to every group: a catalogue, and what is known of its items, take an eighth of the room."""
        return _job, (pack_with_code([getattr(self, member.name) for member in fields(self)]),)

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the answer for the rows of a group, in batches of Arrow: one row with it, and rows of values."""
        import pyarrow as pa

        rows = list(batches)
        if any(map(len, rows)):
            yield from self._answered(pa.Table.from_batches(rows)).to_batches()

    def _answered(self, table: Any) -> Any:
        import polars as pl
        import pyarrow as pa

        rows: Any = pl.from_arrow(table)
        answer, values = self.answer(*self._work_and_part(rows)), None
        if isinstance(answer, tuple):
            answer, values = answer
        pieces: Sequence[Any] = ()
        if self.ranges:
            answer, pieces = cut(answer, self.ranges)
        kind = rows.schema[QUERY]
        # states and values come back in one table, told apart by their empty columns: a job of Spark has one result
        heads = pl.DataFrame(
            {
                QUERY: [None] * (1 + len(pieces)),
                RANGE: [None, *range(len(pieces))],
                DONE: [pack(blob) for blob in (answer, *pieces)],
            },
            schema={QUERY: kind, RANGE: pl.Int32, DONE: pl.Binary},
        )
        frames = [heads] if values is None else [heads, values.cast({QUERY: kind})]
        whole = pl.concat(frames, how="diagonal").select(QUERY, *self.values, RANGE, DONE)
        return whole.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(
            pa.schema([
                (QUERY, pa.int64() if kind.is_integer() else pa.string()),
                *((name, pa.float64()) for name in self.values),
                (RANGE, pa.int32()),
                (DONE, pa.binary()),
            ])
        )  # fmt: skip

    def _work_and_part(self, rows: Any) -> tuple[Work, PartOfTables]:
        import polars as pl

        pieces: dict[str, Piece] = {}
        places = {}
        for tag, (name, words) in enumerate(self.words.items()):
            own = rows.filter(pl.col(TABLE) == tag)
            places[name] = partial(_place, name, own[QUERY])
            if not GAPPED.isdisjoint(words):
                own = fill_gaps(own, words, places[name], has_parts="part" in words)
            pieces[name] = {
                word: column_of(own[column], word, places[name], 0) for word, column in words.items()
            }
        users = pieces.pop(USERS, None)
        ids = None if users is None else ids_in(users)
        work = self.work if users is None else with_users(self.work, users)
        return work, PartOfTables(pieces, places, partial(_members, ids), None)


def _job(blob: bytes) -> GroupJob:
    return GroupJob(*unpack(blob))


def _place(name: str, queries: Any, row: int) -> str:
    return name if queries[row] is None else f"{name}, query {brief(queries[row])}"


def _members(own: Ids | None, ids: Ids) -> Ids:
    """Those of all users that are in the group."""
    return ids[:0] if own is None else own[own.order()]


def evaluate_part(work: Work, part: PartOfTables) -> Any:
    """Return what is done of a part, without what grows with the queries, and the values of its queries if they are wanted."""
    import polars as pl

    done = work.evaluated(part)
    metrics = work.inputs.metrics
    values = None
    if work.keeps_values:
        own = done.values[None]
        rows = own.concerned()
        query = own.queries[rows]
        columns = [pl.Series(QUERY, query.tolist() if query.is_text else query.integers)]
        columns += [
            pl.Series(str(metric), np.asarray(column[rows]), nan_to_null=True)
            for metric, column in own.values.items()
        ]
        values = pl.DataFrame(columns)
    folded = {name: part_of_slice.folded(metrics) for name, part_of_slice in done.values.items()}
    return replace(done, values=folded), values


def count_users(work: Work, part: PartOfTables) -> Any:
    """Return what the training users of a part share, and what the rules touched."""
    own, counts = work.everyone(part)
    return [(None if own is None else SomeUsers.of(own), counts)]


def sum_grades(work: Work, part: PartOfTables) -> Any:
    """Return the sums of the grades of each item, over the judgements of a part."""
    return SomeAmounts.of(work.grades(part))


@record(eq=False)
class SomeAmounts:
    """Amounts of some items; the others have none."""

    rows: np.ndarray
    amounts: Amounts
    size: int

    @classmethod
    def of(cls, amounts: Amounts) -> SomeAmounts:
        """Return the amounts that are not 0."""
        rows = np.flatnonzero((amounts.upper != 0) | (amounts.lower != 0))
        return cls(rows, Amounts(amounts.upper[rows], amounts.lower[rows]), len(amounts.upper))

    def whole(self) -> Amounts:
        """Return the amounts of all items."""
        return Amounts(
            *(spread(self.rows, amounts, self.size) for amounts in (self.amounts.upper, self.amounts.lower))
        )


@record(eq=False)
class SomeUsers:
    """What the training data of a group tell: the users of the items in ``rows``; the other items have none."""

    rows: np.ndarray
    counts: np.ndarray
    users: int
    total: int
    digest: Digest
    grades: SomeAmounts

    @classmethod
    def of(cls, everyone: Everyone) -> SomeUsers:
        """Return what is known of the items that anybody has."""
        rows = np.flatnonzero(everyone.counts)
        grades = SomeAmounts.of(everyone.grades)
        return cls(rows, everyone.counts[rows], everyone.users, everyone.total, everyone.digest, grades)

    def whole(self, catalogue: Known) -> Everyone:
        """Return what is known of all items."""
        counts = spread(self.rows, self.counts, len(catalogue))
        return Everyone(catalogue, counts, self.users, self.total, self.digest, self.grades.whole())


def spread(rows: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Return a column of so many rows with values in some, and 0 in the others."""
    column = np.zeros(size, values.dtype)
    column[rows] = values
    return column
