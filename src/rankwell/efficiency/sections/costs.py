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

# p95 first: the chart that is open shows what most users wait for at most
DRAWN = "p95", "p50", "p99", "throughput", "memory", "index", "indexing"
MOST_PAIRS, OPEN = 30, 1
GIB = 2**30


@report_section(order=80)
def section(material: Material) -> Content | None:
    """Return the costs of the systems; None if none were measured."""
    estimates, words = material.costs, material.words
    if estimates is None or not estimates.systems:
        return None
    shown = [name for name in SHOWN if estimates.of(name)]
    pictures = _pictures(material)
    charts: dict[str, Mapping[str, Any]] = {}
    for picture in pictures:
        assert material.comparison is not None
        drawn = costs(material.comparison, material.primary, x=picture["quantity"], lang=words.lang)
        charts[picture["chart"]] = spec_of(drawn)
    data = {
        "load": estimates.load,
        "metric": str(material.primary),
        "better": {"arrow": ARROWS[material.primary.better], "direction": material.primary.better},
        "quantities": [_column(name, material) for name in shown],
        "rows": [_row(material, estimates, system, shown) for system in _order(material)],
        "notes": _notes(material, estimates, shown),
        "pictures": pictures,
        "open": OPEN,
        "ratios": _ratios(estimates),
        "all_ratios": len(estimates.ratios),
        "conditions": _conditions(material, estimates),
    }
    return Content(data, charts)


def _order(material: Material) -> list[str]:
    """The systems, best first by the metric that decides."""
    comparison = material.comparison
    if comparison is None:
        return material.names
    return [comparison.names[row] for row in comparison.order_of(material.primary, 0)]


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


def _row(material: Material, estimates: CostEstimates, system: str, shown: Sequence[str]) -> dict[str, Any]:
    comparison = material.comparison
    mean = material.mean(system, material.primary)
    return {
        "system": system,
        "baseline": comparison is not None and system == comparison.baseline,
        "mean": plain_value(mean),
        "cells": [_cell(estimates.of(name).get(system)) for name in shown],
    }


def _cell(estimate: CostEstimate | None) -> dict[str, Any]:
    """A value with its bounds, None where there are none; equal bounds say nothing more than the value."""
    if estimate is None:
        return {"value": None, "low": None, "high": None}
    has_bounds = not math.isnan(estimate.low) and not estimate.low == estimate.value == estimate.high
    bounds = [plain_value(bound) if has_bounds else None for bound in estimate[1:]]
    return {"value": plain_value(estimate.value), "low": bounds[0], "high": bounds[1]}


def _notes(material: Material, estimates: CostEstimates, shown: Sequence[str]) -> list[str]:
    words = material.words
    notes = [words("report.costs.bounds"), words("report.costs.turns")]
    for name in (each for each in shown if each.startswith("p")):
        lacking = sum(math.isnan(each.low) for each in estimates.of(name).values())
        if lacking:
            least = needed(float(name[1:]) / 100)
            notes.append(words("plots.costs.lacking", n=lacking, x=name, needed=least))
    if estimates.of("memory"):
        notes.append(words("report.costs.memory"))
    return notes


def _pictures(material: Material) -> list[dict[str, Any]]:
    """The charts of the metric that decides against each cost that two systems have."""
    comparison, metric, words = material.comparison, material.primary, material.words
    if comparison is None:
        return []
    pictures = []
    for quantity in DRAWN:
        systems = priced(comparison, metric, quantity)
        if len(systems.values) > 1:
            front = on_front(systems, metric, quantity)
            name = name_of(quantity, words)
            key = _said_of(front, len(systems.values))
            pictures.append(
                {
                    "quantity": quantity,
                    "chart": quantity,
                    "x": name,
                    "y": str(metric),
                    "sentence": words(f"report.costs.{key}", x=name, y=str(metric)) if key else "",
                    "front": front if key in ("one_front", "front") else [],
                }
            )
    return pictures


def _said_of(front: Sequence[str], systems: int) -> str:
    """The key of the sentence about a Pareto front; "" for none."""
    if not front:
        return ""
    return "one_front" if len(front) == 1 else "all_front" if len(front) == systems else "front"


def _ratios(estimates: CostEstimates) -> list[dict[str, Any]]:
    """The ratios of latency, each turned so that the first system is the slower one; the largest if there are many."""
    turned = []
    for pair in estimates.ratios:
        own: dict[str, Any] = {
            "first": pair.first,
            "second": pair.second,
            "ratio": pair.ratio,
            "over_queries": [pair.low, pair.high],
            "over_turns": [pair.low_turns, pair.high_turns],
            "queries": pair.queries,
            "turns": pair.turns,
        }
        if pair.ratio < 1:
            own |= {"first": pair.second, "second": pair.first, "ratio": 1 / pair.ratio}
            own |= {"over_queries": [1 / pair.high, 1 / pair.low]}
            own |= {"over_turns": [1 / pair.high_turns, 1 / pair.low_turns]}
        turned.append(own)
    turned.sort(key=lambda own: -own["ratio"])
    return [
        {
            key: [plain_value(end) for end in pair] if isinstance(pair, list) else plain_value(pair)
            for key, pair in own.items()
        }
        for own in turned[:MOST_PAIRS]
    ]


def _conditions(material: Material, estimates: CostEstimates) -> list[str]:
    """On what machine it was measured, and what disturbed it, in sentences."""
    words, own = material.words, estimates.conditions
    sentences = []
    machine = [str(own.environment[each]) for each in ("processor", "system") if own.environment.get(each)]
    if "cores" in own.environment:
        machine.append(words("report.costs.cores", n=own.environment["cores"]))
    if "memory" in own.environment:
        machine.append(f"{own.environment['memory'] / GIB:.1f} GiB")
    if "Python" in own.environment:
        machine.append(f"Python {own.environment['Python']}")
    if machine:
        sentences.append(words("report.costs.machine", what="; ".join(machine)))
    if own.slower is not None and own.slower + 1 > PACE:
        sentences.append(words("report.costs.slower", share=percent(own.slower, 0)))
    if own.busy is not None and own.busy > OTHERS:
        sentences.append(words("report.costs.busy", cores=f"{own.busy:.1f}"))
    sentences += [words("report.costs.saturated", system=brief_name(each)) for each in own.saturated]
    sentences += [
        words("report.costs.restarts", system=brief_name(name), n=n) for name, n in own.restarts.items()
    ]
    for name, (calls, timeouts, others) in own.failures.items():
        for key, n in (("timeouts", timeouts), ("failures", others)):
            if n:
                sentences.append(words(f"report.costs.{key}", system=brief_name(name), n=n, of=calls))
    if not sentences[bool(machine) :] and own.slower is not None:
        sentences.append(words("report.costs.quiet"))
    return sentences
