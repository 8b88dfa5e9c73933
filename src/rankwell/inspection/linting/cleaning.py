"""Cleaned copies: copies of an item removed, white space around ids removed, lists in order, every line ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.output import whole_file
from rankwell.errors import InputError, UsageError
from rankwell.inspection.linting.data import QrelsData, RunData
from rankwell.kernels import match, order
from rankwell.readers.files import COMPRESSED_SUFFIXES
from rankwell.tables.csr import places_of
from rankwell.tables.ids import NO_TEXT, Ids

if TYPE_CHECKING:
    import polars as pl


def clean_run(run: RunData) -> pl.DataFrame:
    """Return the rows of a run, the best copy of each item kept, each list from its best row to its worst."""
    import polars as pl

    lists = run.lists
    items, queries = _stripped(lists.items), _stripped(lists.queries)
    lost, nobody = np.zeros(lists.rows, np.uint8), np.full(len(queries), -1)
    none = Ids.of_spans(NO_TEXT, np.empty(0, np.int64), np.empty(0, np.int32))
    match.hits(lists.offsets, lists.score, *items.columns, nobody, np.zeros(1, np.int64), *none.columns, lost)
    rows = np.arange(lists.rows)
    order.sort(rows, lists.offsets, lists.score, *items.columns, order.TIE_RULES["item-desc"])
    rows = rows[lost[rows] == 0]
    query = run.list_of[rows]
    rank = places_of(np.bincount(query, minlength=len(queries)))
    columns = {"query": queries[query].tolist(), "item": items[rows].tolist(), "rank": rank}
    return pl.DataFrame(columns if run.columns.by_rank else columns | {"score": lists.score[rows]})


def clean_qrels(qrels: QrelsData) -> pl.DataFrame:
    """Return the judgements, the highest grade of each (query, item, topic, subgroup) kept."""
    import polars as pl

    given = qrels.qrels
    columns: dict[str, Any] = {
        "query": _stripped(given.query).tolist(),
        "item": _stripped(given.item).tolist(),
    }
    keys = ["query", "item"]
    for word, column in (("topic", given.topic), ("subgroup", given.subgroup)):
        if column is not None:
            columns[word] = column.tolist()
            keys.append(word)
    if given.grade is not None:
        columns["grade"] = given.grade
    table = pl.DataFrame(columns)
    if given.grade is None:
        return table.unique(keep="first", maintain_order=True)
    return table.group_by(keys, maintain_order=True).agg(pl.col("grade").max())


def write_clean(table: pl.DataFrame, name: str, folder: Path) -> Path:
    """Write a cleaned table in the format of its name, uncompressed; the file appears when it is whole.

    Raises
    ------
    InputError
        If it cannot be written.
    UsageError
        If it would replace a file that is there.
    """
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    target = folder / name
    if target.exists():
        raise UsageError(f"{target}: is there already; give --fix an empty folder.")
    write = WRITERS.get(target.suffix.lower(), _trec)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror}).") from error
    with whole_file(target) as whole:
        write(table, whole)
    return target


def _stripped(ids: Ids) -> Ids:
    """The ids without white space around them."""
    if not ids.is_text:
        return ids
    return Ids.of([str(each).strip() for each in ids.tolist()])


def _trec(table: pl.DataFrame, path: Path) -> None:
    has_grade = "grade" in table.columns or not {"score", "rank"} & set(table.columns)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in table.iter_rows(named=True):
            if has_grade:
                grade = row.get("grade", 1.0)
                parts = (
                    f"{row.get('topic', 0)} {row['subgroup']}" if "subgroup" in row else row.get("topic", 0)
                )
                file.write(f"{row['query']} {parts} {row['item']} {_number(grade)}\n")
            else:
                score = row.get("score", -row["rank"])
                file.write(f"{row['query']} Q0 {row['item']} {row['rank']} {_number(score)} cleaned\n")


def _json(table: pl.DataFrame, path: Path) -> None:
    lists: dict[str, dict[str, float]] = {}
    for row in table.iter_rows(named=True):
        number = row.get("score", row.get("grade", 1.0 if "rank" not in row else -row["rank"]))
        lists.setdefault(str(row["query"]), {})[str(row["item"])] = number
    path.write_text(json.dumps(lists, ensure_ascii=False), encoding="utf-8")


def _double_colons(table: pl.DataFrame, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in table.iter_rows(named=True):
            file.write(f"{row['query']}::{row['item']}::{_number(row.get('score', row.get('grade', 1.0)))}\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    ".csv": lambda table, path: table.write_csv(path),
    ".tsv": lambda table, path: table.write_csv(path, separator="\t"),
    ".psv": lambda table, path: table.write_csv(path, separator="|"),
    ".parquet": lambda table, path: table.write_parquet(path),
    ".pq": lambda table, path: table.write_parquet(path),
    ".arrow": lambda table, path: table.write_ipc(path),
    ".arrows": lambda table, path: table.write_ipc(path),
    ".ipc": lambda table, path: table.write_ipc(path),
    ".feather": lambda table, path: table.write_ipc(path),
    ".jsonl": lambda table, path: table.write_ndjson(path),
    ".ndjson": lambda table, path: table.write_ndjson(path),
    ".json": _json,
    ".dat": _double_colons,
}
