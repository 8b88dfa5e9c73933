"""The ``prediction_powered`` function: what all queries judged by a model and a sample of them judged by people say together, and whether the
model may replace people for a decision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankwell.comparison.agreement.judgements import Assessors, JudgedPairs, find_circular
from rankwell.comparison.compare.alignment import Aligned
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import read_with, reading_of
from rankwell.matching.policy import Policy, pop_policy
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_named, read_qrels
from rankwell.readers.formats.trec import tag_of
from rankwell.readers.sources import names_as_text, refuse_unnamed
from rankwell.records import record
from rankwell.statistics import ppi as powered
from rankwell.statistics.intervals import interval
from rankwell.statistics.ppi import Predicted
from rankwell.tables.arguments import ordered, plain
from rankwell.tables.ids import Ids, Known
from rankwell.tables.run_qrels import Assessor, Qrels, Run

if TYPE_CHECKING:
    import polars as pl


ORDER = (
    "prediction_powered takes the runs, people's judgements and the metrics in this order, and those of the model by name: "
    "rw.prediction_powered(runs, qrels, metrics, model=model, drawn='random')."
)
Answer = Literal["yes", "no", "not shown", "undecided"]
SIGNS = {1: ">", -1: "<"}
LEAST, LEAST_APART = 50, 15  # sampled queries, and those in which people and model differ not as in most


@record
class Power:
    """The mean of a system, or its difference from another (``less``), under one metric.

    ``found`` has the prediction-powered mean, its interval and standard error, and how much the model's judgements count.
    ``human`` and ``model`` are the means of the queries that people judged, and of all by the model alone; ``human_bounds`` and
    ``model_bounds`` are the intervals of either. In ``apart`` sampled queries people and model do not differ as in most.
    """

    system: str
    less: str
    metric: str
    found: Predicted
    human: float
    model: float
    human_bounds: tuple[float, float]
    model_bounds: tuple[float, float]
    apart: int

    @property
    def is_doubtful(self) -> bool:
        """Whether the sample is too small to know the model's errors: rare ones may have been missed, and the interval is too short."""
        return self.found.n < LEAST or self.apart < LEAST_APART

    @property
    def worth(self) -> float:
        """How many queries judged by people alone would give the same standard error."""
        error = self.found.error
        return math.nan if not error > 0 else self.found.n * (self.found.alone / error) ** 2


@record
class Decision:
    """What decides between two systems under a metric: the model alone, and the model corrected by people.

    Where the sample is too small to know the model's errors, people's queries alone stand in for the correction.

    ``model`` and ``people`` are 1 if the interval of the difference lies above 0, −1 below 0, and 0 if it holds 0. The answer is
    ``"yes"`` if both decide alike, ``"no"`` if people's correction decides otherwise or decides what the model alone leaves open,
    ``"not shown"`` if the model decides and the correction cannot confirm it, ``"undecided"`` if neither decides. ``needed`` is
    about how many queries people would have to judge until the difference found excludes 0: None if it is as many as all, or
    if nothing has to be confirmed. ``leans`` is the sign of the difference found, 0 without an interval.
    """

    system: str
    less: str
    metric: str
    model: int
    people: int
    answer: Answer
    needed: int | None
    leans: int

    def __str__(self) -> str:
        """Say why, for answers that are not ``"yes"``."""
        pair = f"{self.system} {{}} {self.less} under {self.metric}"
        says = f"alone it says {pair.format(SIGNS[self.model])}" if self.model else ""
        if self.answer == "undecided":
            return f"neither decides between {self.system} and {self.less} under {self.metric}"
        if self.answer == "not shown":
            return f"{says}, which people's sample does not confirm; {self._more()}"
        people = pair.format(SIGNS[self.people])
        if self.answer == "no":
            return (
                f"{says}, people say {people}"
                if says
                else f"people say {people}, and alone it leaves that open"
            )
        return says

    def _more(self) -> str:
        """What more judgements of people could show."""
        if self.leans == 0:
            return "it gives no interval"
        if self.leans != self.model:
            return "it leans the other way, but is too small to decide"
        if self.needed:
            return (
                f"about {self.needed:,} queries judged by people would do, if the difference stays the same"
            )
        return "people's judgements of all queries may not do"


