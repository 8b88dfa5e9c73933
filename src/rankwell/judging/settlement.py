"""Judgements needed to settle a comparison: the expected number, and the number after which no answer can change it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rankwell.errors import UsageError
from rankwell.judging.method import Told
from rankwell.judging.methods.mtc import spread_of_lists
from rankwell.judging.pools import Pooled
from rankwell.records import record

WITHIN = 0.01
ASSUMED = (
    "assumes that unjudged items are relevant as often as judged items at the same rank of as many lists; they are relevant less often "
    "where better runs were judged"
)


@dataclass(frozen=True)
class Settling:
    """How many more judgements would settle the order of the runs, or the mean of one.

    The runs are put in the order of their expected means (``order``, best first); the order is settled when each neighbouring
    pair is. ``expected_of_pairs`` is for each of these the number of judgements until the sign of its difference has the
    probability ``confidence``, ``bound_of_pairs`` until no answer to the rest could turn it, if answers come as expected until
    then, and items are judged in the order in which they move the differences; None for AP. ``at_most`` is the number of
    unjudged items that can move any difference at all: after so many all is settled in any case.

    The mean of one run is settled when it is known within ``within``; it counts as one pair.
    """

    order: tuple[str, ...]
    expected_of_pairs: tuple[int, ...]
    bound_of_pairs: tuple[int, ...] | None
    at_most: int
    confidence: float
    within: float | None = None

    @property
    def expected(self) -> int:
        """The number of judgements until all pairs are settled as far as can be expected."""
        return max(self.expected_of_pairs)

    @property
    def bound(self) -> int | None:
        """The number of judgements until no answer could change the order; None for AP."""
        return None if self.bound_of_pairs is None else max(self.bound_of_pairs)

    def pairs_after(self, judgements: int) -> int:
        """Return how many neighbouring pairs can be expected to be settled after so many more judgements."""
        return sum(expected <= judgements for expected in self.expected_of_pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "expected": self.expected, "bound": self.bound}

    def notes(self, budget: int | None = None) -> list[str]:
        """Return what it says, as sentences; with a budget also what that will settle."""
        several = len(self.expected_of_pairs) > 1
        goal = "the order" if several else "the difference"
        goal = goal if self.within is None else f"the mean to ±{self.within:g}"
        sure = f"{self.confidence:.0%} sure" + (" of each two neighbours" if several else "")
        if self.at_most == 0:
            return [f"{goal} is settled: no unjudged item can change it"]
        bound = "" if self.bound is None else f"; about {self.bound:,} until no answer could change it"
        notes = [
            f"to settle {goal}: about {self.expected:,} judgements to be {sure}{bound}; {self.at_most:,} in any case",
            ASSUMED,
        ]
        if several:
            after = (
                ""
                if budget is None
                else f", {self.pairs_after(budget):,} expected after {budget:,} judgements"
            )
            notes.append(
                f"neighbours in the order that are settled now: {self.pairs_after(0):,} of {len(self.expected_of_pairs):,}{after}"
            )
        return notes


def settling_of(answers: Told, confidence: float, within: float = WITHIN) -> Settling:
    """Return how many more judgements settle a comparison, from the answers so far.

    Raises
    ------
    UsageError
        If the confidence is not above 1/2 and below 1.
    """
    if not 0.5 < confidence < 1:
        raise UsageError(f"confidence={confidence:g}: must be above 0.5 and below 1.")
    from statistics import NormalDist

    estimates = expect_answers(answers)
    effects = Effects.of(answers, estimates)
    order = np.argsort(-effects.means, kind="stable")
    is_mean = len(order) == 1
    pairs = [(order[0], None)] if is_mean else list(pairwise(order))
    # a mean may be off on both sides; of two runs only the sign of the difference matters
    z = NormalDist().inv_cdf((1 + confidence) / 2 if is_mean else confidence)
    expected, bound = [], []
    own: Any = effects.of_run(order[0])
    for one, other in pairs:
        # of neighbours in the order, each but the first has been the other of a pair
        following = 0.0 if other is None else effects.of_run(other)
        path = effects.path(own - following)
        own = following
        # effects are sums over queries, not means
        room = within * len(answers.pooled.queries)
        gap = room if is_mean else float(effects.means[one] - effects.means[other])
        expected.append(path.until(z * np.sqrt(path.variance) <= gap))
        if not answers.measure.is_quadratic:
            bound.append(path.until((path.below + path.above) / 2 <= gap if is_mean else path.below < gap))
            expected[-1] = min(expected[-1], bound[-1])  # what is certain is likely, normal or not
    return Settling(
        tuple(answers.pooled.names[at] for at in order),
        tuple(expected),
        tuple(bound) if bound else None,
        effects.n_open,
        confidence,
        within if is_mean else None,
    )


class Path(NamedTuple):
    """What remains open of a difference after each judgement that can move it: its variance, and how far it can go down and up.

    The first element of each column is before any judgement, the last after all; ``place`` is how many judgements of all items
    have been made then.
    """

    place: np.ndarray
    variance: np.ndarray
    below: np.ndarray
    above: np.ndarray

    def until(self, is_settled: np.ndarray) -> int:
        """Return the number of judgements after which it is settled; it is after all."""
        return int(self.place[int(np.append(is_settled[:-1], True).argmax())])


def _left(parts: np.ndarray) -> np.ndarray:
    """The sums of all, all but the first …, none."""
    return np.append(np.cumsum(parts[::-1])[::-1], 0.0)


@record(eq=False)
class Effects:
    """What a gain of each item adds to the value of each run, summed over queries; ``means`` are the expected sums of the runs.

    Unjudged items that can move a difference are numbered by how far they move those of all pairs, ``n_open`` in all; ``number``
    is that of each candidate, and ``effect`` what the rows of all lists add.
    """

    pooled: Pooled
    means: np.ndarray
    n_open: int
    number: np.ndarray
    effect: np.ndarray
    gain: np.ndarray
    variance: np.ndarray
    top: float

    @classmethod
    def of(cls, answers: Told, estimates: Estimates) -> Effects:
        """Return the effects; of AP they are the derivatives at the expected answers, with R or min(R, k) taken as expected."""
        pooled, runs = answers.pooled, len(answers.pooled.names)
        effect, part = np.empty(len(pooled.rank)), np.empty(len(pooled.rank))
        spread = np.empty(len(pooled))
        divisors = (
            _divisors(answers, estimates) if answers.measure.is_quadratic else np.ones(len(pooled.queries))
        )
        for query, divisor in enumerate(divisors.tolist()):
            block, of_query = pooled.block(query), pooled.of_query(query)
            rows = slice(int(pooled.row_offsets[query]), int(pooled.row_offsets[query + 1]))
            listed = np.isfinite(block.rank)
            added = answers.measure.effects(block.rank, block.take(estimates.chance[of_query])) / divisor
            effect[rows] = added[listed]
            own = (answers.measure.effects(block.rank, None) / divisor)[listed]
            # Σ p_i ∂/∂p_i has each pair of items twice, and the effects of items alone have none
            part[rows] = estimates.gain[pooled.candidate[rows]] * (own + effect[rows]) / 2
            spread[of_query] = spread_of_lists(block, added, runs)
        # what is judged can move nothing any more
        spread[answers.judged] = 0.0
        order = np.argsort(-spread, kind="stable")
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        return cls(
            pooled,
            np.bincount(pooled.run, part, minlength=runs),
            int(np.count_nonzero(spread)),
            number,
            effect,
            estimates.gain[order],
            estimates.variance[order],
            estimates.top,
        )

    def of_run(self, run: int) -> np.ndarray:
        """Return the effects on the value of a run, in the order of the items' numbers."""
        rows = np.flatnonzero(self.pooled.run == run)
        effects = np.zeros(len(self.gain))
        effects[self.number[self.pooled.candidate[rows]]] = self.effect[rows]
        return effects

    def path(self, change: np.ndarray) -> Path:
        """Return the path of what these effects add up to: the difference of two runs, or the value of one."""
        # only judgements that move this difference; in the order in which all are made
        at = np.flatnonzero(change[: self.n_open])
        change = change[at]
        expected, most = change * self.gain[at], change * self.top
        return Path(
            np.append(0, at + 1),
            _left(change**2 * self.variance[at]),
            _left(expected - np.minimum(most, 0.0)),
            _left(np.maximum(most, 0.0) - expected),
        )


