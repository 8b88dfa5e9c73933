"""One evaluation of so many rows, runs, segments or items of the catalogue: KIND COUNT SEED FOLDER. Runs where rankwell is installed.

Data are made anew from the seed, ids shuffled, before the time is taken; files are written to FOLDER and deleted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import rankwell as rw

DEPTH, ITEMS = 100, 1_000_000
METRICS = ["ap", "ndcg@10", "p@10", "r@100", "rr"]
Timed = Callable[[], dict[str, float]]


def lists(queries: int, rng: np.random.Generator, judged: np.ndarray) -> pl.DataFrame:
    """The best hundred items of each query, queries in random order; its judged item is among them half of the time."""
    item = rng.integers(0, ITEMS, (queries, 1)) + np.arange(DEPTH) * 7_919
    hit = rng.random(queries) < 0.5
    item[hit, rng.integers(0, DEPTH, queries)[hit]] = ITEMS * 10 + judged[hit]
    order = rng.permutation(queries)
    return pl.DataFrame(
        {
            "query": np.repeat(order, DEPTH),
            "item": item[order].ravel(),
            "score": np.tile(np.arange(DEPTH, 0, -1.0), queries),
        }
    )


def judgements(queries: int, rng: np.random.Generator) -> tuple[pl.DataFrame, np.ndarray]:
    judged = rng.integers(0, ITEMS, queries)
    return pl.DataFrame({"query": np.arange(queries), "item": ITEMS * 10 + judged, "grade": 1}), judged


def of_file(suffix: str) -> Callable[[int, np.random.Generator, Path], Timed]:
    def make(rows: int, rng: np.random.Generator, folder: Path) -> Timed:
        qrels, judged = judgements(max(rows // DEPTH, 1), rng)
        path = folder / f"growth{suffix}"
        frame = lists(len(qrels), rng, judged)
        if suffix == ".parquet":
            frame.write_parquet(path)
        else:
            text = frame.select(
                "query", pl.lit("Q0").alias("q0"), "item", pl.lit(1).alias("rank"), "score", tag=pl.lit("t")
            )
            text.write_csv(path, separator=" ", include_header=False)
            qrels = qrels.with_columns(pl.col("query", "item").cast(pl.String))
        return lambda: rw.evaluate(str(path), qrels, METRICS, per_query=False).mean

    return make


def of_arrays(rows: int, rng: np.random.Generator, _folder: Path) -> Timed:
    qrels, judged = judgements(max(rows // DEPTH, 1), rng)
    given = {name: column.to_numpy() for name, column in lists(len(qrels), rng, judged).to_dict().items()}
    return lambda: rw.evaluate(rw.Run(**given), qrels, METRICS, per_query=False).mean


def of_runs(count: int, rng: np.random.Generator, _folder: Path) -> Timed:
    qrels, judged = judgements(100, rng)
    frames = {f"run{number}": lists(100, rng, judged) for number in range(count)}

    def call() -> dict[str, float]:
        found = rw.Evaluator(qrels, METRICS).evaluate_all(frames)
        return {name: found["run0"][name] for name in METRICS}

    return call


def of_segments(count: int, rng: np.random.Generator, _folder: Path, queries: int = 1_000_000) -> Timed:
    users = rng.permutation(queries)
    segments = pl.DataFrame({"query": users, "segment": rng.permutation(queries) % count})
    run = pl.DataFrame({"query": np.repeat(users, 2), "item": np.arange(2 * queries) % ITEMS})
    qrels = pl.DataFrame({"query": users, "item": (np.arange(queries) * 2) % ITEMS, "grade": 1})
    return lambda: rw.evaluate(run, qrels, ["rr", "p@1"], users=segments, by=["segment"]).mean


def of_catalogue(items: int, rng: np.random.Generator, _folder: Path, queries: int = 500_000) -> Timed:
    length = 20
    start = rng.integers(0, items, (queries, 1))
    shown = (start + rng.integers(1, max(items // length, 2), (queries, length)).cumsum(axis=1)) % items
    run = rw.Run(
        query=np.repeat(rng.permutation(queries), length),
        item=shown.ravel(),
        score=np.tile(np.arange(length, 0, -1.0), queries),
    )
    names = ["coverage@10", "gini@10", "entropy@20", "personalization@10"]
    catalogue = rng.permutation(items)
    return lambda: rw.evaluate(run, metrics=names, items=catalogue, per_query=False).mean


KINDS = {
    "text": of_file(".run"),
    "parquet": of_file(".parquet"),
    "arrays": of_arrays,
    "runs": of_runs,
    "segments": of_segments,
    "catalogue": of_catalogue,
}
FEW = {"segments": (10, {"queries": 1_000}), "catalogue": (1_000, {"queries": 1_000})}


def main() -> None:
    kind, count, seed, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    make = KINDS[kind]
    few, less = FEW.get(kind, (10, {}))
    make(few, np.random.default_rng(0), folder, **less)()  # imports are not what grows
    call = make(count, np.random.default_rng([seed, count]), folder)
    start = time.perf_counter()
    values = call()
    seconds = time.perf_counter() - start
    for path in folder.glob("growth.*"):
        path.unlink()
    print(json.dumps({"values": values, "seconds": {"call": seconds}}))


if __name__ == "__main__":
    main()
