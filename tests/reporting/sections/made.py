"""Material of a report, made as ``rankwell.report`` makes it."""

from __future__ import annotations

from typing import Any

from rankwell.display.page import words_of
from rankwell.reporting import report
from rankwell.reporting.material import Material

NOTHING = ("by", "train", "items", "users", "queries", "text", "image", "redaction")


def material_of(systems: Any, qrels: Any, metrics: Any, *, lang: str = "en", **options: Any) -> Material:
    """Return the material of systems by name, which may be runs or results; options as for ``rankwell.report``."""
    given = {name: options.pop(name, None) for name in NOTHING}
    asked = report.ReportRequest(qrels=qrels, metrics=metrics, command="", options=options, **given)
    return report.material_of(systems, words_of(lang), asked)
