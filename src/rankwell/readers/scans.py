"""Tables that Polars finds itself: in an object store or on a web server, and folders of Parquet, also partitioned as by Hive."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import InputError, RankwellError, UsageError, one_of

if TYPE_CHECKING:
    import polars as pl

ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")
PARQUET = "**/*.parquet"
SUFFIXES = (".parquet", ".pq", ".csv", ".tsv", ".jsonl", ".ndjson", ".arrow", ".ipc")


def refuse_whole_disk(source: str | os.PathLike[str]) -> None:
    """Refuse a folder or a pattern below which is everything, before it is walked for minutes.

    Raises
    ------
    InputError
        If it is the root of the file system, a pattern with ``**`` from there on, or one that ends with ``**``.

    Examples
    --------
    >>> refuse_whole_disk("runs/**/*.parquet")
    >>> refuse_whole_disk("**")
    Traceback (most recent call last):
        ...
    rankwell.errors.InputError: **: names all files of all folders; say which, such as runs/*.parquet.
    """
    path = Path(source)
    if "**" in path.parts:
        first = path.parts[: path.parts.index("**")]
        if path.parts[-1] == "**" or (first and _is_root(Path(*first))):
            raise InputError(f"{source}: names all files of all folders; say which, such as runs/*.parquet.")
    elif _is_root(path):
        raise InputError(f"{source}: is the whole disk; name a file or a folder.")


def _is_root(path: Path) -> bool:
    # what has no name is short, unlike text that is no path at all
    return path.name in ("", "..") and path != Path() and path.resolve() == Path(path.resolve().anchor)


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


def scanned(source: str | os.PathLike[str]) -> pl.LazyFrame:
    """Return the table at an address, or in a folder; of a folder partitioned as by Hive with the columns that its names hold.

    UsageError if the suffix of an address is not that of a table; InputError if the table cannot be read.
    """
    import polars as pl

    text = os.fspath(source)
    with explained(text):
        if ADDRESS.match(text):
            table = _at(text)
        else:
            table = pl.scan_parquet(Path(text) / PARQUET, hive_partitioning=True)
        table.collect_schema()
    return table


@contextmanager
def explained(label: str) -> Iterator[None]:
    """Turn what Polars raises at a table into one line; errors of rankwell stay as they are."""
    import polars as pl

    try:
        yield
    except RankwellError:
        raise
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"{label}: cannot be read ({first[:200]}).") from error


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
