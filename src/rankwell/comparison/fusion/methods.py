"""Methods of fusion: what each item gets from each list, and how this is combined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwell.comparison.fusion.ballots import Ballots
from rankwell.comparison.fusion.candidates import Candidates, Listed
from rankwell.comparison.fusion.condorcet import majorities
from rankwell.comparison.fusion.norms import Votes, borda_points
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.records import record


@record
class Parameter:
    """The one number that a method has: its default, the range it must be in, and the values that are tried to learn it."""

    name: str
    default: float
    grid: tuple[float, ...]
    is_valid: Callable[[float], bool]
    range: str


@record
class Method:
    """A method: ``votes`` gives values by rank alone; without it, values are scores under a normalisation."""

    name: str
    formula: str
    combine: Callable[[Ballots, float], np.ndarray]
    votes: Callable[[Listed, Candidates, float], Votes] | None = None
    parameter: Parameter | None = None
    is_weighted: bool = True
    needs_weights: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name."""
        return method_named, (self.name,)


def _reciprocal(run: Listed, _: Candidates, k: float) -> Votes:
    return run.candidate, 1.0 / (k + run.rank)


def _square(run: Listed, _: Candidates, _n: float) -> Votes:
    return run.candidate, 1.0 / run.rank.astype(np.float64) ** 2


def _biased(run: Listed, _: Candidates, phi: float) -> Votes:
    return run.candidate, (1.0 - phi) * phi ** (run.rank - 1.0)


def _points(run: Listed, candidates: Candidates, _: float) -> Votes:
    return borda_points(run, candidates)


def _places(run: Listed, _: Candidates, _n: float) -> Votes:
    return run.candidate, run.place


K = Parameter("k", 60, tuple(range(10, 101, 10)), lambda k: k >= 0, "at least 0")
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
        Method("comb_sum", "Σ v", lambda b, _: b.total(), is_weighted=False),
        Method("comb_mnz", "N · Σ w v", lambda b, _: b.total() * b.count()),
        Method("comb_anz", "Σ v / N", lambda b, _: b.total() / b.count(), is_weighted=False),
        Method("comb_gmnz", "N^gamma · Σ w v", lambda b, gamma: b.total() * b.count() ** gamma, None, GAMMA),
        Method("comb_min", "the least v", lambda b, _: b.least(), is_weighted=False),
        Method("comb_max", "the greatest v", lambda b, _: b.greatest(), is_weighted=False),
        Method("comb_med", "the median v, of two the mean", lambda b, _: b.median(), is_weighted=False),
        Method("weighted", "Σ w v", lambda b, _: b.total(), needs_weights=True),
        Method("rrf", "Σ w / (k + r)", lambda b, _: b.total(), _reciprocal, K),
        Method("isr", "N · Σ w / r²", lambda b, _: b.total() * b.count(), _square),
        Method("log_isr", "ln N · Σ w / r²", lambda b, _: b.total() * np.log(b.count()), _square),
        Method(
            "logn_isr",
            "ln(N + sigma) · Σ w / r²",
            lambda b, x: b.total() * np.log(b.count() + x),
            _square,
            SIGMA,
        ),
        Method("rbc", "Σ w (1 − phi) phi^(r − 1)", lambda b, _: b.total(), _biased, PHI),
        Method("borda", BORDA, lambda b, _: b.total(), _points),
        Method("condorcet", CONDORCET, lambda b, _: majorities(b), _places),
    )
}


def method_named(name: str) -> Method:
    """Return a method; UsageError for an unknown name."""
    if name not in METHODS:
        close = nearest(name, METHODS) or nearest(f"comb_{name}", METHODS)
        raise UsageError(f"method={brief(name)}: must be {one_of(METHODS)}.{close}")
    return METHODS[name]
