"""What is saved as a table or, with everything, as JSON; the suffix of the name says which."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rankwell.display.output import write
from rankwell.display.table_files import WRITERS, save
from rankwell.errors import UsageError, nearest, one_of

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (*WRITERS, ".json")


class Saved(Protocol):
    """What has a table and JSON."""

    def to_frame(self) -> pl.DataFrame:
        """Return the table."""

    def to_json(self) -> str:
        """Return everything."""


def suffix_of(path: str | Path, what: str, suffixes: Sequence[str] = SUFFIXES) -> str:
    """Return the suffix of a file name; UsageError if it is that of no format of what is written."""
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        raise UsageError(
            f"{path}: {what} are written as {one_of(suffixes)}, by the suffix of the name.{nearest(suffix, suffixes)}"
        )
    return suffix


def save_as(found: Saved, path: str | Path, suffix: str) -> None:
    """Write everything to ``.json``, or the table."""
    if suffix == ".json":
        write(found.to_json(), str(path))
    else:
        save(found.to_frame(), path)
