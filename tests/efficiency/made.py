"""Made-up costs: systems whose latencies, memory and answers are written down."""

from __future__ import annotations

from rankwell.efficiency import Costs
from rankwell.efficiency.frames import ALL, frame_of
from rankwell.readers import read_run

MIB = 1 << 20
LOAD = "closed, 1 at a time"


def made(systems, loads=(LOAD,), runs=None):
    """Costs of systems: seconds by repetition and query, peak MiB and index MiB by repetition, queries per second by repetition."""
    rows = {name: [] for name in ALL}
    for system, own in systems.items():
        for load in loads:
            for repetition, seconds in enumerate(own["seconds"], 1):
                key = {"system": system, "load": load, "session": "warm", "repetition": repetition}
                rows["calls"] += [
                    key | {"query": f"q{at}", "queries": 1, "began": 0.0, "ended": each, "outcome": "ok"}
                    for at, each in enumerate(seconds)
                ]
                rows["sessions"].append(
                    key
                    | {
                        "peak_memory": round(own["memory"][repetition - 1] * MIB),
                        "achieved": own["throughput"][repetition - 1],
                        "completed": len(seconds),
                        "calls": len(seconds),
                    }
                )
        rows["indexing"] += [
            {
                "system": system,
                "start": at,
                "outcome": "ok",
                "size": None if size is None else round(size * MIB),
                "wall": 1.0 + at,
                "held_memory": MIB,
            }
            for at, size in enumerate(own["index"], 1)
        ]
    frames = {name: frame_of(own, ALL[name]) for name, own in rows.items()}
    return Costs(**frames, runs={name: read_run(run, name=name) for name, run in (runs or {}).items()})
