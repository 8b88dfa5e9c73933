"""The files that a report is made from: what each holds, its name, its size and its hash."""

from __future__ import annotations

import glob
import hashlib
import os
from pathlib import Path
from typing import Any

from rankwell.errors import InputError
from rankwell.records import record

CHUNK = 1 << 20


@record
class InputFile:
    """A file: its role (``qrels``, ``train`` … or the name of a system), its name without the folder, its bytes and their SHA-256."""

    role: str
    name: str
    size: int
    sha256: str


def input_files(role: str, source: Any) -> list[InputFile]:
    """Return the files behind a source: a path, a pattern, several of them, or a table that was read from some.

    Raises
    ------
    InputError
        If one cannot be read.
    """
    return [_of(role, path) for path in _paths(source) if path.is_file()]


def _paths(source: Any) -> list[Path]:
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        if glob.has_magic(text) and not Path(text).exists():
            return [Path(each) for each in sorted(glob.glob(text, recursive=True))]  # noqa: PTH207 - as readers do
        return [Path(text)]
    if isinstance(source, (list, tuple)) and all(isinstance(each, (str, os.PathLike)) for each in source):
        return [path for each in source for path in _paths(each)]
    own = (getattr(file, "path", None) for file in getattr(source, "files", ()))
    return [path for path in own if path is not None]


def _of(role: str, path: Path) -> InputFile:
    try:
        with path.open("rb") as file:
            found = hashlib.sha256()
            while block := file.read(CHUNK):
                found.update(block)
            return InputFile(role, path.name, file.tell(), found.hexdigest())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
