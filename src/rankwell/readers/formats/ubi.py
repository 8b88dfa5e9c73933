"""Searches that User Behavior Insights has logged: a line each, or below ``_source`` of a dump; the hits of each are a list.

The query of the run is the search, ``query_id``, or without one the text of the user's query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.formats.elasticsearch import is_ubi
from rankwell.readers.memory.answers import Answer, Shape, Unread, is_object

HITS = ("query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids")


def fits(value: Any) -> bool:
    """Whether a value is a search, or a dump of an index of them."""
    return (is_object(value, user_query=object) and is_ubi(value)) or bool(_dumped(value))


def _dumped(value: Any) -> list[Any]:
    hits = value["hits"] if is_object(value, hits=Mapping) else {}
    documents = hits["hits"] if is_object(hits, hits=list) else []
    is_dump = bool(documents) and is_object(documents[0], _source=Mapping) and is_ubi(documents[0]["_source"])
    return [document["_source"] for document in documents] if is_dump else []


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the hits of each search, in the order of their ranks."""
    for search in _dumped(value) or [value]:
        ids = [search[name] for name in HITS if name in search]
        if not ids:
            raise Unread("the search has no query_response_hit_ids.")
        yield Answer(list(ids[0]), query=search.get("query_id"), text=search.get("user_query"))


WORDS = "user_query query_response_id query_response_hit_ids object_id_field client_id"
SHAPE = Shape("ubi", "a log of User Behavior Insights", fits, run, words=WORDS)
