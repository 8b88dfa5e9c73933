"""JSON of results as text: indented as Python's own encoder does, which is slow for a million queries; so these have a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def json_of(data: Mapping[str, Any], per_query: pl.DataFrame | None) -> str:
    """Return plain values as JSON text, with the rows of a frame as their last field if there is one."""
    text = _dumped(data)
    if per_query is None:
        return text
    rows = _lines(per_query)
    listed = f"[\n{_inside('    ', rows)}\n  ]" if rows else "[]"
    return f'{_open(text)},\n  "per_query": {listed}\n}}'


def json_of_runs(head: Mapping[str, Any], runs: Iterable[str]) -> str:
    """Return the texts of several runs as a list of them, below the fields of a head."""
    listed = _inside("    ", ",\n".join(runs))
    return f'{_open(_dumped(head))},\n  "runs": [\n{listed}\n  ]\n}}'


def _dumped(data: Mapping[str, Any]) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)


def _open(text: str) -> str:
    """The text of an object without its end, for a member to follow."""
    return text.removesuffix("\n}")


def _inside(margin: str, text: str) -> str:
    """JSON text further to the right; ends of lines within strings are escaped."""
    return margin + text.replace("\n", f"\n{margin}")


def _lines(frame: pl.DataFrame) -> str:
    """The rows of a frame as JSON objects, a line each."""
    import json

    columns = []
    for name in frame.columns if len(frame) else ():
        values = json.dumps(
            frame[name].to_list(), ensure_ascii=False, allow_nan=False, separators=("\n", ":")
        )
        key = json.dumps(name, ensure_ascii=False)
        columns.append([f"{key}: {value}" for value in values[1:-1].split("\n")])
    return ",\n".join([f"{{{', '.join(cells)}}}" for cells in zip(*columns, strict=True)])
