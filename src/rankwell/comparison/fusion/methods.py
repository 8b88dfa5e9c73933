"""Methods of fusion: what each item gets from each list, how scores are made comparable before, and how all this is combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.fusion.candidates import FusionCandidates, RankedRun
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.kernels import majorities as pairs
from rankwell.kernels import votes
from rankwell.records import record
from rankwell.tables.lists import owners

Votes = tuple[np.ndarray, np.ndarray]  # candidates, each at most once, and a value for each


@record
class Norm:
    """A rule that gives the items of each list of a run a value; ``by_score`` says whether it reads scores."""

    name: str
    formula: str
    votes: Callable[[RankedRun, FusionCandidates], Votes]
    by_score: bool = True

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name."""
        return norm_named, (self.name,)


def none(run: RankedRun, _: FusionCandidates) -> Votes:
    """The scores as they are."""
    return run.candidate, scores_of(run)


def min_max(run: RankedRun, _: FusionCandidates) -> Votes:
    """From 0 for the lowest score of a list to 1 for its highest; 1 for each where all are equal."""
    score = scores_of(run)
    # by list: scores of one run are comparable within a query only
    low, high = (run.per_row(f.reduceat(score, run.heads)) for f in (np.minimum, np.maximum))
    return run.candidate, np.divide(score - low, high - low, out=np.ones(len(score)), where=high > low)


def max_norm(run: RankedRun, candidates: FusionCandidates) -> Votes:
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


def sum_norm(run: RankedRun, _: FusionCandidates) -> Votes:
    """The lowest score taken away, then divided by the sum; 1/n for each of n equal scores."""
    score = scores_of(run)
    above = score - run.per_row(np.minimum.reduceat(score, run.heads))
    total, equal = run.per_row(_sums(run, above)), run.per_row(1.0 / run.lengths)
    return run.candidate, np.divide(above, total, out=equal, where=total > 0)


def z_norm(run: RankedRun, _: FusionCandidates) -> Votes:
    """Less the mean of the list, divided by its standard deviation (by n); 0 for each where all are equal."""
    score = scores_of(run)
    apart = score - run.per_row(_sums(run, score) / run.lengths)
    spread = run.per_row(np.sqrt(_sums(run, apart * apart) / run.lengths))
    low, high = (run.per_row(f.reduceat(score, run.heads)) for f in (np.minimum, np.maximum))
    # equal scores may leave a spread of the last digits, by which their differences must not be divided
    return run.candidate, np.divide(apart, spread, out=np.zeros(len(score)), where=high > low)


def rank_norm(run: RankedRun, _: FusionCandidates) -> Votes:
    """From 1 for the first of n items in equal steps to 1/n for the last."""
    return run.candidate, 1.0 - (run.place - 1) / run.per_row(run.lengths)


def borda_norm(run: RankedRun, candidates: FusionCandidates) -> Votes:
    """Borda's points divided by the number of candidates; items that the list lacks share what is left."""
    rows, points = borda_points(run, candidates)
    return rows, points / candidates.sizes[owners(candidates.offsets)[rows]]


def borda_points(run: RankedRun, candidates: FusionCandidates) -> Votes:
    """Of c candidates the first of a list of n gets c points, the next c − 1; each that it lacks gets (c − n + 1)/2."""
    owner = owners(candidates.offsets)
    size, length = candidates.sizes, np.zeros(len(candidates.queries), np.int64)
    length[run.queries] = run.lengths
    points = ((size - length + 1) / 2)[owner]
    points[run.candidate] = size[run.query] - run.place + 1
    rows = np.flatnonzero(length[owner] > 0)
    return rows, points[rows]


def scores_of(run: RankedRun) -> np.ndarray:
    """The scores of a run, which were asked for."""
    assert run.score is not None
    return run.score


def _sums(run: RankedRun, values: np.ndarray) -> np.ndarray:
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


