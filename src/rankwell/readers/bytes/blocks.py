"""Text in blocks of whole lines: a whole file that rankwell holds, or a part of it in a buffer that is used again."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator
from functools import partial
from math import ceil

import numpy as np

from rankwell.errors import DataError
from rankwell.kernels import trec_lines
from rankwell.readers.bytes.files import HEAD, PIECE, File
from rankwell.readers.bytes.text import LONG, NUL, beginning, refuse_other_files, text_of
from rankwell.tables.ids import Ids
from rankwell.tables.lists import offsets_of

LINE_END = b"\n"
LEAST = 16


class Buffers:
    """Buffers that are used again as soon as nothing refers to what they held."""

    def __init__(self) -> None:
        self._free: list[np.ndarray] = []

    def take(self, size: int) -> np.ndarray:
        """Return a buffer of so many bytes; those that are too small are let go."""
        try:
            memory = self._free.pop()
        except IndexError:
            memory = np.empty(0, np.uint8)
        if len(memory) < size:
            self._free.clear()
            # blocks differ a little in size; what is not filled costs no memory
            memory = np.empty(size + size // 8, np.uint8)
        # by way of a memoryview, as a part of an array refers to the array itself and would not keep the buffer
        buffer = np.frombuffer(memory.data, np.uint8, size)
        weakref.finalize(buffer, self._free.append, memory).atexit = False
        return buffer


def columns_of(buffers: Buffers, rows: int, kinds: str) -> list[np.ndarray]:
    """Return columns of these kinds in one buffer, to be filled; it is used again when nothing refers to any of them."""
    ends = offsets_of(np.array([rows * np.dtype(kind).itemsize for kind in kinds]))
    memory = buffers.take(int(ends[-1]))
    return [memory[low:high].view(kind) for low, high, kind in zip(ends[:-1], ends[1:], kinds, strict=True)]


class TextBlock:
    """Lines of a file, ``text[begin:end]``; before them ``skipped`` bytes of the file were passed over."""

    def __init__(
        self,
        file: File,
        text: np.ndarray,
        begin: int,
        end: int,
        skipped: int = 0,
        buffers: Buffers | None = None,
    ) -> None:
        self.file, self.text, self.begin, self.end, self.skipped = file, text, begin, end, skipped
        self.buffers = buffers

    @classmethod
    def whole(cls, file: File) -> TextBlock:
        """Return all lines of a file, held by rankwell."""
        if "ended" not in vars(file):
            vars(file)["ended"] = file.read(Endless(file))
        text, begin = text_of(file)
        return cls(file, text, begin, len(text))

    def columns(self, rows: int, kinds: str) -> list[np.ndarray]:
        """Return columns of these kinds, to be filled; those of a block alone are let go of with it."""
        return columns_of(self.buffers or Buffers(), rows, kinds)

    def line(self, at: int) -> int:
        """Return the line in the file, from 1, that a byte of the text stands in."""
        lines = int(np.count_nonzero(self.text[:at] == ord(LINE_END))) + 1
        if not self.skipped:
            return lines
        remaining = self.skipped
        for piece in self.file.pieces():
            lines += piece[:remaining].tobytes().count(LINE_END)
            remaining -= len(piece)
            if remaining <= 0:
                break
        return lines

    def place(self, at: int) -> str:
        """Return ``file:line`` of a byte."""
        return f"{self.file.label}:{self.line(at)}"


Take = Callable[[], TextBlock]


class Endless:
    """A check of the pieces of a file, while it is read, that lines end."""

    def __init__(self, file: File) -> None:
        self.file, self.ended = file, 0

    def __call__(self, piece: memoryview, at: int) -> None:
        """Look at the next piece, which begins at a byte."""
        text = np.frombuffer(piece, np.uint8)
        end = trec_lines.lines_end(text, 0, len(text))
        if end:
            self.ended = at + end
        elif at + len(text) - self.ended > PIECE:
            raise _long_line(TextBlock(self.file, text, 0, len(text), self.ended))


def copy_ids(ids: Ids) -> Ids:
    """Return ids without the rest of the text that they are spans of, and of the columns."""
    # a byte of an id lies in the text as far behind the start of the id as it stands in the id
    places = np.repeat(ids.starts - offsets_of(ids.lengths)[:-1], ids.lengths)
    return Ids.of_lengths(ids.text[places + np.arange(len(places))], ids.lengths.copy())


def blocks(file: File, size: int) -> Generator[Take]:
    """Yield functions that each read one block of about ``size`` bytes; the lines of a query that stand together stay together.

    InputError or DataError if the file cannot be read, changes meanwhile, or is no text.
    """
    refuse_other_files(file)
    yield from (_ranges if file.is_plain else _blocks_in_turn)(file, max(size, LEAST))


def _ranges(file: File, size: int) -> Generator[Take]:
    """Ranges of a plain file, each read by whoever takes it: alike, after a small one that shows how the file is to be read."""
    buffers, columns, begin = Buffers(), Buffers(), beginning(file)
    remaining = file.size - begin
    step = remaining if remaining <= size else size // 4
    while remaining > 0:
        end = _next_query(file, begin + step)
        yield partial(_take_block, file, buffers, columns, begin, end)
        begin, remaining = end, file.size - end
        # all alike, so that none is much shorter than the others
        step = ceil(remaining / ceil(remaining / size)) if remaining else 0


def _take_block(file: File, buffers: Buffers, columns: Buffers, begin: int, end: int) -> TextBlock:
    size = end - begin
    buffer = buffers.take(size + 1)
    file.read_into(buffer[:size].data, begin)
    return TextBlock(file, buffer, 0, _end_line(buffer, size), begin, columns)


def _next_query(file: File, at: int) -> int:
    """The start of a line after a byte, whose query is not that of the line before it; the end of the file if there is none."""
    length = HEAD
    while at < file.size:
        size = min(length, file.size - at)
        window = np.empty(size + 1, np.uint8)
        window[size] = ord(LINE_END)
        file.read_into(window[:size].data, at)
        end = trec_lines.lines_end(window, 0, size)
        if end and (start := trec_lines.next_query(window, 0, end)) < end:
            return at + start
        if size - end > PIECE:
            raise _long_line(TextBlock(file, window, end, size, at))
        if at + size == file.size:
            break
        length *= 2  # one query fills the window
    return file.size


def _blocks_in_turn(file: File, size: int) -> Generator[Take]:
    """Blocks of a file that can be read only from its start."""
    columns = Buffers()
    for block in blocks_in_turn(file, size, beginning(file), trec_lines.last_query):
        block.buffers = columns
        yield partial(_itself, block)


def _itself(block: TextBlock) -> TextBlock:
    return block


def blocks_in_turn(
    file: File, size: int, begin: int, last_query: Callable[[np.ndarray, int, int], int]
) -> Generator[TextBlock]:
    """Yield blocks of about ``size`` bytes, from a byte on; ``last_query`` gives the start of the first of the last lines of one query."""
    buffers = Buffers()
    buffer, filled, skipped = buffers.take(size + begin + 1), 0, 0
    with file.stream() as stream:
        while read := stream.readinto(buffer[filled:-1].data):
            filled += read
            if filled < len(buffer) - 1:
                continue
            end = trec_lines.lines_end(buffer, begin, filled)
            if filled - end > PIECE:
                raise _long_line(TextBlock(file, buffer, end, filled, skipped))
            cut = last_query(buffer, begin, end) if end > begin else begin
            if cut > begin:
                yield TextBlock(file, buffer, begin, cut, skipped)
            rest = filled - cut
            # lines of one query that fill a block double the next, so no byte is copied often
            following = buffers.take(max(size, 2 * rest) + 1)
            following[:rest] = buffer[cut:filled]
            buffer, filled, skipped, begin = following, rest, skipped + cut, 0
    if filled > begin:
        yield TextBlock(file, buffer, begin, _end_line(buffer, filled), skipped)


def _end_line(buffer: np.ndarray, size: int) -> int:
    """End the text in a buffer with a line end; return where it ends."""
    buffer[size] = ord(LINE_END)
    return size + int(size == 0 or buffer[size - 1] != ord(LINE_END))


def _long_line(block: TextBlock) -> DataError:
    has_nul = (block.text[block.begin : block.end] == 0).any()
    return DataError(f"{block.place(block.begin)}: {NUL if has_nul else LONG}")
