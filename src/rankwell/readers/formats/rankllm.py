"""Requests and results of RankLLM: ``{"query": {"text", "qid"}, "candidates": [{"docid", "score", "doc"}]}``, a line or element each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rankwell.readers.memory.answers import Answer, Shape, is_object


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the candidates of a query; after reranking their order is the ranking."""
    query, candidates = value["query"], value["candidates"]
    scores = [candidate.get("score") for candidate in candidates]
    yield Answer(
        [candidate.get("docid") for candidate in candidates], scores, query.get("qid"), query.get("text")
    )


FITS = partial(is_object, query=Mapping, candidates=list)
SHAPE = Shape("rankllm", "a request of RankLLM", FITS, run, in_order=True, words="candidates qid docid")
