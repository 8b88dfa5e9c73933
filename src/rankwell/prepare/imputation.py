"""Imputed judgements for unrated items: a fixed grade, a mean, or predictions, marked in a column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import polars as pl

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.prepare.pairs import Coded, are_among, are_copies, code_ids, keys, places
from rankwell.prepare.report import Fact, Prepared, Report, Share
from rankwell.readers.frames.in_memory import series_of_ids
from rankwell.readers.logs import Log, read_log
from rankwell.tables.arguments import checked

How = Literal["constant", "user_mean", "item_mean", "predictions"]
HOWS = {
    "constant": "a fixed grade",
    "user_mean": "the mean training grade of the user",
    "item_mean": "the mean training grade of the item",
    "predictions": "a predicted grade",
}
NEEDS = {
    "constant": "grade", "user_mean": "train", "item_mean": "train", "predictions": "predictions"
}  # fmt: skip
MEANINGS = {
    "grade": "the grade to give",
    "train": "the ratings that the means are taken from",
    "predictions": "a table of query, item and grade",
}
FLAG = "imputed"
CAUTION = (
    "Values on imputed judgements measure the imputation as well as the system; results count them as imputed judgements. "
    "Report the values on the rated items alone next to them."
)


@checked
def impute(
    qrels: Any,
    lists: Any = None,
    how: How = "user_mean",
    *,
    train: Any = None,
    grade: float | None = None,
    predictions: Any = None,
    k: int | None = None,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Prepared:
    """Add a grade for listed items that their user did not rate, and mark these rows.

    Parameters
    ----------
    qrels
        The ratings: a path, a data frame, records, or a dict; all its columns are kept, and are empty in the new rows.
    lists
        The lists whose unrated items get a grade; optional with ``predictions``, which are then all added.
    how
        ``constant``: ``grade``. ``user_mean``, ``item_mean``: the mean of the training ratings by the user, or of the item.
        ``predictions``: the grade in a table of query, item and grade (or score). Items without such a value stay unrated,
        and are counted.
    train
        For ``user_mean`` and ``item_mean``: the ratings that the means are taken from, any input that ``qrels`` accepts. The
        judgements are no substitute: a mean of test grades leaks what is to be measured.
    grade
        For ``constant``.
    predictions
        For ``predictions``: any input that ``qrels`` accepts.
    k
        Only the first k items of each list.
    columns, name
        Which column of the ratings is which, if the name does not say; what to call them in the report.

    Returns
    -------
    Prepared
        The ratings followed by the new rows, with a column ``imputed`` of 0 and 1; and the report. If given to
        ``rankwell.evaluate`` as qrels, ``results.counts`` has the number of imputed judgements.

    Raises
    ------
    RankwellError
        If a table cannot be read or lacks a column, an argument does not fit, or there is nothing to impute.

    Examples
    --------
    >>> table, report = impute({"u": {"a": 4}}, {"u": ["a", "c"]}, train={"u": {"x": 5, "y": 2}})
    >>> table.rows()
    [('u', 'a', 4.0, 0), ('u', 'c', 3.5, 1)]
    >>> report["imputed rows"]
    1 of 2 (0.5000)

    Reference
        H. Steck, Training and testing of recommender systems on data missing not at random, KDD 2010: the effect of the
        imputed grade.
    """
    _refuse(how, {"train": train, "grade": grade, "predictions": predictions}, lists)
    log = read_log(qrels, "grade", columns=columns, name=name)
    grades = log.numbers("grade")
    if FLAG in log.frame.columns:
        raise UsageError(f"{log.name} already has a column {brief(FLAG)}; impute into the original ratings.")
    sources = [log]
    for source, word in ((train, "train"), (predictions, "predictions")):
        if source is not None:
            sources.append(read_log(source, "grade", name=None if isinstance(source, str) else word))
    wanted = sources[-1]
    if lists is not None:
        wanted = read_log(lists, "rank", "score", name=None if isinstance(lists, str) else "lists")
        sources.append(wanted)
    queries, items = code_ids(sources, "query"), code_ids(sources, "item")
    pairs = keys(queries, items, -1)
    is_asked = np.ones(len(wanted), np.bool_) if k is None or lists is None else places(wanted) <= k
    # each pair once: two lists of a user may hold the same item, and it would be judged twice
    new = np.flatnonzero(is_asked & ~are_among(pairs, keys(queries, items, 0)) & ~are_copies(pairs))
    user, item = queries.codes[-1][new], items.codes[-1][new]
    if how == "constant":
        assert grade is not None
        value = np.full(len(new), float(grade))
    elif how == "predictions":
        value = _find_predictions(sources[1], keys(queries, items, 1), pairs[new])
    else:
        side, own = (queries, user) if how == "user_mean" else (items, item)
        value = _means(side, sources[1].numbers("grade"))[own]
    unknown = np.isnan(value)
    lost = np.flatnonzero(unknown)[:2]
    facts: dict[str, Fact] = {
        "rated rows": len(log),
        "rows wanted": int(is_asked.sum()),
        "of these unrated": Share(len(new), int(is_asked.sum())),
        "unrated rows without a grade to give": Share(
            int(unknown.sum()),
            len(new),
            tuple(f"{queries.ids.one(int(user[row]))}, {items.ids.one(int(item[row]))}" for row in lost),
        ),
        "imputed rows": Share(int((~unknown).sum()), len(log) + int((~unknown).sum())),
        "mean grade of the rated rows": float(grades.mean()),
    }
    if unknown.all():
        raise DataError(
            f"{log.name}: nothing to impute; {facts['of these unrated']} rows are unrated, and none has a grade to use."
        )
    facts["mean grade of the imputed rows"] = float(value[~unknown].mean())
    if unknown.any():
        user, item, value = user[~unknown], item[~unknown], value[~unknown]
    table = _append_rows(log, queries, items, user, item, value)
    return Prepared(table, Report(f"{log.name} with {HOWS[how]} for unrated items", facts, (), (CAUTION,)))


def _refuse(how: str, arguments: Mapping[str, Any], lists: Any) -> None:
    if how not in HOWS:
        raise UsageError(f"how={brief(how)}: must be {one_of(HOWS)}.{nearest(str(how), HOWS)}")
    for word, value in arguments.items():
        if (value is None) == (NEEDS[how] == word):
            owners = one_of(repr(rule) for rule, need in NEEDS.items() if need == word)
            message = (
                f"how={brief(how)} needs {word}=, {MEANINGS[word]}"
                if value is None
                else f"{word}= applies only to how={owners}, not {brief(how)}"
            )
            raise UsageError(f"{message}.")
    if lists is None and arguments["predictions"] is None:
        raise UsageError("impute needs lists=, whose unrated items get a grade.")


def _means(side: Coded, grades: np.ndarray) -> np.ndarray:
    """The mean training grade of each user or item, NaN without one."""
    # table 1 is the training data; the judgements are table 0, and a mean of theirs would leak what is to be measured
    summed = np.bincount(side.codes[1], weights=grades, minlength=len(side))
    rows = np.bincount(side.codes[1], minlength=len(side))
    return np.divide(summed, rows, out=np.full(len(side), np.nan), where=rows > 0)


def _find_predictions(predictions: Log, pairs: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The predicted grade of each wanted pair, NaN if there is none; the last if there are several."""
    grades = pl.DataFrame({"pair": pairs, "grade": predictions.numbers("grade")}).unique("pair", keep="last")
    # in the order of the wanted pairs, as a join may return its rows in any
    joined = pl.DataFrame({"pair": wanted}).join(grades, on="pair", how="left", maintain_order="left")
    return joined["grade"].fill_null(float("nan")).to_numpy()


def _append_rows(
    log: Log, queries: Coded, items: Coded, user: np.ndarray, item: np.ndarray, value: np.ndarray
) -> pl.DataFrame:
    """The ratings and the new rows, marked."""
    names = log.words
    ids = {}
    rated = log.frame  # ids keep the type of the ratings, which may differ from that of the lists
    for word, new_ids in (("query", queries.ids[user]), ("item", items.ids[item])):
        column = names[word]
        if not rated[column].dtype.is_integer():  # text, or categories, which may lack the new ids
            rated = rated.with_columns(pl.col(column).cast(pl.String))
        ids[column] = series_of_ids(new_ids).cast(pl.Int64 if rated[column].dtype.is_integer() else pl.String)
    new = pl.DataFrame(
        {
            **ids,
            names["grade"]: value,
            FLAG: pl.Series([1], dtype=pl.Int8).new_from_index(0, len(value)),
        }
    )
    rated = rated.with_columns(
        pl.Series(names["grade"], log.numbers("grade")), pl.lit(0, pl.Int8).alias(FLAG)
    )
    return pl.concat([rated, new], how="diagonal_relaxed")
