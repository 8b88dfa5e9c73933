"""Cleaned copies: repeated rows left out, white space around ids removed, lists in order, every line ended; and their writers, one for each format."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.findings import Finding
from rankwell.display.output import whole_file
from rankwell.errors import DataError, InputError, UsageError
from rankwell.inspection.linting.data import LintData, QrelsData, RunData
from rankwell.inspection.linting.rules import ranked_as_given
from rankwell.kernels import match, order
from rankwell.matching.policy import Policy
from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES
from rankwell.readers.bytes.paths import short_name
from rankwell.readers.registry import guess
from rankwell.tables.ids import NO_TEXT, Ids
from rankwell.tables.lists import owners, places_of
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


SEPARATORS = {".tsv": "\t", ".psv": "|"}


LEAST_PLAIN = 1e-4  # Python prints smaller fractions with an exponent


MOST_WHOLE = 1e15  # whole numbers below it are printed without a point


def write_copies(data: LintData, folder: Path) -> Iterator[Finding]:
    """Write cleaned copies of the runs and the judgements; yield a note for each that is written, or is not and why.

    Raises
    ------
    InputError
        If a copy cannot be written.
    UsageError
        If it would replace a file.
    """
    for run in data.runs:
        if run.has_parts or run.has_sizes:
            lacking = "parts" if run.has_parts else "sizes"
            yield Finding(
                "cleaned-copy", "note", run.name, f"no copy was written, as one would have no {lacking}", "Mend the rows that are named here.",
            )  # fmt: skip
            continue
        yield _write_one(run.run, run.n_rows, partial(clean_run, run, data.settings.policy), folder)
    if data.qrels is not None:
        qrels = data.qrels
        yield _write_one(qrels.qrels, len(qrels.qrels), partial(clean_qrels, qrels), folder)


def _write_one(source: Run | Qrels, rows: int, clean: Callable[[], pl.DataFrame], folder: Path) -> Finding:
    name = source.files[0].name if source.files else source.name
    if not all(file.is_whole for file in source.files):
        return Finding(
            "cleaned-copy", "note", name, "no copy was written, as some lines cannot be read",
            "Fix these lines first.",
        )  # fmt: skip
    table = clean()
    target = write_copy(table, source, folder)
    return Finding(
        "cleaned-copy", "note", str(target),
        f"written, with {len(table):,} of {rows:,} rows of {name}; columns that rankwell does not read are left out",
        "Use it in place of the original, which stays as it is.", len(table),
    )  # fmt: skip


def clean_run(run: RunData, policy: Policy) -> pl.DataFrame:
    """Return the rows of a run: of repeated items the best, each list from its best row to its worst, ranks from 1.

    Rows of equal score are in the order of the policy. A list keeps the gaps in its ranks, unless an item is removed from it.
    """
    import polars as pl

    from rankwell.readers.frames.in_memory import series_of_ids

    lists = run.lists
    items, queries = _strip(lists.items), _strip(lists.queries)
    lost, nobody = np.zeros(lists.rows, np.uint8), np.full(len(queries), -1)
    # no judgements: the kernel is only asked to mark the worse copies
    none = Ids.of_spans(NO_TEXT, np.empty(0, np.int64), np.empty(0, np.int32))
    match.hits(lists.offsets, lists.score, *items.columns, nobody, np.zeros(1, np.int64), *none.columns, lost)
    rows = np.arange(lists.rows)  # sorted in place by the kernel, list by list
    order.sort(rows, lists.offsets, lists.score, *items.columns, order.TIE_RULES[policy.row_order])
    rows = rows[lost[rows] == 0]
    query = owners(lists.offsets)[rows]
    columns: dict[str, Any] = {
        "query": series_of_ids(queries).gather(query),
        "item": series_of_ids(items[rows]),
    }
    if not run.by_rank:
        return pl.DataFrame(columns | {"score": lists.score[rows]})
    ranks = places_of(np.bincount(query, minlength=len(queries)))
    file_ranks = _given_ranks(run, policy)
    if file_ranks is not None:
        # a list that lost a copy is numbered again: the gap would be read as an item that was left out
        is_whole = np.bincount(query, minlength=len(queries)) == np.diff(lists.offsets)
        ranks = np.where(is_whole[query], file_ranks[rows], ranks)
    columns["rank"] = ranks
    if lists.given is not None:
        columns["score"] = lists.given[rows]
    return pl.DataFrame(columns)


def _given_ranks(run: RunData, policy: Policy) -> np.ndarray | None:
    """The ranks of the rows where some list has a gap; None if there are none, or they cannot count."""
    try:
        return ranked_as_given(run, replace(policy, duplicates="error")).ranks
    except DataError:
        return None


def clean_qrels(data: QrelsData) -> pl.DataFrame:
    """Return the judgements: of each (query, item, topic, subgroup) the row with the highest grade, the first of equal ones."""
    import polars as pl

    from rankwell.readers.frames.in_memory import series_of_ids

    qrels = data.qrels
    columns: dict[str, Any] = {
        "query": series_of_ids(_strip(qrels.query)),
        "item": series_of_ids(_strip(qrels.item)),
    }
    columns |= {
        word: series_of_ids(column)
        for word, column in (("topic", qrels.topic), ("subgroup", qrels.subgroup))
        if column is not None
    }
    keys = list(columns)
    for word in ("grade", "topic_weight", "propensity", "imputed"):
        if (column := getattr(qrels, word)) is not None:
            columns[word] = column.astype(np.float64)
    table = pl.DataFrame(columns)
    if qrels.grade is None:
        return table.unique(keys, keep="first", maintain_order=True)
    best = pl.all().get(pl.col("grade").arg_max())
    return table.group_by(keys, maintain_order=True).agg(best)


def _strip(ids: Ids) -> Ids:
    """The ids without white space around them, of which ASCII has no byte above that of a space."""
    if not ids.is_text:
        return ids
    has_text = ids.lengths > 0
    first = ids.starts[has_text]
    last = first + ids.lengths[has_text] - 1
    is_ascii = bool((ids.text < 128).all())
    if is_ascii and not (ids.text[first] <= 32).any() and not (ids.text[last] <= 32).any():
        return ids
    codes, firsts = ids.group()  # each distinct id is stripped once: judged items come in many rows
    return Ids.of([str(id_text).strip() for id_text in ids[firsts].tolist()])[codes]


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
    more = len(source.files) - 1
    if more:
        is_preference = isinstance(source, Qrels) and source.subgroup is not None
        form = "prefs" if is_preference else "parquet"
        return f"{short_name(source.name)}{f'_and_{more}_more' * (more > 0)}.{form}", form
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
        _rows(table.select("query", q0, "item", rank, _print_numbers(table["score"]), tag), path)
    else:
        _rows(table.select("query", "topic", "item", _print_numbers(table["grade"])), path)


def _prefs(table: pl.DataFrame, path: Path) -> None:
    _rows(table.select("query", "topic", "subgroup", "item", _print_numbers(table["grade"])), path)


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
    cells = table.select(query, item, _print_numbers(table[number]))
    _rows(cells.select(pl.concat_str(pl.all(), separator="::")), path)


def _rows(table: pl.DataFrame, path: Path) -> None:
    table.write_csv(path, include_header=False, separator=" ", quote_style="never")


def _print_numbers(numbers: pl.Series) -> pl.Series:
    """Numbers as ``_number`` prints them. Polars prints most of them so too, but not those with an exponent."""
    import polars as pl

    if numbers.dtype.is_integer():
        return numbers.cast(pl.String)
    values = numbers.to_numpy()
    size = np.abs(values)
    # grades are written 1, not 1.0, as the files of TREC have them
    is_whole = (values == np.trunc(values)) & (size < MOST_WHOLE)
    whole = numbers.cast(pl.Int64, strict=False).cast(pl.String)
    printed = whole.zip_with(pl.Series(is_whole), numbers.cast(pl.String))
    with_exponent = np.flatnonzero(~is_whole & ~((size >= LEAST_PLAIN) & (size < MOST_WHOLE)))
    return printed.scatter(with_exponent, [_number(value) for value in values[with_exponent].tolist()])


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
