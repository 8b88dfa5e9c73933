"""αβ-nDCG of the first users in plain NumPy: USERS KINDS. Every kind of item is looked at for each rank of the ideal list.

The gains of lists are vectorised over users, as a careful user of NumPy would write them. Seconds are CPU time.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from alphabeta_data import ITEMS, TOPICS, Data, data

ALPHA, BETA, K, FEW = 0.1, 0.9, 10, 200
DISCOUNT = 1 / np.log2(np.arange(2, K + 2))


def dcg(
    shown: np.ndarray, chance: np.ndarray, gamma: np.ndarray, offsets: np.ndarray, topics: np.ndarray
) -> np.ndarray:
    """αβ-DCG of all users, rank by rank."""
    left, total = gamma.copy(), np.zeros(len(shown))
    for rank in range(K):
        item = shown[:, rank]
        lengths = offsets[item + 1] - offsets[item]
        starts = np.cumsum(lengths) - lengths
        row = np.repeat(np.arange(len(shown)), lengths)
        topic = topics[np.arange(len(row)) + np.repeat(offsets[item] - starts, lengths)]
        a = chance[row, rank]
        total += DISCOUNT[rank] * -np.expm1(np.add.reduceat(np.log1p(-a * left[row, topic]), starts))
        left[row, topic] *= 1 - a
    return total


def ideal(
    gamma: np.ndarray, has: np.ndarray, chance: np.ndarray, copies: np.ndarray, first: np.ndarray
) -> float:
    """αβ-IDCG of one user: every candidate for every rank; of equal gains the one with the first id."""
    left, copies, total = gamma.copy(), copies.copy(), 0.0
    for rank in range(K):
        gains = 1 - np.prod(1 - has * (chance[:, None] * left), axis=1)
        gains[copies == 0] = -1
        near = np.flatnonzero(gains >= gains.max() * (1 - 1e-12))
        best = near[first[near].argmin()]
        total += gains[best] * DISCOUNT[rank]
        left *= 1 - has[best] * chance[best]
        copies[best] -= 1
    return total


def profile(given: Data, has: np.ndarray) -> np.ndarray:
    """The maximum-likelihood profiles of all users."""
    mass = np.stack(
        [ratings @ has[items] for items, ratings in zip(given.train, given.train_rating, strict=True)]
    )
    return mass / mass.sum(axis=1, keepdims=True)


def main() -> None:
    users, kinds = int(sys.argv[1]), int(sys.argv[2])
    given = data(users, kinds)
    has = np.zeros((ITEMS, TOPICS), bool)
    for item, topics in enumerate(given.topics):
        has[item, list(topics)] = True
    offsets = np.concatenate(([0], has.sum(axis=1).cumsum()))
    gamma = profile(given, has)
    rated = (given.shown[:, :, None] == given.test[:, None, :]) * given.test_rating[:, None, :]
    chance = np.where(rated.any(axis=2), BETA * rated.sum(axis=2) / 5, ALPHA)
    start = time.process_time()
    values = dcg(given.shown, chance, gamma, offsets, np.nonzero(has)[1])
    seconds = {"dcg": time.process_time() - start}
    number = {topics: kind for kind, topics in enumerate(dict.fromkeys(given.topics))}
    kind = np.array([number[topics] for topics in given.topics])
    of_kind = np.stack([has[np.flatnonzero(kind == each)[0]] for each in range(len(number))])
    by_text = np.argsort(np.argsort([str(item) for item in range(ITEMS)]))
    quotients, spent = [], 0.0
    for user in range(FEW):
        gone = np.zeros(ITEMS, bool)
        gone[given.train[user]] = gone[given.test[user]] = True
        copies = np.bincount(kind[~gone], minlength=len(number))
        first = np.full(len(number), ITEMS)
        np.minimum.at(first, kind[~gone], by_text[~gone])
        own = given.test[user]
        start = time.process_time()
        best = ideal(
            gamma[user],
            np.concatenate([has[own], of_kind]),
            np.concatenate([BETA * given.test_rating[user] / 5, np.full(len(number), ALPHA)]),
            np.concatenate([np.ones(len(own), int), copies]),
            np.concatenate([by_text[own], first]),
        )
        spent += time.process_time() - start
        quotients.append(values[user] / best)
    seconds["ideal"] = spent * users / FEW
    found = {
        "ab_dcg(alpha=0.1,beta=0.9)@10": values[:FEW].mean(),
        "ab_ndcg(alpha=0.1,beta=0.9)@10": np.mean(quotients),
    }
    print(json.dumps({
        "values": {f"mean of the first {FEW}, {name}": float(value) for name, value in found.items()},
        "seconds": seconds,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
