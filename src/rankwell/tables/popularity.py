"""Parts: a division of items into named parts, such as head and tail."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.kernels import order
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items


@runtime_checkable
class Parts(Protocol):
    """A division of items into named parts, for ``slices=`` of evaluate."""

    def parts(self, items: Ids) -> dict[str, Items]:
        """Return the items of each part."""


Rule = Literal["volume", "top", "fraction", "reach", "count", "quantile", "iqr"]
Ties = Literal["id", "in", "out"]
PARTS = ("head", "mid", "tail")
LISTED = (
    "volume",
    "top",
    "fraction",
)  # rules that cut the sorted list of items: a larger number means more items


def by_popularity(counts: np.ndarray, ids: Ids) -> np.ndarray:
    """Return the rows of items, most popular first; ties ordered by id (as text), ascending."""
    rows = np.arange(len(counts))
    order.sort(
        rows,
        np.array([0, len(counts)]),
        np.ascontiguousarray(counts, np.float64),
        *ids.columns,
        order.TIE_RULES["item-asc"],
    )
    return rows


@record
class Head:
    """A rule for which items are the head; all others are the tail.

    ``volume``: the most popular items until they have at least the share ``at`` of all interactions, including the item that
    crosses it. ``top``: the first ``at`` items. ``fraction``: that share of the items, rounded up. ``reach``: items with more
    than that share of the users. ``count``: items with more than ``at`` users. ``quantile``: items strictly above that quantile
    of the counts. ``iqr``: items strictly above Q3 + at · (Q3 − Q1).

    The first three cut a sorted list, possibly between equally popular items: ``ties="id"`` orders these by id; ``in`` puts all
    of them into the head, ``out`` none.
    """

    rule: Rule = "volume"
    at: float = 0.8
    ties: Ties = "id"

    def __post_init__(self) -> None:
        refuse_number(self.rule, "at", self.at)

    def of(self, counts: np.ndarray, users: int, ordered: np.ndarray) -> np.ndarray:
        """Return which items are the head.

        Parameters
        ----------
        counts
            Users per item.
        users
            The number of users.
        ordered
            Rows of the items, most popular first (``by_popularity``).

        Examples
        --------
        >>> Head("volume", 0.5).of(np.array([5, 3, 1, 1, 1, 1, 1, 1]), 5, np.arange(8)).tolist()[:4]
        [True, True, False, False]
        """
        if self.rule in LISTED:
            head = np.zeros(len(counts), np.bool_)
            head[ordered[: self._length(counts, ordered)]] = True
            return head if self.ties == "id" or not head.any() else self._whole(head, counts)
        border = self._border(counts, users)
        # .29 of 100 users is 28.999999999999996 in doubles, and an item of 29 of them is not of more than .29
        return counts > border + 1e-9 * max(1.0, abs(border))

    def _border(self, counts: np.ndarray, users: int) -> float:
        """The popularity that an item of the head exceeds."""
        if self.rule == "reach":
            return self.at * users
        if self.rule == "count":
            return self.at
        if self.rule == "quantile":
            return float(np.quantile(counts, self.at))
        first, third = np.quantile(counts, [0.25, 0.75])
        return float(third + self.at * (third - first))

    def _whole(self, head: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The head, with all or none of the items that are as popular as its last one."""
        last = counts[head].min()
        if self.ties == "in":
            return counts >= last
        return counts > last if np.any(counts[~head] == last) else head

    def _length(self, counts: np.ndarray, ordered: np.ndarray) -> int:
        if self.rule == "top":
            return min(int(self.at), len(counts))
        if self.rule == "fraction":
            return int(
                np.ceil(round(self.at * len(counts), 9))
            )  # .07 · 100 is 7.000000000000001, of which ceil makes 8
        reached = np.cumsum(counts[ordered])
        border = self.at * (reached[-1] if len(reached) else 0)
        # counts are whole, so a border 1e-9 lower takes back what the product was rounded up by and nothing else
        return int(np.searchsorted(reached, border - 1e-9)) + 1 if border > 0 else 0


@record
class Cut:
    """The division of a catalogue into head and tail or, with a second, wider cut, into head, mid and tail."""

    head: Head
    mid: Head | None = None

    @classmethod
    def of(cls, rule: Rule, at: float, mid: float | None = None, ties: Ties = "id") -> Cut:
        """Return the cut by a rule with one or two borders; the part between them is the mid.

        Raises
        ------
        UsageError
            If a number does not fit the rule, or the second cut takes fewer items than the first.
        """
        head = Head(rule, at, ties)
        if mid is None:
            return cls(head)
        refuse_number(rule, "mid", mid)
        if mid < at if rule in LISTED else mid > at:
            raise UsageError(
                f"mid={mid:g} excludes items of the head (at={at:g}); with head={brief(rule)} it must be "
                f"{'larger' if rule in LISTED else 'smaller'} than at, or equal for no mid."
            )
        return cls(head, Head(rule, mid, ties))

    @property
    def codes(self) -> tuple[int, ...]:
        """The parts of this cut, as indices of ``PARTS``."""
        return (0, 2) if self.mid is None else (0, 1, 2)

    def parts(self, counts: np.ndarray, users: int, ordered: np.ndarray) -> np.ndarray:
        """Return the part of each item, as an index of ``PARTS``; for the arguments see ``Head.of``.

        Examples
        --------
        >>> Cut.of("top", 1, mid=3).parts(np.array([5, 3, 1, 1]), 5, np.arange(4)).tolist()
        [0, 1, 1, 2]
        """
        inside = self.head.of(counts, users, ordered)
        second = inside if self.mid is None else self.mid.of(counts, users, ordered)
        return 2 - second.astype(np.int64) - inside


def refuse_number(rule: Rule, name: str, value: float) -> None:
    """Raise UsageError if a number is invalid for a rule."""
    share = rule in ("volume", "fraction", "reach", "quantile")
    if value < 0 or (share and value > 1) or (rule == "top" and value != int(value)):
        allowed = "a share from 0 to 1" if share else "a whole number" if rule == "top" else "at least 0"
        raise UsageError(f"head={rule}, {name}={value:g}: {name} must be {allowed}.")
