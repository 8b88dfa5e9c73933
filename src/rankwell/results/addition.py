"""Addition of results over disjoint sets of queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.results.loading import SavedDiagnostics
from rankwell.results.part import Part
from rankwell.results.values import CANNOT_ADD, Saved

if TYPE_CHECKING:
    from rankwell.results.results import Results


def added(left: Results, right: Results) -> Results:
    """Return the combined results of two disjoint sets of queries.

    Raises
    ------
    UsageError
        If metrics, policy or other conditions differ, or a query occurs on both sides.
    """
    if left.metrics != right.metrics:
        raise UsageError(
            f"cannot add results with different metrics: {left.metrics} and {right.metrics}. Evaluate both with the same ones."
        )
    left.conditions.refuse_others(right.conditions, left.metrics)
    numbers = left.division.labels.numbers_of(right.division.labels)
    if numbers is None or left.division._replace(labels=right.division.labels) != right.division:
        raise UsageError(
            "cannot add results with different segments or weights: give both evaluations the same by=, weights= and users=."
        )
    if left.slices.keys() != right.slices.keys():
        raise UsageError("cannot add results with different slices: give both evaluations the same slices=.")
    for each in (left.part, right.part):
        _refuse_saved(each)
    part = left.part + _renumbered(right.part, numbers)
    codes, firsts = part.queries.group()
    if len(firsts) < len(codes):
        twice = int(np.flatnonzero(np.arange(len(codes)) != firsts[codes])[0])
        raise UsageError(f"cannot add results: query {brief(part.queries.one(twice))} is on both sides.")
    slices = {name: added(left.slices[name], right.slices[name]) for name in left.slices}
    kind = type(left)
    experiment = left.experiment if left.experiment == right.experiment else ""
    return kind(left.name, left.metrics, left.conditions, part, left.division, slices, experiment)


def _renumbered(part: Part, numbers: np.ndarray) -> Part:
    """Return a part with other numbers of its segments."""
    return replace(
        part,
        segment=None if part.segment is None else numbers[part.segment],
        split={(metric, int(numbers[code])): state for (metric, code), state in part.split.items()},
        sizes=Counter({int(numbers[code]): size for code, size in part.sizes.items()}),
    )


def _refuse_saved(part: Part) -> None:
    ends = chain.from_iterable(part.ends.values())
    states = chain(part.states.values(), ends, part.split.values(), part.weighted.values())
    if any(isinstance(each, Saved | SavedDiagnostics) for each in chain(states, part.diagnostics.values())):
        raise UsageError(CANNOT_ADD)
