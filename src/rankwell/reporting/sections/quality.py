"""The section ``quality``: what is wrong with the data or missing from them, what it does to the numbers, and the remedy."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from rankwell.display.findings import LEVELS
from rankwell.matching.lists import UNDECIDED
from rankwell.reporting.chart.theme import spec_of
from rankwell.reporting.issues import MISSING, UNKNOWN, Issue, issues_of
from rankwell.reporting.material import Material
from rankwell.reporting.plots.judged import cuts, drawn_judged, shares_of
from rankwell.reporting.plots.ties import ties
from rankwell.reporting.section import Content, part

MOST = 6  # cases of an issue that are shown
FULLY_JUDGED = 0.95  # from here on a picture of unjudged items says nothing
# what an issue does to the numbers depends on these fields of the policy
RULES = {"missing-queries": "missing", "undefined-judgements": "undefined"}


@part(order=110)
def section(material: Material) -> Content | None:
    """Return the issues and a row of facts per system; None without results."""
    if not material.results:
        return None
    words, issues = material.words, issues_of(material)
    data = {
        "summary": _summary(material, issues),
        "checked": words(f"report.quality.{'checked' if material.runs else 'saved'}"),
        "issues": [_shown(material, issue) for issue in issues if issue.level != "note"],
        "notes": [_shown(material, issue) for issue in issues if issue.level == "note"],
        **_facts(material),
    }
    return Content(data, _charts(material))


def _summary(material: Material, issues: list[Issue]) -> str:
    words, counted = material.words, Counter(issue.level for issue in issues)
    said = [words(f"report.quality.n_{level}", n=counted[level]) for level in LEVELS if counted[level]]
    return f"{', '.join(said)}." if said else words("report.quality.none")


def _shown(material: Material, issue: Issue) -> dict[str, Any]:
    """An issue in words."""
    words, start = material.words, f"report.quality.{issue.rule}"
    policy = next(iter(material.results.values())).policy
    does = f"does_{getattr(policy, RULES[issue.rule])}" if issue.rule in RULES else "does"
    return {
        "level": issue.level,
        "rule": issue.rule,
        "named": words(f"report.quality.{issue.level}"),
        "title": words(f"{start}.title"),
        "does": words(f"{start}.{does}"),
        "remedy": words(f"{start}.remedy"),
        "cases": [asdict(case) for case in issue.cases[:MOST]],
        "more": max(len(issue.cases) - MOST, 0),
    }


def _facts(material: Material) -> dict[str, Any]:
    """A row per system, with the columns that say something of any."""
    name = str(material.primary)
    rows = []
    for system, res in material.results.items():
        undefined = sum(res.undefined.get(name, {}).values())
        counts = {what: res.counts.get(key, 0) for what, key in COUNTED.items()}
        rows.append(
            {"system": system, **counts, "undefined": undefined, "judged": material.judged.get(system)}
        )
    columns = [what for what in (*COUNTED, "undefined") if what == "lists" or any(row[what] for row in rows)]
    columns += ["judged"] if material.judged else []
    words, fields = material.words, {"k": material.depth, "metric": name}
    heads = [{"key": what, "head": words(f"report.quality.columns.{what}", **fields)} for what in columns]
    return {"columns": heads, "rows": rows}


COUNTED = {"lists": "lists", "missing": MISSING, "unknown": UNKNOWN, "ties": UNDECIDED}


def _charts(material: Material) -> dict[str, Any]:
    """The ranges of means that ties move, and how far lists are judged if that is not far enough."""
    charts, words = {}, material.words
    moved = list(dict.fromkeys(metric for res in material.results.values() for metric in res.tie_range))
    if moved:
        charts["ties"] = spec_of(ties(material.results, metrics=moved, lang=words.lang))
    if material.evaluator is not None and min(material.judged.values(), default=1.0) < FULLY_JUDGED:
        shares = shares_of(material.evaluator.of_other_metrics(cuts()), material.runs)
        if shares:
            charts["judged"] = spec_of(drawn_judged(shares, words))
    return charts
