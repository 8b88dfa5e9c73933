"""Gains that diminish as topics are covered, and the greedy list for them."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets


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
    """Return the gain of each row of some lists: for every topic a share of what the rows before it left over.

    The topics of query q have the amounts ``start[first[q]:first[q + 1]]`` at the top of its list. Row i belongs to
    ``query[i]`` (the rows of a query are adjacent, in rank order) and has the entries ``offsets[row[i]]`` to
    ``offsets[row[i] + 1]``, none if ``row[i]`` is below 0. Entry e gains t = ``share[e]`` of what is left of topic ``slot[e]``
    of its query, and removes ``damp[e]`` of it; both are multiplied by ``chance[i]``, unless that is empty. The gain of a row
    is Σ t over its entries, or with ``noisy`` 1 − Π (1 − t).
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
    wrong: cython.bint = False
    refuse_offsets(begin, fresh.shape[0])
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
            # of a whole pool only these few entries are looked at
            if not 0 <= entries[at[i]] <= entries[at[i] + 1] <= topic.shape[0]:
                wrong = True
                break
            for j in range(entries[at[i]], entries[at[i] + 1]):
                term = part[j] * scale * left[topic[j]]
                total += term * (1.0 - total) if is_noisy else term
                left[topic[j]] *= 1.0 - used[j] * scale
            gained[i] = total
    if wrong:
        msg = "offsets must not fall, and end within the rows"
        raise ValueError(msg)
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
    """Return the greedy lists: at each rank the row with the highest gain after those before it (Σ t, as in ``gains``).

    The candidates of query q are the rows ``candidates[bounds[q]:bounds[q + 1]]``; the first of equal ones is taken. Lists end
    at ``depth``. Gains are compared by their first 40 bits, so that gains equal in theory are equal here. Rows with the same
    entries form a type and are examined together; gains only fall as a list grows, so a type is examined again only when its
    last known gain is the highest.

    Returns
    -------
    (ndarray, ndarray, ndarray)
        The concatenated rows of the lists, the gain of each, and where each list begins (and the last one ends).
    """
    row: cython.const[cython.longlong][::1] = np.ascontiguousarray(candidates, np.int64)
    limit: cython.const[cython.longlong][::1] = np.ascontiguousarray(bounds, np.int64)
    refuse_offsets(limit, row.shape[0])
    lengths = np.minimum(np.diff(bounds), depth)
    ends = np.concatenate(([0], np.cumsum(lengths)))
    taken = np.empty(int(lengths.sum()), np.int64)
    worth = np.empty(int(lengths.sum()))
    rows: cython.longlong[::1] = taken
    gained: cython.double[::1] = worth
    place: cython.const[cython.longlong][::1] = ends
    begin: cython.const[cython.longlong][::1] = np.ascontiguousarray(first, np.int64)
    fresh: cython.const[cython.double][::1] = np.ascontiguousarray(start, np.float64)
    entries: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    topic: cython.const[cython.longlong][::1] = np.ascontiguousarray(slot, np.int64)
    part: cython.const[cython.double][::1] = np.ascontiguousarray(share, np.float64)
    used: cython.const[cython.double][::1] = np.ascontiguousarray(damp, np.float64)
    left: cython.double[::1] = np.empty(_widest(first))
    most = _widest(bounds)
    table: cython.longlong[::1] = np.empty(4 * most, np.int64)
    after: cython.longlong[::1] = np.empty(most, np.int64)
    last: cython.longlong[::1] = np.empty(most, np.int64)
    head: cython.longlong[::1] = np.empty(most, np.int64)
    heap: cython.longlong[::1] = np.empty(most, np.int64)
    bound: cython.double[::1] = np.empty(most)
    query: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    types: cython.Py_ssize_t
    done: cython.Py_ssize_t
    wanted: cython.Py_ssize_t
    low: cython.longlong
    base: cython.longlong
    best: cython.longlong
    taking: cython.longlong
    total: cython.double
    refuse_offsets(begin, fresh.shape[0])
    refuse_offsets(entries, topic.shape[0])
    with cython.nogil:
        for query in range(limit.shape[0] - 1):
            low, base = limit[query], begin[query]
            wanted = place[query + 1] - place[query]
            for j in range(begin[query + 1] - base):
                left[j] = fresh[base + j]
            types = _types(row[low : limit[query + 1]], entries, topic, part, used, table, head, last, after)
            for i in range(types):
                heap[i] = i
                total = 0.0
                for j in range(entries[row[low + head[i]]], entries[row[low + head[i]] + 1]):
                    total += part[j] * left[topic[j]]
                bound[i] = _rounded(total)
            for i in range(types // 2, 0, -1):
                _sink(heap, bound, head, i - 1, types)
            done = 0
            while done < wanted:
                best = heap[0]
                taking = row[low + head[best]]
                total = 0.0
                for j in range(entries[taking], entries[taking + 1]):
                    total += part[j] * left[topic[j]]
                if _rounded(total) < bound[best]:
                    bound[best] = _rounded(total)
                    _sink(heap, bound, head, 0, types)
                    continue
                rows[place[query] + done] = taking
                gained[place[query] + done] = total
                for j in range(entries[taking], entries[taking + 1]):
                    left[topic[j]] *= 1.0 - used[j]
                done += 1
                head[best] = after[head[best]]
                if head[best] < 0:
                    types -= 1
                    heap[0] = heap[types]
                _sink(heap, bound, head, 0, types)
    return taken, worth, ends


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
@cython.locals(
    mask=cython.longlong, at=cython.longlong, word=cython.ulonglong, i=cython.Py_ssize_t, j=cython.Py_ssize_t
)
@cython.locals(types=cython.Py_ssize_t)
def _types(
    row: cython.const[cython.longlong][::1],
    entries: cython.const[cython.longlong][::1],
    topic: cython.const[cython.longlong][::1],
    part: cython.const[cython.double][::1],
    used: cython.const[cython.double][::1],
    table: cython.longlong[::1],
    head: cython.longlong[::1],
    last: cython.longlong[::1],
    after: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Group rows with the same entries: ``head`` is the first row of each type, ``after`` the next of a row (-1: none)."""
    types = 0
    mask = 1
    while mask < 2 * row.shape[0]:
        mask *= 2
    for i in range(mask):
        table[i] = -1
    mask -= 1
    for i in range(row.shape[0]):
        after[i] = -1
        word = 0
        for j in range(entries[row[i]], entries[row[i] + 1]):
            word = (word + topic[j] + 1) * 1000003
            word ^= word >> 29
        at = word & mask
        while table[at] >= 0 and not _is_same(row[head[table[at]]], row[i], entries, topic, part, used):
            at = (at + 1) & mask
        if table[at] < 0:
            table[at] = types
            head[types] = i
            types += 1
        else:
            after[last[table[at]]] = i
        last[table[at]] = i
    return types


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
@cython.locals(j=cython.longlong, k=cython.longlong)
def _is_same(
    one: cython.longlong,
    other: cython.longlong,
    entries: cython.const[cython.longlong][::1],
    topic: cython.const[cython.longlong][::1],
    part: cython.const[cython.double][::1],
    used: cython.const[cython.double][::1],
) -> cython.bint:
    k = entries[other] - entries[one]
    if entries[one + 1] - entries[one] != entries[other + 1] - entries[other]:
        return False
    for j in range(entries[one], entries[one + 1]):
        if topic[j] != topic[j + k] or part[j] != part[j + k] or used[j] != used[j + k]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
@cython.locals(child=cython.Py_ssize_t, moved=cython.longlong, other=cython.longlong)
def _sink(
    heap: cython.longlong[::1],
    bound: cython.double[::1],
    head: cython.longlong[::1],
    at: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
) -> cython.int:
    """Sift the type at a heap position down until no type below is better: a higher gain, or an equal gain earlier."""
    moved = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _is_better(heap[child + 1], heap[child], bound, head):
            child += 1
        other = heap[child]
        if not _is_better(other, moved, bound, head):
            break
        heap[at] = other
        at = child
    heap[at] = moved
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _is_better(
    one: cython.longlong, other: cython.longlong, bound: cython.double[::1], head: cython.longlong[::1]
) -> cython.bint:
    return bound[one] > bound[other] or (bound[one] == bound[other] and head[one] < head[other])


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
