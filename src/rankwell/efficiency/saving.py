"""Costs as a file: JSON with a list per column, which any language reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.display.output import write_bytes
from rankwell.efficiency.frames import ALL, frame_of
from rankwell.errors import DataError, InputError
from rankwell.readers.files import File
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs

BEGINNING = re.compile(r'\s*{\s*"format"\s*:\s*"rankwell costs"')  # of a file, whatever its length
FORMAT, VERSION = "rankwell costs", 1
FRAMES = tuple(ALL)
PARTS = ("settings", "environment", "overhead", "notes")


def plain(costs: Costs) -> dict[str, Any]:
    """Everything but the runs as plain values."""
    frames = {name: getattr(costs, name).to_dict(as_series=False) for name in FRAMES}
    parts = {name: getattr(costs, name) for name in PARTS}
    return {"format": FORMAT, "version": VERSION} | frames | parts | {"notes": list(costs.notes)}


def save(costs: Costs, path: str | Path) -> None:
    """Write a file atomically."""
    runs = {name: _columns(run) for name, run in costs.runs.items()}
    write_bytes(json.dumps(plain(costs) | {"runs": runs}, ensure_ascii=False).encode(), str(path))


def is_costs(path: str | Path) -> bool:
    """Whether a file holds costs that ``Costs.save`` wrote."""
    file = Path(path)
    try:
        if file.suffix.lower() != ".json" or not file.is_file():
            return False
        with file.open(encoding="utf-8") as opened:
            return bool(BEGINNING.match(opened.read(200)))
    except (OSError, ValueError):
        return False  # the reader of runs says what is wrong with it


def loaded(path: str | Path) -> dict[str, Any]:
    """What a file holds, as the arguments of Costs."""
    try:
        content = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise DataError(f"{path}: this is no file of costs, which is JSON ({error}).") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"{path}: this is no file of costs; rankwell bench and Costs.save write them.")
    if content.get("version") != VERSION:
        raise DataError(
            f"{path}: written by another version of rankwell ({content.get('version')}); measure again."
        )
    import polars as pl

    try:
        frames = {
            name: frame_of(
                pl.DataFrame(
                    content[name], schema={each: getattr(pl, kind) for each, kind in ALL[name].items()}
                ),
                ALL[name],
            )
            for name in FRAMES
        }
        runs = {name: Run(*columns, name=name) for name, columns in content["runs"].items()}
        parts = {name: content[name] for name in PARTS}
        for run in runs.values():
            run.files = (File(path),)
    except (KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{path}: this file of costs is damaged ({error}).") from None
    return frames | parts | {"runs": runs, "notes": tuple(parts["notes"])}


def _columns(run: Run) -> list[Any]:
    """Queries, items, scores and ranks, as Run takes them."""
    table = run.rows.table()
    scores = None if table.given_score is None else table.given_score.tolist()
    return [table.query.tolist(), table.item.tolist(), scores, table.key.tolist()]
