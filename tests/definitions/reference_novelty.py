"""Novelty and serendipity, literally: item by item of a list, and every pair of a listed and a train item.

Choices: without train rows nothing is novel or not, so there is no value; unseen=skip leaves the item out of the sum
and of the weights that it is divided by, ranks stay; a user without judgements has no relevant item, hence the value 0
where relevance counts; Kotkov's serendipity has no value without a profile. The popular items are those of the
catalogue, nobody's items last. form=rectools is what RecTools computes: places by count, equal counts in one place,
nobody's items at no place (PM = 0), and the mean over the rows of the list.
"""

from __future__ import annotations

import math

from .reference_case import (
    Case,
    Value,
    by_popularity,
    count,
    discount_at,
    distance_of,
    grade_of,
    history,
    n_train_rows,
    n_train_users,
    relevant,
    similarity_of,
    top,
)


class UnseenError(Exception):
    """A listed item has no train user, and unseen=error."""


def _chance(case: Case, item: str, unseen: str, *, of: str, most: float) -> float | None:
    """c_i over U (of="users") or T (of="rows"); `most` stands for c_i = 0 under unseen=max; None: left out."""
    among = n_train_users(case) if of == "users" else n_train_rows(case)
    seen = count(case, item)
    if unseen == "laplace":
        return (seen + 1) / (among + (1 if of == "users" else len(case.catalogue)))
    if seen == 0:
        if unseen == "error":
            raise UnseenError(item)
        if unseen == "skip":
            return None
        assert unseen == "max", unseen
        return most / among
    return seen / among


def _information(case: Case, k: int | None, unseen: str, of: str) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items = top(case, user, k) if n_train_users(case) else []
        chances = [_chance(case, item, unseen, of=of, most=1) for item in items]
        bits = [math.log2(1 / chance) for chance in chances if chance is not None]
        values[user] = math.fsum(bits) / len(bits) if bits else None
    return values


def msi(case: Case, k: int | None, *, unseen: str = "max") -> dict[str, Value]:
    return _information(case, k, unseen, "users")


def self_information(case: Case, k: int | None, *, unseen: str = "max") -> dict[str, Value]:
    return _information(case, k, unseen, "rows")


def _wanted(case: Case, user: str, item: str, relevance: str, rel: float | None) -> float:
    if relevance == "none":
        return 1.0
    if relevance == "binary":
        return float(relevant(case, user, item, rel))
    assert relevance == "graded", relevance
    highest = max((grade for grades in case.truth.values() for grade in grades.values()), default=0.0)
    return (2 ** grade_of(case, user, item) - 1) / 2 ** max(highest, 0.0)


def _expected(
    case: Case,
    user: str,
    novelties: list[float | None],
    items: list[str],
    discount: str,
    relevance: str,
    rel: float | None,
) -> Value:
    """Σ disc·rel·nov over Σ disc, over the items that have a novelty."""
    rows = [
        (discount_at(rank, discount), _wanted(case, user, item, relevance, rel), novelty)
        for rank, (item, novelty) in enumerate(zip(items, novelties, strict=True), start=1)
        if novelty is not None
    ]
    if not rows:
        return None
    return math.fsum(d * w * novelty for d, w, novelty in rows) / math.fsum(d for d, _, _ in rows)


