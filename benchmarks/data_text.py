"""TREC text: W1, W1 shuffled, W2, two assessors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from made import Ints, Size, distinct_lists, falling_scores, prefixed, write_table


def run_frame(query: Ints, item: pl.Series, score: npt.NDArray[np.float64], tag: str) -> pl.DataFrame:
    """The six columns of a TREC run; `score` has a row per query."""
    rows, width = score.shape
    return pl.DataFrame(
        {
            "query": np.repeat(query, width),
            "q0": pl.repeat("Q0", rows * width, eager=True),
            "item": item,
            "rank": np.tile(np.arange(1, width + 1), rows),
            "score": score.ravel(),
            "tag": pl.repeat(tag, rows * width, eager=True),
        }
    )


def qrels_frame(query: Ints, item: pl.Series, grade: Ints) -> pl.DataFrame:
    """The four columns of TREC judgements."""
    zero = pl.repeat(0, len(query), eager=True)
    return pl.DataFrame({"query": query, "iteration": zero, "item": item, "grade": grade})


def make_w1(folder: Path, size: Size) -> None:
    rng = size.draws(101)
    rows, width, collection = size.w1_queries, size.text_depth, 8_841_823
    query = np.sort(rng.choice(1_102_401, size=rows, replace=False))
    items = distinct_lists(rng, rows, width, collection)
    run = run_frame(query, prefixed(items, ["D"]), falling_scores(rng, rows, width), "synthetic")
    write_table(run, folder / "w1.run")

    # 1.07 relevant items a query; most are somewhere in the list, more often near its top.
    row = np.repeat(np.arange(rows), 1 + rng.binomial(2, 0.035, size=rows))
    place = np.minimum((rng.pareto(0.55, size=row.size) * 2).astype(np.int64), width - 1)
    retrieved = rng.random(row.size) < 0.85
    liked = np.where(retrieved, items[row, place], rng.integers(collection, size=row.size))
    qrels = qrels_frame(query[row], prefixed(liked, ["D"]), np.ones(row.size, dtype=np.int64))
    write_table(qrels.unique(["query", "item"], maintain_order=True), folder / "w1.qrels")


def make_w1_shuffled(folder: Path, size: Size) -> None:
    lines = (folder / "w1.run").read_bytes().splitlines(keepends=True)
    order = size.draws(102).permutation(len(lines))
    partial = folder / "w1_shuffled.run.partial"
    with partial.open("wb") as out:
        out.writelines(lines[i] for i in order.tolist())
    partial.replace(folder / "w1_shuffled.run")


def make_w2(folder: Path, size: Size) -> None:
    rng = size.draws(201)
    rows, width, pooled, collection = size.w2_queries, size.text_depth, 1_250, 528_155
    prefixes = ["FT911-", "FBIS3-", "LA010189-", "FR940104-"]
    query = np.arange(301, 301 + rows)
    # One draw gives the pool and, disjoint from it, the unjudged items that runs may retrieve.
    drawn = distinct_lists(rng, rows, pooled + 2 * width, collection)
    grade = rng.choice(4, size=(rows, pooled), p=[0.86, 0.09, 0.04, 0.01])
    qrels = qrels_frame(np.repeat(query, pooled), prefixed(drawn[:, :pooled], prefixes), grade.ravel())
    write_table(qrels, folder / "w2.qrels")
    known = np.concatenate([grade, np.zeros((rows, 2 * width), dtype=np.int64)], axis=1)
    judged = np.arange(drawn.shape[1]) < pooled
    for number in range(size.w2_runs):
        # A quarter of each list is judged; later runs tell relevant items apart better.
        seen = rng.random(drawn.shape) < np.where(judged, np.where(known > 0, 0.75, 0.22), 0.6)
        merit = rng.normal(size=drawn.shape) + np.where(judged, 1.0, -0.5) + (0.6 + 0.08 * number) * known
        best = np.argsort(np.where(seen, -merit, np.inf), axis=1)[:, :width]
        items = prefixed(np.take_along_axis(drawn, best, axis=1), prefixes)
        run = run_frame(query, items, falling_scores(rng, rows, width), f"run{number:02d}")
        write_table(run, folder / f"w2_{number:02d}.run")


def make_graders(folder: Path, size: Size) -> None:
    rng = size.draws(301)
    rows, width = size.graded_queries, 100
    items = prefixed(distinct_lists(rng, rows, width, 8_841_823), ["D"])
    grade = rng.choice(4, size=rows * width, p=[0.5, 0.25, 0.15, 0.1])
    other = np.where(rng.random(grade.size) < 0.6, grade, rng.choice(4, size=grade.size))
    for name, own in (("people", grade), ("model", other)):
        write_table(qrels_frame(np.repeat(np.arange(rows), width), items, own), folder / f"{name}.qrels")
