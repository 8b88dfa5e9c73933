"""Text of collections: decoding with a clear error, spaces, and entries that are gathered field by field."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rankwell.errors import DataError, brief
from rankwell.readers.bytes.text import BOM, refuse_other_files
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.bytes.files import File

SMART, TAGS, JSON = ".I", "<", "{"  # how the content of a format begins


def mark_of(file: File) -> str:
    """Return how the content begins: ``.I``, ``<``, ``{``, or nothing known; archives are refused."""
    refuse_other_files(file)
    head = file.head.removeprefix(BOM).lstrip()
    return next((mark for mark in (SMART, TAGS, JSON) if head.startswith(mark.encode())), "")


def decoded(file: File) -> str:
    """Return the text of a file; DataError with file and line, if it is not in the encoding that was given, or in UTF-8; an archive, or no text."""
    refuse_other_files(file)
    content = file.content.tobytes()
    if (nul := content.find(b"\0")) >= 0:
        line = content.count(b"\n", 0, nul) + 1
        raise DataError(
            f"{file.label}:{line}: there is a NUL byte, so this is no text, or UTF-16 without its mark."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{file.label}:{line}: the text is not UTF-8. Say which encoding it has, such as encoding='cp949' for Korean or "
            "'latin-1' for Western European."
        ) from None


def lines_of(file: File) -> list[str]:
    """Return the lines of a file as an editor counts them: other marks that Unicode takes for line ends stay in the text."""
    lines = decoded(file).split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def spaced(text: str) -> str:
    """Return text with each stretch of white space as one space."""
    return " ".join(text.split())


def without_zeros(number: str) -> str:
    """Return a number of any length without leading zeros.

    >>> without_zeros("007"), without_zeros("000")
    ('7', '0')
    """
    return number.lstrip("0") or "0"


def is_number(text: str) -> bool:
    """Whether text has digits only, 0 to 9."""
    return text.isascii() and text.isdecimal()


def refuse_ids(ids: pl.Series, place: Callable[[int], str]) -> None:
    """Refuse ids that are empty or repeated; DataError with the ``place`` of the row, such as file and line."""
    blank = (ids.str.strip_chars() == "").arg_true()
    if len(blank):
        raise DataError(f"{place(int(blank[0]))}: the id is empty.")
    again = (~ids.is_first_distinct()).arg_true()
    if len(again):
        row = int(again[0])
        first = int((ids == ids[row]).arg_max() or 0)
        raise DataError(
            f"{place(row)}: the id {brief(ids[row])} is repeated; the first is at {place(first)}."
        )


class Entries:
    """Ids, and for each its fields; an entry may lack some."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}  # of each id, the file and line
        self.fields: list[dict[str, list[str]]] = []  # of each entry, the parts of each field

    def begin(self, name: str, place: str) -> None:
        """Begin the next entry, which stands at a place, such as file and line; DataError if there is an entry of that name already."""
        if name in self.places:
            raise DataError(
                f"{place}: the id {brief(name)} is repeated; the first is at {self.places[name]}."
            )
        self.places[name] = place
        self.fields.append({})

    def put(self, field: str, parts: list[str]) -> list[str]:
        """Give the last entry a field, or more of one that it has; return the list that holds all parts of it."""
        own = self.fields[-1].setdefault(field, [])
        own.extend(parts)
        return own

    def columns(self) -> tuple[Ids, pl.DataFrame]:
        """Return the ids, and the fields as columns of text in the order in which they first appear; missing ones are null."""
        import polars as pl

        names = list(dict.fromkeys(name for own in self.fields for name in own))
        texts = {
            name: [spaced(" ".join(own[name])) if name in own else None for own in self.fields]
            for name in names
        }
        return Ids.of_strings(list(self.places)), pl.DataFrame(texts, schema=dict.fromkeys(names, pl.String))
