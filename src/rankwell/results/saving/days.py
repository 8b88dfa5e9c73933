"""Files of saved results by the day in their names: folders, patterns, and windows of days."""

from __future__ import annotations

import os
import re
from datetime import date
from glob import glob, has_magic
from pathlib import Path
from typing import NamedTuple, Self

from rankwell.errors import InputError, UsageError, brief
from rankwell.readers.bytes.paths import refuse_whole_disk

SUFFIXES = (".parquet", ".json")
DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
# a date, or a moment that says no more than one, as frames and NumPy write it
MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})([T ]00:00:00(\.0+)?)?", re.ASCII)
SPAN = re.compile(rf"({DAY.pattern})?\.\.({DAY.pattern})?")
Day = str | date | None


class Window(NamedTuple):
    """The first and the last day of a window, both of which are in it; None for an open end."""

    since: date | None = None
    until: date | None = None

    @classmethod
    def of(cls, since: Day, until: Day) -> Self:
        """Return the window of two days, given as dates or as text such as 2026-11-20.

        Raises
        ------
        UsageError
            If one of them is no date, or the first is after the last.
        """
        window = cls(_given("since", since), _given("until", until))
        if window.since is not None and window.until is not None and window.since > window.until:
            raise UsageError(f"since={window.since} is after until={window.until}; exchange them.")
        return window

    @property
    def is_open(self) -> bool:
        """Whether all days are in it."""
        return self.since is None and self.until is None

    def __contains__(self, day: object) -> bool:
        assert isinstance(day, date)
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)

    def __str__(self) -> str:
        return " ".join(
            f"{word} {day}" for word, day in (("since", self.since), ("until", self.until)) if day is not None
        )


EVERY_DAY = Window()


class SavedFile(NamedTuple):
    """A file, and the sub-folder that names its system; empty if none does."""

    path: Path
    system: str = ""


def split_window(path: str | Path) -> tuple[str, Window]:
    """Return a path without the window that may be its last part: ``days/2026-11-01..2026-11-07``, ``days/2026-11-01..``.

    >>> path, window = split_window("days/2026-11-01..")
    >>> path, str(window)
    ('days', 'since 2026-11-01')
    """
    whole = Path(path)
    match = SPAN.fullmatch(whole.name)
    if match is None or not any(match.groups()) or os.path.exists(whole):  # noqa: PTH110 - also names that are too long
        return str(path), EVERY_DAY
    return str(whole.parent), Window.of(*match.groups())


def is_several(path: str | Path) -> bool:
    """Whether a path is a folder, a pattern or a window of days, and not one file."""
    text, window = split_window(path)
    return not window.is_open or os.path.isdir(text) or _is_pattern(text)  # noqa: PTH112 - also names that are too long


def exists(path: str | Path) -> bool:
    """Whether there is such a file or folder, a file of the pattern, or the folder of the window."""
    text, _ = split_window(path)
    if not _is_pattern(text):
        return os.path.exists(text)  # noqa: PTH110 - takes any text for a name
    refuse_whole_disk(text)
    return bool(glob(text, recursive=True))  # noqa: PTH207


def _is_pattern(text: str) -> bool:
    return has_magic(text) and not os.path.exists(text)  # noqa: PTH110


def files_of(path: str | Path, since: Day = None, until: Day = None) -> list[SavedFile]:
    """Return the files that a path means, sorted by path: those of a window, if there is one.

    Of a folder and its sub-folders these are all files ``*.parquet`` and ``*.json`` that are not hidden. The day of a file is the
    one date in its name, such as ``2026-11-20.parquet`` or ``bm25-2026-11-20.json``.

    Raises
    ------
    InputError, UsageError
        If there is no such file, or a window is asked for and the name of a file has no date or several.
    """
    text, window = split_window(path)
    if not window.is_open and not (since is None and until is None):
        raise UsageError(f"{path} has a window of its own; leave out since= and until=, or the window.")
    window = Window.of(since, until) if window.is_open else window
    files = _all(text)
    if window.is_open:
        return files
    days = [day_of(file.path) for file in files]
    inside = [file for file, day in zip(files, days, strict=True) if day in window]
    if not inside:
        raise InputError(
            f"{text}: no file of saved results is of the days {window}; there are {len(days):,} of {min(days)} to {max(days)}."
        )
    return inside


def without_day(name: str) -> str:
    """Return the name of a run without a date, by which the results of several days are those of one system.

    >>> without_day("bm25-2026-11-20.run"), without_day("2026-11-20_bm25"), without_day("2026-11-20"), without_day("bm25")
    ('bm25.run', 'bm25', '', 'bm25')
    """
    return name if DAY.search(name) is None else re.sub(rf"[-_. ]?{DAY.pattern}", "", name).lstrip("-_. ")


def _all(text: str) -> list[SavedFile]:
    folder = Path(text)
    if os.path.isdir(text):  # noqa: PTH112
        refuse_whole_disk(text)
        inside = [
            path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES
        ]
        shown = [path for path in inside if not any(part.startswith(".") for part in path.parts)]
        if not shown:
            raise InputError(f"{text}: the folder holds no .parquet or .json file of saved results.")
        return [SavedFile(folder / path, _system(path.parent)) for path in shown if (folder / path).is_file()]
    if _is_pattern(text):
        refuse_whole_disk(text)
        matches = sorted(path for path in map(Path, glob(text, recursive=True)) if path.is_file())  # noqa: PTH207
        if not matches:
            raise InputError(f"{text}: no file matches the pattern.")
        return [SavedFile(path) for path in matches]
    if not os.path.exists(text):  # noqa: PTH110
        raise InputError(f"{text}: cannot be read (No such file or directory).")
    return [SavedFile(folder)]


def _system(folder: Path) -> str:
    """The name that a sub-folder gives: not by the parts of it that are years, months or days."""
    return "/".join(part for part in folder.parts if not re.fullmatch(r"[\d-]+", part))


def day_of(path: Path) -> date:
    """Return the one date in the name of a file.

    Raises
    ------
    InputError
        If there is none, or several.

    Examples
    --------
    >>> day_of(Path("days/bm25-2026-11-20.json"))
    datetime.date(2026, 11, 20)
    """
    days = DAY.findall(path.name)
    if len(days) != 1:
        has = f"two dates, {days[0]} and {days[1]}" if days else "no date"
        raise InputError(
            f"{path}: its name has {has}, and results by day need the one that they are of, such as 2026-11-20.parquet. Rename it or "
            f"move it elsewhere."
        )
    try:
        return date.fromisoformat(days[0])
    except ValueError:
        raise InputError(f"{path}: {days[0]} in its name is no date. Rename it.") from None


def date_of(given: object) -> date:
    """Return a date that is given as one or as text, also as a moment at midnight; ValueError if it is none.

    >>> date_of("2026-11-20T00:00:00")
    datetime.date(2026, 11, 20)
    """
    # lists and dicts are none, and may be too deep to be written
    match = None if isinstance(given, list | tuple | dict) else MIDNIGHT.fullmatch(str(given))
    return date.fromisoformat(match[1] if match else "")


def _given(word: str, day: Day) -> date | None:
    try:
        return None if day is None else date_of(day)
    except ValueError:
        raise UsageError(f"{word}={brief(day)}: must be a date such as 2026-11-20.") from None
