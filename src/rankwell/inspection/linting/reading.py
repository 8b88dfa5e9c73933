"""Reading for lint: what a reader refuses becomes a finding, and the lines beside a damaged one are read all the same."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from rankwell.display.findings import Finding
from rankwell.errors import DataError, InputError, RankwellError
from rankwell.inspection.linting.data import QrelsData, RunData
from rankwell.readers import read_items, read_qrels, read_run
from rankwell.readers.detection import guess
from rankwell.readers.files import File
from rankwell.readers.paths import files_of, recoded
from rankwell.tables.items_users import Items
from rankwell.tables.matrix import refuse_mismatch
from rankwell.tables.run_qrels import Run

BY_LINES = ("delimited", "movielens", "ndjson", "trec")
MOST_LINES = 20

Read = TypeVar("Read", RunData, QrelsData, Items)


def run_data(source: Any, **options: Any) -> RunData:
    """Return a run whose rows have been read."""
    data = RunData(read_run(source, **options))
    if not len(data.rows):
        raise DataError(f"{data.name}: the run holds no rows.")
    return data


def qrels_data(source: Any, **options: Any) -> QrelsData:
    """Return judgements as the rules see them."""
    return QrelsData(read_qrels(source, **options))


def tried(
    read: Callable[[Any], Read], source: Any, found: list[Finding], encoding: str | None
) -> Read | None:
    """Return what ``read`` gives, None if it cannot be read; what is wrong is added to the findings.

    A line that cannot be read is left out, and the file read again, as long as there are few of them.
    """
    damaged: dict[str, list[int]] = {}
    try:
        files = [recoded(file, encoding) for file in _files(source, of_paths=read is not read_items)]
        for file in files:
            found += _cut_off(file)
        while True:
            try:
                parts = [file.without(damaged.get(file.label, [])) for file in files]
                return read(parts or source)
            except DataError as error:
                found.append(_unreadable(error))
                label, line = _line_of(error, files)
                if not line or line in damaged.get(label, []):
                    return None
                damaged.setdefault(label, []).append(line)
                if sum(map(len, damaged.values())) > MOST_LINES:
                    found.append(_too_many(label))
                    return None
    except (DataError, InputError) as error:
        found.append(_unreadable(error))
        return None


def fits(run: Run, qrels: QrelsData | None, found: list[Finding]) -> bool:
    """Whether run and judgements can be of the same items; if not, the finding is added."""
    try:
        refuse_mismatch(run.matrix, None if qrels is None else qrels.qrels.matrix)
    except RankwellError as error:
        found.append(_unreadable(error))
        return False
    return True


def _files(source: Any, *, of_paths: bool) -> list[File]:
    """The files that a source names; none if it is something else (a list may be one of ids)."""
    given = list(source) if isinstance(source, (list, tuple)) and of_paths else [source]
    is_path = [isinstance(each, (str, os.PathLike)) and not str(each).startswith("irds:") for each in given]
    return [file for each in given for file in files_of(each)] if all(is_path) else []


def _line_of(error: DataError, files: Sequence[File]) -> tuple[str, int]:
    """The file and the line that an error names; line 0 if the line cannot be left out."""
    for file in files:
        place = re.match(re.escape(file.label) + r":(\d+): ", str(error))
        if place and guess(file)[0] in BY_LINES:
            line = int(place[1])
            return file.label, 0 if line <= _header(file) else line
    return "", 0


def _header(file: File) -> int:
    """The line of a file's header; 0 if it has none."""
    if guess(file)[0] != "delimited":
        return 0
    lines = file.head.splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.strip() and line[:1] != b"#"), 1)


def _cut_off(file: File) -> Iterator[Finding]:
    """A last line without its end: the file may be cut off."""
    is_whole_json = file.head.lstrip()[:1] in (b"{", b"[") and file.tail(1) in (b"}", b"]")
    if file.tail(1) == b"\n" or is_whole_json or b"\0" in file.head:
        return  # binary files end otherwise
    line = sum(piece.tobytes().count(b"\n") for piece in file.pieces()) + 1
    yield Finding(
        "cut-off", "warning", f"{file.label}:{line}", "the last line has no line end; the file may be cut off",
        "Compare its length with the original; a score may have lost its last digits.",
    )  # fmt: skip


def _unreadable(error: RankwellError) -> Finding:
    """A finding of an error that stops the reading: ``place: what. Remedy.``"""
    place, _, rest = str(error).partition(": ")
    what, _, remedy = rest.partition(". ")
    remedy = remedy or "Mend or remove it; the other rules did not see it."
    return Finding("unreadable", "error", place, what.rstrip("."), remedy)


def _too_many(label: str) -> Finding:
    return Finding(
        "unreadable", "error", label, f"more than {MOST_LINES} lines cannot be read; the rest was not looked at",
        "Is this the right file, and is it read as what it is? `rankwell evaluate -v` says.",
    )  # fmt: skip
