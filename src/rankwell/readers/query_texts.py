"""Texts of queries: a table of ids and texts, or a dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from rankwell.errors import DataError
from rankwell.readers import in_memory
from rankwell.readers.column_names import quoted
from rankwell.readers.whole_frames import of_source
from rankwell.tables.columns import known_word
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Users
from rankwell.tables.series import made


def read_queries(source: Any, *, name: str = "queries", encoding: str | None = None) -> Users:
    """Read the texts of queries: a path, a data frame, a list of records, or ``{id: text}``.

    Parameters
    ----------
    source
        A table (CSV and its kin, Parquet, Arrow, NDJSON, JSON) with a query column under any usual name. A column ``query`` beside one
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
    table = of_source(source, "queries", name, encoding=encoding)
    frame, name = in_memory.owned_frame(table.frame), table.name
    column = _id_column(frame.columns, name)
    return Users(Ids.of_series(frame[column], "query"), frame.drop(column), name=name)


def _id_column(columns: Sequence[str], name: str) -> str:
    """The column of the ids: the one that means query, but for one that is called so beside it."""
    meant = [column for column in columns if known_word(column) == "query"]
    others = [column for column in meant if column.lower() != "query"]
    if len(meant) == 1 or len(others) == 1:
        return others[0] if others else meant[0]
    what = f"the columns {quoted(meant)} all mean query" if meant else "there is no column for the query"
    raise DataError(f"{name}: {what}; the columns are {quoted(columns)}. Name one query_id.")
