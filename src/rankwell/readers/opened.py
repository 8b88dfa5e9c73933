"""Opened files: their bytes decompressed, in UTF-8, and their lines counted; and the error of damage in binary ones."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from rankwell.errors import DataError, InputError, UsageError
from rankwell.readers.compression import expanded

if TYPE_CHECKING:
    from rankwell.readers.files import File

HEAD = 1 << 16
# the mark of UTF-32 with the low byte first begins as that of UTF-16 does
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8",
}
# the most repetitive run compresses about 30 times; a file that grows more than this is a decompression bomb
MOST_GROWTH, HARMLESS = 200, 1 << 28


class Readable(io.RawIOBase):
    """Bytes that can be read."""

    def readable(self) -> bool:
        """They can be read."""
        return True


class Bytes(Readable):
    """The decompressed bytes of a file, which must not change meanwhile."""

    def __init__(self, raw: IO[bytes], file: File) -> None:
        self.file, self.raw = file, raw
        with file.reading():
            self.opened = expanded(raw, file.compression)
        self._given = 0

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes; damage, a change and a decompression bomb are an InputError."""
        with self.file.reading():
            read: int = self.opened.readinto(buffer)  # type: ignore[attr-defined]
        self.file.check_opened(self.raw)
        self._given += read
        if self.file.compression is not None:
            size = self.file.size
            if self._given > max(MOST_GROWTH * size, HARMLESS):
                raise InputError(
                    f"{self.file.label}: {size:,} bytes of {self.file.compression} hold more than {self._given:,}; this "
                    f"looks like a decompression bomb. If it is not, decompress the file yourself."
                )
        return read

    def close(self) -> None:
        """Close the file that they come from."""
        self.opened.close()
        super().close()


class Held(Readable):
    """Bytes in memory, read like a file."""

    def __init__(self, content: memoryview) -> None:
        self.content, self.at = content, 0

    def seek(self, at: int, _whence: int = io.SEEK_SET) -> int:
        """Go on at a byte."""
        self.at = at
        return at

    def readinto(self, buffer: Any) -> int:
        """Copy the next bytes."""
        piece = self.content[self.at : self.at + len(buffer)]
        buffer[: len(piece)] = piece
        self.at += len(piece)
        return len(piece)


class Recoded(Readable):
    """The text of a file of another encoding, in UTF-8."""

    def __init__(self, content: Bytes | Lines, encoding: str, label: str) -> None:
        self.content, self.encoding, self.label = content, encoding, label
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready, self._at, self._lines, self._ended = b"", 0, 0, False

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes of the text; bytes that are none of the encoding are a DataError."""
        while self._at == len(self._ready) and not self._ended:
            self._next()
        piece = self._ready[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def _next(self) -> None:
        piece = self.content.read(HEAD) or b""
        self._ended = not piece
        before = self._decoder.getstate()
        try:
            text = self._decoder.decode(piece, self._ended)
        except UnicodeDecodeError as error:
            self._decoder.setstate(before)
            good = self._decoder.decode(error.object[: error.start][len(before[0]) :])
            line = self._lines + good.count("\n") + 1
            wrong = error.object[error.start : error.start + 4].hex(" ")
            raise DataError(
                f"{self.label}:{line}: not {self.encoding}: {error.reason} (bytes {wrong}). Is this the encoding "
                f"of the file?"
            ) from error
        self._lines += text.count("\n")
        self._ready, self._at = text.encode(errors="surrogatepass"), 0

    def close(self) -> None:
        """Close the file that it comes from."""
        self.content.close()
        super().close()


class Lines(io.BufferedReader):
    """The lines of a file; ``number`` counts those handed out, from 1."""

    def __init__(self, content: Bytes | Recoded) -> None:
        super().__init__(content, HEAD)
        self.number = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line with its line end; a loop over the lines calls this too."""
        line = super().readline(size)
        self.number += bool(line)
        return line


def lines_of(content: Bytes) -> Lines:
    """Return the lines of the decompressed content of a file, in UTF-8; of compressed files the mark is seen now."""
    file = content.file
    if file.compression is None:
        return Lines(content if file.encoding is None else Recoded(content, file.encoding, file.label))
    lines = Lines(content)
    file.see_mark(lines.peek(4)[:4])
    return lines if file.encoding is None else Lines(Recoded(lines, file.encoding, file.label))


def marked_encoding(start: bytes) -> str | None:
    r"""Return the encoding that a byte-order mark names; None without one.

    >>> marked_encoding("a".encode("utf-16")), marked_encoding(b"\xef\xbb\xbfa"), marked_encoding(b"a")
    ('utf-16', 'utf-8', None)
    """
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), None)


def known_encoding(name: str) -> str:
    """Return the usual name of an encoding of text; UsageError if there is none of that name.

    Examples
    --------
    >>> known_encoding("LATIN1"), known_encoding("euc-kr")
    ('iso8859-1', 'euc_kr')
    """
    try:
        found = codecs.lookup(name)
        is_text = getattr(found, "_is_text_encoding", True) and found.name not in NO_FILES
        "".encode(found.name)
    except (LookupError, ValueError, TypeError):
        is_text = False
    if not is_text:
        raise UsageError(
            f"There is no encoding {str(name)[:40]!r}; it is a name such as utf-8, latin-1, cp1252, euc-kr, cp949 or shift-jis."
        )
    return found.name


NO_FILES = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem")


class Damage(Exception):
    """What is wrong, in words that end the sentence of the error."""


@contextmanager
def refused(file: File, form: str, *signs: type[Exception]) -> Iterator[None]:
    """Turn damage into an InputError; ``signs`` are what reading raises where the structure is not that of ``form``."""
    expected: tuple[type[Exception], ...] = (Damage, *signs)
    try:
        yield
    except expected as error:
        trouble = error if isinstance(error, Damage) else f"its structure is not that of {form}"
        raise InputError(
            f"{file.label}: the {form} file cannot be read; it is damaged or cut off ({trouble}). Write it again."
        ) from error
