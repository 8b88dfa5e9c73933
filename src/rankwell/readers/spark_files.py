"""Files and tables that Spark reads itself: Parquet, and tables of its catalogue by name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankwell.errors import InputError, brief

PARQUET = ".parquet", ".pq"
TABLE = re.compile(r"[^\s./\\*?]+(\.[^\s./\\*?]+){0,2}")  # catalogue.schema.table


def read_by_spark(session: Callable[[], Any], name: str) -> Any:
    """Return the DataFrame that Spark reads from Parquet (a file, a folder, a pattern, an address) or a table; else the name.

    Parameters
    ----------
    session
        What opens the session.
    name
        A path, an address, or the name of a table: ``table``, ``schema.table`` or ``catalogue.schema.table``.

    Raises
    ------
    InputError
        If neither this machine nor Spark has it.
    """
    path = Path(name)
    is_here = path.exists()
    if name.endswith(PARQUET) or (is_here and path.is_dir()) or ("://" in name and not path.suffix):
        return _parquet(session(), name, is_here)
    if is_here or "://" in name or not TABLE.fullmatch(name):
        return name
    opened = session()
    if opened.catalog.tableExists(name):
        return opened.table(name)
    raise InputError(
        f"{brief(name)}: neither a file on this machine nor a table of the session. Give a path, or the name of a table "
        f"(schema.table)."
    )


def _parquet(session: Any, name: str, is_here: bool) -> Any:
    from pyspark.errors import PySparkException

    try:
        frame = session.read.parquet(name if "://" in name else str(Path(name).absolute()))
        frame.schema  # noqa: B018 - is only read now
    except PySparkException as error:
        if is_here:  # the cluster sees other files than this machine
            warnings.warn(f"{name}: Spark does not see this file, so it is read here and sent.", stacklevel=2)
            return name
        raise InputError(f"{name}: Spark cannot read it ({_first_line(error)}).") from error
    return frame


def _first_line(error: Exception) -> str:
    return brief(str(error).strip().splitlines()[0])
