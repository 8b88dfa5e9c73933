"""What systems cost, as a comparison and its pictures take it: estimates with bounds under one load, and ratios of latency."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypedDict

from rankwell.display.saved_files import Plain, ensure
from rankwell.display.table import Better, Column
from rankwell.display.text import plain_value
from rankwell.errors import UsageError, brief, one_of
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.tables.run_qrels import Run

FRONT = "*"
MEMORY = "MiB is memory above that before indexing."


class CostEstimate(NamedTuple):
    """A value and its bounds, NaN where there are none."""

    value: float
    low: float
    high: float


class Quantity(NamedTuple):
    """What is measured of a system: its unit, which end is better, and how many digits tables show."""

    unit: str
    better: Better
    digits: int


# p50 and so on are latencies; memory is the peak above that before indexing
QUANTITIES = {
    **{name: Quantity("ms", "lower", 3) for name in ("p50", "p90", "p95", "p99", "p99.9")},
    "throughput": Quantity("queries/s", "higher", 1),
    "memory": Quantity("MiB", "lower", 1),
    "index": Quantity("MiB", "lower", 2),
    "indexing": Quantity("s", "lower", 3),
}
SHOWN = "p50", "p95", "throughput", "memory", "index", "indexing"


class Slower(NamedTuple):
    """By which factor the first system is slower than the second; bounds for other queries, and for another measurement."""

    first: str
    second: str
    queries: int
    ratio: float
    low: float
    high: float
    low_turns: float
    high_turns: float
    turns: int


class Failures(NamedTuple):
    """How many calls a system got, how many timed out, and how many failed otherwise."""

    calls: int
    timeouts: int
    others: int


class SlowerRow(TypedDict):
    """``Slower`` in a file."""

    first: str
    second: str
    queries: int
    ratio: Plain
    low: Plain
    high: Plain
    low_turns: Plain
    high_turns: Plain
    turns: int


class FailuresRow(TypedDict):
    """``Failures`` in a file."""

    calls: int
    timeouts: int
    others: int


class CostConditionsRow(TypedDict):
    """``CostConditions`` in a file."""

    environment: dict[str, Any]
    slower: float | None
    busy: float | None
    saturated: list[str]
    restarts: dict[str, int]
    failures: dict[str, FailuresRow]


class CostsRow(TypedDict):
    """``CostEstimates`` in a file."""

    load: str
    values: dict[str, dict[str, tuple[Plain, Plain, Plain]]]
    ratios: list[SlowerRow]
    conditions: CostConditionsRow


@record
class CostConditions:
    """On what machine costs were measured, and what disturbed it: what a reader must know to judge them.

    ``slower`` is the share by which the machine was slower at its slowest than at its best, ``busy`` the most cores that other processes
    kept busy in a session, None where unknown. ``saturated`` systems got queries faster than they answered, ``restarts`` counts the
    processes of a system that had to be started again, ``failures`` has the systems of which a call failed.
    """

    environment: Mapping[str, Any] = field(default_factory=dict)
    slower: float | None = None
    busy: float | None = None
    saturated: tuple[str, ...] = ()
    restarts: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, Failures] = field(default_factory=dict)

    def are_sound(self, system: str) -> bool:
        """Whether all calls of a system were answered, by one process, and no queue grew without end."""
        return not (system in self.saturated or system in self.restarts or system in self.failures)

    def of(self, systems: Sequence[str]) -> CostConditions:
        """Return what concerns these systems."""
        return replace(
            self,
            saturated=tuple(system for system in self.saturated if system in systems),
            restarts={name: count for name, count in self.restarts.items() if name in systems},
            failures={name: counts for name, counts in self.failures.items() if name in systems},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(self).items()
        } | {
            "saturated": list(self.saturated),
            "failures": {name: value._asdict() for name, value in self.failures.items()},
        }

    @classmethod
    def of_dict(cls, data: CostConditionsRow) -> CostConditions:
        """Return what ``to_dict`` gave."""
        failures = {name: Failures(**counts) for name, counts in data["failures"].items()}
        return cls(
            data["environment"],
            data["slower"],
            data["busy"],
            tuple(data["saturated"]),
            data["restarts"],
            failures,
        )


@record
class CostEstimates:
    """What systems cost under one load: quantities by name, then by system, ratios of latency of the pairs asked for, and conditions."""

    load: str
    values: Mapping[str, Mapping[str, CostEstimate]]
    ratios: tuple[Slower, ...] = ()
    conditions: CostConditions = CostConditions()

    @property
    def systems(self) -> list[str]:
        """The systems of which something is known."""
        return list({system: None for own in self.values.values() for system in own})

    def of(self, quantity: str) -> Mapping[str, CostEstimate]:
        """Return a quantity by system, without those of which it is not known.

        Raises
        ------
        UsageError
            If there is no such quantity.
        """
        if quantity not in QUANTITIES:
            raise UsageError(f"there is no cost {quantity}; there are {one_of(QUANTITIES)}.")
        return self.values.get(quantity, {})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; a bound that is unknown is None."""
        return {
            "load": self.load,
            "values": {
                name: {system: list(map(plain_value, estimate)) for system, estimate in own.items()}
                for name, own in self.values.items()
            },
            "ratios": [
                {
                    name: value if isinstance(value, str) else plain_value(value)
                    for name, value in ratio._asdict().items()
                }
                for ratio in self.ratios
            ],
            "conditions": self.conditions.to_dict(),
        }

    @classmethod
    def of_dict(cls, data: CostsRow) -> CostEstimates:
        """Return what ``to_dict`` gave."""
        for name in data["values"]:
            ensure(name in QUANTITIES, f"costs.values.{name}", "there is no such cost")
        values = {
            name: {system: CostEstimate(*map(_number, value)) for system, value in own.items()}
            for name, own in data["values"].items()
        }
        whole = "first", "second", "queries", "turns"
        ratios: list[dict[str, Any]] = [
            {name: value if name in whole else _number(value) for name, value in one.items()}  # type: ignore[arg-type]
            for one in data["ratios"]
        ]
        conditions = CostConditions.of_dict(data["conditions"])
        return cls(data["load"], values, tuple(Slower(**one) for one in ratios), conditions)


