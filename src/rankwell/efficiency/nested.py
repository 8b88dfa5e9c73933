"""Nested subsets of documents: random parts of a collection, each of which holds the smaller ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.efficiency.load import check_count
from rankwell.errors import UsageError, brief
from rankwell.statistics.growth import DECADES, SHORT, SIZES
from rankwell.tables.collections import Documents

SMALLEST = 2  # documents, as log 1 is 0
SHORTEST = 10  # documents from which sizes start where a reason allows fewer decades


def sizes_of(documents: int, sizes: Iterable[int] | None, reason: str | None) -> list[int]:
    """Return the numbers of documents to measure with, ascending; by default evenly spaced in logarithms, up to all of them.

    Raises
    ------
    UsageError
        If they are too few or too close together to show how anything grows.

    Examples
    --------
    >>> sizes_of(100_000, None, None)
    [100, 268, 720, 1931, 5179, 13895, 37276, 100000]
    """
    if sizes is None:
        first = documents / 10**DECADES
        if reason is not None:
            first = max(first, min(SHORTEST, documents / 10**SHORT))
        found = np.rint(np.geomspace(max(first, SMALLEST), documents, SIZES)).astype(int).tolist()
    else:
        found = [*sizes]
        for each in found:
            check_count("each of sizes", each, SMALLEST)
        if max(found, default=0) > documents:
            raise UsageError(
                f"sizes: {max(found):,} is more than the {documents:,} documents that there are."
            )
    found = sorted(set(found))
    if len(found) < SIZES:
        raise UsageError(
            f"growth needs at least {SIZES} sizes, and there are {len(found)}; give more of them, or leave sizes out."
        )
    decades, most = math.log10(found[-1] / found[0]), SHORT if reason is not None else DECADES
    if decades < most - 0.01:
        ways = "" if reason is not None else f", or give reason='memory' (or another) if {SHORT} must do"
        raise UsageError(
            f"growth needs sizes over {most} decades, and from {found[0]:,} to {found[-1]:,} documents they span {decades:.1f}; "
            f"give more documents{ways}."
        )
    return found


def subsets(documents: Any, seed: int) -> tuple[int, Callable[[int], Any]]:
    """Return how many documents there are, and what gives so many of them, drawn at random, in the order that they have.

    Raises
    ------
    UsageError
        If they cannot be counted and chosen.

    Examples
    --------
    >>> count, part = subsets(["a", "b", "c", "d"], 0)
    >>> count, part(2), part(3)
    (4, ['a', 'c'], ['a', 'b', 'c'])
    """
    chosen: Callable[[list[int]], Any]
    if isinstance(documents, Documents):

        def chosen(rows: list[int]) -> Any:
            return Documents(documents.ids[np.array(rows)], documents.frame[rows], name=documents.name)
    elif isinstance(documents, Mapping):
        keys = [*documents]

        def chosen(rows: list[int]) -> Any:
            return {keys[at]: documents[keys[at]] for at in rows}
    elif isinstance(documents, np.ndarray) or hasattr(documents, "iter_rows"):

        def chosen(rows: list[int]) -> Any:
            return documents[rows]
    elif isinstance(documents, Sequence) and not isinstance(documents, (str, bytes)):

        def chosen(rows: list[int]) -> Any:
            return [documents[at] for at in rows]
    else:
        raise UsageError(
            "growth takes parts of the documents: give Documents, a list, a mapping, an array or a data frame, "
            f"not {brief(documents)}; rankwell.read_collection(documents=…) reads a file."
        )
    order = np.random.default_rng(seed).permutation(len(documents))
    return len(documents), lambda size: chosen(np.sort(order[:size]).tolist())
