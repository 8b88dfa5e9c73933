"""Numbers and lines of TREC files are read as Python reads them."""

from __future__ import annotations

import math
import re
from decimal import Decimal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import every

from rankwell.kernels import trec_lines, trec_text
from rankwell.tables.ids import Ids

FEW = settings(max_examples=150, deadline=None, derandomize=True)


class Parsed:
    """The columns of a text, read many bytes at a time where that is possible (``is_wide``)."""

    def __init__(self, data, *, is_wide=True, rule=trec_text.ANY_WORDS, placeholder=b""):
        lines, self.is_ascii, has_nul, _ = trec_text.survey(data, 0, len(data))
        columns = [np.zeros(lines, kind) for kind in "qQdqqqiii"]
        columns[5] = columns[8] = np.empty(0, np.int64)
        columns[8] = columns[8].astype(np.int32)
        wide = is_wide and not has_nul
        sign = np.frombuffer(placeholder, np.uint8)
        rows, stretches, self.status, self.at = trec_text.parse(
            data, 0, len(data), 4, 6, wide, rule, sign, *columns
        )
        starts, self.keys, self.values, self.firsts, queries, _, lengths, query_lengths, _ = columns
        self.keys, self.values, self.firsts = self.keys[:rows], self.values[:rows], self.firsts[:stretches]
        self.item = Ids.of_spans(data, starts[:rows], lengths[:rows])
        self.query = Ids.of_spans(data, queries[:stretches], query_lengths[:stretches])


MORE = "# so many bytes behind a line that it is read many bytes at a time, and not one by one as the last lines are\n"


def parse_one(number):
    """The value of a number and the status, which do not depend on how it is read."""
    line = f"q Q0 d 1 {number} tag\n"
    last, other = (Parsed(np.frombuffer(text.encode(), np.uint8)) for text in (line, line + MORE))
    assert (last.values.tobytes(), last.status) == (other.values.tobytes(), other.status)
    return other.values, other.status


@FEW
@given(
    st.one_of(
        st.floats(allow_nan=False), st.integers(-(10**30), 10**30), st.decimals(allow_nan=False, places=9)
    )
)
def test_a_number_is_read_as_python_reads_it(number):
    values, status = parse_one(number)
    is_whole = re.fullmatch(r"-?\d+(\.0*)?", str(number))
    if is_whole and int(Decimal(str(number))) != float(str(number)):
        assert status == trec_text.INEXACT
        return
    assert status == trec_text.OK
    assert values.tolist() == [float(str(number))]


EXACT = [2**53, 2**53 + 2, 2**60, -(2**63), 10**22, 0, 2**1023]
TIED = [2**53 + 1, -(2**53) - 1, 2**63 - 1, 10**23, 2**1023 + 1, 10**400]


@every("number", EXACT + TIED)
@every("spelling", ["{}", "{}.", "{}.000", "+{}", "000{}"])
def test_a_whole_number_is_kept_exactly_or_refused(number, spelling):
    word = spelling.format(number)
    if number < 0 and spelling[0] != "{":
        word = f"-{spelling.format(-number).removeprefix('+')}"
    values, status = parse_one(word)
    assert status == (trec_text.OK if number in EXACT else trec_text.INEXACT)
    assert number in TIED or int(values[0]) == number


@every("number", ["1e5", "+2", ".5", "5.", "-0", "1e-320", "1e308", "1E+3", "00012", "inf", "-inf"])
def test_unusual_spellings_are_read_as_python_reads_them(number):
    values, status = parse_one(number)
    assert status == trec_text.OK
    assert math.copysign(1, values[0]) == math.copysign(1, float(number))
    assert values.tolist() == [float(number)]


@every("number", ["abc", "0x10", "1_000", "--1", "1e", ".", "-", "1,5", "1" * 600])
def test_what_is_no_number_is_said(number):
    assert parse_one(number)[1] == trec_text.NOT_A_NUMBER


