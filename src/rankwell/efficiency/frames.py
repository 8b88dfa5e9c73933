"""The columns of the frames that Costs holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
        else pl.DataFrame(rows or [], schema=schema, infer_schema_length=None)
    )
    return frame.select(pl.col(name).cast(kind) for name, kind in schema.items()).fill_nan(None)
