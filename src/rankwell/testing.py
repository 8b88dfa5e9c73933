"""Laws that every metric, reader and engine keeps, and random data to try them on; needs the extra ``test``.

``check_metric(metric)`` is what a new metric is tested with: it raises :class:`LawBroken` with the law and the data.
"""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.base import Metric
from rankwell.engines import Engine
from rankwell.engines.memory import Memory
from rankwell.evaluation import Evaluator
from rankwell.metrics import metric_of
from rankwell.policy import Policy
from rankwell.readers import read_qrels, read_run
from rankwell.results import Results
from rankwell.tables import Run

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

JUDGED = Policy(grades="judgements", missing="skip", outside="ignore")
ITEMS = ["a", "ab", "b", "B", "é", "日本", "10", "9", "z" * 12, "A1", "c", "d"]
QUERIES = ["1", "2", "10", "q", "ü"]


class LawBroken(AssertionError):
    """A law does not hold; the message names it, the metric and the data."""


@dataclass(frozen=True)
class Data:
    """A run and qrels as dicts: ties, unjudged and negative grades, queries that only one of them has."""

    run: dict[str, dict[str, float]]
    qrels: dict[str, dict[str, int]]
    seed: int = 0

    def results(self, metric: Metric, run: Any = None, **options: Any) -> Results:
        """Evaluate one metric on these data, or on another run against the same qrels."""
        policy = options.pop("policy", JUDGED)
        judgements = self.qrels if metric.judgements else None
        evaluator = Evaluator(judgements, metric, items=ITEMS, policy=policy, **options)
        return evaluator.evaluate(self.run if run is None else run)


def example(seed: int) -> Data:
    """Return small random data, the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 - data for tests
    near = [1 + each * 1e-9 for each in range(5)]
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
    run.setdefault("1", {"a": 1.0, "b": 1.0, "c": 0.5})
    qrels.setdefault("1", {"a": 1, "c": 2, "é": 0})
    return Data(run, qrels, seed)


def data() -> SearchStrategy[Data]:
    """Return a Hypothesis strategy of such data."""
    from hypothesis import strategies as st

    score = st.sampled_from([-1.0, 0.0, 0.5, 0.5000000001, 1.0, 1.0, 2.0])
    lists = st.dictionaries(st.sampled_from(ITEMS), score, min_size=1)
    grades = st.dictionaries(st.sampled_from(ITEMS), st.integers(-1, 3), min_size=1)
    run = st.dictionaries(st.sampled_from(QUERIES), lists)
    qrels = st.dictionaries(st.sampled_from(QUERIES), grades)
    return st.builds(lambda r, q: Data({"1": {"a": 1.0}} | r, {"1": {"a": 1}} | q), run, qrels)


def _same(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


def _equal(metric: Metric, left: Results, right: Results) -> bool:
    return _same(left[metric], right[metric]) and left.per_query.equals(right.per_query)


def round_trip(metric: Metric, _: Data) -> bool:
    """The text and the signature parse back to an equal metric, and so does its pickle."""
    again = [metric_of(str(metric)), metric_of(metric.signature), pickle.loads(pickle.dumps(metric))]  # noqa: S301
    return all(each == metric and hash(each) == hash(metric) and str(each) == str(metric) for each in again)


def parts_add_up(metric: Metric, given: Data) -> bool:
    """The results of two halves of the queries add up to those of all, in either order, to the last bit."""
    whole = given.results(metric)
    judged = [query for query in given.run if query in given.qrels]
    if len(judged) < 2:
        return True
    first, others = judged[:1], [query for query in given.run if query not in judged[:1]]
    halves = [given.results(metric, {query: given.run[query] for query in keep}) for keep in (first, others)]
    left, right = halves
    return _equal(metric, left + right, whole) and _equal(metric, right + left, whole)


def batches_change_nothing(metric: Metric, given: Data) -> bool:
    """The size of a batch and the number of threads change no bit."""
    whole = given.results(metric)
    cuts = [(1, 1), (3, 1), (1, 3), (7, 2)]
    return all(
        _equal(metric, given.results(metric, engine=Memory(batch=b), threads=t), whole) for b, t in cuts
    )


def row_order_does_not_matter(metric: Metric, given: Data) -> bool:
    """Shuffled rows, with the queries scattered, change no bit."""
    rows = [(query, item, score) for query, items in given.run.items() for item, score in items.items()]
    random.Random(given.seed).shuffle(rows)  # noqa: S311 - data for tests
    query, item, score = (list(column) for column in zip(*rows, strict=True))
    return _equal(
        metric, given.results(metric, Run(query=query, item=item, score=score)), given.results(metric)
    )


def queries_are_apart(metric: Metric, given: Data) -> bool:
    """A query's value does not depend on the other queries of the run."""
    if not metric.judgements:
        return True
    whole = given.results(metric).per_query
    for query in given.run:
        if query in given.qrels:
            alone = given.results(metric, {query: given.run[query]}).per_query
            if not alone.equals(whole.filter(whole["query"] == query)):
                return False
    return True


