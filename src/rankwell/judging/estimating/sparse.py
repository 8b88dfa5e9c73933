"""How uncertain the numbers of relevant items are by which estimates are divided, and which items of lists no judgement speaks for."""

from __future__ import annotations

import numpy as np

from rankwell.judging.estimating.frame import Frame, Judged
from rankwell.judging.estimating.part import Part


def uncertainty(frame: Frame, judged: Judged, relevant: np.ndarray, most: float) -> float:
    """Return the squared coefficient of variation of R̂, the estimated number of relevant items of a query.

    Formula
        mean over queries of V / R̄², V = Σ over strata of N² (1 − n/N) p (1 − p) / n, with p the share of relevant items among those judged of
        strata of the same name in all queries, and R̄ the mean R̂; of items drawn independently V = Σ (1 − π) / π², the mean over queries

    The mean of A / R̂ over samples is about (A / R) (1 + V / R²) where A and R̂ are not correlated, so this is about how much, relatively, a
    ratio can be too high. A single query may show no relevant item in a thin stratum, and so no variance: all queries together do.
    ``relevant`` says which judged rows of the frame are relevant; from ``most`` of them on more make no difference. NaN if none is.
    """
    counts = np.array([float(part.weight[relevant[own]].sum()) for part, own in _parts(frame, judged)])
    if not counts.sum() > 0:
        return float("nan")
    if frame.stratum is None:
        # a query that misses its rare items shows no variance, so all are given the mean of all
        each = [_independent(part, relevant[own]) for part, own in _parts(frame, judged)]
        spread = [float(np.mean(each))] * len(each)
    else:
        known = ~np.isnan(judged.grade)
        n = np.bincount(frame.stratum[known], minlength=len(frame.strata))
        found = np.bincount(frame.stratum[relevant], minlength=len(frame.strata))
        share = found / np.maximum(n, 1)
        spread = [
            _stratified(part, share[np.unique(frame.stratum[own])]) for part, own in _parts(frame, judged)
        ]
    return float(np.mean(np.where(counts < most, spread, 0.0))) / float(counts.mean()) ** 2


def unseen(part: Part, rank: np.ndarray) -> tuple[int, int]:
    """Return how many items of a list are of strata of which no item in the list is judged, and how many are in the frame at all."""
    rows = np.isfinite(rank)
    listed = np.bincount(part.stratum[rows], minlength=len(part.sizes))
    seen = np.bincount(part.stratum[rows & part.judged], minlength=len(part.sizes))
    return int(listed[seen == 0].sum()), int(listed.sum())


def _parts(frame: Frame, judged: Judged) -> list[tuple[Part, slice]]:
    ends = frame.offsets.tolist()
    return [(part, slice(ends[at], ends[at + 1])) for at, part in enumerate(judged.parts)]


def _stratified(part: Part, share: np.ndarray) -> float:
    n = np.maximum(part.drawn, 1)
    left = np.maximum(part.sizes - part.drawn, 0) * (part.drawn > 0)
    return float((part.sizes * left / n * share * (1 - share)).sum())


def _independent(part: Part, relevant: np.ndarray) -> float:
    assert part.chance is not None
    chance = part.chance[relevant]
    return float(((1 - chance) / chance**2).sum())
