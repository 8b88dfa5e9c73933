"""Arrays of learning to rank: labels, predictions and groups, as a run and judgements."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.tables.ids import IdColumn, Ids
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import array_of, is_column, numbers_of, refuse_other_index, series_of


def from_groups(
    y: Any, p: Any, group: Any, *, item: IdColumn | None = None, name: str = "run"
) -> tuple[Run, Qrels]:
    """Return the run and the judgements in arrays of learning to rank.

    Every row is judged, and no relevant item is outside of the rows. Equal predictions are ordered by the policy ``ties``; XGBoost and
    LightGBM keep the order of the rows, which is ``ties="order"``.

    Parameters
    ----------
    y
        The label of each row, its grade.
    p
        The prediction for each row, its score.
    group
        The sizes of the groups, in the order of the rows (LightGBM, XGBoost), or the group id of each row (``qid``; CatBoost). A group is
        a query: of sizes its number from 0, of ids the id.
    item
        The id of the item of each row; by default its number from 0.
    name
        The name of the run.

    Raises
    ------
    UsageError, DataError
        If ``group`` is neither sizes nor ids, or could be both; for arrays of unequal length, and for what is no number.

    Examples
    --------
    >>> run, qrels = from_groups([0, 2, 1, 0], [0.1, 0.7, 0.4, 0.9], [3, 1])
    >>> run, qrels
    (Run 'run': 4 rows, Qrels 'qrels': 4 rows)
    >>> run.queries
    [0, 1]
    """
    refuse_other_index("", {"y": y, "p": p, "group": group, "item": item}.items())
    grades = numbers_of(_column(y, "y"), "label", lambda row: f"y, row {row + 1}")
    scores = numbers_of(_column(p, "p"), "prediction", lambda row: f"p, row {row + 1}")
    if len(grades) != len(scores):
        raise DataError(
            f"y has {len(grades):,} rows and p has {len(scores):,}. Give one label and one prediction for each row."
        )
    query = _queries(_column(group, "group"), len(grades))
    items = np.arange(len(grades)) if item is None else item
    return Run(query, items, scores, name=name), Qrels(query, items, grades)


def _column(values: Any, what: str) -> Any:
    """A list, a series or an array of one dimension; a column of one is flattened, as frameworks give it."""
    if is_column(values) and not isinstance(values, np.ndarray):
        return series_of(values, what)
    if isinstance(values, (list, tuple, range)):
        return list(values)
    array = array_of(values, what)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        note = (
            " Of probabilities of two classes give the second: p[:, 1]."
            if what == "p" and array.shape[1:] == (2,)
            else ""
        )
        raise UsageError(f"{what}= takes one column, not an array of shape {array.shape}.{note}")
    return array


def _queries(group: Any, rows: int) -> Ids:
    """The query of each row."""
    ids = Ids.of_column(group, "group")
    sizes = None if ids.is_text else ids.integers
    # numbers that add up to the rows are sizes; as many as rows are ids
    are_sizes = sizes is not None and len(sizes) > 0 and bool((sizes >= 0).all()) and int(sizes.sum()) == rows
    if are_sizes and len(ids) == rows and sizes is not None and (sizes == 1).all() and rows > 1:
        raise UsageError(
            f"group= is 1 in each of the {rows:,} rows: the sizes of groups of one row, or the id of one group? Give the sizes "
            f"group=[{rows}] for one group, or the ids group=range({rows}) for groups of one row."
        )
    if len(ids) == rows:
        return ids
    if are_sizes and sizes is not None:
        return Ids.of_integers(np.repeat(np.arange(len(sizes)), sizes))
    note = "" if sizes is None else f", which add up to {int(sizes.sum()):,}"
    raise UsageError(
        f"group= has {len(ids):,} values{note}, for {rows:,} rows: neither the sizes of all groups nor an id per row. Give one of the two."
    )
