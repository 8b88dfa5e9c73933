"""Tiers of users: interactions weighted, repeated or sampled by the tier that the user held at the time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import polars as pl

from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.prepare.choices import chances
from rankwell.prepare.pairs import are_copies, code_ids
from rankwell.prepare.report import Fact, Prepared, Report, Share
from rankwell.readers.frames.columns import quoted
from rankwell.readers.logs import Log, read_log
from rankwell.readers.sources import names_as_text
from rankwell.tables.arguments import UNFIT, as_list, checked, fit_kind
from rankwell.tables.columns import known_word
from rankwell.tables.series import RowOf, by_index, call_polars

How = Literal["multiply", "confidence", "replicate", "sample"]
SINCE = "valid_from"
HOWS = {
    "multiply": "value × factor",
    "confidence": "1 + factor × value",
    "replicate": "each row factor times",
    "sample": "each row with probability factor ÷ highest factor",
}
ADVICE = (
    "To let tiers count in values, weight users in the mean: evaluate(users=…, weights=…). Scaled grades leave a user's AP, "
    "RR and nDCG with linear gain unchanged, and change those with thresholds or exp2 gain."
)


@checked
def scale_by_tier(
    interactions: Any,
    tiers: Any,
    factors: Mapping[str, float],
    *,
    default: float | Literal["error"] = "error",
    into: str = "weight",
    column: str | None = None,
    how: How = "multiply",
    normalise: Literal["mean_one"] | None = None,
    bounds: tuple[float, float] | None = None,
    threshold: float | None = None,
    tier: str = "tier",
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Prepared:
    """Scale interactions by the tier of their user, in a new column.

    Formula
        multiply: w = v · f; confidence: w = 1 + f · v; v is the value (1 with ``threshold`` or without a column of values), f
        the factor of the user's tier; effective sample size = (Σ w)² / Σ w²

    Parameters
    ----------
    interactions
        A path, a data frame, records, or a dict; all columns are kept, with their values unchanged.
    tiers
        Which user is in which tier: a column of the interactions, ``{user: tier}``, or a table of users with a column ``tier``;
        with a column ``valid_from`` too, the tier is the one held at the time of the interaction.
    factors
        The factor of each tier.
    default
        The factor of users without a tier, and of tiers without a factor; ``error`` refuses them.
    into
        The name of the new column.
    column
        The column of values; default: the column of grades (rating …), if there is one.
    how
        ``multiply``, ``confidence``; ``replicate`` repeats rows (factors are whole numbers); ``sample`` keeps each row with
        probability f ÷ highest f.
    normalise
        ``mean_one`` divides the weights by their mean.
    bounds
        Weights outside are set to the nearest bound, and counted.
    threshold
        Rows with a lower value are left out before scaling, and the others count 1: relevance does not depend on the tier.
    tier
        The column of tiers, in a table of users.
    seed
        For ``sample``.
    columns, name
        Which column is which, if the name does not say; what to call the interactions in the report.

    Returns
    -------
    Prepared
        The table, and the report: users, rows and weight of each tier, effective sample size.

    Raises
    ------
    RankwellError
        For a tier without a factor (with the nearest name), a user without a tier, a wrong column, or an empty result.

    Examples
    --------
    >>> log = [{"user": "ann", "item": 1, "rating": 4}, {"user": "bob", "item": 1, "rating": 2}]
    >>> scaled, report = scale_by_tier(log, {"ann": "VIP", "bob": "silver"}, {"VIP": 3, "silver": 1})
    >>> scaled["weight"].to_list()
    [12.0, 2.0]
    >>> report["effective sample size"]
    1.3243243243243243

    Reference
        Y. Hu, Y. Koren and C. Volinsky, Collaborative filtering for implicit feedback datasets, ICDM 2008 (confidence);
        L. Kish, Survey Sampling, Wiley 1965 (effective sample size).
    """
    _refuse(how, default, normalise, bounds, factors)
    try:
        into.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"into={brief(into)}: half of a character (a lone surrogate) names no column."
        ) from None
    log = _read(interactions, tiers, columns, name)
    held = tiers_of(log, tiers, tier)
    factor = _factors(log, held, factors, default)
    facts: dict[str, Fact] = {"rows": len(log)}
    is_valued = threshold is not None or how in ("multiply", "confidence")
    value = _values(log, column, threshold) if is_valued else np.ones(len(log))
    if threshold is not None:
        low = value < threshold
        facts[f"rows below {threshold:g}, left out"] = Share(int(low.sum()), len(log))
        if low.all():
            raise DataError(
                f"{log.name}: no row has a value of at least {threshold:g}. Use a lower threshold."
            )
        log, held, factor = (
            log.replaced(log.frame.filter(pl.Series(~low))),
            held.filter(pl.Series(~low)),
            factor[~low],
        )
        value = np.ones(len(log))
    weight = value * factor if how == "multiply" else 1 + factor * value if how == "confidence" else factor
    frame = log.frame
    if how == "replicate":
        frame, weight = _repeat_rows(log, factor)
        facts["rows after"] = len(frame)
    elif how == "sample":
        is_kept = chances(log, seed) < factor / factor.max()
        frame, weight = frame.filter(pl.Series(is_kept)), is_kept.astype(np.float64)
        facts["rows after"] = Share(len(frame), len(log))
        if not len(frame):
            raise DataError(f"{log.name}: no row was drawn. Use another seed, or higher factors.")
    else:
        weight = _shape_weights(weight, normalise, bounds, facts, log)
        frame = frame.with_columns(pl.Series(into, weight))
    facts["sum of weights"] = float(weight.sum())
    # Kish's: how many rows of equal weight say as much, the price of unequal weights
    facts["effective sample size"] = float(weight.sum() ** 2 / np.sum(weight**2))
    title = f"{log.name} by tier: {how} ({HOWS[how]})"
    return Prepared(frame, Report(title, facts, (_table(log, held, factor, weight),), (ADVICE,)))


def _refuse(how: str, default: Any, normalise: Any, bounds: Any, factors: Mapping[str, float]) -> None:
    if how not in HOWS:
        raise UsageError(f"how={brief(how)}: must be {one_of(HOWS)}.{nearest(str(how), HOWS)}")
    if not factors:
        raise UsageError(
            "factors= is empty; give the factor of each tier, such as {'VIP': 3, 'gold': 2, 'silver': 1}."
        )
    factors_given = dict(factors) if default == "error" else {**factors, "default": default}
    for name, factor in factors_given.items():
        if fit_kind(factor, float) is UNFIT or factor < 0:
            raise UsageError(
                f"the factor of {brief(name)} is {brief(factor)}; it must be a number of at least 0."
            )
    if how == "replicate" and (
        wrong := [name for name, factor in factors_given.items() if factor != int(factor)]
    ):
        raise UsageError(
            f"how='replicate' repeats rows, so the factor of {brief(wrong[0])} must be a whole number."
        )
    if normalise not in (None, "mean_one"):
        raise UsageError(f"normalise={brief(normalise)}: must be 'mean_one' or None.")
    shaped = normalise is not None or bounds is not None
    if shaped and how in ("replicate", "sample"):
        raise UsageError(f"normalise= and bounds= apply to weights; how={brief(how)} makes none.")
    if normalise is not None and bounds is not None:
        raise UsageError("normalise= and bounds= exclude each other: a bound moves the mean away from 1.")
    if bounds is not None:
        ends = [fit_kind(end, float) for end in as_list("bounds", bounds)]
        if len(ends) != 2 or UNFIT in ends:
            raise UsageError(f"bounds={brief(bounds)}: must be two numbers, such as (0.1, 10).")
        if not ends[0] < ends[1]:
            raise UsageError(f"bounds={bounds}: the lower bound must be below the upper one.")


def _read(interactions: Any, tiers: Any, columns: Mapping[str, str] | None, name: str | None) -> Log:
    perhaps = ("time", "grade")
    log = read_log(interactions, columns=columns, name=name, perhaps=perhaps)
    if isinstance(tiers, str) and tiers not in log.frame.columns and not os.path.exists(tiers):  # noqa: PTH110 - Path refuses long names
        raise UsageError(
            f"tiers={brief(tiers)} is neither a column of {log.name} nor a file; the columns are {quoted(log.frame.columns)}."
            f"{nearest(tiers, log.frame.columns)}"
        )
    return log


def _factors(
    log: Log, held: pl.Series, factors: Mapping[Any, Any], default: float | Literal["error"]
) -> np.ndarray:
    """The factor of each row's tier."""
    # half of a character (a lone surrogate) stands in no table, and so is no tier of one
    names = [name.encode(errors="backslashreplace").decode() for name in names_as_text(factors)]
    values = map(float, factors.values())
    factor = held.replace_strict(names, list(values), default=None, return_dtype=pl.Float64)
    if default != "error":
        return factor.fill_null(default).to_numpy()
    missing = factor.is_null()
    if missing.any():
        row = int(missing.arg_max() or 0)
        user, rows = log.ids("query").one(row), int(missing.sum())
        if held[row] is None:
            raise DataError(
                f"{log.place(row)}: user {brief(user)} has no tier at that time ({rows:,} rows without a tier or a factor). "
                f"Complete the tiers, or set default=1."
            )
        raise UsageError(
            f"{log.place(row)}: the tier {brief(held[row])} of user {brief(user)} has no factor ({rows:,} such rows); factors has "
            f"{', '.join(map(brief, factors))}. Add it, or set default=1.{nearest_tier(str(held[row]), factors)}"
        )
    return factor.to_numpy()


