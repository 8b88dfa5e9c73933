"""The estimator of nDCG: the mean gain of each stratum in the list, over the ideal of the estimated numbers of each grade."""

from __future__ import annotations

import numpy as np

from rankwell.judging.estimating.part import Estimate, Part


def infndcg(part: Part, rank: np.ndarray, gain: np.ndarray, discounts: np.ndarray) -> Estimate | None:
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
    counted, summed = (np.bincount(part.stratum, each, minlength=n) for each in (stands, terms))
    parts = listed * _ratio(summed, counted)
    own = part.stratum[part.judged]
    left, fewer = summed[own] - terms[part.judged], counted[own] - stands[part.judged]
    is_alone = fewer <= 1e-9 * counted[own]
    without = parts.sum() - parts[own] + listed[own] * np.where(is_alone, 0.0, _ratio(left, fewer))
    # ideal lists end before this rank, so without a cut-off they are alike for lists of any length
    longest = int(weight.sum()) + 2
    best, bests = part.once(_ideals, gain.tobytes(), discounts[:longest].tobytes())
    return Estimate(float(parts.sum()) / best, _ratio(without, bests))


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def _ideals(part: Part, gains: bytes, discounts: bytes) -> tuple[float, np.ndarray]:
    """The ideal, and those without each judged item: they are the same for all lists."""
    gain, discount = np.frombuffer(gains), np.frombuffer(discounts)
    return ideal(gain, part.weight, discount), _ideals_without_one(part, gain, discount)


def _ideals_without_one(part: Part, gain: np.ndarray, discounts: np.ndarray) -> np.ndarray:
    """The ideals without each judged item, which are alike for items of one stratum, gain and weight."""
    rows = np.flatnonzero(part.judged)
    kinds = np.column_stack([part.stratum[rows], gain[rows], part.weight[rows]])
    _, firsts, kind = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    found = np.empty(len(firsts))
    for at, first in enumerate(rows[firsts]):
        own = part.stratum[first]
        weight = np.where(part.stratum == own, part.growth[own], 1.0) * part.weight
        weight[first] = 0.0
        found[at] = ideal(gain, weight, discounts)
    return found[kind.reshape(-1)]


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
    until = np.append(0.0, np.cumsum(discounts))[whole] + (ends - whole) * np.append(discounts, 0.0)[whole]
    return float((levels[::-1] * np.diff(until, prepend=0.0)).sum())
