"""nDCG: discounted gains, divided by those of the ideal list."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.matching.batch import Context, Judged
from rankwell.matching.holes import Unjudged
from rankwell.matching.scale import exp2_gain
from rankwell.metrics.additive import Terms
from rankwell.metrics.bounds import EXACT, FREE_R, LOSSES, OWN_LENGTH, Bounded, Ends
from rankwell.metrics.graded.gain import Gained, first_weights, ideal_dcg, ideal_sums
from rankwell.metrics.graded.gain_functions import (
    OnScale,
    gain_of,
    top_level,
)
from rankwell.metrics.metric import NO_CUT, definition
from rankwell.metrics.parameters import Gains, Numbers, named_gains
from rankwell.records import record
from rankwell.tables.lists import NO_ROWS, Ranked, offsets_of


@definition
class nDCG(OnScale, Gained):
    """Normalised discounted cumulative gain: the discounted gains of the list, divided by those of the ideal list.

    Formula
        nDCG@k = Σ_{r ≤ k} gain(g_r) · d(r) / Σ_{r ≤ k} gain(g*_r) · d(r), with g* the grades in the ideal order

    Edge cases
        Undefined by the judgements if no judged item has a positive gain. Unjudged items and grades below 0 have no
        gain, unless a table names them and they are judgements (``negative=nonrelevant``); the ideal list holds no item
        with a negative gain. ``rel`` has no effect unless the data are ratings. ``ideal=maximal`` needs a cut-off and
        refuses grades above ``max_grade``.

    Convention
        Linear gain with log2(r + 1) is trec_eval's; ``gain=exp2`` (2^g − 1) is used by gdeval, Burges and most machine
        learning code. ``discount=jk`` is the original of Järvelin and Kekäläinen: no discount before rank ``base``, then
        log_base(r). The ideal list holds all judged items, cut at k. ``ideal=retrieved`` re-sorts the list itself, so
        missed items cost nothing; ``ideal=maximal`` is k items of the scale's highest grade (scaled DCG, sDCG), the same
        for all queries, which few lists can reach; ``ideal=uncut`` holds all judged items whatever k is, so a list shorter
        than that is never perfect (jurity); ``ideal=min_kn`` is no longer than the list, so that one relevant item alone is
        perfect however many there are (MLflow, Elasticsearch), and holds copies that count (``duplicates=each``). Normalising
        per query can invert the order that DCG gives (Jeunen et al., 2024). Grades that a table does not name have no gain; in trec_eval's ``ndcg.1=3`` and ir_measures' ``gains=`` they
        gain themselves, which is ``gain={1:3,others:own}``.

    Parameters
        gain: linear, exp2, or a table {grade: gain} of raw grades; other grades have no gain, or themselves with {1:3,others:own}
        discount: log2p1, jk, reciprocal, none, or a list of weights for ranks 1, 2, … (0 after its end)
        base: the base of discount=jk
        ideal: judged, uncut, min_kn for judged cut at min(k, length of the list), retrieved or maximal
        max_grade: for ideal=maximal, the highest grade of the scale; default: the highest in the qrels
        rel: for ratings, the lowest rating that has a gain; default: the policy's rel
        gain_from: for ratings, count grades from the threshold (g − rel + 1) or as they are (raw, g)

    Example
        >>> import rankwell as rw
        >>> res = rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"a": 1, "b": 3}}, ["ndcg@2", rw.nDCG(gain="exp2")@2])
        >>> {name: round(value, 4) for name, value in res.mean.items()}
        {'ndcg@2': 0.7967, 'ndcg(gain=exp2)@2': 0.7098}

    Reference
        K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002;
        trec_eval ndcg, ndcg_cut.
    """

    name: ClassVar[str] = "ndcg"
    plain: ClassVar[str] = "how good {top} {are}"

    gain: Literal["linear", "exp2"] | Gains = "linear"
    discount: Literal["log2p1", "jk", "reciprocal", "none"] | Numbers = "log2p1"
    base: float = 2.0
    ideal: Literal["judged", "uncut", "min_kn", "retrieved", "maximal"] = "judged"
    max_grade: float | None = None
    rel: float | None = None
    gain_from: Literal["threshold", "raw"] = "threshold"

    words: ClassVar[tuple[str, str, str]] = ("gain", "discount", "IDCG")

    def is_scaled(self) -> bool:
        """Only with ideal=maximal, unless a table gives all gains."""
        return self.ideal == "maximal" and isinstance(self.gain, str)

    def check(self) -> None:
        """ideal=maximal requires a cut-off."""
        super().check()
        if self.ideal == "maximal" and self.k is None:
            raise UsageError(NO_CUT.format(name="ndcg(ideal=maximal)"))
        if self.ideal == "maximal" and not isinstance(self.gain, str) and named_gains(self.gain)[1]:
            raise UsageError(
                f"{self}: with others:own the highest gain of the scale is not known. For ideal=maximal, name every grade."
            )

    def applies(self, parameter: str) -> bool:
        """``max_grade`` applies only with ideal=maximal."""
        if parameter == "max_grade":
            return self.is_scaled()
        is_idle = parameter == "ideal" and self.ideal == "uncut" and self.k is None
        return not is_idle and super().applies(parameter)

    def broken_laws(self) -> dict[str, str]:
        """With ideal=retrieved, items below k matter."""
        retrieved = {"only the first k count": "the whole list is re-sorted to make the ideal list"}
        return super().broken_laws() | (retrieved if self.ideal == "retrieved" else {})

    def bounded(self) -> Bounded:
        """Exact, if no grade has a negative gain; with a stated pool if judging can change the ideal list."""
        known = super().bounded()
        if known.kind == "none" or self.ideal == "maximal":
            return known
        if self.ideal == "min_kn":
            return OWN_LENGTH
        if not isinstance(self.gain, str) and min(gain for _, gain in named_gains(self.gain)[0]) < 0:
            return LOSSES
        return EXACT if self.ideal == "retrieved" else FREE_R

    def bounds(self, unjudged: Unjudged, context: Context) -> Ends:
        """The lowest and the highest value of each query."""
        if self.ideal == "maximal":
            return super().bounds(unjudged, context)

        return bounds(self, unjudged)

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The DCG of the ideal list; a list without any gain has the value 0."""
        ideal = judged.of_ideal(ideal_sums, self, context.scale)
        if self.ideal in ("judged", "uncut"):
            return ideal
        if self.ideal == "maximal":
            assert self.k is not None
            most = self._most(judged, context) * first_weights(self).sum()
            return np.where(ideal > 0, most, np.nan)
        terms = self.ideal_terms(judged, context)
        assert terms is not None
        own = terms.sum()
        return np.where(
            ideal > 0, np.where(own > 0, own, np.inf), np.nan
        )  # over ∞: a list without a gain is 0

    def caution(self) -> str:
        """With an ideal list of their own, lists are not comparable with each other."""
        if self.ideal == "min_kn":
            return "the ideal list is no longer than the list: what a short list misses costs nothing"
        if self.ideal == "retrieved":
            return "the ideal list is the list itself, sorted: missed items cost nothing"
        return ""

    def ideal_terms(self, judged: Judged, context: Context) -> Terms | None:
        """The gains of the ideal lists, if they are lists of items."""
        if self.ideal == "maximal":
            return None
        if self.ideal != "min_kn":
            best = judged.found if self.ideal == "retrieved" else judged.ideal
            return ideal_dcg(self, best, context.scale)
        terms = ideal_dcg(self, _with(judged.ideal, judged.copies().top(self.k)), context.scale)
        within = np.flatnonzero(terms.rows.rank <= judged.n_shown(self.k)[terms.rows.query])
        return Terms(terms.rows.where(within), terms.gain[within], terms.weight[within])

    def _most(self, judged: Judged, context: Context) -> float:
        """The highest gain of the scale."""
        if not isinstance(self.gain, str):
            return max(gain for _, gain in named_gains(self.gain)[0])
        levels = context.scale.level(judged.found.grade, self.rel, self.gain_from)
        top = top_level(self, levels[~np.isnan(levels)], context)
        return top if self.gain == "linear" else float(exp2_gain(np.array([top]))[0])


