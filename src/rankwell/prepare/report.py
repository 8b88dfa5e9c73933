"""Report: the facts, tables and notes of a preparation step; for a terminal, Markdown, HTML or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.display.table import Table, boxed, count, number, page_of, styled
from rankwell.display.text import HTML, MARKDOWN

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class Share:
    """A part of a whole, with a few examples of it: ``12 of 50 (0.2400)``.

    >>> Share(12, 50), Share(0, 0), Share(1, 2, ("bob",))
    (12 of 50 (0.2400), 0 of 0, 1 of 2 (0.5000) (such as 'bob'))
    """

    n: float
    of: float
    examples: tuple[Any, ...] = ()

    def __str__(self) -> str:
        shown = [
            _shown(amount) if isinstance(amount, int) else number(amount, 2) for amount in (self.n, self.of)
        ]
        ratio = f" ({number(self.n / self.of)})" if self.of else ""
        return f"{shown[0]} of {shown[1]}{ratio}{such_as(self.examples)}"

    __repr__ = __str__


Fact = str | int | float | Share | None


@dataclass(frozen=True, eq=False)
class Report:
    """Named facts, tables and notes of a step; ``errors`` counts the problems to fix before evaluating."""

    title: str
    facts: dict[str, Fact]
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    errors: int = 0

    def __getitem__(self, fact: str) -> Fact:
        return self.facts[fact]

    def to_text(self, width: int | None = None) -> str:
        """Return the report for a terminal."""
        parts = [self.title]
        names = max(map(len, self.facts), default=0)
        parts += ["\n".join(f"{name:<{names}}  {_shown(fact)}" for name, fact in self.facts.items())]
        parts += [table.to_text(width) for table in self.tables]
        parts += ["\n".join(f"note: {note}" for note in self.notes)]
        return "\n\n".join(part for part in parts if part)

    def to_markdown(self) -> str:
        """Return the report as Markdown, with its title as a second-level heading."""
        parts = [f"## {self.title.translate(MARKDOWN)}"]
        facts = [
            f"- {name.translate(MARKDOWN)}: {_shown(fact).translate(MARKDOWN)}"
            for name, fact in self.facts.items()
        ]
        parts += ["\n".join(facts), *(table.to_markdown() for table in self.tables)]
        parts += ["\n".join(f"> {note.translate(MARKDOWN)}" for note in self.notes)]
        return "\n\n".join(part for part in parts if part)

    def to_html(self, *, full: bool = False) -> str:
        """Return the report as one HTML section, or as a whole page if it shall be ``full``."""
        return page_of_reports([self]) if full else self.section(Table.to_html)

    def section(self, shown: Callable[[Table], str], heading: str = "h2") -> str:
        """Return the report as an HTML section with its tables as they are ``shown``."""
        facts = "\n".join(
            f"<dt>{name.translate(HTML)}</dt><dd>{_shown(fact).translate(HTML)}</dd>"
            for name, fact in self.facts.items()
        )
        parts = ['<section class="rankwell">', f"<{heading}>{self.title.translate(HTML)}</{heading}>"]
        parts += [f"<dl>\n{facts}\n</dl>"] if facts else []
        parts += map(shown, self.tables)
        parts += [f"<p>{note.translate(HTML)}</p>" for note in self.notes]
        return "\n".join([*parts, "</section>"])

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values; undefined values are None."""
        return {
            "title": self.title,
            "errors": self.errors,
            "facts": {name: _plain(fact) for name, fact in self.facts.items()},
            "tables": [
                {"caption": table.caption, "rows": table.to_records(), "notes": [*table.notes]}
                for table in self.tables
            ],
            "notes": [*self.notes],
        }

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return styled(self.section(Table.to_html))


def page_of_reports(reports: Sequence[Report]) -> str:
    """Return a page of several reports, named after the first."""
    sections = [report.section(boxed, "h2" if number else "h1") for number, report in enumerate(reports)]
    return page_of(reports[0].title, "\n".join(sections))


class Prepared(NamedTuple):
    """A table, and the report on how it was made."""

    table: pl.DataFrame
    report: Report


def such_as(names: Sequence[Any]) -> str:
    """Format a few examples for a message: `` (such as a, b)``; empty if there are none."""
    return f" (such as {', '.join(map(repr, names[:3]))})" if names else ""


def _shown(fact: Fact) -> str:
    if isinstance(fact, (str, Share)):
        return str(fact)
    return count(fact) if isinstance(fact, int) else number(fact)


def _plain(fact: Fact) -> Any:
    """Return a fact in JSON form: a share as its two numbers."""
    if isinstance(fact, Share):
        return {"n": fact.n, "of": fact.of} | ({"examples": [*fact.examples]} if fact.examples else {})
    return None if isinstance(fact, float) and not math.isfinite(fact) else fact
