"""Part: values, states and counts of some queries, which can be added."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.states import Diagnostics, State

K = TypeVar("K", bound=Hashable)
Ends = tuple[State, State]  # under the best and the worst order of equal scores
AllEnds = Mapping[Metric, Ends]
States = Mapping[Metric, State]
Tied = AllEnds | Callable[[], AllEnds]  # the ends, or what works them out
TIE_RANGE = 0.001  # the least by which the order of equal scores moves a value that is told to depend on it
ROOM = 1 << 18  # rows of a column that begins to grow


@dataclass(eq=False)
class Part:
    """Values, states and counts of some queries; parts of disjoint sets of queries can be added.

    ``pool_row`` is the row of each query in the judgements, -1 if it has none. ``tied`` holds or makes the ``ends``, the
    states under the best and the worst order of equal scores, for metrics that this order can change. ``segment`` is the
    segment of each query, ``divided`` holds the values to be divided by it, ``split`` the states by metric and segment of
    metrics without a value per query, ``sizes`` the number of queries per segment as far as a file says it, and ``weighted``
    the states of weighted means. ``reported`` are counts of metrics; of those with one name the largest is shown.
    ``low`` and ``high`` are bounds of the values under unjudged items. ``seen`` is what was seen of the scores in passing.
    """

    queries: Ids
    pool_row: np.ndarray
    values: dict[Metric, np.ndarray] = field(default_factory=dict)
    states: dict[Metric, State] = field(default_factory=dict)
    tied: Tied = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    undefined: dict[tuple[Metric, str], int] = field(default_factory=dict)
    diagnostics: dict[Metric, Diagnostics] = field(default_factory=dict)
    split: dict[tuple[Metric, int], State] = field(default_factory=dict)
    weighted: dict[Metric, State] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    segment: np.ndarray | None = None
    divided: dict[Metric, np.ndarray] = field(default_factory=dict)
    reported: dict[tuple[Metric, str], int] = field(default_factory=dict)
    low: dict[Metric, np.ndarray] = field(default_factory=dict)
    high: dict[Metric, np.ndarray] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    @property
    def ends(self) -> Mapping[Metric, Ends]:
        """The states under the best and the worst order of equal scores, worked out at the first look."""
        return self.settle().tied  # type: ignore[return-value]

    def settle(self) -> Part:
        """Work out what is left for a first look, and return the same part."""
        tied = self.tied
        if callable(tied):
            self.tied = tied()
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return the columns and states, to be pickled."""
        return vars(self.settle())

    def __add__(self, other: Part) -> Part:
        return Part.sum([self, other])

    def with_counts(self, counts: Mapping[str, int]) -> Part:
        """Return the same with more counts, named before those that the part has."""
        more = dict(counts)
        add_counts(more, self.counts)
        part = Part.__new__(Part)  # dataclasses.replace would take a twentieth of a small evaluation
        vars(part).update(vars(self), counts=more)
        return part

    def folded(self, metrics: Iterable[Metric]) -> Part:
        """Return the same without anything that grows with the queries: segments become states and numbers of queries."""
        split, sizes = dict(self.split), dict(self.sizes)
        if self.segment is not None:
            is_counted = self.counted(metrics, self.divided)
            order = np.argsort(self.segment, kind="stable")
            # -2 is no segment, so that the first one begins, too
            begins = np.flatnonzero(np.diff(self.segment[order], prepend=-2))
            for own in np.split(order, begins[1:]) if len(order) else ():
                code = int(self.segment[own[0]])
                add_counts(sizes, {code: int(np.count_nonzero(is_counted[own]))})
                for metric, values in self.divided.items():
                    assert isinstance(metric, QueryMetric)
                    split[metric, code] = metric.summary(values[own][~np.isnan(values[own])])
        none = {"queries": self.queries[:0], "pool_row": self.pool_row[:0], "split": split, "sizes": sizes}
        return replace(self, **none, values={}, segment=None, divided={}, low={}, high={})  # type: ignore[arg-type]

    def concerned(self) -> np.ndarray:
        """Return the rows of the queries to report, sorted by id: only judged ones if all metrics need judgements."""
        rows = np.arange(len(self.queries))
        # by id, whatever order an engine or a day's files gave: what is drawn, saved and compared must not depend on it
        if self.values and all(metric.judgements for metric in self.values):
            rows = np.flatnonzero(self.counted(self.values, self.values))
        return rows[self.queries[rows].order()]

    def counted(self, metrics: Iterable[Metric], values: Mapping[Metric, np.ndarray]) -> np.ndarray:
        """Return which queries count: all of them, or if a metric needs judgements those that have any, or a value all the same.

        Without judgements they have one under ``population="listed"`` only.
        """
        if not any(metric.judgements for metric in metrics):
            return np.ones(len(self.pool_row), np.bool_)
        judged = self.pool_row >= 0
        if not judged.all():
            for metric, own in values.items():
                if metric.judgements:
                    judged |= ~np.isnan(own)
        return judged

    @classmethod
    def sum(cls, parts: Iterable[Part]) -> Part:
        """Return the sum of at least one part; each part is released before the next is taken.

        Per-query values are kept for the metrics that have them in every part.
        """
        parts = iter(parts)
        total = next(parts)
        if (part := next(parts, None)) is None:
            return total
        running = Sum(total)
        while part is not None:
            running.add(part)
            part = next(parts, None)
        return running.part()


