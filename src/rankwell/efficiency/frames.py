"""The frames of what was measured, and the base of results that hold them: in a file a list per column, which any language reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

from rankwell.display.result import Saved
from rankwell.display.saved_files import ensure, within

if TYPE_CHECKING:
    import polars as pl


COLD, WARM = "cold", "warm"  # sessions: the first pass of a new process, and those after the warm-up
KEY = {"system": "String", "load": "String", "session": "String", "repetition": "Int64"}
# a row per call; seconds from the beginning of its session, intended only in an open loop
CALLS = KEY | {
    "query": "String", "queries": "Int64", "intended": "Float64", "began": "Float64", "ended": "Float64", "outcome": "String",
}  # fmt: skip
# a row per system, load and repetition; wall, cpu, harness and pace in seconds, memory in bytes above that before indexing,
# offered and achieved in queries per second, used as a share of the workers' time, others in cores
SESSIONS = KEY | {
    "wall": "Float64", "cpu": "Float64", "peak_memory": "Int64", "calls": "Int64", "completed": "Int64", "offered": "Float64",
    "achieved": "Float64", "used": "Float64", "saturated": "Boolean", "restarts": "Int64", "switches": "Int64", "others": "Float64",
    "harness": "Float64", "pace": "Float64",
}  # fmt: skip
# a row per system and start; seconds and bytes
INDEXING = {
    "system": "String", "start": "Int64", "outcome": "String", "message": "String", "items": "Int64", "wall": "Float64",
    "cpu": "Float64", "peak_memory": "Int64", "held_memory": "Int64", "size": "Int64", "opened": "Float64",
}  # fmt: skip
FAILURES = KEY | {"query": "String", "outcome": "String", "message": "String"}
ALL = {"calls": CALLS, "sessions": SESSIONS, "indexing": INDEXING, "failures": FAILURES}
# of growth: a row per system, number of documents and repetition; latency is the geometric mean of the queries if all were answered
MEASURED = {
    "system": "String", "documents": "Int64", "repetition": "Int64", "outcome": "String", "indexing": "Float64",
    "memory": "Int64", "index_size": "Int64", "latency": "Float64", "calls": "Int64", "failed": "Int64",
}  # fmt: skip
FAILED = {
    "system": "String",
    "documents": "Int64",
    "repetition": "Int64",
    "query": "String",
    "outcome": "String",
    "message": "String",
}
GROWN = {"measured": MEASURED, "failures": FAILED}


def frame_of(rows: Any, columns: dict[str, str]) -> pl.DataFrame:
    """Return rows (dicts, or a frame) as a frame with these columns; NaN becomes null."""
    import polars as pl

    schema = {name: getattr(pl, kind) for name, kind in columns.items()}
    frame = (
        rows
        if isinstance(rows, pl.DataFrame)
        # the whole column decides the kind: a system without memory figures has None in its first rows
        else pl.DataFrame(rows or [], schema=schema, infer_schema_length=None)
    )
    return frame.select(pl.col(name).cast(kind) for name, kind in schema.items()).fill_nan(None)


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Measurements(Saved):
    """Frames with what was measured, and how: ``settings``, ``environment``, ``overhead`` and ``notes``."""

    _indent: ClassVar[int | None] = None
    _frames: ClassVar[Mapping[str, Mapping[str, str]]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    overhead: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything but runs as plain values; what a file of them is comes first, by which it is known."""
        assert self._file.mark is not None
        assert self._file.version is not None
        columns = {name: getattr(self, name).to_dict(as_series=False) for name in self._frames}
        parts = {name: getattr(self, name) for name in PARTS}
        return dict([self._file.mark, self._file.version]) | columns | parts | {"notes": [*parts["notes"]]}

    @classmethod
    def _of_file(cls, content: Any, path: str | Path) -> Self:  # noqa: ARG003 - nothing names the file
        return cls(**parts_of(content, cls._frames))


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
            # times and counts below 0 show a file that was edited or is damaged
            fits = kind not in ("Int64", "Float64") or each in SIGNED or not (frame[each] < 0).any()
            ensure(fits, f"{name}.{each}", "a value is below 0")
    return frames | {word: content[word] for word in PARTS} | {"notes": tuple(content["notes"])}
