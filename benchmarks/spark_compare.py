"""Comparisons of systems whose values lie on Spark, beside the same comparisons of values in memory.

    python -m benchmarks.spark_compare [--users 1000000]

Four systems with lists of five items are evaluated (reciprocal rank, nDCG@5, AP), on Spark's JVM and in memory; then they are compared in
several ways, in turn. What is timed begins with results of which the values are there (persisted by Spark), and ends with a comparison. Every
number of the two must be equal to eleven digits. It needs build/spark (``make test-spark``), and runs itself with its Python.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.spark import PYTHON, jvm

K, METRICS, DIGITS = 5, ["rr", "ndcg@5", "ap"], 1e-11
SYSTEMS = ["old", "new 1", "new 2", "new 3"]
WAYS: dict[str, dict[str, Any]] = {
    "t-test": {},
    "weights": {"weights": "visits"},
    "clusters": {"clusters": "person"},
    "segments": {"by": "tier"},
    "segments, weights": {"by": "tier", "weights": "visits"},
    "rope": {"rope": 0.001},
    "seeds": {"seeds": {"new": SYSTEMS[1:]}},
    "Wilcoxon": {"test": "wilcoxon"},
    "Tukey, 100 shuffles": {"correction": "tukey", "flips": 1_000},
}


def make(folder: Path, users: int) -> None:
    """Write lists in random orders, judgements of two items, and a table of users."""
    import numpy as np
    import polars as pl

    rng, ids = np.random.default_rng(0), np.arange(users)
    grades = rng.integers(0, 3, 2 * users)
    pl.DataFrame({"query": np.repeat(ids, 2), "item": np.tile([0, 1], users), "grade": grades}).write_parquet(
        folder / "qrels.parquet"
    )
    for name in SYSTEMS:
        items = np.argsort(rng.random((users, K)), axis=1).ravel()
        scores = np.tile(np.arange(K, 0, -1.0), users)
        run = pl.DataFrame({"query": np.repeat(ids, K), "item": items, "score": scores})
        run.write_parquet(folder / f"{name}.parquet")
    pl.DataFrame({
        "query": ids, "visits": rng.geometric(0.3, users), "person": ids * 4 // 10, "tier": rng.integers(0, 4, users),
    }).write_parquet(folder / "users.parquet")  # fmt: skip


def different(found: Any, told: Any) -> int:
    """Return how many values of two comparisons differ, numbers by more than eleven digits."""
    if isinstance(told, dict):
        return sum(different(found[name], each) for name, each in told.items())
    if isinstance(told, list):
        return sum(different(one, other) for one, other in zip(found, told, strict=True))
    if isinstance(told, float) and isinstance(found, float):
        return not math.isclose(found, told, rel_tol=DIGITS, abs_tol=1e-13)
    return int(found != told)


def measure(folder: Path) -> None:
    """Print a row per way of comparing."""
    import polars as pl

    import rankwell as rw

    session = jvm()
    judged, users = (
        session.read.parquet(str(folder / "qrels.parquet")),
        pl.read_parquet(folder / "users.parquet"),
    )
    rules = {"users": users, "by": "tier"}
    there = {
        name: rw.evaluate(session.read.parquet(str(folder / f"{name}.parquet")), judged, METRICS, **rules)
        for name in SYSTEMS
    }
    for res in there.values():
        res.spark_rows.count()
    here = {
        name: rw.evaluate(folder / f"{name}.parquet", folder / "qrels.parquet", METRICS, **rules)
        for name in SYSTEMS
    }
    print(
        "| | Spark, s | memory, s | values that differ | the process that asks, MiB |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for way, options in WAYS.items():
        table = {"users": users} if {"weights", "clusters", "by"} & options.keys() else {}
        seconds, found = [], []
        for results in (there, here):
            start = time.perf_counter()
            found.append(rw.compare(results, **options, **table).to_dict())
            seconds.append(time.perf_counter() - start)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"| {way} | {seconds[0]:.1f} | {seconds[1]:.1f} | {different(*found)} | {most:,} |", flush=True)


def main() -> None:
    """Make the data, and measure in a process with Spark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.folder is not None:
        measure(given.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), given.users)
        command = [str(PYTHON), "-m", "benchmarks.spark_compare", "--folder", folder]
        subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": "src"}, stdout=sys.stdout)


if __name__ == "__main__":
    main()
