"""Workbook: tables as a file for Excel, a sheet each, with numbers of 16 digits that are shown rounded."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rankwell.display.output import write_bytes
from rankwell.display.table import Cell, Column, Table
from rankwell.display.text import display_width
from rankwell.errors import UsageError, brief

LONGEST_NAME, LONGEST_CELL, MOST_ROWS = 31, 32_767, 1_048_576  # what Excel allows of a sheet
EXACT = 2**53  # the largest whole number that a double holds, like all below it
WIDEST, LOOKED_AT = 60, 1_000  # characters of a column; rows that its width is made for
# ids are what they are: "=1+1" is no formula, and "http://a" no link
AS_IT_IS = {"in_memory": True, "strings_to_formulas": False, "strings_to_numbers": False, "strings_to_urls": False}  # fmt: skip


def require_workbooks(path: str | Path) -> Any:
    """Return the package that writes workbooks; UsageError with the command that installs it if it is missing."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise UsageError(
            f"{path}: files for Excel need XlsxWriter: pip install 'rankwell[excel]'; or write .csv."
        ) from error
    return xlsxwriter


def save_workbook(tables: Iterable[Table], path: str | Path) -> None:
    """Write tables to a file for Excel, one sheet each; captions and notes go to a last sheet.

    Raises
    ------
    UsageError
        If XlsxWriter is not installed, or a table does not fit into a sheet.
    InputError
        If the file cannot be written.
    """
    content = io.BytesIO()
    with require_workbooks(path).Workbook(content, AS_IT_IS) as book:
        names: set[str] = {"notes"}
        said: list[tuple[Cell, ...]] = []
        for number, table in enumerate(tables, 1):
            name = _sheet_name(table.caption or f"table {number}", names)
            _add_sheet(book, name, table, path)
            said += [(name, text) for text in (table.caption, *table.notes) if text not in ("", name)]
        if said:
            _add_sheet(book, "notes", Table([Column("sheet"), Column("note")], said), path)
    write_bytes(content.getvalue(), str(path))


def _sheet_name(caption: str, names: set[str]) -> str:
    """Return a name that Excel allows and that no other sheet has, in small or capital letters."""
    plain = re.sub(r"[\[\]:*?/\\'\x00-\x1f\ud800-\udfff]+", " ", re.split(r"[.;,:] ", caption)[0]).strip()
    name, number = plain[:LONGEST_NAME].strip() or "table", 2
    while name.casefold() in names:
        name, number = f"{plain[: LONGEST_NAME - len(str(number)) - 1].strip()} {number}", number + 1
    names.add(name.casefold())
    return name


def _add_sheet(book: Any, name: str, table: Table, path: str | Path) -> None:
    """Add a sheet with a header and the rows; the best values are bold."""
    if len(table.rows) >= MOST_ROWS:
        raise UsageError(
            f"{path}: a sheet of Excel has at most {MOST_ROWS:,} rows, but {name} has {len(table.rows):,}; write .csv or .parquet."
        )
    from xlsxwriter.utility import xl_range

    sheet, best = book.add_worksheet(name), table.best()
    for at, column in enumerate(table.columns):
        shown = [column.header, *(column.shown(row[at]) for row in table.rows[:LOOKED_AT])]
        sheet.set_column(at, at, min(max(map(display_width, shown)) + 2, WIDEST))
        sheet.write_string(0, at, _text(column.header, path), book.add_format({"bold": True}))
        form = {"count": "#,##0", "value": f"0.{'0' * column.digits}".rstrip("."), "text": "@"}[column.kind]
        styles: dict[tuple[bool, str], Any] = {}
        for place, row in enumerate(table.rows):
            cell, looks = row[at], ((place, at) in best, table.marks.get((place, at), ""))
            if cell is None:
                continue
            if looks not in styles:  # stars stand behind a number as its format
                behind = f'"{looks[1]}"' if looks[1] else ""
                styles[looks] = book.add_format({"num_format": form + behind, "bold": looks[0]})
            # infinity, and a whole number that no double holds, are text, too
            if column.kind == "text" or isinstance(cell, str) or not _is_number(cell):
                sheet.write_string(place + 1, at, _text(str(cell), path), styles[looks])
            else:
                sheet.write_number(place + 1, at, cell, styles[looks])
    last = len(table.rows), len(table.columns) - 1
    sheet.ignore_errors(
        {"number_stored_as_text": xl_range(0, 0, *last)}
    )  # ids are text, if they look like numbers
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, *last)


def _is_number(cell: float) -> bool:
    """Whether a double holds it: Excel has no other numbers."""
    return abs(cell) <= EXACT if isinstance(cell, int) else math.isfinite(cell)


def _text(text: str, path: str | Path) -> str:
    """The text of a cell, as far as a file can hold it."""
    if len(text) > LONGEST_CELL:
        raise UsageError(
            f"{path}: a cell of Excel has at most {LONGEST_CELL:,} characters, but {brief(text)} has {len(text):,}; write .csv."
        )
    return text.encode(errors="replace").decode()
