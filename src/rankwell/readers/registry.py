"""The file formats: what reads each, which of them a file has, and what their failures say."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import rankwell.readers.formats as folder
from rankwell.errors import RankwellError, ReaderError, UsageError, brief, nearest, one_of
from rankwell.faces import modules
from rankwell.readers.bytes.files import File, known_encoding
from rankwell.readers.frames.pieces import Piece, Pieces, pieces_of
from rankwell.tables.rows import Columns, Lists, Rows
from rankwell.tables.run_qrels import Run

# Failures of the reader of a format, each turned into one error that says where and why.

if TYPE_CHECKING:
    from rankwell.readers.memory.answers import Shape

TREC = "trec"
BINARY = ("parquet", "arrow")
OTHER_NAMES = {
    ".text": TREC, ".qrel": TREC, ".libsvm": "letor", ".opensearch": "elasticsearch",
}  # fmt: skip
TABLES = {
    "items": "a table of items",
    "log": "a log",
    "queries": "texts of queries",
    "sample": "the frame of a sample",
    "users": "a table of users",
}
"""The kinds of whole tables, as messages call them."""


def formats() -> tuple[str, ...]:
    """Return the names of the file formats."""
    return modules(folder)


def reader(name: str) -> Any:
    """Return what reads a format: its module, or the shape that the module describes."""
    if name not in formats():
        suffix = f".{name.lower().lstrip('.')}"
        meant = OTHER_NAMES.get(suffix) or next(
            (name_of_format for name_of_format in formats() if suffix in reader(name_of_format).SUFFIXES), ""
        )
        near = f" Say format_in={brief(meant)}." if meant else nearest(name, formats())
        raise UsageError(f"There is no format {brief(name)}.{near} The formats are {', '.join(formats())}.")
    module = importlib.import_module(f"{folder.__name__}.{name}")
    return getattr(module, "SHAPE", module)


def holds(module: Any, kind: str) -> bool:
    """Whether files of a format can hold a kind of whole table: any, unless its ``TABLES`` names some."""
    return hasattr(module, "read_table") and kind in getattr(module, "TABLES", TABLES)


def not_held(file: File, form: str, kind: str) -> UsageError:
    """Return the error of a file whose format cannot hold a kind of whole table, with the formats that can."""
    suffixes = [module.SUFFIXES[0] for module in map(reader, formats()) if holds(module, kind)]
    return UsageError(
        f"{file.label}: {form} files cannot hold {TABLES[kind]}. Give it as {one_of(suffixes)}."
    )


def form_of(file: File, format_in: str | None, columns: Mapping[str, str]) -> tuple[str, str]:
    """Return the format of a file and why: as it was said, or as it looks; lines of TREC text whose columns are named are a table."""
    if format_in:
        return format_in, "as given"
    # white space between columns looks like TREC text, whose columns have no names
    form, why = guess(file)
    return ("delimited", "as its columns are named") if form == TREC and len(columns) else (form, why)


def guess(file: File) -> tuple[str, str]:
    """Return the format of a file and why: by its first bytes, else by its name, else TREC text."""
    # most files are TREC text, and no file has two formats: then none of the other readers is imported
    names = sorted(formats(), key=lambda name: name != TREC)
    for name in names:
        with explain_failures(file, name):
            if reader(name).recognises(file.head):
                return name, "by its first bytes"
    for name in names:
        with explain_failures(file, name):
            if file.stem.endswith(reader(name).SUFFIXES):
                return name, "by its name"
    return TREC, "as no other format fits"


def recode(file: File, encoding: str | None, format_in: str | None = None) -> File:
    """Return a text file as one of an encoding and of a format, if they are given; formats that are no text have no encoding.

    A byte-order mark in the file wins. Text in UTF-16 and UTF-32 has one, so without it the file is read as UTF-8.
    """
    if format_in is not None:
        file = file.changed(format_in=format_in)
    if encoding is None or (format_in or guess(file)[0]) in BINARY:
        return file
    name = known_encoding(encoding)
    is_named = file.marked is not None or name in ("utf-16", "utf-32")
    return file if is_named else file.changed(encoding=name)


@cache
def shapes() -> tuple[Shape, ...]:
    """Return the shapes of all formats."""
    from rankwell.readers.memory.answers import Shape

    return tuple(module for module in map(reader, formats()) if isinstance(module, Shape))


def shape_of(value: Any) -> Shape | None:
    """Return the shape of a value; None if it has none that a reader knows."""
    return next((shape for shape in shapes() if shape.holds(value)), None)


# Failures of the reader of a format, each turned into one error that says where and why.


@contextmanager
def explain_failures(file: File, name: str) -> Iterator[None]:
    """Turn what the reader of a format raises, other than errors of rankwell, into a ReaderError with the file and the line.

    The line is known while the reader goes through ``file.stream()``.
    """
    file.line = 0
    try:
        yield
    except (RankwellError, MemoryError):
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        cause = type(error).__name__ + (f": {said}" if said else "")
        place, remedy = file.label, "Check the file and that this is its format."
        if file.line:
            place, remedy = f"{file.label}:{file.line}", "Fix or remove the line."
        raise ReaderError(
            f"{place}: cannot be read as {name} ({cause}). {remedy} If it is correct, the {name} reader has a bug."
        ) from error


class ExplainedRows:
    """The rows of a run that a format's module reads later; its failures are explained then."""

    def __init__(self, rows: Rows, file: File, name: str) -> None:
        self.rows, self.file, self.name = rows, file, name
        self.grouped = rows.grouped

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch of about ``size`` rows."""
        with explain_failures(self.file, self.name):
            for made in self.rows.batches(size):
                yield partial(self._explained, made)

    def _explained(self, made: Callable[[], Lists]) -> Lists:
        with explain_failures(self.file, self.name):
            return made()

    def in_pieces(self, name: str) -> ExplainedPieces:
        """Return the rows in pieces."""
        return ExplainedPieces(pieces_of(Run.of_rows(self.rows, name)), self.file, self.name)

    def owned(self) -> Rows:
        """Return the same rows, without the file that they are still to be read from."""
        with explain_failures(self.file, self.name):
            return ExplainedRows(self.rows.owned(), self.file, self.name)

    def regrouped(self) -> Rows:
        """Return the same rows with the rows of each query together."""
        with explain_failures(self.file, self.name):
            return ExplainedRows(self.rows.regrouped(), self.file, self.name)

    def table(self) -> Columns:
        """Return all rows as columns."""
        with explain_failures(self.file, self.name):
            return self.rows.table()


class ExplainedPieces(Pieces):
    """Pieces that a format's module reads; its failures are explained."""

    def __init__(self, pieces: Pieces, file: File, form: str) -> None:
        self.pieces, self.file, self.form, self.name = pieces, file, form, pieces.name
        self.files, self.ahead, self.unread = (file,), pieces.ahead, pieces.unread
        self.query_column = pieces.query_column

    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:
        """Yield the pieces."""
        with explain_failures(self.file, self.form):
            yield from self.pieces.read(words, start)

    def head(self) -> Piece | None:
        """Return some of the first rows; None if there are none."""
        with explain_failures(self.file, self.form):
            return self.pieces.head()

    def place(self, row: int) -> str:
        """Return where a row stands."""
        return self.pieces.place(row)
