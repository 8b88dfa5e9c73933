"""Judgements of chunks, made from judgements of spans: what any metric of items needs, for one way to cut the documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.prepare.report import Fact, Report, Share
from rankwell.readers import read_qrels
from rankwell.readers.frames.columns import Given
from rankwell.readers.items_users import read_catalogue
from rankwell.tables.arguments import checked
from rankwell.tables.lists import distinct
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.spans import Spans, end_to_end, meetings

Of = Literal["gold", "chunk", "either", "any"]
NEEDS = frozenset({"spans"})
SHOWN = 3  # spans that are named
COVERED = {
    "gold": "{share:g} of the gold span",
    "chunk": "{share:g} of the chunk",
    "either": "{share:g} of the gold span or of the chunk",
    "any": "a character of the gold span",
}


class JudgedChunks(NamedTuple):
    """Judgements of chunks, and the report on how they were made."""

    qrels: Qrels
    report: Report


@checked
def judge_chunks(
    gold: Any,
    chunks: Any,
    at_least: float = 0.5,
    of: Of = "gold",
    *,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
) -> JudgedChunks:
    """Judge chunks by the gold spans that they hold: a chunk takes the highest grade of the spans that it covers far enough.

    Parameters
    ----------
    gold
        The judgements of spans: a path, a data frame, records or Qrels, with columns query, document, start and end, and perhaps grade;
        or items that read ``document:start-end``.
    chunks
        What documents were cut into: a path, a data frame, records or Items, with columns item, document, start and end. Chunks
        without a column of items are called ``document:start-end``.
    at_least
        The share that a chunk must cover of a single span, above 0 to 1; spans are not added up.
    of
        ``gold``: of the span; a span of three chunks may be lost then, and is counted. ``chunk``: of the chunk, so that small chunks
        within a long span are judged. ``either``: one of these. ``any``: a character will do, whatever ``at_least`` says.
    columns, name
        Which column of the judgements is which, if the name does not say; what to call the judgements in the report.

    Returns
    -------
    JudgedChunks
        ``qrels`` for ``rankwell.evaluate``, by query, then in the order of the chunks; a chunk that covers no span far enough has no
        row. The ``report`` counts the spans that no chunk takes.

    Raises
    ------
    RankwellError
        If a table cannot be read or lacks a column, or ``at_least`` is no share.

    Examples
    --------
    >>> gold = [{"query": "q", "document": "d", "start": 100, "end": 200}, {"query": "q", "document": "d", "start": 600, "end": 1000}]
    >>> chunks = [{"item": "c1", "document": "d", "start": 50, "end": 150}, {"item": "c2", "document": "d", "start": 600, "end": 700}]
    >>> qrels, report = judge_chunks(gold, chunks)
    >>> qrels.item.tolist(), report["spans that no chunk takes"]
    (['c1'], 1 of 2 (0.5000) (such as 'q: d:600-1000'))
    >>> judge_chunks(gold, chunks, of="chunk").qrels.item.tolist()
    ['c1', 'c2']
    """
    if not 0 < at_least <= 1:
        raise UsageError(
            f"at_least={brief(at_least)} must be a share above 0 and up to 1; for a character, of='any'."
        )
    given = Given(columns).needing(NEEDS)
    qrels = read_qrels(gold, name=name or (None if isinstance(gold, str) else "gold"), columns=given)
    items = read_catalogue(chunks, name="chunks", needs=NEEDS)
    pieces = items.spans()
    spans = Spans.of_ids(qrels.item, qrels.place).like(pieces)
    grades = np.ones(len(qrels)) if qrels.grade is None else qrels.grade
    span, chunk = _taken(spans, pieces, at_least, of)
    is_lost = np.ones(len(qrels), np.bool_)
    is_lost[span] = False
    lost = np.flatnonzero(is_lost)
    query, firsts = qrels.query.group()
    best = np.lexsort((-grades[span], chunk, query[span]))
    span, chunk = span[best], chunk[best]
    is_first = np.ones(len(span), np.bool_)
    is_first[1:] = (chunk[1:] != chunk[:-1]) | (query[span[1:]] != query[span[:-1]])
    span, chunk = span[is_first], chunk[is_first]
    judged = Qrels(
        qrels.query[firsts][query[span]],
        items.item[chunk],
        None if qrels.grade is None else grades[span],
        name=qrels.name,
    )
    examples = tuple(f"{qrels.query.one(row)}: {qrels.item.one(row)}" for row in lost[:SHOWN].tolist())
    facts: dict[str, Fact] = {
        "judged if it covers": COVERED[of].format(share=at_least),
        "gold spans": len(qrels),
        "spans that no chunk takes": Share(len(lost), len(qrels), examples),
        "chunks": len(items),
        "judgements": len(judged),
        "queries with judgements": Share(len(distinct(query[span])), len(firsts)),
    }
    notes = []
    if not np.isin(spans.document, pieces.document).any():
        notes.append("no document of the gold spans has a chunk: are documents named alike?")
    return JudgedChunks(judged, Report(f"Chunks judged by {qrels.name}", facts, notes=tuple(notes)))


def _taken(spans: Spans, chunks: Spans, at_least: float, of: Of) -> tuple[np.ndarray, np.ndarray]:
    """Each span and a chunk that takes it."""
    columns = (
        np.concatenate([getattr(each, column) for each in (spans, chunks)])
        for column in ("document", "start", "end")
    )
    document, start, end = columns
    start, end = end_to_end(np.zeros_like(document), document, start, end)
    at = len(spans)
    span, chunk = meetings(start[:at], end[:at], start[at:], end[at:])
    both = np.minimum(end[span], end[at + chunk]) - np.maximum(start[span], start[at + chunk])
    of_gold, of_chunk = both / spans.lengths[span] >= at_least, both / chunks.lengths[chunk] >= at_least
    far_enough = {"gold": of_gold, "chunk": of_chunk, "either": of_gold | of_chunk, "any": both > 0}[of]
    return span[far_enough], chunk[far_enough]
