"""RecBole's atomic files: a table with tabs whose header says the types, ``user_id:token item_id:token rating:float``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.readers.files import File
from rankwell.readers.formats import delimited
from rankwell.readers.text import BOM
from rankwell.tables.items_users import Items
from rankwell.tables.places import Place
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".inter",)
IS_TYPED = False  # all cells are text
TYPED = re.compile(
    rb"[^\t:]+:(?:token|float|token_seq|float_seq)(?:\t[^\t:]+:(?:token|float|token_seq|float_seq))*\r?"
)


def recognises(start: bytes) -> bool:
    """Whether each column of the first line has a type."""
    return TYPED.fullmatch(start.removeprefix(BOM).partition(b"\n")[0]) is not None


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a table."""
    return delimited.read_run(untyped(file), name=name, columns=columns)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return interactions as judgements."""
    return delimited.read_qrels(untyped(file), name=name, columns=columns)


def read_items(file: File, *, name: str, columns: Mapping[str, str]) -> Items:
    """Return the catalogue in an atomic file of items."""
    return delimited.read_items(untyped(file), name=name, columns=columns)


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table."""
    return delimited.read_table(untyped(file), kind=kind, columns=columns)


def untyped(file: File) -> File:
    """Return the same table without the types in its header."""
    head, end, rows = file.content.tobytes().removeprefix(BOM).partition(b"\n")
    names = [name.partition(b":")[0] for name in head.split(b"\t")]
    return file.of_content(b"\t".join(names) + end + rows)
