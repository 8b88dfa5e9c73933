"""Small runs and judgements as dicts, and how a call on them is timed: the same code in every environment."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from statistics import median

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
SHAPES = {"100x100": (100, 100), "1x10": (1, 10)}


def make(shape: str) -> tuple[Run, Qrels]:
    """Lists with a few ties; a tenth of each list and one relevant item outside it are judged, graded."""
    queries, depth = SHAPES[shape]
    rng = Random(401)
    run: Run = {}
    qrels: Qrels = {}
    for number in range(queries):
        items = [f"d{item}" for item in rng.sample(range(1_000_000), depth + 1)]
        run[f"q{number}"] = {item: round(rng.uniform(0, 20), 2) for item in items[:-1]}
        judged = {item: rng.choice([0, 1, 1, 2, 3]) for item in rng.sample(items[:-1], max(1, depth // 10))}
        qrels[f"q{number}"] = judged | {items[-1]: 1}
    return run, qrels


def seconds_per_call(call: Callable[[], object], enough: float = 0.5) -> float:
    """The median of many calls, after a few that are not counted."""
    for _ in range(3):
        call()
    taken: list[float] = []
    end = time.perf_counter() + enough
    while len(taken) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return median(taken)
