"""Quality against cost: what systems find, from the very answers whose cost was measured, and which systems no other beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.table import Cell, Column, Table
from rankwell.efficiency.estimates import MIB, MS, median, most
from rankwell.efficiency.frames import WARM
from rankwell.errors import UsageError
from rankwell.evaluation import evaluate
from rankwell.metrics import metric_of
from rankwell.results import Results

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs

FRONT = "*"


@dataclass(frozen=True)
class Point:
    """A system with its results and its costs: latency in ms, queries per second, memory and index in MiB; None is unknown."""

    system: str
    results: Results
    p50: float | None
    p95: float | None
    throughput: float | None
    memory: float | None
    index: float | None


def points(costs: Costs, qrels: Any, metrics: Any, load: str | None, **options: Any) -> list[Point]:
    """Evaluate the answers of all systems.

    Raises
    ------
    UsageError
        If there are several loads and none is named, or no system answered a query.
    """
    found = []
    for system in costs.systems:
        if system not in costs.runs:
            continue
        group = costs.group(system, load)
        own = costs.sessions.filter(system=system, load=group.load, session=WARM)
        index = costs.indexing.filter(system=system)
        memory = [each for each in (most(own["peak_memory"]), most(index["held_memory"])) if each is not None]
        size = median(index["size"])
        results = evaluate(costs.runs[system], qrels, metrics, **options)
        p50, p95 = (group.quantile(q).value * MS if len(group.latencies) else None for q in (0.5, 0.95))
        found.append(
            Point(
                system, results, p50, p95, median(own["achieved"]), max(memory) / MIB if memory else None,
                None if size is None else size / MIB,
            )
        )  # fmt: skip
    if not found:
        raise UsageError("no system answered a query, so there is nothing to evaluate.")
    return found


def table(found: Sequence[Point], load: str) -> Table:
    """Each system with the means of its metrics and its costs; marked where no other is as good and as cheap."""
    metrics = [*found[0].results.mean]
    better = {each: metric_of(each).better for each in metrics}
    sign = -1 if better[metrics[0]] == "lower" else 1
    on_front = front([(sign * each.results.mean[metrics[0]], each.p95) for each in found])
    rows: list[list[Cell]] = []
    marks = {}
    for at, each in enumerate(found):
        row: list[Cell] = [each.system]
        for metric in metrics:
            known = each.results.interval(metric)
            row += [each.results.mean[metric], known.low, known.high]
        rows.append([*row, each.p50, each.p95, each.throughput, each.memory, each.index])
        if on_front[at]:
            marks[at, 0] = FRONT
    columns = [Column("system")]
    for metric in metrics:
        bounds = [Column(f"{metric} {end}", "value") for end in ("low", "high")]
        columns += [Column(metric, "value", better=better[metric]), *bounds]
    columns += [
        Column("p50 ms", "value", better="lower", digits=3), Column("p95 ms", "value", better="lower", digits=3),
        Column("queries/s", "value", better="higher", digits=1), Column("MiB", "value", better="lower", digits=1),
        Column("disk MiB", "value", better="lower", digits=2),
    ]  # fmt: skip
    notes = [
        f"{FRONT} no other system is at least as good in {metrics[0]} and at least as fast at p95, and better in one of them.",
        f"low and high are 95 % intervals over queries; latency under the load “{load}”; MiB is memory above that before indexing.",
    ]
    return Table(columns, rows, caption="Quality against cost", notes=notes, marks=marks)


def front(pairs: Sequence[tuple[float, float | None]]) -> list[bool]:
    """Whether each pair (quality, cost) is on the Pareto front: no other is at least as good in both and better in one.

    A pair with an undefined quality or cost is not on it.

    Examples
    --------
    >>> front([(0.4, 5.0), (0.3, 1.0), (0.3, 2.0), (0.5, None)])
    [True, True, False, False]
    """
    known = [
        (quality, cost) if cost is not None and not np.isnan(quality) else None for quality, cost in pairs
    ]
    return [
        one is not None
        and not any(
            other is not None and other != one and other[0] >= one[0] and other[1] <= one[1]
            for other in known
        )
        for one in known
    ]
