"""How likely each candidate is to be relevant, learned from the answers so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwell.judging.told import Told

STEPS = 50


class Estimates(NamedTuple):
    """The mean gain and its variance of each candidate: those of its grade, and of an unjudged one what is expected.

    ``chance`` is the probability that it is relevant, ``top`` the highest gain that a judge can give.
    """

    chance: np.ndarray
    gain: np.ndarray
    variance: np.ndarray
    top: float


def estimates_of(answers: Told) -> Estimates:
    """Return what answers to come are expected to be.

    The log odds of relevance are linear in log Σ 1/r over the lists that have the item (a logistic regression on the judged
    candidates, with standard normal priors of both coefficients; so 1/2 while nothing is judged). A relevant item is expected to
    have the mean gain of those found so far, the highest one before any is found.
    """
    pooled = answers.pooled
    support = np.log(np.bincount(pooled.candidate, 1.0 / pooled.rank, minlength=len(pooled)))
    judged = answers.judged
    intercept, slope = logistic(support[judged], answers.relevant[judged])
    chance = 1.0 / (1.0 + np.exp(-(intercept + slope * support)))
    chance[judged] = answers.relevant[judged]
    gains = answers.measure.gains(answers.grade, answers.scale, answers.highest)
    top = float(answers.measure.gains(np.array([answers.highest]), answers.scale, answers.highest)[0])
    found = gains[answers.relevant] if answers.relevant.any() else np.array([top])
    mean, square = float(found.mean()), float((found**2).mean())
    gain = np.where(judged, gains, chance * mean)
    variance = np.where(judged, 0.0, chance * square - (chance * mean) ** 2)
    return Estimates(chance, gain, np.maximum(variance, 0.0), top)


def logistic(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return intercept and slope of the most probable logistic regression of 0/1 on one variable, with standard normal priors.

    By Newton's steps, until none changes by 1e-10 (50 at most): the function is concave, so a dozen are enough.

    >>> logistic(np.array([]), np.array([], bool))
    (0.0, 0.0)
    """
    design = np.column_stack([np.ones(len(x)), x])
    at = np.zeros(2)
    for _ in range(STEPS):
        fitted = 1.0 / (1.0 + np.exp(-(design @ at)))
        slope = design.T @ (y - fitted) - at
        curvature = (design * (fitted * (1 - fitted))[:, None]).T @ design + np.eye(2)
        step = np.linalg.solve(curvature, slope)
        at += step / max(1.0, float(np.abs(step).max()))  # no step above 1, so that it cannot run away
        if np.abs(step).max() < 1e-10:
            break
    return float(at[0]), float(at[1])
