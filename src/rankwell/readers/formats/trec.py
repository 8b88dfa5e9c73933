"""TREC text: runs of ``query Q0 item rank score tag`` and qrels of ``query topic item grade``.

The score decides the order and the rank column is ignored; it must be a number, or the same word in every line. Ids are spans of the bytes,
which are read block by block (``StreamedRows``) or held whole (``TextRows``); nothing stays open.
"""

from __future__ import annotations

import copy
import io
import re
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from functools import cache, partial
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.kernels import id_text, trec_lines, trec_packs, trec_text
from rankwell.readers.bytes.files import CHANGED, HEAD, File
from rankwell.readers.bytes.text import (
    NUL,
    SAY_ENCODING,
    Buffers,
    Take,
    TextBlock,
    beginning,
    blocks,
    columns_of,
    copy_ids,
)
from rankwell.readers.frames.columns import NONE_GIVEN, Given, say
from rankwell.readers.frames.pieces import BlockPieces, Piece
from rankwell.readers.registry import ExplainedRows
from rankwell.records import record
from rankwell.tables.columns import known_word
from rankwell.tables.ids import NO_LENGTHS, NO_STARTS, Ids
from rankwell.tables.lists import offsets_of, owners, places_of
from rankwell.tables.machine import Workers, cores, in_order
from rankwell.tables.rows import Columns, IdStretches, Lists, Rows, cuts, group_adjacent
from rankwell.tables.run_qrels import SWAPPED, Qrels, Run
from rankwell.tables.series import Place, RowOf, StoredPlace, how_to_write

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".run", ".qrels", ".trec", ".txt")
TABLES = ("log", "sample")
# what another format looks for: at the beginning of a line, or anywhere in it
BEGINNINGS, SIGNS = (b"#", b"{", b"["), frozenset(b",;|:\0")
PACKED_BYTES = 12 << 20
BLOCK_BYTES = 1 << 24
CACHED_ROWS = 150_000  # so many lines and their columns stay in a processor's cache


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
PACK_KINDS = "qQdi"  # of each row the item's start and key, the score, the item's length
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BLANKS = re.compile(rb"[\x01-\x20]+")
MOST_SHOWN = 1 << 18  # bytes of a line that are looked at for an error
MOST_RANKS = 10_000  # whose text is compared rather than parsed
LOOKED_AT, LEAST_TIME = 1000, 1e7  # lines; a date such as 20251231, or seconds since 1970
PLACE = 5  # words before the tag: query Q0 item rank score
TABLE = {6: "query,item,score", 4: "query,item,grade"}
Packed = tuple[Ids, np.ndarray, np.ndarray, np.ndarray, bytes]


