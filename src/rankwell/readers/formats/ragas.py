"""Rows of ragas: ``retrieved_context_ids`` are a run, best first, and ``reference_context_ids`` judgements, each a 1.

A row has no id of its query: ``user_input`` names it, or ids from beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.memory.answers import Answer, Shape, Unread

RETRIEVED, REFERENCE = "retrieved_context_ids", "reference_context_ids"


def fits(value: Any) -> bool:
    """Whether a value is a row, or a data set as a dict."""
    if not isinstance(value, Mapping):
        return False
    return any(
        isinstance(value.get(name), (list, tuple)) for name in (RETRIEVED, REFERENCE)
    ) and not isinstance(value.get("user_input"), list)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield what was retrieved."""
    yield _of(value, RETRIEVED)


def qrels(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield what should have been retrieved."""
    yield _of(value, REFERENCE)


def _of(row: Mapping[str, Any], name: str) -> Answer:
    if row.get(name) is None:
        raise Unread(f"the row of ragas has no {name}.")
    return Answer(
        [context if isinstance(context, str) else str(context) for context in row[name]],
        text=row.get("user_input"),
    )


WORDS = "user_input retrieved_contexts reference_contexts retrieved_context_ids reference_context_ids"
SHAPE = Shape("ragas", "a row of ragas", fits, run, qrels, words=WORDS)
