"""Intent-aware means, subtopic recall and precision, and D♯, literally; the choices are those of reference_subtopics."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .reference_aspects_case import Aspects, Case, Value, aspects, exact, greedy, log_discount, power_of_two
from .reference_subtopics import (
    ALL,
    alpha_dcg,
    alpha_ndcg,
    err_ia,
    nerr_ia,
    nnrbp,
    nrbp,
    rbu,
)

OfTopic = Callable[[Aspects, str, list[str]], float]


def _intent_aware(case: Case, query: str, k: int | None, value: OfTopic, common: dict[str, Any]) -> Value:
    """Σ_φ w_φ M(L|φ)."""
    view = aspects(case, query, **common)
    if view is None or view.weights is None:
        return None
    shown = case.top(query, k)
    return math.fsum(float(view.weights[topic]) * value(view, topic, shown) for topic in view.universe)


def p_ia(case: Case, query: str, k: int | None, **common: Any) -> Value:
    assert k is not None
    return _intent_aware(case, query, k, lambda view, topic, shown: view.before(topic, shown) / k, common)


def ap_ia(case: Case, query: str, k: int | None, *, denom: str | None = None, **common: Any) -> Value:
    rule = denom or ("R" if k is None else "min_rk")

    def value(view: Aspects, topic: str, shown: list[str]) -> float:
        good = view.relevant[topic]
        hits = [rank for rank, item in enumerate(shown, start=1) if item in good]
        below = {
            "R": len(good),
            "min_rk": min(len(good), k or ALL),
            "hits": len(hits),
            "k": k,
            "min_rn": min(len(good), len(shown)),
        }[rule]
        terms = [nth / rank for nth, rank in enumerate(hits, start=1)]
        return math.fsum(terms) / below if below else 0.0

    return _intent_aware(case, query, k, value, common)


def rr_ia(case: Case, query: str, k: int | None, **common: Any) -> Value:
    def value(view: Aspects, topic: str, shown: list[str]) -> float:
        return next((1 / rank for rank, item in enumerate(shown, 1) if item in view.relevant[topic]), 0.0)

    return _intent_aware(case, query, k, value, common)


def gain_of(grade: float, gain: str) -> Fraction:
    return exact(grade) if gain == "linear" else power_of_two(grade) - 1


def discount_at(rank: int, discount: str, base: float) -> float:
    """What rank r (from 1) leaves of a gain."""
    if discount == "jk":
        return 1.0 if rank < base else math.log(base) / math.log(rank)
    return {"log2p1": log_discount(rank), "reciprocal": 1 / rank, "none": 1.0}[discount]


def ndcg_ia(
    case: Case,
    query: str,
    k: int | None,
    *,
    gain: str = "linear",
    discount: str = "log2p1",
    base: float = 2,
    **common: Any,
) -> Value:
    def dcg(gains: list[Fraction]) -> float:
        return math.fsum(
            float(each) * discount_at(rank, discount, base) for rank, each in enumerate(gains, start=1)
        )

    def value(view: Aspects, topic: str, shown: list[str]) -> float:
        ideal = sorted((gain_of(grade, gain) for grade in view.grades.get(topic, {}).values()), reverse=True)
        best = dcg(ideal[:k])
        return dcg([gain_of(view.grade(topic, item), gain) for item in shown]) / best if best else 0.0

    return _intent_aware(case, query, k, value, {**common, "graded": True})


def s_recall(case: Case, query: str, k: int | None, **common: Any) -> Value:
    view = aspects(case, query, **common)
    if view is None:
        return None
    seen = {topic for item in case.top(query, k) for topic in view.of(item)}
    return len(seen) / len(view.universe)


def _min_rank(view: Aspects, items: list[str], level: Fraction) -> int | None:
    """The first rank where the share of topics seen is the level; None if it never is."""
    seen: set[str] = set()
    for rank, item in enumerate(items, start=1):
        seen |= set(view.of(item))
        if len(seen) >= level * len(view.universe):
            return rank
    return None


def s_precision(case: Case, query: str, k: int | None, *, level: float = 1.0, **common: Any) -> Value:
    view = aspects(case, query, **common)
    if view is None:
        return None

    def fresh(before: Any, item: str) -> Fraction:
        seen = {topic for other in before for topic in view.of(other)}
        return Fraction(len(set(view.of(item)) - seen))

    cover = greedy(view.judged, fresh, ALL, highest_id=True)
    best, found = _min_rank(view, cover, exact(level)), _min_rank(view, case.top(query, k), exact(level))
    if best is None:  # no list reaches the level
        return None
    return best / found if found else 0.0


def d_ndcg(
    case: Case,
    query: str,
    k: int | None,
    *,
    gain: str = "linear",
    discount: str = "log2p1",
    base: float = 2,
    **common: Any,
) -> Value:
    view = aspects(case, query, graded=True, **common)
    if view is None or view.weights is None:
        return None

    def global_gain(item: str) -> float:
        terms = [view.weights[topic] * gain_of(view.grade(topic, item), gain) for topic in view.universe]
        return float(sum(terms, Fraction(0)))

    def dcg(items: list[str]) -> float:
        return math.fsum(
            global_gain(item) * discount_at(rank, discount, base) for rank, item in enumerate(items, start=1)
        )

    best = dcg(sorted(view.judged, key=global_gain, reverse=True)[:k])
    return dcg(case.top(query, k)) / best if best else None


def dsharp_ndcg(case: Case, query: str, k: int | None, *, gamma: float = 0.5, **parameters: Any) -> Value:
    others = {
        name: value for name, value in parameters.items() if name in {"topics", "universe", "weights", "rel"}
    }
    seen, value = s_recall(case, query, k, **others), d_ndcg(case, query, k, **parameters)
    return None if seen is None or value is None else gamma * seen + (1 - gamma) * value


SUBTOPICS: dict[str, Callable[..., Value]] = {
    "alpha_dcg": alpha_dcg,
    "alpha_ndcg": alpha_ndcg,
    "err_ia": err_ia,
    "nerr_ia": nerr_ia,
    "nrbp": nrbp,
    "nnrbp": nnrbp,
    "p_ia": p_ia,
    "ap_ia": ap_ia,
    "ndcg_ia": ndcg_ia,
    "rr_ia": rr_ia,
    "s_recall": s_recall,
    "i_rec": s_recall,
    "s_precision": s_precision,
    "d_ndcg": d_ndcg,
    "dsharp_ndcg": dsharp_ndcg,
    "rbu": rbu,
}
