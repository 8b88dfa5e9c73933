"""Bayesian learning automaton: a bandit that draws."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rankwell.extend import Bandit


class BLA(Bandit):
    """Bayesian learning automaton, or Thompson sampling (Losada, Parapar and Barreiro 2016): as mm, but of each run a chance is
    drawn from what is believed of it, and the run with the highest is played.
    """

    name: ClassVar[str] = "bla"
    rule: ClassVar[str] = "the run of the highest draw from Beta(1 + relevant, 1 + not relevant)"

    def values(self, query: int, runs: list[int]) -> np.ndarray:
        """Draws."""
        return self.draws[query].beta(*self.beliefs(query, runs))
