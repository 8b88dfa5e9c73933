"""The leaderboard: every system under every metric, best first, with intervals and what differs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rankwell.comparison.compare.comparison import Comparison, SystemMean
from rankwell.comparison.compare.tables import marks_of
from rankwell.display.page import PageStrings
from rankwell.display.table import are_alike
from rankwell.display.text import plain_value
from rankwell.metrics import docstrings
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.texts import shown_interval
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, report_section
from rankwell.results.intervals import MeanInterval

MOST_LETTERS = 12  # systems that are told apart by letters
NEAR = "≈"


@report_section(order=20)
def section(material: Material) -> Content | None:
    """Return a row per system with a cell per metric; for one system its metrics alone."""
    words = material.words
    rows = _alone(material) if material.comparison is None else _compared(material.comparison)
    numbers = [[row["cells"][at]["n"] for row in rows] for at in range(len(material.metrics))]
    is_one = all(column == numbers[0] for column in numbers) and len(set(numbers[0])) == 1
    level = 95.0 if material.comparison is None else material.comparison.methods.level * 100
    with_intervals = {metric for metric, _ in _intervals_of(material)}
    data = {
        "alone": material.comparison is None,
        "caption": _caption(material, numbers[0][0] if is_one else None, len(rows)),
        "interval": words("report.leaderboard.interval", level=f"{level:g}"),
        "metrics": [
            {
                "metric": str(metric),
                "direction": metric.better,
                "plain": plain_words(metric, words),
                "has_intervals": metric in with_intervals,
                "primary": len(material.metrics) > 1 and metric == material.primary,
                # neighbours with the same numbers of queries share one column, the last one's
                "n_column": not is_one and (at + 1 == len(numbers) or numbers[at] != numbers[at + 1]),
            }
            for at, metric in enumerate(material.metrics)
        ],
        "rows": rows,
        "notes": _notes(material),
    }
    return Content(data)


def plain_words(metric: Metric, words: PageStrings) -> str:
    """Return what a metric measures, and which end is better, for somebody who knows no metric.

    >>> from rankwell.display.page import words_of
    >>> from rankwell.metrics import metric_of
    >>> plain_words(metric_of("ndcg@10"), words_of("en")), plain_words(metric_of("rr"), words_of("ko"))
    ('how good the first ten are, higher is better', '목록 전체에서 첫 관련 항목이 얼마나 일찍 나오는가, 높을수록 좋음')
    """
    text, part = docstrings.plain_words(type(metric))
    text = words.translated(text, f"metrics.{metric.name}.{part}").rstrip(".").replace("``", "")
    if part == "plain":
        k, numbers = metric.k or 0, words("report.leaderboard.numbers").split()
        number = numbers[k - 1] if 0 < k <= len(numbers) else f"{k:,}"
        top = words("report.leaderboard.top", n=k, number=number) if k else words("report.leaderboard.whole")
        if metric.budget is not None:
            top = words("report.leaderboard.budget", size=f"{metric.budget:,g}")
        text = text.format(top=top, are=words("report.leaderboard.are", n=k or 1))
    return words(f"report.leaderboard.plain_{metric.better}", plain=text)


def _alone(material: Material) -> list[dict[str, Any]]:
    (res,) = material.results.values()
    cells = []
    for metric in res.metrics:
        own = material.intervals.get(str(metric))
        low, high = (own.low, own.high) if own else (math.nan, math.nan)
        cells.append(_cell(metric, res.mean[str(metric)], low, high, res.n[str(metric)]))
    return [{"system": material.names[0], "baseline": False, "cells": cells}]


def _compared(comparison: Comparison) -> list[dict[str, Any]]:
    marks = {metric: _marks(comparison, metric) for metric in comparison.metrics}
    # of the shown digits all that are alike are best, so that bold type does not tell equal numbers apart
    best = {metric: _best(comparison, metric) for metric in comparison.metrics}
    rows = []
    for row in comparison.order:
        cells = []
        for metric in comparison.metrics:
            own = comparison.means[metric, 0]
            mean, low, high = (float(column[row]) for column in (own.mean, own.low, own.high))
            top = best[metric]
            cell = _cell(metric, mean, low, high, int(own.n[row]))
            cells.append(
                cell | {"best": top is not None and are_alike(mean, top), "mark": marks[metric][row]}
            )
        rows.append(
            {
                "system": comparison.names[row],
                "baseline": comparison.names[row] == comparison.baseline,
                "cells": cells,
            }
        )
    return rows


def _marks(comparison: Comparison, metric: Metric) -> list[str]:
    """Stars or letters of each system; of many without a baseline, only which are not shown to differ from the best."""
    if comparison.baseline is not None or len(comparison.names) <= MOST_LETTERS:
        return [mark.strip() for mark in marks_of(comparison, metric, 0)]
    best, differences = comparison.order_of(metric, 0)[0], comparison.differences[metric, 0]
    # of many systems letters would fill the page: only who cannot be told from the best
    near = {best}
    for (left, right), p in zip(comparison.pairs.T.tolist(), differences.p.tolist(), strict=True):
        if best in (left, right) and p >= comparison.methods.alpha:
            near |= {left, right}
    tested = metric.better != "neither" and not np.isnan(differences.p).all()
    return [NEAR if tested and row in near else "" for row in range(len(comparison.names))]


def _best(comparison: Comparison, metric: Metric) -> float | None:
    """The best mean, if the metric has a direction and at least two systems a value."""
    values = [value for value in comparison.means[metric, 0].mean.tolist() if not math.isnan(value)]
    if metric.better == "neither" or len(values) < 2:
        return None
    return max(values) if metric.better == "higher" else min(values)


def _cell(metric: Metric, mean: float, low: float, high: float, n: int) -> dict[str, Any]:
    ends = shown_interval(low, high, metric)
    return {"mean": plain_value(mean), "low": ends[0], "high": ends[1], "n": n}


def _caption(material: Material, n: int | None, rows: int) -> str:
    """How many systems on how many queries, and what the small numbers are."""
    words = material.words
    said = [] if n is None else [words("page.queries", n=n)]
    if rows > 1:
        said.insert(0, words("page.systems", n=rows))
        said.append(words("report.leaderboard.sorted", metric=str(material.primary)))
    return words("report.leaderboard.joint").join(said)


def _notes(material: Material) -> list[str]:
    """What marks mean, how intervals were made, which metric decides."""
    words, comparison = material.words, material.comparison
    if comparison is None:
        return _intervals(material, "alone", 95.0)
    notes = [words("report.leaderboard.best")]
    if not all(np.isnan(differences.p).all() for differences in comparison.differences.values()):
        key = (
            "stars" if comparison.baseline else "letters" if len(comparison.names) <= MOST_LETTERS else "near"
        )
        how = words(f"report.methods.{comparison.correction}")
        notes.append(words(f"report.leaderboard.{key}", alpha=f"{comparison.methods.alpha:g}", how=how))
    if comparison.methods.primary:
        notes.append(words("report.leaderboard.exploratory", metric=comparison.methods.primary))
    return notes + _intervals(material, "intervals", comparison.methods.level * 100)


def _intervals(material: Material, key: str, level: float) -> list[str]:
    """How the intervals of means were made, and whether one is likely too short."""
    words, every = material.words, list(_intervals_of(material))
    shown = [own for metric, own in every if shown_interval(own.low, own.high, metric)[0] is not None]
    notes = []
    if shown:
        how = ", ".join(words(f"report.methods.{kind}") for kind in sorted({own.method for own in shown}))
        notes.append(words(f"report.leaderboard.{key}", level=f"{level:g}", how=how))
    if any(own.is_doubtful for own in shown):
        notes.append(words("report.leaderboard.doubtful"))
    if len(shown) < len(every):
        notes.append(words("report.leaderboard.dash"))
    return notes


def _intervals_of(material: Material) -> Iterator[tuple[Metric, MeanInterval | SystemMean]]:
    """The interval of each cell, with its metric; what is no mean over queries has none."""
    for metric in material.metrics:
        if material.comparison is not None:
            every = [material.comparison.mean(name, metric) for name in material.comparison.names]
            yield from ((metric, own) for own in every if own.method)
        elif str(metric) in material.intervals:
            yield metric, material.intervals[str(metric)]
