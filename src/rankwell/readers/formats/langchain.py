"""Documents of LangChain: ``Document``, ``(Document, score)``, and dumps of both, a list for each query.

A pair's score may be a similarity or a distance, and the pair does not say which. So the order of the list is the ranking, best first, and
the scores are not read; where they go neither down nor up along the list, it is refused.
"""

from __future__ import annotations

from typing import Any

from rankwell.readers.memory.answers import Answer, Hit, HitLists, Unread, field, has, refuse_disorder

IDS = ("id", "_id", "doc_id", "docid", "docno", "document_id", "chunk_id", "source")


def hit(value: Any) -> Hit | None:
    """Return the id of a document; the score of a pair is left out."""
    document = _document(value)
    if document is None:
        return None
    document_id = field(document, "id")
    metadata = field(document, "metadata") or {}
    return (
        next((metadata[key] for key in IDS if metadata.get(key) is not None), None)
        if document_id is None
        else document_id
    ), None


def _document(value: Any) -> Any:
    """The document of a dump, of a pair, or itself; None if there is none."""
    if isinstance(value, (list, tuple)) and len(value) == 2:
        value = value[0]
    if has(value, "lc", "kwargs"):
        value = field(value, "kwargs")
    return value if has(value, "page_content") else None


class DocumentLists(HitLists):
    """Lists of documents, whose order is the ranking."""

    def _answer(self, hits: Any) -> Answer:
        scores = [pair[1] for pair in hits if isinstance(pair, (list, tuple)) and len(pair) == 2]
        refuse_disorder(scores, "the scores of its pairs (document, score)")
        if any(hit(pair) == (None, None) for pair in hits):
            raise Unread("a document has no id. Set Document.id, or an id in its metadata.")
        return super()._answer(hits)


SHAPE = DocumentLists("langchain", "a list of LangChain documents", hit, words="page_content lc kwargs")
