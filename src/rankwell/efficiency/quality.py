"""Quality beside cost: what systems found in the very answers whose cost was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rankwell.comparison.costing import (
    FRONT,
    MEMORY,
    CostEstimates,
    Estimate,
    column_of,
    front,
    front_note,
)
from rankwell.display.table import Cell, Column, Table
from rankwell.metrics import metric_of
from rankwell.results import Results

SHOWN = "p50", "p95", "throughput", "memory", "index"


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
