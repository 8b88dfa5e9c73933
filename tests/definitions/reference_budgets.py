"""Budgets once more, in plain loops: the rows that fit, and the metrics of these.

Part of the slow second implementation (see `reference.py`). Nothing here knows rankwell, and nothing is fast.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .reference_graded import _gains
from .reference_metrics import Undefined, Value, View


class Row(NamedTuple):
    """A row that is kept: its rank, its grade (None if unjudged), how much of its size fits, and which part of it that is."""

    rank: int
    grade: float | None
    size: float
    part: float = 1.0


def kept(rows: Sequence[Row], budget: float, fill: str) -> list[Row]:
    """The rows that fit; without the rows that `skip` leaves out, a list is numbered 1, 2, …"""
    result: list[Row] = []
    total, is_out, is_numbered = 0.0, False, False
    for row in rows:
        if total + row.size <= budget:
            total += row.size
            result.append(row)
            is_numbered = is_out or is_numbered
        elif fill == "skip":
            is_out = True
        else:
            if fill == "cut":
                result.append(row._replace(size=budget - total, part=(budget - total) / row.size))
            break
    return [row._replace(rank=place) for place, row in enumerate(result, 1)] if is_numbered else result


def value_of(name: str, rows: Sequence[Row], view: View, params: Mapping[str, Any]) -> Value:
    """A metric of rows that are kept; `view` knows what is judged and what is relevant."""
    R, hits = view.n_relevant, [row for row in rows if view.relevant(row.grade)]
    if name == "used":
        return float(math.fsum(row.size for row in rows))
    if name == "judged":
        return sum(row.grade is not None for row in rows) / len(rows) if rows else Undefined.BY_LIST
    if name in ("cg", "dcg"):
        if not any(gain > 0 for gain in _gains(replace(view, listed=list(view.judged)), params)):
            return Undefined.BY_JUDGEMENTS
        gains = _gains(replace(view, listed=[row.grade for row in rows]), params)
        weights = [row.part if name == "cg" else row.part / math.log2(row.rank + 1) for row in rows]
        return math.fsum(gain * weight for gain, weight in zip(gains, weights, strict=True))
    if R == 0:
        return Undefined.BY_JUDGEMENTS
    if name == "size_p":
        total = math.fsum(row.size for row in rows)
        if rows and not total:
            return Undefined.BY_LIST
        return math.fsum(row.size for row in hits) / total if rows else 0.0
    if name == "rr":
        return 1 / hits[0].rank if hits else 0.0
    if name == "ap":
        above = math.fsum(place / row.rank for place, row in enumerate(hits, 1))
        return above / (max(len(hits), 1) if params.get("denom") == "hits" else R)
    precision, recall = len(hits) / len(rows) if rows else 0.0, math.fsum(row.part for row in hits) / R
    both = {"p": precision, "r": recall, "hit": float(bool(hits))}
    square = params.get("beta", 1) ** 2
    both["f"] = (1 + square) * precision * recall / (square * precision + recall) if hits else 0.0
    return both[name]
