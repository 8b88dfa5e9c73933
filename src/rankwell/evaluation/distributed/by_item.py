"""States that count items, added up a range of items at a time where the data are: what comes back does not grow with the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import ceil
from typing import Any, NamedTuple

from rankwell.evaluation.streaming.done import PartDone
from rankwell.evaluation.streaming.work import Work
from rankwell.metrics.metric import Metric
from rankwell.tables.states import ByItem, Folded

WIDTH = 1 << 20  # items of a range; a smaller catalogue is one, and its states travel whole


class Where(NamedTuple):
    """Whose state it is: of all items or of those of a slice, of a metric, of all queries or of those of a segment."""

    part: str | None
    metric: Metric
    segment: int | None


Pieces = dict[tuple[Where, ...], ByItem]  # metrics of one cut-off share their state


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
                shared.setdefault(id(state), []).append(where)
                states[id(state)] = state
        kept = {where.metric: state for where, state in whole.items() if id(state) not in states}
        divided = {key: state for key, state in part.split.items() if id(state) not in states}
        values[name] = replace(part, states=kept, split=divided)
    pieces: list[Pieces] = [{} for _ in range(ranges)]
    for key, state in states.items():
        ends = [state.size * nth // ranges for nth in range(ranges + 1)]
        for own, low, high in zip(pieces, ends, ends[1:], strict=False):
            own[tuple(shared[key])] = state.cut(low, high)
    return replace(done, values=values), pieces


def add(sums: Pieces, more: Pieces) -> None:
    """Add the pieces of a group to the sums of their range, which nobody else holds."""
    for places, state in more.items():
        if places in sums:
            sums[places] += state
        else:
            sums[places] = state


def folded(sums: Mapping[int, Pieces]) -> dict[Where, Folded]:
    """Return the folded states of the items of some ranges, from the sums of each."""
    return beside(map(_folded, sums.values()))


def _folded(sums: Pieces) -> dict[Where, Folded]:
    """The folded states of a range; not all groups need have shared their states in the same way."""
    whole: dict[Where, Any] = {}
    for places, state in sums.items():
        for where in places:
            whole[where] = whole[where] + state if where in whole else state
    return {where: state.folded() for where, state in whole.items()}


def beside(parts: Iterable[Mapping[Where, Folded]]) -> dict[Where, Folded]:
    """Return the folded states of all items, from those of ranges."""
    found: dict[Where, Folded] = {}
    for part in parts:
        for where, state in part.items():
            found[where] = found[where].beside(state) if where in found else state
    return found