@record(eq=False)
class Ballots:
    """The votes and the weight of each run: candidates, each at most once, and a value for each."""

    votes: Sequence[Votes]
    weights: np.ndarray
    candidates: FusionCandidates

    def total(self) -> np.ndarray:
        """Return Σ w v of each candidate, added in the order of the runs."""
        total = np.zeros(len(self.candidates))
        for (rows, values), weight in zip(self.votes, self.weights, strict=True):
            votes.add(total, rows, values, weight)
        return total

    def count(self) -> np.ndarray:
        """Return N, the number of lists of weight above 0 that have a candidate; 1 for those that have none, whose sum is 0."""
        count = np.zeros(len(self.candidates))
        for (rows, _), weight in zip(self.votes, self.weights, strict=True):
            # a run of weight 0 is as if it were not there
            count[rows] += weight > 0
        return np.maximum(count, 1.0)

    def least(self) -> np.ndarray:
        """Return the least value of each candidate."""
        return self._extreme(np.minimum, np.inf)

    def greatest(self) -> np.ndarray:
        """Return the greatest value of each candidate."""
        return self._extreme(np.maximum, -np.inf)

    def median(self) -> np.ndarray:
        """Return the median of the values of each candidate, the mean of the two in the middle if their number is even."""
        rows, values = (np.concatenate(column) for column in zip(*self.votes, strict=True))
        count = np.bincount(rows, minlength=len(self.candidates))
        # sorted within each candidate, so that its middle is at a known place
        ordered = values[np.lexsort((values, rows))]
        first = np.cumsum(count) - count
        return (ordered[first + (count - 1) // 2] + ordered[first + count // 2]) / 2

    def _extreme(self, better: np.ufunc, worst: float) -> np.ndarray:
        extreme = np.full(len(self.candidates), worst)
        for rows, values in self.votes:
            extreme[rows] = better(extreme[rows], values)
        return extreme


UNITS = 1 << 28  # of all weights together: three times as many are below the highest whole number of 32 bits
EQUAL = 1e-9  # a margin below this share of all weights is rounding
LACKED = np.iinfo(np.int32).max


def majorities(ballots: Ballots) -> np.ndarray:
    """Return for each candidate how many others of its query it beats, ½ for each with which it ties.

    The votes are places in the lists. A list has its items above all that it lacks, and no opinion on two that it lacks.
    """
    votes, candidates = ballots.votes, ballots.candidates
    weights = np.asarray(ballots.weights, np.float64)
    places = np.full((len(votes), len(candidates)), LACKED, np.int32)
    for own, (rows, values) in zip(places, votes, strict=True):
        own[rows] = values
    units, doubt = _units(weights)
    near = EQUAL * float(weights.sum())
    leads = pairs.leads(candidates.offsets, places, LACKED, units, doubt, weights, near)
    others = candidates.sizes[owners(candidates.offsets)] - 1
    return (others + leads) / 2


def _units(weights: np.ndarray) -> tuple[np.ndarray, int]:
    """The weights in whole numbers, and the greatest margin of these that could be another in the weights themselves."""
    if np.all(weights == weights[0]):
        return np.ones(len(weights), np.int32), 0
    return np.rint(weights / weights.sum() * UNITS).astype(np.int32), len(weights) + 1


@record
class Parameter:
    """The one number that a method has: its default, the range it must be in, and the values that are tried to learn it."""

    name: str
    default: float
    grid: tuple[float, ...]
    is_valid: Callable[[float], bool]
    range: str


@record
class FusionMethod:
    """A method: ``votes`` gives values by rank alone; without it, values are scores under a normalisation."""

    name: str
    formula: str
    combine: Callable[[Ballots, float], np.ndarray]
    votes: Callable[[RankedRun, FusionCandidates, float], Votes] | None = None
    parameter: Parameter | None = None
    is_weighted: bool = True
    needs_weights: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name."""
        return method_named, (self.name,)


def _reciprocal(run: RankedRun, _: FusionCandidates, k: float) -> Votes:
    return run.candidate, 1.0 / (k + run.rank)


def _square(run: RankedRun, _: FusionCandidates, _n: float) -> Votes:
    return run.candidate, 1.0 / run.rank.astype(np.float64) ** 2


def _biased(run: RankedRun, _: FusionCandidates, phi: float) -> Votes:
    return run.candidate, (1.0 - phi) * phi ** (run.rank - 1.0)


def _points(run: RankedRun, candidates: FusionCandidates, _: float) -> Votes:
    return borda_points(run, candidates)


def _places(run: RankedRun, _: FusionCandidates, _n: float) -> Votes:
    return run.candidate, run.place


K = Parameter("k", 60, tuple(range(10, 101, 10)), lambda k: k >= 0, "at least 0")
# denser near 1: 1/(1 − phi), how many ranks count, goes from 2 to 100
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
PHI = Parameter("phi", 0.8, SHARES, lambda phi: 0 < phi < 1, "above 0 and below 1")
GAMMA = Parameter("gamma", 1, tuple(step / 10 for step in range(-10, 21)), lambda _: True, "a number")
SIGMA = Parameter("sigma", 0.01, (0.001, 0.01, 0.1, 0.2, 0.5, 1.0), lambda sigma: sigma > 0, "above 0")
BORDA = "Σ w · points; the first of a list gets c points, the next c − 1 …, each item it lacks (c − n + 1)/2"
CONDORCET = (
    "how many other items it beats, being higher in lists of more weight; ½ for each with which it ties"
)

METHODS = {
    method.name: method
    for method in (
        FusionMethod("comb_sum", "Σ v", lambda b, _: b.total(), is_weighted=False),
        FusionMethod("comb_mnz", "N · Σ w v", lambda b, _: b.total() * b.count()),
        FusionMethod("comb_anz", "Σ v / N", lambda b, _: b.total() / b.count(), is_weighted=False),
        FusionMethod(
            "comb_gmnz", "N^gamma · Σ w v", lambda b, gamma: b.total() * b.count() ** gamma, None, GAMMA
        ),
        FusionMethod("comb_min", "the least v", lambda b, _: b.least(), is_weighted=False),
        FusionMethod("comb_max", "the greatest v", lambda b, _: b.greatest(), is_weighted=False),
        FusionMethod("comb_med", "the median v, of two the mean", lambda b, _: b.median(), is_weighted=False),
        FusionMethod("weighted", "Σ w v", lambda b, _: b.total(), needs_weights=True),
        FusionMethod("rrf", "Σ w / (k + r)", lambda b, _: b.total(), _reciprocal, K),
        FusionMethod("isr", "N · Σ w / r²", lambda b, _: b.total() * b.count(), _square),
        FusionMethod("log_isr", "ln N · Σ w / r²", lambda b, _: b.total() * np.log(b.count()), _square),
        FusionMethod(
            "logn_isr",
            "ln(N + sigma) · Σ w / r²",
            lambda b, x: b.total() * np.log(b.count() + x),
            _square,
            SIGMA,
        ),
        FusionMethod("rbc", "Σ w (1 − phi) phi^(r − 1)", lambda b, _: b.total(), _biased, PHI),
        FusionMethod("borda", BORDA, lambda b, _: b.total(), _points),
        FusionMethod("condorcet", CONDORCET, lambda b, _: majorities(b), _places),
    )
}


def method_named(name: str) -> FusionMethod:
    """Return a method; UsageError for an unknown name."""
    if name not in METHODS:
        close = nearest(name, METHODS) or nearest(f"comb_{name}", METHODS)
        raise UsageError(f"method={brief(name)}: must be {one_of(METHODS)}.{close}")
    return METHODS[name]


DEFAULT_NORM = "min-max"


@record
class FusionSetting:
    """What a method is used with: the weights of the runs and its number, 1 for a method that has none."""

    weights: tuple[float, ...]
    number: float = 1.0


@record
class Recipe:
    """A method, and the normalisation of the scores it reads; None for methods that go by ranks."""

    method: FusionMethod
    norm: Norm | None

    @classmethod
    def of(cls, method: str, norm: str | None) -> Recipe:
        """Return the recipe of these names; UsageError for unknown ones, and for a norm where ranks alone count."""
        found = method_named(method)
        if found.votes is not None and norm is not None:
            raise UsageError(f"norm={brief(norm)}: {method} goes by ranks and reads no scores; leave it out.")
        return cls(found, None if found.votes is not None else norm_named(norm or DEFAULT_NORM))

    @property
    def reads_scores(self) -> bool:
        """Whether the scores of the runs are read."""
        return self.norm is not None and self.norm.by_score

    def votes(self, candidates: FusionCandidates, number: float) -> list[Votes]:
        """Return what each run gives its items."""
        give, norm = self.method.votes, self.norm
        if give is not None:
            return [give(run, candidates, number) for run in candidates.runs]
        assert norm is not None
        return [norm.votes(run, candidates) for run in candidates.runs]

    def scores(
        self, votes: Sequence[Votes], candidates: FusionCandidates, setting: FusionSetting
    ) -> np.ndarray:
        """Return the fused score of each candidate."""
        return self.method.combine(Ballots(votes, np.array(setting.weights), candidates), setting.number)
