"""Previews: the first rows of what people bring, as a notebook shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.table import Column, Table
from rankwell.tables.csr import owners

if TYPE_CHECKING:
    from rankwell.tables.run_qrels import Qrels, Run

FIRST = 5


def of_run(run: Run) -> Table:
    """Return the first rows of a run, in their order."""
    lists = next((make() for make in run.rows.batches(1)), None)
    if lists is None:
        return Table([Column("query"), Column("item")], [], caption=str(run))
    first = range(min(FIRST, lists.rows))
    owner = owners(lists.offsets)
    score = lists.given if lists.by_rank else lists.score
    ids = {"query": [lists.queries.one(int(owner[row])) for row in first]}
    ids["item"] = [lists.items.one(row) for row in first]
    numbers = {"rank": -lists.score} if lists.has_ranks else {}
    numbers |= {} if score is None else {"score": score}
    return _table(str(run), len(run), ids, numbers)


def of_qrels(qrels: Qrels) -> Table:
    """Return the first judgements."""
    first = range(min(FIRST, len(qrels)))
    ids = {"query": qrels.query, "item": qrels.item, "topic": qrels.topic, "subgroup": qrels.subgroup}
    numbers = {"grade": qrels.grade, "topic_weight": qrels.topic_weight, "propensity": qrels.propensity}
    return _table(
        str(qrels),
        len(qrels),
        {name: [column.one(row) for row in first] for name, column in ids.items() if column is not None},
        {name: values for name, values in numbers.items() if values is not None},
    )


def _table(caption: str, rows: int, ids: Mapping[str, list[Any]], numbers: Mapping[str, np.ndarray]) -> Table:
    shown, columns = list(ids.values()), [Column(name) for name in ids]
    for name, values in numbers.items():
        few = values[:FIRST].astype(np.float64)
        whole = bool(np.isin(few % 1, 0).all())
        columns.append(Column(name, "count" if whole else "value"))
        shown.append([int(value) if whole else float(value) for value in few])
    notes = [f"the first {FIRST} of {rows:,} rows"] if rows > FIRST else []
    return Table(columns, [*zip(*shown, strict=True)], caption=caption, notes=notes)
