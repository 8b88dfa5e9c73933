"""How often all rank intervals of a board hold the true ranks: python benchmarks/simulate_ranks.py [SAMPLES] [-o FILE].

Ten systems on T tasks, or on T tasks of 50 queries each. In twelve designs the differences of systems are symmetric: systems that are equal,
five levels of two systems each, over 0.08, whose noise differs, and two families of five whose values on a task are correlated at 0.8, on tasks that are easy or
hard for all. Beside them the noise is skewed: exponential for tasks, and per query values between 0 and 1 of which most are near an end.

A sample holds if no system is said to be surely better than one that is not worse. The table of docs/suites.md is made of the file that -o writes
(benchmarks/evidence/results/rank_intervals.json).
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rankwell.suites.board import board_of
from rankwell.suites.suite import Draw, SuiteTask, suite_of

SYSTEMS, QUERIES = 10, 50
SPREAD = np.repeat(np.linspace(0.54, 0.46, SYSTEMS // 2), 2)
EQUAL = np.full(SYSTEMS, 0.5)
NOISE = np.linspace(0.02, 0.08, SYSTEMS)
Make = Callable[[np.random.Generator, int], np.ndarray]


def equal(rng: np.random.Generator, tasks: int) -> np.ndarray:
    return EQUAL + rng.normal(0, 0.05, (tasks, SYSTEMS))


def spread(rng: np.random.Generator, tasks: int) -> np.ndarray:
    return SPREAD + rng.normal(0, 1, (tasks, SYSTEMS)) * NOISE


def correlated(rng: np.random.Generator, tasks: int) -> np.ndarray:
    family = np.repeat(rng.normal(0, 0.05 * math.sqrt(0.8), (tasks, 2)), SYSTEMS // 2, axis=1)
    own = rng.normal(0, 0.05 * math.sqrt(0.2), (tasks, SYSTEMS))
    return np.repeat([0.52, 0.5], SYSTEMS // 2) + rng.normal(0, 0.2, (tasks, 1)) + family + own


def skewed_equal(rng: np.random.Generator, tasks: int) -> np.ndarray:
    # half of the systems have a tail above, half below: their differences are skewed
    return EQUAL + (rng.exponential(0.05, (tasks, SYSTEMS)) - 0.05) * np.tile([1, -1], SYSTEMS // 2)


def skewed_spread(rng: np.random.Generator, tasks: int) -> np.ndarray:
    return SPREAD + (rng.exponential(0.05, (tasks, SYSTEMS)) - 0.05) * np.tile([1, -1], SYSTEMS // 2)


def queries(means: np.ndarray) -> Make:
    return lambda rng, tasks: np.stack(
        [rng.beta(means * 0.8, (1 - means) * 0.8, (QUERIES, SYSTEMS)).T for _ in range(tasks)]
    )


# the name, its true means, how values are made, and whether differences are symmetric
TASKS: dict[str, tuple[np.ndarray, Make, bool]] = {
    "equal": (EQUAL, equal, True),
    "five levels of two, noise of 0.02 to 0.08": (SPREAD, spread, True),
    "two families, correlated at 0.8": (np.repeat([0.52, 0.5], SYSTEMS // 2), correlated, True),
    "equal, exponential noise": (EQUAL, skewed_equal, False),
    "five levels of two, exponential noise": (SPREAD, skewed_spread, False),
}
OF_QUERIES = {"equal": EQUAL, "five levels of two": SPREAD}
SIZES = {"tasks": (6, 10, 20, 60), "queries": (3, 12)}


def holds(values: np.ndarray, means: np.ndarray, draw: Draw, flips: int, seed: int) -> tuple[bool, float]:
    """Whether all rank intervals hold the true ranks, and the mean width of an interval in ranks."""
    if draw == "tasks":
        parts = [SuiteTask(f"t{t}", f"t{t}", "", row) for t, row in enumerate(values)]
    else:
        parts = [
            SuiteTask(
                f"t{t}",
                f"t{t}",
                "",
                own.mean(axis=1),
                own,
                np.arange(t << 32, (t << 32) + QUERIES, dtype=np.uint64),
            )
            for t, own in enumerate(values)
        ]
    names = [f"s{at}" for at in range(SYSTEMS)]
    board = board_of(
        suite_of(names, parts),
        rank_by="mean",
        draw=draw,
        level=0.95,
        missing="refuse",
        flips=flips,
        seed=seed,
    )
    true = True
    for row in board.rows:
        own = means[int(row.system[1:])]
        # of systems that are equal each may have any of their ranks
        first, last = 1 + int((means > own + 1e-9).sum()), SYSTEMS - int((means < own - 1e-9).sum())
        true &= row.rank_low <= first and last <= row.rank_high
    return true, float(np.mean([row.rank_high - row.rank_low + 1 for row in board.rows]))


def simulate(means: np.ndarray, make: Make, draw: Draw, tasks: int, samples: int) -> dict[str, float]:
    rng = np.random.default_rng(7)
    flips = 10_000 if draw == "tasks" else 2000
    found = [holds(make(rng, tasks), means, draw, flips, seed) for seed in range(samples)]
    share = float(np.mean([each for each, _ in found]))
    return {
        "samples": samples,
        "percent": 100 * share,
        "se": 100 * math.sqrt(share * (1 - share) / samples),
        "width": float(np.mean([width for _, width in found])),
    }


def main() -> None:
    """Print a row per design, and write all to the file."""
    words = sys.argv[1:]
    target = words[words.index("-o") + 1] if "-o" in words else None
    samples = int(words[0]) if words and words[0].isdecimal() else 2000
    rows = []
    designs = [("tasks", name, *design) for name, design in TASKS.items()]
    designs += [("queries", name, means, queries(means), False) for name, means in OF_QUERIES.items()]
    for draw, name, means, make, is_symmetric in designs:
        for tasks in SIZES[draw]:
            found = simulate(means, make, draw, tasks, samples if draw == "tasks" else samples // 2)
            rows.append({"draw": draw, "design": name, "tasks": tasks, "symmetric": is_symmetric, **found})
            print(rows[-1], flush=True)
    if target:
        Path(target).write_text(
            json.dumps({"systems": SYSTEMS, "queries": QUERIES, "rows": rows}, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
