"""The numbers of the worked examples, and logs in columns."""

from __future__ import annotations

import json

from tests.evidence import PACKED

CASES = {
    case["id"].removeprefix("c."): case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["id"].startswith("c.")
}


def expected(name):
    return CASES[name]["expected"]


def given(name):
    return CASES[name]["input"]


def columns(rows, *names):
    """A log from rows."""
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
