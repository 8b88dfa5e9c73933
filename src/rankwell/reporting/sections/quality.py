"""The section ``quality``: what is wrong with the data or missing from them, what it does to the numbers, and the remedy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from rankwell.display.findings import LEVELS, Finding, Level
from rankwell.display.table import number
from rankwell.inspection.linting import lint
from rankwell.matching.groups import COPIES
from rankwell.matching.lists import UNDECIDED
from rankwell.records import record
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.chart.texts import percent
from rankwell.reporting.material import Material
from rankwell.reporting.plots.judged import cuts, draw_shares, shares_of
from rankwell.reporting.plots.ties import ties
from rankwell.reporting.section import Content, report_section
from rankwell.reporting.sections.definitions import count_label
from rankwell.results.warnings import warnings_of

FEW_JUDGED = 0.8  # a smaller share of judged items makes means doubtful
UNEVEN = 0.1  # a larger difference of these shares favours the systems that are judged more
MISSING, UNKNOWN = "judged queries missing from the run", "lists without judgements"
LAST = ("near-ties",)
# counts that say how much there is, not what a rule did; and those that other issues tell of
SIZES = (
    "lists", "rows", "judgements", "judged queries", "judged items found", "training pairs", "training users",
)  # fmt: skip
TOLD = MISSING, UNKNOWN, UNDECIDED, "queries with R > k", COPIES, "judgements given twice"
MOST = 6  # cases of an issue that are shown
FULLY_JUDGED = 0.95  # from here on a picture of unjudged items says nothing
# what an issue does to the numbers depends on these fields of the policy
RULES = {"missing-queries": "missing", "undefined-judgements": "undefined"}
COUNTED = {"lists": "lists", "missing": MISSING, "unknown": UNKNOWN, "ties": UNDECIDED}


@record
class Case:
    """Where an issue was found: a system, or a place in a file, with a text in the language of the page.

    ``message`` and ``effect`` are what lint says; ``message`` and ``place`` may quote ids.
    """

    system: str
    text: str = ""
    place: str = ""
    message: str = ""
    effect: str = ""


@record
class Issue:
    """Something to know about the data, and all cases of it. ``rule`` is the key of its words."""

    level: Level
    rule: str
    cases: tuple[Case, ...]


def issues_of(material: Material) -> list[Issue]:
    """Return the issues, errors first."""
    found: dict[tuple[Level, str], list[Case]] = {}
    for level, rule, case in _all(material):
        found.setdefault((level, rule), []).append(case)
    issues = [Issue(level, rule, tuple(cases)) for (level, rule), cases in found.items()]
    return sorted(issues, key=lambda issue: (LEVELS.index(issue.level), issue.rule in LAST))


Found = Iterator[tuple[Level, str, Case]]


def _all(material: Material) -> Found:
    yield from _linted(material) if material.runs else _counted(material)
    yield from _ties(material)
    yield from _undefined(material)
    yield from _touched(material)
    for warning in warnings_of(list(material.results.values())):
        yield "warning", "warnings", Case("", effect=material.words.composed(warning))


def _linted(material: Material) -> Found:
    """What lint finds in each run, one at a time, so that the rows of one are held."""
    assert material.evaluator is not None
    findings: dict[Finding, str] = {}
    for name, run in material.runs.items():
        own = lint(
            [run],
            material.qrels,
            items=material.items,
            train=material.train,
            k=material.depth,
            metric=str(material.primary),
            policy=material.evaluator.policy,
        )
        for finding in own:
            findings.setdefault(finding, name)
    for finding, name in findings.items():
        if finding.rule != "unjudged":
            yield finding.level, finding.rule, _case(material, finding, name)
        elif material.judged:  # a log of interactions has no unjudged items
            yield _of_unjudged(material), finding.rule, _case(material, finding, name)


def _case(material: Material, finding: Finding, name: str) -> Case:
    """A finding, with the names of files without their folders, which tell of a machine."""
    run, words = material.runs[name], material.words
    place, message = words.composed(finding.place), words.composed(finding.message)
    labels = [run.name, *(file.label for file in run.files)]
    is_of_run = any(
        finding.place == label or finding.place.startswith((f"{label}:", f"{label},")) for label in labels
    )
    for file in (*run.files, *(() if material.qrels is None else material.qrels.files)):
        place, message = (text.replace(file.label, PurePath(file.label).name) for text in (place, message))
    text = _said(material, finding.rule, name)
    place, message = ("" if place == run.name else place, message) if not text else ("", "")
    return Case(name if is_of_run else "", text, place, message, words.composed(finding.effect))


def _of_unjudged(material: Material) -> Level:
    shares = [share for share in material.judged.values() if not math.isnan(share)]
    return "warning" if max(shares, default=1.0) - min(shares, default=1.0) > UNEVEN else "note"


def _counted(material: Material) -> Found:
    """What saved results know of what lint would have found."""
    for name, res in material.results.items():
        if res.counts.get(MISSING):
            yield "warning", "missing-queries", Case(name, _said(material, "missing-queries", name))
        if res.counts.get(UNKNOWN):
            yield "note", "unknown-queries", Case(name, _said(material, "unknown-queries", name))
        if material.judged.get(name, 1.0) < FEW_JUDGED:
            yield _of_unjudged(material), "unjudged", Case(name, _said(material, "unjudged", name))


def _said(material: Material, rule: str, name: str) -> str:
    """How often a rule found what results have counted too, in the language of the page; empty for other rules."""
    counts, words = material.results[name].counts, material.words
    if rule == "unjudged" and name in material.judged:
        return words("report.quality.judged", share=percent(material.judged[name]), k=material.depth)
    what, of = {"missing-queries": (MISSING, "judged queries"), "unknown-queries": (UNKNOWN, "lists")}.get(
        rule, ("", "")
    )
    return words("report.quality.some", n=counts[what], of=counts[of]) if what in counts else ""


def _ties(material: Material) -> Found:
    """Means that the order of equal scores moves by more than 0.001."""
    for name, res in material.results.items():
        for metric, (worst, best) in res.tie_range.items():
            low, high = sorted((worst, best))
            ends = {"low": number(low), "high": number(high), "value": number(res.plain_mean[metric])}
            yield "warning", "ties", Case(name, material.words("report.quality.range", metric=metric, **ends))


def _undefined(material: Material) -> Found:
    """Queries for which a metric is undefined; those by the judgements are the same for all systems."""
    words, seen = material.words, set[str]()
    for name, res in material.results.items():
        for metric, reasons in res.undefined.items():
            for reason, n in reasons.items():
                is_list = reason == "undefined by the list"
                text = words("report.quality.of_metric", metric=metric, queries=words("page.queries", n=n))
                # the judgements are the same for all systems, so their case is told once
                if is_list or text not in seen:
                    yield (
                        "note",
                        "undefined-list" if is_list else "undefined-judgements",
                        Case(name * is_list, text),
                    )
                seen.add(text)


def _touched(material: Material) -> Found:
    """Rows that other rules touched; a count that is the same for all systems is told once."""
    found = [res.counts for res in material.results.values()]
    for what in {what: None for counts in found for what in counts if what not in (*SIZES, *TOLD)}:
        numbers = [counts.get(what, 0) for counts in found]
        same = len(set(numbers)) == 1
        for name, n in list(zip(material.results, numbers, strict=True))[: 1 if same else None]:
            if n:
                yield (
                    "note",
                    "touched",
                    Case("" if same else name, f"{count_label(what, material.words)}: {n:,}"),
                )


@report_section(order=110)
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


def _charts(material: Material) -> dict[str, Any]:
    """The ranges of means that ties move, and how far lists are judged if that is not far enough."""
    charts, words = {}, material.words
    moved = list(dict.fromkeys(metric for res in material.results.values() for metric in res.tie_range))
    if moved:
        charts["ties"] = spec_of(ties(material.results, metrics=moved, lang=words.lang))
    if material.evaluator is not None and min(material.judged.values(), default=1.0) < FULLY_JUDGED:
        shares = shares_of(material.evaluator.of_other_metrics(cuts()), material.runs)
        if shares:
            charts["judged"] = spec_of(draw_shares(shares, words))
    return charts
