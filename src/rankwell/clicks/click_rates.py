"""The ``judgements`` function: grades from clicks, over the clicks that the ranks alone would bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from rankwell.clicks.position_bias import thetas_of
from rankwell.clicks.read import read_log
from rankwell.errors import DataError, UsageError
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Assessor, Qrels

NEAR = 1e-12  # a rate this close to a level reaches it


@checked
def judgements(
    log: Any, positions: Any, *, at_least: float = 20, levels: Sequence[float] | None = None
) -> Qrels:
    """Make judgements of clicks: for each query and item its clicks over the clicks that its ranks would bring (COEC).

    Formula
        grade = clicks ÷ Σ θ_rank over the impressions of the pair; with levels the number of them that are reached (≥)

    Parameters
    ----------
    log
        What ``rankwell.clicks.read_log`` reads, with query, item, rank and click.
    positions
        How likely each rank is looked at: what ``rankwell.clicks.positions`` returns, the path of a saved one, or a list from rank 1 on.
    at_least
        The Σ θ that a pair needs; others are left out and counted.
    levels
        The click rates from which a grade of 1, 2, … begins, ascending; None gives the rate itself.

    Returns
    -------
    Qrels
        With both clicks and Σ θ in use, for every metric; ``assessor`` is the log with its hash, ``counts`` says what was left out.

    Raises
    ------
    RankwellError
        If a column is missing, a row is wrong, or no pair was shown often enough.

    Notes
    -----
    Unbiased where ranks do not follow from clicks; where a click lifts the item, grades come out too low, in simulations by 2 to 5 %
    after 100 impressions of a query (the more a click lifts), and by less than 1 % after 400. Rates may exceed 1. Rows at ranks without θ, or with θ = 0, are left out and
    counted. Without levels, grades are rates: say ``rel=`` where a metric asks what is relevant.

    Examples
    --------
    >>> import rankwell as rw
    >>> log = {"query": ["q"] * 4, "item": ["a", "a", "b", "b"], "rank": [1, 1, 2, 2], "click": [1, 1, 1, 0]}
    >>> made = rw.clicks.judgements(log, [1, 0.5], at_least=1)
    >>> made.grade.tolist(), str(made.assessor)
    ([1.0, 1.0], 'clicks 84921768ef04')
    """
    if not at_least > 0:
        raise UsageError(f"at_least={at_least:g}: must be above 0.")
    steps = _levels(levels)
    own = read_log(log).checked("query", "item", "rank", "click")
    own.require_ids()
    theta = thetas_of(positions)
    known = {place: value for place, value in enumerate(theta, 1) if value > 0}
    # whole numbers first, so that θ is added up in one order whatever the order of the rows
    shown = own.tally(*own.keys("query", "item", "rank"))
    shown = shown.sort("query", "item", "rank").with_columns(
        theta=pl.col("rank").replace_strict(known, default=None, return_dtype=pl.Float64)
    )
    lost = int(shown.filter(pl.col("theta").is_null())["rows"].sum())
    found = shown.drop_nulls("theta").group_by("query", "item", maintain_order=True).agg(
        pl.col("clicks").sum().cast(pl.Float64), (pl.col("rows") * pl.col("theta")).sum().alias("weight")
    )  # fmt: skip
    kept = found.filter(pl.col("weight") >= at_least - NEAR)
    if not len(kept):
        most = float(found["weight"].max() or 0.0)  # type: ignore[arg-type]
        raise DataError(
            f"{own.name}: no pair of query and item reaches at_least={at_least:g}; the largest sum of theta is {most:.3g}. Give a smaller "
            f"one (--at-least {max(most / 2, 0.1):.2g}), or a longer log."
        )
    rate = (kept["clicks"] / kept["weight"]).to_numpy()
    grade = rate if steps is None else np.searchsorted(steps - NEAR, rate, side="right").astype(np.float64)
    made = Qrels(
        kept["query"], kept["item"], grade, assessor=Assessor("clicks", own.hash), name=f"clicks of {own.name}"
    )  # fmt: skip
    made.counts = own.counted(without_theta=lost)
    if rare := len(found) - len(kept):
        made.counts[
            f"pairs of query and item that were shown for less than {at_least:g} expected looks, left out"
        ] = rare
    return made


def _levels(levels: Sequence[float] | None) -> np.ndarray | None:
    if levels is None:
        return None
    try:
        steps = np.asarray(levels, np.float64)
    except (TypeError, ValueError):
        steps = np.zeros(0)
    if steps.ndim != 1 or not len(steps) or not (np.diff(steps) > 0).all() or not steps[0] > 0:
        raise UsageError("levels: ascending click rates above 0, such as [0.05, 0.2].")
    return steps