@record
class ReplacementVerdict:
    """Whether the model may replace people for this decision: all the pairs of systems and metrics that were asked for."""

    answer: Answer
    decisions: tuple[Decision, ...]

    def __str__(self) -> str:
        """Return one sentence."""
        n = len(self.decisions)
        if self.answer == "yes":
            return f"The model may replace people for this decision: alone it decides {_all(n)} as people's judgements do."
        if self.answer == "undecided":
            return f"There is no decision in which the model could replace people: {_of(self.decisions, 'undecided')}."
        may = (
            "The model may not replace people"
            if self.answer == "no"
            else "It is not shown that the model may replace people"
        )
        return f"{may} for this decision: {_of(self.decisions, self.answer)}."


def verdict_of(rows: Sequence[Power]) -> ReplacementVerdict | None:
    """Return the verdict over all differences; None if there are none.

    One "no" makes it "no", else one "not shown" that, and it is "yes" if all that is decided is decided alike. So a wrong order
    is called "yes" about as often as an interval lies wholly on the wrong side of 0, half of 1 − level for each pair: 2.5 in 100 at 95 %.
    """
    decisions = tuple(_decision(row) for row in rows if row.less)
    if not decisions:
        return None
    answers = {decision.answer for decision in decisions}
    answer: Answer = next(
        (decision for decision in ("no", "not shown", "yes") if decision in answers), "undecided"
    )
    return ReplacementVerdict(answer, decisions)


def _decision(row: Power) -> Decision:
    # where the sample misses the model's rare errors, the corrected interval is too short, and people's own is not
    low, high = row.human_bounds if row.is_doubtful else (row.found.low, row.found.high)
    middle = (low + high) / 2
    model, people = _side(*row.model_bounds), _side(low, high)
    answer: Answer
    if model and people:
        answer = "yes" if model == people else "no"
    # the model leaves open what people decide: whoever relies on it alone would miss the difference
    elif people:
        answer = "no"
    else:
        answer = "not shown" if model else "undecided"
    return Decision(
        row.system,
        row.less,
        row.metric,
        model,
        people,
        answer,
        _needed(row, middle, high - middle) if answer == "not shown" else None,
        _side(middle, middle),
    )


def _side(low: float, high: float) -> int:
    """1 for an interval above 0, −1 below, 0 if it holds 0 or there is none."""
    return (low > 0) - (high < 0)


def _needed(row: Power, mean: float, reach: float) -> int | None:
    """The least n whose interval would exclude 0 at the same mean, if its length falls as that of 1 / √n."""
    if not abs(mean) > 0 or math.isnan(reach):
        return None
    # the reach falls as 1/√n, so n grows with the square of reach ÷ mean; one more, so that 0 lies outside and not on the
    # bound
    needed = math.floor(row.found.n * (reach / mean) ** 2) + 1
    return needed if needed <= row.found.total else None


def _all(n: int) -> str:
    return "between the two systems" if n == 1 else f"all that is decided in {n} comparisons"


def _of(decisions: Sequence[Decision], answer: Answer) -> str:
    """The first decision with this answer, and how many more there are."""
    alike = [decision for decision in decisions if decision.answer == answer]
    more = f" (and {len(alike) - 1} more)" if len(alike) > 1 else ""
    return f"{alike[0]}{more}"