def nearest_tier(name: str, factors: Mapping[str, float]) -> str:
    """Return `` Did you mean X?`` for the closest tier name, ignoring case."""
    lower = {str(tier).lower(): str(tier) for tier in factors}
    close = nearest(name, lower)
    return next(
        (f" Did you mean {tier}?" for low, tier in lower.items() if close == f" Did you mean {low}?"), ""
    )


def _values(log: Log, column: str | None, threshold: float | None) -> np.ndarray:
    if column is None and "grade" not in log.words:
        graded = [name for name in log.frame.columns if known_word(name) == "grade"]
        if threshold is not None or graded:
            which = (
                f"{quoted(graded)} could be it" if graded else f"the columns are {quoted(log.frame.columns)}"
            )
            raise UsageError(f"{log.name}: say column=, the column of values; {which}.")
        return np.ones(len(log))
    return log.numbers("grade") if column is None else log.named_numbers(column)


def _repeat_rows(log: Log, factor: np.ndarray) -> tuple[pl.DataFrame, np.ndarray]:
    times = factor.astype(np.int64)
    if not times.any():
        raise DataError(f"{log.name}: every row is repeated 0 times, so nothing is left.")
    return log.frame[pl.Series(np.repeat(np.arange(len(log)), times))], factor


def _shape_weights(
    weight: np.ndarray,
    normalise: str | None,
    bounds: tuple[float, float] | None,
    facts: dict[str, Fact],
    log: Log,
) -> np.ndarray:
    if not weight.any():
        raise DataError(f"{log.name}: all weights are 0. Check the factors and the values.")
    if normalise:
        return weight / weight.mean()
    if bounds:
        facts["rows set to a bound"] = Share(
            int(np.sum((weight < bounds[0]) | (weight > bounds[1]))), len(weight)
        )
        return np.clip(weight, *bounds)
    return weight


