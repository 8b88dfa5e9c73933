"""Judgements of spans: a table with columns of documents, starts and ends, read as one whose items are ``document:start-end``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rankwell.readers.frames.pieces import Frames
from rankwell.tables.columns import SPAN
from rankwell.tables.places import Place

if TYPE_CHECKING:
    import polars as pl


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
