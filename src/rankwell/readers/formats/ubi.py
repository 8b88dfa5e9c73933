"""Searches that User Behavior Insights has logged: a line each, or below ``_source`` of a dump; the hits of each are a list.

The query of the run is the search, ``query_id``, or without one the text of the user's query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.readers.answers import Answer
from rankwell.readers.formats.elasticsearch import is_ubi
from rankwell.readers.shape import Shape, Unread

SUFFIXES = ()
HITS = ("query_response_hit_ids", "query_response_object_ids", "query_response_objects_ids")


def fits(value: Any) -> bool:
    """Whether a value is a search, or a dump of an index of them."""
    return (isinstance(value, Mapping) and "user_query" in value and is_ubi(value)) or bool(_dumped(value))


def _dumped(value: Any) -> list[Any]:
    hits = value.get("hits") if isinstance(value, Mapping) else None
    listed = hits.get("hits") if isinstance(hits, Mapping) else None
    is_dump = (
        isinstance(listed, list)
        and bool(listed)
        and isinstance(listed[0], Mapping)
        and is_ubi(listed[0].get("_source"))
    )
    return [each["_source"] for each in listed] if is_dump else []  # type: ignore[union-attr]


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the hits of each search, in the order of their ranks."""
    for search in _dumped(value) or [value]:
        found = [search[name] for name in HITS if name in search]
        if not found:
            raise Unread("the search has no query_response_hit_ids.")
        yield Answer(list(found[0]), query=search.get("query_id"), text=search.get("user_query"))


SHAPE = Shape(
    "ubi",
    "a log of User Behavior Insights",
    fits,
    run,
    words="user_query query_response_id query_response_hit_ids object_id_field client_id",
)
recognises, read_run, read_qrels = SHAPE.recognises, SHAPE.read_run, SHAPE.read_qrels
