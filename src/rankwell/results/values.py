"""The numbers of states, and of results read from a file, which hold numbers alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.tables.states import State

CANNOT_ADD = "cannot add loaded results: a file holds values, not what they were computed from. Pickle results to add them later."


@dataclass(frozen=True, slots=True)
class Saved:
    """A value whose state was not kept; it cannot be added to another."""

    value: float
    n: int

    def __add__(self, other: object) -> Saved:
        raise UsageError(CANNOT_ADD)


def value_of(metric: Metric, state: State) -> float:
    """Return the number of a metric's state."""
    return state.value if isinstance(state, Saved) else metric.value(state)


def left_out_of(states: Mapping[Metric, State]) -> Counter[str]:
    """Return what does not count in the values of all lists together, each thing once."""
    total: Counter[str] = Counter()
    for metric, state in states.items():
        if not isinstance(state, Saved) and (counted := metric.left_out(state)):
            total |= Counter(counted)
    return total
