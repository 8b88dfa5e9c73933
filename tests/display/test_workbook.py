"""Files for Excel, as openpyxl reads them: every cell is the cell of the table, and nothing else is made of it."""

from __future__ import annotations

import sys

import pytest
from tests.results.test_segments import QRELS, RUN

import rankwell as rw
from rankwell.cli import run
from rankwell.display.table import Column, Table
from rankwell.display.workbook import save_workbook

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
pytest.importorskip("xlsxwriter", reason="XlsxWriter is not installed")


def sheets(path):
    book = openpyxl.load_workbook(path)
    return {sheet.title: [list(row) for row in sheet.values] for sheet in book}


def test_cells_are_what_they_are_and_look_as_elsewhere(tmp_path):
    columns = [Column("id"), Column("n", "count"), Column("ap", "value", better="higher")]
    rows = [
        ("=1+1", 1, 0.123456789012345),
        ("0012", 2**60, 0.25),
        ("http://a", None, float("inf")),
        ("\udcff", -3, None),
    ]
    save_workbook([Table(columns, rows, mark_best=True, marks={(1, 2): "**"})], tmp_path / "a.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["table 1"]
    assert list(sheet.values) == [
        ("id", "n", "ap ↑"),
        ("=1+1", 1, 0.123456789012345),
        ("0012", str(2**60), 0.25),
        ("http://a", None, "inf"),
        ("?", -3, None),
    ]
    assert [cell.data_type for cell in sheet["A"]] == ["s"] * 5
    assert sheet["A4"].hyperlink is None
    assert (sheet["C2"].number_format, sheet["C3"].number_format) == ("0.0000", '0.0000"**"')
    assert [cell.font.bold for cell in sheet["C"][1:4]] == [False, False, True]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:C5")


def test_names_of_sheets_are_allowed_and_different_and_captions_are_kept(tmp_path):
    captions = ["a/b: [c]", "A b. More of it", "x" * 40, "X" * 40, "notes", "*?", ""]
    save_workbook(
        [Table([Column("q")], [("r",)], caption=each, notes=["why"]) for each in captions],
        tmp_path / "a.xlsx",
    )
    found = sheets(tmp_path / "a.xlsx")
    assert list(found) == ["a b", "A b 2", "x" * 31, f"{'X' * 29} 2", "notes 2", "table", "table 7", "notes"]
    assert found["notes"][:4] == [
        ["sheet", "note"],
        ["a b", "a/b: [c]"],
        ["a b", "why"],
        ["A b 2", "A b. More of it"],
    ]


def test_what_does_not_fit_is_refused_and_leaves_no_file(tmp_path, monkeypatch):
    path = tmp_path / "a.xlsx"
    with pytest.raises(rw.RankwellError, match=r"at most 32,767 characters.* has 32,768; write \.csv"):
        save_workbook([Table([Column("q")], [("x" * 32_768,)])], path)
    monkeypatch.setattr("rankwell.display.workbook.MOST_ROWS", 3)
    save_workbook([Table([Column("q")], [("x",)] * 2)], path)
    path.unlink()
    with pytest.raises(
        rw.RankwellError, match=r"at most 3 rows, but table 1 has 3; write \.csv or \.parquet"
    ):
        save_workbook([Table([Column("q")], [("x",)] * 3)], path)
    assert not list(tmp_path.iterdir())


def test_results_are_saved_with_the_value_of_each_query(tmp_path):
    res = rw.evaluate(RUN, QRELS, ["ndcg@10", "ap"])
    res.save(tmp_path / "res.xlsx")
    found = sheets(tmp_path / "res.xlsx")
    assert list(found) == ["run", "queries", "notes"]
    assert {row[0].split()[0]: row[1] for row in found["run"][1:]} == pytest.approx(res.mean, abs=1e-15)
    expected = [["run", str(query), *values] for query, *values in res.per_query.iter_rows()]
    assert found["queries"][0] == ["run", "query", "ndcg@10", "ap"]
    for row, wanted in zip(found["queries"][1:], expected, strict=True):
        assert row[:2] == wanted[:2]
        assert row[2:] == pytest.approx(wanted[2:], rel=1e-15), "16 digits are kept"
    with pytest.raises(rw.RankwellError, match=r"\.jsonl or \.xlsx, by the suffix"):
        rw.compare({"a": res, "b": res}).save(tmp_path / "x.doc")
    rw.compare({"a": res, "b": res}).save(tmp_path / "both.xlsx")
    assert list(sheets(tmp_path / "both.xlsx"))[1:] == ["pairs", "notes"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n3 0 a 1\n")
    for name, items in ("old", "aba"), ("new", "abb"):
        lines = (f"{query} Q0 {item} 1 1 x\n" for query, item in enumerate(items, 1))
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def test_commands_write_them(files, capsys):
    evaluated = ["evaluate", "qrels", "old", "new", "-m", "p@1"]
    assert run([*evaluated, "-o", "all.xlsx", "--per-query", "--interval"]) == 0
    found = sheets("all.xlsx")
    assert list(found) == ["runs", "intervals", "queries", "notes"]
    assert [row[0] for row in found["runs"]] == ["run", "old", "new"]
    expected = rw.evaluate("new", "qrels", ["p@1"]).interval("p@1")
    assert found["intervals"][2] == [
        "new",
        "p@1",
        pytest.approx(expected.mean),
        pytest.approx(expected.low),
        pytest.approx(expected.high),
    ]
    assert found["queries"][1:3] == [["old", "1", 1], ["old", "2", 1]]
    assert run([*evaluated, "-o", "means.xlsx"]) == 0
    assert list(sheets("means.xlsx")) == ["runs", "notes"]
    assert run(["evaluate", "qrels", "old", "-m", "p@1", "--rel-sweep", "1,2", "-o", "sweep.xlsx"]) == 0
    assert len(next(iter(sheets("sweep.xlsx").values()))) == 3
    assert run(["compare", "qrels", "old", "new", "-m", "p@1", "--pairs", "-o", "both.xlsx"]) == 0
    found = sheets("both.xlsx")
    assert list(found) == ["2 systems on 3 queries", "pairs", "notes"]
    assert found["pairs"][1][:4] == ["p@1", "old", "new", 3]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_command_asks_for_a_file_and_for_the_package_before_the_work(command, files, capsys, monkeypatch):
    words = [command, "nowhere", "old", "new", "-m", "p@1"]
    assert run([*words, "--format", "xlsx"]) == 2
    assert capsys.readouterr().err == "rankwell: --format xlsx writes a file for Excel: give -o FILE.xlsx.\n"
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    assert run([*words, "-o", "x.xlsx"]) == 2
    needs = (
        "rankwell: x.xlsx: files for Excel need XlsxWriter: pip install 'rankwell[excel]'; or write .csv.\n"
    )
    assert capsys.readouterr().err == needs
    assert not (files / "x.xlsx").exists()
