"""Texts of queries: a table of ids and texts, or a dict."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from rankwell.errors import DataError
from rankwell.readers import in_memory
from rankwell.readers.column_names import quoted
from rankwell.readers.detection import guess
from rankwell.readers.files import File
from rankwell.readers.formats.delimited import Table
from rankwell.readers.items_users import frame_of
from rankwell.readers.paths import recoded
from rankwell.readers.polars_scans import explained
from rankwell.readers.text import not_utf8, require_text
from rankwell.tables.columns import known_word
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Users
from rankwell.tables.series import made


def read_queries(source: Any, *, name: str = "queries", encoding: str | None = None) -> Users:
    """Read the texts of queries: a path, a data frame, a list of records, or ``{id: text}``.

    Parameters
    ----------
    source
        A table (CSV and its kin, Parquet, Arrow, NDJSON) with a query column under any usual name. A column ``query`` beside one
        such as ``qid`` is the text. A file of ids and texts, separated by tabs, needs no header.
    name
        What the table is called in messages.
    encoding
        The encoding of a text file that is not UTF-8.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, has no query column, or names a query twice.

    Examples
    --------
    >>> read_queries([{"qid": "7", "query": "origin of the virus"}]).texts("query")
    ['origin of the virus']
    >>> read_queries({"7": "origin of the virus"}).texts("text")
    ['origin of the virus']
    """
    if isinstance(source, Users):
        return source
    if isinstance(source, Mapping) and all(isinstance(text, str) for text in source.values()):
        texts = made(lambda: pl.DataFrame({"text": list(source.values())}), name)
        return Users(Ids.of(list(source), "query"), texts, name=name)
    if isinstance(source, (str, os.PathLike)):
        file = recoded(File(Path(source)), encoding)
        name, frame = file.name, _frame(file)
    else:
        table = in_memory.frame_of(source, name)
        frame = in_memory.owned_frame(table.collect() if isinstance(table, pl.LazyFrame) else table)
    column = _id_column(frame.columns, name)
    return Users(Ids.of_series(frame[column], "query"), frame.drop(column), name=name)


def _frame(file: File) -> pl.DataFrame:
    if guess(file)[0] != "delimited":
        return frame_of(file, "queries", "query", {})
    require_text(file)
    if not file.head.strip():
        raise DataError(f"{file.label}: the file holds no queries.")
    table = Table(file, "queries", {})
    is_told = any(known_word(each) == "query" for each in table.names)
    has_header = is_told or len(table.names) != 2 or table.separator != "\t"
    try:
        return pl.read_csv(
            file.source(),
            separator=table.separator,
            has_header=has_header,
            new_columns=None if has_header else ["qid", "text"],
            quote_char='"' if has_header else None,
            infer_schema=False,
        )
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise explained(file, "delimited", error, lambda: not_utf8(file)) from error


def _id_column(columns: Sequence[str], name: str) -> str:
    """The column of the ids: the one that means query, but for one that is called so beside it."""
    meant = [column for column in columns if known_word(column) == "query"]
    others = [column for column in meant if column.lower() != "query"]
    if len(meant) == 1 or len(others) == 1:
        return others[0] if others else meant[0]
    what = f"the columns {quoted(meant)} all mean query" if meant else "there is no column for the query"
    raise DataError(f"{name}: {what}; the columns are {quoted(columns)}. Name one query_id.")
