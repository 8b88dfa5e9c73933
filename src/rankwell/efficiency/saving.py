"""Costs as a file: JSON with a list per column, which any language reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from rankwell.display.output import write_bytes
from rankwell.display.saved_files import Kind, ensure, within
from rankwell.efficiency.frames import ALL, frame_of
from rankwell.readers.files import File
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs
    from rankwell.efficiency.grown import Growth

FORMAT, VERSION = "rankwell costs", 1
FRAMES = tuple(ALL)
PARTS = ("settings", "environment", "overhead", "notes")
Columns = dict[str, list[bool | int | float | str | None]]
REMEDY = "measure again"
SIGNED = {"peak_memory", "held_memory", "memory"}  # above that before indexing, which may be more


class SavedParts(TypedDict):
    """How costs were measured."""

    settings: dict[str, Any]
    environment: dict[str, Any]
    overhead: dict[str, float]
    notes: list[str]


class SavedCosts(SavedParts):
    """What ``save`` writes: a list per column; of the run of a system those of queries, items, scores and ranks."""

    calls: Columns
    sessions: Columns
    indexing: Columns
    failures: Columns
    runs: dict[str, tuple[list[str | int], list[str | int], list[float] | None, list[int | float]]]


FILE = Kind(
    SavedCosts,
    "file of costs",
    "rankwell bench and Costs.save write them",
    REMEDY,
    ("format", FORMAT),
    ("version", VERSION),
)


def plain(found: Costs | Growth, form: str, version: int, frames: Iterable[str]) -> dict[str, Any]:
    """What was measured, without runs, as plain values; what the file is comes first, by which it is known."""
    columns = {name: getattr(found, name).to_dict(as_series=False) for name in frames}
    parts = {name: getattr(found, name) for name in PARTS}
    return {"format": form, "version": version} | columns | parts | {"notes": list(found.notes)}


def save(costs: Costs, path: str | Path) -> None:
    """Write a file atomically."""
    runs = {name: _columns(run) for name, run in costs.runs.items()}
    write_bytes(json.dumps(costs.to_dict() | {"runs": runs}, ensure_ascii=False).encode(), str(path))


def loaded(path: str | Path) -> dict[str, Any]:
    """What a file holds, as the arguments of Costs.

    Raises
    ------
    InputError, DataError
        If it cannot be read, holds something else, or is damaged.
    """
    content = FILE.read(path)
    with FILE.checking(path):
        parts = parts_of(content, ALL)
        runs = {name: Run(*columns, name=name) for name, columns in content["runs"].items()}
        systems = {*parts["calls"]["system"], *parts["sessions"]["system"], *parts["indexing"]["system"]}
        ensure(runs.keys() <= systems, "runs", "one is that of no system that was measured")
        for run in runs.values():
            run.rows.table()  # which checks ids, scores and ranks
            run.files = (File(path),)
    return parts | {"runs": runs}


def parts_of(content: Any, columns: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """The frames that a file holds, and how it was measured; Damaged if values are missing, of another kind or below 0."""
    import polars as pl

    frames = {}
    for name, kinds in columns.items():
        ensure(content[name].keys() == kinds.keys(), name, "a column is missing, or one too many")
        with within(name):
            frame = pl.DataFrame(
                content[name], schema={each: getattr(pl, kind) for each, kind in kinds.items()}
            )
        frames[name] = frame = frame_of(frame, dict(kinds))
        for each in ("system", "load", "session", "repetition", "outcome", "start", "documents"):
            ensure(each not in kinds or not frame[each].has_nulls(), f"{name}.{each}", "a value is missing")
        for each, kind in kinds.items():
            fits = kind not in ("Int64", "Float64") or each in SIGNED or not (frame[each] < 0).any()
            ensure(fits, f"{name}.{each}", "a value is below 0")
    return frames | {word: content[word] for word in PARTS} | {"notes": tuple(content["notes"])}


def _columns(run: Run) -> list[Any]:
    """Queries, items, scores and ranks, as Run takes them."""
    table = run.rows.table()
    scores = None if table.given_score is None else table.given_score.tolist()
    return [table.query.tolist(), table.item.tolist(), scores, table.key.tolist()]
