"""The tables of costs: what a search and an index cost, what failed, how it was measured, and what systems found beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankwell.comparison.compare.costs import (
    FRONT,
    MEMORY,
    CostEstimate,
    CostEstimates,
    column_of,
    front,
    front_note,
)
from rankwell.display.table import Cell, Column, Table
from rankwell.efficiency.costs import Costs
from rankwell.efficiency.estimates import MIB, MS, disturbances, median, most, slower
from rankwell.efficiency.frames import COLD, WARM, Measurements
from rankwell.metrics import metric_of
from rankwell.results import Results

if TYPE_CHECKING:
    import polars as pl


BESIDE = "p50", "p95", "throughput", "memory", "index"  # the columns next to the values of metrics
US = 1e6  # microseconds of a second
SHOWN = (0.5, 0.9, 0.95, 0.99, 0.999)
TOO_FEW = "°"
HARNESS = {"call": "in a call", "between": "between calls", "late": "late in an open loop"}


def summary(costs: Costs, quantiles: Sequence[float]) -> pl.DataFrame:
    """A row per system, session and load; seconds, queries per second, and bytes."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for group in costs.groups:
        key = {"system": group.system, "load": group.load, "session": group.session}
        row: dict[str, Any] = key | {"calls": len(group.calls)}
        values = group.latencies
        for q in quantiles if len(values) else ():
            interval = group.quantile(q)
            name = f"p{100 * q:g}"
            row |= {
                name: interval.value,
                f"{name}_low": interval.low,
                f"{name}_high": interval.high,
                f"{name}_missing": interval.missing,
            }
        row["max"] = float(values.max()) if len(values) else math.nan
        own = costs.sessions.filter(**key)
        row["throughput"] = median(own["achieved"])
        row["peak_memory"] = most(own["peak_memory"])
        row["failed"] = group.failed
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def tables(costs: Costs) -> list[Table]:
    """All tables, those first that are asked for most."""
    parts = [searching(costs), quantiles(costs)]
    if costs.indexing["wall"].is_not_null().any():
        parts.append(indexing(costs))
    if (compared := pairs(costs)).rows:
        parts.append(compared)
    if len(costs.failures):
        parts.append(failures(costs))
    return [
        *parts,
        conditions(costs, [*costs.notes, *disturbances(costs.sessions, costs.overhead, costs.groups)]),
    ]


def searching(costs: Costs) -> Table:
    """Latency, throughput and memory of each system and load."""
    rows: list[list[Cell]] = []
    marks: dict[tuple[int, int], str] = {}
    lacking: dict[float, int] = {}
    for group in costs.groups:
        values = group.latencies
        row: list[Cell] = [group.system, group.label, len(group.calls)]
        for q in SHOWN:
            interval = group.quantile(q) if len(values) else None
            row.append(None if interval is None else interval.value * MS)
            if interval is not None and interval.missing:
                marks[len(rows), len(row) - 1] = TOO_FEW
                lacking[q] = max(lacking.get(q, 0), interval.missing)
        own = costs.sessions.filter(system=group.system, load=group.load, session=group.session)
        memory = most(own["peak_memory"])
        row += [
            float(values.max()) * MS if len(values) else None,
            median(own["achieved"]),
            None if memory is None else memory / MIB,
            group.failed,
        ]
        rows.append(row)
    columns = [
        Column("system"), Column("load"), Column("calls", "count"),
        *(Column(f"p{100 * q:g}", "value", better="lower", digits=3) for q in SHOWN),
        Column("max", "value", better="lower", digits=3), Column("queries/s", "value", better="higher", digits=1),
        Column("MiB", "value", better="lower", digits=1), Column("failed", "count"),
    ]  # fmt: skip
    notes = ["MiB is the peak of memory above that before indexing; cold is the first pass of a new process."]
    for q, missing in sorted(lacking.items()):
        notes.append(
            f"{TOO_FEW} p{100 * q:g} has no interval: {missing:,} more independent queries are needed."
        )
    return Table(columns, rows, caption="Searching: latency in ms", notes=notes, marks=marks, labels=2)


def quantiles(costs: Costs) -> Table:
    """Each quantile with its interval, and the independent calls that it rests on."""
    rows: list[list[Cell]] = []
    for group in costs.groups:
        if group.session == COLD or not len(group.latencies):
            continue
        for q in SHOWN:
            interval = group.quantile(q)
            name, bounds = f"p{100 * q:g}", [bound * MS for bound in interval[:3]]
            rows.append(
                [group.system, group.load, name, *bounds, interval.n, interval.effective, interval.missing]
            )
    columns = [
        Column("system"), Column("load"), Column("quantile"), Column("ms", "value", better="lower", digits=3),
        Column("low", "value", digits=3), Column("high", "value", digits=3), Column("calls", "count"),
        Column("effective", "value", digits=1), Column("missing", "count"),
    ]  # fmt: skip
    return Table(
        columns, rows, caption="Quantiles of latency with 95 % intervals", labels=3,
        notes=[
            "effective is the number of independent calls that they are worth, at most that of distinct queries.",
            "missing is how many more an interval needs.",
        ],
    )  # fmt: skip


