"""Files as bytes: plain, compressed or standard input; and whether they stayed the same while they were read."""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import mmap
import sys
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np

from rankwell.errors import DataError, InputError, UsageError
from rankwell.readers.standard_input import STDIN

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}
HEAD = 1 << 16
PIECE = 1 << 24
# a file that grows more than this is no table of ours: the most repetitive run shrinks about 30 times
MOST_GROWTH, HARMLESS = 200, 1 << 30


class File:
    """A file that is read: its name, its first bytes decompressed, and all its bytes on request.

    ``-`` is standard input, which is read whole. Nothing is kept open.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = None if str(path) in ("-", STDIN) else Path(path)
        self.label = STDIN if self.path is None else str(self.path)
        self._raw = _standard_input() if self.path is None else None
        self._state = self._stat()
        with self._opened() as file:
            start = file.read(8)
        if not start:
            raise InputError(f"{self.label}: the file is empty.")
        self.compression = next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)
        self.is_whole = True

    def without(self, lines: Collection[int]) -> File:
        """Return the same file with some lines, counted from 1, left empty; the others keep their numbers."""
        if not lines:
            return self
        kept = self.content.tobytes().split(b"\n")
        for line in lines:
            kept[line - 1] = b""
        other = copy.copy(self)
        changes = {"_raw": b"\n".join(kept), "compression": None, "is_whole": False}
        vars(other).update(changes)
        for cached in ("head", "content"):
            vars(other).pop(cached, None)
        return other

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB of the content."""
        with self.stream() as file:
            return file.read(HEAD)

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.label if self.path is None else self.path.name

    @property
    def stem(self) -> str:
        """The file's name in lower case, without the suffix of a compression."""
        stem = self.name.lower()
        return next((stem.removesuffix(end) for end in COMPRESSED_SUFFIXES if stem.endswith(end)), stem)

    def source(self) -> Path | io.BytesIO:
        """What a library reads that takes paths or file objects: the path of a plain file, else its content."""
        if self._raw is None and self.path is not None and self.compression is None:
            return self.path
        return io.BytesIO(self.content.data)

    @cached_property
    def content(self) -> np.ndarray:
        """All bytes: mapped, or decompressed.

        Raises
        ------
        InputError
            If they cannot be read, are damaged, or grow beyond reason when decompressed.
        """
        with self._translated(), self._opened() as raw:
            if self.compression is not None:
                return np.frombuffer(self._decompressed(raw), np.uint8)
            if self._raw is not None:
                return np.frombuffer(self._raw, np.uint8)
            return np.frombuffer(mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)

    @contextlib.contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """Give the content to be read from its start, decompressed piece by piece."""
        with self._translated(), self._opened() as raw, _expanded(raw, self.compression) as file:
            yield file

    def check(self) -> None:
        """Raise InputError if the file changed since it was opened; a file put in its place does no harm."""
        now = self._stat()
        if now != self._state and now[:1] == self._state[:1]:
            raise InputError(
                f"{self.label}: the file changed while it was read. Wait until it is whole, then try again."
            )

    def _stat(self) -> tuple[int, ...]:
        if self.path is None:
            return ()
        try:
            found = self.path.stat()
        except OSError as error:
            raise InputError(f"{self.label}: cannot be read ({error.strerror}).") from error
        if self.path.is_dir():
            raise InputError(f"{self.label}: is a folder. Name a file, or several as '{self.label}/*'.")
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _opened(self) -> IO[bytes]:
        if self._raw is not None:
            return io.BytesIO(self._raw)
        assert self.path is not None
        try:
            return self.path.open("rb")
        except OSError as error:
            raise InputError(f"{self.label}: cannot be read ({error.strerror}).") from error

    def _decompressed(self, raw: IO[bytes]) -> bytearray:
        size = len(self._raw) if self._raw is not None else self._state[1]
        content = bytearray()
        with _expanded(raw, self.compression) as file:
            while piece := file.read(PIECE):
                content += piece
                if len(content) > max(MOST_GROWTH * size, HARMLESS):
                    raise InputError(
                        f"{self.label}: {size:,} bytes of {self.compression} hold more than {len(content):,}; this looks like "
                        f"a decompression bomb. If it is not, decompress the file yourself."
                    )
        return content

    def _translated(self) -> contextlib.AbstractContextManager[None]:
        return damaged(self.label, f"the {self.compression} data are damaged or cut off")


@contextlib.contextmanager
def damaged(label: str, trouble: str) -> Any:
    """Turn the errors of reading and decompressing into one line."""
    try:
        yield
    except (InputError, UnicodeDecodeError):
        raise
    except _errors() as error:
        raise InputError(f"{label}: {trouble} ({str(error).strip() or type(error).__name__}).") from error


def _expanded(raw: IO[bytes], compression: str | None) -> IO[bytes]:
    """The file decompressed; a library is loaded when it is needed."""
    if compression is None:
        return raw
    if compression == "zstd":
        return _zstd().open(raw)
    opened: IO[bytes] = importlib.import_module(MODULES[compression]).open(raw)
    return opened


def _errors() -> tuple[type[Exception], ...]:
    """What reading and decompressing raise."""
    import lzma
    import zlib

    return EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, _zstd().ZstdError


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("there is no standard input to read from.")
    return sys.stdin.buffer.read()


def text_of(file: File) -> tuple[np.ndarray, int]:
    """Return the bytes of a text file, ended by a line end, and where its text begins (after a byte-order mark).

    Raises
    ------
    DataError
        If the file is UTF-16 or an archive.
    """
    refuse_other_encodings(file)
    text = file.content
    if text[-1] != 10:
        text = np.append(text, np.uint8(10))
    return text, 3 if file.head.startswith(b"\xef\xbb\xbf") else 0


def refuse_other_encodings(file: File) -> None:
    """Raise DataError for UTF-16 and archives, as their first bytes show."""
    if file.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(
            f"{file.label}:1: the file is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8 (in Excel: save as CSV UTF-8)."
        )
    if file.head.startswith(b"PK\x03\x04"):
        raise DataError(
            f"{file.label}: the file is a zip archive (or a spreadsheet). Unpack it, or export it as CSV."
        )


def refuse_what_is_no_text(file: File, *, lines: bool = True) -> None:
    """Raise DataError for other encodings, NUL bytes, and (``lines``) lines of more than 16 MiB."""
    refuse_other_encodings(file)
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
    """The place of a byte."""
    return f"{file.label}:{int(np.count_nonzero(file.content[:at] == 10)) + 1}"
