"""Tables as text with a header: comma, semicolon, tab or bar between the columns, under any usual names.

Ids are text and never guessed (``0104257`` stays). A file without a header is read with columns named by their
numbers: ``columns={"1": "query", "2": "item", "3": "score"}``.
"""

from __future__ import annotations

import csv
import io
import itertools
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rankwell.errors import DataError, RankwellError, UsageError, brief
from rankwell.readers.bytes.files import HEAD, PIECE, File
from rankwell.readers.bytes.text import (
    BOM,
    TextBlock,
    at_wrong_bytes,
    beginning,
    begins_with_name,
    not_utf8,
    refuse_rows_as_comments,
    refuse_rows_in_quotes,
    require_text,
)
from rankwell.readers.frames import list_columns, plain_lines, tables, thousands
from rankwell.readers.frames.columns import IS_HEADER, Given, match_columns, say
from rankwell.readers.frames.pieces import Frames, are_references, spans_of
from rankwell.readers.frames.scans import lines_of, schema_of, unreadable, whole_table
from rankwell.readers.frames.unread import unread_of, warn_of_total
from rankwell.records import cached_property
from rankwell.tables.columns import WORDS, known_word
from rankwell.tables.series import Place, is_number

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".csv", ".tsv", ".psv", ".dsv")
SEPARATORS = (",", "\t", ";", "|")
SEPARATOR_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\"?sep=([,;|\t])\"?\r?\n", re.IGNORECASE)
IS_TYPED = False  # all cells are text
NUMBERS = ("score", "rank", "grade")
TEXTS = ("qid", "text")  # the columns of a file of queries without a header
LOOKED_AT = 1000  # rows
LINES_ABOVE = 20
OTHER_SIGNS = ("\x01", "^", "~", " ")  # which some put between columns
SAID = {"run": ("query", "item", "score"), "qrels": ("query", "item", "grade")}
SAID_OF_LOG = ("query", "item")


def recognises(start: bytes) -> bool:
    """Whether a text begins with a header of known names, or has separators and no white space between words."""
    line = _first_line(start)
    if (
        b"\0" in start
        or line[:1] in ("{", "")
        or "::" in line
        or (line[0] == "[" and not begins_with_name(line.encode()))
    ):
        return False
    separator = _separator(line)
    names = [known_word(cell.strip(' "')) for cell in line.split(separator)]
    named = "item" in names and len(names) > 1
    return named or (separator != "\t" and separator in line and len(line.split()) < 4)


def _opened(file: File, kind: str, name: str, columns: Mapping[str, str]) -> tables.OpenTable:
    """The table in pieces of text, or what a judging sheet exports."""
    del name
    if kind == "qrels" and _is_sheet(file, columns):
        from rankwell.readers.frames.sheets import SheetTable

        return SheetTable(file)
    if kind == "qrels" and not columns and b"references" in file.head:
        table = TextTable(file, "queries", columns, shared=True)
        if are_references(table.names):
            frame = whole_table(table.columns(table.names), dict.fromkeys(table.names, str))
            return tables.OpenTable(*spans_of(frame, table.place))
    return TextTable(file, kind, columns).opened(kind)


READER = tables.TableReader(_opened)
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items
open_qrels = READER.open_qrels


