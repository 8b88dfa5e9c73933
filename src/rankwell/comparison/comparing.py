"""The ``compare`` function: several systems, evaluated where they are not yet, and tested against each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.comparison.cells import (
    Differences,
    Means,
    difference_alone,
    differences_of,
    flipped_as,
    heterogeneity_of,
    means_of,
    value_alone,
)
from rankwell.comparison.comparison import Comparison
from rankwell.comparison.families import Key, corrected
from rankwell.comparison.groups import Groups, groups_of
from rankwell.comparison.methods import FLIPS, RESAMPLES, Correction, FamilyOf, Methods, Test
from rankwell.comparison.words import notes_of
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation import Evaluator
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.loading import opened
from rankwell.statistics import corrections
from rankwell.statistics.families import Cell
from rankwell.tables.arguments import checked
from rankwell.tables.cores import cores

MOST_FOR_ALL_PAIRS = 200
SIGN = {"higher": 1, "lower": -1, "neither": 1}


@checked
def compare(
    runs: Mapping[str, Any],
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    baseline: str | None = None,
    primary: Wanted | None = None,
    margins: Mapping[str, float] | float | None = None,
    by: str | Iterable[str] | None = None,
    weights: str | None = None,
    clusters: str | None = None,
    users: Any = None,
    test: Test = "t",
    correction: Correction = "auto",
    family: FamilyOf = "metric",
    alpha: float = 0.05,
    power: float = 0.8,
    flips: int = FLIPS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
    experiment: str = "",
    **options: Any,
) -> Comparison:
    """Compare systems: means with intervals, and tests of their differences corrected for their number.

    Parameters
    ----------
    runs
        The systems by name: anything that ``evaluate`` reads, ``Results``, or paths of saved ones; at least two.
    qrels, metrics
        As for ``evaluate``; for ``Results`` alone no qrels are needed, and metrics only to choose some.
    baseline
        The system that all others are compared with; without one, all pairs are, up to 200 systems.
    primary
        The metric that decides; the others are then called exploratory.
    margins
        The difference that matters, one number or by metric: whether two systems are equivalent within it, and how many queries
        would show it.
    by, weights, clusters, users
        Columns of ``users``, a table with a query column: those that divide the queries into segments, the weight of each query
        in the means, and what queries belong to (a person, a session) that vary together and are drawn as a whole.
    test
        ``t`` (paired), ``flips`` (of signs), ``wilcoxon`` or ``sign``; sign flips are shown beside whatever decides.
    correction
        For the number of comparisons: ``auto`` (``holm`` beside a baseline, ``maxt`` for all pairs), ``tukey`` (randomised), ``bh``
        or ``by`` (false discovery rate), ``none``.
    family
        What is corrected together: the comparisons of one ``metric``, or ``all``.
    alpha, power
        The chance of a false difference that is accepted (intervals hold 1 − alpha), and of seeing a true one.
    flips, resamples, seed
        How many random patterns of signs and bootstrap replicates are drawn, and their seed. From 10,000 queries on a tenth of the
        flips is drawn; from 100,000 on none, and Student's t decides.
    threads
        The number of threads, which changes no number; by default the cores of this process.
    experiment
        What the comparison carries as its origin, as ``read_experiment`` gives it.
    options
        Other arguments of ``Evaluator``: ``train``, ``items``, ``policy``, ``rel`` and so on.

    Returns
    -------
    Comparison
        Print it, or see ``found.mean``, ``found.difference``, ``found.to_frame``.

    Raises
    ------
    RankwellError
        For fewer than two systems, a baseline that is none of them, results that do not fit together, or bad data.

    Notes
    -----
    Queries are paired by id, never by position; a query counts where a metric is defined in both systems, and how many each
    system lost is shown. An interval of a mean is a studentised Poisson bootstrap, Wilson's for metrics that are only 0 or 1,
    Student's from 100,000 queries on. A metric that has no mean of values per query, such as coverage, is shown without a test.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(6)}
    >>> rw.compare({"old": old, "new": new}, qrels, ["rr"], baseline="old").difference("new", "old", "rr").wins
    6
    """
    wanted = None if metrics is None else metrics_of(metrics)
    columns = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    results = _results(runs, qrels, wanted, columns, users, threads, options)
    if baseline is not None and baseline not in results:
        raise UsageError(
            f"baseline={brief(baseline)}: must be {one_of(results)}.{nearest(baseline, results)}"
        )
    if len(results) < 2:
        raise UsageError(f"compare needs at least two systems, not {len(results)}; evaluate is for one.")
    if baseline is None and len(results) > MOST_FOR_ALL_PAIRS:
        raise UsageError(
            f"{len(results):,} systems have {math.comb(len(results), 2):,} pairs, too many to say anything of; name a "
            f"baseline=, or give the best ones."
        )
    aligned = Aligned.of(results, wanted)
    main = "" if primary is None else str(_one_of(metric_of(primary), aligned.metrics, "primary"))
    how = Methods(
        test=test,
        correction=correction,
        family=family,
        alpha=alpha,
        power=power,
        flips=flips,
        resamples=resamples,
        seed=seed,
        primary=main,
        margins=_margins(margins, aligned.metrics),
    )
    read = options.get("read") or {}
    groups = groups_of(
        aligned.queries,
        users,
        by=columns,
        weights=weights,
        clusters=clusters,
        encoding=read.get("encoding"),
    )
    if not groups.design.is_plain and (correction == "tukey" or test in ("wilcoxon", "sign")):
        raise UsageError(
            "weights= and clusters= go with test='t' or 'flips' and correction='holm', 'maxt', 'bh', 'by' or 'none'."
        )
    found = _compared(aligned, baseline, groups, how, cores() if threads is None else threads)
    return replace(found, experiment=experiment) if experiment else found


def _results(
    runs: Mapping[str, Any],
    qrels: Any,
    metrics: Sequence[Metric] | None,
    by: Sequence[str],
    users: Any,
    threads: int | None,
    options: Mapping[str, Any],
) -> dict[str, Results]:
    """Return the results of all systems, in their order; what is not evaluated yet is evaluated together."""
    given: Mapping[Any, Any] = runs
    named = {name if isinstance(name, str) else brief(name): opened(run) for name, run in given.items()}
    new = {name: run for name, run in named.items() if not isinstance(run, Results)}
    found: dict[str, Results] = {}
    if new:
        evaluator = Evaluator(qrels, metrics, users=users, by=list(by) or None, threads=threads, **options)
        found = evaluator.evaluate_all(new)
    return {name: found.get(name, run) for name, run in named.items()}


def _one_of(metric: Metric, metrics: Sequence[Metric], word: str) -> Metric:
    if metric not in metrics:
        names = [str(each) for each in metrics]
        raise UsageError(f"{word}={metric}: must be {one_of(names)}.{nearest(str(metric), names)}")
    return metric


def _margins(margins: Mapping[str, float] | float | None, metrics: Sequence[Metric]) -> dict[str, float]:
    if margins is None:
        return {}
    if isinstance(margins, Mapping):
        return {
            str(_one_of(metric_of(name), metrics, "margins")): float(value) for name, value in margins.items()
        }
    return {str(metric): float(margins) for metric in metrics}


def _compared(
    aligned: Aligned,
    baseline: str | None,
    groups: Groups,
    how: Methods,
    threads: int,
) -> Comparison:
    pairs = _pairs(aligned.names, baseline)
    means: dict[Key, Means] = {}
    found: dict[Key, Differences] = {}
    cells: dict[Key, Cell] = {}
    varied: dict[Metric, np.ndarray] = {}
    for metric in aligned.metrics:
        if not aligned.has_values(metric):
            for segment, labels in enumerate(groups.labels):
                values, n = aligned.alone(metric, groups.by, labels)
                means[metric, segment] = value_alone(values, n)
                found[metric, segment] = difference_alone(values, pairs)
            continue
        values = aligned.values(metric)
        low, high = metric.range
        for segment, rows in enumerate(groups.members):
            design = groups.design.of(rows)
            cell = Cell(np.ascontiguousarray(values[:, rows]), pairs, aligned.units[rows])
            key = metric, segment
            means[key] = means_of(cell, design, how, metric.range, threads)
            found[key] = differences_of(
                cell,
                design,
                how,
                margin=how.margins.get(str(metric), math.nan),
                span=high - low,
                sign=SIGN[metric.better],
                threads=threads,
            )
            cells[key] = flipped_as(cell, design)
        if len(groups.members) > 1 and groups.design.is_plain:
            varied[metric] = heterogeneity_of(values, pairs, groups.members[1:])
    correction = how.chosen(has_baseline=baseline is not None)
    found |= corrected(cells, found, how, correction, threads)
    # one p-value per metric, corrected over the metrics
    adjusted = np.array([corrections.holm(column) for column in np.array(list(varied.values())).T]).T
    return Comparison(
        names=aligned.names,
        metrics=aligned.metrics,
        baseline=baseline,
        by=groups.by,
        segments=groups.labels,
        weights=groups.weights,
        clusters=groups.clusters,
        pairs=pairs,
        means=means,
        differences=found,
        methods=how,
        policy=aligned.results[0].policy,
        notes=tuple(notes_of(aligned)),
        heterogeneity=dict(zip(varied, adjusted, strict=True)),
    )


def _pairs(names: Sequence[str], baseline: str | None) -> np.ndarray:
    """Two rows of systems: each with the baseline, or all pairs in the order given."""
    if baseline is None:
        return np.array(list(combinations(range(len(names)), 2)), np.int64).T
    against = list(names).index(baseline)
    others = [place for place in range(len(names)) if place != against]
    return np.array([others, [against] * len(others)], np.int64)
