"""Hits with an id each, and mostly a score: ``[{"id": "d1", "score": 3.5}, …]`` for a query, or below one.

``{"q1": [hits], …}``, ``{"query_id": "q1", "results": [hits]}`` (a line or element each), and answers of search engines and vector stores
that say ``hits``, ``matches`` or ``results``. Scores rule where all hits have one, else the order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.readers.formats import haystack, langchain, llamaindex
from rankwell.readers.hit_lists import Hit, HitLists
from rankwell.readers.objects import fields_of
from rankwell.readers.shape import DEEPEST, shapes
from rankwell.tables.columns import known_word

SUFFIXES = ()
IDS = (
    "_id",
    "id",
    "objectID",
    "object_id",
    "doc_id",
    "docid",
    "docno",
    "item_id",
    "item",
    "document_id",
    "chunk_id",
    "node_id",
)
SCORES = (
    "score",
    "_score",
    "relevance_score",
    "rerank_score",
    "@search.score",
    "grade",
    "rating",
    "relevance",
    "label",
)
MORE = ("rank", "position", "index", "_index", "text", "content", "title", "url", "metadata", "payload", "document", "values", "_source", "version")  # fmt: skip
KNOWN = (langchain.hit, llamaindex.hit, haystack.hit)


def hit(value: Any) -> Hit | None:
    """Return the id of a hit and its score, if it has one; by its rank a hit is scored from below."""
    record = value if isinstance(value, Mapping) else _fields(value)
    if record is None or any(known(value) is not None for known in KNOWN):
        return None
    names = [key for key in IDS if key in record] or [
        key
        for key in record
        if isinstance(key, str) and known_word(key) == "item" and not isinstance(record[key], (Mapping, list))
    ]
    if not names or any(isinstance(key, str) and known_word(key) == "query" for key in record):
        return None
    scores = [key for key in SCORES if key in record] or [
        key for key in record if isinstance(key, str) and known_word(key) == "score"
    ]
    score = record[scores[0]] if scores else None
    rank = record.get("rank", record.get("position"))
    return record[names[0]], -rank if score is None and isinstance(rank, (int, float)) else score


def _fields(value: Any) -> dict[str, Any] | None:
    names = fields_of(value)
    return None if names is None else {name: getattr(value, name, None) for name in names}


def alone(value: Any) -> bool:
    """Whether a value is a hit without a query around it, and not a row of a catalogue: it has a score and little else."""
    found = hit(value)
    if found is None or not isinstance(value, Mapping):
        return found is not None
    return found[1] is not None and all(key in (*IDS, *SCORES, *MORE) for key in value)


class Hits(HitLists):
    """Lists of hits of no tool that has a reader of its own."""

    def holds(self, value: Any, deepest: int = DEEPEST) -> bool:
        """Whether a value has this shape and no other, as answers of others hold lists of hits, too."""
        others = (shape for shape in shapes() if shape is not self)
        return super().holds(value, deepest) and not any(other.holds(value, deepest) for other in others)


SHAPE = Hits("hits", "a list of hits", hit, alone=alone, words="hits matches results documents")
recognises, read_run, read_qrels = SHAPE.recognises, SHAPE.read_run, SHAPE.read_qrels
