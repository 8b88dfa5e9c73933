"""Dawid and Skene's estimate of true grades from judges who err: EM over the confusion matrix of each judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwell.errors import DataError
from rankwell.records import record
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
    given = _Given.of(unit, judge, grade, grades)
    posterior = given.counts @ np.tile(np.eye(grades), (given.judges, 1))
    posterior /= posterior.sum(axis=1, keepdims=True)
    shares, confusion = given.maximised(posterior)
    steps, change = 0, np.inf
    while change >= close and steps < most_steps:
        steps += 1
        posterior, likelihood = given.expected(shares, confusion)
        before = shares, confusion
        shares, confusion = given.maximised(posterior)
        changes = [np.abs(new - old) for new, old in zip((shares, confusion), before, strict=True)]
        change = max(float(np.nanmax(each)) for each in changes)
    return Estimated(
        posterior[given.alike], shares, confusion, likelihood, steps, has_converged=change < close
    )


@record(eq=False)
class _Given:
    """What judges gave, by kinds of units: units with the same judgements are of one kind, as they always have the same probabilities.

    ``counts`` (kinds × judges · grades) says how often, ``units`` how many units are of each kind, ``alike`` which kind each unit is of.
    """

    counts: csr_array
    units: np.ndarray
    alike: np.ndarray
    judges: int

    @classmethod
    def of(cls, unit: np.ndarray, judge: np.ndarray, grade: np.ndarray, grades: int) -> _Given:
        """Return the judgements, one row each."""
        from scipy.sparse import csr_array

        cell = (judge * grades + grade).astype(np.int32)
        rows = np.lexsort((cell, unit))
        ends = offsets_of(np.bincount(unit))
        # units with the same cells are of one kind; grouping their bytes as ids compares all of them
        kinds = Ids.of_spans(cell[rows].view(np.uint8), 4 * ends[:-1], (4 * np.diff(ends)).astype(np.int32))
        alike, firsts = kinds.group()
        judges = int(judge.max()) + 1
        shape = len(ends) - 1, judges * grades
        counts = csr_array((np.ones(len(cell)), cell[rows], ends), shape=shape)[firsts]
        return cls(counts, np.bincount(alike), alike, judges)

    def maximised(self, posterior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The shares of the grades and the confusion of each judge, from the probabilities of each kind of unit."""
        grades = posterior.shape[1]
        weighted = posterior * self.units[:, None]
        counts = (self.counts.T @ weighted).reshape(self.judges, grades, grades).swapaxes(1, 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            return weighted.sum(axis=0) / len(self.alike), counts / counts.sum(axis=2, keepdims=True)

    def expected(self, shares: np.ndarray, confusion: np.ndarray) -> tuple[np.ndarray, float]:
        """The probabilities of the grades of each kind of unit, in logarithms, since products of many judgements underflow."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.nan_to_num(confusion)).swapaxes(1, 2).reshape(-1, len(shares))
            whole = self.counts @ logs + np.log(shares)
        most = whole.max(axis=1, keepdims=True)
        chances = np.exp(whole - most)
        total = chances.sum(axis=1, keepdims=True)
        return chances / total, float(self.units @ (most + np.log(total))[:, 0])
