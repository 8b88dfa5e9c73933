"""The lists of one or two runs, and the values without each part of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankwell.errors import DataError
from rankwell.evaluation.task import Task
from rankwell.matching import missing_lists
from rankwell.matching.judged import Judged
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.csr import distinct, owners_of
from rankwell.tables.ids import Known
from rankwell.tables.run_qrels import Run
from rankwell.tables.states import Divisible, State

States = dict[Metric, State]


@record(eq=False)
class Side:
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

    def take(self, users: np.ndarray) -> Side:
        """Return the lists of some users."""
        wanted = self.place[users]
        rows = np.sort(wanted)
        judged = self.judged.take(rows, self.judged.found)
        return Side(self.task, judged, np.searchsorted(rows, wanted), self.missing)

    def in_groups(self, sizes: Sequence[int]) -> Side:
        """Return the same with the lists of each group together, in the order that they have; a group is so many users."""
        group = np.empty(len(self.place), np.int64)
        group[self.place] = owners_of(np.array(sizes))
        rows = np.argsort(group, kind="stable")
        number = np.empty(len(rows), np.int64)
        number[rows] = np.arange(len(rows))
        return Side(self.task, self.judged.take(rows, self.judged.found), number[self.place], self.missing)

    def between(self, low: int, high: int) -> Side:
        """Return the lists at some places, which are those of the users of the same numbers, as in whole groups."""
        judged = self.judged.take(np.arange(low, high), self.judged.found)
        return Side(self.task, judged, self.place[low:high] - low, self.missing)

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
        return 0 if items is None else len(distinct(items[items >= 0]))


def side_of(task: Task, run: Run) -> Side:
    """All lists of a run, judged at once."""
    task = replace(task, asked=task.asked.reading("shown", "item")).of_run(run)
    rows = run.rows.table()
    if not len(rows):
        raise DataError(f"{run.name}: the run holds no rows.")
    lists = next(rows.batches(len(rows)))()
    judged, _ = task.judged(lists)
    absent = missing_lists(task.pool, judged.pool_row[judged.pool_row >= 0])
    is_empty = task.asked.policy.missing == "empty" and len(absent) > 0
    missing = {m: task.state_of(m, absent) for m in task.metrics if m.sees_missing and is_empty}
    return Side(task, judged, np.arange(len(judged)), missing)


def left_out(sides: list[Side], wholes: list[States], parts: int) -> Iterator[list[float]]:
    """Yield the values without each part.

    The part is taken from the state of all lists; for states from which nothing can be taken, those outside of it are added.
    """
    sizes = sizes_of(len(sides[0].judged), parts)
    yield from _halved([side.in_groups(sizes) for side in sides], wholes, parts)


def _halved(
    sides: list[Side], wholes: list[States], parts: int, outside: list[States] | None = None
) -> Iterator[list[float]]:
    """Yield the values without each part: parts are halved recursively, and the states outside each half carried along."""
    if parts == 1:
        yield values_of(
            [_without(*each) for each in zip(sides, wholes, outside or [{}] * len(sides), strict=True)]
        )
        return
    n = len(sides[0].judged)
    few, middle = parts // 2, _half(n, parts)
    inside = [[side.between(*ends) for side in sides] for ends in ((0, middle), (middle, n))]
    states = [[_carried(*each) for each in zip(half, wholes, strict=True)] for half in inside]
    for half, other, count in ((0, 1, few), (1, 0, parts - few)):
        yield from _halved(inside[half], wholes, count, _together(outside, states[other]))


def sizes_of(n: int, parts: int) -> list[int]:
    """Return how many of ``n`` lists are in each part.

    >>> sizes_of(10, 4)
    [2, 3, 2, 3]
    """
    if parts == 1:
        return [n]
    few = parts // 2
    return sizes_of(_half(n, parts), few) + sizes_of(n - _half(n, parts), parts - few)


def _half(n: int, parts: int) -> int:
    return round(n * (parts // 2) / parts)


def _carried(side: Side, whole: States) -> States:
    """The states of some lists for the metrics whose states cannot be divided."""
    return {metric: side.state(metric) for metric, state in whole.items() if not isinstance(state, Divisible)}


def _without(side: Side, whole: States, outside: States) -> States:
    """The states of all lists but these."""
    return {
        metric: state.without(side.state(metric))
        if isinstance(state, Divisible)
        else side.with_missing(metric, outside[metric])
        for metric, state in whole.items()
    }


def _together(left: list[States] | None, right: list[States]) -> list[States]:
    if left is None:
        return right
    pairs = zip(left, right, strict=True)
    return [{metric: mine[metric] + theirs[metric] for metric in mine} for mine, theirs in pairs]


def values_of(sides: list[States]) -> list[float]:
    """The values, or the differences of two sides."""
    values = [[metric.value(state) for metric, state in states.items()] for states in sides]
    return values[0] if len(sides) == 1 else [a - b for a, b in zip(*values, strict=True)]
