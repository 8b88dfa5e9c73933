"""Files that Polars reads, in pieces; its errors become one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankwell.errors import InputError, RankwellError
from rankwell.readers.files import File
from rankwell.readers.frame_columns import PIECE, Frames, PartFrames

if TYPE_CHECKING:
    import polars as pl

Diagnose = Callable[[], RankwellError | None]


def schema_of(
    scan: Callable[[], pl.LazyFrame], file: File, kind: str, diagnose: Diagnose | None = None
) -> tuple[pl.LazyFrame, list[str]]:
    """Return a table that is read later, and the names of its columns; InputError if the file is not of its kind, or damaged."""
    import polars as pl

    try:
        table = scan()
        return table, table.collect_schema().names()
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise explained(file, kind, error, diagnose) from error


class FileFrames(PartFrames):
    """A table in frames of about some number of rows."""

    def __init__(self, table: pl.LazyFrame, file: File, kind: str) -> None:
        self.table, self.file, self.kind = table, file, kind

    def __call__(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the frames."""
        yield from self.batches(size)

    def batches(self, size: int | None) -> Iterator[pl.DataFrame]:
        """Yield frames of about ``size`` rows; None for frames as they stand in the file."""
        yield from _batches(self.table, size, self.file, self.kind, None)


def whole_table(table: Frames, schema: Mapping[str, Any]) -> pl.DataFrame:
    """Return all pieces of a table as one frame; one without rows has its columns."""
    import polars as pl

    return pl.concat([pl.DataFrame(schema=schema), *table(PIECE)])


def lines_of(table: pl.LazyFrame, file: File, words: dict[str, str], kind: str, diagnose: Diagnose) -> Frames:
    """Return the wanted columns of a text in pieces, without its empty lines.

    All columns are read, as otherwise Polars does not see that a line has too many. ``diagnose`` looks for the line
    that Polars stumbled over.
    """

    def read(size: int) -> Iterator[pl.DataFrame]:
        import polars as pl

        for piece in _batches(table, size, file, kind, diagnose):
            yield piece.filter(~pl.all_horizontal(pl.all().is_null())).select(words.values())

    return read


def _batches(
    table: pl.LazyFrame, size: int | None, file: File, kind: str, diagnose: Diagnose | None
) -> Iterator[pl.DataFrame]:
    import polars as pl

    file.check()
    try:
        for piece in table.collect_batches(chunk_size=size, maintain_order=True, lazy=True):
            file.check()
            yield piece
        file.check()
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise explained(file, kind, error, diagnose) from error


def explained(file: File, kind: str, error: Exception, diagnose: Diagnose | None) -> RankwellError:
    """Return the error of a file that Polars cannot read: the line that is wrong, if it can be found."""
    if isinstance(error, RankwellError):
        return error
    file.check()
    if diagnose and (found := diagnose()):
        return found
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return InputError(
        f"{file.label}: the {kind} file cannot be read; it is damaged or cut off ({first[:200]})."
    )
