"""Measurements: frames, and how they were made; a file of JSON has a list per column, which any language reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypedDict

from rankwell.display.result import Saved
from rankwell.display.saved_files import ensure, within
from rankwell.efficiency.frames import frame_of

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


class Measurements(Saved):
    """Frames with what was measured, and how: ``settings``, ``environment``, ``overhead`` and ``notes``."""

    _indent: ClassVar[int | None] = None
    _frames: ClassVar[Mapping[str, Mapping[str, str]]]

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
            fits = kind not in ("Int64", "Float64") or each in SIGNED or not (frame[each] < 0).any()
            ensure(fits, f"{name}.{each}", "a value is below 0")
    return frames | {word: content[word] for word in PARTS} | {"notes": tuple(content["notes"])}
