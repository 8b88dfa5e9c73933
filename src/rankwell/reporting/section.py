"""Section: a part of the report, as plain data, of which the page and its JSON are made; and how its ids are redacted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cache
from importlib import import_module
from typing import Any

from rankwell.display.table import Table
from rankwell.faces import shared
from rankwell.records import record
from rankwell.reporting.material import Material
from rankwell.results.redaction import Redaction, warn_of

WITHHELD = {"query_text", "item_text", "message", "place"}  # texts, and what may quote ids


@record
class Content:
    """What a section says: ``data`` in full precision, as JSON can hold it, and ``charts``, Vega-Lite specifications by name.

    Numbers are rounded where they are shown, and nothing is computed from them there; charts are without a theme.
    """

    data: Mapping[str, Any]
    charts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def cells_of(table: Table) -> dict[str, Any]:
    """Return the columns and the cells of a table as they are shown, with marks, for ``table_of`` in ``tables.html``."""
    return {
        "columns": [{"name": column.header, "kind": column.kind} for column in table.columns],
        "rows": [
            [
                column.shown(cell) + table.marks.get((at, place), "")
                for place, (column, cell) in enumerate(zip(table.columns, row, strict=True))
            ]
            for at, row in enumerate(table.rows)
        ],
    }


@record
class Section:
    """A part of a report: its id on the page, its heading, and its content."""

    name: str
    title: str
    data: Mapping[str, Any]
    charts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@record
class SectionKind:
    """A part that a report can have: the function that makes its content, and its place on the page.

    ``of_trends``, ``of_subjects``: whether the report of a trend, or of what an optional room makes one of, has it, too; other parts are about systems.

    It is the ``section`` of a file in ``sections/``. The file's name is that of the part, of its template in ``templates/``, and of the
    table ``[report.NAME]`` of its words, of which ``title`` is the heading.
    """

    make: Callable[[Material], Content | None]
    order: int
    of_trends: bool = False
    of_subjects: bool = False

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.make.__module__.rpartition(".")[2]

    def __call__(self, material: Material) -> Section | None:
        """Return the section of a report; None if there is nothing to show."""
        is_other = (material.trend and not self.of_trends) or (material.subject and not self.of_subjects)
        content = None if is_other else self.make(material)
        if content is None:
            return None
        return Section(self.name, material.words(f"report.{self.name}.title"), content.data, content.charts)


def report_section(
    *, order: int, of_trends: bool = False, of_subjects: bool = False
) -> Callable[[Callable[[Material], Content | None]], SectionKind]:
    """Return a decorator that makes a function a part of the report; of two parts the one with the lower ``order`` comes first."""
    return lambda make: SectionKind(make, order, of_trends, of_subjects)


@cache
def section_kinds() -> tuple[SectionKind, ...]:
    """Return the parts that a report can have, in the order of the page: one for each file of ``sections/``, here and in optional rooms.

    >>> [part.name for part in section_kinds()][:2]
    ['answer', 'leaderboard']
    """
    sections = [import_module(module).section for module in shared("reporting", "sections").values()]
    return tuple(sorted(sections, key=lambda part: (part.order, part.name)))


# Numbers are computed with the true ids, because the order of equal scores and random draws follow from them; ids are
# replaced in what is shown. A field named ``query`` or ``item`` holds an id, wherever it is.
def redact_material(material: Material) -> Material:
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
        for res in list(material.results.values())[:1]:  # all systems were asked the same queries
            warn_of(res.part.queries, "queries", stacklevel=stacklevel)


def redact_section(section: Section, redaction: Redaction | None) -> Section:
    """Return a section with its ids replaced, and without what may quote them."""
    if redaction is None:
        return section
    charts = {name: _chart(spec, redaction) for name, spec in section.charts.items()}
    return replace(section, data=_shown(section.data, redaction), charts=charts)


def _shown(value: Any, redaction: Redaction, word: str = "") -> Any:
    """A value of any depth; ``word`` is the name of its field."""
    if isinstance(value, Mapping):
        return {key: _shown(part, redaction, key) for key, part in value.items()}
    if word in WITHHELD:
        return None
    if isinstance(value, list | tuple):
        return [_shown(part, redaction, word) for part in value]
    if word in ("query", "item") and isinstance(value, str | int) and not isinstance(value, bool):
        return redaction.of(word, value)  # type: ignore[arg-type]
    return value


def _rows(rows: Any, redaction: Redaction) -> Any:
    """The rows behind a chart, or several tables of them by name, in an order that tells nothing of the true ids."""
    if isinstance(rows, Mapping):
        return {name: _rows(part, redaction) for name, part in rows.items()}
    shown = _shown(rows, redaction)
    # sorted by the hashes that are shown: the given order would tell which true id comes first
    if all(isinstance(row, Mapping) and isinstance(row.get("query"), str) for row in shown):
        return sorted(shown, key=lambda row: str(row["query"]))
    return shown


def _chart(spec: Any, redaction: Redaction) -> Any:
    """A specification with the rows behind it redacted; its other fields, such as ``text`` of a title, are no data."""
    if isinstance(spec, Mapping):
        return {
            key: _rows(part, redaction) if key in ("datasets", "values") else _chart(part, redaction)
            for key, part in spec.items()
        }
    return [_chart(part, redaction) for part in spec] if isinstance(spec, list | tuple) else spec