def _table(log: Log, held: pl.Series, factor: np.ndarray, weight: np.ndarray) -> Table:
    """Users, rows and weight of each tier, the highest factor first."""
    frame = pl.DataFrame(
        {"tier": held.fill_null("(none)"), "user": log.column("query"), "factor": factor, "weight": weight}
    )
    rows = (
        frame.group_by("tier", "factor")
        .agg(pl.col("user").n_unique(), pl.len(), pl.col("weight").sum())
        .sort("factor", "tier", descending=[True, False])
    )
    columns = [
        Column("tier"),
        Column("factor", "value", digits=2),
        Column("users", "count"),
        Column("rows", "count"),
    ]
    columns += [Column("of rows", "value"), Column("weight", "value", digits=2), Column("of weight", "value")]
    whole = float(weight.sum())
    return Table(
        columns,
        [(t, f, u, n, n / len(log), w, w / whole if whole else None) for t, f, u, n, w in rows.rows()],
    )


def tiers_of(log: Log, tiers: Any, column: str) -> pl.Series:
    """Return the tier of each row as text, null if its user has none.

    Raises
    ------
    DataError, UsageError
        If the table of tiers lacks a column, or names a user twice without ``valid_from``.
    """
    if isinstance(tiers, str) and tiers in log.frame.columns:
        return log.frame[tiers].cast(pl.String)
    table = _tier_table(tiers)
    if column not in table.frame.columns:
        raise UsageError(
            f"{table.name} has no column {brief(column)}; the columns are {quoted(table.frame.columns)}. Say which it is: tier="
        )
    names = table.frame[column]
    if names.dtype.is_nested() or names.dtype == pl.Object:
        raise DataError(
            f"{table.name}: the column {brief(column)} is {names.dtype}; tiers are text or numbers."
        )
    names = names.cast(pl.String)
    users = code_ids([log, table], "query")
    if SINCE in table.frame.columns:
        row = _rows_at_time(log, table, *users.codes)
    else:
        again = are_copies(users.codes[1])
        if again.any():
            twice = table.ids("query").one(int(again.argmax()))
            raise DataError(
                f"{table.name}: user {brief(twice)} has two tiers. Keep one, or add {SINCE}, the start time of each."
            )
        row_of_user = np.full(len(users), -1)
        row_of_user[users.codes[1]] = np.arange(len(table))
        row = row_of_user[users.codes[0]]
    with_none = pl.concat(
        [names, pl.Series([None], dtype=pl.String)]
    )  # the null behind the last row is the tier of row -1
    return with_none.gather(pl.Series(np.where(row < 0, len(names), row)))


