"""Pool: the judgements, prepared once for all runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankwell.judge.scale import Scale
from rankwell.kernels import order
from rankwell.records import record
from rankwell.tables.csr import offsets_of, owners_of, places_of
from rankwell.tables.derived import Derived
from rankwell.tables.ids import Ids, Known
from rankwell.tables.ranked import Ranked, Topics

if TYPE_CHECKING:
    from rankwell.judge.context import Context
    from rankwell.tables.fingerprints import Digest
    from rankwell.tables.states import Amounts

ENOUGH, TENTH = 10, 0.1  # judged ids that tell something of all, and their least share


@record(eq=False)
class Together:
    """What judgements tell of all queries together: the items that are judged for anybody, the lowest and the highest grade.

    For parts it also has the topics, in their order, and the sums of grades by item of the catalogue, if a metric asks for them.
    """

    items: Ids
    lowest: float
    highest: float
    topics: Known | None = None
    grades: Amounts | None = None

    def only(self, items: Known) -> Together:
        """Return the same for some of the items."""
        return replace(self, items=self.items[np.flatnonzero(items.rows_of(self.items, "item") >= 0)])


class Pool(Derived):
    """The judgements, prepared once for all runs: each query's judged items, grades, and on request topics and propensities.

    ``is_wider`` says whether judgements carry topics or propensities. Values that depend on the judgements alone are cached with
    ``once``, for all runs, batches and cut-offs. ``names_ideal`` says
    whether rows of the ideal list keep their row of the pool even without topics, to find the names of the items. A part of the
    judgements is told what all of them tell ``together``.
    """

    lifetime: ClassVar[int] = 2

    def __init__(
        self,
        queries: Ids,
        offsets: np.ndarray,
        items: Ids,
        grades: np.ndarray,
        scale: Scale,
        topics: Topics | None = None,
        propensity: np.ndarray | None = None,
        *,
        names_ideal: bool = False,
        together: Together | None = None,
    ) -> None:
        self.queries, self.offsets, self.items = Known(queries), offsets, items
        self.names_ideal = names_ideal
        self._together = together
        self.grades, self.scale, self.topics, self.propensity = grades, scale, topics, propensity
        self.is_wider = topics is not None or propensity is not None

    @property
    def ideal(self) -> Ranked:
        """All judged items of all queries, highest grade first."""
        return self.once(Pool._ideal)

    def _ideal(self) -> Ranked:
        lengths = np.diff(self.offsets)
        grades, rows = self.grades, np.arange(len(self.grades))
        if self.scale.kind != "interactions":
            order.sort(rows, self.offsets, grades, *Ids.of_integers(rows).columns, order.TIE_RULES["order"])
            grades = grades[rows]
        query = owners_of(lengths)
        is_named = self.names_ideal or self.topics is not None
        return Ranked(len(lengths), query, places_of(lengths), grades, pool_row=rows if is_named else None)

    @property
    def ideals(self) -> tuple[Ranked, np.ndarray | None]:
        """The distinct ideal lists, and the index of each query's list (None: each has its own)."""
        return self.once(Pool._ideals)

    def _ideals(self) -> tuple[Ranked, np.ndarray | None]:
        lengths = np.diff(self.offsets)
        is_graded = self.scale.kind != "interactions"
        if not len(self.grades) or (is_graded and self.grades.min() != self.grades.max()):
            return self.ideal, None
        # if all grades are equal, queries with equally many judged items share an ideal list
        sizes = np.flatnonzero(np.bincount(lengths))
        profile = np.zeros(int(sizes[-1]) + 1, np.int64)
        profile[sizes] = np.arange(len(sizes))
        grades = np.full(sizes.sum(), self.grades[0])
        return Ranked(len(sizes), owners_of(sizes), places_of(sizes), grades), profile[lengths]

    @property
    def together(self) -> Together:
        """What all judgements tell together."""
        return self._together or self.once(Pool._told)

    def _told(self) -> Together:
        judged = self.grades[self.scale.judged(self.grades)]
        ends = (float(judged.min()), float(judged.max())) if len(judged) else (np.nan, np.nan)
        return Together(self.items, *ends)

    def amounts(self, context: Context) -> np.ndarray:
        """Return the sum of the grades above 0 of each item of the catalogue, over all judgements."""
        told = self.together.grades
        return (context.once(amounts_of, self) if told is None else told).total

    @property
    def digest(self) -> Digest:
        """What identifies the judgements, in any order; the digests of the parts of a pool add up."""
        return self.once(Pool._digest)

    def _digest(self) -> Digest:
        from rankwell.tables.fingerprints import (
            Digest,  # of metrics that few ask for
            fingerprints_of,
        )

        query = np.repeat(fingerprints_of(self.queries.ids), np.diff(self.offsets))
        return Digest.of_rows(query, fingerprints_of(self.items), np.asarray(self.grades, np.float64))

    def relevant_counts(self, rel: float | None) -> np.ndarray:
        """Return R, the number of relevant judged items, of each query of the pool."""
        return self.once(Pool._relevant_counts, rel)

    def _relevant_counts(self, rel: float | None) -> np.ndarray:
        if self.scale.kind == "interactions" and self.scale.threshold(rel) is None:
            return np.diff(self.offsets)
        until = offsets_of(self.scale.relevant(self.grades, rel))
        return until[self.offsets[1:]] - until[self.offsets[:-1]]

    def rows_in(self, context: Context) -> np.ndarray:
        """Return the row of each judged item in the catalogue, -1 outside."""
        return context.once(_rows_of_pool, self)

    def only(self, items: Known) -> Pool:
        """Return the same queries with the judgements of some items only."""
        kept = items.rows_of(self.items, "item") >= 0
        until = offsets_of(kept)
        rows = np.flatnonzero(kept)
        topics = None if self.topics is None else self.topics.take(rows)
        propensity = None if self.propensity is None else self.propensity[rows]
        offsets = until[self.offsets]
        together = None if self._together is None else self._together.only(items)
        return Pool(
            self.queries.ids,
            offsets,
            self.items[rows],
            self.grades[rows],
            self.scale,
            topics,
            propensity,
            together=together,
        )

    def in_integers(self) -> Pool:
        """Return the same pool, with text ids that are plain numbers converted to integers."""
        return self.once(Pool._in_integers)

    def _in_integers(self) -> Pool:
        queries, items = (
            ids.as_integers() or ids if ids.is_text else ids for ids in (self.queries.ids, self.items)
        )
        rest = (self.grades, self.scale, self.topics, self.propensity)
        return Pool(
            queries, self.offsets, items, *rest, names_ideal=self.names_ideal, together=self._together
        )


def amounts_of(context: Context, pool: Pool) -> Amounts:
    """Return the sums of the grades above 0 of each item of the catalogue, over the judgements of this pool."""
    from rankwell.tables.states import Amounts

    assert context.catalogue is not None
    rows = pool.rows_in(context)
    return Amounts.of(rows, np.maximum(pool.grades, 0.0), len(context.catalogue))


def _rows_of_pool(context: Context, pool: Pool) -> np.ndarray:
    assert context.catalogue is not None
    return context.catalogue.rows_of(pool.items, "item")
