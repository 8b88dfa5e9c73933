"""The section on uncertainty: which differences are shown, how large they are, and on how many queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.comparison.compare.comparison import Comparison, Difference
from rankwell.display.text import plain_value
from rankwell.metrics.metric import Metric
from rankwell.reporting.answer import MetricComparison, sentence_of
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.chart.inputs import (
    MOST,
    outcome_of,
    pairs_of,
    primary_of,
    shown_to_differ,
    with_values,
)
from rankwell.reporting.chart.texts import shown_interval
from rankwell.reporting.material import Material
from rankwell.reporting.plots.differences import differences, top_pair
from rankwell.reporting.plots.forest import forest
from rankwell.reporting.plots.per_query import per_query
from rankwell.reporting.plots.wins import can_be_won, wins
from rankwell.reporting.section import Content, report_section
from rankwell.results.intervals import MeanInterval

MOST_METRICS, MOST_STRIPS = 12, 12  # metrics with a table, and systems whose values per query are drawn


@report_section(order=30)
def section(material: Material) -> Content | None:
    """Return the intervals of one system's means, or of the differences of several; None if nothing has an interval."""
    if material.comparison is None:
        return _of_one(material)
    return _of_pairs(material, material.comparison)


def _of_one(material: Material) -> Content | None:
    (name, res), *_ = material.results.items()
    intervals = material.intervals
    rows = [_mean(metric, intervals[str(metric)]) for metric in res.metrics if str(metric) in intervals]
    if not rows:
        return None
    chart = per_query({name: res}, rows[0]["metric"], lang=material.words.lang)
    data = {
        "kind": "alone",
        "system": name,
        "means": rows,
        "is_doubtful": any(row["is_doubtful"] for row in rows),
    }
    return Content(data, {"per_query": spec_of(chart)})


def _mean(metric: Metric, interval: MeanInterval) -> dict[str, Any]:
    low, high = shown_interval(interval.low, interval.high, metric)
    return {
        "metric": str(metric),
        "better": metric.better,
        "mean": plain_value(interval.mean),
        "low": low,
        "high": high,
        "n": interval.n,
        "is_doubtful": interval.is_doubtful,
    }


def _of_pairs(material: Material, comparison: Comparison) -> Content | None:
    """The differences of all metrics with values per query, the primary one first, or the first of them."""
    main = primary_of(comparison)
    tested = [
        metric
        for metric in comparison.metrics
        if shown_to_differ(comparison, metric)[1] or can_be_won(comparison, metric)
    ]
    if not tested:
        return None
    tested.sort(key=lambda metric: metric != main)
    against = comparison.baseline
    # all pairs of many systems fill pages; against the best one they are a list
    if against is None and comparison.pairs.shape[1] > MOST:
        against = comparison.names[comparison.order[0]]
    tables = [_table(comparison, metric, against, at) for at, metric in enumerate(tested[:MOST_METRICS])]
    first, second = top_pair(comparison)
    data = {
        "kind": "compared",
        "answer": _answer(material, comparison),
        "tables": [table | {"sentence": _sentence(material, comparison, table)} for table in tables],
        "more": len(tested) - len(tables),
        "against": against,
        "first": first,
        "second": second,
        "level": comparison.methods.level,
        "alpha": comparison.methods.alpha,
        "correction": comparison.correction,
    }
    charts = _charts(material, comparison, tested[: len(tables)], against)
    return Content(data, charts)


def _answer(material: Material, comparison: Comparison) -> str:
    """How certain the difference is that the sentence at the top speaks of; empty if it speaks of none that is tested."""
    said = sentence_of(comparison, material.primary, material.words)
    judge = MetricComparison(comparison, material.primary, material.words)
    if said.first is None or said.second is None or not judge.is_tested:
        return ""
    return judge.certainty(judge.difference(said.first, said.second))


def _table(comparison: Comparison, metric: Metric, against: str | None, at: int) -> dict[str, Any]:
    pairs = pairs_of(comparison, metric, against=against)
    differing, total = shown_to_differ(comparison, metric, against)
    return {
        "metric": str(metric),
        "better": metric.better,
        "chart": "forest" if at == 0 else f"forest_{at}",
        "rows": [_row(row, metric, comparison.methods.alpha) for row in pairs.rows],
        "pairs": pairs.total,
        "tested": total,
        "differing": differing,
    }


def _row(row: Difference, metric: Metric, alpha: float) -> dict[str, Any]:
    low, high = shown_interval(row.low, row.high, metric, of_difference=True)
    return {
        "first": row.first,
        "second": row.second,
        "n": row.n,
        "mean": plain_value(row.mean),
        "low": low,
        "high": high,
        "p": plain_value(row.p),
        "outcome": outcome_of(row, metric, alpha),
        "wins": row.wins,
        "ties": row.ties,
        "losses": row.losses,
    }


def _sentence(material: Material, comparison: Comparison, table: Mapping[str, Any]) -> str:
    """How many of the differences are shown to be more than chance."""
    words, total, differing = material.words, table["tested"], table["differing"]
    if total == 0:
        return words("report.uncertainty.untested", metric=table["metric"])
    key = "none" if differing == 0 else "all" if differing == total else "some"
    is_seeded = all(row["p"] is None for row in table["rows"])
    return words(
        f"report.uncertainty.{key}{'_seeds' if is_seeded else ''}",
        n=total,
        shown=differing,
        metric=table["metric"],
        alpha=f"{comparison.methods.alpha:g}",
        correction=words(f"plots.compared.{comparison.correction}"),
    )


def _charts(
    material: Material, comparison: Comparison, metrics: list[Metric], against: str | None
) -> dict[str, Mapping[str, Any]]:
    lang, results = material.words.lang, material.results
    charts: dict[str, Mapping[str, Any]] = {}
    for at, metric in enumerate(metrics):
        name = "forest" if at == 0 else f"forest_{at}"
        charts[name] = spec_of(forest(comparison, metric, against=against, lang=lang))
    drawn = [metric for metric in metrics if metric in with_values(results)]
    if drawn and comparison.difference(*top_pair(comparison), drawn[0]).n:
        first, second = top_pair(comparison)
        chart = differences(results, drawn[0], first, second, comparison=comparison, lang=lang)
        charts["differences"] = spec_of(chart)
        if len(comparison.names) <= MOST_STRIPS:
            charts["per_query"] = spec_of(per_query(results, drawn[0], comparison=comparison, lang=lang))
    if can_be_won(comparison, metrics[0]):
        charts["wins"] = spec_of(wins(comparison, metrics[0], against=against, lang=lang))
    return charts
