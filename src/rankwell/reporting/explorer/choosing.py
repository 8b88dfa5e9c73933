"""Which systems and which queries of many the explorer keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

MOST_SYSTEMS = 8
MOST_QUERIES = 200
MOST_ROWS = 12_000  # rows of lists, of all systems and queries together
ENDS = {
    "difference": 0.6,
    "extreme": 0.8,
    "random": 1.0,
}  # of the queries kept, by why they are, one after the other
ALL = "all"
MIXING = np.uint64(
    0x9E3779B97F4A7C15
)  # brings the numbers of queries into an order that no id could have been chosen for


def systems_kept(order: Sequence[int], baseline: int | None) -> list[int]:
    """Return the systems that are kept, in the order given: the best, and the baseline.

    Examples
    --------
    >>> systems_kept([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], baseline=0)
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


def chosen(values: np.ndarray, units: np.ndarray, room: int) -> dict[str, np.ndarray]:
    """Return the places of the queries that are kept, by why they are.

    ``values`` has a row per system and a column per query, ``units`` a fixed number of each query: random ones follow from it, and
    which of equal ones is kept. If all fit, all are kept; if not, none without a value in any system.

    Examples
    --------
    >>> found = chosen(np.array([[0, 0, 0, 0.5, 1], [0, 0, 1, 0.5, 1]]), np.arange(5, dtype=np.uint64), 3)
    >>> {why: places.tolist() for why, places in found.items()}
    {'difference': [2], 'extreme': [4], 'random': [0]}
    """
    if values.shape[1] <= room:
        return {ALL: np.arange(values.shape[1])}
    defined = np.flatnonzero(~np.isnan(values).all(axis=0))
    if len(defined) <= room:
        return {ALL: defined}
    order = defined[np.argsort(units[defined] * MIXING, kind="stable")]
    values, kept = values[:, order], np.zeros(len(order), bool)
    lists = {
        "difference": list(_differences(values, room)),
        "extreme": list(_extremes(values, room)),
        "random": [np.arange(room)],
    }
    return {
        why: np.sort(order[_taken(lists[why], round(room * end) - int(kept.sum()), kept)])
        for why, end in ENDS.items()
    }


def _differences(values: np.ndarray, room: int) -> Iterator[np.ndarray]:
    """For each pair of systems the queries on which one is the most above the other, and the reverse."""
    for a, b in combinations(range(len(values)), 2):
        deltas = np.nan_to_num(values[b] - values[a])
        for sign in (1, -1):
            found = _largest(sign * deltas, room)
            yield found[sign * deltas[found] > 0]


def _extremes(values: np.ndarray, room: int) -> Iterator[np.ndarray]:
    """The best and the worst queries of each system."""
    for own in values:
        for sign in (1, -1):
            yield _largest(np.nan_to_num(sign * own, nan=-np.inf), room)


def _largest(values: np.ndarray, n: int) -> np.ndarray:
    """The places of the largest values, the largest first; of equal ones the first."""
    cut = np.partition(values, -n)[-n]
    above = np.flatnonzero(values > cut)
    equal = np.flatnonzero(values == cut)[: n - len(above)]
    found = np.concatenate([above, equal])
    return found[np.argsort(-values[found], kind="stable")]


def _taken(lists: Sequence[Iterable[int]], size: int, kept: np.ndarray) -> np.ndarray:
    """Take places in turn from lists, as long as some have any, that are not kept yet."""
    found: list[int] = []
    waiting = [iter(each) for each in lists]
    while waiting and len(found) < size:
        for each in list(waiting):
            place = next((place for place in each if not kept[place]), None)
            if place is None:
                waiting.remove(each)
            elif len(found) < size:
                kept[place] = True
                found.append(int(place))
    return np.array(found, np.int64)
