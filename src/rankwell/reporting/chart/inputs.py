"""What pictures are given: results or runs by system, a comparison, one of its metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.comparison.compare.comparison import Comparison
from rankwell.comparison.compare.trainings import TrainedSystems
from rankwell.errors import NotAskedError, UsageError, brief, nearest, one_of
from rankwell.evaluation.request import reading_of
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_run
from rankwell.readers.sources import is_one_run, names_as_text
from rankwell.results import Results
from rankwell.results.saving.load import open_saved
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Run


class QueryValues(NamedTuple):
    """QueryValues per query: a row per system, a column per query, sorted by id; NaN where a query is missing or undefined."""

    names: tuple[str, ...]
    queries: Ids
    table: np.ndarray


def results_in(source: Any) -> dict[str, Results]:
    """Return results by system, given as such a mapping or as one ``Results``.

    Raises
    ------
    UsageError
        If it is something else, or empty.
    """
    if isinstance(source, Results):
        return {source.name: source}
    if isinstance(source, Comparison):
        raise UsageError(
            "a Comparison holds no values per query; give the results that it was made from, {name: Results}, and the "
            "comparison as comparison=."
        )
    if isinstance(source, Mapping) and source and all(isinstance(res, Results) for res in source.values()):
        return names_as_text(source)
    # runs in place of results are the likeliest slip, and so have a message of their own
    if isinstance(source, Mapping) and not any(isinstance(res, Results) for res in source.values()):
        raise UsageError(
            "results: these are no results. Evaluate runs first: rw.Evaluator(qrels, metrics).evaluate_all(runs) returns "
            "{name: Results}."
        )
    raise UsageError(
        f"results: expected Results or {{name: Results}}, as Evaluator.evaluate_all returns, not {brief(source)}."
    )


def comparison_in(source: Any) -> Comparison:
    """Return the comparison; raises UsageError if it is something else."""
    if not isinstance(source, Comparison):
        raise UsageError(f"comparison: expected what rankwell.compare returns, not {brief(source)}.")
    return source


def metric_in(metrics: tuple[Metric, ...], wanted: Wanted | None) -> Metric:
    """Return the metric that is meant, the first if none is; raises NotAskedError if it was not evaluated."""
    if wanted is None:
        return metrics[0]
    metric = metric_of(wanted)
    if metric not in metrics:
        names = [str(other) for other in metrics]
        raise NotAskedError(
            f"{metric} was not evaluated; the metrics are {', '.join(names)}.{nearest(str(metric), names)}"
        )
    return metric


def primary_of(comparison: Comparison) -> Metric:
    """Return the primary metric of a comparison, or its first."""
    return metric_of(comparison.methods.primary) if comparison.methods.primary else comparison.metrics[0]


def with_values(results: Mapping[str, Results]) -> list[Metric]:
    """Return the metrics that have values per query in all results; none without results."""
    if not results:
        return []
    first, *others = results.values()
    return [metric for metric in first.metrics if all(metric in res.part.values for res in (first, *others))]


def metrics_in(
    systems: Mapping[str, Results], wanted: Iterable[Wanted] | Wanted | None
) -> tuple[Metric, ...]:
    """Return the metrics that are meant, by default all; raises NotAskedError if one was not evaluated for a system."""
    chosen = next(iter(systems.values())).metrics if wanted is None else metrics_of(wanted)
    for metric in chosen:
        for res in systems.values():
            res[metric]  # or an error that names the nearest one
    return tuple(chosen)


def per_query_metric(results: Mapping[str, Results], wanted: Wanted | None) -> Metric:
    """Return the metric that is meant, or the first one with values per query.

    Raises
    ------
    UsageError
        If it has no values per query, or none has.
    """
    having = with_values(results)
    first = next(iter(results.values()))
    if wanted is None and having:
        return having[0]
    metric = metric_in(first.metrics, wanted)
    if metric not in having:
        which = f" These have some: {', '.join(map(str, having))}." if having else ""
        raise UsageError(
            f"{metric} has no values per query here: it is one value of all lists, or they were not kept "
            f"(per_query=True keeps them).{which}"
        )
    return metric


def system_in(names: tuple[str, ...], wanted: str, word: str) -> str:
    """Return the name of a system; raises UsageError if there is none."""
    if wanted not in names:
        raise UsageError(f"{word}={brief(wanted)}: must be {one_of(names)}.{nearest(wanted, names)}")
    return wanted


def values_of(results: Mapping[str, Results], metric: Metric, comparison: Comparison | None) -> QueryValues:
    """Return the values per query of each system; those of seeds and folds together, as the comparison has them."""
    folds = {} if comparison is None else comparison_in(comparison).folds
    # seeds and folds of one system are one row, as in the comparison
    seeds = {} if comparison is None else comparison.seeds
    aligned = Aligned.of(results, [metric], partial={name for members in folds.values() for name in members})
    systems = TrainedSystems.of(list(results), seeds, folds)
    return QueryValues(systems.names, aligned.queries, systems.pooled(aligned.values(metric)))


def systems_of(runs: Any, read: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return runs, or results, by name: of a mapping by name, a list of runs, or one run in any form.

    Raises
    ------
    RankwellError
        If there is none, or one cannot be read.

    Examples
    --------
    >>> list(systems_of({"bm25": {"q": {"a": 1.0}}, "dense": {"q": ["a"]}}))
    ['bm25', 'dense']
    >>> list(systems_of({"q": {"a": 1.0}})), list(systems_of({"q": ["a"]}))
    (['run'], ['run'])
    """
    options = reading_of(read)[0]
    if isinstance(runs, Mapping) and not is_one_run(runs):
        named = {name if isinstance(name, str) else brief(name): run for name, run in runs.items()}
        systems = {name: _open(run, name, options) for name, run in named.items()}
    else:
        several = (
            runs if isinstance(runs, list | tuple) and runs and isinstance(runs[0], Run | Results) else [runs]
        )
        systems = {}
        for system in several:
            one = _open(system, None, options)
            systems[one.name if one.name not in systems else f"{one.name} {len(systems) + 1}"] = one
    if not systems:
        raise UsageError("there is no run to draw; give one, or several by name, such as {'bm25': run}.")
    return systems


def runs_of(runs: Any, read: Mapping[str, Any] | None = None) -> dict[str, Run]:
    """Return runs by name as ``systems_of`` does; UsageError for results, which do not hold their lists."""
    systems = systems_of(runs, read)
    for name, system in systems.items():
        if isinstance(system, Results):
            raise UsageError(
                f"{brief(name)}: results do not hold the lists that this picture shows; give the run."
            )
    return systems


def _open(run: Any, name: str | None, options: Mapping[str, Any]) -> Any:
    source = open_saved(run)
    return source if isinstance(source, Results) else open_run(source, name=name, **options)
