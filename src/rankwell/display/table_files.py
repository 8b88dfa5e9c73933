"""Tables written atomically to files; the suffix of the name sets the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rankwell.display.output import whole_file
from rankwell.errors import UsageError, nearest, one_of

if TYPE_CHECKING:
    import polars as pl

WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    ".csv": lambda table, path: table.write_csv(path),
    ".tsv": lambda table, path: table.write_csv(path, separator="\t"),
    ".parquet": lambda table, path: table.write_parquet(path),
    ".arrow": lambda table, path: table.write_ipc(path),
    ".jsonl": lambda table, path: table.write_ndjson(path),
}


def refuse_format(path: str | Path) -> None:
    """Raise UsageError if a file name does not end in the suffix of a format."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise UsageError(
            f"{path}: tables are written as {one_of(WRITERS)}, by the suffix of the name.{nearest(suffix, WRITERS)}"
        )


def save(table: pl.DataFrame, path: str | Path) -> None:
    """Write a table.

    Raises
    ------
    UsageError
        If the name does not end in the suffix of a format.
    InputError
        If the file cannot be written.
    """
    refuse_format(path)
    with whole_file(path) as whole:
        WRITERS[Path(path).suffix.lower()](table, whole)
