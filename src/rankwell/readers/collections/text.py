"""Text of collections: decoding with a clear error, spaces, and entries that are gathered field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwell.errors import DataError
from rankwell.readers.text import refuse_other_files
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    import polars as pl

    from rankwell.readers.files import File

SMART, TAGS, JSON = ".I", "<", "{"  # how the content of a format begins


def mark_of(file: File) -> str:
    """Return how the content begins: ``.I``, ``<``, ``{``, or nothing known; UTF-16 and archives are refused."""
    refuse_other_files(file)
    head = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((mark for mark in (SMART, TAGS, JSON) if head.startswith(mark.encode())), "")


def decoded(file: File) -> str:
    """Return the text of a file.

    Raises
    ------
    DataError
        With file and line, if it is not in the encoding that was given, or in UTF-8; an archive, or no text.
    """
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


class Entries:
    """Ids, and for each its fields; an entry may lack some."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.fields: list[dict[str, list[str]]] = []  # of each entry, the parts of each field

    def begin(self, name: str) -> None:
        """Begin the next entry."""
        self.ids.append(name)
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
        return Ids.of_strings(self.ids), pl.DataFrame(texts, schema=dict.fromkeys(names, pl.String))
