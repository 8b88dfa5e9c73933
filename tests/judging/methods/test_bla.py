"""Bayesian learning automaton: the run of the highest draw."""

from __future__ import annotations

from tests.judging import slow


class Plain(slow.Bandit):
    def value(self, query: str, run: str) -> float:
        plays = self.plays[run, query]
        return float(self.draws[query].beta(1 + sum(plays), 1 + len(plays) - sum(plays)))
