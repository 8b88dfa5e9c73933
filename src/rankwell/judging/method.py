"""Method: what every way of choosing does: name the best candidate, and take note of answers; how methods are found by name; and the measure
by which they weigh.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.faces import modules
from rankwell.judging import methods as folder
from rankwell.judging.pools import Pooled
from rankwell.matching import Asked, pool_of
from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.binary.binary import P
from rankwell.metrics.binary.precision import AP
from rankwell.metrics.graded.gain import CG, DCG
from rankwell.metrics.graded.ndcg import nDCG
from rankwell.metrics.graded.users import RBP
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels
from rankwell.records import cached_property, record
from rankwell.tables.lists import Ranked

Choice = tuple[int, float]


class Method(ABC):
    """A way of choosing the next candidate; it reads only lists and the answers given so far.

    ``choose`` names the best open candidate and its weight, None if there is none. ``answered`` is called after an answer,
    ``corrected`` after one that replaced another, ``moved`` after candidates of a query were closed or opened again without one.

    ``name`` is that of its file in ``judging/methods/``; ``rule`` says what the weight is; ``is_adaptive`` whether answers change
    what it would choose next.
    """

    name: ClassVar[str]
    rule: ClassVar[str]
    is_adaptive: ClassVar[bool] = True

    def __init__(self, answers: Told, seed: int) -> None:
        self.answers, self.pooled, self.seed = answers, answers.pooled, seed

    @abstractmethod
    def choose(self) -> Choice | None:
        """Return the best open candidate and its weight."""

    @abstractmethod
    def answered(self, candidate: int) -> None:
        """Take note of an answer."""

    @abstractmethod
    def corrected(self, candidate: int) -> None:
        """Take note that an answer was replaced by another."""

    @abstractmethod
    def moved(self, query: int) -> None:
        """Take note that candidates of a query were closed or opened again."""


class InTurn(Method):
    """A method that orders the candidates of one query; queries take turns, the one with the fewest judgements first.

    What it has learned of a query is built up when that is first asked for, by counting its judgements in their order.
    """

    def __init__(self, answers: Told, seed: int) -> None:
        super().__init__(answers, seed)
        self._known: set[int] = set()

    def choose(self) -> Choice | None:
        """Return the best candidate of the query whose turn it is."""
        query = self.answers.fewest()
        if query is None:
            return None
        self._learn(query)
        return self.choose_in(query)

    def answered(self, candidate: int) -> None:
        """Count the answer."""
        query = int(self.pooled.query[candidate])
        if query in self._known:
            self.count(query, candidate)

    def corrected(self, candidate: int) -> None:
        """Count all answers of the query again when it is its turn."""
        self._known.discard(int(self.pooled.query[candidate]))

    def moved(self, query: int) -> None:
        """What is open is looked at when an item is chosen."""

    def _learn(self, query: int) -> None:
        if query not in self._known:
            self._known.add(query)
            self.begin(query)
            for candidate in self.answers.sequence(query):
                self.count(query, candidate)

    @abstractmethod
    def begin(self, query: int) -> None:
        """Start with a query of which nothing is judged."""

    @abstractmethod
    def count(self, query: int, candidate: int) -> None:
        """Learn from the answer of a candidate."""

    @abstractmethod
    def choose_in(self, query: int) -> Choice:
        """Return the best open candidate of a query that has one."""


class ByRun(InTurn):
    """A method that chooses a run, and takes the first open item of its list."""

    def __init__(self, answers: Told, seed: int) -> None:
        self._lists: dict[int, dict[int, np.ndarray]] = {}
        self.source: dict[int, int] = {}  # the run from which a candidate was taken
        super().__init__(answers, seed)

    def lists(self, query: int) -> dict[int, np.ndarray]:
        """Return the candidates of a query in the list of each run, best rank first."""
        if query not in self._lists:
            block, first = self.pooled.block(query), int(self.pooled.offsets[query])
            self._lists[query] = {
                int(run): row[row < block.size] + first
                for run, row in zip(block.run, block.candidate, strict=True)
            }
        return self._lists[query]

    def open_runs(self, query: int) -> list[int]:
        """Return the runs whose list has an open candidate."""
        closed = self.answers.closed
        return [run for run, listed in self.lists(query).items() if not closed[listed].all()]

    def choose_in(self, query: int) -> Choice:
        """Return the first open candidate of the best run."""
        run, weight = self.best_run(query, self.open_runs(query))
        listed = self.lists(query)[run]
        candidate = int(listed[np.flatnonzero(~self.answers.closed[listed])[0]])
        self.source[candidate] = run
        return candidate, weight

    @abstractmethod
    def best_run(self, query: int, runs: list[int]) -> tuple[int, float]:
        """Return the run to take an item from, of those that have one, and its weight."""

    def credited(self, candidate: int) -> int:
        """Return the run that an answer counts for: the one that it was taken from, else the one that ranks it best."""
        if candidate in self.source:
            return self.source[candidate]
        listed = self.lists(int(self.pooled.query[candidate]))
        # an answer that was not asked for counts for the list that shows it first
        places = {run: np.flatnonzero(row == candidate) for run, row in listed.items()}
        return min((int(at[0]), run) for run, at in places.items() if len(at))[1]


class Bandit(ByRun):
    """Of each query, play the best run: judge the first open item of its list. ``won`` and ``played`` count for each run.

    ``rate`` is what earlier plays are worth when a new one is counted: 1 if all count alike, 0 if only the last one counts.

    Source: D. E. Losada, J. Parapar and Á. Barreiro, Feeling lucky? Multi-armed bandits for ordering judgements in
    pooling-based evaluation, SAC 2016.
    """

    rate: ClassVar[float] = 1.0

    def __init__(self, answers: Told, seed: int) -> None:
        super().__init__(answers, seed)
        if seed < 0:
            raise UsageError(f"seed={brief(seed)}: must be 0 or more.")
        self.won: dict[int, np.ndarray] = {}
        self.played: dict[int, np.ndarray] = {}
        self.draws: dict[int, np.random.Generator] = {}

    def begin(self, query: int) -> None:
        """Start with the uniform belief in every run, and a generator on which other queries have no effect."""
        self.won[query], self.played[query] = np.zeros((2, len(self.pooled.names)))
        self.draws[query] = np.random.default_rng([self.seed, query])

    def beliefs(self, query: int, runs: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return α and β of the Beta distribution of each run's chance of a relevant item, from the uniform one."""
        won, played = self.won[query][runs], self.played[query][runs]
        return 1.0 + won, 1.0 + played - won

    def count(self, query: int, candidate: int) -> None:
        """Count a play of the run that the item was taken from."""
        run = self.credited(candidate)
        self.won[query][run] = self.rate * self.won[query][run] + self.answers.relevant[candidate]
        self.played[query][run] = self.rate * self.played[query][run] + 1

    def best_run(self, query: int, runs: list[int]) -> tuple[int, float]:
        """Return the run of the highest value, of equal ones any with the same chance."""
        values = self.values(query, runs)
        best = np.flatnonzero(values >= values.max())
        chosen = int(best[0] if len(best) == 1 else self.draws[query].choice(best))
        return runs[chosen], float(values[chosen])

    def values(self, query: int, runs: list[int]) -> np.ndarray:
        """Return what each run promises: the mean of the belief in it."""
        alpha, beta = self.beliefs(query, runs)
        means: np.ndarray = alpha / (alpha + beta)
        return means


