"""Dawid and Skene's estimate of true grades from judges who err: EM over the confusion matrix of each judge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwell.errors import DataError

MOST_STEPS = 10_000
CLOSE = 1e-9  # the largest change of a probability at which EM ends


class Estimated(NamedTuple):
    """What EM found: ``posterior`` (units × grades), ``shares`` of grades, and ``confusion`` (judges × true × given).

    A row of a confusion matrix is NaN for a grade that no unit of that judge can have.
    """

    posterior: np.ndarray
    shares: np.ndarray
    confusion: np.ndarray
    log_likelihood: float
    steps: int
    has_converged: bool


def dawid_skene(
    unit: np.ndarray,
    judge: np.ndarray,
    grade: np.ndarray,
    *,
    grades: int,
    most_steps: int = MOST_STEPS,
    close: float = CLOSE,
) -> Estimated:
    """Return the maximum-likelihood estimate that EM reaches from the shares of the grades given to each unit.

    ``unit``, ``judge`` and ``grade`` are numbers, one of each per judgement, counted from 0; a judge may judge a unit several times. With
    the confusion π_kjl (judge k gives l where the truth is j) and the shares p_j: T_ij ∝ p_j Π π_kjl over the judgements of unit i,
    π_kjl ∝ Σ T_ij over the judgements l of judge k, p_j = mean of T_ij. There is no prior: a judge of few units is fitted closely.

    Source: A. P. Dawid and A. M. Skene, Applied Statistics 28(1), 1979, equations 2.3 to 2.5 and 3.1.

    Raises
    ------
    DataError
        If there is no judgement.

    Examples
    --------
    >>> unit, judge = np.repeat(np.arange(6), 3), np.tile(np.arange(3), 6)
    >>> grade = np.array([0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1])
    >>> found = dawid_skene(unit, judge, grade, grades=2)
    >>> found.posterior.argmax(axis=1).tolist(), found.confusion[2].round(2).tolist()
    ([0, 0, 0, 1, 1, 1], [[0.33, 0.67], [0.33, 0.67]])
    """
    if not len(unit):
        raise DataError("there is no judgement to estimate grades from.")
    units, judges = int(unit.max()) + 1, int(judge.max()) + 1
    posterior = np.zeros((units, grades))
    np.add.at(posterior, (unit, grade), 1.0)
    posterior /= posterior.sum(axis=1, keepdims=True)
    shares, confusion = _maximised(posterior, unit, judge, grade, judges)
    steps, change = 0, np.inf
    while change >= close and steps < most_steps:
        steps += 1
        posterior, likelihood = _expected(shares, confusion, unit, judge, grade, units)
        before = shares, confusion
        shares, confusion = _maximised(posterior, unit, judge, grade, judges)
        changes = [np.abs(new - old) for new, old in zip((shares, confusion), before, strict=True)]
        change = max(float(np.nanmax(each)) for each in changes)
    return Estimated(posterior, shares, confusion, likelihood, steps, has_converged=change < close)


def _maximised(
    posterior: np.ndarray, unit: np.ndarray, judge: np.ndarray, grade: np.ndarray, judges: int
) -> tuple[np.ndarray, np.ndarray]:
    grades = posterior.shape[1]
    given = np.zeros((judges, grades, grades))
    np.add.at(given, (judge, grade), posterior[unit])
    counts = given.swapaxes(1, 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return posterior.mean(axis=0), counts / counts.sum(axis=2, keepdims=True)


def _expected(
    shares: np.ndarray,
    confusion: np.ndarray,
    unit: np.ndarray,
    judge: np.ndarray,
    grade: np.ndarray,
    units: int,
) -> tuple[np.ndarray, float]:
    """The probabilities of the grades of each unit, in logarithms, since products of many judgements underflow."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.nan_to_num(confusion[judge, :, grade]))
        whole = np.tile(np.log(shares), (units, 1))
    np.add.at(whole, unit, logs)
    most = whole.max(axis=1, keepdims=True)
    chances = np.exp(whole - most)
    total = chances.sum(axis=1, keepdims=True)
    return chances / total, float((most + np.log(total)).sum())
