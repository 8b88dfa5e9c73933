"""What every picture promises, and data to draw."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

ROOM = files("rankwell") / "data" / "movietweetings"
SYSTEMS = ("als", "itemknn", "popular", "random")
RUNS = {name: str(ROOM / f"{name}.parquet") for name in SYSTEMS}
QRELS, TRAIN, ITEMS = (str(ROOM / f"{name}.parquet") for name in ("test", "train", "items"))
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(")
HOSTILE = {
    "<script>alert(1)</script>": {"q": ["x", "y"], "r": ["y"]},
    "a\u202eb'\"]</style>": {"q": ["y", "x"], "r": ["y"]},
    "n" * 10_000: {"q": ["z"], "r": ["x"]},
    "n" * 10_001: {"q": ["z"], "r": ["x"]},
}


def spec_checked(chart: Any) -> dict[str, Any]:
    """Return the specification of a chart after looking at what no picture may have: colours, addresses, odd names of fields."""
    spec: dict[str, Any] = chart.to_dict()
    drawn = {key: value for key, value in spec.items() if key not in ("config", "$schema")}
    text = json.dumps(drawn)
    assert not COLOUR.search(text)
    assert "http" not in text
    assert '"url"' not in text
    for field in _fields(drawn):
        assert re.fullmatch(r"[a-z_0-9]+", field), field
    assert spec["title"]["text"]
    assert spec["title"]["subtitle"]
    return spec


def values_of(chart: Any) -> list[dict[str, Any]]:
    """Return all rows behind a chart; none is there twice."""
    return [row for rows in chart.to_dict(validate=False)["datasets"].values() for row in rows]


def _fields(spec: Any) -> list[str]:
    return [field for field in _named(spec, "field") if isinstance(field, str)]


def _named(spec: Any, key: str) -> list[Any]:
    if isinstance(spec, dict):
        own = [spec[key]] if key in spec else []
        return own + [each for value in spec.values() for each in _named(value, key)]
    return [each for value in spec for each in _named(value, key)] if isinstance(spec, list) else []
