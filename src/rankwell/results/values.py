"""Values of states, and saved values whose states are gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.states import State

TIE_RANGE = 0.001


@record(slots=True)
class Saved:
    """A value read from a file, without its state; it cannot be added."""

    value: float
    n: int

    def __add__(self, other: object) -> Saved:
        raise UsageError("cannot add a loaded value without its state.")


@record(slots=True)
class SavedDiagnostics:
    """Diagnostics read from a file, without the sums behind them; they cannot be added."""

    diagnostics: dict[str, float]

    def __add__(self, other: object) -> SavedDiagnostics:
        raise UsageError("cannot add loaded diagnostics without the sums behind them.")


def value_of(metric: Metric, state: State) -> float:
    """Return the value of a metric's state."""
    return state.value if isinstance(state, Saved) else metric.value(state)


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
        if not isinstance(state, Saved) and (counted := metric.left_out(state)):
            for what, count in counted.items():
                total[what] = max(count, total.get(what, 0))
    return total
