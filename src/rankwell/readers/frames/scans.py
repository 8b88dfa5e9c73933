"""Tables that Polars reads: in files, at addresses, and in folders of Parquet, also partitioned as by Hive; its errors become one line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import InputError, RankwellError, UsageError, brief, one_of
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.paths import ADDRESS, refuse_whole_disk
from rankwell.readers.frames.pieces import PIECE, Frames, PartFrames

if TYPE_CHECKING:
    import polars as pl

PARQUET = "**/*.parquet"
SUFFIXES = (".parquet", ".pq", ".csv", ".tsv", ".jsonl", ".ndjson", ".arrow", ".ipc")
OTHER_TABLES = frozenset((".pq", ".csv", ".tsv", ".psv", ".jsonl", ".ndjson", ".arrow", ".feather", ".ipc"))
Diagnose = Callable[[], RankwellError | None]


def is_scanned(source: Any) -> bool:
    """Whether a source is an address, or a folder that holds Parquet files."""
    if isinstance(source, str) and ADDRESS.match(source):
        return True
    if not isinstance(source, (str, os.PathLike)):
        return False
    # os.path, unlike Path, takes any text for a name
    if not os.path.isdir(source):  # noqa: PTH112
        return False
    refuse_whole_disk(source)
    return next(Path(source).glob(PARQUET), None) is not None


def scan_table(source: str | os.PathLike[str]) -> pl.LazyFrame:
    """Return the table at an address, or in a folder; of a folder partitioned as by Hive with the columns that its names hold.

    UsageError if the suffix of an address is not that of a table; InputError if the table cannot be read.
    """
    import polars as pl

    text = os.fspath(source)
    with polars_errors(text):
        if ADDRESS.match(text):
            table = _at(text)
        else:
            _refuse_other_rows(Path(text))
            table = pl.scan_parquet(Path(text) / PARQUET, hive_partitioning=True)
        table.collect_schema()
    return table


def _refuse_other_rows(folder: Path) -> None:
    """Raise InputError for a folder in which not all Parquet files, and not only these, are the table."""
    names = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    removed = [name for name in names if name.match("_delta_log/*.json")]
    if any(b'"remove":' in (folder / name).read_bytes() for name in removed):
        raise InputError(
            f"{folder}: a table of Delta Lake that removed files, which are still there. Give polars.read_delta({brief(str(folder))})."
        )
    shown = [name for name in names if not any(part.startswith((".", "_")) for part in name.parts)]
    if others := [name for name in shown if OTHER_TABLES.intersection(map(str.lower, name.suffixes))]:
        raise InputError(
            f"{folder}: holds Parquet and other tables, such as {others[0]}, which would not be read. Name one kind: "
            f"'{folder / '*.parquet'}'."
        )


def _at(address: str) -> pl.LazyFrame:
    import polars as pl

    suffix = Path(address.split("?", 1)[0]).suffix.lower()
    if suffix in (".parquet", ".pq", "") or "*" in address:
        return pl.scan_parquet(address)
    if suffix in (".csv", ".tsv"):
        return pl.scan_csv(address, separator="\t" if suffix == ".tsv" else ",", infer_schema=False)
    if suffix in (".jsonl", ".ndjson"):
        return pl.scan_ndjson(address)
    if suffix in (".arrow", ".ipc"):
        return pl.scan_ipc(address)
    raise UsageError(
        f"{address}: of tables at an address the suffix tells the format; it is one of {one_of(SUFFIXES)}."
    )


@contextmanager
def polars_errors(label: str) -> Iterator[None]:
    """Turn what Polars raises at a table into one line; errors of rankwell stay as they are."""
    import polars as pl

    try:
        yield
    except RankwellError:
        raise
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        if Path(label).is_dir() and isinstance(error, pl.exceptions.SchemaError):
            raise InputError(
                f"{label}: is a folder whose tables have different columns. Name one of its files."
            ) from error
        raise InputError(f"{label}: cannot be read ({first[:200]}).") from error


# Files that Polars reads in pieces.


def schema_of(
    scan: Callable[[], pl.LazyFrame], file: File, kind: str, diagnose: Diagnose | None = None
) -> tuple[pl.LazyFrame, list[str]]:
    """Return a table that is read later, and the names of its columns; InputError if the file is not of its kind, or damaged."""
    import polars as pl

    try:
        table = scan()
        return table, table.collect_schema().names()
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise unreadable(file, kind, error, diagnose) from error


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

    # the empty one first, for a table without rows
    return pl.concat([pl.DataFrame(schema=schema), *table(PIECE)])


def lines_of(table: pl.LazyFrame, file: File, words: dict[str, str], kind: str, diagnose: Diagnose) -> Frames:
    """Return the wanted columns of a text in pieces, without its empty lines; a line of NDJSON that has none of them is not empty.

    All columns are read, as otherwise Polars does not see that a line has too many. ``diagnose`` looks for the line
    that Polars stumbled over.
    """

    def read(size: int) -> Iterator[pl.DataFrame]:
        import polars as pl

        for piece in _batches(table, size, file, kind, diagnose):
            if kind != "NDJSON":
                piece = piece.filter(~pl.all_horizontal(pl.all().is_null()))
            yield piece.select(words.values())

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
        raise unreadable(file, kind, error, diagnose) from error


def unreadable(file: File, kind: str, error: Exception, diagnose: Diagnose | None) -> RankwellError:
    """Return the error of a file that Polars cannot read: the line that is wrong, if it can be found."""
    if isinstance(error, RankwellError):
        return error
    file.check()
    if diagnose and (cause := diagnose()):
        return cause
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return InputError(
        f"{file.label}: the {kind} file cannot be read; it is damaged or cut off ({first[:200]})."
    )
