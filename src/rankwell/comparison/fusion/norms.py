"""Normalisation: what makes the scores of one list comparable with those of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwell.comparison.fusion.candidates import Candidates, Listed
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.records import record
from rankwell.tables.csr import owners

Votes = tuple[np.ndarray, np.ndarray]  # candidates, each at most once, and a value for each


@record
class Norm:
    """A rule that gives the items of each list of a run a value; ``by_score`` says whether it reads scores."""

    name: str
    formula: str
    votes: Callable[[Listed, Candidates], Votes]
    by_score: bool = True

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name."""
        return norm_named, (self.name,)


def none(run: Listed, _: Candidates) -> Votes:
    """The scores as they are."""
    return run.candidate, scores_of(run)


def min_max(run: Listed, _: Candidates) -> Votes:
    """From 0 for the lowest score of a list to 1 for its highest; 1 for each where all are equal."""
    score = scores_of(run)
    low, high = (run.per_row(f.reduceat(score, run.heads)) for f in (np.minimum, np.maximum))
    return run.candidate, np.divide(score - low, high - low, out=np.ones(len(score)), where=high > low)


def max_norm(run: Listed, candidates: Candidates) -> Votes:
    """Divided by the highest score of the list, which must be above 0."""
    score = scores_of(run)
    high = np.maximum.reduceat(score, run.heads)
    if len(wrong := np.flatnonzero(high <= 0)):
        query = candidates.queries.one(int(run.queries[wrong[0]]))
        raise DataError(
            f"query {brief(query)}: the highest score of a list is {high[wrong[0]]:g}, and norm='max' divides by it. "
            f"Use norm='min-max', for which scores may be negative."
        )
    return run.candidate, score / run.per_row(high)


def sum_norm(run: Listed, _: Candidates) -> Votes:
    """The lowest score taken away, then divided by the sum; 1/n for each of n equal scores."""
    score = scores_of(run)
    above = score - run.per_row(np.minimum.reduceat(score, run.heads))
    total, equal = run.per_row(_sums(run, above)), run.per_row(1.0 / run.lengths)
    return run.candidate, np.divide(above, total, out=equal, where=total > 0)


def z_norm(run: Listed, _: Candidates) -> Votes:
    """Less the mean of the list, divided by its standard deviation (by n); 0 for each where all are equal."""
    score = scores_of(run)
    apart = score - run.per_row(_sums(run, score) / run.lengths)
    spread = run.per_row(np.sqrt(_sums(run, apart * apart) / run.lengths))
    low, high = (run.per_row(f.reduceat(score, run.heads)) for f in (np.minimum, np.maximum))
    return run.candidate, np.divide(apart, spread, out=np.zeros(len(score)), where=high > low)


def rank_norm(run: Listed, _: Candidates) -> Votes:
    """From 1 for the first of n items in equal steps to 1/n for the last."""
    return run.candidate, 1.0 - (run.place - 1) / run.per_row(run.lengths)


def borda_norm(run: Listed, candidates: Candidates) -> Votes:
    """Borda's points divided by the number of candidates; items that the list lacks share what is left."""
    rows, points = borda_points(run, candidates)
    return rows, points / candidates.sizes[owners(candidates.offsets)[rows]]


def borda_points(run: Listed, candidates: Candidates) -> Votes:
    """Of c candidates the first of a list of n gets c points, the next c − 1; each that it lacks gets (c − n + 1)/2."""
    owner = owners(candidates.offsets)
    size, length = candidates.sizes, np.zeros(len(candidates.queries), np.int64)
    length[run.queries] = run.lengths
    points = ((size - length + 1) / 2)[owner]
    points[run.candidate] = size[run.query] - run.place + 1
    rows = np.flatnonzero(length[owner] > 0)
    return rows, points[rows]


def scores_of(run: Listed) -> np.ndarray:
    """The scores of a run, which were asked for."""
    assert run.score is not None
    return run.score


def _sums(run: Listed, values: np.ndarray) -> np.ndarray:
    """The sum of each list, added in rank order."""
    return np.bincount(np.repeat(np.arange(len(run.heads)), run.lengths), weights=values)


NORMS = {
    norm.name: norm
    for norm in (
        Norm("min-max", "(s − min) / (max − min); 1 if all scores of the list are equal", min_max),
        Norm("max", "s / max; max must be above 0", max_norm),
        Norm("sum", "(s − min) / Σ(s − min); 1/n if all scores of the list are equal", sum_norm),
        Norm("z", "(s − mean) / sd, sd divided by n; 0 if all scores of the list are equal", z_norm),
        Norm("rank", "1 − (r − 1)/n", rank_norm, by_score=False),
        Norm(
            "borda", "1 − (r − 1)/c; for an item not in the list ½ − (n − 1)/(2c)", borda_norm, by_score=False
        ),
        Norm("none", "s", none),
    )
}


def norm_named(name: str) -> Norm:
    """Return a normalisation; UsageError for an unknown name."""
    if name not in NORMS:
        raise UsageError(f"norm={brief(name)}: must be {one_of(NORMS)}.{nearest(name, NORMS)}")
    return NORMS[name]
