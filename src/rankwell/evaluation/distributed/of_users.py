"""What travels of users: a row of each, to the group that has their lists; no group is sent the table of all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankwell.evaluation.streaming.joined import ids_in
from rankwell.evaluation.streaming.work import Work
from rankwell.readers.pieces import Piece
from rankwell.results.segments import Segments

SEGMENT, WEIGHT = "segment", "weight"


def frame_of(session: Any, work: Work) -> Any:
    """Return a DataFrame of all users, of the kind of the run's queries, with their segments and weights."""
    import polars as pl

    users = work.users
    assert users is not None
    columns = {"query": users.tolist() if users.is_text else users.integers}
    if (segments := _by_table(work)) is not None:
        rows = segments.rows(users)
        if segments.codes is not None:
            columns[SEGMENT] = segments.codes_of(rows)
        if segments.weights is not None:
            columns[WEIGHT] = segments.weights[rows]
    return session.createDataFrame(pl.DataFrame(columns).to_arrow(compat_level=pl.CompatLevel.oldest()))


def without_users(work: Work) -> Work:
    """Return the work without what each group is sent of its own users; a metric that reads their columns keeps the table."""
    inputs, segments = work.inputs, _by_table(work)
    if inputs.users is not None and "users" not in work.asked.needs:
        inputs = replace(inputs, users=inputs.users.nobody())
    if segments is not None:
        work = replace(work, segments=segments.of_users(work.first[:0], *_columns({})))
    return replace(work, inputs=inputs)


def with_users(work: Work, piece: Piece) -> Work:
    """Return the work of a group with the segments of its own users."""
    segments = _by_table(work)
    if segments is None:
        return work
    return replace(work, segments=segments.of_users(ids_in(piece), *_columns(piece)))


def _columns(piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    segment, weight = (np.asarray(piece.get(word, np.empty(0)), np.float64) for word in (SEGMENT, WEIGHT))
    return segment.astype(np.int64), weight


def _by_table(work: Work) -> Segments | None:
    """The segments that a table of users tells; those that are drawn by a hash need none."""
    return None if work.segments is None or work.segments.are_taken_apart else work.segments
