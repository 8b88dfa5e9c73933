"""Depth pooling: the first items of all lists, then the second ones …"""

from __future__ import annotations

from typing import ClassVar

from rankwell.extend import Choice, Method


class Depth(Method):
    """The pools of TREC (Spärck Jones and van Rijsbergen 1975): the item of the best rank in any list, of equal ones that in more
    lists; all queries alike.

    Source: K. Spärck Jones and C. J. van Rijsbergen, Report on the need for and provision of an ideal information retrieval
    test collection, 1975; TREC's pools.
    """

    name: ClassVar[str] = "depth"
    rule: ClassVar[str] = "the best rank in any list; then the number of lists that have the item"
    is_adaptive: ClassVar[bool] = False

    def choose(self) -> Choice | None:
        """Return the first open candidate of the pooling order; its weight is 1 / best rank."""
        order = self.pooled.pooling_order
        is_open = ~self.answers.closed[order]
        first = int(is_open.argmax()) if len(order) else 0
        if not len(order) or not is_open[first]:
            return None
        candidate = int(order[first])
        return candidate, 1.0 / float(self.pooled.best_rank[candidate])

    def answered(self, candidate: int) -> None:
        """Answers do not change the order of pooling."""

    def corrected(self, candidate: int) -> None:
        """Answers do not change the order of pooling."""

    def moved(self, query: int) -> None:
        """What is open is looked at when an item is chosen."""
