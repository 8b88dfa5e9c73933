"""What can be read only once: standard input and other pipes. Short content is held, long content lies in a temporary file."""

from __future__ import annotations

import io
import os
import stat
import sys
import weakref
from pathlib import Path
from typing import IO, Any

import numpy as np

from rankwell.errors import InputError, UsageError
from rankwell.readers.standard_input import STDIN

STEP, HELD = (
    1 << 20,
    1 << 24,
)  # bytes that are read at a time, and that are held: longer content goes to a file
LINE_END = b"\n"


class Kept:
    """The bytes of a file that has no name of its own, to be read by several at a time; it goes with the last of them."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.at_first = file, os.fstat(file.fileno())
        self.size = self.at_first.st_size
        weakref.finalize(self, file.close)

    def opened(self) -> Reader:
        """Return a file that is read from its start."""
        return Reader(self)

    def is_changed(self) -> bool:
        """Whether somebody wrote to it meanwhile."""
        now = os.fstat(self.file.fileno())
        return (now.st_size, now.st_mtime_ns) != (self.size, self.at_first.st_mtime_ns)


class Reader(io.RawIOBase):
    """A file with a place of its own, whoever else reads the same one."""

    def __init__(self, kept: Kept) -> None:
        self.kept, self.at = kept, 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def fileno(self) -> int:
        """Return the number by which the system knows it."""
        return self.kept.file.fileno()

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place, counted from the start."""
        assert whence == os.SEEK_SET
        self.at = offset
        return offset

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes."""
        # at a place of its own: the place of the file is shared by all who read it
        read = os.preadv(self.fileno(), [buffer], self.at)
        self.at += read
        return read


def standard_input() -> np.ndarray | Kept:
    """Return what is left of standard input, with a line end if it is held."""
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("there is no standard input to read from.")
    file = sys.stdin.buffer
    return _itself(file) or whole(file, STDIN)


def whole(file: IO[bytes], label: str) -> np.ndarray | Kept:
    """Return all bytes of a pipe, with a line end if they are held; a device that gives nothing but NUL bytes would never end."""
    content, spool, nuls = bytearray(), None, 0
    while piece := file.read(STEP):
        nuls = nuls + len(piece) if piece.count(0) == len(piece) else 0
        if nuls > HELD:
            raise InputError(f"{label}: NUL bytes without end; this is no text and no table.")
        if spool is None and len(content) + len(piece) > HELD and (spool := _spool()) is not None:
            _write(spool, content, label)
            content = bytearray()
        if spool is None:
            content += piece
        else:
            _write(spool, piece, label)
    return held(content) if spool is None else Kept(spool)


def held(content: bytearray) -> np.ndarray:
    """Return bytes, and a line end behind the last one."""
    content += LINE_END
    return np.frombuffer(content, np.uint8)


def is_terminal(path: Path) -> bool:
    """Whether a device is the terminal that somebody types at."""
    return stat.S_ISCHR(path.stat().st_mode) and str(path) in ("/dev/stdin", "/dev/tty", "/dev/fd/0")


def _itself(file: IO[bytes]) -> Kept | None:
    """A long file that is standard input, nothing of which was read; it need not be copied, and counts as read then."""
    try:
        status = os.fstat(file.fileno())
    except (OSError, AttributeError):
        return None  # it stands in for a file
    if not stat.S_ISREG(status.st_mode) or status.st_size <= HELD or file.tell() or not hasattr(os, "preadv"):
        return None
    file_kept = Kept(os.fdopen(os.dup(file.fileno()), "rb", buffering=0))
    file.seek(0, os.SEEK_END)
    return file_kept


def _spool() -> IO[bytes] | None:
    """A temporary file without a name; None where there is no place for one, or only one at a time can read it."""
    import tempfile

    if not hasattr(os, "preadv"):
        return None
    try:
        return tempfile.TemporaryFile(buffering=0)
    except OSError:
        return None


def _write(spool: IO[bytes], content: bytes | bytearray, label: str) -> None:
    import tempfile

    try:
        with memoryview(content) as rest:
            at = 0
            while at < len(rest):
                at += spool.write(rest[at:])
    except OSError as error:
        raise InputError(
            f"{label}: cannot be kept in {tempfile.gettempdir()} ({error.strerror}). Set TMPDIR to a folder with room, or name a "
            f"file."
        ) from error
