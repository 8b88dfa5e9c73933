"""Tables of users (queries) or items with any columns: from a file, a data frame, records, or a dict of columns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import InputError
from rankwell.readers import in_memory
from rankwell.readers.column_names import match_columns
from rankwell.readers.detection import guess
from rankwell.readers.files import File
from rankwell.readers.formats import arrow, movielens, ndjson
from rankwell.readers.formats.delimited import Table
from rankwell.readers.paths import recoded
from rankwell.readers.polars_scans import explained
from rankwell.readers.reading import ids_in
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items, Users

if TYPE_CHECKING:
    import polars as pl


def read_users(
    source: Any,
    *,
    name: str = "users",
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Users:
    """Read a table of users: a path, a data frame, a list of records, or Users.

    Parameters
    ----------
    source
        A path (CSV and its kin, Parquet, Arrow, NDJSON) or a table with a query column under any usual name; its other
        columns are what segments and weights are named after.
    name
        What the table is called in messages.
    columns
        Which column is the query, if its name does not tell: ``{"its name": "query"}``.
    encoding
        The encoding of a text file that is not UTF-8, such as ``"latin-1"``.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, has no query column, or names a query twice.

    Examples
    --------
    >>> read_users([{"user_id": "a", "tier": "gold"}, {"user_id": "b", "tier": "silver"}])
    Users 'users': 2 queries
    """
    if isinstance(source, Users):
        return source
    frame, ids, name = _table(source, "users", "query", name, columns or {}, encoding)
    return Users(ids, frame, name=name)


def read_catalogue(
    source: Any,
    *,
    name: str = "items",
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Items:
    """Read a catalogue with all its columns: a path, a data frame, a list of records, or Items.

    Parameters
    ----------
    source
        What ``read_users`` takes, with an item column under any usual name, or a ``::`` file of movies (item, title,
        genres); its other columns are what features and groups are named after.
    name
        What the table is called in messages.
    columns
        Which column is the item, if its name does not tell: ``{"its name": "item"}``.
    encoding
        The encoding of a text file that is not UTF-8, such as ``"latin-1"``.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, has no item column, or names an item twice.

    Examples
    --------
    >>> read_catalogue([{"movieId": 1, "genres": "Drama|War"}, {"movieId": 2, "genres": "War"}]).features("topics").names
    ('Drama', 'War')
    """
    if isinstance(source, Items):
        return source
    if (ids := ids_in(source)) is not None:
        return Items(ids, name=name)
    frame, ids, name = _table(source, "items", "item", name, columns or {}, encoding)
    return Items(ids, frame, name=name)


def _table(
    source: Any, kind: str, word: str, name: str, columns: Mapping[str, str], encoding: str | None
) -> tuple[pl.DataFrame, Ids, str]:
    """The columns of a table other than its ids, the ids, and what the table is called."""
    import polars as pl

    if isinstance(source, (str, os.PathLike)):
        file = recoded(File(Path(source)), encoding)
        frame = frame_of(file, kind, word, columns)
        column = match_columns(frame.columns, (word,), file.name, columns)[word]
        return frame.drop(column), Ids.of_series(frame[column], word), file.name
    table = in_memory.frame_of(source, name)
    frame = table.collect() if isinstance(table, pl.LazyFrame) else table
    column = match_columns(frame.columns, (word,), name, columns)[word]
    return in_memory.owned_frame(frame.drop(column)), Ids.of_series(frame[column], word).owned(), name


def frame_of(file: File, kind_of_table: str, word: str, columns: Mapping[str, str]) -> pl.DataFrame:
    """Return the table in a file with all its columns; its ids stay as they are written.

    Raises
    ------
    InputError
        If the file is damaged, or no table.
    """
    import polars as pl

    kind, _ = guess(file)
    try:
        if kind == "delimited":
            table = Table(file, kind_of_table, columns)
            text = {table.words[word]: pl.String}
            return pl.read_csv(
                file.source(), separator=table.separator, comment_prefix="#", schema_overrides=text
            )
        if kind == "parquet":
            return pl.read_parquet(file.source(), glob=False)
        if kind == "arrow":
            is_stream = file.head.startswith(arrow.STREAM)
            return pl.read_ipc_stream(file.source()) if is_stream else pl.read_ipc(file.source())
        if kind == "ndjson":
            ndjson.refuse_repeated(file, list(ndjson.keys_of(file)))
            return pl.read_ndjson(file.source())
        if kind == "movielens" and word == "item":
            return movielens.films(file)
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise explained(file, kind, error, None) from error
    raise InputError(
        f"{file.label}: a table of {kind_of_table} is CSV, Parquet, Arrow or NDJSON; this looks like {kind}."
    )
