"""Judgements of spans: tables of documents, starts and ends, or of questions with references, read as ones whose items are ``document:start-end``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, brief
from rankwell.readers.frames.pieces import Frames
from rankwell.tables.columns import SPAN
from rankwell.tables.series import Place

if TYPE_CHECKING:
    import polars as pl


# of questions with references, as Chroma's evaluation of chunkings has them
COLUMNS = ("question", "references", "corpus_id")
ENDS = ("start_index", "end_index")


def with_items(frames: Frames, words: Mapping[str, str], place: Place) -> tuple[Frames, dict[str, str]]:
    """Return a table, and which column of it is which, with items in place of spans if it holds spans."""
    if "start" not in words or "item" in words:
        return frames, dict(words)
    from rankwell.tables.spans import Spans  # of few judgements

    column = words["document"]

    def with_item(size: int) -> Iterator[pl.DataFrame]:
        row = 0
        for frame in frames(size):
            spans = Spans.of_frame(frame, words, lambda at, row=row: place(row + at))  # type: ignore[misc]
            yield frame.with_columns(spans.texts().alias(column))
            row += len(frame)

    return with_item, {word: own for word, own in words.items() if word not in SPAN} | {"item": column}


def are_references(columns: Collection[str]) -> bool:
    """Whether a table has the columns of such questions.

    >>> are_references(["question", "references", "corpus_id"]), are_references(["query", "references", "corpus_id"])
    (True, False)
    """
    return set(COLUMNS).issubset(columns)


def spans_of(frame: pl.DataFrame, place: Place) -> tuple[Frames, dict[str, str], int, Place]:
    """Return a table with a row per reference: its frames, its columns by word, its length, and where a row stands; the question is the query.

    DataError names the row whose references are no list of objects with a start and an end.
    """
    import json

    import polars as pl

    owners: list[int] = []
    rows: list[tuple[Any, ...]] = []
    for row, (question, cell, document) in enumerate(frame.select(COLUMNS).iter_rows()):
        try:
            references = json.loads(cell) if isinstance(cell, str) else cell
            ends = [[str(reference[end]) for end in ENDS] for reference in references]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise DataError(
                f"{place(row)}: the references {brief(cell)} are no list of objects with start_index and end_index, as JSON. Fix them."
            ) from None
        rows += [(question, document, *each) for each in ends]
        owners += [row] * len(ends)
    words = {word: word for word in ("query", "document", "start", "end")}
    table = pl.DataFrame(rows, list(words), orient="row")

    def of_question(row: int) -> str:
        return place(owners[row])

    frames, words = with_items(table.iter_slices, words, of_question)
    return frames, words, len(table), of_question
