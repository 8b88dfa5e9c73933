"""The first rows of workload w1 in every format that rankwell reads."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import sys
from pathlib import Path

import polars as pl
from made import Size

COLUMNS = {"column_0": "query", "column_2": "item", "column_4": "score"}


def frame(folder: Path, rows: int) -> pl.DataFrame:
    """The columns query, item and score of the first lines."""
    text = pl.read_csv(folder / "w1.run", separator=" ", has_header=False, infer_schema=False, n_rows=rows)
    return text.select(*COLUMNS).rename(COLUMNS).cast({"score": pl.Float64})


def make_formats(folder: Path, size: Size) -> None:
    target, rows = folder / "formats", size.format_rows
    target.mkdir(exist_ok=True)
    table = frame(folder, rows)
    table.write_csv(target / "run.csv")
    table.write_csv(target / "run.tsv", separator="\t")
    table.write_parquet(target / "run.parquet")
    table.write_ipc(target / "run.arrow", compression="uncompressed")
    table.write_ndjson(target / "run.jsonl")
    with (target / "run.json").open("w") as file:
        lists = table.group_by("query", maintain_order=True).agg("item", "score")
        for number, (query, items, scores) in enumerate(lists.iter_rows()):
            inside = ", ".join(f'"{item}": {score!r}' for item, score in zip(items, scores, strict=True))
            file.write(f'{"{" if number == 0 else ", "}"{query}": {{{inside}}}')
        file.write("}\n")
    with (target / "run.dat").open("w") as file:
        file.writelines(f"{q}::{i}::{s!r}::978300760\n" for q, i, s in table.iter_rows())
    with (target / "run.trec").open("wb") as file, (folder / "w1.run").open("rb") as whole:
        file.writelines(line for line, _ in zip(whole, range(rows), strict=False))
    for suffix, opener in ((".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)):
        preset = {"preset": 1} if suffix == ".xz" else {"compresslevel": 1}
        with (
            (target / "run.trec").open("rb") as source,
            opener(target / f"run.trec{suffix}", "wb", **preset) as file,
        ):
            shutil.copyfileobj(source, file, 1 << 24)
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    with (target / "run.trec").open("rb") as source, zstd.open(target / "run.trec.zst", "wb") as file:
        shutil.copyfileobj(source, file, 1 << 24)
    (target / "ready").touch()
