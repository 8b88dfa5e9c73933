"""Files of other tools that hold neither a run nor judgements, known by their words; and JSON that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankwell.errors import DataError, brief
from rankwell.readers.bytes.text import BOM
from rankwell.readers.frames.columns import EVERYTHING
from rankwell.readers.frames.pieces import are_references
from rankwell.readers.memory.answers import DEEPEST
from rankwell.readers.memory.json_values import RECORDS, first_value, said_of
from rankwell.readers.registry import shapes
from rankwell.tables.columns import known_word


def refuse_foreign_file(start: bytes, label: str, kind: str, form: str) -> None:
    """Raise DataError for a file of JSON or a table that is of another tool, or of no shape that is read."""
    value = first_value(start)
    if form == "json":
        if EVERYTHING.match(start.removeprefix(BOM).decode(errors="replace")):
            return  # what judging next writes, which its reader names
        refuse_foreign(value, label, kind)
        return
    line = start.removeprefix(BOM).partition(b"\n")[0].decode(errors="replace")
    separator = max(",\t;|", key=line.count)
    names = list(value) if isinstance(value, dict) else [name.strip(' "\r') for name in line.split(separator)]
    if advice := _said_of(set(names), kind):
        raise DataError(f"{label}: it holds {advice}")
    if isinstance(value, dict) and "item" not in map(known_word, names):
        # an item by query, and not the first of several records
        is_alone = start.count(b"{") == 1 and not any(map(known_word, names))
        if (resembled := _resembled(names)) or (is_alone and kind in ("run", "qrels")):
            raise _unknown(
                f"{'an object' if is_alone else 'a record'} with {_listed(names)}", resembled, label, kind
            )


def refuse_foreign(value: Any, label: str, kind: str) -> None:
    """Raise DataError for a value that another tool wrote, or that has no shape that is read."""
    record = value
    for _ in range(DEEPEST):
        record = record[0] if isinstance(record, (list, tuple)) and record else record
    keys = {key for key in record if isinstance(key, str)} if isinstance(record, Mapping) else set()
    if advice := _said_of(keys, kind):
        raise DataError(f"{label}: it holds {advice}")
    if isinstance(value, Mapping):
        row = next(iter(value.values()), None)
        if isinstance(row, Mapping) and {"query", "item"} <= {
            known_word(key) for key in row if isinstance(key, str)
        }:
            raise DataError(
                f"{label}: it holds a table as pandas writes it with orient='index', by row. {RECORDS}"
            )
        if {"query", "item"} <= set(map(known_word, keys)):
            return  # an object of columns
        if not any(isinstance(number, (str, int, float)) or _is_deep(number) for number in value.values()):
            return
        what = f"an object with {_listed(value)}"
    else:
        nested = (
            isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)) and value[0]
        )
        if not nested or not isinstance(nested[0], (list, Mapping)):
            return
        what = f"a list of lists of {'objects' if isinstance(nested[0], Mapping) else 'lists'}"
    raise _unknown(what, _resembled(keys) or _below(value), label, kind)


def _below(value: Any) -> str:
    """What to do about an object in which one key holds items by query."""
    if not isinstance(value, Mapping):
        return ""
    for key, inner in value.items():
        if (
            isinstance(inner, Mapping)
            and inner
            and all(isinstance(each, Mapping | list) for each in inner.values())
        ):
            return f" If {brief(key)} holds it, give what stands below that key alone."
    return ""


def _said_of(keys: set[str], kind: str) -> str | None:
    """What a record with such keys is, if it is nothing that is read as this kind of table."""
    return None if kind == "qrels" and are_references(keys) else said_of(keys)


def _is_deep(value: Any) -> bool:
    """Whether an object holds objects, or lists of them."""
    inner = next(iter(value.values()), None) if isinstance(value, Mapping) else None
    return isinstance(inner, Mapping) or (
        isinstance(inner, list) and bool(inner) and isinstance(inner[0], Mapping)
    )


def _listed(keys: Iterable[Any]) -> str:
    names = list(keys)
    return f"the keys {', '.join(map(brief, names[:6]))}{' …' if len(names) > 6 else ''}"


def _unknown(what: str, resembled: str, label: str, kind: str) -> DataError:
    word = "score" if kind == "run" else "grade"
    return DataError(
        f"{label}: {what} is no shape that is read as {'a run' if kind == 'run' else 'judgements'}.{resembled} Write {{query: {{item: "
        f"{word}}}}}, {{query: [item, …]}}, or records with query, item and {word}."
    )


def _resembled(keys: Iterable[str]) -> str:
    nearest_shape = max(shapes(), key=lambda shape: len(shape.words.intersection(keys)))
    if not nearest_shape.words.intersection(keys):
        return ""
    return f" It resembles {nearest_shape.what}: if it is one, say format_in='{nearest_shape.name}'."
