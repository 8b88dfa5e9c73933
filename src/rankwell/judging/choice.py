"""next: the items to judge next, in order, and what judging would settle; a chooser names one at a time, is told the answer, and chooses anew."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypedDict, Unpack

import numpy as np

from rankwell.display.result import TEXTS, Result
from rankwell.display.saved_files import Kind, ensure, ensure_counts, ensure_same, within
from rankwell.display.table import Column, Table
from rankwell.errors import UsageError, brief
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.method import Method, Told, measure_of, method_named, pool_for
from rankwell.judging.methods.mtc import spread_of_lists
from rankwell.judging.pools import Pooled, ordering_policy, runs_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metric_of
from rankwell.records import record
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


Aim = Literal["order", "difference", "mean"]
ALSO = {"order": "two or more runs", "difference": "two runs", "mean": "one run"}


def refuse_aim(aim: Aim, n: int) -> None:
    """Raise UsageError for a number of runs that does not fit what the judgements are for."""
    if not {"order": n >= 2, "difference": n == 2, "mean": n == 1}[aim]:
        fitting = "mean" if n == 1 else "order"
        other = "" if n == 0 else f" For {n} take aim='{fitting}'."
        raise UsageError(
            f"aim={brief(aim)} needs {ALSO[aim]}, and {n or 'none'} {'is' if n == 1 else 'are'} given.{other}"
        )


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


# Judgements needed to settle a comparison: the expected number, and the number after which no answer can change it.


WITHIN = 0.01
ASSUMED = (
    "assumes that unjudged items are relevant as often as judged items at the same rank of as many lists; they are relevant less often "
    "where better runs were judged"
)


@dataclass(frozen=True)
class Settling:
    """How many more judgements would settle the order of the runs, or the mean of one.

    The runs are put in the order of their expected means (``order``, best first); the order is settled when each neighbouring
    pair is. ``expected_of_pairs`` is for each of these the number of judgements until the sign of its difference has the
    probability ``confidence``, ``bound_of_pairs`` until no answer to the rest could turn it, if answers come as expected until
    then, and items are judged in the order in which they move the differences; None for AP. ``at_most`` is the number of
    unjudged items that can move any difference at all: after so many all is settled in any case.

    The mean of one run is settled when it is known within ``within``; it counts as one pair.
    """

    order: tuple[str, ...]
    expected_of_pairs: tuple[int, ...]
    bound_of_pairs: tuple[int, ...] | None
    at_most: int
    confidence: float
    within: float | None = None

    @property
    def expected(self) -> int:
        """The number of judgements until all pairs are settled as far as can be expected."""
        return max(self.expected_of_pairs)

    @property
    def bound(self) -> int | None:
        """The number of judgements until no answer could change the order; None for AP."""
        return None if self.bound_of_pairs is None else max(self.bound_of_pairs)

    def pairs_after(self, judgements: int) -> int:
        """Return how many neighbouring pairs can be expected to be settled after so many more judgements."""
        return sum(expected <= judgements for expected in self.expected_of_pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "expected": self.expected, "bound": self.bound}

    def notes(self, budget: int | None = None) -> list[str]:
        """Return what it says, as sentences; with a budget also what that will settle."""
        several = len(self.expected_of_pairs) > 1
        goal = "the order" if several else "the difference"
        goal = goal if self.within is None else f"the mean to ±{self.within:g}"
        sure = f"{self.confidence:.0%} sure" + (" of each two neighbours" if several else "")
        if self.at_most == 0:
            return [f"{goal} is settled: no unjudged item can change it"]
        bound = "" if self.bound is None else f"; about {self.bound:,} until no answer could change it"
        notes = [
            f"to settle {goal}: about {self.expected:,} judgements to be {sure}{bound}; {self.at_most:,} in any case",
            ASSUMED,
        ]
        if several:
            after = (
                ""
                if budget is None
                else f", {self.pairs_after(budget):,} expected after {budget:,} judgements"
            )
            notes.append(
                f"neighbours in the order that are settled now: {self.pairs_after(0):,} of {len(self.expected_of_pairs):,}{after}"
            )
        return notes


def settling_of(answers: Told, confidence: float, within: float = WITHIN) -> Settling:
    """Return how many more judgements settle a comparison, from the answers so far.

    Raises
    ------
    UsageError
        If the confidence is not above 1/2 and below 1.
    """
    if not 0.5 < confidence < 1:
        raise UsageError(f"confidence={confidence:g}: must be above 0.5 and below 1.")
    from statistics import NormalDist

    estimates = expect_answers(answers)
    effects = Effects.of(answers, estimates)
    order = np.argsort(-effects.means, kind="stable")
    is_mean = len(order) == 1
    pairs = [(order[0], None)] if is_mean else list(pairwise(order))
    # a mean may be off on both sides; of two runs only the sign of the difference matters
    z = NormalDist().inv_cdf((1 + confidence) / 2 if is_mean else confidence)
    expected, bound = [], []
    own: Any = effects.of_run(order[0])
    for one, other in pairs:
        # of neighbours in the order, each but the first has been the other of a pair
        following = 0.0 if other is None else effects.of_run(other)
        path = effects.path(own - following)
        own = following
        # effects are sums over queries, not means
        room = within * len(answers.pooled.queries)
        gap = room if is_mean else float(effects.means[one] - effects.means[other])
        expected.append(path.until(z * np.sqrt(path.variance) <= gap))
        if not answers.measure.is_quadratic:
            bound.append(path.until((path.below + path.above) / 2 <= gap if is_mean else path.below < gap))
            expected[-1] = min(expected[-1], bound[-1])  # what is certain is likely, normal or not
    return Settling(
        tuple(answers.pooled.names[at] for at in order),
        tuple(expected),
        tuple(bound) if bound else None,
        effects.n_open,
        confidence,
        within if is_mean else None,
    )


class Path(NamedTuple):
    """What remains open of a difference after each judgement that can move it: its variance, and how far it can go down and up.

    The first element of each column is before any judgement, the last after all; ``place`` is how many judgements of all items
    have been made then.
    """

    place: np.ndarray
    variance: np.ndarray
    below: np.ndarray
    above: np.ndarray

    def until(self, is_settled: np.ndarray) -> int:
        """Return the number of judgements after which it is settled; it is after all."""
        return int(self.place[int(np.append(is_settled[:-1], True).argmax())])


def _left(parts: np.ndarray) -> np.ndarray:
    """The sums of all, all but the first …, none."""
    return np.append(np.cumsum(parts[::-1])[::-1], 0.0)


@record(eq=False)
class Effects:
    """What a gain of each item adds to the value of each run, summed over queries; ``means`` are the expected sums of the runs.

    Unjudged items that can move a difference are numbered by how far they move those of all pairs, ``n_open`` in all; ``number``
    is that of each candidate, and ``effect`` what the rows of all lists add.
    """

    pooled: Pooled
    means: np.ndarray
    n_open: int
    number: np.ndarray
    effect: np.ndarray
    gain: np.ndarray
    variance: np.ndarray
    top: float

    @classmethod
    def of(cls, answers: Told, estimates: Estimates) -> Effects:
        """Return the effects; of AP they are the derivatives at the expected answers, with R or min(R, k) taken as expected."""
        pooled, runs = answers.pooled, len(answers.pooled.names)
        effect, part = np.empty(len(pooled.rank)), np.empty(len(pooled.rank))
        spread = np.empty(len(pooled))
        divisors = (
            _divisors(answers, estimates) if answers.measure.is_quadratic else np.ones(len(pooled.queries))
        )
        for query, divisor in enumerate(divisors.tolist()):
            block, of_query = pooled.block(query), pooled.of_query(query)
            rows = slice(int(pooled.row_offsets[query]), int(pooled.row_offsets[query + 1]))
            listed = np.isfinite(block.rank)
            added = answers.measure.effects(block.rank, block.take(estimates.chance[of_query])) / divisor
            effect[rows] = added[listed]
            own = (answers.measure.effects(block.rank, None) / divisor)[listed]
            # Σ p_i ∂/∂p_i has each pair of items twice, and the effects of items alone have none
            part[rows] = estimates.gain[pooled.candidate[rows]] * (own + effect[rows]) / 2
            spread[of_query] = spread_of_lists(block, added, runs)
        # what is judged can move nothing any more
        spread[answers.judged] = 0.0
        order = np.argsort(-spread, kind="stable")
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        return cls(
            pooled,
            np.bincount(pooled.run, part, minlength=runs),
            int(np.count_nonzero(spread)),
            number,
            effect,
            estimates.gain[order],
            estimates.variance[order],
            estimates.top,
        )

    def of_run(self, run: int) -> np.ndarray:
        """Return the effects on the value of a run, in the order of the items' numbers."""
        rows = np.flatnonzero(self.pooled.run == run)
        effects = np.zeros(len(self.gain))
        effects[self.number[self.pooled.candidate[rows]]] = self.effect[rows]
        return effects

    def path(self, change: np.ndarray) -> Path:
        """Return the path of what these effects add up to: the difference of two runs, or the value of one."""
        # only judgements that move this difference; in the order in which all are made
        at = np.flatnonzero(change[: self.n_open])
        change = change[at]
        expected, most = change * self.gain[at], change * self.top
        return Path(
            np.append(0, at + 1),
            _left(change**2 * self.variance[at]),
            _left(expected - np.minimum(most, 0.0)),
            _left(np.maximum(most, 0.0) - expected),
        )


