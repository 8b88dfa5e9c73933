"""The explorer's data alone, without the other parts of a report."""

from __future__ import annotations

from rankwell.display.page import words_of
from rankwell.reporting.gathering import material_of
from rankwell.reporting.sections import explorer

TABLES = "by", "train", "items", "users", "queries", "text", "image", "redaction"


def explored(systems, qrels, metrics, **options):
    """What ``rw.report(…).section("explorer").data`` is."""
    tables = {name: options.pop(name, None) for name in TABLES}
    material = material_of(
        systems, words_of("en"), qrels=qrels, metrics=metrics, command="", options=options, **tables
    )
    found = explorer.section(material)
    return None if found is None else found.data
