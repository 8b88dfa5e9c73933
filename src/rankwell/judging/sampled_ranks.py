"""Sampled ranks: the rank of the one relevant item of each sampled list, and what such ranks tell of the mean of a function of the full rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.matching.batch import Context, Judged
from rankwell.matching.lists import UNDECIDED
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.metrics import metrics_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import cached_property, record
from rankwell.statistics.mixtures import (
    MixtureBounds,
    ShareLimits,
    StoppedMixture,
    limits_of_shares,
    outcome_values,
    stopped_em,
)
from rankwell.statistics.samples import at_most, bend, counts_of_draws
from rankwell.tables.ids import Ids
from rankwell.tables.lists import Ranked
from rankwell.tables.run_qrels import Qrels, Run

CLOSE = 1e-9


class Sampled(NamedTuple):
    """The rank of each relevant item among the negatives, how many these are, and how many are tied with it.

    ``scale`` and ``grades`` are those of the relevant items, ``means`` the means of the metrics over the lists as they are.
    """

    ranks: np.ndarray
    negatives: int
    tied: int
    scale: Scale
    grades: tuple[float, ...]
    means: tuple[float, ...]


def logged_ranks(ranks: Any, negatives: int | None, metrics: Sequence[Metric]) -> Sampled:
    """Return ranks that were logged, 1 for a relevant item above all negatives.

    Raises
    ------
    RankwellError
        If there are none, they are no ranks among so many negatives, or the number of negatives is not given.
    """
    if negatives is None:
        raise UsageError("logged_ranks= does not say how many negatives were ranked; give negatives=100.")
    try:
        given_ranks = np.asarray(ranks, np.float64)
    except (TypeError, ValueError):
        given_ranks = np.empty((0, 0))
    if given_ranks.ndim != 1 or not len(given_ranks):
        raise UsageError(f"logged_ranks={brief(ranks)}: must be a list of ranks, one per query.")
    wrong = np.flatnonzero(
        ~((given_ranks >= 1) & (given_ranks <= negatives + 1) & (given_ranks == np.floor(given_ranks)))
    )
    if len(wrong):
        hint = " Ranks begin at 1, those from 0 need + 1." if given_ranks[wrong[0]] == 0 else ""
        raise DataError(
            f"logged_ranks= has {given_ranks[wrong[0]]:g} at place {wrong[0]:,}: the rank of one item among {negatives:,} negatives is a whole "
            f"number from 1 to {negatives + 1:,}.{hint}"
        )
    whole = given_ranks.astype(np.int64)
    by_rank = [values_by_rank(metric, negatives + 1, Scale(), (1.0,)) for metric in metrics]
    means = tuple(math.fsum(values[whole - 1]) / len(whole) for values in by_rank)
    return Sampled(whole, negatives, 0, Scale(), (1.0,), means)


def ranks_in_run(
    run: Run, qrels: Qrels, metrics: Sequence[Metric], negatives: int | None, policy: Policy
) -> Sampled:
    """Return the ranks of the relevant items in the lists of a run.

    Raises
    ------
    RankwellError
        If a judged query has no list, not one relevant item, or one that its list lacks; if lists are not of one length; if a
        metric depends on more than the rank; or the policy gives items no one rank.
    """
    if policy.ties == "expected":
        raise UsageError("ties='expected' gives the relevant item no one rank; use ties='item-desc'.")
    own = _written_threshold(metrics, policy)
    counted = metrics_of([*(f"{name}{own}" for name in ("first_rank", "num_rel", "num_rel_ret")), "num_ret"])
    evaluator = Evaluator(qrels, [*counted, *metrics], policy=policy, engine="memory")
    results = evaluator.evaluate(run)
    table = results.per_query
    queries = table["query"].to_list()
    columns = [table[str(metric)].fill_null(np.nan).to_numpy() for metric in (*counted, *metrics)]
    rank, relevant, listed, length = (np.nan_to_num(column) for column in columns[:4])
    if not queries:
        raise DataError(
            f"{run.name}: no list has a judged query, so no rank is known. Do the ids of the queries fit those of the judgements?"
        )
    _refuse_lists(queries, relevant, listed, length)
    m, ranks = _count_negatives(queries, length, negatives), rank.astype(np.int64)
    deep = np.flatnonzero(ranks > m + 1)
    if len(deep):
        raise DataError(
            f"query {brief(queries[deep[0]])} has its relevant item at rank {ranks[deep[0]]:,} of a list of {m + 1:,}: the ranks in the run "
            f"have gaps. Give ranks among the sampled candidates, or ranks='closed' if the rest of the list is just not there."
        )
    pool = evaluator.task.pool
    grades = _grades(pool.grades[pool.scale.relevant(pool.grades, getattr(counted[0], "rel", None))])
    tied = np.zeros(len(ranks), np.bool_)
    # ties are looked at only where there are some, as each side costs an evaluation
    if results.counts.get(UNDECIDED):
        best, worst = (_ranks_under(ties, run, qrels, counted[0], policy) for ties in ("best", "worst"))
        tied = best != worst
    for metric, values in zip(metrics, columns[4:], strict=True):
        by_rank = values_by_rank(metric, m + 1, pool.scale, grades)[ranks - 1]
        # queries with ties have two ranks, and the metric may be of either
        other = np.flatnonzero(~tied & ~(np.abs(values - by_rank) <= CLOSE))
        if len(other):
            raise UsageError(
                f"{metric} is {values[other[0]]:g} for query {brief(queries[other[0]])}, and {by_rank[other[0]]:g} by the rank of the "
                f"relevant item alone: it reads other judgements too. Take a metric of that rank, such as hit@10, rr or auc."
            )
    means = tuple(results.mean[str(metric)] for metric in metrics)
    return Sampled(ranks, m, int(tied.sum()), pool.scale, grades, means)


def _grades(grades: np.ndarray) -> tuple[float, ...]:
    return tuple(np.unique(grades).tolist())


def _ranks_under(
    ties: Literal["best", "worst"], run: Run, qrels: Qrels, metric: Metric, policy: Policy
) -> np.ndarray:
    """The ranks of the relevant items with ties broken for or against them."""
    under = Evaluator(qrels, [metric], policy=replace(policy, ties=ties), engine="memory").evaluate(run)
    return np.asarray(under.per_query[str(metric)].to_numpy())


def _written_threshold(metrics: Sequence[Metric], policy: Policy) -> str:
    """The threshold of all metrics, as they are written with it."""
    own = [policy.rel, *(getattr(metric, "rel", None) for metric in metrics)]
    rels = {rel for rel in own if rel is not None}
    if len(rels) > 1:
        raise UsageError(
            f"the metrics have different lowest relevant grades: {', '.join(f'{each:g}' for each in sorted(rels))}. Give rel= once."
        )
    return f"(rel={next(iter(rels)):g})" if rels and policy.rel is None else ""


def _refuse_lists(queries: list[Any], relevant: np.ndarray, listed: np.ndarray, length: np.ndarray) -> None:
    for wrong, what, remedy in (
        (
            relevant != 1,
            "{:,} relevant items, and the rank among sampled candidates is that of one",
            "Give each relevant item a query and a list of its own (u1/a, u1/b): recall is then the mean over items",
        ),
        (
            length == 0,
            "no list",
            "Add the lists, or leave these queries out with missing='skip' if they are missing by chance",
        ),
        (
            listed != 1,
            "a list without the relevant item, whose rank is then not known",
            "Keep the whole list of sampled candidates, the relevant item included",
        ),
    ):
        at = np.flatnonzero(wrong)
        if len(at):
            said = what.format(int(relevant[at[0]]))
            others = "" if len(at) == 1 else f" ({len(at):,} such queries)"
            raise DataError(f"query {brief(queries[at[0]])} has {said}{others}. {remedy}.")


def _count_negatives(queries: list[Any], length: np.ndarray, negatives: int | None) -> int:
    m = int(length[0]) - 1 if negatives is None else negatives
    if m < 1:
        raise DataError(
            f"the list of query {brief(queries[0])} has one item, the relevant one, so no negative was sampled. Give whole lists; if there "
            f"are no negatives, evaluate them as they are with rw.evaluate."
        )
    other = np.flatnonzero(length != m + 1)
    if len(other):
        at = int(other[0])
        said = (
            f"as negatives={negatives} says"
            if negatives is not None
            else f"as that of query {brief(queries[0])}"
        )
        raise DataError(
            f"the list of query {brief(queries[at])} has {int(length[at]):,} items, not {m + 1:,}, {said}: one relevant item and the "
            f"negatives. Give whole lists, and lists with other numbers of negatives in a call of their own."
        )
    return m


# What sampled ranks tell of the mean of a function of the full rank: estimates, and how far off they could be.


GROUPS = 200  # outcomes that EM looks at; more of them are taken together
STRAIGHT = 1e-9


class Estimate(NamedTuple):
    """An estimate of a mean over all candidates, its worst-case bias, and an interval; NaN where there is none.

    One by EM says after how many ``rounds`` it was stopped, and whether the last of these still gained.
    """

    method: str
    value: float
    bias: float
    low: float
    high: float
    rounds: int = 0
    still_gains: bool = False


@record(eq=False)
class SampledRanks:
    """Sampled ranks, counted by the number of negatives above the relevant item, and the full ranks they could come from."""

    counts: np.ndarray
    places: Places
    level: float
    weight: float
    _made: dict[float, MixtureBounds] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        """The number of sampled ranks."""
        return int(self.counts.sum())

    def estimates(self, function: np.ndarray) -> list[Estimate] | None:
        """Return the estimates of the mean of a function of the rank among all candidates; None if no distribution of ranks fits."""
        straight = values_of_line(function, len(self.counts) - 1)
        if straight is not None:
            mean, reach = self._mean(straight, 1 - self.level)
            ends = float(function.min()), float(function.max())
            return [
                Estimate("unbiased", mean, 0.0, *(max(mean - reach, ends[0]), min(mean + reach, ends[1])))
            ]
        least = self._least_squares(function)
        by_em = self._by_em(function)
        return None if least is None or by_em is None else [least, by_em]

    def _by_em(self, function: np.ndarray) -> Estimate | None:
        """The mean under the distribution of ranks where EM is stopped, and under all that fit."""
        bounds = self._bounds(function[self.places.rank - 1], self.places.missed_of(function), self.level)
        if bounds is None:
            return None
        weights, rounds, still_gains = self._stopped
        value = float(weights @ self.places.mean_of(function))
        low, high = max(bounds[0], float(function.min())), min(bounds[1], float(function.max()))
        bias = max(high - value, value - low, 0.0)
        return Estimate("stopped EM", value, bias, low, high, rounds, still_gains)

    def _least_squares(self, function: np.ndarray) -> Estimate | None:
        """The mean of a value per sampled rank, and its bias under all distributions that fit.

        Both the limits of the shares and the interval of the mean are wrong in half as many cases as the interval may be.
        """
        places = self.places
        values = outcome_values(places.kernel, places.mean_of(function), places.share, weight=self.weight)
        tail = (1 - self.level) / 2
        # both sides are lines between places: the function, and the expected value per outcome, which moves by its steps
        missed = places.missed_of(function) + float(np.abs(np.diff(values)).sum()) * places.missed
        bounds = self._bounds(places.kernel @ values - function[places.rank - 1], missed, 1 - tail)
        if bounds is None:
            return None
        # a group of outcomes shares a value, and the mean is over the outcomes themselves
        sizes = np.diff(np.append(places.first, len(self.counts)))
        mean, reach = self._mean(np.repeat(values, sizes), tail)
        low, high = mean - bounds[1] - reach, mean - bounds[0] + reach
        ends = max(low, float(function.min())), min(high, float(function.max()))
        return Estimate("bias-variance", mean, max(bounds[1], -bounds[0], 0.0), *ends)

    def _mean(self, values: np.ndarray, tail: float) -> tuple[float, float]:
        """The mean of a value per sampled rank, and how far Student's interval reaches on both sides."""
        mean = float(self.counts @ values) / self.n
        if self.n < 2:
            return mean, math.nan
        from scipy.special import stdtrit

        variance = float(self.counts @ (values - mean) ** 2) / (self.n - 1)
        return mean, float(stdtrit(self.n - 1, 1 - tail / 2)) * math.sqrt(variance / self.n)

    def _bounds(self, target: np.ndarray, missed: float, level: float) -> tuple[float, float] | None:
        """The least and the greatest mean of what is linear in the distribution of ranks, with what lines between places miss."""
        ends = self._fitting(level).of(target)
        return None if ends is None else (ends[0] - missed, ends[1] + missed)

    def _fitting(self, level: float) -> MixtureBounds:
        """The distributions of ranks that fit, at one level."""
        if level not in self._made:
            below, missed = np.cumsum(self.counts)[self.places.limits], self.places.missed
            shares = limits_of_shares(below, self.n, level=level)
            # what lines between places miss widens the limits, so that no distribution is excluded by the grid
            wider = ShareLimits(shares.low - missed, shares.high + missed)
            self._made[level] = MixtureBounds(self.places.below, wider)
        return self._made[level]

    @cached_property
    def _stopped(self) -> StoppedMixture:
        """The distribution over places that EM has come to when it is stopped, all ranks being equally likely to begin with."""
        counts = np.add.reduceat(self.counts, self.places.first)
        of = groups_of(len(counts), GROUPS)
        kernel = np.add.reduceat(self.places.kernel, of, axis=1)
        return stopped_em(kernel, np.add.reduceat(counts, of), self.places.share)


