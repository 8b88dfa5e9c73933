"""Compressed files: gzip, bzip2, xz and zstd, known by their first bytes."""

from __future__ import annotations

import importlib
import sys
from typing import IO, Any

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
MODULES = {"gzip": "gzip", "bzip2": "bz2", "xz": "lzma"}


def compression_of(start: bytes) -> str | None:
    """Return the compression that the first bytes of a file show, None if there is none.

    >>> compression_of(b"BZh91AY"), compression_of(b"1 Q0 a")
    ('bzip2', None)
    """
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)


def expanded(raw: IO[bytes], compression: str | None) -> IO[bytes]:
    """Return a file decompressed; a library is loaded when it is needed."""
    if compression is None:
        return raw
    if compression == "zstd":
        return _zstd().open(raw)
    opened: IO[bytes] = importlib.import_module(MODULES[compression]).open(raw)
    return opened


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the errors that reading and decompressing raise."""
    import lzma
    import zlib

    return EOFError, OSError, ValueError, zlib.error, lzma.LZMAError, _zstd().ZstdError


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
