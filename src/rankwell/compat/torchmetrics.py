"""Metrics for torchmetrics, in a training loop, a ``MetricCollection`` or Lightning, on one process or several.

``RetrievalMetrics`` takes rows (preds, target, indexes) as the retrieval metrics of torchmetrics do, ``TopKMetrics`` whole lists:
the best items of each query. Definitions and rules are rankwell's unless ``preset="torchmetrics"`` is given.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from rankwell.compat.lists import values_of_rows
from rankwell.errors import DataError, NothingInCommonError, NotInstalledError, UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import QueryMetric
from rankwell.readers.memory.matrices import named_qrels, named_run
from rankwell.results import Results
from rankwell.results.part import Part
from rankwell.tables.ids import Ids
from rankwell.tables.series import array_of
from rankwell.tables.states import State

# of the number of bytes, before each pickle: processes send arrays of bytes end to end
LENGTH = np.dtype("<i8")


try:
    import torch
    from torch import Tensor
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat
except ImportError as error:
    raise NotInstalledError(
        f"rankwell.compat.torchmetrics needs PyTorch and torchmetrics ({error}): pip install 'rankwell[torchmetrics]'."
    ) from error

__all__ = ["RetrievalMetrics", "TopKMetrics"]

ROW = np.dtype([("query", "<i8"), ("score", "<f8"), ("grade", "<f8")])  # as exact as it comes


class RankingMetric(Metric):
    """What both have in common: metrics, rules, and a state that is bytes, so that nothing is rounded on its way."""

    full_state_update = False  # the value of a batch does not depend on those before
    is_differentiable = False
    kept: list[Tensor] | Tensor  # one tensor once processes have shared theirs

    def __init__(self, metrics: Iterable[Wanted] | Wanted, options: dict[str, Any]) -> None:
        rules = {field.name for field in fields(Policy)} & options.keys()
        super().__init__(**{name: value for name, value in options.items() if name not in rules})
        self.rules = {name: options[name] for name in rules}
        self.wanted = metrics_of(metrics)
        self.add_state("kept", default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher values are better, None if this differs between the metrics."""
        better = {metric.better for metric in self.wanted}
        return {"higher": True, "lower": False}.get(better.pop()) if len(better) == 1 else None

    def sync(self, *arguments: Any, **options: Any) -> None:
        """Gather the states of all processes; one that has seen nothing takes part with no bytes."""
        if isinstance(self.kept, list) and not self.kept:
            self.kept.append(self._tensor(self._nothing))
        super().sync(*arguments, **options)

    def _tensor(self, content: np.ndarray) -> Tensor:
        return torch.from_numpy(content).to(self.device)

    def _gathered(self) -> np.ndarray:
        return dim_zero_cat(self.kept).cpu().numpy() if len(self.kept) else self._nothing

    def _values(self, mean: Mapping[str, float]) -> Tensor | dict[str, Tensor]:
        """The values as tensors by their names; of one metric the value."""
        kind = torch.float32 if self.device.type == "mps" else torch.float64  # which that device lacks
        results = {
            str(metric): torch.tensor(mean.get(str(metric), float("nan")), dtype=kind, device=self.device)
            for metric in self.wanted
        }
        return results if len(results) > 1 else next(iter(results.values()))