def _is_sheet(file: File, columns: Mapping[str, str]) -> bool:
    """Whether a judging sheet exported the file; not if it was said what its columns hold."""
    if columns or b"is_repeat" not in file.head:
        return False
    from rankwell.readers.frames import sheets

    return sheets.is_sheet(file.head)


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table as text; ids and texts of queries, between tabs, need no header."""
    table = TextTable(file, "queries", columns, shared=True)
    if kind == "queries" and not columns and table.may_be_texts:
        table.names, table.has_header, table.quote = [*TEXTS], False, None
    if kind == "log" and table.has_header and not any(map(known_word, table.names)):
        _refuse_lines_above(table.file)
        if len(table.names) == 1:
            raise _no_separator(table.file, table.header)
        if any(map(_is_number, table.names)):
            raise no_header([table.names], kind, columns, file.label)
    if table.has_header:
        table.refuse_second_header()
    return whole_table(table.columns(table.names), dict.fromkeys(table.names, str)), table.place


class TextTable(plain_lines.TextTable):
    """A text table: its separator, its header, and which column is which.

    ``columns`` that are ``shared`` by several tables may name columns that this one lacks.
    """

    quote: str | None = '"'

    def __init__(self, file: File, kind: str, columns: Mapping[str, str], *, shared: bool = False) -> None:
        if said := SEPARATOR_LINE.match(file.head):  # as Excel writes it
            file = file.without([1])
        seen = require_text(file)
        self.has_quotes = seen.has_quotes
        self.is_looked_at = not seen.has_quotes
        are_given = len(columns) > 0 and (kind in SAID or all(map(str.isdecimal, columns)))
        if are_given and not any(sign in _first_line(file.head) for sign in SEPARATORS):
            file = _with_tabs(file)
        line = _first_line(file.head)
        if not line:
            raise DataError(f"{file.label}: the table holds no rows.")
        if "\ufffd" in line and (wrong := not_utf8(file)):
            raise wrong
        _refuse_line_ends(file)
        self.separator = said[1].decode() if said else _separator_of_names(line)
        if self.has_quotes and not _opens_cells(file, self.separator):
            self.has_quotes, self.quote = False, None
        self.names = next(csv.reader([line], delimiter=self.separator), [])
        if kind in SAID and not any(map(known_word, self.names)):
            _refuse_lines_above(file)
        if kind in SAID and len(self.names) == 1:
            raise _no_separator(file, line)
        self.has_header = has_header(self.names, kind, columns, file.label)
        if self.has_header and self.names.count("") > 1 and any(self.names):  # called as pandas calls them
            self.names = [name if name or not at else f"Unnamed: {at}" for at, name in enumerate(self.names)]
            file = _with_header(file, line, self.names, self.separator)
            line = _first_line(file.head)
        self.file, self.header = file, line
        if not self.has_header:
            self.names = [str(number) for number in range(1, len(self.names) + 1)]
            if not len(columns):
                rows = itertools.islice(self._records(), LOOKED_AT)
                columns = layout_of([fields for *_, fields in rows], kind, columns, file.label)
            elif not shared and not set(columns).issubset(self.names):
                raise UsageError(
                    f"{file.label}: columns are named by numbers, {say(columns, {'1': 'query', '2': 'item'})}, since the first line "
                    f"({brief(line)}) holds a number and names no known column, and so is data."
                )
        odd = [name for name in self.names if '"' in name] if self.has_header and kind in SAID else []
        if odd or (self.has_header and line.count('"') % 2 and not (shared and self.may_be_texts)):
            name = odd[0] if odd else line.rpartition('"')[2]
            raise DataError(
                f"{file.label}: the name of the column {brief(name)} holds a quotation mark or a line end. Rename it."
            )
        if seen.has_signs:
            refuse_rows_as_comments(file, self.separator, len(self.names))
        if len(set(self.names)) < len(self.names):
            twice = next(repeated for repeated in self.names if self.names.count(repeated) > 1)
            raise DataError(f"{self.place(-1)}: the column {brief(twice)} is repeated. Rename or remove one.")
        self.given = Given.of(columns).only(self.names) if shared else Given.of(columns)
        given = self.given.with_more(list_columns.plural(self.names, self.names, WORDS[kind], self.given))
        try:
            self.words = match_columns(self.names, WORDS[kind], file.label, given)
        except DataError as error:
            if self.has_header and not any(map(known_word, self.names)):
                read = [fields for *_, fields in itertools.islice(self._records(), LOOKED_AT)]
                if kind in SAID and any(any(map(operator.eq, self.names, fields)) for fields in read[1:]):
                    raise no_header(read, kind, columns, file.label) from None
                raise DataError(f"{error}{without_header(len(self.names), kind, columns)}") from None
            raise
        self.unread = unread_of(self.names, self.words, kind, file.label, given, self.columns)
        if kind in SAID and thousands.SIGN.search(file.head):
            shown = [fields for *_, fields in itertools.islice(self._records(), LOOKED_AT)]
            thousands.warn_of(shown[self.has_header :], self.names, self.words, file.label)
        if kind in SAID and self.has_header and "item" in self.words:
            warn_of_total(self._last_item(), self.words["item"], file.label)
        if kind in SAID and self.has_header and not {"score", "rank", "grade"} & set(self.words):
            self.refuse_second_header()

    def _last_item(self) -> str | None:
        """The item in the last row of a small file, if it is a row of one line."""
        # the end of a larger file would be one more read for each evaluation
        end = self.file.head if len(self.file.head) < HEAD else b""
        line = end.rstrip().rpartition(b"\n")[2].decode(errors="replace")
        fields = next(csv.reader([line], delimiter=self.separator), [])
        return fields[self.names.index(self.words["item"])] if len(fields) == len(self.names) else None

    @property
    def may_be_texts(self) -> bool:
        """Whether it may hold ids and texts of queries, with neither header nor quotes."""
        has_query = any(known_word(name) == "query" for name in self.names)
        return not has_query and self.separator == "\t" and len(self.names) == len(TEXTS)

    def first_cells(self) -> str | None:
        """Return the beginning of the file without separators, unless quotation marks may hide some."""
        if self.has_quotes:
            return None
        return self.file.head.decode(errors="replace").replace(self.separator, "")

    def refuse_second_header(self) -> None:
        """Raise DataError if the header stands again among rows without numbers, as in files that were joined: it would be a row."""
        pattern, before, lines = b"\n" + _plain(self.header.encode()) + b"\n", b"\n", 0
        is_past = False
        for piece in self.file.pieces():
            text = _plain(before + bytes(piece).removeprefix(BOM))
            at = text.find(pattern)
            if at >= 0 and not is_past:  # the header itself, maybe below comments
                lines, text = lines + text.count(b"\n", 0, at + 1), text[at + len(pattern) - 1 :]
                is_past, at = True, text.find(pattern)
            if at >= 0:
                line = lines + text.count(b"\n", 0, at + 1)
                raise DataError(f"{self.file.label}:{line}: the header stands here again. Remove the line.")
            # the header may lie over the end of a piece
            before = text[-len(pattern) :]
            lines += text.count(b"\n") - before.count(b"\n")

    @cached_property
    def lines(self) -> plain_lines.PlainLines | None:
        """The lines, if the header is the first one and there are no quotation marks: then no record goes over two."""
        begin, first = beginning(self.file), b""
        if self.has_header:
            first, ended, _ = self.file.head[begin:].partition(b"\n")
            if not ended or first.removesuffix(b"\r").decode(errors="replace") != _first_line(self.file.head):
                return None
            begin += len(first) + 1
        if self.has_quotes:
            return None
        fields = plain_lines.Fields(ord(self.separator), self.names, self.words)
        return plain_lines.PlainLines(self.file, begin, self.words, fields, self.framed)

    def framed(self, block: TextBlock) -> tuple[pl.DataFrame, Place]:
        """Return the rows of some lines, and where they stand."""
        import polars as pl

        # Polars takes the number of columns from the first line
        header = self.separator.join(self.names).encode() + b"\n"
        text = block.text[block.begin : block.end].tobytes()

        def scan() -> pl.LazyFrame:
            return self._scanned(io.BytesIO(header + text), has_header=True)

        def place(row: int) -> str:
            lines = enumerate(text.split(b"\n"), block.line(block.begin))
            empty = self.separator.encode()
            numbers = [n for n, line in lines if line.removesuffix(b"\r").strip(empty) and line[:1] != b"#"]
            return f"{self.file.label}:{numbers[row]}"

        table, _ = schema_of(scan, self.file, "CSV", self._diagnosis)
        read = lines_of(table, self.file, self.words, "CSV", self._diagnosis)
        empty = pl.DataFrame(schema=dict.fromkeys(self.words.values(), pl.String))
        return pl.concat([empty, *read(PIECE)]), place

    def pieces(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield the wanted columns in pieces of text."""
        return self.columns([*self.words.values()])(size)

    def columns(self, columns: list[str]) -> Frames:
        """Return some columns in pieces of text."""
        self._look_at_quotes()
        table, _ = schema_of(self._scan, self.file, "CSV")
        return lines_of(table, self.file, {name: name for name in columns}, "CSV", self._diagnosis)

    def kept(self) -> pl.LazyFrame:
        """Return the whole table, read once and kept in memory as Parquet, which is about a tenth of its text: for who looks at it again."""
        import polars as pl

        self._look_at_quotes()
        kept = io.BytesIO()
        try:
            rows = self._scan().filter(~pl.all_horizontal(pl.all().is_null()))
            rows.sink_parquet(kept, compression="lz4")
        except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise unreadable(self.file, "CSV", error, self._diagnosis) from error
        return pl.scan_parquet(kept.getvalue())

    def _look_at_quotes(self) -> None:
        if self.quote and not self.is_looked_at:
            numbers = (self.words[word] for word in NUMBERS if word in self.words)
            number = next(map(self.names.index, numbers), None)
            refuse_rows_in_quotes(self.file, self.separator, len(self.names), number)
            self.is_looked_at = True

    def _scan(self) -> pl.LazyFrame:
        return self._scanned(self.file.source(), has_header=self.has_header)

    def _scanned(self, source: Path | io.BytesIO, *, has_header: bool) -> pl.LazyFrame:
        import polars as pl

        return pl.scan_csv(
            source,
            separator=self.separator,
            has_header=has_header,
            quote_char=self.quote,
            comment_prefix="#",
            schema=dict.fromkeys(self.names, pl.String),
            glob=False,
        )

    def place(self, row: int) -> str:
        """Return ``file:line`` of a row; -1 is the header."""
        line = next((line for number, line, _ in self._records() if number == row), 1)
        return f"{self.file.label}:{line}"

    def _records(self, *, strict: bool = False) -> Iterator[tuple[int, int, list[str]]]:
        """Yield each record's number (the header is -1), the line on which it ends, and its fields."""
        number, line = -1 if self.has_header else 0, 0

        def lines(text: IO[str]) -> Iterator[str]:
            nonlocal line
            for line, record in enumerate(text, start=1):  # noqa: B007 - read by the caller
                if not record.startswith("#"):
                    yield record

        with self.file.stream() as file:
            text = io.TextIOWrapper(file, "utf-8-sig", "strict" if strict else "replace", newline="")
            csv.field_size_limit(PIECE)
            quoted = self.quote is not None
            for fields in csv.reader(
                lines(text),
                delimiter=self.separator,
                quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
                strict=strict,
            ):
                if any(fields):
                    yield number, line, fields
                    number += 1

    def _diagnosis(self) -> RankwellError | None:
        """The first record that cannot be read, with its line; None if Python's csv reads them all."""
        line = 0
        try:
            for row, line, fields in self._records(strict=True):
                if len(fields) > len(self.names):
                    advice = f"Quote the text that holds {brief(self.separator)}, or fix the line."
                    if row == 0 and len(fields) == len(self.names) + 1:
                        advice += " If rows begin with a number of their own, as R and pandas write them, leave it out: row.names=FALSE, index=False."
                    return DataError(
                        f"{self.file.label}:{line}: {len(fields)} columns where the header has {len(self.names)}. {advice}"
                    )
        except csv.Error as error:
            return DataError(
                f"{self.file.label}:{line + 1}: {error}. Close the quotation mark, or fix the line."
            )
        except UnicodeDecodeError as error:
            return at_wrong_bytes(self.file, error)
        sign = re.escape(self.separator.encode())
        cells = re.compile(rb'"(?:[^"]|"")*"|[^"\n' + sign + rb"][^\n" + sign + rb"]*")
        content = self.file.content.tobytes()
        for cell in cells.finditer(content):
            if b'"' in cell[0] and not cell[0].startswith(b'"'):
                return DataError(
                    f"{self.file.label}:{content.count(10, 0, cell.start()) + 1}: a quotation mark stands within a cell. Quote the cell and "
                    f"write the mark twice, or remove the marks: tr -d '\"'."
                )
        return None


