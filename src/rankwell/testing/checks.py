"""Checks of metrics, readers and engines, also of metrics that are evaluated together; and an assertion that a new system is not worse."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np

from rankwell.comparison.gate import Gate, gate
from rankwell.errors import UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.engine import Engine
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.readers import read_qrels, read_run
from rankwell.records import record
from rankwell.results import Results
from rankwell.tables.arguments import ordered
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.testing.data import CHANCES, ITEMS, JUDGED, Data, examples, fit_run, read_tables
from rankwell.testing.laws import LAWS, LawBroken, equal

ORDER = (
    "assert_not_worse takes the run, the judgements and the metrics in this order, and the accepted system by name: "
    "assert_not_worse(run, qrels, metrics, baseline=old); of two results assert_not_worse(run, baseline=old)."
)
POLICY = Policy(grades="judgements", outside="ignore", sizes="weight")
KINDS = frozenset(
    {"topics", "propensity", "spans"}
)  # columns of the judgements, read only if a metric needs them


def check_metric(
    metric: str | Metric | type[Metric], *, cases: int | Iterable[int] = 25, seed: int = 0
) -> None:
    """Check a metric against every law, except those that it declares to break (``Metric.broken_laws``).

    ``cases`` is the number of random data sets, or the numbers of those to use.

    Raises
    ------
    LawBroken
        With the law, the metric and the data on which it fails.

    Examples
    --------
    >>> check_metric("ndcg@3", cases=3)
    """
    check([metric_of(metric)], examples(cases, seed))


def check_metrics(
    metrics: Iterable[str | Metric | type[Metric]], *, cases: int | Iterable[int] = 25, seed: int = 0
) -> None:
    """Check metrics as ``check_metric`` does, in about half of the time: those of a class that read the same data are evaluated together.

    In the first case each is evaluated alone, and in every case its values are compared with those that it has alone.

    Raises
    ------
    LawBroken
        With the law, the metric and the data on which it fails.

    Examples
    --------
    >>> check_metrics(["ndcg@3", "ndcg(gain=exp2)@3", "ap"], cases=3)
    """
    # metrics of one class are evaluated together in all cases but the first, where each is alone
    for group in groups_of(map(metric_of, metrics)):
        check(
            group,
            (
                replace(data, beside=group if place else ())
                for place, data in enumerate(examples(cases, seed))
            ),
        )


def groups_of(metrics: Iterable[Metric]) -> list[tuple[Metric, ...]]:
    """Divide metrics into groups of one class each, for which the same data are made and the same policies are possible."""
    groups: dict[Hashable, list[Metric]] = {}
    for metric in dict.fromkeys(metrics):
        reads = metric.judgements, metric.reads_all_judgements(), metric.needed() | metric.needs
        key = (type(metric), *reads, metric.sees_missing, metric.has_expected_value())
        groups.setdefault(key, []).append(metric)
    return [tuple(group) for group in groups.values()]


def check(metrics: Sequence[Metric], cases: Iterable[Data]) -> None:
    """Raise LawBroken for the first law that a metric breaks without declaring it."""
    for drawn in cases:
        data = drawn.fit(metrics[0])
        for name, law in LAWS.items():
            for metric in metrics:
                # a law that a metric says it breaks is not looked at: that it is broken need not show on few data
                if name not in metric.broken_laws() and not law(metric, data):
                    raise LawBroken(f"{metric} breaks the law “{name}”: {law.__doc__} Data: {data}")


def check_reader(
    write_run: Callable[[Data, Path], None] | None,
    write_qrels: Callable[[Data, Path], None] | None,
    folder: Path,
    *,
    suffix: str,
    cases: int = 10,
) -> None:
    """Write data in a format, read them back, and compare rows and values exactly with those of the dicts.

    For a format without runs or without judgements, pass None as their writer. For runs with ranks, the order of the
    items is compared in place of scores and values.

    Raises
    ------
    LawBroken
        If they differ.
    """
    metrics = ["ap", "ndcg@3", "rr", "p@2", "judged@3"]
    for data in examples(cases):
        run: Any = data.run
        qrels: Any = data.qrels
        if write_run is not None:
            path = folder / f"run{data.seed}{suffix}"
            write_run(data, path)
            run = read_run(path)
            _compare_run(run, data.run, path)
        if write_qrels is not None:
            path = folder / f"qrels{data.seed}{suffix}"
            write_qrels(data, path)
            qrels = read_qrels(path)
            _compare_qrels(qrels, data.qrels, path)
        theirs = Evaluator(data.qrels, metrics, policy=JUDGED).evaluate(data.run)
        ours = Evaluator(qrels, metrics, policy=JUDGED).evaluate(run)
        has_ranks = isinstance(run, Run) and run.rows.table().by_rank
        if not has_ranks and (not ours.per_query.equals(theirs.per_query) or ours.mean != theirs.mean):
            raise LawBroken(f"{suffix}: the values differ from those of the dicts. Data: {data}")


def _compare_run(run: Run, written: Mapping[str, Mapping[str, float]], path: Path) -> None:
    rows = run.rows.table()
    read = _by_query(rows.query, rows.item, rows.key, path)
    if not rows.by_rank:
        _compare(read, written, "score", path)
        return
    _compare({q: dict.fromkeys(items) for q, items in read.items()},
             {q: dict.fromkeys(items) for q, items in written.items()}, "rank", path)  # fmt: skip
    for query, ranks in read.items():
        for above, below in pairwise(sorted(ranks, key=ranks.__getitem__)):
            if written[query][above] < written[query][below]:
                raise LawBroken(
                    f"{path}, query {brief(query)}: item {brief(above)} was read above {brief(below)}, which has a higher score."
                )


def _compare_qrels(qrels: Qrels, written: Mapping[str, Mapping[str, float]], path: Path) -> None:
    grade = np.ones(len(qrels)) if qrels.grade is None else qrels.grade
    _compare(_by_query(qrels.query, qrels.item, grade, path), written, "grade", path)


def _by_query(query: Ids, item: Ids, number: np.ndarray, path: Path) -> dict[Any, dict[Any, float]]:
    numbers: dict[Any, dict[Any, float]] = {}
    for query_id, of, value in zip(query.tolist(), item.tolist(), number.tolist(), strict=True):
        if of in numbers.setdefault(query_id, {}):
            raise LawBroken(f"{path}, query {brief(query_id)}: item {brief(of)} was read twice.")
        numbers[query_id][of] = value
    return numbers


def _compare(
    read: Mapping[Any, Mapping[Any, Any]], written: Mapping[str, Mapping[str, Any]], word: str, path: Path
) -> None:
    """Raise LawBroken at the first row that is on one side only, or whose numbers differ."""
    for query in dict.fromkeys([*written, *read]):
        for item in dict.fromkeys([*written.get(query, {}), *read.get(query, {})]):
            where = f"{path}, query {brief(query)}: item {brief(item)}"
            if item not in read.get(query, {}):
                raise LawBroken(f"{where} was written but not read.")
            if item not in written.get(query, {}):
                raise LawBroken(f"{where} was read but not written.")
            ours, theirs = read[query][item], written[query][item]
            if ours != theirs:
                raise LawBroken(
                    f"{where} was written with {word} {brief(theirs)} but read with {brief(ours)}."
                )


def check_engine(engine: Engine, *, cases: int = 10) -> None:
    """Compare the values of an engine with those of the memory engine.

    Raises
    ------
    LawBroken
        If a value differs.
    """
    for data in examples(cases):
        for metric in map(metric_of, ("ap", "ndcg@3", "err", "coverage@2")):
            if not equal(metric, data.results(metric, engine=engine), data.results(metric)):
                raise LawBroken(f"{engine.name}: {metric} differs from the memory engine. Data: {data}")


@ordered(ORDER)
def assert_not_worse(
    run: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    baseline: Any = None,
    max_drop: Any = 0.0,
    **options: Any,
) -> Gate:
    """Raise AssertionError, with the whole report, if the gate would stop this change; return the gate otherwise.

    Arguments are those of ``rankwell.gate``. With ``strict=True`` or ``mode="non-inferiority"`` what is inconclusive is stopped
    as well.

    Examples
    --------
    >>> qrels = {str(q): {"a": 1} for q in range(80)}
    >>> old = {str(q): ["a", "b"] for q in range(80)}
    >>> assert_not_worse(dict(old), qrels, "rr", baseline=old, max_drop=0.01).status
    'pass'
    """
    if baseline is None:
        raise UsageError(ORDER)
    verdict = gate(run, qrels, metrics, baseline=baseline, max_drop=max_drop, **options)
    if verdict.exit_code:
        raise AssertionError("\n" + repr(verdict))
    return verdict


@record
class Values:
    """A metric's values on a run: the exact mean as hexadecimal text, the number of queries, and per-query values."""

    mean: str
    n: int
    per_query: dict[Any, float]

    @classmethod
    def of(cls, metric: Metric, res: Results) -> Values:
        """Return the values of a metric in some results."""
        own = res.values(metric).tolist() if isinstance(metric, QueryMetric) else []
        pairs = zip(res.queries, own, strict=False)  # a metric of all lists has no value per query
        # NaN equals nothing, so an undefined value is one that is not there; the mean as text tells every bit
        defined: dict[Any, float] = {query: value for query, value in pairs if not math.isnan(value)}
        return cls(res[metric].hex(), res.n[str(metric)], defined)


