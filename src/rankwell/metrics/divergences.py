"""Divergences between two distributions, row by row."""

from __future__ import annotations

import math

import numpy as np


def kl(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Kullback–Leibler divergence Σ p ln(p / q) of each row, in nats; infinite if q is 0 where p is not.

    Rows of ``p`` and ``q`` are shares that sum to 1, here and in the functions below; a row of NaN gives NaN.

    >>> kl(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.5, 0.5]])).round(4).tolist()
    [0.0, 0.6931]
    """
    from scipy.special import rel_entr  # p ln(p / q), and 0 where p is 0

    return np.maximum(rel_entr(p, q).sum(axis=1), 0.0)


def js(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Jensen–Shannon divergence of each row in bits, from 0 to 1: the mean KL of p and q from their average.

    >>> js(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]])).tolist()
    [1.0, 0.0]
    """
    from scipy.special import rel_entr

    middle = (p + q) / 2
    both = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=1) / (2 * math.log(2))
    return np.clip(both, 0.0, 1.0)


def hellinger(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance of each row, √(1 − Σ √(p q)), from 0 to 1.

    >>> hellinger(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]])).tolist()
    [1.0, 0.0]
    """
    # 1 − Σ √(p q) as half the squared distance of the roots, which is exactly 0 for equal rows and accurate near 0
    apart = np.square(np.sqrt(p) - np.sqrt(q)).sum(axis=1) / 2
    return np.sqrt(np.minimum(apart, 1.0))


def tv(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the total variation ½ Σ |p − q| of each row, from 0 to 1: the share that would have to move.

    >>> tv(np.array([[0.75, 0.25]]), np.array([[0.25, 0.75]])).tolist()
    [0.5]
    """
    return np.minimum(np.abs(p - q).sum(axis=1) / 2, 1.0)


DIVERGENCES = {"kl": kl, "js": js, "hellinger": hellinger, "tv": tv}
