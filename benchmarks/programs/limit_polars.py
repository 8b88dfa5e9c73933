"""Polars reading the columns of users, items and ranks, piece by piece: FILE... Prints the number of rows."""

from __future__ import annotations

import sys

import polars as pl

COLUMNS = ["user_id", "item_id", "rank"]
SCANS = {"parquet": pl.scan_parquet, "csv": pl.scan_csv, "ndjson": pl.scan_ndjson}


def main() -> None:
    rows = 0
    for path in sys.argv[1:]:
        table = SCANS[path.rpartition(".")[2]](path)
        names = [name for name in COLUMNS if name in table.collect_schema()]
        rows += sum(map(len, table.select(names).collect_batches(lazy=True)))
    print(rows)


main()