def epc(
    case: Case,
    k: int | None,
    *,
    discount: str = "log2p1",
    relevance: str = "none",
    unseen: str = "max",
    rel: float | None = None,
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items = top(case, user, k) if n_train_users(case) else []
        chances = [_chance(case, item, unseen, of="users", most=0) for item in items]
        novelties = [None if chance is None else 1 - chance for chance in chances]
        values[user] = _expected(case, user, novelties, items, discount, relevance, rel)
    return values


def efd(
    case: Case,
    k: int | None,
    *,
    discount: str = "log2p1",
    relevance: str = "none",
    unseen: str = "max",
    rel: float | None = None,
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items = top(case, user, k) if n_train_users(case) else []
        chances = [_chance(case, item, unseen, of="rows", most=1) for item in items]
        novelties = [None if chance is None else math.log2(1 / chance) for chance in chances]
        values[user] = _expected(case, user, novelties, items, discount, relevance, rel)
    return values


def epd(
    case: Case,
    k: int | None,
    *,
    features: str = "topics",
    distance: str = "cosine",
    discount: str = "log2p1",
    relevance: str = "none",
    rel: float | None = None,
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items, profile = top(case, user, k), history(case, user)
        if not profile:
            values[user] = None
            continue
        novelties: list[float | None] = []
        for item in items:
            away = [distance_of(case, item, known, features, distance) for known in profile]
            novelties.append(math.fsum(away) / len(away))
        values[user] = _expected(case, user, novelties, items, discount, relevance, rel)
    return values


def unexpectedness(case: Case, k: int | None, *, top: int = 100) -> dict[str, Value]:
    popular = set(by_popularity(case)[:top])
    lists = {user: items[:k] for user, items in case.lists.items()}
    return {user: len(set(items) - popular) / len(items) if items else None for user, items in lists.items()}


def serendipity(case: Case, k: int | None, *, top: int = 100, rel: float | None = None) -> dict[str, Value]:
    popular = set(by_popularity(case)[:top])
    values: dict[str, Value] = {}
    for user, whole in case.lists.items():
        items = whole[:k]
        hits = [item for item in items if item not in popular and relevant(case, user, item, rel)]
        values[user] = len(hits) / len(items) if items else None
    return values


def serendipity_murakami(
    case: Case, k: int | None, *, form: str = "murakami", rel: float | None = None
) -> dict[str, Value]:
    m = len(case.catalogue)
    if form == "murakami":
        place = {item: nth for nth, item in enumerate(by_popularity(case), start=1)}
    else:
        assert form == "rectools", form
        seen = {item: count(case, item) for item in case.catalogue if count(case, item) > 0}
        place = {item: 1 + len({other for other in seen.values() if other > c}) for item, c in seen.items()}
    values: dict[str, Value] = {}
    for user in case.lists:
        items = top(case, user, k)
        hits, terms = 0, []
        for rank, item in enumerate(items, start=1):
            expected = (m + 1 - place[item]) / m if item in place else 0.0
            surplus = max((m + 1 - rank) / m - expected, 0.0)
            if relevant(case, user, item, rel):
                hits += 1
                terms.append(surplus * (hits / rank if form == "murakami" else 1))
        values[user] = math.fsum(terms) / len(items) if items else None
    return values


def serendipity_kotkov(
    case: Case,
    k: int | None,
    *,
    distance: float,
    novel: float = 0.01,
    features: str = "topics",
    rel: float | None = None,
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items, profile = top(case, user, k), history(case, user)
        hits = [
            item
            for item in items
            if profile
            and relevant(case, user, item, rel)
            and count(case, item) / n_train_users(case) <= novel
            and item not in profile
            and max(similarity_of(case, item, known, features, "cosine") for known in profile) <= distance
        ]
        values[user] = len(hits) / len(items) if items and profile else None
    return values


def unserendipity(case: Case, k: int | None, *, features: str = "topics") -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        pairs = [
            similarity_of(case, item, known, features, "cosine")
            for item in top(case, user, k)
            for known in history(case, user)
        ]
        values[user] = math.fsum(pairs) / len(pairs) if pairs else None
    return values


def surprise(
    case: Case, k: int | None, *, features: str = "topics", rel: float | None = None
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items, profile = top(case, user, k), history(case, user)
        if not items or not profile:
            values[user] = None
            continue
        terms = []
        for item in items:
            alike = [similarity_of(case, item, known, features, "cosine") for known in profile]
            terms.append((1 - math.fsum(alike) / len(alike)) * relevant(case, user, item, rel))
        values[user] = math.fsum(terms) / len(items)
    return values
