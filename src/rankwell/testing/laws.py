"""Laws of metrics: functions of a metric and data that return whether the law holds."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from rankwell.evaluation.engines.memory import Memory
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers import read_run
from rankwell.results import Results
from rankwell.tables.run_qrels import Run
from rankwell.testing.data import Data


class LawBroken(AssertionError):
    """Raised if a law does not hold; the message names the law, the metric and the data."""


BATCHES = [(Memory(batch=1), 3), (Memory(batch=7), 1)]
OTHERS = ["coverage@1", "coverage@2", "ndcg(gain=exp2)@3", "judged@1", "ap(rel=2)", "span_p@1"]


def same(left: float, right: float) -> bool:
    """Whether two values are equal, or both undefined."""
    return left == right or (math.isnan(left) and math.isnan(right))


def equal(metric: Metric, left: Results, right: Results) -> bool:
    """Whether two results have exactly the same values of a metric."""
    return same(left[metric], right[metric]) and values_by_query(metric, left) == values_by_query(
        metric, right
    )


def values_by_query(metric: Metric, res: Results) -> dict[Any, float | None]:
    """Return the value of each query, None where it is undefined; all are None for a corpus metric."""
    if not isinstance(metric, QueryMetric):
        return dict.fromkeys(res.queries)
    values = res.values(metric).tolist()
    return {q: None if math.isnan(each) else each for q, each in zip(res.queries, values, strict=True)}


def judges_queries(metric: Metric) -> bool:
    """Whether a metric has a value for each judged query."""
    return metric.judgements and isinstance(metric, QueryMetric)


def what_is_judged(metric: Metric) -> str:
    """Return what the judgements of a metric are of: items, spans or nothing; metrics of items and of spans are asked for apart."""
    if not metric.judgements:
        return "nothing"
    return "spans" if "spans" in metric.needs else "items"


def round_trip(metric: Metric, _: Data) -> bool:
    """A metric's text, signature and pickle all give back an equal metric."""
    again = [metric_of(str(metric)), metric_of(metric.signature), pickle.loads(pickle.dumps(metric))]  # noqa: S301
    return all(each == metric and hash(each) == hash(metric) and str(each) == str(metric) for each in again)


def parts_add_up(metric: Metric, given: Data) -> bool:
    """Results of two disjoint sets of queries add up exactly to those of all, in either order."""
    whole = given.results(metric)
    judged = [query for query in given.run if query in given.qrels]
    if len(judged) < 2:
        return True
    first, others = judged[:1], [query for query in given.run if query not in judged[:1]]
    left, right = (given.results(metric, given.some_lists(tuple(keep))) for keep in (first, others))
    sums = given.kept((parts_add_up, given.evaluated(metric)), lambda: (left + right, right + left))
    return all(equal(metric, each, whole) for each in sums)


def batches_change_nothing(metric: Metric, given: Data) -> bool:
    """Batch size and number of threads do not change a single bit."""
    whole = given.results(metric)
    return all(
        equal(metric, given.results(metric, engine=engine, threads=threads), whole)
        for engine, threads in BATCHES
    )


def row_order_does_not_matter(metric: Metric, given: Data) -> bool:
    """Shuffling the rows, across queries too, does not change a single bit."""

    def shuffled() -> Run:
        rows = [(query, item, score) for query, items in given.run.items() for item, score in items.items()]
        random.Random(given.seed).shuffle(rows)  # noqa: S311 - data for tests
        query, item, score = (list(column) for column in zip(*rows, strict=True))
        return Run(query=query, item=item, score=score)

    run = given.kept(row_order_does_not_matter, shuffled)
    return equal(metric, given.results(metric, run), given.results(metric))


def queries_are_apart(metric: Metric, given: Data) -> bool:
    """A query's value does not depend on the other queries of the run."""
    if not judges_queries(metric):
        return True
    whole = values_by_query(metric, given.results(metric))
    judged = [query for query in given.run if query in given.qrels]
    return all(
        values_by_query(metric, given.results(metric, given.some_lists((query,)))) == {query: whole[query]}
        for query in judged
    )


