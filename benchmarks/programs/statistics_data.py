"""Data for tests of many systems: the same for every side in one turn, others in each turn."""

from __future__ import annotations

from itertools import combinations

import numpy as np

SYSTEMS, QUERIES, DEPTH, JUDGED, ITEMS = 50, 1000, 20, 10, 60


def values(turn: int) -> np.ndarray:
    """A row per system and a column per query: easy and hard queries, a third of the values 0."""
    rng = np.random.default_rng(turn)
    ease = rng.beta(0.6, 0.9, QUERIES)
    shape = SYSTEMS, QUERIES
    return np.where(rng.random(shape) < 0.1 + 0.6 * (1 - ease), 0.0, rng.beta(0.7, 0.9, shape) * ease)


def pairs() -> np.ndarray:
    return np.array(list(combinations(range(SYSTEMS), 2))).T


def judged(turn: int) -> np.ndarray:
    """The grades (columns: items, all others unjudged) of each query."""
    return np.random.default_rng([turn, 1]).integers(0, 4, (QUERIES, JUDGED))


def lists(turn: int, system: int) -> tuple[np.ndarray, np.ndarray]:
    """The queries that a system answers, all but 3 % of its own, and the items that it lists for each."""
    rng = np.random.default_rng([turn, 2, system])
    answered = np.flatnonzero(rng.random(QUERIES) >= 0.03)
    order = np.argsort(rng.random((len(answered), ITEMS)), axis=1)
    return answered, order[:, :DEPTH]
