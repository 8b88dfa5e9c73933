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
from rankwell.testing.data import Data, fit_run


class LawBroken(AssertionError):
    """Raised if a law does not hold; the message names the law, the metric and the data."""


# lists one by one, and a few together, so that batches end where others do not; results must not differ in a bit
BATCHES = [(Memory(batch=1), 3), (Memory(batch=7), 1)]
# metrics that share tables and cached values with most others, at other cut-offs and thresholds
OTHERS = ["coverage@1", "coverage@2", "ndcg(gain=exp2)@3", "judged@1", "ap(rel=2)", "span_p@1"]


def same(first: float, second: float) -> bool:
    """Whether two values are equal, or both undefined."""
    return first == second or (math.isnan(first) and math.isnan(second))


def equal(metric: Metric, first: Results, second: Results) -> bool:
    """Whether two results have exactly the same values of a metric."""
    return same(first[metric], second[metric]) and values_by_query(metric, first) == values_by_query(
        metric, second
    )


def values_by_query(metric: Metric, res: Results) -> dict[Any, float | None]:
    """Return the value of each query, None where it is undefined; all are None for a corpus metric."""
    if not isinstance(metric, QueryMetric):
        return dict.fromkeys(res.queries)
    values = res.values(metric).tolist()
    return {q: None if math.isnan(value) else value for q, value in zip(res.queries, values, strict=True)}


def judges_queries(metric: Metric) -> bool:
    """Whether a metric has a value for each judged query."""
    return metric.judgements and isinstance(metric, QueryMetric)


def what_is_judged(metric: Metric) -> str:
    """Return what a metric reads of judgements, items, spans or nothing, or parts of lists; metrics of other ones are asked for apart."""
    if "parts" in metric.needs:
        return "parts"
    if not metric.judgements:
        return "nothing"
    return "spans" if "spans" in metric.needs else "items"


def round_trip(metric: Metric, _: Data) -> bool:
    """A metric's text, signature and pickle all give back an equal metric."""
    again = [metric_of(str(metric)), metric_of(metric.signature), pickle.loads(pickle.dumps(metric))]  # noqa: S301
    return all(copy == metric and hash(copy) == hash(metric) and str(copy) == str(metric) for copy in again)


def parts_add_up(metric: Metric, data: Data) -> bool:
    """Results of two disjoint sets of queries add up exactly to those of all, in either order."""
    whole = data.results(metric)
    judged = [query for query in data.run if query in data.qrels]
    if len(judged) < 2:
        return True
    first, rest = judged[:1], [query for query in data.run if query not in judged[:1]]
    one, other = (data.results(metric, data.some_lists(tuple(keep))) for keep in (first, rest))
    sums = data.cached((parts_add_up, data.evaluated(metric)), lambda: (one + other, other + one))
    return all(equal(metric, total, whole) for total in sums)


def batches_change_nothing(metric: Metric, data: Data) -> bool:
    """Batch size and number of threads do not change a single bit."""
    whole = data.results(metric)
    return all(
        equal(metric, data.results(metric, engine=engine, threads=threads), whole)
        for engine, threads in BATCHES
    )


def row_order_does_not_matter(metric: Metric, data: Data) -> bool:
    """Shuffling the rows, across queries too, does not change a single bit."""

    def shuffled() -> Run:
        rows = [(query, item, score) for query, items in data.run.items() for item, score in items.items()]
        random.Random(data.seed).shuffle(rows)  # noqa: S311 - data for tests
        query, item, score = (list(column) for column in zip(*rows, strict=True))
        return Run(query=query, item=item, score=score)

    run = data.cached(row_order_does_not_matter, shuffled)
    return equal(metric, data.results(metric, run), data.results(metric))


def queries_are_apart(metric: Metric, data: Data) -> bool:
    """A query's value does not depend on the other queries of the run."""
    if not judges_queries(metric):
        return True
    whole = values_by_query(metric, data.results(metric))
    judged = [query for query in data.run if query in data.qrels]
    return all(
        values_by_query(metric, data.results(metric, data.some_lists((query,)))) == {query: whole[query]}
        for query in judged
    )


def judgements_are_apart(metric: Metric, data: Data) -> bool:
    """A query's value does not depend on the judgements of other queries."""
    judged = [query for query in data.run if query in data.qrels]
    if not judges_queries(metric) or not judged:
        return True
    own = {judged[0]: data.qrels[judged[0]]}
    alone = data.cached(judgements_are_apart, lambda: replace(data, qrels=own)).results(metric)
    whole = values_by_query(metric, data.results(metric))
    return values_by_query(metric, alone) == {judged[0]: whole[judged[0]]}


def other_metrics_change_nothing(metric: Metric, data: Data) -> bool:
    """Other metrics evaluated at the same time do not change a single bit."""
    alone = data.results(metric, alone=True)
    others = [name for name in OTHERS if what_is_judged(metric_of(name)) == what_is_judged(metric)]
    together = [data.results(metric), data.results(metric, others=others)]
    if not isinstance(metric, QueryMetric):
        return all(same(alone[metric], res[metric]) for res in together)
    return all(equal(metric, alone, res) for res in together)


def runs_are_apart(metric: Metric, data: Data) -> bool:
    """An evaluator gives the same values as a new one, whatever it evaluated before or evaluates on other threads."""
    results = data.cached(
        (runs_are_apart, data.evaluated(metric)), lambda: _evaluated_in_turn(data.evaluated(metric), data)
    )
    return all(equal(metric, res, fresh) for fresh, *others in results for res in others)


