"""DataFrames of Spark, classic or by Spark Connect: which of their columns are wanted; rows are collected only when somebody looks.

Spark reads Parquet, and tables of its catalogue, itself.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.readers.frames import list_columns
from rankwell.readers.frames.columns import NONE_GIVEN, Given, match_columns
from rankwell.readers.frames.pieces import GAPPED, PIECE, Frames, Piece, Pieces, column_of, fill_gaps
from rankwell.readers.frames.unread import unread_of
from rankwell.tables.columns import EXTRA, MOST_LEVELS, WORDS
from rankwell.tables.rows import Columns, Lists, Rows
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import RowOf

if TYPE_CHECKING:
    import polars as pl

PARQUET = ".parquet", ".pq"
TABLE = re.compile(r"[^\s./\\*?]+(\.[^\s./\\*?]+){0,2}")  # catalogue.schema.table


class SparkPieces(Pieces):
    """A DataFrame of Spark as a table, with its columns named by words."""

    def __init__(self, frame: Any, words: Mapping[str, str], name: str) -> None:
        self.frame = frame.select(*[frame[column].alias(word) for word, column in words.items()])
        self.words, self.name, self.place = tuple(words), name, RowOf(name)

    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:
        """Yield the rows, collected, in pieces."""
        columns = [word for word in self.words if words is None or word in words]
        for frame in self.collected(columns)[start:].iter_slices(PIECE):
            yield {word: column_of(frame[word], word, self.place, start) for word in columns}

    def distinct(self, word: str) -> int:
        """Return the number of different ids in a column."""
        return int(self.frame.select(word).distinct().count())

    def top(self, words: Sequence[str], rows: int) -> list[Piece]:
        """Return so many of the first rows, collected."""
        frame = self.collected(words, rows)
        return [{word: column_of(frame[word], word, self.place, 0) for word in words}]

    def collected(self, words: Sequence[str] | None = None, rows: int | None = None) -> pl.DataFrame:
        """Return the rows, or so many of the first ones, collected."""
        import polars as pl

        frame = self.frame.select(*(words or self.words))
        if "part" in frame.columns:
            refuse_named_parts(frame, self.name)
        table = pl.from_arrow((frame if rows is None else frame.limit(rows)).toArrow())
        assert isinstance(table, pl.DataFrame)
        same = {word: word for word in table.columns}
        is_plain = GAPPED.isdisjoint(self.words)
        return table if is_plain else fill_gaps(table, same, self.place, has_parts="part" in self.words)

    @property
    def given(self) -> Given:
        """What its columns hold, for whom a table with these is read; whether cells are lists was seen before."""
        return Given({word: word for word in EXTRA if word in self.words}, items_in="one")


class SparkRows(Rows):
    """The rows of a run in a DataFrame of Spark."""

    grouped = False

    def __init__(self, pieces: SparkPieces) -> None:
        self.pieces = pieces

    def in_pieces(self, name: str) -> SparkPieces:
        """Return the table."""
        self.pieces.name = name
        return self.pieces

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield the batches of the rows, collected."""
        return self.table().batches(size)

    def table(self) -> Columns:
        """Return all rows, collected."""
        from rankwell.readers.frames import tables

        pieces = self.pieces
        return tables.run_of(pieces.collected(), name=pieces.name, columns=pieces.given).rows.table()


