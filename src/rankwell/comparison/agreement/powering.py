"""The ``prediction_powered`` function: what all queries judged by a model and a sample of them judged by people say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from rankwell.comparison.agreement.circular import circular
from rankwell.comparison.agreement.pairs import Pairs
from rankwell.comparison.agreement.powered import Power, Powered
from rankwell.comparison.aligned import Aligned
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import reading_of
from rankwell.judge.policy import Policy, Rules, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_run, read_qrels
from rankwell.readers.run_tags import tag_of
from rankwell.statistics import prediction_powered as powered
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, Known
from rankwell.tables.run_qrels import Qrels, Run


@checked
def prediction_powered(
    runs: Mapping[str, Any],
    human: Any,
    model: Any,
    metrics: Iterable[Wanted] | Wanted,
    *,
    drawn: str | Mapping[Any, float],
    baseline: str | None = None,
    level: float = 0.95,
    policy: Policy | None = None,
    read: Mapping[str, Any] | None = None,
    **options: Any,
) -> Powered:
    """Return means and differences that a model judged on all queries and people on a sample of them.

    θ = w · mean_all f + mean_sample (y − w · f), for a metric's values y under people's judgements and f under the model's; w is
    the weight from 0 to 1 with the least variance. However wrong the model is, θ is that of people; the better it predicts
    them, the shorter the interval.

    Parameters
    ----------
    runs
        The systems by name.
    human
        Judgements by people, of some queries: of these of all items down to the metric's cut-off in every run, and of all that the
        model judged if the metric reads them (nDCG, AP, recall).
    model
        Judgements by a model, of all queries.
    metrics
        Metrics with a cut-off and a value per query.
    drawn
        How the queries were chosen that people judged: ``"random"`` (a simple random sample), or the known probability of each by
        query, drawn independently of each other. Queries chosen by looking at runs or judgements are refused.
    baseline
        The system that the others are compared with; by default all pairs are.
    level
        The share of intervals that should hold the true value.
    policy, read, options
        As for ``Evaluator``.

    Returns
    -------
    Powered
        Print it, or look up ``found["bm25", "p@10"].found.mean``.

    Raises
    ------
    RankwellError
        If the queries were not drawn at random, are not wholly judged, or a metric is undefined for some.

    Notes
    -----
    Source: A. Angelopoulos, J. Duchi and T. Zrnic, PPI++: Efficient prediction-powered inference, 2023.

    Examples
    --------
    >>> import rankwell as rw
    >>> run = {str(q): ["a", "b"] for q in range(40)}
    >>> model = {str(q): {"a": 1, "b": q % 3 > 0} for q in range(40)}
    >>> human = {str(q): {"a": q % 7 > 0, "b": q % 3 > 0} for q in range(0, 40, 2)}
    >>> found = rw.prediction_powered({"run": run}, human, model, ["p@2"], drawn="random", undefined="zero")
    >>> row = found["run", "p@2"]
    >>> round(row.human, 4), round(row.model, 4), round(row.found.mean, 4), round(row.worth)
    (0.75, 0.825, 0.75, 29)
    """
    wanted, said = metrics_of(metrics), _said(drawn)
    for metric in wanted:
        if getattr(metric, "k", None) is None:
            raise UsageError(
                f"{metric} reads whole lists, which nobody judges; give it a cut-off, such as {metric.name}@10."
            )
    if not runs or (baseline is not None and baseline not in runs):
        raise UsageError(
            f"baseline={brief(baseline)}: must be {one_of([*runs])}." if runs else "give at least one run."
        )
    of_runs, of_qrels = reading_of(read)
    people, machine = read_qrels(human, **of_qrels), read_qrels(model, **of_qrels)
    if people.propensity is not None:
        raise UsageError(
            f"{people.name} has a propensity per judgement: a sample of items, not of queries. Here whole queries must be judged."
        )
    rules = {word: options.pop(word) for word in Rules.__annotations__ if word in options}
    given = policy_with(policy, rules, ("drawn", "baseline", "level"))
    opened = {str(name): open_run(run, name=str(name), **of_runs) for name, run in runs.items()}
    evaluated = {"read": read, "policy": given, **options}
    _refuse_parts(opened, people, machine, wanted, given, evaluated)
    truth, predicted = (
        Aligned.of(Evaluator(each, wanted, **evaluated).evaluate_all(opened), wanted)
        for each in (people, machine)
    )
    place = _places(truth.queries, predicted.queries, people, machine)
    chances = _chances(drawn, truth.queries, place, len(predicted.queries))
    rows = [
        row for metric in wanted for row in _rows(metric, truth, predicted, place, chances, baseline, level)
    ]
    notes = circular({name: tag_of(run) for name, run in opened.items()}, {machine.name: machine.assessor})
    return Powered(tuple(rows), level, said, (people.assessor, machine.assessor), tuple(map(str, notes)))


def _said(drawn: str | Mapping[Any, float]) -> str:
    """How the sample was drawn, in words; anything but chance is refused."""
    if isinstance(drawn, Mapping):
        return "with known probabilities"
    if drawn != "random":
        raise UsageError(
            f"drawn={brief(drawn)}: must be 'random', or the probability of each query.{nearest(drawn, ['random'])} Queries that were "
            f"chosen by looking at runs, scores or judgements (pools, MTC, bandits) have no known probabilities, so nothing corrects "
            f"for the choice."
        )
    return "at random"


def _refuse_parts(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metrics: tuple[Metric, ...],
    policy: Policy,
    evaluated: Mapping[str, Any],
) -> None:
    """Refuse queries that people judged in part, as far as a metric can see."""
    cuts = sorted({metric.k for metric in metrics if metric.k is not None})
    shares = [f"judged@{k}" for k in cuts]
    for name, res in Evaluator(people, shares, **evaluated).evaluate_all(runs).items():
        for share in shares:
            values = res.per_query.filter(res.per_query[share] < 1)
            if len(values):
                raise DataError(
                    f"{people.name}: people judged {len(values):,} queries in part (such as {brief(values['query'][0])}: {share} of "
                    f"{name} is {values[share][0]:.2f}). Judge every item down to the cut-off in every run, or leave these queries out."
                )
    more = _with_the_models(people, machine, policy)
    if more is None:
        return
    plain, other = (
        Aligned.of(Evaluator(each, metrics, **evaluated).evaluate_all(runs), metrics)
        for each in (people, more)
    )
    for metric in metrics:
        if not np.array_equal(plain.values(metric), other.values(metric), equal_nan=True):
            raise DataError(
                f"{metric} depends on items outside of the first ranks, and {people.name} lacks some that {machine.name} judged for "
                f"the same queries. Let people judge these too, or use a metric that only reads the first ranks, such as P@k."
            )


def _with_the_models(people: Qrels, machine: Qrels, policy: Policy) -> Qrels | None:
    """People's judgements, with what the model alone judged of their queries as highly relevant; None if that is nothing."""
    pairs = Pairs.of({"human": people, "model": machine}, policy)
    own = pairs.codes[0] >= 0
    queries = np.zeros(len(pairs.queries), bool)
    queries[pairs.query[own]] = True
    extra = queries[pairs.query] & ~own
    if not extra.any():
        return None
    rows = np.flatnonzero(own | extra)
    grades = np.where(own[rows], pairs.grades[pairs.codes[0, rows]], pairs.grades.max())
    return Qrels(pairs.queries[pairs.query[rows]], pairs.items[pairs.item[rows]], grades, name=people.name)