def _evaluated_in_turn(metrics: tuple[Metric, ...], data: Data) -> list[tuple[Results, ...]]:
    """Results of two runs: each of a new evaluator, of one that evaluated the other run before, and of one on two threads."""
    reads = frozenset[str]().union(*(metric.needed() | metric.needs for metric in metrics))
    tables: dict[str, Any] = {}
    if not reads & {"catalogue", "features", "collection_size", "sizes"}:
        tables["items"] = None  # so that the catalogue is each run's own items
    if not reads & {"history", "counts"}:
        tables["train"] = None
    runs = {
        str(place): fit_run(read_run(run), metrics) for place, run in enumerate((data.other_run(), data.run))
    }
    evaluators = {name: data.new_evaluator(metrics, **tables) for name in runs}
    fresh = {name: evaluators[name].evaluate(run) for name, run in runs.items()}
    later = {
        name: evaluators[other].evaluate(runs[name]) for name, other in zip(runs, reversed(runs), strict=True)
    }
    threaded = data.new_evaluator(metrics, **tables, threads=len(runs)).evaluate_all(runs)
    return [(fresh[name], later[name], threaded[name]) for name in runs]


def negative_grades_are_unjudged(metric: Metric, data: Data) -> bool:
    """Under ``negative=unjudged``, extra rows with a grade below 0 do not change any value or count."""
    more = data.cached(negative_grades_are_unjudged, data.with_negative_rows)
    ours, theirs, name = data.results(metric), more.results(metric), str(metric)
    return (
        equal(metric, ours, theirs)
        and ours.n[name] == theirs.n[name]
        and ours.undefined.get(name) == theirs.undefined.get(name)
    )


def names_do_not_matter(metric: Metric, data: Data) -> bool:
    """Renaming ids without changing their order does not change a single bit."""

    def renamed(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {_other(query): {_other(item): x for item, x in row.items()} for query, row in table.items()}

    named = data.cached(
        names_do_not_matter, lambda: replace(data, run=renamed(data.run), qrels=renamed(data.qrels))
    )
    theirs = named.results(metric, rename=_other)
    ours = data.results(metric)
    values = {_other(query): value for query, value in values_by_query(metric, ours).items()}
    return values_by_query(metric, theirs) == values and same(ours[metric], theirs[metric])


def _other(name: str) -> str:
    """Another id, which has the same place among others of its kind."""
    return f"~{name}"


def values_are_in_range(metric: Metric, data: Data) -> bool:
    """Every value is undefined or within the metric's range."""
    res = data.results(metric, policy=Policy(grades="judgements", outside="ignore"))
    values = [res[metric]]
    values += [value for value in values_by_query(metric, res).values() if value is not None]
    low, high = metric.range
    # a sum of rounded shares may pass the end of the range in its last bits
    return all(math.isnan(value) or low - 1e-12 <= value <= high + 1e-12 for value in values)


def only_the_first_k_count(metric: Metric, data: Data) -> bool:
    """Items below the cut-off do not change the value."""
    if metric.k is None:
        return True

    def cut() -> Run:
        lists = {query: sorted(items.items(), key=_place, reverse=True) for query, items in data.run.items()}
        return read_run({query: dict(rows[: metric.k]) for query, rows in lists.items()})

    run = data.cached((only_the_first_k_count, metric.k), cut)
    return equal(metric, data.results(metric, run), data.results(metric))


def _place(row: tuple[str, float]) -> tuple[float, bytes]:
    """What lists are sorted by, the highest first: the score, and then the id."""
    item, score = row
    return score, item.encode()


def a_better_list_scores_no_worse(metric: Metric, data: Data) -> bool:
    """Swapping two neighbours so that the higher grade comes first does not lower a metric of relevance.

    At a budget it may: an item that is larger leaves less room.
    """
    is_of_scores = "score" in metric.needed()  # of predicted ratings, whatever the order
    if not metric.judgements or metric.better != "higher" or is_of_scores or metric.budget is not None:
        return True
    return all(
        not data.results(metric, after)[metric] < data.results(metric, before)[metric] - 1e-12
        for before, after in data.cached(a_better_list_scores_no_worse, lambda: _swaps(data))
    )


def _swaps(data: Data) -> list[tuple[Run, Run]]:
    """Single lists, each with the list in which two neighbours are swapped so that the higher grade comes first."""
    swaps = []
    for query, items in data.run.items():
        grades = data.qrels.get(query, {})
        ranked = [item for item, _ in sorted(items.items(), key=_place, reverse=True)]
        pairs = [(grades.get(upper, 0), grades.get(lower, 0)) for upper, lower in pairwise(ranked)]
        places = [place for place, (upper, lower) in enumerate(pairs) if lower > max(upper, 0)]
        before = read_run({query: ranked})
        for place in places[:2]:
            swapped = [*ranked[:place], ranked[place + 1], ranked[place], *ranked[place + 2 :]]
            swaps.append((before, read_run({query: swapped})))
    return swaps


def nothing_is_lost(metric: Metric, data: Data) -> bool:
    """Every judged query has a value or counts as undefined, even if the run lacks it or lists only one item."""
    if not judges_queries(metric):
        return True
    res = data.results(metric, policy=Policy(grades="judgements"))
    without = sum(res.undefined.get(str(metric), {}).values())
    return res.n[str(metric)] + without == len(data.qrels) == len(res.queries)


def best_and_worst_bracket_expected(metric: Metric, data: Data) -> bool:
    """The expected value over tie orders lies between the values under the worst and the best order."""
    if (
        metric.budget is not None
        or not metric.has_expected_value()
        or metric.better != "higher"
        or not metric.judgements
    ):
        return True
    low, middle, high = (
        data.results(metric, policy=Policy(grades="judgements", ties=ties, outside="ignore"))[metric]
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
