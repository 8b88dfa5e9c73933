"""Systems whose costs grow as is written down. Each measured process imports this file, so it imports little itself."""

from __future__ import annotations

import time
from pathlib import Path


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
