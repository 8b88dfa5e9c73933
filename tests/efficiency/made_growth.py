"""Made-up growth."""

from __future__ import annotations

import numpy as np

from rankwell.efficiency import Growth
from rankwell.efficiency.frames import FAILED, MEASURED, frame_of

SIZES = np.geomspace(100, 100_000, 8).round().astype(int).tolist()


def made(systems, *, sizes=SIZES, turns=5, noise=0.02, reason=None, seed=0):
    """Growth of systems: by system a function of n for each column that was measured."""
    rng = np.random.default_rng(seed)
    rows = []
    for system, columns in systems.items():
        for size in sizes:
            for turn in range(1, turns + 1):
                values = {
                    name: law(size) * float(np.exp(rng.normal(0, noise))) for name, law in columns.items()
                }
                whole = {
                    name: round(each) if name in ("memory", "index_size") else each
                    for name, each in values.items()
                }
                key = {
                    "system": system,
                    "documents": size,
                    "repetition": turn,
                    "outcome": "ok",
                    "calls": 6,
                    "failed": 0,
                }
                rows.append(key | whole)
    settings = {"queries": 3, "sizes": sizes, "repetitions": turns, "reason": reason}
    return Growth(frame_of(rows, MEASURED), frame_of([], FAILED), settings=settings)
