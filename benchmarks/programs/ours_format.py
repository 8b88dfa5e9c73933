"""rankwell reading one file into columns: FILE. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys
import time

import polars as pl  # noqa: F401 - the other side has loaded its library too when its clock starts

import rankwell as rw
from rankwell.readers.registry import formats, reader


def main() -> None:
    for name in formats():
        reader(name)
    start = time.perf_counter()
    rows = rw.read_run(sys.argv[1]).rows.table()
    read = time.perf_counter() - start
    values = {
        "rows": float(len(rows.item)),
        "sum of scores": float(rows.key.sum()),
        "queries": float(len(rows.query.runs())),
    }
    print(json.dumps({"values": values, "seconds": {"read": read}}))


if __name__ == "__main__":
    main()
