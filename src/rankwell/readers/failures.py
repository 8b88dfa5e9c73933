"""Failures of the reader of a format, each turned into one error that says where and why."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rankwell.errors import RankwellError, ReaderError
from rankwell.readers.files import File
from rankwell.readers.pieces import Piece, Pieces, pieces_of
from rankwell.tables.rows import Columns, Lists, Rows
from rankwell.tables.run_qrels import Run


@contextmanager
def failures_explained(file: File, name: str) -> Iterator[None]:
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
        with failures_explained(self.file, self.name):
            for made in self.rows.batches(size):
                yield partial(self._explained, made)

    def _explained(self, made: Callable[[], Lists]) -> Lists:
        with failures_explained(self.file, self.name):
            return made()

    def in_pieces(self, name: str) -> ExplainedPieces:
        """Return the rows in pieces."""
        return ExplainedPieces(pieces_of(Run.of_rows(self.rows, name)), self.file, self.name)

    def owned(self) -> Rows:
        """Return the same rows, without the file that they are still to be read from."""
        with failures_explained(self.file, self.name):
            return ExplainedRows(self.rows.owned(), self.file, self.name)

    def regrouped(self) -> Rows:
        """Return the same rows with the rows of each query together."""
        with failures_explained(self.file, self.name):
            return ExplainedRows(self.rows.regrouped(), self.file, self.name)

    def table(self) -> Columns:
        """Return all rows as columns."""
        with failures_explained(self.file, self.name):
            return self.rows.table()


class ExplainedPieces(Pieces):
    """Pieces that a format's module reads; its failures are explained."""

    def __init__(self, pieces: Pieces, file: File, form: str) -> None:
        self.pieces, self.file, self.form, self.name = pieces, file, form, pieces.name
        self.files, self.ahead, self.unread = (file,), pieces.ahead, pieces.unread

    def read(self, words: Sequence[str] | None = None, start: int = 0) -> Generator[Piece]:
        """Yield the pieces."""
        with failures_explained(self.file, self.form):
            yield from self.pieces.read(words, start)

    def head(self) -> Piece | None:
        """Return some of the first rows; None if there are none."""
        with failures_explained(self.file, self.form):
            return self.pieces.head()

    def place(self, row: int) -> str:
        """Return where a row stands."""
        return self.pieces.place(row)
