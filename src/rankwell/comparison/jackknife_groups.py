"""Values without each group of lists, where data are read in pieces: groups are drawn by a hash of the query, and states are added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rankwell.errors import DataError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import run_of
from rankwell.metrics.metric import Metric
from rankwell.readers.frames.pieces import pieces_of
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.labels import Labels
from rankwell.results.part import Part
from rankwell.results.segments import Division, Segments
from rankwell.tables.fingerprints import draws
from rankwell.tables.ids import Ids
from rankwell.tables.states import Divisible, State


class Found(NamedTuple):
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


def drawn(groups: int, seed: int) -> DrawnSegments:
    """Return segments that are drawn."""
    import polars as pl

    labels = Labels((pl.Series([str(group) for group in range(groups)]),))
    none = np.empty(0, np.int64)
    return DrawnSegments(None, Division(("group",), labels), none, seed=seed, groups=groups)  # type: ignore[arg-type]


def by_groups(evaluator: Evaluator, runs: Sequence[Any], groups: int, seed: int) -> Found:
    """Return what the lists of one run, or the difference of two, tell without each group.

    Raises
    ------
    DataError
        If fewer than two groups hold lists, or the two runs have different numbers of lists in a group.
    """
    plan: Any = evaluator.plan
    plan = replace(plan, segments=drawn(groups, seed), per_query=False)
    named = zip(runs, (None, "against"), strict=False)
    opened = [run_of(run, name, plan.engine, evaluator.read) for run, name in named]
    found: list[Results] = [plan.results(run) for run in opened]
    parts = [res.part.folded(evaluator.metrics) for res in found]
    sizes = [part.sizes for part in parts]
    if sizes[0] != sizes[-1]:
        raise DataError(
            f"the two runs hold lists of different users ({sum(sizes[0].values()):,} and {sum(sizes[-1].values()):,}); a "
            f"difference needs the same users in both."
        )
    used = sorted(group for group, size in sizes[0].items() if size)
    if len(used) < 2:
        raise DataError(f"{found[0].name}: an interval needs lists in at least two groups, not {len(used)}.")
    values = [_without(part, evaluator.metrics, used) for part in parts]
    both = values[0] if len(values) == 1 else values[0] - values[1]
    items = min(pieces_of(run).distinct("item") for run in opened)
    name = " less ".join(res.name for res in found)
    lists = np.array([sizes[0][group] for group in used])
    return Found(both[0].tolist(), both[1:], lists, items, name)


def _without(part: Part, metrics: Sequence[Metric], groups: Sequence[int]) -> np.ndarray:
    """The values of all lists, in the first row, and without each group; a column per metric."""
    found = np.empty((1 + len(groups), len(metrics)))
    for column, metric in enumerate(metrics):
        states = [part.split[metric, group] for group in groups]
        whole = part.states[metric]
        rest = map(whole.without, states) if isinstance(whole, Divisible) else _sums_of_others(states)
        found[0, column] = metric.value(whole)
        found[1:, column] = [metric.value(state) for state in rest]
    return found


def _sums_of_others(states: Sequence[State]) -> list[State]:
    """The sum of all states but each, by sums from both ends: states need not be divisible."""
    after: list[State] = [states[-1]]
    for state in reversed(states[1:-1]):
        after.append(state + after[-1])
    after.reverse()
    found, before = [after[0]], states[0]
    for state, rest in zip(states[1:-1], after[1:], strict=True):
        found.append(before + rest)
        before += state
    return [*found, before]
