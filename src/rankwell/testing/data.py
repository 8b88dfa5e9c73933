"""Random data to check laws on."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeVar

from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels, read_run
from rankwell.readers.items_users import read_catalogue, read_users
from rankwell.results import Results
from rankwell.tables.columns import SPAN
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
JUDGED = Policy(grades="judgements", missing="skip", outside="ignore")
# orders that a sort by anything but the bytes gets wrong: capitals, letters of two and three bytes, numbers of one and two digits
ITEMS = ["a", "ab", "b", "B", "é", "日本", "10", "9", "z" * 12, "A1", "c", "d"]
QUERIES = ["1", "2", "10", "q", "ü"]
TOPICS = ["x|y", "x", "y|z", None, "z", "x|y|z", "v", "x", "w", "y", None, "z"]
NUMBERS = [1.0, -0.5, 2.0, 0.0, 0.25, 3.0, -1.0, 0.0, 1.5, 0.5, None, 2.5]
GROUPS = ["red", "blue", "red", None, "blue", "blue", "red", "red", "blue", "red", "blue", "red"]
CHANCES = [0.5, 0.25, 1.0, 0.1, 0.3, 0.75, 0.05, 0.9, 0.2, 0.6, 1.0, 0.4]
SUPPORT = [1.0, 0.0, 0.5, None, 1.0]
SPANS = [(f"d{row % 3}", 10 * (row // 3), 10 * (row // 3) + 15) for row in range(len(ITEMS))]  # of the items
LIKES: dict[str, list[float | None]] = {
    "x": [0.5, 0.0, 0.25],
    "y": [0.5, None, 0.0],
    "z": [0.0, 1.0, 0.75],
}  # one value per query, for the first three
TRAIN = {
    "1": {"a": 1, "b": 3, "d": 2},
    "2": {"a": 2, "B": 1},
    "q": {"a": 3, "ab": 1, "10": 2, "c": 1},
    "ü": {"9": 2},
    "another": {"a": 1, "b": 1, "A1": 2},
}


@dataclass(frozen=True, eq=False)
class Data:
    """A run and qrels as dicts, with ties, unjudged items, negative grades, and queries that only one of them has.

    Metrics in ``beside`` are evaluated together whenever one of them is asked for. Tables and results that several laws use are
    computed once.
    """

    run: dict[str, dict[str, float]]
    qrels: dict[str, dict[str, int]]
    seed: int = 0
    beside: tuple[Metric, ...] = field(default=(), repr=False)
    _cache: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def results(self, metric: Metric, run: Run | None = None, **options: Any) -> Results:
        """Evaluate a metric and those beside it, or it ``alone``, optionally with ``others``, on these data or on another run."""
        evaluated = (metric,) if options.pop("alone", False) else self.evaluated(metric)
        evaluator = self.evaluator([*evaluated, *map(metric_of, options.pop("others", ()))], **options)
        lists = self.some_lists(tuple(self.run)) if run is None else run
        return self.cached((evaluator, lists), lambda: evaluator.evaluate(fit_run(lists, evaluator.metrics)))

    def evaluated(self, metric: Metric) -> tuple[Metric, ...]:
        """Return the metrics that are evaluated when this one is asked for."""
        return self.beside if metric in self.beside else (metric,)

    def evaluator(self, metrics: Sequence[Metric], **options: Any) -> Evaluator:
        """Return a cached evaluator of metrics, without judgements if no metric reads them."""
        key = (tuple(metrics), tuple(options.items()))
        return self.cached(key, lambda: self.new_evaluator(metrics, **options))

    def new_evaluator(self, metrics: Sequence[Metric], **options: Any) -> Evaluator:
        """Return a new evaluator of metrics, which has not evaluated anything yet."""
        policy, rename = options.pop("policy", JUDGED), options.pop("rename", str)
        if any("sizes" in metric.needed() for metric in metrics):
            policy = replace(policy, sizes="weight")
        chances = dict(zip(map(rename, ITEMS), CHANCES, strict=True))
        judgements = (
            self.judgements(metrics, chances) if any(metric.judgements for metric in metrics) else None
        )
        tables = read_tables(rename)
        return Evaluator(judgements, metrics, policy=policy, **tables | options)

    def some_lists(self, queries: tuple[str, ...]) -> Run:
        """Return the lists of some queries as a Run."""
        return self.cached(queries, lambda: read_run({query: self.run[query] for query in queries}))

    def lists(self, metrics: Sequence[Metric]) -> Run:
        """Return the run, with what metrics need of its rows."""
        return fit_run(self.some_lists(tuple(self.run)), metrics)

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make`` returned when it was first called for this key."""
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    def other_run(self) -> dict[str, dict[str, float]]:
        """Return another run of the same queries: with lists of other queries, or reversed with an item less."""
        if self.seed % 2:
            lists = list(self.run.values())
            return dict(zip(self.run, lists[1:] + lists[:1], strict=True))
        scores = sorted({score for items in self.run.values() for score in items.values()})
        turned = dict(zip(scores, reversed(scores), strict=True))
        return {
            query: {item: turned[score] for item, score in list(items.items())[len(items) > 1 :]}
            for query, items in self.run.items()
        }

    def fit(self, metric: Metric) -> Data:
        """Return the data with no other scores and grades than those that a metric takes."""
        if not metric.only_scores and not metric.only_grades:
            return self
        run, qrels = _of_few(self.run, metric.only_scores), _of_few(self.qrels, metric.only_grades)
        return replace(self, run=run, qrels=qrels)

    def with_negative_rows(self) -> Data:
        """Return the data with two grades of −1 added per judged query, on a listed and an unlisted item if possible."""
        rng = random.Random(self.seed)  # noqa: S311 - data for tests
        qrels = {}
        for query, grades in self.qrels.items():
            listed = self.run.get(query, {})
            without = [item for item in {**listed, **dict.fromkeys(ITEMS)} if item not in grades]
            parts = ([item for item in without if (item in listed) is is_in] for is_in in (True, False))
            qrels[query] = grades | {rng.choice(part): -1 for part in parts if part}
        return replace(self, qrels=qrels)

    def judgements(self, metrics: Sequence[Metric], chances: Mapping[str, float]) -> Any:
        """Return the qrels, with topics or propensities if a metric needs them, or of spans.

        An item has one of two topics or both, depending on its position in its query. The span in place of an item has the last part of
        the item's own, and a part of what follows.
        """
        needs = frozenset[str]().union(*(metric.needed() for metric in metrics))
        if "spans" in needs:
            gold = {
                item: f"{document}:{start + 8}-{end + 3}"
                for item, (document, start, end) in zip(chances, SPANS, strict=True)
            }
            return self.cached(
                "spans",
                lambda: read_qrels(
                    {
                        query: {gold[item]: grade for item, grade in row.items()}
                        for query, row in self.qrels.items()
                    }
                ),
            )
        if not needs & {"topics", "propensity"}:
            return self.cached("qrels", lambda: read_qrels(self.qrels))
        rows = [
            (query, item, grade, topic)
            for query, items in self.qrels.items()
            for place, (item, grade) in enumerate(items.items())
            for topic in (("xy", "x", "y")[place % 3] if "topics" in needs else "x")
        ]
        query, item, grade, topic = (list(column) for column in zip(*rows, strict=True))
        weights = [chances[name] for name in item] if "propensity" in needs else None
        return Qrels(query, item, grade, topic if "topics" in needs else None, propensity=weights)


