"""Bounds under unjudged items: of the values of a run, and of the differences of two."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief, one_of
from rankwell.evaluation.task import FILLS, Task
from rankwell.matching import Asked
from rankwell.matching.batch import Context, Judged
from rankwell.matching.groups import COPIES
from rankwell.matching.holes import Both, PooledItems, PoolSide, Unjudged, ranks_in, with_pooled
from rankwell.matching.pool import Pool
from rankwell.metrics.bounds import DifferenceBounds
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers import open_run
from rankwell.records import record
from rankwell.results.bounds import Bounding
from rankwell.results.part import Part
from rankwell.tables.arguments import UNFIT, fit_kind
from rankwell.tables.ids import Known, to_same_kind
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.evaluation.engine import Engine
    from rankwell.evaluation.request import Request


WHOLE_STEPS = 1000  # up to this grade, all whole grades below the highest one are on the scale


NO_PAIR = "without a stated pool (pool=, --pool), judging other items could turn it"


@record(eq=False)
class Bounds:
    """What bounds the values of runs: a task, and what the bounds rest on."""

    task: BoundsTask
    bounding: Bounding

    @classmethod
    def of(cls, task: Task, asked: BoundsAsked, runs: Sequence[Run]) -> Bounds:
        """Return what bounds the values of the runs of a call."""
        refuse_rules(task.asked)
        grades = scale_of(task.pool, asked.scale)
        refused = tuple(
            (metric, why) for metric in task.metrics if (why := _reason_without_bounds(metric, task, grades))
        )
        bounding = Bounding(tuple(grades.tolist()), asked.scale is not None, asked.words(len(runs)), refused)
        metrics = tuple(metric for metric in task.metrics if bounding.of(metric).kind != "none")
        pool = task.pool
        if asked.is_stated:
            pool = with_pooled(pool, [*runs, *asked.runs], asked.depth, task.asked.policy)
        own = BoundsTask(
            metrics,
            pool,
            replace(task.asked, needs=frozenset(), deepest=None),  # bounds look at hits and pool alone
            task.context,
            matrices=task.matrices,
            tie_ranges=False,
            grades=bounding.grades,
            is_stated=asked.is_stated,
        )
        return cls(own, bounding)

    def added(self, part: Part, run: Run, engine: Engine, threads: int | None) -> Part:
        """Return the part of a run with the bounds of its values."""
        if not self.task.metrics:
            return part
        bounded = engine.run(run, self.task, threads)
        places = Known(bounded.queries).find(to_same_kind(part.queries, bounded.queries, "query")[0])

        def column(values: np.ndarray) -> np.ndarray:
            # the bounds come from a judging of their own: its queries are found by id, not by place
            return np.where(places >= 0, np.append(values, np.nan)[places], np.nan)

        low, high = (
            {m: column(own) for m, own in columns.items()} for columns in (bounded.low, bounded.high)
        )
        return replace(part, low=low, high=high)


def _reason_without_bounds(metric: Metric, task: Task, grades: np.ndarray) -> str:
    """Why a metric that may have bounds has none here; empty if it has, or never has."""
    if not isinstance(metric, QueryMetric) or metric.bounded().kind == "none":
        return ""
    if metric.budget is not None:
        return "a budget cuts its lists"
    if metric.sampled is not None:
        return "its lists rank a sample of the items"
    top = getattr(metric, "max_grade", None)
    if "grade_max" in metric.needed():
        top = task.context.grade_max
    if isinstance(top, int | float) and metric.applies("max_grade") and top < grades[-1]:
        return f"its highest grade is {top:g}, below that of the scale; set max_grade={grades[-1]:g}"
    return ""


@record(eq=False)
class PairBounds:
    """Runs whose lists are matched with each other, so that differences can be bounded."""

    bounds: Bounds
    pool: Pool
    sides: Mapping[str, PoolSide]

    @classmethod
    def of(cls, bounds: Bounds, runs: Mapping[str, Run]) -> PairBounds:
        """Return the runs of a call, all of whose items are pooled."""
        task = bounds.task
        pool = with_pooled(task.pool, runs.values(), None, task.asked.policy)
        asked = Asked(task.asked.policy)
        items = PooledItems(pool, np.array(task.grades))
        sides = {
            name: PoolSide(items, ranks_in(run, pool, asked, task.context)) for name, run in runs.items()
        }
        return cls(bounds, pool, sides)

    def differences(self, first: str, second: str) -> dict[Metric, DifferenceBounds]:
        """Return the bounds of the difference of two runs, first less second, for each query of the pool."""
        task = self.bounds.task
        both = Both(self.sides[first], self.sides[second])
        differences: dict[Metric, DifferenceBounds] = {}
        for metric in task.metrics:
            assert isinstance(metric, QueryMetric)
            if not self.why(metric):
                differences[metric] = _of_defined(
                    metric, both, metric.difference_bounds(both, task.context), task
                )
        for side in both:
            side.let_go()
        return differences

    def why(self, metric: Any) -> str:
        """Why a metric's differences have no bounds; empty if they have."""
        bounded = self.bounds.bounding.of(metric)
        if bounded.kind == "none":
            return bounded.why
        is_open = bounded.reads_pool and not self.bounds.task.is_stated
        return NO_PAIR if is_open and not metric.has_common_divisor() else ""


