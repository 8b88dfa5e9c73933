"""Logs of interactions and lists for the steps of ``rw.prepare``, as Polars frames in memory: the same for everybody who measures."""

from __future__ import annotations

import numpy as np
import polars as pl

DEPTH = 20


def log(rows: int, size: int, rng: np.random.Generator, text: bool) -> pl.DataFrame:
    """Interactions in random order: users alike, items of a long tail, many pairs more than once."""
    user, item = rng.integers(0, size, rows), _items(rows, size, rng)
    return _named(user, item, "time", rng.integers(1_500_000_000, 1_600_000_000, rows), text)


def lists(rows: int, size: int, rng: np.random.Generator, text: bool) -> pl.DataFrame:
    """Lists of 20 items, in order."""
    users = rows // DEPTH
    user = np.repeat(rng.permutation(size)[:users], DEPTH)
    return _named(user, _items(len(user), size, rng), "rank", np.tile(np.arange(1, DEPTH + 1), users), text)


def tables(step: str, rows: int, seed: int, kind: str) -> list[pl.DataFrame]:
    """What a step is given: for a check four tenths each of training data and lists, the rest test data; else one log."""
    rng, text, size = np.random.default_rng(seed), kind == "text", rows // 20
    if step != "check":
        return [log(rows, size, rng, text)]
    most = rows * 4 // 10
    return [log(most, size, rng, text), log(rows - 2 * most, size, rng, text), lists(most, size, rng, text)]


def _items(rows: int, users: int, rng: np.random.Generator) -> np.ndarray:
    """Out of a fifth as many items as users."""
    return np.minimum((rng.pareto(0.8, rows) * 20).astype(np.int64), users // 5 - 1)


def _named(user: np.ndarray, item: np.ndarray, word: str, third: np.ndarray, text: bool) -> pl.DataFrame:
    frame = pl.DataFrame({"user": user * 7 + 11, "item": item * 3 + 5, word: third})
    if not text:
        return frame
    return frame.with_columns(
        pl.concat_str(pl.lit("u"), "user").alias("user"), pl.concat_str(pl.lit("i"), "item").alias("item")
    )
