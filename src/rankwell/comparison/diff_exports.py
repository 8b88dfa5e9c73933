"""Exports of a diff: a frame and plain values, all queries in full precision."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from rankwell.comparison.diffs import Diff

OUTCOMES = {1: "win", 0: "tie", -1: "loss", -2: None}


def frame_of(found: Diff) -> pl.DataFrame:
    """A row per query: the greatest change first, then ties, then queries without a difference."""
    import polars as pl

    sizes = np.where(np.isnan(found.deltas), -1.0, np.round(np.abs(found.deltas), 12))
    order = found.listed(np.argsort(-sizes, kind="stable"))
    columns: dict[str, Any] = {"query": found.ids[order].tolist()}
    for at, name in enumerate(found.groups.by):
        labels = np.full(len(found.ids), None, object)
        for own, members in zip(found.groups.labels[1:], found.groups.members[1:], strict=True):
            labels[members] = own[at]
        columns[name] = pl.Series(labels[order].tolist(), dtype=pl.String)
    if found.query_texts is not None:
        columns["text"] = pl.Series(found.query_texts.of(columns["query"]), dtype=pl.String)
    columns["a"], columns["b"] = (pl.Series(values[order], nan_to_null=True) for values in found.values)
    columns["delta"] = pl.Series(found.deltas[order], nan_to_null=True)
    columns["outcome"] = pl.Series(
        [OUTCOMES[each] for each in found.outcomes[order].tolist()], dtype=pl.String
    )
    for row, letter in ((0, "a"), (1, "b")):
        columns[f"why_{letter}"] = pl.Series(found.reasons[row][order].tolist(), dtype=pl.String)
    return pl.DataFrame(columns)


def to_dict(found: Diff) -> dict[str, Any]:
    """Everything as plain values; undefined is None."""
    segments = []
    for labels, members in zip(found.groups.labels, found.groups.members, strict=True):
        own = found.outcomes[members]
        d = found.deltas[members]
        d = d[~np.isnan(d)]
        segments.append(
            {
                "segment": list(labels),
                "queries": len(d),
                "wins": int(np.count_nonzero(own == 1)),
                "ties": int(np.count_nonzero(own == 0)),
                "losses": int(np.count_nonzero(own == -1)),
                "delta": math.fsum(d.tolist()) / len(d) if len(d) else None,
                "left_out": int(np.count_nonzero(own == -2)),
            }
        )
    return {
        "metric": {
            "metric": str(found.metric),
            "signature": found.metric.signature,
            "better": found.metric.better,
        },
        "a": found.names[0],
        "b": found.names[1],
        "by": list(found.groups.by),
        "segments": segments,
        "policy": found.results[0].policy.to_dict(),
        "queries": found.to_frame().to_dicts(),
    }