def judgements_are_apart(metric: Metric, given: Data) -> bool:
    """A query's value does not depend on the judgements of other queries."""
    judged = [query for query in given.run if query in given.qrels]
    if not judges_queries(metric) or not judged:
        return True
    own = {judged[0]: given.qrels[judged[0]]}
    alone = given.kept(judgements_are_apart, lambda: replace(given, qrels=own)).results(metric)
    whole = values_by_query(metric, given.results(metric))
    return values_by_query(metric, alone) == {judged[0]: whole[judged[0]]}


def other_metrics_change_nothing(metric: Metric, given: Data) -> bool:
    """Other metrics evaluated at the same time do not change a single bit."""
    alone = given.results(metric, alone=True)
    others = [each for each in OTHERS if what_is_judged(metric_of(each)) == what_is_judged(metric)]
    together = [given.results(metric), given.results(metric, others=others)]
    if not isinstance(metric, QueryMetric):
        return all(same(alone[metric], each[metric]) for each in together)
    return all(equal(metric, alone, each) for each in together)


def runs_are_apart(metric: Metric, given: Data) -> bool:
    """An evaluator gives the same values as a new one, whatever it evaluated before or evaluates on other threads."""
    found = given.kept(
        (runs_are_apart, given.evaluated(metric)), lambda: _evaluated_in_turn(given.evaluated(metric), given)
    )
    return all(equal(metric, each, fresh) for fresh, *others in found for each in others)


def _evaluated_in_turn(metrics: tuple[Metric, ...], given: Data) -> list[tuple[Results, ...]]:
    """Results of two runs: each of a new evaluator, of one that evaluated the other run before, and of one on two threads."""
    reads = frozenset[str]().union(*(metric.needed() | metric.needs for metric in metrics))
    tables: dict[str, Any] = {}
    if not reads & {"catalogue", "features", "collection_size"}:
        tables["items"] = None  # so that the catalogue is each run's own items
    if not reads & {"history", "counts"}:
        tables["train"] = None
    runs = {str(place): read_run(run) for place, run in enumerate((given.other_run(), given.run))}
    evaluators = {name: given.new_evaluator(metrics, **tables) for name in runs}
    fresh = {name: evaluators[name].evaluate(run) for name, run in runs.items()}
    later = {
        name: evaluators[other].evaluate(runs[name]) for name, other in zip(runs, reversed(runs), strict=True)
    }
    threaded = given.new_evaluator(metrics, **tables, threads=len(runs)).evaluate_all(runs)
    return [(fresh[name], later[name], threaded[name]) for name in runs]


def negative_grades_are_unjudged(metric: Metric, given: Data) -> bool:
    """Under ``negative=unjudged``, extra rows with a grade below 0 do not change any value or count."""
    more = given.kept(negative_grades_are_unjudged, given.with_negative_rows)
    here, there, name = given.results(metric), more.results(metric), str(metric)
    return (
        equal(metric, here, there)
        and here.n[name] == there.n[name]
        and here.undefined.get(name) == there.undefined.get(name)
    )


