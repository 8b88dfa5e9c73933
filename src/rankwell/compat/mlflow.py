"""A scorer for ``mlflow.genai.evaluate``: metrics of what a retriever returned for each query, beside those of the answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from rankwell.compat.lists import ask_one_list
from rankwell.display.trackers import tracked_names
from rankwell.errors import DataError, NotInstalledError, brief, nearest
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted

try:
    from mlflow.entities import Feedback
    from mlflow.genai.scorers import scorer
except ImportError as error:
    raise NotInstalledError(
        f"rankwell.compat.mlflow needs MLflow 3 or later ({error}): pip install 'mlflow>=3'."
    ) from error

__all__ = ["ranking_scorer"]

IDS = ("id", "doc_uri")  # of a document in a trace: of its own, and in its metadata


def ranking_scorer(
    metrics: Iterable[Wanted] | Wanted,
    *,
    retrieved: str | None = None,
    expected: str = "expected_retrieved_context",
    name: str = "rankwell",
    policy: Policy | None = None,
    **rules: Any,
) -> Any:
    """Return a scorer for ``mlflow.genai.evaluate(scorers=[…])`` that evaluates the list of each query.

    Each metric becomes a feedback of the trace, under a name that MLflow accepts (``ndcg_at_10``), and its mean a metric of the run
    (``ndcg_at_10/mean``). A query without a relevant document has no value, and is left out of the mean.

    Parameters
    ----------
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rankwell.P @ 5``.
    retrieved
        The key of the outputs that holds the ids, best first; None if the outputs are the ids, or if the trace has one span of a retriever, whose
        documents have an ``id`` or, in their metadata, a ``doc_uri``.
    expected
        The key of the expectations that holds the relevant ids, or their grades by id.
    name
        The name of the scorer.
    policy, rules
        The rules for edge cases, or some of them by themselves, such as ``duplicates="first"``.

    Examples
    --------
    >>> rank = ranking_scorer(["ndcg@10", "rr"], retrieved="ids", expected="relevant")
    >>> found = rank(outputs={"answer": "…", "ids": ["d3", "d1"]}, expectations={"relevant": ["d1"]})
    >>> {each.name: round(each.value, 4) for each in found}
    {'ndcg_at_10': 0.6309, 'rr': 0.5}
    """
    texts, ask = ask_one_list(metrics, policy, rules)
    names = tracked_names(texts)

    @scorer(name=name)
    def rank(outputs: Any = None, expectations: Any = None, trace: Any = None) -> list[Feedback]:
        relevant = _ids(_value(expectations, expected, "expectations", "expected"))
        if retrieved is not None:
            found = _value(outputs, retrieved, "outputs", "retrieved")
        else:
            found = outputs if isinstance(outputs, (list, tuple, Mapping)) else _of_retriever(trace)
        values = ask(_ids(found), relevant)
        return [
            Feedback(name=names[text], value=value) for text, value in values.items() if not math.isnan(value)
        ]

    return rank


def _value(given: Any, key: str, what: str, word: str) -> Any:
    if not isinstance(given, Mapping) or key not in given:
        keys = [str(each) for each in given] if isinstance(given, Mapping) else []
        raise DataError(
            f"the {what} have no {brief(key)}, but {brief(keys or given)}; say {word}=, the key of the ids.{nearest(key, keys)}"
        )
    return given[key]


def _of_retriever(trace: Any) -> Any:
    """The documents that the one span of a retriever returned."""
    spans = [] if trace is None else trace.search_spans(span_type="RETRIEVER")
    if len(spans) != 1:
        raise DataError(
            f"the outputs are no list of ids, and the trace has {len(spans)} spans of retrievers; say retrieved=, the key of the "
            f"outputs that holds the ids."
        )
    return spans[0].outputs or []


def _ids(documents: Any) -> Any:
    """The ids of documents in a list; anything else, such as a dict of grades, as it is."""
    return [_id(each) for each in documents] if isinstance(documents, (list, tuple)) else documents


def _id(document: Any) -> Any:
    if not isinstance(document, Mapping):
        return document
    found = [
        place[key]
        for place in (document, document.get("metadata") or {})
        for key in IDS
        if place.get(key) is not None
    ]
    if not found:
        raise DataError(f"a document has no {' or '.join(IDS)}, but {brief(list(document))}.")
    return found[0]
