"""Section: a part of the report, as plain data; the page and its JSON are both made of nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache
from importlib import import_module
from typing import Any

from rankwell.faces import modules
from rankwell.records import record
from rankwell.reporting.material import Material


@record
class Content:
    """What a section says: ``data`` in full precision, as JSON can hold it, and ``charts``, Vega-Lite specifications by name.

    Numbers are rounded where they are shown, and nothing is computed from them there; charts are without a theme.
    """

    data: Mapping[str, Any]
    charts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@record
class Section:
    """A part of a report: its id on the page, its heading, and its content."""

    name: str
    title: str
    data: Mapping[str, Any]
    charts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@record
class Part:
    """A part that a report can have: the function that makes its content, and its place on the page.

    It is the ``section`` of a file in ``sections/``. The file's name is that of the part, of its template in ``templates/``, and of the
    table ``[report.NAME]`` of its words, of which ``title`` is the heading.
    """

    make: Callable[[Material], Content | None]
    order: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return self.make.__module__.rpartition(".")[2]

    def __call__(self, material: Material) -> Section | None:
        """Return the section of a report; None if there is nothing to show."""
        content = self.make(material)
        if content is None:
            return None
        return Section(self.name, material.words(f"report.{self.name}.title"), content.data, content.charts)


def part(*, order: int) -> Callable[[Callable[[Material], Content | None]], Part]:
    """Return a decorator that makes a function a part of the report; of two parts the one with the lower ``order`` comes first."""
    return lambda make: Part(make, order)


@cache
def parts() -> tuple[Part, ...]:
    """Return the parts that a report can have, in the order of the page: one for each file of ``sections/``.

    >>> [part.name for part in parts()][:2]
    ['answer', 'leaderboard']
    """
    home = import_module("rankwell.reporting.sections")  # whose files import this one
    found = [import_module(f"{home.__name__}.{each}").section for each in modules(home)]
    return tuple(sorted(found, key=lambda part: (part.order, part.name)))