def methods() -> tuple[str, ...]:
    """Return the names of the methods: those of the files in ``judging/methods/``."""
    return modules(folder)


def method_named(name: Any) -> type[Method]:
    """Return the class of a method, which may be the class itself; UsageError for an unknown name."""
    if isinstance(name, type) and issubclass(name, Method):
        return name
    if not isinstance(name, str) or name not in methods():
        raise UsageError(f"method={brief(name)}: must be {one_of(methods())}.{nearest(name, methods())}")
    module = importlib.import_module(f"{folder.__name__}.{name}")
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Method) and value.__dict__.get("name") == name:
            return value
    raise UsageError(f"method={brief(name)}: {module.__name__} has no Method with `name = {brief(name)}`.")


class Told:
    """The grade of each candidate (NaN if unjudged), and which are closed: judged, asked for, or skipped.

    ``known`` is the number of relevant items of each query, also of those that no run has. ``asked`` is how many candidates of
    each query are closed.
    """

    def __init__(self, pooled: Pooled, pool: Pool, measure: Measure, highest: float | None) -> None:
        self.pooled, self.measure, self.scale = pooled, measure, pool.scale
        self.grade = np.full(len(pooled), np.nan)
        query, candidate = pooled.find_judged(pool)
        is_judged = pool.scale.judged(pool.grades)
        is_listed = is_judged & (candidate >= 0)
        self.grade[candidate[is_listed]] = pool.grades[is_listed]
        relevant = is_judged & measure.relevant(pool.grades, pool.scale) & (query >= 0)
        self.known = np.bincount(query[relevant], minlength=len(pooled.queries))
        self.elsewhere = int(np.count_nonzero(is_judged & (candidate < 0)))
        # at least 1, so that the first relevant item has something to be measured against
        seen = float(pool.grades[is_judged].max()) if is_judged.any() else 1.0
        self.highest = max(seen, 1.0) if highest is None else highest
        self.closed = ~np.isnan(self.grade)
        self.relevant = measure.relevant(self.grade, pool.scale)
        self.asked = np.bincount(pooled.query[self.closed], minlength=len(pooled.queries))
        self.left = np.diff(pooled.offsets) - self.asked
        self._before = pooled.pooling_order[self.closed[pooled.pooling_order]]
        self._told: dict[int, list[int]] = {}

    @property
    def judged(self) -> np.ndarray:
        """Which candidates are judged."""
        return ~np.isnan(self.grade)

    def close(self, candidate: int) -> None:
        """Take a candidate out of those to be asked for."""
        if not self.closed[candidate]:
            self._count(candidate, 1)

    def reopen(self, candidate: int) -> None:
        """Undo ``close``."""
        if self.closed[candidate] and np.isnan(self.grade[candidate]):
            self._count(candidate, -1)

    def _count(self, candidate: int, step: int) -> None:
        query = self.pooled.query[candidate]
        self.closed[candidate] = step > 0
        self.asked[query] += step
        self.left[query] -= step

    def tell(self, candidate: int, grade: float) -> None:
        """Take note of a grade; a later one replaces an earlier one."""
        self.close(candidate)
        if np.isnan(self.grade[candidate]):
            self._told.setdefault(int(self.pooled.query[candidate]), []).append(candidate)
        is_relevant = bool(self.measure.relevant(np.array([grade]), self.scale)[0])
        query = self.pooled.query[candidate]
        self.known[query] += int(is_relevant) - int(self.relevant[candidate])
        self.grade[candidate], self.relevant[candidate] = grade, is_relevant
        self.highest = max(self.highest, grade)

    @cached_property
    def _before_by_query(self) -> tuple[np.ndarray, np.ndarray]:
        query = self.pooled.query[self._before]
        order = np.argsort(query, kind="stable")
        return query[order], self._before[order]

    def sequence(self, query: int) -> list[int]:
        """Return the judged candidates of a query in the order of their judgements; those from before in pooling order."""
        queries, candidates = self._before_by_query
        low, high = np.searchsorted(queries, [query, query + 1])
        return [*candidates[low:high].tolist(), *self._told.get(query, [])]

    def fewest(self) -> int | None:
        """Return the query with the fewest candidates asked for of those that have any left, None if none has."""
        if not self.left.any():
            return None
        return int(np.where(self.left > 0, self.asked, np.iinfo(np.int64).max).argmin())


