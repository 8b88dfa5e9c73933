"""How often each test of one difference finds one where there is none, and where there is one: python benchmarks/evidence/single_tests.py

``false`` is the share of samples with p ≤ .05 where the true mean difference is 0, ``power`` where it is 2.8 standard errors (so
that a t-test of normal differences finds it in about 80 %). The bootstrap rejects where its interval does not hold 0.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from keeping import ALPHA, SIZES, Rows, keep, percent, rng_of, share, units_of
from nulls import NULLS, Null

from rankwell.statistics import many
from rankwell.statistics.families import Cell, max_t
from rankwell.statistics.paired_tests import sign_test, wilcoxon

CHUNK, CHUNKS, CHUNKS_OF_POWER = 100, 20, 5
FLIPS, TIMES, EFFECT = 1999, 2000, 2.8


def rejected(rows: np.ndarray, units: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Whether each test finds a difference in each sample."""
    count = len(rows)
    pairs = np.array([np.arange(count), np.full(count, count)])
    cell = Cell(np.vstack([rows, np.zeros(rows.shape[1])]), pairs, units)
    bounds = many.intervals(rows, units, method="studentised", level=1 - ALPHA, times=TIMES, seed=seed)
    return {
        "t": many.summaries(rows).p <= ALPHA,
        "flips": max_t([cell], times=FLIPS, seed=seed).p <= ALPHA,
        "bootstrap": (bounds.low > 0) | (bounds.high < 0),
        "wilcoxon": np.array([wilcoxon(row) for row in rows]) <= ALPHA,
        "sign": np.array([sign_test(row) for row in rows]) <= ALPHA,
    }


def shares(name: str, null: Null, n: int, mean: float, chunks: int) -> tuple[dict[str, Any], int, Counter]:
    rng, seen, down = rng_of(name, n, mean), Counter(), 0
    for seed in range(chunks):
        rows = null.draw(rng, (CHUNK, n), mean)
        is_down = ~many.are_doubtful(rows)
        down += int(is_down.sum())
        for test, found in rejected(rows, units_of(rng, n), seed).items():
            seen[test] += int(found.sum())
            seen[test, "down"] += int((found & is_down).sum())
    samples = chunks * CHUNK
    return {test: share(hits, samples) for test, hits in seen.items() if isinstance(test, str)}, down, seen


def part(name: str) -> tuple[dict[str, Any], Rows]:
    null, rows = NULLS[name](), []
    for n in SIZES:
        false, down, seen = shares(name, null, n, 0.0, CHUNKS)
        power, *_ = shares(name, null, n, EFFECT * null.sd / np.sqrt(n), CHUNKS_OF_POWER)
        samples = CHUNKS * CHUNK
        rows += [
            {
                "n": n,
                "test": test,
                "false": false[test],
                "flag_up": percent(1 - down / samples),
                "false_down": share(seen[test, "down"], down),
                "power": power[test],
            }
            for test in false
        ]
    return {"about": null.about, "sd": round(null.sd, 5), "skewness": round(null.skewness, 3)}, rows


def main() -> None:
    keep("single_tests", "tests of one mean difference at alpha .05; shares in percent", {name: lambda name=name: part(name) for name in NULLS})  # fmt: skip


if __name__ == "__main__":
    main()