def recognises(start: bytes) -> bool:
    """Whether the first line is a judgement of topic 0, with tabs as in MS MARCO's files, or a row of a run with Q0.

    Other TREC text has no sign of its own: it is what no other format claims. So are such lines between blanks, if they hold a sign of
    another format.
    """
    line = start[: start.find(b"\n") + 1]  # a line without an end may go on behind what is seen
    if line.startswith(BEGINNINGS) or b"::" in line:
        return False
    fields = line.rstrip(b"\r\n").split(b"\t")
    if len(fields) == 4 and all(fields):
        return fields[1] == b"0" and fields[3].removeprefix(b"-").isdigit()
    words = line.split()
    return (
        len(words) in (4, 6)
        and words[1] in (b"0", b"Q0")
        and words[3].removeprefix(b"-").isdigit()
        and not SIGNS.intersection(line)
    )


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a TREC file; nothing is read before somebody looks."""
    layout = _layout(RUN if file.format_in is None else GIVEN_RUN, columns, file)
    return Run.of_rows(StreamedRows(file, layout), name)


def read_run_of_program(file: File) -> Run:
    """Return a run as NIST's trec_eval reads it: the rank may be any word, and any words may follow the tag."""
    rows = ExplainedRows(StreamedRows(file, PROGRAM_RUN), file, "trec")
    return Run.of_rows(rows, file.name)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a TREC file."""
    parsed = Parsed(TextBlock.whole(file), _layout(QRELS, columns, file))
    if not len(parsed.value):
        raise DataError(f"{file.label}: the file holds no judgements; a line is {QRELS[0]}.")
    query = IdStretches(parsed.query, parsed.offsets)
    place = LineOfItem(file.label, parsed.item)
    return Qrels(
        query if query.are_long else query.column(),
        parsed.item,
        parsed.value,
        parsed.topic,
        name=name,
        place=place,
    )


def read_table(file: File, *, kind: str, columns: Mapping[str, str]) -> tuple[pl.DataFrame, Place]:
    """Return the table in a TREC file: that of a run or of judgements, or a sample as stratified judgements."""
    del columns  # they have no other names
    if kind == "sample":
        from rankwell.readers.formats.prefs import read_prels

        return read_prels(file)
    from rankwell.readers.frames.in_memory import frame_of_qrels, frame_of_run

    if len(file.head.partition(b"\n")[0].split()) == RUN.least:
        run = read_run(file, name=file.label, columns={})
        return frame_of_run(run), RowOf(file.label)
    qrels = read_qrels(file, name=file.label, columns={})
    return frame_of_qrels(qrels), qrels.place


def open_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> BlockPieces:
    """Return the judgements in a TREC file, to be read in pieces."""
    return StreamedRows(file, _layout(QRELS, columns, file)).in_pieces(name)


def _layout(layout: Layout, columns: Mapping[str, str], file: File) -> Layout:
    """The layout of lines, with the argument that would say what the columns of a table hold; errors for what is a table."""
    if columns:
        raise UsageError(
            f"{file.label}: TREC text has no named columns; columns= and order= are for tables such as CSV."
        )
    argument = Given.of(columns).argument
    if layout.is_qrels and file.format_in is None:
        refuse_times(file, argument)
    return layout._replace(argument=argument)


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


# The rows of a run: streamed or held, and both packed by query if these are scattered over the file.


class TrecRows(Rows):
    """The lines of a TREC run, read in batches as if the lines of each query stood together; ``layout`` says where the score stands."""

    grouped = False
    ranked = False  # whether the lists have the rank column as well, which evaluation ignores
    file: File
    label: str
    layout: Layout

    @abstractmethod
    def whole_queries(self, rows: int) -> Generator[Take]:
        """Yield functions that each give a block of about so many lines; the lines of a query that stand together stay together."""

    @abstractmethod
    def takes(self) -> Iterator[Take]:
        """Yield functions that each give a block."""

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make one batch; a file whose queries are scattered, as its first block shows, is read and packed first."""
        blocks_ = self.whole_queries(min(size, CACHED_ROWS))
        for number, take in enumerate(blocks_):
            if number:
                yield partial(self._lists, take)
                continue
            first = self._lists(take)
            if not first.queries.is_distinct():
                blocks_.close()
                del first  # its buffer is used again
                yield from self.regrouped().batches(size)
                return
            if first.rows:
                yield partial(_itself, first)
            del first

    def _lists(self, take: Take) -> Lists:
        block = take()
        parsed = Parsed(block, self.layout)
        place = self.place_in(parsed)
        lists = Lists(copy_ids(parsed.query), parsed.offsets, parsed.item, parsed.value, place)
        if self.ranked:
            with suppress(DataError):  # words in place of ranks
                ranks = _ranks_in_order(parsed)
                lists.extra = {"rank": Parsed(block, RANKS).value if ranks is None else ranks}
        return lists

    def place_in(self, parsed: Parsed) -> Place:
        """Return where the rows of a block stand."""
        return parsed.place

    def with_ranks(self) -> Self:
        """Return the same lines, whose lists have the rank column as well."""
        other = copy.copy(self)
        other.ranked = True
        return other

    def regrouped(self) -> ScatteredRows:
        """Return the same lines, those of each query together."""
        return ScatteredRows(self)


def _itself(lists: Lists) -> Lists:
    return lists