# The measure: how much a judgement of an item can change a metric, for metrics in which this has a closed form.


LINEAR = (P, CG, DCG, RBP)
EXAMPLES = "ap, p@10, dcg@10, cg@10 and rbp"


@record
class Measure:
    """A metric that is a sum over items (P, CG, DCG, RBP), or over pairs of items (AP).

    AP · R = Σ_{i ≤ j} a_ij x_i x_j with a_ij = 1 / max(rank of i, rank of j), x = 1 for a relevant item and 0 for others. Its
    derivative in x_i at any x, 1 for item i itself, is ``effects``; of the others it is the discount of the rank.
    """

    metric: Metric
    is_quadratic: bool

    @property
    def k(self) -> int | None:
        """The cut-off."""
        k: int | None = getattr(self.metric, "k", None)
        return k

    def effects(self, rank: np.ndarray, x: np.ndarray | None) -> np.ndarray:
        """Return what each item adds to its list if it is relevant, and each other one to the degree x; None: no other one.

        ``rank`` and ``x`` have a row for each list, in rank order; a rank of infinity is beyond the list.
        """
        seen = np.isfinite(rank) if self.k is None else rank <= self.k
        if not self.is_quadratic:
            metric: Any = self.metric
            weights = np.zeros(rank.shape)
            weights[seen] = metric.weights_of(rank[seen].astype(np.int64))
            return weights / (self.k or 1) if isinstance(metric, P) else weights
        share = np.where(seen, 1.0 / rank, 0.0)
        if x is None:
            return share
        above = np.cumsum(x, axis=1) - x
        added = x * share
        # the sum of what stands below, from the end: of AP an item adds to the precision at each relevant one beneath it
        below = np.cumsum(added[:, ::-1], axis=1)[:, ::-1] - added
        return (1.0 + above) * share + np.where(seen, below, 0.0)

    def gains(self, grade: np.ndarray, scale: Scale, highest: float) -> np.ndarray:
        """Return the gain of each grade: 1 for relevant ones, or what a graded metric gives them; 0 for NaN."""
        if isinstance(self.metric, AP | P):
            return scale.relevant(grade, self.metric.rel).astype(np.float64)
        rows = np.arange(len(grade))
        # gains are looked up per grade, so each grade is handed over as a list of one
        judged = np.nan_to_num(grade, nan=0.0)
        ranked = Ranked(len(grade), rows, np.ones(len(grade), np.int64), judged)
        metric: Any = self.metric
        gains: np.ndarray = metric.gains(ranked, Context(scale, highest))
        return np.where(scale.judged(grade), gains, 0.0)

    def relevant(self, grade: np.ndarray, scale: Scale) -> np.ndarray:
        """Return which grades are relevant to the metric."""
        return scale.relevant(grade, getattr(self.metric, "rel", None))


