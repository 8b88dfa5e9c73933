"""Corrections of p-values for the number of comparisons."""

from __future__ import annotations

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Holm's step-down procedure, which controls the family-wise error rate.

    NaN (not tested) stays NaN and is not counted. Source: Holm, Scandinavian Journal of Statistics 6 (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    return _stepwise(p, lambda rank, m: m - rank + 1, down=True)


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Benjamini and Hochberg's procedure, which controls the false discovery rate.

    It holds for independent or positively dependent tests. Source: Benjamini and Hochberg, JRSS-B 57 (1995).

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    return _stepwise(p, lambda rank, m: m / rank, down=False)


def benjamini_yekutieli(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted for the false discovery rate of tests that depend in any way.

    Source: Benjamini and Yekutieli, Annals of Statistics 29 (2001).

    Examples
    --------
    >>> benjamini_yekutieli(np.array([0.01, 0.04, 0.03])).round(6)
    array([0.055   , 0.073333, 0.073333])
    """
    return _stepwise(p, lambda rank, m: m / rank * (1 / np.arange(1, m + 1)).sum(), down=False)


def _stepwise(p: np.ndarray, factor: object, *, down: bool) -> np.ndarray:
    p = np.asarray(p, np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    scaled = p[order] * factor(np.arange(1, len(order) + 1), len(order))  # type: ignore[operator]
    steps = np.maximum.accumulate(scaled) if down else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
