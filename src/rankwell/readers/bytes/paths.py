"""Paths: the files that a pattern names, the names of systems whose runs are files, and that of standard input; no reader is loaded for them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from rankwell.errors import InputError
from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES

STDIN = "<stdin>"


class OpenFile:
    """The base of ``readers.bytes.files.File``: ``isinstance`` finds an open file without importing the modules that read files."""


def with_standard_input(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``-`` written as a name, because the parser takes it for an option; after -o it is standard output's."""
    before = ["", *arguments]
    return [
        re.sub(r"^((?!-).*=)?-$", rf"\1{STDIN}", argument) if last not in ("-o", "--output") else argument
        for last, argument in zip(before, arguments, strict=False)
    ]


ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")  # in an object store or on a web server

# those of all formats (a test compares them), so that none has to be imported for a name
FORMAT_SUFFIXES = (
    ".run", ".qrels", ".trec", ".txt", ".csv", ".tsv", ".psv", ".dsv", ".jsonl", ".ndjson", ".json", ".dat", ".prefs",
    ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".arrows", ".letor", ".svmlight", ".inter",
)  # fmt: skip
SUFFIXES = (*FORMAT_SUFFIXES, *COMPRESSED_SUFFIXES)


def paths_of(path: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    """Return the files that a path or a pattern names, in the order of their names; a file that exists is itself.

    InputError if a pattern matches nothing, or everything.
    """
    text = os.fspath(path)
    if not glob.has_magic(text) or Path(text).exists():
        return [path]
    refuse_whole_disk(text)
    names = sorted(glob.glob(text, recursive=True), key=_in_order)  # noqa: PTH207 - Path.glob takes no absolute patterns
    names = [name for name in names if not _is_mark(Path(name))]
    if not names:
        raise InputError(f"{text}: no file matches this pattern.")
    return list(names)


def _is_mark(path: Path) -> bool:
    """Whether a file only says that the others are whole, as Spark's empty ``_SUCCESS`` does."""
    return path.name.startswith("_") and path.is_file() and not path.stat().st_size


def _in_order(path: str) -> list[tuple[int, str]]:
    """What sorts names as people do: part-2 before part-10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path)]


def refuse_whole_disk(source: str | os.PathLike[str]) -> None:
    """Refuse a folder or a pattern below which is everything, before it is walked for minutes.

    Raises
    ------
    InputError
        If it is the root of the file system, a pattern with ``**`` from there on, or one that ends with ``**``.

    Examples
    --------
    >>> refuse_whole_disk("runs/**/*.parquet")
    >>> refuse_whole_disk("**")
    Traceback (most recent call last):
        ...
    rankwell.errors.InputError: **: names all files of all folders; say which, such as runs/*.parquet.
    """
    path = Path(source)
    if "**" in path.parts:
        first = path.parts[: path.parts.index("**")]
        if path.parts[-1] == "**" or (first and _is_root(Path(*first))):
            raise InputError(f"{source}: names all files of all folders; say which, such as runs/*.parquet.")
    elif _is_root(path):
        raise InputError(f"{source}: is the whole disk; name a file or a folder.")


def _is_root(path: Path) -> bool:
    # what has no name is short, unlike text that is no path at all
    return path.name in ("", "..") and path != Path() and path.resolve() == Path(path.resolve().anchor)


def short_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its folder and known suffixes; of a pattern what stands before its signs, or its folder.

    >>> short_name("runs/bm25.run.gz"), short_name("v1.2.parquet"), short_name(".run"), short_name("als/part-*.csv")
    ('bm25', 'v1.2', '.run', 'als')
    """
    name = _without_suffixes(PurePath(path).name)
    if not set("*?") & set(name):
        return name
    before = name.replace("?", "*").partition("*")[0].rstrip("-_.")
    return before if before not in ("", "part") else PurePath(path).parent.name or name


def names_of(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return a name for each file: short, or with its suffixes or folder where several would have the same.

    >>> names_of(["bm25.run", "/runs/old/dense.run", "/runs/new/dense.run", "als.csv", "als.parquet"])
    ['bm25', 'old/dense', 'new/dense', 'als.csv', 'als.parquet']
    """
    texts = [os.fspath(path) for path in paths]
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(short_name(text), []).append(text)
    named = {
        path: name for group in groups.values() for path, name in zip(group, _told_apart(group), strict=True)
    }
    return [named[text] for text in texts]


def _told_apart(paths: list[str]) -> list[str]:
    """The shortest names that tell files with one short name apart; the paths if none do."""
    files = [PurePath(path).name for path in paths]
    below = _below_common_folder(paths)
    for names in (
        [short_name(path) for path in paths],
        files,
        [_without_suffixes(path) for path in below],
        below,
    ):
        if len(set(names)) == len(paths):
            return names
    return paths


def _below_common_folder(paths: list[str]) -> list[str]:
    """The paths from the last folder on that holds all of the files."""
    parts = [PurePath(path).parts for path in paths]
    shared = 0
    while all(
        len(path_parts) > shared + 1 and path_parts[shared] == parts[0][shared] for path_parts in parts
    ):
        shared += 1
    return [str(PurePath(*path_parts[shared:])) for path_parts in parts]


def _without_suffixes(path: str) -> str:
    """A path without the known suffixes of its file, of which something stays."""
    end = next((end for end in SUFFIXES if path.lower().endswith(end)), "")
    short = path[: len(path) - len(end)]
    return _without_suffixes(short) if end and PurePath(short).name and short[-1] not in "/\\" else path
