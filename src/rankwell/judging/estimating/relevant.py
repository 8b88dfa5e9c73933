"""The estimators of AP: statAP, which weights pairs of relevant items, and xinfAP, which estimates the precision at each."""

from __future__ import annotations

import numpy as np

from rankwell.judging.estimating.part import Estimate, Part

EPSILON = 1e-5  # of infAP


def statap(part: Part, rank: np.ndarray, relevant: np.ndarray, most: float = np.inf) -> Estimate | None:
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
    return _over(part, total, without, relevant, most)


def xinfap(
    part: Part, rank: np.ndarray, relevant: np.ndarray, most: float = np.inf, *, classes: int = 2
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
    listed, seen, found = (_above(is_of * each)[:, hits] for each in (1.0, scaled, scaled * hits))
    likely = (found + EPSILON) / (seen + classes * EPSILON)
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
    left = np.where(is_below, found[own] - (scaled * hits)[at][:, None], 0.0)
    changed = np.where(is_below, (left + EPSILON) / (fewer + classes * EPSILON) - likely[own], 0.0)
    heavier = np.where(own[:, None] == stratum[hits][None, :], part.growth[own][:, None], 1.0)
    without[in_list] += (weight * share * listed[own] * changed * heavier).sum(axis=1)
    of_itself = np.zeros(len(rows))
    of_itself[hits] = expected
    without[in_list] -= part.growth[own] * of_itself[at]
    return _over(part, float(expected.sum()), without, relevant, most)


def _over(part: Part, total: float, without: np.ndarray, relevant: np.ndarray, most: float) -> Estimate:
    """The totals over the estimated R, or the cut-off if that is less; and the same without each judged item."""
    weight = np.where(relevant, part.weight, 0.0)
    by_stratum = np.bincount(part.stratum, weight, minlength=len(part.sizes))
    judged = part.stratum[part.judged]
    grown = part.growth[judged]
    fewer = weight.sum() + (grown - 1.0) * by_stratum[judged] - grown * weight[part.judged]
    is_last = relevant[part.judged] & (np.count_nonzero(relevant) == 1)
    left = np.divide(without, np.minimum(fewer, most), out=np.zeros(len(fewer)), where=~is_last)
    return Estimate(total / min(float(weight.sum()), most), left)


def _above(values: np.ndarray) -> np.ndarray:
    """The sums of the columns before each."""
    found: np.ndarray = np.cumsum(values, axis=1) - values
    return found
