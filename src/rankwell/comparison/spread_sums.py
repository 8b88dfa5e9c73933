"""What a group of queries on Spark tells of the values of several systems: sums by segment, and the values of few queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from rankwell.results.segments import Segments
from rankwell.statistics.moments import Moments, PairMoments
from rankwell.statistics.moments import added as moments_added
from rankwell.tables.draws import fingerprints_of
from rankwell.tables.ids import Ids

Values = Mapping[str, np.ndarray]  # by metric: a row per system, a column per query


class OfSegment(NamedTuple):
    """The number of queries, and by metric what rows and pairs need."""

    units: int
    moments: Mapping[str, tuple[Moments, PairMoments]]


Sums = dict[int, OfSegment]  # 0 is all queries, then the segments by their codes and 1


def sums_of(
    queries: Ids, values: Values, segments: Segments | None, *, pairs: np.ndarray, centres: Values
) -> Sums:
    """Return what a group of queries adds to the sums of all, and of each segment."""
    sums = {}
    for code, places in _divided(queries, segments):
        moments = {}
        for name, each in values.items():
            own, centre = each[:, places], centres[name]
            moments[name] = Moments.of(own, centre), PairMoments.of(own, pairs, centre)
        sums[code] = OfSegment(len(queries[places]), moments)
    return sums


def added(one: Sums, more: Sums) -> Sums:
    """Return the sums of two groups of queries."""
    return {code: _both(one.get(code), more.get(code)) for code in one | more}


def values_of(
    queries: Ids,
    values: Values,
    segments: Segments | None,
    *,
    wanted: Mapping[tuple[str, int], np.ndarray],
) -> dict[tuple[str, int], tuple[np.ndarray, np.ndarray]]:
    """Return, by metric and segment, the numbers of the queries where one of some systems has a value, and their values."""
    found = {}
    for code, places in _divided(queries, segments):
        for name, own in values.items():
            if (name, code) in wanted:
                rows = own[wanted[name, code]][:, places]
                known = ~np.isnan(rows).all(axis=0)
                found[name, code] = fingerprints_of(queries[places][np.flatnonzero(known)]), rows[:, known]
    return found


def _divided(queries: Ids, segments: Segments | None) -> Iterator[tuple[int, slice | np.ndarray]]:
    """The places of all queries, then of those of each segment that has some."""
    yield 0, slice(None)
    if segments is not None:
        codes = segments.codes_of(segments.rows(queries))
        order = np.argsort(codes, kind="stable")
        used, begins = np.unique(codes[order], return_index=True)
        for code, places in zip(used.tolist(), np.split(order, begins[1:]), strict=True):
            yield code + 1, places


def _both(one: OfSegment | None, more: OfSegment | None) -> OfSegment:
    if one is None or more is None:
        found = one or more
        assert found is not None
        return found
    moments = {name: moments_added([own, more.moments[name]]) for name, own in one.moments.items()}
    return OfSegment(one.units + more.units, moments)
