"""What the slow metrics beyond accuracy read: one small case of plain lists, sets and dicts, and looks at it.

A user without a row (no key, or an empty dict) has no judgements, no train items; a list that is there may be
empty. `None` for k is the whole list. Nothing of rankwell and no NumPy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

Value = float | None  # None: undefined
Vector = dict[str, float]  # the features that are not zero


@dataclass(frozen=True)
class Case:
    """Lists in rank order, and all tables that a metric may ask for.

    scores: user -> item -> predicted rating, falling along each list. truth: user -> item -> grade. topics: item ->
    topics. vectors: item -> numbers, all of one length. groups: item -> its group or None. weights: item -> weight in
    coverage. train: user -> item -> grade. propensity: user -> item -> chance that the judgement was seen. users: the table of users, if
    there is one.
    """

    lists: dict[str, list[str]]
    catalogue: list[str]
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    truth: dict[str, dict[str, float]] = field(default_factory=dict)
    topics: dict[str, set[str]] = field(default_factory=dict)
    vectors: dict[str, list[float]] = field(default_factory=dict)
    groups: dict[str, str | None] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    train: dict[str, dict[str, float]] = field(default_factory=dict)
    propensity: dict[str, dict[str, float]] = field(default_factory=dict)
    users: list[str] = field(default_factory=list)


# --- lists and judgements -----------------------------------------------------------------------------------


def top(case: Case, user: str, k: int | None) -> list[str]:
    """The list of a user down to rank k; empty where the run has none."""
    return case.lists.get(user, [])[:k]


def judged_users(case: Case) -> list[str]:
    return [user for user, grades in case.truth.items() if grades]


def everybody(case: Case) -> list[str]:
    """Who has a list, then who was judged without having one."""
    return [*case.lists, *(user for user in judged_users(case) if user not in case.lists)]


def grade_of(case: Case, user: str, item: str) -> float:
    """The judged grade; 0 where unjudged, or negative (pooled, not judged)."""
    return max(case.truth.get(user, {}).get(item, 0.0), 0.0)


def relevant(case: Case, user: str, item: str, rel: float | None) -> bool:
    """Whether the item was judged at least `rel`, or above 0."""
    grade = case.truth.get(user, {}).get(item)
    if grade is None or grade < 0:
        return False
    return grade > 0 if rel is None else grade >= rel


def mean(values: dict[str, Value]) -> Value:
    """The mean of those that are defined."""
    defined = [value for value in values.values() if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


# --- train --------------------------------------------------------------------------------------------------


def history(case: Case, user: str) -> list[str]:
    """H_u: the train items of a user, each once."""
    return list(case.train.get(user, {}))


def count(case: Case, item: str) -> int:
    """c_i: how many train users have the item."""
    return sum(1 for grades in case.train.values() if item in grades)


def n_train_users(case: Case) -> int:
    """U: the train users that have a row."""
    return sum(1 for grades in case.train.values() if grades)


def n_train_rows(case: Case) -> int:
    """T: the train rows."""
    return sum(len(grades) for grades in case.train.values())


def by_popularity(case: Case) -> list[str]:
    """The catalogue, most train users first, equal ones by id ascending as text; nobody's items are the last."""
    return sorted(case.catalogue, key=lambda item: (-count(case, item), item.encode()))


def exact(number: float) -> Fraction:
    """The number as it is written: 0.1 is one tenth, so that a share meets a level exactly."""
    return Fraction(repr(number))


# --- features -----------------------------------------------------------------------------------------------


def features_of(case: Case, item: str, features: str) -> Vector:
    """The features of an item that are not zero: 1 for each topic, or the numbers of its vector."""
    if features == "topics":
        return dict.fromkeys(sorted(case.topics.get(item, ())), 1.0)
    assert features == "vectors", features
    numbers = case.vectors.get(item, [])
    return {f"{place:04d}": number for place, number in enumerate(numbers) if number != 0}


def cosine(a: Vector, b: Vector) -> float:
    """The cosine; 0 if one has no feature, also with itself."""
    if not a or not b:
        return 0.0
    dot = math.fsum(a[name] * b[name] for name in a if name in b)
    return dot / math.sqrt(math.fsum(x * x for x in a.values()) * math.fsum(x * x for x in b.values()))


def jaccard(a: Vector, b: Vector) -> float:
    """Shared features over all features of the two; 0 if neither has one."""
    union = set(a) | set(b)
    return len(set(a) & set(b)) / len(union) if union else 0.0


def similarity_of(case: Case, one: str, other: str, features: str, similarity: str) -> float:
    a, b = features_of(case, one, features), features_of(case, other, features)
    return {"cosine": cosine, "jaccard": jaccard}[similarity](a, b)


def distance_of(case: Case, one: str, other: str, features: str, distance: str) -> float:
    a, b = features_of(case, one, features), features_of(case, other, features)
    if distance in {"cosine", "jaccard"}:
        return 1 - similarity_of(case, one, other, features, distance)
    squares = math.fsum((a.get(name, 0.0) - b.get(name, 0.0)) ** 2 for name in set(a) | set(b))
    return {"sqeuclidean": squares, "euclidean": math.sqrt(squares)}[distance]


# --- ranks and shares ---------------------------------------------------------------------------------------


def discount_at(rank: int, discount: str) -> float:
    """What rank r (from 1) leaves of a gain."""
    return {"log2p1": 1 / math.log2(rank + 1), "reciprocal": 1 / rank, "none": 1.0}[discount]


def shares(amounts: dict[str, float]) -> dict[str, float] | None:
    """Each amount over the total; None where there is nothing."""
    total = math.fsum(amounts.values())
    return {name: amount / total for name, amount in amounts.items()} if total > 0 else None


def jensen_shannon(p: dict[str, float], q: dict[str, float]) -> float:
    """The divergence in bits, 0 to 1: the mean relative entropy of the two to their middle."""
    terms = []
    for name in set(p) | set(q):
        one, other = p.get(name, 0.0), q.get(name, 0.0)
        middle = (one + other) / 2
        terms += [x / 2 * math.log2(x / middle) for x in (one, other) if x > 0]
    return math.fsum(terms)


def relative_entropy(p: dict[str, float], q: dict[str, float], smoothing: float, base: float) -> float:
    """Σ_{p>0} p log(p/((1−a)q + ap)); infinite where q = 0 and a = 0."""
    terms = []
    for name, x in p.items():
        if x > 0:
            mixed = (1 - smoothing) * q.get(name, 0.0) + smoothing * x
            if mixed == 0:
                return math.inf
            terms.append(x * math.log(x / mixed) / math.log(base))
    return math.fsum(terms)


def total_variation(p: dict[str, float], q: dict[str, float]) -> float:
    return math.fsum(abs(p.get(name, 0.0) - q.get(name, 0.0)) for name in set(p) | set(q)) / 2


def hellinger(p: dict[str, float], q: dict[str, float]) -> float:
    """√(½ Σ (√p − √q)²), which is √(1 − Σ√(pq)) without the cancellation."""
    differences = (math.sqrt(p.get(name, 0.0)) - math.sqrt(q.get(name, 0.0)) for name in set(p) | set(q))
    return math.sqrt(math.fsum(x * x for x in differences) / 2)