def fit_run(run: Run, metrics: Sequence[Metric]) -> Run:
    """Return the run with parts and support if metrics need them; those of a row depend on its item alone."""
    if not any("parts" in metric.needs for metric in metrics):
        return run
    table = run.rows.table()
    places = [ITEMS.index(str(item).removeprefix("~")) for item in table.item.tolist()]
    key: dict[str, Any] = {"rank" if table.by_rank else "score": table.key + int(table.by_place)}
    part, support = [place % 3 for place in places], [SUPPORT[place % len(SUPPORT)] for place in places]
    return Run(table.query, table.item, **key, part=part, support=support, name=run.name)


def _of_few(table: dict[str, dict[str, Any]], allowed: Sequence[float]) -> dict[str, dict[str, Any]]:
    """The same table with every number replaced by one of those that are allowed, equal ones by the same; itself if all are."""
    if not allowed:
        return table
    numbers = sorted({number for items in table.values() for number in items.values()})
    meant = dict(zip(numbers, cycle(allowed), strict=False))
    return {query: {item: meant[number] for item, number in items.items()} for query, items in table.items()}


def tables_of(rename: Callable[[str], str] = str) -> dict[str, Any]:
    """Return the tables that metrics may need besides judgements: items, train and users."""
    items = [
        {"item": rename(item), "topics": topics, "numbers": number, "group": group, "weight": 1.0 + row}
        | dict(zip(SPAN, SPANS[row], strict=True))
        for row, (item, topics, number, group) in enumerate(zip(ITEMS, TOPICS, NUMBERS, GROUPS, strict=True))
    ]
    train = {
        rename(query): {rename(item): grade for item, grade in row.items()} for query, row in TRAIN.items()
    }
    users = [
        {"query": rename(query), **{topic: row[place] for topic, row in LIKES.items()}}
        for place, query in enumerate(QUERIES[:3])
    ]
    return {"items": items, "train": train, "users": users}


