"""Bandits: runs are arms, a relevant item is a reward."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.judging.methods.method import ByRun
from rankwell.judging.told import Told


class _Bandit(ByRun):
    """Of each query, play the best run: judge the first open item of its list. ``won`` and ``played`` count for each run.

    ``rate`` is what earlier plays are worth when a new one is counted: 1 if all count alike, 0 if only the last one counts.

    Source: D. E. Losada, J. Parapar and Á. Barreiro, Feeling lucky? Multi-armed bandits for ordering judgements in
    pooling-based evaluation, SAC 2016.
    """

    rate: ClassVar[float] = 1.0

    def __init__(self, answers: Told, seed: int) -> None:
        super().__init__(answers, seed)
        if seed < 0:
            raise UsageError(f"seed={brief(seed)}: must be 0 or more.")
        self.won: dict[int, np.ndarray] = {}
        self.played: dict[int, np.ndarray] = {}
        self.draws: dict[int, np.random.Generator] = {}

    def begin(self, query: int) -> None:
        """Start with the uniform belief in every run, and a generator on which other queries have no effect."""
        self.won[query], self.played[query] = np.zeros((2, len(self.pooled.names)))
        self.draws[query] = np.random.default_rng([self.seed, query])

    def beliefs(self, query: int, runs: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return α and β of the Beta distribution of each run's chance of a relevant item, from the uniform one."""
        won, played = self.won[query][runs], self.played[query][runs]
        return 1.0 + won, 1.0 + played - won

    def count(self, query: int, candidate: int) -> None:
        """Count a play of the run that the item was taken from."""
        run = self.credited(candidate)
        self.won[query][run] = self.rate * self.won[query][run] + self.answers.relevant[candidate]
        self.played[query][run] = self.rate * self.played[query][run] + 1

    def best_run(self, query: int, runs: list[int]) -> tuple[int, float]:
        """Return the run of the highest value, of equal ones any with the same chance."""
        values = self.values(query, runs)
        best = np.flatnonzero(values >= values.max())
        chosen = int(best[0] if len(best) == 1 else self.draws[query].choice(best))
        return runs[chosen], float(values[chosen])

    @abstractmethod
    def values(self, query: int, runs: list[int]) -> np.ndarray:
        """Return what each run promises."""


class BLA(_Bandit):
    """Bayesian learning automaton (Thompson sampling): a chance is drawn from the belief in each run, and the highest is played."""

    name: ClassVar[str] = "bla"
    rule: ClassVar[str] = "the run of the highest draw from Beta(1 + relevant, 1 + not relevant)"

    def values(self, query: int, runs: list[int]) -> np.ndarray:
        """Draws."""
        return self.draws[query].beta(*self.beliefs(query, runs))


class MM(_Bandit):
    """Max mean: the run with the highest mean of its belief is played."""

    name: ClassVar[str] = "mm"
    rule: ClassVar[str] = "the run of the highest (1 + relevant) / (2 + judged)"

    def values(self, query: int, runs: list[int]) -> np.ndarray:
        """Means."""
        alpha, beta = self.beliefs(query, runs)
        found: np.ndarray = alpha / (alpha + beta)
        return found


class MMNS(MM):
    """Non-stationary max mean: only the last item of each run counts."""

    name: ClassVar[str] = "mm_ns"
    rule: ClassVar[str] = "as mm, but only the last item judged of each run counts"
    rate: ClassVar[float] = 0.0
