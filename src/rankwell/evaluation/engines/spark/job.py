"""The job on a cluster: one table of all rows, each tagged with the table that it comes from, the function that evaluates a group, and sums of
what groups answer, made where the answers are, so that few come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from rankwell.errors import brief
from rankwell.evaluation.engines.spark.tables import TABLE, with_users
from rankwell.evaluation.engines.spark.workers import (
    DONE,
    QUERY,
    RANGE,
    map_batches,
    of_blob,
    pack,
    pack_with_code,
    unpack,
)
from rankwell.evaluation.engines.stream.parts import PartOfTables
from rankwell.evaluation.engines.stream.tables import ids_in
from rankwell.evaluation.engines.stream.values import Done, KeptValues, PartDone
from rankwell.evaluation.engines.stream.work import Work
from rankwell.matching.batch import Everyone
from rankwell.metrics.metric import Metric
from rankwell.readers.frames.pieces import GAPPED, Piece, column_of, fill_gaps
from rankwell.records import record
from rankwell.tables.ids import Digest, Ids, Known
from rankwell.tables.states import Amounts, ByItem, Folded

USERS = "users"
Answer = Callable[[Work, PartOfTables], Any]
# States that count items are added up a range of items at a time, where the data are: what comes back does not grow with the catalogue.
WIDTH = 1 << 20  # items of a range; a smaller catalogue is one, and its states travel whole
MANY, FEW = 32, 8  # answers that come back one by one; sums that more are made into


class Where(NamedTuple):
    """Whose state it is: of all items or of those of a slice, of a metric, of all queries or of those of a segment."""

    part: str | None
    metric: Metric
    segment: int | None


Pieces = dict[tuple[Where, ...], ByItem]  # metrics of one cut-off share their state


def merge_answers(answered: Any, groups: int, ranges: int) -> Any:
    """Return the answers of groups, as some sums of them if there are many, and folded states by range of items if there are any."""
    answers = answered.filter(answered[DONE].isNotNull()).select(RANGE, DONE)
    if ranges:
        return map_batches(answers.repartition(ranges, RANGE), sum_batches, f"{DONE} binary")
    if groups <= MANY:
        return answers.select(DONE)
    return map_batches(answers.repartition(FEW), sum_batches, f"{DONE} binary")


def sum_batches(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sum of all answers in batches of Arrow, one taken after the other, and the folded states of ranges of items."""
    done, by_range = Done(KeptValues()), dict[int, Pieces]()
    for batch in batches:
        for number, answer in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            found = unpack(answer.as_py())
            if number is None:
                done.add(found)
            else:
                add(by_range.setdefault(number, {}), found)
    totals = [done.as_part()] if done.is_begun else []
    for total in (*totals, *([fold_ranges(by_range)] if by_range else [])):
        yield of_blob(total)


def add(sums: Pieces, more: Pieces) -> None:
    """Add the pieces of a group to the sums of their range, which nobody else holds."""
    for places, state in more.items():
        if places in sums:
            sums[places] += state
        else:
            sums[places] = state


def fold_ranges(sums: Mapping[int, Pieces]) -> dict[Where, Folded]:
    """Return the folded states of the items of some ranges, from the sums of each."""
    return join_ranges(map(_fold_range, sums.values()))


def _fold_range(sums: Pieces) -> dict[Where, Folded]:
    """The folded states of a range; not all groups need have shared their states in the same way."""
    whole: dict[Where, Any] = {}
    for places, state in sums.items():
        for where in places:
            whole[where] = whole[where] + state if where in whole else state
    return {where: state.folded() for where, state in whole.items()}


def join_ranges(parts: Iterable[Mapping[Where, Folded]]) -> dict[Where, Folded]:
    """Return the folded states of all items, from those of ranges."""
    joined: dict[Where, Folded] = {}
    for part in parts:
        for where, state in part.items():
            joined[where] = joined[where].beside(state) if where in joined else state
    return joined


def ranges_of(work: Work) -> int:
    """Return into how many ranges of items states are cut; 0 if they travel whole.

    Those of a jackknife do: they are taken from each other, item by item.
    """
    items = 0 if work.catalogue is None else len(work.catalogue)
    is_kept = work.segments is not None and work.segments.are_taken_apart
    return 0 if items <= WIDTH or is_kept else ceil(items / WIDTH)


def cut(done: PartDone, ranges: int) -> tuple[PartDone, list[Pieces]]:
    """Return what is done of a part without its states that count items, and the pieces of these, a dict for each range."""
    shared: dict[int, list[Where]] = {}
    states: dict[int, ByItem] = {}
    values = {}
    for name, part in done.values.items():
        whole = {Where(name, metric, None): state for metric, state in part.states.items()}
        split = {Where(name, *key): state for key, state in part.split.items()}
        for where, state in (whole | split).items():
            if isinstance(state, ByItem):
                # metrics of one cut-off share one object, which is cut and sent once
                shared.setdefault(id(state), []).append(where)
                states[id(state)] = state
        undivided = {where.metric: state for where, state in whole.items() if id(state) not in states}
        divided = {key: state for key, state in part.split.items() if id(state) not in states}
        values[name] = replace(part, states=undivided, split=divided)
    pieces: list[Pieces] = [{} for _ in range(ranges)]
    for key, state in states.items():
        ends = [state.size * nth // ranges for nth in range(ranges + 1)]
        for own, low, high in zip(pieces, ends, ends[1:], strict=False):
            own[tuple(shared[key])] = state.cut(low, high)
    return replace(done, values=values), pieces


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