def _first_line(start: bytes) -> str:
    """The first line that is not empty or a comment."""
    lines = start.removeprefix(BOM).decode(errors="replace").splitlines()
    return next((line for line in lines if line.strip() and not line.startswith("#")), "")


def _separator(line: str) -> str:
    return max(SEPARATORS, key=line.count)


def _separator_of_names(line: str) -> str:
    """The sign that divides a header into most known names, as one of the names may hold others; else the most frequent one."""

    def fits(sign: str) -> tuple[int, int]:
        return sum(known_word(cell.strip(' "')) is not None for cell in line.split(sign)), line.count(sign)

    signs = [sign for sign in SEPARATORS if sign in line]
    return max(signs, key=fits) if len(signs) > 1 else _separator(line)


def _with_header(file: File, line: str, names: list[str], separator: str) -> File:
    """The same file with other names of columns in its first line."""
    header = io.StringIO()
    csv.writer(header, delimiter=separator, lineterminator="").writerow(names)
    return file.of_content(file.content.tobytes().replace(line.encode(), header.getvalue().encode(), 1))


def _opens_cells(file: File, separator: str) -> bool:
    """Whether a quotation mark begins a cell; where none does, all are text."""
    opening, last = re.compile(b"[\r\n" + re.escape(separator.encode()) + b']"'), b"\n"
    for piece in file.pieces():
        if opening.search(last + bytes(piece).removeprefix(BOM)):
            return True
        last = bytes(piece[-1:])
    return False


