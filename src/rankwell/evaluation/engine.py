"""Engines: what they do, found by their names or by the size of the data."""

from __future__ import annotations

import importlib
import os
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from rankwell.errors import RankwellError, UsageError, brief, nearest, one_of
from rankwell.evaluation.task import Task
from rankwell.faces import modules
from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES
from rankwell.readers.bytes.paths import OpenFile, paths_of
from rankwell.readers.frames.in_memory import is_spark
from rankwell.readers.sources import are_files
from rankwell.results.part import Part
from rankwell.tables.run_qrels import Run

FOLDER = importlib.import_module(f"{__package__}.engines")  # by its name, as engines build on this file
DEFAULT = "memory"
NAMES = (str, os.PathLike, list, tuple)  # of files, perhaps
SMALL = 1 << 28  # bytes of all files for which nothing is looked at
SHARE = 0.7  # of the free memory
ROW = 40  # bytes that a row of Parquet takes in memory
TEXT, COMPRESSED = 1.5, 8.0  # bytes in memory for each byte of a file


class Engine(Protocol):
    """Runs a task over a run."""

    @property
    def name(self) -> str:
        """The name that ``engine=`` knows it by."""

    @property
    def opens(self) -> bool:
        """Whether it reads judgements and training data itself, in pieces."""

    def source(self, given: Any) -> Any:
        """Return what is read in place of a source, if the engine ``opens`` them: the same, unless it reads this one itself."""

    def run(self, run: Run, task: Task, threads: int | None) -> Part:
        """Return the sum of the parts of all queries."""


def engines() -> tuple[str, ...]:
    """Return the names of the engines."""
    return modules(FOLDER)


def engine_of(wanted: str | Engine | None, *sources: Any, per_query: Any = True) -> Engine:
    """Return the engine of this name, or the engine itself if one is given.

    None means ``memory``; or ``stream``, if values per query are to be written to a file, or the sources are files that do not fit
    into memory, of which a warning tells. UsageError if no engine has this name.
    """
    if wanted is not None and not isinstance(wanted, str):
        if isinstance(wanted, type) or not (
            callable(getattr(wanted, "run", None)) and hasattr(wanted, "opens")
        ):
            raise UsageError(
                f"engine={brief(wanted)}: must be {one_of(engines())}, or an engine such as rw.Stream(memory='4GiB')."
            )
        return wanted
    if wanted is None and per_query is not True and isinstance(per_query, (str, os.PathLike)):
        wanted = "stream"
    tables = [source for source in sources if type(source) is not dict and source is not None]
    if wanted is None and tables:
        if any(map(is_spark, tables)):
            wanted = "spark"
        elif any(isinstance(source, NAMES) for source in tables) and (why := too_large(*sources)):
            import warnings

            warnings.warn(why, stacklevel=3)
            wanted = "stream"
    return _usual() if wanted is None else class_of(wanted)()


@cache
def _usual() -> Engine:
    """The engine of most calls, which nothing changes."""
    return class_of(DEFAULT)()


def class_of(name: str) -> Any:
    """Return the class of an engine, which is called as its file or folder; UsageError if no engine has this name."""
    if name != DEFAULT and name not in (names := engines()):
        raise UsageError(f"engine={brief(name)}: unknown engine; use {one_of(names)}.{nearest(name, names)}")
    return getattr(importlib.import_module(f"{FOLDER.__name__}.{name}"), name.capitalize())


def too_large(*sources: Any) -> str:
    """Return why a run, judgements and training data in files are for ``stream``; empty if memory holds them, or nobody can tell."""
    paths = [path for source in sources for path in _paths(source)]
    if sum(path.stat().st_size for path in paths) < SMALL:
        return ""
    from rankwell.tables.machine import free_memory

    needed, free = sum(map(_bytes_in_memory, paths)), free_memory()
    if needed < SHARE * free:
        return ""
    return (
        f"the data need about {needed / 2**30:.1f} GiB in memory, of which {free / 2**30:.1f} are free, so they are evaluated part by "
        f"part (engine='stream')."
    )


def _paths(source: Any) -> list[Path]:
    """The files of a source that are there; what is wrong with others is told when they are read."""
    if not are_files(source):
        return []
    parts = source if isinstance(source, (list, tuple)) else [source]
    try:
        paths = [path for part in parts if not isinstance(part, OpenFile) for path in paths_of(part)]
    except RankwellError:
        return []
    return [Path(path) for path in paths if os.path.isfile(path)]  # noqa: PTH113 - takes any text for a name


def _bytes_in_memory(path: Path) -> float:
    """About the bytes that the rows of a file take in memory."""
    if path.suffix.lower() in (".parquet", ".pq"):
        import polars as pl

        try:
            return ROW * float(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())
        except (OSError, ValueError, pl.exceptions.PolarsError):
            return 0.0  # told when it is read
    return path.stat().st_size * (COMPRESSED if path.suffix.lower() in COMPRESSED_SUFFIXES else TEXT)
