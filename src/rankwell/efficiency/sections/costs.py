"""The section on costs: what each system takes in time and space, beside what it finds, and how surely."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.comparison.compare.costs import QUANTITIES, SHOWN, CostEstimate, CostEstimates
from rankwell.display.table import ARROWS
from rankwell.display.text import plain_value
from rankwell.efficiency.estimates import OTHERS, PACE
from rankwell.efficiency.plots.costs import costs, name_of, on_front, priced
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.chart.texts import brief_name, percent
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, report_section
from rankwell.statistics.quantiles import needed

DRAWN = "p95", "p50", "p99", "throughput", "memory", "index", "indexing"
MOST_PAIRS, OPEN = 30, 1
GIB = 2**30


@report_section(order=80)
def section(material: Material) -> Content | None:
    """Return the costs of the systems; None if none were measured."""
    found, words = material.costs, material.words
    if found is None or not found.systems:
        return None
    shown = [name for name in SHOWN if found.of(name)]
    pictures = _pictures(material)
    charts: dict[str, Mapping[str, Any]] = {}
    for each in pictures:
        assert material.comparison is not None
        drawn = costs(material.comparison, material.primary, x=each["quantity"], lang=words.lang)
        charts[each["chart"]] = spec_of(drawn)
    data = {
        "load": found.load,
        "metric": str(material.primary),
        "better": {"arrow": ARROWS[material.primary.better], "direction": material.primary.better},
        "quantities": [_column(name, material) for name in shown],
        "rows": [_row(material, found, system, shown) for system in _order(material)],
        "notes": _notes(material, found, shown),
        "pictures": pictures,
        "open": OPEN,
        "ratios": _ratios(found),
        "all_ratios": len(found.ratios),
        "conditions": _conditions(material, found),
    }
    return Content(data, charts)


def _order(material: Material) -> list[str]:
    """The systems, best first by the metric that decides."""
    found = material.comparison
    if found is None:
        return material.names
    return [found.names[row] for row in found.order_of(material.primary, 0)]


def _column(quantity: str, material: Material) -> dict[str, Any]:
    unit, better, digits = QUANTITIES[quantity]
    name = quantity if quantity.startswith("p") else name_of(quantity, material.words)
    return {
        "quantity": quantity,
        "name": name,
        "unit": unit,
        "digits": digits,
        "direction": better,
        "arrow": ARROWS[better],
    }


def _row(material: Material, found: CostEstimates, system: str, shown: Sequence[str]) -> dict[str, Any]:
    own = material.comparison
    mean = material.mean(system, material.primary)
    return {
        "system": system,
        "baseline": own is not None and system == own.baseline,
        "mean": plain_value(mean),
        "cells": [_cell(found.of(name).get(system)) for name in shown],
    }


def _cell(known: CostEstimate | None) -> dict[str, Any]:
    """A value with its bounds, None where there are none; equal bounds say nothing more than the value."""
    if known is None:
        return {"value": None, "low": None, "high": None}
    has_bounds = not math.isnan(known.low) and not known.low == known.value == known.high
    bounds = [plain_value(each) if has_bounds else None for each in known[1:]]
    return {"value": plain_value(known.value), "low": bounds[0], "high": bounds[1]}


def _notes(material: Material, found: CostEstimates, shown: Sequence[str]) -> list[str]:
    words = material.words
    notes = [words("report.costs.bounds"), words("report.costs.turns")]
    for name in (each for each in shown if each.startswith("p")):
        lacking = sum(math.isnan(each.low) for each in found.of(name).values())
        if lacking:
            least = needed(float(name[1:]) / 100)
            notes.append(words("plots.costs.lacking", n=lacking, x=name, needed=least))
    if found.of("memory"):
        notes.append(words("report.costs.memory"))
    return notes


def _pictures(material: Material) -> list[dict[str, Any]]:
    """The charts of the metric that decides against each cost that two systems have."""
    comparison, metric, words = material.comparison, material.primary, material.words
    if comparison is None:
        return []
    found = []
    for quantity in DRAWN:
        known = priced(comparison, metric, quantity)
        if len(known.values) > 1:
            front = on_front(known, metric, quantity)
            name = name_of(quantity, words)
            key = _said_of(front, len(known.values))
            found.append(
                {
                    "quantity": quantity,
                    "chart": quantity,
                    "x": name,
                    "y": str(metric),
                    "sentence": words(f"report.costs.{key}", x=name, y=str(metric)) if key else "",
                    "front": front if key in ("one_front", "front") else [],
                }
            )
    return found


def _said_of(front: Sequence[str], systems: int) -> str:
    """The key of the sentence about a Pareto front; "" for none."""
    if not front:
        return ""
    return "one_front" if len(front) == 1 else "all_front" if len(front) == systems else "front"


def _ratios(found: CostEstimates) -> list[dict[str, Any]]:
    """The ratios of latency, each turned so that the first system is the slower one; the largest if there are many."""
    turned = []
    for each in found.ratios:
        own: dict[str, Any] = {
            "first": each.first,
            "second": each.second,
            "ratio": each.ratio,
            "over_queries": [each.low, each.high],
            "over_turns": [each.low_turns, each.high_turns],
            "queries": each.queries,
            "turns": each.turns,
        }
        if each.ratio < 1:
            own |= {"first": each.second, "second": each.first, "ratio": 1 / each.ratio}
            own |= {"over_queries": [1 / each.high, 1 / each.low]}
            own |= {"over_turns": [1 / each.high_turns, 1 / each.low_turns]}
        turned.append(own)
    turned.sort(key=lambda own: -own["ratio"])
    return [
        {
            key: [plain_value(end) for end in each] if isinstance(each, list) else plain_value(each)
            for key, each in own.items()
        }
        for own in turned[:MOST_PAIRS]
    ]


def _conditions(material: Material, found: CostEstimates) -> list[str]:
    """On what machine it was measured, and what disturbed it, in sentences."""
    words, own = material.words, found.conditions
    said = []
    machine = [str(own.environment[each]) for each in ("processor", "system") if own.environment.get(each)]
    if "cores" in own.environment:
        machine.append(words("report.costs.cores", n=own.environment["cores"]))
    if "memory" in own.environment:
        machine.append(f"{own.environment['memory'] / GIB:.1f} GiB")
    if "Python" in own.environment:
        machine.append(f"Python {own.environment['Python']}")
    if machine:
        said.append(words("report.costs.machine", what="; ".join(machine)))
    if own.slower is not None and own.slower + 1 > PACE:
        said.append(words("report.costs.slower", share=percent(own.slower, 0)))
    if own.busy is not None and own.busy > OTHERS:
        said.append(words("report.costs.busy", cores=f"{own.busy:.1f}"))
    said += [words("report.costs.saturated", system=brief_name(each)) for each in own.saturated]
    said += [words("report.costs.restarts", system=brief_name(name), n=n) for name, n in own.restarts.items()]
    for name, (calls, timeouts, others) in own.failures.items():
        for key, n in (("timeouts", timeouts), ("failures", others)):
            if n:
                said.append(words(f"report.costs.{key}", system=brief_name(name), n=n, of=calls))
    if not said[bool(machine) :] and own.slower is not None:
        said.append(words("report.costs.quiet"))
    return said
