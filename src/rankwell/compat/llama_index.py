"""Metrics for LlamaIndex's ``RetrieverEvaluator``, and its results as a run and judgements."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rankwell.compat.lists import ask_one_list
from rankwell.errors import DataError, NotInstalledError, UsageError, brief
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted
from rankwell.readers import read_qrels, read_run
from rankwell.tables.run_qrels import Qrels, Run

__all__ = ["as_metric", "run_and_qrels"]


def as_metric(metric: Wanted, *, policy: Policy | None = None, **rules: Any) -> Any:
    """Return a metric for ``RetrieverEvaluator(metrics=[…])``, under its name here, such as ``ndcg@10``.

    Every expected id is relevant. What is undefined is ``nan``, and says so in the metadata of its result.

    Parameters
    ----------
    metric
        Text such as ``"ndcg@10"``, or a metric such as ``rankwell.P @ 5``.
    policy, rules
        The rules for edge cases, or some of them by themselves, such as ``duplicates="first"``.

    Raises
    ------
    NotInstalledError
        If LlamaIndex is not installed.
    """
    try:
        from llama_index.core.evaluation.retrieval.metrics_base import (
            BaseRetrievalMetric,
            RetrievalMetricResult,
        )
    except ImportError as error:
        raise NotInstalledError(
            f"as_metric needs LlamaIndex ({error}): pip install llama-index-core."
        ) from error

    names, ask = ask_one_list(metric, policy, rules)
    if len(names) != 1:
        raise UsageError(
            f"as_metric makes one metric, not {len(names)} ({', '.join(names)}): [as_metric(name) for name in …]."
        )
    (name,) = names

    class RankwellMetric(BaseRetrievalMetric):
        metric_name = name

        def compute(
            self,
            query: str | None = None,
            expected_ids: list[str] | None = None,
            retrieved_ids: list[str] | None = None,
            *_: Any,  # the texts of both
            **__: Any,
        ) -> Any:
            """Compute the metric of one query."""
            if expected_ids is None or retrieved_ids is None:
                raise DataError(
                    f"{name} needs expected_ids and retrieved_ids; of {brief(query)} one is missing."
                )
            value = ask(retrieved_ids, expected_ids)[name]
            return RetrievalMetricResult(
                score=value, metadata={"undefined": True} if math.isnan(value) else {}
            )

    return RankwellMetric()


def run_and_qrels(results: Iterable[Any], *, name: str = "retriever") -> tuple[Run, Qrels]:
    """Return the lists and the judgements that results of ``RetrieverEvaluator`` hold, for ``rankwell.evaluate``, ``compare`` or ``diff``.

    Queries are called by their texts, so each has to come once.

    Parameters
    ----------
    results
        What ``evaluate`` or ``aevaluate_dataset`` returned.
    name
        The name of the run.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> result = SimpleNamespace(query="tall?", expected_ids=["b"], retrieved_ids=["a", "b"])
    >>> import rankwell as rw
    >>> rw.evaluate(*run_and_qrels([result]), ["rr", "ndcg@10"])["rr"]
    0.5
    """
    lists: dict[str, list[str]] = {}
    wanted: dict[str, list[str]] = {}
    for each in results:
        if each.query in lists:
            raise DataError(f"the query {brief(each.query)} comes twice; its results cannot be told apart.")
        lists[each.query], wanted[each.query] = list(each.retrieved_ids), list(each.expected_ids)
    return read_run(lists, name=name), read_qrels(wanted)
