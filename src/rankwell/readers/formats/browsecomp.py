"""Runs of BrowseComp-Plus: a file a query with ``query_id`` and ``retrieved_docids``, in the order of retrieval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rankwell.readers.memory.answers import Answer, Shape, is_object


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield what was retrieved."""
    yield Answer(list(value["retrieved_docids"]), query=value["query_id"])


FITS = partial(is_object, query_id=object, retrieved_docids=list)
SHAPE = Shape("browsecomp", "a run of BrowseComp-Plus", FITS, run, words="retrieved_docids tool_call_counts")
