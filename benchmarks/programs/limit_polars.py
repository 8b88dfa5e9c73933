"""Polars reading the columns of users, items and ranks: FILE... The time is that of reading, without the import."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import polars as pl

COLUMNS = ["user_id", "item_id", "rank"]


def read(path: Path) -> pl.DataFrame:
    if path.suffix == ".csv":
        return pl.read_csv(path, columns=COLUMNS)
    if path.suffix == ".ndjson":
        return pl.read_ndjson(path)
    names = pl.read_parquet_schema(path)
    return pl.read_parquet(path, columns=[name for name in COLUMNS if name in names])


def main() -> None:
    start = time.perf_counter()
    rows = [read(Path(path)).height for path in sys.argv[1:]]
    read_in = time.perf_counter() - start
    print(json.dumps({"values": {"rows": sum(rows)}, "seconds": {"read": read_in}}))


if __name__ == "__main__":
    main()
