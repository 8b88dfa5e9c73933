"""Pictures as files: SVG, PNG, PDF, one HTML page, or the Vega-Lite specification; and the characters that no font can draw."""

from __future__ import annotations

import html
import json
import re
import unicodedata
import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rankwell.display.output import write_bytes
from rankwell.display.page import data_block, page, words_of
from rankwell.display.table import visible
from rankwell.display.text import HTML
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.reporting.chart.charts import require_extra
from rankwell.reporting.chart.theme import FONT, config
from rankwell.reporting.page import label_of, static, vega
from rankwell.tables.arguments import checked

FORMS = "svg", "png", "pdf", "html", "json"
LARGEST = 20  # pixels
NOWHERE = "\ufdd0"  # a code point that will never be a character, so that no font has it
UNSEEN = "\u2060"  # a word joiner, which takes no room
OF_EVERY_OBJECT = frozenset((
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf", "__proto__",
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
))  # fmt: skip
NAMED = 8  # missing characters that a warning names


@checked
def save(chart: Any, path: str | Path, *, scale: float = 2, lang: str = "en") -> None:
    """Write a picture to a file, in the format of its suffix; the file appears once it is complete.

    An SVG keeps its text as text, and an HTML page opens without a network, light or dark as its reader likes it; both are drawn with
    the fonts of whoever opens them. PNG and PDF are drawn here, and a warning names the characters that no installed font has.

    Parameters
    ----------
    chart
        What a function of ``rankwell.plot`` returns, or another Altair chart whose data are in it.
    path
        A file that ends in ``.svg``, ``.png``, ``.pdf``, ``.html`` or ``.json`` (the Vega-Lite specification).
    scale
        How many pixels of a PNG are one of the picture.
    lang
        The language of an HTML page around the picture.

    Raises
    ------
    RankwellError
        If the suffix is another one, the chart cannot be drawn, or the file cannot be written.

    Examples
    --------
    >>> import pathlib, rankwell as rw, tempfile
    >>> res = rw.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, ["rr"])
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "ties.svg"
    >>> rw.plot.save(rw.plot.ties(res), file)
    >>> file.read_text()[:4]
    '<svg'
    """
    require_extra()
    form = form_of(path)
    if not 0 < scale <= LARGEST:
        raise UsageError(f"scale={scale:g}: must be above 0 and at most {LARGEST}, such as 2.")
    if not callable(getattr(chart, "to_dict", None)):
        raise UsageError(f"save takes what a function of rankwell.plot returns, not {brief(chart)}.")
    content, missing = content_of(chart, form, scale=scale, lang=lang)
    write_bytes(content, str(path))
    if missing:
        warnings.warn(said_of(missing, form), stacklevel=2)


def form_of(path: str | Path) -> str:
    """Return the format of a picture's file.

    Raises
    ------
    UsageError
        If its suffix is that of no picture.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMS:
        raise UsageError(
            f"{path}: the file of a picture ends in {one_of(f'.{form}' for form in FORMS)}.{nearest(suffix, FORMS)}"
        )
    return suffix


def content_of(chart: Any, form: str, *, scale: float = 2, lang: str = "en") -> tuple[bytes, list[str]]:
    """Return a picture in a format, and the characters of it that no font here can draw."""
    import vl_convert

    spec = chart.to_dict()
    # Vega looks up names in plain objects, where "constructor" is found without being there
    if form in ("svg", "png", "pdf"):
        spec = _drawable(spec)
    if form == "json":
        return f"{json.dumps(spec, ensure_ascii=False, indent=1)}\n".encode(), []
    if form == "html":
        return page_of(spec, lang).encode(), []
    try:
        svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    except ValueError as error:  # of a chart that is not ours: data at an address, or a wrong specification
        why = str(error).strip().splitlines()[:2]
        raise UsageError(
            f"the picture cannot be drawn ({' '.join(why)}). Its data must be in the chart."
        ) from error
    if form == "svg":
        return f"{svg}\n".encode(), []
    drawn = vl_convert.svg_to_png(svg, scale=scale) if form == "png" else vl_convert.svg_to_pdf(svg)
    return drawn, missing_in(svg)


def _drawable(value: Any) -> Any:
    """A specification in which no value is named like what every object of JavaScript has, among which Vega loses its way."""
    if isinstance(value, dict):
        return {key: _drawable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_drawable(part) for part in value]
    return f"{value}{UNSEEN}" if isinstance(value, str) and value in OF_EVERY_OBJECT else value


def page_of(spec: Mapping[str, Any], lang: str) -> str:
    """Return an HTML page that shows one picture: one file, with the script that draws it."""
    words, label = words_of(lang), visible(label_of(spec))
    bare = {key: value for key, value in spec.items() if key != "config"}
    body = [
        f'<figure class="chart" data-chart="picture" role="img" aria-label="{label.translate(HTML)}"></figure>',
        data_block("charts", {"picture": bare}),
        data_block("themes", {"light": config(), "dark": config(dark=True)}),
        data_block("texts", words.of("page.script")),
    ]
    scripts = [vega(), static("charts.js")]
    return page(
        label.partition(". ")[0], "\n".join(body), lang=lang, styles=[static("charts.css")], scripts=scripts
    )


def said_of(missing: Iterable[str], form: str) -> str:
    """Return in words which characters cannot be drawn, and what to do."""
    characters = list(missing)
    names = ", ".join(f"{character} (U+{ord(character):04X})" for character in characters[:NAMED])
    more = f" and {len(characters) - NAMED:,} more" if len(characters) > NAMED else ""
    return (
        f"no installed font has {names}{more}, so the {form.upper()} shows a box in place of each. Install a font that has them "
        f"(such as Noto Sans, or Noto Sans CJK), or write .svg or .html, which are drawn with the fonts of whoever opens them."
    )


def missing_in(svg: str) -> list[str]:
    """Return the characters of a picture's texts that no installed font can draw."""
    texts = html.unescape("".join(re.findall(r">([^<>]+)<", svg)))
    return [
        text
        for text in sorted(set(texts))
        if not text.isascii() and _leaves_ink(text) and not has_glyph(text)
    ]


def _leaves_ink(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] not in "ZM" and kind not in ("Cc", "Cf")


@cache
def has_glyph(character: str) -> bool:
    """Whether a font that pictures are drawn with has a character: then it looks different from what no font has."""
    return _drawn(character) != _drawn(NOWHERE)


@cache
def _drawn(character: str) -> bytes:
    import vl_convert

    text = f'<text x="8" y="32" font-size="24" font-family="{FONT}">{html.escape(character)}</text>'
    drawn: bytes = vl_convert.svg_to_png(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48">{text}</svg>'
    )
    return drawn
