"""Cleaned copies: repeated rows left out, white space around ids removed, lists in order, every line ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.findings import Finding
from rankwell.errors import DataError
from rankwell.inspection.linting.data import Data, QrelsData, RunData
from rankwell.inspection.linting.rank_columns import ranked_as_given
from rankwell.inspection.linting.writing import write_copy
from rankwell.kernels import match, order
from rankwell.matching.policy import Policy
from rankwell.tables.csr import owners, places_of
from rankwell.tables.ids import NO_TEXT, Ids
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


def write_copies(data: Data, folder: Path) -> Iterator[Finding]:
    """Write cleaned copies of the runs and the judgements; yield a note for each that is written, or is not and why.

    Raises
    ------
    InputError
        If a copy cannot be written.
    UsageError
        If it would replace a file.
    """
    for run in data.runs:
        yield _copied(run.run, len(run.rows), partial(clean_run, run, data.settings.policy), folder)
    if data.qrels is not None:
        qrels = data.qrels
        yield _copied(qrels.qrels, len(qrels.qrels), partial(clean_qrels, qrels), folder)


def _copied(source: Run | Qrels, rows: int, clean: Callable[[], pl.DataFrame], folder: Path) -> Finding:
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

    from rankwell.readers.as_frames import series_of

    lists = run.lists
    items, queries = _stripped(lists.items), _stripped(lists.queries)
    lost, nobody = np.zeros(lists.rows, np.uint8), np.full(len(queries), -1)
    none = Ids.of_spans(NO_TEXT, np.empty(0, np.int64), np.empty(0, np.int32))
    match.hits(lists.offsets, lists.score, *items.columns, nobody, np.zeros(1, np.int64), *none.columns, lost)
    rows = np.arange(lists.rows)
    order.sort(rows, lists.offsets, lists.score, *items.columns, order.TIE_RULES[policy.row_order])
    rows = rows[lost[rows] == 0]
    query = owners(lists.offsets)[rows]
    columns: dict[str, Any] = {"query": series_of(queries).gather(query), "item": series_of(items[rows])}
    if not run.by_rank:
        return pl.DataFrame(columns | {"score": lists.score[rows]})
    ranks = places_of(np.bincount(query, minlength=len(queries)))
    given = _given_ranks(run, policy)
    if given is not None:
        is_whole = np.bincount(query, minlength=len(queries)) == np.diff(lists.offsets)
        ranks = np.where(is_whole[query], given[rows], ranks)
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


def clean_qrels(qrels: QrelsData) -> pl.DataFrame:
    """Return the judgements: of each (query, item, topic, subgroup) the row with the highest grade, the first of equal ones."""
    import polars as pl

    from rankwell.readers.as_frames import series_of

    given = qrels.qrels
    columns: dict[str, Any] = {
        "query": series_of(_stripped(given.query)),
        "item": series_of(_stripped(given.item)),
    }
    columns |= {
        word: series_of(column)
        for word, column in (("topic", given.topic), ("subgroup", given.subgroup))
        if column is not None
    }
    keys = list(columns)
    for word in ("grade", "topic_weight", "propensity", "imputed"):
        if (column := getattr(given, word)) is not None:
            columns[word] = column.astype(np.float64)
    table = pl.DataFrame(columns)
    if given.grade is None:
        return table.unique(keys, keep="first", maintain_order=True)
    best = pl.all().get(pl.col("grade").arg_max())
    return table.group_by(keys, maintain_order=True).agg(best)


def _stripped(ids: Ids) -> Ids:
    """The ids without white space around them, of which ASCII has no byte above that of a space."""
    if not ids.is_text:
        return ids
    has_text = ids.lengths > 0
    first = ids.starts[has_text]
    last = first + ids.lengths[has_text] - 1
    is_ascii = bool((ids.text < 128).all())
    if is_ascii and not (ids.text[first] <= 32).any() and not (ids.text[last] <= 32).any():
        return ids
    codes, firsts = ids.group()
    return Ids.of([str(each).strip() for each in ids[firsts].tolist()])[codes]
