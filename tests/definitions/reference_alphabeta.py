"""αβ-nDCG, literally: every product over the ranks before is multiplied out anew, in exact fractions.

`ALPHA_BETA[name](case, user, k, **parameters)` is the value of one user, None where it is undefined; parameters have
rankwell's names and defaults.

Choices: a rating below 0 is none (the item is unrated and not judged); r_min is the lowest
rating that is one. A training rating below 0 weighs 0, and training items outside the catalogue are left out. A user is
cold whose training items have no weight on any topic. Under unknown_topic an item of the catalogue without topics has
one topic of its own kind, ⊥.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from .reference_aspects_case import (
    Case,
    Numbers,
    Value,
    best_of_all_lists,
    exact,
    greedy,
    log_discount,
    power_of_two,
    total,
)

UNKNOWN = "⊥"


def topics_of(case: Case, item: str, column: str, *, unknown: bool) -> set[str]:
    """A(i)."""
    topics = case.topics_of(item, column)
    return topics or ({UNKNOWN} if unknown and item in case.catalogue else set())


def all_topics(case: Case, column: str, *, unknown: bool) -> list[str]:
    """Φ."""
    return sorted(
        {topic for item in case.catalogue for topic in topics_of(case, item, column, unknown=unknown)}
    )


# --- the profile --------------------------------------------------------------------------------------------


def _ratings(case: Case, user: str, source: str) -> dict[str, Fraction]:
    """r(u,i) of I_u: what the profile is made of."""
    if source == "test":
        rated = {item: case.grade(user, item) for item in case.judged.get(user, {})}
    else:
        rated = dict(case.train.get(user, {}))
    return {
        item: max(exact(rating), Fraction(0))
        for item, rating in rated.items()
        if rating is not None and item in case.catalogue
    }


def _mass(case: Case, users: Sequence[str], column: str, source: str, *, unknown: bool) -> Numbers:
    """c_uφ, over some users: an item counts once for each of its topics."""
    mass = dict.fromkeys(all_topics(case, column, unknown=unknown), Fraction(0))
    for user in users:
        for item, rating in _ratings(case, user, source).items():
            for topic in topics_of(case, item, column, unknown=unknown):
                mass[topic] += rating
    return mass


def _shares(mass: Numbers) -> Numbers | None:
    below = sum(mass.values(), Fraction(0))
    return {topic: each / below for topic, each in mass.items()} if below else None


def profile_of(
    case: Case,
    user: str,
    *,
    topics: str = "items",
    profile: str = "ml",
    smoothing: float = 0.1,
    mu: float = 10,
    profile_source: str = "train",
    cold: str = "skip",
    unknown_topic: bool = False,
) -> Numbers | None:
    """γ; None where the user has none."""
    names = all_topics(case, topics, unknown=unknown_topic)
    everybody = list(case.judged) if profile_source == "test" else list(case.train)
    population = _shares(_mass(case, everybody, topics, profile_source, unknown=unknown_topic))
    mass = _mass(case, [user], topics, profile_source, unknown=unknown_topic)
    ml = _shares(mass)
    if profile == "given":
        stated = case.given.get(user)
        if stated is not None:
            return {topic: exact(stated.get(topic, 0)) for topic in names}
    elif ml is not None:
        assert population is not None
        whole = sum(mass.values(), Fraction(0))
        rated = sum(_ratings(case, user, profile_source).values(), Fraction(0))
        weight, prior = exact(smoothing), exact(mu)
        return {
            topic: {
                "ml": ml[topic],
                "item_share": mass[topic] / rated,
                "smoothed": (1 - weight) * ml[topic] + weight * population[topic],
                "dirichlet": (mass[topic] + prior * population[topic]) / (whole + prior),
            }[profile]
            for topic in names
        }
    if cold == "uniform":
        return {topic: Fraction(1, len(names)) for topic in names}
    return population if cold == "prior" else None


# --- what an item gains -------------------------------------------------------------------------------------


def rating_value(
    rating: float, rating_map: str, highest: float, lowest: float, threshold: float | None
) -> Fraction:
    """ρ(r)."""
    r, top, bottom = exact(rating), exact(highest), exact(lowest)
    if rating_map == "ratio":
        return r / top
    if rating_map == "minmax":
        return (r - bottom) / (top - bottom)
    if rating_map == "exp":
        return (power_of_two(r) - 1) / power_of_two(top)
    assert rating_map == "binary", rating_map
    return Fraction(r > 0 if threshold is None else r >= exact(threshold))


Chance = Callable[[str, str], Fraction]


def chance_of(
    case: Case,
    user: str,
    *,
    alpha: float,
    beta: float,
    topics: str = "items",
    unknown_topic: bool = False,
    rating_map: str = "ratio",
    max_grade: float | None = None,
    min_grade: float | None = None,
    rel: float | None = None,
    every_item_best: bool = False,
) -> Chance:
    """a_φ(u,i) by topic and item; `every_item_best`: α = β, ρ ≡ 1."""
    known = [grade for grade in case.grades() if grade >= 0]
    highest = max(known) if max_grade is None else max_grade
    lowest = min(known) if min_grade is None else min_grade

    @cache
    def chance(topic: str, item: str) -> Fraction:
        if topic not in topics_of(case, item, topics, unknown=unknown_topic):
            return Fraction(0)
        rating = case.grade(user, item)
        if every_item_best:
            return exact(beta)
        if rating is None or rating < 0:
            return exact(alpha)
        return exact(beta) * rating_value(rating, rating_map, highest, lowest, rel)

    return chance


def gain_at(chance: Chance, profile: Numbers, before: Sequence[str], item: str) -> Fraction:
    """G(s) = 1 − Π_φ (1 − a_φ(i_s) S_φ(s)), S_φ(s) = γ_φ Π_{j<s} (1 − a_φ(i_j))."""
    product = Fraction(1)
    for topic, interest in profile.items():
        survived = interest
        for other in before:
            survived *= 1 - chance(topic, other)
        product *= 1 - chance(topic, item) * survived
    return 1 - product


# --- the metrics --------------------------------------------------------------------------------------------

PROFILE = {"topics", "profile", "smoothing", "mu", "profile_source", "cold", "unknown_topic"}
CHANCE = {"alpha", "beta", "topics", "unknown_topic", "rating_map", "max_grade", "min_grade", "rel"}


def _gain(case: Case, user: str, every_item_best: bool, parameters: dict[str, Any]) -> Any:
    """The gain of an item behind others; None where nothing can be gained for want of a profile."""
    given = {"alpha": 0.1, "beta": 0.9} | parameters
    profile = profile_of(case, user, **{name: given[name] for name in PROFILE & given.keys()})
    if profile is None or not any(profile.values()):
        return None
    values = {name: given[name] for name in CHANCE & given.keys()}
    chance = chance_of(case, user, every_item_best=every_item_best, **values)
    return lambda before, item: gain_at(chance, profile, before, item)


def ab_dcg(case: Case, user: str, k: int | None, **parameters: Any) -> Value:
    gain = _gain(case, user, False, parameters)
    return None if gain is None else total(case.top(user, k), gain, log_discount)


def candidates_of(case: Case, user: str, k: int | None, candidates: str) -> list[str]:
    """C_u: the catalogue, what was judged, or that and the list down to k; never what the user was trained on."""
    judged = [item for item in case.judged.get(user, {}) if (case.grade(user, item) or 0) >= 0]
    chosen = {
        "catalogue": case.catalogue,
        "judged": judged,
        "pool": [*judged, *(item for item in case.top(user, k) if item not in judged)],
    }[candidates]
    return [item for item in chosen if item not in case.train.get(user, {})]


def ideal_list(case: Case, user: str, k: int | None, gain: Any, candidates: str) -> list[str]:
    """The greedy ideal: equal gains by the smallest id."""
    among = candidates_of(case, user, k, candidates)
    return greedy(among, gain, len(among) if k is None else k, highest_id=False)


def ab_ndcg(
    case: Case,
    user: str,
    k: int | None,
    *,
    candidates: str = "catalogue",
    ideal: str = "greedy",
    clip: bool = False,
    every_item_best: bool = False,
    **parameters: Any,
) -> Value:
    gain = _gain(case, user, every_item_best, parameters)
    if gain is None:
        return None
    value = total(case.top(user, k), gain, log_discount)
    if ideal == "exact":
        among = candidates_of(case, user, k, candidates)
        best = best_of_all_lists(among, gain, len(among) if k is None else k, log_discount)
    else:
        best = total(ideal_list(case, user, k, gain, candidates), gain, log_discount)
    if best == 0:
        return None
    if ideal == "best_of":
        best = max(best, value)
    return min(1.0, value / best) if clip else value / best


def ab_hit(case: Case, user: str, k: int | None, **parameters: Any) -> Value:
    """Only rated items count."""
    return ab_ndcg(case, user, k, **{**parameters, "alpha": 0})


def ab_topic(case: Case, user: str, k: int | None, **parameters: Any) -> Value:
    """Only topics count: every item is as one that was rated best."""
    return ab_ndcg(case, user, k, every_item_best=True, **parameters)


def without_rated_candidates(
    case: Case, k: int | None, *, topics: str = "items", candidates: str = "catalogue"
) -> int:
    """How many judged users rated none of their candidates that have topics: their scores see topics alone."""
    alone = 0
    for user, rated in case.judged.items():
        known = [
            item for item in rated if (case.grade(user, item) or 0) >= 0 and case.topics_of(item, topics)
        ]
        alone += not any(item in known for item in candidates_of(case, user, k, candidates))
    return alone


def disliked_like_unrated(
    case: Case, *, alpha: float = 0.1, beta: float = 0.9, rating_map: str = "ratio"
) -> int:
    """How many ratings are the lowest one (but not the highest) and satisfy no less than an unrated item: β·ρ(r) ≥ α."""
    known = [grade for grade in case.grades() if grade >= 0]
    low, top = min(known), max(known)
    return sum(
        exact(beta) * rating_value(grade, rating_map, top, low, None) >= exact(alpha)
        for grade in known
        if grade == low < top
    )


ALPHA_BETA: dict[str, Callable[..., Value]] = {
    "ab_dcg": ab_dcg,
    "ab_ndcg": ab_ndcg,
    "ab_hit": ab_hit,
    "ab_topic": ab_topic,
}
