"""Quality beside cost: estimates of what systems cost, and what they found in the very answers whose cost was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.costing import (
    FRONT,
    MEMORY,
    QUANTITIES,
    CostEstimates,
    Estimate,
    Slower,
    column_of,
    front,
    front_note,
)
from rankwell.display.table import Cell, Column, Table
from rankwell.efficiency.estimates import MIB, MS, Group, over_repetitions, ratio
from rankwell.efficiency.frames import WARM
from rankwell.efficiency.noise import conditions
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.metrics import metric_of, metrics_of
from rankwell.results import Results

if TYPE_CHECKING:
    import polars as pl

    from rankwell.efficiency.costs import Costs

SHOWN = "p50", "p95", "throughput", "memory", "index"
QUANTILES = tuple(name for name in QUANTITIES if name.startswith("p"))


def estimates(costs: Costs, load: str | None, pairs: Sequence[tuple[str, str]]) -> CostEstimates:
    """Return the quantities of all systems under a load, and the ratios of latency of pairs."""
    values: dict[str, dict[str, Estimate]] = {name: {} for name in QUANTITIES}
    for system in costs.systems:
        group = costs.group(system, load)
        for name, found in _of_system(costs, system, group):
            if found is not None:
                values[name][system] = found
    return CostEstimates(
        load or costs.loads[0],
        {name: own for name, own in values.items() if own},
        tuple(found for pair in pairs for found in _slower(costs, load, *pair)),
        conditions(costs, load or costs.loads[0]),
    )


def _of_system(costs: Costs, system: str, group: Group) -> Sequence[tuple[str, Estimate | None]]:
    found: list[tuple[str, Estimate | None]] = []
    for name in QUANTILES if len(group.latencies) else ():
        known = group.quantile(float(name[1:]) / 100)
        found.append((name, Estimate(*(each * MS for each in known[:3]))))
    own = costs.sessions.filter(system=system, load=group.load, session=WARM)
    index = costs.indexing.filter(system=system)
    # sessions report their own peaks; what an index holds counts too, where no session was measured
    peaks = own["peak_memory"].drop_nulls().to_list()
    held = index["held_memory"].drop_nulls().to_list()
    if highest := [max(each) / MIB for each in (peaks, held) if each]:
        least = min(peaks, default=math.inf) / MIB
        found.append(("memory", Estimate(max(highest), min(least, max(highest)), max(highest))))
    return [
        *found,
        ("throughput", _over_turns(own["achieved"])),
        ("index", _over_turns(index["size"], MIB)),
        ("indexing", _over_turns(index["wall"])),
    ]


def _over_turns(column: pl.Series, unit: float = 1.0) -> Estimate | None:
    """The median over repetitions with the least and the most of them."""
    known = column.drop_nulls().to_numpy() / unit
    if not len(known):
        return None
    return Estimate(float(np.median(known)), float(known.min()), float(known.max()))


def _slower(costs: Costs, load: str | None, first: str, second: str) -> Sequence[Slower]:
    """The ratio of a pair of systems, if both were measured and answered a query in common."""
    if not {first, second} <= set(costs.systems):
        return []
    new, old = costs.group(first, load), costs.group(second, load)
    if not new.by_query.keys() & old.by_query.keys():
        return []
    whole, turns = ratio(new, old), over_repetitions(new, old)
    return [Slower(first, second, whole.n, *whole[:3], *turns[1:3], turns.n)]


def results(costs: Costs, qrels: Any, metrics: Any, **options: Any) -> dict[str, Results]:
    """Evaluate the answers of all systems.

    Raises
    ------
    UsageError
        If no system answered a query.
    """
    runs = {system: costs.runs[system] for system in costs.systems if system in costs.runs}
    if not runs:
        raise UsageError("no system answered a query, so there is nothing to evaluate.")
    return Evaluator(qrels, metrics_of(metrics), **options).evaluate_all(runs)


def table(found: Mapping[str, Results], cost: CostEstimates) -> Table:
    """Each system with the means of its metrics and its costs; marked where no other is as good and as cheap."""
    metrics = [*next(iter(found.values())).mean]
    better = {each: metric_of(each).better for each in metrics}
    sign = -1 if better[metrics[0]] == "lower" else 1
    latency = cost.of("p95")
    on_front = front(
        [
            (sign * res.mean[metrics[0]], latency[system].value if system in latency else None)
            for system, res in found.items()
        ]
    )
    rows: list[list[Cell]] = []
    for system, res in found.items():
        row: list[Cell] = [system]
        for metric in metrics:
            known = res.interval(metric)
            row += [res.mean[metric], known.low, known.high]
        rows.append([*row, *(_value(cost.of(name).get(system)) for name in SHOWN)])
    columns = [Column("system")]
    for metric in metrics:
        bounds = [Column(f"{metric} {end}", "value") for end in ("low", "high")]
        columns += [Column(metric, "value", better=better[metric]), *bounds]
    notes = [
        f"{FRONT} {front_note(metrics[0])}",
        f"low and high are 95 % intervals over queries; latency under the load “{cost.load}”; {MEMORY}",
    ]
    marks = {(at, 0): FRONT for at, is_on in enumerate(on_front) if is_on}
    return Table(
        [*columns, *map(column_of, SHOWN)], rows, caption="Quality against cost", notes=notes, marks=marks
    )


def _value(known: Estimate | None) -> float | None:
    return None if known is None or math.isnan(known.value) else known.value
