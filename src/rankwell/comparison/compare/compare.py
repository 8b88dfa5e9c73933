"""The ``compare`` function: several systems, evaluated where they are not yet, and tested against each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from rankwell.comparison.compare.alignment import (
    Aligned,
    QueryGroups,
    columns_of,
    groups_of,
    segments_of,
    value_and_n,
)
from rankwell.comparison.compare.cells import (
    ROOM,
    Differences,
    Key,
    Means,
    SystemCounts,
    cell_to_flip,
    compare_alike_cells,
    correct,
    difference_alone,
    differences_of,
    means_of,
    value_alone,
    with_chances,
)
from rankwell.comparison.compare.comparison import Comparison
from rankwell.comparison.compare.costs import costs_of
from rankwell.comparison.compare.decisions import EvaluatedRuns
from rankwell.comparison.compare.methods import (
    FLIPS,
    RESAMPLES,
    Correction,
    FamilyOf,
    Methods,
    Test,
    refuse_more_than_all,
)
from rankwell.comparison.compare.spread import SpreadValues, cell_by_sums, compare_spread
from rankwell.comparison.compare.trainings import (
    TrainedSystems,
    add_seed_intervals,
    interval_by_values,
    leave_out,
    refuse_empty_lists,
)
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import reading_of_users
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_named
from rankwell.readers.sources import is_one_run, name_as_text, names_as_text, refuse_unnamed
from rankwell.results import Results
from rankwell.results.saving.load import open_saved
from rankwell.results.summary import notes_of
from rankwell.statistics import families
from rankwell.statistics.effects import heterogeneity_of
from rankwell.statistics.families import Cell
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.many import Design
from rankwell.tables.arguments import UNFIT, as_list, checked, fit_kind
from rankwell.tables.machine import cores

# 124,750 pairs, with 1,000 queries half a minute a metric; corrected for so many, hardly any difference is left
MOST_FOR_ALL_PAIRS = 500


@checked
def compare(
    runs: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    baseline: str | None = None,
    primary: Wanted | None = None,
    margins: Mapping[str, float] | float | None = None,
    rope: Mapping[str, float] | float | None = None,
    seeds: Mapping[str, Sequence[str]] | None = None,
    folds: Mapping[str, Sequence[str]] | None = None,
    by: str | Iterable[str] | None = None,
    weights: str | None = None,
    clusters: str | None = None,
    users: Any = None,
    costs: Any = None,
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
    rope
        The difference that counts as none, one number or by metric: the chances, by the Bayesian bootstrap (Student's from 100,000
        queries on), that the true difference is below, within and above ±rope. There is no default, for the chances depend on it.
    seeds, folds
        Names of ``runs`` that are trainings of one method (at least three), or the folds of its cross-validation, by the name of
        the method. Methods with seeds are compared over seeds and queries; folds are pooled per query.
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
        How many random patterns of signs and bootstrap replicates are drawn, and their seed. From 10,000 queries on, and
        for Tukey's shuffles, a tenth of the flips is drawn; from 100,000 on none, and Student's t decides.
    threads
        The number of threads, which changes no number; by default the cores of this process.
    costs
        What the systems cost, as ``rankwell.efficiency.measure`` returns it: their latency, memory and size are shown too, and the
        ratio of latencies of each pair. Systems are found by their names; of several loads choose one: ``costs.under(load)``.
    experiment
        What the comparison carries as its origin, as ``read_experiment`` gives it.
    options
        Other arguments of ``Evaluator``: ``train``, ``items``, ``policy``, ``rel`` and so on. With ``bounds=True`` (and ``pool``,
        ``scale``) also what unjudged items could turn, in which a grade counts in both lists: ``found.to_bounds_table()``.

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
    system lost is shown. An interval of a mean is a studentised Poisson bootstrap, Wilson's for metrics of 0 to 1 that are only 0 or 1,
    hedged betting (of metrics with a finite range) where other intervals are likely too short, Student's from 100,000 queries
    on (then in segments of 1,000 too); that of a difference is Student's, as its test. A metric that has no mean of values per
    query, such as coverage, is shown without a test.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(6)}
    >>> rw.compare({"old": old, "new": new}, qrels, ["rr"], baseline="old").difference("new", "old", "rr").wins
    6
    """
    refuse_unnamed(runs, "compare")
    metrics_wanted = None if metrics is None else metrics_of(metrics)
    columns = columns_of(by)
    words = {"users": users, "by": columns or None, "threads": threads, **options}
    results, judging = evaluate_with(runs, qrels, metrics_wanted, words)
    if not results:
        _refuse_too_few((), baseline)
    trainings, parts = _group_members(seeds, "seeds"), _group_members(folds, "folds")
    systems = TrainedSystems.of(list(results), trainings, parts)
    _refuse_too_few(systems.names, baseline)
    reading = {} if users is None and not options else reading_of_users(options)
    metrics_used = next(iter(results.values())).metrics if metrics_wanted is None else metrics_wanted
    main = "" if primary is None else str(_one_of(metric_of(primary), metrics_used, "primary"))
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
        margins=_amounts_by_metric(margins, metrics_used, "margins"),
        ropes=_amounts_by_metric(rope, metrics_used, "rope"),
    )
    _refuse_other_tests(how, is_plain=weights is None and clusters is None, has_seeds=bool(trainings))
    threads = cores() if threads is None else threads
    # folds are evaluated against judgements of their own, and so may count others
    folded = {name for members in parts.values() for name in members}
    spread = None  # values on a cluster that need not come here
    if judging is None:
        spread = SpreadValues.of(results, metrics_wanted, systems, partial=folded)
        if spread is not None:
            segments = segments_of(users, columns, weights, clusters, reading)
            spread = replace(spread, segments=segments, clusters=clusters or "")
    comparison = None if spread is None else compare_sums(spread, baseline, how, threads)
    if comparison is None:
        aligned = Aligned.of(results, metrics_wanted, partial=folded)
        if parts:
            shared = systems.are_shared(aligned.has_query())
            refuse_empty_lists(aligned.names, aligned.results, systems, shared)
        groups = groups_of(
            aligned.queries, users, by=columns, weights=weights, clusters=clusters, reading=reading
        )
        comparison = compare_values(aligned, systems, baseline, groups, how, threads)
    pairs = [(comparison.names[one], comparison.names[other]) for one, other in comparison.pairs.T.tolist()]
    estimates = None if costs is None else costs_of(comparison.names, pairs, costs)
    called = tuple(dict.fromkeys(column for res in results.values() for column in res.query_columns))
    comparison = replace(
        comparison, experiment=experiment, seeds=trainings, folds=parts, costs=estimates, query_columns=called
    )
    if judging is None:
        return comparison
    return with_bounds(comparison, judging)


