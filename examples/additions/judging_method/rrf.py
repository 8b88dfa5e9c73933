"""Reciprocal rank fusion: what all runs together rank highest."""

from __future__ import annotations

from typing import ClassVar

from rankwell.extend import Choice, InTurn


class Fused(InTurn):
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): the item that all lists together rank highest."""

    name: ClassVar[str] = "rrf"
    rule: ClassVar[str] = "Σ 1 / (60 + rank) over the lists that have the item"
    is_adaptive: ClassVar[bool] = False

    def begin(self, query: int) -> None:
        """Nothing is learned from answers."""

    def count(self, query: int, candidate: int) -> None:
        """Nothing is learned from answers."""

    def choose_in(self, query: int) -> Choice:
        """Return the open candidate of the highest sum."""
        lists, own = self.pooled.block(query), self.pooled.of_query(query)
        weight = lists.by_run(1 / (60 + lists.rank), len(self.pooled.names)).sum(axis=1)
        weight[self.answers.closed[own]] = -1
        best = int(weight.argmax())
        return own.start + best, float(weight[best])
