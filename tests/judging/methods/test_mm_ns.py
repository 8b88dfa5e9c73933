"""Non-stationary max mean: the run whose last item was relevant."""

from __future__ import annotations

from tests.judging import slow


class Plain(slow.Bandit):
    def value(self, query: str, run: str) -> float:
        last = self.plays[run, query][-1:]
        return (1 + sum(last)) / (2 + len(last))
