"""The best list of all, by branch and bound, when gains diminish as topics are covered."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets


def best(
    start: np.ndarray,
    offsets: np.ndarray,
    topics: np.ndarray,
    kind: np.ndarray,
    chance: np.ndarray,
    copies: np.ndarray,
    weights: np.ndarray,
    floor: float,
    limit: int,
    noisy: bool,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the list of one user with the highest Σ weight · gain, if that is above ``floor``.

    Candidate c is of ``kind[c]``, satisfies with probability ``chance[c]`` and is available ``copies[c]`` times; ``weights``
    do not increase. It gains Σ a·S over its topics, or with ``noisy`` 1 − Π (1 − a·S), and removes the share a of them. Gains
    only fall as a list grows, so the current gains of candidates bound everything that follows.

    Returns
    -------
    (ndarray, ndarray, int)
        The candidates of the list and the gain of each, both empty if none is better than ``floor``, and the number of lists
        begun; the search stops at ``limit``.
    """
    depth = len(weights)
    wide = len(kind)
    fresh: cython.const[cython.double][::1] = np.ascontiguousarray(start, np.float64)
    entries: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    topic: cython.const[cython.longlong][::1] = np.ascontiguousarray(topics, np.int64)
    of: cython.const[cython.longlong][::1] = np.ascontiguousarray(kind, np.int64)
    a: cython.const[cython.double][::1] = np.ascontiguousarray(chance, np.float64)
    weight: cython.const[cython.double][::1] = np.ascontiguousarray(weights, np.float64)
    number: cython.longlong[::1] = np.array(copies, np.int64)
    left: cython.double[:, ::1] = np.empty((depth + 1, len(start) + 1))
    gain: cython.double[:, ::1] = np.empty((depth, wide))
    order: cython.longlong[:, ::1] = np.empty((depth, wide), np.int64)
    heap: cython.longlong[:, ::1] = np.empty((depth, wide), np.int64)
    size: cython.longlong[::1] = np.zeros(depth, np.int64)
    sorted_to: cython.longlong[::1] = np.zeros(depth, np.int64)
    following: cython.longlong[::1] = np.zeros(depth, np.int64)
    value: cython.double[::1] = np.zeros(depth + 1)
    rest: cython.double[::1] = np.zeros(depth)
    taken: cython.longlong[::1] = np.zeros(depth, np.int64)
    kept = np.zeros(depth, np.int64)
    found: cython.longlong[::1] = kept
    highest: cython.double = floor
    most: cython.longlong = limit
    last: cython.Py_ssize_t = depth - 1
    length: cython.Py_ssize_t = 0
    level: cython.Py_ssize_t = 0
    begun: cython.longlong = 0
    is_new: cython.bint = True
    is_noisy: cython.bint = noisy
    c: cython.longlong
    i: cython.longlong
    j: cython.longlong
    room: cython.longlong
    term: cython.double
    total: cython.double
    refuse_offsets(entries, topic.shape[0])
    with cython.nogil:
        for j in range(fresh.shape[0]):
            left[0, j] = fresh[j]
        while level >= 0 and begun < most:
            if is_new:
                is_new = False
                begun += 1
                size[level] = 0
                for c in range(of.shape[0]):
                    if number[c] == 0:
                        continue
                    total = 0.0
                    for j in range(entries[of[c]], entries[of[c] + 1]):
                        term = a[c] * left[level, topic[j]]
                        total += term * (1.0 - total) if is_noisy else term
                    gain[level, c] = total
                    if total > 0:
                        heap[level, size[level]] = c
                        size[level] += 1
                # a heap, not a sort: the bound mostly cuts a level off after its first few candidates
                for i in range(size[level] // 2, 0, -1):
                    _sink(heap, gain, level, i - 1, size[level])
                sorted_to[level] = following[level] = 0
                # upper bound of what the ranks after this one can add
                rest[level] = 0.0
                room = level + 1
                while room <= last and size[level] > 0:
                    c = _first(heap, gain, order, level, size, sorted_to)
                    i = min(room + number[c], last + 1)
                    while room < i:
                        rest[level] += weight[room] * gain[level, c]
                        room += 1
            if following[level] == sorted_to[level] and size[level] > 0:
                _first(heap, gain, order, level, size, sorted_to)
            if following[level] < sorted_to[level]:
                c = order[level, following[level]]
                total = value[level] + weight[level] * gain[level, c]
                # candidates come in the order of their gains: if this one cannot beat the best list, no later one can
                if total + rest[level] > highest:
                    following[level] += 1
                    taken[level] = c
                    if total > highest:
                        highest = total
                        length = level + 1
                        for i in range(length):
                            found[i] = taken[i]
                    if level < last:
                        number[c] -= 1
                        for j in range(fresh.shape[0]):
                            left[level + 1, j] = left[level, j]
                        for j in range(entries[of[c]], entries[of[c] + 1]):
                            left[level + 1, topic[j]] *= 1.0 - a[c]
                        value[level + 1] = total
                        level += 1
                        is_new = True
                    continue
            level -= 1
            if level >= 0:
                number[taken[level]] += 1
    chosen = kept[:length]
    return chosen, _gains(start, offsets, topics, kind[chosen], chance[chosen], noisy), begun


def _gains(
    start: np.ndarray,
    offsets: np.ndarray,
    topics: np.ndarray,
    kind: np.ndarray,
    chance: np.ndarray,
    noisy: bool,
) -> np.ndarray:
    """The gain of each item of a list."""
    left, gains = np.array(start), np.zeros(len(kind))
    for place, (of, a) in enumerate(zip(kind, chance, strict=True)):
        own = topics[offsets[of] : offsets[of + 1]]
        for term in a * left[own]:
            gains[place] += term * (1.0 - gains[place]) if noisy else term
        left[own] *= 1.0 - a
    return gains


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
@cython.locals(c=cython.longlong)
def _first(
    heap: cython.longlong[:, ::1],
    gain: cython.double[:, ::1],
    order: cython.longlong[:, ::1],
    level: cython.Py_ssize_t,
    size: cython.longlong[::1],
    sorted_to: cython.longlong[::1],
) -> cython.longlong:
    """Move the candidate with the highest gain from the heap of a level to its ordered ones."""
    c = heap[level, 0]
    size[level] -= 1
    heap[level, 0] = heap[level, size[level]]
    _sink(heap, gain, level, 0, size[level])
    order[level, sorted_to[level]] = c
    sorted_to[level] += 1
    return c


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
@cython.locals(child=cython.longlong, moved=cython.longlong)
def _sink(
    heap: cython.longlong[:, ::1],
    gain: cython.double[:, ::1],
    level: cython.Py_ssize_t,
    at: cython.longlong,
    size: cython.longlong,
) -> cython.int:
    """Sift the candidate at a heap position of a level down until no candidate below has a higher gain."""
    if at >= size:
        return 0
    moved = heap[level, at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and gain[level, heap[level, child + 1]] > gain[level, heap[level, child]]:
            child += 1
        if gain[level, heap[level, child]] <= gain[level, moved]:
            break
        heap[level, at] = heap[level, child]
        at = child
    heap[level, at] = moved
    return 0
