"""Any source as a Polars frame with all its columns: a file, a data frame, records, a dict, a run or judgements."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.errors import DataError, brief
from rankwell.readers.bytes.files import File, files_of
from rankwell.readers.frames import in_memory
from rankwell.readers.frames.columns import NONE_GIVEN
from rankwell.readers.frames.scans import is_scanned, polars_errors, scan_table
from rankwell.readers.registry import explain_failures, form_of, holds, not_held, reader, recode
from rankwell.tables.cells import MOST
from rankwell.tables.series import Place, RowOf, end_to_end

if TYPE_CHECKING:
    import polars as pl

FLAGS = ("true", "false")
NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$|^[-+]?(inf|nan|NaN)$"
CODE = r"^[-+]?0\d"  # leading zeros belong to a code, such as that of a place


class Whole(NamedTuple):
    """A whole table: its columns, where each row stands, what it is called, and whether its cells have types or are all text."""

    frame: pl.DataFrame
    place: Place
    name: str
    is_typed: bool = True


def of_source(
    source: Any, kind: str, name: str, *, columns: Mapping[str, str] = NONE_GIVEN, encoding: str | None = None
) -> Whole:
    """Return the whole table that a path, a pattern, opened files or a value in memory name, to be read as a kind of ``detection.TABLES``.

    RankwellError if the source cannot be read, its format holds no such table, or its files have different columns.
    """
    import polars as pl

    sources = source if isinstance(source, list) else [source]
    opened = [file for file in sources if isinstance(file, File)]
    if not opened and not isinstance(source, (str, os.PathLike)):
        table = in_memory.frame_of(source, name)
        with polars_errors(name):  # one that Polars reads later may not be what it was meant to be
            return Whole(table.lazy().collect(), RowOf(name), name)
    if not opened and is_scanned(source):
        with polars_errors(label := os.fspath(source)):
            return Whole(scan_table(source).collect(), RowOf(label), Path(source).name)
    files = [recode(file, encoding) for file in opened or files_of(source)]
    parts = [_of_file(file, kind, columns) for file in files]
    if len(parts) == 1:
        return parts[0]
    first = parts[0].frame.schema
    for part, file in zip(parts, files, strict=True):
        if part.frame.columns != parts[0].frame.columns:
            raise DataError(
                f"{file.label}: its columns are not those of {parts[0].name}; parts of a table have the same ones."
            )
        for column, dtype in part.frame.schema.items():
            if dtype != first[column]:
                raise DataError(
                    f"{file.label}: the column {brief(column)} is {dtype}, but {first[column]} in {parts[0].name}. Write both alike."
                )
    place = end_to_end([len(part.frame) for part in parts], [part.place for part in parts])
    whole = pl.concat([part.frame for part in parts])
    name = parts[0].name if opened else Path(source).name
    return Whole(whole, place, name, all(part.is_typed for part in parts))


def _of_file(file: File, kind: str, columns: Mapping[str, str]) -> Whole:
    import polars as pl

    # columns by number are those of a table of white space; names may be of other tables
    form, _ = form_of(file, None, columns if all(map(str.isdecimal, columns)) else NONE_GIVEN)
    module = reader(form)
    if not holds(module, kind):
        raise not_held(file, form, kind)
    with explain_failures(file, form):
        frame, place = module.read_table(file, kind=kind, columns=columns)
        if not isinstance(frame, pl.DataFrame):
            msg = f"read_table returned {type(frame).__name__}, not DataFrame"
            raise TypeError(msg)
        file.check()
    return Whole(frame, place, file.name, getattr(module, "IS_TYPED", True))


def refuse_nested(frame: pl.DataFrame, columns: Mapping[str, str], name: str) -> None:
    """Refuse columns, by what each means, whose cells hold several values, bytes or objects."""
    import polars as pl

    for word, column in columns.items():
        dtype = frame.schema[column]
        if dtype.is_nested() or dtype in {pl.Binary, pl.Object}:
            raise DataError(
                f"{name}: the column {brief(column)} ({word}) holds {dtype}, where a number or a text belongs."
            )


def read_cells(text: pl.Series) -> pl.Series | None:
    """Return the numbers in a column of text, whole ones if all are, or its flags; None if a cell is neither.

    >>> import polars as pl
    >>> [read_cells(pl.Series(cells)).to_list() for cells in (["7", " 8"], ["7", "0.5"], ["True", "false"])]
    [[7, 8], [7.0, 0.5], [True, False]]
    """
    import polars as pl

    text = text.str.strip_chars()
    for kind in (pl.Int64, pl.Float64):
        numbers = text.cast(kind, strict=False)
        if numbers.null_count() == text.null_count():
            return numbers
    lower = text.str.to_lowercase()
    return lower == FLAGS[0] if lower.drop_nulls().is_in(FLAGS).all() else None


def with_types(frame: pl.DataFrame, others: Iterable[str], *, as_written: bool = False) -> pl.DataFrame:
    """Return a table of text with numbers and flags in the columns that hold nothing else.

    The columns of ``others`` stay text, and so do those with leading zeros or whole numbers that would change; ``as_written``, so does what
    would be written otherwise, such as 1.50.

    >>> import polars as pl
    >>> with_types(pl.DataFrame({"item": ["1"], "price": ["1.50"], "zip": ["01234"]}), ["item"]).row(0)
    ('1', 1.5, '01234')
    """
    import polars as pl

    untyped = set(others)
    columns = [
        typed
        for column in frame.iter_columns()
        if column.name not in untyped and column.dtype == pl.String
        if (typed := _typed(column, as_written=as_written)) is not None
    ]
    return frame.with_columns(columns)


def _typed(text: pl.Series, *, as_written: bool) -> pl.Series | None:
    cells = text.drop_nulls()
    if not len(cells) or (cells.str.contains(CODE)).any():
        return None
    if not (cells.str.contains(NUMBER)).all() and not cells.str.to_lowercase().is_in(FLAGS).all():
        return None
    typed = read_cells(text)
    if typed is None or (as_written and (typed.cast(str) != text).any()):
        return None
    if typed.dtype.is_float() and text.filter(typed.abs() >= MOST).str.contains(r"^[-+]?\d+$").any():
        return None
    return typed
