"""Move-to-front pooling: stay with a run while it finds relevant items."""

from __future__ import annotations

from collections import defaultdict
from typing import ClassVar

from rankwell.extend import ByRun, Told


class MoveToFront(ByRun):
    """Move-to-front (Cormack, Palmer and Clarke 1998): the first open item of a run, which stays in front as long as it finds
    relevant items.

    After an item that is not relevant the priority of its run falls by 1, and the run of highest priority is next, of equal ones
    the first.

    Source: G. V. Cormack, C. R. Palmer and C. L. A. Clarke, Efficient construction of large test collections, SIGIR 1998
    (local move-to-front).
    """

    name: ClassVar[str] = "mtf"
    rule: ClassVar[str] = (
        "the run of highest priority, which falls by 1 with each of its items that is not relevant"
    )

    def __init__(self, answers: Told, seed: int) -> None:
        super().__init__(answers, seed)
        self.priority: dict[int, defaultdict[int, int]] = {}
        self.front: dict[int, int] = {}

    def begin(self, query: int) -> None:
        """Give all runs the same priority."""
        self.priority[query] = defaultdict(int)
        self.front.pop(query, None)

    def best_run(self, query: int, runs: list[int]) -> tuple[int, float]:
        """Return the run in front, if it still has items, else the one of highest priority."""
        priority, front = self.priority[query], self.front.get(query)
        best = front if front in runs else min(runs, key=lambda run: (-priority[run], run))
        assert best is not None
        return best, float(priority[best])

    def count(self, query: int, candidate: int) -> None:
        """Keep the run in front after a relevant item, lower its priority after another."""
        run = self.credited(candidate)
        if self.answers.relevant[candidate]:
            self.front[query] = run
        else:
            self.priority[query][run] -= 1
            self.front.pop(query, None)
