"""Make the inputs of the benchmarks: seeded, so that the same call writes the same data.

    python benchmarks/workloads.py                 everything, full size
    python benchmarks/workloads.py w1 w3_shuffled  only these
    python benchmarks/workloads.py --quick w1      a small one, in a folder of its own

w1           TREC run of 6,980 queries x 1,000 items, about one relevant item per query, lines in rank order
w1_shuffled  the same lines in random order (same qrels)
w2           20 TREC runs of 250 queries x 1,000 items; 1,250 items judged 0-3 per query
w3           Parquet: 20 items recommended to each of 1,000,000 users out of 100,000; about ten liked by each
w3_shuffled  the same rows in random order, recommendations and truth alike
w3_beyond    what goes with w3: the 100,000 items, each with 1-6 out of 20 topics; about ten items in each user's train
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from harness import CACHE

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Size:
    """How large the three shapes are."""

    w1_queries: int = 6_980
    w2_queries: int = 250
    w2_runs: int = 20
    text_depth: int = 1_000
    w3_users: int = 1_000_000


FULL = Size()
QUICK = Size(w1_queries=300, w2_queries=20, w2_runs=3, w3_users=20_000)
W3_DEPTH, W3_ITEMS, W3_MOST_LIKED = 20, 100_000, 24
W3_TOPICS, W3_MOST_TOPICS = 20, 6


def distinct_lists(rng: np.random.Generator, rows: int, width: int, below: int) -> Ints:
    """A row of `width` different whole numbers under `below` for each list."""
    return np.stack([rng.choice(below, size=width, replace=False) for _ in range(rows)])


def falling_scores(rng: np.random.Generator, rows: int, width: int) -> npt.NDArray[np.float64]:
    """Scores with four decimals that fall along each row, every hundredth equal to the one before it."""
    # Whole ten-thousandths: a tie in the numbers is then a tie in the text, and nothing else is.
    steps = 1 + rng.exponential(200, size=(rows, width)).astype(np.int64)
    steps[rng.random((rows, width)) < 0.01] = 0
    first = rng.integers(300_000, 400_000, size=(rows, 1))
    return (first - np.cumsum(steps, axis=1)) / 10_000


def prefixed(numbers: Ints, prefixes: list[str]) -> pl.Series:
    """Ids such as D1234567; the number chooses among the prefixes."""
    flat = pl.Series(numbers.ravel())
    heads = pl.Series(prefixes).gather(flat % len(prefixes))
    return pl.select(pl.concat_str(heads, flat.cast(pl.String))).to_series()


def write_table(frame: pl.DataFrame, path: Path) -> Path:
    """Write under another name first, so that a file in the cache is always whole."""
    partial = path.with_name(path.name + ".partial")
    if path.suffix == ".parquet":
        frame.write_parquet(partial)
    else:
        frame.write_csv(partial, separator=" ", include_header=False, float_precision=4)
    partial.replace(path)
    return path


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
    rng = np.random.default_rng(101)
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
    ensure("w1", folder, size)
    lines = (folder / "w1.run").read_bytes().splitlines(keepends=True)
    order = np.random.default_rng(102).permutation(len(lines))
    partial = folder / "w1_shuffled.run.partial"
    with partial.open("wb") as out:
        out.writelines(lines[i] for i in order.tolist())
    partial.replace(folder / "w1_shuffled.run")


def make_w2(folder: Path, size: Size) -> None:
    rng = np.random.default_rng(201)
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
    rng = np.random.default_rng(301)
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
    ensure("w3", folder, size)
    for name in ("rec", "truth"):
        frame = pl.read_parquet(folder / f"w3_{name}.parquet")
        write_table(frame.sample(fraction=1, shuffle=True, seed=302), folder / f"w3_{name}_shuffled.parquet")


def make_w3_beyond(folder: Path, size: Size) -> None:
    rng = np.random.default_rng(303)
    users = size.w3_users
    catalogue = Catalogue(rng, W3_ITEMS, Catalogue(np.random.default_rng(301), W3_ITEMS).by_popularity)
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


MAKERS: dict[str, tuple[Callable[[Path, Size], None], tuple[str, ...]]] = {
    "w1": (make_w1, ("w1.run", "w1.qrels")),
    "w1_shuffled": (make_w1_shuffled, ("w1_shuffled.run",)),
    "w2": (make_w2, ("w2.qrels", "w2_00.run")),
    "w3": (make_w3, ("w3_rec.parquet", "w3_truth.parquet")),
    "w3_shuffled": (make_w3_shuffled, ("w3_rec_shuffled.parquet", "w3_truth_shuffled.parquet")),
    "w3_beyond": (make_w3_beyond, ("w3_items.parquet", "w3_train.parquet")),
}


def ensure(name: str, folder: Path, size: Size = FULL) -> list[Path]:
    """The files of one workload, made now if any is missing."""
    make, names = MAKERS[name]
    paths = [folder / n for n in names]
    if not all(path.exists() for path in paths):
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, size)
    return paths


def workload(name: str, cache: Path, quick: bool) -> list[Path]:
    """The files of one workload at the asked size; small ones live in a folder of their own."""
    return ensure(name, cache / "quick" if quick else cache, QUICK if quick else FULL)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"out of: {' '.join(MAKERS)} (default: all)")
    parser.add_argument("--out", "--cache", type=Path, default=CACHE, help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="small sizes, in OUT/quick")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in MAKERS]
    if unknown:
        parser.error(f"no workload {unknown[0]!r}; there are: {' '.join(MAKERS)}")
    for name in chosen.names or MAKERS:
        for path in workload(name, chosen.out, chosen.quick):
            print(f"{name}: {path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
