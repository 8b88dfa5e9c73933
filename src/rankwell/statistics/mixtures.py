"""Mixtures of known distributions, seen by draws: the mixture that EM comes to, and weights of outcomes that estimate a mean over it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ROUNDS, GAIN = 1000, 1e-8


class Stopped(NamedTuple):
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
) -> Stopped:
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
            return Stopped(weights / weights.sum(), done, still_gains)
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
        root = np.sqrt(p)
        found: np.ndarray = np.linalg.lstsq(kernel * root[:, None], target * root, rcond=None)[0]
        return found
    matrix = (1 - weight) * (weighted.T @ kernel) + weight * np.diag(weighted.sum(axis=0))
    solved: np.ndarray = np.linalg.solve(matrix, weighted.T @ target)
    return solved
