"""Text in blocks of whole lines: a whole file that rankwell holds, or a part of it in a buffer that is used again."""

from __future__ import annotations

import weakref
from collections.abc import Generator

import numpy as np

from rankwell.errors import DataError
from rankwell.kernels import trec_lines
from rankwell.readers.files import PIECE, File
from rankwell.readers.text import beginning, refuse_other_files, text_of
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids

LINE_END = b"\n"
LEAST = 16


class Block:
    """Lines of a file, ``text[begin:end]``; before them ``skipped`` bytes of the file were passed over."""

    def __init__(self, file: File, text: np.ndarray, begin: int, end: int, skipped: int = 0) -> None:
        self.file, self.text, self.begin, self.end, self.skipped = file, text, begin, end, skipped

    @classmethod
    def whole(cls, file: File) -> Block:
        """Return all lines of a file, held by rankwell."""
        text, begin = text_of(file)
        return cls(file, text, begin, len(text))

    def line(self, at: int) -> int:
        """Return the line in the file, from 1, that a byte of the text stands in."""
        lines = int(np.count_nonzero(self.text[:at] == ord(LINE_END))) + 1
        if not self.skipped:
            return lines
        left = self.skipped
        for piece in self.file.pieces():
            lines += piece[:left].tobytes().count(LINE_END)
            left -= len(piece)
            if left <= 0:
                break
        return lines

    def place(self, at: int) -> str:
        """Return ``file:line`` of a byte."""
        return f"{self.file.label}:{self.line(at)}"


class Buffers:
    """Buffers that are used again as soon as nothing refers to what they held."""

    def __init__(self) -> None:
        self._free: list[bytearray] = []

    def take(self, size: int) -> np.ndarray:
        """Return a buffer of at least so many bytes; those that are too small are let go."""
        memory = self._free.pop() if self._free else bytearray()
        if len(memory) < size:
            self._free.clear()
            memory = bytearray(size)
        buffer = np.frombuffer(memory, np.uint8)
        weakref.finalize(buffer, self._free.append, memory).atexit = False
        return buffer


def copied(ids: Ids) -> Ids:
    """Return ids without the rest of the text that they are spans of."""
    places = np.repeat(ids.starts - offsets_of(ids.lengths)[:-1], ids.lengths)
    return Ids.of_lengths(ids.text[places + np.arange(len(places))], ids.lengths)


def blocks(file: File, size: int) -> Generator[Block]:
    """Yield the text of a file in blocks of about ``size`` bytes; the lines of a query that stand together stay together.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, changes meanwhile, or is no text.
    """
    refuse_other_files(file)
    buffers, size = Buffers(), max(size, LEAST)
    buffer, filled, skipped, begin = buffers.take(size + 1), 0, 0, beginning(file)
    with file.stream() as stream:
        while True:
            read = stream.readinto(buffer[filled:-1].data)
            filled += read
            if not read:
                if filled > begin:
                    buffer[filled] = ord(LINE_END)
                    end = filled + (buffer[filled - 1] != ord(LINE_END))
                    yield Block(file, buffer, begin, end, skipped)
                return
            if filled < len(buffer) - 1:
                continue
            cut = _cut(file, buffer, begin, filled, skipped)
            if cut > begin:
                yield Block(file, buffer, begin, cut, skipped)
            rest = filled - cut
            following = buffers.take(max(size, 2 * rest) + 1)
            following[:rest] = buffer[cut:filled]
            buffer, filled, skipped, begin = following, rest, skipped + cut, 0


def _cut(file: File, buffer: np.ndarray, begin: int, filled: int, skipped: int) -> int:
    """Where the lines of the last query of a full buffer begin, which may go on behind it."""
    end = trec_lines.lines_end(buffer, begin, filled)
    if end > begin:
        return trec_lines.last_query(buffer, begin, end)
    if filled - begin > PIECE:
        where = Block(file, buffer, begin, filled, skipped).place(begin)
        if (buffer[begin:filled] == 0).any():
            raise DataError(
                f"{where}: a NUL byte; the file is damaged, binary, or UTF-16 without its mark. Text is UTF-8."
            )
        raise DataError(f"{where}: the line has more than {PIECE:,} bytes. Is this the right file?")
    return begin