def _refuse_other_tests(how: Methods, *, is_plain: bool, has_seeds: bool) -> None:
    if has_seeds and (not is_plain or how.correction == "tukey"):
        raise UsageError("seeds= goes without weights=, clusters= and correction='tukey'.")
    if not is_plain and (how.correction == "tukey" or how.test in ("wilcoxon", "sign")):
        raise UsageError(
            "weights= and clusters= go with test='t' or 'flips' and correction='holm', 'maxt', 'bh', 'by' or 'none'."
        )


def _group_members(groups: Mapping[Any, Any] | None, word: str) -> dict[str, tuple[str, ...]]:
    """The members of each group; a name that is no text is what it prints, as those of runs are."""
    members_of = {name: as_list(word, own) for name, own in (groups or {}).items()}
    return {name_as_text(name): tuple(map(name_as_text, own)) for name, own in members_of.items()}


def _refuse_too_few(names: Sequence[str], baseline: str | None) -> None:
    """Refuse a baseline that is no system, one system alone, and too many to compare all pairs."""
    if baseline is not None and names and baseline not in names:
        raise UsageError(f"baseline={brief(baseline)}: must be {one_of(names)}.{nearest(baseline, names)}")
    if len(names) < 2:
        raise UsageError(f"compare needs at least two systems, not {len(names)}; evaluate is for one.")
    if baseline is None and len(names) > MOST_FOR_ALL_PAIRS:
        raise UsageError(
            f"{len(names):,} systems have {math.comb(len(names), 2):,} pairs, too many to say anything of; name a "
            f"baseline=, or give the best ones."
        )


