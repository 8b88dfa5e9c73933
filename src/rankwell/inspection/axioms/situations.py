"""Situations: two lists over one judged pool that differ in one controlled way, and the choices that generate them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import zip_longest
from random import Random
from typing import Any, TypeVar

import numpy as np

from rankwell.display.table import Cell, Column, Table, number
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.matching.policy import Policy
from rankwell.metrics.additive import Additive
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property, record
from rankwell.tables.items_users import Items, Users
from rankwell.tables.run_qrels import Qrels, Run

T = TypeVar("T")
BINARY, GRADED = (0, 1), (0, 1, 2, 3)
NAMES = "abcd"  # of topics
LONGEST = 4000  # the axioms of a length ask for lists of 2n items, n up to 2,000
RANKS = 12  # the longest list drawn rank by rank
MARGIN = 1e-13  # float differences below this are treated as ties
WEIGHS = 5  # the highest weight of a topic, and so the number of its items needed for histories
ROUNDING = 2.0**-48  # rounding error relative to the terms that differ, for metrics with terms


@record(eq=False)
class Item:
    """An item: its topics, each with its judged grade, None if nobody judged it."""

    grades: Mapping[int, int | None]

    @cached_property
    def mirrored(self) -> Item:
        """Return the item with the first two topics exchanged."""
        return Item({{0: 1, 1: 0}.get(topic, topic): grade for topic, grade in self.grades.items()})


Part = Sequence[Item]


@cache
def copies(grade: int) -> tuple[Item, ...]:
    """Return many items of the first topic with one grade, for long lists."""
    return tuple(Item({0: grade}) for _ in range(LONGEST))


@record(eq=False)
class Situation:
    """Two lists, of which an axiom says that the first scores higher, and the pool both are scored against.

    ``weights`` has an integer for each topic; ``unlisted`` are judged items in neither list. Lists that are ``apart`` belong to
    two queries: each is scored against its own items, the worse one against the unlisted ones as well.
    """

    better: tuple[Item, ...]
    worse: tuple[Item, ...]
    weights: tuple[int, ...] = (1,)
    unlisted: tuple[Item, ...] = ()
    apart: bool = False

    @property
    def items(self) -> list[Item]:
        """All items, without repeats."""
        return list(dict.fromkeys((*self.better, *self.worse, *self.unlisted)))

    @property
    def size(self) -> tuple[int, ...]:
        """The size of the situation: ranks, items, topics of items, grades, weights."""
        items = self.items
        grades = [grade for item in items for grade in item.grades.values()]
        return (
            len(self.better) + len(self.worse),
            len(items),
            len(self.weights),
            len(grades),
            sum(grade or 0 for grade in grades) + grades.count(None),
            sum(self.weights),
        )


def pair(better: Iterable[Part], worse: Iterable[Part], weights: Sequence[int] = (1,)) -> Situation:
    """Return the situation of two lists given in parts."""
    first, second = (tuple(item for part in parts for item in part) for parts in (better, worse))
    return Situation(first, second, tuple(weights))


def mirrored(situation: Situation) -> Situation:
    """Return the situation with a pool that is unchanged if the first two topics are exchanged.

    This makes a metric's divisors equal for both topics; otherwise one of them could pass by accident.
    """
    return replace(situation, unlisted=tuple(item.mirrored for item in situation.items))


class Draw:
    """Choices, each an integer from 0, drawn at random or replayed, and recorded in ``made``.

    Smaller choices make simpler situations, and choices beyond the given ones are 0. So a shorter or lower sequence of choices
    is a simpler situation of the same kind, and counterexamples can be reduced without special code. Lists fit within ``cut``.
    """

    def __init__(self, source: Random | Sequence[int], cut: int | None = None) -> None:
        self._random = source if isinstance(source, Random) else None
        self._given = [] if isinstance(source, Random) else list(source)
        self.cut, self.made = cut, list[int]()

    def below(self, n: int) -> int:
        """Choose a number from 0 to n − 1."""
        if self._random is not None:
            choice = self._random.randrange(n)
        else:
            at = len(self.made)
            choice = min(self._given[at], n - 1) if at < len(self._given) else 0
        self.made.append(choice)
        return choice

    def one(self, options: Sequence[T]) -> T:
        """Choose one of several options, listed simplest first."""
        return options[self.below(len(options))]

    def two(self, numbers: Sequence[int]) -> tuple[int, int]:
        """Choose two different numbers from an ascending sequence, the lower one first."""
        low = self.below(len(numbers) - 1)
        return numbers[low], numbers[low + 1 + self.below(len(numbers) - 1 - low)]  # choice 0 is the next one

    def parts(self, count: int, make: Callable[[], Item], *, taken: int) -> list[list[Item]]:
        """Make the parts of a list around ``taken`` items; together they are at most as long as the longest list."""
        room, parts = min(RANKS, self.cut or RANKS) - taken, list[list[Item]]()
        for _ in range(count):
            part = list[Item]()
            while room > 0 and self.below(4):
                part.append(make())
                room -= 1
            parts.append(part)
        return parts

    def judged(self, levels: Sequence[int] = GRADED) -> Item:
        """Make an item of the first topic with any grade, most often the lowest."""
        return Item({0: self.one(levels) if self.below(2) else levels[0]})

    def item(self, topics: Sequence[int]) -> Item:
        """Make any item: of some of the topics, liked, disliked or unrated, or an unknown one."""
        grades = {topic: grade for topic in topics if self.below(2) and (grade := self.below(len(GRADED)))}
        if not grades:
            return Item(self.one(({}, {topics[0]: 0})))
        return Item(dict.fromkeys(grades) if self.below(4) == 3 else grades)

    def weights(self, topics: int) -> tuple[int, ...]:
        """Choose the weight of each topic."""
        return tuple(1 + self.below(5) for _ in range(topics))


@record
class Counterexample:
    """Two lists of which the first should score higher, and does not.

    ``better`` and ``worse`` are ids of ``items``, which maps each item to its grade for each of its topics, None if it is
    unrated; ``weights`` are the topics' weights. ``n`` is the length at which an axiom about some length was tried. Lists that
    are ``apart`` belong to two queries, each with its own judged items. ``by_terms`` says that the values differ by less than
    rounding error, and were compared term by term.
    """

    better: tuple[str, ...]
    worse: tuple[str, ...]
    items: dict[str, dict[str, int | None]]
    weights: dict[str, int]
    values: tuple[float, float]
    n: int | None = None
    apart: bool = False
    by_terms: bool = False

    @classmethod
    def of(
        cls,
        situation: Situation,
        values: tuple[float, float],
        n: int | None = None,
        *,
        by_terms: bool = False,
    ) -> Counterexample:
        """Return a situation with names for its items and topics."""
        names = {item: f"i{at}" for at, item in enumerate(situation.items, 1)}
        return cls(
            tuple(names[item] for item in situation.better),
            tuple(names[item] for item in situation.worse),
            {name: _named(item) for item, name in names.items()},
            {NAMES[topic]: weight for topic, weight in enumerate(situation.weights)},
            values,
            n,
            situation.apart,
            by_terms,
        )

    def to_table(self, caption: str) -> Table:
        """Return the two lists side by side, with the grades of each item, and the values below."""
        rows: list[tuple[Cell, ...]] = []
        for first, last in self._runs():
            ranks = f"{first + 1}" if first == last else f"{first + 1}–{last + 1}"
            rows.append((ranks, self._cell(self.better, first, last), self._cell(self.worse, first, last)))
        # values that differ by little are shown with enough digits to be told apart
        digits = next((d for d in (4, 8, 16) if len({number(v, d) for v in self.values}) == 2), 4)
        rows.append(("value", *(number(value, digits) for value in self.values)))
        notes = [f"topics weigh {_pairs(self.weights)}"] if len(self.weights) > 1 else []
        notes += ["two queries: each list is judged by its own items"] if self.apart else []
        notes += ["the values differ by less than rounding: their terms show which is higher"] * self.by_terms
        rest = [name for name in self.items if name not in {*self.better, *self.worse}]
        if rest:
            few = [self._item(name) for name in rest[:8]]
            of = " of the second query" if self.apart else ""
            notes.append(
                f"judged, but in neither list{of}: " + "; ".join(few) + (" …" if len(rest) > 8 else "")
            )
        columns = [Column("rank"), Column("this list should win"), Column("against this one")]
        return Table(columns, rows, caption=caption, notes=notes)

    def _runs(self) -> Iterator[tuple[int, int]]:
        """First and last position of each run of items to show in one row; short runs of equal items are not merged."""
        places = list(zip_longest(self.better, self.worse))
        first = 0
        for at in range(1, len(places) + 1):
            if at < len(places) and self._pattern(*places[at]) == self._pattern(*places[first]):
                continue
            if at - first > 4:  # a row "1–5" saves room; a shorter run is easier to read item by item
                yield first, at - 1
            else:
                yield from ((place, place) for place in range(first, at))
            first = at

    def _pattern(self, left: str | None, right: str | None) -> tuple[Any, ...]:
        # grades of both items, not their ids: a thousand alike items are one row, except where both lists show the same item
        return (left and str(self.items[left]), right and str(self.items[right]), left == right)

    def _cell(self, ids: tuple[str, ...], first: int, last: int) -> str:
        if first >= len(ids):
            return ""
        return self._item(ids[first], "" if first == last else f" … {ids[last]}")

    def _item(self, name: str, until: str = "") -> str:
        return f"{name}{until} {_pairs(self.items[name])}".rstrip()


def _named(item: Item) -> dict[str, int | None]:
    return {NAMES[topic]: grade for topic, grade in sorted(item.grades.items())}


def _pairs(numbers: dict[str, int | None] | dict[str, int]) -> str:
    """Topics with their grades or weights, as text."""
    return " ".join(f"{topic}:{'unrated' if x is None else x}" for topic, x in numbers.items())


@record(eq=False)
class SituationTables:
    """The tables of situations; list 2i is the better one of situation i, list 2i + 1 the worse one."""

    run: Run
    qrels: Qrels
    items: Items
    train: Qrels
    users: Users


@record(eq=False)
class ListValues:
    """The values of pairs of lists: ``sign`` is 1 if the better list scores higher, 0 for a tie, -1 if it scores lower.

    ``is_defined`` says which pairs have two values, ``is_exact`` which signs come from terms and not from a difference of two
    rounded values, ``is_rounded`` which ties are ties only within rounding.
    """

    better: np.ndarray
    worse: np.ndarray
    sign: np.ndarray
    is_defined: np.ndarray
    is_exact: np.ndarray
    is_rounded: np.ndarray

    def where(self, sign: int) -> list[int]:
        """Return which pairs have two values and this sign."""
        return np.flatnonzero(self.is_defined & (self.sign == sign)).tolist()

    def count(self, sign: int) -> int:
        """Return how many pairs have two values and this sign."""
        return len(self.where(sign))

    def example(self, situation: Situation, at: int, n: int | None = None) -> Counterexample:
        """Return a pair with its values."""
        values = float(self.better[at]), float(self.worse[at])
        by_terms = bool(self.is_exact[at] and self.sign[at])
        return Counterexample.of(situation, values, n, by_terms=by_terms)


def compare_lists(metric: Metric, situations: tuple[Situation, ...], policy: Policy, top: int) -> ListValues:
    """Score both lists of each situation; ``top`` is the highest possible grade.

    Raises
    ------
    RankwellError
        If the metric cannot be computed from judgements with topics, items with topics and a history.
    """
    # one evaluation, with each list as a query: thousands of single ones would take minutes
    data = tables(situations, top)
    request = Request(
        metrics=(metric,),
        policy=policy,
        qrels=data.qrels,
        train=data.train,
        items=data.items,
        users=data.users,
    )
    evaluator = Evaluator.of(request)
    results = evaluator.results_of(data.run)
    values = np.full(2 * len(situations), np.nan)
    values[np.asarray(results.queries, np.int64)] = results.values(metric)
    better, worse = values[::2], values[1::2]
    difference = (better - worse) * (-1.0 if metric.better == "lower" else 1.0)
    is_defined = ~np.isnan(difference)
    sign = np.where(np.abs(difference) > MARGIN, np.sign(difference), 0.0)
    is_exact = np.zeros(len(situations), np.bool_)
    # values that are equal but for rounding may still differ, deep in a list: the terms tell, if both sums have one divisor
    near = np.flatnonzero(is_defined & (sign == 0))
    if len(near) and isinstance(metric, Additive) and type(metric).per_query is Additive.per_query:
        terms, divisor = _terms(metric, evaluator, data.run, len(values))
        near = near[divisor[2 * near] == divisor[2 * near + 1]]
        is_exact[near] = True
        for pair in near.tolist():
            exact = exact_difference(terms[2 * pair], terms[2 * pair + 1]) / divisor[2 * pair]
            sign[pair] = np.sign(exact) * (-1.0 if metric.better == "lower" else 1.0)
    is_rounded = is_defined & ~is_exact & (sign == 0) & (difference != 0)
    return ListValues(
        better, worse, np.where(is_defined, sign, 0).astype(int), is_defined, is_exact, is_rounded
    )


def _terms(
    metric: Additive, evaluator: Evaluator, run: Run, lists: int
) -> tuple[list[list[float]], np.ndarray]:
    """The terms of a metric for each list, and the divisor."""
    task = evaluator.task.of_run(run)
    judged, _ = task.judge(next(run.rows.batches(len(run)))())
    terms, divisor = metric.terms(judged, task.context), np.full(lists, np.nan)
    query = np.asarray(judged.queries.tolist(), np.int64)
    divisor[query] = metric.divisor(judged, task.context)
    added: list[list[float]] = [[] for _ in range(lists)]
    for row, term in zip(query[terms.rows.query].tolist(), (terms.gain * terms.weight).tolist(), strict=True):
        added[row].append(term)
    return added, divisor


def exact_difference(left: Iterable[float], right: Iterable[float]) -> float:
    """Return Σ left − Σ right without intermediate rounding; 0 if it does not exceed the rounding error of the terms.

    Terms common to both sums cancel, so a tiny term in only one of them is not lost among large ones.

    >>> exact_difference([1.0, 1e-30], [1.0])
    1e-30
    >>> exact_difference([0.1, 0.2], [0.3])
    0.0
    """
    first, second = Counter(left), Counter(right)  # multisets, as the same term may be added several times
    rest = [*(first - second).elements(), *(-term for term in (second - first).elements())]
    difference = math.fsum(rest)
    return difference if abs(difference) > ROUNDING * sum(map(abs, rest)) else 0.0


@lru_cache(maxsize=128)
def tables(situations: tuple[Situation, ...], top: int) -> SituationTables:
    """Return the run, judgements, catalogue, history and users of situations.

    The history of a list has as many items of each topic as the topic weighs, all with the same rating: the user's profile
    equals the weights, and the users table gives the same profile. One more judged query, missing from the run, has the highest
    grade and a topic of its own.
    """
    import polars as pl

    topics: list[str] = [name for name in NAMES for _ in range(WEIGHS)]
    # one more query has an item of the highest grade, so that all situations are on the same scale
    judged: list[tuple[int, int, int, str, int]] = [(2 * len(situations), len(topics), top, "scale", 1)]
    topics.append("scale")
    lists: list[tuple[int, int]] = []
    learned: list[tuple[int, int]] = []
    profiles = {name: np.zeros(2 * len(situations)) for name in NAMES}
    for at, situation in enumerate(situations):
        rows = {item: row for row, item in enumerate(situation.items, len(topics))}
        topics += ["|".join(NAMES[topic] for topic in item.grades) for item in rows]
        # a history with as many items of a topic as it weighs, for metrics that learn interests from it
        had = [
            WEIGHS * topic + number
            for topic, weight in enumerate(situation.weights)
            for number in range(weight)
        ]
        for name, weight in zip(NAMES, situation.weights, strict=False):
            profiles[name][2 * at : 2 * at + 2] = weight / sum(situation.weights)
        pools = (situation.better, (*situation.worse, *situation.unlisted))
        for place, items in enumerate((situation.better, situation.worse)):
            query, pool = 2 * at + place, pools[place] if situation.apart else rows
            lists += [(query, rows[item]) for item in items]
            judged += [
                (query, rows[item], grade, NAMES[topic], situation.weights[topic])
                for item in pool
                for topic, grade in item.grades.items()
                if grade is not None
            ]
            learned += [(query, item) for item in had]
    queries, rated, grades, of_topics, weights = zip(*judged, strict=True)
    return SituationTables(
        Run(*map(list, zip(*lists, strict=True)), name="lists"),
        Qrels(queries, rated, grades, of_topics, topic_weight=weights),
        Items(list(range(len(topics))), pl.DataFrame({"topics": topics})),
        Qrels(*map(list, zip(*learned, strict=True)), name="train"),
        Users(list(range(2 * len(situations))), pl.DataFrame(profiles)),
    )