def _divisors(answers: Told, estimates: Estimates) -> np.ndarray:
    """The expected R of each query, or min(R, k); 1 where nothing is expected to be relevant."""
    metric = answers.measure.metric
    n = len(answers.pooled.queries)
    still = np.where(answers.judged, 0.0, estimates.chance)
    n_relevant = answers.known + np.bincount(answers.pooled.query, still, minlength=n)
    if answers.measure.k is not None and getattr(metric, "denom", None) != "R":
        n_relevant = np.minimum(n_relevant, answers.measure.k)
    return np.where(n_relevant > 0, n_relevant, 1.0)


# How likely each candidate is to be relevant, learned from the answers so far.


STEPS = 50


class Estimates(NamedTuple):
    """The mean gain and its variance of each candidate: those of its grade, and of an unjudged one what is expected.

    ``chance`` is the probability that it is relevant, ``top`` the highest gain that a judge can give.
    """

    chance: np.ndarray
    gain: np.ndarray
    variance: np.ndarray
    top: float


def expect_answers(answers: Told) -> Estimates:
    """Return what answers to come are expected to be.

    The log odds of relevance are linear in log Σ 1/r over the lists that have the item (a logistic regression on the judged
    candidates, with standard normal priors of both coefficients; so 1/2 while nothing is judged). A relevant item is expected to
    have the mean gain of those found so far, the highest one before any is found.
    """
    pooled = answers.pooled
    # reciprocal ranks add up over lists as votes do; the log makes them even enough for a line
    support = np.log(np.bincount(pooled.candidate, 1.0 / pooled.rank, minlength=len(pooled)))
    judged = answers.judged
    intercept, slope = logistic(support[judged], answers.relevant[judged])
    chance = 1.0 / (1.0 + np.exp(-(intercept + slope * support)))
    chance[judged] = answers.relevant[judged]
    gains = answers.measure.gains(answers.grade, answers.scale, answers.highest)
    top = float(answers.measure.gains(np.array([answers.highest]), answers.scale, answers.highest)[0])
    gains_found = gains[answers.relevant] if answers.relevant.any() else np.array([top])
    mean, square = float(gains_found.mean()), float((gains_found**2).mean())
    gain = np.where(judged, gains, chance * mean)
    variance = np.where(judged, 0.0, chance * square - (chance * mean) ** 2)
    return Estimates(chance, gain, np.maximum(variance, 0.0), top)


def logistic(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return intercept and slope of the most probable logistic regression of 0/1 on one variable, with standard normal priors.

    By Newton's steps, until none changes by 1e-10 (50 at most): the function is concave, so a dozen are enough.

    >>> logistic(np.array([]), np.array([], bool))
    (0.0, 0.0)
    """
    at = np.zeros(2)
    for _ in range(STEPS):
        fitted = 1.0 / (1.0 + np.exp(-(at[0] + at[1] * x)))
        off, spread = y - fitted, fitted * (1 - fitted)
        slope = np.array([off.sum(), np.dot(off, x)]) - at
        by_x = spread * x
        # the prior adds 1 to each curvature, so that the matrix can always be inverted
        curvature = np.array([[spread.sum() + 1, by_x.sum()], [by_x.sum(), np.dot(by_x, x) + 1]])
        step = np.linalg.solve(curvature, slope)
        at += step / max(1.0, float(np.abs(step).max()))  # no step above 1, so that it cannot run away
        if np.abs(step).max() < 1e-10:
            break
    return float(at[0]), float(at[1])
