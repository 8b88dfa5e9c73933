"""Calibration and popularity bias, literally: profile against list, head against tail.

Head (most popular first, equal counts by id ascending as text; all numbers compared as the decimals that are written):
- volume: the fewest most popular items that hold at least the share `at` of all train rows, so the item that crosses
  is in, and an item that nobody has never is; top: the first `at` items; fraction: the fewest first items that are at
  least the share `at` of the catalogue;
- by the count alone, so that equal counts are all in or all out: reach c_i/U > at; count c_i > at; quantile
  c_i > quantile `at` of all counts of the catalogue, linear between two; iqr c_i > Q3 + at·(Q3 − Q1).
Mid: what the same rule takes with a second number, `mid`, beyond the head; none by default but for upd. Tail: the rest
of the catalogue. Other choices: the count of tail items of an empty list is 0; a judged user without a
list has an empty one in PopREO; ΔGAP leaves out users without a profile or with an empty list on both sides; the mean
over groups is of those with a denominator, undefined where it is 0.
"""

from __future__ import annotations

import math
from fractions import Fraction

from .reference_case import (
    Case,
    Value,
    by_popularity,
    count,
    discount_at,
    everybody,
    exact,
    hellinger,
    history,
    jensen_shannon,
    n_train_rows,
    n_train_users,
    relative_entropy,
    relevant,
    shares,
    top,
    total_variation,
)

# --- calibration --------------------------------------------------------------------------------------------


def topic_shares(case: Case, items: dict[str, float]) -> dict[str, float] | None:
    """What share of the items' weight each topic has; an item's topics share its weight equally."""
    amounts: dict[str, float] = {}
    for item, weight in items.items():
        topics = case.topics.get(item, set())
        for topic in topics:
            amounts[topic] = amounts.get(topic, 0.0) + weight / len(topics)
    return shares(amounts)


def calibration(
    case: Case,
    k: int | None,
    *,
    divergence: str = "kl",
    base: float = math.e,
    smoothing: float = 0.01,
    discount: str = "none",
    weights: str = "none",
) -> dict[str, Value]:
    """`base` is of kl alone; js is in bits."""
    values: dict[str, Value] = {}
    for user in case.lists:
        train = case.train.get(user, {})
        assert weights in {"none", "grade"}, weights
        p = topic_shares(case, train if weights == "grade" else dict.fromkeys(train, 1.0))
        ranks = enumerate(top(case, user, k), start=1)
        q = topic_shares(case, {item: discount_at(rank, discount) for rank, item in ranks})
        if p is None or q is None:
            values[user] = None
        elif divergence == "kl":
            values[user] = relative_entropy(p, q, smoothing, base)
        else:
            values[user] = {"js": jensen_shannon, "tv": total_variation, "hellinger": hellinger}[divergence](
                p, q
            )
    return values


# --- head and tail ------------------------------------------------------------------------------------------


def _quantile(counts: list[int], at: Fraction) -> Fraction:
    place = at * (len(counts) - 1)
    below = math.floor(place)
    above = min(below + 1, len(counts) - 1)
    return counts[below] + (place - below) * (counts[above] - counts[below])


def head_items(case: Case, head: str = "volume", at: float = 0.8) -> list[str]:
    """The head, most popular first."""
    order, level = by_popularity(case), exact(at)
    counts = {item: count(case, item) for item in order}
    if head == "volume":
        taken: list[str] = []
        for item in order:
            if sum(counts[i] for i in taken) >= level * n_train_rows(case):
                break
            taken.append(item)
        return taken
    if head == "top":
        return order[: int(at)]
    if head == "fraction":
        return order[: math.ceil(level * len(order))]
    ascending = sorted(counts.values())
    if head == "reach":
        bound = level * n_train_users(case)
    elif head == "count":
        bound = level
    elif head == "quantile":
        bound = _quantile(ascending, level)
    else:
        assert head == "iqr", head
        q1, q3 = _quantile(ascending, Fraction(1, 4)), _quantile(ascending, Fraction(3, 4))
        bound = q3 + level * (q3 - q1)
    return [item for item in order if counts[item] > bound]


