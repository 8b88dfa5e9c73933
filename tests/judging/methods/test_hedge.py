"""Hedge: the item that would cost most, by the losses of all runs so far."""

from __future__ import annotations

import math

from tests.judging import slow


class Plain(slow.Turns):
    def weights(self) -> dict[tuple[str, str], float]:
        query = self.query()
        if query is None:
            return {}
        longest = max(len(each.get(query, [])) for each in self.lists.values())

        def cost(run: str, item: str) -> float:
            rank = slow.rank_of(self.lists, run, query, item)
            return 0.0 if math.isinf(rank) else 0.5 * math.log(longest / rank)

        weight = {}
        for run in self.lists:
            loss = sum((-1 if g > 0 else 1) * cost(run, item) for q, item, g in self.told if q == query)
            weight[run] = 0.1**loss
        total = sum(weight.values())
        return {
            (query, item): sum(weight[run] / total * cost(run, item) for run in self.lists)
            for item in self.left(query)
        }
