"""The job on a cluster: one table of all rows, each tagged with the table that it comes from, and the function that evaluates a group."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rankwell.errors import brief
from rankwell.evaluation.streaming.joined import ids_in
from rankwell.evaluation.streaming.parts import PartOfTables
from rankwell.evaluation.streaming.work import Work
from rankwell.readers.frame_columns import column_of
from rankwell.readers.pieces import Piece
from rankwell.tables.ids import Ids

TABLE, USERS = "rankwell_table", "users"
DONE, QUERY = "rankwell_done", "query"
Answer = Callable[[Work, PartOfTables], Any]


@dataclass(frozen=True)
class Job:
    """What is done with a group: the columns of each table by their words, and what is asked of the work on it.

    The tag of a table is its place in ``words``. ``values`` are the names of the columns of values that come back, none if only
    states do.
    """

    work: Work
    words: Mapping[str, Mapping[str, str]]
    answer: Answer
    values: Sequence[str] = ()

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the answer for the rows of a group, in batches of Arrow: one row with it, and rows of values."""
        import pyarrow as pa

        given = list(batches)
        if any(map(len, given)):
            yield from self._answered(pa.Table.from_batches(given)).to_batches()

    def _answered(self, table: Any) -> Any:
        import polars as pl
        import pyarrow as pa

        rows: Any = pl.from_arrow(table)
        found, values = self.answer(self.work, self._part(rows)), None
        if isinstance(found, tuple):
            found, values = found
        blob = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
        kind = rows.schema[QUERY]
        head = pl.DataFrame(
            {QUERY: [None], **{name: [None] for name in self.values}, DONE: [blob]},
            schema={QUERY: kind, **dict.fromkeys(self.values, pl.Float64), DONE: pl.Binary},
        )
        if values is not None:
            head = pl.concat(
                [head, values.with_columns(pl.lit(None, pl.Binary).alias(DONE)).cast({QUERY: kind})]
            )
        return head.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(
            pa.schema([
                (QUERY, pa.int64() if kind.is_integer() else pa.string()),
                *((name, pa.float64()) for name in self.values),
                (DONE, pa.binary()),
            ])
        )  # fmt: skip

    def _part(self, rows: Any) -> PartOfTables:
        import polars as pl

        pieces: dict[str, Piece] = {}
        places = {}
        for tag, (name, words) in enumerate(self.words.items()):
            own = rows.filter(pl.col(TABLE) == tag)
            places[name] = partial(_place, name, own[QUERY])
            pieces[name] = {
                word: column_of(own[column], word, places[name], 0) for word, column in words.items()
            }
        users = pieces.pop(USERS, None)
        ids = None if users is None else ids_in(users)
        return PartOfTables(pieces, places, partial(_members, ids), None)


def _place(name: str, queries: Any, row: int) -> str:
    return f"{name}, query {brief(queries[row])}"


def _members(own: Ids | None, ids: Ids) -> Ids:
    """Those of all users that are in the group."""
    return ids[:0] if own is None else own[own.order()]


def evaluated(work: Work, part: PartOfTables) -> Any:
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
            pl.Series(str(metric), np.asarray(each[rows]), nan_to_null=True)
            for metric, each in own.values.items()
        ]
        values = pl.DataFrame(columns)
    return replace(done, values={name: each.folded(metrics) for name, each in done.values.items()}), values


def everyone(work: Work, part: PartOfTables) -> Any:
    """Return what the training users of a part share, and what the rules touched."""
    return [work.everyone(part)]


def grades(work: Work, part: PartOfTables) -> Any:
    """Return the sums of the grades of each item, over the judgements of a part."""
    return work.grades(part)
