"""How often the interval of a change from date to date holds the true one: python benchmarks/simulate_changes.py [SAMPLES].

Two dates are the values of two systems on real queries (`benchmarks/evidence/populations.py`). Queries are drawn with replacement; both dates
share none, half or all of those of the smaller date. The true change is that of all queries of the collection.
"""

from __future__ import annotations

import sys

import numpy as np
from evidence.populations import DIFFERENCES, table

from rankwell.display.table import Column, Table
from rankwell.statistics.series import mean_change

SIZES = (30, 30), (100, 100), (300, 300), (100, 1000)
SHARES = {"none shared": 0.0, "half": 0.5, "all": 1.0}


def held(
    values: np.ndarray, n: int, k: int, share: float, samples: int, seed: int
) -> tuple[float, float, float]:
    """Return the share of intervals that hold the true change, that of doubtful ones, and that of samples without an interval."""
    rng = np.random.default_rng(seed)
    shared = round(min(n, k) * share)
    true = float(values[1].mean() - values[0].mean())
    inside = doubtful = lacking = 0
    for _ in range(samples):
        before, after = values[:, rng.integers(0, values.shape[1], n + k - shared)]
        before[n:], after[: n - shared] = np.nan, np.nan
        found = mean_change(before, after)
        inside += found.low <= true <= found.high
        doubtful += found.is_doubtful
        lacking += np.isnan(found.low)
    return inside / max(samples - lacking, 1), doubtful / samples, lacking / samples


def main(samples: int = 10_000) -> None:
    """Print a row per pair of systems and sizes of the dates."""
    columns = [Column("values"), Column("n", "text"), *(Column(name, "value", digits=3) for name in SHARES)]
    columns += [Column("likely too short", "value", digits=2), Column("no interval", "value")]
    rows = []
    for name, (collection, first, second, metric) in DIFFERENCES.items():
        values = table(collection, (second, first), metric)
        for n, k in SIZES:
            found = [held(values, n, k, share, samples, 7) for share in SHARES.values()]
            doubt, lack = (max(each[at] for each in found) for at in (1, 2))
            rows.append([name, f"{n} and {k}", *(each[0] for each in found), doubt, lack])
            print(rows[-1], file=sys.stderr, flush=True)
    print(Table(columns, rows, caption=f"95 % intervals of a change, {samples:,} samples each").to_markdown())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
