"""Answers of Solr: ``response.docs`` of a select, or ``grouped``. The query's text, where it is echoed, names the query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.extend import Answer, Shape, Unread, is_object


def fits(value: Any) -> bool:
    """Whether a value is an answer."""
    is_select = is_object(value, response=Mapping) and is_object(value["response"], docs=list)
    return is_select or _is_grouped(value) or _is_failure(value)


def _is_grouped(value: Any) -> bool:
    return is_object(value, grouped=Mapping, responseHeader=object)


def _is_failure(value: Any) -> bool:
    return is_object(value, responseHeader=Mapping, error=Mapping)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the answer; the order of the documents is the ranking."""
    text = value.get("responseHeader", {}).get("params", {}).get("q")
    if _is_failure(value):
        yield Answer([], text=text, failure=str(value["error"].get("msg"))[:60])
    elif _is_grouped(value):
        yield Answer([_id(document) for document in _grouped(value["grouped"])], text=text)
    else:
        response = value["response"]
        if response.get("start"):  # a second page: its first hit is not at rank 1
            raise Unread(
                f"the answer begins at hit {response['start'] + 1} (start), so its ranks are not known. Ask from the first hit on."
            )
        documents = response["docs"]
        yield Answer(
            [_id(document) for document in documents],
            [document.get("score") for document in documents],
            text=text,
        )


def _grouped(grouped: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the documents of all groups, in the order of the page."""
    if len(grouped) != 1:
        raise Unread(f"the answer is grouped by {len(grouped)} fields, so it has no one order. Group by one.")
    for by in grouped.values():
        for group in by.get("groups", [by]):
            yield from group["doclist"]["docs"]


def _id(document: Mapping[str, Any]) -> Any:
    if "id" not in document:
        raise Unread(
            f"a document has no id; its fields are {', '.join(map(repr, list(document)[:9]))}. Ask for the key of the schema as id: fl=id:KEY,score."
        )
    return document["id"]


WORDS = "responseHeader response docs numFound grouped"
SHAPE = Shape("solr", "an answer of Solr", fits, run, in_order=True, words=WORDS)
