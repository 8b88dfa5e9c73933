"""LETOR and SVMlight files: ``grade qid:1 1:0.3 2:0.9 # item``; a model's scores lie in a second file, a line each.

The item stands in the comment, alone or after ``docid =``; without one it is the number of the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankwell.errors import DataError, UsageError, brief
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import BOM, filled_lines, require_text
from rankwell.readers.formats.prefs import LineOf
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import numbers_of

SUFFIXES = (".svmlight", ".letor")
LINE = re.compile(rb"\s*([-+.\w]+)\s+qid:(\S+)((?:\s+[^\s:#]+:[^\s#]+)*)\s*(?:#(.*))?$")
# of a first line features are numbered: words before a colon stand in files of other formats, too
FIRST = re.compile(rb"\s*[-+]?[.\d]+\s+qid:\S+(?:\s+\d+:|\s*#|\s*$)")
ITEM = re.compile(rb"docid\s*=\s*(\S+)|^\s*(?!.*docid\s*=)(\S+)")
IS = "A line is: grade qid:query feature:value … # item."


def recognises(start: bytes) -> bool:
    """Whether the first line that is no comment has a query behind its grade."""
    lines = start.removeprefix(BOM).split(b"\n", 20)
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    return FIRST.match(first.rstrip()) is not None


def read_run(file: File, *, name: str, columns: Mapping[str, str], scores_from: Any = None) -> Run:
    """Return the run of a model's scores, from a second file or an array."""
    if scores_from is None:
        raise DataError(
            f"{file.label}: a LETOR file holds grades and features, and no scores. Say scores_from='scores.txt', a file with a score a line "
            f"in the order of its lines."
        )
    query, item, _, place = _rows(file, columns)
    return Run(query, item, _scores(scores_from, len(item), file), name=name, place=place)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements."""
    query, item, grade, place = _rows(file, columns)
    return Qrels(query, item, grade, name=name, place=place)


def _rows(file: File, columns: Mapping[str, str]) -> tuple[Ids, Ids, np.ndarray, LineOf]:
    if columns:
        raise UsageError(
            f"{file.label}: LETOR files have no named columns; columns= is for tables such as CSV."
        )
    require_text(file)
    queries, items, grades, lines = list[str](), list[str](), list[float](), list[int]()
    for number, text in filled_lines(file):
        line, place = text.rstrip(), f"{file.label}:{number}"
        if line.startswith(b"#"):
            continue
        match = LINE.match(line)
        if match is None:
            raise DataError(f"{place}: {brief(line.decode(errors='replace'))} is no line of LETOR. {IS}")
        grade, query, _, comment = match.groups()
        try:
            grades.append(float(grade))
            queries.append(query.decode())
            items.append(_item(comment or b"").decode() or str(number))
        except UnicodeDecodeError as error:
            raise DataError(f"{place}: not UTF-8 ({error.reason}). Convert the file.") from error
        except ValueError:
            shown_grade = brief(grade.decode(errors="replace"))
            raise DataError(f"{place}: the grade {shown_grade} is not a number. {IS}") from None
        lines.append(number - 1)
    file.check()
    query, item = Ids.of_strings(queries), Ids.of_strings(items)
    return query, item, np.array(grades), LineOf(file.label, np.array(lines))


def _item(comment: bytes) -> bytes:
    match = ITEM.search(comment)
    return match[1] or match[2] if match else b""


def _scores(given: Any, rows: int, file: File) -> np.ndarray:
    """The scores of a file, a line each, or of an array."""
    label = "scores_from="
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        scored = File(given)
        require_text(scored)
        label, given = scored.label, []
        for number, line in enumerate(
            scored.content.tobytes().removeprefix(BOM).decode(errors="replace").splitlines(), 1
        ):
            try:  # RankLib writes the query and the number of the row before the score
                given.append(float(line.split()[-1]))
            except (ValueError, IndexError):
                raise DataError(
                    f"{label}:{number}: {brief(line)} is not a score. A line is a number."
                ) from None
    column = numbers_of(given, "score", lambda row: f"{label}, row {row + 1}")
    if len(column) != rows:
        raise DataError(
            f"{label}: {len(column):,} scores for the {rows:,} lines of {file.label}. Give one for each line."
        )
    return np.asarray(column, np.float64)