def _with(best: Ranked, copies: Ranked) -> Ranked:
    """Ideal lists that hold the copies in a list, too: what counts there has a place here."""
    if not len(copies):
        return best
    query = np.concatenate((best.query, copies.query))
    order = np.lexsort((-np.concatenate((best.grade, copies.grade)), query))
    grade = np.concatenate((best.grade, copies.grade))[order]
    pool_row = None
    if best.pool_row is not None and copies.pool_row is not None:
        pool_row = np.concatenate((best.pool_row, copies.pool_row))[order]
    merged = Ranked(best.queries, query[order], None, grade, pool_row=pool_row)
    merged.rank = merged.nth()
    return merged


# Bounds of nDCG under unjudged items, which are gains of the list and may move the ideal list as well.
#
# For given numbers of unjudged items with each gain, DCG is highest if the gains of a list's unjudged items
# fall with the rank, and lowest if they rise. With N_i items of at least the i-th gain, both DCG and ideal DCG
# are sums over i of a function of N_i alone, times the step from one gain to the next. So the lowest value is
# that of j last items with the highest gain for some j, as the sum of DCG's part is convex and of the ideal's
# concave; and the highest value is found exactly by Dinkelbach's method, whose problem in each step is solved
# along N_1 ≥ N_2 ≥ ….


