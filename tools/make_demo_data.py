"""Make the bundled demo data: `python tools/make_demo_data.py SOURCE [TARGET]`.

SOURCE is build/evidence, after `python tests/evidence.py trec_eval movietweetings-100k` (see tests/data/README.md). TARGET is src/rankwell/data by default. The same input gives the same tables.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl

SYSTEMS = ("popular", "itemknn", "als", "random")
SLICE_USERS = 500
DEPTH = 10
TEXT = {"user_id": pl.String, "item_id": pl.String}
TARGET = Path(__file__).resolve().parents[1] / "src" / "rankwell" / "data"
# What counts as a gain, by the name that the README uses. Under rel=t the gain counts from the threshold.
SETTINGS: dict[str, pl.Expr] = {
    "interactions": pl.lit(1.0),
    **{f"rel={t}": (pl.col("rating") - t + 1.0).clip(lower_bound=0) for t in (6, 7, 8, 9)},
    "raw ratings": pl.col("rating").cast(pl.Float64),
}


def ndcg(run: pl.DataFrame, test: pl.DataFrame, gain: pl.Expr) -> float:
    """Mean nDCG@10 (linear gain, ideal over all judged items) over the users with a positive gain."""
    gains = test.with_columns(gain=gain).filter(pl.col("gain") > 0)
    place = pl.col("gain").rank("ordinal", descending=True).over("user_id")
    ideal = gains.with_columns(rank=place).filter(pl.col("rank") <= DEPTH)
    found = run.filter(pl.col("rank") <= DEPTH).join(gains, on=["user_id", "item_id"])
    dcg = (pl.col("gain") / (pl.col("rank") + 1).log(2)).sum()
    joined = (
        ideal.group_by("user_id")
        .agg(best=dcg)
        .join(found.group_by("user_id").agg(got=dcg), on="user_id", how="left")
        .sort("user_id")
    )
    return float((joined["got"].fill_null(0.0) / joined["best"]).mean())  # type: ignore[arg-type]


def scores(runs: dict[str, pl.DataFrame], test: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Setting -> system -> nDCG@10."""
    return {
        label: {name: ndcg(run, test, gain) for name, run in runs.items()} for label, gain in SETTINGS.items()
    }


def winners(table: dict[str, dict[str, float]]) -> list[str]:
    return [max(row, key=row.__getitem__) for row in table.values()]


def samples(users: list[str]) -> Iterator[tuple[int, list[str]]]:
    """For seed 0, 1, 2 ...: the users with the smallest SHA-256 of `seed:user`."""
    for seed in range(1000):
        order = sorted(users, key=lambda user: hashlib.sha256(f"{seed}:{user}".encode()).digest())
        yield seed, sorted(order[:SLICE_USERS])


def only(frame: pl.DataFrame, users: list[str]) -> pl.DataFrame:
    return frame.filter(pl.col("user_id").is_in(users))


def show(title: str, table: dict[str, dict[str, float]], runs: dict[str, pl.DataFrame], items: int) -> None:
    print(f"\n{title}\n{'nDCG@10':<14}" + "".join(f"{name:>9}" for name in SYSTEMS))
    for label, row in table.items():
        print(f"{label:<14}" + "".join(f"{row[name]:9.4f}" for name in SYSTEMS))
    seen = {name: run.filter(pl.col("rank") <= DEPTH)["item_id"].n_unique() for name, run in runs.items()}
    print(f"{'coverage@10':<14}" + "".join(f"{seen[name] / items:9.4f}" for name in SYSTEMS))


def movietweetings(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / "LICENSE", target / "LICENSE")
    train = pl.read_csv(source / "split" / "train.csv", schema_overrides=TEXT)
    test = pl.read_csv(source / "split" / "test.csv", schema_overrides=TEXT).drop("timestamp")
    catalogue = pl.concat([train["item_id"], test["item_id"]]).unique().to_list()
    items = (
        pl.read_csv(source / "split" / "items.csv", schema_overrides=TEXT)
        .select("item_id", "title", "genres")
        .filter(pl.col("item_id").is_in(catalogue))
        .sort("item_id")
    )
    runs = {name: pl.read_parquet(source / "recs" / f"recs_{name}.parquet") for name in SYSTEMS}
    full = scores(runs, test)
    for seed, users in samples(test["user_id"].unique().sort().to_list()):
        part = {name: only(run, users).filter(pl.col("rank") <= DEPTH) for name, run in runs.items()}
        few = only(test, users)
        table = scores(part, few)
        title = f"slice, seed {seed}: {len(users)} users, {few.height} ratings"
        if winners(table) == winners(full):
            break
    else:
        raise SystemExit("no seed keeps the winners of the full data")
    show(f"all {test['user_id'].n_unique()} users", full, runs, items.height)
    show(title, table, part, items.height)
    few.sort("user_id", "item_id").write_parquet(target / "test.parquet")
    items.write_parquet(target / "items.parquet")
    train.with_columns(pl.col("rating").cast(pl.Int8)).sort("user_id", "timestamp").write_parquet(
        target / "train.parquet", compression_level=19
    )
    for name, run in part.items():
        run.sort("user_id", "rank").write_parquet(target / f"{name}.parquet")


def trec_eval(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name in ("qrels.test", "results.test", "LICENSE.md"):
        shutil.copyfile(source / name, target / name)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    origin = Path(sys.argv[1])
    goal = Path(sys.argv[2]) if len(sys.argv) == 3 else TARGET
    trec_eval(origin / "trec_eval", goal / "trec_eval")
    movietweetings(origin / "movietweetings-100k", goal / "movietweetings")
