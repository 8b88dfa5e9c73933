"""Costs as a file: JSON with a list per column, which any language reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.display.output import write_bytes
from rankwell.efficiency.frames import ALL, frame_of
from rankwell.errors import DataError
from rankwell.readers.files import File
from rankwell.readers.saved_files import beginning_of, json_in, why_no_json
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs
    from rankwell.efficiency.grown import Growth

BEGINNING = re.compile(r'\s*{\s*"format"\s*:\s*"([^"]*)"')
FORMAT, VERSION = "rankwell costs", 1
FRAMES = tuple(ALL)
PARTS = ("settings", "environment", "overhead", "notes")


def plain(found: Costs | Growth, form: str, version: int, frames: Iterable[str]) -> dict[str, Any]:
    """What was measured, without runs, as plain values; what the file is comes first, by which it is known."""
    columns = {name: getattr(found, name).to_dict(as_series=False) for name in frames}
    parts = {name: getattr(found, name) for name in PARTS}
    return {"format": form, "version": version} | columns | parts | {"notes": list(found.notes)}


def save(costs: Costs, path: str | Path) -> None:
    """Write a file atomically."""
    runs = {name: _columns(run) for name, run in costs.runs.items()}
    write_bytes(json.dumps(costs.to_dict() | {"runs": runs}, ensure_ascii=False).encode(), str(path))


def is_costs(path: str | Path) -> bool:
    """Whether a file holds costs that ``Costs.save`` wrote."""
    return format_of(path) == FORMAT


def format_of(path: str | Path) -> str:
    """What a file of JSON says that it holds, in its first field; "" for others."""
    found = BEGINNING.match(beginning_of(path))
    return found[1] if found else ""


def loaded(path: str | Path) -> dict[str, Any]:
    """What a file holds, as the arguments of Costs."""
    content = content_of(path, FORMAT, VERSION, "costs", "rankwell bench and Costs.save write them")
    try:
        runs = {name: Run(*columns, name=name) for name, columns in content["runs"].items()}
        for run in runs.values():
            run.files = (File(path),)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged(path, "costs", error) from None
    return parts_of(path, content, ALL, "costs") | {"runs": runs}


def content_of(path: str | Path, form: str, version: int, what: str, remedy: str) -> dict[str, Any]:
    """The JSON of a file that says it has this form and version.

    Raises
    ------
    InputError, DataError
        If it cannot be read, or holds something else.
    """
    try:
        content = json_in(path, what)
    except DataError as error:
        why = why_no_json(error.__cause__)
        raise DataError(f"{path}: this is no file of {what}, which is JSON ({why}).") from None
    if not isinstance(content, dict) or content.get("format") != form:
        raise DataError(f"{path}: this is no file of {what}; {remedy}.")
    if content.get("version") != version:
        raise DataError(
            f"{path}: written by another version of rankwell ({content.get('version')}); measure again."
        )
    return content


def parts_of(
    path: str | Path, content: dict[str, Any], columns: dict[str, dict[str, str]], what: str
) -> dict[str, Any]:
    """The frames of a file, and how it was measured.

    Raises
    ------
    DataError
        If one is missing or damaged.
    """
    import polars as pl

    try:
        frames = {
            name: frame_of(
                pl.DataFrame(content[name], schema={each: getattr(pl, kind) for each, kind in kinds.items()}),
                kinds,
            )
            for name, kinds in columns.items()
        }
        parts = {name: content[name] for name in PARTS}
        return frames | parts | {"notes": tuple(parts["notes"])}
    except (KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise damaged(path, what, error) from None


def damaged(path: str | Path, what: str, error: Exception) -> DataError:
    """The error of a file that is not whole."""
    return DataError(f"{path}: this file of {what} is damaged ({error}).")


def _columns(run: Run) -> list[Any]:
    """Queries, items, scores and ranks, as Run takes them."""
    table = run.rows.table()
    scores = None if table.given_score is None else table.given_score.tolist()
    return [table.query.tolist(), table.item.tolist(), scores, table.key.tolist()]
