"""The files that a path or a pattern names, and what to write where a folder was given."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from pathlib import Path

from rankwell.errors import InputError
from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES
from rankwell.readers.bytes.files import File, known_encoding
from rankwell.readers.frames.scans import refuse_whole_disk
from rankwell.readers.registry import guess

BINARY = ("parquet", "arrow")


def files_of(source: str | os.PathLike[str] | File) -> list[File]:
    """Return the files of a path or a pattern."""
    return [source] if isinstance(source, File) else [File(Path(path)) for path in paths_of(source)]


def paths_of(path: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    """Return the files that a path or a pattern names, in the order of their names; a file that exists is itself.

    InputError if a pattern matches nothing, or everything.
    """
    text = os.fspath(path)
    if not glob.has_magic(text) or Path(text).exists():
        return [path]
    refuse_whole_disk(text)
    found = sorted(glob.glob(text, recursive=True), key=_in_order)  # noqa: PTH207 - Path.glob takes no absolute patterns
    found = [name for name in found if not _is_mark(Path(name))]
    if not found:
        raise InputError(f"{text}: no file matches this pattern.")
    return list(found)


def _is_mark(path: Path) -> bool:
    """Whether a file only says that the others are whole, as Spark's empty ``_SUCCESS`` does."""
    return path.name.startswith("_") and path.is_file() and not path.stat().st_size


def _in_order(path: str) -> list[tuple[int, str]]:
    """What sorts names as people do: part-2 before part-10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path)]


def recoded(file: File, encoding: str | None, format_in: str | None = None) -> File:
    """Return a text file as one of an encoding and of a format, if they are given; formats that are no text have no encoding.

    A byte-order mark in the file wins. Text in UTF-16 and UTF-32 has one, so without it the file is read as UTF-8.
    """
    if format_in is not None:
        file = file.changed(format_in=format_in)
    if encoding is None or (format_in or guess(file)[0]) in BINARY:
        return file
    name = known_encoding(encoding)
    is_named = file.marked is not None or name in ("utf-16", "utf-32")
    return file if is_named else file.changed(encoding=name)


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
        files = sorted(each for each in folder.iterdir() if each.is_file() and not each.name.startswith("."))
    except OSError:
        return []
    return [
        "".join(each.suffixes[-2:]) if each.suffix in COMPRESSED_SUFFIXES else each.suffix for each in files
    ]
