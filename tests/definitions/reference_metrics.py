"""The metrics once more, in plain loops over one query's list.

Part of the slow second implementation (see `reference.py`). A metric sees a `View` and answers a number, or
says by what it is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .reference_policy import ReferenceRefusal, Scale


class Undefined(Enum):
    """Why a query has no value."""

    BY_JUDGEMENTS = "judgements"
    BY_LIST = "list"


@dataclass(frozen=True)
class View:
    """One query as a metric sees it.

    listed: the grade at rank 1, 2, …; None for an unjudged item and for a later copy.
    judged: the grades of all judged items of the query, retrieved or not.
    highest: the highest grade of the whole qrels.
    rel: the grade from which an item is relevant; None means above 0.
    pooled: whether the item at rank 1, 2, … is in the pool, whatever its grade.
    groups: which group of equal scores it is in.
    collection: the number of items that could be retrieved, None if nobody said.
    holes: whether rank 1, 2, … is one that the list leaves out.
    again: whether the item at rank 1, 2, … stands above already.
    """

    listed: list[float | None]
    judged: list[float]
    scale: Scale
    rel: float | None
    highest: float
    pooled: list[bool] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    collection: int | None = None
    holes: list[bool] = field(default_factory=list)
    again: list[bool] = field(default_factory=list)

    def items(self, k: int | None = None) -> list[float | None]:
        """The grades of the rows down to rank k."""
        holes = self.holes or [False] * len(self.listed)
        return [grade for grade, is_hole in list(zip(self.listed, holes, strict=True))[:k] if not is_hole]

    def rows(self, k: int | None = None) -> int:
        """The number of rows down to rank k."""
        return len(self.items(k))

    def relevant(self, grade: float | None) -> bool:
        if grade is None:
            return False
        return grade > 0 if self.rel is None else grade >= self.rel

    def level(self, grade: float, gain_from: str) -> float:
        """The grade as gains count it: from the threshold when the grades are ratings."""
        if self.scale != "ratings" or gain_from == "raw":
            return grade
        assert self.rel is not None
        return grade - self.rel + 1 if grade >= self.rel else 0.0

    def hits(self, k: int | None) -> list[int]:
        """The ranks of the relevant items down to k."""
        ranks = []
        for rank, grade in enumerate(self.listed, start=1):
            if (k is None or rank <= k) and self.relevant(grade):
                ranks.append(rank)
        return ranks

    @property
    def n_relevant(self) -> int:
        return sum(1 for grade in self.judged if self.relevant(grade))


Value = float | Undefined
Params = Mapping[str, Any]


def _cutoff(params: Params) -> int:
    if params.get("k") is None:
        raise ReferenceRefusal("cutoff", "this metric needs @k")
    return int(params["k"])


def precision(view: View, params: Params) -> Value:
    k = _cutoff(params)
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    below = k if params.get("denom", "k") == "k" else view.rows(k)
    return len(view.hits(k)) / below if below else 0.0


def recall(view: View, params: Params) -> Value:
    k = _cutoff(params)
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    below = view.n_relevant if params.get("denom", "R") == "R" else min(view.n_relevant, k)
    return len(view.hits(k)) / below


def hit(view: View, params: Params) -> Value:
    k = _cutoff(params)
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    return 1.0 if view.hits(k) else 0.0


def average_precision(view: View, params: Params) -> Value:
    k = params.get("k")
    denom = params.get("denom", "R" if k is None else "min_rk")
    n_relevant, hits = view.n_relevant, view.hits(k)
    shown = view.rows(k)
    if denom == "k" and k is None:
        raise ReferenceRefusal("cutoff", "denom=k needs @k")
    if n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    below: dict[str, Any] = {
        "R": n_relevant,
        "min_rk": n_relevant if k is None else min(n_relevant, k),
        "hits": len(hits),
        "k": k,
        "min_rn": min(n_relevant, shown),
    }
    if not hits:
        return 0.0
    return math.fsum(number / rank for number, rank in enumerate(hits, start=1)) / int(below[denom])


def reciprocal_rank(view: View, params: Params) -> Value:
    if view.n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    hits = view.hits(params.get("k"))
    return 1 / hits[0] if hits else 0.0


def _weight(rank: int, params: Params) -> float:
    """The discount of a rank."""
    discount = params.get("discount", "log2p1")
    if discount == "log2p1":
        return 1 / math.log2(rank + 1)
    if discount == "jk":
        base = params.get("base", 2)
        return 1.0 if rank < base else math.log(base) / math.log(rank)
    if discount == "reciprocal":
        return 1 / rank
    if discount in ("none", None):  # as a word and as the grammar's none
        return 1.0
    return float(discount[rank - 1]) if rank <= len(discount) else 0.0


def _gain(view: View, grade: float | None, params: Params) -> float:
    if grade is None:
        return 0.0
    level = view.level(grade, params.get("gain_from", "threshold"))
    gain = params.get("gain", "linear")
    if isinstance(gain, Mapping):  # a table names the grades as they are
        return float(gain.get(grade, max(grade, 0.0) if "others" in gain else 0.0))
    if level <= 0:
        return 0.0
    return level if gain == "linear" else 2.0**level - 1


def _dcg(gains: list[float], params: Params) -> float:
    k = params.get("k")
    upto = gains if k is None else gains[:k]
    return math.fsum(gain * _weight(rank, params) for rank, gain in enumerate(upto, start=1))


def ndcg(view: View, params: Params) -> Value:
    listed = [_gain(view, grade, params) for grade in view.listed]
    judged = [_gain(view, grade, params) for grade in view.judged]
    if not any(gain > 0 for gain in judged):
        return Undefined.BY_JUDGEMENTS
    # A table may hold losses; the best possible list holds none of their items.
    if params.get("ideal", "judged") == "retrieved":
        ideal = _dcg(sorted((gain for gain in listed if gain > 0), reverse=True), params)
        return _dcg(listed, params) / ideal if ideal > 0 else 0.0
    if params.get("ideal") == "maximal":
        if params.get("k") is None:
            raise ReferenceRefusal("cutoff", "ideal=maximal needs @k")
        if isinstance(params.get("gain"), Mapping):
            best = max(params["gain"].values())
        else:
            top = params.get("max_grade")
            if top is not None and view.highest > top:
                raise ReferenceRefusal("max_grade", "a grade above max_grade")
            best = _gain(view, view.highest if top is None else top, params)
        return _dcg(listed, params) / _dcg([best] * params["k"], params)
    if params.get("ideal") == "min_kn":
        if not view.rows(params.get("k")):
            return 0.0
        judged = judged + [
            gain for gain, again in list(zip(listed, view.again, strict=False))[: params.get("k")] if again
        ]
    cuts = {"uncut": None, "min_kn": view.rows(params.get("k"))}
    cut = {**params, "k": cuts.get(params.get("ideal", "judged"), params.get("k"))}
    ideal = _dcg(sorted((gain for gain in judged if gain > 0), reverse=True), cut)
    return _dcg(listed, params) / ideal if ideal > 0 else Undefined.BY_JUDGEMENTS


def err(view: View, params: Params) -> Value:
    gain_from, k = params.get("gain_from", "threshold"), params.get("k")
    top = params.get("max_grade")
    highest = view.highest if top is None else float(top)
    if top is not None and view.highest > highest:
        raise ReferenceRefusal("max_grade", f"there is a grade {view.highest} above max_grade={top}")
    most = view.level(highest, gain_from)

    def stops(grade: float | None) -> float:
        level = 0.0 if grade is None else max(0.0, view.level(grade, gain_from))
        if params.get("gain", "exp2") == "exp2":
            return float((2.0**level - 1) / 2.0**most)
        return level / (most + 1)

    if not any(view.level(grade, gain_from) > 0 for grade in view.judged):
        return Undefined.BY_JUDGEMENTS
    total, still_reading = 0.0, 1.0
    for rank, grade in enumerate(view.listed, start=1):
        if k is not None and rank > k:
            break
        total += still_reading * stops(grade) / rank
        still_reading *= 1 - stops(grade)
    return total


def judged_share(view: View, params: Params) -> Value:
    k = _cutoff(params)
    if not view.rows(k):
        return Undefined.BY_LIST
    return sum(1 for grade in view.listed[:k] if grade is not None) / view.rows(k)


def bpref(view: View, params: Params) -> Value:
    n_relevant = view.n_relevant
    n_other = len(view.judged) - n_relevant
    if n_relevant == 0:
        return Undefined.BY_JUDGEMENTS
    terms, above = [], 0
    for grade in view.listed:
        if grade is None:
            continue
        if view.relevant(grade):
            terms.append(1.0 if above == 0 else 1 - min(above, n_relevant) / min(n_other, n_relevant))
        else:
            above += 1
    return math.fsum(terms) / n_relevant


FIRST: dict[str, Callable[[View, Params], Value]] = {
    "p": precision,
    "r": recall,
    "hit": hit,
    "ap": average_precision,
    "rr": reciprocal_rank,
    "ndcg": ndcg,
    "err": err,
    "judged": judged_share,
    "bpref": bpref,
}
