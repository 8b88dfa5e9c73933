"""Negatives drawn with unequal, known probabilities: each better one counts for those that were not drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.judging.pools import Pooled
from rankwell.judging.sampled_ranks import Estimate, Sampled, values_of_line
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.readers.items_users import read_catalogue
from rankwell.tables.ids import Ids, Known
from rankwell.tables.run_qrels import Qrels, Run

COLUMN = "probability"
LEAST, SLACK, ERRORS = (
    30,
    0.05,
    5,
)  # lists, a share and standard errors, before probabilities are called wrong


def weighted_estimates(
    run: Run,
    qrels: Qrels,
    policy: Policy,
    probabilities: Any,
    metrics: Sequence[Metric],
    functions: Sequence[np.ndarray],
    made: Sampled,
    level: float,
) -> list[list[Estimate]]:
    """Return the estimate of each metric from the rank that the weighted better negatives of each list make.

    Formula
        1 + Σ 1 / p_i over the better negatives i (Horvitz–Thompson): unbiased for the rank, hence for a metric that is a straight
        line in it

    Raises
    ------
    RankwellError
        For a metric that is no straight line, or an item without a probability.

    Notes
    -----
    Source: D. Horvitz and D. Thompson, JASA 47, 1952.
    """
    for metric, function in zip(metrics, functions, strict=True):
        if values_of_line(function, 1) is None:
            raise UsageError(
                f"{metric} is no straight line in the rank, and with unequal probabilities nothing else has an unbiased estimate. "
                f"Take auc or first_rank, draw negatives uniformly, or rank all candidates."
            )
    if policy.ties in ("best", "worst"):
        raise UsageError(
            f"ties={brief(policy.ties)} and probabilities= do not go together; use ties='item-desc'."
        )
    above, of_all = better_weights(run, qrels, policy, probabilities, made)
    _refuse_other_probabilities(of_all, len(functions[0]) - 1)
    from scipy.special import stdtrit

    found = []
    n = len(above)
    for function in functions:
        slope = (function[-1] - function[0]) / (len(function) - 1)
        values = function[0] + slope * above
        mean = math.fsum(values) / n
        reach = math.nan
        if n > 1:
            reach = float(stdtrit(n - 1, (1 + level) / 2)) * float(values.std(ddof=1)) / math.sqrt(n)
        low, high = max(mean - reach, float(function.min())), min(mean + reach, float(function.max()))
        found.append([Estimate("weighted", mean, 0.0, low, high)])
    return found


def _refuse_other_probabilities(of_all: np.ndarray, others: int) -> None:
    """Raise DataError if the negatives, each 1 / its probability, do not add up to the other candidates."""
    n = len(of_all)
    if n < LEAST:
        return
    mean, error = math.fsum(of_all) / n, float(of_all.std(ddof=1)) / math.sqrt(n)
    if abs(mean - others) > SLACK * others + ERRORS * error:
        raise DataError(
            f"the negatives, each counted as 1 / its probability, add up to {mean:,.0f} candidates, and there are {others:,} others. "
            f"probabilities= are those to be among the negatives of a list, above 0 for each candidate; they add up to about their number."
        )


def better_weights(
    run: Run, qrels: Qrels, policy: Policy, probabilities: Any, made: Sampled
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each list the sum of 1 / probability over the negatives above the relevant item, and over all negatives."""
    pooled = Pooled.of([run.name], [run], policy)
    _, candidate = pooled.find(qrels.query, qrels.item)
    relevant = np.ones(len(candidate), np.bool_) if qrels.grade is None else np.isin(qrels.grade, made.grades)
    chosen = candidate[(candidate >= 0) & relevant]
    rank = np.full(len(pooled.queries), np.inf)
    of_candidate = np.empty(len(pooled))
    of_candidate[pooled.candidate] = pooled.rank
    rank[pooled.query[chosen]] = of_candidate[chosen]
    judged = np.flatnonzero(np.isfinite(rank))
    is_above = of_candidate < rank[pooled.query]
    is_above &= np.isfinite(rank[pooled.query])
    negatives = np.isin(pooled.query, judged)
    negatives[chosen] = False
    chance = np.full(len(pooled), np.nan)
    chance[negatives] = _chances(pooled.catalogue, probabilities)[pooled.item[negatives]]
    wrong = np.flatnonzero(negatives & ~((chance > 0) & (chance <= 1)))
    if len(wrong):
        item = pooled.catalogue.one(int(pooled.item[wrong[0]]))
        raise DataError(
            f"item {brief(item)} has no probability above 0 and at most 1 in probabilities=, and was drawn. Give the probability of "
            f"each item to be among the negatives of a list."
        )
    weights = np.where(negatives, 1 / np.where(negatives, chance, 1.0), 0.0)
    sums = (np.bincount(pooled.query, own, minlength=len(rank)) for own in (weights * is_above, weights))
    above, of_all = (each[judged] for each in sums)
    return above, of_all


def _chances(catalogue: Ids, given: Any) -> np.ndarray:
    """The probability of each item, NaN where there is none."""
    if isinstance(given, Mapping):
        ids, values = Ids.of([*given], "item"), np.array([float(each) for each in given.values()])
    else:
        items = read_catalogue(given)
        if items.frame is None or COLUMN not in items.frame.columns:
            raise UsageError(f"probabilities=: {items.name} has no column '{COLUMN}' beside the items.")
        ids, values = items.item, items.frame[COLUMN].cast(float).to_numpy()
    rows = Known(ids).rows_of(catalogue, "item")
    return np.where(rows >= 0, values[rows], np.nan)
