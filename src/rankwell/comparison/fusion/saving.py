"""Fused runs written to files; the suffix of the name sets the format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankwell.display.output import WRITERS, save, whole_file
from rankwell.errors import DataError, UsageError, brief, nearest, one_of

if TYPE_CHECKING:
    import polars as pl

TREC = (".run", ".trec", ".txt")
SUFFIXES = (*TREC, *WRITERS)
BREAKS = r"\s|^$"  # what an id of TREC text cannot hold


def refuse_suffix(path: str | Path) -> None:
    """Raise UsageError if a file name does not end in the suffix of a format of runs."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"{path}: runs are written as {one_of(TREC)} (TREC text) or {one_of(WRITERS)}, by the suffix of the name."
            f"{nearest(suffix, SUFFIXES)}"
        )


def save_run(table: pl.DataFrame, path: str | Path, tag: str) -> None:
    """Write a run: columns query, item, rank and score, or TREC text with the tag in its last column.

    Raises
    ------
    RankwellError
        If the suffix is of no format, an id cannot stand in TREC text, or the file cannot be written.
    """
    refuse_suffix(path)
    if Path(path).suffix.lower() not in TREC:
        save(table, path)
        return
    import polars as pl

    for word in ("query", "item"):
        column = table[word].cast(pl.String)
        broken = column.filter(column.str.contains(BREAKS))
        if len(broken):
            raise DataError(
                f"{path}: the {word} id {brief(broken[0])} is empty or has white space, which separates the columns of TREC "
                f"text. Choose another format, such as .parquet or .csv."
            )
    lines = table.select(
        "query", pl.lit("Q0"), "item", "rank", "score", pl.lit("_".join(tag.split()) or "fused").alias("tag")
    )
    with whole_file(path) as whole:
        lines.write_csv(whole, separator=" ", include_header=False, quote_style="never")
