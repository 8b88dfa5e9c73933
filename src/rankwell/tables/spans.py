"""Spans: stretches of documents, from a first character to the one after the last; as text, ``document:start-end``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.records import record
from rankwell.tables.ids import Ids, Known
from rankwell.tables.lists import offsets_of

if TYPE_CHECKING:
    import polars as pl

AS_TEXT = r"(?s)^(.*):(\d+)-(\d+)$"
LAST = 2**40  # characters of a document; so the documents of a batch can be laid end to end in 64 bits
Where = Callable[[int], str]


@record(eq=False)
class Spans:
    """A column of spans: the document of each as a row of ``documents``, its first character, and the one after its last."""

    documents: Known
    document: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @classmethod
    def of_frame(cls, frame: pl.DataFrame, words: Mapping[str, str], where: Where) -> Spans:
        """Return the spans in the columns of ``document``, ``start`` and ``end``; ``where`` says what a row is, for messages.

        DataError names the first row whose document is missing, or whose ends are no whole numbers from 0 on, one above the other.
        """
        ids = Ids.of_series(frame[words["document"]], "document", where)
        if not ids.is_text:
            ids = Ids.of_strings([str(each) for each in ids.tolist()])
        start, end = (_characters(frame[words[word]], word, where) for word in ("start", "end"))
        if len(wrong := np.flatnonzero(end <= start)):
            row = int(wrong[0])
            raise DataError(
                f"{where(row)}: the end ({end[row]}) must be above the start ({start[row]}): a span reaches from its first character to "
                f"the one after its last."
            )
        documents, firsts = ids.group()
        return cls(Known(ids[firsts]), documents, start, end)

    @classmethod
    def of_ids(cls, ids: Ids, where: Where) -> Spans:
        """Return the spans that ids write as ``document:start-end``; DataError names the first that does not."""
        import polars as pl

        texts = pl.Series("span", ids.tolist(), pl.String if ids.is_text else pl.Int64).cast(pl.String)
        parts = texts.str.extract_groups(AS_TEXT).struct.unnest()
        if len(parts) and parts["1"].null_count():
            row = int(parts["1"].is_null().arg_max() or 0)
            raise DataError(
                f"{where(row)}: {brief(ids.one(row))} is no span. Give judgements of spans the columns document, start and end, or write "
                f"items as document:start-end. If the columns have other names, say them: qrels_columns={{'its name': 'start'}}."
            )
        return cls.of_frame(parts, {"document": "1", "start": "2", "end": "3"}, where)

    def __len__(self) -> int:
        return len(self.document)

    @property
    def lengths(self) -> np.ndarray:
        """The number of characters of each span."""
        return self.end - self.start

    def texts(self) -> pl.Series:
        """Return each span as ``document:start-end``.

        >>> import polars as pl
        >>> spans = Spans.of_frame(pl.DataFrame({"d": ["a"], "s": [0], "e": [9]}), {"document": "d", "start": "s", "end": "e"}, str)
        >>> spans.texts().to_list(), Spans.of_ids(Ids.of(spans.texts().to_list()), str).end.tolist()
        (['a:0-9'], [9])
        """
        import polars as pl

        names = pl.Series("document", self.documents.ids.tolist(), pl.String).gather(self.document)
        ends = (pl.Series(name, column) for name, column in (("start", self.start), ("end", self.end)))
        return (
            pl.DataFrame([names, *ends]).select(pl.format("{}:{}-{}", "document", "start", "end")).to_series()
        )

    def like(self, other: Spans) -> Spans:
        """Return the same spans with documents numbered as another column has them; those that it lacks have numbers after its own."""
        number = other.documents.find(self.documents.ids)
        strange = np.flatnonzero(number < 0)
        number[strange] = len(other.documents) + np.arange(len(strange))
        return Spans(self.documents, number[self.document], self.start, self.end)


def _characters(series: pl.Series, word: str, where: Where) -> np.ndarray:
    """A column of places in documents; DataError names the first row that has none."""
    import polars as pl

    numbers = series.cast(pl.Float64, strict=False) if series.dtype == pl.String else series
    if numbers.dtype == pl.Null:
        numbers = numbers.cast(pl.Float64)
    if not numbers.dtype.is_numeric():
        raise DataError(f"{where(0)}: the {word} column {brief(series.name)} is {series.dtype}, not numbers.")
    whole = numbers.cast(pl.Int64, strict=False)
    # a cast to whole numbers drops fractions
    is_right = (whole.cast(pl.Float64) == numbers.cast(pl.Float64)) & (whole >= 0) & (whole <= LAST)
    if not is_right.fill_null(value=False).all():
        row = int((~is_right.fill_null(value=False)).arg_max() or 0)
        value = "missing" if series[row] is None else brief(series[row])
        raise DataError(f"{where(row)}: the {word} is {value}; it must be a whole number from 0 to 2**40.")
    return whole.to_numpy()


def end_to_end(
    query: np.ndarray, document: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return spans as parts of one line, on which the documents of all queries lie end to end: only spans of one of them can meet."""
    if not len(query):
        return start, end
    place = query * (int(document.max()) + 1) + document
    order = np.argsort(place, kind="stable")
    heads = np.flatnonzero(np.diff(place[order], prepend=-1))
    before = offsets_of(np.maximum.reduceat(end[order], heads))[:-1]
    shift = np.empty_like(start)
    shift[order] = np.repeat(before, np.diff(heads, append=len(order)))
    return start + shift, end + shift


def covered(queries: int, query: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return how many characters of each query are in at least one of its spans, which are parts of one line (``end_to_end``).

    Sums of whole numbers, so neither the order of the spans nor the other queries change a bit.
    """
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    until = np.maximum.accumulate(end)
    # what spans before it reach is counted already
    start[1:] = np.maximum(start[1:], until[:-1])
    return np.bincount(query[order], np.maximum(end - start, 0), queries)


def touched(
    start: np.ndarray, end: np.ndarray, others_start: np.ndarray, others_end: np.ndarray
) -> np.ndarray:
    """Return which spans share a character with at least one of the others; all are parts of one line (``end_to_end``)."""
    if not len(others_start):
        return np.zeros(len(start), np.bool_)
    order = np.argsort(others_start, kind="stable")
    until = np.maximum.accumulate(others_end[order])
    # of the others that begin before its end, the one that reaches farthest
    last = np.searchsorted(others_start[order], end) - 1
    return (last >= 0) & (until[last] > start)


def meetings(
    start: np.ndarray, end: np.ndarray, others_start: np.ndarray, others_end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return each pair of a span and one of the others that share a character: the places of both; all are parts of one line."""
    order = np.argsort(others_start, kind="stable")
    until = np.maximum.accumulate(others_end[order])
    # the others from the first that any reaches beyond its start, down to the last that begins before its end
    first, last = np.searchsorted(until, start, side="right"), np.searchsorted(others_start[order], end)
    counts = np.maximum(last - first, 0)
    own = np.repeat(np.arange(len(start)), counts)
    other = order[np.arange(len(own)) + np.repeat(first - offsets_of(counts)[:-1], counts)]
    do_meet = others_end[other] > start[own]
    return own[do_meet], other[do_meet]
