"""Differences whose true mean is 0, or as large as asked for: real ones re-weighted, and simulated ones.

Real differences of two systems are re-weighted by exponential tilting, which is the smallest change (in Kullback and Leibler's
sense) that moves their mean: every value stays one that was observed, and so do zeros, ties and lopsidedness.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from populations import CRANFIELD, DIFFERENCES, FILMS, differences, table


def tilted(values: np.ndarray, target: np.ndarray | float = 0.0) -> np.ndarray:
    """The chances ∝ exp(values · λ) under which the mean of values (columns: several) is the target, by Newton's method."""
    x = np.atleast_2d(values.T).T - target
    step = np.zeros(x.shape[1])
    for _ in range(200):
        weights = np.exp(x @ step - (x @ step).max())
        weights /= weights.sum()
        slope = weights @ x
        if np.abs(slope).max() < 1e-12:
            return weights
        move = np.linalg.solve((x * weights[:, None]).T @ x - np.outer(slope, slope), slope)
        step -= move * min(1.0, 5.0 / np.abs(x @ move).max())
    raise ValueError("no weights give this mean: it lies outside of what was observed")


class Null(NamedTuple):
    """A population of differences: the chances of each observed value for a given mean, or draws of a law moved by it."""

    about: str
    draw: Callable[[np.random.Generator, tuple[int, ...], float], np.ndarray]
    sd: float
    skewness: float


def real(name: str) -> Null:
    """Real differences, tilted."""
    values = differences()[name]()

    def draw(rng: np.random.Generator, shape: tuple[int, ...], mean: float) -> np.ndarray:
        return rng.choice(values, shape, p=tilted(values, mean))

    chances = tilted(values)
    sd = float(np.sqrt(chances @ values**2))
    return Null("real differences, tilted", draw, sd, float(chances @ values**3 / sd**3))


LAWS: dict[str, tuple[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]]] = {
    "simulated: symmetric, half are 0": (
        "0 or ± exponential, each with chance 1/2",
        lambda rng, shape: (
            (rng.random(shape) < 0.5) * rng.choice([-1.0, 1.0], shape) * rng.exponential(1, shape)
        ),
    ),
    "simulated: skewed": ("exponential − 1", lambda rng, shape: rng.exponential(1, shape) - 1),
    "simulated: very skewed": (
        "lognormal − its mean",
        lambda rng, shape: rng.lognormal(0, 1, shape) - np.exp(0.5),
    ),
    "simulated: rare large losses": (
        "0.05 in nine of ten, −0.45 in one",
        lambda rng, shape: np.where(rng.random(shape) < 0.1, -0.45, 0.05),
    ),
    "simulated: mostly 0, lopsided": (
        "0 with chance .8, uniform up to 0.2 with .15, −0.3 with .05",
        lambda rng, shape: np.select(
            [(u := rng.random(shape)) < 0.8, u < 0.95], [0.0, rng.random(shape) / 5], -0.3
        ),
    ),
}


def simulated(name: str) -> Null:
    """Differences of a known law; another mean moves all of them."""
    about, law = LAWS[name]
    many = law(np.random.default_rng(0), (1_000_000,))
    sd = float(many.std())
    return Null(
        about,
        lambda rng, shape, mean: law(rng, shape) + mean,
        sd,
        float(((many - many.mean()) ** 3).mean() / sd**3),
    )


NULLS: dict[str, Callable[[], Null]] = {
    **{f"{name}, tilted": partial(real, name) for name in DIFFERENCES},
    **{name: partial(simulated, name) for name in LAWS},
}

# Families: a function that draws a row per system and a column per unit, and which systems are better by how much
Family = Callable[[np.random.Generator, int], np.ndarray]


def _real_systems(values: np.ndarray) -> Family:
    chances = tilted((values[1:] - values[0]).T)
    return lambda rng, n: values[:, rng.choice(values.shape[1], n, p=chances)]


def _hard_and_easy(rng: np.random.Generator, n: int, systems: int = 5) -> np.ndarray:
    """All systems exchangeable: zeros more often on hard units, else skewed values."""
    ease = rng.beta(0.6, 0.9, n)
    is_zero = rng.random((systems, n)) < 0.1 + 0.6 * (1 - ease)
    return np.where(is_zero, 0, rng.beta(0.7, 0.9, (systems, n)) * ease)


def _two_better(rng: np.random.Generator, n: int) -> np.ndarray:
    found = _hard_and_easy(rng, n)
    found[3] += 0.04
    found[4] += rng.choice([0.02, 0.1], n)
    return found


def _unequal_spread(rng: np.random.Generator, n: int) -> np.ndarray:
    shape = 5, n
    spread = np.array([0.01, 0.05, 0.1, 0.3, 0.6])[:, None]
    return spread * (rng.random(shape) < 0.3) * rng.choice([-1, 1], shape) * rng.exponential(1, shape)


def _rare_losses(rng: np.random.Generator, n: int) -> np.ndarray:
    found = np.zeros((5, n))
    found[1:] += np.where(rng.random((4, n)) < 0.1, -0.45, 0.05)
    return found


def _one_noisy_better(rng: np.random.Generator, n: int) -> np.ndarray:
    """Four alike with little spread, and one noisy system that is better: a partial null with unequal variances."""
    found = 0.05 * rng.standard_normal((5, n))
    found[3] = 0.5 * rng.standard_normal(n)
    found[4] += 0.02
    return found


FAMILIES: dict[str, tuple[str, Callable[[], Family], tuple[int, ...]]] = {
    "films: popular, itemknn, als by ndcg@10, tilted": (
        "real values, weighted so that all means are equal",
        lambda: _real_systems(table(FILMS, ("popular", "itemknn", "als"), "ndcg@10")),
        (),
    ),
    "cranfield: bm25, tfidf, lsi, coord by ap, tilted": (
        "real values, weighted so that all means are equal",
        lambda: _real_systems(table(CRANFIELD, ("bm25", "tfidf", "lsi", "coord"), "ap")),
        (),
    ),
    "simulated: exchangeable, zero-inflated": (
        "five systems, a third of the values 0",
        lambda: _hard_and_easy,
        (),
    ),
    "simulated: two of five are better": ("the same, two systems raised by .04 and .06", lambda: _two_better, (3, 4)),
    "simulated: unequal spread": ("equal means, spread from .01 to .6", lambda: _unequal_spread, ()),
    "simulated: one noisy, one better": (
        "sd .05, of one system .5; one is better by .02",
        lambda: _one_noisy_better,
        (4,),
    ),
    "simulated: rare large losses": (
        "four lose .45 in a tenth of the units and win .05 elsewhere, against the first",
        lambda: _rare_losses,
        (),
    ),
}  # fmt: skip
