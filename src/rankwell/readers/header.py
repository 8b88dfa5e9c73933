"""Header of a text table: whether the first line names the columns or is data, and the usual layouts without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwell.errors import DataError, brief
from rankwell.readers.column_names import Given, say
from rankwell.tables.columns import known_word
from rankwell.tables.series import is_number

LOOKED_AT = 1000  # rows
SAID = {"run": ("query", "item", "score"), "qrels": ("query", "item", "grade")}


def has_header(fields: Sequence[str], kind: str, given: Mapping[str, str], name: str) -> bool:
    """Whether the fields of a first line are the names of columns.

    A line that names a known column is a header, whatever else it holds. Another one that holds a number is data. Columns that
    are given by numbers, from 1, are those of a table without a header.

    DataError if the fields are 0, 1, 2 …, as a header that a program wrote or as data.

    Examples
    --------
    >>> has_header(["item", "0", "1"], "items", {}, "f.csv"), has_header(["7", "d3", "1"], "run", {}, "f.csv")
    (True, False)
    """
    cells = [field for field in fields if field]
    is_counted = len(cells) > 1 and cells == [str(number) for number in range(len(cells))]
    named = {known_word(field) for field in fields} - {None}
    if len(given) and all(column.isdecimal() for column in given):
        if is_counted and "0" in given:
            return True
        if named and set(given) <= set(fields):
            return True  # a name may be a number
        if len(named) > 1 and not any(map(_is_number, fields)):
            numbered = {int(column): word for column, word in given.items()}
            known = {fields[at - 1]: word for at, word in numbered.items() if 0 < at <= len(fields)}
            raise DataError(
                f"{name}: the first line ({', '.join(cells[:9])}) is a header. Name its columns: {say(given, known)}."
            )
        return False
    if kind not in SAID or named:
        return True
    if is_counted:
        from_0, from_1 = ({str(at): word for at, word in enumerate(SAID[kind], first)} for first in (0, 1))
        raise DataError(
            f"{name}: is the first line, {', '.join(cells[:9])}, a header or data? A header: {say(given, from_0)}; data: {say(given, from_1)}."
        )
    return not any(map(_is_number, fields))


def layout_of(rows: Sequence[Sequence[str]], kind: str, given: Mapping[str, str], name: str) -> Given:
    """Return what the columns of a table without a header hold, by their numbers: as MS MARCO and TREC write them.

    DataError if it is neither, with what to say.
    """
    given = Given.of(given)
    columns = list(zip(*rows, strict=False))
    found: dict[str, str] = {}
    are_numbers = [all(map(_is_number, column)) for column in columns]
    match kind, len(columns):
        case "qrels", 3 if are_numbers[2]:
            found = {"1": "query", "2": "item", "3": "grade"}
        case "qrels", 4 if are_numbers[3] and len(set(columns[1])) == 1:
            found = {"1": "query", "2": "topic", "3": "item", "4": "grade"}
        case "run", 3 if _counts(columns[0], columns[2]):
            found = {"1": "query", "2": "item", "3": "rank"}
        case "run", 6 if are_numbers[4] and set(columns[1]) == {"Q0"}:
            found = {"1": "query", "3": "item", "5": "score"}
    if found:
        return given.with_more(found)
    raise no_header(rows, kind, given, name)


def no_header(rows: Sequence[Sequence[str]], kind: str, given: Mapping[str, str], name: str) -> DataError:
    """Return the error of a table whose first line is data, with what to say."""
    words = SAID[kind][: len(rows[0])]
    asked = say(given, {str(number): word for number, word in enumerate(words, start=1)})
    why = "holds a number" if any(map(_is_number, rows[0])) else "holds what stands in other rows"
    return DataError(
        f"{name}: there is no header, as the first line ({', '.join(map(brief, rows[0][:6]))}) names no known column and {why}. "
        f"Say what its columns hold, such as {asked}, or write a header."
    )


def without_header(count: int, kind: str, given: Mapping[str, str]) -> str:
    """Return what to say of a table whose first line was taken as a header although it names no known column."""
    words = SAID[kind][:count] if kind in SAID else ()
    if len(words) < 2:
        return " The first line was taken as a header; if there is none, write one."
    asked = say(given, {str(number): word for number, word in enumerate(words, start=1)})
    return f" The first line was taken as a header; without one: {asked}."


def _counts(queries: Sequence[str], ranks: Sequence[str]) -> bool:
    """Whether the rows of each query, where they stand together, are numbered 1, 2, 3 …"""
    expected, last = 0, None
    for query, rank in zip(queries, ranks, strict=True):
        expected, last = 1 if query != last else expected + 1, query
        if rank != str(expected):
            return False
    return True


def _is_number(text: str) -> bool:
    """Whether a field is a number, other than nan and infinity, which may be names."""
    return is_number(text) and text.strip().lower().lstrip("+-") not in ("nan", "inf", "infinity")