@ordered(ORDER, "human")
def prediction_powered(
    runs: Mapping[str, Any],
    qrels: Any,
    metrics: Iterable[Wanted] | Wanted,
    *,
    model: Any,
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
    qrels
        Judgements by people, of some queries: of these of all items down to the metric's cut-off in every run, and of all that the
        model judged if the metric reads them (nDCG, AP, recall).
    metrics
        Metrics with a cut-off and a value per query.
    model
        Judgements by a model, of all queries.
    drawn
        How the queries were chosen that people judged: ``"random"`` (a simple random sample), or the known probability of each by
        query, drawn independently of each other. ``"items"``: people judged single items, each drawn with the probability in the
        column ``propensity`` of ``qrels``; for P@k, CG@k, DCG@k and RBP@k, which are sums over items. Queries or items chosen by
        looking at runs or judgements are refused.
    baseline
        The system that the others are compared with; by default all pairs are.
    level
        The share of intervals that should hold the true value.
    policy, read, options
        As for ``Evaluator``.

    Returns
    -------
    Powered
        Print it, or look up ``found["bm25", "p@10"].found.mean``; ``found.verdict`` says whether the model may replace people for
        the decisions between these systems, and of each why.

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
    >>> found = rw.prediction_powered({"run": run}, human, ["p@2"], model=model, drawn="random", undefined="zero")
    >>> row = found["run", "p@2"]
    >>> round(row.human, 4), round(row.model, 4), round(row.found.mean, 4), round(row.worth)
    (0.75, 0.825, 0.75, 29)
    >>> two = {"run": run, "other": {query: ["c", "a"] for query in run}}
    >>> kind = {query: {**model[query], "c": 1} for query in model}
    >>> some = {query: {**human[query], "c": 0} for query in human}
    >>> print(rw.prediction_powered(two, some, ["p@2"], model=kind, drawn="random", undefined="zero").verdict)
    The model may not replace people for this decision: alone it says run < other under p@2, people say run > other under p@2.
    """
    refuse_unnamed(runs, "prediction_powered")
    metrics_wanted, draw = metrics_of(metrics), _describe_draw(drawn)
    for metric in metrics_wanted:
        if getattr(metric, "k", None) is None:
            raise UsageError(
                f"{metric} reads whole lists, which nobody judges; give it a cut-off, such as {metric.name}@10."
            )
    if not runs or (baseline is not None and baseline not in runs):
        raise UsageError(
            f"baseline={brief(baseline)}: must be {one_of([*runs])}." if runs else "give at least one run."
        )
    read = read_with(read, options)
    of_runs, of_qrels = reading_of(read)
    people, machine = read_qrels(qrels, **of_qrels), read_qrels(model, **of_qrels)
    if (drawn == "items") != (people.propensity is not None):
        raise UsageError(
            f"{people.name} has {'a' if people.propensity is not None else 'no'} propensity per judgement: drawn='items' is for such a "
            f"sample of items, and for no other."
        )
    policy_given = pop_policy(policy, options, ("drawn", "baseline", "level"))
    read_runs = open_named(names_as_text(runs), of_runs)
    evaluated = {"read": read, "policy": policy_given, **options}
    if drawn == "items":
        rows = estimate_by_items(
            read_runs, people, machine, metrics_wanted, policy_given, evaluated, baseline, level
        )
    else:
        rows = estimate_by_queries(
            read_runs, people, machine, metrics_wanted, policy_given, evaluated, drawn, baseline, level
        )
    notes = find_circular(
        {name: tag_of(run) for name, run in read_runs.items()}, {machine.name: machine.assessor}
    )
    return Powered(tuple(rows), level, draw, (people.assessor, machine.assessor), tuple(map(str, notes)))


def _describe_draw(drawn: str | Mapping[Any, float]) -> str:
    """How the sample was drawn, in words; anything but chance is refused."""
    if isinstance(drawn, Mapping):
        return "with known probabilities"
    if drawn == "items":
        return "item by item, with known probabilities"
    if drawn != "random":
        raise UsageError(
            f"drawn={brief(drawn)}: must be 'random', 'items', or the probability of each query.{nearest(drawn, ['random', 'items'])} What was "
            f"chosen by looking at runs, scores or judgements (pools, MTC, bandits) has no known probabilities, so nothing corrects "
            f"for the choice."
        )
    return "at random"


def estimate_by_queries(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metrics: tuple[Metric, ...],
    policy: Policy,
    evaluated: Mapping[str, Any],
    drawn: str | Mapping[Any, float],
    baseline: str | None,
    level: float,
) -> list[Power]:
    """The rows of whole queries judged by people."""
    _refuse_parts(runs, people, machine, metrics, policy, evaluated)
    truth, predicted = (
        Aligned.of(Evaluator(qrels, metrics, **evaluated).results_of_sources(runs), metrics)
        for qrels in (people, machine)
    )
    place = _rows_in(truth.queries, predicted.queries, people, machine)
    chances = _chances(drawn, truth.queries, place, len(predicted.queries))
    rows = []
    for metric in metrics:
        # named as in the formula: f is the model's value of every query, y the people's of those they judged, else NaN
        f, own = predicted.values(metric), truth.values(metric)
        y = np.full(f.shape, np.nan)
        y[:, place] = own
        refuse_undefined(metric, f, own)
        estimate = partial(powered.prediction_powered, propensity=chances, level=level)
        for system, less in systems_and_pairs(predicted.names, baseline):
            truths, guesses = values_or_difference(y, system, less), values_or_difference(f, system, less)
            errors = (guesses - truths)[~np.isnan(truths)]
            rows.append(
                estimate_row(
                    (predicted.names, system, less),
                    metric,
                    partial(estimate, truths, guesses),
                    truths,
                    errors,
                    guesses,
                    level,
                )
            )
    return rows


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
    for name, res in Evaluator(people, shares, **evaluated).results_of_sources(runs).items():
        for share in shares:
            values = res.per_query.filter(res.per_query[share] < 1)
            if len(values):
                raise DataError(
                    f"{people.name}: people judged queries in part, {len(values):,} in all (such as {brief(values['query'][0])}: {share} of "
                    f"{name} is {values[share][0]:.2f}). Judge every item down to the cut-off in every run, or leave these queries out."
                )
    # a metric that reads below its cut-off (nDCG's ideal, recall) would miss what only the model judged; it shows by
    # changing
    more = _add_the_models(people, machine, policy)
    if more is None:
        return
    plain, other = (
        Aligned.of(Evaluator(qrels, metrics, **evaluated).results_of_sources(runs), metrics)
        for qrels in (people, more)
    )
    for metric in metrics:
        if not np.array_equal(plain.values(metric), other.values(metric), equal_nan=True):
            raise DataError(
                f"{metric} depends on items outside of the first ranks, and {people.name} lacks some that {machine.name} judged for "
                f"the same queries. Let people judge these too, or use a metric that only reads the first ranks, such as P@k."
            )


def _add_the_models(people: Qrels, machine: Qrels, policy: Policy) -> Qrels | None:
    """People's judgements, with what the model alone judged of their queries as highly relevant; None if that is nothing."""
    pairs = JudgedPairs.of(Assessors.of({"human": people, "model": machine}, policy))
    own = pairs.codes[0] >= 0
    queries = np.zeros(len(pairs.queries), bool)
    queries[pairs.query[own]] = True
    extra = queries[pairs.query] & ~own
    if not extra.any():
        return None
    rows = np.flatnonzero(own | extra)
    # the highest grade: a metric that does not change by that does not see these items at all
    grades = np.where(own[rows], pairs.grades[pairs.codes[0, rows]], pairs.grades.max())
    return Qrels(pairs.queries[pairs.query[rows]], pairs.items[pairs.item[rows]], grades, name=people.name)


def _rows_in(queries: Ids, everything: Ids, people: Qrels, machine: Qrels) -> np.ndarray:
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
    # compared as text: ids of a dict may be integers where those of a file are text; Python refuses to write the largest integers,
    # which are the id of no query
    chance_of = {
        str(query): chance
        for query, chance in drawn.items()
        if not isinstance(query, int) or query.bit_length() <= 64
    }
    chances = np.ones(total)
    for row, query in zip(place.tolist(), queries.tolist(), strict=True):
        chance = plain("drawn", chance_of.get(str(query), 0.0), float)
        if not 0 < chance <= 1:
            raise DataError(f"drawn: query {brief(query)} needs its probability, above 0 and at most 1.")
        chances[row] = chance
    return chances


LINEAR = "p", "cg", "dcg", "rbp"  # gains times weights, over a number that no judgement changes


def estimate_by_items(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metrics: tuple[Metric, ...],
    policy: Policy,
    evaluated: Mapping[str, Any],
    baseline: str | None,
    level: float,
) -> list[Power]:
    """The rows of single items judged by people."""
    n = len(people.query.distinct())
    rows = []
    for metric in metrics:
        predicted, true, rest = _terms(runs, people, machine, metric, policy, evaluated)
        f = predicted.values(metric)
        refuse_undefined(metric, f)
        # a query of whose items none was drawn tells nothing of the model's errors
        is_sampled = ((true != 0) | (predicted.values(metric) != rest)).any(axis=0)
        for system, less in systems_and_pairs(predicted.names, baseline):
            truths, others, guesses = (values_or_difference(part, system, less) for part in (true, rest, f))
            estimate = partial(powered.prediction_powered_terms, truths, others, n, level=level)
            errors = (guesses - others - truths)[is_sampled]
            rows.append(
                estimate_row(
                    (predicted.names, system, less), metric, estimate, truths, errors, guesses, level
                )
            )
    return rows


def _terms(
    runs: Mapping[str, Run],
    people: Qrels,
    machine: Qrels,
    metric: Metric,
    policy: Policy,
    evaluated: Mapping[str, Any],
) -> tuple[Aligned, np.ndarray, np.ndarray]:
    """Return the values of a metric under the model's judgements, with people's part of each query, and what is left of it.

    People's part is the Horvitz–Thompson estimate Σ gain · weight / probability over the items they judged, in runs (rows) and
    queries (columns); the rest is the model's value less the same estimate of it.

    Raises
    ------
    RankwellError
        If the metric is no such sum, or the model did not judge all items that it reads.
    """
    if metric.name not in LINEAR:
        raise UsageError(
            f"{metric} is no sum over items with a divisor known beforehand, so a sample of items does not estimate it; use P@k, CG@k, "
            f"DCG@k or RBP@k, or a sample of whole queries."
        )
    _refuse_gaps(runs, machine, metric, evaluated)
    predicted = Aligned.of(Evaluator(machine, [metric], **evaluated).results_of_sources(runs), (metric,))
    weighed = metric_of(f"ips(metric={metric})")
    # a query of whose items none was drawn adds nothing to the estimate
    rules = {**evaluated, "policy": replace(policy, undefined="zero")}
    # the same weighted sum twice: of people's grades, and of the model's grades for the same items; their difference is
    # the model's error
    parts = []
    for qrels in (people, _models_part(people, machine, policy)):
        own = Aligned.of(Evaluator(qrels, [weighed], **rules).results_of_sources(runs), (weighed,))
        values = np.zeros((len(runs), len(predicted.queries)))
        values[:, _rows_in(own.queries, predicted.queries, people, machine)] = own.values(weighed)
        parts.append(values)
    return predicted, parts[0], predicted.values(metric) - parts[1]


def _refuse_gaps(
    runs: Mapping[str, Run], machine: Qrels, metric: Metric, evaluated: Mapping[str, Any]
) -> None:
    share = f"judged@{getattr(metric, 'k', None)}"
    for name, res in Evaluator(machine, [share], **evaluated).results_of_sources(runs).items():
        values = res.per_query.filter(res.per_query[share] < 1)
        if len(values):
            raise DataError(
                f"{machine.name}: the model judged queries in part, {len(values):,} in all (such as {brief(values['query'][0])}: {share} of "
                f"{name} is {values[share][0]:.2f}), and people could not draw what it lacks. Let it judge every item down to the "
                f"cut-off in every run."
            )


def _models_part(people: Qrels, machine: Qrels, policy: Policy) -> Qrels:
    """What the model says of the items that people judged, with the probability of each to be drawn."""
    pairs = JudgedPairs.of(Assessors.of({"human": people, "model": machine}, policy))
    width = len(pairs.items)
    query, item = (
        Known(pairs.queries).rows_of(people.query, "query"),
        Known(pairs.items).rows_of(people.item, "item"),
    )
    keys = pairs.query * width + pairs.item
    # keys ascend, so that each pair is found by halving; clipped, as a pair may lie behind the last
    at = np.searchsorted(keys, query * width + item).clip(max=len(keys) - 1)
    codes = np.where(keys[at] == query * width + item, pairs.codes[1, at], -1)
    rows = np.flatnonzero(codes >= 0)
    assert people.propensity is not None
    chances = people.propensity[rows]
    return Qrels(
        people.query[rows],
        people.item[rows],
        pairs.grades[codes[rows]],
        propensity=chances,
        name=machine.name,
    )


def refuse_undefined(metric: Metric, model: np.ndarray, people: np.ndarray | None = None) -> None:
    """Refuse values that are undefined for some queries."""
    tables = [("the model's", model), *([] if people is None else [("people's", people)])]
    missing = [(who, int(np.isnan(values).any(axis=0).sum())) for who, values in tables]
    parts = [f"of {n:,} queries under {who} judgements" for who, n in missing if n]
    if parts:
        raise DataError(
            f"values of {metric} are undefined: {' and '.join(parts)}, and leaving them out would choose queries by their "
            f"judgements. Say undefined='zero', or use a metric that is always defined, such as DCG@k."
        )


def systems_and_pairs(names: tuple[str, ...], baseline: str | None) -> list[tuple[int, int | None]]:
    """Each system alone, and the pairs to compare."""
    alone: list[tuple[int, int | None]] = [(row, None) for row in range(len(names))]
    if baseline is not None:
        return [
            *alone,
            *((row, names.index(baseline)) for row in range(len(names)) if names[row] != baseline),
        ]
    return [*alone, *combinations(range(len(names)), 2)]


def values_or_difference(values: np.ndarray, system: int, less: int | None) -> np.ndarray:
    """Return the values of a system, or its differences from another."""
    found: np.ndarray = values[system] if less is None else values[system] - values[less]
    return found


def estimate_row(
    of: tuple[tuple[str, ...], int, int | None],
    metric: Metric,
    estimate: Callable[..., Predicted],
    truths: np.ndarray,
    errors: np.ndarray,
    guesses: np.ndarray,
    level: float,
) -> Power:
    """Return the row of a system, or of a pair; ``of`` has the names of all and their places.

    ``estimate`` takes the weight of the model, ``truths`` are people's values, NaN where they have none, ``errors`` the model's in each
    sampled query, ``guesses`` its values of all.
    """
    names, system, less = of
    by_people = estimate(weight=0.0)
    alone = interval(guesses, np.arange(len(guesses), dtype=np.uint64), method="t", level=level)
    other = "" if less is None else names[less]
    # errors that differ by rounding are one; how many differ from the commonest tells whether their spread can be known
    _, counts = np.unique(np.round(errors, 12), return_counts=True)
    return Power(
        names[system],
        other,
        str(metric),
        estimate(),
        float(np.nanmean(truths)),
        float(guesses.mean()),
        human_bounds=(by_people.low, by_people.high),
        model_bounds=(alone.low, alone.high),
        apart=len(errors) - int(counts.max(initial=0)),
    )


REPLACING = (
    "may replace: yes, if the model alone decides between the two as it does corrected by people, each by its interval at {:g} %; for "
    "these systems, queries and this model and prompt, and no others"
)


DOUBTFUL = (
    f"fewer than {LEAST} queries judged by people, or few in which they differ from the model: rare errors may have been missed, so an "
    "interval may be too short; a verdict rests on people's queries alone then"
)


@dataclass(frozen=True, repr=False)
class Powered(Result):
    """Prediction-powered means and differences; made by ``prediction_powered``."""

    rows: tuple[Power, ...]
    level: float
    drawn: str
    assessors: tuple[Assessor | None, Assessor | None]
    notes: tuple[str, ...]

    def __getitem__(self, key: tuple[str, str]) -> Power:
        """Return the mean of a system under a metric; UsageError if it is not there."""
        means = {(row.system, row.metric): row for row in self.rows if not row.less}
        if key not in means:
            raise UsageError(f"{brief(key)} is none of {one_of([f'{a}, {b}' for a, b in means])}.")
        return means[key]

    @property
    def verdict(self) -> ReplacementVerdict | None:
        """Whether the model may replace people for the decisions between these systems; None for one system."""
        return verdict_of(self.rows)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per mean and difference."""
        import polars as pl

        answers = self._answers()
        rows = [
            {"system": row.system, "less": row.less, "metric": row.metric, **row.found._asdict()}
            | {"human": row.human, "model_alone": row.model, "worth": row.worth}
            | dict(zip(("human_low", "human_high"), row.human_bounds, strict=True))
            | dict(zip(("model_low", "model_high"), row.model_bounds, strict=True))
            | {"is_doubtful": row.is_doubtful}
            | {"may_replace": answers.get((row.system, row.less, row.metric))}
            for row in self.rows
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def to_table(self) -> Table:
        """Return a table with a row per mean and difference."""
        columns = [Column("system"), Column("less"), Column("metric"), Column("mean", "value")]
        columns += [Column(f"{self.level * 100:g} %"), Column("people", "value"), Column("model", "value")]
        columns += [Column("weight", "value", digits=2), Column("n", "count"), Column("worth", "count")]
        columns += [Column("all", "count")]
        answers = self._answers()
        columns += [Column("may replace")] if answers else []
        rows: list[tuple[Cell, ...]] = []
        for row in self.rows:
            bounds = f"{number(row.found.low)} – {number(row.found.high)}"
            worth = None if math.isnan(row.worth) else round(row.worth)
            cells = (row.found.mean, bounds, row.human, row.model, row.found.weight, row.found.n, worth)
            answer = (answers.get((row.system, row.less, row.metric), ""),) if answers else ()
            rows.append((row.system, row.less, row.metric, *cells, row.found.total, *answer))
        who = [
            f"{word}: {assessor}"
            for word, assessor in zip(("people", "model"), self.assessors, strict=True)
            if assessor
        ]
        verdict = self.verdict
        replacing = [] if verdict is None else [str(verdict), REPLACING.format(self.level * 100)]
        notes = [
            *replacing,
            "mean: of all queries, the model's judgements corrected by those of people",
            "people: of their n queries alone; model: of all queries by the model alone",
            "weight: how much the model's judgements count, 0 to 1; worth: as certain as so many queries judged by people alone",
            f"the n queries were drawn {self.drawn}; intervals: Student's t",
            *([DOUBTFUL] if any(row.is_doubtful for row in self.rows) else []),
            *([f"judged by: {'; '.join(who)}"] if who else []),
            *self.notes,
        ]
        return Table(columns, rows, caption="Prediction-powered means", notes=notes, labels=3)

    def _answers(self) -> dict[tuple[str, str, str], str]:
        """For each difference, whether the model may replace people."""
        verdict = self.verdict
        decisions = () if verdict is None else verdict.decisions
        return {(decision.system, decision.less, decision.metric): decision.answer for decision in decisions}
