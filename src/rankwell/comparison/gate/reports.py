"""Reports of the gate: text, JSON, JUnit XML, Markdown."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from rankwell import __version__
from rankwell.display.plain_values import plain_value
from rankwell.display.table import Cell, Column, Table, number

if TYPE_CHECKING:
    from rankwell.comparison.gate.verdict import Gate

SCHEMA = 1
VERDICTS = {
    "pass": "PASS: every check is surely within its margin",
    "fail": "FAIL",
    "inconclusive": "INCONCLUSIVE: neither a drop nor its absence is certain",
}


def headline(found: Gate) -> str:
    """Return the verdict in one line."""
    text = VERDICTS[found.status]
    wrong = [each.check.name for each in found.checks if each.status == "fail"]
    wrong += [each.name for each in found.limits if each.status == "fail"]
    if wrong:
        text += f": {', '.join(wrong)}"
    if found.status == "inconclusive":
        open_ones = [each.check.name for each in found.checks if each.status == "inconclusive"]
        text += f" ({', '.join(open_ones)}); " + ("stopped, as asked" if found.exit_code else "let through")
    return text


def visible_of(found: Gate) -> list[str]:
    """Return what these queries can show at all, which is said before anything else."""
    lines = []
    for each in found.checks:
        own = each.found
        if math.isnan(own.visible):
            continue
        text = f"{each.check.name}: the smallest drop visible with {own.n:,} queries is {number(own.visible)} (power {found.rules.power:g})"
        if own.allowed > 0 and not math.isnan(own.needed):
            text += f"; a margin of {number(own.allowed)} needs {own.needed:,.0f}"
        lines.append(text)
    return lines


def table_of(found: Gate) -> Table:
    """Return a row per check and limit."""
    columns = [Column("check"), Column("n", "count"), Column("baseline", "value"), Column("new", "value")]
    columns += [
        Column("difference", "value"),
        Column("surely above", "value"),
        Column("margin"),
        Column("p drop", "value"),
    ]
    columns += [Column("p margin", "value"), Column("status"), Column("why")]
    rows: list[tuple[Cell, ...]] = []
    for each in found.checks:
        own = each.found
        values = own.old, own.new, own.difference, own.low
        shown = [_float(value) for value in values]
        p = _float(each.p), _float(own.p_margin)
        rows.append((each.check.name, own.n, *shown, str(each.check.margin), *p, each.status, each.why))
    rows += [
        (each.name, None, None, _float(each.value), None, None, "", None, None, each.status, each.why)
        for each in found.limits
    ]
    beyond = (
        "that it dropped by no more than the margin"
        if found.rules.fail_on == "margin"
        else "that it did not drop"
    )
    notes = [
        f"difference: turned so that more is better; surely above: its one-sided bound ({(1 - found.rules.alpha) * 100:g} %)",
        f"p drop: {beyond} (Holm over the checks); p margin: that it dropped by the margin (each by itself)",
    ]
    sparse = [each.check.name for each in found.checks if each.found.method == "sign flips"]
    if sparse:
        notes.append(
            f"few queries, or few that differ, so tests and bounds are by sign flips: {', '.join(sparse)}"
        )
    notes += [f"experiment: {found.experiment}"] if found.experiment else []
    return Table(columns, rows, caption=f"{found.name} against {found.baseline}", notes=notes)


def to_text(found: Gate, width: int | None = None) -> str:
    """Return what can be seen, the table and the verdict, for a terminal of so many columns."""
    parts = ["\n".join(visible_of(found)), found.to_table().to_text(width), headline(found)]
    return "\n\n".join(parts).strip()


def to_markdown(found: Gate) -> str:
    """Return the verdict, the table and what can be seen, as Markdown."""
    seen = "\n".join(f"- {line}" for line in visible_of(found))
    return f"## {headline(found)}\n\n{found.to_table().to_markdown()}\n\n{seen}"


def to_dict(found: Gate) -> dict[str, Any]:
    """Return everything as plain values; unknown is None."""
    return {
        "status": found.status,
        "exit_code": found.exit_code,
        "verdict": headline(found),
        "new": found.name,
        "baseline": found.baseline,
        "experiment": found.experiment,
        "rules": vars(found.rules),
        "checks": [
            {
                "check": each.check.name,
                "status": each.status,
                "why": each.why,
                "goal": each.check.goal,
                "margin": str(each.check.margin),
                "p_corrected": plain_value(each.p),
                **{word: plain_value(value) for word, value in each.found._asdict().items()},
            }
            for each in found.checks
        ],
        "limits": [each._asdict() | {"value": plain_value(each.value)} for each in found.limits],
        "policy": found.new.policy.to_dict(),
    }


def to_json(found: Gate) -> str:
    """Return everything as JSON text."""
    data = {"rankwell": __version__, "kind": "gate", "schema": SCHEMA, **to_dict(found)}
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)


def to_junit(found: Gate) -> str:
    """Return JUnit XML: what fails is a failure; what is inconclusive is skipped, or a failure where it stops the change."""
    cases = [(each.check.name, each.status, each.why) for each in found.checks]
    cases += [(each.name, each.status, each.why) for each in found.limits]
    stops = {"fail"} | (
        {"inconclusive"} if found.rules.strict or found.rules.mode == "non-inferiority" else set()
    )
    failures = sum(status in stops for _, status, _ in cases)
    skipped = sum(status == "inconclusive" and status not in stops for _, status, _ in cases)
    suite = ET.Element(
        "testsuite",
        name="rankwell gate",
        tests=str(len(cases)),
        failures=str(failures),
        skipped=str(skipped),
        errors="0",
    )
    for name, status, why in cases:
        case = ET.SubElement(suite, "testcase", classname="rankwell.gate", name=name)
        if status in stops:
            ET.SubElement(case, "failure", message=why)
        elif status == "inconclusive":
            ET.SubElement(case, "skipped", message=why)
    ET.SubElement(suite, "system-out").text = to_text(found)
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")


def _float(value: float) -> float | None:
    return None if math.isnan(value) or math.isinf(value) else value
