"""Judgements as trec_eval reads them: whole grades, one line per document, no blank line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwell.compat.trec_eval.measures import whole
from rankwell.compat.trec_eval.options import Options
from rankwell.errors import DataError, InputError, NothingInCommonError, brief
from rankwell.kernels.trec_lines import is_comment_line
from rankwell.readers import read_qrels
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import require_text
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.rows import IdStretches
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.series import StoredPlace

BLANK, NEXT_BLANK = (
    re.compile(rb"[ \t\r\v\f]*\n"),
    re.compile(rb"\n[ \t\r\v\f]*\n"),
)  # the first line, and a later one
FORM = "A line is: query topic item grade."
LARGEST_PLAIN = 9


@record
class Judgements:
    """The judgements to evaluate; the number of topics, and of documents with a grade above 0, that the whole file has."""

    qrels: Qrels
    topics: list[str]
    all_topics: int
    relevant: int


def read_judgements(options: Options, path: str) -> Judgements:
    """Read the judgements: with whole grades, or the levels of preferences; topics only if they are groups.

    Raises
    ------
    InputError
        If the file cannot be read, or a line is malformed.
    DataError
        If preferences call a document both relevant and nonrelevant.
    NothingInCommonError
        If there is no judgement of the only topic asked for.
    """
    is_prefs = options.rel_format == "prefs"
    try:
        file = File(path)
        _refuse_blank_lines(file)
        read = read_qrels(file, format_in="prefs") if is_prefs else _read_whole(file)
    except DataError as error:
        raise InputError(str(error)) from error
    if is_prefs:
        _refuse_zero_and_more(read)
    grades = grades_of(read)
    query = read.by_query
    ids = query.ids if isinstance(query, IdStretches) else query
    names = ids[ids.group()[1]]
    relevant = int(np.count_nonzero(grades > 0))
    rows: Any = slice(None)
    if options.topic is not None:
        rows = np.flatnonzero([each == options.topic for each in read.query.tolist()])
        if not len(rows):
            raise NothingInCommonError(f"{path}: there are no judgements of topic {brief(options.topic)}.")
        query = read.query[rows]
    topic, subgroup = (None if column is None else column[rows] for column in (read.topic, read.subgroup))
    qrels = Qrels(
        query,
        read.item[rows],
        grades[rows],
        topic if options.rel_format != "qrels" else None,
        subgroup=subgroup,
        name=read.name,
        place=read.place if options.topic is None else None,
    )
    topics = [str(name) for name in names.tolist()] if options.topic is None else [options.topic]
    return Judgements(qrels, topics, len(names), relevant)


def _refuse_zero_and_more(read: Qrels) -> None:
    """Refuse a document that a group calls nonrelevant in one sub-group and relevant in another."""
    assert read.topic is not None
    levels = grades_of(read)
    names = np.stack([column.group()[0] for column in (read.query, read.topic, read.item)])
    _, codes = np.unique(names, axis=1, return_inverse=True)
    codes = codes.ravel()
    is_both = np.bincount(codes, levels == 0) * np.bincount(codes, levels > 0) > 0
    if not is_both.any():
        return
    row = int(np.flatnonzero(is_both[codes])[0])
    raise DataError(
        f"{read.place(row)}: the levels of document {brief(str(read.item.one(row)))} in group {brief(str(read.topic.one(row)))} are 0 "
        f"and above 0, so it is nonrelevant and relevant. Fix one, or put them into separate groups."
    )


def grades_of(qrels: Qrels) -> np.ndarray:
    """Return the grades, or levels, of the rows."""
    return np.ones(len(qrels.item)) if qrels.grade is None else qrels.grade


def _refuse_blank_lines(file: File) -> None:
    require_text(file)
    text = file.content.data
    blank = BLANK.match(text) or NEXT_BLANK.search(text)  # one pattern for both would be tried at every byte
    if blank is not None:
        line = file.content[: blank.end()].tobytes().count(b"\n")
        raise DataError(f"{file.label}:{line}: the line is blank, which trec_eval refuses. Remove it. {FORM}")


def _read_whole(file: File) -> Qrels:
    """Read judgements with grades as C's atol reads them: the digits that a word begins with, 0 if there are none.

    Grades from 0 to 9 are the same in any reading; the words are looked at only if there are others.
    """
    try:
        read = read_qrels(file, format_in="trec")
    except DataError:
        return _read_words(file)
    grades = grades_of(read)
    is_plain = (grades == np.trunc(grades)) & (grades <= LARGEST_PLAIN)
    return read if is_plain.all() else _read_words(file)


@record(eq=False)
class _LineOf(StoredPlace):
    """Rows by the lines that they stand in."""

    label: str
    lines: list[int]

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return f"{self.label}:{self.lines[row]}"


def _read_words(file: File) -> Qrels:
    rows: list[tuple[bytes, ...]] = []
    lines: list[int] = []
    for number, line in enumerate(file.content.tobytes().split(b"\n"), start=1):
        words = line.split()
        if not words or is_comment_line(line + b"\n"):
            continue
        if len(words) != 4:
            raise DataError(f"{file.label}:{number}: {len(words)} columns, expected exactly 4. {FORM}")
        rows.append(tuple(words))
        lines.append(number)
    if not rows:
        raise DataError(f"{file.label}: the file holds no judgements. {FORM}")
    query, topic, item, grade = zip(*rows, strict=True)
    grades = [float(whole(word.decode(errors="replace"))) for word in grade]
    place = _LineOf(file.label, lines)
    return Qrels(_ids_of(query), _ids_of(item), grades, _ids_of(topic), name=file.name, place=place)


def _ids_of(words: Sequence[bytes]) -> Ids:
    lengths = np.fromiter(map(len, words), np.int32, len(words))
    return Ids.of_lengths(np.frombuffer(b"".join(words), np.uint8), lengths)
