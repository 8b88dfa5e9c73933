"""Answers of Chroma: ``{"ids": [["d1", "d2"]], "distances": [[0.1, 0.3]]}``, a list for each query, best first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.memory.answers import Answer, Shape, is_object, refuse_disorder


def fits(value: Any) -> bool:
    """Whether a value is an answer."""
    return is_object(value, ids=list, distances=object) and isinstance(next(iter(value["ids"]), None), list)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the answer to each query, in the order of its list."""
    distances = value["distances"] or [()] * len(value["ids"])
    for ids, numbers in zip(value["ids"], distances, strict=True):
        refuse_disorder(list(numbers), "the distances")
        yield Answer(list(ids))


SHAPE = Shape(
    "chroma", "an answer of Chroma", fits, run, words="ids distances documents metadatas embeddings"
)
