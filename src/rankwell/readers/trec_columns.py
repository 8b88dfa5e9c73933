"""Lines of TREC text parsed into columns: the ids as spans of the text, the numbers, and where each row stands."""

from __future__ import annotations

import re

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import id_text, trec_text
from rankwell.readers.blocks import Block
from rankwell.readers.text import SAY_ENCODING
from rankwell.records import record
from rankwell.tables.ids import NO_LENGTHS, NO_STARTS, Ids
from rankwell.tables.places import Held
from rankwell.tables.run_qrels import SWAPPED

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
MOST_SHOWN = 1 << 18  # bytes of a line that are looked at for an error
RUN, QRELS = ("query Q0 item rank score tag", 4, 6), ("query topic item grade", 3, 4)
RANKS = (RUN[0], 3, 6)
# of each row the item's start and key and the number, of each stretch of one query its first row and start, of each row the
# topic's start; then the lengths of items, queries, topics
KINDS, KINDS_WITH_TOPICS = "qQdqqii", "qQdqqqiii"


@record(eq=False)
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

    def __init__(self, block: Block, layout: tuple[str, int, int]) -> None:
        _, value, least = layout
        text, is_qrels = block.text, layout is QRELS
        lines, is_ascii, has_nul, lone = trec_text.survey(text, block.begin, block.end)
        if lone >= 0:
            raise DataError(
                f"{block.place(lone)}: a line ends with a carriage return alone, as on an old Macintosh. Write line ends of Unix: "
                f"tr '\\r' '\\n'."
            )
        columns = block.columns(lines, KINDS_WITH_TOPICS if is_qrels else KINDS)
        starts, keys, numbers, firsts, queries, topics, *lengths = (
            columns if is_qrels else [*columns[:5], NO_STARTS, *columns[5:], NO_LENGTHS]
        )
        rows, stretches, status, at = trec_text.parse(
            text,
            block.begin,
            block.end,
            value,
            least,
            not has_nul,
            starts,
            keys,
            numbers,
            firsts,
            queries,
            topics,
            *lengths,
        )
        if status:
            raise self._refused(block, layout, status, at)
        self.block, self.value, self.firsts = block, numbers[:rows], firsts[:stretches]
        self.query = Ids.of_spans(text, queries[:stretches], lengths[1][:stretches])
        self.item = Ids(keys[:rows], text, starts[:rows], lengths[0][:rows])
        self.topic = Ids.of_spans(text, topics[:rows], lengths[2][:rows]) if is_qrels else None
        if not is_ascii:
            for ids in (self.query, self.item, self.topic):
                self._refuse_bytes(ids)

    @staticmethod
    def _refused(block: Block, layout: tuple[str, int, int], status: int, at: int) -> DataError:
        columns, value, least = layout
        is_qrels = layout is QRELS
        line = block.text[at : at + MOST_SHOWN].tobytes().split(b"\n")[0]
        swapped = f" {SWAPPED}" if _is_of_the_other(line, is_qrels=is_qrels) else ""
        return DataError(
            f"{block.place(at)}: {_trouble(status, line, value, least)} A line is: {columns}.{swapped}"
        )

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