class Sum:
    """A sum of parts that grows; what it makes is of the parts added so far, and nothing can be added afterwards."""

    def __init__(self, part: Part) -> None:
        self._queries, self._pool_row = [part.queries], GrowingArray(part.pool_row)
        self._values, self._divided, self._low, self._high = (
            {metric: GrowingArray(values) for metric, values in columns.items()}
            for columns in (part.values, part.divided, part.low, part.high)
        )
        self._segment = None if part.segment is None else GrowingArray(part.segment)
        self._states, self._ends = dict(part.states), _GrowingEnds(part.tied, part.states)
        self._diagnostics = dict(part.diagnostics)
        self._split, self._weighted = dict(part.split), dict(part.weighted)
        self._counts, self._undefined = part.counts.copy(), part.undefined.copy()
        self._sizes, self._reported, self._seen = part.sizes.copy(), part.reported.copy(), part.seen.copy()
        # keys of states that were made here: nobody else has them, so that they may change
        self._own: set[Any] = set()

    def add(self, part: Part) -> None:
        """Add a part of other queries."""
        self._queries.append(part.queries)
        self._pool_row.extend(part.pool_row)
        self._values = {metric: column for metric, column in self._values.items() if metric in part.values}
        for metric, column in self._values.items():
            column.extend(part.values[metric])
        beside = (self._divided, part.divided), (self._low, part.low), (self._high, part.high)
        for columns, more in beside:
            for metric, column in columns.items():
                column.extend(more[metric])
        if self._segment is not None and part.segment is not None:
            self._segment.extend(part.segment)
        # before the states: a part without ends of a metric counts with its state, and so do all parts before it
        self._ends.add(part.tied, part.states, self._states)
        self._add_states(self._states, part.states)
        _add_each(self._diagnostics, part.diagnostics)
        self._add_states(self._split, part.split)
        _add_each(self._weighted, part.weighted)
        add_counts(self._counts, part.counts)
        add_counts(self._undefined, part.undefined)
        add_counts(self._sizes, part.sizes)
        add_counts(self._reported, part.reported)
        add_counts(self._seen, part.seen)

    def _add_states(self, total: dict[Any, Any], more: Mapping[Any, Any]) -> None:
        """Add each state to the one with the same key: in place, where it can be and the state is a sum that was made here."""
        for key, state in more.items():
            if key in self._own:
                total[key] += state
            elif key in total:
                total[key] = total[key] + state
                self._own.add(key)
            else:
                total[key] = state

    def hold(self, metric: Metric, segment: int | None, state: State) -> None:
        """Hold the whole state of a metric, of all queries or of those of a segment, which no part has."""
        if segment is None:
            self._states[metric] = state
        else:
            self._split[metric, segment] = state

    def part(self) -> Part:
        """Return the sum."""
        low, high = (
            {m: column.values() for m, column in columns.items()} for columns in (self._low, self._high)
        )
        return Part(
            Ids.concatenate(self._queries),
            self._pool_row.values(),
            {metric: column.values() for metric, column in self._values.items()},
            self._states,
            self._ends.tied(),
            self._counts,
            self._undefined,
            self._diagnostics,
            self._split,
            self._weighted,
            self._sizes,
            None if self._segment is None else self._segment.values(),
            {metric: column.values() for metric, column in self._divided.items()},
            self._reported,
            low,
            high,
            self._seen,
        )


def add_counts(total: dict[K, int], more: Mapping[K, int]) -> None:
    """Add each count to the one with the same key; a ``Counter`` would take a thirtieth of a small evaluation."""
    for key, count in more.items():
        total[key] = total.get(key, 0) + count


def _add_each(total: dict[Any, Any], more: Mapping[Any, Any]) -> None:
    """Add each value to the one with the same key."""
    for key, state in more.items():
        total[key] = total[key] + state if key in total else state


