"""Metrics of precision along a list: AP, mean precision, R-precision; and the levels of recall, and how many hits reach them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import UsageError
from rankwell.kernels import sums
from rankwell.matching.batch import Context, Judged
from rankwell.matching.holes import Both, Unjudged
from rankwell.matching.ties import expected_precisions
from rankwell.metrics.additive import Additive, RankWeighted, Terms
from rankwell.metrics.bounds import EXACT, FREE_R, Bounded, DifferenceBounds, Ends, divide_bounds, divisors
from rankwell.metrics.metric import NO_CUT, definition
from rankwell.tables.lists import Ranked, offsets_of, ratio

Levels = Literal["exact", "trec9", "trec10"]
LARGEST = 2**63


def needed_hits(level: float, relevant: np.ndarray, levels: str) -> np.ndarray:
    """Return how many hits reach a recall level: exact in whole numbers, or rounded as trec_eval 9 and 10 do."""
    if levels == "trec9":
        return (level * relevant + 0.9).astype(np.int64)
    if levels == "trec10":
        return np.floor(level * relevant + 0.5).astype(np.int64)
    if level == 1:
        return relevant
    from fractions import Fraction

    # of the decimal that was written, 0.3, not of its double, which is less: ⌈0.3 · 10⌉ is 3
    exact = Fraction(repr(level))
    if max(exact.numerator * int(relevant.max(initial=0)), exact.denominator) < LARGEST:
        return -((-exact.numerator * relevant) // exact.denominator)  # the ceiling, in whole numbers
    # a level of 17 digits times many hits is beyond 64 bits
    return np.array([math.ceil(exact * each) for each in relevant.tolist()], np.int64)


@definition
class AP(Additive):
    """Average precision: the sum of the precisions at the ranks of the relevant items, divided by their number.

    Formula
        AP@k = (1/Z) Σ_{r ≤ k : relevant} P@r; its mean over queries is called MAP

    Edge cases
        Undefined by the judgements if a query has no relevant item. Without a hit it is 0 under every ``denom``. The
        count ``queries with R > k`` of a result says for how many queries ``R`` and ``min_rk`` differ.

    Convention
        Six different numbers go by this name. Without a cut-off Z is R. With @k the default is ``min_rk``, min(R, k), so
        that k relevant items in the first k score 1 (RankSys, RecBole, sentence-transformers); trec_eval's map_cut,
        ir_measures and RecTools divide by R (``denom=R``); recmetrics and others by the hits found (``hits``);
        Elasticsearch-like code by ``k``. ``min_rn`` is min(R, length of the list within k), for comparison only: it rewards
        short lists.

    Parameters
        denom: R, min_rk, hits, k or min_rn; default: R without a cut-off, min_rk with one
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> run, qrels = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"b": 1, "c": 1, "d": 1}}
        >>> rw.evaluate(run, qrels, ["ap", "ap@2", rw.AP(denom="hits")]).mean
        {'ap': 0.38888888888888884, 'ap(denom=min_rk)@2': 0.25, 'ap(denom=hits)': 0.5833333333333333}

    Reference
        D. Harman, Evaluation issues in information retrieval, 1992; trec_eval map, map_cut.
    """

    name: ClassVar[str] = "ap"
    plain: ClassVar[str] = "how many relevant items are in {top}, and how early"
    aliases: ClassVar[tuple[str, ...]] = ("map",)
    copies: ClassVar[bool] = True

    denom: Literal["R", "min_rk", "hits", "k", "min_rn"] | None = None
    rel: float | None = None

    @property
    def words(self) -> tuple[str, str, str]:  # type: ignore[override]
        """The names of gain, weight and divisor in the worked table."""
        divisors = {"R": "R", "min_rk": "min(R, k)", "hits": "hits", "k": "k", "min_rn": "min(R, n)"}
        return "relevant", "P@r", divisors[self._denom]

    @property
    def _denom(self) -> str:
        return self.denom or ("R" if self.k is None else "min_rk")

    def resolved(self) -> dict[str, Any]:
        """The parameters, with the default denominator for k filled in."""
        return {**super().resolved(), "denom": self._denom}

    def depends_on_k(self) -> frozenset[str]:
        """``denom``."""
        return frozenset({"denom"})

    def has_expected_value(self) -> bool:
        """Whether the divisor is the same for all orders."""
        return self.denom != "hits" or self.k is None

    def broken_laws(self) -> dict[str, str]:
        """With denom=hits, one more hit far down lowers the average."""
        if self.denom != "hits":
            return {}
        return {
            "a better list scores no worse": "one more hit at a low rank within k lowers the average over hits"
        }

    def bounded(self) -> Bounded:
        """Exact; with a stated pool if the divisor depends on R."""
        return EXACT if self._denom in ("hits", "k") else FREE_R

    def bounds(self, unjudged: Unjudged, context: Context) -> Ends:
        """The lowest and the highest value of each query."""
        return bounds(unjudged, self.rel, self.k, self._denom)

    def has_common_divisor(self) -> bool:
        """Unless it depends on the list."""
        return self._denom not in ("hits", "min_rn")

    def difference_bounds(self, both: Both, context: Context) -> DifferenceBounds:
        """The bounds of the difference: a quadratic function of what is relevant."""
        own = self.has_common_divisor()
        return difference_bounds(self, both, context) if own else super().difference_bounds(both, context)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The number of queries for which R and min(R, k) differ."""
        if self.k is None:
            return {}
        return {"queries with R > k": int(np.count_nonzero(judged.n_relevant(self.rel) > self.k))}

    def check(self) -> None:
        """denom=k requires a cut-off."""
        super().check()
        if self.denom == "k" and self.k is None:
            raise UsageError(NO_CUT.format(name=f"{self.name}(denom=k)"))

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each hit, weighted by the precision at its rank."""
        hits = judged.relevant(self.rel).top(self.k)
        return Terms(hits, np.ones(len(hits)), hits.nth() / hits.rank)

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The precision at each hit, summed in rank order, over the denominator."""
        hits, below = judged.relevant(self.rel), self.divisor(judged, context)
        if judged.is_expected:
            return ratio(expected_precisions(hits, self.k), below)
        return sums.precisions(hits.query, hits.rank, self.last_rank, np.ascontiguousarray(below, np.float64))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The number that ``denom`` names."""
        relevant = judged.n_relevant(self.rel)
        if self._denom == "R" or (self._denom == "min_rk" and self.k is None):
            return relevant
        k = np.iinfo(np.int64).max if self.k is None else self.k  # no cut-off is one behind every rank
        divisors: dict[str, Callable[[], Any]] = {
            "min_rk": lambda: np.minimum(relevant, k),
            "hits": lambda: np.maximum(judged.relevant(self.rel).top(self.k).count(), 1),
            "k": lambda: k,
            "min_rn": lambda: np.maximum(np.minimum(relevant, judged.n_shown(self.k)), 1),
        }
        below: np.ndarray = np.where(relevant > 0, divisors[self._denom](), 0)
        return below


@definition
class MeanPrecision(RankWeighted):
    """Mean precision: the mean of the precisions at all of the first k ranks, hits or not; not average precision.

    Formula
        (1/k) Σ_{r ≤ k} P@r

    Edge cases
        A list shorter than k is padded with nonrelevant items. Undefined by the judgements if a query has no relevant
        item.

    Convention
        Some articles give this formula for average precision; [1, 0, 0] with one relevant item has AP 1 and mean
        precision 0.6111. A perfect list reaches 1 only if R ≥ k.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1}}, ["mean_precision@3", "ap"]).mean
        {'mean_precision@3': 0.611111111111111, 'ap': 1.0}

    Reference
        The area under precision as a function of rank; no known program prints it under a name of its own.
    """

    name: ClassVar[str] = "mean_precision"
    words: ClassVar[tuple[str, str, str]] = ("relevant", "Σ_{i=r…k} 1/i", "k")
    rises: ClassVar[bool] = True
    cut: ClassVar[Literal["required", "optional", "none"]] = "required"

    rel: float | None = None

    def worth(self, rows: Ranked, context: Context) -> np.ndarray:
        """One for a relevant grade."""
        return context.scale.relevant(rows.grade, self.rel).astype(np.float64)

    def rows(self, judged: Judged) -> Ranked:
        """The relevant items found."""
        return judged.relevant(self.rel)

    def gains(self, rows: Ranked, context: Context) -> np.ndarray:
        """One per relevant item."""
        return np.ones(len(rows))

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """A hit at rank r adds 1/i to the precision at each rank i from r to k."""
        assert self.k is not None
        return _harmonic_tail(self.k)[np.minimum(ranks, self.k + 1) - 1]

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """The cut-off k."""
        assert self.k is not None
        return np.where(judged.n_relevant(self.rel) > 0, self.k, 0)


@cache
def _harmonic_tail(k: int) -> np.ndarray:
    """The sums of 1/i from each rank to k, and 0 after it."""
    tail = np.cumsum(1.0 / np.arange(k, 0, -1))[::-1]
    return np.append(tail, 0.0)


@definition
class RPrec(Additive):
    """R-precision: precision at rank R, the number of relevant items, where precision equals recall.

    Formula
        R-precision = |{r ≤ R : relevant}| / R; with a multiple m: |{r ≤ c : relevant}| / c, c = m · R rounded up

    Edge cases
        Divided by R even if the list is shorter. Undefined by the judgements if a query has no relevant item.

    Convention
        trec_eval's Rprec. It is the break-even point of every list: P@R = R@R. trec_eval's Rprec_mult uses multiples of
        R, rounded by adding 0.9 and truncating (``levels=trec9``, also in version 10).

    Parameters
        multiple: the multiple of R at which to cut, above 0
        levels: exact or trec9, how the multiple is rounded
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> rw.evaluate({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 1, "c": 1}}, ["rprec"]).mean
        {'rprec': 0.5}

    Reference
        trec_eval Rprec; C. Buckley and E. Voorhees, Evaluating evaluation measure stability, SIGIR 2000.
    """

    name: ClassVar[str] = "rprec"
    plain: ClassVar[str] = "share of the relevant items found in as many places as there are of them"
    aliases: ClassVar[tuple[str, ...]] = ("r_precision",)
    words: ClassVar[tuple[str, str, str]] = ("relevant", "counts", "R")
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"

    multiple: float = 1.0
    levels: Literal["exact", "trec9"] = "exact"
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.multiple < float("inf"):
            raise UsageError(f"rprec(multiple={self.multiple:g}): multiple must be above 0.")

    def applies(self, parameter: str) -> bool:
        """``levels`` applies only to a multiple other than 1."""
        return self.multiple != 1 or parameter == "rel"

    def terms(self, judged: Judged, context: Context) -> Terms:
        """One for each hit among the first R, or a multiple of R."""
        hits = judged.relevant(self.rel)
        hits = hits.where(hits.rank <= self._ranks(judged)[hits.query])  # a cut-off of its own for each query
        return Terms(hits, np.ones(len(hits)), np.ones(len(hits)))

    def divisor(self, judged: Judged, context: Context) -> np.ndarray:
        """R, or a multiple of it."""
        return np.where(judged.n_relevant(self.rel) > 0, np.maximum(self._ranks(judged), 1), 0)

    def _ranks(self, judged: Judged) -> np.ndarray:
        return needed_hits(self.multiple, judged.n_relevant(self.rel), self.levels)


# Bounds of average precision under unjudged items.
#
# With j relevant ones among the unjudged items of a list, the sum of precisions is highest if they are its j
# first ones, and lowest if they are its j last ones. So the bounds are the best and the worst of as many sums
# as there are numbers j.


NO_MORE = np.iinfo(np.int64).max


def bounds(unjudged: Unjudged, rel: float | None, k: int | None, denom: str) -> Ends:
    """Return the lowest and the highest AP of each query, NaN where no grades make it defined."""
    scale, n = unjudged.scale, len(unjudged)
    relevant = np.bincount(unjudged.query[scale.relevant(unjudged.grade, rel)], minlength=n)
    can_be = bool(scale.relevant(unjudged.grades, rel).any())
    hits = unjudged.rows.where(scale.relevant(unjudged.rows.grade, rel)).top(k)
    if not can_be:
        value = ratio(_sums(hits), _divisor(denom, relevant, hits.count(), unjudged, k))
        return value, value
    free = unjudged.free.top(k)
    above, below = _neighbours(hits, free)
    sums, found, m = _sums(hits), hits.count(), free.count()

    # down to each unjudged item, all are relevant: each has those above it, and adds to the precision at hits below it
    nth = free.nth()
    most = sums[free.query] + free.running((above + nth) / free.rank + below)
    # from each unjudged item down, all are relevant
    after = _from_end(free, 1.0 / free.rank) - 1.0 / free.rank
    least = sums[free.query] + _from_end(free, (above + 1) / free.rank + below + after)

    def values(
        sum_: np.ndarray, query: np.ndarray, more: np.ndarray, outside: np.ndarray | int
    ) -> np.ndarray:
        """The values after ``more`` items within k, and others ``outside``, became relevant."""
        r = relevant[query] + more + outside
        return ratio(sum_, _divisor(denom, r, found[query] + more, unjudged, k, query))

    every = np.arange(n)
    others = (
        unjudged.free.count() - m + (unjudged.has_outside() if unjudged.outside is None else unjudged.outside)
    )
    high, low = (
        values(sums, every, np.zeros(n, np.int64), 0),
        values(sums, every, np.zeros(n, np.int64), others),
    )
    np.fmax.at(high, free.query, values(most, free.query, nth, 0))
    np.fmin.at(low, free.query, values(least, free.query, m[free.query] - nth + 1, others[free.query]))
    return low, np.where(np.isnan(high), low, high)


def _divisor(
    denom: str,
    r: np.ndarray,
    hits: np.ndarray,
    unjudged: Unjudged,
    k: int | None,
    query: np.ndarray | None = None,
) -> np.ndarray:
    """Return what AP is divided by, given R and the number of hits within k; 0 where AP is undefined."""
    last = NO_MORE if k is None else k
    if denom == "min_rk":
        below = np.minimum(r, last)
    elif denom == "hits":
        below = np.maximum(hits, 1)
    elif denom == "k":
        below = np.full(len(r), last)
    elif denom == "min_rn":
        shown = unjudged.rows.top(k).count()
        below = np.maximum(np.minimum(r, shown if query is None else shown[query]), 1)
    else:
        below = r
    return np.where(r > 0, below, 0)


def _sums(hits: Ranked) -> np.ndarray:
    return hits.sum(hits.nth() / hits.rank)


def _neighbours(hits: Ranked, free: Ranked) -> tuple[np.ndarray, np.ndarray]:
    """Return for each unjudged row the number of hits above it, and the sum of 1/rank over the hits below it."""
    # (query, rank) as one ascending key, so that one binary search serves all queries
    width = int(max(hits.rank.max(initial=0), free.rank.max(initial=0))) + 1
    starts = offsets_of(hits.count())
    place = np.searchsorted(hits.query * width + hits.rank, free.query * width + free.rank)
    left = np.append(_from_end(hits, 1.0 / hits.rank), 0.0)
    return place - starts[free.query], np.where(place < starts[free.query + 1], left[place], 0.0)


def _from_end(rows: Ranked, values: np.ndarray) -> np.ndarray:
    """Return for each row the sum of ``values`` over the rows of its query from it down."""
    # a running sum over the rows backwards, queries and all, adds in one fixed order and never across queries
    back = Ranked(rows.queries, rows.queries - 1 - rows.query[::-1], rows.rank[::-1], rows.grade)
    return back.running(values[::-1])[::-1]


# Bounds of the difference of two average precisions under unjudged items.
#
# The sum of precisions is Σ_i x_i/r_i + Σ_{i above j} x_i x_j/r_j, with x = 1 for relevant items: a quadratic
# function of what the judges say. So is the difference of two lists. An unjudged item whose every possible
# contribution has one sign is decided; if at most ``MOST`` others are left, all their values are tried, else a
# product counts half for either item where it helps, which is an outer bound. Of more than ``LARGE`` items,
# each list is bounded by itself.


MOST, LARGE = 20, 600
FAR = np.inf  # the rank of an item that a list does not hold


def difference_bounds(metric: Any, both: Both, context: Context) -> DifferenceBounds:
    """Return the bounds of the difference of AP, whose divisor is the same for both lists."""
    items, n = both.items, len(both.items)
    ranks = np.stack([_within(each.ranks, metric.k) for each in both])
    relevant = items.scale.relevant(items.grade, metric.rel)
    can_be = items.scale.relevant(items.grades, metric.rel).any()
    least, most = np.zeros((2, n))
    is_exact = np.ones(n, np.bool_)
    matters = np.isfinite(ranks).any(axis=0)
    is_free = np.isnan(items.grade) & bool(can_be) & matters
    for query in range(n):
        rows = slice(*items.pool.offsets[query : query + 2])
        hits, free = ranks[:, rows][:, (relevant & matters)[rows]], ranks[:, rows][:, is_free[rows]]
        if free.shape[1] > LARGE:
            least[query], most[query] = _apart(hits, free)
            is_exact[query] = False
            continue
        constant, linear, pairs = _quadratic(hits, free)
        most[query], sure = _highest(linear, pairs)
        lowest, also = _highest(-linear, -pairs)
        least[query], is_exact[query] = constant - lowest, sure and also
        most[query] += constant
    # a sum for all grades that do not matter here would be a difference of 0, so bounds below rounding errors are 0
    least, most = (np.where(np.abs(each) < 1e-12, 0.0, each) for each in (least, most))
    small, _ = divisors(metric, both, context)
    least, most = (np.where(np.isnan(small), np.nan, each) for each in (least, most))
    return divide_bounds(metric, both, context, least, most, is_decided=bool(is_exact.all()))


def _within(ranks: np.ndarray, k: int | None) -> np.ndarray:
    listed = ranks > 0 if k is None else (ranks > 0) & (ranks <= k)
    return np.where(listed, ranks, FAR)


def _apart(hits: np.ndarray, free: np.ndarray) -> tuple[float, float]:
    """Return outer bounds of the difference of sums of precisions: the fewest relevant items in one list, the most in the other."""
    few = [_sum(own) for own in hits]
    many = [_sum(np.concatenate(pair)) for pair in zip(hits, free, strict=True)]
    return few[0] - many[1], many[0] - few[1]


def _sum(ranks: np.ndarray) -> float:
    """Return the sum of the precisions at some ranks."""
    return float(np.sum(np.arange(1, len(ranks) + 1) / np.sort(ranks)))


def _quadratic(hits: np.ndarray, free: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the difference of sums of precisions as constant + Σ linear_i x_i + Σ_{i<j} pairs_ij x_i x_j; ranks of either list."""
    # of two items, the lower one's precision counts the upper one: hence the larger of the two ranks
    sign = np.array([1.0, -1.0])
    constant = _sum(hits[0]) - _sum(hits[1])
    alone = sign @ (1.0 / free)
    with_hits = np.einsum("s,sij->i", sign, 1.0 / np.maximum(free[:, :, None], hits[:, None, :]))
    pairs = np.einsum("s,sij->ij", sign, 1.0 / np.maximum(free[:, :, None], free[:, None, :]))
    np.fill_diagonal(pairs, 0.0)
    return constant, alone + with_hits, pairs


