"""Metrics of topics, literally: each formula row by row, from counts of what stands before, without any state.

`SUBTOPICS[name](case, query, k, **parameters)` (in reference_intents) is the value of one judged query, None where its judgements leave it
undefined; parameters have rankwell's names and defaults.

Choices: a judgement below 0 is none. With item topics an item's grade is its highest one. `rel` decides what is
relevant and which topics a query has; where the height of a grade matters, relevant is what gains, and `rel` says from where
ratings gain. A topic of Φ without a relevant item adds 0 to an
intent-aware mean and counts below. A topic without a weight in the qrels weighs nothing; where all of Φ weighs
nothing, what is weighted is undefined. Under topics of items the weights of the qrels are not asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from .reference_aspects_case import (
    Aspects,
    Case,
    Gain,
    Numbers,
    Value,
    aspects,
    best_of_all_lists,
    exact,
    greedy,
    log_discount,
    power_of_two,
    total,
)

ALL = 10**9  # no cut-off


# --- cascades -----------------------------------------------------------------------------------------------


def new_information(view: Aspects, alpha: float, weights: Numbers | None = None) -> Gain:
    """Σ_{φ∈A(i)} w_φ (1−α)^{c_φ}, with w = 1 where none are given."""
    left = 1 - exact(alpha)

    def gain(before: Any, item: str) -> Fraction:
        return sum(
            (
                (weights[topic] if weights else 1) * left ** view.before(topic, before)
                for topic in view.of(item)
            ),
            Fraction(0),
        )

    return gain


def satisfied(
    view: Aspects, gain: str, alpha: float, highest: float | None
) -> Callable[[str, str], Fraction]:
    """R_φ(i)."""
    best = view.top_level(highest)

    @cache
    def chance(topic: str, item: str) -> Fraction:
        grade = view.grade(topic, item)
        if gain == "binary":
            return exact(alpha) if item in view.relevant[topic] else Fraction(0)
        if gain == "linear":
            return exact(grade) / (exact(best) + 1)
        return (power_of_two(grade) - 1) / power_of_two(best)

    return chance


def expected_stop(view: Aspects, chance: Callable[[str, str], Fraction], weights: Numbers) -> Gain:
    """Σ_φ w_φ R_φ(i) Π_{j before}(1−R_φ(j))."""

    def gain(before: Any, item: str) -> Fraction:
        value = Fraction(0)
        for topic in view.universe:
            unsatisfied = Fraction(1)
            for other in before:
                unsatisfied *= 1 - chance(topic, other)
            value += weights[topic] * chance(topic, item) * unsatisfied
        return value

    return gain


def reciprocal(rank: int) -> Fraction:
    return Fraction(1, rank)


def _ideal(view: Aspects, gain: Gain, k: int | None) -> list[str]:
    return greedy(view.judged, gain, k or ALL, highest_id=True)


def alpha_dcg(
    case: Case, query: str, k: int | None, *, alpha: float = 0.5, norm: str = "none", **common: Any
) -> Value:
    view = aspects(case, query, **common)
    if view is None:
        return None
    value = total(case.top(query, k), new_information(view, alpha), log_discount)
    if norm == "ndeval":
        assert k is not None
        terms = [float((1 - exact(alpha)) ** (i - 1)) * log_discount(i) for i in range(1, k + 1)]
        return value / (len(view.universe) * math.fsum(terms))
    return value


def alpha_ndcg(
    case: Case, query: str, k: int | None, *, alpha: float = 0.5, ideal: str = "greedy", **common: Any
) -> Value:
    view = aspects(case, query, **common)
    if view is None:
        return None
    gain = new_information(view, alpha)
    if ideal == "exact":
        best = best_of_all_lists(view.judged, gain, k or ALL, log_discount)
    else:
        best = total(_ideal(view, gain, k), gain, log_discount)
    return total(case.top(query, k), gain, log_discount) / best


def _err(view: Aspects, gain: str, alpha: float, max_grade: float | None) -> Gain | None:
    if view.weights is None:
        return None
    return expected_stop(view, satisfied(view, gain, alpha, max_grade), view.weights)


def err_ia(
    case: Case,
    query: str,
    k: int | None,
    *,
    gain: str = "exp2",
    alpha: float = 0.5,
    norm: str = "none",
    max_grade: float | None = None,
    **common: Any,
) -> Value:
    view = aspects(case, query, graded=gain != "binary", **common)
    gained = None if view is None else _err(view, gain, alpha, max_grade)
    if view is None or gained is None:
        return None
    if (
        norm == "ndeval"
    ):  # [Σ_r (1/r) Σ_φ w_φ (1−α)^{c_φ}] / Σ_{i≤k} (1−α)^{i−1}/i, which α = 0 leaves defined
        assert gain == "binary"
        assert k is not None
        left = 1 - exact(alpha)
        value = total(case.top(query, k), new_information(view, alpha, view.weights), reciprocal)
        return value / float(sum(left ** (i - 1) / i for i in range(1, k + 1)))
    return total(case.top(query, k), gained, reciprocal)


def nerr_ia(
    case: Case,
    query: str,
    k: int | None,
    *,
    gain: str = "exp2",
    alpha: float = 0.5,
    max_grade: float | None = None,
    **common: Any,
) -> Value:
    view = aspects(case, query, graded=gain != "binary", **common)
    gained = None if view is None else _err(view, gain, alpha, max_grade)
    if view is None or gained is None:
        return None
    if gain == "binary":  # α stands above and below the line
        assert view.weights is not None
        gained = new_information(view, alpha, view.weights)
    best = total(_ideal(view, gained, k), gained, reciprocal)
    return total(case.top(query, k), gained, reciprocal) / best if best else None


def nrbp(
    case: Case, query: str, k: int | None = None, *, alpha: float = 0.5, beta: float = 0.5, **common: Any
) -> Value:
    view = aspects(case, query, **common)
    if view is None or view.weights is None:
        return None
    gain = new_information(view, alpha, view.weights)
    scale = 1 - (1 - exact(alpha)) * exact(beta)
    return float(scale) * total(case.top(query, k), gain, lambda rank: exact(beta) ** (rank - 1))


def nnrbp(
    case: Case, query: str, k: int | None = None, *, alpha: float = 0.5, beta: float = 0.5, **common: Any
) -> Value:
    view = aspects(case, query, **common)
    if view is None or view.weights is None:
        return None
    gain = new_information(view, alpha, view.weights)
    best = total(_ideal(view, gain, k), gain, lambda rank: exact(beta) ** (rank - 1))
    return total(case.top(query, k), gain, lambda rank: exact(beta) ** (rank - 1)) / best if best else None


def rbu(
    case: Case,
    query: str,
    k: int | None,
    *,
    p: float = 0.8,
    e: float = 0.03,
    scale: str = "collection",
    max_grade: float | None = None,
    **common: Any,
) -> Value:
    view = aspects(case, query, graded=True, **common)
    if view is None or view.weights is None:
        return None
    best = view.top_level(max_grade)

    @cache
    def chance(topic: str, item: str) -> Fraction:
        grades = view.grades.get(topic, {})
        highest = max(grades.values(), default=0) if scale == "topic" else best
        return (power_of_two(grades.get(item, 0)) - 1) / power_of_two(highest)

    gained = expected_stop(view, chance, view.weights)
    value = total(
        case.top(query, k),
        lambda before, item: gained(before, item) - exact(e),
        lambda rank: exact(p) ** (rank - 1),
    )
    return float(1 - exact(p)) * value
