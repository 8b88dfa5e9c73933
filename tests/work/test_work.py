"""How much work a fixed job makes, in counts that are the same on every machine: calls, modules, page faults, bytes, files, threads.

``python -m tests.work.test_work`` prints the counts of today beside the bounds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.work.bounds import BOUNDS

ROOT = Path(__file__).resolve().parents[2]
QUERIES, DEPTH, FEW = 400, 1_000, 3
USERS, SHOWN = 50_000, 10


def write_text(folder: Path, name: str, frame: pl.DataFrame, queries: int) -> None:
    """The first queries of a frame as TREC text."""
    chosen = frame.filter(pl.col("query") < queries)
    chosen.select("query", pl.lit("Q0").alias("q0"), *frame.columns[1:]).write_csv(
        folder / name, separator=" ", include_header=False
    )


def write_files(folder: Path) -> None:
    """TREC text in order and shuffled, Parquet, CSV and NDJSON; and the first queries of each."""
    rng = np.random.default_rng(18)
    query = np.repeat(np.arange(QUERIES), DEPTH)
    item = pl.Series(np.arange(QUERIES * DEPTH) * 7_919 % 8_841_823)
    run = pl.DataFrame({"query": query, "item": pl.select(pl.format("D{}", item)).to_series()})
    qrels = run.gather_every(DEPTH // 2).with_columns(grade=pl.lit(1))
    run = run.with_columns(
        pl.Series("rank", np.tile(np.arange(1, DEPTH + 1), QUERIES)),
        pl.Series("score", np.tile(np.arange(DEPTH, 0, -1) / 16, QUERIES)),
        pl.lit("t").alias("tag"),
    )
    (folder / "shuffled").mkdir()
    order = rng.permutation(len(run))
    for place, rows in ((folder, run), (folder / "shuffled", run[order])):
        for queries, few in ((QUERIES, ""), (FEW, "_few")):
            write_text(place, f"run{few}.run", rows, queries)
            write_text(place, f"qrels{few}.run", qrels, queries)
    user = np.repeat(np.arange(USERS), SHOWN)
    shown = pl.DataFrame({"user_id": user, "item_id": np.arange(USERS * SHOWN) * 7_919 % 100_003})
    shown = shown.with_columns(pl.Series("rank", np.tile(np.arange(1, SHOWN + 1), USERS)))
    liked = shown.gather_every(SHOWN // 2).drop("rank")
    for users, few in ((USERS, ""), (FEW, "_few")):
        for name, frame in (("run", shown), ("qrels", liked)):
            chosen = frame.filter(pl.col("user_id") < users)
            chosen.write_parquet(folder / f"{name}{few}.parquet")
            chosen.write_csv(folder / f"{name}{few}.csv")
            chosen.write_ndjson(folder / f"{name}{few}.jsonl")


def observed(job: str, folder: Path) -> dict[str, int]:
    """What a fresh Python counts."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.work.observe", job, str(folder)],
        cwd=ROOT,
        env=dict(os.environ, OPENBLAS_NUM_THREADS="1", POLARS_MAX_THREADS="2", PYTHONHASHSEED="0"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("work")
    write_files(made)
    return made


@pytest.mark.parametrize("job", BOUNDS)
def test_a_job_makes_no_more_work_than_is_allowed(job, folder):
    seen = observed(job, folder)
    names = seen.pop("names", [])
    assert seen.keys() == BOUNDS[job].keys()
    more = {what: (seen[what], bound) for what, bound in BOUNDS[job].items() if seen[what] > bound}
    assert not more, f"{job}: seen and allowed: {more}; all that was seen: {seen}; {names}"


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        write_files(Path(made))
        for job, bounds in BOUNDS.items():
            seen = observed(job, Path(made))
            for what, bound in bounds.items():
                air = f"{bound / seen[what] - 1:+.0%}" if seen.get(what) else "–"
                print(f"{job:<20} {what:<16} seen {seen.get(what, '–'):>10} allowed {bound:>10} {air:>6}")


if __name__ == "__main__":
    main()
