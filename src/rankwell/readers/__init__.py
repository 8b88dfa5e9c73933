"""Where data come from: one file per format, found by its name; anything else is turned into a table here.

A format's file has ``SUFFIXES``, ``recognises(start: bytes) -> bool``, ``read_run(path)``, ``read_qrels(path)`` and,
if it can, ``read_items(path)``. A heavy library is imported inside these functions.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from rankwell.errors import InputError, UsageError, nearest, one_of
from rankwell.tables import Items, Qrels, Run

_INTERNAL = ("frames", "mapping")


def formats() -> list[str]:
    """Return the names of the file formats."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _INTERNAL)


def reader(name: str) -> ModuleType:
    """Return the module of a format."""
    if name not in formats():
        raise UsageError(f"There is no format {name!r}; it is {one_of(formats())}.{nearest(name, formats())}")
    return importlib.import_module(f"{__name__}.{name}")


def guess(path: Path) -> str:
    """Return the format of a file: by its first bytes, else by its name, else TREC text.

    Raises
    ------
    InputError
        If the file cannot be read or is empty.
    """
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    if not start:
        raise InputError(f"{path}: the file is empty.")
    modules = {name: reader(name) for name in formats()}
    for name, module in modules.items():
        if module.recognises(start):
            return name
    suffixes = "".join(path.suffixes).lower()
    return next((name for name, module in modules.items() if suffixes.endswith(module.SUFFIXES)), "trec")


def read_run(source: Any, *, name: str | None = None) -> Run:
    """Read a run from a file, a dict, a table or a Run.

    Parameters
    ----------
    source
        A path (TREC text, also gzipped; Parquet); ``{query: {item: score}}`` or ``{query: [item, …]}`` best first;
        any table with the Arrow PyCapsule interface (Polars, pandas, pyarrow, DuckDB) with columns query, item and
        score or rank, under these or other usual names; or a Run.
    name
        What the run is called; default the file's name.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, holds wrong content, or is of no known kind.

    Examples
    --------
    >>> read_run({"1": {"a": 2.5, "b": 1.0}})
    Run 'run': 2 rows
    """
    return _read(source, "run", Run, name)


def read_qrels(source: Any, *, name: str | None = None) -> Qrels:
    """Read judgements from a file, a dict, a table or Qrels.

    Parameters
    ----------
    source
        A path (TREC text, also gzipped; Parquet); ``{query: {item: grade}}`` or ``{query: [item, …]}`` (each a 1);
        a table with columns query, item and grade (and topic), under these or other usual names; or Qrels.
    name
        What the qrels are called in messages; default the file's name.

    Raises
    ------
    InputError, DataError, UsageError
        If the source cannot be read, holds wrong content, or is of no known kind.

    Examples
    --------
    >>> read_qrels({"1": {"a": 1, "b": 0}})
    Qrels 'qrels': 2 rows
    """
    return _read(source, "qrels", Qrels, name)


def read_items(source: Any, *, name: str | None = None) -> Items:
    """Read a catalogue from a file, a list of ids, a table with an item column, or Items.

    Examples
    --------
    >>> read_items(["a", "b"])
    Items 'items': 2 items
    """
    if isinstance(source, (list, tuple, set, frozenset, range)):
        return Items(
            sorted(source) if isinstance(source, (set, frozenset)) else list(source), name=name or "items"
        )
    return _read(source, "items", Items, name)


def _read(source: Any, kind: str, cls: type[Any], name: str | None) -> Any:
    if isinstance(source, cls):
        return source
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        module = reader(guess(path))
        function = getattr(module, f"read_{kind}", None)
        if function is None:
            raise UsageError(f"{path}: {module.__name__.rpartition('.')[2]} files cannot hold {kind}.")
        return function(path, name=name or path.name)
    if isinstance(source, Mapping) and kind != "items":
        from rankwell.readers import mapping

        return getattr(mapping, f"{kind}_of")(source, name=name or kind)
    if hasattr(source, "__arrow_c_stream__") or type(source).__module__.partition(".")[0] == "polars":
        from rankwell.readers import frames

        return getattr(frames, f"{kind}_of")(source, name=name or kind)
    raise UsageError(
        f"{kind}: cannot read {type(source).__name__}. Give a path, a dict, or a table of Polars, pandas, pyarrow "
        f"or DuckDB (anything with __arrow_c_stream__)."
    )
