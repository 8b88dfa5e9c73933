"""Judgements by topic."""

from __future__ import annotations

import rankwell as rw

ROWS = [
    ("q", "a", 1, "x"), ("q", "b", 1, "y"), ("q", "c", 2, "y"), ("q", "c", 0, "x"), ("q", "d", 1, "y"),
    ("r", "a", 1, "y"), ("s", "a", 1, "x"),
]  # fmt: skip


def qrels(rows=ROWS, **more):
    query, item, grade, topic = map(list, zip(*rows, strict=True))
    return rw.Qrels(query, item, grade, topic, **more)
