"""Loading of saved results: of one file, or of the files of several days, added."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankwell.errors import InputError, UsageError
from rankwell.results.addition import total
from rankwell.results.daily_files import Day, SavedFile, files_of, is_several, split_window, without_day
from rankwell.results.results import Results
from rankwell.results.saved_file import is_saved_file, results_in


def loaded(path: str | Path, since: Day = None, until: Day = None) -> Results:
    """Return the results of the one system that a path holds: a file, or the sum of the files of several days."""
    found = all_loaded(path, since, until)
    if len(found) != 1:
        names = ", ".join(res.name for res in found[:6])
        remedy = "name the folder of one, or a pattern" if is_several(path) else "save each by itself"
        raise UsageError(f"{path}: holds the results of {len(found)} runs ({names}); {remedy}.")
    return found[0]


def all_loaded(path: str | Path, since: Day = None, until: Day = None) -> list[Results]:
    """Return all results that a path holds.

    Of a file these are all its runs; of a folder, a pattern or a window of days the sum of each system.
    """
    if is_several(path) or not (since is None and until is None):
        return merged([path], since, until)
    return results_in(path)


def merged(
    paths: Iterable[str | Path], since: Day = None, until: Day = None, name: str | None = None
) -> list[Results]:
    """Return the sum of the results of each system in files, folders, patterns and windows of days.

    A system is named by the sub-folder of its files, else by the name of the run without a date in it, else by the folder.
    With ``name``, all results are of one system of this name.

    Raises
    ------
    InputError, UsageError
        If a file holds no results or has no day, or results cannot be added.
    """
    found: dict[str, list[tuple[Results, str]]] = {}
    for path in paths:
        for file in files_of(path, since, until):
            results = results_in(file.path)
            if file.system and len(results) > 1 and name is None:
                raise InputError(
                    f"{file.path}: holds the results of {len(results)} runs, but in a sub-folder, which names a system, files "
                    f"hold one each. Move it up, or save each run by itself."
                )
            for res in results:
                found.setdefault(name or _system_of(file, res), []).append((res, str(file.path)))
    sums = []
    for system in list(found):
        results, places = map(list, zip(*found.pop(system), strict=True))
        sums.append(replace(total(results, places), name=system))
    return sums


def _system_of(file: SavedFile, res: Results) -> str:
    return file.system or without_day(res.name) or file.path.absolute().parent.name


def opened(system: Any) -> Any:
    """Return the results that saved files hold; anything else, such as a run's path, as it is."""
    return loaded(system) if isinstance(system, str | Path) and is_saved(system) else system


def is_saved(path: str | Path) -> bool:
    """Whether a file holds results that ``Results.save`` wrote as Parquet or JSON; a run in such a format does not.

    A folder, a pattern or a window of days does if any of its files does.
    """
    if not is_several(path):
        return is_saved_file(path)
    try:
        files = files_of(split_window(path)[0])
    except InputError:
        return False  # the reader of runs says what is wrong with it
    return any(is_saved_file(each.path) for each in files)
