"""Section: a part of the report, as plain data; the page and its JSON are both made of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from rankwell.records import record


@record
class Section:
    """A part of the report.

    ``name`` is its id on the page, the key of its words (``report.NAME.…``) and the name of its template. ``data`` holds what it says,
    in full precision, as JSON can hold it: numbers are rounded where they are shown, and nothing is computed from them there.
    ``charts`` are Vega-Lite specifications without a theme, by name.
    """

    name: str
    title: str
    data: Mapping[str, Any]
    charts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
