"""Tables: W3 as Parquet, CSV and NDJSON, and what goes with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from made import Ints, Size, distinct_lists, write_table

W3_DEPTH, W3_ITEMS, W3_MOST_LIKED = 20, 100_000, 24
W3_TOPICS, W3_MOST_TOPICS = 20, 6


class Catalogue:
    """Items drawn by popularity (rank to the power of -0.9), without repeats inside a list."""

    def __init__(self, rng: np.random.Generator, items: int, by_popularity: Ints | None = None) -> None:
        self._rng = rng
        self._share = np.cumsum(np.arange(1, items + 1) ** -0.9)
        self._share /= self._share[-1]
        self.by_popularity = rng.permutation(items) if by_popularity is None else by_popularity

    def draw(self, count: int) -> Ints:
        drawn: Ints = self.by_popularity[np.searchsorted(self._share, self._rng.random(count))]
        return drawn

    def append(self, lists: Ints, column: int, wanted: Ints) -> None:
        """Put `wanted` into a column; where a list has the item already, draw until it is new."""
        lists[:, column] = wanted
        again = np.arange(len(lists))
        while again.size:
            repeated = (lists[again, :column] == lists[again, column, None]).any(axis=1)
            again = again[repeated]
            lists[again, column] = self.draw(again.size)


def make_w3(folder: Path, size: Size) -> None:
    rng = size.draws(301)
    catalogue = Catalogue(rng, W3_ITEMS)
    users = size.w3_users
    truth = np.empty((users, W3_MOST_LIKED), dtype=np.int64)
    for column in range(W3_MOST_LIKED):
        catalogue.append(truth, column, catalogue.draw(users))
    liked = np.clip(rng.poisson(10, size=users), 1, W3_MOST_LIKED)

    recommended = np.empty((users, W3_DEPTH), dtype=np.int64)
    for column in range(W3_DEPTH):
        a_liked_one = truth[np.arange(users), rng.integers(liked)]
        hit = rng.random(users) < 0.12 / np.sqrt(1 + column)
        catalogue.append(recommended, column, np.where(hit, a_liked_one, catalogue.draw(users)))
    fall = rng.integers(2, 4_000, size=(users, W3_DEPTH))
    rec = pl.DataFrame(
        {
            "user_id": np.repeat(np.arange(users), W3_DEPTH),
            "item_id": recommended.ravel(),
            "score": ((100_000 - np.cumsum(fall, axis=1)) / 100_000).ravel(),
            "rank": np.tile(np.arange(1, W3_DEPTH + 1), users),
        }
    )
    write_table(rec, folder / "w3_rec.parquet")
    kept = np.arange(W3_MOST_LIKED) < liked[:, None]
    pairs = pl.DataFrame({"user_id": np.repeat(np.arange(users), liked), "item_id": truth[kept]})
    write_table(pairs, folder / "w3_truth.parquet")


def make_w3_shuffled(folder: Path, size: Size) -> None:
    for name in ("rec", "truth"):
        frame = pl.read_parquet(folder / f"w3_{name}.parquet")
        write_table(
            frame.sample(fraction=1, shuffle=True, seed=302 + size.seed - 1),
            folder / f"w3_{name}_shuffled.parquet",
        )


def make_w3_beyond(folder: Path, size: Size) -> None:
    rng = size.draws(303)
    users = size.w3_users
    catalogue = Catalogue(rng, W3_ITEMS, Catalogue(size.draws(301), W3_ITEMS).by_popularity)
    train = np.empty((users, W3_MOST_LIKED), dtype=np.int64)
    for column in range(W3_MOST_LIKED):
        catalogue.append(train, column, catalogue.draw(users))
    had = np.clip(rng.poisson(10, size=users), 1, W3_MOST_LIKED)
    kept = np.arange(W3_MOST_LIKED) < had[:, None]
    pairs = pl.DataFrame({"query": np.repeat(np.arange(users), had), "item": train[kept]})
    write_table(pairs, folder / "w3_train.parquet")

    topics = distinct_lists(rng, W3_ITEMS, W3_MOST_TOPICS, W3_TOPICS)
    many = rng.integers(1, W3_MOST_TOPICS + 1, size=W3_ITEMS)
    kept = np.arange(W3_MOST_TOPICS) < many[:, None]
    rows = pl.DataFrame({"item": np.repeat(np.arange(W3_ITEMS), many), "topics": topics[kept]})
    names = rows.with_columns(
        pl.format("topic{}", pl.col("topics").cast(pl.String).str.zfill(2)).alias("topics")
    )
    write_table(names.group_by("item", maintain_order=True).agg("topics"), folder / "w3_items.parquet")


def make_w3_csv(folder: Path, _size: Size) -> None:
    frame = pl.read_parquet(folder / "w3_rec.parquet")
    partial = folder / "w3_rec.csv.partial"
    frame.write_csv(partial)
    partial.replace(folder / "w3_rec.csv")


def make_w3_few(folder: Path, size: Size) -> None:
    """The first fifth of the users, as NDJSON beside Parquet."""
    users = size.w3_users // 5
    for name in ("truth", "rec"):
        frame = pl.read_parquet(folder / f"w3_{name}.parquet").filter(pl.col("user_id") < users)
        write_table(frame, folder / f"w3_few_{name}.parquet")
    partial = folder / "w3_few_rec.ndjson.partial"
    frame.write_ndjson(partial)
    partial.replace(folder / "w3_few_rec.ndjson")
