"""A board a second time: places, and rank intervals by flips of every sign, in plain loops."""

from __future__ import annotations

import math
from itertools import combinations, product

import rankwell as rw

VALUES = {
    "ann": [0.61, 0.55, 0.72, 0.48, 0.66, 0.59, 0.70, 0.64],
    "bea": [0.60, 0.56, 0.70, 0.49, 0.65, 0.57, 0.71, 0.60],
    "cid": [0.52, 0.47, 0.66, 0.40, 0.60, 0.50, 0.62, 0.61],
    "dot": [0.51, 0.48, 0.61, 0.44, 0.62, 0.41, 0.60, 0.75],
}
TASKS = [f"t{t}" for t in range(8)]


def board():
    """The board of these values, made by rankwell."""
    return rw.suite(
        {task: {name: own[t] for name, own in VALUES.items()} for t, task in enumerate(TASKS)}, metric="rr"
    ).board()


def places(scores):
    """1 + the number of larger scores, by name."""
    return {name: 1 + sum(other > own + 1e-9 for other in scores.values()) for name, own in scores.items()}


def mean_places(values):
    """The places by the mean."""
    return places({name: math.fsum(own) / len(own) for name, own in values.items()})


def left_out_places(values):
    """The lowest and the highest place when any one task is left out."""
    n = len(next(iter(values.values())))
    every = [mean_places({name: own[:t] + own[t + 1 :] for name, own in values.items()}) for t in range(n)]
    return {name: (min(each[name] for each in every), max(each[name] for each in every)) for name in values}


def t_of(differences):
    """|t| of the mean."""
    n = len(differences)
    mean = math.fsum(differences) / n
    spread = math.fsum((d - mean) ** 2 for d in differences) / (n - 1)
    if spread <= 1e-15:
        return math.inf if abs(mean) > 1e-12 else 0.0
    return abs(mean) / math.sqrt(spread / n)


def adjusted(values):
    """The p-value of each pair by step-down maxT over all patterns of signs."""
    d = {
        pair: [a - b for a, b in zip(values[pair[0]], values[pair[1]], strict=True)]
        for pair in combinations(values, 2)
    }
    signs = list(product([1, -1], repeat=len(next(iter(d.values())))))
    flipped = {
        pair: [t_of([s * x for s, x in zip(own, row, strict=True)]) for own in signs]
        for pair, row in d.items()
    }
    found, least = {}, 0.0
    order = sorted(d, key=lambda pair: -t_of(d[pair]))
    for place, pair in enumerate(order):
        most = [max(flipped[other][at] for other in order[place:]) for at in range(len(signs))]
        own = sum(each >= t_of(d[pair]) * (1 - 1e-9) for each in most) / len(signs)
        found[pair] = least = max(least, own)
    return found


def rank_intervals(values, level=0.95):
    """1 + the systems that are surely better, to n less those that are surely worse."""
    mean = {name: math.fsum(own) for name, own in values.items()}
    better = dict.fromkeys(values, 0)
    worse = dict(better)
    for (first, second), p in adjusted(values).items():
        if p < 1 - level:
            top, low = (first, second) if mean[first] > mean[second] else (second, first)
            better[low] += 1
            worse[top] += 1
    return {name: (1 + better[name], len(values) - worse[name]) for name in values}