def values_are_in_range(metric: Metric, given: Data) -> bool:
    """Every value is undefined or lies in the metric's range."""
    res = given.results(metric, policy=Policy(grades="judgements", outside="ignore"))
    values = [res[metric]]
    if str(metric) in res.per_query.columns:
        values += res.per_query[str(metric)].drop_nulls().to_list()
    low, high = metric.range
    return all(math.isnan(value) or low - 1e-12 <= value <= high + 1e-12 for value in values)


def only_the_first_k_count(metric: Metric, given: Data) -> bool:
    """With a cut-off, what stands below it changes nothing; without one in the text, everything counts."""
    if metric.k is None:
        return True
    cut = {
        query: dict(
            sorted(items.items(), key=lambda each: (each[1], each[0].encode()), reverse=True)[: metric.k]
        )
        for query, items in given.run.items()
    }
    return _equal(metric, given.results(metric, cut), given.results(metric))


def a_better_list_scores_no_worse(metric: Metric, given: Data) -> bool:
    """Swapping two neighbours so that the higher grade comes first does not lower a metric of relevance."""
    if not metric.judgements or metric.better != "higher":
        return True
    for query, items in given.run.items():
        grades = given.qrels.get(query, {})
        ranked = sorted(items, key=lambda item: (items[item], item.encode()), reverse=True)
        pairs = [(grades.get(upper, 0), grades.get(lower, 0)) for upper, lower in pairwise(ranked)]
        places = [place for place, (upper, lower) in enumerate(pairs) if lower > max(upper, 0)]
        for place in places[:2]:
            swapped = [*ranked[:place], ranked[place + 1], ranked[place], *ranked[place + 2 :]]
            before = given.results(metric, {query: ranked})[metric]
            if given.results(metric, {query: swapped})[metric] < before - 1e-12:
                return False
    return True


def nothing_is_lost(metric: Metric, given: Data) -> bool:
    """Each judged query has a value or is counted as undefined, also if the run lacks it or lists one item."""
    if not metric.judgements:
        return True
    res = given.results(metric, policy=Policy(grades="judgements"))
    without = sum(res.undefined.get(str(metric), {}).values())
    return res.n[str(metric)] + without == len(given.qrels) == len(res.per_query)


LAWS: dict[str, Callable[[Metric, Data], bool]] = {
    law.__name__.replace("_", " "): law
    for law in (
        round_trip,
        parts_add_up,
        batches_change_nothing,
        row_order_does_not_matter,
        queries_are_apart,
        values_are_in_range,
        only_the_first_k_count,
        a_better_list_scores_no_worse,
        nothing_is_lost,
    )
}


def check_metric(metric: str | Metric | type[Metric], *, cases: int = 25, seed: int = 0) -> None:
    """Try every law on a metric; a law that it declares not to keep (``Metric.breaks``) is left out.

    Raises
    ------
    LawBroken
        With the law, the metric and the data for which it fails.

    Examples
    --------
    >>> check_metric("ndcg@3", cases=3)
    """
    made = metric_of(metric)
    for name, law in LAWS.items():
        if name in made.breaks():
            continue
        for given in examples(cases, seed):
            if not law(made, given):
                raise LawBroken(f"{made} breaks the law “{name}”: {law.__doc__} Data: {given}")


def examples(cases: int, seed: int = 0) -> Iterator[Data]:
    """Yield random data."""
    return (example(seed * 1_000_003 + number) for number in range(cases))


def check_reader(
    write_run: Callable[[Data, Path], None],
    write_qrels: Callable[[Data, Path], None],
    folder: Path,
    *,
    suffix: str,
    cases: int = 10,
) -> None:
    """Write data in a format, read them back, and compare with the dicts: the values have the same bits.

    Raises
    ------
    LawBroken
        If they differ.
    """
    metrics = ["ap", "ndcg@3", "rr", "p@2", "judged@3"]
    for given in examples(cases):
        run, qrels = folder / f"run{given.seed}{suffix}", folder / f"qrels{given.seed}{suffix}"
        write_run(given, run)
        write_qrels(given, qrels)
        theirs = Evaluator(given.qrels, metrics, policy=JUDGED).evaluate(given.run)
        ours = Evaluator(read_qrels(qrels), metrics, policy=JUDGED).evaluate(read_run(run))
        if not ours.per_query.equals(theirs.per_query) or ours.mean != theirs.mean:
            raise LawBroken(f"{suffix}: the values differ from those of the dicts. Data: {given}")


def check_engine(engine: Engine, *, cases: int = 10) -> None:
    """Compare an engine with the one for memory.

    Raises
    ------
    LawBroken
        If a value differs.
    """
    for given in examples(cases):
        for metric in map(metric_of, ("ap", "ndcg@3", "err", "coverage@2")):
            if not _equal(metric, given.results(metric, engine=engine), given.results(metric)):
                raise LawBroken(f"{engine.name}: {metric} differs from the engine for memory. Data: {given}")
