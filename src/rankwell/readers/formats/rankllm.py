"""Requests and results of RankLLM: ``{"query": {"text", "qid"}, "candidates": [{"docid", "score", "doc"}]}``, a line or element each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.answers import Answer
from rankwell.readers.shape import Shape

SUFFIXES = ()


def fits(value: Any) -> bool:
    """Whether a value is a query with its candidates."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("query"), Mapping)
        and isinstance(value.get("candidates"), list)
    )


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the candidates of a query; after reranking their order is the ranking."""
    query, candidates = value["query"], value["candidates"]
    scores = [each.get("score") for each in candidates]
    yield Answer([each.get("docid") for each in candidates], scores, query.get("qid"), query.get("text"))


SHAPE = Shape("rankllm", "a request of RankLLM", fits, run, in_order=True, words="candidates qid docid")
recognises, read_run, read_qrels = SHAPE.recognises, SHAPE.read_run, SHAPE.read_qrels
