"""The engine by the size of the data: what would not fit into memory is evaluated part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankwell.errors import RankwellError
from rankwell.readers.reading import are_files, files_of

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine
    from rankwell.readers.files import File

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
    files = [file for source in sources if are_files(source) for file in _files(source)]
    if sum(file.size for file in files) < SMALL:
        return None, ""
    from rankwell.evaluation.engines.stream import Stream
    from rankwell.tables.room import free_memory

    wanted, free = sum(map(_held, files)), free_memory()
    if wanted < SHARE * free:
        return None, ""
    return Stream(), (
        f"the data need about {wanted / 2**30:.1f} GiB in memory, of which {free / 2**30:.1f} are free, so they are evaluated part by "
        f"part (engine='stream')."
    )


def _files(source: Any) -> list[File]:
    given = source if isinstance(source, (list, tuple)) else [source]
    try:
        return [file for each in given for file in files_of(each)]
    except RankwellError:
        return []  # told when it is read


def _held(file: File) -> float:
    """About the bytes that the rows of a file take in memory."""
    if file.head.startswith(b"PAR1"):
        import polars as pl

        try:
            return ROW * float(pl.scan_parquet(file.source(), glob=False).select(pl.len()).collect().item())
        except (OSError, ValueError, pl.exceptions.PolarsError):
            return 0.0  # told when it is read
    return file.size * (COMPRESSED if file.compression else TEXT)
