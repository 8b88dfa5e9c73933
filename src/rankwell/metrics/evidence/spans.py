"""Metrics of spans: how much of the gold text the listed chunks hold, and how much else, however the documents were cut."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.matching.spans import Sizes, sizes_of
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.tables.lists import ratio

__all__ = ["SpanF", "SpanIoU", "SpanP", "SpanR"]

Overlaps = Literal["merge", "count"]


@definition
class OfSpans(QueryMetric):
    """A metric of the characters that listed chunks and relevant spans cover."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "catalogue", "spans"})

    divisor: ClassVar[str] = ""

    rel: float | None = None

    def check_tables(self, context: Context) -> None:
        """Refuse chunks without spans."""
        if context.items is not None:
            context.items.spans()

    def broken_laws(self) -> dict[str, str]:
        """A chunk is not judged as a whole."""
        return {
            "a better list scores no worse": "judgements are of spans, and a chunk may hold a part of one"
        }

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The characters in both, over some others; an empty list has 0, and a query without gold no value."""
        sizes = sizes_of(judged, context, self.k, self.rel)
        below = self._below(sizes)
        return ratio(sizes.both, np.where(sizes.gold > 0, np.maximum(below, 1), 0))

    def division(self, judged: Judged, context: Context) -> str:
        """Return the value of the first query in words: the characters in both, and what they are divided by."""
        sizes = sizes_of(judged, context, self.k, self.rel)
        both, below = float(sizes.both[0]), float(self._below(sizes)[0])
        value = f" = {both / below:.4f}" if below else ": nothing is listed, which counts as 0"
        return f"{both:g} characters in both ÷ {self.divisor} = {both:g} ÷ {below:g}{value}"

    @abstractmethod
    def _below(self, sizes: Sizes) -> np.ndarray:
        """What the characters in both are divided by; 0 only where nothing is listed."""


@definition
class SpanR(OfSpans):
    """Span recall: the share of the characters of the relevant spans that listed chunks hold.

    Formula
        |G ∩ C| / |G|, with G the characters of the query's relevant spans and C those of the chunks listed, each
        character of a document once

    Edge cases
        An empty list is 0. Undefined by the judgements if a query has no relevant span.

    Convention
        Judgements are of spans: columns document, start and end, or items that read ``document:start-end``; spans reach
        from their first character to the one after the last, counted from 0. ``items=`` has document, start and end of
        each chunk. Cutting a listed chunk in two changes no value without a cut-off; at @k it can. Chroma divides by the
        sum of the lengths of gold spans, which is the same unless these overlap.

    Parameters
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> chunks = [{"item": "c1", "document": "d", "start": 50, "end": 150}, {"item": "c2", "document": "d", "start": 140, "end": 240}]
        >>> gold = [{"query": "q", "document": "d", "start": 100, "end": 200}, {"query": "q", "document": "d", "start": 400, "end": 450}]
        >>> rw.evaluate({"q": ["c1", "c2"]}, gold, ["span_r", "span_r@1"], items=chunks).mean
        {'span_r': 0.6666666666666666, 'span_r@1': 0.3333333333333333}

    Reference
        B. Smith and A. Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024.
    """

    name: ClassVar[str] = "span_r"
    plain: ClassVar[str] = "share of the relevant text that is shown"
    divisor: ClassVar[str] = "characters of gold"

    def _below(self, sizes: Sizes) -> np.ndarray:
        return sizes.gold


@definition
class SpanP(OfSpans):
    """Span precision: the share of the characters of the listed chunks that are in a relevant span.

    Formula
        |G ∩ C| / |C|, with G and C as for span_r; ``overlaps=count`` divides by the sum of the chunks' lengths

    Edge cases
        An empty list is 0. Undefined by the judgements if a query has no relevant span.

    Convention
        Chroma counts characters in several chunks as often as they are listed: ``overlaps=count``.

    Parameters
        overlaps: merge (a character in several chunks counts once), or count (as often as it is listed)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> chunks = [{"item": "c1", "document": "d", "start": 50, "end": 150}, {"item": "c2", "document": "d", "start": 140, "end": 240}]
        >>> gold = [{"query": "q", "document": "d", "start": 100, "end": 200}]
        >>> rw.evaluate({"q": ["c1", "c2"]}, gold, ["span_p", "span_p(overlaps=count)"], items=chunks).mean
        {'span_p': 0.5263157894736842, 'span_p(overlaps=count)': 0.5}

    Reference
        B. Smith and A. Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024.
    """

    name: ClassVar[str] = "span_p"
    plain: ClassVar[str] = "share of the shown text that is relevant"
    divisor: ClassVar[str] = "characters of listed chunks"

    overlaps: Overlaps = "merge"

    def _below(self, sizes: Sizes) -> np.ndarray:
        return _listed(sizes, self.overlaps)


@definition
class SpanIoU(OfSpans):
    """Span IoU: the characters in both the listed chunks and the relevant spans, over those in either.

    Formula
        |G ∩ C| / |G ∪ C|, with G and C as for span_r; ``overlaps=count`` divides by Σ lengths of the chunks + |G| − |G ∩ C|

    Edge cases
        An empty list is 0. Undefined by the judgements if a query has no relevant span.

    Convention
        Also called Jaccard index. Chroma's IoU is ``overlaps=count``.

    Parameters
        overlaps: merge (a character in several chunks counts once), or count (as often as it is listed)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> chunks = [{"item": "c1", "document": "d", "start": 50, "end": 150}, {"item": "c2", "document": "d", "start": 140, "end": 240}]
        >>> gold = [{"query": "q", "document": "d", "start": 100, "end": 200}]
        >>> rw.evaluate({"q": ["c1", "c2"]}, gold, ["span_iou", "span_iou(overlaps=count)"], items=chunks).mean
        {'span_iou': 0.5263157894736842, 'span_iou(overlaps=count)': 0.5}

    Reference
        B. Smith and A. Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024.
    """

    name: ClassVar[str] = "span_iou"
    divisor: ClassVar[str] = "characters in either"

    overlaps: Overlaps = "merge"

    def _below(self, sizes: Sizes) -> np.ndarray:
        return _listed(sizes, self.overlaps) + sizes.gold - sizes.both


@definition
class SpanF(OfSpans):
    """Span F: the harmonic mean of span precision and span recall.

    Formula
        2 · P · R / (P + R) = 2 · |G ∩ C| / (|C| + |G|), with G and C as for span_r; ``overlaps=count`` has the sum of the
        chunks' lengths for |C|

    Edge cases
        0 if no chunk meets a relevant span. Undefined by the judgements if a query has no relevant span.

    Convention
        Also called Dice coefficient. P is ``span_p`` with the same ``overlaps``.

    Parameters
        overlaps: merge (a character in several chunks counts once), or count (as often as it is listed)
        rel: the lowest grade that counts as relevant; default: above 0, or the policy's rel

    Example
        >>> import rankwell as rw
        >>> chunks = [{"item": "c1", "document": "d", "start": 50, "end": 150}, {"item": "c2", "document": "d", "start": 140, "end": 240}]
        >>> gold = [{"query": "q", "document": "d", "start": 100, "end": 200}]
        >>> rw.evaluate({"q": ["c1", "c2"]}, gold, ["span_f", "span_f(overlaps=count)"], items=chunks).mean
        {'span_f': 0.6896551724137931, 'span_f(overlaps=count)': 0.6666666666666666}

    Reference
        B. Smith and A. Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024.
    """

    name: ClassVar[str] = "span_f"
    divisor: ClassVar[str] = "mean of both numbers of characters"

    overlaps: Overlaps = "merge"

    def _below(self, sizes: Sizes) -> np.ndarray:
        # halved, so that all metrics of spans divide the same characters
        return (_listed(sizes, self.overlaps) + sizes.gold) / 2


def _listed(sizes: Sizes, overlaps: Overlaps) -> np.ndarray:
    """The characters of the listed chunks: each once, or as often as it is listed."""
    return sizes.lengths if overlaps == "count" else sizes.listed
