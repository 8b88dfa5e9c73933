"""How well costs are measured: known costs, a queue, a small difference on a noisy machine, and an index of many documents, and growth with their number.

    python -m benchmarks.costs [known] [queue] [difference] [documents] [growth]

Each part prints what is known or simulated beside what was measured.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import rankwell as rw
from rankwell.efficiency import Closed, Open
from rankwell.efficiency.estimates import over_repetitions
from rankwell.tables.collections import Documents

MIB = 2**20


def work(seconds: float) -> None:
    """Work for a known time."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


class Known:
    """A system with known costs of indexing and searching."""

    def __init__(self, path: str) -> None:
        self.path = path

    def index(self, _: object) -> None:
        """Work 0.5 s, hold 300 MiB, 100 MiB more for a moment, and write 1,234,567 bytes."""
        began = time.perf_counter()
        self.held = bytearray(b"x") * (300 * MIB)
        passing = bytearray(b"x") * (100 * MIB)
        del passing
        Path(self.path).write_bytes(b"x" * 1_234_567)
        work(0.5 - (time.perf_counter() - began))

    def search(self, _: object, __: int) -> list[str]:
        """Work 5 ms."""
        work(0.005)
        return ["item"]


class Stalling:
    """Works 2 ms, and at every 150th call 250 ms."""

    calls = 0

    def search(self, _: object, __: int) -> list[str]:
        """Work, and count the call."""
        self.calls += 1
        work(seconds_of(self.calls))
        return ["item"]


def seconds_of(call: int) -> float:
    """How long the n-th call of the stalling system works, from 1 on."""
    return 0.25 if call % 150 == 0 else 0.002


def known() -> None:
    """Known costs against measured ones."""
    with tempfile.TemporaryDirectory() as folder:
        costs = rw.efficiency.measure(
            {"known": Known(str(Path(folder) / "index"))},
            [f"{at}" for at in range(100)],
            items=[1],
            starts=5,
            repetitions=5,
        )
    rows = [
        ("indexing, s", 0.5, costs.indexing["wall"].to_numpy()),
        ("held, MiB", 300, costs.indexing["held_memory"].to_numpy() / MIB),
        ("peak, MiB", 400, costs.indexing["peak_memory"].to_numpy() / MIB),
        ("file, bytes", 1_234_567, costs.indexing["size"].to_numpy()),
        ("search p50, ms", 5, np.array([costs.quantile("known", 0.5).value * 1e3])),
        ("search p95, ms", 5, np.array([costs.quantile("known", 0.95).value * 1e3])),
    ]
    for name, true, values in rows:
        print(f"{name:16} known {true:>12,}  measured {values.min():,.4f} to {values.max():,.4f}")
    print({name: f"{value * 1e6:.2f} µs" for name, value in costs.overhead.items()})


def queue() -> None:
    """The open loop against the simulation of a queue from nominal times alone, and the closed loop beside it."""
    queries, seed, repetitions = 600, 5, 5
    loads = [Closed(), Open(100), Open(100, "constant")]
    for load in loads:
        costs = rw.efficiency.measure(
            Stalling(), [f"{at}" for at in range(queries)], load=load, repetitions=repetitions, seed=seed
        )
        measured = costs.latencies("Stalling")
        call, simulated = queries, []  # the cold pass has made the first calls
        for repetition in range(1, repetitions + 1):
            due = load.due(queries, np.random.default_rng([seed, repetition, 1]))
            free = 0.0
            for at in range(queries):
                call += 1
                came = 0.0 if due is None else due[at] / 1e9
                begin = free if due is None else max(came, free)
                free = begin + seconds_of(call)
                simulated.append(free - (begin if due is None else came))
        for q in (0.5, 0.95, 0.99):
            ours, theirs = np.quantile(measured, q), np.quantile(simulated, q)
            print(
                f"{load!s:22} p{100 * q:g}: simulated {theirs * 1e3:8.3f} ms, measured {ours * 1e3:8.3f} ms ({ours / theirs - 1:+.2%})"
            )


