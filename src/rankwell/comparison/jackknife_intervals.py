"""jackknife: intervals of corpus metrics, by leaving lists out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, UsageError, nearest
from rankwell.evaluation import Evaluator
from rankwell.evaluation.task import Task
from rankwell.judge import missing_lists
from rankwell.judge.judged import Judged
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.metric import Metric
from rankwell.readers import read_run
from rankwell.tables.arguments import checked
from rankwell.tables.draws import draws
from rankwell.tables.ids import Known
from rankwell.tables.run_qrels import Run
from rankwell.tables.states import State

MOST = 10_000  # up to this number, lists are left out one by one
GROUPS = 200
FEWEST_ITEMS = 50


@dataclass(frozen=True)
class Interval:
    """A value with its standard error and its interval."""

    value: float
    error: float
    low: float
    high: float


class Jackknife:
    """Intervals of metrics: look one up by any spelling, or use ``to_table()`` or ``to_dict()`` for all.

    ``n`` is the number of lists, ``groups`` the number of parts left out in turn, ``items`` the number of distinct items in the
    lists, ``is_reliable`` whether those are enough to trust the intervals.
    """

    def __init__(
        self,
        name: str,
        intervals: Mapping[Metric, Interval],
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

    def __getitem__(self, metric: Wanted) -> Interval:
        wanted = metric_of(metric)
        if wanted not in self._intervals:
            names = [str(each) for each in self._intervals]
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
                    for name, x in vars(found).items()
                }
                for metric, found in self._intervals.items()
            },
        }  # fmt: skip

    def to_table(self) -> Table:
        """Return a table for people."""
        columns = [Column("metric"), Column("value", "value"), Column("error", "value")]
        columns += [Column("low", "value"), Column("high", "value")]
        rows: list[tuple[Cell, ...]] = [
            (str(metric), found.value, found.error, found.low, found.high)
            for metric, found in self._intervals.items()
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

    def __repr__(self) -> str:
        return self.to_table().to_text()

    def _repr_html_(self) -> str:
        return self.to_table().to_html()


@checked
def jackknife(
    run: Any,
    metrics: Iterable[Wanted] | Wanted,
    qrels: Any = None,
    *,
    against: Any = None,
    level: float = 0.95,
    groups: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Jackknife:
    """Return intervals of corpus metrics (coverage, Gini, personalization …) by leaving lists out.

    Formula
        se² = (G − 1) / G · Σ_g (θ_(g) − mean θ)², θ_(g) the value without group g; value ± t_(G−1) · se

    Parameters
    ----------
    run, metrics, qrels
        As for ``evaluate``; the metrics must have one value for all lists, not a value per query.
    against
        A second run: values are ``run`` minus ``against``, and each group of users is left out of both.
    level
        The share of intervals that should contain the true value.
    groups
        How many parts to leave out in turn; default: one per list, for more than 10,000 lists 200 parts, drawn at random.
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
    variance, Annals of Statistics 9(3), 1981.

    Examples
    --------
    >>> found = jackknife({"u": ["a", "b"], "v": ["a", "c"], "w": ["d", "e"]}, "coverage@2", items=list("abcdefgh"))
    >>> found["coverage@2"].value, found.n, found.is_reliable
    (0.625, 3, False)
    """
    evaluator = Evaluator(qrels, metrics, **options)
    plain = next((m for m in evaluator.metrics if not isinstance(m, CorpusMetric)), None)
    if plain is not None:
        raise UsageError(
            f"{plain} has a value per query, and its mean needs another kind of interval; jackknife is for metrics of all "
            f"lists together, such as coverage@10."
        )
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be a share between 0 and 1, such as 0.95.")
    runs = [read_run(run)] if against is None else [read_run(run), read_run(against, name="against")]
    sides = [_side(evaluator.task, read) for read in runs]
    if against is not None:
        sides[1] = sides[1].beside(sides[0])
    n = len(sides[0].judged)
    parts = groups or (n if n <= MOST else GROUPS)
    if not 1 < parts <= n:
        raise UsageError(f"groups={parts}: must be from 2 to the number of lists, {n:,}." if groups else
                         f"{runs[0].name}: an interval needs at least two lists, not {n}.")  # fmt: skip
    value = _values(sides, [side.states() for side in sides])
    order = np.argsort(draws(seed, sides[0].judged.queries), kind="stable")
    without = np.array(list(_left_out([side.take(order) for side in sides], parts)))
    intervals = {
        metric: _interval(value[at], without[:, at], level) for at, metric in enumerate(evaluator.metrics)
    }
    name = runs[0].name if against is None else f"{runs[0].name} less {runs[1].name}"
    items = min(side.distinct() for side in sides)
    return Jackknife(name, intervals, n=n, groups=parts, items=items, level=level, seed=seed)


@dataclass(frozen=True, eq=False)
class Side:
    """Some lists of one run and their states; ``place`` is the position of each user's lists."""

    task: Task
    judged: Judged
    place: np.ndarray
    missing: dict[Metric, State]  # of judged queries without a list, which are never left out

    def states(self) -> dict[Metric, State]:
        """Return the states of these lists."""
        return {metric: self.task.state_of(metric, self.judged) for metric in self.task.metrics}

    def take(self, users: np.ndarray) -> Side:
        """Return the lists of some users."""
        wanted = self.place[users]
        rows = np.sort(wanted)
        judged = self.judged.take(rows, self.judged.found)
        return Side(self.task, judged, np.searchsorted(rows, wanted), self.missing)

    def beside(self, first: Side) -> Side:
        """Return the same lists with users in the order of another run; DataError if their users differ."""
        place = Known(self.judged.queries).rows_of(first.judged.queries, "query")
        if (place < 0).any() or len(place) != len(self.judged):
            raise DataError(
                f"the two runs hold lists of different users ({len(place):,} and {len(self.judged):,}); a difference needs "
                f"the same users in both."
            )
        return Side(self.task, self.judged, place, self.missing)

    def distinct(self) -> int:
        """The number of distinct items in the lists."""
        items = self.judged.shown.item
        return 0 if items is None else len(np.unique(items[items >= 0]))