BLOCK = 1 << 20  # numbers in a table of all sums of some queries
SAME = 1e-15


@record(slots=True)
class _Lists:
    """What the values of some queries are made of, a row per query.

    ``known`` is DCG without unjudged items, ``weights`` holds the weights of the unjudged rows within k, first ones first, and
    ``n`` their number. ``better`` is the number of judged items with at least each gain, ``steps`` the steps between the gains.
    ``ideal`` is the sum of the weights of the first ranks of an ideal list, for each number of ranks.
    """

    known: np.ndarray
    weights: np.ndarray
    n: np.ndarray
    better: np.ndarray
    steps: np.ndarray
    ideal: np.ndarray

    def best(self, count: np.ndarray) -> np.ndarray:
        """The ideal DCG after ``count`` items got the highest gain."""
        return sum(step * self.ideal[self.better[:, at, None] + count] for at, step in enumerate(self.steps))


def bounds(metric: nDCG, unjudged: Unjudged) -> Ends:
    """Return the lowest and the highest value of each query, NaN where no grades make it defined."""
    scale, n = unjudged.scale, len(unjudged)
    gains = gain_of(metric, _graded(unjudged.grades), scale)
    levels = np.unique(gains[gains > 0])
    # A gain is a sum of steps between the levels, DCG a sum of weights of steps. So only how many items reach each level matters.
    has_gain = gain_of(metric, _graded(unjudged.grade), scale) > 0
    r = np.bincount(unjudged.query[has_gain], minlength=n)
    outside = unjudged.has_outside().astype(np.int64) if unjudged.outside is None else unjudged.outside
    free = unjudged.free.count()
    low, high = np.full(n, np.nan), np.full(n, np.nan)
    if not len(levels):
        return low, high
    is_own = metric.ideal == "retrieved"
    judged = unjudged.rows.where(~np.isnan(unjudged.rows.grade))
    owner, grade = (judged.query, judged.grade) if is_own else (unjudged.query, unjudged.grade)
    better = _better(metric, owner, grade, levels, unjudged)
    within = unjudged.free.top(metric.k)
    known = judged.top(metric.k)
    sums = known.sum(gain_of(metric, known, scale) * metric.weights_of(known.rank))
    m = within.count()
    deepest = int((better[:, 0] + free + outside).max(initial=0))
    ideal = _ideal_weights(metric, deepest)
    weights = metric.weights_of(within.rank)
    starts = offsets_of(m)
    order = np.argsort(m, kind="stable")  # lists of like lengths share a table with little padding
    steps = np.diff(levels, prepend=0.0)
    for rows in _blocks(order, m):
        wide = int(m[rows].max())
        place = starts[rows][:, None] + np.arange(wide)
        inside = np.arange(wide) < m[rows][:, None]
        table = (
            np.where(inside, weights[np.minimum(place, max(len(weights) - 1, 0))], 0.0)
            if wide
            else np.zeros((len(rows), 0))
        )
        lists = _Lists(sums[rows], table, m[rows], better[rows], steps, ideal)
        below = (free - m)[rows] + (0 if is_own else outside[rows])
        low[rows] = _lowest(lists, levels[-1], below)
        high[rows] = _highest(lists, levels)
    # a list without gains is 0 if a gain elsewhere makes the query defined, and so is one that an item elsewhere can define
    elsewhere = (r > 0) | (free > m) | (outside > 0)
    low, high = (np.where(np.isnan(each) & elsewhere, 0.0, each) for each in (low, high))
    if is_own:
        low = np.where((better[:, 0] == 0) & elsewhere, 0.0, low)
    return low, high


def _graded(grades: np.ndarray) -> Ranked:
    return Ranked(1, np.zeros(len(grades), np.int64), NO_ROWS, grades)


