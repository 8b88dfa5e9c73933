"""Files of JSON that rankwell saved: their first characters, by which they are known, and what they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rankwell.errors import DataError, InputError

READ = 200  # characters, whatever the length of the file


def beginning_of(path: str | Path) -> str:
    """Return the first characters of a ``.json`` file; "" for others, and for what cannot be read: its reader says what is wrong.

    >>> beginning_of("nowhere.json"), beginning_of("table.csv")
    ('', '')
    """
    file = Path(path)
    try:
        if file.suffix.lower() != ".json" or not file.is_file():
            return ""
        with file.open(encoding="utf-8") as opened:
            return opened.read(READ)
    except (OSError, ValueError):
        return ""


def json_in(path: str | Path, what: str) -> Any:
    """Return the JSON in a file, which is to be ``what``.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, or is no JSON.
    """
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    return json_of(text, path, what)


def json_of(text: bytes | str, place: object, what: str) -> Any:
    """Return the value in some JSON; DataError with the place if it is none, or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: cannot be read as {what} ({why_no_json(error)}).") from error


def why_no_json(error: BaseException | None) -> str:
    """Return what is wrong with JSON that cannot be read."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
