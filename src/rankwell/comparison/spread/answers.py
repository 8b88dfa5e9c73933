"""What a group of queries on Spark tells of the values of several systems: sums by segment, and the values of few queries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.groups import design_of
from rankwell.comparison.spread.sums import OfMetric, OfSegment, Sums
from rankwell.comparison.trainings import Systems
from rankwell.records import record
from rankwell.results.segments import Segments
from rankwell.statistics.families import Cell, shuffled_sums
from rankwell.statistics.many import PLAIN, Design
from rankwell.statistics.moments import Moments, PairMoments
from rankwell.statistics.paired_tests import Counted
from rankwell.statistics.seeds import SeedMoments
from rankwell.tables.csr import distinct
from rankwell.tables.fingerprints import fingerprints_of
from rankwell.tables.ids import Ids

Values = Mapping[str, np.ndarray]  # by metric: a row per result, a column per query
Place = tuple[str, int]  # a metric and a segment: 0 is all queries, then the segments by their codes and 1


class Few(NamedTuple):
    """The numbers of some queries, the values there of all results (a row each), and how the queries count."""

    units: np.ndarray
    values: np.ndarray
    design: Design

    @classmethod
    def joined(cls, parts: Sequence[Few]) -> Few:
        """Return the queries of all parts, in the order of their numbers."""
        units, values, *design = in_order([(few.units, few.values, *few.design) for few in parts])
        return cls(units, np.ascontiguousarray(values), Design(*design))


class Shuffles(NamedTuple):
    """Of so many queries the sum of each system, and its sums in replicates (rows) where systems are shuffled in each query."""

    n: int
    totals: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, cell: Cell, _: Design, *, names: Sequence[str], times: int, seed: int) -> Shuffles:
        """Return the sums over the queries of a cell where all systems are defined."""
        whole = np.flatnonzero(~np.isnan(cell.values).any(axis=0))
        own, units = np.ascontiguousarray(cell.values[:, whole]), cell.units[whole]
        return cls(len(whole), own.sum(axis=1), shuffled_sums(own, units, names, times=times, seed=seed))

    def __add__(self, other: Shuffles) -> Shuffles:  # type: ignore[override]
        """Return the sums over the queries of both."""
        return Shuffles(self.n + other.n, self.totals + other.totals, self.sums + other.sums)


@record
class Question:
    """What is asked of each group: of which systems and pairs."""

    systems: Systems
    pairs: np.ndarray

    @property
    def seeded(self) -> list[tuple[int, ...]]:
        """The systems that were trained with several seeds, and the pairs of two such, by their places."""
        between = self.pairs[:, self.systems.between_methods(self.pairs)]
        return [(place,) for place in np.flatnonzero(self.systems.is_seeded).tolist()] + [
            (one, other) for one, other in between.T.tolist()
        ]

    def sums(self, queries: Ids, values: Values, segments: Segments | None, *, centres: Values) -> Sums:
        """Return what a group of queries adds to the sums of all, and of each segment."""
        found, seeded = {}, self.seeded
        by_seed = {name: self.systems.by_seed(each) for name, each in values.items()} if seeded else {}
        pooled = self._pooled(values)
        for code, places, design in _divided(queries, segments):
            metrics = {}
            for name, each in pooled.items():
                own, centre = each[:, places], centres[name]
                metrics[name] = OfMetric(
                    Moments.of(own, centre, design),
                    PairMoments.of(own, self.pairs, centre, design),
                    {
                        of: SeedMoments.of(
                            [by_seed[name][system][:, places] for system in of], centre[list(of)].tolist()
                        )
                        for of in seeded
                    },
                )
            count = len(queries[places])
            units = count if design.clusters is None else len(distinct(design.clusters))
            found[code] = OfSegment(count, units, metrics)
        are_shared = np.zeros(len(self.systems.rows), bool)
        if values:
            are_shared = self.systems.are_shared(~np.isnan(np.array([*values.values()])).all(axis=0))
        return Sums(found, are_shared)

    def few(
        self,
        queries: Ids,
        values: Values,
        segments: Segments | None,
        *,
        wanted: Mapping[Place, np.ndarray],
    ) -> dict[Place, Few]:
        """Return the queries of a metric and a segment where one of some systems has a value, and the values of all results."""
        found, pooled = {}, self._pooled(values)
        for code, places, design in _divided(queries, segments):
            for name, each in values.items():
                if (name, code) in wanted:
                    rows = pooled[name][wanted[name, code]][:, places]
                    known = np.flatnonzero(~np.isnan(rows).all(axis=0))
                    units = fingerprints_of(queries[places][known])
                    found[name, code] = Few(units, each[:, places][:, known], design.of(known))
        return found

    def of_cells(
        self,
        queries: Ids,
        values: Values,
        segments: Segments | None,
        *,
        wanted: Collection[Place],
        made: Callable[[Cell, Design], Any],
    ) -> dict[Place, Any]:
        """Return what is made of a cell and how its queries count, by metric and segment."""
        return {
            place: made(cell, design)
            for place, cell, design in self._cells(queries, values, segments, wanted)
        }

    def counted(
        self, queries: Ids, values: Values, segments: Segments | None, *, wanted: Sequence[Place]
    ) -> dict[int, Counted]:
        """Return the counts of the differences of each pair; of metrics and segments, the pairs of one come after those of another."""
        places, found = {place: number for number, place in enumerate(wanted)}, {}
        count = self.pairs.shape[1]
        for place, cell, _ in self._cells(queries, values, segments, wanted):
            for pair, (one, other) in enumerate(self.pairs.T.tolist()):
                d = cell.values[one] - cell.values[other]
                found[places[place] * count + pair] = Counted.of(d)
        return found

    def _cells(
        self, queries: Ids, values: Values, segments: Segments | None, wanted: Collection[Place]
    ) -> Iterator[tuple[Place, Cell, Design]]:
        pooled, units = self._pooled(values), fingerprints_of(queries)
        for code, places, design in _divided(queries, segments):
            for name, each in pooled.items():
                if (name, code) in wanted:
                    own = np.ascontiguousarray(each[:, places])
                    yield (name, code), Cell(own, self.pairs, units[places]), design

    def _pooled(self, values: Values) -> dict[str, np.ndarray]:
        return {name: self.systems.pooled(each) for name, each in values.items()}


def in_order(parts: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the columns of all parts (arrays, or None), one after the other, in the order of the first, which are numbers."""
    columns = [
        None if each[0] is None else np.concatenate(each, axis=-1) for each in zip(*parts, strict=True)
    ]
    order = np.argsort(np.concatenate([part[0] for part in parts]))
    return [None if each is None else each[..., order] for each in columns]


def joined(cells: Sequence[Cell]) -> Cell:
    """Return the cell of all units of some groups."""
    values, _, units = (np.concatenate(each, axis=-1) for each in zip(*cells, strict=True))
    return Cell(np.ascontiguousarray(values), cells[0].pairs, units)


def _divided(queries: Ids, segments: Segments | None) -> Iterator[tuple[int, slice | np.ndarray, Design]]:
    """The places of all queries and how they count, then those of each segment that has some."""
    if segments is None:
        yield 0, slice(None), PLAIN
        return
    rows = segments.rows(queries)
    design = design_of(segments, rows, queries)
    yield 0, slice(None), design
    if segments.codes is not None:
        codes = segments.codes_of(rows)
        order = np.argsort(codes, kind="stable")
        used, begins = np.unique(codes[order], return_index=True)
        for code, places in zip(used.tolist(), np.split(order, begins[1:]), strict=True):
            yield code + 1, places, design.of(places)
