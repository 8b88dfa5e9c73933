"""What an evaluation on a cluster would take: simulated from what a task, a row and an item of the catalogue cost on one machine.

    python -m benchmarks.simulate_cluster [--times 20] [--job 4.5] [--start 0.04] [--row 0.87] [--item 0.7]

Each line is simulated ``--times`` times: users have lists of different lengths and fall into groups by a hash; map tasks read and divide the rows
of a file's part, group tasks begin when all of these are done; tasks are handed to free cores as Spark does, one after the other; some
machines are slow, some tasks fail and are run again. ``--job`` (seconds), ``--start`` (seconds a task), ``--row`` (µs of a core a row,
both stages) and ``--item`` (µs a task and item of the catalogue) come from ``benchmarks.spark`` with 100,000 to 1,000,000 users and
docs/scale.md; the first lines are sizes that were measured.
"""

from __future__ import annotations

import argparse
import heapq
from dataclasses import dataclass
from math import ceil
from types import SimpleNamespace

import numpy as np

from rankwell.evaluation.engines.spark.workers import groups_for

MAPPED = 0.4  # the share of a row's cost before the shuffle
# bytes: of a row on its way; held by a worker of a row, of an item, and without any
ROW, HELD, OF_ITEM, BASE = 24, 73, 24, 160e6
PART = 4_000_000  # rows that a map task reads
CORES_OF_NODE, NETWORK = 16, 1.25e9  # of a machine; bytes a second
SLOW, SLOWER, FAILS = 0.02, 2.5, 2e-4  # share of machines, how much slower, chance of a task to fail
TAIL = 0.7  # standard deviation of the logarithm of the length of a user's list


@dataclass(frozen=True)
class Costs:
    """Seconds: the whole, whatever its size; and of a core a task, a row, and an item of the catalogue in each task."""

    job: float
    start: float
    row: float
    item: float


@dataclass(frozen=True)
class Size:
    """Users, items in a list, judgements of a user, items of the catalogue (0: none is needed), and cores."""

    users: int
    listed: int
    judged: int
    items: int
    cores: int

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return self.users * (self.listed + self.judged)


@dataclass(frozen=True)
class Outcome:
    """Seconds; the rows of the largest group; the bytes that a worker holds; the share of the time of cores that nothing was done in."""

    seconds: float
    largest: float
    held: float
    idle: float


def simulated(size: Size, costs: Costs, rng: np.random.Generator) -> Outcome:
    """Return what one evaluation takes."""
    nodes = ceil(size.cores / CORES_OF_NODE)
    speed = np.where(rng.random(nodes) < SLOW, SLOWER, 1.0) if nodes > 1 else np.ones(1)
    slowness = np.repeat(speed, CORES_OF_NODE)[: size.cores]
    parts = max(ceil(size.rows / PART), size.cores)
    first = run([costs.start + costs.row * MAPPED * size.rows / parts] * parts, slowness, rng)
    moved = size.rows * ROW * (nodes - 1) / nodes / nodes / NETWORK
    session = SimpleNamespace(conf=SimpleNamespace(get=lambda *_: str(max(2 * size.cores, 8))))
    groups = groups_for(session, size.rows, size.items)
    rows = rows_of_groups(size, groups, rng)
    fixed = costs.start + costs.item * size.items
    second = run(fixed + costs.row * (1 - MAPPED) * rows, slowness, rng)
    seconds = costs.job + first + moved + second
    worked = parts * costs.start + groups * fixed + costs.row * size.rows
    largest = float(rows.max())
    return Outcome(
        seconds,
        largest,
        BASE + HELD * largest + OF_ITEM * size.items,
        max(1 - worked / (seconds * size.cores), 0),
    )


def rows_of_groups(size: Size, groups: int, rng: np.random.Generator) -> np.ndarray:
    """Return how many rows each group gets: users by a hash, lists of lognormal length."""
    users = rng.poisson(size.users / groups, groups)
    spread = size.listed * np.sqrt(np.expm1(TAIL**2))
    return np.maximum(rng.normal(users * (size.listed + size.judged), np.sqrt(users) * spread), 0)


def run(seconds: np.ndarray | list[float], slowness: np.ndarray, rng: np.random.Generator) -> float:
    """Return when the last of some tasks ends, each given to the core that is free first; one that fails is run again."""
    free = [(0.0, core) for core in range(len(slowness))]
    heapq.heapify(free)
    last = 0.0
    for task in seconds:
        begun, core = heapq.heappop(free)
        spent = task * slowness[core] * rng.lognormal(0, 0.1) * rng.geometric(1 - FAILS)
        heapq.heappush(free, (begun + spent, core))
        last = max(last, begun + spent)
    return last


SIZES = (
    Size(100_000, 20, 10, 0, 2),
    Size(300_000, 20, 10, 0, 2),
    Size(1_000_000, 20, 10, 0, 2),
    Size(10_000_000, 20, 10, 0, 16),
    Size(100_000_000, 20, 10, 0, 64),
    Size(1_000_000_000, 20, 10, 0, 256),
    Size(1_000_000_000, 100, 10, 0, 256),
    Size(1_000_000_000, 100, 10, 0, 1024),
    Size(1_000_000_000, 100, 10, 10_000_000, 1024),
    Size(1_000_000_000, 100, 10, 100_000_000, 1024),
)


def main() -> None:
    """Print a table, a line for each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--job", type=float, default=4.5)
    parser.add_argument("--start", type=float, default=0.04)
    parser.add_argument("--row", type=float, default=0.87)
    parser.add_argument("--item", type=float, default=0.7)
    given = parser.parse_args()
    costs = Costs(given.job, given.start, given.row * 1e-6, given.item * 1e-6)
    print(
        "| users × items, judgements | catalogue | cores | minutes (lowest, highest) | largest group, rows | a worker, GiB | idle |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in SIZES:
        rng = np.random.default_rng(size.users + size.cores + size.items)
        found = [simulated(size, costs, rng) for _ in range(given.times)]
        minutes = [each.seconds / 60 for each in found]
        largest, held, idle = (
            float(np.median([getattr(each, name) for each in found])) for name in ("largest", "held", "idle")
        )
        shown = f"{np.median(minutes):,.1f} ({min(minutes):,.1f}, {max(minutes):,.1f})"
        print(
            f"| {size.users:,} × {size.listed}, {size.judged} | {size.items:,} | {size.cores:,} | {shown} | "
            f"{largest:,.0f} | {held / 2**30:.1f} | {idle:.0%} |"
        )


if __name__ == "__main__":
    main()