def results_of(
    runs: Mapping[str, Any], qrels: Any, metrics: Sequence[Metric] | None, words: Mapping[str, Any]
) -> dict[str, Results]:
    """Return the results of all systems, in their order; what is not evaluated yet is evaluated together, as an ``Evaluator`` is asked."""
    return evaluate_with(runs, qrels, metrics, words)[0]


def two_by_name(runs: Any, what: str, order: str) -> tuple[tuple[str, str], tuple[Any, Any]]:
    """Return the names of two systems, and the systems; ``what`` takes these, and ``order`` says how.

    Raises
    ------
    UsageError
        If systems are not given by name, or are not two.
    """
    if not isinstance(runs, Mapping) or is_one_run(runs):
        raise UsageError(order)
    if len(runs) != 2:
        raise UsageError(
            f"{what} takes two systems, not {len(runs)}; give two by name, as {{'old': a, 'new': b}}. For more, "
            f"rw.compare(runs, qrels, metrics) compares all."
        )
    (one, first), (other, second) = names_as_text(runs).items()
    return (one, other), (first, second)


def evaluate_with(
    runs: Mapping[str, Any], qrels: Any, metrics: Sequence[Metric] | None, words: Mapping[str, Any]
) -> tuple[dict[str, Results], EvaluatedRuns | None]:
    """Return the same, and what evaluated them if bounds were asked for."""
    named = {name: open_saved(run) for name, run in names_as_text(runs).items()}
    new = {name: run for name, run in named.items() if not isinstance(run, Results)}
    evaluated: dict[str, Results] = {}
    judging = None
    if new:
        evaluator = Evaluator(qrels, metrics, **words)
        read = open_named(new, evaluator.read)
        evaluated = evaluator.warned_results(read, stacklevel=4)
        judging = EvaluatedRuns(evaluator, read) if words.get("bounds") else None
    return {name: evaluated.get(name, run) for name, run in named.items()}, judging


def with_bounds(comparison: Comparison, judging: EvaluatedRuns) -> Comparison:
    """Return a comparison with the bounds of its differences under unjudged items.

    Raises
    ------
    UsageError
        If a system is not one run, or queries are weighted.
    """
    are_grouped = bool(comparison.seeds or comparison.folds)
    lacking = [name for name in comparison.names if name not in judging.runs]
    if lacking or are_grouped:
        what = "trainings and folds are not" if are_grouped else f"{lacking[0]} is not"
        raise UsageError(
            f"bounds of differences need the lists of each system: {what} one run; give the runs themselves."
        )
    if comparison.weights:
        raise UsageError("bounds cannot be combined with weights=.")
    decided, bounding = judging.decisions(comparison.names, comparison.pairs, comparison.metrics)
    return replace(comparison, decided=decided, bounding=bounding)


def _one_of(metric: Metric, metrics: Sequence[Metric], word: str) -> Metric:
    if metric not in metrics:
        names = [str(other) for other in metrics]
        raise UsageError(f"{word}={metric}: must be {one_of(names)}.{nearest(str(metric), names)}")
    return metric


def _amounts_by_metric(
    amounts: Mapping[str, float] | float | None, metrics: Sequence[Metric], word: str
) -> dict[str, float]:
    if amounts is None:
        return {}
    if isinstance(amounts, Mapping):
        by_metric = {
            _one_of(metric_of(name), metrics, word): _number(value, f"{word} of {name}")
            for name, value in amounts.items()
        }
    else:
        by_metric = dict.fromkeys(metrics, _number(amounts, word))
    for metric, amount in by_metric.items():
        refuse_more_than_all("rope" if word == "rope" else "margin", metric, amount)
    return {str(metric): amount for metric, amount in by_metric.items()}


def _number(value: object, what: str) -> float:
    number = fit_kind(value, float)
    if number is UNFIT:
        raise UsageError(f"{what}={brief(value)}: must be a number, such as 0.01, or numbers by metric.")
    return float(number)


SIGN = {"higher": 1, "lower": -1, "neither": 1}