def names_do_not_matter(metric: Metric, given: Data) -> bool:
    """Renaming ids without changing their order does not change a single bit."""

    def renamed(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {_other(query): {_other(item): x for item, x in row.items()} for query, row in table.items()}

    named = given.kept(
        names_do_not_matter, lambda: replace(given, run=renamed(given.run), qrels=renamed(given.qrels))
    )
    there = named.results(metric, rename=_other)
    here = given.results(metric)
    values = {_other(query): value for query, value in values_by_query(metric, here).items()}
    return values_by_query(metric, there) == values and same(here[metric], there[metric])


def _other(name: str) -> str:
    """Another id, which has the same place among others of its kind."""
    return f"~{name}"


def values_are_in_range(metric: Metric, given: Data) -> bool:
    """Every value is undefined or within the metric's range."""
    res = given.results(metric, policy=Policy(grades="judgements", outside="ignore"))
    values = [res[metric]]
    values += [value for value in values_by_query(metric, res).values() if value is not None]
    low, high = metric.range
    return all(math.isnan(value) or low - 1e-12 <= value <= high + 1e-12 for value in values)


def only_the_first_k_count(metric: Metric, given: Data) -> bool:
    """Items below the cut-off do not change the value."""
    if metric.k is None:
        return True

    def cut() -> Run:
        lists = {query: sorted(items.items(), key=_place, reverse=True) for query, items in given.run.items()}
        return read_run({query: dict(rows[: metric.k]) for query, rows in lists.items()})

    run = given.kept((only_the_first_k_count, metric.k), cut)
    return equal(metric, given.results(metric, run), given.results(metric))


def _place(row: tuple[str, float]) -> tuple[float, bytes]:
    """What lists are sorted by, the highest first: the score, and then the id."""
    item, score = row
    return score, item.encode()


def a_better_list_scores_no_worse(metric: Metric, given: Data) -> bool:
    """Swapping two neighbours so that the higher grade comes first does not lower a metric of relevance."""
    is_of_scores = "score" in metric.needed()  # of predicted ratings, whatever the order
    if not metric.judgements or metric.better != "higher" or is_of_scores:
        return True
    return all(
        not given.results(metric, after)[metric] < given.results(metric, before)[metric] - 1e-12
        for before, after in given.kept(a_better_list_scores_no_worse, lambda: _swaps(given))
    )


def _swaps(given: Data) -> list[tuple[Run, Run]]:
    """Single lists, each with the list in which two neighbours are swapped so that the higher grade comes first."""
    found = []
    for query, items in given.run.items():
        grades = given.qrels.get(query, {})
        ranked = [item for item, _ in sorted(items.items(), key=_place, reverse=True)]
        pairs = [(grades.get(upper, 0), grades.get(lower, 0)) for upper, lower in pairwise(ranked)]
        places = [place for place, (upper, lower) in enumerate(pairs) if lower > max(upper, 0)]
        before = read_run({query: ranked})
        for place in places[:2]:
            swapped = [*ranked[:place], ranked[place + 1], ranked[place], *ranked[place + 2 :]]
            found.append((before, read_run({query: swapped})))
    return found


def nothing_is_lost(metric: Metric, given: Data) -> bool:
    """Every judged query has a value or counts as undefined, even if the run lacks it or lists only one item."""
    if not judges_queries(metric):
        return True
    res = given.results(metric, policy=Policy(grades="judgements"))
    without = sum(res.undefined.get(str(metric), {}).values())
    return res.n[str(metric)] + without == len(given.qrels) == len(res.queries)


def best_and_worst_bracket_expected(metric: Metric, given: Data) -> bool:
    """The expected value over tie orders lies between the values under the worst and the best order."""
    if not metric.has_expected_value() or metric.better != "higher" or not metric.judgements:
        return True
    low, middle, high = (
        given.results(metric, policy=Policy(grades="judgements", ties=ties, outside="ignore"))[metric]
        for ties in ("worst", "expected", "best")
    )
    return math.isnan(middle) or low - 1e-12 <= middle <= high + 1e-12


LAWS: dict[str, Callable[[Metric, Data], bool]] = {
    law.__name__.replace("_", " "): law
    for law in (
        round_trip,
        parts_add_up,
        batches_change_nothing,
        row_order_does_not_matter,
        queries_are_apart,
        judgements_are_apart,
        other_metrics_change_nothing,
        runs_are_apart,
        negative_grades_are_unjudged,
        names_do_not_matter,
        values_are_in_range,
        only_the_first_k_count,
        a_better_list_scores_no_worse,
        nothing_is_lost,
        best_and_worst_bracket_expected,
    )
}
