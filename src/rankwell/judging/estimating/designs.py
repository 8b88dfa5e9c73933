"""Designs of samples: strata of the candidates of a query, how many to draw of each, and the probability of each item."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

Design = Literal["rank", "prior", "uniform", "poisson"]
EDGES = np.array(
    [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000]
)  # the deepest rank of each stratum but the last
THINNER = 3.0  # of each stratum of ranks, so many times fewer items are drawn than of the one above it
FEWEST = 5  # items drawn per stratum, on average
MOST = 10  # strata of a prior
RULES = {
    "rank": "strata by best rank in any run (1-10, 11-30, 31-100 …), each a third as dense as the one above it, at random within each",
    "prior": "strata of equal shares of statAP's prior, as many items of each, at random within each",
    "uniform": "all items alike, at random",
    "poisson": "each item independently, with a probability in proportion to statAP's prior",
}


class Drawing(NamedTuple):
    """What is drawn of one query: the stratum of each candidate (None without strata), their names, probabilities, and a mask."""

    stratum: np.ndarray | None
    names: tuple[str, ...]
    chance: np.ndarray
    drawn: np.ndarray


def drawing_of(
    design: Design, best_rank: np.ndarray, prior: np.ndarray, keys: np.ndarray, budget: int
) -> Drawing:
    """Draw a number of candidates of a query by random numbers from 0 to 1, ``keys``; all if there are no more than that."""
    if design == "poisson":
        chance = chances(prior, budget)
        return Drawing(None, (), chance, keys < chance)
    stratum, names, shares = _strata(design, best_rank, prior, budget)
    sizes = np.bincount(stratum, minlength=len(names))
    n = allocated(sizes, shares, budget)
    order = np.lexsort((keys, stratum))
    firsts = np.cumsum(sizes) - sizes
    drawn = np.zeros(len(keys), np.bool_)
    drawn[order] = np.arange(len(keys)) - firsts[stratum[order]] < n[stratum[order]]
    return Drawing(stratum, names, (n / sizes)[stratum], drawn)


def _strata(
    design: Design, best_rank: np.ndarray, prior: np.ndarray, budget: int
) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """The stratum of each candidate, their names, and the shares of the budget in which they are drawn."""
    most = max(budget // FEWEST, 1)
    if design == "uniform":
        return np.zeros(len(prior), np.int64), ("all",), np.ones(1)
    if design == "rank":
        levels, stratum = np.unique(
            np.minimum(np.searchsorted(EDGES, best_rank), most - 1), return_inverse=True
        )
        names = tuple(_ranks(level, is_last=level == most - 1) for level in levels.tolist())
        return stratum, names, np.bincount(stratum) / THINNER ** levels.astype(np.float64)
    order = np.argsort(-prior, kind="stable")
    mass = np.cumsum(prior[order]) / prior.sum()
    n = min(most, MOST)
    level = np.empty(len(prior), np.int64)
    level[order] = np.minimum((mass - prior[order] / prior.sum() / 2) * n, n - 1).astype(np.int64)
    levels, stratum = np.unique(level, return_inverse=True)
    return stratum, tuple(f"prior {each}" for each in (levels + 1).tolist()), np.bincount(stratum, prior)


def _ranks(level: int, *, is_last: bool) -> str:
    """The name of a stratum of ranks; the last one goes to the end of the lists."""
    low = 1 if level == 0 else int(EDGES[level - 1]) + 1
    return f"{low}+" if is_last or level == len(EDGES) else f"{low}-{EDGES[level]}"


def allocated(sizes: np.ndarray, shares: np.ndarray, budget: int) -> np.ndarray:
    """Return how many to draw of each stratum: in proportion to the shares, at least two and no more than there are.

    Two are needed to see a variance. What a stratum cannot take goes to the others, in proportion.

    >>> allocated(np.array([10, 20, 70]), np.array([10.0, 10.0, 10.0]), 36).tolist()
    [10, 13, 13]
    >>> allocated(np.array([3, 50]), np.array([1.0, 100.0]), 10).tolist()
    [2, 8]
    """
    budget = min(budget, int(sizes.sum()))
    least = np.minimum(sizes, 2)
    if budget < least.sum():
        least = np.zeros(len(sizes))
    low, high = 0.0, 1.0
    while np.clip(high * shares, least, sizes).sum() < budget:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.clip(middle * shares, least, sizes).sum() < budget else (low, middle)
    wanted = np.clip(high * shares, least, sizes)
    found = np.floor(wanted + 1e-9).astype(np.int64)
    rest = np.argsort(-(wanted - found), kind="stable")[: max(budget - int(found.sum()), 0)]
    found[rest] += 1
    return np.minimum(found, sizes)


def chances(prior: np.ndarray, budget: int) -> np.ndarray:
    """Return probabilities in proportion to a prior, none above 1, that add up to the budget.

    >>> chances(np.array([6.0, 2.0, 1.0, 1.0]), 2).tolist()
    [1.0, 0.5, 0.25, 0.25]
    """
    if budget >= len(prior):
        return np.ones(len(prior))
    order = np.argsort(-prior, kind="stable")
    left = np.cumsum(prior[order][::-1])[::-1]  # of each and all below
    certain = int(np.argmax((budget - np.arange(len(prior))) * prior[order] < left))
    scale = (budget - certain) / left[certain]
    found: np.ndarray = np.minimum(prior * scale, 1.0)
    found[order[:certain]] = 1.0
    return found


def prior_of(rank: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return statAP's prior of ranks in lists of these lengths: (1/2n) (1 + 1/r + 1/(r + 1) + … + 1/n), which adds up to 1.

    It is the share of AP's weight that falls on a rank, over all pairs of ranks.

    >>> prior_of(np.array([1, 2]), np.array([2, 2])).tolist()
    [0.625, 0.375]
    """
    n = np.maximum(length, rank)  # ranks with gaps may be beyond the length
    sums = np.append(0.0, np.cumsum(1.0 / np.arange(1, int(n.max(initial=1)) + 1)))
    found: np.ndarray = (1.0 + sums[n] - sums[rank - 1]) / (2 * n)
    return found
