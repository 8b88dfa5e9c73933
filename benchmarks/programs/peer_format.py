"""Public readers reading one file into a table of query, item and score: READER FILE."""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import polars as pl

NAMES = ["query", "item", "score"]


def trec(path: str) -> pl.DataFrame:
    table = pl.read_csv(
        path, separator=" ", has_header=False, schema_overrides={"column_0": pl.String, "column_2": pl.String}
    )
    return table.select(query="column_0", item="column_2", score=pl.col("column_4").cast(pl.Float64))


def delimited(path: str) -> pl.DataFrame:
    return pl.read_csv(
        path, separator="\t" if path.endswith("tsv") else ",", schema_overrides={"query": pl.String}
    )


def pandas_colons(path: str) -> pl.DataFrame:
    import pandas as pd

    table = pd.read_csv(
        path, sep="::", engine="python", names=[*NAMES, "time"], dtype={"query": str, "item": str}
    )
    return pl.DataFrame(table[NAMES])


def json_dicts(path: str) -> pl.DataFrame:
    import orjson

    with open(path, "rb") as file:
        lists = orjson.loads(file.read())
    parts = [(query, list(items), list(items.values())) for query, items in lists.items()]
    table = pl.DataFrame(parts, schema=NAMES, orient="row")
    return table.explode("item", "score")


def pytrec_eval(path: str) -> pl.DataFrame:
    import pytrec_eval as tool

    opener = gzip.open if path.endswith("gz") else open
    with opener(path, "rt") as file:
        lists = tool.parse_run(file)
    parts = [(query, list(items), list(items.values())) for query, items in lists.items()]
    return pl.DataFrame(parts, schema=NAMES, orient="row").explode("item", "score")


READERS: dict[str, Callable[[str], Any]] = {
    "polars (blanks)": trec,
    "pytrec_eval.parse_run": pytrec_eval,
    "polars.read_csv": delimited,
    "polars.read_parquet": pl.read_parquet,
    "polars.read_ipc": pl.read_ipc,
    "polars.read_ndjson": pl.read_ndjson,
    "orjson": json_dicts,
    "pandas (python engine)": pandas_colons,
}


def main() -> None:
    reader, path = sys.argv[1:]
    start = time.perf_counter()
    table = READERS[reader](path)
    read = time.perf_counter() - start
    values = {
        "rows": float(len(table)),
        "sum of scores": float(table["score"].sum()),
        "queries": float(table["query"].n_unique()),
    }
    print(json.dumps({"values": values, "seconds": {"read": read}}))


if __name__ == "__main__":
    main()
