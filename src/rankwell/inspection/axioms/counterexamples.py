"""Counterexample: a pair of lists that contradicts an axiom, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from rankwell.display.table import Cell, Column, Table, number
from rankwell.inspection.axioms.situations import NAMES, Item, Situation
from rankwell.records import record


@record
class Counterexample:
    """Two lists of which the first should score higher, and does not.

    ``better`` and ``worse`` are ids of ``items``, which maps each item to its grade for each of its topics, None if it is
    unrated; ``weights`` are the topics' weights. ``n`` is the length at which an axiom about some length was tried. Lists that
    are ``apart`` belong to two queries, each with its own judged items. ``by_terms`` says that the values differ by less than
    rounding error, and were compared term by term.
    """

    better: tuple[str, ...]
    worse: tuple[str, ...]
    items: dict[str, dict[str, int | None]]
    weights: dict[str, int]
    values: tuple[float, float]
    n: int | None = None
    apart: bool = False
    by_terms: bool = False

    @classmethod
    def of(
        cls,
        situation: Situation,
        values: tuple[float, float],
        n: int | None = None,
        *,
        by_terms: bool = False,
    ) -> Counterexample:
        """Return a situation with names for its items and topics."""
        names = {item: f"i{at}" for at, item in enumerate(situation.items, 1)}
        return cls(
            tuple(names[item] for item in situation.better),
            tuple(names[item] for item in situation.worse),
            {name: _named(item) for item, name in names.items()},
            {NAMES[topic]: weight for topic, weight in enumerate(situation.weights)},
            values,
            n,
            situation.apart,
            by_terms,
        )

    def to_table(self, caption: str) -> Table:
        """Return the two lists side by side, with the grades of each item, and the values below."""
        rows: list[tuple[Cell, ...]] = []
        for first, last in self._runs():
            ranks = f"{first + 1}" if first == last else f"{first + 1}–{last + 1}"
            rows.append((ranks, self._told(self.better, first, last), self._told(self.worse, first, last)))
        digits = next((d for d in (4, 8, 16) if len({number(v, d) for v in self.values}) == 2), 4)
        rows.append(("value", *(number(value, digits) for value in self.values)))
        notes = [f"topics weigh {_pairs(self.weights)}"] if len(self.weights) > 1 else []
        notes += ["two queries: each list is judged by its own items"] if self.apart else []
        notes += ["the values differ by less than rounding: their terms show which is higher"] * self.by_terms
        listed = {*self.better, *self.worse}
        rest = [name for name in self.items if name not in listed]
        if rest:
            few = [self._item(name) for name in rest[:8]]
            of = " of the second query" if self.apart else ""
            notes.append(
                f"judged, but in neither list{of}: " + "; ".join(few) + (" …" if len(rest) > 8 else "")
            )
        columns = [Column("rank"), Column("this list should win"), Column("against this one")]
        return Table(columns, rows, caption=caption, notes=notes)

    def _runs(self) -> Iterator[tuple[int, int]]:
        """First and last position of each run of items to show in one row; short runs of equal items are not merged."""
        places = list(zip_longest(self.better, self.worse))
        first = 0
        for at in range(1, len(places) + 1):
            if at < len(places) and self._look(*places[at]) == self._look(*places[first]):
                continue
            if at - first > 4:
                yield first, at - 1
            else:
                yield from ((place, place) for place in range(first, at))
            first = at

    def _look(self, left: str | None, right: str | None) -> tuple[Any, ...]:
        return (left and str(self.items[left]), right and str(self.items[right]), left == right)

    def _told(self, ids: tuple[str, ...], first: int, last: int) -> str:
        if first >= len(ids):
            return ""
        return self._item(ids[first], "" if first == last else f" … {ids[last]}")

    def _item(self, name: str, until: str = "") -> str:
        return f"{name}{until} {_pairs(self.items[name])}".rstrip()


def _named(item: Item) -> dict[str, int | None]:
    return {NAMES[topic]: grade for topic, grade in sorted(item.grades.items())}


def _pairs(numbers: dict[str, int | None] | dict[str, int]) -> str:
    """Topics with their grades or weights, as text."""
    return " ".join(f"{topic}:{'unrated' if x is None else x}" for topic, x in numbers.items())
