"""Which systems and which queries of many the explorer keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.reporting.material import Material
from rankwell.tables.ids import Ids

MOST_SYSTEMS = 8
MOST_QUERIES = 200
MOST_ROWS = 12_000  # rows of lists, of all systems and queries together
# shares of the queries kept, each up to which one reason to keep them takes its turn
ENDS = {"difference": 0.6, "extreme": 0.8, "random": 1.0}
ALL = "all"
# an odd number near 2^64 / φ: brings the numbers of queries into an order that no id could have been choose_queries for
MIXING = np.uint64(0x9E3779B97F4A7C15)


def best_systems(order: Sequence[int], baseline: int | None) -> list[int]:
    """Return the systems that are kept, in the order given: the best, and the baseline.

    Examples
    --------
    >>> best_systems([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], baseline=0)
    [0, 3, 4, 5, 6, 7, 8, 9]
    """
    first = [baseline] if baseline is not None else []
    best = [system for system in order if system != baseline]
    return sorted([*first, *best][:MOST_SYSTEMS])


def room_for(systems: int, top: int) -> int:
    """Return how many queries are kept of so many systems and ranks.

    Examples
    --------
    >>> room_for(2, 10), room_for(8, 10), room_for(8, 20)
    (200, 150, 75)
    """
    return min(MOST_QUERIES, MOST_ROWS // (systems * top))


def choose_queries(values: np.ndarray, units: np.ndarray, room: int) -> dict[str, np.ndarray]:
    """Return the places of the queries that are kept, by why they are.

    ``values`` has a row per system and a column per query, ``units`` a fixed number of each query: random ones follow from it, and
    which of equal ones is kept. If all fit, all are kept; if not, none without a value in any system.

    Examples
    --------
    >>> found = choose_queries(np.array([[0, 0, 0, 0.5, 1], [0, 0, 1, 0.5, 1]]), np.arange(5, dtype=np.uint64), 3)
    >>> {why: places.tolist() for why, places in found.items()}
    {'difference': [2], 'extreme': [4], 'random': [0]}
    """
    if values.shape[1] <= room:
        return {ALL: np.arange(values.shape[1])}
    defined = np.flatnonzero(~np.isnan(values).all(axis=0))
    if len(defined) <= room:
        return {ALL: defined}
    # a fixed order that has nothing to do with ids or values: the random queries are its first
    order = defined[np.argsort(units[defined] * MIXING, kind="stable")]
    values, is_chosen = values[:, order], np.zeros(len(order), bool)
    lists = {
        "difference": list(_differences(values, room)),
        "extreme": list(_extremes(values, room)),
        "random": [np.arange(room)],
    }
    return {
        why: np.sort(order[_taken(lists[why], round(room * end) - int(is_chosen.sum()), is_chosen)])
        for why, end in ENDS.items()
    }


def _differences(values: np.ndarray, room: int) -> Iterator[np.ndarray]:
    """For each pair of systems the queries on which one is the most above the other, and the reverse."""
    for a, b in combinations(range(len(values)), 2):
        deltas = np.nan_to_num(values[b] - values[a])
        for sign in (1, -1):
            rows = _largest(sign * deltas, room)
            yield rows[sign * deltas[rows] > 0]


def _extremes(values: np.ndarray, room: int) -> Iterator[np.ndarray]:
    """The best and the worst queries of each system."""
    for own in values:
        for sign in (1, -1):
            yield _largest(np.nan_to_num(sign * own, nan=-np.inf), room)


def _largest(values: np.ndarray, n: int) -> np.ndarray:
    """The places of the largest values, the largest first; of equal ones the first."""
    # of equal values the first ones in the mixed order, so that the choice is the same each time
    cut = np.partition(values, -n)[-n]
    above = np.flatnonzero(values > cut)
    equal = np.flatnonzero(values == cut)[: n - len(above)]
    rows = np.concatenate([above, equal])
    return rows[np.argsort(-values[rows], kind="stable")]


def _taken(lists: Sequence[Iterable[int]], size: int, is_chosen: np.ndarray) -> np.ndarray:
    """Take places in turn from lists, as long as some have any, that are not kept yet."""
    chosen: list[int] = []
    waiting = [iter(one_list) for one_list in lists]
    while waiting and len(chosen) < size:
        for one_list in list(waiting):
            place = next((place for place in one_list if not is_chosen[place]), None)
            if place is None:
                waiting.remove(one_list)
            elif len(chosen) < size:
                is_chosen[place] = True
                chosen.append(int(place))
    return np.array(chosen, np.int64)


@record(eq=False)
class SystemValues:
    """Values with a row per system, in the order given, and a column per query; ``order`` has the best first."""

    names: tuple[str, ...]
    values: np.ndarray
    queries: Ids
    units: np.ndarray
    order: tuple[int, ...]
    baseline: int | None

    @classmethod
    def of(cls, material: Material, metric: Metric) -> SystemValues:
        """Return all systems."""
        comparison = material.comparison
        folds: Mapping[str, Sequence[str]] = {} if comparison is None else comparison.folds
        partial = {member: method for method, members in folds.items() for member in members}
        aligned = Aligned.of(material.results, [metric], partial=partial)
        names = tuple(dict.fromkeys(partial.get(name, name) for name in aligned.names))
        values = np.full((len(names), len(aligned.queries)), np.nan)
        for name, own in zip(aligned.names, aligned.values(metric), strict=True):
            row = values[names.index(partial.get(name, name))]
            row[:] = np.where(np.isnan(own), row, own)
        baseline = (
            None
            if comparison is None or comparison.baseline not in names
            else names.index(comparison.baseline)
        )
        return cls(names, values, aligned.queries, aligned.units, _best_first(values, metric), baseline)

    def kept(self) -> SystemValues:
        """Return those that can be choose_queries: the best, and the baseline."""
        rows = best_systems(self.order, self.baseline)
        return replace(
            self,
            names=tuple(self.names[row] for row in rows),
            values=self.values[rows],
            order=tuple(rows.index(row) for row in self.order if row in rows),
            baseline=None if self.baseline is None else rows.index(self.baseline),
        )

    @property
    def first(self) -> list[int]:
        """The two that are shown at first: the baseline and the best other one, or the two best in the order given."""
        if self.baseline is None:
            return sorted(self.order[:2])
        return [self.baseline, *(row for row in self.order if row != self.baseline)][:2]


def _best_first(values: np.ndarray, metric: Metric) -> tuple[int, ...]:
    """The rows with the best mean first, those without a value last."""
    n = np.count_nonzero(~np.isnan(values), axis=1)
    means = np.where(n > 0, np.nansum(values, axis=1) / np.maximum(n, 1), np.nan)
    sign = {"higher": -1, "lower": 1, "neither": 0}[metric.better]
    return tuple(np.argsort(np.where(n > 0, sign * means, np.inf), kind="stable").tolist())
