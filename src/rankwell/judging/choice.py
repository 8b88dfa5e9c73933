"""next: the items to judge next, in order, and what judging would settle; a chooser names one at a time, is told the answer, and chooses anew."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict, Unpack

import numpy as np

from rankwell.display.result import TEXTS, Result
from rankwell.display.saved_files import Kind, ensure, ensure_counts, ensure_same, within
from rankwell.display.table import Column, Table
from rankwell.errors import UsageError, brief
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.arguments import Aim, ordering_policy, pool_for, refuse_aim, runs_of
from rankwell.judging.measure import measure_of
from rankwell.judging.method import Method, Told, method_named
from rankwell.judging.pools import Pooled
from rankwell.judging.settlement import Settling, settling_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metric_of
from rankwell.tables.arguments import checked, plain
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels

if TYPE_CHECKING:
    import polars as pl


BUDGET = 200


@checked
def next(  # noqa: A001 - what the function is called in the room: rw.judging.next
    runs: Any,
    qrels: Any = None,
    metric: Wanted = "ap",
    *,
    budget: int = BUDGET,
    aim: Aim = "order",
    method: str | type[Method] = "mtc",
    highest: float | None = None,
    seed: int = 0,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Chosen:
    """Return the unjudged items whose judgements tell most about an order of runs, a difference, or a mean.

    Formula
        ``mtc``: Σ over pairs of runs of how far a judgement of the item moves their difference. The rules of the other methods are
        at ``rankwell.judging.methods``; the first note of what is returned says the rule of the one that was taken.

    Parameters
    ----------
    runs, qrels, metric, aim, method, highest, seed, read, policy, rules
        As for ``Chooser``.
    budget
        How many items to choose.

    Returns
    -------
    Chosen
        The items, best first. Print it, iterate over it, or ``save`` it; ``settling`` is the number of judgements
        needed to settle the comparison.

    Raises
    ------
    RankwellError
        As for ``Chooser``, or for a budget below 1.

    Notes
    -----
    The items are chosen together: those that are chosen and not judged yet change nothing but that they are not chosen again.
    Methods that learn from answers do better if they are asked again after some. Items chosen so are no random sample: the
    judgements serve to compare these runs, and no p-value or prediction-powered mean may be made of them. Sources are named at
    each method in ``rankwell.judging.methods``.

    Examples
    --------
    >>> runs = {"bm25": {"q": ["a", "b", "c"]}, "dense": {"q": ["a", "c", "d"]}}
    >>> [(pick.item, pick.weight) for pick in next(runs, {"q": {"a": 1}}, metric="p@3")]
    [('b', 0.3333333333333333), ('d', 0.3333333333333333)]
    """
    if budget < 1:
        raise UsageError(f"budget={budget}: must be at least 1.")
    chooser = Chooser(
        runs, qrels, metric, method=method, aim=aim, highest=highest, seed=seed, read=read, policy=policy, **rules
    )  # fmt: skip
    return Chosen.by(chooser, budget)


class SavedSettling(TypedDict):
    """``Settling`` in a file."""

    order: list[str]
    expected_of_pairs: list[int]
    bound_of_pairs: list[int] | None
    at_most: int
    confidence: float
    within: float | None
    expected: int
    bound: int | None


class SavedPick(TypedDict):
    """``Pick`` in a file."""

    query: str | int
    item: str | int
    weight: float


class SavedChosen(TypedDict):
    """What ``to_dict`` writes."""

    method: str
    aim: Aim
    metric: str
    budget: int
    runs: list[str]
    queries: int
    candidates: int
    judged: int
    settling: SavedSettling
    items: list[SavedPick]


FILE = Kind(
    SavedChosen,
    "list of items to judge",
    "give the file that judging next wrote",
    "let judging next choose again",
)


@dataclass(frozen=True, repr=False)
class Chosen(Result):
    """The items to judge next, best first; made by ``next``."""

    _plural: ClassVar[str] = "items"
    # written here, as loading Polars for 200 rows takes a tenth of the time of choosing them from twenty runs
    _texts: ClassVar[Mapping[str, str]] = TEXTS | {".csv": "_to_csv", ".tsv": "_to_tsv"}

    picks: tuple[Pick, ...]
    budget: int
    method: str
    rule: str
    aim: str
    metric: str
    runs: tuple[str, ...]
    queries: int
    candidates: int
    judged: int
    settling: Settling
    is_adaptive: bool

    @classmethod
    def by(cls, chooser: Chooser, budget: int) -> Chosen:
        """Return what a chooser would ask for."""
        answers, method = chooser.answers, chooser.method
        return cls(
            tuple(chooser.batch(budget)),
            budget,
            method.name,
            method.rule,
            chooser.aim,
            answers.measure.metric.signature,
            chooser.pooled.names,
            len(chooser.pooled.queries),
            len(chooser.pooled),
            int(answers.judged.sum()),
            chooser.settling(),
            method.is_adaptive,
        )

    def __len__(self) -> int:
        return len(self.picks)

    def __iter__(self) -> Iterator[Pick]:
        return iter(self.picks)

    def notes(self) -> list[str]:
        """Return the method, and what judging would settle, as sentences."""
        notes = [
            f"{self.method}: {self.rule}",
            f"metric: {self.metric}",
            *self.settling.notes(len(self.picks)),
        ]
        if self.is_adaptive and len(self.picks) > 1:
            notes.append(
                "chosen together, before any answer: judge some, add them to the judgements and choose again, so that the "
                "answers count"
            )
        if len(self.picks) < self.budget:
            left = self.candidates - self.judged
            why = "no other judgement can move it" if left > len(self.picks) else "all others are judged"
            notes.append(f"{len(self.picks):,} items, fewer than the {self.budget:,} of the budget: {why}")
        return notes

    def to_frame(self) -> pl.DataFrame:
        """Return the items as a frame: query, item, weight."""
        import polars as pl

        if not self.picks:
            return pl.DataFrame(schema={"query": pl.String, "item": pl.String, "weight": pl.Float64})
        columns = zip(Pick._fields, zip(*self.picks, strict=True), strict=True)
        return pl.DataFrame({name: list(column) for name, column in columns})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        words = "method", "aim", "metric", "budget", "runs", "queries", "candidates", "judged"
        return {
            **{word: getattr(self, word) for word in words},
            "settling": self.settling.to_dict(),
            "items": [pick._asdict() for pick in self.picks],
        }

    def _to_csv(self, delimiter: str = ",") -> str:
        lines = io.StringIO()
        csv.writer(lines, delimiter=delimiter, lineterminator="\n").writerows([Pick._fields, *self.picks])
        return lines.getvalue().removesuffix("\n")

    def _to_tsv(self) -> str:
        return self._to_csv("\t")

    def summary(self) -> Table:
        """Return a table of what there is and what is chosen."""
        goal = {"order": "the order of", "difference": "the difference of", "mean": "the mean of"}[self.aim]
        of = f"{len(self.runs)} runs" if len(self.runs) > 2 else " and ".join(self.runs)
        columns = [Column("runs", "count"), Column("queries", "count"), Column("candidates", "count")]
        columns += [Column("judged", "count"), Column("to judge", "count"), Column("in queries", "count")]
        counts = len(self.runs), self.queries, self.candidates, self.judged
        chosen = len(self.picks), len({pick.query for pick in self.picks})
        return Table(
            columns, [(*counts, *chosen)], caption=f"What to judge next for {goal} {of}", notes=self.notes()
        )

    def to_table(self) -> Table:
        """Return a table of the items."""
        rows = [
            (at, str(pick.query), str(pick.item), pick.weight) for at, pick in enumerate(self.picks, start=1)
        ]
        columns = [Column("", "count"), Column("query"), Column("item"), Column("weight", "value")]
        return Table(columns, rows, caption="Items to judge, the most important first")

    def tables(self) -> list[Table]:
        """Return the summary and the items."""
        return [self.summary(), self.to_table()]


def picks_of(document: Any, place: object) -> list[Pick]:
    """Return the items to judge in what a file holds, which ``next`` saved as JSON; DataError if it is damaged."""
    saved = FILE.checked(document, place)
    with FILE.checking(place):
        ensure_counts({word: saved[word] for word in ("budget", "queries", "candidates", "judged")}, "")
        with within("method"):
            method_named(saved["method"])
        with within("metric"):
            metric_of(saved["metric"])
        _ensure_settling(saved["settling"], saved["runs"])
        picks = [Pick(**row) for row in saved["items"]]
        for at, pick in enumerate(picks):
            ensure(math.isfinite(pick.weight), f"items[{at}].weight", "it is no finite number")
        pairs = {(pick.query, pick.item) for pick in picks}
        ensure(len(pairs) == len(picks), "items", "a pair of query and item stands twice")
        ensure(len(picks) <= saved["budget"], "items", f"{len(picks):,} are more than the budget")
        # the counts must fit each other: a file that was edited by hand is found out here, not when grades are joined
        left = saved["candidates"] - saved["judged"]
        ensure(
            len(picks) <= left,
            "items",
            f"{len(picks):,} are more than the {left:,} candidates that are not judged",
        )
        queries = {pick.query for pick in picks}
        ensure(len(queries) <= saved["queries"], "items", "they are of more queries than there are")
    return picks


def _ensure_settling(saved: SavedSettling, runs: list[str]) -> None:
    """Raise Damaged unless what judging would settle fits the runs and itself."""
    order, expected, bounds = saved["order"], saved["expected_of_pairs"], saved["bound_of_pairs"]
    ensure(runs and sorted(order) == sorted(set(runs)), "settling.order", "these are not the runs")
    pairs = max(len(order) - 1, 1)
    for name, counts in (("expected_of_pairs", expected), ("bound_of_pairs", bounds or expected)):
        ensure(len(counts) == pairs, f"settling.{name}", f"{len(counts):,} values for {pairs:,} pairs")
        ensure_counts({f"{name}[{at}]": count for at, count in enumerate(counts)}, "settling")
    ensure_counts({"at_most": saved["at_most"]}, "settling")
    ensure(0.5 < saved["confidence"] < 1, "settling.confidence", "it is not above 0.5 and below 1")
    own = Settling(
        tuple(order),
        tuple(expected),
        None if bounds is None else tuple(bounds),
        saved["at_most"],
        saved["confidence"],
    )
    ensure_same(saved["expected"], own.expected, "settling.expected")
    ensure_same(saved["bound"], own.bound, "settling.bound")


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
    metric
        The metric to compare by: ``ap``, ``p@k``, ``dcg``, ``cg`` or ``rbp``. It says what is relevant, and to ``mtc`` what
        an item weighs.
    method
        The name of a method: a file of ``rankwell.judging.methods``, where its rule and its source are; or a class of your own that
        derives from one of ``rankwell.extend``.
    aim
        What the judgements are for: the ``order`` of all runs, the ``difference`` of two, the ``mean`` of one.
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
        metric: Wanted = "ap",
        *,
        method: str | type[Method] = "mtc",
        aim: Aim = "order",
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
        chooser = cls.__new__(cls)
        chooser._begin(method, aim)  # noqa: SLF001 - same class
        return chooser

    def _begin(self, method: Method, aim: Aim) -> None:
        self.method, self.answers, self.pooled, self.aim = method, method.answers, method.pooled, aim
        self._told: dict[int, float] = {}
        self._best: tuple[int, float] | None = None  # kept until an answer comes, as bandits would draw again

    def next(self) -> Pick | None:
        """Return the best item to judge now, None if there is none; the same one until an answer is told."""
        picks = self.batch(1)
        return picks[0] if picks else None

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
        # what is chosen is closed while the next is looked for, so that a batch has no item twice, and opened again below
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
        # an answer may make another item the best
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
        at, candidate = self.pooled.find(Ids.of([query], "query"), Ids.of([item], "item"))
        if at[0] < 0:
            raise UsageError(f"query {brief(query)} is in none of the runs.")
        if candidate[0] < 0:
            raise UsageError(f"no run lists item {brief(item)} for query {brief(query)}.")
        return int(candidate[0])
