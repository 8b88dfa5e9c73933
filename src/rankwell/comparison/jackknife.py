"""The ``jackknife`` function: intervals of corpus metrics, by leaving lists out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, RankwellError, UsageError, nearest
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import run_of
from rankwell.evaluation.task import Task
from rankwell.matching import missing_lists
from rankwell.matching.batch import Judged
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import CorpusMetric, Metric
from rankwell.readers import read_run
from rankwell.readers.frames.pieces import pieces_of
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.part import Part
from rankwell.results.segments import Labels, Segmentation, Segments
from rankwell.statistics.parts import student
from rankwell.tables.arguments import ordered
from rankwell.tables.ids import Ids, Known, draws
from rankwell.tables.lists import distinct, owners_of
from rankwell.tables.run_qrels import Run
from rankwell.tables.states import Divisible, State

MOST = 10_000  # up to this number, lists are left out one by one
# t with 199 degrees of freedom is nearly normal; more groups would cost more and say little more
GROUPS = 200
FEWEST_ITEMS = 50


@record
class JackknifeInterval:
    """A value with its standard error and its interval."""

    value: float
    error: float
    low: float
    high: float


class Jackknife(Result):
    """Intervals of metrics: look one up by any spelling, or use ``to_table()`` or ``to_dict()`` for all.

    ``n`` is the number of lists, ``groups`` the number of parts left out in turn, ``items`` the number of distinct items in the
    lists, ``is_reliable`` whether those are enough to trust the intervals.
    """

    def __init__(
        self,
        name: str,
        intervals: Mapping[Metric, JackknifeInterval],
        *,
        n: int,
        groups: int,
        items: int,
        level: float,
        seed: int,
    ) -> None:
        self.name, self._intervals, self.n, self.groups = name, dict(intervals), n, groups
        self.items, self.level, self.seed = items, level, seed

    @property
    def is_reliable(self) -> bool:
        """Whether the lists hold at least fifty distinct items."""
        return self.items >= FEWEST_ITEMS

    def __getitem__(self, metric: Wanted) -> JackknifeInterval:
        wanted = metric_of(metric)
        if wanted not in self._intervals:
            names = [str(other) for other in self._intervals]
            raise UsageError(
                f"{wanted} was not asked for; the metrics are {', '.join(names)}.{nearest(str(wanted), names)}"
            )
        return self._intervals[wanted]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; undefined values are None."""
        return {
            "name": self.name,
            "n": self.n,
            "groups": self.groups,
            "items": self.items,
            "reliable": self.is_reliable,
            "level": self.level,
            "seed": self.seed,
            "metrics": {
                str(metric): {
                    name: None if math.isnan(x) else x
                    for name, x in vars(interval).items()
                }
                for metric, interval in self._intervals.items()
            },
        }  # fmt: skip

    def to_table(self) -> Table:
        """Return a table for people."""
        columns = [Column("metric"), Column("value", "value"), Column("error", "value")]
        columns += [Column("low", "value"), Column("high", "value")]
        rows: list[tuple[Cell, ...]] = [
            (str(metric), interval.value, interval.error, interval.low, interval.high)
            for metric, interval in self._intervals.items()
        ]
        how = (
            f"each of {self.n:,} lists left out in turn"
            if self.groups == self.n
            else f"{self.groups} groups of {self.n:,} lists left out in turn (seed {self.seed})"
        )
        notes = [
            f"low to high: jackknife, {self.level:.0%}, t with {self.groups - 1} degrees of freedom; {how}"
        ]
        if not self.is_reliable:
            notes.append(f"unreliable: the lists hold {self.items} distinct items, fewer than {FEWEST_ITEMS}")
        return Table(columns, rows, caption=self.name, notes=notes)


ORDER = (
    "jackknife takes the run, the judgements and the metrics in this order: rw.jackknife(run, qrels, metrics); without judgements "
    "rw.jackknife(run, metrics='coverage@10')."
)


