"""αβ-nDCG once more in plain loops over all items, to hold the kernels against; its sums run in the kernels' order."""

from __future__ import annotations

import math


def gain_of(topics, left, chance):
    """What an item gains: 1 − Π (1 − a·S), added up topic by topic in the order of their numbers."""
    total = 0.0
    for topic in sorted(topics):
        total += chance * left[topic] * (1.0 - total)
    return total


def use_up(topics, left, chance):
    """Take from each topic of an item what it satisfied."""
    for topic in topics:
        left[topic] *= 1.0 - chance


def greedy(left, candidates, depth):
    """Return the items and gains of the greedy list, every candidate looked at for each rank.

    ``candidates`` is {item: (topics, chance)}, items being comparable as ids are; the list ends where nothing gains.
    """
    left, rest, listed = list(left), dict(candidates), []
    while rest and len(listed) < depth:
        gains = {item: gain_of(topics, left, chance) for item, (topics, chance) in rest.items()}
        if max(gains.values()) <= 0:
            break
        near = max(gains.values()) * (1.0 - 1e-12)  # rounding does not decide
        best = min(item for item in rest if gains[item] >= near)
        listed.append((best, gains[best]))
        use_up(*_swapped(rest.pop(best), left))
    return listed


def _swapped(candidate, left):
    topics, chance = candidate
    return topics, left, chance


def value(gains):
    """Gains discounted and added up."""
    total = 0.0
    for rank, gain in enumerate(gains, start=1):
        total += gain * (1.0 / math.log2(rank + 1))
    return total


def best_of_all(left, candidates, depth):
    """Return the highest value of any list, by enumeration."""
    best = 0.0
    for item, (topics, chance) in candidates.items():
        after = list(left)
        use_up(topics, after, chance)
        rest = {other: each for other, each in candidates.items() if other != item}
        best = max(best, _best(after, rest, depth - 1, 2, gain_of(topics, left, chance)))
    return best


def _best(left, candidates, depth, rank, so_far):
    best = so_far
    if depth == 0:
        return best
    for item, (topics, chance) in candidates.items():
        after = list(left)
        use_up(topics, after, chance)
        rest = {other: each for other, each in candidates.items() if other != item}
        more = gain_of(topics, left, chance) * (1.0 / math.log2(rank + 1))
        best = max(best, _best(after, rest, depth - 1, rank + 1, so_far + more))
    return best
