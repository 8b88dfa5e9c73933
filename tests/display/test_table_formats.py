"""Tables in every format give back their numbers, and no text of a cell is markup."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import math
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.display.tables import CELLS, COLUMNS, FINITE, WORDS

from rankwell.display.table import Column, Table
from rankwell.errors import UsageError

TEXT = st.text(max_size=12)


# ----------------------------------------------------------------------------- round trips and escaping


def test_csv_of_one_column_has_no_blank_lines() -> None:
    assert Table([Column("ap", "value")], [(0.5,), (None,)]).to_csv() == 'ap\n0.5\n""'


@given(st.lists(st.tuples(TEXT, st.none() | st.integers(), st.none() | FINITE)))
@example([("", None, None), ('a"b,\r\n', 0, 5e-324), ("\r", -1, 0.1 + 0.2)])
def test_csv_gives_back_every_digit(rows: list[Any]) -> None:
    text = Table(COLUMNS, rows).to_csv()
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0] == ["run", "queries", "ap"]
    back = [(run, int(n) if n else None, float(ap) if ap else None) for run, n, ap in read[1:]]
    assert back == rows


@given(st.lists(st.tuples(TEXT, st.none() | st.integers(), st.none() | st.floats())))
@example([("NaN", 10**30, math.inf), ("", 0, -math.inf), ("", None, math.nan)])
def test_json_gives_back_every_digit_and_never_holds_nan(rows: list[Any]) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    table = Table(COLUMNS, rows)
    for record, (run, queries, ap) in zip(
        json.loads(table.to_json(), parse_constant=refuse), rows, strict=True
    ):
        undefined = ap is None or math.isnan(ap)
        back = float(record["ap"]) if record["ap"] is not None else None
        assert (record["run"], record["queries"], back) == (run, queries, None if undefined else ap)


@given(st.lists(CELLS, max_size=4), WORDS, WORDS)
@example([("&lt;b>", 1, None), ("&amp;", 1, None)], "<i>", "a<br>b")
def test_html_shows_any_text_as_it_is(rows: list[Any], caption: str, name: str) -> None:
    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.add(tag)

        def handle_data(self, data: str) -> None:
            texts.add(data)

    tags: set[str] = set()
    texts: set[str] = set()
    reader = Reader()
    table = Table([Column(name), *COLUMNS[1:2]], [row[:2] for row in rows], caption=caption)
    reader.feed(table.to_html())
    reader.close()
    assert tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    shown = [row[0].replace("\n", r"\n").replace("\x1b", r"\x1b") for row in rows]
    assert {text for text in shown if text.strip()} <= texts


@given(st.lists(CELLS, min_size=1, max_size=4))
def test_a_markdown_cell_never_ends_early_or_starts_markup(rows: list[Any]) -> None:
    lines = Table(COLUMNS, rows).to_markdown().split("\n")
    assert len(lines) == len(rows) + 2
    for line, (run, *_) in zip(lines[2:], rows, strict=True):
        cells = re.split(r"(?<!\\)(?:\\\\)*\|", line)
        assert len(cells) == 5
        shown = run.replace("\n", r"\n").replace("\x1b", r"\x1b")
        assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cells[1]).strip() == shown.strip()


@given(st.lists(CELLS, min_size=1, max_size=4))
@example([("a---b", 0, -0.5), ("[x]", 1, 1e-9), ("*", 2, 0.99999)])
def test_a_latex_row_holds_no_live_special_character(rows: list[Any]) -> None:
    lines = Table(COLUMNS, rows).to_latex().splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert len(body) == len(rows)
    for line in body:
        row = line.removesuffix(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == 2
        known = r"\\[&%$#_{}]|\\text(backslash|ascii(tilde|circum|grave)|endash)\{\}"
        known += r"|\$[<>|-]\$|\{[][*]\}|-\{\}(?=-)"
        assert not re.search(r"[\\%$#_{}~^<>|`*\[\]]|--", re.sub(known, " ", row))


def test_text_cannot_steer_the_terminal_or_break_a_line() -> None:
    text = Table([Column("run")], [("a\nb\x1b[31m\u202e\u2028",)], caption="one\ntwo\x1b").to_text()
    assert text.splitlines() == [r"one two\x1b", "", "run", "─" * 24, r"a\nb\x1b[31m\u202e\u2028"]


# ----------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("columns", "row", "message"),
    [
        ([Column("run"), Column("ap", "value")], ("bm25",), r"row 1: 1 cells for 2 columns \(run, ap\)"),
        ([Column("ap", "value")], ("high",), "row 1, column 'ap': expected number or None, not 'high'"),
        ([Column("n", "count")], (1.5,), "row 1, column 'n': expected whole number or None, not 1.5"),
        ([Column("n", "count")], (True,), "not True"),
        ([Column("run")], (0.5,), "expected text, whole number or None, not 0.5"),
        ([Column("ap"), Column("ap")], ("a", "b"), "two columns are named 'ap'"),
        ([], (), "needs at least one column"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_with_its_place(
    columns: list[Any], row: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        Table(columns, [row])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "float"}, "kind must be text, count or value, not 'float'"),
        ({"kind": "value", "better": "up"}, "better must be higher, lower or neither, not 'up'"),
        ({"better": "higher"}, "text cannot have better"),
        ({"kind": "value", "digits": 16}, "digits must be 0 to 15, not 16"),
    ],
)
def test_a_column_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Column("ap", **options)


def test_cells_of_numpy_become_plain_python() -> None:
    import numpy as np

    table = Table(COLUMNS, [(np.str_("a"), np.int64(3), np.float32(0.5)), ("b", None, np.float64("nan"))])
    assert [type(cell) for cell in table.rows[0]] == [str, int, float]
    assert (
        table.to_json()
        == '[\n{"run": "a", "queries": 3, "ap": 0.5},\n{"run": "b", "queries": null, "ap": null}\n]'
    )


def test_showing_a_table_needs_no_package_but_the_standard_library() -> None:
    code = (
        "import sys; from rankwell.display.table import *;"
        "print(Table([Column('run')], [('é',)]).to_text(80, True).encode(), *map(str, sys.modules))"
    )
    words = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not {"rich", "numpy", "polars", "html", "csv"} & set(words)
