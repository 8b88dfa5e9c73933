"""Preference files: lines of ``topic group sub-group item level``, as trec_eval reads them.

The topic is the query, the judgement group the topic of rankwell: within a group an item of a higher level is preferred.
Where a group has several sub-groups, levels are compared within each of them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import not_utf8, require_text, text_of
from rankwell.records import record
from rankwell.tables.ids import LONGEST_ID, Ids
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.series import Place, StoredPlace, is_number

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".prefs",)
TABLES = ("log", "sample")
LINE = "A line is: query group subgroup item level."
COLUMNS = 5
PRELS = ("query", "ignored", "item", "stratum", "grade")  # of stratified judgements


def recognises(start: bytes) -> bool:
    """Whether every whole line has five words, of which the last is a number and the fourth now and then is not.

    A run without its tag has five words too, and so have sampled judgements; there the fourth is a number. So have judgements of
    items with a blank in their ids: there the second is a number (or Q0) in every line, and the third now and then is not, or is
    another in every line.
    """
    if len(start) >= 1 << 16:
        start = start[: start.rfind(b"\n") + 1]  # the last line may be cut off
    lines = []
    for line in io.BytesIO(start):
        if not line.strip() or line.startswith(b"#"):
            continue
        lines.append(line.split())
        if len(lines[-1]) != COLUMNS:
            return False
    if not lines or lines[0][1].startswith(b"qid:"):  # LETOR
        return False
    levels, items, groups, parts = (
        [is_number(words[column]) or words[column] == b"Q0" for words in lines] for column in (4, 3, 1, 2)
    )
    are_pairs = len({tuple(words[:3]) for words in lines}) < len(lines)
    return all(levels) and not all(items) and (not all(groups) or (all(parts) and are_pairs))


@record(eq=False)
class LineOf(StoredPlace):
    """Rows by the lines that they stand in."""

    label: str
    lines: np.ndarray

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return f"{self.label}:{int(self.lines[row]) + 1}"


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements behind preferences: the groups are topics, the levels grades."""
    if columns:
        raise UsageError(
            f"{file.label}: preference files have no named columns; columns= is for tables such as CSV."
        )
    require_text(file)
    text, begin = text_of(file)
    file.check()
    if wrong_text := not_utf8(file):
        raise wrong_text
    starts, ends, line = _words(text, begin)
    firsts = np.flatnonzero(np.diff(line, prepend=-1))
    counts = np.diff(np.append(firsts, len(line)))
    if (wrong := np.flatnonzero(counts != COLUMNS)).size:
        at = int(line[firsts[wrong[0]]]) + 1
        raise DataError(f"{file.label}:{at}: {counts[wrong[0]]} columns, expected exactly 5. {LINE}")
    if not len(firsts):
        raise DataError(f"{file.label}: the file holds no preferences. {LINE}")
    lengths = (ends - starts).astype(np.int32)
    if lengths.max() > LONGEST_ID:
        at = int(line[lengths.argmax()]) + 1
        raise DataError(
            f"{file.label}:{at}: an id of more than {LONGEST_ID:,} bytes. Is this the right file?"
        )
    table = (
        np.ascontiguousarray(starts.reshape(-1, COLUMNS).T),
        np.ascontiguousarray(lengths.reshape(-1, COLUMNS).T),
    )
    query, group, subgroup, item, level = (Ids.of_spans(text, *column) for column in zip(*table, strict=True))
    lines = line[::COLUMNS]
    place = LineOf(file.label, lines)
    codes, heads = level.group()
    levels = np.empty(len(heads))
    for number, row in enumerate(heads.tolist()):
        word = str(level.one(row))
        try:
            levels[number] = float(word)
        except ValueError:
            raise DataError(f"{place(row)}: the level {word[:40]!r} is not a number. {LINE}") from None
    return Qrels(query, item, levels[codes], group, subgroup=subgroup, name=name, place=place)


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the table of preferences; as a sample, lines of five words are stratified judgements."""
    del columns  # they have no other names
    if kind == "sample":
        return read_prels(file)
    from rankwell.readers.frames.in_memory import frame_of_qrels

    qrels = read_qrels(file, name=file.label, columns={})
    return frame_of_qrels(qrels), qrels.place


def _words(text: np.ndarray, begin: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each word of a text starts and ends, and the line that it is in; without comments."""
    is_blank = text[begin:] <= ord(" ")
    # a word begins where blanks end, and ends where they begin
    edge = np.diff(is_blank.astype(np.int8), prepend=1, append=1)
    starts, ends = np.flatnonzero(edge == -1) + begin, np.flatnonzero(edge == 1) + begin
    breaks = np.flatnonzero(text == ord("\n"))
    line = np.searchsorted(breaks, starts)
    first_bytes = text[np.concatenate(([begin], breaks[:-1] + 1))]
    is_comment = first_bytes == ord("#")
    for at in np.flatnonzero(is_comment).tolist():  # an id may begin with #
        words = text[breaks[at - 1] + 1 if at else begin : breaks[at]].tobytes().split()
        is_comment[at] = len(words) != COLUMNS or words[0] == b"#" or not is_number(words[4])
    has_content = ~is_comment[line]
    return starts[has_content], ends[has_content], line[has_content]


def read_prels(file: File) -> tuple[pl.DataFrame, Place]:
    """Return the columns of stratified judgements as text, and where each row stands; DataError if a line has another number of columns."""
    import polars as pl

    require_text(file)
    text = file.content.tobytes().decode(errors="replace")
    numbered = [(at, line.split()) for at, line in enumerate(text.splitlines(), start=1) if line.strip()]
    lines = [at for at, _ in numbered]

    def place(row: int) -> str:
        return f"{file.label}:{lines[row]}"

    for row, (_, words) in enumerate(numbered):
        if len(words) != len(PRELS):
            hint = (
                " Judgements without strata need the frame of their sample; give it as frame=."
                if len(words) == len(PRELS) - 1
                else ""
            )
            raise DataError(
                f"{place(row)}: {len(words)} columns where stratified judgements have 5: query 0 item stratum grade.{hint}"
            )
    frame = pl.DataFrame([words for _, words in numbered], dict.fromkeys(PRELS, pl.String), orient="row")
    return frame.drop("ignored"), place