def _of_defined(
    metric: QueryMetric, both: Both, bounds: DifferenceBounds, task: BoundsTask
) -> DifferenceBounds:
    """Return the bounds of the queries that are defined as judged, and listed by both runs if others are skipped."""
    defined = both.first.once(_is_defined, metric, task.context)
    if task.asked.policy.missing == "skip":
        defined = defined & both.first.once(_is_listed) & both.second.once(_is_listed)
    least, most, low, high = (
        np.where(defined, column, np.nan) for column in (bounds.least, bounds.most, bounds.low, bounds.high)
    )
    return bounds._replace(least=least, most=most, low=low, high=high)


def _is_defined(side: PoolSide, metric: QueryMetric, context: Context) -> np.ndarray:
    unjudged = side.unjudged
    return ~np.isnan(metric.per_query(unjudged.completed(np.nan, np.nan), unjudged.context(context)))


def _is_listed(side: PoolSide) -> np.ndarray:
    return np.bincount(side.items.query[side.within(None)], minlength=len(side.items)) > 0


@record(eq=False)
class BoundsAsked:
    """What was asked: the depth of the pool and its runs besides those of the call; the scale."""

    runs: tuple[Run, ...] = ()
    depth: int | None = None
    is_stated: bool = False
    scale: tuple[float, ...] | None = None

    @classmethod
    def of(cls, request: Request, engine: Engine) -> BoundsAsked | None:
        """Return what ``bounds``, ``pool`` and ``scale`` ask for; None without bounds.

        UsageError for what cannot be combined, or a pool or scale that is none.
        """
        if request.bounds is False:
            for name, value in (("pool", request.pool), ("scale", request.scale)):
                if value is not None:
                    raise UsageError(f"{name}= is about bounds: give bounds=True too.")
            return None
        if request.bounds is not True:
            raise UsageError(f"bounds={brief(request.bounds)}: must be true or false.")
        if engine.name != "memory":
            raise UsageError(f"bounds need engine='memory', not {engine.name}.")
        if request.weights is not None:
            raise UsageError("bounds cannot be combined with weights=.")
        depth, runs = _pool(request.pool)
        opened = tuple(
            open_run(run, name=None if isinstance(run, (str, os.PathLike)) else "pool", **request.of_runs)
            for run in runs
        )
        scale = None if request.scale is None else _scale(request.scale)
        return cls(opened, depth, request.pool is not None, scale)

    def words(self, n: int) -> str:
        """The pool in words, for ``n`` runs of the call; empty without a stated one."""
        if not self.is_stated:
            return ""
        more = f" and {', '.join(run.name for run in self.runs)}" if self.runs else ""
        depth = "whole lists" if self.depth is None else f"depth {self.depth}"
        return f"{'the run' if n == 1 else f'{n} runs'}{more}, {depth}"


def _pool(pool: Any) -> tuple[int | None, list[Any]]:
    """Return the depth (None: all) and the runs of a pool: a depth, a run, or a list of runs and at most one depth."""
    parts: Sequence[Any] = pool if isinstance(pool, (list, tuple)) else [] if pool is None else [pool]
    depths: list[int | None] = []
    runs: list[Any] = []
    for part in parts:
        number = None if isinstance(part, (str, Mapping)) else fit_kind(part, int)
        if isinstance(part, str) and part == "all":
            depths.append(None)
        elif number is not None and number is not UNFIT:
            depths.append(number)
        else:
            runs.append(part)
    if len(depths) > 1 or any(depth is not None and depth < 1 for depth in depths):
        raise UsageError(
            f"pool={brief(pool)}: give a depth of at least 1 or 'all' for the runs of this call, more runs, or a list of runs "
            f"with one depth, such as [100, 'other.run']."
        )
    return (depths[0] if depths else None), runs