def measure_of(wanted: Wanted) -> Measure:
    """Return the measure of a metric.

    Raises
    ------
    UsageError
        For a metric, or a switch of it, of which the change has no closed form here.
    """
    metric = metric_of(wanted)
    if type(metric) is AP and metric.budget is None:
        if metric.denom not in (None, "R", "min_rk"):
            raise UsageError(f"{metric}: judgements are chosen for AP divided by R or min(R, k).")
        return Measure(metric, is_quadratic=True)
    if not isinstance(getattr(metric, "gain", ""), str):
        raise UsageError(
            f"{metric}: a table of gains may give the highest grade less than others, so what a judgement can change is not known. "
            f"Take gain=linear or gain=exp2."
        )
    is_fixed = getattr(metric, "denom", "k") == "k" and getattr(metric, "max_grade", None) != "query"
    if type(metric) not in LINEAR or not is_fixed or metric.budget is not None:
        hint = " For nDCG take dcg: its order of two lists is the same." if isinstance(metric, nDCG) else ""
        raise UsageError(
            f"{metric}: judgements are chosen for {EXAMPLES}, whose change has a closed form.{hint}"
        )
    return Measure(metric, is_quadratic=False)


def pool_for(qrels: Any, measure: Measure, policy: Policy, read: Mapping[str, Any]) -> Pool:
    """Return the judgements, prepared; none if ``qrels`` is None.

    Raises
    ------
    RankwellError
        If they cannot be read, or grades look like ratings and no lowest relevant one is given.
    """
    rel = getattr(measure.metric, "rel", None)
    asked = Asked(policy, rels={str(measure.metric): policy.rel if rel is None else rel})
    return pool_of(None if qrels is None else read_qrels(qrels, **read), asked)[0]
