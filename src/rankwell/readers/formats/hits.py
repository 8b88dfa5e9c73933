"""Hits with an id each, and mostly a score: ``[{"id": "d1", "score": 3.5}, …]`` for a query, or below one.

``{"q1": [hits], …}``, ``{"query_id": "q1", "results": [hits]}`` (a line or element each), and answers of search engines and vector stores
that say ``hits``, ``matches``, ``points``, ``value`` or ``results``. Scores rule where all hits have one, else the order. Beside a
distance, which some stores call a similarity, too, the order is the ranking.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.readers.formats import haystack, langchain, llamaindex
from rankwell.readers.frames.in_memory import fields_of
from rankwell.readers.memory.answers import DEEPEST, Answer, Hit, HitLists, refuse_disorder
from rankwell.readers.registry import shapes
from rankwell.tables.columns import known_word

IDS = (
    "_id", "id", "objectID", "object_id", "doc_id", "docid", "docno", "item_id", "item", "document_id", "chunk_id", "node_id", "corpus_id",
)  # fmt: skip
SCORES = (
    "score", "_score", "relevance_score", "rerank_score", "@search.score", "grade", "rating", "relevance", "label",
)  # fmt: skip
DISTANCES = ("distance", "dist", "_distance")
# what a bare hit may have beside id and score: with anything else, a list of such objects is a table or a catalogue
MORE = ("rank", "position", "index", "_index", "text", "content", "title", "url", "metadata", "payload", "document", "values", "_source", "version", "entity", "vector", "shard_key", "order_value")  # fmt: skip
KNOWN = (
    langchain.hit,
    llamaindex.hit,
    haystack.hit,
)  # hits that have a reader of their own, which knows them better


def hit(value: Any) -> Hit | None:
    """Return the id of a hit and its score, if it has one; by its rank a hit is scored from below."""
    record = value if isinstance(value, Mapping) else _fields(value)
    if record is None or any(recognise(value) is not None for recognise in KNOWN):
        return None
    names = [key for key in IDS if key in record] or [
        key
        for key in record
        if isinstance(key, str) and known_word(key) == "item" and not isinstance(record[key], (Mapping, list))
    ]
    if not names or any(isinstance(key, str) and known_word(key) == "query" for key in record):
        return None
    key = _score_in(record)
    score = None if key is None else record[key]
    rank = record.get("rank", record.get("position"))
    return record[names[0]], -rank if score is None and isinstance(rank, (int, float)) else score


def _score_in(record: Mapping[Any, Any]) -> Any:
    """The key of the score of a hit; None if it has none."""
    names = [key for key in SCORES if key in record]
    return next(
        iter(names or (key for key in record if isinstance(key, str) and known_word(key) == "score")), None
    )


def _fields(value: Any) -> dict[str, Any] | None:
    names = fields_of(value)
    return None if names is None else {name: getattr(value, name, None) for name in names}


def alone(value: Any) -> bool:
    """Whether a value is a hit without a query around it, and not a row of a catalogue: it has a score and little else."""
    id_and_score = hit(value)
    if id_and_score is None or not isinstance(value, Mapping):
        return id_and_score is not None
    key = _score_in(value)
    is_scored = id_and_score[1] is not None or key is not None or any(word in value for word in DISTANCES)
    return is_scored and all(word == key or word in (*IDS, *SCORES, *DISTANCES, *MORE) for word in value)


class Hits(HitLists):
    """Lists of hits of no tool that has a reader of its own."""

    def holds(self, value: Any, deepest: int = DEEPEST) -> bool:
        """Whether a value has this shape and no other, as answers of others hold lists of hits, too."""
        other_shapes = (shape for shape in shapes() if shape is not self)
        return super().holds(value, deepest) and not any(
            other.holds(value, deepest) for other in other_shapes
        )

    def _answer(self, hits: Any) -> Answer:
        for key in DISTANCES:
            answers = [record[key] for record in hits if isinstance(record, Mapping) and key in record]
            if answers and all(
                record.get(_score_in(record)) is None for record in hits if isinstance(record, Mapping)
            ):
                refuse_disorder(answers, f"the numbers called {key}")
        return super()._answer(hits)


SHAPE = Hits("hits", "a list of hits", hit, alone=alone, words="hits matches results documents")
