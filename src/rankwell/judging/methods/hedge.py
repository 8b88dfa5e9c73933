"""Hedge: runs are experts, whose weight falls with each item that they list high and that is not relevant."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankwell.extend import Choice, InTurn, Told

BETA = 0.1


class Hedge(InTurn):
    """Hedge (Aslam, Pavlu and Savell 2003): the item that would cost the runs most if it were not relevant; runs that were wrong
    before weigh less.

    An item at rank r of a list costs its run ½ ln(Z / r) if it is not relevant, and gives back as much if it is; Z is the
    length of the query's longest list, and an item that a list lacks costs nothing. The weight of a run is β^loss, β = 0.1.

    Source: J. A. Aslam, V. Pavlu and R. Savell, A unified model for metasearch, pooling, and system evaluation, CIKM 2003;
    Y. Freund and R. E. Schapire, A decision-theoretic generalization of on-line learning, JCSS 55(1), 1997.
    """

    name: ClassVar[str] = "hedge"
    rule: ClassVar[str] = (
        "Σ w · ½ ln(Z / r) over the lists that have the item; w = 0.1^(loss of the run so far)"
    )

    def __init__(self, answers: Told, seed: int) -> None:
        super().__init__(answers, seed)
        self._losses: dict[int, np.ndarray] = {}

    def begin(self, query: int) -> None:
        """Give all runs the same weight."""
        self._losses[query] = np.zeros(len(self.pooled.names))

    def stakes(self, query: int) -> np.ndarray:
        """Return ½ ln(Z / r) of each candidate (row) in each run (column), 0 where the run lacks it."""
        block = self.pooled.block(query)
        listed = np.isfinite(block.rank)
        longest = block.rank[listed].max()
        stake = np.where(listed, 0.5 * np.log(longest / np.where(listed, block.rank, longest)), 0.0)
        return block.by_run(stake, len(self.pooled.names))

    def weights(self, query: int) -> np.ndarray:
        """Return the weights of the runs; their sum is 1."""
        losses = self._losses[query]
        # the least loss is taken off, so that β^loss does not underflow after many judgements; the weights are shares all
        # the same
        raw = np.exp(math.log(BETA) * (losses - losses.min()))
        weights: np.ndarray = raw / raw.sum()
        return weights

    def choose_in(self, query: int) -> Choice:
        """Return the open candidate with the highest weighted cost."""
        own = self.pooled.of_query(query)
        score = (self.stakes(query) * self.weights(query)).sum(axis=1)
        score[self.answers.closed[own]] = -np.inf
        best = int(score.argmax())
        return own.start + best, float(score[best])

    def count(self, query: int, candidate: int) -> None:
        """Charge the runs that list an item that is not relevant, and credit them for one that is."""
        stake = self.stakes(query)[candidate - int(self.pooled.offsets[query])]
        self._losses[query] += -stake if self.answers.relevant[candidate] else stake
