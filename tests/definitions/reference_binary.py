"""Metrics of relevant and nonrelevant items in plain loops: sets, counts, interpolated precision, ranks and areas."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from .reference_metrics import Params, Undefined, Value, View, _cutoff, average_precision
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


BINARY: dict[str, Callable[[View, Params], Value]] = {
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
