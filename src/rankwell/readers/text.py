"""The bytes of text files, and errors for files that are not UTF-8 text."""

from __future__ import annotations

import numpy as np

from rankwell.errors import DataError
from rankwell.readers.files import PIECE, File

SAY_ENCODING = "Convert the file, such as by iconv -f latin1 -t utf-8, or say encoding='latin-1' to evaluate."
BOM = b"\xef\xbb\xbf"


def text_of(file: File) -> tuple[np.ndarray, int]:
    """Return the bytes of a text file, ended by a line end, and where its text begins (after a byte-order mark).

    Raises
    ------
    DataError
        If the file is UTF-16, an archive, or empty.
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
    """Raise DataError for UTF-16, archives and a second byte-order mark, known by the first bytes."""
    if file.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(
            f"{file.label}:1: the file is UTF-16. Say encoding='utf-16', or convert it: iconv -f UTF-16 -t UTF-8 (in Excel: "
            f"save as CSV UTF-8)."
        )
    if file.head.startswith(b"PK\x03\x04"):
        raise DataError(
            f"{file.label}: the file is a zip archive (or a spreadsheet). Unpack it, or export it as CSV."
        )
    if file.head.startswith(BOM + BOM):
        raise second_mark(file, 1)


def second_mark(file: File, line: int) -> DataError:
    """Return the error of a byte-order mark that does not stand at the beginning of the text."""
    return DataError(
        f"{file.label}:{line}: a second byte-order mark, as when files that begin with one are joined. Remove it."
    )


def require_text(file: File, *, lines: bool = True) -> None:
    """Raise DataError for other encodings, NUL bytes, a second byte-order mark, and (``lines``) lines of more than 16 MiB."""
    refuse_other_files(file)
    seen = Seen(file, lines=lines)
    if file.is_plain:
        at = 0
        for piece in file.pieces():
            seen(piece, at)
            at += len(piece)
    elif "ended" not in vars(file):
        vars(file)["ended"] = file.read(seen)


class Seen:
    """What was seen of a text, piece by piece: how many lines, and how long the last one is."""

    def __init__(self, file: File, *, lines: bool) -> None:
        self.file, self.is_of_lines = file, lines
        self.last = b"\n"
        self.lines = self.begun = 0

    def __call__(self, piece: memoryview, at: int) -> None:
        """Look at the next piece, which begins at a byte."""
        part, new = self.last + piece.tobytes(), len(self.last)
        if (found := part.find(b"\0", new)) >= 0:
            raise DataError(
                f"{self.file.label}:{self._line(part, found)}: a NUL byte; the file is damaged, binary, or UTF-16 without its "
                f"mark. Text is UTF-8."
            )
        if (found := part.find(b"\n" + BOM, at == 0)) >= 0:
            raise second_mark(self.file, self._line(part, found + 1))
        end = part.find(b"\n", new)
        longest = at + len(piece) if end < 0 else at + end - new
        if self.is_of_lines and longest - self.begun > PIECE:
            raise DataError(
                f"{self.file.label}:{self.lines + 1}: the line has more than {PIECE:,} bytes. Is this the right file?"
            )
        if end >= 0:
            self.begun = at + part.rfind(b"\n") + 1 - new
        self.lines += part.count(b"\n", new)
        self.last = part[-len(BOM) :]

    def _line(self, part: bytes, at: int) -> int:
        return self.lines + part.count(b"\n", len(self.last), at) + 1