def disturb(seconds: float, seed: int) -> None:
    """Be another process that works in bursts."""
    rng, until = np.random.default_rng(seed), time.perf_counter() + seconds
    while time.perf_counter() < until:
        work(rng.exponential(0.2))
        time.sleep(rng.exponential(0.2))


class Slower:
    """A search whose work grows with the length of the query, times a factor."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def search(self, query: str, _: int) -> list[str]:
        """Add up numbers; the same work takes longer when the machine is slower."""
        sum(range(int(20_000 * self.factor * (1 + len(query) / 10))))
        return ["item"]


def difference() -> None:
    """How many repetitions it takes to tell two systems apart that differ by 5 %, beside other processes that work in bursts."""
    queries = ["x" * (1 + at % 17) for at in range(100)]
    others = [multiprocessing.Process(target=disturb, args=(120, at)) for at in range(os.cpu_count() or 1)]
    for each in others:
        each.start()
    try:
        costs = rw.efficiency.measure(
            {"old": Slower(1.0), "new": Slower(1.05)}, queries, load=Closed(), repetitions=40
        )
    finally:
        for each in others:
            each.terminate()
    for repetitions in (3, 5, 10, 20, 40):
        kept = _first(costs, repetitions)
        turns, whole = over_repetitions(kept.group("new"), kept.group("old")), kept.ratio("new", "old")
        print(
            f"{repetitions:3} repetitions: ratio {whole.value:.4f} over queries {whole.low:.4f} to {whole.high:.4f}; in turns {turns.value:.4f}, "
            f"{turns.low:.4f} to {turns.high:.4f}{', told apart' if turns.low > 1 and whole.low > 1 else ''}"
        )
    print(*costs.tables()[-1].notes, sep="\n")


def _first(costs: rw.efficiency.Costs, repetitions: int) -> rw.efficiency.Costs:
    import dataclasses

    return dataclasses.replace(costs, calls=costs.calls.filter(pl.col("repetition") <= repetitions))


def documents() -> None:
    """Two engines on 200,000 made-up documents of Zipf's words."""
    engines, texts, queries = made(200_000)
    costs = rw.efficiency.measure(engines, queries, items=texts, repetitions=3)
    for each in costs.tables()[:3]:
        print(each.to_text(), end="\n\n")


def growth() -> None:
    """How the costs of two engines grow up to 100,000 made-up documents, kept in growth.json."""
    engines, texts, queries = made(100_000)
    some = dict(list(queries.items())[:100])
    found = rw.efficiency.growth(engines, some, texts, progress=lambda text: print(text, file=sys.stderr))
    found.save("growth.json")
    print(found)


def made(count: int) -> tuple[dict[str, Any], Documents, dict[str, str]]:
    """Two engines, made-up documents of 60 of Zipf's words, and 400 queries of 3 words."""
    from examples.engines.bm25_bm25s import BM25
    from examples.engines.sqlite_fts5 import FTS5

    rng = np.random.default_rng(0)
    words = np.array([f"w{at}" for at in range(50_000)])
    chance = 1 / np.arange(1, len(words) + 1)
    drawn = rng.choice(len(words), size=(count, 60), p=chance / chance.sum())
    texts = [" ".join(words[row]) for row in drawn]
    queries = {f"{at}": " ".join(words[rng.choice(2_000, 3) + 20]) for at in range(400)}
    ids = [f"d{at}" for at in range(len(texts))]
    return {"bm25": BM25(), "fts5": FTS5()}, Documents(ids, pl.DataFrame({"text": texts})), queries


if __name__ == "__main__":
    parts = {each.__name__: each for each in (known, queue, difference, documents, growth)}
    for name in sys.argv[1:] or parts:
        print(f"## {name}")
        with contextlib.suppress(BrokenPipeError):
            parts[name]()
