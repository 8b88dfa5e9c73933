"""Five means of top-10 lists in twenty lines of Polars: TRUTH REC. Rows in any order; nothing is checked."""

from __future__ import annotations

import polars as pl
from table_peers import IDEAL, main


def measure(truth: str, rec: str) -> tuple[float, ...]:
    judged = pl.scan_parquet(truth).select("user_id", "item_id")
    lists = pl.scan_parquet(rec).select("user_id", "item_id", "rank").filter(pl.col("rank") <= 10)
    rank, relevant = pl.col("rank").sort(), pl.col("relevant")
    found = (
        lists.join(judged, on=["user_id", "item_id"], how="semi")
        .group_by("user_id")
        .agg(
            precisions=((pl.int_range(pl.len()) + 1) / rank).sum(),
            gain=(1 / (rank + 1).log(2)).sum(),
            found=pl.len(),
            first=1 / pl.col("rank").min(),
        )
    )
    ideal = pl.lit(pl.Series(IDEAL)).gather(pl.min_horizontal(relevant, 10))
    return (
        judged.group_by("user_id")
        .agg(relevant=pl.len())
        .join(found, on="user_id", how="left")
        .with_columns(pl.col("precisions", "gain", "found", "first").fill_null(0))
        .select(
            (pl.col("precisions") / relevant).mean().alias("ap"),
            (pl.col("gain") / ideal).mean(),
            (pl.col("found") / 10).mean().alias("p"),
            (pl.col("found") / relevant).mean().alias("r"),
            pl.col("first").mean(),
        )
        .collect(engine="streaming")
        .row(0)
    )


main(measure)
