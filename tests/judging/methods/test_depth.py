"""Depth pooling: the best rank in any list; of equal ones what more lists have."""

from __future__ import annotations

import math

from tests.judging import slow


class Plain(slow.Turns):
    def weights(self) -> dict[tuple[str, str], float]:
        """Of the items of the best rank those that most lists have: 1 / rank."""
        ranks = {
            (query, item): [slow.rank_of(self.lists, run, query, item) for run in self.lists]
            for query in self.queries
            for item in self.left(query)
        }
        key = {pair: (min(each), -sum(map(math.isfinite, each))) for pair, each in ranks.items()}
        first = min(key.values(), default=None)
        return {pair: 1 / each[0] for pair, each in key.items() if each == first}
