"""Lines of TREC text parsed into columns: the ids as spans of the text, the numbers, and where each row stands; and the tag of a run."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import id_text, trec_lines, trec_text
from rankwell.readers.blocks import Block
from rankwell.readers.files import File
from rankwell.readers.opened import HEAD
from rankwell.readers.text import SAY_ENCODING, beginning
from rankwell.records import record
from rankwell.tables.ids import NO_LENGTHS, NO_STARTS, Ids
from rankwell.tables.places import Held
from rankwell.tables.run_qrels import Run

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BLANKS = re.compile(rb"[\x01-\x20]+")
MOST_SHOWN = 1 << 18  # bytes of a line that are looked at for an error
LOOKED_AT, LEAST_TIME = 1000, 1e7  # lines; a date such as 20251231, or seconds since 1970
PLACE = 5  # words before the tag: query Q0 item rank score


class Layout(NamedTuple):
    """The columns of a line: which word, from 0, is the number, how many there are at least, and the rule for the others.

    ``argument`` is what says what the columns of a table hold, for messages.
    """

    columns: str
    value: int
    least: int
    rule: int = trec_text.EXACT
    argument: str = "columns"

    @property
    def is_qrels(self) -> bool:
        """Whether lines are judgements."""
        return self.least == QRELS.least


RUN, QRELS = Layout("query Q0 item rank score tag", 4, 6), Layout("query topic item grade", 3, 4)
# of a file that was said to be TREC text, whose tag may hold blanks; as NIST's trec_eval reads it; with ranks in place of scores
GIVEN_RUN, PROGRAM_RUN = RUN._replace(rule=trec_text.RANKED), RUN._replace(rule=trec_text.ANY_WORDS)
RANKS = PROGRAM_RUN._replace(value=3)
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

    def __init__(self, block: Block, layout: Layout) -> None:
        text, is_qrels, rule = block.text, layout.is_qrels, layout.rule
        sign = placeholder(block.file) if rule != trec_text.ANY_WORDS and not is_qrels else b""
        if sign:
            rule = trec_text.EXACT
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
            text, block.begin, block.end, layout.value, layout.least, not has_nul, rule, np.frombuffer(sign, np.uint8),
            starts, keys, numbers, firsts, queries, topics, *lengths,
        )  # fmt: skip
        if status:
            from rankwell.readers.trec_trouble import trouble

            line = text[at : at + MOST_SHOWN].tobytes().split(b"\n")[0]
            first = next(data_lines(block.file), [])
            raise DataError(f"{block.place(at)}: {trouble(line, layout, status, sign, first)}")
        self.block, self.value, self.firsts = block, numbers[:rows], firsts[:stretches]
        self.query = Ids.of_spans(text, queries[:stretches], lengths[1][:stretches])
        self.item = Ids(keys[:rows], text, starts[:rows], lengths[0][:rows])
        self.topic = Ids.of_spans(text, topics[:rows], lengths[2][:rows]) if is_qrels else None
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


def placeholder(file: File) -> bytes:
    """Return the word in place of every rank of a run, such as ``-``, by its first line; empty if ranks are numbers.

    A word with letters is none if the tag is a number: then a blank in an id may have moved rank and score to the right.
    """
    words = next(data_lines(file), [])
    if len(words) != RUN.least or is_number(rank := words[3].decode(errors="replace")):
        return b""
    has_letters = any(sign.isalnum() for sign in rank)
    return b"" if has_letters and is_number(words[5].decode(errors="replace")) else words[3]


def data_lines(file: File) -> Iterator[list[bytes]]:
    """Yield the words of the first lines of a file that are no comments."""
    head = file.head
    # the last line may be cut off
    lines = io.BytesIO(head + b"\n" if len(head) < HEAD else head[: head.rfind(b"\n") + 1])
    lines.seek(beginning(file))
    for line in lines:
        if (words := split(line)) and not trec_lines.is_comment_line(line):
            yield words


def refuse_times(file: File, argument: str) -> None:
    """Raise DataError for judgements that are a log of ``user item rating time``: all grades are times, and all items numbers."""
    shown: list[bytes] = []
    for words in islice(data_lines(file), LOOKED_AT):
        if len(words) != QRELS.least or not all(
            is_number(each.decode(errors="replace")) for each in words[2:]
        ):
            return
        if float(words[3]) < LEAST_TIME:
            return
        shown = shown or words
    if shown:
        from rankwell.readers.trec_trouble import table_of

        line = b" ".join(shown).decode(errors="replace")
        raise DataError(
            f"{file.label}: the grades are times ({brief(line)}); a line of judgements is: {QRELS.columns}. If it is a log of user, item, "
            f"rating and time, {table_of({'1': 'query', '2': 'item', '3': 'grade', '4': 'time'}, argument)}"
        )


def split(line: bytes) -> list[bytes]:
    """Return the words of a line."""
    return [word for word in _BLANKS.split(line) if word]


def is_number(word: str) -> bool:
    """Whether a word is a number in decimal."""
    return _NUMBER.fullmatch(word) is not None


def tag_of(run: Run) -> str:
    """Return the tag in the first line of the TREC text that a run was read from; empty for other runs.

    Examples
    --------
    >>> tag_of(Run(["1"], ["a"], [2.0]))
    ''
    """
    if not run.files or ": read as trec" not in run.source:
        return ""
    words = next(data_lines(run.files[0]), [])
    return words[PLACE].decode(errors="replace") if len(words) > PLACE else ""
