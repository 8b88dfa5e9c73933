"""What travels of users: a row of each, to the group that has their lists; no group is sent the table of all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankwell.evaluation.streaming.joined import ids_in
from rankwell.evaluation.streaming.work import Work
from rankwell.readers.pieces import Piece
from rankwell.results.segments import Segments
from rankwell.tables.ids import Ids

SEGMENT, WEIGHT, CLUSTER = "segment", "weight", "cluster"
NOBODY, NOTHING = Ids.of_integers(np.empty(0, np.int64)), np.empty(0)


def frame_of(session: Any, users: Ids, segments: Segments | None) -> Any:
    """Return a DataFrame of users, with their segments, weights and clusters as far as there are any."""
    import polars as pl

    columns = {"query": users.tolist() if users.is_text else users.integers}
    if segments is not None:
        rows = segments.rows(users)
        if segments.codes is not None:
            columns[SEGMENT] = segments.codes_of(rows)
        if segments.weights is not None:
            columns[WEIGHT] = segments.weights[rows]
        if segments.clusters is not None:
            columns[CLUSTER] = segments.clusters[rows].view(np.int64)
    return session.createDataFrame(pl.DataFrame(columns).to_arrow(compat_level=pl.CompatLevel.oldest()))


def by_table(work: Work) -> Segments | None:
    """Return the segments that a table of users tells; those that are drawn by a hash need none."""
    return None if work.segments is None or work.segments.are_taken_apart else work.segments


def without_users(work: Work) -> Work:
    """Return the work without what each group is sent of its own users; a metric that reads their columns keeps the table."""
    inputs, segments = work.inputs, by_table(work)
    if inputs.users is not None and "users" not in work.asked.needs:
        inputs = replace(inputs, users=inputs.users.nobody())
    if segments is not None:
        work = replace(work, segments=segments.of_users(NOBODY, NOTHING, NOTHING, NOTHING))
    return replace(work, inputs=inputs)


def with_users(work: Work, piece: Piece) -> Work:
    """Return the work of a group with the segments of its own users."""
    segments = by_table(work)
    if segments is None:
        return work
    codes, weights = (np.asarray(piece.get(word, NOTHING), np.float64) for word in (SEGMENT, WEIGHT))
    return replace(work, segments=segments.of_users(ids_in(piece), codes, weights, NOTHING))