def _highest(linear: np.ndarray, pairs: np.ndarray) -> tuple[float, bool]:
    """Return the highest value of Σ linear_i x_i + Σ_{i<j} pairs_ij x_i x_j over x of 0 and 1, and whether it is exact."""
    total = 0.0
    # each item that is decided may decide others
    while len(linear):
        out = linear + np.maximum(pairs, 0.0).sum(axis=1) <= 0
        sure = ~out & (linear + np.minimum(pairs, 0.0).sum(axis=1) >= 0)
        if not (out | sure).any():
            break
        # sure items count, with each other and with those that are left
        total += float(linear[sure].sum() + pairs[np.ix_(sure, sure)].sum() / 2)
        left = ~(out | sure)
        linear = linear[left] + pairs[np.ix_(left, sure)].sum(axis=1)
        pairs = pairs[np.ix_(left, left)]
    if len(linear) <= MOST:
        return total + _try_all(linear, pairs), True
    return total + float(np.maximum(linear + np.maximum(pairs, 0.0).sum(axis=1) / 2, 0.0).sum()), False


def _try_all(linear: np.ndarray, pairs: np.ndarray) -> float:
    """Return the highest value, trying all values of all items."""
    values = np.zeros(1)  # of all subsets of the items so far; each item doubles them
    for at in range(len(linear)):
        beside = np.zeros(1)
        for other in range(at):
            beside = np.concatenate([beside, beside + pairs[at, other]])
        values = np.concatenate([values, values + linear[at] + beside])
    return float(values.max())