@cache
def read_tables(rename: Callable[[str], str] = str) -> dict[str, Any]:
    """Return the same tables as typed tables."""
    tables = tables_of(rename)
    return {
        "items": read_catalogue(tables["items"]),
        "train": read_qrels(tables["train"], name="train"),
        "users": read_users(tables["users"]),
    }


def example(seed: int) -> Data:
    """Return a small random data set, the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 - data for tests
    near = [1 + step * 1e-9 for step in range(5)]  # different as doubles, equal in single precision
    # few scores make many ties, drawn ones none
    kinds: list[list[float]] = [[1, 2, 3], [rng.gauss(0, 1) for _ in range(9)], near]
    scores = rng.choice(kinds)
    run, qrels = {}, {}
    for query in QUERIES:
        if rng.random() < 0.8:
            run[query] = {
                item: float(rng.choice(scores)) for item in rng.sample(ITEMS, rng.randint(1, len(ITEMS)))
            }
        if rng.random() < 0.8:
            chosen = rng.sample(ITEMS, rng.randint(1, len(ITEMS)))
            qrels[query] = {item: rng.choice([-1, 0, 0, 1, 1, 2, 3]) for item in chosen}
    # one query in both, so that there is always something to evaluate
    run.setdefault("1", {"a": 1.0, "b": 1.0, "c": 0.5})
    qrels.setdefault("1", {"a": 1, "c": 2, "é": 0})
    return Data(run, qrels, seed)


def data() -> SearchStrategy[Data]:
    """Return a Hypothesis strategy for data sets."""
    from hypothesis import strategies as st

    score = st.sampled_from([-1.0, 0.0, 0.5, 0.5000000001, 1.0, 1.0, 2.0])
    lists = st.dictionaries(st.sampled_from(ITEMS), score, min_size=1)
    grades = st.dictionaries(st.sampled_from(ITEMS), st.integers(-1, 3), min_size=1)
    run = st.dictionaries(st.sampled_from(QUERIES), lists)
    qrels = st.dictionaries(st.sampled_from(QUERIES), grades)
    return st.builds(lambda r, q: Data({"1": {"a": 1.0}} | r, {"1": {"a": 1}} | q), run, qrels)


def examples(cases: int | Iterable[int], seed: int = 0) -> Iterator[Data]:
    """Return an iterator of random data sets: this many, or those with these numbers."""
    numbers = range(cases) if isinstance(cases, int) else cases
    # a prime, beyond any number of cases that somebody tries: those of two seeds have none in common
    return (example(seed * 1_000_003 + number) for number in numbers)
