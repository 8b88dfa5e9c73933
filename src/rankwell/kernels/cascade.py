"""Lists whose every item uses up what later ones can gain, topic by topic; and the greedy list that gains most."""

from __future__ import annotations

import cython
import numpy as np


def gains(
    query: np.ndarray,
    row: np.ndarray,
    chance: np.ndarray,
    first: np.ndarray,
    start: np.ndarray,
    offsets: np.ndarray,
    slot: np.ndarray,
    share: np.ndarray,
    damp: np.ndarray,
    noisy: bool,
) -> np.ndarray:
    """Return what each row of some lists gains: of every topic a share of what the rows before it left over.

    Of the topics of query q, ``start[first[q]:first[q + 1]]`` is there at the top of its list. Row i is of ``query[i]``
    (the rows of a query are together, in rank order) and has the entries ``offsets[row[i]]`` to ``offsets[row[i] + 1]``,
    none if ``row[i]`` is below 0. Entry e gains t = ``share[e]`` of what is left of topic ``slot[e]`` of its query, and takes
    ``damp[e]`` of it away; both are times ``chance[i]``, unless that is empty. Gains of the entries of a row add up to Σ t, or
    with ``noisy`` to 1 − Π (1 − t).
    """
    out = np.zeros(len(row))
    gained: cython.double[::1] = out
    of: cython.const[cython.longlong][::1] = np.ascontiguousarray(query, np.int64)
    at: cython.const[cython.longlong][::1] = np.ascontiguousarray(row, np.int64)
    factor: cython.const[cython.double][::1] = np.ascontiguousarray(chance, np.float64)
    begin: cython.const[cython.longlong][::1] = np.ascontiguousarray(first, np.int64)
    fresh: cython.const[cython.double][::1] = np.ascontiguousarray(start, np.float64)
    entries: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    topic: cython.const[cython.longlong][::1] = np.ascontiguousarray(slot, np.int64)
    part: cython.const[cython.double][::1] = np.ascontiguousarray(share, np.float64)
    used: cython.const[cython.double][::1] = np.ascontiguousarray(damp, np.float64)
    left: cython.double[::1] = np.empty(_widest(first))
    is_noisy: cython.bint = noisy
    is_scaled: cython.bint = factor.shape[0] > 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    base: cython.longlong
    now: cython.longlong = -1
    term: cython.double
    total: cython.double
    scale: cython.double = 1.0
    with cython.nogil:
        for i in range(at.shape[0]):
            if of[i] != now:
                now = of[i]
                base = begin[now]
                for j in range(begin[now + 1] - base):
                    left[j] = fresh[base + j]
            if at[i] < 0:
                continue
            if is_scaled:
                scale = factor[i]
            total = 0.0
            for j in range(entries[at[i]], entries[at[i] + 1]):
                term = part[j] * scale * left[topic[j]]
                total += term * (1.0 - total) if is_noisy else term
                left[topic[j]] *= 1.0 - used[j] * scale
            gained[i] = total
    return out


def greedy(
    candidates: np.ndarray,
    bounds: np.ndarray,
    depth: int,
    first: np.ndarray,
    start: np.ndarray,
    offsets: np.ndarray,
    slot: np.ndarray,
    share: np.ndarray,
    damp: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the greedy lists: at each rank the row that gains most after those before it (Σ t, as ``gains`` has it).

    The candidates of query q are the rows ``candidates[bounds[q]:bounds[q + 1]]``; of equal ones the first is taken. Lists end
    at ``depth``. Gains are compared by their first 40 bits, so that those equal on paper are equal here. They only fall as a list
    grows, so a row is looked at again only when what it gained last time is the most.

    Returns
    -------
    (ndarray, ndarray, ndarray)
        The rows of the lists end to end, what each gains, and where each list begins (and the last one ends).
    """
    lengths = np.minimum(np.diff(bounds), depth)
    ends = np.concatenate(([0], np.cumsum(lengths)))
    taken = np.empty(int(lengths.sum()), np.int64)
    worth = np.empty(int(lengths.sum()))
    rows: cython.longlong[::1] = taken
    gained: cython.double[::1] = worth
    place: cython.const[cython.longlong][::1] = ends
    row: cython.const[cython.longlong][::1] = np.ascontiguousarray(candidates, np.int64)
    limit: cython.const[cython.longlong][::1] = np.ascontiguousarray(bounds, np.int64)
    begin: cython.const[cython.longlong][::1] = np.ascontiguousarray(first, np.int64)
    fresh: cython.const[cython.double][::1] = np.ascontiguousarray(start, np.float64)
    entries: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    topic: cython.const[cython.longlong][::1] = np.ascontiguousarray(slot, np.int64)
    part: cython.const[cython.double][::1] = np.ascontiguousarray(share, np.float64)
    used: cython.const[cython.double][::1] = np.ascontiguousarray(damp, np.float64)
    left: cython.double[::1] = np.empty(_widest(first))
    most = _widest(bounds)
    heap: cython.longlong[::1] = np.empty(most, np.int64)
    bound: cython.double[::1] = np.empty(most)
    query: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    size: cython.Py_ssize_t
    done: cython.Py_ssize_t
    wanted: cython.Py_ssize_t
    low: cython.longlong
    base: cython.longlong
    best: cython.longlong
    total: cython.double
    with cython.nogil:
        for query in range(limit.shape[0] - 1):
            low, base = limit[query], begin[query]
            size = limit[query + 1] - low
            wanted = place[query + 1] - place[query]
            for j in range(begin[query + 1] - base):
                left[j] = fresh[base + j]
            for i in range(size):
                heap[i] = i
                total = 0.0
                for j in range(entries[row[low + i]], entries[row[low + i] + 1]):
                    total += part[j] * left[topic[j]]
                bound[i] = _rounded(total)
            for i in range(size // 2, 0, -1):
                _sink(heap, bound, i - 1, size)
            done = 0
            while done < wanted:
                best = heap[0]
                total = 0.0
                for j in range(entries[row[low + best]], entries[row[low + best] + 1]):
                    total += part[j] * left[topic[j]]
                if _rounded(total) < bound[best]:
                    bound[best] = _rounded(total)
                    _sink(heap, bound, 0, size)
                    continue
                rows[place[query] + done] = row[low + best]
                gained[place[query] + done] = total
                for j in range(entries[row[low + best]], entries[row[low + best] + 1]):
                    left[topic[j]] *= 1.0 - used[j]
                done += 1
                size -= 1
                heap[0] = heap[size]
                _sink(heap, bound, 0, size)
    return taken, worth, ends


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
@cython.locals(child=cython.Py_ssize_t, moved=cython.longlong, other=cython.longlong)
def _sink(
    heap: cython.longlong[::1], bound: cython.double[::1], at: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.int:
    """Let the candidate at a place of the heap sink to where none below it is better: gains more, or as much and is earlier."""
    moved = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _is_better(heap[child + 1], heap[child], bound):
            child += 1
        other = heap[child]
        if not _is_better(other, moved, bound):
            break
        heap[at] = other
        at = child
    heap[at] = moved
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _is_better(one: cython.longlong, other: cython.longlong, bound: cython.double[::1]) -> cython.bint:
    return bound[one] > bound[other] or (bound[one] == bound[other] and one < other)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
@cython.locals(wide=cython.double)
def _rounded(value: cython.double) -> cython.double:
    """A number rounded to 40 bits (Veltkamp's splitting)."""
    wide = value * 8193.0
    return wide - (wide - value)


def _widest(offsets: np.ndarray) -> int:
    return int(np.diff(offsets).max(initial=0)) + 1
