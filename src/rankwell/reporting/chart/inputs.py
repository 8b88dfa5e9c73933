"""What pictures are given: results or runs by system, a comparison, one of its metrics, and the pairs of systems to show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.comparison.compare.comparison import Comparison, Difference, reverse
from rankwell.comparison.compare.trainings import TrainedSystems
from rankwell.display.page import PageStrings
from rankwell.errors import NotAskedError, UsageError, brief, nearest, one_of
from rankwell.evaluation.request import reading_of
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_run
from rankwell.readers.sources import is_one_run, names_as_text
from rankwell.reporting.chart.charts import altair
from rankwell.reporting.chart.texts import cut
from rankwell.results import Results
from rankwell.results.saving.load import open_saved
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Run

MOST = 50  # rows of a picture
STYLES = {"better": "better", "worse": "worse", "apart": "accent", "open": "muted"}  # of marks, by outcome


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
        named = names_as_text(runs)
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


class ShownPairs(NamedTuple):
    """Differences, the best for the first system at the top, out of how many; and the system that all are less, if it is one."""

    rows: list[Difference]
    total: int
    second: str
    are_best: bool = False  # of the others, or the largest differences


def sign_of(metric: Metric) -> int:
    """Return -1 where a lower value is better."""
    return -1 if metric.better == "lower" else 1


def pairs_of(
    comparison: Comparison,
    metric: Metric,
    *,
    against: str | None = None,
    most: int = MOST,
    segment: str | None = None,
) -> ShownPairs:
    """Return differences of a metric: of the best others less the baseline (or ``against``), or the largest, the better system first."""
    if most < 1:
        raise UsageError(f"most={most}: must be at least 1.")
    second = comparison.baseline if against is None else system_in(comparison.names, against, "against")
    means = comparison.differences[metric, 0].mean
    places = np.arange(comparison.pairs.shape[1])
    if second is not None:
        places = places[(comparison.pairs[:, places] == comparison.names.index(second)).any(axis=0)]
    sign = sign_of(metric)
    worth = np.abs(means[places])
    are_best = second is not None and metric.better != "neither"
    if are_best:
        turns = comparison.pairs[0, places] == comparison.names.index(second or "")
        worth = sign * np.where(turns, -means[places], means[places])
    # undefined means come last; a stable order keeps equal ones as they were given
    shown_places = places[np.argsort(-np.nan_to_num(worth, nan=-math.inf), kind="stable")[:most]]
    rows = []
    for left, right in comparison.pairs[:, shown_places].T.tolist():
        row = comparison.difference(comparison.names[left], comparison.names[right], metric, segment)
        is_turned = row.first == second or (second is None and sign * row.mean < 0)
        rows.append(reverse(row) if is_turned else row)
    rows.sort(key=lambda row: math.inf if math.isnan(row.mean) else -sign * row.mean)
    return ShownPairs(rows, len(places), second or "", are_best)


def outcome_of(row: Difference, metric: Metric, alpha: float) -> str:
    """Return whether the first system is shown to be ``better`` or ``worse``, to be ``apart``, or nothing is shown (``open``).

    The corrected p-value decides; between methods with seeds, which are not tested, their interval does.
    """
    # seeds give no p-value, only an interval
    is_apart = row.low > 0 or row.high < 0 if math.isnan(row.p) else row.p < alpha
    if not is_apart or metric.better == "neither":
        return "apart" if is_apart else "open"
    return "better" if sign_of(metric) * row.mean > 0 else "worse"


def title_of(metrics: Sequence[Metric], pairs: ShownPairs, words: PageStrings, kind: str = "compared") -> str:
    """Return what is shown: of which metric, and of which pairs."""
    if len(pairs.rows) == 1:
        first, second = cut(pairs.rows[0].first), cut(pairs.rows[0].second)
        what = words(f"plots.{kind}.of_pair", first=first, second=second)
    elif pairs.second:
        what = words(f"plots.{kind}.against", second=cut(pairs.second))
    else:
        what = words(f"plots.{kind}.of_pairs")
    return f"{metrics[0]}: {what}" if len(metrics) == 1 else what


def most_of(shown: int, total: int, words: PageStrings, *, are_best: bool) -> str:
    """Return how many of all pairs are shown, and which; nothing if all are."""
    which = "best" if are_best else "most"
    return words(f"plots.compared.{which}", shown=shown, total=total) if shown < total else ""


def shown_to_differ(comparison: Comparison, metric: Metric, against: str | None = None) -> tuple[int, int]:
    """Return how many differences of a metric are shown, and out of how many that can be."""
    own = comparison.differences[metric, 0]
    apart = np.where(np.isnan(own.p), (own.low > 0) | (own.high < 0), own.p < comparison.methods.alpha)
    is_known = ~np.isnan(own.p) | ~np.isnan(own.low)
    if against is not None:
        is_known &= (comparison.pairs == comparison.names.index(against)).any(axis=0)
    return int(np.count_nonzero(apart & is_known)), int(np.count_nonzero(is_known))


def row_name(row: Difference, pairs: ShownPairs, label: Mapping[str, str]) -> str:
    """Return the name of a pair's row: of its first system, and on a second line the other one if it is not that of all rows."""
    return label[row.first] if pairs.second else f"{label[row.first]}\n− {label[row.second]}"


def direction_of(metric: Metric, pairs: ShownPairs, words: PageStrings) -> str:
    """Return which side of a difference means what, with an arrow; nothing where neither end is better."""
    if metric.better == "neither":
        return ""
    if len(pairs.rows) == 1:
        text = words("plots.compared.one_better", first=cut(pairs.rows[0].first))
    elif pairs.second:
        text = words("plots.compared.better_than", second=cut(pairs.second))
    else:
        text = words("plots.compared.first_better")
    return f"← {text}" if metric.better == "lower" else f"{text} →"


def pairs_axis(rows: Sequence[str]) -> Any:
    """Return the axis of pairs, in this order."""
    alt = altair()
    axis = alt.Y("row:N", sort=list(rows), title=None, scale=alt.Scale(padding=0))
    return axis.axis(
        grid=False, domain=False, ticks=False, labelPadding=8, labelExpr=r"split(datum.label, '\n')"
    )


def pair_height(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return the height of each row."""
    return 36 if any("\n" in row["row"] for row in rows) else 26
