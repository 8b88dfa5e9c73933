"""Files as bytes: plain, compressed, a pipe or standard input, decompressed and in UTF-8, with a check that they do not change while they are read.

What can be read only once, a pipe, is held if it is short, and otherwise lies in a temporary file.
"""

from __future__ import annotations

import codecs
import contextlib
import copy
import io
import mmap
import os
import stat
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES, compression_of, decompress, reading_errors
from rankwell.readers.bytes.paths import STDIN, OpenFile, paths_of
from rankwell.records import cached_property

# what no line is longer than, and what is read at a time
PIECE, STEP = 1 << 24, 1 << 20
CHANGED = "the file changed while it was read. Wait until it is whole, then try again."
LINE_END = 10
HEAD = 1 << 16  # bytes by which a format is recognised, and that are read ahead
# the mark of UTF-32 with the low byte first begins as that of UTF-16 does
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8",
}
# codecs of Python that are no encodings of files
NO_FILES = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem")
# the most repetitive run compresses about 30 times; a file that grows more than this is a decompression bomb
MOST_GROWTH, HARMLESS = 200, 1 << 28
Check = Callable[[memoryview, int], None]


class File(OpenFile):
    """A file to read: its name, its first bytes decompressed, and all its bytes on request.

    ``-`` is standard input; it and other pipes are read at once, as they can be read only once, and kept in a temporary file
    if they are long. No other file is kept open.
    ``line`` is where the last ``stream`` stopped with an error, 0 if it did not.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = None if str(path) in ("-", STDIN) else Path(path)
        self.label = STDIN if self.path is None else str(self.path)
        self.encoding: str | None = None
        self.marked: str | None = None
        self.format_in: str | None = None
        self.is_whole, self.line = True, 0
        self._state = self._stat()
        self._raw, self._kept = self._read_once()
        with self._opened() as file, self.reading():
            start = file.read(8)  # as long as the longest mark of a compression or an encoding
        if not start:
            raise InputError(f"{self.label}: the file is empty.")
        self.compression = compression_of(start)
        if self.compression is None:
            self.see_mark(start)

    def without(self, lines: Collection[int]) -> File:
        """Return the same file with some lines, counted from 1, left empty; the others keep their numbers."""
        if not lines:
            return self
        text = self.content.tobytes().split(b"\n")
        for line in lines:
            text[line - 1] = b""
        raw = bytearray(b"\n".join(text))
        return self.of_content(raw, is_whole=False)

    def of_content(self, content: bytes | bytearray, *, is_whole: bool = True) -> File:
        """Return a file of the same name that holds other bytes."""
        return self.changed(_raw=held(bytearray(content)), compression=None, encoding=None, is_whole=is_whole)

    def see_mark(self, start: bytes) -> None:
        """Take the encoding from the byte-order mark that the content begins with, if there is one."""
        self.marked = marked_encoding(start)
        if self.marked is not None:
            self.encoding = None if self.marked == "utf-8" else self.marked

    def changed(self, **changes: Any) -> File:
        """Return the same file, read in another way."""
        other = copy.copy(self)
        vars(other).update(changes)
        # what was read in the other way
        for cached in ("head", "ended"):
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

    @property
    def size(self) -> int:
        """The number of bytes of the file itself, compressed or not."""
        if self._raw is not None:
            return len(self._raw) - 1
        return self._state[2] if self._kept is None else self._kept.size

    @property
    def stamp(self) -> tuple[int, ...]:
        """What tells whether the file itself is the same as later: its size, and when it was written."""
        return tuple(self._state)

    @property
    def is_plain(self) -> bool:
        """Whether the content is what stands in the file itself."""
        return self._raw is None and self.compression is None and self.encoding is None

    def source(self) -> Path | io.BytesIO:
        """Return the path of a plain file, else its content: for libraries that take paths or file objects."""
        if self.is_plain and self._kept is None and self.path is not None:
            return self.path
        return io.BytesIO(self.content.data)

    @property
    def mapped(self) -> np.ndarray:
        """All bytes, mapped where that is possible: to look at some of them, and to be let go of at once."""
        if not self.is_plain:
            return self.content
        with self.reading(), self._opened() as raw:
            return np.frombuffer(mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)

    def opened(self) -> IO[bytes]:
        """Open the content to look at some of its bytes; ``reading`` explains what goes wrong."""
        return self._opened() if self.is_plain else HeldBytes(self.content.data)  # type: ignore[return-value]

    @property
    def content(self) -> np.ndarray:
        """All bytes, held by rankwell; InputError if they cannot be read, are damaged, changed meanwhile, or decompress to far too many bytes."""
        return self.ended[:-1]

    @cached_property
    def ended(self) -> np.ndarray:
        """All bytes, and a line end behind the last one."""
        return self.read()

    def read(self, check: Check | None = None) -> np.ndarray:
        """Read what ``ended`` keeps; ``check`` sees each piece, and where it begins."""
        if self._raw is not None and self.compression is None and self.encoding is None:
            if check is not None:
                for low in range(0, self.size, STEP):
                    check(self._raw[low : min(low + STEP, self.size)].data, low)
            return self._raw
        # the size of a plain file is known; other content grows
        content: Any = np.empty(self.size + 1, np.uint8) if self.is_plain else bytearray(STEP)
        at = 0
        with self.stream() as file:
            while at + 1 < len(content):
                with memoryview(content) as view, view[at : min(at + STEP, len(content) - 1)] as free:
                    read = file.readinto(free)
                    if check is not None:
                        check(free[:read], at)
                if not read:
                    break
                at += read
                if at + 1 == len(content) and not self.is_plain:
                    content += bytes(len(content) // 4)  # so at most a quarter more than the content is held
        if self.is_plain and at < self.size:
            raise InputError(f"{self.label}: {CHANGED}")
        if self.is_plain:
            content[at] = LINE_END
            return np.asarray(content)
        del content[at:]
        return held(content)

    def pieces(self) -> Iterator[memoryview]:
        """Yield the content piece by piece; each is overwritten by the next."""
        if "ended" in vars(self):
            for low in range(0, len(self.content), STEP):
                yield self.content[low : low + STEP].data
            return
        buffer = memoryview(bytearray(STEP))
        with self.stream() as file:
            while read := file.readinto(buffer):
                yield buffer[:read]

    def read_into(self, view: memoryview, at: int) -> None:
        """Read the bytes of a plain file from a place on; InputError if they cannot be read, or the file changed."""
        with self.reading(), self._opened() as file:
            file.seek(at)
            filled = 0
            while read := file.readinto(view[filled:]):  # type: ignore[attr-defined]
                filled += read
            self.check_opened(file)
        if filled < len(view):
            raise InputError(f"{self.label}: {CHANGED}")

    def tail(self, size: int) -> bytes:
        """Return the last bytes of the content, at most so many."""
        if self.is_plain:
            with self.reading(), self._opened() as file:
                file.seek(max(self.size - size, 0))
                return file.read(size)
        last = b""
        for piece in self.pieces():
            last = (last + piece[-size:].tobytes())[-size:]
        return last

    @contextlib.contextmanager
    def stream(self) -> Iterator[LineReader]:
        """Give the content to be read from its start, decompressed piece by piece; errors know the line they came from."""
        self.line = 0
        with self._opened() as raw, lines_of(Bytes(raw, self)) as lines:
            try:
                yield lines
            except Exception:
                self.line = lines.number
                raise

    def check(self) -> None:
        """Raise InputError if the file is not the one that was opened at first, or changed since."""
        if self._stat() != self._state or (self._kept is not None and self._kept.is_changed()):
            raise InputError(f"{self.label}: {CHANGED}")

    def check_opened(self, opened: IO[bytes]) -> None:
        """Raise InputError if an opened file is not the one that was opened at first, or changed since."""
        if self._kept is not None:
            is_changed = self._kept.is_changed()
        else:
            is_changed = self._raw is None and _state(os.fstat(opened.fileno())) != self._state
        if is_changed:
            raise InputError(f"{self.label}: {CHANGED}")

    def _stat(self) -> tuple[int, ...]:
        if self.path is None:
            return ()
        try:
            status = self.path.stat()
        except OSError as error:
            raise InputError(f"{self.label}: cannot be read ({error.strerror}).") from error
        except ValueError as error:
            raise InputError(f"{brief(str(self.path))}: is no name of a file ({error}).") from error
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{self.label}: is a folder. {to_name_instead(self.path)}")
        return _state(status)

    def _read_once(self) -> tuple[np.ndarray | None, Kept | None]:
        """All bytes of what can be read only once, held with a line end or kept; neither for a file."""
        if self.path is None:
            return _hold_or_keep(standard_input())
        mode = self.path.stat().st_mode
        # files of /proc say that they are empty, and are read as pipes are
        if stat.S_ISREG(mode) and self._state[2]:
            return None, None
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)) and not is_terminal(self.path):
            msg = f"{self.label}: is a device or a socket. Name a file, a pipe, or - for standard input."
            raise InputError(msg)
        with self.reading(), self.path.open("rb", buffering=0) as file:
            return _hold_or_keep(whole(file, self.label))

    def _opened(self) -> IO[bytes]:
        if self._raw is not None:
            return HeldBytes(self._raw[:-1].data)  # type: ignore[return-value]
        if self._kept is not None:
            return self._kept.opened()  # type: ignore[return-value]
        assert self.path is not None
        try:
            return self.path.open("rb", buffering=0)
        except OSError as error:
            raise InputError(f"{self.label}: cannot be read ({error.strerror}).") from error

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Turn the errors of reading and decompressing into an InputError."""
        try:
            yield
        except InputError:
            raise
        except reading_errors() as error:
            packed = getattr(self, "compression", None)
            trouble = f"the {packed} data are damaged or cut off" if packed else "cannot be read"
            raise InputError(
                f"{self.label}: {trouble} ({str(error).strip() or type(error).__name__})."
            ) from error


