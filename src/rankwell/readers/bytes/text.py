"""Text: the bytes of text files, in blocks of whole lines, and errors for files that are not UTF-8 text."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import chain
from math import ceil

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import delimited_text, trec_lines
from rankwell.readers.bytes.files import HEAD, PIECE, File
from rankwell.tables.ids import Ids
from rankwell.tables.lists import offsets_of
from rankwell.tables.series import is_number

SAY_ENCODING = "Convert the file, such as by iconv -f latin1 -t utf-8, or say encoding='latin-1' to evaluate."
BOM = b"\xef\xbb\xbf"
# files of other kinds, by their first bytes: what they are, and how their tables are had
OTHERS = {
    b"PK\x03\x04": "a zip archive (or a spreadsheet). Unpack it, or export it as CSV.",
    b"\xd0\xcf\x11\xe0": "a spreadsheet of old Excel. Export it as CSV.",
    b"\x93NUMPY": "an array of NumPy. Give what numpy.load('{file}') returns.",
    b"SQLite format 3\0": "a database of SQLite. Export its table as CSV.",
    b"\x89HDF": "HDF5. Give what pandas.read_hdf('{file}') returns.",
    b"Obj\x01": "Avro. Give what polars.read_avro('{file}') returns.",
    b"%PDF-": "a PDF. Export its table as CSV.",
    b"7z\xbc\xaf": "a 7z archive. Unpack it: 7z x {file}",
    b"Rar!": "a rar archive. Unpack it: unrar x {file}",
    b"\x04\x22\x4d\x18": "compressed by lz4. Unpack it: lz4 -d {file}",
    b"\x1f\x9d": "compressed by compress. Unpack it: uncompress {file}",
    b"\xff\x06\x00\x00sNaPpY": "compressed by Snappy. Unpack it, or write it as Parquet.",
    b"version https://git-lfs": "a pointer of Git LFS in place of the data. Fetch them: git lfs pull",
    b"\x1f\x8b": "compressed twice. Unpack it once: gunzip.",
    **dict.fromkeys(
        [b"<!DOCTYPE html", b"<!doctype html", b"<html"],
        "a page of HTML, such as the message of an error or a login. Download the data again.",
    ),
    **dict.fromkeys(
        [b"INSERT INTO ", b"CREATE TABLE ", b"COPY public.", b"--\n-- PostgreSQL", b"-- MySQL dump"],
        "a dump of SQL. Export its table as CSV, such as by psql --csv or mysql --batch.",
    ),
    b"<table": "a table of HTML. Give one of those that pandas.read_html('{file}') returns.",
    **dict.fromkeys(
        [bytes([0x80, protocol]) for protocol in (2, 3, 4, 5)],
        "a pickle of Python, which is not opened, as it may run any code. If you trust it, load it, and give what it holds.",
    ),
}
# a line of dashes below the header of a table, or above it: psql, MySQL, Spark, DuckDB, Polars and Markdown print it
DASHES = "─".encode()
PRINTED = rb"(?:[^\n]*\n)? ?(?:\+[-=+]+\+\r?\n\||-+\+[-+]+\r?\n|\xe2(?:\x94\x8c|\x95\xad)\xe2\x94\x80|\|? *:?-{3,}:? *\|[-:| ]+\r?\n)"
TAR = slice(257, 262)  # where an archive of tar says "ustar"
NUL = "a NUL byte; the file is damaged, binary, or UTF-16 without its mark. Text is UTF-8: iconv -f utf-16le -t utf-8."
LONG = f"the line has more than {PIECE:,} bytes. Is this the right file?"


def text_of(file: File) -> tuple[np.ndarray, int]:
    """Return the bytes of a text file, ended by a line end, and where its text begins (after a byte-order mark).

    DataError if the file is an archive, or empty.
    """
    refuse_other_files(file)
    if not len(file.content):
        raise DataError(f"{file.label}: the file is empty.")
    text = file.content if file.content[-1] == 10 else file.ended
    return text, beginning(file)


def beginning(file: File) -> int:
    """Return where the text begins: after a byte-order mark."""
    return len(BOM) if file.head.startswith(BOM) else 0


def refuse_other_files(file: File) -> None:
    """Raise DataError for archives, files of other tools and a second byte-order mark, known by the first bytes."""
    for first, what in OTHERS.items():
        if file.head.startswith(first):
            raise DataError(f"{file.label}: the file is {what.format(file=file.label)}")
    if b"---" in file.head or DASHES in file.head:  # which few files have
        import re

        if re.match(PRINTED, file.head):
            raise DataError(
                f"{file.label}: the file is a table as programs print it, with lines of dashes. Export it as CSV: psql --csv, mysql --batch, "
                f"duckdb -csv, frame.to_csv."
            )
    if file.head[TAR] == b"ustar":
        raise DataError(f"{file.label}: the file is an archive of tar. Unpack it: tar -xf {file.label}")
    if file.head.startswith(BOM + BOM):
        raise second_mark(file, 1)


def second_mark(file: File, line: int) -> DataError:
    """Return the error of a byte-order mark that does not stand at the beginning of the text."""
    return DataError(
        f"{file.label}:{line}: a second byte-order mark, as when files that begin with one are joined. Remove it."
    )


def not_utf8(file: File) -> DataError | None:
    """Return the error of the first line that is not UTF-8; None if the whole text is."""
    try:
        str(file.content.data, "utf-8")
    except UnicodeDecodeError as error:
        return at_wrong_bytes(file, error)
    return None


def at_wrong_bytes(file: File, error: UnicodeDecodeError, line: int = 0) -> DataError:
    """Return the error of bytes that are not UTF-8: those of a line, or of the whole text."""
    line = line or int(np.count_nonzero(file.content[: error.start] == 10)) + 1
    return DataError(f"{file.label}:{line}: not UTF-8 ({error.reason}). {SAY_ENCODING}")


def filled_lines(file: File) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the text of the lines that are not empty, without a byte-order mark."""
    with file.stream() as lines:
        for number, line in enumerate(lines, start=1):
            text = line.removeprefix(BOM) if number == 1 else line
            if text.strip():
                yield number, text