def _plain(text: bytes) -> bytes:
    """Lines in lower case without quotation marks, ended as on Unix."""
    if b"\r" in text:  # to look for one sign is quick
        text = text.replace(b"\r\n", b"\n")
    return text.replace(b'"', b"").lower()


def _refuse_lines_above(file: File) -> None:
    """Raise DataError if one of the next lines is a header, as below the title that a spreadsheet or a database writes."""
    for number, line in enumerate(file.head.decode(errors="replace").splitlines()[:LINES_ABOVE], 1):
        cells = [cell.strip(' "') for cell in line.split(_separator(line))]
        if {"query", "item"} <= set(map(known_word, cells)) and not any(map(_is_number, cells)):
            said, remedy = "stands here, below other lines. Remove them", f"tail -n +{number}"
            if number == 1 and line.startswith("#"):
                said, remedy = "begins with #, as a comment does. Remove the sign", "sed '1s/^# *//'"
            elif number == 1:
                said, remedy = "is one cell in quotation marks. Remove these", "sed 's/^\"//; s/\"$//'"
            raise DataError(f"{file.label}:{number}: the header {said}: {remedy} {file.label} > fixed.csv")


def _no_separator(file: File, line: str) -> DataError:
    """The error of a first line that is one cell, with how to divide it if other signs stand between its columns."""
    signs = [sign for sign in OTHER_SIGNS if sign in line.strip()]
    shown = f"\\{ord(signs[0]):03o}" if signs and signs[0] < " " else "".join(signs[:1])
    divide = f" Divide it: tr '{shown}' '\\t' < {file.label} > fixed.tsv" if signs else ""
    return DataError(
        f"{file.label}: the first line, {brief(line)}, has no comma, tab, semicolon or bar between columns.{divide}"
    )


