"""Tables of users (queries) with any columns: from a file, a data frame, records, or a dict of columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from rankwell.errors import InputError, UsageError
from rankwell.ids import Ids
from rankwell.readers import arrow, guess
from rankwell.readers.delimited import Table
from rankwell.readers.files import File
from rankwell.readers.frames import words_of
from rankwell.readers.scans import explained
from rankwell.tables import Users


def read_users(source: Any, *, name: str = "users", columns: Mapping[str, str] | None = None) -> Users:
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
    if isinstance(source, (str, os.PathLike)):
        file = File(Path(source))
        name = file.name
        frame = _frame_of(file, columns or {})
    elif (
        isinstance(source, Sequence)
        or hasattr(source, "__arrow_c_stream__")
        or isinstance(source, (Mapping, pl.DataFrame))
    ):
        frame = source if isinstance(source, pl.DataFrame) else pl.DataFrame(source)
    else:
        raise UsageError(
            f"users: cannot read {type(source).__name__}. Give a path, a data frame or a list of records."
        )
    query = words_of(frame.columns, ("query",), name, columns or {})["query"]
    return Users(Ids.of_series(frame[query], "query"), frame.drop(query), name=name)


def _frame_of(file: File, columns: Mapping[str, str]) -> pl.DataFrame:
    kind, _ = guess(file)
    try:
        if kind == "delimited":
            table = Table(file, "users", columns)
            text = {table.words["query"]: pl.String}
            return pl.read_csv(
                file.source(), separator=table.separator, comment_prefix="#", schema_overrides=text
            )
        if kind == "parquet":
            return pl.read_parquet(file.source(), glob=False)
        if kind == "arrow":
            is_stream = file.head.startswith(arrow.STREAM)
            return pl.read_ipc_stream(file.source()) if is_stream else pl.read_ipc(file.source())
        if kind == "ndjson":
            return pl.read_ndjson(file.source())
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise explained(file, kind, error, None) from error
    raise InputError(
        f"{file.label}: a table of users is CSV, Parquet, Arrow or NDJSON; this looks like {kind}."
    )