def _state(status: os.stat_result) -> tuple[int, ...]:
    """What is no longer the same when a file is another one, or changed."""
    # what was written to a pipe is read once and held, and whoever writes to it sets its time
    written = 0 if stat.S_ISFIFO(status.st_mode) else status.st_mtime_ns
    return status.st_dev, status.st_ino, status.st_size, written


def _hold_or_keep(content: np.ndarray | Kept) -> tuple[np.ndarray | None, Kept | None]:
    return (content, None) if isinstance(content, np.ndarray) else (None, content)


def to_name_instead(folder: Path) -> str:
    """Return what to name: the judgements of a collection of BEIR, else a pattern of the most frequent suffix."""
    if (folder / "corpus.jsonl").exists() and (judged := sorted((folder / "qrels").glob("*.tsv"))):
        return f"It is a collection of BEIR; its judgements are in {' or '.join(map(str, judged))}."
    suffixes = Counter(suffix for suffix in _suffixes(folder) if suffix)
    suffix = suffixes.most_common(1)[0][0] if suffixes else ""
    return f"Name a file, or several as '{folder / f'*{suffix}'}'."


def _suffixes(folder: Path) -> list[str]:
    """The suffixes of the files in a folder, with that of a compression; none if it cannot be listed."""
    try:
        files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    except OSError:
        return []
    return [
        "".join(file.suffixes[-2:]) if file.suffix in COMPRESSED_SUFFIXES else file.suffix for file in files
    ]