def _with_tabs(file: File) -> File:
    """The same file with a tab for the white space between words, of which a table may have any."""
    lines = (b"\t".join(line.split()) for line in file.content.tobytes().split(b"\n"))
    return file.of_content(b"\n".join(lines))


def _refuse_line_ends(file: File) -> None:
    """Raise DataError for lines that end with a carriage return alone, or with two."""
    first = file.head.partition(b"\n")[0].removesuffix(b"\r")
    if b"\r" in first and b'"' not in first:
        raise DataError(
            f"{file.label}:1: a line ends with a carriage return alone, as on an old Macintosh, or with two. Write line ends of Unix: "
            f"tr -s '\\r' '\\n'."
        )


# Whether the first line names the columns or is data, and the usual layouts without a header.


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
            by_position = {fields[at - 1]: word for at, word in numbered.items() if 0 < at <= len(fields)}
            raise DataError(
                f"{name}: the first line ({', '.join(cells[:9])}) is a header. Name its columns: {say(given, by_position)}."
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
    layout: dict[str, str] = {}
    are_numbers = [all(map(_is_number, column)) for column in columns]
    match kind, len(columns):
        case "qrels", 3 if are_numbers[2]:
            layout = {"1": "query", "2": "item", "3": "grade"}
        case "qrels", 4 if are_numbers[3] and len(set(columns[1])) == 1:
            layout = {"1": "query", "2": "topic", "3": "item", "4": "grade"}
        case "run", 3 if _counts(columns[0], columns[2]):
            layout = {"1": "query", "2": "item", "3": "rank"}
        case "run", 6 if are_numbers[4] and set(columns[1]) == {"Q0"}:
            layout = {"1": "query", "3": "item", "5": "score"}
    if layout:
        return given.with_more(layout)
    raise no_header(rows, kind, given, name)


def no_header(rows: Sequence[Sequence[str]], kind: str, given: Mapping[str, str], name: str) -> DataError:
    """Return the error of a table whose first line is data, with what to say."""
    words = SAID.get(kind, SAID_OF_LOG)[: len(rows[0])]
    question = say(given, {str(number): word for number, word in enumerate(words, start=1)})
    # a whole number may be a rank, too
    if kind == "run" and len(words) == 3 and rows[0][2].strip().isdecimal():
        ranked = say(given, {"1": "query", "2": "item", "3": "rank"})
        question = f"{question} where higher is better; {ranked} where 1 is best"
    why = "holds a number" if any(map(_is_number, rows[0])) else "holds what stands in other rows"
    return DataError(
        f"{name}: there is no header, as the first line ({', '.join(map(brief, rows[0][:6]))}) names no known column and {why}. "
        f"Say what its columns hold, such as {question}, or write a header."
    )


def without_header(count: int, kind: str, given: Mapping[str, str]) -> str:
    """Return what to say of a table whose first line was taken as a header although it names no known column."""
    words = SAID[kind][:count] if kind in SAID else ()
    if len(words) < 2:
        return IS_HEADER
    question = say(given, {str(number): word for number, word in enumerate(words, start=1)})
    return f" The first line was taken as a header; without one: {question}."


def _counts(queries: Sequence[str], ranks: Sequence[str]) -> bool:
    """Whether the rows of each query, where they stand together, are numbered 1, 2, 3 …, or 0, 1, 2 …"""
    expected, last = 0, None
    first = 0 if ranks[0] == "0" else 1
    for query, rank in zip(queries, ranks, strict=True):
        expected, last = first if query != last else expected + 1, query
        if rank != str(expected):
            return False
    return True


def _is_number(text: str) -> bool:
    """Whether a field is a number, other than nan and infinity, which may be names."""
    return is_number(text) and text.strip().lower().lstrip("+-") not in ("nan", "inf", "infinity")
