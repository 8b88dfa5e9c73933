"""The same rows for rankwell and for the slow reference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import rankwell as rw
from rankwell.metrics import metric_of

RunRows = Mapping[Any, Sequence[tuple[Any, float]]]
QrelsRows = Sequence[tuple[Any, Any, float, Any]]


def run_of(rows: RunRows, order: str = "score") -> rw.Run:
    """Return a run of rows (item, number); the number is a score, a rank, or nothing."""
    flat = [(query, item, number) for query, items in rows.items() for item, number in items]
    query, item, number = zip(*flat, strict=True)
    extra = {"score": {"score": number}, "rank": {"rank": number}, "list": {}}[order]
    return rw.Run(
        query=list(query), item=list(item), **{word: list(values) for word, values in extra.items()}
    )


def qrels_of(rows: QrelsRows) -> rw.Qrels:
    """Return qrels of rows (query, item, grade, topic); topics only if there are any."""
    query, item, grade, topic = (list(column) for column in zip(*rows, strict=True))
    named = topic if any(each is not None for each in topic) else None
    return rw.Qrels(query=query, item=item, grade=grade, topic=named)


def values_of(res: rw.Results, metric: str) -> dict[Any, float | None]:
    """Return the value of each query, None where undefined."""
    frame = res.per_query
    column = str(metric_of(metric))
    return (
        dict(zip(frame["query"].to_list(), frame[column].to_list(), strict=True)) if column in frame else {}
    )


def same(ours: float | None, theirs: float | None, tolerance: float = 1e-12) -> bool:
    """Whether two values agree; undefined agrees with undefined only."""
    if ours is None or theirs is None or math.isnan(ours) or math.isnan(theirs):
        return (ours is None or math.isnan(ours)) and (theirs is None or math.isnan(theirs))
    return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))
