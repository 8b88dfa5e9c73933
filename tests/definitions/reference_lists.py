"""The items of one list against each other, literally: every pair.

Choices: an item is without features when it has no topic, no vector, or a vector of zeros only, under every distance;
`skip` leaves it out of the matrix too, its diagonal included, and without a pair the list has no value.
"""

from __future__ import annotations

import math
from itertools import combinations

from .reference_case import Case, Value, discount_at, distance_of, features_of, relevant, similarity_of, top


def _kept(case: Case, items: list[str], features: str, missing: str) -> list[str]:
    assert missing in {"zero", "skip"}, missing
    return [item for item in items if missing == "zero" or features_of(case, item, features)]


def ils(
    case: Case,
    k: int | None,
    *,
    features: str = "topics",
    similarity: str = "cosine",
    average: str = "pairs",
    missing: str = "zero",
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items = _kept(case, top(case, user, k), features, missing)
        pairs = [similarity_of(case, a, b, features, similarity) for a, b in combinations(items, 2)]
        matrix = [similarity_of(case, a, b, features, similarity) for a in items for b in items]
        if not pairs:
            values[user] = None
        elif average == "sum":
            values[user] = math.fsum(pairs)
        else:
            cells = {"pairs": pairs, "matrix": matrix}[average]
            values[user] = math.fsum(cells) / len(cells)
    return values


def ild(
    case: Case, k: int | None, *, features: str = "topics", distance: str = "cosine", missing: str = "zero"
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items = _kept(case, top(case, user, k), features, missing)
        pairs = [distance_of(case, a, b, features, distance) for a, b in combinations(items, 2)]
        values[user] = math.fsum(pairs) / len(pairs) if pairs else None
    return values


def eild(
    case: Case,
    k: int | None,
    *,
    features: str = "topics",
    distance: str = "cosine",
    discount: str = "log2p1",
    relevance: str = "none",
    weights: str = "relative",
    rel: float | None = None,
    missing: str = "zero",
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items = top(case, user, k)
        places = range(len(items))  # from 0, so that the discount of place x is that of rank x + 1
        disc = [discount_at(place + 1, discount) for place in places]
        assert relevance in {"none", "binary"}, relevance
        wanted = [float(relevance == "none" or relevant(case, user, item, rel)) for item in items]
        kept = set(_kept(case, items, features, missing))
        distances = {
            (i, j): distance_of(case, items[i], items[j], features, distance)
            for i in places
            for j in places
            if i != j and items[i] in kept and items[j] in kept
        }
        if weights == "relative":
            terms = []
            for i in places:
                others = [j for j in places if (i, j) in distances]
                seen_after = {j: disc[max(0, j - i - 1)] * wanted[j] for j in others}
                below = math.fsum(seen_after.values())
                if below > 0:
                    above = math.fsum(seen_after[j] * distances[i, j] for j in others)
                    terms.append(disc[i] * wanted[i] * above / below)
            norm = math.fsum(disc[i] * wanted[i] for i in places)
        else:
            assert weights == "symmetric", weights
            w = [disc[i] * wanted[i] for i in places]
            pairs = [(i, j) for i, j in combinations(places, 2) if (i, j) in distances]
            terms = [w[i] * w[j] * distances[i, j] for i, j in pairs]
            norm = math.fsum(w[i] * w[j] for i, j in pairs)
        values[user] = math.fsum(terms) / norm if norm > 0 else None
    return values