def values_of_line(function: np.ndarray, negatives: int) -> np.ndarray | None:
    """Return the value of each number of better negatives whose mean is a function of rank that is a straight line; else None.

    x better ones of m negatives among n − 1 others: 1 + (n − 1) · x / m is unbiased for the rank, with replacement or without.

    >>> values_of_line(np.array([1.0, 0.5, 0.0]), 1).tolist()
    [1.0, 0.0]
    >>> values_of_line(np.array([1.0, 0.0, 0.0]), 1) is None
    True
    """
    n = len(function)
    # tested against the line through its ends, by which the estimate is made
    line = np.linspace(function[0], function[-1], n)
    spread = float(function.max() - function.min())
    if np.abs(function - line).max() > STRAIGHT * spread:
        return None
    values: np.ndarray = np.linspace(function[0], function[-1], negatives + 1)
    return values


# A metric as a function of the rank of the one relevant item, taken from the metric itself.


READ = frozenset({"ties", "grade_max"})  # tables that one relevant item at a rank determines


def refuse_metric(metric: Metric) -> None:
    """Raise UsageError for a metric that is not the mean of a function of the rank of the one relevant item."""
    is_mean = isinstance(metric, QueryMetric) and type(metric).summary is QueryMetric.summary
    if not is_mean or not metric.judgements or metric.needed() - READ:
        raise UsageError(
            f"{metric} is not the mean of a function of the rank of one relevant item, which is all that a sample of candidates shows. "
            f"Take hit@10, rr, ndcg@10, ap or auc, or rank all candidates."
        )