def _divisors(answers: Told, estimates: Estimates) -> np.ndarray:
    """The expected R of each query, or min(R, k); 1 where nothing is expected to be relevant."""
    metric = answers.measure.metric
    n = len(answers.pooled.queries)
    still = np.where(answers.judged, 0.0, estimates.chance)
    n_relevant = answers.known + np.bincount(answers.pooled.query, still, minlength=n)
    if answers.measure.k is not None and getattr(metric, "denom", None) != "R":
        n_relevant = np.minimum(n_relevant, answers.measure.k)
    return np.where(n_relevant > 0, n_relevant, 1.0)


# How likely each candidate is to be relevant, learned from the answers so far.


STEPS = 50


class Estimates(NamedTuple):
    """The mean gain and its variance of each candidate: those of its grade, and of an unjudged one what is expected.

    ``chance`` is the probability that it is relevant, ``top`` the highest gain that a judge can give.
    """

    chance: np.ndarray
    gain: np.ndarray
    variance: np.ndarray
    top: float


def expect_answers(answers: Told) -> Estimates:
    """Return what answers to come are expected to be.

    The log odds of relevance are linear in log Σ 1/r over the lists that have the item (a logistic regression on the judged
    candidates, with standard normal priors of both coefficients; so 1/2 while nothing is judged). A relevant item is expected to
    have the mean gain of those found so far, the highest one before any is found.
    """
    pooled = answers.pooled
    # reciprocal ranks add up over lists as votes do; the log makes them even enough for a line
    support = np.log(np.bincount(pooled.candidate, 1.0 / pooled.rank, minlength=len(pooled)))
    judged = answers.judged
    intercept, slope = logistic(support[judged], answers.relevant[judged])
    chance = 1.0 / (1.0 + np.exp(-(intercept + slope * support)))
    chance[judged] = answers.relevant[judged]
    gains = answers.measure.gains(answers.grade, answers.scale, answers.highest)
    top = float(answers.measure.gains(np.array([answers.highest]), answers.scale, answers.highest)[0])
    gains_found = gains[answers.relevant] if answers.relevant.any() else np.array([top])
    mean, square = float(gains_found.mean()), float((gains_found**2).mean())
    gain = np.where(judged, gains, chance * mean)
    variance = np.where(judged, 0.0, chance * square - (chance * mean) ** 2)
    return Estimates(chance, gain, np.maximum(variance, 0.0), top)


def logistic(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return intercept and slope of the most probable logistic regression of 0/1 on one variable, with standard normal priors.

    By Newton's steps, until none changes by 1e-10 (50 at most): the function is concave, so a dozen are enough.

    >>> logistic(np.array([]), np.array([], bool))
    (0.0, 0.0)
    """
    at = np.zeros(2)
    for _ in range(STEPS):
        fitted = 1.0 / (1.0 + np.exp(-(at[0] + at[1] * x)))
        off, spread = y - fitted, fitted * (1 - fitted)
        slope = np.array([off.sum(), np.dot(off, x)]) - at
        by_x = spread * x
        # the prior adds 1 to each curvature, so that the matrix can always be inverted
        curvature = np.array([[spread.sum() + 1, by_x.sum()], [by_x.sum(), np.dot(by_x, x) + 1]])
        step = np.linalg.solve(curvature, slope)
        at += step / max(1.0, float(np.abs(step).max()))  # no step above 1, so that it cannot run away
        if np.abs(step).max() < 1e-10:
            break
    return float(at[0]), float(at[1])
