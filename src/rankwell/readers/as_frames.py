"""Runs, judgements and ids converted to Polars frames and columns."""

from __future__ import annotations

import polars as pl

from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels, Run


def frame_of_qrels(qrels: Qrels) -> pl.DataFrame:
    """Return judgements as a frame: query, item, and what there is of grade and topic."""
    columns = {"query": series_of(qrels.query), "item": series_of(qrels.item)}
    columns |= {} if qrels.grade is None else {"grade": pl.Series(qrels.grade)}
    columns |= {} if qrels.topic is None else {"topic": series_of(qrels.topic)}
    return pl.DataFrame(columns)


def frame_of_run(run: Run) -> pl.DataFrame:
    """Return a run as a frame: query, item, and score or rank."""
    rows = run.rows.table()
    key = {"rank": rows.key + int(rows.by_place)} if rows.by_rank else {"score": rows.key}
    score = {} if rows.given_score is None else {"score": rows.given_score}
    return pl.DataFrame({"query": series_of(rows.query), "item": series_of(rows.item), **key, **score})


def series_of(ids: Ids) -> pl.Series:
    """Return ids as a column; each distinct id becomes a Python value once."""
    if not ids.is_text:
        return pl.Series(ids.integers)
    codes, firsts = ids.group()
    return pl.Series(ids[firsts].tolist(), dtype=pl.String).gather(codes)
