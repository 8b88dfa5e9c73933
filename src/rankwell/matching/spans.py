"""Spans of a batch: what the listed chunks and the judged spans of each query cover."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.records import record
from rankwell.tables.spans import covered, end_to_end, touched


class Stretches(NamedTuple):
    """Spans on the line of a batch: the query of each, its rank in the list or its grade, where it begins and where it ends."""

    query: np.ndarray
    level: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def where(self, rows: np.ndarray) -> Stretches:
        """Return those of a mask."""
        return Stretches(*(column[rows] for column in self))


class Sizes(NamedTuple):
    """Characters of each query: in listed chunks, each once; in the lengths of these chunks; in gold spans; in both."""

    listed: np.ndarray
    lengths: np.ndarray
    gold: np.ndarray
    both: np.ndarray


@record(eq=False)
class SpansOfLists:
    """The listed chunks and the judged spans, on one line, on which only those of one query and one document can meet."""

    queries: int
    chunks: Stretches
    judged: Stretches

    def found(self) -> int:
        """Return how many judged spans share a character with a chunk of their list."""
        return int(np.count_nonzero(touched(*self.judged[2:], *self.chunks[2:])))


def spans_of(judged: Judged, context: Context) -> SpansOfLists:
    """Return the spans of a batch, made once for all metrics; chunks outside of the catalogue have none."""
    return judged.once(_spans, context)


def _spans(judged: Judged, context: Context) -> SpansOfLists:
    assert context.items is not None
    shown = judged.shown
    assert shown.item is not None
    listed = np.flatnonzero(shown.item >= 0)
    query, _, rows = judged.pool_rows()
    queries = np.concatenate([shown.query[listed], query])
    sides = (context.items.spans(), shown.item[listed]), (judged.pool.spans_in(context), rows)
    document, start, end = (
        np.concatenate([getattr(spans, name)[places] for spans, places in sides])
        for name in ("document", "start", "end")
    )
    start, end = end_to_end(queries, document, start, end)
    at = len(listed)
    return SpansOfLists(
        len(judged),
        Stretches(queries[:at], shown.rank[listed], start[:at], end[:at]),
        Stretches(query, judged.pool.grades[rows], start[at:], end[at:]),
    )


def sizes_of(judged: Judged, context: Context, k: int | None, rel: float | None) -> Sizes:
    """Return what the chunks down to rank k and the relevant spans cover, computed once for all metrics of this cut-off."""
    return judged.once(_sizes, context, k, rel)


def _sizes(judged: Judged, context: Context, k: int | None, rel: float | None) -> Sizes:
    spans = spans_of(judged, context)
    n, chunks = spans.queries, spans.chunks
    chunks = chunks if k is None else chunks.where(chunks.level <= k)
    gold = spans.judged.where(context.scale.relevant(spans.judged.level, rel))
    either = (np.concatenate([chunk, span]) for chunk, span in zip(chunks, gold, strict=True))
    query, _, start, end = either
    listed, relevant, union = (
        covered(n, *each)
        for each in ((chunks.query, *chunks[2:]), (gold.query, *gold[2:]), (query, start, end))
    )
    lengths = np.bincount(chunks.query, chunks.end - chunks.start, n)
    return Sizes(listed, lengths, relevant, listed + relevant - union)