def test_nan_and_missing_columns_are_said():
    assert parse_one("nan")[1] == trec_text.NAN
    line = b"q Q0 d 1 2.0\n"
    assert Parsed(np.frombuffer(line, np.uint8)).status == trec_text.FEW_COLUMNS
    assert Parsed(np.frombuffer(line + MORE.encode(), np.uint8)).status == trec_text.FEW_COLUMNS


@FEW
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1", "22", "q3"]), st.sampled_from(["a", "bb", "c" * 12]), st.integers(-9, 9)
        ),
        max_size=20,
    ),
    st.sampled_from([" ", "\t", " \t "]),
    st.sampled_from(["\n", "\r\n", "\n\n# comment\n", " \n"]),
)
def test_lines_are_read_whatever_the_white_space(rows, blank, end):
    text = "".join(blank.join([q, "Q0", i, "1", str(s), "tag", "more"]) + end for q, i, s in rows)
    data = np.frombuffer(("# first\n" + text).encode(), np.uint8)
    parsed = Parsed(data)
    assert parsed.status == trec_text.OK
    assert parsed.item.tolist() == [row[1] for row in rows]
    assert parsed.values.tolist() == [row[2] for row in rows]
    heads = [n for n in range(len(rows)) if n == 0 or rows[n][0] != rows[n - 1][0]]
    assert parsed.firsts.tolist() == heads
    assert parsed.query.tolist() == [rows[n][0] for n in heads]
    if rows:
        cut = trec_lines.next_query(data, 0, len(data))
        left = len(Parsed(data[:cut]).values)
        assert left in [*heads, len(rows)]


@FEW
@given(st.lists(st.sampled_from(["q 0 a 1 2 t\n", "q 0 b 1 1 t\r\n", "\r\r\n", "# é\n", "\n"]), max_size=60))
def test_each_block_holds_as_many_rows_as_lines_of_data(lines):
    data = np.frombuffer("".join([*lines, "\n"]).encode(), np.uint8)
    parsed = Parsed(data)
    assert parsed.status == trec_text.OK
    assert len(parsed.values) == sum(line.startswith("q") for line in lines)
    assert parsed.is_ascii == bool((data < 128).all())


@FEW
@given(st.integers(0, 300), st.sampled_from(["\r", "\r\r"]), st.integers(0, 300))
def test_a_carriage_return_alone_is_found_wherever_it_stands(before, lone, after):
    line = "q 0 a 1 2 t"
    text = "\r\n" * before + line + lone + line + "\n" + "\r\n" * after
    data = np.frombuffer(text.encode(), np.uint8)
    place = 2 * before + len(line)
    assert trec_text.survey(data, 0, len(data))[3] == place
    assert trec_text.survey(data, 0, place)[3] == -1


@FEW
@given(st.text(alphabet="aé\r\n\0", max_size=200))
def test_a_survey_tells_what_no_reader_of_lines_sees(text):
    data = np.frombuffer(f"{text}\n".encode(), np.uint8)
    lone = re.search(rb"(?<!\r)\r+(?![\r\n])", data.tobytes())
    told = (text.count("\n") + 1, text.isascii(), "\0" in text, lone.start() if lone else -1)
    assert trec_text.survey(data, 0, len(data)) == told


WORDS = st.text(alphabet=[chr(c) for c in range(33, 127)] + ["é", "가", "😀"], min_size=1, max_size=90)
SHORT = st.text(alphabet="abc", min_size=1, max_size=17)
BLANKS = st.sampled_from([" ", "\t", "  ", " \x01\v", "\r\t"])
NUMBERS = st.one_of(
    st.integers(-(10**9), 10**9), st.decimals(places=4, min_value=-999, max_value=9999), st.floats(-1e9, 1e9)
)


