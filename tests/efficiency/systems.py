"""Systems whose costs are known, and systems that fail in every way; they are sent to processes of their own by value."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


class Known:
    """A system with known costs: seconds and bytes of indexing, seconds of a search, a file of known size."""

    def __init__(self, path=None, *, index=0.0, search=0.0, held=0, freed=0, written=0):
        self.path, self.costs = path, (index, search, held, freed, written)

    def index(self, documents):
        seconds, _, held, freed, written = self.costs
        until = time.perf_counter() + seconds
        self.kept = bytearray(os.urandom(1)) * held
        passing = bytearray(b"x") * freed
        del passing
        if self.path:
            Path(self.path).write_bytes(b"x" * written)
        while time.perf_counter() < until:
            pass

    def search(self, query, k):
        until = time.perf_counter() + self.costs[1]
        while time.perf_counter() < until:
            pass
        return [(f"{query}-{at}", float(k - at)) for at in range(k)]


class Failing(Known):
    """Answers all queries but those that say how to fail."""

    def search(self, query, k):
        how = query.split()[0]
        if how == "raise":
            raise ValueError("this query is too long\nand has a second line")
        if how == "leave":
            sys.exit(4)
        if how == "abort":
            os.abort()
        if how == "exit":
            os.write(2, b"Traceback\nMemoryError: no room\n")
            os._exit(7)
        if how == "hang":
            time.sleep(1000)
        if how == "print":
            while True:
                os.write(1, b"x" * 65536)
        if how == "grow":
            kept = []
            while True:
                kept.append(bytearray(b"x") * (16 << 20))
        if how in ("shape", "endless"):
            time.sleep(0.003)
        if how == "endless":
            return iter(int, 1)  # zeros without end
        if how == "shape":
            return {"twice": [("a", 1.0), ("a", 0.5)], "nan": [("a", float("nan"))], "rising": [("a", 1.0), ("b", 2.0)],
                    "many": [("a", 1.0)] * (k + 1), "none": None, "text": "abc", "number": [(1.5, 1.0)]}[query.split()[1]]  # fmt: skip
        if how == "fork":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=True)
            time.sleep(0.5 if query.endswith("seen") else 0)  # watched for long enough to be seen, or not
            os.abort()
        return super().search(query, k)


class Stalling:
    """Stalls for a known time at every n-th query, as a collector of garbage would; else it takes another known time."""

    def __init__(self, usual, stall, every):
        self.usual, self.stall, self.every, self.calls = usual, stall, every, 0

    def search(self, query, k):
        self.calls += 1
        time.sleep(self.stall if self.calls % self.every == 0 else self.usual)
        return ["a"]


class Opening:
    """Keeps its index in a file; counts how often it was made and opened in files beside it."""

    def __init__(self, path):
        self.path = path

    def index(self, documents):
        Path(self.path).write_text("\n".join(documents))
        with Path(f"{self.path}.log").open("a") as file:
            file.write("index\n")

    def open(self):
        self.items = Path(self.path).read_text().split("\n")
        with Path(f"{self.path}.log").open("a") as file:
            file.write("open\n")

    def search(self, query, k):
        return [each for each in self.items if query in each][:k]
