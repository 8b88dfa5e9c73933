"""The items of a log by popularity, as points and as parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.comparison.texts import Texts
from rankwell.prepare.longtail import LongTail
from rankwell.reporting.rows.labels import cut
from rankwell.tables.popularity import PARTS

SINGLES, BINS = 250, 100  # items that have a point of their own, and bins of the others on each of two scales
LONGEST = 60  # characters of a title


def points_of(tail: LongTail, texts: Texts | None = None) -> list[dict[str, Any]]:
    """Return a row for each item or bin of items, most popular first, from the rank ``first`` to ``last``.

    ``each`` is the mean count, ``cumulative`` the share of all interactions down to ``last``. No bin crosses a cut.
    """
    counts, part = tail.counts[tail.order], tail.part[tail.order]
    until = np.concatenate([[0], np.cumsum(counts)])
    edges = _edges(len(counts), np.flatnonzero(np.diff(part)) + 1)
    starts, ends = edges[:-1], edges[1:]
    alone = np.flatnonzero(ends - starts == 1)
    ids = tail.items[tail.order[starts[alone]]].tolist()
    titles = [None] * len(ids) if texts is None else texts.of(ids)
    known = dict(zip(alone.tolist(), zip(ids, titles, strict=True), strict=True))
    means, reached = (until[ends] - until[starts]) / (ends - starts), until[ends] / (until[-1] or np.nan)
    rows = []
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        item, title = known.get(row, (None, None))
        rows.append(
            {
                "first": start + 1,
                "last": end,
                "each": float(means[row]),
                "cumulative": float(reached[row]),
                "part": PARTS[part[start]],
                "item": None if item is None else cut(str(item), LONGEST),
                "title": None if title is None else cut(title, LONGEST),
            }
        )
    return rows


def _edges(size: int, cuts: np.ndarray) -> np.ndarray:
    """The edges of the points: one per item; of many items the first alone, then bins that grow, each at most 1 % of all."""
    if size <= SINGLES + 2 * BINS:
        return np.arange(size + 1)
    grown, even = np.geomspace(SINGLES, size, BINS), np.linspace(SINGLES, size, BINS)
    edges = np.concatenate([np.arange(SINGLES + 1), np.rint(grown), np.rint(even), cuts])
    return np.unique(edges).astype(np.int64)


def parts_of(tail: LongTail) -> list[dict[str, Any]]:
    """Return the items and the interactions of head, mid and tail, with their shares, and the rank where each ends."""
    rows: list[dict[str, Any]] = []
    for code in tail.cut.codes:
        inside = tail.part == code
        items, volume = int(np.count_nonzero(inside)), tail.counts[inside].sum().item()
        rows.append(
            {
                "part": PARTS[code],
                "items": items,
                "items_share": items / len(tail.counts),
                "interactions": volume,
                "interactions_share": volume / tail.total if tail.total else None,
                "last": items + (rows[-1]["last"] if rows else 0),
            }
        )
    return rows
