"""Lists: the ranks that a run gives the items of a frame, and those of its items that are not in the frame."""

from __future__ import annotations

import numpy as np

from rankwell.judging.estimating.frame import Frame
from rankwell.judging.pooled import Pooled
from rankwell.records import record


@record(eq=False)
class Lists:
    """The lists of one run: the rank of each item of the frame, infinite where the list lacks it.

    ``answered`` says of each query of the frame whether the run has a list, ``outside`` has the ranks of its other items.
    """

    run: str
    rank: np.ndarray
    answered: np.ndarray
    outside: list[np.ndarray]


def lists_of(pooled: Pooled, frame: Frame) -> tuple[list[Lists], int]:
    """Return the lists of each run, and how many queries of the runs are not in the frame."""
    _, candidate = pooled.find(frame.queries[frame.query], frame.items)
    row_of = np.full(len(pooled), -1)
    row_of[candidate[candidate >= 0]] = np.flatnonzero(candidate >= 0)
    query, _ = pooled.find(frame.queries, frame.items[frame.offsets[:-1]])
    found = []
    for number, name in enumerate(pooled.names):
        own = pooled.run == number
        listed, ranks = pooled.candidate[own], pooled.rank[own].astype(np.float64)
        in_frame = row_of[listed] >= 0
        rank = np.full(len(frame), np.inf)
        rank[row_of[listed[in_frame]]] = ranks[in_frame]
        answered = np.isin(query, pooled.query[listed])
        found.append(
            Lists(name, rank, answered, _by_query(pooled.query[listed[~in_frame]], ranks[~in_frame], query))
        )
    return found, len(pooled.queries) - int((query >= 0).sum())


def _by_query(query: np.ndarray, rank: np.ndarray, wanted: np.ndarray) -> list[np.ndarray]:
    """The ranks of the rows of each wanted query; rows are in the order of queries."""
    low, high = np.searchsorted(query, wanted, side="left"), np.searchsorted(query, wanted, side="right")
    return [rank[a:b] for a, b in zip(low, high, strict=True)]