class RetrievalMetrics(RankingMetric):
    """Metrics of rows with a score and a target each, which ``indexes`` group into queries, as retrieval metrics of torchmetrics do.

    Rows of one query may come in several updates and on several processes. ``compute`` gives a dict of tensors by the metrics'
    names, or a tensor if there is one metric.

    Parameters
    ----------
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rankwell.P @ 5``.
    ignore_index
        Rows with this target are left out.
    preset
        The name of another tool whose definitions and rules to use, such as ``"torchmetrics"``.
    policy
        The rules for edge cases; see ``rankwell.Policy``.
    options
        Fields of the policy by themselves, such as ``undefined="zero"``, and what every metric of torchmetrics takes. Equal scores count as the
        mean over all their orders (``ties="expected"``), unless a rule is given.

    Examples
    --------
    >>> metric = RetrievalMetrics(["rr", "ndcg@10"])
    >>> metric.update(torch.tensor([0.2, 0.9, 0.5]), torch.tensor([True, False, True]), torch.tensor([0, 0, 1]))
    >>> {name: round(value.item(), 4) for name, value in metric.compute().items()}
    {'rr': 0.75, 'ndcg@10': 0.8155}
    """

    _nothing = np.zeros((0, ROW.itemsize), np.uint8)

    def __init__(
        self,
        metrics: Iterable[Wanted] | Wanted,
        *,
        ignore_index: int | None = None,
        preset: str | None = None,
        policy: Policy | None = None,
        **options: Any,
    ) -> None:
        super().__init__(metrics, options)
        self.ignore_index, self.preset, self.policy = ignore_index, preset, policy

    def update(self, preds: Tensor, target: Tensor, indexes: Tensor) -> None:
        """Add rows: their scores, their grades (or whether they are relevant), and their queries; in the same shape."""
        shapes = [tuple(each.shape) for each in (preds, target, indexes)]
        if len(set(shapes)) != 1:
            raise DataError(f"preds, target and indexes have the same shape; these have {shapes}.")
        score, grade, query = (array_of(each, "preds").ravel() for each in (preds, target, indexes))
        if query.dtype.kind not in "iu":
            raise DataError(f"indexes are whole numbers, one per query, not {query.dtype}.")
        rows = np.empty(len(query), ROW)
        rows["query"], rows["score"], rows["grade"] = query, score, grade
        if self.ignore_index is not None:
            rows = rows[rows["grade"] != self.ignore_index]
        if len(found := np.flatnonzero(np.isnan(rows["score"]))):
            raise DataError(f"preds: a score of query {rows['query'][found[0]]} is not a number (nan).")
        self.kept.append(self._tensor(rows.view(np.uint8).reshape(-1, ROW.itemsize)))

    def compute(self) -> Tensor | dict[str, Tensor]:
        """Return the value of each metric over all queries; nan if it is undefined for each of them."""
        rows = np.ascontiguousarray(self._gathered()).view(ROW).ravel()
        if not len(rows):
            return self._values({})
        columns = rows["query"], rows["score"], rows["grade"]
        return self._values(
            values_of_rows(*columns, self.wanted, preset=self.preset, policy=self.policy, rules=self.rules)
        )


class TopKMetrics(RankingMetric):
    """Metrics of the best items of each query, against judgements that are known beforehand or come with the lists.

    What is kept and gathered from other processes are the states of the metrics and the value of each query, which add up exactly: the
    result is that of one process, to the bit. A query that comes twice with the same values, as samplers of distributed training repeat
    some to give each process as many, counts once. Judged queries without a list are left out.

    Parameters
    ----------
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rankwell.P @ 5``.
    qrels
        The judgements of all queries, in any form that ``rankwell.read_qrels`` accepts, with whole numbers as ids; None if each
        update brings those of its queries.
    train, items, users
        As for ``rankwell.Evaluator``, for metrics that need them.
    policy
        The rules for edge cases; see ``rankwell.Policy``.
    options
        Fields of the policy by themselves, such as ``undefined="zero"``, and what every metric of torchmetrics takes.

    Examples
    --------
    >>> metric = TopKMetrics("rr", qrels={0: [7, 3], 1: [9]})
    >>> metric.update(torch.tensor([[1, 3, 7], [9, 2, 4]]), queries=torch.tensor([0, 1]))
    >>> metric.compute()
    tensor(0.7500, dtype=torch.float64)
    """

    _nothing = np.zeros(0, np.uint8)

    def __init__(
        self,
        metrics: Iterable[Wanted] | Wanted,
        qrels: Any = None,
        *,
        train: Any = None,
        items: Any = None,
        users: Any = None,
        policy: Policy | None = None,
        **options: Any,
    ) -> None:
        super().__init__(metrics, options)
        self.tables = {"train": train, "items": items, "users": users}
        self.policy = replace(policy_with(policy, self.rules), missing="skip")
        self.evaluator = None if qrels is None else self._evaluator(qrels)

    def _evaluator(self, qrels: Any) -> Evaluator:
        return Evaluator(qrels, self.wanted, policy=self.policy, **self.tables)

    def update(self, items: Any, queries: Tensor, target: Tensor | None = None) -> None:
        """Add the lists of some queries.

        Parameters
        ----------
        items
            Numbers of items, best first (queries × k), padded with -1; or what ``torch.topk`` returns.
        queries
            The id of each row.
        target
            Without ``qrels``: the relevant items of each row, padded with -1.
        """
        ids = Ids.of_integers(array_of(queries, "queries").ravel())
        if (target is None) == (self.evaluator is None):
            raise UsageError(
                "TopKMetrics gets the judgements once: as qrels= when it is made, or as the target of each update."
            )
        run, evaluator = named_run(items, ids), self.evaluator
        if evaluator is None:
            evaluator = self._evaluator(named_qrels(target, ids))
        try:
            results = evaluator.results_of(run)
        except NothingInCommonError:
            if not all(metric.judgements for metric in self.wanted):
                raise
            return  # as if these queries were in one batch with others: they have no value
        self.kept.append(self._tensor(kept_bytes(results)))

    def compute(self) -> Tensor | dict[str, Tensor]:
        """Return the value of each metric over all queries; nan if it is undefined for each of them."""
        results = sum_of_kept(self._gathered())
        return self._values({} if results is None else results.mean)


