"""Texts of queries, texts and pictures of items: columns of their tables, looked up by id for what is shown."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import UsageError, one_of
from rankwell.records import record
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items, column_of, texts_in

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.memory.cited_answers import Cited
    from rankwell.tables.run_qrels import Qrels

# the columns looked for where none is named; the first that is there wins
USUAL = "text", "title", "name", "query", "question"
USUAL_IMAGES = "image", "picture", "poster", "cover", "thumbnail"
FORM = '{"topic_id": …, "references": [ids], "answer": [{"text": …, "citations": [0, …]}]}'


@record(eq=False)
class Texts:
    """A column of texts, looked up by id."""

    known: Known
    column: pl.Series
    word: str  # query or item

    def of(self, ids: Sequence[str | int]) -> list[str | None]:
        """Return the text of each id, None where there is none."""
        rows = self.known.rows_of(Ids.of(list(ids), self.word), self.word).tolist()
        return [self.column[row] if row >= 0 else None for row in rows]


def texts_of_queries(source: Any, qrels: Qrels | None, encoding: str | None) -> Texts | None:
    """Return the texts of queries in a table, or in a file of topics; None without one."""
    if source is None:
        return None
    from rankwell.readers.collections.collection import read_topics

    topics = read_topics(source, qrels=qrels, encoding=encoding)
    return _texts(topics.frame, topics.name, topics.ids, "query", None)


def texts_of_answers(source: Any, qrels: Qrels | None, encoding: str | None) -> Texts:
    """Return the answers of one system to queries: of TREC RAG, whose sentences are joined, or in a table of query and text.

    Raises
    ------
    RankwellError
        If the source cannot be read, holds several systems, or answers a query twice.
    """
    from rankwell.readers.bytes.files import File
    from rankwell.readers.formats.trec_rag import TEXTS
    from rankwell.readers.registry import recode

    answers = None
    if isinstance(source, (str, os.PathLike)):
        file = recode(File(Path(source)), encoding)
        if TEXTS.recognises(file.head):
            answers = TEXTS.read_run(file, name=file.name, columns={})
    elif TEXTS.holds(source):
        answers = TEXTS.run_of(source, name="items", columns={})
    if answers is None:
        found = texts_of_queries(source, qrels, encoding)
        assert found is not None
        return found
    import polars as pl

    table = answers.rows.table()
    return Texts(Known(table.query), pl.Series(table.item.tolist(), dtype=pl.String), "query")


def cited_answers(source: Any, read: Mapping[str, Any], encoding: str | None) -> Cited:
    """Return the answers of one system whose sentences cite items, with the texts of the sentences.

    Raises
    ------
    RankwellError
        If the source cannot be read, is of no form that holds sentences and citations, or answers a query twice.
    """
    from rankwell.readers.bytes.files import File
    from rankwell.readers.memory.answers import ids_of
    from rankwell.readers.memory.cited_answers import CitedAnswers
    from rankwell.readers.registry import form_of, reader, recode, shape_of

    file = None
    if isinstance(source, (str, os.PathLike)):
        file = recode(File(Path(source)), read.get("encoding") or encoding, read.get("format_in"))
    shape = shape_of(source) if file is None else reader(form_of(file, file.format_in, {})[0])
    if not isinstance(shape, CitedAnswers):
        name = "pairs" if file is None else file.label
        raise UsageError(
            f"{name}: here are no answers whose sentences cite passages. Give them as TREC RAG has them, a line each: {FORM}."
        )
    ids = read.get("query_ids")
    return shape.cited_in(source if file is None else file, None if ids is None else ids_of(ids))


def texts_of_items(
    source: Any, column: str | None, encoding: str | None, needs: frozenset[str] = frozenset()
) -> Texts | None:
    """Return the texts in a table of items, from a column or that of a usual name; None without a table or such a column.

    ``needs`` are those of the metrics that read the table, too: they say which column is that of the items.

    Raises
    ------
    UsageError
        If a column is named that is not there, or without a table.
    """
    if source is None:
        if column is not None:
            raise UsageError("text= names a column of items=; give items=, a table with an item column.")
        return None
    from rankwell.readers.items_users import read_catalogue

    table: Items = read_catalogue(source, encoding=encoding, needs=needs)
    if column is None and (table.frame is None or not _usual(table.frame)):
        return None
    return _texts(table.frame, table.name, table.item, "item", column)


def _texts(frame: pl.DataFrame | None, name: str, ids: Ids, word: str, column: str | None) -> Texts:
    if column is None:
        fields = [] if frame is None else _usual(frame)
        if not fields:
            has = "" if frame is None or not frame.columns else f"; it has {one_of(frame.columns)}"
            raise UsageError(f"{name} has no column of texts{has}. Name it text.")
        column = fields[0]
    return Texts(Known(ids), texts_in(column_of(frame, column, name), name), word)


def _usual(frame: pl.DataFrame) -> list[str]:
    """The columns of usual names for a text, or the only column if it is no list."""
    named = {column.lower(): column for column in frame.columns}
    alone = frame.width == 1 and not frame.dtypes[0].is_nested()
    return [named[name] for name in USUAL if name in named] or (frame.columns if alone else [])


@record(eq=False)
class Images:
    """A column of paths or data URIs, looked up by item; paths are relative to a folder."""

    known: Known
    column: pl.Series
    folder: Path
    is_alone: bool = False  # whether the table has no other column, so that it is not one of texts

    def of(self, ids: Sequence[str | int]) -> list[str | None]:
        """Return what the table has for each item, None where there is nothing."""
        rows = self.known.rows_of(Ids.of(list(ids), "item"), "item").tolist()
        return [(self.column[row] or None) if row >= 0 else None for row in rows]


def images_of_items(items: Items | None, column: str | None, folder: str | Path) -> Images | None:
    """Return the pictures in a table of items, from a column or that of a usual name; None without a table or such a column.

    Raises
    ------
    UsageError
        If a column is named that is not there, or without a table.
    """
    if items is None:
        if column is not None:
            raise UsageError("image= names a column of items=; give items=, a table with an item column.")
        return None
    if column is None:
        named = {name.lower(): name for name in (() if items.frame is None else items.frame.columns)}
        column = next((named[name] for name in USUAL_IMAGES if name in named), None)
        if column is None:
            return None
    texts = texts_in(column_of(items.frame, column, items.name), items.name)
    alone = items.frame is not None and items.frame.width == 1
    return Images(Known(items.item), texts, Path(folder), alone)


def folder_of(source: Any) -> Path:
    """Return the folder of a table in a file; that of this process for a table in memory."""
    return Path(source).parent if isinstance(source, (str, os.PathLike)) else Path()
