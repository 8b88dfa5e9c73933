"""Chooser: names one item to judge at a time, is told the answer, and chooses anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.evaluation.inputs import Words, read_with, reading_of
from rankwell.judging.arguments import Aim, ordering_policy, pool_for, refuse_aim, runs_of
from rankwell.judging.measure import measure_of
from rankwell.judging.method import Method, method_named
from rankwell.judging.pooled import Pooled
from rankwell.judging.settling import Settling, settling_of
from rankwell.judging.told import Told
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted
from rankwell.tables.arguments import checked, plain
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels

ARGUMENTS = ("method", "aim", "metric", "highest", "seed", "read")


class Pick(NamedTuple):
    """An item to judge for a query, and its weight under the method."""

    query: str | int
    item: str | int
    weight: float


class Chooser:
    """Chooses what to judge next, one item at a time, from the lists of runs and the answers so far.

    Parameters
    ----------
    runs
        The runs: by name, or a list; each in any form that ``read_run`` accepts.
    qrels
        What is judged already; None for nothing.
    method
        The name of a method: a file of ``rankwell.judging.methods``, where its rule and its source are; or a class of your own that
        derives from one of ``rankwell.extend``.
    aim
        What the judgements are for: the ``order`` of all runs, the ``difference`` of two, the ``mean`` of one.
    metric
        The metric to compare by: ``ap``, ``p@k``, ``dcg``, ``cg`` or ``rbp``. It says what is relevant, and to ``mtc`` what
        an item weighs.
    highest
        The highest grade that a judge can give; default the highest one so far, at least 1.
    seed
        For the draws of bandits.
    read
        How files are read: arguments of ``read_run`` and ``read_qrels``.
    policy, rules
        The order of equal scores, ``depth`` (only the first items of each list are candidates), ``rel``; as for ``evaluate``.

    Raises
    ------
    RankwellError
        If data cannot be read, an argument does not fit, or the number of runs is not one that the aim needs.

    Examples
    --------
    >>> runs = {"bm25": {"q": ["a", "b", "c"]}, "dense": {"q": ["a", "c", "d"]}}
    >>> chooser = Chooser(runs, metric="p@2")
    >>> chooser.next()
    Pick(query='q', item='b', weight=0.5)
    >>> chooser.tell("q", "b", 1)
    >>> chooser.next()
    Pick(query='q', item='c', weight=0.5)
    >>> chooser.tell("q", "c", 0)
    >>> chooser.next() is None  # nothing else can move the difference of P@2
    True
    """

    @checked
    def __init__(
        self,
        runs: Any,
        qrels: Any = None,
        *,
        method: str | type[Method] = "mtc",
        aim: Aim = "order",
        metric: Wanted = "ap",
        highest: float | None = None,
        seed: int = 0,
        read: Mapping[str, Any] | None = None,
        policy: Policy | None = None,
        **rules: Unpack[Words],
    ) -> None:
        kind, measure = method_named(method), measure_of(metric)
        read = read_with(read, rules)
        policy = ordering_policy(policy, rules, ARGUMENTS)
        of_runs, of_qrels = reading_of(read)
        opened = runs_of(runs, of_runs)
        refuse_aim(aim, len(opened))
        pool = pool_for(qrels, measure, policy, of_qrels)
        pooled = Pooled.of([*opened], [*opened.values()], policy)
        self._begin(kind(Told(pooled, pool, measure, highest), seed), aim)

    @classmethod
    def by(cls, method: Method, aim: Aim) -> Chooser:
        """Return the chooser of a method that has its answers."""
        found = cls.__new__(cls)
        found._begin(method, aim)  # noqa: SLF001 - same class
        return found

    def _begin(self, method: Method, aim: Aim) -> None:
        self.method, self.answers, self.pooled, self.aim = method, method.answers, method.pooled, aim
        self._told: dict[int, float] = {}
        self._best: tuple[int, float] | None = None  # kept until an answer comes, as bandits would draw again

    def next(self) -> Pick | None:
        """Return the best item to judge now, None if there is none; the same one until an answer is told."""
        found = self.batch(1)
        return found[0] if found else None

    def batch(self, n: int) -> list[Pick]:
        """Return up to ``n`` items to judge before the next answer is known, best first."""
        if n < 1:
            raise UsageError(f"a batch has at least one item, not {n}.")
        chosen = self.choose(n)
        items, queries = self.pooled.catalogue, self.pooled.queries
        return [
            Pick(queries.one(int(self.pooled.query[at])), items.one(int(self.pooled.item[at])), weight)
            for at, weight in chosen
        ]

    def choose(self, n: int) -> list[tuple[int, float]]:
        """Return the candidates of a batch by their numbers, with their weights."""
        self._best = self._best or self.method.choose()
        if self._best is None:
            return []
        chosen = [self._best]
        if n > 1:
            self._move(self._best[0], to_closed=True)
        while len(chosen) < n and (best := self.method.choose()) is not None:
            chosen.append(best)
            if len(chosen) < n:
                self._move(best[0], to_closed=True)
        for candidate, _ in chosen:
            self._move(candidate, to_closed=False)
        return chosen

    def tell(self, query: str | int, item: str | int, grade: float) -> None:
        """Take note of a judgement, of the item that was chosen or of any other; a second one of an item replaces the first.

        Raises
        ------
        UsageError
            If no run lists the item for the query, or the grade is no number or no judgement under the policy.
        """
        self.tell_candidate(self._candidate(query, item), grade)

    def tell_candidate(self, candidate: int, grade: float) -> None:
        """Take note of the judgement of a candidate by its number."""
        value = float(plain("grade", grade, float))
        if not self.answers.scale.judged(np.array([value]))[0]:
            raise UsageError(
                f"grade={value:g}: is no judgement under negative='unjudged'; skip() leaves an item unjudged."
            )
        self._best = None
        is_new = bool(np.isnan(self.answers.grade[candidate]))
        self.answers.tell(candidate, value)
        self._told[candidate] = value
        (self.method.answered if is_new else self.method.corrected)(candidate)

    def skip(self, query: str | int, item: str | int) -> None:
        """Do not ask for an item again, and leave it unjudged."""
        self._best = None
        self._move(self._candidate(query, item), to_closed=True)

    @property
    def told(self) -> Qrels:
        """The judgements that were told, in the order in which they were first told."""
        at = np.array([*self._told], np.int64)
        pooled = self.pooled
        grades = np.array([*self._told.values()])
        return Qrels(pooled.queries[pooled.query[at]], pooled.catalogue[pooled.item[at]], grades, name="told")

    def settling(self, confidence: float = 0.95) -> Settling:
        """Return how many more judgements would settle the comparison."""
        return settling_of(self.answers, confidence)

    def _move(self, candidate: int, *, to_closed: bool) -> None:
        (self.answers.close if to_closed else self.answers.reopen)(candidate)
        self.method.moved(int(self.pooled.query[candidate]))

    def _candidate(self, query: str | int, item: str | int) -> int:
        at, found = self.pooled.find(Ids.of([query], "query"), Ids.of([item], "item"))
        if at[0] < 0:
            raise UsageError(f"query {brief(query)} is in none of the runs.")
        if found[0] < 0:
            raise UsageError(f"no run lists item {brief(item)} for query {brief(query)}.")
        return int(found[0])
