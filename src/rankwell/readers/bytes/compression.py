"""Compressed files: gzip, bzip2, xz and zstd, known by their first bytes, of one member or several."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import IO, Any

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
PADDED = ("gzip", "xz")  # these may be filled up with zero bytes
PIECE = 1 << 18
GZIP = 31  # zlib's number for data with the header and the checksum of gzip


def compression_of(start: bytes) -> str | None:
    """Return the compression that the first bytes of a file show, None if there is none.

    >>> compression_of(b"BZh91AY"), compression_of(b"1 Q0 a")
    ('bzip2', None)
    """
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)


class Members(io.RawIOBase):
    """The content of the members of a compressed file, one after the other; what follows the last one is an error."""

    def __init__(self, raw: IO[bytes], compression: str) -> None:
        self.raw, self.compression = raw, compression
        self._new = _decompressor(compression)
        self._member: Any = None
        self._data = b""
        self._members = 0

    def readable(self) -> bool:
        """They can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Decompress the next bytes.

        EOFError or ValueError if a member is cut off, or something else than another member follows it; the library's error if it is damaged.
        """
        while self._member is not None or self._begins():
            piece = self._member.decompress(self._data, len(buffer))
            self._data = b"" if self.compression != "gzip" else self._member.unconsumed_tail
            if self._member.eof:
                self._data, self._member = self._member.unused_data, None
            if piece:
                buffer[: len(piece)] = piece
                return len(piece)
            if self._member is not None and not self._data and not self._more():
                msg = "the end is missing"
                raise EOFError(msg)
        return 0

    def close(self) -> None:
        """Close the file that they come from."""
        self.raw.close()
        super().close()

    def _begins(self) -> bool:
        """Whether another member begins here; False at the end of the file."""
        while True:
            if self._members and self.compression in PADDED:
                self._data = self._data.lstrip(b"\0")
            if self._data or not self._more():
                break
        if not self._data:
            return False
        self._more(least=8)
        if self._members and not self._is_member():
            msg = "after the end there are other bytes"
            raise ValueError(msg)
        self._member = self._new()
        self._members += 1
        return True

    def _is_member(self) -> bool:
        is_frame_to_skip = self.compression == "zstd" and self._data[1:4] == b"\x2a\x4d\x18"
        return compression_of(self._data) == self.compression or is_frame_to_skip

    def _more(self, least: int = 1) -> bool:
        """Read on until there are so many bytes; False at the end of the file."""
        while len(self._data) < least:
            piece = self.raw.read(PIECE)
            if not piece:
                return False
            self._data += piece
        return True


def decompress(raw: IO[bytes], compression: str | None) -> IO[bytes]:
    """Return a file decompressed; a library is loaded when it is needed."""
    return raw if compression is None else Members(raw, compression)  # type: ignore[return-value]


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the errors that reading and decompressing raise."""
    import lzma
    import zlib

    return EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, _zstd().ZstdError


def _decompressor(compression: str) -> Callable[[], Any]:
    if compression == "gzip":
        import zlib

        return lambda: zlib.decompressobj(GZIP)
    if compression == "bzip2":
        import bz2

        return bz2.BZ2Decompressor
    if compression == "xz":
        import lzma

        return lzma.LZMADecompressor
    decompressor: Callable[[], Any] = _zstd().ZstdDecompressor
    return decompressor


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
