"""The top of the report: what was compared, on what, and the answer in one sentence."""

from __future__ import annotations

import math
from typing import Any

from rankwell.comparison.trend import Trend
from rankwell.display.page import PageStrings
from rankwell.display.text import plain_value
from rankwell.reporting.answer import (
    sentence_of,
    sentence_of_one,
    sentence_of_trend,
    slowdown_of,
    slowdown_text,
)
from rankwell.reporting.chart.texts import percent
from rankwell.reporting.facts import facts_of
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, report_section
from rankwell.reporting.sections.leaderboard import plain_words

MOST_NAMED = 6


@report_section(order=10, of_trends=True, of_subjects=True)
def section(material: Material) -> Content | None:
    """Return what was compared, the sentence, and the facts beside it."""
    words = material.words
    if material.subject is not None:
        return Content(material.subject.answer(words))
    metric = material.primary
    if material.trend is not None:
        return _of_trend(material.trend, words)
    if material.comparison is None:
        (res,) = material.results.values()
        said = sentence_of_one(res, metric, material.intervals.get(str(metric)), words)
    else:
        said = sentence_of(material.comparison, metric, words)
    facts = facts_of(material, metric, said)
    cost = None if material.costs is None else slowdown_of(material.costs, said.first, said.second)
    sentence = said.text(words)
    data: dict[str, Any] = {
        "compared": compared(material),
        "case": said.key,
        "sentence": sentence if cost is None else f"{sentence} {slowdown_text(cost, words)}",
        "numbers": {name: plain_value(value) for name, value in said.numbers.items()},
        "facts": [fact.text(words) for fact in facts],
        "cases": [fact.key for fact in facts],
    }
    if cost is not None:
        data["slowdown"] = cost.numbers | {"first": cost.first, "second": cost.second}
    return Content(data)


def _of_trend(trend: Trend, words: PageStrings) -> Content:
    """Return how each metric changed on the last date; the first one's change is the answer."""
    said, *others = [sentence_of_trend(trend, metric, words) for metric in trend.metrics]
    span = " – ".join(dict.fromkeys([str(trend.dates[0]), str(trend.dates[-1])]))
    rows = [
        {"label": words("report.answer.of_dates"), "kind": "count", "value": len(trend.dates)},
        {"label": words("report.answer.of_span"), "kind": "text", "value": span, "more": ""},
    ]
    numbers = {name: plain_value(value) for name, value in said.numbers.items()}
    data = {"compared": rows, "case": said.key, "sentence": said.text(words), "numbers": numbers}
    return Content(
        data | {"facts": [one.text(words) for one in others], "cases": [one.key for one in others]}
    )


def compared(material: Material) -> list[dict[str, Any]]:
    """Return what was compared on what, as labelled values."""
    words, names = material.words, material.systems
    comparison = material.comparison
    rows: list[dict[str, Any]] = [_names(material, "systems" if len(names) > 1 else "system", names)]
    if comparison is not None and comparison.baseline is not None:
        rows.append(_names(material, "baseline", [comparison.baseline]))
    plain = {"more": plain_words(material.primary, words)}
    rows.append(_row(material, "metric", "text", str(material.primary)) | plain)
    rows.append(_row(material, "queries", "count", _queries(material)))
    res = next(iter(material.results.values()), None)
    if res is not None and "judgements" in res.counts:
        rows.append(_row(material, "judgements", "count", res.counts["judgements"]))
    shares = [share for share in material.judged.values() if not math.isnan(share)]
    if shares:
        label = words("report.answer.judged", k=material.depth)
        ends = [min(shares), max(shares)]
        if percent(ends[0], 0) == percent(ends[1], 0):
            ends = ends[:1]
        rows.append({"label": label, "kind": "shares", "value": ends})
    if material.train is not None:
        rows.append(_row(material, "train", "count", len(material.train)))
    if material.items is not None:
        rows.append(_row(material, "items", "count", len(material.items)))
    return rows


def _queries(material: Material) -> int:
    """The queries behind the means of the metric that decides: the most that a system has."""
    if material.comparison is not None:
        return int(material.comparison.means[material.primary, 0].n.max())
    return max(res.n[str(material.primary)] for res in material.results.values())


def _row(material: Material, key: str, kind: str, value: Any) -> dict[str, Any]:
    return {"label": material.words(f"report.answer.of_{key}"), "kind": kind, "value": value}


def _names(material: Material, key: str, names: list[str]) -> dict[str, Any]:
    rest = len(names) - MOST_NAMED
    more = material.words("report.answer.more", n=rest) if rest > 0 else ""
    return _row(material, key, "names", names[:MOST_NAMED]) | {"more": more}