def _side(task: Task, run: Run) -> Side:
    """All lists of a run, judged at once."""
    task = replace(task, asked=task.asked.reading("shown", "item")).of_run(run)
    if not len(run):
        raise DataError(f"{run.name}: the run holds no rows.")
    lists = next(run.rows.table().batches(len(run)))()
    judged, _ = task.judged(lists)
    absent = missing_lists(task.pool, judged.pool_row[judged.pool_row >= 0])
    is_empty = task.asked.policy.missing == "empty" and len(absent) > 0
    missing = {m: task.state_of(m, absent) for m in task.metrics if m.sees_missing and is_empty}
    return Side(task, judged, np.arange(len(judged)), missing)


Outside = list[dict[Metric, State]] | None


def _left_out(sides: list[Side], parts: int, outside: Outside = None) -> Iterator[list[float]]:
    """Yield the values without each part: parts are halved recursively, and the states outside each half are carried along."""
    if parts == 1:
        assert outside is not None
        yield _values(sides, outside)
        return
    n = len(sides[0].judged)
    few = parts // 2
    halves = np.split(np.arange(n), [round(n * few / parts)])
    inside = [[side.take(rows) for side in sides] for rows in halves]
    states = [[side.states() for side in half] for half in inside]
    for half, other, count in ((0, 1, few), (1, 0, parts - few)):
        yield from _left_out(inside[half], count, _together(outside, states[other]))


def _together(left: Outside, right: list[dict[Metric, State]]) -> list[dict[Metric, State]]:
    if left is None:
        return right
    pairs = zip(left, right, strict=True)
    return [{metric: mine[metric] + theirs[metric] for metric in mine} for mine, theirs in pairs]


def _values(sides: list[Side], states: list[dict[Metric, State]]) -> list[float]:
    """The values, or the differences of two sides."""
    values = [
        [
            metric.value(state + side.missing[metric] if metric in side.missing else state)
            for metric, state in each.items()
        ]
        for side, each in zip(sides, states, strict=True)
    ]
    return values[0] if len(sides) == 1 else [a - b for a, b in zip(*values, strict=True)]


def _interval(value: float, without: np.ndarray, level: float) -> Interval:
    from scipy.special import stdtrit

    groups = len(without)
    error = math.sqrt((groups - 1) / groups * float(np.sum((without - without.mean()) ** 2)))
    reach = float(stdtrit(groups - 1, 0.5 + level / 2)) * error
    return Interval(value, error, value - reach, value + reach)
