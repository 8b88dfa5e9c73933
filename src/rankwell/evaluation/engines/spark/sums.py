"""Sums of what groups answer, made where the answers are, so that few come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import ceil
from typing import Any, NamedTuple

from rankwell.evaluation.engines.spark.workers import DONE, RANGE, map_batches, of_blob, unpack
from rankwell.evaluation.engines.stream.sums import Done, PartDone
from rankwell.evaluation.engines.stream.values import KeptValues
from rankwell.evaluation.engines.stream.work import Work
from rankwell.metrics.metric import Metric
from rankwell.tables.states import ByItem, Folded

# States that count items are added up a range of items at a time, where the data are: what comes back does not grow with the catalogue.
WIDTH = 1 << 20  # items of a range; a smaller catalogue is one, and its states travel whole
MANY, FEW = 32, 8  # answers that come back one by one; sums that more are made into


class Where(NamedTuple):
    """Whose state it is: of all items or of those of a slice, of a metric, of all queries or of those of a segment."""

    part: str | None
    metric: Metric
    segment: int | None


Pieces = dict[tuple[Where, ...], ByItem]  # metrics of one cut-off share their state


def merge_answers(answered: Any, groups: int, ranges: int) -> Any:
    """Return the answers of groups, as some sums of them if there are many, and folded states by range of items if there are any."""
    answers = answered.filter(answered[DONE].isNotNull()).select(RANGE, DONE)
    if ranges:
        return map_batches(answers.repartition(ranges, RANGE), sum_batches, f"{DONE} binary")
    if groups <= MANY:
        return answers.select(DONE)
    return map_batches(answers.repartition(FEW), sum_batches, f"{DONE} binary")


def sum_batches(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sum of all answers in batches of Arrow, one taken after the other, and the folded states of ranges of items."""
    done, by_range = Done(KeptValues()), dict[int, Pieces]()
    for batch in batches:
        for number, answer in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            found = unpack(answer.as_py())
            if number is None:
                done.add(found)
            else:
                add(by_range.setdefault(number, {}), found)
    totals = [done.as_part()] if done.is_begun else []
    for total in (*totals, *([fold_ranges(by_range)] if by_range else [])):
        yield of_blob(total)


def add(sums: Pieces, more: Pieces) -> None:
    """Add the pieces of a group to the sums of their range, which nobody else holds."""
    for places, state in more.items():
        if places in sums:
            sums[places] += state
        else:
            sums[places] = state


def fold_ranges(sums: Mapping[int, Pieces]) -> dict[Where, Folded]:
    """Return the folded states of the items of some ranges, from the sums of each."""
    return join_ranges(map(_fold_range, sums.values()))


def _fold_range(sums: Pieces) -> dict[Where, Folded]:
    """The folded states of a range; not all groups need have shared their states in the same way."""
    whole: dict[Where, Any] = {}
    for places, state in sums.items():
        for where in places:
            whole[where] = whole[where] + state if where in whole else state
    return {where: state.folded() for where, state in whole.items()}


def join_ranges(parts: Iterable[Mapping[Where, Folded]]) -> dict[Where, Folded]:
    """Return the folded states of all items, from those of ranges."""
    joined: dict[Where, Folded] = {}
    for part in parts:
        for where, state in part.items():
            joined[where] = joined[where].beside(state) if where in joined else state
    return joined


def ranges_of(work: Work) -> int:
    """Return into how many ranges of items states are cut; 0 if they travel whole.

    Those of a jackknife do: they are taken from each other, item by item.
    """
    items = 0 if work.catalogue is None else len(work.catalogue)
    is_kept = work.segments is not None and work.segments.are_taken_apart
    return 0 if items <= WIDTH or is_kept else ceil(items / WIDTH)


def cut(done: PartDone, ranges: int) -> tuple[PartDone, list[Pieces]]:
    """Return what is done of a part without its states that count items, and the pieces of these, a dict for each range."""
    shared: dict[int, list[Where]] = {}
    states: dict[int, ByItem] = {}
    values = {}
    for name, part in done.values.items():
        whole = {Where(name, metric, None): state for metric, state in part.states.items()}
        split = {Where(name, *key): state for key, state in part.split.items()}
        for where, state in (whole | split).items():
            if isinstance(state, ByItem):
                # metrics of one cut-off share one object, which is cut and sent once
                shared.setdefault(id(state), []).append(where)
                states[id(state)] = state
        undivided = {where.metric: state for where, state in whole.items() if id(state) not in states}
        divided = {key: state for key, state in part.split.items() if id(state) not in states}
        values[name] = replace(part, states=undivided, split=divided)
    pieces: list[Pieces] = [{} for _ in range(ranges)]
    for key, state in states.items():
        ends = [state.size * nth // ranges for nth in range(ranges + 1)]
        for own, low, high in zip(pieces, ends, ends[1:], strict=False):
            own[tuple(shared[key])] = state.cut(low, high)
    return replace(done, values=values), pieces
