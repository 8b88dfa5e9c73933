"""Answers of Vespa: the hits below ``root.children``; of ids such as ``id:harbour:note::d1`` what the application chose, ``d1``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwell.extend import Answer, Shape, Unread, brief, is_object

COLONS = 4  # id:namespace:type:key=value:own


def fits(value: Any) -> bool:
    """Whether a value is an answer."""
    root = value["root"] if is_object(value, root=Mapping) else {}
    return "relevance" in root and ("children" in root or "fields" in root or "errors" in root)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the answer; an answer with errors is incomplete, one of nothing but errors is none."""
    root = value["root"]
    hits = [child for child in root.get("children", ()) if not str(child.get("id", "")).startswith("group:")]
    errors = [str(child.get("message") or child.get("summary") or child) for child in root.get("errors", ())]
    if errors and not hits:
        yield Answer([], failure=errors[0][:60])
        return
    scores = [child.get("relevance") for child in hits]
    yield Answer([_id(child) for child in hits], scores, lack=errors[0][:60] if errors else "")


def _id(hit: Mapping[str, Any]) -> Any:
    """The id that the application gave: behind the fourth colon, as it may hold colons itself; else the field id."""
    fields = hit.get("fields") or {}
    for id_text in (hit.get("id"), fields.get("documentid")):
        parts = id_text.split(":", COLONS) if isinstance(id_text, str) else []
        if len(parts) == COLONS + 1 and parts[0] == "id":
            return parts[-1]
    if "id" not in fields:
        raise Unread(
            f"the hit {brief(hit.get('id'))} has no id of a document. Return the field documentid or id in the summary."
        )
    return fields["id"]


SHAPE = Shape(
    "vespa", "an answer of Vespa", fits, run, in_order=True, words="root children relevance coverage"
)
