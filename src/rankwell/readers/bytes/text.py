"""The bytes of text files, and errors for files that are not UTF-8 text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import delimited_text
from rankwell.readers.bytes.files import PIECE, File
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
    b"version https://git-lfs": "a pointer of Git LFS in place of the data. Fetch them: git lfs pull",
    b"\x1f\x8b": "compressed twice. Unpack it once: gunzip.",
    **dict.fromkeys(
        [b"<!DOCTYPE html", b"<!doctype html", b"<html"],
        "a page of HTML, such as the message of an error or a login. Download the data again.",
    ),
    **dict.fromkeys(
        [bytes([0x80, protocol]) for protocol in (2, 3, 4, 5)],
        "a pickle of Python, which is not opened, as it may run any code. If you trust it, load it, and give what it holds.",
    ),
}
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