class GrowingArray:
    """A column that grows piece by piece; each piece is copied at once into one growing array."""

    def __init__(self, values: np.ndarray) -> None:
        self._held, self._n = values, len(values)

    def extend(self, values: np.ndarray) -> None:
        """Append a piece."""
        n = self._n + len(values)
        if n > len(self._held):
            held = np.empty(max(4 * n, ROOM), self._held.dtype)  # pages never written cost no memory
            held[: self._n] = self._held[: self._n]
            self._held = held
        self._held[self._n : n] = values
        self._n = n

    def values(self) -> np.ndarray:
        """Return the whole column; nothing can be appended afterwards."""
        if len(self._held) == self._n:
            return self._held
        self._held.resize(self._n, refcheck=False)  # in place: a copy would take twice the memory
        return self._held


class _GrowingEnds:
    """The ends of a growing sum of parts, worked out as late as can be: few ask for them, and an order of all ties takes a pass of its own.

    Until a part comes whose ends were worked out, none are here.
    """

    def __init__(self, tied: Tied, states: States) -> None:
        self._waiting: list[tuple[Tied, States]] = []
        self._summed: dict[Metric, Ends] | None = None
        if callable(tied) or not tied:
            self._wait(tied, states)
        else:
            self._summed = dict(tied)

    def add(self, tied: Tied, states: States, before: States) -> None:
        """Add the ends of a part with these states to those of the parts before it, whose states are ``before`` together."""
        if self._summed is None and (callable(tied) or not tied):
            self._wait(tied, states)
            return
        if self._summed is None:
            self._summed, self._waiting = _sum_of_ends(self._waiting), []
        if callable(tied):
            tied = tied()
        for metric in {**self._summed, **tied}:
            best, worst = self._summed.get(metric) or (before[metric], before[metric])
            more = tied.get(metric) or (states[metric], states[metric])
            self._summed[metric] = best + more[0], worst + more[1]

    def _wait(self, tied: Tied, states: States) -> None:
        """Keep what the ends of a part are made of, which is little; parts without ties are kept as one."""
        averages: dict[Metric, State] = {
            metric: state for metric, state in states.items() if isinstance(metric, QueryMetric)
        }
        if self._waiting and not tied and not self._waiting[-1][0]:
            for metric, state in self._waiting.pop()[1].items():
                averages[metric] = state + averages[metric] if metric in averages else state
        self._waiting.append((tied, averages))

    def tied(self) -> Tied:
        """Return the ends, or what works them out."""
        if self._summed is not None:
            return self._summed
        return partial(_sum_of_ends, self._waiting) if any(tied for tied, _ in self._waiting) else {}


def _sum_of_ends(parts: list[tuple[Tied, States]]) -> dict[Metric, Ends]:
    """The sums of the ends of some parts; one without ends of a metric has its state, which no order of ties changes."""
    worked_out = [(tied() if callable(tied) else tied, states) for tied, states in parts]
    sums: dict[Metric, Ends] = {}
    for metric in dict.fromkeys(metric for ends, _ in worked_out for metric in ends):
        both = [ends.get(metric) or (states[metric], states[metric]) for ends, states in worked_out]
        sums[metric] = reduce(add, [best for best, _ in both]), reduce(add, [worst for _, worst in both])
    return sums


@record(slots=True)
class SavedValue:
    """A value read from a file without its state, for a metric whose states a file cannot hold; it cannot be added."""

    value: float
    n: int

    def __add__(self, other: object) -> SavedValue:
        raise UsageError("cannot add a loaded value without its state.")


@record(slots=True)
class SavedDiagnostics:
    """Diagnostics read from a file, without the sums behind them; they cannot be added."""

    diagnostics: dict[str, float]

    def __add__(self, other: object) -> SavedDiagnostics:
        raise UsageError("cannot add loaded diagnostics without the sums behind them.")


def value_of(metric: Metric, state: State) -> float:
    """Return the value of a metric's state."""
    return state.value if isinstance(state, SavedValue) else metric.value(state)


def tie_ranges(
    metrics: Iterable[Metric], ends: Mapping[Metric, tuple[State, State]]
) -> dict[str, tuple[float, float]]:
    """Return the values under the worst and the best order of equal scores, for metrics where they differ by more than 0.001."""
    ranges = {str(m): (value_of(m, ends[m][1]), value_of(m, ends[m][0])) for m in metrics if m in ends}
    return {name: (low, high) for name, (low, high) in ranges.items() if abs(high - low) > TIE_RANGE}


def left_out_of(states: Mapping[Metric, State]) -> dict[str, int]:
    """Return counts of what the metrics left out; a count that several metrics share appears once."""
    total: dict[str, int] = {}
    for metric, state in states.items():
        if not isinstance(state, SavedValue) and (counted := metric.left_out(state)):
            for what, count in counted.items():
                total[what] = max(count, total.get(what, 0))
    return total
