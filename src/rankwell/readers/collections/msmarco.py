"""MS MARCO's tables without header: passages are ``id, text``, documents ``id, url, title, text``, separated by tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwell.errors import DataError
from rankwell.readers.collections.text import lines_of, refuse_ids
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.bytes.files import File

COLUMNS = {2: ("text",), 4: ("url", "title", "text")}  # by the number of columns, behind the id


def is_table(file: File) -> bool:
    """Whether the first line has the columns of passages or documents."""
    return file.head.partition(b"\n")[0].count(b"\t") + 1 in COLUMNS


def texts(file: File) -> tuple[Ids, pl.DataFrame]:
    """Return the ids and the other columns.

    DataError with file and line, for a line with another number of columns than the first, or an id that is empty or repeated.
    """
    import polars as pl

    rows = pl.Series(lines_of(file)).str.split("\t")
    width = len(rows[0])
    wrong = (rows.list.len() != width).arg_true()
    if len(wrong):
        row = int(wrong[0])
        n = len(rows[row])
        raise DataError(
            f"{file.label}:{row + 1}: the line has {n} column{'s' * (n != 1)}, and the first line {width}. Columns are "
            "separated by tabs."
        )
    columns = {name: rows.list.get(at) for at, name in enumerate(COLUMNS[width], 1)}
    ids = rows.list.get(0)
    refuse_ids(ids, lambda row: f"{file.label}:{row + 1}")
    return Ids.of_series(ids, "id"), pl.DataFrame(columns)
