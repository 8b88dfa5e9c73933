"""What tables promise: honest rounding for people, every digit for programs, nothing that breaks the page."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.display.tables import CELLS, COLUMNS, FINITE

from rankwell.display.table import Column, Table, count, display_width, number

CLOSE = st.builds(lambda near, off: near + off, st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-2e-4, 2e-4))


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


def test_marks_stand_behind_values_and_leave_decimal_points_aligned():
    table = Table(
        [Column("system"), Column("rr", "value")],
        [("a", 0.5), ("b", 0.25)],
        marks={(1, 1): " **"},
    )
    assert table.to_text().splitlines()[2:] == ["a       0.5000", "b       0.2500 **"]
    assert table.to_markdown().splitlines()[-1] == r"| b      | 0.2500 \*\* |"
    assert r"b & 0.2500\textsuperscript{{*}{*}} \\" in table.to_latex()
    assert "<td>0.2500" not in table.to_csv()
    assert table.to_csv().splitlines()[-1] == "b,0.25"


def test_the_labels_of_rows_stand_again_in_each_block():
    columns = [Column("tier"), Column("system"), *(Column(f"metric {at}", "value") for at in range(3))]
    shown = Table(columns, [("gold", "new", 0.1, 0.2, 0.3)], labels=2).to_text(width=32)
    blocks = shown.split("\n\n")
    assert len(blocks) == 2
    assert all(block.splitlines()[2].startswith("gold  new") for block in blocks)


def test_the_best_of_each_group_is_marked_where_several_labels_tell_rows_apart():
    columns = [Column("tier"), Column("system"), Column("rr", "value", better="higher")]
    rows = [("gold", "a", 0.5), ("gold", "b", 0.4), ("new", "a", 0.1), ("new", "b", 0.2), ("old", "a", 0.9)]
    table = Table(columns, rows, mark_best=True, labels=2)
    assert table.best() == {(0, 2), (3, 2)}
    assert "* best value of its column in each segment" in table.to_text()


def test_values_that_only_rounding_tells_apart_are_both_the_best():
    table = Table(
        [Column("system"), Column("p", "value", better="higher")],
        [["a", 0.1 + 0.2], ["b", 0.3], ["c", 0.2]],
        mark_best=True,
    )
    assert table.best() == {(0, 1), (1, 1)}