def values_by_rank(metric: Metric, length: int, scale: Scale, grades: Sequence[float]) -> np.ndarray:
    """Return the metric of lists of a length whose one relevant item is at rank 1, 2 … length, and whose other items are not judged.

    ``grades`` are those that the relevant items have.

    Raises
    ------
    UsageError
        If the metric reads more than that rank, depends on the grade, or is undefined at some rank.

    Examples
    --------
    >>> from rankwell.metrics import metrics_of
    >>> [metric] = metrics_of("rr@2")
    >>> values_by_rank(metric, 4, Scale(), [1.0]).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    refuse_metric(metric)
    assert isinstance(metric, QueryMetric)
    metric = replace(metric, sampled=None)
    first = _values_at_grade(metric, length, scale, grades[0])
    for grade in grades[1:]:
        if not np.array_equal(first, _values_at_grade(metric, length, scale, grade), equal_nan=True):
            raise UsageError(
                f"{metric} depends on the grade of the relevant item, and these have {len(grades)} different ones. Take a metric "
                f"of ranks alone, such as ndcg@10, or grades='interactions'."
            )
    undefined = np.flatnonzero(np.isnan(first))
    if len(undefined):
        raise UsageError(
            f"{metric} is undefined when the relevant item is at rank {undefined[0] + 1:,} of {length:,}, so it has no mean over "
            f"all queries. Take a metric that is 0 there, such as rr@10 or hit@10."
        )
    return first


def _values_at_grade(metric: QueryMetric, length: int, scale: Scale, grade: float) -> np.ndarray:
    lists = np.arange(length)
    ids = Ids.of_integers(lists)
    grades = np.full(length, grade)
    ranks, ones = lists + 1, np.ones(length, np.int64)
    pool = Pool(ids, np.arange(length + 1), ids, grades, scale)
    ranked = Ranked(length, lists, ranks, grades, tie_start=ranks, tie_size=ones)
    judged = Judged(ids, lists, ranked, np.full(length, length), pool, ties=(ranks, ones))
    context = Context(scale=scale, grade_max=grade, grade_min=grade)
    return np.asarray(metric.per_query(judged, context), np.float64)


MOST = 2500  # places; with fewer ranks each is one
OUTCOMES = 2500  # how many numbers of better negatives are kept apart; above that, large numbers are grouped
CELLS = 1 << 22  # probabilities made at a time
BEND = 1e-6  # of the spread of a function of rank
TOP, LIMITS = 16, 24  # sampled ranks whose shares are limited: each at the top, and some below


@record(eq=False)
class Places:
    """Ranks among all candidates, ascending from the first to the last, and what a sample shows of an item there.

    ``share`` is the share of all ranks that each place stands for, a rank between two places being divided among them by its
    distance. ``kernel`` is the probability of each number of better negatives, or group of numbers that begins ``first``, a row per place;
    ``below`` that of at most ``limits`` of them, a column per place. ``missed`` is the most by which a line between two places misses the latter.
    """

    rank: np.ndarray
    share: np.ndarray
    first: np.ndarray
    kernel: np.ndarray
    limits: np.ndarray
    below: np.ndarray
    missed: float

    @classmethod
    def of(cls, candidates: int, negatives: int, functions: Sequence[np.ndarray], *, replace: bool) -> Places:
        """Return places among so many candidates, as fine as functions of their rank need."""
        ranks = places_for(candidates, functions)
        others = candidates - 1
        limits = limits_for(negatives)
        first = groups_of(negatives + 1, OUTCOMES)
        step = max(CELLS // (negatives + 1), 1)
        kernel = [
            np.add.reduceat(counts_of_draws(part, others, negatives, replace=replace), first, axis=1)
            for part in np.split(ranks - 1, range(step, len(ranks), step))
        ]
        return cls(
            ranks,
            spread_to(ranks, np.full(candidates, 1 / candidates)),
            first,
            np.concatenate(kernel),
            limits,
            at_most(ranks - 1, others, negatives, limits, replace=replace),
            bend(ranks - 1, others, negatives, replace=replace),
        )

    def mean_of(self, function: np.ndarray) -> np.ndarray:
        """Return the mean of a function of all ranks over those that each place stands for."""
        return spread_to(self.rank, function / len(function)) / self.share

    def missed_of(self, function: np.ndarray) -> float:
        """Return the most by which a line between two places misses a function of rank."""
        every = np.arange(1, len(function) + 1)
        return float(np.abs(function - np.interp(every, self.rank, function[self.rank - 1])).max())


def limits_for(negatives: int) -> np.ndarray:
    """Return the numbers of better negatives up to which shares are limited; they depend on nothing that was drawn.

    >>> limits_for(3).tolist()
    [0, 1, 2]
    """
    below = np.geomspace(1, negatives, LIMITS).round().astype(np.int64) - 1
    return np.unique(np.concatenate([np.arange(min(negatives, TOP)), below]))


def places_for(candidates: int, functions: Sequence[np.ndarray]) -> np.ndarray:
    """Return ranks, ascending: evenly spaced where a sample of negatives tells ranks apart evenly, closer where a function bends.

    The number of better negatives has a standard deviation of √(m p (1 − p)), so steps are even in arcsin √p.
    """
    if candidates <= MOST:
        return np.arange(1, candidates + 1)
    angles = np.linspace(0, math.pi / 2, MOST)
    ranks = np.unique(1 + np.round((candidates - 1) * np.sin(angles) ** 2).astype(np.int64))
    every = np.arange(1, candidates + 1)
    for function in functions:
        close = BEND * float(function.max() - function.min())
        while True:
            missed = np.abs(function - np.interp(every, ranks, function[ranks - 1]))
            most = np.maximum.reduceat(missed, ranks[:-1] - 1)
            wide = np.flatnonzero((most > close) & (np.diff(ranks) > 1))
            if not len(wide):
                break
            # an interval that a line misses is halved until none does
            ranks = np.union1d(ranks, (ranks[wide] + ranks[wide + 1]) // 2)
    return ranks


def spread_to(ranks: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """Return the amounts of all ranks, each divided among the two places beside it by its distance to the other.

    >>> spread_to(np.array([1, 3]), np.array([1.0, 1.0, 1.0])).tolist()
    [1.5, 1.5]
    """
    every = np.arange(1, len(amounts) + 1)
    left = np.clip(np.searchsorted(ranks, every, side="right") - 1, 0, max(len(ranks) - 2, 0))
    # the last place has no other behind it, and takes the whole of its rank
    right = np.minimum(left + 1, len(ranks) - 1)
    width = np.maximum(ranks[right] - ranks[left], 1)
    part = (every - ranks[left]) / width
    amounts_left = np.bincount(left, amounts * (1 - part), minlength=len(ranks))
    return amounts_left + np.bincount(right, amounts * part, minlength=len(ranks))


def groups_of(outcomes: int, most: int) -> np.ndarray:
    """Return where groups of outcomes begin: each alone if there are at most so many, else larger ones further down.

    >>> groups_of(4, 5).tolist(), len(groups_of(1001, 200)), groups_of(1001, 200)[-2:].tolist()
    ([0, 1, 2, 3], 190, [981, 991])
    """
    if outcomes <= most:
        return np.arange(outcomes)
    # squares of even steps: widths grow with the root of the number, as the spread of a count does
    return np.unique(np.floor(np.linspace(0, math.sqrt(outcomes), most + 1)[:-1] ** 2).astype(np.int64))