def filled_line(file: File, row: int) -> str:
    """Return ``file:line`` of a row, where each line that is not empty is one."""
    line = next((line for at, (line, _) in enumerate(filled_lines(file)) if at == row), 1)
    return f"{file.label}:{line}"


def require_text(file: File, *, lines: bool = True) -> Seen:
    """Return what was seen of a text; refuse what is no text in UTF-8.

    DataError for other encodings, NUL bytes, a second byte-order mark, and (``lines``) lines of more than 16 MiB.
    """
    refuse_other_files(file)
    seen = Seen(file, lines=lines)
    if file.is_plain:
        at = 0
        for piece in file.pieces():
            seen(piece, at)
            at += len(piece)
    elif "ended" not in vars(file):
        vars(file)["ended"] = file.read(seen)
    else:
        seen(file.content.data, 0)
    return seen


def refuse_rows_as_comments(file: File, separator: str, columns: int) -> None:
    """Raise DataError for a line that begins with ``#`` and is a row of a table with so many columns, whose id would be a comment's mark."""
    is_begun = False
    with file.stream() as stream:
        for number, line in enumerate(stream, 1):
            if not line.startswith(b"#"):
                is_begun = is_begun or bool(line.strip())
                continue
            fields = line.decode(errors="replace").strip().split(separator)
            # before the first row stand comments, and maybe the names of columns
            if (
                len(fields) == columns > 1
                and fields[0][1:2].strip()
                and (is_begun or fields[-1][-1:].isdigit())
            ):
                raise DataError(
                    f"{file.label}:{number}: is {brief(line.decode(errors='replace').strip())} a row or a comment? A row: quote its id, "
                    f'"{fields[0][:40]}"; a comment: begin it with "# ".'
                )


