"""Made-up growth, and systems whose costs grow as is written down."""

from __future__ import annotations

import time
from pathlib import Path

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
    return Growth(frame_of(rows, MEASURED), frame_of([], FAILED), settings)


class Growing:
    """A system whose indexing works for ``seconds(n)``, and writes ``size(n)`` bytes."""

    def __init__(self, seconds, path=None, size=None):
        self.seconds, self.path, self.size = seconds, path, size

    def index(self, documents):
        until = time.perf_counter() + self.seconds(len(documents))
        self.documents = list(documents)
        if self.path:
            Path(self.path).write_bytes(b"x" * self.size(len(documents)))
        while time.perf_counter() < until:
            pass

    def search(self, query, k):
        return self.documents[:k]


class Failing(Growing):
    """Fails to index more than 1,000 documents, and to answer one query of more than 100."""

    def index(self, documents):
        if len(documents) > 1_000:
            raise MemoryError("no room")
        super().index(documents)

    def search(self, query, k):
        if query == "bad" and len(self.documents) > 100:
            raise ValueError("no answer")
        return super().search(query, k)