def _better(
    metric: Any, owner: np.ndarray, grade: np.ndarray, levels: np.ndarray, unjudged: Unjudged
) -> np.ndarray:
    """Return for each query the number of judged items with at least each gain."""
    gains = gain_of(metric, _graded(grade), unjudged.scale)
    counts = [np.bincount(owner[gains >= level], minlength=len(unjudged)) for level in levels]
    return np.stack(counts, axis=1)


def _ideal_weights(metric: nDCG, deepest: int) -> np.ndarray:
    """Return the sum of the weights of the first ranks of an ideal list, for 0, 1, … ranks."""
    weights = metric.weights_of(np.arange(1, deepest + 1)) if deepest else np.empty(0)
    if metric.k is not None and metric.ideal != "uncut":
        weights = np.where(np.arange(1, deepest + 1) <= metric.k, weights, 0.0)
    return np.append(0.0, np.cumsum(weights))


def _blocks(order: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """Return the queries in blocks, of similar lengths, whose tables are not too large."""
    blocks, start = [], 0
    while start < len(order):
        size = max(BLOCK // (int(lengths[order[start]]) + 1), 1)
        while size > 1 and size * int(lengths[order[start : start + size][-1]]) > 2 * BLOCK:
            size //= 2
        blocks.append(order[start : start + size])
        start += size
    return blocks


def _lowest(lists: _Lists, highest: float, below: np.ndarray) -> np.ndarray:
    """Return the lowest values: the j last unjudged items of the list and all ``below`` or outside have the highest gain."""
    count = np.arange(lists.weights.shape[1] + 1)
    # the last j weights of a row are those of its places n − j to n
    sums = np.cumsum(lists.weights, axis=1)
    sums = np.concatenate([np.zeros((len(sums), 1)), sums], axis=1)
    before = np.maximum(lists.n[:, None] - count, 0)
    last = np.take_along_axis(sums, lists.n[:, None], axis=1) - np.take_along_axis(sums, before, axis=1)
    # low in the list a gain adds least to DCG, and as much as anywhere to the ideal: for each number of items the last are worst
    best = lists.best(np.minimum(count, lists.n[:, None]) + below[:, None])
    values = np.divide(
        lists.known[:, None] + highest * last, best, out=np.full(best.shape, np.inf), where=best > 0
    )
    least = values.min(axis=1)
    return np.where(np.isinf(least), np.nan, least)


def _highest(lists: _Lists, levels: np.ndarray) -> np.ndarray:
    """Return the highest values, by Dinkelbach's method: the value of the best lists for the value so far, until it stays."""
    count = np.minimum(np.arange(lists.weights.shape[1] + 1), lists.n[:, None])
    sums = np.cumsum(lists.weights, axis=1)
    sums = np.concatenate([np.zeros((len(sums), 1)), sums], axis=1)
    best = lists.best(count)
    values = np.divide(
        lists.known[:, None] + levels[-1] * sums, best, out=np.full(best.shape, -np.inf), where=best > 0
    )
    value = values.max(axis=1)
    left = np.flatnonzero(~np.isinf(value))
    while len(left):
        few = _Lists(
            lists.known[left],
            lists.weights[left],
            lists.n[left],
            lists.better[left],
            lists.steps,
            lists.ideal,
        )
        above, below = _best_for(few, sums[left], count[left], value[left])
        better = np.divide(above, below, out=np.zeros(len(left)), where=below > 0)
        # the method ends when nothing grows; a rise in the last bits would keep the loop alive for ever
        grows = better > value[left] * (1 + SAME)
        left = left[grows]
        value[left] = better[grows]
    return np.where(np.isinf(value), np.nan, value)


def _best_for(lists: _Lists, sums: np.ndarray, count: np.ndarray, value: np.ndarray) -> Ends:
    """Return DCG and ideal DCG of the list that maximises DCG − value · ideal DCG, with N_1 ≥ N_2 ≥ …."""
    above, below = np.zeros_like(sums), np.zeros_like(sums)
    places = np.arange(sums.shape[1])
    # from the highest level down: at each, the best prefix length so far is kept, so that longer ones extend it (N_1 ≥ N_2 ≥ …)
    for at in range(len(lists.steps))[::-1]:
        step = lists.steps[at]
        above = above + step * sums
        below = below + step * lists.ideal[lists.better[:, at, None] + count]
        gain = above - value[:, None] * below
        # the best with at most each number of items
        top = np.maximum.accumulate(gain, axis=1)
        where = np.maximum.accumulate(np.where(gain >= top, places, 0), axis=1)
        above, below = (np.take_along_axis(each, where, axis=1) for each in (above, below))
    return lists.known + above[:, -1], below[:, -1]