def parts_of(case: Case, head: str, at: float, mid: float | None) -> list[set[str]]:
    """Head and tail, or head, mid and tail."""
    first = set(head_items(case, head, at))
    if mid is None:
        return [first, set(case.catalogue) - first]
    both = set(head_items(case, head, mid))
    assert first <= both
    return [first, both - first, set(case.catalogue) - both]


# --- popularity bias ----------------------------------------------------------------------------------------


def arp(case: Case, k: int | None) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        items = top(case, user, k)
        values[user] = sum(count(case, item) for item in items) / len(items) if items else None
    return values


def aclt(
    case: Case, k: int | None, *, head: str = "volume", at: float = 0.8, mid: float | None = None
) -> dict[str, Value]:
    tail = parts_of(case, head, at, mid)[-1]
    return {user: float(len(set(top(case, user, k)) & tail)) for user in case.lists}


def aplt(
    case: Case, k: int | None, *, head: str = "volume", at: float = 0.8, mid: float | None = None
) -> dict[str, Value]:
    tail = parts_of(case, head, at, mid)[-1]
    values: dict[str, Value] = {}
    for user in case.lists:
        items = top(case, user, k)
        values[user] = sum(1 for item in items if item in tail) / len(items) if items else None
    return values


def tail_coverage(
    case: Case, k: int | None, *, head: str = "volume", at: float = 0.8, mid: float | None = None
) -> Value:
    tail = parts_of(case, head, at, mid)[-1]
    union = {item for user in case.lists for item in top(case, user, k)}
    return len(union & tail) / len(tail) if tail else None


def _spread(rates: list[float]) -> Value:
    """The population standard deviation over the mean."""
    middle = math.fsum(rates) / len(rates) if rates else 0.0
    if middle == 0:
        return None
    return math.sqrt(math.fsum((rate - middle) ** 2 for rate in rates) / len(rates)) / middle


def pop_rsp(
    case: Case, k: int | None, *, head: str = "volume", at: float = 0.8, mid: float | None = None
) -> Value:
    rates = []
    for group in parts_of(case, head, at, mid):
        shown = sum(len(set(top(case, user, k)) & group) for user in case.lists)
        could = sum(len(group - set(history(case, user))) for user in case.lists)
        rates += [shown / could] if could else []
    return _spread(rates)


def pop_reo(
    case: Case,
    k: int | None,
    *,
    head: str = "volume",
    at: float = 0.8,
    mid: float | None = None,
    rel: float | None = None,
) -> Value:
    rates = []
    for group in parts_of(case, head, at, mid):
        shown = could = 0
        for user in everybody(case):
            wanted = {item for item in group if relevant(case, user, item, rel)}
            shown += len(set(top(case, user, k)) & wanted)
            could += len(wanted - set(history(case, user)))
        rates += [shown / could] if could else []
    return _spread(rates)


def delta_gap(case: Case, k: int | None) -> Value:
    """For a group of users: a case with their lists only."""

    def popularity(items: list[str]) -> float:
        return math.fsum(count(case, item) / n_train_users(case) for item in items) / len(items)

    users = [user for user in case.lists if history(case, user) and top(case, user, k)]
    if not users:
        return None
    profiles = math.fsum(popularity(history(case, user)) for user in users) / len(users)
    lists = math.fsum(popularity(top(case, user, k)) for user in users) / len(users)
    return (lists - profiles) / profiles


def upd(
    case: Case, k: int | None, *, head: str = "volume", at: float = 0.2, mid: float = 0.8
) -> dict[str, Value]:
    parts = parts_of(case, head, at, mid)

    def split(items: list[str]) -> dict[str, float] | None:
        return shares({str(place): len(set(items) & part) for place, part in enumerate(parts)})

    values: dict[str, Value] = {}
    for user in case.lists:
        p, q = split(history(case, user)), split(top(case, user, k))
        values[user] = None if p is None or q is None else jensen_shannon(p, q)
    return values
