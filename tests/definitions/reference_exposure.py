"""Exposure of item groups, rating errors and propensities, literally: row by row.

Choices: groups are those that the catalogue has; an item without a group is left out everywhere; merit counts each
relevant judgement as 1, of all judged users for `exposure`, of the list's own user for `awrf`. kl is that of
calibration with the target as p: Σ target · ln(target / (0.99 share + 0.01 target)). ratio leaves out groups whose
target is 0. Candidates are pairs (user, item), over everybody who has a list or was judged: the whole catalogue, what
was judged or listed (down to k), or what was listed. Rating errors take every judged grade, also 0. A clip is the
least propensity: 1/p never exceeds 1/clip, above and below the line. A judged user without a list has the value 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .reference_case import (
    Case,
    Value,
    discount_at,
    everybody,
    grade_of,
    jensen_shannon,
    judged_users,
    relative_entropy,
    relevant,
    shares,
    top,
    total_variation,
)

# --- exposure -----------------------------------------------------------------------------------------------


def groups_of(case: Case) -> list[str]:
    """The groups that occur in the catalogue, by name."""
    return sorted({group for item in case.catalogue if (group := case.groups.get(item)) is not None})


def _seen(rank: int, view: str, p: float) -> float:
    """v(r) of a rank down to k."""
    return {"log2p1": 1 / math.log2(rank + 1), "rbp": p ** (rank - 1), "cut": 1.0}[view]


def _exposures(case: Case, users: list[str], k: int | None, view: str, p: float) -> dict[str, float]:
    """E_g: what the items of each group are seen, over the lists of these users."""
    total = dict.fromkeys(groups_of(case), 0.0)
    for user in users:
        for rank, item in enumerate(top(case, user, k), start=1):
            group = case.groups.get(item)
            if group is not None:
                total[group] += _seen(rank, view, p)
    return total


def _target(case: Case, users: list[str], target: str, rel: float | None) -> dict[str, float] | None:
    amounts = dict.fromkeys(groups_of(case), 0.0)
    for group in amounts:
        members = [item for item in case.catalogue if case.groups.get(item) == group]
        if target == "uniform":
            amounts[group] = 1.0
        elif target == "catalogue":
            amounts[group] = float(len(members))
        else:
            assert target == "merit", target
            amounts[group] = float(
                sum(1 for user in users for item in members if relevant(case, user, item, rel))
            )
    return shares(amounts)


def _apart(exposures: dict[str, float], wanted: dict[str, float] | None, divergence: str) -> Value:
    shown = shares(exposures)
    if shown is None or wanted is None:
        return None
    if divergence == "ratio":
        ratios = [shown[group] / share for group, share in wanted.items() if share > 0]
        return min(ratios) / max(ratios) if max(ratios) > 0 else None
    if divergence == "kl":
        return relative_entropy(wanted, shown, 0.01, math.e)
    return {"js": jensen_shannon, "tv": total_variation}[divergence](wanted, shown)


def exposure(
    case: Case,
    k: int | None,
    *,
    target: str = "catalogue",
    divergence: str = "js",
    view: str = "log2p1",
    p: float = 0.8,
    rel: float | None = None,
) -> Value:
    wanted = _target(case, judged_users(case), target, rel)
    return _apart(_exposures(case, list(case.lists), k, view, p), wanted, divergence)


def awrf(
    case: Case,
    k: int | None,
    *,
    target: str = "catalogue",
    divergence: str = "js",
    view: str = "log2p1",
    p: float = 0.8,
    rel: float | None = None,
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in case.lists:
        wanted = _target(case, [user], target, rel)
        values[user] = _apart(_exposures(case, [user], k, view, p), wanted, divergence)
    return values


def _candidates(case: Case, k: int | None, candidates: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for user in everybody(case):
        listed = set(top(case, user, k))
        chosen = {
            "catalogue": set(case.catalogue),
            "pool": listed | set(case.truth.get(user, {})),
            "list": listed,
        }[candidates]
        pairs += [(user, item) for item in chosen]
    return pairs


def _two_groups(
    case: Case,
    k: int | None,
    candidates: str,
    view: str,
    p: float,
    worth: Callable[[str, str], float],
) -> Value:
    groups = groups_of(case)
    if len(groups) != 2:
        raise ValueError(f"two groups, not {groups}")
    exposures = _exposures(case, list(case.lists), k, view, p)
    rates = []
    for group in groups:
        pairs = [pair for pair in _candidates(case, k, candidates) if case.groups.get(pair[1]) == group]
        below = math.fsum(worth(user, item) for user, item in pairs)
        if below == 0:
            return None
        rates.append(exposures[group] / below)
    return rates[0] / rates[1] if rates[1] > 0 else None


def dp_ratio(
    case: Case, k: int | None, *, candidates: str = "catalogue", view: str = "log2p1", p: float = 0.8
) -> Value:
    return _two_groups(case, k, candidates, view, p, lambda user, item: 1.0)


def dtr(
    case: Case,
    k: int | None,
    *,
    candidates: str = "catalogue",
    view: str = "log2p1",
    p: float = 0.8,
    rel: float | None = None,
) -> Value:
    return _two_groups(
        case, k, candidates, view, p, lambda user, item: float(relevant(case, user, item, rel))
    )


# --- rating errors ------------------------------------------------------------------------------------------


def _errors(case: Case, user: str, k: int | None) -> list[float]:
    grades = case.truth.get(user, {})
    return [case.scores[user][item] - grades[item] for item in top(case, user, k) if item in grades]


def _square(errors: list[float]) -> Value:
    return math.fsum(error**2 for error in errors) / len(errors) if errors else None


def _absolute(errors: list[float]) -> Value:
    return math.fsum(abs(error) for error in errors) / len(errors) if errors else None


def _root(errors: list[float]) -> Value:
    value = _square(errors)
    return None if value is None else math.sqrt(value)


def _pooled(case: Case, k: int | None) -> list[float]:
    return [error for user in case.lists for error in _errors(case, user, k)]


def mse(case: Case, k: int | None) -> Value:
    return _square(_pooled(case, k))


def mae(case: Case, k: int | None) -> Value:
    return _absolute(_pooled(case, k))


def rmse(case: Case, k: int | None) -> Value:
    return _root(_pooled(case, k))


def user_mse(case: Case, k: int | None) -> dict[str, Value]:
    return {user: _square(_errors(case, user, k)) for user in case.lists}


def user_mae(case: Case, k: int | None) -> dict[str, Value]:
    return {user: _absolute(_errors(case, user, k)) for user in case.lists}


def user_rmse(case: Case, k: int | None) -> dict[str, Value]:
    return {user: _root(_errors(case, user, k)) for user in case.lists}


# --- propensities -------------------------------------------------------------------------------------------


def _sum_and_divisor(
    case: Case, user: str, k: int | None, metric: str, clip: float | None, rel: float | None, p: float
) -> tuple[float, float, float]:
    """Σ gain·weight/propensity over the list, the metric's own divisor, and Σ 1/propensity over what is relevant."""
    judged = [item for item, grade in case.truth[user].items() if grade >= 0]
    wanted = [item for item in judged if relevant(case, user, item, rel)]
    highest = max(grade for grades in case.truth.values() for grade in grades.values())
    odds = {item: 1 / max(case.propensity[user][item], clip or 0.0) for item in judged}

    def gain(item: str) -> float:
        if metric in {"p", "r"}:
            return float(item in wanted)
        grade = grade_of(case, user, item)
        return grade / highest if metric == "rbp" and grade else grade

    def weight(rank: int) -> float:
        if metric == "rbp":
            return (1 - p) * p ** (rank - 1)
        return 1.0 if metric in {"p", "r", "cg"} else discount_at(rank, "log2p1")

    listed = list(enumerate(top(case, user, k), start=1))
    total = math.fsum(gain(item) * weight(rank) * odds[item] for rank, item in listed if item in odds)
    best = sorted((gain(item) for item in judged), reverse=True)
    divisor: Callable[[], float] = {
        "p": lambda: float(k or len(listed)) if wanted else 0.0,
        "r": lambda: float(len(wanted)),
        "cg": lambda: float(any(best)),
        "dcg": lambda: float(any(best)),
        "rbp": lambda: float(any(best)),
        "ndcg": lambda: math.fsum(g * weight(rank) for rank, g in enumerate(best[:k], start=1)),
    }[metric]
    return total, divisor(), math.fsum(odds[item] for item in wanted)


def ips(
    case: Case,
    k: int | None,
    *,
    metric: str,
    clip: float | None = None,
    rel: float | None = None,
    p: float = 0.8,
) -> dict[str, Value]:
    """`metric`: p, r, cg, dcg, ndcg (linear gain, log2p1) or rbp (with `p`); one value per judged user."""
    values: dict[str, Value] = {}
    for user in judged_users(case):
        total, divisor, _ = _sum_and_divisor(case, user, k, metric, clip, rel, p)
        values[user] = total / divisor if divisor else None
    return values


def snips(
    case: Case,
    k: int | None,
    *,
    metric: str,
    clip: float | None = None,
    rel: float | None = None,
    p: float = 0.8,
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for user in judged_users(case):
        total, _, seen = _sum_and_divisor(case, user, k, metric, clip, rel, p)
        values[user] = total / seen if seen else None
    return values
