"""Files that Polars reads: pieces of a table, and its errors in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rankwell.errors import InputError, RankwellError
from rankwell.readers.files import File
from rankwell.readers.frames import Frames

if TYPE_CHECKING:
    import polars as pl

Diagnose = Callable[[], RankwellError | None]


def schema_of(
    scan: Callable[[], pl.LazyFrame], file: File, kind: str, diagnose: Diagnose | None = None
) -> tuple[pl.LazyFrame, list[str]]:
    """Return a table that is read later, and the names of its columns.

    Raises
    ------
    InputError
        If the file is not of its kind, or damaged.
    """
    import polars as pl

    try:
        table = scan()
        return table, table.collect_schema().names()
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise _explained(file, kind, error, diagnose) from error


def pieces(
    table: pl.LazyFrame,
    file: File,
    words: dict[str, str],
    kind: str = "Parquet",
    diagnose: Diagnose | None = None,
) -> Frames:
    """Return the wanted columns of a table in pieces; ``diagnose`` looks for the line that Polars stumbled over."""
    import polars as pl

    def read(size: int) -> Iterator[pl.DataFrame]:
        try:
            wanted = table.select(words.values())
            for piece in wanted.collect_batches(chunk_size=size, maintain_order=True, lazy=True):
                file.check()
                yield piece
        except (OSError, ValueError, pl.exceptions.PolarsError) as error:
            raise _explained(file, kind, error, diagnose) from error

    return read


def _explained(file: File, kind: str, error: Exception, diagnose: Diagnose | None) -> RankwellError:
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
