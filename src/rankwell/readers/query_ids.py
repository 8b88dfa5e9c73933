"""Ids of queries from beside: of answers that do not name the query they answer."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell.errors import DataError, UsageError, brief
from rankwell.tables.series import is_column, series_of

if TYPE_CHECKING:
    from rankwell.readers.files import File

STEM = "stem"
OPTIONS = (
    "fields", "type", "operator", "analyzer", "fuzziness", "minimum_should_match", "default_field", "boost",
)  # fmt: skip


class QueryIds:
    """Ids in the order of the answers, handed out one by one; they may go on in the next file."""

    def __init__(self, ids: Iterable[Any], origin: str) -> None:
        self.ids, self.origin, self.taken, self.goes_on = list(ids), origin, 0, False
        places: dict[tuple[type, Any], int] = {}
        for place, each in enumerate(self.ids, 1):
            first = places.setdefault((type(each), each), place)
            if first < place:
                raise DataError(
                    f"{origin}: the id {brief(each)} stands for answers {first} and {place}. Give each answer an id of its own."
                )

    def take(self, label: str) -> Any:
        """Return the next id; DataError if there is none left."""
        if self.taken == len(self.ids):
            raise DataError(
                f"{label}: more answers than the {len(self.ids)} ids of {self.origin}. Give one id for each answer, in the same order."
            )
        self.taken += 1
        return self.ids[self.taken - 1]

    def finish(self, label: str) -> None:
        """Raise DataError if ids are left over."""
        if self.taken < len(self.ids) and not self.goes_on:
            raise DataError(
                f"{label}: {self.taken} answers, but {len(self.ids)} ids in {self.origin}. Give one id for each answer, in the same order."
            )


class IdsOfFiles:
    """The ids of several files: those of a list end to end, or the name of each file."""

    def __init__(self, given: Any, sources: Sequence[Any], files: Sequence[File]) -> None:
        self.names = _stems(sources, files) if isinstance(given, str) and given == STEM else None
        self.ids = None if self.names else ids_of(given)
        if self.ids is not None:
            self.ids.goes_on = len(files) > 1

    def of(self, file: File) -> QueryIds:
        """Return the ids of one file."""
        if self.names is not None:
            return QueryIds([self.names[file.label]], "the file's name (query_ids='stem')")
        assert self.ids is not None
        return self.ids

    def finish(self, label: str) -> None:
        """Raise DataError if ids are left over after the last file."""
        if self.ids is not None:
            self.ids.goes_on = False
            self.ids.finish(label)


def ids_of(given: Any) -> QueryIds:
    """Return the ids of a list, a column, or a file: an id a line, or the requests of a ``_msearch``.

    UsageError or DataError if they are no ids.
    """
    if isinstance(given, str) and given == STEM:
        raise UsageError(
            "query_ids='stem' takes the names of files; for values in memory give a list of ids, or {query: value}."
        )
    if isinstance(given, (str, os.PathLike)):
        from rankwell.readers.files import File

        file = File(Path(given))
        return QueryIds(_lines(file), f"query_ids={brief(os.fspath(given))}")
    if is_column(given):
        given = series_of(given, "query_ids").to_list()
    if not isinstance(given, (list, tuple, range)) or not given:
        raise UsageError(
            f"query_ids= takes a list of ids, a file with an id a line, or 'stem', not {brief(given)}."
        )
    if wrong := [each for each in given if isinstance(each, bool) or not isinstance(each, (str, int))]:
        raise UsageError(f"query_ids= holds {brief(wrong[0])}; an id is text or a whole number.")
    return QueryIds(given, "query_ids=")


def _lines(file: File) -> list[str]:
    from rankwell.readers.text import BOM, require_text

    require_text(file)
    lines = file.content.tobytes().removeprefix(BOM).decode(errors="replace").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[0].lstrip().startswith("{"):
        return [
            _text_in(line, f"{file.label}:{number}")
            for number, line in enumerate(lines, 1)
            if number % 2 == 0
        ]
    ids = [line.partition("\t")[0].strip() for line in lines]
    if "" in ids:
        raise DataError(f"{file.label}:{ids.index('') + 1}: the line is empty, expected an id of a query.")
    return ids


def _text_in(line: str, where: str) -> str:
    """The text that a request of a ``_msearch`` looks for."""
    try:
        query = json.loads(line)["query"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(
            f"{where}: no body of a request with a query. The file of a _msearch has a header and a body by turns; or give an id a line."
        ) from None
    texts = list(dict.fromkeys(_texts(query)))
    if len(texts) != 1:
        raise DataError(
            f"{where}: the request looks for {len(texts)} texts, not one, so it has no name. Give a file with an id a line instead."
        )
    return texts[0]


def _texts(query: Any) -> Iterable[str]:
    if isinstance(query, str):
        yield query
    elif isinstance(query, (dict, list)):
        pairs = query.items() if isinstance(query, dict) else enumerate(query)
        for key, each in pairs:
            if key not in OPTIONS:
                yield from _texts(each)


def _stems(sources: Sequence[Any], files: Sequence[File]) -> dict[str, str]:
    """The id that the name of each file gives: what the ``*`` of a pattern stands for, else the name without its suffixes."""
    is_one = len(sources) == 1 and isinstance(sources[0], (str, os.PathLike))
    pattern = Path(os.fspath(sources[0])).name if is_one else ""
    if pattern.count("*") == 1 and not re.search(r"[?\[]", pattern) and len(files) > 0:
        before, _, behind = pattern.partition("*")
        if all(file.name.startswith(before) and file.name.endswith(behind) for file in files):
            return {file.label: file.name[len(before) : len(file.name) - len(behind)] for file in files}
    return {file.label: file.name.partition(".")[0] or file.name for file in files}
