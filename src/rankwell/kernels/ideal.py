"""Greedy lists when the topics of an item jointly satisfy with probability 1 − Π (1 − a·S).

A candidate is an item of a kind (items with the same topics) that satisfies with probability a. Candidates are a user's own
items (rated ones), and the ``members`` of each kind, which share one ``chance``; the first of them that is left stands for
the others. Items are positions in the order of ids; a user's ``seen`` items are not candidates. The gain of an item with
topics φ of which S_φ is left is computed as in ``cascade.gains`` (``noisy``), to the last bit.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets

BLOCK = cython.declare(cython.longlong, 32)  # candidates whose highest bound is kept together
NEAR = cython.declare(cython.double, 1.0 - 1e-12)  # of the best gain: what reaches it is equal


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(-1, check=False)
@cython.locals(j=cython.longlong, total=cython.double)
def _gain(
    topic: cython.const[cython.longlong][::1],
    low: cython.longlong,
    high: cython.longlong,
    left: cython.double[::1],
    chance: cython.double,
) -> cython.double:
    # 1 − Π (1 − t) as a running sum: the product would lose the last digits of small gains
    total = 0.0
    for j in range(low, high):
        total += chance * left[topic[j]] * (1.0 - total)
    return total


def greedy(
    start: np.ndarray,
    offsets: np.ndarray,
    topics: np.ndarray,
    member_offsets: np.ndarray,
    members: np.ndarray,
    chance: float,
    own_offsets: np.ndarray,
    own_place: np.ndarray,
    own_kind: np.ndarray,
    own_chance: np.ndarray,
    seen_offsets: np.ndarray,
    seen: np.ndarray,
    items: int,
    depth: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the greedy list of each user: at each rank the item with the highest gain after those before it.

    Gains that differ by less than 1e-12 of the best one count as equal, so that rounding does not decide; the first of equal
    items is taken. ``start`` is what is left of each topic at the top (a row per user), ``topics[offsets[t]:offsets[t + 1]]``
    are the topics of kind t. Lists end at ``depth``, or when nothing has a gain any more.

    Gains only fall as a list grows, up to rounding, which is far below 1e-12. So a candidate's last computed gain is an upper
    bound, and only candidates whose bound reaches the best gain are examined again.

    Returns
    -------
    (ndarray, ndarray, ndarray)
        The positions (-1 after the end) and gains of each user's list, and which of their own items were candidates.
    """
    users, width = start.shape
    listed = np.full((users, depth), -1, np.int64)
    worth = np.zeros((users, depth))
    admitted = np.zeros(len(own_place), np.uint8)
    out: cython.longlong[:, ::1] = listed
    gained: cython.double[:, ::1] = worth
    is_in: cython.uchar[::1] = admitted
    fresh: cython.const[cython.double][:, ::1] = np.ascontiguousarray(start, np.float64)
    entries: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    topic: cython.const[cython.longlong][::1] = np.ascontiguousarray(topics, np.int64)
    until: cython.const[cython.longlong][::1] = np.ascontiguousarray(member_offsets, np.int64)
    member: cython.const[cython.longlong][::1] = np.ascontiguousarray(members, np.int64)
    own: cython.const[cython.longlong][::1] = np.ascontiguousarray(own_offsets, np.int64)
    own_at: cython.const[cython.longlong][::1] = np.ascontiguousarray(own_place, np.int64)
    own_of: cython.const[cython.longlong][::1] = np.ascontiguousarray(own_kind, np.int64)
    own_a: cython.const[cython.double][::1] = np.ascontiguousarray(own_chance, np.float64)
    past: cython.const[cython.longlong][::1] = np.ascontiguousarray(seen_offsets, np.int64)
    had: cython.const[cython.longlong][::1] = np.ascontiguousarray(seen, np.int64)
    most = len(member_offsets) + int(np.diff(own_offsets).max(initial=0))
    stamp: cython.longlong[::1] = np.full(items, -1)
    left: cython.double[::1] = np.empty(width + 1)
    kind: cython.longlong[::1] = np.empty(most, np.int64)
    place: cython.longlong[::1] = np.empty(most, np.int64)
    following: cython.longlong[::1] = np.empty(most, np.int64)
    a: cython.double[::1] = np.empty(most)
    bound: cython.double[::1] = np.empty(most)
    highest: cython.double[::1] = np.empty(most // BLOCK + 1)
    kinds: cython.longlong = len(member_offsets) - 1
    alpha: cython.double = chance
    user: cython.Py_ssize_t
    i: cython.longlong
    j: cython.longlong
    t: cython.longlong
    n: cython.longlong
    b: cython.longlong
    blocks: cython.longlong
    first: cython.longlong
    best: cython.longlong
    done: cython.Py_ssize_t
    top: cython.double
    total: cython.double
    most_here: cython.double
    refuse_offsets(entries, topic.shape[0])
    refuse_offsets(until, member.shape[0])
    refuse_offsets(own, own_at.shape[0])
    refuse_offsets(past, had.shape[0])
    with cython.nogil:
        for user in range(fresh.shape[0]):
            for j in range(fresh.shape[1]):
                left[j] = fresh[user, j]
            for j in range(past[user], past[user + 1]):
                stamp[had[j]] = user
            n = 0
            for i in range(own[user], own[user + 1]):
                if stamp[own_at[i]] == user:
                    continue
                stamp[own_at[i]] = user
                is_in[i] = 1
                t = own_of[i]
                total = _gain(topic, entries[t], entries[t + 1], left, own_a[i])
                if total > 0:
                    kind[n], place[n], following[n], a[n] = t, own_at[i], -1, own_a[i]
                    bound[n] = total
                    n += 1
            # all items of a kind have one gain: the first that the user has not seen stands for them
            for t in range(kinds):
                total = _gain(topic, entries[t], entries[t + 1], left, alpha)
                if not total > 0:
                    continue
                i = until[t]
                while i < until[t + 1] and stamp[member[i]] == user:
                    i += 1
                if i < until[t + 1]:
                    kind[n], place[n], following[n], a[n] = t, member[i], i + 1, alpha
                    bound[n] = total
                    n += 1
            blocks = (n + BLOCK - 1) // BLOCK
            for b in range(blocks):
                highest[b] = 0.0
                for i in range(b * BLOCK, min(b * BLOCK + BLOCK, n)):
                    highest[b] = max(highest[b], bound[i])
            done = 0
            while done < out.shape[1]:
                top, first = 0.0, 0
                for b in range(1, blocks):
                    if highest[b] > highest[first]:
                        first = b
                for j in range(-1, blocks):  # the most promising block first
                    b = first if j < 0 else j
                    if j == first or b >= blocks or highest[b] < top * NEAR:
                        continue
                    most_here = 0.0
                    for i in range(b * BLOCK, min(b * BLOCK + BLOCK, n)):
                        if bound[i] >= top * NEAR and bound[i] > 0:
                            bound[i] = _gain(topic, entries[kind[i]], entries[kind[i] + 1], left, a[i])
                            top = max(top, bound[i])
                        most_here = max(most_here, bound[i])
                    highest[b] = most_here
                best = -1
                for b in range(blocks if top > 0 else 0):
                    if highest[b] >= top * NEAR:
                        for i in range(b * BLOCK, min(b * BLOCK + BLOCK, n)):
                            if bound[i] >= top * NEAR and (best < 0 or place[i] < place[best]):
                                best = i
                if best < 0:
                    break
                out[user, done] = place[best]
                gained[user, done] = bound[best]
                done += 1
                for j in range(entries[kind[best]], entries[kind[best] + 1]):
                    left[topic[j]] *= 1.0 - a[best]
                # the next item of the kind takes the place of the one that was listed, with the same bound
                i, t = following[best], kind[best]
                while i >= 0 and i < until[t + 1] and stamp[member[i]] == user:
                    i += 1
                if i >= 0 and i < until[t + 1]:
                    place[best], following[best] = member[i], i + 1
                else:
                    bound[best] = 0.0
    return listed, worth, admitted