class Seen:
    """What was seen of a text, piece by piece: how many lines, how long the last one is, whether there are quotation marks and number signs."""

    def __init__(self, file: File, *, lines: bool) -> None:
        self.file, self.is_of_lines = file, lines
        self.last = b"\n"
        self.lines = self.begun = 0
        self.has_quotes = self.has_signs = False

    def __call__(self, piece: memoryview, at: int) -> None:
        """Look at the next piece, which begins at a byte."""
        lines, first, last, has_nul, has_quotes, has_signs, has_mark = delimited_text.survey(
            np.frombuffer(piece, np.uint8)
        )
        if has_nul or has_mark or BOM[:1] in self.last:
            self._refuse(self.last + piece.tobytes(), at)
        if self.is_of_lines and at + first - self.begun > PIECE:
            raise DataError(f"{self.file.label}:{self.lines + 1}: {LONG}")
        if lines:
            self.begun = at + last
        self.lines += lines
        self.has_quotes |= has_quotes
        self.has_signs |= has_signs
        self.last = (self.last + piece[-len(BOM) :].tobytes())[-len(BOM) :]

    def _refuse(self, part: bytes, at: int) -> None:
        """Raise DataError for a NUL byte, and for a byte-order mark that begins a line other than the first."""
        if (place := part.find(b"\0", len(self.last))) >= 0:
            raise DataError(f"{self.file.label}:{self._line(part, place)}: {NUL}")
        if (place := part.find(b"\n" + BOM, at == 0)) >= 0:
            raise second_mark(self.file, self._line(part, place + 1))

    def _line(self, part: bytes, at: int) -> int:
        return self.lines + part.count(b"\n", len(self.last), at) + 1


def refuse_rows_in_quotes(file: File, separator: str, columns: int, number: int | None) -> None:
    """Raise DataError where two quotation marks of different lines hide rows of a table, as those of a text that was not quoted do.

    These are lines that would all be rows: each has as many columns, and a number where ``number`` says that one stands. Without such a
    column, tables with commas are let through, as any text holds commas.
    """
    if number is None and separator == ",":
        return

    def is_row(line: bytes) -> bool:
        cells = line.rstrip(b"\r").split(separator.encode())
        return len(cells) == columns and (number is None or is_number(cells[number].strip(b' "')))

    before, passed = b"", 0
    for piece in chain(file.pieces(), [b"\n"]):  # the last line may have no end
        text = before + bytes(piece)
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        marks = np.flatnonzero(np.frombuffer(text, np.uint8) == ord('"'))
        # a line with an odd number of marks opens a cell that goes on in the next line, or closes one
        odd = np.flatnonzero(np.diff(np.searchsorted(marks, ends), prepend=0) % 2).tolist()
        begins = [0, *(ends + 1).tolist()]
        for first, last in zip(odd[::2], odd[1::2], strict=False):
            if all(map(is_row, text[begins[first] : begins[last + 1] - 1].split(b"\n"))):
                raise DataError(
                    f"{file.label}:{passed + first + 1}: a quotation mark opens here and closes in line {passed + last + 1}, and hides rows. Marks "
                    f"that are part of a text are written twice in a quoted cell; or remove them: tr -d '\"'."
                )
        done = odd[-1] if len(odd) % 2 else len(ends)
        before, passed = text[begins[done] :], passed + done
        if len(before) > PIECE:
            return


def begins_with_name(text: bytes) -> bool:
    """Whether a text begins with a name in brackets, as a database of Microsoft writes columns, and not with a list of JSON.

    >>> begins_with_name(b"[user],[item]"), begins_with_name(b"[true]"), begins_with_name(b"[[1, 2]]")
    (True, False, False)
    """
    import re

    return re.match(rb"\[(?!true\b|false\b|null\b|NaN\b|Infinity\b)[^\W\d][^\[\]{}\"\n]*\]", text) is not None


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
