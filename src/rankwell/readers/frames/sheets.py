"""Judgements that judging sheets export: CSV with query, item, grade, judge, time, order, is_repeat and comment."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import not_utf8, require_text
from rankwell.readers.frames.columns import quoted
from rankwell.readers.frames.pieces import Pieces, held_qrels
from rankwell.readers.frames.scans import unreadable
from rankwell.readers.frames.tables import OpenTable
from rankwell.tables.cells import MOST
from rankwell.tables.run_qrels import Assessor, Qrels

if TYPE_CHECKING:
    import polars as pl

NEEDED = "query", "item", "grade", "judge", "is_repeat"
ALSO = "time", "order", "comment"
SEPARATORS = ",;\t"  # where the comma is in numbers, spreadsheets save with a semicolon
FLAGS = {"true": True, "false": False}


def is_sheet(head: bytes) -> bool:
    """Whether a file begins with the header of an exported sheet.

    >>> is_sheet(b"query,item,grade,judge,time,order,is_repeat,comment"), is_sheet(b"query,item,grade")
    (True, False)
    """
    return _separator(head) is not None


def _separator(head: bytes) -> str | None:
    """What stands between the columns of an exported sheet: a comma, or what a spreadsheet made of it; None if it is none."""
    line = re.split(r"[\r\n]", head.decode(errors="replace").lstrip("\ufeff"), maxsplit=1)[0]
    for separator in SEPARATORS:
        try:
            names = next(csv.reader([line], delimiter=separator), [])
        except csv.Error:
            return None
        if set(NEEDED) <= set(names):
            return separator
    return None


def read_sheet(source: str | Path | File) -> pl.DataFrame:
    """Return what an exported sheet holds: a row per judgement, with numbers, flags and texts.

    InputError or DataError if the file cannot be read, is no exported sheet, or a row lacks its query, item, grade or judge, or has a
    grade beyond ±2^53.
    """
    import polars as pl

    file = source if isinstance(source, File) else File(Path(source))
    require_text(file)
    try:
        read = pl.read_csv(
            file.source(), separator=_separator(file.head) or ",", infer_schema=False
        ).with_columns(pl.all().fill_null(""))
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise unreadable(file, "delimited", error, lambda: not_utf8(file)) from error
    missing = [name for name in NEEDED if name not in read.columns]
    if missing:
        raise DataError(
            f"{file.label}: there is no column {brief(missing[0])}; the columns are {quoted(read.columns)}. Give what a judging sheet "
            f"exports as CSV, not its TREC qrels."
        )
    for name in ("query", "item", "grade", "judge"):
        _refuse(read[name].str.strip_chars() == "", file, f"the {name} is missing. Remove the row or fill it")
    grades = read["grade"].str.strip_chars().cast(pl.Float64, strict=False)
    _refuse(
        ~grades.is_finite().fill_null(value=False),
        file,
        "the grade is no number. Remove the row or fix the grade",
    )
    for row in np.flatnonzero(grades.abs().to_numpy() >= MOST).tolist():  # as a float, 2^53 + 1 is 2^53
        text = read["grade"][row].strip()
        if abs(Decimal(text)) > MOST:
            raise DataError(
                f"{file.label}, row {row + 1:,}: the grade {brief(text)} is too large to be kept exactly; whole numbers are up to 2^53. "
                f"Remove the row or fix the grade."
            )
    # spreadsheets write flags in capitals
    flags = read["is_repeat"].str.strip_chars().str.to_lowercase()
    _refuse(~flags.is_in(list(FLAGS)), file, "is_repeat must be true or false")
    absent = [pl.lit("").alias(name) for name in ALSO if name not in read.columns]
    return read.with_columns(
        grades.alias("grade"),
        flags.replace_strict(FLAGS, return_dtype=pl.Boolean).alias("is_repeat"),
        # keyboards and systems write é as one character or as two: the name, and the judge, is one
        read["judge"].str.strip_chars().str.normalize("NFC"),
        *absent,
    ).select("query", "item", "grade", "judge", "time", "order", "is_repeat", "comment")


class SheetTable(OpenTable):
    """The judgements of a sheet without its repeats, and who judged."""

    def __init__(self, file: File) -> None:
        self.file = file

    def qrels(self, name: str) -> Qrels:
        """Return them; DataError if they are those of several judges."""
        table = read_sheet(self.file)
        judges = table["judge"].unique(maintain_order=True).to_list()
        if len(judges) > 1:
            raise DataError(
                f"{self.file.label}: {len(judges):,} judges are in one file ({quoted(judges)}); join their judgements first: rankwell judging "
                f"merge."
            )
        first = table.filter(~table["is_repeat"])
        query, item = first["query"].to_list(), first["item"].to_list()
        assessor = None
        if judges:  # a person, unless the name says what model it is
            assessor = (
                Assessor.of(judges[0]) if judges[0].startswith("model:") else Assessor("human", judges[0])
            )
        return Qrels(query, item, first["grade"].to_numpy(), assessor=assessor, name=name)

    def pieces(self, name: str) -> Pieces:
        """Return them in pieces, held."""
        return held_qrels(self.qrels(name))


def _refuse(wrong: pl.Series, file: File, what: str) -> None:
    rows = np.flatnonzero(wrong.to_numpy())
    if len(rows):
        raise DataError(f"{file.label}, row {rows[0] + 1:,}: {what}.")
