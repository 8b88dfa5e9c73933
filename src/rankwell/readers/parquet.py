"""Parquet files with named columns; only the columns that matter are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rankwell.errors import InputError
from rankwell.readers import frames
from rankwell.tables import Items, Qrels, Run

SUFFIXES = (".parquet", ".pq")


def recognises(start: bytes) -> bool:
    """Whether a file begins like Parquet."""
    return start.startswith(b"PAR1")


def read_run(path: Path, *, name: str) -> Run:
    """Return the run in a Parquet file."""
    return frames.run_of(_frame(path, ("query", "item", "score", "rank")), name=name)


def read_qrels(path: Path, *, name: str) -> Qrels:
    """Return the judgements in a Parquet file."""
    return frames.qrels_of(_frame(path, ("query", "item", "grade", "topic")), name=name)


def read_items(path: Path, *, name: str) -> Items:
    """Return the catalogue in a Parquet file."""
    return frames.items_of(_frame(path, ("item",)), name=name)


def _frame(path: Path, wanted: tuple[str, ...]) -> Any:
    import polars as pl

    try:
        columns = frames.words_of(pl.read_parquet_schema(path), wanted, str(path))
        return pl.read_parquet(path, columns=list(columns.values()))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: the Parquet file cannot be read ({error}).") from error
