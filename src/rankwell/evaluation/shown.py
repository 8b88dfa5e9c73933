"""Shown: an evaluator as text, and as a table in a notebook."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwell.evaluation.evaluator import Evaluator


def text_of(evaluator: Evaluator) -> str:
    """Return the metrics and the number of judged queries."""
    return f"Evaluator of {', '.join(map(str, evaluator.metrics))}: {_judged(evaluator)}"


def html_of(evaluator: Evaluator) -> str:
    """Return a table of the metrics, with the policy below."""
    from rankwell.results.summary import words_of

    table = replace(
        words_of(evaluator.metrics),
        caption=f"Evaluator: {_judged(evaluator)}",
        notes=[f"policy: {evaluator.policy}"],
    )
    return table._repr_html_()


def _judged(evaluator: Evaluator) -> str:
    if evaluator.plan.is_streamed:
        return "the judgements are read with each run"
    pool = evaluator.task.pool
    queries = len(pool.queries)
    if not queries:
        return "no judgements, only lists"
    return f"{len(pool.grades):,} judgements of {queries:,} quer{'y' if queries == 1 else 'ies'}"
