"""Part: what is kept of some queries; parts of different queries add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankwell.metrics.metric import Metric
from rankwell.tables.ids import Ids
from rankwell.tables.states import Diagnostics, State

Ends = Callable[[], "dict[Metric, tuple[State, State]]"]


ROOM = 1 << 20


@dataclass(frozen=True, eq=False)
class Part:
    """What is kept of some queries; parts of different queries add up."""

    queries: Ids
    known: np.ndarray
    values: dict[Metric, np.ndarray]
    states: dict[Metric, State]
    ends: tuple[Ends, ...]
    counts: Counter[str]
    undefined: Counter[tuple[Metric, str]]
    diagnostics: dict[Metric, Diagnostics] = field(default_factory=dict)
    split: dict[tuple[Metric, int], State] = field(default_factory=dict)
    weighted: dict[Metric, State] = field(default_factory=dict)
    sizes: Counter[int] = field(default_factory=Counter)

    @classmethod
    def sum(cls, parts: Iterable[Part]) -> Part:
        """Return all parts, of which there is at least one, as one; each is let go before the next is made."""
        parts = iter(parts)
        total = next(parts)
        if (part := next(parts, None)) is None:
            return total
        columns = {metric: Growing(values) for metric, values in total.values.items()}
        queries, known, states, ends = [total.queries], Growing(total.known), dict(total.states), total.ends
        counts, undefined, sizes = total.counts.copy(), total.undefined.copy(), total.sizes.copy()
        split, weighted, diagnostics = dict(total.split), dict(total.weighted), dict(total.diagnostics)
        while part is not None:
            add_states(states, part.states)
            add_states(split, part.split)
            add_states(weighted, part.weighted)
            add_states(diagnostics, part.diagnostics)
            sizes.update(part.sizes)
            for metric, values in part.values.items():
                columns.setdefault(metric, Growing(values[:0])).extend(values)
            queries.append(part.queries)
            known.extend(part.known)
            ends += part.ends
            counts.update(part.counts)
            undefined.update(part.undefined)
            part = next(parts, None)
        joined = {metric: column.values for metric, column in columns.items()}
        everyone, rows = Ids.concatenate(queries), known.values
        kept = (states, ends, counts, undefined, diagnostics, split, weighted, sizes)
        return cls(everyone, rows, joined, *kept)


def add_states(total: dict[Any, Any], more: Mapping[Any, Any]) -> None:
    """Add states to those of the same key."""
    for key, state in more.items():
        total[key] = total[key] + state if key in total else state


class Growing:
    """A column that pieces are added to; they are copied at once into one array that grows."""

    def __init__(self, values: np.ndarray) -> None:
        self._held, self._n = values, len(values)

    def extend(self, values: np.ndarray) -> None:
        """Add a piece at the end."""
        n = self._n + len(values)
        if n > len(self._held):
            held = np.empty(max(4 * n, ROOM), self._held.dtype)  # what is never written costs no memory
            held[: self._n] = self._held[: self._n]
            self._held = held
        self._held[self._n : n] = values
        self._n = n

    @property
    def values(self) -> np.ndarray:
        """All that was added."""
        return self._held[: self._n]
