"""Redaction of a report: what it is made from loses its texts and small groups, and what its sections say its ids.

Numbers are computed with the true ids, because the order of equal scores and random draws follow from them; ids are replaced in
what is shown. A field named ``query`` or ``item`` holds an id, wherever it is in a section's data or in the rows behind a chart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankwell.reporting.material import Material
from rankwell.reporting.section import Section
from rankwell.tables.redaction import Redaction, warn_of

WITHHELD = {"query_text", "item_text", "message", "place"}  # texts, and what may quote ids


def redacted(material: Material) -> Material:
    """Return the material without texts, pictures, small groups and names of folders, if ids are to be redacted."""
    redaction = material.redaction
    if redaction is None:
        return material
    return replace(
        material,
        results={name: res.without_small_groups(redaction) for name, res in material.results.items()},
        comparison=None
        if material.comparison is None
        else material.comparison.without_small_groups(redaction),
        query_texts=None,
        item_texts=None,
        item_images=None,
        command=redaction.command(material.command),
    )


def warn_of_ids(material: Material, *, stacklevel: int) -> None:
    """Warn who makes a page to be given to others, if its ids look personal and are not redacted."""
    if material.redaction is None:
        for res in material.results.values():
            warn_of(res.part.queries, "queries", stacklevel=stacklevel)
            break


def redacted_section(section: Section, redaction: Redaction | None) -> Section:
    """Return a section with its ids replaced, and without what may quote them."""
    if redaction is None:
        return section
    charts = {name: _chart(spec, redaction) for name, spec in section.charts.items()}
    return replace(section, data=_shown(section.data, redaction), charts=charts)


def _shown(value: Any, redaction: Redaction, word: str = "") -> Any:
    """A value of any depth; ``word`` is the name of its field."""
    if isinstance(value, Mapping):
        return {key: _shown(each, redaction, key) for key, each in value.items()}
    if word in WITHHELD:
        return None
    if isinstance(value, list | tuple):
        return [_shown(each, redaction, word) for each in value]
    if word in ("query", "item") and isinstance(value, str | int) and not isinstance(value, bool):
        return redaction.of(word, value)  # type: ignore[arg-type]
    return value


def _rows(rows: Any, redaction: Redaction) -> Any:
    """The rows behind a chart, or several tables of them by name, in an order that tells nothing of the true ids."""
    if isinstance(rows, Mapping):
        return {name: _rows(each, redaction) for name, each in rows.items()}
    shown = _shown(rows, redaction)
    if all(isinstance(row, Mapping) and isinstance(row.get("query"), str) for row in shown):
        return sorted(shown, key=lambda row: str(row["query"]))
    return shown


def _chart(spec: Any, redaction: Redaction) -> Any:
    """A specification with the rows behind it redacted; its other fields, such as ``text`` of a title, are no data."""
    if isinstance(spec, Mapping):
        return {
            key: _rows(each, redaction) if key in ("datasets", "values") else _chart(each, redaction)
            for key, each in spec.items()
        }
    return [_chart(each, redaction) for each in spec] if isinstance(spec, list | tuple) else spec
