"""Make the inputs of the benchmarks: seeded, so that the same call writes the same data.

    python benchmarks/workloads.py                 everything, full size
    python benchmarks/workloads.py w1 w3_shuffled  only these
    python benchmarks/workloads.py --seed 2 w1     other data of the same shape, in a folder of its own
    python benchmarks/workloads.py --quick w1      a small one, in a folder of its own

w1           TREC run of 6,980 queries x 1,000 items, about one relevant item per query, lines in rank order
w1_shuffled  the same lines in random order (same qrels)
w2           20 TREC runs of 250 queries x 1,000 items; 1,250 items judged 0-3 per query
graders      judgements of 100,000 queries x 100 items by two assessors
w3           Parquet: 20 items recommended to each of 1,000,000 users out of 100,000; about ten liked by each
w3_shuffled  the same rows in random order, recommendations and truth alike
w3_csv       w3's recommendations as CSV
w3_few       a fifth of w3's users, recommendations as NDJSON and Parquet
formats      the first 2,000,000 rows of w1 in every format
w3_beyond    what goes with w3: the 100,000 items, each with 1-6 out of 20 topics; about ten items in each user's train
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import data_tables as tables
import data_text as text
from data_formats import make_formats
from harness import CACHE
from made import FULL, QUICK, Size

# name: maker, files, and what must be there before
MAKERS: dict[str, tuple[Callable[[Path, Size], None], tuple[str, ...], str | None]] = {
    "w1": (text.make_w1, ("w1.run", "w1.qrels"), None),
    "w1_shuffled": (text.make_w1_shuffled, ("w1_shuffled.run",), "w1"),
    "w2": (text.make_w2, ("w2.qrels", "w2_00.run"), None),
    "graders": (text.make_graders, ("people.qrels", "model.qrels"), None),
    "w3": (tables.make_w3, ("w3_rec.parquet", "w3_truth.parquet"), None),
    "w3_shuffled": (tables.make_w3_shuffled, ("w3_rec_shuffled.parquet", "w3_truth_shuffled.parquet"), "w3"),
    "w3_csv": (tables.make_w3_csv, ("w3_rec.csv",), "w3"),
    "w3_few": (tables.make_w3_few, ("w3_few_truth.parquet", "w3_few_rec.parquet", "w3_few_rec.ndjson"), "w3"),
    "w3_beyond": (tables.make_w3_beyond, ("w3_items.parquet", "w3_train.parquet"), None),
    "formats": (make_formats, ("formats/ready",), "w1"),
}


def ensure(name: str, folder: Path, size: Size = FULL) -> list[Path]:
    """The files of one workload, made now if any is missing."""
    make, names, before = MAKERS[name]
    paths = [folder / n for n in names]
    if not all(path.exists() for path in paths):
        if before:
            ensure(before, folder, size)
        folder.mkdir(parents=True, exist_ok=True)
        make(folder, size)
    return paths


def workload(name: str, cache: Path, quick: bool, seed: int = 1) -> list[Path]:
    """The files of one workload at the asked size; small ones, and those of other seeds, live in their own folders."""
    folder = cache / "quick" if quick else cache
    folder = folder if seed == 1 else folder / f"seed{seed}"
    return ensure(name, folder, replace(QUICK if quick else FULL, seed=seed))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"out of: {' '.join(MAKERS)} (default: all)")
    parser.add_argument("--out", "--cache", type=Path, default=CACHE, help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="small sizes, in OUT/quick")
    parser.add_argument("--seed", type=int, default=1, help="other data of the same shape, in OUT/seedN")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in MAKERS]
    if unknown:
        parser.error(f"no workload {unknown[0]!r}; there are: {' '.join(MAKERS)}")
    for name in chosen.names or MAKERS:
        for path in workload(name, chosen.out, chosen.quick, chosen.seed):
            print(f"{name}: {path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
