"""Move-to-front: the run in front, else that of the highest priority."""

from __future__ import annotations

from tests.judging import slow

import rankwell as rw


class Plain(slow.ByRun):
    def __init__(self, lists: slow.Lists, metric: str, seed: int) -> None:
        super().__init__(lists, metric, seed)
        self.priority = {(run, query): 0 for run in lists for query in self.queries}
        self.front: dict[str, str | None] = {}

    def value(self, query: str, run: str) -> float:
        return self.priority[run, query]

    def weights(self) -> dict[tuple[str, str], float]:
        query = self.query()
        front = self.front.get(query or "")
        if query is not None and front is not None and (item := self.first_of(front, query)):
            self.taken = front
            return {(query, item): self.priority[front, query]}
        return super().weights()

    def tell(self, query: str, item: str, grade: float) -> None:
        super().tell(query, item, grade)
        self.front[query] = self.taken if grade > 0 else None
        self.priority[self.taken, query] -= grade <= 0


def test_move_to_front_stays_with_a_run_while_it_finds_relevant_items():
    lists = {"one": {"q": ["a", "b", "c", "d"]}, "two": {"q": ["w", "x", "y", "z"]}}
    chooser = rw.judging.Chooser(lists, method="mtf")
    asked = []
    for grade in (1, 1, 0, 0, 1, 0):
        asked.append(chooser.next().item)
        chooser.tell("q", asked[-1], grade)
    # one: a b relevant, c not; two: w not; both at -1, so one again: d relevant, and then it is out of items
    assert asked == ["a", "b", "c", "w", "d", "x"]


def test_judgements_from_before_count_for_the_run_that_ranks_them_best():
    lists = {"one": {"q": ["a", "b", "c"]}, "two": {"q": ["x", "a", "y"]}}
    chooser = rw.judging.Chooser(lists, {"q": {"a": 0}}, method="mtf")
    assert chooser.next().item == "x"  # `one` has lost its place in front
