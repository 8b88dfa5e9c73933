"""Gate: a verdict with the checks behind it, as text, JSON, Markdown and JUnit XML."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

from rankwell.comparison.gate.checks import DecidedCheck, GateRules, Limit, Status, joint_status
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number, visible
from rankwell.display.text import MARKDOWN, PRINTED, plain_row, plain_value
from rankwell.errors import UsageError
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.tables.arguments import plain
from rankwell.tables.redaction import personal

VERDICTS = {
    "pass": "PASS: every check is surely within its margin",
    "fail": "FAIL",
    "inconclusive": "INCONCLUSIVE: neither a drop nor its absence is certain",
}
# what GitHub and GitLab make a link of, or call somebody by, escaped or not: @name, a@b.org, #12, https://, www.; not ndcg@10 or r@2000t
LINKED = re.compile(r"(?<![0-9A-Za-z_])@|@(?=[\w-]+\.\w)|\\#|:(?=//)|www(?=\.)", re.IGNORECASE)


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """Whether a new system may replace the accepted one; made by ``gate``.

    ``checks`` are those of differences, ``limits`` those of single numbers; ``new`` and ``old`` are the
    results.
    """

    _plural: ClassVar[str] = "verdicts"
    _kind: ClassVar[str] = "gate"
    _printed: ClassVar[int | None] = PRINTED

    checks: tuple[DecidedCheck, ...]
    limits: tuple[Limit, ...]
    rules: GateRules
    name: str
    baseline: str
    new: Results
    old: Results
    experiment: str = ""

    @cached_property
    def status(self) -> Status:
        """``pass``, ``fail`` or ``inconclusive``."""
        return joint_status([*self.checks, *self.limits])

    @property
    def exit_code(self) -> int:
        """0 to let the change through, 1 to stop it: for what fails, and as asked for what is inconclusive."""
        if self.status == "inconclusive":
            return int(self.rules.strict or self.rules.mode == "non-inferiority")
        return int(self.status == "fail")

    @property
    def has_improved(self) -> bool:
        """Whether the first check surely improved and all passed, so that the new results may become the accepted ones."""
        return (
            self.status == "pass" and bool(self.checks) and self.checks[0].found.p_better < self.rules.alpha
        )

    def to_table(self) -> Table:
        """Return the checks as a table, with a row per check and limit."""
        columns = [Column("check"), Column("n", "count"), Column("baseline", "value"), Column("new", "value")]
        columns += [
            Column("difference", "value"),
            Column("surely above", "value"),
            Column("margin"),
            Column("p drop", "value"),
        ]
        columns += [Column("p margin", "value"), Column("status"), Column("why")]
        rows: list[tuple[Cell, ...]] = []
        for check in self.checks:
            own = check.found
            values = own.old, own.new, own.difference, own.low
            shown = [_float(value) for value in values]
            p = _float(check.p), _float(own.p_margin)
            rows.append(
                (check.check.name, own.n, *shown, str(check.check.margin), *p, check.status, check.why)
            )
        rows += [
            (check.name, None, None, _float(check.value), None, None, "", None, None, check.status, check.why)
            for check in self.limits
        ]
        beyond = (
            "that it dropped by no more than the margin"
            if self.rules.fail_on == "margin"
            else "that it did not drop"
        )
        notes = [
            f"difference: turned so that more is better; surely above: its one-sided bound ({(1 - self.rules.alpha) * 100:g} %)",
            f"p drop: {beyond} (Holm over the checks); p margin: that it dropped by the margin (each by itself)",
        ]
        sparse = [check.check.name for check in self.checks if check.found.method == "sign flips"]
        if sparse:
            notes.append(
                f"few queries, or few that differ, so tests and bounds are by sign flips: {', '.join(sparse)}"
            )
        notes += [f"experiment: {self.experiment}"] if self.experiment else []
        return Table(columns, rows, caption=f"{self.name} against {self.baseline}", notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; unknown is None."""
        return {
            "status": self.status,
            "exit_code": self.exit_code,
            "verdict": self.headline(),
            "new": self.name,
            "baseline": self.baseline,
            "experiment": self.experiment,
            "rules": vars(self.rules),
            "checks": [
                {
                    "check": check.check.name,
                    "status": check.status,
                    "why": check.why,
                    "goal": check.check.goal,
                    "margin": str(check.check.margin),
                    "p_corrected": plain_value(check.p),
                    **plain_row(check.found),
                }
                for check in self.checks
            ],
            "limits": [check._asdict() | {"value": plain_value(check.value)} for check in self.limits],
            "policy": self.new.policy.to_dict(),
        }

    def to_junit(self) -> str:
        """Return JUnit XML: what fails is a failure; what is inconclusive is skipped, or a failure where it stops the change."""
        cases = [(check.check.name, check.status, check.why) for check in self.checks]
        cases += [(check.name, check.status, check.why) for check in self.limits]
        stops = {"fail"} | (
            {"inconclusive"} if self.rules.strict or self.rules.mode == "non-inferiority" else set()
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
        # servers show it with the suite: the table is there without another file
        ET.SubElement(suite, "system-out").text = self.to_text()
        ET.indent(suite)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")

    def to_markdown(self, top: int = 10) -> str:
        """Return the verdict, the table, what can be seen and, to be unfolded, the queries that changed most.

        It is what a step summary or a comment on GitHub shows. ``top`` is how many queries are listed, by the first metric that
        fails, or else the first; 0 for none, as where their ids are not for everybody. What stands in ids and names is shown as
        it is: it makes no markup and no link, and calls nobody.
        """
        if plain("top", top, int) < 0:
            raise UsageError(f"top={top}: must be at least 0, which lists no queries.")
        seen = "\n".join(f"- {_escaped(line)}" for line in _visible(self))
        parts = [f"## {_escaped(self.headline())}", self.to_table().to_markdown(), *([seen] if seen else [])]
        # a comment of HTML is shown nowhere and parts what would be a link
        return LINKED.sub(r"\g<0><!-- -->", "\n\n".join([*parts, *self._changes(top)]))

    def _changes(self, top: int) -> list[str]:
        """The queries that changed most, folded; nothing where no query could have changed."""
        from rankwell.comparison.diff.diff import diff

        if not top or self.new is self.old:
            return []
        if kind := personal(self.new.part.queries) or personal(self.old.part.queries):
            return [f"*The queries that changed most are not listed: their ids look like {kind}.*"]
        failed = [check for check in self.checks if check.status == "fail"]
        names = [check.check.name for check in (*failed, *self.checks)]
        # a check of a segment is called "ndcg@10 in old"
        metric = next(
            each for name in names for each in self.new.metrics if f"{name} in ".startswith(f"{each} in ")
        )
        changes = diff({self.baseline: self.old, self.name: self.new}, metric=metric, top=top)
        return [
            f"<details><summary>Queries that changed most</summary>\n\n{changes.to_markdown()}\n\n</details>"
        ]

    def to_text(self, width: int | None = None) -> str:
        """Return what can be seen, the table and the verdict, for a terminal of so many columns."""
        parts = ["\n".join(_visible(self)), self.to_table().to_text(width), self.headline()]
        return "\n\n".join(parts).strip()

    def headline(self) -> str:
        """Return the verdict in one line."""
        text = VERDICTS[self.status]
        wrong = [check.check.name for check in self.checks if check.status == "fail"]
        wrong += [check.name for check in self.limits if check.status == "fail"]
        if wrong:
            text += f": {', '.join(wrong)}"
        if self.status == "inconclusive":
            open_ones = [check.check.name for check in self.checks if check.status == "inconclusive"]
            text += f" ({', '.join(open_ones)}); " + (
                "stopped, as asked" if self.exit_code else "let through"
            )
        return text


def _escaped(text: str) -> str:
    return visible(text).translate(MARKDOWN)


def _visible(gate: Gate) -> list[str]:
    """Return what these queries can show at all, which is said before anything else."""
    lines = []
    for check in gate.checks:
        own = check.found
        if math.isnan(own.visible):
            continue
        text = f"{check.check.name}: the smallest drop visible with {own.n:,} queries is {number(own.visible)} (power {gate.rules.power:g})"
        if own.allowed > 0 and not math.isnan(own.needed):
            text += f"; a margin of {number(own.allowed)} needs {own.needed:,.0f}"
        lines.append(text)
    return lines


def _float(value: float) -> float | None:
    return None if math.isnan(value) or math.isinf(value) else value
