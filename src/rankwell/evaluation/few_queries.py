"""The lists of a few queries, taken out of a run in one pass over its rows."""

from __future__ import annotations

import numpy as np

from rankwell.tables.csr import owners
from rankwell.tables.ids import Ids, Known, own_text
from rankwell.tables.places import RowOf
from rankwell.tables.rows import Columns, Lists, Rows, lowest_rank
from rankwell.tables.run_qrels import Run

BATCH_ROWS = 250_000


def lists_of(run: Run, queries: Ids) -> Run:
    """Return the lists of some queries as a run in memory; what is still to be read is read once, batch by batch."""
    known = Known(queries)
    parts, lowest = _parts(run.rows, known)
    found = Ids.concatenate([part.queries for part in parts]) if parts else queries[:0]
    if not run.rows.grouped and not found.is_distinct():
        parts, lowest = _parts(run.rows.regrouped(), known)
    return Run.of_rows(_joined(parts, run.name, queries, lowest), run.name)


def _parts(rows: Rows, known: Known) -> tuple[list[Lists], int]:
    """The wanted lists of each batch, without the memory of the others, and the lowest rank of the whole run."""
    parts, lowest = [], 1
    for make in rows.batches(BATCH_ROWS):
        lists = make()
        if lists.rank_base is not None:
            lowest = lists.rank_base
        elif lists.has_ranks:
            lowest = min(lowest, lowest_rank(-lists.score))
        wanted = np.flatnonzero(known.rows_of(lists.queries, "query") >= 0)
        if len(wanted):
            parts.append(_taken(lists, wanted))
    return parts, lowest


def _taken(lists: Lists, wanted: np.ndarray) -> Lists:
    """Some lists of a batch, which may be held in memory that is used again."""
    is_wanted = np.zeros(len(lists.queries), bool)
    is_wanted[wanted] = True
    rows = np.flatnonzero(is_wanted[owners(lists.offsets)])
    lengths = np.diff(lists.offsets)[wanted]
    return Lists(
        own_text(lists.queries[wanted].owned()),
        np.concatenate([[0], np.cumsum(lengths)]),
        own_text(lists.items[rows].owned()),
        lists.score[rows],
        lists.place,
        lists.by_rank,
        given=None if lists.given is None else lists.given[rows],
        has_ranks=lists.has_ranks,
    )


def _joined(parts: list[Lists], name: str, queries: Ids, lowest: int) -> Columns:
    """The lists of all batches end to end."""
    place = RowOf(name)
    if not parts:
        return Columns(queries[:0], Ids.of([]), np.empty(0), place=place)
    first = parts[0]
    score = np.concatenate([part.score for part in parts])
    given = [part.given for part in parts if part.given is not None]
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))])
    rows = Columns(
        None,
        Ids.concatenate([part.items for part in parts]),
        -score if first.by_rank else score,
        place=place,
        by_rank=first.by_rank,
        given_score=np.concatenate(given) if given else None,
        lists=(Ids.concatenate([part.queries for part in parts]), offsets),
    )
    rows.by_place = first.by_rank and not first.has_ranks
    rows.rank_base = lowest if first.by_rank else None
    return rows
