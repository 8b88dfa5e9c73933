"""What tables promise: honest rounding for people, every digit for programs, nothing that breaks the page."""

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

from rankwell.display.table import Column, Table, count, display_width, number
from rankwell.errors import UsageError

FINITE = st.floats(allow_nan=False, allow_infinity=False)
CLOSE = st.builds(lambda near, off: near + off, st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-2e-4, 2e-4))
TEXT = st.text(max_size=12)
WORDS = st.text("ab-_$|*\\&%#<>{}[]~^`\"'\n\x1b é\u0301日本ｱ한", max_size=8)
CELLS = st.tuples(WORDS, st.none() | st.integers(), st.none() | FINITE)
COLUMNS = (Column("run"), Column("queries", "count"), Column("ap", "value", better="higher"))


def two_runs() -> Table:
    columns = [Column("run"), Column("ndcg@10", "value", better="higher"), Column("queries", "count")]
    rows = [("bm25", 0.41204, 1225), ("dense_1", 0.41203, None)]
    return Table(columns, rows, caption="Cranfield", notes=["ties: item-desc"], mark_best=True)


def interval(text: str, digits: int) -> tuple[float, float]:
    """The values that a shown number admits, read back from its text alone."""
    if text[0] in "<>":
        bound = float(text[1:])
        return (bound - 10.0**-digits, bound) if text[0] == "<" else (bound, bound + 10.0**-digits)
    half = 0.5 * 10.0**-digits + 1e-15 * max(1, abs(float(text)))
    return float(text) - half, float(text) + half


# ---------------------------------------------------------------------------------------- honest numbers


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.0, 4, "0.0000"),
        (-0.0, 4, "0.0000"),
        (1.0, 4, "1.0000"),
        (1e-300, 4, "<0.0001"),
        (-1e-9, 4, ">-0.0001"),
        (0.99999, 4, ">0.9999"),
        (1.00001, 4, "<1.0001"),
        (-0.99999, 4, "<-0.9999"),
        (-1.00001, 4, ">-1.0001"),
        (0.5, 0, "<1"),
        (0.7, 0, ">0"),
        (2.00001, 4, "2.0000"),
        (0.00005001, 4, "0.0001"),
        (1234.5, 1, "1234.5"),
        (1e20, 2, "1.00e+20"),
        (math.inf, 4, "∞"),
        (-math.inf, 4, "-∞"),
        (math.nan, 4, "–"),
        (None, 4, "–"),
    ],
)
def test_a_number_is_rounded_but_says_0_or_1_only_when_it_is(
    value: float | None, digits: int, shown: str
) -> None:
    assert number(value, digits) == shown


@given(FINITE.filter(lambda v: abs(v) < 1e15) | CLOSE, st.integers(0, 9))
def test_a_shown_number_is_true(value: float, digits: int) -> None:
    text = number(value, digits)
    low, high = interval(text, digits)
    assert low <= value <= high
    if text[0] == "<":
        assert value < float(text[1:])
    elif text[0] == ">":
        assert value > float(text[1:])
    elif float(text) in (-1, 0, 1):
        assert value == float(text)
    assert "." not in text or len(text.partition(".")[2]) == digits


def test_counts_have_thousands_separators() -> None:
    assert [count(999), count(-1234567), count(None)] == ["999", "-1,234,567", "–"]


# ------------------------------------------------------------------------------------------------ golden


def test_a_text_table_aligns_numbers_and_stars_the_best() -> None:
    assert two_runs().to_text() == (
        "Cranfield\n"
        "\n"
        "run      ndcg@10 ↑  queries\n"
        "───────────────────────────\n"
        "bm25       *0.4120    1,225\n"
        "dense_1     0.4120        –\n"
        "\n"
        "* best value of its column\n"
        "ties: item-desc"
    )


def test_a_markdown_table_is_aligned_in_its_source_too() -> None:
    assert two_runs().to_markdown() == (
        "**Cranfield**\n"
        "\n"
        "| run      |  ndcg@10 ↑ | queries |\n"
        "| -------- | ---------: | ------: |\n"
        "| bm25     | **0.4120** |   1,225 |\n"
        "| dense\\_1 |     0.4120 |       – |\n"
        "\n"
        "*ties: item-desc*"
    )


def test_a_latex_table_has_booktabs_rules_and_escaped_names() -> None:
    assert two_runs().to_latex().splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Cranfield}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"run & ndcg@10 $\uparrow$ & queries \\",
        r"\midrule",
        r"bm25 & \textbf{0.4120} & 1,225 \\",
        r"dense\_1 & 0.4120 & \textendash{} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"{\par\footnotesize ties: item-desc\par}",
        r"\end{table}",
    ]


def test_an_html_table_has_a_caption_and_class_names_only() -> None:
    text = two_runs().to_html()
    assert text.startswith('<table class="rankwell">\n<caption>Cranfield</caption>\n<thead>')
    assert '<td class="value best"><strong>0.4120</strong></td><td class="count">1,225</td>' in text
    assert '<td class="note" colspan="3">ties: item-desc</td>' in text
    assert "style" not in text


