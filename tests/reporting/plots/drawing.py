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
    """The rows of all data of a chart that have some fields."""
    found = []

    def walk(part):
        if isinstance(part, dict):
            values = part.get("data", {}).get("values") if isinstance(part.get("data"), dict) else None
            found.extend(row for row in values or () if set(fields) <= row.keys())
            for each in part.values():
                walk(each)
        elif isinstance(part, list):
            for each in part:
                walk(each)

    spec = chart.to_dict()
    walk(spec)
    shared = spec.get("datasets", {}).values()  # of layers that have the same rows
    return found + [row for rows in shared for row in rows if set(fields) <= row.keys()]


def text_of(chart):
    """All that is written in the picture, drawn as SVG."""
    svg = vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[])
    return html.unescape(" ".join(re.findall(r">([^<>]+)<", svg)))