@settings(FEW, max_examples=400)
@given(
    st.lists(
        st.tuples(st.one_of(SHORT, WORDS), st.one_of(SHORT, WORDS), NUMBERS, BLANKS, WORDS),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", " \n", " and more \n"]),
    st.integers(1, 3),
)
def test_lines_of_any_width_are_read_as_python_splits_them(rows, end, copies):
    rows = [(q.lstrip("#") or "q", *rest) for q, *rest in rows for _ in range(copies)]
    text = "".join(f"{q}{b}Q0 {i}{b}1{b}{n} {b}{tag}{end}" for q, i, n, b, tag in rows)
    data = np.frombuffer(text.encode(), np.uint8)
    heads = [n for n in range(len(rows)) if n == 0 or rows[n][0] != rows[n - 1][0]]
    for is_wide in (True, False):
        parsed = Parsed(data, is_wide=is_wide)
        assert parsed.status == trec_text.OK
        assert parsed.item.tolist() == [item for _, item, *_ in rows]
        assert parsed.values.tolist() == [float(number) for _, _, number, *_ in rows]
        assert parsed.firsts.tolist() == heads
        assert parsed.query.tolist() == [rows[n][0] for n in heads]
        assert parsed.keys.tolist() == parsed.item.keys.tolist()


def parsed_qrels(data, *, is_wide):
    """The columns of judgements, and the status and the line that it refers to."""
    lines, _, has_nul, _ = trec_text.survey(data, 0, len(data))
    columns = [np.zeros(lines, kind) for kind in "qQdqqqiii"]
    none = np.empty(0, np.uint8)
    rows, stretches, status, at = trec_text.parse(
        data, 0, len(data), 3, 4, is_wide and not has_nul, trec_text.EXACT, none, *columns
    )
    starts, keys, values, firsts, queries, topics, lengths, query_lengths, topic_lengths = columns
    ids = [
        Ids.of_spans(data, begin[:n], length[:n]).tolist()
        for begin, length, n in (
            (starts, lengths, rows),
            (topics, topic_lengths, rows),
            (queries, query_lengths, stretches),
        )
    ]
    return ids, keys[:rows].tolist(), values[:rows].tolist(), firsts[:stretches].tolist(), status, at


@settings(FEW, max_examples=400)
@given(
    st.lists(
        st.tuples(st.one_of(SHORT, WORDS), st.one_of(SHORT, WORDS), st.one_of(SHORT, WORDS), NUMBERS, BLANKS),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n \n# no line of data\n"]),
    st.one_of(st.none(), st.tuples(st.integers(0, 11), st.sampled_from(["too many", "few", "\0"]))),
)
def test_judgements_of_any_width_are_read_as_python_splits_them_and_refused_alike(rows, end, wrong):
    rows = [(q.lstrip("#") or "q", *rest) for q, *rest in rows]
    lines = [f"{q}{b}{t} {i}{b}{n}" for q, t, i, n, b in rows]
    if wrong is not None:
        at = wrong[0] % len(rows)
        lines[at] = lines[at].rsplit(None, 1)[0] if wrong[1] == "few" else f"{lines[at]} {wrong[1]}"
    data = np.frombuffer("".join(line + end for line in [*lines, MORE.strip()]).encode(), np.uint8)
    found = parsed_qrels(data, is_wide=True)
    assert found == parsed_qrels(data, is_wide=False)
    (items, topics, queries), keys, values, firsts, status, _ = found
    if wrong is not None:
        assert status != trec_text.OK
        rows = rows[: wrong[0] % len(rows)]
    assert values == [float(number) for *_, number, _ in rows]
    assert topics == [topic for _, topic, *_ in rows]
    assert items == [item for _, _, item, *_ in rows]
    if wrong is None:
        heads = [n for n in range(len(rows)) if n == 0 or rows[n][0] != rows[n - 1][0]]
        assert (firsts, queries) == (heads, [rows[n][0] for n in heads])
        assert keys == Ids.of_strings(items).keys.tolist()


NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
RANKS = st.one_of(
    st.integers(-3, 10**12).map(str),
    st.sampled_from(
        ["1.0", "-", "report", "2nd", "3-", "12345678", "123456789", "1234567x", "12345678x", "٣", "1e3"]
    ),
)


def status_of(words, rule, placeholder):
    """The status of a line of a run, in plain Python."""
    if len(words) < 6:
        return trec_text.FEW_COLUMNS
    is_rank = words[3] == placeholder if placeholder else NUMBER.fullmatch(words[3])
    if rule != trec_text.ANY_WORDS and not is_rank:
        return trec_text.WRONG_RANK
    return trec_text.MANY_COLUMNS if rule == trec_text.EXACT and len(words) > 6 else trec_text.OK


@settings(FEW, max_examples=600)
@given(
    st.lists(
        st.tuples(
            SHORT,
            st.one_of(SHORT, WORDS),
            RANKS,
            BLANKS,
            st.one_of(SHORT, WORDS),
            st.sampled_from(["", " ", "\t\r", " more", " a b"]),
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(trec_text.RULES),
    st.sampled_from(["", "-", "report"]),
)
def test_ranks_and_words_behind_the_tag_are_looked_at_as_the_rule_says(rows, rule, placeholder):
    lines = [f"{q} Q0{b}{i} {r}{b}1.5{b}{tag}{end}" for q, i, r, b, tag, end in rows]
    expected = [status_of(re.split("[\x01-\x20]+", line.strip()), rule, placeholder) for line in lines]
    bad = next((n for n, status in enumerate(expected) if status), None)
    text = "".join(f"{line}\n" for line in lines)
    for more in ("", MORE):  # with and without room to read many bytes at a time
        data = np.frombuffer((text + more).encode(), np.uint8)
        for is_wide in (True, False):
            parsed = Parsed(data, is_wide=is_wide, rule=rule, placeholder=placeholder.encode())
            if bad is None:
                assert (parsed.status, len(parsed.values)) == (trec_text.OK, len(rows))
            else:
                assert (parsed.status, len(parsed.values)) == (expected[bad], bad)
                assert parsed.at == len("".join(f"{line}\n" for line in lines[:bad]).encode())


@FEW
@given(
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from(["", " ", "  "]),
    st.sampled_from(["", "x", "more words"]),
)
def test_a_word_behind_the_tag_is_found_wherever_64_bytes_end(item, tag, blank, more):
    words = ["q", "Q0", "i" * (item + 1), "1", "2", "t" * (tag + 1)]
    data = np.frombuffer(f"{' '.join(words)}{blank} {more}\n{MORE}".encode(), np.uint8)
    parsed = Parsed(data, rule=trec_text.EXACT)
    assert parsed.status == (trec_text.MANY_COLUMNS if more else trec_text.OK)


@FEW
@given(st.binary(min_size=1, max_size=700), st.integers(1, 40))
def test_line_ends_are_counted_alike_on_all_processors(content, copies):
    content *= copies
    data = np.frombuffer(content, np.uint8)
    seen = int(np.bitwise_or.reduce(data))
    expected = content.count(b"\n"), b"\r" in content, b"\0" in content, seen
    for anywhere in (True, False):
        assert trec_lines.ends_of(data, anywhere=anywhere) == expected


def test_many_line_ends_are_counted():
    data = np.full(100_003, 10, np.uint8)
    assert trec_lines.ends_of(data, anywhere=False) == (100_003, False, False, 10)


@FEW
@given(st.binary(min_size=64, max_size=64))
def test_bytes_are_marked_alike_on_all_processors(content):
    data = np.frombuffer(content, np.uint8)
    expected = tuple(
        sum(1 << i for i, c in enumerate(content) if is_marked(c))
        for is_marked in (lambda c: c <= 32, lambda c: c == 10)
    )
    for anywhere in (True, False):
        assert trec_lines.marks_of(data, 0, anywhere=anywhere) == expected


def test_every_byte_is_marked_wherever_it_stands():
    for byte in range(256):
        data = np.full(64, byte, np.uint8)
        every_bit = (1 << 64) - 1
        for anywhere in (True, False):
            told = trec_lines.marks_of(data, 0, anywhere=anywhere)
            assert told == (every_bit * (byte <= 32), every_bit * (byte == 10))
