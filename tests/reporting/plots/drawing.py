"""What tests of pictures share: the rows in a specification, its text as drawn, and names that are not kind."""

from __future__ import annotations

import html
import re

import vl_convert

HOSTILE = (
    "<script>alert(1)</script>",
    "a'b\"c",
    "x.y[0]@10",
    "\u202eesrever\x00\n",
    "\ud800",
    "n" * 10_000,
    "한글 시스템",
)


def rows_in(chart, *fields):
    """The rows of all data of a chart that have some fields, each set of data once."""
    spec = chart.to_dict(validate=False)  # text_of and spec_checked look at the same charts as a whole
    found = [*spec.get("datasets", {}).values(), *_inline(spec)]
    return [row for rows in found for row in rows if set(fields) <= row.keys()]


def rows_of(spec, part):
    """The rows of a part of a specification that has data of its own."""
    return part["data"]["values"] if "values" in part["data"] else spec["datasets"][part["data"]["name"]]


def _inline(part):
    if isinstance(part, dict):
        if isinstance(part.get("data"), dict) and "values" in part["data"]:
            yield part["data"]["values"]
        for each in part.values():
            yield from _inline(each)
    elif isinstance(part, list):
        for each in part:
            yield from _inline(each)


def fields_without_data(chart):
    """The fields that a chart draws and that no row of its data has, nor a step of its own makes: what is drawn of them is nothing."""
    spec = chart.to_dict(validate=False)
    drawn, made = set(), set()
    for part in _parts(spec):
        if isinstance(field := part.get("field"), str):
            drawn.add(field.replace("\\", ""))
        names = part.get("as", [])
        made |= {names} if isinstance(names, str) else set(names)
    rows = [row for own in (*spec.get("datasets", {}).values(), *_inline(spec)) for row in own]
    return drawn - made - set().union(*(row.keys() for row in rows))


def _parts(part):
    if isinstance(part, dict):
        yield part
        for key, each in part.items():
            if key not in ("data", "datasets"):
                yield from _parts(each)
    elif isinstance(part, list):
        for each in part:
            yield from _parts(each)


def text_of(chart):
    """All that is written in the picture, drawn as SVG."""
    svg = vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[])
    return html.unescape(" ".join(re.findall(r">([^<>]+)<", svg)))
