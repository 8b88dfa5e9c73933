"""Addition of results over disjoint sets of queries: what they must share, and their sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.metrics.metric import QueryMetric
from rankwell.results.conditions import Conditions
from rankwell.results.part import Part, SavedDiagnostics, SavedValue
from rankwell.results.results import Results
from rankwell.tables.columns import NOT_READ
from rankwell.tables.ids import Digest

NOT_KEPT = (
    "cannot add loaded results: a file holds what a sum needs only if it was saved with the values per query, by Results.save or by "
    "`rankwell evaluate --per-query -o`, and by this version of rankwell or a later one. Evaluate and save them again, or pickle them."
)
DIVISIONS = "segments or weights: give both evaluations the same by=, weights= and users=."


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
    results[:] = [res.collected() for res in results]
    first, numbers = results[0], []
    for at, res in enumerate(results):
        try:
            numbers.append(_numbers(first, res))
            _refuse_lost(res.part)
        except UsageError as error:
            where = f"{places[0]} and {places[at]}: " if places and at else ""
            raise UsageError(f"{where}{error}") from None
    if len(results) == 1:
        return first
    slices = {name: total([res.slices[name] for res in results], places) for name in first.slices}
    judged = {
        res.conditions.qrels for res in results
    }  # once each: parts of a run may have been evaluated by the same judgements
    qrels = None if None in judged else sum(map(Digest.of_bytes, filter(None, judged)), Digest()).to_bytes()
    conditions = replace(reduce(_join, (res.conditions for res in results)), qrels=qrels)
    # the sum of two experiments is of neither
    experiment = first.experiment if len({res.experiment for res in results}) == 1 else ""
    unread = {
        name: n for res in results for name, n in res.part.counts.items() if name.startswith(NOT_READ)
    }  # the columns are named once for all days
    ends = np.cumsum([len(res.part.queries) for res in results])
    results.reverse()  # popped from the end, each is released once it is added
    numbers.reverse()
    part = Part.sum(_renumber(results.pop().part, numbers.pop()) for _ in ends)
    if not part.queries.is_distinct():
        raise _error_of_repeated(part, ends, places)
    # counts of the training data are of the same table each time, and no sum
    from rankwell.matching.batch import COUNTS

    shared = COUNTS & first.part.counts.keys()
    part.counts = part.counts | {name: first.part.counts[name] for name in shared} | unread
    return replace(first, conditions=conditions, part=part, slices=slices, experiment=experiment)


def _numbers(left: Results, right: Results) -> np.ndarray:
    """The left numbers of the right segments; UsageError if two results differ in something else than their queries."""
    numbers = left.division.labels.numbers_of(right.division.labels)
    if (what := _difference(left, right)) or numbers is None:
        raise UsageError(f"cannot add results with different {what or DIVISIONS}")
    return numbers


def _difference(left: Results, right: Results) -> str:
    """What two results differ in besides their queries and numbers of segments, and what helps; empty if in nothing that counts."""
    if left.metrics != right.metrics:
        names = [", ".join(map(str, res.metrics)) for res in (left, right)]
        return f"metrics: {names[0]} and {names[1]}. Evaluate both with the same ones, in the same order."
    ours, theirs = left.conditions, right.conditions
    if not (ours.is_known and theirs.is_known):
        raise UsageError(NOT_KEPT)
    # ends of the grades differ between days and matter only to metrics that divide by them
    needs = frozenset[str]().union(*(metric.needed() for metric in left.metrics))
    if ours.policy != theirs.policy:
        return f"policies: {ours.policy} and {theirs.policy}."
    if ours.scale != theirs.scale:
        return f"grade scales: {ours.scale} and {theirs.scale}."
    if "grade_max" in needs and ours.grade_max != theirs.grade_max:
        return f"highest grades: {ours.grade_max} and {theirs.grade_max}. Set max_grade= in the metric."
    if "grade_min" in needs and ours.grade_min != theirs.grade_min:
        return f"lowest grades: {ours.grade_min} and {theirs.grade_min}. Set min_grade= in the metric."
    if ours.collection_size != theirs.collection_size:
        return f"catalogues: {ours.collection_size} and {theirs.collection_size} items."
    counts_items = any(
        "item" in metric.needs and not isinstance(metric, QueryMetric) for metric in left.metrics
    )
    if counts_items and ours.catalogue != theirs.catalogue:
        return "catalogues: give both evaluations the same items=."
    has_train = ours.train is not None or theirs.train is not None
    if has_train and (ours.catalogue, ours.train) != (theirs.catalogue, theirs.train):
        return "training data: give both evaluations the same train=."
    asker = next((metric for metric in left.metrics if metric.reads_all_judgements()), None)
    if asker is not None and ours.qrels != theirs.qrels and None not in (ours.qrels, theirs.qrels):
        return (
            f"judgements: {asker} counts what is judged for any query. Evaluate both with all judgements and missing='skip', or "
            f"without {asker}."
        )
    if ours.users != theirs.users:
        return "tables of users: give both evaluations the same users=."
    one, other = (
        None if res is None else (res.grades, bool(res.pool)) for res in (left.bounding, right.bounding)
    )
    if one != other:
        return "bounds: evaluate both with bounds=True, the same scale=, and a pool= or none."
    if left.division._replace(labels=right.division.labels) != right.division:
        return DIVISIONS
    if left.slices.keys() != right.slices.keys():
        return "slices: give both evaluations the same slices=."
    return ""


def _join(left: Conditions, right: Conditions) -> Conditions:
    """The conditions of the sum: the same, with the ends of the grades of both."""
    highest = [conditions.grade_max for conditions in (left, right) if conditions.grade_max is not None]
    lowest = [conditions.grade_min for conditions in (left, right) if conditions.grade_min is not None]
    return replace(left, grade_max=max(highest, default=None), grade_min=min(lowest, default=None))


def _renumber(part: Part, numbers: np.ndarray) -> Part:
    """Return a part with other numbers of its segments."""
    if np.array_equal(numbers, np.arange(len(numbers))):
        return part
    return replace(
        part,
        segment=None if part.segment is None else numbers[part.segment],
        split={(metric, int(numbers[code])): state for (metric, code), state in part.split.items()},
        sizes={int(numbers[code]): size for code, size in part.sizes.items()},
    )


def _refuse_lost(part: Part) -> None:
    """Raise UsageError if a file held the value of a metric but not its states."""
    # before anything is added: an error from the middle of a sum would leave the list of results half emptied
    ends = ((metric, state) for metric, both in part.ends.items() for state in both)
    split = ((metric, state) for (metric, _), state in part.split.items())
    held = chain(part.states.items(), ends, split, part.weighted.items(), part.diagnostics.items())
    lost = next((metric for metric, state in held if isinstance(state, SavedValue | SavedDiagnostics)), None)
    if lost is not None:
        raise UsageError(
            f"cannot add loaded results: the file holds the value of {lost} and not its state, as files hold only states that are "
            f"dataclasses of the module that defines their metric. Pickle such results to add them later."
        )


def _error_of_repeated(part: Part, ends: np.ndarray, places: Sequence[str]) -> UsageError:
    """Return the error of the first query that occurs again; ``ends`` is where each of the results ends."""
    codes, firsts = part.queries.group()
    again = int(np.flatnonzero(np.arange(len(codes)) != firsts[codes])[0])
    left, right = (int(np.searchsorted(ends, row, side="right")) for row in (firsts[codes[again]], again))
    where = f"in both {places[left]} and {places[right]}" if places else "on both sides"
    return UsageError(
        f"cannot add results: query {brief(part.queries.one(again))} is {where}. Results of one query cannot be added: leave one of "
        f"them out, or if they are of two days give each day's queries ids of their own, such as user and date; `rankwell trend` shows the days "
        f"one after the other."
    )