class Bench:
    """The data of one case, each table read once."""

    def __init__(self, data: Data) -> None:
        self._run = read_run(data.run)
        self._data = data
        self._qrels: dict[frozenset[str], object] = {}

    def values(self, metrics: Sequence[Metric]) -> dict[Metric, Values]:
        """Evaluate metrics together, in this order, and return their values."""
        kinds = KINDS & frozenset[str]().union(*(metric.needed() for metric in metrics))
        if kinds not in self._qrels:
            chances = dict(zip(ITEMS, CHANCES, strict=True))
            self._qrels[kinds] = read_qrels(self._data.judgements(metrics, chances))
        evaluator = Evaluator(self._qrels[kinds], metrics, policy=POLICY, **read_tables())
        res = evaluator.evaluate(fit_run(self._run, metrics))
        return {metric: Values.of(metric, res) for metric in metrics}


def check_neighbours(
    metrics: Iterable[str | Metric | type[Metric]],
    pairs: Iterable[tuple[str | Metric | type[Metric], ...]] | None = None,
    *,
    cases: int | Iterable[int] = 1,
    seed: int = 0,
) -> None:
    """Check that metrics have the same values together as alone: all at once, in both directions, and in ordered pairs.

    Parameters
    ----------
    metrics
        The metrics to check.
    pairs
        The groups of metrics to evaluate together; by default all ordered pairs.
    cases, seed
        As for ``check_metric``.

    Raises
    ------
    LawBroken
        If another metric changes a metric's values.

    Examples
    --------
    >>> check_neighbours(["ndcg@3", "ap", "coverage@2"])
    """
    resolved = list(dict.fromkeys(map(metric_of, metrics)))
    chosen = permutations(resolved, 2) if pairs is None else pairs
    groups = [tuple(map(metric_of, pair)) for pair in chosen]
    for data in examples(cases, seed):
        for metric in resolved:
            data = data.fit(metric)
        bench = Bench(data)
        alone = {metric: bench.values([metric])[metric] for metric in {*resolved, *chain(*groups)}}
        for group in (resolved, resolved[::-1], *groups):
            for metric, values in bench.values(group).items():
                if values != alone[metric]:
                    order = ", ".join(map(str, group))
                    raise LawBroken(
                        f"{metric} has different values when evaluated in this order: {order}. Together: {values}; alone: "
                        f"{alone[metric]}. Data: {data}"
                    )
