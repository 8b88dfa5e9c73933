"""The tasks of a sheet: its pairs in an order that tells nothing, and some of them once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from rankwell.errors import UsageError, brief

Order = Literal["query", "given", "random"]
GAP = 10  # tasks between a pair and its repeat, where the sheet is long enough


class Task(NamedTuple):
    """One question to the judge: the number of a pair, and whether it was asked before."""

    pair: int
    is_repeat: bool


def tasks_of(
    queries: Sequence[int], *, order: Order = "query", repeats: float = 0.0, seed: int = 0
) -> list[Task]:
    """Return what is asked, in order; ``queries`` has the number of the query of each pair.

    ``order``: ``query`` keeps the queries together, as they first come, and shuffles the items of each; ``given`` keeps the
    order of the pairs; ``random`` shuffles all. Of n pairs, ⌈repeats · n⌉, drawn at random, are asked twice: the second time at a
    random place that is at least ``GAP`` tasks later, or at the end.

    Examples
    --------
    >>> tasks_of([0, 0, 1], order="given")
    [Task(pair=0, is_repeat=False), Task(pair=1, is_repeat=False), Task(pair=2, is_repeat=False)]
    >>> [task.is_repeat for task in tasks_of([0, 0, 1], repeats=0.1)]
    [False, False, False, True]
    """
    if seed < 0:
        raise UsageError(f"seed={brief(seed)}: must be 0 or more.")
    draw = np.random.default_rng(seed)
    n = len(queries)
    shuffled = draw.permutation(n)
    places = np.arange(n)
    if order == "random":
        places = shuffled
    elif order == "query":
        _, firsts, codes = np.unique(np.asarray(queries), return_index=True, return_inverse=True)
        places = shuffled[np.argsort(firsts[codes][shuffled], kind="stable")]
    count = int(np.ceil(repeats * n - 1e-9))
    again = np.sort(draw.choice(n, count, replace=False))  # places in the order of the tasks
    # between the place GAP tasks later and the end, of which those beyond the last are one after the other
    when = again + GAP + draw.random(count) * np.maximum(n - again - GAP, 1)
    keys = np.concatenate([np.arange(n), when])
    pairs = np.concatenate([places, places[again]])
    return [Task(int(pairs[at]), bool(at >= n)) for at in np.argsort(keys, kind="stable")]