def _scale(scale: Any) -> tuple[float, ...]:
    """Return the grades of a scale, given as the highest one or as a list."""
    values = list(scale) if isinstance(scale, (list, tuple, np.ndarray)) else [scale]
    grades = [fit_kind(value, float) for value in values]
    if UNFIT in grades or not grades or max(grades) <= 0:
        raise UsageError(
            f"{brief(scale)} is no scale: give its highest grade, such as 3, or all grades, such as [0, 1, 3]."
        )
    highest = grades[0]
    if len(grades) == 1 and highest.is_integer() and highest <= WHOLE_STEPS:
        return tuple(float(grade) for grade in range(int(highest) + 1))
    return tuple(sorted({0.0, *grades}))


def scale_of(pool: Pool, levels: tuple[float, ...] | None) -> np.ndarray:
    """Return the grades that unjudged items could have: those of the scale, and those that have been judged.

    Without a scale these are the whole numbers up to the highest grade judged, if all grades are whole numbers.
    """
    judged = np.unique(pool.grades[pool.scale.judged(pool.grades)])
    highest = float(judged.max(initial=0.0))
    if levels is not None and highest > levels[-1]:
        raise UsageError(
            f"the scale ends at {levels[-1]:g}, but an item was judged {highest:g}; give the highest grade of the scale."
        )
    if levels is None:
        is_whole = bool((judged == np.rint(judged)).all()) and highest <= WHOLE_STEPS
        levels = tuple(range(int(highest) + 1)) if is_whole else ()
    return np.unique(np.concatenate([[0.0], judged, np.asarray(levels, np.float64)]))


def refuse_rules(asked: Asked) -> None:
    """Raise UsageError for policies under which a list has no one order of all its items."""
    policy = asked.policy
    if policy.ties in ("best", "worst", "expected"):
        raise UsageError(
            f"bounds cannot be combined with ties='{policy.ties}', where the order depends on the grades; use "
            f"{one_of(('item-desc', 'item-asc', 'order'))}."
        )
    if policy.unjudged == "condense":
        raise UsageError(
            "bounds cannot be combined with unjudged='condense', which removes the items in question."
        )


@record(eq=False)
class BoundsTask(Task):
    """The work done on each batch of lists to bound its values; the pool also holds the unjudged items of the stated pool."""

    grades: tuple[float, ...] = ()
    is_stated: bool = False

    def measure(self, judged: Judged, counts: dict[str, int]) -> Part:
        """Return the part of a judged batch, with bounds and without values."""
        if (rule := self.asked.policy.duplicates) in ("first", "each") and counts.get(COPIES):
            raise DataError(
                f"bounds: lists repeat items, and with duplicates='{rule}' a grade does not count once at each of its rows; "
                f"use duplicates='drop'."
            )
        part = Part(judged.queries, judged.pool_row)
        rows = np.flatnonzero(judged.pool_row >= 0)
        lists, grades = judged.take(rows, judged.found), np.array(self.grades)
        unjudged = Unjudged.of(lists, grades, is_stated=self.is_stated)
        for metric in self.metrics:
            assert isinstance(metric, QueryMetric)
            part.low[metric], part.high[metric] = np.full((2, len(judged)), np.nan)
            part.low[metric][rows], part.high[metric][rows] = self._bounds(metric, unjudged)
        return part

    def _bounds(self, metric: QueryMetric, unjudged: Unjudged) -> tuple[np.ndarray, np.ndarray]:
        """Return the bounds of a metric, which its value lies within to the last bit."""
        low, high = metric.bounds(unjudged, self.context)
        as_judged = unjudged.completed(np.nan, np.nan)
        value = np.asarray(metric.per_query(as_judged, unjudged.context(self.context)), np.float64)
        fill = FILLS.get(self.asked.policy.undefined) if metric.undefined == "judgements" else None
        value = value if fill is None else np.where(np.isnan(value), fill, value)
        return np.fmin(low, value), np.fmax(high, value)
