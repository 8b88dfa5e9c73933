"""simulate: what each method would have asked for, and how soon the order of the runs would have been right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np

from rankwell.display.result import SavedFields, frame_of_rows
from rankwell.display.saved_files import ensure, ensure_counts
from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.choice import Chooser, refuse_aim
from rankwell.judging.method import Measure, Method, Told, measure_of, method_named, pool_for
from rankwell.judging.method import methods as known_methods
from rankwell.judging.pools import Pooled, ordering_policy, runs_of
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.metrics import Wanted
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.statistics.agreement import ap_correlation
from rankwell.tables.arguments import UNFIT, as_list, fit_kind, ordered
from rankwell.tables.lists import owners
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


DEFAULT = ("mtc", "hedge", "mtf", "mm_ns", "depth")
ARGUMENTS = ("methods", "budgets", "metric", "rest", "leave_out", "seed", "read")
FIRST = 25


ORDER = (
    "simulate takes the runs, the judgements and the metric in this order, and all else by name: "
    "rw.judging.simulate(runs, qrels, 'ap', methods=['mtc', 'depth'], budgets=[25, 50, 100])."
)


@ordered(ORDER)
def simulate(
    runs: Any,
    qrels: Any,
    metric: Wanted = "ap",
    *,
    methods: Iterable[str | type[Method]] | str | type[Method] = DEFAULT,
    budgets: Iterable[int] | int | None = None,
    rest: Literal["skip", "nonrelevant"] = "skip",
    leave_out: Iterable[str] | str | None = None,
    seed: int = 0,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Simulation:
    """Judge again what is judged, in the order in which each method asks, and compare the order of the runs with the true one.

    Formula
        After n judgements the runs are evaluated with these alone, other items being unjudged. ``tau_ap``: AP correlation of the
        order of their means with that under all judgements; ``error``: √ of the mean squared difference of the means.

    Parameters
    ----------
    runs, metric, seed, read, policy, rules
        As for ``Chooser``; at least two runs.
    qrels
        All judgements, which answer what a method asks for; it sees no other.
    methods
        Names of methods, or classes, as for ``Chooser``.
    budgets
        Numbers of judgements after which to compare; default 25, 50, 100 … until all are judged.
    rest
        Items that the qrels do not judge are never asked for (``skip``), or ``nonrelevant`` where all relevant ones are known.
    leave_out
        Runs that do not take part in choosing and are evaluated all the same: names, or ``each`` for one after the other.

    Returns
    -------
    Simulation
        Print it, see ``rows`` and ``left_out``, or draw it with ``rw.plot.effort``.

    Raises
    ------
    RankwellError
        For fewer than two runs that choose, judgements of none of their items, an unknown name, or bad data.

    Notes
    -----
    Source of τ_AP: E. Yilmaz, J. Aslam and S. Robertson, A new rank correlation coefficient for information retrieval, SIGIR 2008.
    A run that took no part in a pool loses what nobody judged for it: ``rw.pool_bias`` says how much for judgements as they are.

    Examples
    --------
    >>> import rankwell as rw
    >>> runs = {"good": {"q": ["a", "b", "x"]}, "fair": {"q": ["x", "a", "y"]}, "poor": {"q": ["y", "x", "b"]}}
    >>> found = rw.judging.simulate(runs, {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}, methods=["mtc", "depth"], budgets=[1, 2, 4])
    >>> [(row.method, row.judgements, row.tau_ap) for row in found.rows if row.judgements > 1]
    [('mtc', 2, 1.0), ('mtc', 4, 1.0), ('depth', 2, 1.0), ('depth', 4, 1.0)]
    """
    given: Any = metric
    is_method = isinstance(given, type) and issubclass(given, Method)
    if not isinstance(given, str | Metric | type) or is_method or given in known_methods():
        raise UsageError(ORDER)
    kinds = [method_named(method) for method in ([methods] if isinstance(methods, str | type) else methods)]
    read = read_with(read, rules)
    measure, rule = measure_of(metric), ordering_policy(policy, rules, ARGUMENTS)
    of_runs, of_qrels = reading_of(read)
    opened = runs_of(runs, of_runs)
    pool = pool_for(qrels, measure, rule, of_qrels)
    left = _runs_left_out(leave_out, opened)
    refuse_aim("order", len(opened))
    budgets = _budgets(budgets)
    collection = JudgedRuns.of(opened, pool, measure, rule, rest=rest)
    out = () if leave_out == "each" else left
    traces = {kind: list(collection.trace(kind, out, budgets, seed)) for kind in kinds}
    rows = [row for kind in kinds for row in _progress(kind.name, traces[kind], collection)]
    apart = [row for kind in kinds for row in _outside_runs(kind.name, traces[kind], collection, out)]
    for run in left if leave_out == "each" else ():
        for kind in kinds:
            apart += _outside_runs(
                kind.name, collection.trace(kind, (run,), budgets, seed), collection, (run,)
            )
    idle = tuple(kind.name for kind in kinds if not traces[kind])
    return Simulation(
        tuple(opened), measure.metric.signature, rest, collection.answerable, idle, tuple(rows), tuple(apart)
    )


class Step(NamedTuple):
    """The means of all runs after some judgements, the relevant items found, and the queries that have a judgement."""

    judgements: int
    means: np.ndarray
    relevant: int
    queries: int


@record(eq=False)
class JudgedRuns:
    """Runs and all judgements: ``grade`` is the answer for each candidate, ``truth`` the mean of each run under all of them."""

    runs: Mapping[str, Run]
    pool: Pool
    measure: Measure
    policy: Policy
    pooled: Pooled
    grade: np.ndarray
    truth: np.ndarray
    relevant: int

    @classmethod
    def of(
        cls, runs: Mapping[str, Run], pool: Pool, measure: Measure, policy: Policy, *, rest: str
    ) -> JudgedRuns:
        """Return a collection; DataError if nothing in the runs is judged."""
        pooled = Pooled.of([*runs], [*runs.values()], policy)
        _, candidate = pooled.find_judged(pool)
        is_answer = (candidate >= 0) & pool.scale.judged(pool.grades)
        grade = np.full(len(pooled), 0.0 if rest == "nonrelevant" else np.nan)
        grade[candidate[is_answer]] = pool.grades[is_answer]
        is_answered = ~np.isnan(grade)
        if not is_answered.any():
            raise DataError("none of the items in the runs is judged, so there is nothing to judge again.")
        rows = np.flatnonzero(pool.scale.judged(pool.grades))
        every = Qrels(pool.queries.ids[owners(pool.offsets)[rows]], pool.items[rows], pool.grades[rows])
        pooled, grade = pooled.only(is_answered), grade[is_answered]
        relevant = int(np.count_nonzero(measure.relevant(grade, pool.scale)))
        truth = _means(runs, every, measure, policy)
        return cls(runs, pool, measure, policy, pooled, grade, truth, relevant)

    @property
    def answerable(self) -> int:
        """The number of items that can be asked for."""
        return len(self.grade)

    def trace(
        self, method: type[Method], left_out: Sequence[str], budgets: Sequence[int] | None, seed: int
    ) -> Iterator[Step]:
        """Judge what a method asks for from the runs that take part, and yield the means of all runs at each budget."""
        pooled, grade = self.pooled.without(left_out)
        answer = self.grade[grade]
        nothing = pool_of(None, Asked(self.policy), self.pool.scale)[0]
        # known beforehand, as judges know their scale
        highest = float(max(self.grade.max(), 1.0))
        answers = Told(pooled, nothing, self.measure, highest)
        chooser = Chooser.by(method(answers, seed), "order")
        stops = iter(_doubled_budgets(len(pooled)) if budgets is None else budgets)
        stop, n = next(stops, 0), 0
        while n < stop:
            chosen = chooser.choose(1)
            if chosen:
                chooser.tell_candidate(chosen[0][0], float(answer[chosen[0][0]]))
                n += 1
            elif not n:
                return  # a method that compares runs has nothing to ask where they are alike
            if n == stop or not chosen:
                means = _means(self.runs, chooser.told, self.measure, self.policy)
                yield Step(n, means, int(answers.relevant.sum()), int((answers.asked > 0).sum()))
                stop = next(stops, 0) if chosen else 0


def _means(runs: Mapping[str, Run], qrels: Qrels, measure: Measure, policy: Policy) -> np.ndarray:
    judgements = (
        # few judgements may look like interactions, all of one grade, and must be read as judgements all the same
        replace(policy, grades="judgements") if policy.rel is None and policy.grades == "auto" else policy
    )
    results = Evaluator(qrels, [measure.metric], policy=judgements).results_of_sources(runs)
    return np.array([results[name].mean[str(measure.metric)] for name in runs])


def _progress(method: str, steps: Iterable[Step], collection: JudgedRuns) -> Iterator[Progress]:
    """What the order of the runs is after each number of judgements."""
    for step in steps:
        # sums in another order differ by a last digit, and 1 should be 1
        tau = round(float(ap_correlation(collection.truth, step.means)), 12)
        error = float(np.sqrt(np.mean((step.means - collection.truth) ** 2)))
        is_order = bool(np.isfinite(step.means).all())
        share_found = step.relevant / collection.relevant if collection.relevant else math.nan
        yield Progress(
            method, step.judgements, tau if is_order else math.nan, error, share_found, step.queries
        )


def _outside_runs(
    method: str, steps: Iterable[Step], collection: JudgedRuns, left_out: Sequence[str]
) -> Iterator[OutsideRun]:
    """How the runs that took no part do after each number of judgements."""
    names = [*collection.runs]
    outside = np.array([name in left_out for name in names])
    for step in steps:
        change = step.means - collection.truth
        # all means fall while little is judged; what counts is how much more those of outsiders fall
        inside = float(change[~outside].mean())
        for at in np.flatnonzero(outside).tolist():
            ranks = [1 + int(np.count_nonzero(means > means[at])) for means in (step.means, collection.truth)]
            bias = float(change[at]) - inside
            yield OutsideRun(
                method,
                step.judgements,
                names[at],
                float(step.means[at]),
                float(collection.truth[at]),
                bias,
                *ranks,
            )


def _runs_left_out(leave_out: Iterable[str] | str | None, runs: Mapping[str, Run]) -> tuple[str, ...]:
    """The runs to leave out; UsageError for one that is none, or if too few are left."""
    if leave_out is None:
        return ()
    is_each = isinstance(leave_out, str) and leave_out == "each"
    names = tuple(runs) if is_each else tuple(as_list("leave_out", leave_out))
    for name in names:
        if name not in runs:
            raise UsageError(
                f"leave_out={brief(name)}: is no run; they are {one_of(runs)}.{nearest(name, runs)}"
            )
    if len(runs) - (1 if is_each else len(set(names))) < 2:
        raise UsageError("leave_out= leaves fewer than two runs to choose by.")
    return names


def _budgets(budgets: Iterable[int] | int | None) -> list[int] | None:
    """The numbers of judgements, ascending; UsageError for one that is none."""
    if budgets is None:
        return None
    listed = [budgets] if isinstance(budgets, int) else list(budgets)
    numbers = [fit_kind(budget, int) for budget in listed]
    if not numbers or any(budget is UNFIT or budget < 1 for budget in numbers):
        raise UsageError(f"budgets={brief(budgets)}: must be whole numbers of at least 1.")
    return sorted({*numbers})


def _doubled_budgets(most: int) -> Iterator[int]:
    budget = FIRST
    while budget < most:
        yield budget
        budget *= 2
    yield most


class Progress(NamedTuple):
    """The state after some judgements: τ_AP with the true order, √ of the mean squared error of the means, the share found.

    ``tau_ap`` and ``error`` are NaN while no judged item is relevant, ``queries`` is how many have a judgement.
    """

    method: str
    judgements: int
    tau_ap: float
    error: float
    found: float
    queries: int


class OutsideRun(NamedTuple):
    """A run that took no part in choosing: its mean and its rank, beside the true ones.

    ``bias`` is the change of its mean less the mean change of the runs that took part.
    """

    method: str
    judgements: int
    system: str
    value: float
    true_value: float
    bias: float
    rank: int
    true_rank: int


@dataclass(frozen=True, repr=False)
class Simulation(
    SavedFields, kind="rankwell simulation of judging", plural="simulations", file_of="a simulation of judging", remedy="simulate again",
):  # fmt: skip
    """What judging in the order of each method gives; made by ``simulate``. ``idle`` methods asked for nothing."""

    systems: tuple[str, ...]
    metric: str
    rest: str
    candidates: int
    idle: tuple[str, ...]
    rows: tuple[Progress, ...]
    left_out: tuple[OutsideRun, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order in which they were given."""
        return tuple(dict.fromkeys(row.method for row in self.rows))

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per method and number of judgements."""
        return frame_of_rows(Progress, self.rows)

    def tables(self) -> list[Table]:
        """Return a table of the orders by method, and one of the runs that were left out."""
        columns = [Column("method"), Column("judgements", "count"), Column("τ_AP", "value", better="higher")]
        columns += [Column("error", "value", better="lower"), Column("relevant found", "value", digits=2)]
        columns += [Column("queries", "count")]
        rest = (
            "items that are not judged are never asked for"
            if self.rest == "skip"
            else "items without a judgement are not relevant"
        )
        notes = [
            f"metric: {self.metric}; {self.candidates:,} items can be asked for: {rest}",
            "τ_AP: of the order of the runs with that under all judgements; error: √ of the mean squared difference of their means",
            *(
                f"{method} asks for nothing: no judgement can change the order of these runs"
                for method in self.idle
            ),
        ]
        caption = f"Order of {len(self.systems)} runs by judgements spent"
        tables = [Table(columns, self.rows, caption=caption, notes=notes)]
        return [*tables, self._table_of_left()] if self.left_out else tables

    def _table_of_left(self) -> Table:
        """The means over the runs that were left out."""
        groups: dict[tuple[str, int], list[OutsideRun]] = {}
        for row in self.left_out:
            groups.setdefault((row.method, row.judgements), []).append(row)
        rows = [
            (
                *key,
                len(own),
                _mean(row.bias for row in own),
                _mean(abs(row.rank - row.true_rank) for row in own),
            )
            for key, own in groups.items()
        ]
        columns = [Column("method"), Column("judgements", "count"), Column("runs left out", "count")]
        columns += [Column("bias", "value"), Column("ranks off", "value", digits=2)]
        notes = [
            "bias: how much more the mean of a run that took no part in choosing falls than those of the runs that did",
            "ranks off: how far it is from its rank under all judgements; rw.pool_bias shows the same for judgements as they are",
        ]
        return Table(columns, rows, caption="Runs that took no part in choosing", notes=notes)

    def _check(self) -> None:
        ensure_counts({"candidates": self.candidates}, "")
        rows: list[Progress | OutsideRun] = [*self.rows, *self.left_out]
        for row in rows:
            ensure_counts({word: n for word, n in row._asdict().items() if isinstance(n, int)}, "rows")
        ensure(self.rest in ("skip", "nonrelevant"), "rest", "it is neither skip nor nonrelevant")


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed)
