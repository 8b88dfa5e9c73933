"""All lists together against the catalogue, literally: unions, counts, and every pair of lists or items.

Choices: an item outside the catalogue adds nothing to what the catalogue divides; rarefied coverage is the mean over
every choice of n lists, empty lists among them; a list's items are taken to be distinct.
"""

from __future__ import annotations

import math
from itertools import combinations

from .reference_case import Case, Value, everybody, judged_users, top


def _union(case: Case, k: int | None) -> set[str]:
    return {item for user in case.lists for item in top(case, user, k)}


def _listed(case: Case, k: int | None) -> list[int]:
    """How many lists hold each catalogue item, ascending."""
    return sorted(sum(1 for user in case.lists if item in top(case, user, k)) for item in case.catalogue)


def coverage(case: Case, k: int | None, *, users: int | None = None, weights: str | None = None) -> Value:
    weight = {item: 1.0 if weights is None else case.weights[item] for item in case.catalogue}
    total = math.fsum(weight.values())
    if total == 0 or (users is not None and users > len(case.lists)):
        return None
    chosen = [tuple(case.lists)] if users is None else list(combinations(case.lists, users))
    values = []
    for choice in chosen:
        covered = {item for user in choice for item in top(case, user, k)}
        values.append(math.fsum(weight[item] for item in case.catalogue if item in covered) / total)
    return math.fsum(values) / len(values)


def prediction_coverage(case: Case, k: int | None) -> Value:
    """The whole lists count, whatever k is."""
    return coverage(case, None)


def user_coverage(case: Case, k: int | None, *, least: int = 1) -> Value:
    """Whoever has a list, was judged, or stands in the table of users."""
    users = set(everybody(case)) | set(case.users)
    return sum(1 for user in users if len(top(case, user, k)) >= least) / len(users) if users else None


def topic_coverage(case: Case, k: int | None) -> Value:
    shown = {topic for item in _union(case, k) for topic in case.topics.get(item, ())}
    known = {topic for item in case.catalogue for topic in case.topics.get(item, ())}
    return len(shown & known) / len(known) if known else None


def test_share(case: Case, k: int | None) -> Value:
    judged = {item for user in judged_users(case) for item in case.truth[user]}
    union = _union(case, k)
    return len(union & judged) / len(union) if union else None


test_share.__test__ = False  # type: ignore[attr-defined] # a metric, not a test


def gini(case: Case, k: int | None) -> Value:
    """Half the mean difference of two counts, over their mean."""
    counts = _listed(case, k)
    if sum(counts) == 0:
        return None
    m = len(counts)
    differences = sum(abs(a - b) for a in counts for b in counts)
    return differences / (m * m) / (2 * sum(counts) / m)


def gini_m1(case: Case, k: int | None) -> Value:
    value, m = gini(case, k), len(case.catalogue)
    return None if value is None or m < 2 else value * m / (m - 1)


def gini_diversity(case: Case, k: int | None) -> Value:
    value = gini_m1(case, k)
    return None if value is None else 1 - value


def _chances(case: Case, k: int | None) -> list[float]:
    counts = _listed(case, k)
    return [count / sum(counts) for count in counts if count > 0]


def entropy(case: Case, k: int | None, *, base: float = 2) -> Value:
    chances = _chances(case, k)
    if not chances:
        return None
    return math.fsum(chance * (math.log2(1 / chance) / math.log2(base)) for chance in chances)


def entropy_norm(case: Case, k: int | None) -> Value:
    value, m = entropy(case, k), len(case.catalogue)
    return None if value is None or m < 2 else value / math.log2(m)


def simpson(case: Case, k: int | None) -> Value:
    chances = _chances(case, k)
    return 1 - math.fsum(chance * chance for chance in chances) if chances else None


def effective_items(case: Case, k: int | None) -> Value:
    value = entropy(case, k)
    return None if value is None else 2**value


def personalization(case: Case, k: int | None, *, similarity: str = "cosine") -> Value:
    def alike(one: set[str], other: set[str]) -> float:
        if not one or not other:
            return 0.0
        both = len(one & other)
        if similarity == "shared":
            assert k is not None, "the shared share is of k"
            return both / k
        below = {
            "cosine": math.sqrt(len(one) * len(other)),
            "overlap": min(len(one), len(other)),
            "jaccard": len(one | other),
        }
        return both / below[similarity]

    pairs = list(combinations([set(top(case, user, k)) for user in case.lists], 2))
    return 1 - math.fsum(alike(one, other) for one, other in pairs) / len(pairs) if pairs else None
