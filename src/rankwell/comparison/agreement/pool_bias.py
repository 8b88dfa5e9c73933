"""The ``pool_bias`` function: how far each run is judged, and what it loses without the judgements that it alone brought in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import read_with, reading_of
from rankwell.matching import Asked, judge, pool_of
from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy, pop_policy
from rankwell.matching.pool import Pool
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_named, read_qrels
from rankwell.readers.sources import names_as_text, refuse_unnamed
from rankwell.results import Results
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Known
from rankwell.tables.lists import owners_of
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


SIGN = {"higher": 1.0, "lower": -1.0}


@checked
def pool_bias(
    runs: Mapping[str, Any],
    qrels: Any,
    metrics: Iterable[Wanted] | Wanted,
    *,
    depth: int = 10,
    policy: Policy | None = None,
    read: Mapping[str, Any] | None = None,
    **options: Any,
) -> PoolBias:
    """Return how far each run is judged, and its values without the judgements that it alone contributed to the pool.

    Parameters
    ----------
    runs, qrels, metrics
        The systems by name, the judgements, and metrics by which a value is better or worse, as for ``compare``.
    depth
        The pool is the first so many items of every run. A judged item is a run's own if no other run has it there.
    policy, read, options
        As for ``Evaluator``.

    Returns
    -------
    PoolBias
        Print it, or see ``found.rows``.

    Raises
    ------
    RankwellError
        For fewer than two runs, or bad data.

    Notes
    -----
    A run that was not pooled is scored with its own items unjudged. What pooled runs lose when theirs are taken away, one run at
    a time, tells how much such a run is underrated (Zobel, How reliable are the results of large-scale information retrieval
    experiments?, SIGIR 1998). The other runs keep their values. A value without is the value plus the mean change over the queries
    where the metric is still defined.

    Examples
    --------
    >>> import rankwell as rw
    >>> runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "c"]}}
    >>> found = rw.pool_bias(runs, {"q": {"a": 1, "b": 1}}, ["p@2"], depth=2)
    >>> [(row.system, row.judged, row.own, row.value, row.without) for row in found.rows]
    [('one', 1.0, 1, 1.0, 0.5), ('two', 0.5, 0, 0.5, 0.5)]
    """
    refuse_unnamed(runs, "pool_bias")
    metrics_wanted = metrics_of(metrics)
    for metric in metrics_wanted:
        if metric.better not in SIGN:
            raise UsageError(f"{metric} orders no systems: neither higher nor lower values of it are better.")
    if len(runs) < 2:
        raise UsageError(f"a pool is made of at least two runs, not {len(runs)}.")
    if depth < 1:
        raise UsageError(f"depth={depth}: must be at least 1.")
    policy_given = pop_policy(policy, options, ("depth",))
    read = read_with(read, options)
    of_runs, of_qrels = reading_of(read)
    judgements = read_qrels(qrels, **of_qrels)
    read_runs = open_named(names_as_text(runs), of_runs)
    # a metric of whole lists has no cut-off; its judged share is looked at down to the depth of the pool
    cuts = {metric: getattr(metric, "k", None) or depth for metric in metrics_wanted}
    shares = {k: metric_of(f"judged@{k}") for k in cuts.values()}
    evaluated = {"read": read, "policy": policy_given, **options}
    results = Evaluator(judgements, [*metrics_wanted, *shares.values()], **evaluated).results_of_sources(
        read_runs
    )
    pool, _ = pool_of(judgements, Asked(policy_given))
    own = _own(read_runs, pool, depth, policy_given)
    row_of = _pool_rows(judgements, pool)
    rows = []
    for at, (name, run) in enumerate(read_runs.items()):
        mine = own[at] & pool.scale.judged(pool.grades)
        # only judgements that this run alone brought in are taken away; a run without such is not evaluated again
        less = _select(judgements, np.flatnonzero(~mine[row_of])) if mine.any() else judgements
        after = Evaluator(less, metrics_wanted, **evaluated).evaluate(run) if mine.any() else results[name]
        relevant = int((mine & pool.scale.relevant(pool.grades)).sum())
        for metric in metrics_wanted:
            judged = results[name].mean[str(shares[cuts[metric]])]
            row = _compare_without(name, metric, results, after)
            rows.append(
                row._replace(judged=judged, k=cuts[metric], own=int(mine.sum()), own_relevant=relevant)
            )
    return PoolBias(tuple(rows), tuple(read_runs), tuple(map(str, metrics_wanted)), depth)


def _own(runs: Mapping[str, Run], pool: Pool, depth: int, policy: Policy) -> np.ndarray:
    """Which judged items (columns) each run alone (row) has among its first ``depth``."""
    asked, context = Asked(policy, needs=frozenset({"judgement"})), Context(pool.scale, None)
    brought = np.zeros((len(runs), len(pool.grades)), bool)
    for row, run in enumerate(runs.values()):
        table = run.rows.table()
        # in one batch, as the rows of the pool are wanted and not a sum over parts
        for make in table.batches(len(table) or 1):
            ranked = judge(make(), pool, asked, context)[0].found.top(depth)
            assert ranked.pool_row is not None
            brought[row, ranked.pool_row] = True
    # what a second run has at the same depth would be judged without this one, too
    return brought & (brought.sum(axis=0) == 1)


def _pool_rows(qrels: Qrels, pool: Pool) -> np.ndarray:
    """The row of the pool of each row of the judgements: several topics of an item share one."""
    items = Known(pool.items[pool.items.group()[1]])
    width = len(items)
    keys = owners_of(np.diff(pool.offsets)) * width + items.find(pool.items)
    # the pool is sorted by query only; sorted by both, each judgement is found by halving
    order = np.argsort(keys)
    judged_keys = pool.queries.find(qrels.query) * width + items.find(qrels.item)
    rows: np.ndarray = order[np.searchsorted(keys[order], judged_keys)]
    return rows


def _select(qrels: Qrels, rows: np.ndarray) -> Qrels:
    """Some rows of the judgements."""
    words = "grade", "topic", "subgroup", "topic_weight", "propensity", "imputed"
    columns = {word: None if getattr(qrels, word) is None else getattr(qrels, word)[rows] for word in words}
    return Qrels(qrels.query[rows], qrels.item[rows], name=qrels.name, **columns)


def _compare_without(name: str, metric: Metric, results: Mapping[str, Results], after: Results) -> Alone:
    """The values of a run with and without its own judgements, and its rank among the others."""
    before = results[name]
    value, without, lost = before.mean[str(metric)], after.mean[str(metric)], 0
    if metric in before.part.values and after is not before:
        old, new = _by_query(before, metric), _by_query(after, metric)
        both = [query for query in old if not (np.isnan(old[query]) or np.isnan(new.get(query, np.nan)))]
        n = sum(not np.isnan(each) for each in old.values())
        lost, left = n - len(both), math.fsum(new[query] for query in both)
        if lost:
            # of the same queries before and after, so that the change is not that of the queries that are left
            change = (left - math.fsum(old[query] for query in both)) / len(both) if both else math.nan
            without = value + change
        elif n:
            without = left / n
    sign = SIGN[metric.better]
    others = [sign * res.mean[str(metric)] for other, res in results.items() if other != name]
    ranks = [
        None if np.isnan(own) else 1 + sum(other > sign * own for other in others) for own in (value, without)
    ]
    return Alone(name, str(metric), value, without, ranks[0], ranks[1], lost)


def _by_query(res: Results, metric: Metric) -> dict[Any, float]:
    aligned = Aligned.of({"": res}, (metric,))
    return dict(zip(aligned.queries.tolist(), aligned.values(metric)[0].tolist(), strict=True))


# a rule of thumb: no test says from where on unjudged items matter
APART = 0.1  # judged shares that differ by more make values incomparable


class Alone(NamedTuple):
    """A run under one metric: its value and rank, and those without its own judgements.

    A rank is None where the value is undefined. ``lost`` are the queries without which the change is computed, as the metric is no longer defined there. ``judged`` is the
    share of its first ``k`` items that are judged, ``own`` the number of judged items that no other run brought into the pool,
    ``own_relevant`` how many of these are relevant.
    """

    system: str
    metric: str
    value: float
    without: float
    rank: int | None
    rank_without: int | None
    lost: int
    judged: float = 0.0
    k: int = 0
    own: int = 0
    own_relevant: int = 0


@dataclass(frozen=True, repr=False)
class PoolBias(Result):
    """How far runs are judged, and what each loses without the judgements that it alone contributed; made by ``pool_bias``."""

    rows: tuple[Alone, ...]
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    depth: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warning where the judged shares of runs differ by more than .1."""
        warnings = []
        for metric in self.metrics:
            own = sorted((row.judged, row.system) for row in self.rows if row.metric == metric)
            (low, least), (high, most) = own[0], own[-1]
            if high - low > APART:
                k = next(row.k for row in self.rows if row.metric == metric)
                warnings.append(
                    f"{metric}: judged@{k} is {number(low, 2)} of {least} and {number(high, 2)} of {most}: unjudged items count as not "
                    f"relevant, so {least} may be better than its value"
                )
        return tuple(warnings)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per run and metric."""
        import polars as pl

        ranks = {"rank": pl.Int64, "rank_without": pl.Int64}
        return pl.DataFrame([row._asdict() for row in self.rows], schema_overrides=ranks).fill_nan(None)

    def to_table(self) -> Table:
        """Return a table with a row per run and metric."""
        columns = [
            Column("system"),
            Column("metric"),
            Column("value", "value"),
            Column("judged@"),
            Column("judged", "value", digits=2),
        ]
        columns += [Column("own", "count"), Column("relevant", "count"), Column("without", "value")]
        columns += [Column("change", "value"), Column("rank", "count"), Column("rank without", "count")]
        rows: list[tuple[Cell, ...]] = [
            (
                row.system, row.metric, row.value, row.k, row.judged, row.own, row.own_relevant, row.without,
                row.without - row.value, row.rank, row.rank_without,
            )
            for row in sorted(self.rows, key=lambda row: (self.metrics.index(row.metric), row.rank or 0))
        ]  # fmt: skip
        lost = max(row.lost for row in self.rows)
        notes = [
            f"pool: the first {self.depth} items of each run; own: judged items that no other run has there, and how many are relevant",
            "without: the value if these were unjudged, as they would be had the run not been pooled; the others keep their values",
            *(
                [f"up to {lost:,} queries lose all relevant items and are left out of the change"]
                if lost
                else []
            ),
            *self.warnings,
        ]
        return Table(columns, rows, caption="Pooling bias", notes=notes, labels=2)