def indexing(costs: Costs) -> Table:
    """Time, memory and space of indexing, the median over starts."""
    rows: list[list[Cell]] = []
    for system in costs.systems:
        own = costs.indexing.filter(system=system)
        wall, cpu, peak, held, size, opened = (
            median(own[each]) for each in ("wall", "cpu", "peak_memory", "held_memory", "size", "opened")
        )
        items = most(own["items"])
        rows.append(
            [
                system, len(own), wall, cpu, items / wall if items and wall else None,
                *(None if each is None else each / MIB for each in (peak, held, size)), opened,
                int((own["outcome"] != "ok").sum()),
            ]
        )  # fmt: skip
    columns = [
        Column("system"), Column("starts", "count"), Column("s", "value", better="lower", digits=3),
        Column("CPU s", "value", better="lower", digits=3), Column("items/s", "value", better="higher", digits=0),
        Column("peak MiB", "value", better="lower", digits=1), Column("held MiB", "value", better="lower", digits=1),
        Column("disk MiB", "value", better="lower", digits=2), Column("open s", "value", better="lower", digits=3),
        Column("failed", "count"),
    ]  # fmt: skip
    return Table(columns, rows, caption="Indexing: median over starts", notes=[
        "peak and held are memory of the process and its children above that before indexing, with documents and libraries loaded.",
    ])  # fmt: skip


def pairs(costs: Costs) -> Table:
    """Each system against the first: by which factor it is slower, over queries and over repetitions."""
    rows: list[list[Cell]] = []
    first, *others = costs.systems
    for load in costs.loads:
        for system in others:
            for own in slower(costs.group(system, load), costs.group(first, load)):
                bounds = [own.ratio, own.low, own.high, own.queries, own.low_turns, own.high_turns]
                rows.append([f"{system} / {first}", load, *bounds, own.turns])
    columns = [
        Column("pair"), Column("load"), Column("ratio", "value", digits=3), Column("low", "value", digits=3),
        Column("high", "value", digits=3), Column("queries", "count"), Column("low in turns", "value", digits=3),
        Column("high in turns", "value", digits=3), Column("turns", "count"),
    ]  # fmt: skip
    return Table(
        columns, rows, caption="Ratios of latency: geometric means over queries", labels=2,
        notes=["low and high are bounds for other queries, in turns those for measuring again on this machine; both hold for 95 %."],
    )  # fmt: skip


def failures(costs: Costs) -> Table:
    """Calls that failed, by system, load, outcome and message."""
    import polars as pl

    grouped = costs.failures.group_by(
        "system", "load", "session", "outcome", "message", maintain_order=True
    ).agg(pl.len().alias("calls"), pl.col("query").unique(maintain_order=True))
    rows: list[list[Cell]] = [
        [
            row["system"], row["load"] if row["session"] == WARM else row["session"], row["outcome"], row["calls"],
            ", ".join(row["query"][:3]) + (" …" if len(row["query"]) > 3 else ""), row["message"],
        ]
        for row in grouped.iter_rows(named=True)
    ]  # fmt: skip
    columns = [
        Column("system"),
        Column("load"),
        Column("outcome"),
        Column("calls", "count"),
        Column("queries"),
        Column("message"),
    ]
    return Table(columns, rows, caption="Failures", labels=3, notes=[
        "A time-out counts as infinitely long in quantiles; other failures have no latency and are left out.",
    ])  # fmt: skip


def conditions(found: Measurements, notes: Sequence[str]) -> Table:
    """How it was measured: the machine, the settings, what the harness adds; and what disturbed it, in notes."""
    machine, over = found.environment, found.overhead
    rows: list[list[Cell]] = [[name, _words(value)] for name, value in machine.items() if name != "memory"]
    if "memory" in machine:
        rows.append(["memory", f"{machine['memory'] / 2**30:.1f} GiB"])
    rows += [[name, _words(value)] for name, value in found.settings.items()]
    for name, what in HARNESS.items() if over else ():
        rows.append([f"harness {what}", f"{over[name] * US:.2f} µs (p99 {over[f'{name}_p99'] * US:.2f} µs)"])
    return Table([Column("what"), Column("value")], rows, caption="How it was measured", notes=notes)


def _words(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(str(each) for each in value)
    return (
        "–"
        if value is None
        else f"{value:,}"
        if isinstance(value, int) and not isinstance(value, bool)
        else str(value)
    )


def beside(results: Mapping[str, Results], cost: CostEstimates) -> Table:
    """Each system with the means of its metrics and its costs; marked where no other is as good and as cheap."""
    metrics = [*next(iter(results.values())).mean]
    better = {each: metric_of(each).better for each in metrics}
    sign = -1 if better[metrics[0]] == "lower" else 1
    latency = cost.of("p95")
    on_front = front(
        [
            (sign * res.mean[metrics[0]], latency[system].value if system in latency else None)
            for system, res in results.items()
        ]
    )
    rows: list[list[Cell]] = []
    for system, res in results.items():
        row: list[Cell] = [system]
        for metric in metrics:
            interval = res.interval(metric)
            row += [res.mean[metric], interval.low, interval.high]
        rows.append([*row, *(_value(cost.of(name).get(system)) for name in BESIDE)])
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
        [*columns, *map(column_of, BESIDE)], rows, caption="Quality against cost", notes=notes, marks=marks
    )


def _value(estimate: CostEstimate | None) -> float | None:
    return None if estimate is None or math.isnan(estimate.value) else estimate.value
