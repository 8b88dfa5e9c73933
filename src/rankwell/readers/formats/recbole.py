"""RecBole's atomic files: a table with tabs whose header says the types, ``user_id:token item_id:token rating:float``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import BOM
from rankwell.readers.formats import delimited
from rankwell.readers.frames import tables
from rankwell.tables.series import Place

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


READER = tables.TableReader(
    lambda file, kind, name, columns: delimited.READER.opened(without_types(file), kind, name, columns)
)
read_run, read_qrels, read_items = READER.read_run, READER.read_qrels, READER.read_items


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the whole table."""
    return delimited.read_table(without_types(file), kind=kind, columns=columns)


def without_types(file: File) -> File:
    """Return the same table without the types in its header."""
    head, end, rows = file.content.tobytes().removeprefix(BOM).partition(b"\n")
    names = [name.partition(b":")[0] for name in head.split(b"\t")]
    return file.of_content(b"\t".join(names) + end + rows)
