"""JSON: ``{query: {item: number}}``, ``{query: [item, …]}``, ``[[item, …], …]``, a list of records, or an object of columns.

The objects are read one by one and become columns at once, so only the text and the columns are held.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.errors import DataError
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import BOM, begins_with_name
from rankwell.readers.memory.json_document import Document
from rankwell.readers.memory.json_values import first_value
from rankwell.readers.registry import shape_of
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import Place

if TYPE_CHECKING:
    import polars as pl


SUFFIXES = (".json",)
ROWS = ("query", "item")


def recognises(start: bytes) -> bool:
    """Whether a text begins like a list, or like an object that holds another object or a list, of no shape with its own reader."""
    return _is_nested(start) and shape_of(first_value(start)) is None


def _is_nested(start: bytes) -> bool:
    text = start.removeprefix(BOM).lstrip()
    if text.startswith(b"["):
        return not begins_with_name(text)
    value = text.removeprefix(b"{").lstrip()
    if value is text or not value.startswith(b'"'):
        return text.startswith(b"{") and value.startswith(b"}")
    # the first key ends at a quotation mark without a backslash before it
    end = value.find(b'"', 1)
    while end > 0 and value[end - 1 : end] == b"\\":
        end = value.find(b'"', end + 1)
    after = value[end + 1 :].lstrip().removeprefix(b":").lstrip()
    return end > 0 and after[:1] in (b"{", b"[")


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a JSON file."""
    document = Document(file)
    if document.is_table(ROWS, columns):
        return document.rows("run", columns).run(name)
    return document.lists("score", columns).run(name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a JSON file; lists of items are interactions, each a 1."""
    document = Document(file)
    if document.is_table(ROWS, columns):
        return document.rows("qrels", columns).qrels(name)
    from rankwell.readers.frames.columns import refuse_json_to_judge

    refuse_json_to_judge(document.text, file.label)
    return document.lists("grade", columns).qrels(name)


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in a JSON file: a list of ids or of records."""
    document = Document(file)
    if document.is_table((), columns):
        return document.rows("items", columns).items(name)
    if document.opening != "[":
        raise DataError(f"{file.label}: a catalogue is a list of ids or of records, not an object.")
    return Items([member for _, member in document.members()], name=name)


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table in a JSON file; lists of items are a log, a list of ids is a catalogue."""
    document = Document(file)
    if document.is_table(("query",) if kind == "log" else (), columns):
        table = document.table()
        document.refuse_changed(table, {column: column for column in table.columns})
        return table, document.record
    from rankwell.readers.frames.in_memory import frame_of_qrels, series_of_ids

    if kind == "items" and document.opening == "[":
        return series_of_ids(read_items(file, name=file.label, columns={}).item).to_frame(
            "item"
        ), document.record
    if kind != "log":
        raise DataError(
            f"{file.label}: this JSON is no table. Give a list of records, [{{column: value, …}}, …], or an object of columns."
        )
    qrels = read_qrels(file, name=file.label, columns={})
    return frame_of_qrels(qrels), qrels.place