def _ranks_in_order(parsed: Parsed) -> np.ndarray | None:
    """The ranks of rows if they are 1, 2, … in each list, as in most files; None if they are to be parsed."""
    places, item = places_of(np.diff(parsed.offsets)), parsed.item
    words, masks = _rank_words()
    begins = item.starts + item.lengths + 1
    if not len(begins) or places.max() >= len(words) or begins[-1] > len(item.text) - 8:
        return None
    # the eight bytes behind each item as one number, of which those of the rank and a blank are compared
    found = np.ndarray(len(item.text) - 7, np.uint64, item.text, strides=(1,))[begins]
    is_alike = (found & masks[places]) == words[places]
    return places.astype(np.float64) if is_alike.all() else None


@cache
def _rank_words() -> tuple[np.ndarray, np.ndarray]:
    """Each rank with a blank behind it as a number of eight bytes, and the bits of these bytes."""
    texts = [f"{rank} " for rank in range(MOST_RANKS)]
    words = np.array(texts, "S8").view(np.uint64)
    return words, np.array([b"\xff" * len(text) for text in texts], "S8").view(np.uint64)


def _width(sample: bytes) -> int:
    """About how many bytes a line has."""
    return max(len(sample) // max(sample.count(b"\n"), 1), 8)


class StreamedRows(TrecRows):
    """The lines of a TREC run in a file; none is held."""

    def __init__(self, file: File, layout: Layout) -> None:
        self.file, self.label, self.layout = file, file.label, layout

    def whole_queries(self, rows: int) -> Generator[Take]:
        """Yield functions that each read a block of about so many lines."""
        return blocks(self.file, min(rows * _width(self.file.head), BLOCK_BYTES))

    def takes(self) -> Iterator[Take]:
        """Yield functions that each read a block."""
        return blocks(self.file, PACKED_BYTES)

    def first(self, rows: int) -> Lists:
        """Return about so many of the first lines as lists, wherever the other lines of their queries are."""
        with closing(blocks(self.file, rows * _width(self.file.head))) as parts:
            return self._lists(next(parts))

    def in_pieces(self, name: str) -> BlockPieces:
        """Return the lines in pieces."""
        return BlockPieces(name, self._pieces, self.label)

    def _pieces(self) -> Iterator[tuple[Piece, Place]]:
        last = b""
        for take in self.takes():
            parsed = Parsed(block := take(), self.layout)
            last = _last_line(block)
            piece: Piece = {"query": parsed.query[owners(parsed.offsets)], "item": parsed.item}
            if parsed.topic is None:
                piece["score"] = parsed.value
            else:
                piece |= {"grade": parsed.value, "topic": parsed.topic}
            yield piece, parsed.place
        _refuse_two_tags(self.file, self.layout, last)

    def owned(self) -> TextRows:
        """Return the same lines, held by rankwell."""
        return TextRows(self.file, self.layout)

    def table(self) -> Columns:
        """Return all lines as columns."""
        return self.owned().table()


class TextRows(TrecRows):
    """The lines of a TREC run that rankwell holds."""

    def __init__(self, file: File, layout: Layout) -> None:
        self.block, self.file, self.label, self.layout = TextBlock.whole(file), file, file.label, layout

    def whole_queries(self, rows: int) -> Generator[Take]:
        """Yield functions that each give about so many of the lines."""
        text, begin, end = self.block.text, self.block.begin, self.block.end
        length = rows * _width(text[begin : begin + HEAD].tobytes())
        return self._cut(
            lambda at: trec_lines.next_query(text, at + length, end) if at + length < end else end
        )

    def takes(self) -> Iterator[Take]:
        """Yield functions that each give some of the lines."""
        return self._cut(lambda at: trec_lines.line_after(self.block.text, at + PACKED_BYTES, self.block.end))

    def _cut(self, end_of: Callable[[int], int]) -> Generator[Take]:
        """Yield functions that each give the lines from a byte on to the end that is said of it."""
        at, columns = self.block.begin, Buffers()
        while at < self.block.end:
            end = end_of(at)
            yield partial(TextBlock, self.block.file, self.block.text, at, end, 0, columns)
            at = end

    def place_in(self, parsed: Parsed) -> Place:
        """Return where rows stand, without the other columns of their block."""
        return LineOfItem(self.label, parsed.item)

    def owned(self) -> TextRows:
        """Return these rows: they are held."""
        return self

    def table(self) -> Columns:
        """Return all lines as columns."""
        parsed = Parsed(self.block, self.layout)
        stretches = IdStretches(parsed.query, parsed.offsets)
        lists = group_adjacent(stretches)
        query = None if lists else stretches.column()
        return Columns(
            query, parsed.item, parsed.value, place=LineOfItem(self.label, parsed.item), lists=lists
        )


@record(eq=False)
class Pack:
    """The rows of a block by query: their bytes, and of each query its number, where its rows begin, and the end."""

    packed: np.ndarray
    numbers: np.ndarray
    begins: np.ndarray
    ends: np.ndarray


class ScatteredRows(Rows):
    """The lines of a TREC run in any order, as if those of each query stood together."""

    grouped = True

    def __init__(self, whole: TrecRows) -> None:
        self.whole = whole

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make the lists of some queries, in the order in which these come first in the file."""
        ranks: Iterator[Callable[[], Lists]] = iter(())
        if self.whole.ranked:
            whole = copy.copy(self.whole)
            whole.ranked, whole.layout = False, RANKS
            ranks = _readable(ScatteredRows(whole).batches(size))
        for make, make_ranks in zip_longest(self._batches(size), ranks):
            yield partial(_beside, make, make_ranks)

    def _batches(self, size: int) -> Iterator[Callable[[], Lists]]:
        queries, offsets, packs = _packed(self.whole)
        memory = Buffers(), Buffers()
        for low, high in cuts(offsets, min(size, CACHED_ROWS)):
            yield partial(self._lists, queries[low:high], offsets[low : high + 1], low, packs, memory)

    def _lists(
        self, queries: Ids, offsets: np.ndarray, low: int, packs: list[Pack], memory: tuple[Buffers, Buffers]
    ) -> Lists:
        offsets = offsets - offsets[0]
        parts = []
        for pack in packs:
            first, last = np.searchsorted(pack.numbers, (low, low + len(queries)))
            parts.append(
                (pack.packed, pack.numbers[first:last] - low, pack.begins[first:last], pack.ends[first:last])
            )
        rows_of_lists = sum(int((ends - begins).sum()) for _, _, begins, ends in parts)
        # a packed row has ten bytes beside its item: its length and its score; the kernel copies eight bytes at least
        text = memory[0].take(rows_of_lists - 10 * int(offsets[-1]) + 8)
        starts, keys, values, lengths = columns_of(memory[1], int(offsets[-1]), PACK_KINDS)
        # where the next row of each query goes, and how much of the text is filled
        rows, at = offsets[:-1].copy(), 0
        for packed, numbers, begins, ends in parts:
            places = rows[numbers]
            at = trec_packs.unpack(packed, begins, ends, places, at, text, starts, keys, values, lengths)
            rows[numbers] = places
        items = Ids(keys, text, starts, lengths)
        return Lists(queries, offsets, items, values, partial(self._place, queries, offsets))

    def _place(self, queries: Ids, offsets: np.ndarray, row: int) -> str:
        """Where a row stands: the lines of its query are counted in the file once more."""
        number = int(np.searchsorted(offsets, row, side="right")) - 1
        query, before = queries.one(number), row - int(offsets[number])
        for take in self.whole.takes():
            parsed = Parsed(take(), self.whole.layout)
            codes, firsts = parsed.query.group()
            same = [code for code, first in enumerate(firsts) if parsed.query.one(int(first)) == query]
            rows = np.flatnonzero(np.repeat(np.isin(codes, same), np.diff(parsed.offsets)))
            if before < len(rows):
                return parsed.place(int(rows[before]))
            before -= len(rows)
        raise InputError(f"{self.whole.label}: {CHANGED}")

    def owned(self) -> ScatteredRows:
        """Return these rows: they are held."""
        return self

    def table(self) -> Columns:
        """Return all lines as columns, in the order of the file."""
        return self.whole.table()


def _readable(batches: Iterator[Callable[[], Lists]]) -> Iterator[Callable[[], Lists]]:
    with suppress(DataError):  # words in place of ranks
        yield from batches


def _beside(make: Callable[[], Lists], make_ranks: Callable[[], Lists] | None) -> Lists:
    lists = make()
    if make_ranks is not None:
        lists.extra = {"rank": make_ranks().score}
    return lists


def _packed(whole: TrecRows) -> tuple[Ids, np.ndarray, list[Pack]]:
    """The distinct queries, the offsets of their rows, and the blocks packed."""
    parts = list(_done(whole))
    if parts:
        _refuse_two_tags(whole.file, whole.layout, parts[-1][-1])
    heads = Ids.concatenate([own for own, *_ in parts])
    numbers, firsts = heads.group()
    sizes, packs, done = np.zeros(len(firsts), np.int64), [], 0
    for _, packed, offsets, counts, _ in parts:
        own = numbers[done : done + len(counts)]
        done += len(counts)
        sizes[own] += counts
        # by the queries of the whole file, so that a batch finds its own by bisection
        order = np.argsort(own)
        packs.append(Pack(packed, own[order], offsets[:-1][order], offsets[1:][order]))
    return heads[firsts], offsets_of(sizes), packs


def _done(whole: TrecRows) -> Iterator[Packed]:
    """Pack the blocks on all cores; only a few are read before they are packed."""
    workers = cores()
    if workers == 1:
        yield from (_pack(take, whole.layout) for take in whole.takes())
        return

    with Workers(workers) as threads:
        yield from in_order(threads, workers, (partial(_pack, take, whole.layout) for take in whole.takes()))


def _pack(take: Take, layout: Layout) -> Packed:
    """The distinct queries of a block, its rows packed by query, where each begins, their numbers of rows, and the last line."""
    parsed = Parsed(block := take(), layout)
    last = _last_line(block)
    codes, firsts = parsed.query.group()
    item = parsed.item
    packed = trec_packs.pack(
        codes, parsed.offsets, len(firsts), item.text, item.starts, item.lengths, parsed.value
    )
    return copy_ids(parsed.query[firsts]), *packed, last


def _refuse_two_tags(file: File, layout: Layout, last: bytes) -> None:
    """Raise DataError if the last line has another tag than the first, and its query both, as where runs of two systems were joined."""
    first, words = next(data_lines(file), []), split(last)
    if layout.is_qrels or layout.rule == trec_text.ANY_WORDS or min(len(first), len(words)) <= PLACE:
        return
    tags = first[PLACE], words[PLACE]
    line = rb"^\s*" + re.escape(words[0]) + rb"(\s+\S+){%d}\s+" % (PLACE - 1) + re.escape(tags[0]) + rb"\s"
    if tags[0] != tags[1] and any(re.search(line, piece, re.MULTILINE) for piece in file.pieces()):
        import shlex

        one, other = (tag.decode(errors="replace") for tag in tags)
        label = shlex.quote(file.label)
        raise DataError(
            f"{file.label}: by its tags {brief(one)} and {brief(other)} it holds lists of several systems, which would be mixed. Give each by "
            f"itself: awk '$6 == \"{one}\"' {label} > one.run. If all are one list, give them one tag: "
            f"awk 'NF > 5 {{$6 = \"all\"; print}}' {label} > all.run."
        )


def _last_line(block: TextBlock) -> bytes:
    text = block.text[max(block.begin, block.end - MOST_SHOWN) : block.end].tobytes()
    return text.rstrip().rpartition(b"\n")[2]


# Lines parsed into columns: the ids as spans of the text, the numbers, and where each row stands.


class Parsed:
    """Columns of some lines: per stretch of one query its first row and id, per row item, number and topic."""

    def __init__(self, block: TextBlock, layout: Layout) -> None:
        text, is_qrels, rule = block.text, layout.is_qrels, layout.rule
        # a word in place of ranks is one for the whole file, so each line has exactly the usual columns
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
            line = text[at : at + MOST_SHOWN].tobytes().split(b"\n")[0]
            first = next(data_lines(block.file), [])
            raise DataError(f"{block.place(at)}: {BadLine(line, layout, status, sign).trouble(first)}")
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


@record(eq=False)
class LineOfItem(StoredPlace):
    """Rows by the lines that their items stand in."""

    label: str
    item: Ids

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        lines = np.count_nonzero(self.item.text[: self.item.starts[row]] == 10)
        return f"{self.label}:{int(lines) + 1}"


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
    examples: list[bytes] = []
    for words in islice(data_lines(file), LOOKED_AT):
        if len(words) != QRELS.least or not all(
            is_number(word.decode(errors="replace")) for word in words[2:]
        ):
            return
        if float(words[3]) < LEAST_TIME:
            return
        examples = examples or words
    if examples:
        line = b" ".join(examples).decode(errors="replace")
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


# What is wrong with a line, in one sentence, with a remedy.


class BadLine:
    """A line that is no TREC text, by the status of the kernel; ``sign`` is what stands in place of ranks."""

    def __init__(self, line: bytes, layout: Layout, status: int, sign: bytes) -> None:
        self.line, self.layout, self.status, self.sign = line, layout, status, sign
        self.words = [word.decode(errors="replace") for word in split(line)]

    def trouble(self, first: list[bytes]) -> str:
        """Return what is wrong with it; ``first`` has the words of the first line of data."""
        form = f"A line is: {self.layout.columns}."
        if b"\0" in self.line:
            return f"{NUL} {form}"
        if self.status == trec_text.LONG_ID:
            return f"an id of more than {trec_text.LONGEST_ID:,} bytes. Is this the right file? {form}"
        advice = self._said()
        if split(self.line) == first and (named := self._names()):
            # as a table, its ranks would decide
            if not self.layout.is_qrels and len(self.words) == self.layout.least:
                return f"{advice} The first line is a header. Remove it: tail -n +2."
            return (
                f"{advice} The first line is a header. Remove it, or {table_of(named, self.layout.argument)}"
            )
        if len(self.words) == len(first) and (numbered := self._numbers()):
            table = table_of(numbered, self.layout.argument)
            number = next((place for place, word in numbered.items() if word == "score"), "")
            if number and self.words[int(number) - 1].isdecimal():  # a whole number may be a rank, too
                ranked = table_of(numbered | {number: "rank"}, self.layout.argument)
                table = f"{table[:-1]} where higher is better; if 1 is best, {ranked}"
            return f"{advice} {form} If it is a table, {table}"
        return f"{advice} {form}"

    def _said(self) -> str:
        layout = self.layout
        if self._is_of_the_other():
            return f"{self._count()} {SWAPPED}"
        if len(self.words) < layout.least:
            return self._count()
        if len(self.words) > layout.least and (
            layout.rule == trec_text.EXACT or self.sign or not self._has_numbers()
        ):
            return f"{self._count()} {self._blanks()}"
        return self._rank() if self.status in (trec_text.WRONG_RANK, trec_text.FRACTION) else self._number()

    def _names(self) -> dict[str, str]:
        """What the columns hold that a header names; nothing if the line is none."""
        words, layout = self.words, self.layout
        value = "grade" if layout.is_qrels else "score"
        named = {word: column for column in words if (word := known_word(column)) is not None}
        if layout.is_qrels and "score" in named:
            named.setdefault("grade", named["score"])
        if "topic" in named:
            named.setdefault("query", named["topic"])
        if len({*words}) < len(words) or any(map(is_number, words)) or not {"query", "item"} <= set(named):
            return {}
        if len(words) == layout.least:
            named.setdefault(value, words[layout.value])
        # a table in white space may have its names in quotation marks, as R writes them
        return {named[word].strip('"'): word for word in ("query", "item", value) if word in named}

    def _numbers(self) -> dict[str, str]:
        """What the columns may hold, by their numbers, if the line has more or fewer than the format; nothing if it shows no table."""
        words, layout = self.words, self.layout
        at = 2 if len(words) > 3 and words[1] in ("Q0", "0") else 1
        numbers = [place for place in range(at + 1, len(words)) if is_number(words[place])]
        if not 1 < len(words) < 6 or len(words) == layout.least or (numbers and numbers[0] > at + 1):
            return {}
        columns = {"1": "query", str(at + 1): "item"}
        if not numbers:
            return columns if len(words) == 2 else {}
        if layout.is_qrels:
            return columns | {str(numbers[0] + 1): "grade"}
        # what follows a rank is the score, what follows a rating the time
        is_ranked = (
            len(numbers) > 1 and words[numbers[0]].isdecimal() and float(words[numbers[1]]) < LEAST_TIME
        )
        return columns | {str(numbers[is_ranked] + 1): "score"}

    def _count(self) -> str:
        exactly = "exactly " if self.layout.is_qrels else ""
        seen = f"{len(self.words)} column{'s' * (len(self.words) != 1)}"
        return f"{seen}, expected {exactly}{self.layout.least} ({self._shown()})."

    def _shown(self) -> str:
        return repr(self.line.decode(errors="replace").strip()[:80])

    def _blanks(self) -> str:
        """What to do about blanks in an id, or in the tag of a run."""
        words, layout = self.words, self.layout
        advice = f"Ids cannot hold blanks in TREC text; use a table, such as CSV with the columns {TABLE[layout.least]}."
        if layout.is_qrels:
            if len(words) == 5 and is_number(words[4]) and not is_number(words[3]):
                advice += " If these are preferences (query group subgroup item level), let the file's name end in .prefs."
            return advice
        fields = [split(cell) for cell in self.line.split(b"\t")]
        if len(fields) == layout.least and all(fields) and len(fields[0]) + len(fields[2]) > 2:
            columns = {"1": "query", "3": "item", "5": "score"}
            return f"{advice} These columns have tabs between them: say format_in='delimited', {say(NONE_GIVEN, columns)}."
        if self._has_numbers():
            advice += " If it is the tag that holds blanks, say format_in='trec'."
        return advice

    def _has_numbers(self) -> bool:
        """Whether a run's line has numbers where the rank and the score are expected."""
        return not self.layout.is_qrels and is_number(self.words[3]) and is_number(self.words[4])

    def _rank(self) -> str:
        rank = brief(self.words[3])
        if self.status == trec_text.FRACTION:
            swapped = table_of({"1": "query", "3": "item", "4": "score"}, self.layout.argument)
            return f"the rank {rank} is not a whole number ({self._shown()}). If rank and score are swapped, {swapped}"
        if self.sign:
            return (
                f"the rank is {rank}, but {brief(self.sign.decode(errors='replace'))} in the first line. Ranks do not count here: write a "
                f"number in every line, or the same word."
            )
        return (
            f"the rank {rank} is not a number ({self._shown()}). Ids cannot hold blanks in TREC text; use a table, such as CSV "
            f"with the columns {TABLE[self.layout.least]}. If no id holds a blank, write - as the rank of every line."
        )

    def _number(self) -> str:
        number, word = ("grade" if self.layout.is_qrels else "score"), brief(self.words[self.layout.value])
        if self.status == trec_text.NAN:
            return f"the {number} is not a number (nan). Remove the line or fix the {number}."
        if self.status == trec_text.INEXACT:
            return f"the {number} {word} is too large to be kept exactly; whole numbers are up to 2^53."
        return f"the {number} {word} is not a number.{how_to_write(self.words[self.layout.value])}"

    def _is_of_the_other(self) -> bool:
        """Whether a line that should be a judgement is one of a run, or the reverse."""
        is_qrels = self.layout.is_qrels
        numbers = self.words[3:5] if is_qrels else self.words[3:]
        return len(self.words) == (6 if is_qrels else 4) and all(map(is_number, numbers))


def table_of(columns: dict[str, str], argument: str) -> str:
    """Return what to say of a file that is a table of white space; without an argument for it, its first line says it."""
    if argument:
        return f"say {say(Given(argument=argument), columns)}."
    return f"write it as CSV with the columns {','.join(columns.values())}."
