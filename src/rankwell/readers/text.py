"""The bytes of text files, and errors for files that are not UTF-8 text."""

from __future__ import annotations

import numpy as np

from rankwell.errors import DataError
from rankwell.readers.files import PIECE, File


def text_of(file: File) -> tuple[np.ndarray, int]:
    """Return the bytes of a text file, ended by a line end, and where its text begins (after a byte-order mark).

    Raises
    ------
    DataError
        If the file is UTF-16 or an archive.
    """
    refuse_utf_16_and_archives(file)
    text = file.content
    if text[-1] != 10:
        text = np.append(text, np.uint8(10))
    return text, 3 if file.head.startswith(b"\xef\xbb\xbf") else 0


def refuse_utf_16_and_archives(file: File) -> None:
    """Raise DataError for UTF-16 and archives, known by their first bytes."""
    if file.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(
            f"{file.label}:1: the file is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 (in Excel: save as CSV UTF-8)."
        )
    if file.head.startswith(b"PK\x03\x04"):
        raise DataError(
            f"{file.label}: the file is a zip archive (or a spreadsheet). Unpack it, or export it as CSV."
        )


def require_text(file: File, *, lines: bool = True) -> None:
    """Raise DataError for other encodings, NUL bytes, and (``lines``) lines of more than 16 MiB."""
    refuse_utf_16_and_archives(file)
    for low in range(0, len(file.content), PIECE):
        piece = file.content[low : low + PIECE].tobytes()
        if (at := piece.find(b"\0")) >= 0:
            raise DataError(
                f"{_line(file, low + at)}: a NUL byte; the file is damaged, binary, or UTF-16 without its mark. Text is "
                f"UTF-8."
            )
        if lines and len(piece) == PIECE and b"\n" not in piece:
            raise DataError(
                f"{_line(file, low)}: the line has more than {PIECE:,} bytes. Is this the right file?"
            )


def _line(file: File, at: int) -> str:
    """``file:line`` of a byte."""
    return f"{file.label}:{int(np.count_nonzero(file.content[:at] == 10)) + 1}"