def _tier_table(tiers: Any) -> Log:
    tiers = by_index(tiers)
    if isinstance(tiers, Mapping) and not any(
        hasattr(name, "__iter__") and not isinstance(name, str) for name in tiers.values()
    ):
        columns = {"query": list(tiers), "tier": [str(name) for name in tiers.values()]}
        frame = call_polars(lambda: pl.DataFrame(columns), "tiers")
        return Log(frame, {"query": "query"}, "tiers", RowOf("tiers"))
    return read_log(tiers, needed=("query",), name=None if isinstance(tiers, str) else "tiers")


def _rows_at_time(log: Log, table: Log, users: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """The row of the tier that each interaction's user held at its time, -1 before the first one."""
    since = Log(table.frame, {"time": SINCE}, table.name, table.place)
    times, begins = log.times_beside(since, SINCE)
    # an as-of join by one sort: starts and interactions of a user by time, and at the same time the start first. The last start
    # seen so far is the running maximum of the starts' places; if it belongs to another user, this one has no tier yet.
    code = np.concatenate([owners, users])
    time = np.concatenate([begins, times])
    is_interaction = np.repeat([False, True], [len(owners), len(users)])
    rows = np.lexsort((is_interaction, time, code))  # the last key sorts first
    last = np.maximum.accumulate(np.where(is_interaction[rows], -1, np.arange(len(rows))))
    there = (last >= 0) & (code[rows[last]] == code[rows])
    held = np.empty(len(rows), np.int64)
    held[rows] = np.where(there, rows[last], -1)
    return held[len(owners) :]