@ordered(ORDER)
def jackknife(
    run: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    against: Any = None,
    level: float = 0.95,
    groups: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Jackknife:
    """Return intervals of corpus metrics (coverage, Gini, personalization …) by leaving lists out.

    Formula
        se² = (1/G) Σ_g (θ̃_g − Σ_g m_g θ̃_g / n)² / (h_g − 1), θ̃_g = h_g θ − (h_g − 1) θ_(g), h_g = n / m_g, θ_(g) the value without
        group g, of m_g of the n lists; for groups of one size (G − 1) / G · Σ_g (θ_(g) − mean θ)². value ± t_(G−1) · se

    Parameters
    ----------
    run, qrels, metrics
        As for ``evaluate``; the metrics must be given, and have one value for all lists, not a value per query.
    against
        A second run: values are ``run`` minus ``against``, and each group of users is left out of both.
    level
        The share of intervals that should contain the true value.
    groups
        How many parts to leave out in turn; default: one per list, for more than 10,000 lists 200 parts, drawn at random. With
        ``engine="stream"`` and on Spark always parts, 200 unless said otherwise, drawn by a hash of the query.
    seed
        For drawing the groups.
    options
        Other arguments of ``evaluate``: ``items``, ``train``, ``policy``.

    Returns
    -------
    Jackknife
        Look up values with ``found["coverage@10"].low`` and so on, or print it as a table.

    Raises
    ------
    RankwellError
        For a metric with a value per query, fewer than two lists, or runs of different users (``against``).

    Notes
    -----
    There is no bootstrap: a sample of users drawn with replacement holds fewer distinct items, so its interval would miss the
    value itself. Only lists are left out; judgements, training data and catalogue stay. Values of this kind grow with the number
    of lists: the interval holds for runs of the same number of lists. Source: B. Efron and C. Stein, The jackknife estimate of
    variance, Annals of Statistics 9(3), 1981; for groups of different sizes F. Busing, E. Meijer and R. van der Leeden, Delete-m
    jackknife for unequal m, Statistics and Computing 9, 1999.

    Examples
    --------
    >>> found = jackknife({"u": ["a", "b"], "v": ["a", "c"], "w": ["d", "e"]}, metrics="coverage@2", items=list("abcdefgh"))
    >>> found["coverage@2"].value, found.n, found.is_reliable
    (0.625, 3, False)
    """
    if metrics is None or (_are_metrics(qrels) and not _are_metrics(metrics)):
        raise UsageError(ORDER)
    evaluator = Evaluator(qrels, metrics, **options)
    plain = next((m for m in evaluator.metrics if not isinstance(m, CorpusMetric)), None)
    if plain is not None:
        raise UsageError(
            f"{plain} has a value per query, and its mean needs another kind of interval; jackknife is for metrics of all "
            f"lists together, such as coverage@10."
        )
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be a share between 0 and 1, such as 0.95.")
    if evaluator.plan.is_streamed:
        if groups is not None and groups < 2:
            raise UsageError(f"groups={groups}: must be at least 2.")
        given = [run] if against is None else [run, against]
        by_group = values_by_group(evaluator, given, groups or GROUPS, seed)
        return Jackknife(
            by_group.name,
            _intervals(evaluator.metrics, by_group.value, by_group.without, by_group.sizes, level),
            n=int(by_group.sizes.sum()),
            groups=len(by_group.sizes),
            items=by_group.items,
            level=level,
            seed=seed,
        )
    runs = [read_run(run)] if against is None else [read_run(run), read_run(against, name="against")]
    sides = [lists_of_run(evaluator.task, read) for read in runs]
    if against is not None:
        sides[1] = sides[1].beside(sides[0])
    n = len(sides[0].judged)
    parts = groups or (n if n <= MOST else GROUPS)
    if not 1 < parts <= n:
        raise UsageError(f"groups={parts}: must be from 2 to the number of lists, {n:,}." if groups else
                         f"{runs[0].name}: an interval needs at least two lists, not {n}.")  # fmt: skip
    wholes = [side.whole() for side in sides]
    value = values_of(wholes)
    # by a hash of the query, so that groups do not depend on the order of the lists
    order = np.argsort(draws(seed, sides[0].judged.queries), kind="stable")
    without = np.array(list(values_without([side.take(order) for side in sides], wholes, parts)))
    intervals = _intervals(evaluator.metrics, value, without, np.array(sizes_of(n, parts)), level)
    name = runs[0].name if against is None else f"{runs[0].name} less {runs[1].name}"
    items = min(side.distinct() for side in sides)
    return Jackknife(name, intervals, n=n, groups=parts, items=items, level=level, seed=seed)


def _are_metrics(given: Any) -> bool:
    """Whether something names metrics, and is no judgements."""
    try:
        metrics_of(given)
    except RankwellError:
        return False
    return True


def _intervals(
    metrics: Iterable[Metric], value: Sequence[float], without: np.ndarray, sizes: np.ndarray, level: float
) -> dict[Metric, JackknifeInterval]:
    return {metric: _interval(value[at], without[:, at], sizes, level) for at, metric in enumerate(metrics)}


def _interval(value: float, without: np.ndarray, sizes: np.ndarray, level: float) -> JackknifeInterval:
    groups, n = len(without), int(sizes.sum())
    if (sizes == sizes[0]).all():
        spread = float(np.sum((without - without.mean()) ** 2)) * (groups - 1) / groups
    else:  # values that grow with the number of lists would differ by the sizes of groups alone
        # pseudo-values by Busing, Meijer and van der Leeden, weighted by the sizes of groups
        times = n / sizes
        pseudo = times * value - (times - 1) * without
        spread = float(np.mean((pseudo - np.average(pseudo, weights=sizes)) ** 2 / (times - 1)))
    error = math.sqrt(spread)
    return JackknifeInterval(value, error, *student(value, error, groups - 1, 0.5 + level / 2))


States = dict[Metric, State]


@record(eq=False)
class RunLists:
    """Some lists of one run and their states; ``place`` is the position of each user's lists."""

    task: Task
    judged: Judged
    place: np.ndarray
    missing: States  # of judged queries without a list, which are never left out

    def state(self, metric: Metric) -> State:
        """Return the state of these lists."""
        return self.task.state_of(metric, self.judged)

    def whole(self) -> States:
        """Return the states of all lists and of what is never left out."""
        return {m: self.with_missing(m, self.state(m)) for m in self.task.metrics}

    def with_missing(self, metric: Metric, state: State) -> State:
        """Return a state with what is never left out."""
        return state + self.missing[metric] if metric in self.missing else state

    def take(self, users: np.ndarray) -> RunLists:
        """Return the lists of some users."""
        places = self.place[users]
        rows = np.sort(places)
        judged = self.judged.take(rows, self.judged.found)
        return RunLists(self.task, judged, np.searchsorted(rows, places), self.missing)

    def in_groups(self, sizes: Sequence[int]) -> RunLists:
        """Return the same with the lists of each group together, in the order that they have; a group is so many users."""
        group = np.empty(len(self.place), np.int64)
        group[self.place] = owners_of(np.array(sizes))
        # each group becomes one stretch of rows, so that two numbers name it
        rows = np.argsort(group, kind="stable")
        number = np.empty(len(rows), np.int64)
        number[rows] = np.arange(len(rows))
        return RunLists(
            self.task, self.judged.take(rows, self.judged.found), number[self.place], self.missing
        )

    def between(self, low: int, high: int) -> RunLists:
        """Return the lists at some places, which are those of the users of the same numbers, as in whole groups."""
        judged = self.judged.take(np.arange(low, high), self.judged.found)
        return RunLists(self.task, judged, self.place[low:high] - low, self.missing)

    def beside(self, first: RunLists) -> RunLists:
        """Return the same lists with users in the order of another run; DataError if their users differ."""
        place = Known(self.judged.queries).rows_of(first.judged.queries, "query")
        if (place < 0).any() or len(place) != len(self.judged):
            raise DataError(
                f"the two runs hold lists of different users ({len(place):,} and {len(self.judged):,}); a difference needs "
                f"the same users in both."
            )
        return RunLists(self.task, self.judged, place, self.missing)

    def distinct(self) -> int:
        """The number of distinct items in the lists."""
        items = self.judged.shown.item
        return 0 if items is None else len(distinct(items[items >= 0]))


def lists_of_run(task: Task, run: Run) -> RunLists:
    """All lists of a run, judged at once."""
    # items of the lists are counted whatever the metrics read, to say whether the intervals are reliable
    task = replace(task, asked=task.asked.reading("shown", "item")).of_run(run)
    rows = run.rows.table()
    if not len(rows):
        raise DataError(f"{run.name}: the run holds no rows.")
    lists = next(rows.batches(len(rows)))()
    judged, _ = task.judge(lists)
    absent = missing_lists(task.pool, judged.pool_row[judged.pool_row >= 0])
    is_empty = task.asked.policy.missing == "empty" and len(absent) > 0
    missing = {m: task.state_of(m, absent) for m in task.metrics if m.sees_missing and is_empty}
    return RunLists(task, judged, np.arange(len(judged)), missing)


def values_without(sides: list[RunLists], wholes: list[States], parts: int) -> Iterator[list[float]]:
    """Yield the values without each part.

    The part is taken from the state of all lists; for states from which nothing can be taken, those outside of it are added.
    """
    sizes = sizes_of(len(sides[0].judged), parts)
    yield from _values_by_halves([side.in_groups(sizes) for side in sides], wholes, parts)


def _values_by_halves(
    sides: list[RunLists], wholes: list[States], parts: int, outside: list[States] | None = None
) -> Iterator[list[float]]:
    """Yield the values without each part: parts are halved recursively, and the states outside each half carried along."""
    if parts == 1:
        yield values_of(
            [_states_without(*each) for each in zip(sides, wholes, outside or [{}] * len(sides), strict=True)]
        )
        return
    n = len(sides[0].judged)
    # what lies outside a half is worked out once and carried down: lists are read log₂ parts times, and not parts times
    few, middle = parts // 2, _half(n, parts)
    inside = [[side.between(*ends) for side in sides] for ends in ((0, middle), (middle, n))]
    states = [[_undivided_states(*each) for each in zip(half, wholes, strict=True)] for half in inside]
    for half, other, count in ((0, 1, few), (1, 0, parts - few)):
        yield from _values_by_halves(inside[half], wholes, count, _add_states(outside, states[other]))


def sizes_of(n: int, parts: int) -> list[int]:
    """Return how many of ``n`` lists are in each part.

    >>> sizes_of(10, 4)
    [2, 3, 2, 3]
    """
    # halved as the lists are, so that sizes and values are of the same parts
    if parts == 1:
        return [n]
    few = parts // 2
    return sizes_of(_half(n, parts), few) + sizes_of(n - _half(n, parts), parts - few)


def _half(n: int, parts: int) -> int:
    return round(n * (parts // 2) / parts)


def _undivided_states(side: RunLists, whole: States) -> States:
    """The states of some lists for the metrics whose states cannot be divided."""
    return {metric: side.state(metric) for metric, state in whole.items() if not isinstance(state, Divisible)}


def _states_without(side: RunLists, whole: States, outside: States) -> States:
    """The states of all lists but these."""
    return {
        metric: state.without(side.state(metric))
        if isinstance(state, Divisible)
        else side.with_missing(metric, outside[metric])
        for metric, state in whole.items()
    }


def _add_states(left: list[States] | None, right: list[States]) -> list[States]:
    if left is None:
        return right
    pairs = zip(left, right, strict=True)
    return [{metric: mine[metric] + theirs[metric] for metric in mine} for mine, theirs in pairs]


def values_of(sides: list[States]) -> list[float]:
    """The values, or the differences of two sides."""
    values = [[metric.value(state) for metric, state in states.items()] for states in sides]
    return values[0] if len(sides) == 1 else [a - b for a, b in zip(*values, strict=True)]


class ValuesByGroup(NamedTuple):
    """The values of all lists, those without each group (a row each), the lists of each group, the number of their items, and the name."""

    value: list[float]
    without: np.ndarray
    sizes: np.ndarray
    items: int
    name: str


@record(eq=False)
class DrawnSegments(Segments):
    """As many segments as there are groups, into which queries are drawn by a seed and their ids."""

    seed: int = 0
    groups: int = 1

    are_taken_apart: ClassVar[bool] = True

    def rows(self, queries: Ids) -> np.ndarray:
        """Return the group of each query."""
        # the upper half of the draw times the number of groups: the remainder of a division would favour low groups
        return (
            (draws(self.seed, queries) >> np.uint64(32)) * np.uint64(self.groups) >> np.uint64(32)
        ).astype(np.int64)

    def codes_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the groups themselves."""
        return rows


def draw_segments(groups: int, seed: int) -> DrawnSegments:
    """Return segments that are drawn."""
    import polars as pl

    labels = Labels((pl.Series([str(group) for group in range(groups)]),))
    none = np.empty(0, np.int64)
    return DrawnSegments(None, Segmentation(("group",), labels), none, seed=seed, groups=groups)  # type: ignore[arg-type]


def values_by_group(evaluator: Evaluator, runs: Sequence[Any], groups: int, seed: int) -> ValuesByGroup:
    """Return what the lists of one run, or the difference of two, tell without each group.

    Raises
    ------
    DataError
        If fewer than two groups hold lists, or the two runs have different numbers of lists in a group.
    """
    plan: Any = evaluator.plan
    plan = replace(plan, segments=draw_segments(groups, seed), per_query=False)
    named = zip(runs, (None, "against"), strict=False)
    opened = [run_of(run, name, plan.engine, evaluator.read) for run, name in named]
    results: list[Results] = [plan.results(run) for run in opened]
    parts = [res.part.folded(evaluator.metrics) for res in results]
    sizes = [part.sizes for part in parts]
    # the same queries fall into the same groups, so unequal sizes show different users; equal ones do not prove the same
    if sizes[0] != sizes[-1]:
        raise DataError(
            f"the two runs hold lists of different users ({sum(sizes[0].values()):,} and {sum(sizes[-1].values()):,}); a "
            f"difference needs the same users in both."
        )
    # by a hash of few queries a group may have got none, and leaving out nothing is no replicate
    used = sorted(group for group, size in sizes[0].items() if size)
    if len(used) < 2:
        raise DataError(
            f"{results[0].name}: an interval needs lists in at least two groups, not {len(used)}."
        )
    values = [_jackknife_groups_without(part, evaluator.metrics, used) for part in parts]
    both = values[0] if len(values) == 1 else values[0] - values[1]
    items = min(pieces_of(run).distinct("item") for run in opened)
    name = " less ".join(res.name for res in results)
    lists = np.array([sizes[0][group] for group in used])
    return ValuesByGroup(both[0].tolist(), both[1:], lists, items, name)


def _jackknife_groups_without(part: Part, metrics: Sequence[Metric], groups: Sequence[int]) -> np.ndarray:
    """The values of all lists, in the first row, and without each group; a column per metric."""
    values = np.empty((1 + len(groups), len(metrics)))
    for column, metric in enumerate(metrics):
        states = [part.split[metric, group] for group in groups]
        whole = part.states[metric]
        rest = map(whole.without, states) if isinstance(whole, Divisible) else _sums_of_others(states)
        values[0, column] = metric.value(whole)
        values[1:, column] = [metric.value(state) for state in rest]
    return values


def _sums_of_others(states: Sequence[State]) -> list[State]:
    """The sum of all states but each, by sums from both ends: states need not be divisible."""
    after: list[State] = [states[-1]]
    for state in reversed(states[1:-1]):
        after.append(state + after[-1])
    after.reverse()
    sums, before = [after[0]], states[0]
    for state, rest in zip(states[1:-1], after[1:], strict=True):
        sums.append(before + rest)
        before += state
    return [*sums, before]
