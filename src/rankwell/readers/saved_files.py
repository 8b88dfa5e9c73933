"""How a file of JSON that rankwell saved begins, by which it is told from data."""

from __future__ import annotations

from pathlib import Path

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
