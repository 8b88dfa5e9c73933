"""What the systems of a comparison cost: taken from what was measured, and shown as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.costing import FRONT, MEMORY, SHOWN, CostEstimates, column_of, front, front_note
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import UsageError, brief, one_of
from rankwell.metrics import metric_of


def costs_of(names: Sequence[str], pairs: Iterable[tuple[str, str]], costs: Any) -> CostEstimates:
    """Return the estimates of systems, and the ratios of pairs of them.

    Raises
    ------
    UsageError
        If it is nothing that was measured, or has none of the systems.
    """
    if not hasattr(costs, "estimates"):
        raise UsageError(f"costs=: expected what rankwell.efficiency.measure returns, not {brief(costs)}.")
    if not set(costs.systems) & set(names):
        raise UsageError(
            f"costs=: none of its systems is compared: it has {one_of(costs.systems)}, and compared are {one_of(names)}. "
            f"costs.renamed({{old: new}}) renames systems."
        )
    own: CostEstimates = costs.estimates(pairs=list(pairs))
    values = {
        name: {system: each for system, each in known.items() if system in names}
        for name, known in own.values.items()
    }
    return CostEstimates(own.load, values, own.ratios, own.conditions.of(names))


def cost_tables(found: Comparison) -> list[Table]:
    """Return the costs of the systems, best first by the metric that decides, and the ratios of latency; nothing without costs."""
    if found.costs is None:
        return []
    names = [found.names[row] for row in found.order]
    metric = metric_of(found.methods.primary) if found.methods.primary else found.metrics[0]
    means = found.means[metric, 0].mean
    sign = -1 if metric.better == "lower" else 1
    latency = found.costs.of("p95")
    on_front = front(
        [
            (sign * float(means[row]), latency[name].value if name in latency else None)
            for row, name in zip(found.order, names, strict=True)
        ]
    )
    starred = [name for name, is_on in zip(names, on_front, strict=True) if is_on]
    tables = [_table(found.costs, names, starred, str(metric))]
    return [*tables, _ratios(found.costs)] if found.costs.ratios else tables


def _table(found: CostEstimates, systems: Sequence[str], starred: Sequence[str], metric: str) -> Table:
    """Return a row per system with what it costs; starred where no other is as good in the metric and as fast."""
    shown = [name for name in SHOWN if found.of(name)]
    rows: list[list[Cell]] = []
    for system in systems:
        row: list[Cell] = [system]
        for name in shown:
            known = found.of(name).get(system)
            row.append(None if known is None else known.value)
            if name == "p95":
                row += [None, None] if known is None else [known.low, known.high]
        rows.append(row)
    columns = [Column("system")]
    for name in shown:
        columns.append(column_of(name))
        if name == "p95":
            columns += [Column("low", "value", digits=3), Column("high", "value", digits=3)]
    notes = [f"{FRONT} {front_note(metric)}"] if starred else []
    notes.append(f"low and high bound p95 with 95 %; latency under the load “{found.load}”; {MEMORY}")
    marks = {(systems.index(each), 0): FRONT for each in starred}
    return Table(columns, rows, caption="Costs", notes=notes, marks=marks)


def _ratios(found: CostEstimates) -> Table:
    """Return a row per pair of systems with the ratio of their latencies."""
    columns = [
        Column("system"), Column("against"), Column("queries", "count"), Column("ratio", "value", better="lower", digits=3),
        Column("low", "value", digits=3), Column("high", "value", digits=3), Column("low in turns", "value", digits=3),
        Column("high in turns", "value", digits=3), Column("turns", "count"),
    ]  # fmt: skip
    return Table(
        columns, [list(each) for each in found.ratios], caption="Ratios of latency: geometric means over queries", labels=2,
        notes=["low and high are bounds for other queries, in turns those for measuring again on this machine; both hold for 95 %."],
    )  # fmt: skip
