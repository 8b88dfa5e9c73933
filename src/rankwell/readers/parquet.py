"""Parquet files with named columns; only the columns that matter are read, a run in batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rankwell.errors import InputError
from rankwell.readers import frames
from rankwell.tables import Items, Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".parquet", ".pq")


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_run(path: Path, *, name: str) -> Run:
    """Return the run in a Parquet file; its rows are read when somebody looks."""
    return frames.run_of_frames(*_open(path, ("query", "item", "score", "rank")), name, _rows(path))


def read_qrels(path: Path, *, name: str) -> Qrels:
    """Return the judgements in a Parquet file."""
    pieces, words = _open(path, ("query", "item", "grade", "topic"))
    return Qrels(**frames.whole_columns(pieces, words, name, _rows(path)), name=name)


def read_items(path: Path, *, name: str) -> Items:
    """Return the catalogue in a Parquet file."""
    return Items(frames.whole_columns(*_open(path, ("item",)), name)["item"], name=name)


def _open(path: Path, wanted: tuple[str, ...]) -> tuple[frames.Frames, dict[str, str]]:
    """The pieces of a file, and which of its columns are wanted."""
    import polars as pl

    try:
        words = frames.words_of(pl.read_parquet_schema(path), wanted, str(path))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(path, error) from error

    def pieces(size: int) -> Iterator[pl.DataFrame]:
        table = pl.scan_parquet(path, glob=False).select(words.values())
        try:
            yield from table.collect_batches(chunk_size=size, maintain_order=True, lazy=True)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise _unreadable(path, error) from error

    return pieces, words


def _rows(path: Path) -> int:
    """The number of rows, which the file says at its end."""
    import polars as pl

    return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())


def _unreadable(path: Path, error: Exception) -> InputError:
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return InputError(f"{path}: the Parquet file cannot be read ({first}).")
