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


def parse_one(number):
    line = f"q Q0 d 1 {number} tag\n".encode()
    parts = trec_text.parse(np.frombuffer(line, np.uint8), 0, len(line), np.empty(0, np.int64), 4, 6, False)
    return parts[7], parts[8]


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
    parts = trec_text.parse(np.frombuffer(line, np.uint8), 0, len(line), np.empty(0, np.int64), 4, 6, False)
    assert parts[8] == trec_text.FEW_COLUMNS


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
    parts = trec_text.parse(data, 0, len(data), np.empty(0, np.int64), 4, 6, False)
    assert parts[8] == trec_text.OK
    assert Ids.of_spans(data, parts[3], parts[4]).tolist() == [row[1] for row in rows]
    assert parts[7].tolist() == [row[2] for row in rows]
    heads = [n for n in range(len(rows)) if n == 0 or rows[n][0] != rows[n - 1][0]]
    assert parts[0].tolist() == heads
    assert Ids.of_spans(data, parts[1], parts[2]).tolist() == [rows[n][0] for n in heads]
    lines, lengths = trec_lines.index(data, 0, len(data))
    assert Ids.of_spans(data, lines, lengths).tolist() == [row[0] for row in rows]
    if rows:
        cut = trec_lines.next_query(data, 0, len(data))
        left = trec_lines.index(data, 0, cut)[0]
        assert len(left) in [*heads, len(rows)]


@FEW
@given(st.lists(st.sampled_from(["q 0 a 1 2 t\n", "q 0 b 1 1 t\r\n", "\r\r\n", "# é\n", "\n"]), max_size=60))
def test_each_block_holds_as_many_rows_as_lines_of_data(lines):
    data = np.frombuffer("".join([*lines, "\n"]).encode(), np.uint8)
    parts = trec_text.parse(data, 0, len(data), np.empty(0, np.int64), 4, 6, False)
    assert parts[8] == trec_text.OK
    assert len(parts[7]) == sum(line.startswith("q") for line in lines)
    assert parts[10] == bool((data < 128).all())


@FEW
@given(st.integers(0, 300), st.sampled_from(["\r", "\r\r"]), st.integers(0, 300))
def test_a_carriage_return_alone_is_found_wherever_it_stands(before, lone, after):
    line = "q 0 a 1 2 t"
    text = "\r\n" * before + line + lone + line + "\n" + "\r\n" * after
    data = np.frombuffer(text.encode(), np.uint8)
    place = 2 * before + len(line)
    parts = trec_text.parse(data, 0, len(data), np.empty(0, np.int64), 4, 6, False)
    assert parts[8:10] == (trec_text.LONE_RETURN, place)
    assert trec_text.survey(data, 0, len(data)) == (True, place)
    assert trec_text.survey(data, 0, place) == (True, -1)


@FEW
@given(st.text(alphabet="aé\r\n", max_size=200))
def test_a_survey_tells_what_no_reader_of_lines_sees(text):
    data = np.frombuffer(f"{text}\n".encode(), np.uint8)
    lone = re.search(rb"(?<!\r)\r+(?![\r\n])", data.tobytes())
    assert trec_text.survey(data, 0, len(data)) == (text.isascii(), lone.start() if lone else -1)
