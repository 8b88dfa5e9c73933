"""The names of systems whose runs are files: the file's name without the suffixes of formats and of compressions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from rankwell.readers.bytes.compression import COMPRESSED_SUFFIXES

# those of all formats (a test compares them), so that none has to be imported for a name
FORMAT_SUFFIXES = (
    ".run", ".qrels", ".trec", ".txt", ".csv", ".tsv", ".psv", ".dsv", ".jsonl", ".ndjson", ".json", ".dat", ".prefs",
    ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".arrows", ".letor", ".svmlight", ".inter",
)  # fmt: skip
SUFFIXES = (*FORMAT_SUFFIXES, *COMPRESSED_SUFFIXES)


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
    while all(len(each) > shared + 1 and each[shared] == parts[0][shared] for each in parts):
        shared += 1
    return [str(PurePath(*each[shared:])) for each in parts]


def _without_suffixes(path: str) -> str:
    """A path without the known suffixes of its file, of which something stays."""
    end = next((end for end in SUFFIXES if path.lower().endswith(end)), "")
    short = path[: len(path) - len(end)]
    return _without_suffixes(short) if end and PurePath(short).name and short[-1] not in "/\\" else path
