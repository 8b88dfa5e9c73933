"""Runs of BrowseComp-Plus: a file a query with ``query_id`` and ``retrieved_docids``, in the order of retrieval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.answers import Answer
from rankwell.readers.shape import Shape

SUFFIXES = ()


def fits(value: Any) -> bool:
    """Whether a value is the run of a query."""
    return (
        isinstance(value, Mapping) and "query_id" in value and isinstance(value.get("retrieved_docids"), list)
    )


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield what was retrieved."""
    yield Answer(list(value["retrieved_docids"]), query=value["query_id"])


SHAPE = Shape("browsecomp", "a run of BrowseComp-Plus", fits, run, words="retrieved_docids tool_call_counts")
recognises, read_run, read_qrels = SHAPE.recognises, SHAPE.read_run, SHAPE.read_qrels
