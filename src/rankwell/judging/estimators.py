"""Estimators: statAP and xinfAP of AP, inferred nDCG, and which of them a metric has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.judging.samples import Estimate, QueryFrame
from rankwell.matching.batch import Context
from rankwell.matching.scale import Scale
from rankwell.metrics import metrics_of
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.graded.ndcg import nDCG
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.arguments import as_list
from rankwell.tables.lists import Ranked

# The estimator of nDCG: the mean gain of each stratum in the list, over the ideal of the estimated numbers of
# each grade.


def infndcg(part: QueryFrame, rank: np.ndarray, gain: np.ndarray, discounts: np.ndarray) -> Estimate | None:
    """Return inferred nDCG.

    Formula
        (1/IDCG) Σ over strata of d · mean(gain · discount), over the judged ones of the d items of the stratum that the list has
        within the cut-off; IDCG is the DCG of the best list of the estimated numbers of items, Σ 1/π, of each gain

    Parameters
    ----------
    part
        The frame of the query and its sample.
    rank
        The rank of each item of the frame, infinite where the list lacks it or has it below the cut-off.
    gain
        The gain of each judged item, at least 0; 0 for others.
    discounts
        Those of the ranks 1, 2, … to the cut-off, or as many as there are items in the frame and in the list.

    Returns
    -------
    Estimate | None
        None if no judged item has a gain.

    Notes
    -----
    Source: E. Yilmaz, E. Kanoulas and J. Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008.
    sample_eval.pl fills the ideal list with whole items only, and puts those of the next gain at ranks that are not whole; here a
    part of an item fills a part of a rank. A stratum of which the list has items and none of them is judged adds nothing, as there.
    """
    if not (gain > 0).any():
        return None
    weight, n = part.weight, len(part.sizes)
    rows = np.flatnonzero(np.isfinite(rank))
    stratum = part.stratum[rows]
    listed = np.bincount(stratum, minlength=n)
    stands, terms = np.zeros(len(rank)), np.zeros(len(rank))
    stands[rows] = weight[rows]
    terms[rows] = weight[rows] * gain[rows] * discounts[rank[rows].astype(np.int64) - 1]
    counted, summed = (np.bincount(part.stratum, column, minlength=n) for column in (stands, terms))
    parts = listed * _ratio(summed, counted)
    own = part.stratum[part.judged]
    left, fewer = summed[own] - terms[part.judged], counted[own] - stands[part.judged]
    # sums of floats: what is left of a single item may not be exactly 0
    is_alone = fewer <= 1e-9 * counted[own]
    without = parts.sum() - parts[own] + listed[own] * np.where(is_alone, 0.0, _ratio(left, fewer))
    # ideal lists end before this rank, so without a cut-off they are alike for lists of any length
    longest = int(weight.sum()) + 2
    best, bests = part.once(_ideals, gain.tobytes(), discounts[:longest].tobytes())
    return Estimate(float(parts.sum()) / best, _ratio(without, bests))


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def _ideals(part: QueryFrame, gains: bytes, discounts: bytes) -> tuple[float, np.ndarray]:
    """The ideal, and those without each judged item: they are the same for all lists."""
    gain, discount = np.frombuffer(gains), np.frombuffer(discounts)
    return ideal(gain, part.weight, discount), _ideals_without_one(part, gain, discount)


def _ideals_without_one(part: QueryFrame, gain: np.ndarray, discounts: np.ndarray) -> np.ndarray:
    """The ideals without each judged item, which are alike for items of one stratum, gain and weight."""
    rows = np.flatnonzero(part.judged)
    kinds = np.column_stack([part.stratum[rows], gain[rows], part.weight[rows]])
    _, firsts, kind = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    ideals = np.empty(len(firsts))
    for at, first in enumerate(rows[firsts]):
        own = part.stratum[first]
        weight = np.where(part.stratum == own, part.growth[own], 1.0) * part.weight
        weight[first] = 0.0
        ideals[at] = ideal(gain, weight, discounts)
    return ideals[kind.reshape(-1)]


def ideal(gain: np.ndarray, weight: np.ndarray, discounts: np.ndarray) -> float:
    """Return the ideal DCG of estimated numbers of items.

    The numbers need not be whole: the items of one gain fill the ranks from where those of the higher gains end, and a rank that
    they fill in part counts in part.

    >>> ideal(np.array([2.0, 1.0]), np.array([1.0, 1.0]), np.array([1.0, 0.6, 0.5]))
    2.6
    >>> ideal(np.array([2.0, 1.0]), np.array([0.5, 2.0]), np.array([1.0, 0.6, 0.5]))  # 2 and 1 share the first rank
    2.35
    """
    has_gain = gain > 0
    levels, level = np.unique(gain[has_gain], return_inverse=True)
    counts = np.bincount(level, weight[has_gain], minlength=len(levels))[::-1]
    ends = np.minimum(np.cumsum(counts), len(discounts))
    whole = ends.astype(np.int64)
    # the sum of the discounts down to a rank that need not be whole: whole ones, and a part of the next
    until = np.append(0.0, np.cumsum(discounts))[whole] + (ends - whole) * np.append(discounts, 0.0)[whole]
    return float((levels[::-1] * np.diff(until, prepend=0.0)).sum())


# The estimators of AP: statAP, which weights pairs of relevant items, and xinfAP, which estimates the precision
# at each.


EPSILON = 1e-5  # of infAP


def statap(part: QueryFrame, rank: np.ndarray, relevant: np.ndarray, most: float = np.inf) -> Estimate | None:
    """Return statAP: Σ over pairs of relevant items, each weighted by how likely both were drawn, over the estimated R.

    Formula
        (1/R̂) Σ_i (1/π_i) (1/r_i) (1 + Σ_{j above i} π_i / π_ij), over the relevant judged items i and j; R̂ = Σ 1/π

    Parameters
    ----------
    part
        The frame of the query and its sample.
    rank
        The rank of each item of the frame, infinite where the list lacks it or has it below the cut-off.
    relevant
        Which items are judged and relevant.
    most
        The k of a divisor min(R, k).

    Returns
    -------
    Estimate | None
        None if no judged item is relevant.

    Notes
    -----
    Sources: J. Aslam, V. Pavlu and E. Yilmaz, A statistical method for system evaluation using incomplete judgments, SIGIR 2006;
    V. Pavlu and J. Aslam, A practical sampling strategy for efficient retrieval evaluation, 2007. The variance is not theirs: it is
    the jackknife's.
    """
    if not relevant.any():
        return None
    own, strata = part.weight, len(part.sizes)
    rows = np.flatnonzero(relevant & np.isfinite(rank))
    rows = rows[np.argsort(rank[rows], kind="stable")]
    weight, share, stratum = own[rows], 1.0 / rank[rows], part.stratum[rows]
    at = np.arange(len(rows)), stratum
    in_stratum = np.zeros((len(rows), strata))
    in_stratum[at] = weight
    above = np.cumsum(in_stratum, axis=0) - in_stratum  # of each item, by stratum, the weights above it
    paired = in_stratum * share[:, None]
    below = np.cumsum(paired[::-1], axis=0)[::-1] - paired
    alone = np.bincount(stratum, weight * share, minlength=strata)
    # a table of strata by strata: the weight of pairs, the lower item's stratum in rows
    with_above = np.zeros((strata, strata))
    np.add.at(with_above, stratum, (weight * share)[:, None] * above)
    inner = np.diagonal(with_above)
    outer = with_above.sum(axis=0) + with_above.sum(axis=1) - 2 * inner
    both = with_above.sum() - inner.sum()  # pairs of two strata, once
    total = float(alone.sum() + both + (part.pair_factors * inner).sum())
    # without one item: its pairs go, and the others of its stratum stand for more
    judged = part.stratum[part.judged]
    single, within, across = (np.zeros(len(rank)) for _ in range(3))
    single[rows] = weight * share
    pairs = (weight * share)[:, None] * above + weight[:, None] * below
    within[rows] = pairs[at]
    across[rows] = pairs.sum(axis=1) - pairs[at]
    single, within, across = single[part.judged], within[part.judged], across[part.judged]
    grown = part.growth[judged]
    rest = total - alone - outer - part.pair_factors * inner
    without = (
        rest[judged]
        + grown * (alone[judged] - single + outer[judged] - across)
        + grown**2 * part.factors_without_one[judged] * (inner[judged] - within)
    )
    return _divide_by_relevant(part, total, without, relevant, most)


def xinfap(
    part: QueryFrame, rank: np.ndarray, relevant: np.ndarray, most: float = np.inf, *, classes: int = 2
) -> Estimate | None:
    """Return xinfAP: the expected precision at each relevant item, each weighted by how many items it stands for, over R.

    Formula
        (1/R̂) Σ_i (1/π_i) E_i, E = (1/r) (1 + Σ over strata of d (m + ε) / (n + 2ε)), ε = 0.00001: above a relevant item of rank r, a
        stratum has d items of the frame, of which n are judged and m relevant

    Parameters and result are those of ``statap``; ``classes`` is the 2 of 2ε. If items are drawn independently they are one
    stratum, and n and m are sums of 1/π over its mean.

    Notes
    -----
    Source: E. Yilmaz, E. Kanoulas and J. Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008. For
    one stratum it is infAP. TREC's sample_eval.pl has 3ε, which matters where no item of a stratum above is judged: it expects a
    third of them to be relevant, and infAP a half. It also multiplies by R̂ / 1000 where R̂ is above 1,000, and rankwell does not.
    Independent draws are not in the source.
    """
    if not relevant.any():
        return None
    rows = np.flatnonzero(np.isfinite(rank))
    rows = rows[np.argsort(rank[rows], kind="stable")]
    hits, stratum = relevant[rows], part.stratum[rows]
    is_of = stratum[None, :] == np.arange(len(part.sizes))[:, None]
    scaled = part.scaled[rows]
    listed, seen, n_hits = (_sums_before(is_of * column)[:, hits] for column in (1.0, scaled, scaled * hits))
    likely = (n_hits + EPSILON) / (seen + classes * EPSILON)
    weight, share = part.weight[rows][hits], 1.0 / rank[rows][hits]
    expected = weight * share * (1.0 + (listed * likely).sum(axis=0))
    by_stratum = np.bincount(stratum[hits], expected, minlength=len(part.sizes))
    # without one item: the share of relevant ones that is expected of its stratum changes at all hits below it
    grown = part.growth[part.stratum[part.judged]]
    without = expected.sum() + (grown - 1.0) * by_stratum[part.stratum[part.judged]]
    place = np.full(len(rank), -1)
    place[rows] = np.arange(len(rows))
    in_list = np.flatnonzero(place[part.judged] >= 0)
    at = place[part.judged][in_list]
    own = stratum[at]
    is_below = at[:, None] < np.flatnonzero(hits)[None, :]
    fewer = np.where(is_below, seen[own] - scaled[at][:, None], 0.0)
    left = np.where(is_below, n_hits[own] - (scaled * hits)[at][:, None], 0.0)
    changed = np.where(is_below, (left + EPSILON) / (fewer + classes * EPSILON) - likely[own], 0.0)
    heavier = np.where(own[:, None] == stratum[hits][None, :], part.growth[own][:, None], 1.0)
    without[in_list] += (weight * share * listed[own] * changed * heavier).sum(axis=1)
    of_itself = np.zeros(len(rows))
    of_itself[hits] = expected
    without[in_list] -= part.growth[own] * of_itself[at]
    return _divide_by_relevant(part, float(expected.sum()), without, relevant, most)


def _divide_by_relevant(
    part: QueryFrame, total: float, without: np.ndarray, relevant: np.ndarray, most: float
) -> Estimate:
    """The totals over the estimated R, or the cut-off if that is less; and the same without each judged item."""
    weight = np.where(relevant, part.weight, 0.0)
    by_stratum = np.bincount(part.stratum, weight, minlength=len(part.sizes))
    judged = part.stratum[part.judged]
    grown = part.growth[judged]
    fewer = weight.sum() + (grown - 1.0) * by_stratum[judged] - grown * weight[part.judged]
    is_last = relevant[part.judged] & (np.count_nonzero(relevant) == 1)
    left = np.divide(without, np.minimum(fewer, most), out=np.zeros(len(fewer)), where=~is_last)
    return Estimate(total / min(float(weight.sum()), most), left)


def _sums_before(values: np.ndarray) -> np.ndarray:
    """The sums of the columns before each."""
    before: np.ndarray = np.cumsum(values, axis=1) - values
    return before


# What can be estimated: AP by statAP and xinfAP, nDCG by inferred nDCG; and which estimators a metric has.


OF_AP: dict[str, Callable[..., Estimate | None]] = {
    "statap": statap,
    "xinfap": xinfap,
    "xinfap_trec": partial(xinfap, classes=3),
}
RULES = {
    "statap": "Σ over pairs of relevant items, each by how likely both were drawn, over the estimated R",
    "xinfap": "the expected precision at each relevant item, each by how many items it stands for",
    "xinfap_trec": "xinfap with the smoothing of sample_eval.pl, 3ε",
    "infndcg": "the mean gain of each stratum in the list, over the ideal of the estimated numbers of each grade",
}
DEFAULT = ("statap", "xinfap", "infndcg")
LISTED = ("xinfap", "xinfap_trec", "infndcg")  # they read which items of the list are in the frame


@record
class Target:
    """A metric whose value for one list can be estimated, AP or nDCG, and the estimators that were asked for."""

    metric: AP | nDCG
    estimators: tuple[str, ...]

    @property
    def most(self) -> float:
        """The number of relevant items above which more make no difference; infinite without a cut-off."""
        is_whole = isinstance(self.metric, AP) and self.metric.denom == "R"
        return np.inf if self.metric.k is None or is_whole else float(self.metric.k)

    def estimate(
        self, estimator: str, part: QueryFrame, rank: np.ndarray, grade: np.ndarray, scale: Scale
    ) -> Estimate | None:
        """Return the estimate of a list that has the items of the frame at these ranks (infinity: not at all).

        None if no judged item is relevant, or none has a gain.
        """
        metric, k = self.metric, self.metric.k
        cut = rank if k is None else np.where(rank <= k, rank, np.inf)
        if isinstance(metric, AP):
            relevant = part.judged & scale.relevant(grade, metric.rel)
            return OF_AP[estimator](part, cut, relevant, self.most)
        grades = np.where(part.judged, grade, 0.0)
        ranked = Ranked(len(grade), np.arange(len(grade)), np.ones(len(grade), np.int64), grades)
        gain = np.where(part.judged & scale.judged(grade), metric.gains(ranked, Context(scale, None)), 0.0)
        deepest = cut[np.isfinite(cut)].max(initial=1.0)
        last = int(max(deepest, np.ceil(part.weight.sum()), len(grade))) if k is None else k
        return infndcg(part, cut, np.maximum(gain, 0.0), metric.weights_of(np.arange(1, last + 1)))


def targets_of(metrics: Any, estimators: Any = None) -> tuple[Target, ...]:
    """Return what to estimate of each metric.

    Raises
    ------
    UsageError
        If no estimator exists for a metric or its setting, an estimator is unknown, or none of those given estimates a metric.
    """
    names = DEFAULT if estimators is None else tuple(as_list("estimators", estimators))
    if not names:
        raise UsageError(f"estimators= is empty; give {one_of(RULES)}.")
    for name in names:
        if name not in RULES:
            raise UsageError(f"estimators={brief(name)}: must be {one_of(RULES)}.{nearest(name, RULES)}")
    return tuple(_target_of(metric, names) for metric in metrics_of(metrics))


def _target_of(metric: Metric, names: tuple[str, ...]) -> Target:
    own: Collection[str]
    if type(metric) is AP and metric.budget is None:
        if metric.denom not in (None, "R", "min_rk"):
            raise UsageError(f"{metric}: AP is estimated with denom=R, and at a cut-off min_rk.")
        own = OF_AP
    elif type(metric) is nDCG:
        is_plain = metric.ideal in ("judged", "uncut" if metric.k is None else "judged")
        if not is_plain or not isinstance(metric.gain, str) or not isinstance(metric.discount, str):
            raise UsageError(
                f"{metric}: nDCG is estimated with gain=linear or exp2, a named discount, and the ideal list of all judged items."
            )
        own = ("infndcg",)
    else:
        raise UsageError(
            f"{metric} has no estimator here; ap, ap@k, ndcg and ndcg@k have. Sums over items (P@k, DCG@k, RBP@k) are estimated from items drawn "
            f"with known propensities by rw.prediction_powered(drawn='items')."
        )
    estimators = tuple(name for name in names if name in own)
    if not estimators:
        raise UsageError(f"{metric}: none of {one_of(names)} estimates it; take {one_of(own)}.")
    return Target(metric, estimators)
