"""The curves: a metric at each cut-off, and precision at each level of recall."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.material import Material
from rankwell.reporting.plots.curve import MOST_BANDS, Word, at_cuts, draw_curve
from rankwell.reporting.plots.curve import rows_of as rows_at_cuts
from rankwell.reporting.plots.precision_recall import ELEVEN, draw_curves
from rankwell.reporting.plots.precision_recall import rows_of as rows_of_curves
from rankwell.reporting.section import Content, report_section
from rankwell.results import Results
from rankwell.results.curves import Curve, steps

BUDGETS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the budget asked for


@report_section(order=60)
def section(material: Material) -> Content | None:
    """Return the curves of all systems; None without runs, or if no metric has a cut-off and nothing is relevant."""
    (base, budgets), levels = _base(material), _levels(material)
    word: Word = "k" if budgets is None else "budget"
    if material.evaluator is None or not material.runs or not (base or levels):
        return None
    evaluator = material.evaluator.of_other_metrics(
        [*(at_cuts(base, None, budgets) if base else ()), *levels]
    )
    bright, at_ks = material.highlighted, list[dict[str, Any]]()
    curves: dict[str, Curve] = {}
    in_colour = list(material.runs) if bright is None else bright
    # intervals take most of the time, and more bands than these cover each other
    has_bands = len(in_colour) <= MOST_BANDS
    for name, run in material.runs.items():  # one after the other: only the values of one run are held
        res = evaluator.results_of(run)
        if base:
            shows = has_bands and name in in_colour
            at_ks += rows_at_cuts(name, res, base, None, intervals=shows, word=word)
        curves |= {name: curve} if (curve := _curve(res, levels)) else {}
    if not any(row["value"] is not None for row in at_ks) and not curves:
        return None
    return _make_curve(material, base, at_ks, curves, bright, word)


def _make_curve(
    material: Material,
    base: Metric | None,
    at_ks: list[dict[str, Any]],
    curves: dict[str, Curve],
    bright: list[str] | None,
    word: Word,
) -> Content:
    words, charts = material.words, {}
    if base and any(row["value"] is not None for row in at_ks):
        charts["curve"] = spec_of(draw_curve(at_ks, base, words, highlight=bright, word=word))
    if curves:
        names = None if bright is None else [name for name in bright if name in curves]
        charts["precision_recall"] = spec_of(draw_curves(curves, words, highlight=names))
    rows = rows_of_curves(curves)
    data = {
        "metric": str(base) if base else None,
        "curve": at_ks,
        "ks": sorted({row["k"] for row in at_ks}),
        "unit": "" if word == "k" else "t",
        "table": _table(at_ks),
        "precision_recall": rows["curve"],
        "summary": rows["summary"],
    }
    return Content(data, charts)


def _base(material: Material) -> tuple[Metric | None, list[float] | None]:
    """The metric that is drawn over its cut-offs: the primary one, or the first that has some; and budgets around that of a budget."""
    metrics = sorted(material.metrics, key=lambda metric: metric != material.primary)
    able = (m for m in metrics if isinstance(m, QueryMetric) and m.judgements and m.cut != "none")
    cut = next((metric for metric in able if metric.k is not None or metric.budget is not None), None)
    if cut is None or cut.budget is None or math.isinf(cut.budget):
        return (None if cut is None or cut.k is None else replace(cut, k=None)), None
    return replace(cut, budget=None), [cut.budget * share for share in BUDGETS]


def _levels(material: Material) -> list[Metric]:
    """Interpolated precision at eleven levels, unless the policy has no value for it."""
    evaluator = material.evaluator
    if evaluator is None or not material.has_judged_items:
        return []
    levels = steps(ELEVEN, None)
    is_expected = evaluator.policy.ties == "expected"
    return [] if is_expected and not levels[0].has_expected_value() else levels


def _curve(res: Results, levels: list[Metric]) -> Curve | None:
    """The mean curve; None if no query has a relevant item."""
    precision = tuple(res[level] for level in levels)
    if not precision or math.isnan(precision[0]):
        return None
    return Curve(ELEVEN, precision, n=res.n[str(levels[0])])


def _table(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per system with its cells by cut-off; a system whose lists are shorter has fewer."""
    ks = sorted({row["k"] for row in rows})
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["system"], {})[row["k"]] = {key: row[key] for key in ("value", "low", "high")}
    empty = {"value": None, "low": None, "high": None}
    return [{"system": name, "cells": [cells.get(k, empty) for k in ks]} for name, cells in found.items()]
