"""Users, items and topics for αβ-nDCG, made from a seed: what each user had, rated in the test, and is shown."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

TOPICS, ITEMS, TRAIN, TEST, SHOWN = 20, 10_000, 50, 10, 10
SIZES = (0.2, 0.35, 0.25, 0.15, 0.05)  # how many kinds have 1, 2, … topics: 2.5 on average
FOUND = 3  # test items of a user in his list


@dataclass(frozen=True)
class Data:
    """Tables of users by rows: items that each had, rated and is shown, and the ratings 1 to 5 of the first two."""

    topics: list[tuple[int, ...]]  # of each item
    train: np.ndarray
    train_rating: np.ndarray
    test: np.ndarray
    test_rating: np.ndarray
    shown: np.ndarray


def kinds_of(kinds: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Different sets of topics, smaller ones as long as there are any."""
    sets: list[tuple[int, ...]] = []
    for size, share in enumerate(SIZES, start=1):
        every = list(combinations(range(TOPICS), size))
        left = kinds - len(sets)
        wanted = left if size == len(SIZES) else min(left, max(round(share * kinds), 1))
        sets += [every[place] for place in rng.permutation(len(every))[:wanted]]
    assert len(sets) == kinds
    return sets


def data(users: int, kinds: int) -> Data:
    """Return data with so many kinds of items; every kind has an item, some have many."""
    rng = np.random.default_rng(8)
    sets = kinds_of(kinds, rng)
    weight = 1 / (1 + rng.permutation(kinds))
    of = np.concatenate([np.arange(kinds), rng.choice(kinds, ITEMS - kinds, p=weight / weight.sum())])
    rng.shuffle(of)
    # steps that are never 0, and too few to come round: all items of a user differ
    steps = rng.integers(1, ITEMS // (TRAIN + TEST + SHOWN), (users, TRAIN + TEST + SHOWN))
    items = (rng.integers(0, ITEMS, (users, 1)) + steps.cumsum(axis=1)) % ITEMS
    rng.permuted(items, axis=1, out=items)
    train, test = items[:, :TRAIN], items[:, TRAIN : TRAIN + TEST]
    shown = items[:, -SHOWN:].copy()
    shown[:, [0, 4, 8]] = test[:, :FOUND]
    ratings = rng.integers(1, 6, (users, TRAIN + TEST)).astype(float)
    return Data([sets[kind] for kind in of], train, ratings[:, :TRAIN], test, ratings[:, TRAIN:], shown)