def compare_values(
    aligned: Aligned,
    systems: TrainedSystems,
    baseline: str | None,
    groups: QueryGroups,
    how: Methods,
    threads: int,
) -> Comparison:
    """Return the comparison of systems, in every segment."""
    pairs = _pairs(systems.names, baseline)
    untested = systems.between_methods(pairs)
    means: dict[Key, Means] = {}
    differences: dict[Key, Differences] = {}
    cells: dict[Key, Cell] = {}
    p_same: dict[Metric, np.ndarray] = {}
    for metric in aligned.metrics:
        if not aligned.has_values(metric):
            for segment, labels in enumerate(groups.labels):
                values, n = systems.alone(*value_and_n(aligned.results, metric, groups.by, labels))
                means[metric, segment] = value_alone(values, n)
                differences[metric, segment] = difference_alone(values, pairs)
            continue
        # the seeds one by one for intervals over seeds, their mean for everything else
        values = aligned.values(metric)
        by_seed = systems.by_seed(values)
        values = systems.pooled(values)
        total = len(aligned.units)
        own_cells = [
            Cell(np.ascontiguousarray(values[:, rows]), pairs, aligned.units[rows]) for rows in groups.members
        ]
        # total of all segments: which interval is made depends on it, so that a segment is treated as the whole is
        compared = _compare_cells(metric, own_cells, groups, how, threads, total)
        for segment, (rows, cell) in enumerate(zip(groups.members, own_cells, strict=True)):
            design = groups.design.of(rows)
            key = metric, segment
            means[key], differences[key] = compared[segment]
            differences[key] = with_chances(
                differences[key], cell, design, how.ropes.get(str(metric), math.nan), how.seed
            )
            if systems.is_seeded.any():
                own = [seeds[:, rows] for seeds in by_seed]
                interval = interval_by_values(own, cell.units, means[key].n, how, total)
                means[key], differences[key] = add_seed_intervals(
                    systems, pairs, interval, means[key], differences[key], metric.range
                )
            # pairs of two methods with seeds are in no family: a p-value over queries would say nothing of other seeds
            cells[key] = leave_out(cell_to_flip(cell, design), untested)
        if len(groups.members) > 1 and groups.design.is_plain:
            p_same[metric] = _heterogeneity(
                [differences[metric, segment] for segment in range(1, len(groups.members))]
            )
            p_same[metric][untested] = math.nan
    # after all cells, as a p-value is corrected for the whole family
    correction = how.chosen(has_baseline=baseline is not None)
    differences |= correct(cells, differences, how, correction, threads, names=systems.names)
    return replace(
        _make_comparison(aligned, systems.names, baseline, pairs, means, differences, how),
        by=groups.by,
        segments=groups.labels,
        weights=groups.weights,
        clusters=groups.clusters,
        heterogeneity=_correct_over_metrics(p_same),
    )


def compare_sums(spread: SpreadValues, baseline: str | None, how: Methods, threads: int) -> Comparison | None:
    """Return the comparison of systems whose values lie on a cluster, in every segment; None if these have to be held."""
    names = spread.systems.names
    pairs = _pairs(names, baseline)
    correction = how.chosen(has_baseline=baseline is not None)
    compared = compare_spread(spread, pairs, how, correction, SIGN)
    if compared is None:
        return None
    means: dict[Key, Means] = {}
    differences: dict[Key, Differences] = {}
    p_same: dict[Metric, np.ndarray] = {}
    for metric in spread.metrics:
        for segment, labels in enumerate(compared.labels):
            key = metric, segment
            if key in compared.means:
                means[key], differences[key] = compared.means[key], compared.differences[key]
            else:
                values, n = spread.alone(metric, labels)
                means[key], differences[key] = value_alone(values, n), difference_alone(values, pairs)
        if len(compared.labels) > 1 and spread.is_plain and (metric, 0) in compared.means:
            p_same[metric] = _heterogeneity(
                [differences[metric, segment] for segment in range(1, len(compared.labels))]
            )
            p_same[metric][spread.systems.between_methods(pairs)] = math.nan
    shuffled = compared.p_shuffled.__getitem__
    differences |= correct(
        compared.cells, differences, how, correction, threads, names=names, by_shuffles=shuffled
    )
    return replace(
        _make_comparison(spread, names, baseline, pairs, means, differences, how),
        by=spread.by,
        segments=compared.labels,
        weights="" if spread.segments is None else spread.segments.division.weights,
        clusters=spread.clusters,
        heterogeneity=_correct_over_metrics(p_same),
    )