def _places(queries: Ids, everything: Ids, people: Qrels, machine: Qrels) -> np.ndarray:
    """The row of each query that people judged among those that the model judged."""
    place = Known(everything).rows_of(queries, "query")
    if (place < 0).any():
        raise DataError(
            f"{machine.name} lacks {int((place < 0).sum()):,} queries that {people.name} judges (such as "
            f"{brief(queries[place < 0].one(0))}); the model must judge all queries."
        )
    return place


def _chances(
    drawn: str | Mapping[Any, float], queries: Ids, place: np.ndarray, total: int
) -> np.ndarray | None:
    if not isinstance(drawn, Mapping):
        return None
    known = {str(query): float(chance) for query, chance in drawn.items()}
    found = np.ones(total)
    for row, query in zip(place.tolist(), queries.tolist(), strict=True):
        if not 0 < known.get(str(query), 0) <= 1:
            raise DataError(f"drawn: query {brief(query)} needs its probability, above 0 and at most 1.")
        found[row] = known[str(query)]
    return found


def _rows(
    metric: Metric,
    truth: Aligned,
    predicted: Aligned,
    place: np.ndarray,
    chances: np.ndarray | None,
    baseline: str | None,
    level: float,
) -> list[Power]:
    f = predicted.values(metric)
    y = np.full(f.shape, np.nan)
    own = truth.values(metric)
    y[:, place] = own
    missing = int(np.isnan(f).any(axis=0).sum() + np.isnan(own).any(axis=0).sum())
    if missing:
        raise DataError(
            f"{metric} is undefined for {missing:,} queries under people's or the model's judgements, and leaving them out would "
            f"choose queries by their judgements. Say undefined='zero', or use a metric that is always defined, such as P@k."
        )
    names = predicted.names
    alone: list[tuple[int, int | None]] = [(row, None) for row in range(len(names))]
    pairs = list(combinations(range(len(names)), 2))
    if baseline is not None:
        pairs = [(row, names.index(baseline)) for row in range(len(names)) if names[row] != baseline]
    found = []
    for row, less in [*alone, *pairs]:
        values = (y[row], f[row]) if less is None else (y[row] - y[less], f[row] - f[less])
        told = powered.prediction_powered(*values, propensity=chances, level=level)
        name = "" if less is None else names[less]
        means = float(np.nanmean(values[0])), float(values[1].mean())
        found.append(Power(names[row], name, str(metric), told, *means))
    return found
