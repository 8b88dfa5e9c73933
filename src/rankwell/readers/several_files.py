"""Several files read as one run, one set of judgements or one catalogue: their rows end to end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from rankwell.errors import DataError, NoRowsError
from rankwell.readers.pieces import SeveralPieces, pieces_of
from rankwell.tables.columns import together
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items
from rankwell.tables.places import end_to_end
from rankwell.tables.rows import Columns, Lists, Rows, lowest_rank
from rankwell.tables.run_qrels import Qrels, Run

S = TypeVar("S")
T = TypeVar("T")


class SeveralRows:
    """The rows of several runs, read one after the other as if no query were in two of them."""

    grouped = False

    def __init__(self, parts: Sequence[Run]) -> None:
        self.parts = parts

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield the batches of all parts."""
        for part in self.parts:
            yield from part.rows.batches(size)

    def in_pieces(self, name: str) -> SeveralPieces:
        """Return the rows of all parts in pieces."""
        return SeveralPieces([pieces_of(part) for part in self.parts], name)

    def owned(self) -> SeveralRows:
        """Return the same rows, without the files that they are still to be read from."""
        return SeveralRows(
            [Run.of_rows(rows, name) for name, rows in self._whole(lambda part: part.rows.owned())]
        )

    def _whole(self, read: Callable[[Run], T]) -> list[tuple[str, T]]:
        """The name and what is read of each part; parts without rows, which Spark writes, are left out unless all are."""
        return with_rows(self.parts, lambda part: (part.name, read(part)))

    def regrouped(self) -> Rows:
        """Return the same rows as columns, which are grouped when lists are made of them."""
        return self.table()

    def table(self) -> Columns:
        """Return all rows as columns."""
        named = self._whole(lambda part: part.rows.table())
        names, tables = [name for name, _ in named], [table for _, table in named]
        if len({table.by_rank for table in tables}) > 1:
            ranked = next(name for name, table in named if table.by_rank)
            raise DataError(f"{ranked} is ordered by ranks, other parts of the run by scores.")
        given = [table.given_score for table in tables]
        place = end_to_end([len(table.item) for table in tables], [table.place for table in tables])
        score = (
            None
            if any(each is None for each in given)
            else np.concatenate([g for g in given if g is not None])
        )
        starts = np.cumsum([0] + [len(table.key) for table in tables])
        keys = [table.key + start * table.by_place for table, start in zip(tables, starts[:-1], strict=True)]
        query = joined([table.query for table in tables], names, "query")
        item = joined([table.item for table in tables], names, "item")
        key = np.concatenate(keys)
        rows = Columns(query, item, key, place=place, by_rank=tables[0].by_rank, given_score=score)
        rows.by_place = all(table.by_place for table in tables)
        rows.rank_base = lowest_rank(key) if rows.by_rank else None
        return rows


def with_rows(parts: Iterable[S], read: Callable[[S], T]) -> list[T]:
    """Return what is read of each part that has rows; NoRowsError if none has."""
    found: list[T] = []
    empty = None
    for part in parts:
        try:
            found.append(read(part))
        except NoRowsError as error:
            empty = empty or error
    if empty is not None and not found:
        raise empty
    return found


def file_of(part: Run) -> str:
    """Return what to call one part of a run: its file."""
    return part.files[0].label if part.files else part.name


def run_of(parts: Sequence[Run], name: str) -> Run:
    """Return several runs as one."""
    if len(parts) == 1:
        return parts[0]
    ranked = [(part, {"score", "rank"} & set(part.words)) for part in parts if part.words]
    for part, words in ranked:
        if words != ranked[0][1]:
            one, other = (
                " and ".join(sorted(each)) or "no score and no rank" for each in (ranked[0][1], words)
            )
            raise DataError(
                f"{file_of(part)}: it has {other}, while {file_of(ranked[0][0])} has {one}. Parts of one run are ranked by the same columns."
            )
    run = Run.of_rows(SeveralRows(parts), name)
    run.files = tuple(file for part in parts for file in part.files)
    run.source = "; ".join(part.source for part in parts)
    run.unread = together([part.unread for part in parts])
    return run


def qrels_of(parts: Sequence[Qrels], name: str) -> Qrels:
    """Return several qrels as one.

    Raises
    ------
    DataError
        If only some of them have grades, topics or subgroups, or their ids are of different kinds.
    """
    if len(parts) == 1:
        return parts[0]
    names = [part.name for part in parts]
    for word in ("grade", "topic", "subgroup", "topic_weight", "propensity"):
        without = [part.name for part in parts if getattr(part, word) is None]
        if without and len(without) < len(parts):
            raise DataError(f"{without[0]}: it has no {word}, while other parts of the judgements have one.")
    grades = [part.grade for part in parts if part.grade is not None]
    topics = [part.topic for part in parts if part.topic is not None]
    subgroups = [part.subgroup for part in parts if part.subgroup is not None]
    weights = [part.topic_weight for part in parts if part.topic_weight is not None]
    chances = [part.propensity for part in parts if part.propensity is not None]
    imputed = [np.zeros(len(part)) if part.imputed is None else part.imputed for part in parts]
    qrels = Qrels(
        joined([part.query for part in parts], names, "query"),
        joined([part.item for part in parts], names, "item"),
        np.concatenate(grades) if grades else None,
        joined(topics, names, "topic") if topics else None,
        subgroup=joined(subgroups, names, "subgroup") if subgroups else None,
        topic_weight=np.concatenate(weights) if weights else None,
        propensity=np.concatenate(chances) if chances else None,
        imputed=np.concatenate(imputed) if any(part.imputed is not None for part in parts) else None,
        name=name,
        place=end_to_end([len(part) for part in parts], [part.place for part in parts]),
    )
    qrels.files = tuple(file for part in parts for file in part.files)
    qrels.source = "; ".join(part.source for part in parts)
    qrels.unread = together([part.unread for part in parts])
    return qrels


def items_of(parts: Sequence[Items], name: str) -> Items:
    """Return several catalogues as one."""
    if len(parts) == 1:
        return parts[0]
    return Items(joined([part.item for part in parts], [part.name for part in parts], "item"), name=name)


def joined(columns: Sequence[Ids], names: Sequence[str], word: str) -> Ids:
    """Return columns end to end; DataError if some are text and some integers."""
    kinds = [column.is_text for column in columns]
    if len(set(kinds)) > 1:
        text, integers = (names[kinds.index(kind)] for kind in (True, False))
        raise DataError(f"{word} ids are text in {text} and integers in {integers}. Write them alike.")
    return Ids.concatenate(columns)
