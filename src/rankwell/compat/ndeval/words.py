"""The words of a file's lines as columns: text stays in place, and each distinct word is parsed once."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rankwell.errors import DataError
from rankwell.readers.files import File, refuse_what_is_no_text, text_of
from rankwell.tables.ids import Ids

IS_SPACE = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
MOST = 1_000_009  # the largest integer that the program reads


class Words:
    """The first words of each line of a file; lines may have more words, but not fewer.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, is not text, or a line is too short.
    """

    def __init__(self, path: str, form: str) -> None:
        self.file, self.names = File(path), form.split()
        refuse_what_is_no_text(self.file)
        self.text, begin = text_of(self.file)
        is_space = IS_SPACE[self.text]
        is_space[:begin] = True
        self.file.check()
        edges = np.flatnonzero(np.diff(is_space, prepend=True))
        self._starts, self._lengths = edges[::2], (edges[1::2] - edges[::2]).astype(np.int32)
        ends = np.flatnonzero(self.text == 10)
        self._first = np.searchsorted(self._starts, np.append(0, ends[:-1]))
        counts = np.diff(self._first, append=len(self._starts))
        short = np.flatnonzero(counts < len(self.names))
        if len(short):
            row = int(short[0])
            raise self._wrong(row, f"it has {counts[row]} of {len(self.names)} words")

    def ids(self, column: str) -> Ids:
        """Return a column of words."""
        word = self._first + self.names.index(column)
        return Ids.of_spans(self.text, self._starts[word], self._lengths[word])

    def naturals(self, column: str, trimmed: Callable[[bytes], bytes] = bytes) -> np.ndarray:
        """Return a column of whole numbers; ``trimmed`` removes a prefix from each word."""

        def read(word: bytes) -> int | None:
            digits = trimmed(word)
            return int(digits) if digits.isdigit() and int(digits) <= MOST else None

        return self._numbers(column, read, f"not a whole number from 0 to {MOST:,}").astype(np.int64)

    def scores(self, column: str) -> np.ndarray:
        """Return a column of numbers."""

        def read(word: bytes) -> float | None:
            try:
                value = math.nan if b"_" in word else float(word)
            except ValueError:
                return None
            return None if math.isnan(value) else value

        return self._numbers(column, read, "not a number")

    def _numbers(self, column: str, read: Callable[[bytes], float | None], trouble: str) -> np.ndarray:
        ids = self.ids(column)
        codes, firsts = ids.group()
        values = []
        for row, start, length in zip(
            firsts.tolist(), ids.starts[firsts].tolist(), ids.lengths[firsts].tolist(), strict=True
        ):
            word = self.text[start : start + length].tobytes()
            value = read(word)
            if value is None:
                raise self._wrong(row, f"the {column} {word.decode(errors='replace')[:40]!r} is {trouble}")
            values.append(value)
        return np.array(values, np.float64)[codes]

    def _wrong(self, row: int, trouble: str) -> DataError:
        return DataError(
            f"{self.file.label}:{row + 1}: syntax error: {trouble}. The form of a line is: {' '.join(self.names)}."
        )
