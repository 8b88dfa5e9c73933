"""The page of a report: its sections in one HTML file; templates place what sections say, and compute nothing."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell import __version__
from rankwell.display.page import PageStrings, data_block, page
from rankwell.display.table import count, number, visible
from rankwell.faces import HERE, rooms
from rankwell.reporting.chart.texts import brief_name, percent
from rankwell.reporting.chart.theme import config
from rankwell.reporting.section import Section

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

ROOMS = ("reporting", *rooms())
LEAST = 1e-9  # a p-value is never shown as 0
LONGEST = 60  # characters of a name that are shown


def page_of(title: str, sections: Sequence[Section], words: PageStrings) -> str:
    """Return the page of some sections: one file, with its style, its scripts and its data."""
    environment = _environment()
    filled = {"title": title, "sections": sections, "words": words, "version": __version__}
    charts = charts_of(sections)
    blocks = [data_block("texts", words.of("page.script"))]
    if charts:
        themes = {"light": config(), "dark": config(dark=True)}
        blocks += [data_block("charts", charts), data_block("themes", themes)]
    # a section with a script brings its data and words as blocks
    own = [section for section in sections if has("static", f"{section.name}.js")]
    for section in own:
        texts = words.of(f"report.{section.name}")
        blocks += [
            data_block(f"{section.name}-data", section.data),
            data_block(f"{section.name}-words", texts),
        ]
    body = environment.get_template("report.html").render(filled)
    return page(
        title,
        "\n".join([body, *blocks]),
        top=environment.get_template("contents.html").render(filled),
        lang=words.lang,
        styles=[
            static(f"{name}.css") for name in ("tables", "charts", "report", *(each.name for each in own))
        ],
        scripts=[
            static("tables.js"),
            *([vega(), static("charts.js")] if charts else []),
            *(static(f"{each.name}.js") for each in own),
        ],
    )


def charts_of(sections: Sequence[Section]) -> dict[str, Mapping[str, Any]]:
    """Return all charts by section and name, as figures name them."""
    return {f"{section.name}.{name}": spec for section in sections for name, spec in section.charts.items()}


def static(name: str) -> str:
    """Return a file of ``static/``."""
    return _file("static", name).read_text(encoding="utf-8")


def has(folder: str, name: str) -> bool:
    """Return whether there is such a file, here or in an optional room."""
    return _file(folder, name).is_file()


def _file(folder: str, name: str) -> Path:
    """A file of a folder of this room, or of an optional room that has one of this name."""
    places = [HERE / room / folder / name for room in ROOMS]
    return next((place for place in places if place.is_file()), places[0])


@cache
def vega() -> str:
    """The libraries that draw charts, as one script that begins with their licences, which whoever sends a page on must send too."""
    return f"/*\n{static('charts.licences.txt')}*/\n{bundle()}"


def bundle() -> str:
    """The libraries alone; ``tools/make_vega.py`` packs them."""
    return gzip.decompress(_file("static", "vega.js.gz").read_bytes()).decode()


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        # a room has the templates of its sections, which take parts of others
        loader=ChoiceLoader([FileSystemLoader(HERE / room / "templates") for room in ROOMS]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(num=num, p=p, count=counted, percent=share, name=name, unbroken=unbroken)
    made.globals.update(chart=chart)
    return made


def _visible(value: Any) -> Any:
    """Text with its control characters shown, but for ends of lines; marked-up text is as it is."""
    return "\n".join(map(visible, value.split("\n"))) if type(value) is str else value


def num(value: float | str | None, digits: int = 4) -> Markup:
    """A number, rounded for people, with all its digits for programs.

    >>> num(0.123456), num(None)
    (Markup('<data value="0.123456">0.1235</data>'), Markup('<data value="">–</data>'))
    """
    plain = math.nan if value is None else float(value)
    return _data(value, number(plain, digits))


def p(value: float | None) -> Markup:
    """A p-value, which is never 0.

    >>> p(0.0)
    Markup('<data value="0.0">&lt;0.0001</data>')
    """
    return _data(value, number(None if value is None else max(value, LEAST)))


def counted(value: int | None) -> Markup:
    """A number of things.

    >>> counted(1234567)
    Markup('<data value="1234567">1,234,567</data>')
    """
    return _data(value, count(value))


def share(value: float | None, digits: int = 0) -> Markup:
    """A share as percent; what is not nothing is not shown as nothing, and what is not all not as all.

    >>> share(0.314), share(0.9999), share(1.0)
    (Markup('<data value="0.314">31 %</data>'), Markup('<data value="0.9999">&gt;99 %</data>'), Markup('<data value="1.0">100 %</data>'))
    """
    return _data(value, percent(value, digits))


def unbroken(text: str) -> str:
    r"""A sentence whose p-values are not broken across lines.

    >>> unbroken("a and b: p = 0.04 after Holm")
    'a and b: p\xa0=\xa00.04 after Holm'
    """
    return re.sub(r"\bp ([=<>]) (?=\d)", "p\u00a0\\1\u00a0", text)


def name(text: str) -> Markup:
    """A user's name or id: a long one is cut, and whole where one points at it."""
    from markupsafe import Markup

    whole, shown = visible(text), brief_name(text, LONGEST)
    if shown == whole:
        return Markup('<bdi class="name">{}</bdi>').format(shown)
    return Markup('<bdi class="name" title="{}">{}</bdi>').format(whole, shown)


def chart(section: Section, name: str) -> Markup:
    """The figure of a section's chart, which the script of the page fills; nothing if the section has no such chart."""
    from markupsafe import Markup

    if name not in section.charts:
        return Markup()
    return Markup('<figure class="chart" data-chart="{}" role="img" aria-label="{}"></figure>').format(
        f"{section.name}.{name}", visible(label_of(section.charts[name]))
    )


def label_of(spec: Mapping[str, Any]) -> str:
    """What a chart shows, in words: its title and its subtitle."""
    title = spec.get("title") or ""
    lines = [title] if isinstance(title, str) else _lines(title.get("text")) + _lines(title.get("subtitle"))
    return ". ".join(line.rstrip(".") for line in lines if line)


def _lines(text: Any) -> list[str]:
    return [text] if isinstance(text, str) else [str(line) for line in text or ()]


def _data(value: Any, shown: str) -> Markup:
    from markupsafe import Markup

    plain = "" if value is None else value if isinstance(value, str) else repr(value)
    return Markup('<data value="{}">{}</data>').format(plain, shown)