def test_csv_json_and_records_are_not_rounded() -> None:
    table = two_runs()
    assert table.to_csv() == "run,ndcg@10,queries\nbm25,0.41204,1225\ndense_1,0.41203,"
    assert table.to_json() == (
        '[\n{"run": "bm25", "ndcg@10": 0.41204, "queries": 1225},\n'
        '{"run": "dense_1", "ndcg@10": 0.41203, "queries": null}\n]'
    )
    assert table.to_records()[1] == {"run": "dense_1", "ndcg@10": 0.41203, "queries": None}


def test_a_table_without_rows_is_a_header() -> None:
    table = Table([Column("run"), Column("ap", "value")], [], mark_best=True)
    assert table.to_text() == "run  ap\n───────"
    assert table.to_markdown() == "| run |  ap |\n| --- | --: |"
    assert (table.to_csv(), table.to_json(), table.to_records()) == ("run,ap", "[]", [])


# --------------------------------------------------------------------------------------------- marking


@pytest.mark.parametrize(
    ("better", "values", "places"),
    [
        ("higher", [0.1, 0.3, 0.2], {1}),
        ("lower", [0.1, 0.3, None], {0}),
        ("higher", [0.3, 0.3, math.nan], {0, 1}),
        ("higher", [0.30000001, 0.3, 0.1], {0}),
        ("neither", [0.1, 0.3, 0.2], set()),
        (None, [0.1, 0.3, 0.2], set()),
        ("higher", [None, 0.3, None], set()),
    ],
)
def test_the_best_are_those_really_equal_to_the_best(
    better: str, values: list[float], places: set[int]
) -> None:
    column = Column("ap", "value", better=better)  # type: ignore[arg-type]
    table = Table([column], [(value,) for value in values], mark_best=True)
    assert {row for row, _ in table.best()} == places
    assert not Table([column], table.rows).best()
    assert ("* best" in table.to_text()) == bool(places)


def test_colour_only_adds_bold_print() -> None:
    text = two_runs().to_text(colour=True)
    assert "\x1b[1m*" not in Table([Column("run")], [("*bm25",)]).to_text(colour=True)
    assert "\x1b[1m*0.4120\x1b[0m" in text
    assert re.sub(r"\x1b\[[01]m", "", text) == two_runs().to_text()


# ------------------------------------------------------------------------------------- alignment, width


def test_wide_and_combining_characters_fill_the_cells_a_terminal_gives_them() -> None:
    """Values from the East Asian Width property (Unicode TR 11) and from Rich, an independent program."""
    from rich import cells

    for text, width in {"密集": 4, "ｱ": 1, "Ａ": 2, "cafe\u0301": 4, "한글": 4, "naïve–↑": 7, "": 0}.items():
        assert display_width(text) == cells.cell_len(text) == width


@given(st.lists(CELLS, max_size=5), st.sampled_from([None, 1, 20, 30, 80]), st.booleans())
def test_all_lines_of_a_block_have_the_same_width(rows: list[Any], width: int | None, mark: bool) -> None:
    for block in Table(COLUMNS, rows, mark_best=mark).to_text(width).split("\n\n"):
        if not block.startswith("*"):
            assert len({display_width(line) for line in block.split("\n")}) == 1


@given(st.lists(st.floats(-1e6, 1e6) | CLOSE, min_size=1), st.integers(1, 6), st.booleans())
def test_decimal_points_stand_under_each_other(values: list[float], digits: int, mark: bool) -> None:
    column = Column("ap", "value", better="higher", digits=digits)
    table = Table([column], [(value,) for value in values], mark_best=mark)
    lines = table.to_text().split("\n\n")[0].split("\n")[2:]
    assert len({line.index(".") for line in lines}) == 1


def test_columns_that_do_not_fit_follow_in_blocks_after_the_first_column() -> None:
    table = Table(
        [Column("run"), *(Column(f"p@{k}", "value") for k in (5, 10, 20))], [("bm25", 0.5, 0.25, 0.125)]
    )
    assert table.to_text(width=20).split("\n\n") == [
        "run      p@5    p@10\n────────────────────\nbm25  0.5000  0.2500",
        "run     p@20\n────────────\nbm25  0.1250",
    ]
    assert table.to_text(width=19).startswith("run      p@5\n────────────\n")


def test_sentences_in_the_last_column_and_notes_are_wrapped() -> None:
    rows = [("ap", "the mean of precision at the ranks of relevant items"), ("rr", "one over the rank")]
    table = Table(
        [Column("metric"), Column("meaning")], rows, notes="see explain for the whole definition of each"
    )
    assert table.to_text(width=36).split("\n") == [
        "metric  meaning",
        "────────────────────────────────────",
        "ap      the mean of precision at the",
        "        ranks of relevant items",
        "rr      one over the rank",
        "",
        "see explain for the whole definition",
        "of each",
    ]


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
        ([], (), "needs a column"),
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
