"""Definitions: each metric, the policy, how grades were read, what each rule touched, and what the page was made from."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any

from rankwell import __version__
from rankwell.comparison.compare.cells import SystemCounts
from rankwell.display.page import PageStrings
from rankwell.inspection.explanation import explain
from rankwell.matching.policy import Policy
from rankwell.metrics.docstrings import entries
from rankwell.metrics.metric import Metric
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, report_section

OF = "{of}"  # stands for a column or a metric in the names of some counts
CARD = ("formula", "edge cases", "convention", "parameters", "reference")
FOLDED = CARD[1:]


def count_label(what: str, words: PageStrings) -> str:
    """Return what a count is called; a count that only a user's metric has keeps its name.

    Examples
    --------
    >>> from rankwell.display.page import words_of
    >>> count_label("judged queries", words_of("ko")), count_label("rows without colour", words_of("ko"))
    ('판정된 질의', 'colour 값이 없는 행')
    """
    texts = words.of("report.counts")
    if what in texts:
        return texts[what]
    for name, text in texts.items():
        start, field, end = name.partition(OF)
        if field and what.startswith(start) and what.endswith(end):
            return text.format(of=what.removeprefix(start).removesuffix(end))
    return what


@report_section(order=120, of_trends=True)
def section(material: Material) -> Content:
    """Return the definitions."""
    counted = _counted(material)
    policy, touched = _policy(material), _touched(material, counted)
    data: dict[str, Any] = {
        "metrics": [_metric(material, metric) for metric in material.metrics],
        "policy": policy,
        "changed": [rule for rule in policy if rule["changed"]],
        "grades": _grades(material),
        "systems": list(counted),
        "same": [row for row in touched if row["same"]],
        "differs": [row for row in touched if not row["same"]],
        "notes": _notes(material),
        "versions": _versions(),
        "files": [
            {"role": rule.role, "name": rule.name, "bytes": rule.size, "sha256": rule.sha256}
            for rule in material.inputs
        ],
        "command": material.command,
        "redacted": _redacted(material),
        "experiment": _experiment(material),
    }
    return Content(data)


def _metric(material: Material, metric: Metric) -> dict[str, Any]:
    """A metric's definition: as it is written, with every switch, in a sentence and as a formula."""
    explained = explain(metric).to_dict()
    card = _translated(material, metric, explained)
    low, high = metric.range
    ends = {"low": f"{low:g}".replace("inf", "∞"), "high": f"{high:g}".replace("inf", "∞")}
    return {
        "metric": str(metric),
        "signature": metric.signature,
        "sentence": card["sentence"],
        "range": material.words("report.definitions.range", **ends),
        "better": material.words(f"page.{metric.better}"),
        "formula": card.get("formula", ""),
        "folded": [
            {
                "title": material.words(f"report.definitions.{parameter.replace(' ', '_')}"),
                "text": _unfolded(parameter, card[parameter]),
                "is_cited": parameter == "reference" and card[parameter] == explained[parameter],
            }
            for parameter in FOLDED
            if parameter in card
        ],
    }


def _translated(material: Material, metric: Metric, card: Mapping[str, Any]) -> dict[str, str]:
    """The parts of a metric's card in the language of the page; a metric that a user has defined is left as it is written."""
    room = f"metrics.{metric.name}"
    texts = {
        field: material.words.translated(card[field], f"{room}.{field.replace(' ', '_')}")
        for field in ("sentence", *CARD)
        if field in card
    }
    if "parameters" in card:
        texts["parameters"] = "\n".join(_parameter(material, entry) for entry in entries(card["parameters"]))
    return {field: text.replace("``", "") for field, text in texts.items()}


def _parameter(material: Material, entry: str) -> str:
    """What a parameter means, behind its name."""
    name, colon, text = entry.partition(": ")
    said = material.words.translated(text if colon else entry, f"parameters.{name}")
    return f"{name}: {said}" if colon else said


def _unfolded(title: str, text: str) -> str:
    """A text without the ends of its lines in the source; parameters have a line each."""
    if title == "parameters":
        return text
    return "\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _policy(material: Material) -> list[dict[str, Any]]:
    """The rules, and which differ from the default."""
    own = (material.comparison or material.trend or next(iter(material.results.values()))).policy
    plain = Policy().to_dict()
    return [
        {"rule": name, "value": str(value), "changed": value != plain.get(name)}
        for name, value in own.to_dict().items()
    ]


def _grades(material: Material) -> str:
    """How the grades were read; nothing is known of it from a comparison that an older version saved."""
    if found := material.comparison or material.trend:
        kind, rel = found.grades, found.rel
    else:
        (res,) = material.results.values()
        kind = res.grades if any(metric.judgements for metric in res.metrics) else "none"
        rel = res.conditions.scale.rel
    if not kind:
        return ""
    if kind == "none" or rel is None:
        return material.words(f"report.definitions.grades_{kind}")
    return material.words(f"report.definitions.grades_{kind}_from", rel=f"{rel:g}")


def _counted(material: Material) -> Mapping[str, SystemCounts]:
    """What was counted of each system."""
    if material.comparison is not None:
        return material.comparison.counted
    return {name: SystemCounts(res.counts, res.undefined) for name, res in material.results.items()}


def _touched(material: Material, counted: Mapping[str, SystemCounts]) -> list[dict[str, Any]]:
    """What each rule touched, as a row per count: one value if it is the same for all systems, else one per system."""
    counts = [own.counts for own in counted.values()]
    rows = [_row(material, what, what, [own.get(what, 0) for own in counts]) for what in _keys(counts)]
    for metric in material.metrics:
        reasons = [own.undefined.get(str(metric), {}) for own in counted.values()]
        rows += [
            _row(material, f"{metric}: {reason}", reason, [own.get(reason, 0) for own in reasons])
            for reason in _keys(reasons)
        ]
    return rows


def _keys(counts: Sequence[Mapping[str, int]]) -> list[str]:
    """The kinds of counts that any system has, in the order in which they come."""
    return list({what: None for own in counts for what in own})


def _row(material: Material, name: str, key: str, values: list[int]) -> dict[str, Any]:
    same = all(value == values[0] for value in values)
    # the metric before the reason stays as it is written
    label = name.replace(key, count_label(key, material.words))
    return {"what": label, "same": same, "values": values[:1] if same else values}


def _notes(material: Material) -> list[str]:
    """The notes of a comparison that was saved before its counts were: the only words about them."""
    comparison = material.comparison
    return [] if comparison is None or comparison.counted else list(comparison.notes)


def _versions() -> list[dict[str, str]]:
    from importlib.metadata import version

    own = {"rankwell": __version__, "Python": platform.python_version()}
    own |= {name: version(name) for name in ("numpy", "polars")}
    return [{"name": name, "version": each} for name, each in own.items()]


def _redacted(material: Material) -> str:
    """What a redacted page leaves out."""
    least = 0 if material.redaction is None else material.redaction.least
    return material.words("report.definitions.redacted", least=least) if least else ""


def _experiment(material: Material) -> str:
    if material.comparison is not None:
        return material.comparison.experiment
    return next((res.experiment for res in material.results.values()), "")