def run_of(frame: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Run:
    """Return the run in a DataFrame of Spark."""
    pieces = open_frame(frame, "run", name, columns)
    run = Run.of_rows(SparkRows(pieces), name)
    run.words, run.unread = {"query": pieces.query_column}, pieces.unread
    return run


def qrels_of(frame: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Qrels:
    """Return the judgements in a DataFrame of Spark, collected."""
    from rankwell.readers.frames import tables

    pieces = open_frame(frame, "qrels", name, columns)
    qrels = tables.qrels_of(pieces.collected(), name=name, columns=pieces.given)
    qrels.unread = pieces.unread
    return qrels


def items_of(frame: Any, *, name: str, columns: Mapping[str, str] = NONE_GIVEN) -> Any:
    """Return the catalogue in a DataFrame of Spark, collected."""
    from rankwell.readers.frames import tables

    return tables.items_of(frame.toArrow(), name=name, columns=columns)


def open_frame(frame: Any, kind: str, name: str, columns: Mapping[str, str]) -> SparkPieces:
    """Return the run or the judgements in a DataFrame of Spark, which are left where they are."""
    if Given.of(columns).by_rows:
        raise UsageError(
            f"{name}: the rows of Spark have no order; give the run a column of ranks or scores."
        )
    words = match_columns(frame.columns, WORDS[kind], name, columns)
    if "item" not in words:
        raise DataError(
            f"{name}: spans are not read from a DataFrame of Spark. Collect these judgements, which are few: frame.toArrow()."
        )
    pieces = SparkPieces(frame, words, name)
    pieces.query_column = words["query"]
    pieces.unread = unread_of(
        frame.columns, words, kind, name, columns, lambda names: _levels_of(frame, names)
    )
    if list_columns.may_hold_lists(dict.fromkeys(pieces.words, "item"), columns):
        _refuse_lists(pieces, columns)
    return pieces


def refuse_named_parts(frame: Any, name: str) -> None:
    """Raise DataError for parts that have no numbers: which of them comes first cannot be told of rows without an order."""
    from pyspark.sql import functions as sql

    part = sql.col("part")
    if frame.schema["part"].dataType.simpleString() != "string":
        return
    number = sql.expr("try_cast(part AS BIGINT)").cast("string")
    if named := frame.filter((part != "") & (number.isNull() | (number != part))).limit(1).collect():
        raise DataError(
            f"{name}: the part {brief(named[0]['part'])} has no number, and the rows of Spark have no order. Number the parts of each query: "
            f"1, 2, …"
        )


def _refuse_lists(pieces: SparkPieces, columns: Mapping[str, str]) -> None:
    """Raise DataError for cells of text that hold lists of items, as far as the first rows show it."""
    same = {word: word for word in pieces.words}
    way = Given.of(columns).items_in or list_columns.way_of(
        pieces.collected(rows=list_columns.LOOKED), same, columns, RowOf(pieces.name)
    )
    if way is not None:
        raise DataError(
            f"{pieces.name}: the cells of the items are lists, as text. Make a row of each item in Spark first: "
            f"explode(split(column, ' '))."
        )


def _levels_of(frame: Any, columns: list[str]) -> Frames:
    """Some distinct values of each column, all that is wanted of columns that are not read."""

    def read(size: int) -> Iterator[pl.DataFrame]:  # noqa: ARG001 - one frame of a few rows
        import polars as pl

        few = [frame.select(frame[column]).distinct().limit(MOST_LEVELS + 2).toArrow() for column in columns]
        yield pl.concat([pl.DataFrame(level) for level in few], how="horizontal")

    return read


def read_by_spark(session: Callable[[], Any], name: str) -> Any:
    """Return the DataFrame that Spark reads from Parquet (a file, a folder, a pattern, an address) or a table; else the name.

    ``session`` opens the session; a table is called ``table``, ``schema.table`` or ``catalogue.schema.table``. InputError if neither this
    machine nor Spark has it.
    """
    path = Path(name)
    is_here = path.exists()
    if name.endswith(PARQUET) or (is_here and path.is_dir()) or ("://" in name and not path.suffix):
        return _parquet(session(), name, is_here)
    if is_here or "://" in name or not TABLE.fullmatch(name):
        return name
    opened = session()
    if opened.catalog.tableExists(name):
        return opened.table(name)
    raise InputError(
        f"{brief(name)}: neither a file on this machine nor a table of the session. Give a path, or the name of a table "
        f"(schema.table)."
    )


def _parquet(session: Any, name: str, is_here: bool) -> Any:
    from pyspark.errors import PySparkException

    try:
        frame = session.read.parquet(name if "://" in name else str(Path(name).absolute()))
        frame.schema  # noqa: B018 - is only read now
    except PySparkException as error:
        if is_here:  # the cluster sees other files than this machine
            warnings.warn(f"{name}: Spark does not see this file, so it is read here and sent.", stacklevel=2)
            return name
        raise InputError(f"{name}: Spark cannot read it ({_first_line(error)}).") from error
    return frame


def _first_line(error: Exception) -> str:
    return brief(str(error).strip().splitlines()[0])
