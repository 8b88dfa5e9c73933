"""Mixtures of known distributions, seen by draws: the mixture that EM comes to, and weights of outcomes that estimate a mean over it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

ROUNDS, GAIN = 1000, 1e-8  # of EM
COLUMNS = 400  # parts of the mixture that a linear program begins with
PRICINGS = 60  # rounds in which parts enter it
CLOSE = 1e-7  # of the spread of the target


class StoppedMixture(NamedTuple):
    """The weights of a mixture where EM was stopped, after how many rounds, and whether the last of these still gained."""

    weights: np.ndarray
    rounds: int
    still_gains: bool


def stopped_em(
    kernel: np.ndarray,
    counts: np.ndarray,
    prior: np.ndarray,
    *,
    rounds: int = ROUNDS,
    gain: float = GAIN,
) -> StoppedMixture:
    """Return the weights of a mixture by expectation–maximisation from a prior, stopped after some rounds.

    Each round makes the outcomes seen likelier. The likeliest mixture itself fits the chance of the draw: where it is hardly
    determined (many parts, few outcomes), stopping early keeps the weights near the prior, and estimates are better for it.

    Formula
        w_r ← w_r · Σ_j (c_j / Σc) · P(j | r) / Σ_s w_s · P(j | s)

    Parameters
    ----------
    kernel
        P(j | r): a row per part r of the mixture, a column per outcome j.
    counts
        How often each outcome was seen; at least one.
    prior
        The weights to start from, above 0: where several mixtures are equally likely, the one that is reached from these.
    rounds, gain
        It stops after so many rounds, or when one adds less than this to the mean log-likelihood of an outcome: then it no longer
        gains.

    Examples
    --------
    >>> kernel = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> found = stopped_em(kernel, np.array([69, 31]), np.array([0.5, 0.5]))
    >>> found.weights.round(3).tolist(), found.rounds, found.still_gains
    ([0.7, 0.3], 13, False)
    >>> stopped_em(kernel, np.array([69, 31]), np.array([0.5, 0.5]), rounds=5)[1:]
    (5, True)
    """
    seen = np.flatnonzero(counts)
    if not len(seen):
        raise ValueError("stopped_em: no outcome was seen.")
    share = counts[seen] / counts.sum()
    columns = np.ascontiguousarray(kernel[:, seen])
    weights = prior / prior.sum()
    before = -np.inf
    for done in range(rounds + 1):
        chance = weights @ columns
        now = float(share @ np.log(chance))
        still_gains = now - before >= gain
        if not still_gains or done == rounds:
            return StoppedMixture(weights / weights.sum(), done, still_gains)
        before = now
        weights = weights * (columns @ (share / chance))
    raise AssertionError  # the last round returns


def outcome_values(kernel: np.ndarray, target: np.ndarray, prior: np.ndarray, *, weight: float) -> np.ndarray:
    """Return a value per outcome whose mean estimates that of a target over the parts of a mixture.

    Formula
        argmin_v Σ_r p_r · [(E_r v − t_r)² + γ · Var_r v], the mean and the variance under P(j | r); solved by
        ((1 − γ) Σ_r p_r K_r K_rᵀ + γ · diag Σ_r p_r K_r) v = Σ_r p_r t_r K_r, K_r the row of r

    Parameters
    ----------
    kernel
        P(j | r): a row per part r, a column per outcome j.
    target
        t_r.
    prior
        p_r, the weight of each part in what is minimised.
    weight
        γ, 0 to 1: how much the variance of one draw counts beside the squared bias. 0: the least bias, of the smallest values; 1:
        the mean of the target given the outcome.

    Notes
    -----
    Source: W. Krichene and S. Rendle, On sampled metrics for item recommendation, KDD 2020.

    Examples
    --------
    >>> kernel = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> outcome_values(kernel, np.array([1.0, 0.0]), np.ones(2), weight=0.0).round(4).tolist()
    [1.1429, -0.2857]
    >>> outcome_values(kernel, np.array([1.0, 0.0]), np.ones(2), weight=1.0).round(4).tolist()
    [0.8182, 0.1111]
    """
    p = prior / prior.sum()
    weighted = kernel * p[:, None]
    if weight == 0:
        # without γ the equations are singular if parts are fewer than outcomes, and always badly conditioned: they are not formed
        root = np.sqrt(p)
        values: np.ndarray = np.linalg.lstsq(kernel * root[:, None], target * root, rcond=None)[0]
        return values
    matrix = (1 - weight) * (weighted.T @ kernel) + weight * np.diag(weighted.sum(axis=0))
    solved: np.ndarray = np.linalg.solve(matrix, weighted.T @ target)
    return solved


class ShareLimits(NamedTuple):
    """Below and above what shares lie, all of them at once with the stated confidence."""

    low: np.ndarray
    high: np.ndarray


def limits_of_shares(counts: np.ndarray, n: int, *, level: float = 0.95) -> ShareLimits:
    """Return limits within which the expected shares lie of counts of n independent trials, all at once.

    The trials need not be alike: a share is the mean of their probabilities. Clopper and Pearson's limits at 1 − level divided by
    twice the number of shares. They hold for unlike trials too: an interval that holds the mean of the count is no less likely than
    for like ones (W. Hoeffding, Annals of Mathematical Statistics 27, 1956); where the mean is below 1 and one was counted (or the
    same of n − 1), Markov's limit is taken.

    Examples
    --------
    >>> found = limits_of_shares(np.array([0, 5, 10]), 10)
    >>> found.low.round(4).tolist(), found.high.round(4).tolist()
    ([0.0, 0.1442, 0.6196], [0.3804, 0.8558, 1.0])
    """
    from scipy.special import betaincinv

    tail = (1 - level) / (2 * len(counts))
    low = np.where(counts > 0, betaincinv(np.maximum(counts, 1), n - counts + 1, tail), 0.0)
    high = np.where(counts < n, betaincinv(counts + 1, np.maximum(n - counts, 1), 1 - tail), 1.0)
    low = np.where(counts == 1, np.minimum(low, tail / n), low)
    high = np.where(counts == n - 1, np.maximum(high, 1 - tail / n), high)
    return ShareLimits(low, high)


class MixtureBounds:
    """The least and the greatest means of targets over all mixtures whose outcomes have shares within limits.

    Formula
        min and max of Σ w_r t_r over w ≥ 0, Σ w_r = 1, low_j ≤ Σ_r w_r F_jr ≤ high_j

    Parameters
    ----------
    features
        F_jr: a row per share, a column per part of the mixture.
    limits
        Of the shares.

    Notes
    -----
    Parts enter the program as they are found to matter (column generation), and serve the next target too. What is returned is the value of
    its dual, taken over all parts: by weak duality no mixture lies outside of it, however far the program was solved; it is stopped after 60
    rounds at most, and the bounds are wider then, never too narrow. ``is_feasible`` says whether any mixture has shares within the limits.

    Examples
    --------
    >>> features = np.array([[1.0, 0.5, 0.0]])
    >>> found = MixtureBounds(features, ShareLimits(np.array([0.4]), np.array([0.4]))).of(np.array([1.0, 0.0, 0.0]))
    >>> [round(each, 6) for each in found]
    [0.0, 0.4]
    >>> MixtureBounds(features, ShareLimits(np.array([1.2]), np.array([1.4]))).of(np.array([1.0, 0.0, 0.0])) is None
    True
    """

    def __init__(self, features: np.ndarray, limits: ShareLimits) -> None:
        self.features, self.limits = features, limits
        n = features.shape[1]
        self.columns = np.unique(np.linspace(0, n - 1, min(n, COLUMNS)).round().astype(np.int64))
        self.right = np.concatenate([limits.high, -limits.low])
        self.is_feasible = self._misfit() <= 1e-9

    def of(self, target: np.ndarray) -> tuple[float, float] | None:
        """Return the least and the greatest mean of a target, t_r: a number per part; None if no mixture fits."""
        if not self.is_feasible:
            return None
        low, high = float(target.min()), float(target.max())
        if low == high:
            return low, high
        return max(low, -self.most(-target)), min(high, self.most(target))

    def most(self, target: np.ndarray) -> float:
        """Return the greatest mean of a target, never too small."""
        close = CLOSE * float(target.max() - target.min())
        best = math.inf
        for _ in range(PRICINGS):
            solution = self._solve(
                -target[self.columns], self._rows(), self.right, np.ones(len(self.columns))
            )
            if solution is None:  # the last columns made it too hard; what is certain so far stays
                break
            value, prices = -solution[0], solution[1]
            reduced, bound = self._price(target, prices)
            best = min(best, bound)
            if best - value <= close or not self._add(reduced, close):
                break
        return best if math.isfinite(best) else float(target.max())

    def _misfit(self) -> float:
        """The least by which the shares of any mixture miss the limits, from as many columns as it takes."""
        least = math.inf
        for _ in range(PRICINGS):
            rows, n = self._rows(), len(self.columns)
            # one more variable, by which every limit may be missed, is all that costs: such a program always has a solution
            cost, sums = np.append(np.zeros(n), 1.0), np.append(np.ones(n), 0.0)
            solution = self._solve(cost, np.column_stack([rows, -np.ones(len(rows))]), self.right, sums)
            if solution is None:
                return least
            least, prices = solution
            reduced = self._price(np.zeros(self.features.shape[1]), prices)[0]
            if least <= 1e-12 or not self._add(reduced, 1e-12):
                break
        return least

    def _rows(self) -> np.ndarray:
        # the solver takes upper limits; a lower limit is one of the negative
        part = self.features[:, self.columns]
        return np.concatenate([part, -part])

    def _price(self, target: np.ndarray, prices: np.ndarray) -> tuple[np.ndarray, float]:
        """What each part adds at the prices of the limits, and the bound of the mean that follows from these."""
        above, below = np.split(np.maximum(prices, 0.0), 2)
        reduced = target - (above - below) @ self.features
        return reduced, float(above @ self.limits.high - below @ self.limits.low + reduced.max())

    def _add(self, reduced: np.ndarray, close: float) -> bool:
        """Take in the parts that add most: the peaks above what those inside add."""
        # neighbours of a peak add nearly as much, and would only make the program larger
        inside = reduced[self.columns].max()
        beside = np.concatenate([[-math.inf], reduced, [-math.inf]])
        peaks = np.flatnonzero(
            (reduced >= beside[:-2]) & (reduced >= beside[2:]) & (reduced > inside + close / 10)
        )
        peaks = peaks[np.argsort(-reduced[peaks], kind="stable")[:50]]
        more = np.setdiff1d(peaks, self.columns)
        self.columns = np.union1d(self.columns, more)
        return bool(len(more))

    @staticmethod
    def _solve(
        cost: np.ndarray, rows: np.ndarray, right: np.ndarray, sums: np.ndarray
    ) -> tuple[float, np.ndarray] | None:
        """The least cost and the prices of the limits; None if the solver has none."""
        from scipy.optimize import linprog

        program = linprog(cost, A_ub=rows, b_ub=right, A_eq=sums[None], b_eq=[1.0], method="highs")
        return (float(program.fun), -program.ineqlin.marginals) if program.status == 0 else None
