"""The engine by the size of the data: what would not fit into memory is evaluated part by part."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import RankwellError
from rankwell.readers.compression import COMPRESSED_SUFFIXES
from rankwell.readers.files import File
from rankwell.readers.paths import paths_of
from rankwell.readers.reading import are_files

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine

SMALL = 1 << 28  # bytes of all files for which nothing is looked at
SHARE = 0.7  # of the free memory
ROW = 40  # bytes that a row takes
TEXT, COMPRESSED = 1.5, 8.0  # bytes that one of a text takes


def engine_by_size(*sources: Any) -> tuple[Engine | None, str]:
    """Return the engine for data in files that memory may be too small for, and why; None if they fit, or nobody can tell.

    Parameters
    ----------
    sources
        The run, the judgements and the training data, as they are given.
    """
    paths = [path for source in sources for path in _paths(source)]
    if sum(path.stat().st_size for path in paths) < SMALL:
        return None, ""
    from rankwell.evaluation.engines.stream import Stream
    from rankwell.tables.machine import free_memory

    wanted, free = sum(map(_held, paths)), free_memory()
    if wanted < SHARE * free:
        return None, ""
    return Stream(), (
        f"the data need about {wanted / 2**30:.1f} GiB in memory, of which {free / 2**30:.1f} are free, so they are evaluated part by "
        f"part (engine='stream')."
    )


def _paths(source: Any) -> list[Path]:
    """The files of a source that are there; what is wrong with others is told when they are read."""
    if not are_files(source):
        return []
    given = source if isinstance(source, (list, tuple)) else [source]
    try:
        named = [path for each in given if not isinstance(each, File) for path in paths_of(each)]
    except RankwellError:
        return []
    return [Path(path) for path in named if os.path.isfile(path)]  # noqa: PTH113 - takes any text for a name


def _held(path: Path) -> float:
    """About the bytes that the rows of a file take in memory."""
    if path.suffix.lower() in (".parquet", ".pq"):
        import polars as pl

        try:
            return ROW * float(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())
        except (OSError, ValueError, pl.exceptions.PolarsError):
            return 0.0  # told when it is read
    return path.stat().st_size * (COMPRESSED if path.suffix.lower() in COMPRESSED_SUFFIXES else TEXT)