def kept_bytes(results: Results) -> np.ndarray:
    """Return results as bytes, after their number."""
    content = np.frombuffer(pickle.dumps(results), np.uint8)
    return np.concatenate([np.array([len(content)], LENGTH).view(np.uint8), content])


def sum_of_kept(content: np.ndarray) -> Results | None:
    """Return the sum of results that were made bytes, in any order; None if there are none.

    They are pickled, so they are only to come from processes of the same training.

    Raises
    ------
    DataError
        If a query comes twice with different values, or with the same ones and a metric has no value per query.
    """
    results = list(_results_in(content))
    return Results.sum(_once(results)) if results else None


def _results_in(content: np.ndarray) -> Iterator[Results]:
    at = 0
    while at < len(content):
        begin = at + LENGTH.itemsize
        at = begin + int(content[at:begin].copy().view(LENGTH)[0])
        yield pickle.loads(content[begin:at].tobytes())  # noqa: S301 - of processes of the same training


def _once(results: list[Results]) -> list[Results]:
    """Return the results with each query in the first of those that have it."""
    queries = Ids.concatenate([res.part.queries for res in results])
    codes, firsts = queries.group()
    is_first = np.arange(len(codes)) == firsts[codes]
    if is_first.all():
        return results
    ends = np.cumsum([len(res.part.queries) for res in results])
    metrics = results[0].metrics
    for metric in metrics:
        if not isinstance(metric, QueryMetric):
            again = int(np.flatnonzero(~is_first)[0])
            raise DataError(
                f"query {brief(queries.one(again))} comes twice, and {metric} has no value per query of which one could be left "
                f"out. Give each process queries of its own, with no query repeated to fill up the last batch."
            )
        values = np.concatenate([res.part.values[metric] for res in results])
        differ = np.flatnonzero(
            ~((values == values[firsts[codes]]) | (np.isnan(values) & np.isnan(values[firsts[codes]])))
        )
        if len(differ):
            raise DataError(
                f"query {brief(queries.one(int(differ[0])))} comes twice, with different values of {metric}. Give each query an id "
                f"of its own, and call reset() after each epoch."
            )
    parts = zip(results, np.split(is_first, ends[:-1]), strict=True)
    return [res if chosen.all() else _only(res, chosen) for res, chosen in parts if chosen.any()]


def _only(results: Results, rows: np.ndarray) -> Results:
    """The results of some of the queries, for metrics with a value per query."""
    part = results.part
    values: dict[Any, np.ndarray] = {}
    states: dict[Any, State] = {}
    for metric in results.metrics:
        assert isinstance(metric, QueryMetric)
        own = values[metric] = part.values[metric][rows]
        states[metric] = metric.summary(own[~np.isnan(own)])
    return replace(results, part=Part(part.queries[rows], part.pool_row[rows], values, states))
