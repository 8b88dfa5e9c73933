"""Reciprocal rank fusion, by its formula."""

from __future__ import annotations

from tests.judging import slow


class Plain(slow.Turns):
    def weights(self):
        query, weights = self.query(), {}
        for item in self.left(query):
            ranks = [slow.rank_of(self.lists, run, query, item) for run in self.lists]
            weights[query, item] = sum(1 / (60 + rank) for rank in ranks)
        return weights
