"""Documents of Haystack: ``Document`` and what its ``to_dict`` writes, a list for each query.

The scores of ``ground_truth_documents`` are grades, as for Haystack's own nDCG; without scores each is a 1.
"""

from __future__ import annotations

from typing import Any

from rankwell.readers.memory.answers import Hit, HitLists, field, has

SIGNS = ("blob", "embedding", "sparse_embedding")


def hit(value: Any) -> Hit | None:
    """Return the id of a document and its score, which may be None."""
    is_document = has(value, "id", "content") and any(has(value, sign) for sign in SIGNS)
    return (field(value, "id"), field(value, "score")) if is_document else None


SHAPE = HitLists(
    "haystack",
    "a list of Haystack documents",
    hit,
    words="content blob embedding sparse_embedding retrieved_documents",
)
