"""The file formats, and which of them a file has."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.faces import modules
from rankwell.readers import formats as folder
from rankwell.readers.failures import failures_explained
from rankwell.readers.files import File

TREC = "trec"
OTHER_NAMES = {
    ".text": TREC, ".qrel": TREC, ".libsvm": "letor", ".opensearch": "elasticsearch",
}  # fmt: skip
TABLES = {
    "items": "a table of items",
    "log": "a log",
    "queries": "texts of queries",
    "sample": "the frame of a sample",
    "users": "a table of users",
}
"""The kinds of whole tables, as messages call them."""


def formats() -> tuple[str, ...]:
    """Return the names of the file formats."""
    return modules(folder)


def reader(name: str) -> Any:
    """Return what reads a format: its module, or the shape that the module describes."""
    if name not in formats():
        suffix = f".{name.lower().lstrip('.')}"
        meant = OTHER_NAMES.get(suffix) or next(
            (each for each in formats() if suffix in reader(each).SUFFIXES), ""
        )
        near = f" Say format_in={brief(meant)}." if meant else nearest(name, formats())
        raise UsageError(f"There is no format {brief(name)}.{near} The formats are {', '.join(formats())}.")
    module = importlib.import_module(f"{folder.__name__}.{name}")
    return getattr(module, "SHAPE", module)


def holds(module: Any, kind: str) -> bool:
    """Whether files of a format can hold a kind of whole table: any, unless its ``TABLES`` names some."""
    return hasattr(module, "read_table") and kind in getattr(module, "TABLES", TABLES)


def not_held(file: File, form: str, kind: str) -> UsageError:
    """Return the error of a file whose format cannot hold a kind of whole table, with the formats that can."""
    suffixes = [each.SUFFIXES[0] for each in map(reader, formats()) if holds(each, kind)]
    return UsageError(
        f"{file.label}: {form} files cannot hold {TABLES[kind]}. Give it as {one_of(suffixes)}."
    )


def form_of(file: File, format_in: str | None, columns: Mapping[str, str]) -> tuple[str, str]:
    """Return the format of a file and why: as it was said, or as it looks; lines of TREC text whose columns are named are a table."""
    if format_in:
        return format_in, "as given"
    found, why = guess(file)
    return ("delimited", "as its columns are named") if found == TREC and len(columns) else (found, why)


def guess(file: File) -> tuple[str, str]:
    """Return the format of a file and why: by its first bytes, else by its name, else TREC text."""
    # most files are TREC text, and no file has two formats: then none of the other readers is imported
    names = sorted(formats(), key=lambda name: name != TREC)
    for name in names:
        with failures_explained(file, name):
            if reader(name).recognises(file.head):
                return name, "by its first bytes"
    for name in names:
        with failures_explained(file, name):
            if file.stem.endswith(reader(name).SUFFIXES):
                return name, "by its name"
    return TREC, "as no other format fits"
