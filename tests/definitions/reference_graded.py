"""Metrics of graded relevance in plain loops: cumulated gain, user models, Q-measure and compatibility."""

from __future__ import annotations

import math
from collections.abc import Callable

from .reference_binary import _top
from .reference_metrics import Params, Undefined, Value, View, _dcg, _gain, err
from .reference_policy import ReferenceRefusal


def _gains(view: View, params: Params) -> list[float]:
    return [_gain(view, grade, params) for grade in view.listed]


def cumulated_gain(view: View, params: Params) -> Value:
    return discounted_gain(view, {**params, "discount": "none"})


def discounted_gain(view: View, params: Params) -> Value:
    if not any(_gain(view, grade, params) > 0 for grade in view.judged):
        return Undefined.BY_JUDGEMENTS
    return _dcg(_gains(view, params), params)


def normalised_err(view: View, params: Params) -> Value:
    value = err(view, params)
    ideal = View(sorted(view.judged, reverse=True), view.judged, view.scale, view.rel, view.highest)
    best = err(ideal, params)
    if isinstance(value, Undefined) or isinstance(best, Undefined):
        return Undefined.BY_JUDGEMENTS
    return value / best


def _share(view: View, grade: float | None, params: Params) -> float:
    if params.get("gain", "linear") == "binary":
        return 1.0 if view.relevant(grade) else 0.0
    start = params.get("gain_from", "threshold")
    top = params.get("max_grade")
    if top is not None and view.highest > top:
        raise ReferenceRefusal("max_grade", "a grade above max_grade")
    level = 0.0 if grade is None else max(0.0, view.level(grade, start))
    most = view.level(view.highest if top is None else float(top), start)
    return level / most if level else 0.0


def _shares(view: View, params: Params) -> list[float] | Undefined:
    if not any(_share(view, grade, params) > 0 for grade in view.judged):
        return Undefined.BY_JUDGEMENTS
    return [_share(view, grade, params) for grade in _top(view, params)]


def rbp(view: View, params: Params) -> Value:
    gains, p = _shares(view, params), params.get("p", 0.8)
    if isinstance(gains, Undefined):
        return gains
    return (1 - p) * math.fsum(gain * p**place for place, gain in enumerate(gains))


def rbp_residual(view: View, params: Params) -> Value:
    p, listed = params.get("p", 0.8), _top(view, params)
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    unknown = math.fsum(p**place for place, grade in enumerate(listed) if grade is None)
    return p ** len(listed) + (1 - p) * unknown


def _expected_utility(gains: list[float], goes_on: Callable[[int, float], float]) -> float:
    """Σ W_r g_r with W_r = V_r / Σ V, V_1 = 1, V_{r+1} = V_r · goes_on(r, gain down to r), to depth 1000."""
    padded = (gains + [0.0] * 1000)[:1000]
    looks, look, total = [], 1.0, 0.0
    for rank, gain in enumerate(padded, start=1):
        looks.append(look)
        total += gain
        look *= goes_on(rank, total)
    return math.fsum(gain * look for gain, look in zip(padded, looks, strict=True)) / math.fsum(looks)


def insq(view: View, params: Params) -> Value:
    gains, t = _shares(view, params), params.get("T", 1)
    if isinstance(gains, Undefined):
        return gains
    return _expected_utility(gains, lambda r, _: ((r + 2 * t - 1) / (r + 2 * t)) ** 2)


def inst(view: View, params: Params) -> Value:
    gains, t = _shares(view, params), params.get("T", 1)
    if isinstance(gains, Undefined):
        return gains
    return _expected_utility(gains, lambda r, total: ((r - 1 + 2 * t - total) / (r + 2 * t - total)) ** 2)


def q_measure(view: View, params: Params) -> Value:
    n, k, beta = view.n_relevant, params.get("k"), params.get("beta", 1)
    if n == 0:
        return Undefined.BY_JUDGEMENTS
    ideal = sorted((gain for grade in view.judged if (gain := _gain(view, grade, params)) > 0), reverse=True)
    gains = _gains(view, params)
    terms = []
    for number, rank in enumerate(view.hits(k), start=1):
        above = number + beta * math.fsum(gains[:rank])
        terms.append(above / (rank + beta * math.fsum(ideal[:rank])))
    return math.fsum(terms) / (n if k is None else min(n, k))


def compatibility(view: View, params: Params) -> Value:
    p, depth = params.get("p", 0.95), params.get("depth", 1000)
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    # items are told by their rank; those that were not retrieved get names of their own
    found = [(grade, rank) for rank, grade in enumerate(view.listed) if view.relevant(grade)]
    left = sorted(grade for grade in view.judged if view.relevant(grade))
    for grade, _ in found:
        left.remove(grade)
    ideal = sorted(
        found + [(grade, 10**9 + at) for at, grade in enumerate(left)], key=lambda it: (-it[0], it[1])
    )
    names = [name for _, name in ideal]
    listed = list(range(len(view.listed)))
    depth = max(len(listed), len(names)) if depth is None else depth

    def overlap(left: list[int], right: list[int]) -> float:
        total, one, other = [], set(), set()
        for d in range(1, depth + 1):
            one.update(left[d - 1 : d])
            other.update(right[d - 1 : d])
            total.append(p ** (d - 1) * len(one & other) / d)
        return math.fsum(total)

    return overlap(listed, names) / overlap(names, names)


GRADED: dict[str, Callable[[View, Params], Value]] = {
    "cg": cumulated_gain,
    "dcg": discounted_gain,
    "nerr": normalised_err,
    "rbp": rbp,
    "rbp_residual": rbp_residual,
    "insq": insq,
    "inst": inst,
    "q": q_measure,
    "compat": compatibility,
}
