"""Writers of cleaned copies, one for each format."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.output import whole_file
from rankwell.errors import InputError, UsageError
from rankwell.readers.compression import COMPRESSED_SUFFIXES
from rankwell.readers.detection import guess
from rankwell.readers.system_names import short_name
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = {".tsv": "\t", ".psv": "|"}
LEAST_PLAIN = 1e-4  # Python prints smaller fractions with an exponent
MOST_WHOLE = 1e15  # whole numbers below it are printed without a point


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
    if os.path.exists(target):  # noqa: PTH110 - unlike Path, of names that are too long, too
        raise UsageError(f"{target}: is there already. Name an empty folder for cleaned copies.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{folder}: cannot be written ({getattr(error, 'strerror', None) or error})."
        ) from error
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
        return f"{short_name(source.name)}{f'_and_{others}_more' * (others > 0)}.{form}", form
    file = source.files[0]
    name = "stdin" if file.path is None else file.name
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    form = guess(file)[0]
    return (name, form) if form in WRITERS or form == "delimited" else (f"{name}.parquet", "parquet")


def _trec(table: pl.DataFrame, path: Path) -> None:
    import polars as pl

    if "score" in table.columns:
        rank = pl.int_range(1, pl.len() + 1).over("query").alias("rank")
        q0, tag = pl.lit("Q0").alias("Q0"), pl.lit("cleaned").alias("tag")
        _rows(table.select("query", q0, "item", rank, _printed(table["score"]), tag), path)
    else:
        _rows(table.select("query", "topic", "item", _printed(table["grade"])), path)


def _prefs(table: pl.DataFrame, path: Path) -> None:
    _rows(table.select("query", "topic", "subgroup", "item", _printed(table["grade"])), path)


def _rows(table: pl.DataFrame, path: Path) -> None:
    table.write_csv(path, include_header=False, separator=" ", quote_style="never")


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
    import polars as pl

    query, item, number = table.columns
    cells = table.select(query, item, _printed(table[number]))
    _rows(cells.select(pl.concat_str(pl.all(), separator="::")), path)


def _printed(numbers: pl.Series) -> pl.Series:
    """Numbers as ``_number`` prints them. Polars prints most of them so too, but not those with an exponent."""
    import polars as pl

    if numbers.dtype.is_integer():
        return numbers.cast(pl.String)
    values = numbers.to_numpy()
    size = np.abs(values)
    is_whole = (values == np.trunc(values)) & (size < MOST_WHOLE)
    whole = numbers.cast(pl.Int64, strict=False).cast(pl.String)
    printed = whole.zip_with(pl.Series(is_whole), numbers.cast(pl.String))
    others = np.flatnonzero(~is_whole & ~((size >= LEAST_PLAIN) & (size < MOST_WHOLE)))
    return printed.scatter(others, [_number(value) for value in values[others].tolist()])


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < MOST_WHOLE else repr(value)


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "arrow": lambda table, path: table.write_ipc(path),
    "json": _json,
    "movielens": _double_colons,
    "ndjson": lambda table, path: table.write_ndjson(path),
    "parquet": lambda table, path: table.write_parquet(path),
    "prefs": _prefs,
    "trec": _trec,
}
