"""MTC: the item whose judgement moves the differences between runs most."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankwell.extend import Choice, Method, Told

if TYPE_CHECKING:
    from rankwell.judging.pools import Block

ALIKE = 1.0 - 1e-12  # weights that differ by rounding alone are equal


def spread_of_pairs(values: np.ndarray) -> np.ndarray:
    """Return Σ_{s<t} |v_s − v_t| of each row: of sorted values each counts as often as it is above less as often as it is below.

    One column is compared with nothing, that is with 0.

    >>> spread_of_pairs(np.array([[1.0, 0.0, 4.0], [2.0, 2.0, 2.0]])).tolist()
    [8.0, 0.0]
    """
    n = values.shape[1]
    if n == 1:
        return np.abs(values[:, 0])
    spread: np.ndarray = (np.sort(values, axis=1) * (2.0 * np.arange(n) - n + 1)).sum(axis=1)
    return spread


def spread_of_lists(block: Block, values: np.ndarray, runs: int) -> np.ndarray:
    """Return the same of each candidate of a query, from the values at the places of its lists; 0 in runs that lack it."""
    # most candidates of deep lists are in one of them, and need no row of a table that is sorted
    candidate = block.candidate.ravel()
    several = np.flatnonzero(np.bincount(candidate, minlength=block.size + 1)[:-1] > 1)
    spread = np.abs(np.bincount(candidate, values.ravel(), block.size + 1)[:-1]) * max(runs - 1, 1)
    row = np.full(block.size + 1, len(several))
    row[several] = np.arange(len(several))
    table = np.zeros((len(several) + 1, runs))
    table[row[block.candidate], block.run[:, None]] = values
    spread[several] = spread_of_pairs(table[:-1])
    return spread


class MTC(Method):
    """Minimal test collections (Carterette, Allan and Sitaraman 2006): the item whose judgement moves the differences of all pairs of
    runs most, by their sum; of a metric that is a sum over items, such as P, answers do not change it.

    Of a sum over items such as P, DCG and RBP it is Σ |d_s − d_t| over pairs of runs s, t, d being the discount at the item's rank,
    0 if the list lacks it. Of AP the difference of s and t is a quadratic form Σ_{i ≤ j} c_ij x_i x_j / R, c_ij = 1 / max(rank of
    i, rank of j) in s less that in t. The weight of item i is the greater of what a relevant answer adds to the terms that are
    known, |c_ii + Σ c_ij over relevant j|, and what any other takes from those that are possible, |c_ii + Σ c_ij over j relevant or
    unjudged|, each added up over pairs, and divided by the known R of the query, or 1.

    Source: B. Carterette, J. Allan and R. K. Sitaraman, Minimal test collections for retrieval evaluation, SIGIR 2006: the quadratic
    form, and the greedy choice of the item that most moves the difference of two runs for one query. The sum over pairs of runs and
    the division by R, by which queries compete for judgements, are ours.
    """

    name: ClassVar[str] = "mtc"
    rule: ClassVar[str] = "how far a judgement of the item moves the differences of all pairs of runs"

    def __init__(self, answers: Told, seed: int) -> None:
        super().__init__(answers, seed)
        self.weight = np.zeros(len(self.pooled))
        self.top = np.zeros(len(self.pooled.queries))
        for query in range(len(self.top)):
            self._weigh(query)

    def _weigh(self, query: int) -> None:
        """Compute the weights of the candidates of a query."""
        answers, pooled = self.answers, self.pooled
        own, block = pooled.of_query(query), pooled.block(query)
        runs = len(pooled.names)
        is_relevant = answers.relevant[own].astype(np.float64)
        if_relevant = spread_of_lists(block, self._effects(block.rank, block.take(is_relevant)), runs)
        weight = if_relevant
        if answers.measure.is_quadratic:
            # what could still be relevant: the judged as they are, and all others
            possible = np.where(np.isnan(answers.grade[own]), 1.0, is_relevant)
            if_not = spread_of_lists(block, self._effects(block.rank, block.take(possible)), runs)
            weight = np.maximum(if_relevant, if_not) / max(int(answers.known[query]), 1)
        self.weight[own] = weight
        self.moved(query)

    def _effects(self, rank: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self.answers.measure.effects(rank, x)

    def choose(self) -> Choice | None:
        """Return the open candidate of the greatest weight; of equal ones that of the query with the fewest judgements."""
        best = float(self.top.max(initial=0.0))
        if best <= 0:
            return None
        queries = np.flatnonzero(self.top >= best * ALIKE)
        query = int(queries[self.answers.asked[queries].argmin()])
        own = self.pooled.of_query(query)
        # below any weight, so that closed candidates never win a tie of zeros
        weight = np.where(self.answers.closed[own], -1.0, self.weight[own])
        alike = np.flatnonzero(weight >= best * ALIKE)
        chosen = own.start + int(alike[self.pooled.best_rank[own][alike].argmin()])
        return chosen, float(self.weight[chosen])

    def answered(self, candidate: int) -> None:
        """Weigh the candidates of the query anew."""
        query = int(self.pooled.query[candidate])
        if self.answers.measure.is_quadratic:
            self._weigh(query)
        else:
            self.moved(query)

    def corrected(self, candidate: int) -> None:
        """Weigh the candidates of the query anew."""
        self.answered(candidate)

    def moved(self, query: int) -> None:
        """Find the greatest weight of the query's open candidates anew."""
        own = self.pooled.of_query(query)
        self.top[query] = np.where(self.answers.closed[own], 0.0, self.weight[own]).max(initial=0.0)