def files_of(source: str | os.PathLike[str] | File) -> list[File]:
    """Return the files of a path or a pattern."""
    return [source] if isinstance(source, File) else [File(Path(path)) for path in paths_of(source)]


# What a file gives when it is opened: its bytes decompressed, in UTF-8, and its lines counted.


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
            self.opened = decompress(raw, file.compression)
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


class HeldBytes(Readable):
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

    def __init__(self, content: Bytes | LineReader, encoding: str, label: str) -> None:
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
        # UTF-7 can decode to half a character; it goes on, and is refused as no UTF-8 with its line
        self._ready, self._at = text.encode(errors="surrogatepass"), 0

    def close(self) -> None:
        """Close the file that it comes from."""
        self.content.close()
        super().close()


class LineReader(io.BufferedReader):
    """The lines of a file; ``number`` counts those handed out, from 1."""

    def __init__(self, content: Bytes | Recoded) -> None:
        super().__init__(content, HEAD)
        self.number = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line with its line end; a loop over the lines calls this too."""
        line = super().readline(size)
        self.number += bool(line)
        return line


def lines_of(content: Bytes) -> LineReader:
    """Return the lines of the decompressed content of a file, in UTF-8; of compressed files the mark is seen now."""
    file = content.file
    if file.compression is None:
        return LineReader(content if file.encoding is None else Recoded(content, file.encoding, file.label))
    lines = LineReader(content)
    file.see_mark(lines.peek(4)[:4])
    return lines if file.encoding is None else LineReader(Recoded(lines, file.encoding, file.label))


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
        codec = codecs.lookup(name)
        is_text = getattr(codec, "_is_text_encoding", True) and codec.name not in NO_FILES
        "".encode(codec.name)
    except (LookupError, ValueError, TypeError):
        is_text = False
    if not is_text:
        raise UsageError(
            f"There is no encoding {str(name)[:40]!r}; it is a name such as utf-8, latin-1, cp1252, euc-kr, cp949 or shift-jis."
        )
    return codec.name


# Binary files that are damaged.


class Damage(Exception):
    """What is wrong, in words that end the sentence of the error."""


@contextmanager
def explain_damage(file: File, form: str, *signs: type[Exception]) -> Iterator[None]:
    """Turn damage into an InputError; ``signs`` are what reading raises where the structure is not that of ``form``."""
    expected: tuple[type[Exception], ...] = (Damage, *signs)
    try:
        yield
    except expected as error:
        trouble = error if isinstance(error, Damage) else f"its structure is not that of {form}"
        raise InputError(
            f"{file.label}: the {form} file cannot be read; it is damaged or cut off ({trouble}). Write it again."
        ) from error


HELD = 1 << 24  # bytes that are held: longer content goes to a file


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
    content += b"\n"
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
