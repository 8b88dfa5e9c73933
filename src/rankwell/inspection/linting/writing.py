"""Writers of cleaned copies, one for each format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.display.output import whole_file
from rankwell.errors import InputError, UsageError
from rankwell.readers.compression import COMPRESSED_SUFFIXES
from rankwell.readers.detection import guess
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = {".tsv": "\t", ".psv": "|"}


def write_copy(table: pl.DataFrame, source: Run | Qrels, folder: Path) -> Path:
    """Write a table in the format of its source, uncompressed; the file appears when it is whole.

    Raises
    ------
    InputError
        If it cannot be written.
    UsageError
        If it would replace a file.
    """
    name, form = _name_and_format(source)
    target = folder / name
    if target.exists():
        raise UsageError(f"{target}: is there already. Name an empty folder for cleaned copies.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror}).") from error
    with whole_file(target) as whole:
        if form == "delimited":
            table.write_csv(whole, separator=SEPARATORS.get(target.suffix.lower(), ","))
        else:
            WRITERS[form](table, whole)
    return target


def _name_and_format(source: Run | Qrels) -> tuple[str, str]:
    """The name of a copy and the format it is written in: Parquet for what is no file, or several."""
    others = len(source.files) - 1
    if others:
        is_preference = isinstance(source, Qrels) and source.subgroup is not None
        form = "prefs" if is_preference else "parquet"
        return f"{Path(source.name).stem}{f'_and_{others}_more' * (others > 0)}.{form}", form
    file = source.files[0]
    name = "stdin" if file.path is None else file.name
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    form = guess(file)[0]
    return (name, form) if form in WRITERS or form == "delimited" else (f"{name}.parquet", "parquet")


def _trec(table: pl.DataFrame, path: Path) -> None:
    ranks: dict[Any, int] = {}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in table.iter_rows(named=True):
            query, item = row["query"], row["item"]
            if "score" in row:
                ranks[query] = ranks.get(query, 0) + 1
                file.write(f"{query} Q0 {item} {ranks[query]} {_number(row['score'])} cleaned\n")
            else:
                file.write(f"{query} {row['topic']} {item} {_number(row['grade'])}\n")


def _prefs(table: pl.DataFrame, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in table.iter_rows(named=True):
            ids = " ".join(str(row[word]) for word in ("query", "topic", "subgroup", "item"))
            file.write(f"{ids} {_number(row['grade'])}\n")


def _json(table: pl.DataFrame, path: Path) -> None:
    """An object of lists or of numbers where that holds all, else records."""
    numbers = table.columns[2:]
    if not table["query"].dtype.is_integer() and numbers in ([], ["rank"], ["score"], ["grade"]):
        lists: dict[str, Any] = {}
        for query, item, *number in table.iter_rows():
            if numbers in ([], ["rank"]):
                lists.setdefault(query, []).append(item)
            else:
                lists.setdefault(query, {})[str(item)] = number[0]
        path.write_text(json.dumps(lists, ensure_ascii=False), encoding="utf-8")
    else:
        table.write_json(path)


def _double_colons(table: pl.DataFrame, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for query, item, number in table.iter_rows():
            file.write(f"{query}::{item}::{_number(number)}\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "arrow": lambda table, path: table.write_ipc(path),
    "json": _json,
    "movielens": _double_colons,
    "ndjson": lambda table, path: table.write_ndjson(path),
    "parquet": lambda table, path: table.write_parquet(path),
    "prefs": _prefs,
    "trec": _trec,
}
