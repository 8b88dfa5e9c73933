"""Sampled ranks: the rank of the one relevant item of each sampled list, from a run or as people logged them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.judging.candidates.of_rank import values_by_rank
from rankwell.matching.lists import UNDECIDED
from rankwell.matching.policy import Policy
from rankwell.matching.scale import Scale
from rankwell.metrics import metrics_of
from rankwell.metrics.metric import Metric
from rankwell.tables.run_qrels import Qrels, Run

CLOSE = 1e-9


class Sampled(NamedTuple):
    """The rank of each relevant item among the negatives, how many these are, and how many are tied with it.

    ``scale`` and ``grades`` are those of the relevant items, ``means`` the means of the metrics over the lists as they are.
    """

    ranks: np.ndarray
    negatives: int
    tied: int
    scale: Scale
    grades: tuple[float, ...]
    means: tuple[float, ...]


def logged_ranks(ranks: Any, negatives: int | None, metrics: Sequence[Metric]) -> Sampled:
    """Return ranks that were logged, 1 for a relevant item above all negatives.

    Raises
    ------
    RankwellError
        If there are none, they are no ranks among so many negatives, or the number of negatives is not given.
    """
    if negatives is None:
        raise UsageError("logged_ranks= does not say how many negatives were ranked; give negatives=100.")
    try:
        found = np.asarray(ranks, np.float64)
    except (TypeError, ValueError):
        found = np.empty((0, 0))
    if found.ndim != 1 or not len(found):
        raise UsageError(f"logged_ranks={brief(ranks)}: must be a list of ranks, one per query.")
    wrong = np.flatnonzero(~((found >= 1) & (found <= negatives + 1) & (found == np.floor(found))))
    if len(wrong):
        hint = " Ranks begin at 1, those from 0 need + 1." if found[wrong[0]] == 0 else ""
        raise DataError(
            f"logged_ranks= has {found[wrong[0]]:g} at place {wrong[0]:,}: the rank of one item among {negatives:,} negatives is a whole "
            f"number from 1 to {negatives + 1:,}.{hint}"
        )
    whole = found.astype(np.int64)
    by_rank = [values_by_rank(metric, negatives + 1, Scale(), (1.0,)) for metric in metrics]
    means = tuple(math.fsum(values[whole - 1]) / len(whole) for values in by_rank)
    return Sampled(whole, negatives, 0, Scale(), (1.0,), means)


def ranks_in_run(
    run: Run, qrels: Qrels, metrics: Sequence[Metric], negatives: int | None, policy: Policy
) -> Sampled:
    """Return the ranks of the relevant items in the lists of a run.

    Raises
    ------
    RankwellError
        If a judged query has no list, not one relevant item, or one that its list lacks; if lists are not of one length; if a
        metric depends on more than the rank; or the policy gives items no one rank.
    """
    if policy.ties == "expected":
        raise UsageError("ties='expected' gives the relevant item no one rank; use ties='item-desc'.")
    own = _parameters(metrics, policy)
    counted = metrics_of([*(f"{name}{own}" for name in ("first_rank", "num_rel", "num_rel_ret")), "num_ret"])
    evaluator = Evaluator(qrels, [*counted, *metrics], policy=policy, engine="memory")
    found = evaluator.evaluate(run)
    table = found.per_query
    queries = table["query"].to_list()
    columns = [table[str(metric)].fill_null(np.nan).to_numpy() for metric in (*counted, *metrics)]
    rank, relevant, listed, length = (np.nan_to_num(each) for each in columns[:4])
    if not queries:
        raise DataError(
            f"{run.name}: no list has a judged query, so no rank is known. Do the ids of the queries fit those of the judgements?"
        )
    _refuse_lists(queries, relevant, listed, length)
    m, ranks = _negatives(queries, length, negatives), rank.astype(np.int64)
    deep = np.flatnonzero(ranks > m + 1)
    if len(deep):
        raise DataError(
            f"query {brief(queries[deep[0]])} has its relevant item at rank {ranks[deep[0]]:,} of a list of {m + 1:,}: the ranks in the run "
            f"have gaps. Give ranks among the sampled candidates, or ranks='closed' if the rest of the list is just not there."
        )
    pool = evaluator.task.pool
    grades = _grades(pool.grades[pool.scale.relevant(pool.grades, getattr(counted[0], "rel", None))])
    tied = np.zeros(len(ranks), np.bool_)
    if found.counts.get(UNDECIDED):
        best, worst = (_ranks_under(ties, run, qrels, counted[0], policy) for ties in ("best", "worst"))
        tied = best != worst
    for metric, values in zip(metrics, columns[4:], strict=True):
        by_rank = values_by_rank(metric, m + 1, pool.scale, grades)[ranks - 1]
        other = np.flatnonzero(~tied & ~(np.abs(values - by_rank) <= CLOSE))
        if len(other):
            raise UsageError(
                f"{metric} is {values[other[0]]:g} for query {brief(queries[other[0]])}, and {by_rank[other[0]]:g} by the rank of the "
                f"relevant item alone: it reads other judgements too. Take a metric of that rank, such as hit@10, rr or auc."
            )
    means = tuple(found.mean[str(metric)] for metric in metrics)
    return Sampled(ranks, m, int(tied.sum()), pool.scale, grades, means)


def _grades(found: np.ndarray) -> tuple[float, ...]:
    return tuple(np.unique(found).tolist())


def _ranks_under(
    ties: Literal["best", "worst"], run: Run, qrels: Qrels, metric: Metric, policy: Policy
) -> np.ndarray:
    """The ranks of the relevant items with ties broken for or against them."""
    under = Evaluator(qrels, [metric], policy=replace(policy, ties=ties), engine="memory").evaluate(run)
    return np.asarray(under.per_query[str(metric)].to_numpy())


def _parameters(metrics: Sequence[Metric], policy: Policy) -> str:
    """The threshold of all metrics, as they are written with it."""
    own = [policy.rel, *(getattr(metric, "rel", None) for metric in metrics)]
    rels = {rel for rel in own if rel is not None}
    if len(rels) > 1:
        raise UsageError(
            f"the metrics have different lowest relevant grades: {', '.join(f'{each:g}' for each in sorted(rels))}. Give rel= once."
        )
    return f"(rel={next(iter(rels)):g})" if rels and policy.rel is None else ""


def _refuse_lists(queries: list[Any], relevant: np.ndarray, listed: np.ndarray, length: np.ndarray) -> None:
    for wrong, what, remedy in (
        (
            relevant != 1,
            "{:,} relevant items, and the rank among sampled candidates is that of one",
            "Give each relevant item a query and a list of its own (u1/a, u1/b): recall is then the mean over items",
        ),
        (
            length == 0,
            "no list",
            "Add the lists, or leave these queries out with missing='skip' if they are missing by chance",
        ),
        (
            listed != 1,
            "a list without the relevant item, whose rank is then not known",
            "Keep the whole list of sampled candidates, the relevant item included",
        ),
    ):
        at = np.flatnonzero(wrong)
        if len(at):
            said = what.format(int(relevant[at[0]]))
            others = "" if len(at) == 1 else f" ({len(at):,} such queries)"
            raise DataError(f"query {brief(queries[at[0]])} has {said}{others}. {remedy}.")


def _negatives(queries: list[Any], length: np.ndarray, negatives: int | None) -> int:
    m = int(length[0]) - 1 if negatives is None else negatives
    if m < 1:
        raise DataError(
            f"the list of query {brief(queries[0])} has one item, the relevant one, so no negative was sampled. Give whole lists; if there "
            f"are no negatives, evaluate them as they are with rw.evaluate."
        )
    other = np.flatnonzero(length != m + 1)
    if len(other):
        at = int(other[0])
        said = (
            f"as negatives={negatives} says"
            if negatives is not None
            else f"as that of query {brief(queries[0])}"
        )
        raise DataError(
            f"the list of query {brief(queries[at])} has {int(length[at]):,} items, not {m + 1:,}, {said}: one relevant item and the "
            f"negatives. Give whole lists, and lists with other numbers of negatives in a call of their own."
        )
    return m
