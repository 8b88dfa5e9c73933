"""The other metrics in plain loops, as reference_metrics.py has the first ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from .reference_experimental import EXPERIMENTAL
from .reference_metrics import (
    FIRST,
    Params,
    Undefined,
    Value,
    View,
    _cutoff,
    _dcg,
    _gain,
    average_precision,
    err,
)
from .reference_policy import ReferenceRefusal


def _top(view: View, params: Params) -> list[float | None]:
    k = params.get("k")
    return view.listed if k is None else view.listed[:k]


def _square(params: Params) -> float:
    """C, the square of beta."""
    given = [name for name in ("beta", "c", "C") if params.get(name) is not None]
    if len(given) > 1:
        raise ReferenceRefusal("weights", "more than one of beta, c, C")
    if not given:
        return 1.0
    value = float(params[given[0]])
    return {"beta": value**2, "C": value, "c": (1 - value) / value if value else math.inf}[given[0]]


def _f(precision: float, recall: float, square: float) -> float:
    below = square * precision + recall
    return (square + 1) * precision * recall / below if below else 0.0


def f_measure(view: View, params: Params) -> Value:
    k = _cutoff(params)
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    hits = len(view.hits(k))
    below = k if params.get("denom", "k") == "k" else view.rows(k)
    return _f(hits / below if below else 0.0, hits / view.n_relevant, _square(params))


def set_precision(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    return len(view.hits(None)) / view.rows() if view.rows() else 0.0


def set_recall(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    below = view.n_relevant
    if params.get("denom", "R") == "min_rn":
        below = min(below, view.rows())
    return len(view.hits(None)) / below if below else 0.0


def set_f(view: View, params: Params) -> Value:
    precision, recall = set_precision(view, {}), set_recall(view, {})
    if isinstance(precision, Undefined) or isinstance(recall, Undefined):
        return Undefined.BY_JUDGEMENTS
    return _f(precision, recall, _square(params))


def set_ap(view: View, params: Params) -> Value:
    precision, recall = set_precision(view, {}), set_recall(view, {})
    if isinstance(precision, Undefined) or isinstance(recall, Undefined):
        return Undefined.BY_JUDGEMENTS
    return precision * recall


def _cells(view: View, params: Params) -> tuple[int, int, int, int]:
    hits = len(view.hits(params.get("k")))
    shown = view.rows(params.get("k"))
    missed = view.n_relevant - hits
    size = view.collection
    if size is None:
        size = shown + missed
    left = size - shown - missed
    if left < 0:
        raise ReferenceRefusal("collection", "the collection is too small")
    return hits, shown - hits, missed, left


def accuracy(view: View, params: Params) -> Value:
    tp, fp, fn, tn = _cells(view, params)
    return (tp + tn) / (tp + fp + fn + tn)


def fallout(view: View, params: Params) -> Value:
    if params.get("among") == "judged":
        others = len(view.judged) - view.n_relevant
        wrong = sum(1 for grade in _top(view, params) if grade is not None and not view.relevant(grade))
        return wrong / others if others else Undefined.BY_JUDGEMENTS
    _, fp, _, tn = _cells(view, params)
    return fp / (fp + tn) if fp + tn else Undefined.BY_JUDGEMENTS


def specificity(view: View, params: Params) -> Value:
    value = fallout(view, params)
    return value if isinstance(value, Undefined) else 1 - value


def utility(view: View, params: Params) -> Value:
    prices = params.get("prices", [1, -1, 0, 0])
    return float(sum(price * cell for price, cell in zip(prices, _cells(view, params), strict=True)))


def mean_precision(view: View, params: Params) -> Value:
    k = _cutoff(params)
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    return math.fsum(len(view.hits(rank)) / rank for rank in range(1, k + 1)) / k


def _interpolated(view: View, level: float, rule: str) -> float:
    n = view.n_relevant
    if rule == "exact":
        needed = math.ceil(Fraction(str(level)) * n)
    else:
        needed = int(level * n + 0.9) if rule == "trec9" else math.floor(level * n + 0.5)
    best, hits = 0.0, 0
    for rank, grade in enumerate(view.listed, start=1):
        hits += view.relevant(grade)
        if hits >= needed:
            best = max(best, hits / rank)
    return best


def interpolated_precision(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    return _interpolated(view, params.get("level", 0.5), params.get("levels", "exact"))


def eleven_points(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    rule = params.get("levels", "exact")
    at = params.get("at") or [tenth / 10 for tenth in range(11)]
    return math.fsum(_interpolated(view, level, rule) for level in at) / len(at)


def first_rank(view: View, params: Params) -> Value:
    hits = view.hits(params.get("k"))
    return float(hits[0]) if hits else Undefined.BY_LIST


def full_rank(view: View, params: Params) -> Value:
    hits = view.hits(params.get("k"))
    return float(hits[-1]) if hits and len(hits) == view.n_relevant else Undefined.BY_LIST


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


def unjudged_share(view: View, params: Params) -> Value:
    k = _cutoff(params)
    return (view.rows(k) - sum(1 for grade in view.listed[:k] if grade is not None)) / k


def inferred_ap(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    terms, pool, good, bad, e = [], 0, 0, 0, 1e-5
    for rank, (grade, pooled) in enumerate(zip(view.listed, view.pooled, strict=True), start=1):
        if view.relevant(grade):
            share = (good + e) / (good + bad + 2 * e)
            terms.append(1.0 if rank == 1 else 1 / rank + (rank - 1) / rank * (pool / (rank - 1)) * share)
            good += 1
        elif grade is not None:
            bad += 1
        pool += pooled
    return math.fsum(terms) / view.n_relevant


def area_under_pr(view: View, params: Params) -> Value:
    """The area between the points of all ranks: under steps from above, or straight lines."""
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    area, found, recall, precision = [], 0, 0.0, 1.0
    for rank, grade in enumerate(view.listed, start=1):
        found += view.relevant(grade)
        width, last, precision = found / view.n_relevant - recall, precision, found / rank
        recall = found / view.n_relevant
        area.append(width * (precision if params.get("method", "step") == "step" else (last + precision) / 2))
    return math.fsum(area)


def auc(view: View, params: Params) -> Value:
    holes = {group for group, is_hole in zip(view.groups, view.holes, strict=True) if is_hole}
    rows = [
        (group, view.relevant(grade))
        for grade, group in zip(view.listed, view.groups, strict=True)
        if group not in holes and (grade is not None or params.get("among", "list") == "list")
    ]
    positive = [group for group, relevant in rows if relevant]
    negative = [group for group, relevant in rows if not relevant]
    if not positive or not negative:
        return Undefined.BY_LIST
    wins = sum(1.0 if left < right else 0.5 * (left == right) for left in positive for right in negative)
    return wins / (len(positive) * len(negative))


def auc_topk(view: View, params: Params) -> Value:
    tp, fp, fn, tn = _cells(view, params)
    if not tp + fn or not fp + tn:
        return Undefined.BY_JUDGEMENTS
    ranked = [view.relevant(grade) for grade in view.items(params.get("k"))]
    # all that was not retrieved stands at one place, below the list
    rows = list(enumerate(ranked)) + [(10**9, True)] * fn + [(10**9, False)] * tn
    wins = 0.0
    for place, relevant in rows:
        for other, other_relevant in rows:
            if relevant and not other_relevant:
                wins += 1.0 if place < other else 0.5 * (place == other)
    return wins / ((tp + fn) * (fp + tn))


def _beaten(view: View, k: int) -> list[int]:
    """For each hit how many of the first k items that are not relevant stand below it, or are missing."""
    beaten, others = [], 0
    for grade in view.items():
        if view.relevant(grade):
            beaten.append(max(k - others, 0))
        else:
            others += 1
    return beaten


def partial_auc(view: View, params: Params) -> Value:
    k, n = _cutoff(params), view.n_relevant
    return sum(_beaten(view, k)) / (k * n) if n else Undefined.BY_JUDGEMENTS


def pap(view: View, params: Params) -> Value:
    k = _cutoff(params)
    best = min(k, view.n_relevant)
    return sum(_beaten(view, k)[:best]) / (k * best) if best else Undefined.BY_JUDGEMENTS


PER_QUERY: dict[str, Callable[[View, Params], Value]] = {
    **FIRST,
    **EXPERIMENTAL,
    "f": f_measure,
    "set_p": set_precision,
    "set_r": set_recall,
    "set_f": set_f,
    "set_ap": set_ap,
    "accuracy": accuracy,
    "fallout": fallout,
    "specificity": specificity,
    "utility": utility,
    "mean_precision": mean_precision,
    "iprec": interpolated_precision,
    "avg11": eleven_points,
    "first_rank": first_rank,
    "full_rank": full_rank,
    "cg": cumulated_gain,
    "dcg": discounted_gain,
    "nerr": normalised_err,
    "rbp": rbp,
    "rbp_residual": rbp_residual,
    "insq": insq,
    "inst": inst,
    "q": q_measure,
    "compat": compatibility,
    "unj": unjudged_share,
    "infap": inferred_ap,
    "auc_pr": area_under_pr,
    "auc": auc,
    "auc_topk": auc_topk,
    "pauc": partial_auc,
    "pap": pap,
    "gmap": average_precision,
    "num_ret": lambda view, params: float(view.rows(params.get("k"))),
    "num_rel": lambda view, params: float(view.n_relevant),
    "num_rel_ret": lambda view, params: float(len(view.hits(params.get("k")))),
}
NEEDS_RELEVANCE = set(PER_QUERY) - {"judged", "unj", "num_ret"}
