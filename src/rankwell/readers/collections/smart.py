"""SMART's format: ``.I`` and a number begin a document or query, ``.T .A .B .W`` its fields; Cranfield, CACM, CISI, MED."""

from __future__ import annotations

import re

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.readers.bytes.files import File
from rankwell.readers.collections.text import Entries, is_number, lines_of, without_zeros
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels

FIELDS = {
    "T": "title",
    "A": "author",
    "B": "bibliography",
    "W": "text",
    "N": "entered",
    "K": "keywords",
    "C": "categories",
}
LEFT_OUT = "X"  # numbers of other documents that cite or are cited
MARK = re.compile(r"\.([A-Z])(?:[ \t]+(\S.*))?[ \t]*")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
# Codes of Cranfield: 1 is the best and 4 the worst of what is relevant, -1 is of no interest.
CODES, TURNED = {-1.0, 1.0, 2.0, 3.0, 4.0, 5.0}, 5


def entries(file: File) -> Entries:
    """Return the ids and fields of a file of documents or queries.

    DataError with file and line, for text before the first ``.I`` or field, or an entry without a number.
    """
    records = Entries()
    lines: list[str] | None = None
    for number, line in enumerate(lines_of(file), 1):
        mark = MARK.fullmatch(line)
        if mark is None or (mark[1] not in FIELDS and mark[1] not in (LEFT_OUT, "I")):
            if lines is not None:
                lines.append(line)
            elif line.strip():
                raise DataError(f"{file.label}:{number}: {brief(line)} stands before the first .I or field.")
        elif mark[1] == "I":
            entry = (mark[2] or "").strip()
            if not is_number(entry):
                raise DataError(f"{file.label}:{number}: .I must be followed by the number of the entry.")
            records.begin(without_zeros(entry), f"{file.label}:{number}")
            lines = None
        elif not records.fields:
            raise DataError(f"{file.label}:{number}: .{mark[1]} stands before the first .I.")
        else:
            # two documents of Cranfield have a second .W in the middle of their text
            first = [mark[2] or ""]
            lines = first if mark[1] == LEFT_OUT else records.put(FIELDS[mark[1]], first)
    return records


def read_qrels(file: File) -> tuple[Qrels, str] | None:
    """Return SMART's judgements and what was done to their grades; None if the file has another format.

    Rows are ``query document code`` (Cranfield), or ``query document 0 0`` (CACM, CISI), which is a plain "relevant".
    """
    rows = [line.split() for line in lines_of(file) if line.strip()]
    if not rows or not all(
        len(row) in (3, 4) and all(NUMBER.fullmatch(cell) for cell in row) for row in rows
    ):
        return None
    three = all(len(row) == 3 for row in rows)
    if not three and not all(len(row) == 4 and float(row[2]) == 0 == float(row[3]) for row in rows):
        return None
    if not all(is_number(row[0]) and is_number(row[1]) for row in rows):
        return None
    query, item = ([without_zeros(row[at]) for row in rows] for at in (0, 1))
    codes = np.array([float(row[2]) for row in rows]) if three else np.ones(len(rows))
    note = ""
    if three and set(codes.tolist()) <= CODES and {1.0, -1.0} <= set(codes.tolist()):
        codes = np.where(codes < 0, 0.0, TURNED - codes)
        note = "codes of judgements are Cranfield's, 1 the best: a grade is 5 − code, and 0 for code −1"
    return Qrels(Ids.of_strings(query), Ids.of_strings(item), codes, name=file.name), note
