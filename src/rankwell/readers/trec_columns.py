"""Lines of TREC text parsed into columns: the ids as spans of the text, the numbers, and where each row stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import id_text, trec_text
from rankwell.readers.blocks import Block
from rankwell.readers.text import SAY_ENCODING
from rankwell.tables.ids import Ids
from rankwell.tables.places import Held
from rankwell.tables.run_qrels import SWAPPED

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
MOST_SHOWN = 1 << 18  # bytes of a line that are looked at for an error
ALL_LINES = np.empty(0, np.int64)
RUN, QRELS = ("query Q0 item rank score tag", 4, 6), ("query topic item grade", 3, 4)


@dataclass(frozen=True, eq=False)
class LineOf(Held):
    """Rows by the lines that their items stand in."""

    label: str
    item: Ids

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        lines = np.count_nonzero(self.item.text[: self.item.starts[row]] == 10)
        return f"{self.label}:{int(lines) + 1}"


class Parsed:
    """Columns of some lines: per stretch of one query its first row and id, per row item, number and topic."""

    def __init__(self, block: Block, lines: np.ndarray, layout: tuple[str, int, int]) -> None:
        columns, value, least = layout
        is_qrels, text = layout is QRELS, block.text
        *parts, status, at, is_ascii = trec_text.parse(
            text, block.begin, block.end, lines, value, least, is_qrels
        )
        if len(lines):
            is_ascii, lone = block.survey
            status, at = (status, at) if lone < 0 else (trec_text.LONE_RETURN, lone)
        if status == trec_text.LONE_RETURN:
            raise DataError(
                f"{block.place(at)}: a line ends with a carriage return alone, as on an old Macintosh. Write line ends of Unix: "
                f"tr '\\r' '\\n'."
            )
        if status:
            line = text[at : at + MOST_SHOWN].tobytes().split(b"\n")[0]
            swapped = f" {SWAPPED}" if _is_of_the_other(line, is_qrels=is_qrels) else ""
            raise DataError(
                f"{block.place(at)}: {_trouble(status, line, value, least)} A line is: {columns}.{swapped}"
            )
        self.block, self.firsts = block, parts[0]
        self.query = Ids.of_spans(text, parts[1], parts[2])
        self.item = Ids.of_spans(text, parts[3], parts[4])
        self.topic = Ids.of_spans(text, parts[5], parts[6]) if is_qrels else None
        self.value = parts[7]

        if not is_ascii:
            for ids in (self.query, self.item, self.topic):
                self._refuse_bytes(ids)

    def _refuse_bytes(self, ids: Ids | None) -> None:
        """Raise DataError for an id that is not UTF-8."""
        if ids is None:
            return
        status, row = id_text.first_wrong(ids.text, ids.starts, ids.lengths)
        if status == id_text.OK:
            return
        trouble = "a second byte-order mark, as when files that begin with one are joined. Remove it."
        if status == id_text.NOT_UTF_8:
            trouble = f"the id {brief(ids.one(row))} is not UTF-8. {SAY_ENCODING}"
        raise DataError(f"{self.block.place(int(ids.starts[row]))}: {trouble}")

    @property
    def offsets(self) -> np.ndarray:
        """Where the rows of each stretch begin, and the end."""
        return np.append(self.firsts, len(self.item))

    def place(self, row: int) -> str:
        """Return ``file:line`` of a row."""
        return self.block.place(int(self.item.starts[row]))


def _words(line: bytes) -> list[str]:
    return [word.decode(errors="replace") for word in re.split(rb"[\x01-\x20]+", line) if word]


def _is_of_the_other(line: bytes, *, is_qrels: bool) -> bool:
    """Whether a line that should be a judgement is one of a run, or the reverse."""
    words = _words(line)
    numbers = words[3:5] if is_qrels else words[3:]
    return len(words) == (6 if is_qrels else 4) and all(_NUMBER.fullmatch(word) for word in numbers)


def _trouble(status: int, line: bytes, value: int, least: int) -> str:
    words = _words(line)
    if b"\0" in line:
        return "a NUL byte; the file is damaged, binary, or UTF-16 without its mark. Text is UTF-8."
    if status == trec_text.LONG_ID:
        return f"an id of more than {trec_text.LONGEST_ID:,} bytes. Is this the right file?"
    if len(words) < least or status == trec_text.MANY_COLUMNS:
        exactly = "" if least == 6 else "exactly "
        seen = f"{len(words)} column{'s' * (len(words) != 1)}"
        return f"{seen}, expected {exactly}{least} ({line.decode(errors='replace').strip()[:80]!r})."
    number = "score" if least == 6 else "grade"
    if status == trec_text.NAN:
        return f"the {number} is not a number (nan). Remove the line or fix the {number}."
    if status == trec_text.INEXACT:
        return f"the {number} {words[value][:40]!r} is too large to be kept exactly; whole numbers are up to 2^53."
    return f"the {number} {words[value][:40]!r} is not a number."
