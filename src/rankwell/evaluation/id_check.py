"""Check of ids after an evaluation: whether judged items that no list holds would be found after one change of all ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataError, brief
from rankwell.evaluation.task import Task
from rankwell.matching.groups import find_separator
from rankwell.matching.mismatch import MOST_TRIED, IdSource, Mismatch, find_mismatch, find_swapped_columns
from rankwell.matching.pool import ENOUGH
from rankwell.readers.formats.trec import StreamedRows
from rankwell.readers.frames.pieces import InPieces
from rankwell.readers.registry import ExplainedRows
from rankwell.records import record
from rankwell.results import Results
from rankwell.tables.ids import Ids, Known, own_text
from rankwell.tables.lists import distinct, owners
from rankwell.tables.rows import Columns, Lists
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.readers.frames.pieces import Pieces

FEW, BATCH, MANY = 5_000, 200_000, 1_000_000  # rows of a run that are looked at: first, at a time, and then


def check_ids(results: Results, tables: TablesInMemory | TablesInPieces, *, with_queries: bool) -> Results:
    """Return results that say which change of the ids would let more judged items be found, or of the queries, if enough are missing.

    DataError if it explains at least half of the judged ones, and at least ten.
    """
    # the first lists suffice to see that all is well, as it mostly is; where it may not be, more are looked at before it is said
    has_none = not results.counts.get("judged items found")
    sides = tables.sides(MANY if has_none else FEW)
    change = sides.in_items()
    if has_none:
        change = change or sides.swapped()
        if change is None:
            return _of_passages(results, sides)
    elif change is not None and change.is_notable:
        change = tables.sides(MANY).in_items()
    if not has_none and (change is None or not change.is_notable):
        change = find_mismatch("query", *tables.all_queries(), MOST_TRIED) if with_queries else None
    if change is None or not (has_none or change.is_notable):
        return results
    name, text = results.name, change.text()
    if has_none:
        what = Composed("{name}: no judged item is in any list; {found}.", name=name, found=text)
    elif change.word == "item":
        what = Composed("{name}: of judged items that are in no list, {found}.", name=name, found=text)
    else:
        what = Composed("{name}: of judged queries that are not in the run, {found}.", name=name, found=text)
    notice = Composed(
        "{what} To make the ids alike: {remedy}", what=what, remedy=change.remedy(*tables.tables)
    )
    if change.is_certain:
        raise DataError(notice)
    return replace(results, notice=notice)


def _of_passages(results: Results, sides: SampledSides) -> Results:
    """Return results that say that the judged ids are those of documents, and the run has passages; DataError if it is certain."""
    items, judged = sides.item.distinct(), sides.judged_item.distinct()
    found = find_separator(items, judged)
    if found is None:
        return results
    separator, matched = found
    notice = Composed(
        "{name}: no judged item is in any list; {n} of {of} judged ids are what ids of the run say before {sign}: {ours} here, {theirs} "
        "there. To judge documents by their first passage: set group={group}",
        name=results.name, n=matched, of=len(judged), sign=brief(separator), ours=brief(items.one(0)), theirs=brief(judged.one(0)),
        group=brief(separator),
    )  # fmt: skip
    if matched >= ENOUGH:
        raise DataError(notice)
    return replace(results, notice=notice)


def explain_no_match(tables: TablesInMemory | TablesInPieces) -> tuple[Mismatch, str] | None:
    """Return why no query of a run is judged, and the remedy; None if it is not known."""
    sides = tables.sides(MANY)
    difference = sides.in_queries() or sides.swapped()
    return None if difference is None else (difference, difference.remedy(*tables.tables))


@record(eq=False)
class SampledSides:
    """The first lists of a run and the judgements of their queries: the query and the item of each row."""

    query: Ids
    item: Ids
    judged_query: Ids
    judged_item: Ids

    def in_items(self) -> Mismatch | None:
        """Return the change with which judged items would be in a list."""
        return find_mismatch("item", self.item.distinct(), self.judged_item.distinct(), MOST_TRIED)

    def in_queries(self) -> Mismatch | None:
        """Return the change with which judged queries would be in the run."""
        return find_mismatch("query", self.query.distinct(), self.judged_query.distinct(), MOST_TRIED)

    def swapped(self) -> Mismatch | None:
        """Return the mismatch of swapped columns."""
        return find_swapped_columns(self.query, self.item, self.judged_query, self.judged_item)


class TablesInMemory:
    """A run and judgements in memory."""

    def __init__(self, run: Run, task: Task) -> None:
        judgements = IdSource("the judgements") if task.origin is None else IdSource.from_origin(*task.origin)
        self.run, self.pool, self.tables = run, task.pool, (IdSource.of(run), judgements)

    def sides(self, rows: int) -> SampledSides:
        """Return the first rows, and the judgements of their queries; all of them if there are none."""
        query, item = self._first(rows)
        owner, judged = self._judged(query.distinct())
        return SampledSides(query, item, self.pool.queries.ids[owner], self.pool.items[judged])

    def all_queries(self) -> tuple[Ids, Ids]:
        """Return the different queries of the first rows, and all judged ones."""
        return self._first(MANY)[0].distinct(), self.pool.queries.ids

    def _first(self, rows: int) -> tuple[Ids, Ids]:
        """The query and the item of each of the first rows, read without looking at the others where that is possible."""
        source = self.run.rows
        inner = source.rows if isinstance(source, ExplainedRows) else source
        if isinstance(inner, StreamedRows):
            lists = inner.first(rows)
            return lists.queries[owners(lists.offsets)], own_text(lists.items)
        if isinstance(inner, Columns) and inner.is_scattered:
            return inner.query[:rows], inner.item[:rows]
        if isinstance(inner, InPieces):
            return _first_rows(inner.in_pieces(self.run.name), rows)
        heads = self._heads(rows)
        query = Ids.concatenate([lists.queries[owners(lists.offsets[: n + 1])] for lists, n, _ in heads])
        return query, Ids.concatenate([lists.items[:end] for lists, _, end in heads])

    def _heads(self, rows: int) -> list[tuple[Lists, int, int]]:
        """Batches of lists, and how many lists and rows of each are looked at."""
        heads, remaining = [], rows
        for make in self.run.rows.batches(min(rows, BATCH)):
            lists = make()
            n = len(lists.queries)
            if lists.rows > remaining:
                n = max(int(np.searchsorted(lists.offsets, remaining, side="right")) - 1, 1)
            heads.append((lists, n, int(lists.offsets[n])))
            remaining -= lists.rows
            if remaining <= 0:
                break
        return heads

    def _judged(self, queries: Ids) -> tuple[np.ndarray, np.ndarray]:
        """The query and the row of each judgement of some queries, or of all if none of these is judged."""
        seen, offsets = np.empty(0, np.int64), self.pool.offsets
        if queries.is_text == self.pool.queries.ids.is_text:
            seen = self.pool.queries.find(queries)
            seen = distinct(seen[seen >= 0])
        if not len(seen):
            return owners(offsets), np.arange(offsets[-1])
        lengths = offsets[seen + 1] - offsets[seen]
        # the rows of each query run on from its offset: a running number, less where the query's own rows begin in it
        owner = np.repeat(np.arange(len(seen)), lengths)
        rows = np.arange(len(owner)) + (offsets[seen] - np.cumsum(lengths) + lengths)[owner]
        return seen[owner], rows


class TablesInPieces:
    """A run and judgements that are read in pieces."""

    def __init__(self, tables: Mapping[str, Pieces], run: Run) -> None:
        self.pieces, self.tables = tables, (IdSource.of(run), IdSource(tables["qrels"].name))

    def sides(self, rows: int) -> SampledSides:
        """Return the first rows, and the judgements of their queries among the first judgements."""
        query, item = _first_rows(self.pieces["run"], rows)
        judged_query, judged_item = _first_rows(self.pieces["qrels"], max(rows, BATCH))
        if query.is_text == judged_query.is_text:
            seen = np.flatnonzero(Known(query.distinct()).find(judged_query) >= 0)
            if len(seen):
                judged_query, judged_item = judged_query[seen], judged_item[seen]
        return SampledSides(query, item, judged_query, judged_item)

    def all_queries(self) -> tuple[Ids, Ids]:
        """Return the different queries of the first rows and of the first judgements."""
        query, judged = (_first_rows(self.pieces[side], MANY)[0].distinct() for side in ("run", "qrels"))
        return query, judged


def _first_rows(pieces: Pieces, rows: int) -> tuple[Ids, Ids]:
    from rankwell.evaluation.engines.stream.tables import ids_in

    batch = pieces.top(("query", "item"), rows)
    query, item = (
        Ids.concatenate([own_text(ids_in(piece, word).owned()) for piece in batch])
        for word in ("query", "item")
    )
    return query, item