class Measured(Protocol):
    """What was measured of systems, as far as comparisons and gates know it; ``rankwell.efficiency`` makes it."""

    @property
    def systems(self) -> list[str]:
        """The systems, in the order in which they were given."""

    @property
    def loads(self) -> list[str]:
        """The loads under which they were measured."""

    @property
    def runs(self) -> Mapping[str, Run]:
        """The answers of each system that gave some."""

    def estimates(self, load: str | None = None, pairs: Sequence[tuple[str, str]] = ()) -> CostEstimates:
        """Return what they cost under a load, and the ratios of latency of pairs."""

    def under(self, load: str) -> Self:
        """Return the same under one of several loads; UsageError if there is no such load."""

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the same with other names of systems; UsageError for a name that does not exist."""

    def __add__(self, other: Self) -> Self:
        """Return what was measured of the systems of both."""


def front_note(metric: str) -> str:
    """Return what the mark of a system on the front means."""
    return f"no other system is at least as good in {metric} and at least as fast at p95, and better in one of them."


def column_of(quantity: str) -> Column:
    """Return the column of a quantity; latencies have their quantile as the name."""
    unit, better, digits = QUANTITIES[quantity]
    name = {"throughput": unit, "memory": unit, "index": f"disk {unit}", "indexing": f"indexing {unit}"}.get(
        quantity, f"{quantity} {unit}"
    )
    return Column(name, "value", better=better, digits=digits)


def front(pairs: Sequence[tuple[float, float | None]]) -> list[bool]:
    """Whether each pair (quality, cost) is on the Pareto front: no other is at least as good in both and better in one.

    A pair with an undefined quality or cost is not on it.

    Examples
    --------
    >>> front([(0.4, 5.0), (0.3, 1.0), (0.3, 2.0), (0.5, None)])
    [True, True, False, False]
    """
    points = [
        (quality, cost) if cost is not None and not math.isnan(quality) else None for quality, cost in pairs
    ]
    # each with each other: systems are tens, and the rule can be read off
    return [
        one is not None
        and not any(
            other is not None and other != one and other[0] >= one[0] and other[1] <= one[1]
            for other in points
        )
        for one in points
    ]


def _number(value: float | str | None) -> float:
    """A number of ``plain_value`` again."""
    return math.nan if value is None else float(value)


def costs_of(names: Sequence[str], pairs: Iterable[tuple[str, str]], costs: Any) -> CostEstimates:
    """Return the estimates of systems, and the ratios of pairs of them.

    Raises
    ------
    UsageError
        If it is nothing that was measured, or has none of the systems.
    """
    # by what it can do, not by its class: that is rankwell.efficiency's, which is optional and above this room
    if not hasattr(costs, "estimates"):
        raise UsageError(f"costs=: expected what rankwell.efficiency.measure returns, not {brief(costs)}.")
    if not set(costs.systems) & set(names):
        raise UsageError(
            f"costs=: none of its systems is compared: it has {one_of(costs.systems)}, and compared are {one_of(names)}. "
            f"costs.renamed({{old: new}}) renames systems."
        )
    own: CostEstimates = costs.estimates(pairs=list(pairs))
    values = {
        name: {system: estimate for system, estimate in by_system.items() if system in names}
        for name, by_system in own.values.items()
    }
    return CostEstimates(own.load, values, own.ratios, own.conditions.of(names))
