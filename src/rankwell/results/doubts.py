"""Doubts about data that were evaluated: what was seen of the scores in passing, and a warning where something looks wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataWarning
from rankwell.matching.lists import HEADLESS
from rankwell.tables.rows import Lists

if TYPE_CHECKING:
    from rankwell.results.results import Results

LEAST, LOOKED_AT = 50, 2048  # rows of a batch from which on it is looked at, and its first rows that are
NEARLY_ALL = 0.9
NEIGHBOURS, RISING, TIED = "neighbours looked at", "neighbours whose score grows", "neighbours of equal score"
CONTRADICTIONS = "rows whose rank contradicts the score"
SEEN = NEIGHBOURS, RISING, TIED


def look(lists: Lists) -> dict[str, int]:
    """Return how many neighbours among the first rows of a batch have growing, and equal, scores; nothing if ranks decide."""
    if lists.rows < LEAST or lists.by_rank:
        return {}
    score = lists.score[:LOOKED_AT]
    above, below = score[:-1], score[1:]
    rising, tied, is_end = below > above, below == above, np.zeros(len(above), np.bool_)
    # the last row of each list has no neighbour below; -1, of an empty first list, takes one neighbour more away
    ends = lists.offsets[1 : lists.offsets.searchsorted(len(score))] - 1
    is_end[ends], rising[ends], tied[ends] = True, False, False
    return {
        NEIGHBOURS: len(above) - int(np.count_nonzero(is_end)),
        RISING: int(np.count_nonzero(rising)),
        TIED: int(np.count_nonzero(tied)),
    }


def scores_seen(res: Results) -> Iterator[Composed]:
    """Yield what is to be said of the scores of a run."""
    against = res.counts.get(CONTRADICTIONS, 0)
    if against:
        yield Composed(
            "{name}: {n:,} rows are ranked below a row with a lower score; the rank column is used.",
            name=res.name,
            n=against,
        )
    if _run_through(res.counts):
        yield Composed(
            "{name}: {n:,} of {of:,} lists have no item at rank 1, as if the ranks ran through the whole table. If only their order "
            "counts, say ranks='closed'.",
            name=res.name,
            n=res.counts[HEADLESS],
            of=res.counts["lists"],
        )
    seen = res.part.seen
    if not seen:
        return
    if seen[RISING] > NEARLY_ALL * seen[NEIGHBOURS]:
        yield Composed(
            "{name}: scores grow down the lists, and the highest is taken as the best. If low scores are better (distances), "
            "negate them.",
            name=res.name,
        )
    if seen[TIED] == seen[NEIGHBOURS]:
        yield Composed(
            "{name}: all scores of a list are equal, so ids decide the order. If the rows are in order, say ties='order'.",
            name=res.name,
        )


def _run_through(counts: Mapping[str, int]) -> bool:
    """Whether hardly any list has an item at rank 1."""
    return counts.get("lists", 0) > 1 and 2 * counts.get(HEADLESS, 0) >= counts["lists"]


def are_all_unknown(res: Results) -> bool:
    """Whether all queries are in the segment of those that are not in the table of users."""
    codes = res.part.segment if res.part.segment is not None else np.array([*res.part.sizes])
    return len(codes) > 0 and bool((codes == len(res.division.labels) - 1).all())


def warn(results: Iterable[Results], stacklevel: int) -> None:
    """Warn once of data that look wrong, in at most three lines; where nothing is doubtful, this takes no time."""
    doubtful: list[Results] = []
    for res in results:
        counts, seen = res.part.counts, res.part.seen
        if (
            res.notice is not None
            or (seen and (seen[RISING] > NEARLY_ALL * seen[NEIGHBOURS] or seen[TIED] == seen[NEIGHBOURS]))
            or "judged items found" not in counts
            or "judged queries missing from the run" in counts
            or CONTRADICTIONS in counts
            or HEADLESS in counts
            or res.slices
            or (res.division.by and are_all_unknown(res))
        ):
            doubtful.append(res)
    if doubtful:
        import warnings

        from rankwell.results.warnings import first_of, wrong_with

        if found := wrong_with(doubtful):
            warnings.warn("\n".join(first_of(found)), DataWarning, stacklevel=stacklevel + 1)
