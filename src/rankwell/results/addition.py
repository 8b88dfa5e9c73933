"""Addition of results over disjoint sets of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.metrics.metric import Metric
from rankwell.results.conditions import Conditions
from rankwell.results.part import Part, Saved, SavedDiagnostics
from rankwell.results.results import Results
from rankwell.tables.columns import NOT_READ


def total(results: list[Results], places: Sequence[str] = ()) -> Results:
    """Return the combined results of disjoint sets of queries, under the name of the first.

    The list is emptied, so that what has been added takes no memory. ``places`` says where each comes from, for messages.

    Raises
    ------
    UsageError
        If there are none, metrics, policy or other conditions differ, or a query occurs twice.
    """
    if not results:
        raise UsageError("there are no results to add.")
    results[:] = [each.collected() for each in results]
    first, numbers = results[0], []
    for at, each in enumerate(results):
        try:
            numbers.append(_refuse_others(first, each))
            _refuse_lost(each.part)
        except UsageError as error:
            where = f"{places[0]} and {places[at]}: " if places and at else ""
            raise UsageError(f"{where}{error}") from None
    if len(results) == 1:
        return first
    slices = {name: total([each.slices[name] for each in results], places) for name in first.slices}
    conditions = reduce(Conditions.joined, (each.conditions for each in results))
    experiment = first.experiment if len({each.experiment for each in results}) == 1 else ""
    unread = {
        name: n for each in results for name, n in each.part.counts.items() if name.startswith(NOT_READ)
    }  # the columns are named once for all days
    ends = np.cumsum([len(each.part.queries) for each in results])
    results.reverse()
    numbers.reverse()
    part = Part.sum(_renumbered(results.pop().part, numbers.pop()) for _ in ends)
    if not part.queries.is_distinct():
        raise _twice(part, ends, places)
    from rankwell.matching.train import COUNTS

    shared = COUNTS & first.part.counts.keys()
    part.counts = part.counts | {name: first.part.counts[name] for name in shared} | unread
    return replace(first, conditions=conditions, part=part, slices=slices, experiment=experiment)


def _refuse_others(left: Results, right: Results) -> np.ndarray:
    """Return the left numbers of the right segments; UsageError if two results differ in something else than their queries."""
    if left.metrics != right.metrics:
        raise UsageError(
            f"cannot add results with different metrics: {_listed(left.metrics)} and {_listed(right.metrics)}. Evaluate both with "
            f"the same ones, in the same order."
        )
    left.conditions.refuse_others(right.conditions, left.metrics)
    if (known := left.bounding or right.bounding) is not None:
        known.refuse_others(left.bounding)
        known.refuse_others(right.bounding)
    numbers = left.division.labels.numbers_of(right.division.labels)
    if numbers is None or left.division._replace(labels=right.division.labels) != right.division:
        raise UsageError(
            "cannot add results with different segments or weights: give both evaluations the same by=, weights= and users=."
        )
    if left.slices.keys() != right.slices.keys():
        raise UsageError("cannot add results with different slices: give both evaluations the same slices=.")
    return numbers


def _renumbered(part: Part, numbers: np.ndarray) -> Part:
    """Return a part with other numbers of its segments."""
    if np.array_equal(numbers, np.arange(len(numbers))):
        return part
    return replace(
        part,
        segment=None if part.segment is None else numbers[part.segment],
        split={(metric, int(numbers[code])): state for (metric, code), state in part.split.items()},
        sizes={int(numbers[code]): size for code, size in part.sizes.items()},
    )


def _listed(metrics: Sequence[Metric]) -> str:
    return ", ".join(map(str, metrics))


def _refuse_lost(part: Part) -> None:
    """Raise UsageError if a file held the value of a metric but not its states."""
    ends = ((metric, state) for metric, both in part.ends.items() for state in both)
    split = ((metric, state) for (metric, _), state in part.split.items())
    held = chain(part.states.items(), ends, split, part.weighted.items(), part.diagnostics.items())
    lost = next((metric for metric, state in held if isinstance(state, Saved | SavedDiagnostics)), None)
    if lost is not None:
        raise UsageError(
            f"cannot add loaded results: the file holds the value of {lost} and not its state, as files hold only states that are "
            f"dataclasses of the module that defines their metric. Pickle such results to add them later."
        )


def _twice(part: Part, ends: np.ndarray, places: Sequence[str]) -> UsageError:
    """Return the error of the first query that occurs again; ``ends`` is where each of the results ends."""
    codes, firsts = part.queries.group()
    again = int(np.flatnonzero(np.arange(len(codes)) != firsts[codes])[0])
    left, right = (int(np.searchsorted(ends, row, side="right")) for row in (firsts[codes[again]], again))
    where = f"in both {places[left]} and {places[right]}" if places else "on both sides"
    return UsageError(
        f"cannot add results: query {brief(part.queries.one(again))} is {where}. Results of one query cannot be added: leave one of "
        f"them out, or if they are of two days give each day's queries ids of their own, such as user and date."
    )
