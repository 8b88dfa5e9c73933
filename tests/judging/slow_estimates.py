"""The estimators once more, as plain loops over one query with exact fractions, from the formulas of the papers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from rankwell.judging.samples import QueryFrame

EPSILON = Fraction(1, 100_000)
Ranks = dict[int, int]  # the rank of each item that the list has


def ap(rank: Ranks, relevant: set[int]) -> Fraction:
    """AP under all judgements."""
    hits = sorted(rank[item] for item in relevant if item in rank)
    return sum((Fraction(place, r) for place, r in enumerate(hits, start=1)), Fraction(0)) / len(relevant)


def ndcg(rank: Ranks, grades: dict[int, int], k: int | None = None) -> float:
    """nDCG under all judgements."""
    dcg = sum(grades[i] / math.log2(r + 1) for i, r in rank.items() if i in grades and (k is None or r <= k))
    best = sorted(grades.values(), reverse=True)[:k]
    return dcg / sum(grade / math.log2(r + 1) for r, grade in enumerate(best, start=1))


def statap(rank: Ranks, relevant: set[int], stratum: list[int], n: dict[int, int]) -> Fraction | None:
    """Σ over relevant items (1/π_i)(1/r_i)(1 + Σ above π_i/π_ij), over Σ 1/π, with π of stratified random sampling."""
    size = {s: stratum.count(s) for s in n}
    chance = {i: Fraction(n[s], size[s]) for i, s in enumerate(stratum)}

    def both(i: int, j: int) -> Fraction:
        s = stratum[i]
        if s != stratum[j]:
            return chance[i] * chance[j]
        return Fraction(n[s] * (n[s] - 1), size[s] * (size[s] - 1))

    if not relevant:
        return None
    total = Fraction(0)
    for i in relevant & set(rank):
        above = sum((chance[i] / both(i, j) for j in relevant & set(rank) if rank[j] < rank[i]), Fraction(0))
        total += (1 + above) / chance[i] / rank[i]
    return total / sum(1 / chance[i] for i in relevant)


def xinfap(
    rank: Ranks, relevant: set[int], judged: set[int], stratum: list[int], classes: int = 2
) -> Fraction | None:
    """The expected precision at each relevant item, averaged within strata, and these by the estimated number of relevant items."""
    if not relevant:
        return None
    by_stratum, counts = Fraction(0), Fraction(0)
    for s in set(stratum):
        own = {i for i in relevant if stratum[i] == s}
        if not own:
            continue
        n, size = sum(stratum[i] == s for i in judged), stratum.count(s)
        mean = sum(
            (precision(rank, relevant, judged, stratum, i, classes) for i in own & set(rank)), Fraction(0)
        ) / len(own)
        estimated = Fraction(len(own) * size, n)
        by_stratum, counts = by_stratum + estimated * mean, counts + estimated
    return by_stratum / counts


def precision(
    rank: Ranks, relevant: set[int], judged: set[int], stratum: list[int], at: int, classes: int
) -> Fraction:
    """What precision is expected at a relevant item: itself, and of each stratum above it the share of relevant ones."""
    above = [i for i, r in rank.items() if r < rank[at] and i < len(stratum)]
    found = Fraction(1)
    for s in set(stratum):
        listed = [i for i in above if stratum[i] == s]
        n, m = sum(i in judged for i in listed), sum(i in relevant for i in listed)
        found += len(listed) * (m + EPSILON) / (n + classes * EPSILON)
    return found / rank[at]


def samples(stratum: list[int], n: dict[int, int]) -> Iterator[set[int]]:
    """Every sample of n items of each stratum."""
    groups = [[i for i, own in enumerate(stratum) if own == s] for s in n]
    for parts in itertools.product(
        *(itertools.combinations(g, n[s]) for g, s in zip(groups, n, strict=True))
    ):
        yield set(itertools.chain(*parts))


def part_of(stratum: list[int], judged: set[int]) -> QueryFrame:
    codes = np.array(stratum)
    return QueryFrame(codes, mask(judged, len(stratum)), np.bincount(codes))


def mask(items: set[int], n: int) -> np.ndarray:
    found = np.zeros(n, np.bool_)
    found[[*items]] = True
    return found


def ranks(rank: Ranks, n: int, k: int | None = None) -> np.ndarray:
    found = np.full(n, np.inf)
    for item, r in rank.items():
        if item < n and (k is None or r <= k):
            found[item] = r
    return found
