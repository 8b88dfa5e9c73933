"""Files as bytes: plain, compressed or standard input, with a check that they do not change while they are read."""

from __future__ import annotations

import contextlib
import copy
import io
import mmap
import sys
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np

from rankwell.errors import InputError, UsageError
from rankwell.readers.compression import COMPRESSED_SUFFIXES, compression_of, expanded, reading_errors
from rankwell.readers.standard_input import STDIN

HEAD = 1 << 16
PIECE = 1 << 24
# the most repetitive run compresses about 30 times; a file that grows more than this is a decompression bomb
MOST_GROWTH, HARMLESS = 200, 1 << 30


class File:
    """A file to read: its name, its first bytes decompressed, and all its bytes on request.

    ``-`` is standard input, which is read whole. Nothing is kept open. ``line`` is where the last ``stream`` stopped with
    an error, 0 if it did not.
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
        self.compression = compression_of(start)
        self.is_whole = True
        self.line = 0

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
        """Return the path of a plain file, else its content: for libraries that take paths or file objects."""
        if self._raw is None and self.path is not None and self.compression is None:
            return self.path
        return io.BytesIO(self.content.data)

    @cached_property
    def content(self) -> np.ndarray:
        """All bytes: mapped, or decompressed.

        Raises
        ------
        InputError
            If they cannot be read, are damaged, or decompress to far too many bytes.
        """
        with self.reading(), self._opened() as raw:
            if self.compression is not None:
                return np.frombuffer(self._decompressed(raw), np.uint8)
            if self._raw is not None:
                return np.frombuffer(self._raw, np.uint8)
            return np.frombuffer(mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)

    @contextlib.contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """Give the content to be read from its start, decompressed piece by piece; errors know the line they came from."""
        self.line = 0
        with self._opened() as raw, Lines(Bytes(raw, self)) as lines:
            try:
                yield lines
            except Exception:
                self.line = lines.number
                raise

    def check(self) -> None:
        """Raise InputError if the file changed since it was opened; a new file in its place is fine."""
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
        with expanded(raw, self.compression) as file:
            while piece := file.read(PIECE):
                content += piece
                if len(content) > max(MOST_GROWTH * size, HARMLESS):
                    raise InputError(
                        f"{self.label}: {size:,} bytes of {self.compression} hold more than {len(content):,}; this looks like "
                        f"a decompression bomb. If it is not, decompress the file yourself."
                    )
        return content

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Turn the errors of reading and decompressing into an InputError."""
        try:
            yield
        except InputError:
            raise
        except reading_errors() as error:
            trouble = (
                f"the {self.compression} data are damaged or cut off"
                if self.compression
                else "cannot be read"
            )
            raise InputError(
                f"{self.label}: {trouble} ({str(error).strip() or type(error).__name__})."
            ) from error


class Bytes(io.RawIOBase):
    """The decompressed bytes of a file."""

    def __init__(self, raw: IO[bytes], file: File) -> None:
        self.file = file
        with file.reading():
            self.opened = expanded(raw, file.compression)

    def readable(self) -> bool:
        """They can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes; damage is an InputError."""
        with self.file.reading():
            piece = self.opened.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Close the file that they come from."""
        self.opened.close()
        super().close()


class Lines(io.BufferedReader):
    """The lines of a file; ``number`` counts those handed out, from 1."""

    def __init__(self, content: Bytes) -> None:
        super().__init__(content, HEAD)
        self.number = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line with its line end; a loop over the lines calls this too."""
        line = super().readline(size)
        self.number += bool(line)
        return line


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("there is no standard input to read from.")
    return sys.stdin.buffer.read()
