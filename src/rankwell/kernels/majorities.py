"""Majorities: of each two candidates of a query the one that lists of more weight rank higher."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.rankwell.kernels.offsets import refuse_offsets


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _margin(
    places: cython.const[cython.int][:, ::1],
    shares: cython.const[cython.double][::1],
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
) -> cython.double:
    """The weight of the lists that have a above b, less that of those that have it below, added in the order of the lists."""
    margin: cython.double = 0.0
    each: cython.Py_ssize_t
    for each in range(places.shape[0]):
        if places[each, a] < places[each, b]:
            margin += shares[each]
        elif places[each, a] > places[each, b]:
            margin -= shares[each]
    return margin


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(
    margin: cython.p_int,
    theirs: cython.pointer[cython.const[cython.int]],
    n: cython.Py_ssize_t,
    own: cython.int,
    lacked: cython.int,
    units: cython.int,
) -> cython.void:
    """Add 2 units for each of n places below one's own, and take 1 away for each item that the list lacks.

    Without branches, so that a processor does several at a time.
    """
    i: cython.Py_ssize_t
    twice: cython.int = 2 * units
    for i in range(n):
        margin[i] += (-cython.cast(cython.int, theirs[i] > own) & twice) - (
            -cython.cast(cython.int, theirs[i] == lacked) & units
        )


def leads(
    offsets: np.ndarray,
    places: np.ndarray,
    lacked: int,
    units: np.ndarray,
    doubt: int,
    shares: np.ndarray,
    near: float,
) -> np.ndarray:
    """Return of each candidate how many others of its query it beats, less how many beat it.

    ``places`` has a row for each list, ``lacked`` where the list lacks a candidate. ``units`` are the weights of the lists in
    whole numbers, which are added faster than ``shares``, the weights themselves. A margin of not more units than ``doubt`` is
    added again, from the weights, and is a tie unless it is above ``near``; with a doubt of 0 it is a tie if it is 0.
    """
    o: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    p: cython.const[cython.int][:, ::1] = places
    u: cython.const[cython.int][::1] = np.ascontiguousarray(units, np.int32)
    s: cython.const[cython.double][::1] = np.ascontiguousarray(shares, np.float64)
    none: cython.int = lacked
    unsure: cython.int = doubt
    tie: cython.double = near
    found = np.zeros(places.shape[1], np.int64)
    lead: cython.longlong[::1] = found
    widest = int(np.diff(offsets).max(initial=0)) + 1
    voices: cython.int[::1] = np.zeros(widest, np.int32)
    margins: cython.int[::1] = np.zeros(widest, np.int32)
    g: cython.Py_ssize_t
    each: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    sign: cython.int
    total: cython.longlong
    exact: cython.double
    refuse_offsets(o, p.shape[1])
    with cython.nogil:
        for g in range(o.shape[0] - 1):
            low, high = o[g], o[g + 1]
            for b in range(low, high):
                voices[b - low] = 0
            for each in range(p.shape[0]):
                for b in range(low, high):
                    voices[b - low] += 0 if p[each, b] == none else u[each]
            for a in range(low, high - 1):
                # each list that has b is against a, by its units, unless it has a above
                for b in range(a + 1, high):
                    margins[b - low] = -voices[b - low]
                for each in range(p.shape[0]):
                    if p[each, a] != none:
                        _add(
                            cython.address(margins[a + 1 - low]),
                            cython.address(p[each, a + 1]),
                            high - a - 1,
                            p[each, a],
                            none,
                            u[each],
                        )
                total = 0
                for b in range(a + 1, high):
                    sign = (margins[b - low] > unsure) - (margins[b - low] < -unsure)
                    # units are rounded weights: what they leave open is decided by the weights, in one fixed order
                    if unsure > 0 and sign == 0:
                        exact = _margin(p, s, a, b)
                        sign = (exact > tie) - (exact < -tie)
                    total += sign
                    lead[b] -= sign  # each pair is looked at once, and counts for both
                lead[a] += total
    return found