def _compare_cells(
    metric: Metric, cells: Sequence[Cell], groups: QueryGroups, how: Methods, threads: int, total: int
) -> list[tuple[Means, Differences]]:
    """The means and differences of all queries and of each segment; segments of one size at once, as there may be very many."""
    # thousands of small segments: what NumPy costs per call would be most of the time
    alike: dict[int, list[int]] = {}
    for place, cell in enumerate(cells):
        alike.setdefault(len(cell.units), []).append(place)
    compared: dict[int, tuple[Means, Differences]] = {}
    for n, places in alike.items():
        rows = max(len(cells[0].values), cells[0].pairs.shape[1], 1)
        # segments of weighted queries differ in their designs, so they are looked at one by one
        most = max(ROOM // (rows * max(n, 1)), 1) if groups.design.is_plain else 1
        for at in range(0, len(places), most):
            some = places[at : at + most]
            if len(some) > 1:
                own = compare_alike_cells(
                    [cells[place] for place in some],
                    how,
                    metric.range,
                    threads,
                    margin=how.margins.get(str(metric), math.nan),
                    sign=SIGN[metric.better],
                    total=total,
                )
            else:
                design = groups.design.of(groups.members[some[0]])
                own = [_compare_cell(metric, cells[some[0]], design, how, threads, total)]
            compared |= zip(some, own, strict=True)
    return [compared[place] for place in range(len(cells))]


def _compare_cell(
    metric: Metric, cell: Cell, design: Design, how: Methods, threads: int, total: int
) -> tuple[Means, Differences]:
    """The means and differences of a cell; ``total`` is the number of queries in all segments."""
    low, high = metric.range
    # by sums from there on, as on a cluster, so that both give one number
    if total >= LARGE and not design.is_plain:
        return cell_by_sums(metric, cell, design, how, SIGN[metric.better], total=total)
    return (
        means_of(cell, design, how, metric.range, threads, total=total),
        differences_of(
            cell,
            design,
            how,
            margin=how.margins.get(str(metric), math.nan),
            span=high - low,
            sign=SIGN[metric.better],
        ),
    )


def _heterogeneity(segments: Sequence[Differences]) -> np.ndarray:
    """The p-value, per pair, that its difference is the same in all segments."""
    columns = [np.array([getattr(each, name) for each in segments]).T for name in ("n", "mean", "sd")]
    return np.array([heterogeneity_of(*each) for each in zip(*columns, strict=True)])


def _correct_over_metrics(p_same: dict[Metric, np.ndarray]) -> dict[Metric, np.ndarray]:
    """One p-value per metric and pair, corrected over the metrics."""
    # whoever looks for a metric that varies over segments looks at all of them
    adjusted = np.array([families.holm(column) for column in np.array(list(p_same.values())).T]).T
    return dict(zip(p_same, adjusted, strict=True))


def _make_comparison(
    aligned: Aligned | SpreadValues,
    names: tuple[str, ...],
    baseline: str | None,
    pairs: np.ndarray,
    means: dict[Key, Means],
    differences: dict[Key, Differences],
    how: Methods,
) -> Comparison:
    """The comparison of all queries, with what the results say of themselves."""
    named = {str(metric) for metric in aligned.metrics}
    return Comparison(
        names=names,
        metrics=aligned.metrics,
        baseline=baseline,
        by=(),
        segments=((),),
        weights="",
        clusters="",
        pairs=pairs,
        means=means,
        differences=differences,
        methods=how,
        policy=aligned.results[0].policy,
        notes=tuple(notes_of(aligned.results, hint=False, names=aligned.names)),
        heterogeneity={},
        grades=aligned.results[0].grades if any(metric.judgements for metric in aligned.metrics) else "none",
        rel=aligned.results[0].conditions.scale.rel,
        counted={
            name: SystemCounts(res.counts, {m: why for m, why in res.undefined.items() if m in named})
            for name, res in zip(aligned.names, aligned.results, strict=True)
        },
    )


def _pairs(names: Sequence[str], baseline: str | None) -> np.ndarray:
    """Two rows of systems: each with the baseline, or all pairs in the order given."""
    if baseline is None:
        return np.array(list(combinations(range(len(names)), 2)), np.int64).T
    # the other system first, so that a positive difference says it is above the baseline
    against = list(names).index(baseline)
    others = [place for place in range(len(names)) if place != against]
    return np.array([others, [against] * len(others)], np.int64)
