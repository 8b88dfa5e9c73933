"""trec_eval's experimental measures once more, rank by rank, as its help texts describe them."""

from __future__ import annotations

import math
from fractions import Fraction
from math import log2

from .reference_metrics import FIRST, Params, Undefined, Value, View, _dcg, _gain


def yaap(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    found = math.fsum(nth / rank for nth, rank in enumerate(view.hits(None), start=1))
    return math.log((1 + found) / (1 + view.n_relevant - found))


def bin_g(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    others, terms = 0, []
    for grade in view.items():
        if view.relevant(grade):
            terms.append(1 / log2(2 + others))
        else:
            others += 1
    return math.fsum(terms) / view.n_relevant


def _both(view: View, params: Params) -> tuple[list[float], list[float]]:
    """The gains of the list, and those of the ideal one."""
    ideal = sorted((gain for grade in view.judged if (gain := _gain(view, grade, params)) > 0), reverse=True)
    return [_gain(view, grade, params) for grade in view.listed], ideal


def g(view: View, params: Params) -> Value:
    listed, ideal = _both(view, params)
    if not ideal:
        return Undefined.BY_JUDGEMENTS
    total = cost = so_far = 0.0
    for place, gain in enumerate(listed):
        so_far += gain
        cost += max(ideal[place] if place < len(ideal) else 0.0, 1.0)
        if gain:
            total += gain / log2(2 + cost - so_far)
    return total / math.fsum(ideal)


def ndcg_rel(view: View, params: Params) -> Value:
    listed, ideal = _both(view, params)
    if not ideal:
        return Undefined.BY_JUDGEMENTS
    points = [rank for rank, gain in enumerate(listed, start=1) if gain > 0]
    values = [_dcg(listed[:rank], {}) / _dcg(ideal[:rank], {}) for rank in points]
    values += [_dcg(listed, {}) / _dcg(ideal, {})] * (len(ideal) - len(points))
    return math.fsum(values) / len(ideal)


def rndcg(view: View, params: Params) -> Value:
    listed, ideal = _both(view, params)
    if not ideal or not view.n_relevant:
        return Undefined.BY_JUDGEMENTS
    points = [at for at in range(1, len(ideal) + 1) if at == len(ideal) or ideal[at] != ideal[at - 1]]
    values = [_dcg(listed[:at], {}) / _dcg(ideal[:at], {}) for at in points]
    if view.rows() >= len(ideal) + 2:
        values.append(_dcg(listed, {}) / _dcg(ideal, {}))
    return math.fsum(values) / len(values)


def at_multiple(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    multiple = params.get("multiple", 1.0)
    if params.get("levels", "exact") == "exact":
        cut = math.ceil(Fraction(repr(multiple)) * view.n_relevant)
    else:
        cut = int(multiple * view.n_relevant + 0.9)
    return len(view.hits(cut)) / cut if cut else 0.0


def ideal_dcg(view: View, params: Params) -> Value:
    ideal = _both(view, params)[1]
    return _dcg(ideal, params) if ideal else Undefined.BY_JUDGEMENTS


def judged_nonrelevant(view: View, params: Params) -> Value:
    k = params.get("k")
    listed = view.listed if k is None else view.listed[:k]
    return float(sum(1 for grade in listed if grade is not None and not view.relevant(grade)))


EXPERIMENTAL = {
    "yaap": yaap,
    "bing": bin_g,
    "g": g,
    "ndcg_rel": ndcg_rel,
    "rndcg": rndcg,
    "rprec": at_multiple,
    "idcg": ideal_dcg,
    "gm_bpref": FIRST["bpref"],
    "num_nonrel_judged_ret": judged_nonrelevant,
}
