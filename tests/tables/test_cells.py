"""Cells of several types in one column: each keeps its value, whichever comes first, or is refused with its row."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from tests.every import every

import rankwell as rw
from rankwell.tables.series import series_of

BIG = 2**53 + 1
NUMBERS = [
    True, 3, 0.7, 300, np.True_, np.int8(3), np.uint8(200), np.int64(-5), np.float16(0.5), np.float32(0.1), np.float64(0.7),
    np.longdouble(0.25), Decimal("0.25"), Fraction(1, 4), float("inf"),
]  # fmt: skip
TIMES = [
    dt.timedelta(1),
    dt.date(2020, 1, 1),
    dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    pd.Timestamp("2020"),
    pd.Timedelta(5),
]


def rows(word, cells):
    other = {"query": "u", "item": "x", "score": 0.0, "grade": 0}
    kinds = ["query", "item", word] if word in ("score", "grade") else ["query", "item"]
    columns = {kind: [other[kind]] * len(cells) for kind in kinds}
    columns["item"] = [*"abcdefg"[: len(cells)]]
    return columns | {word: list(cells)}


TABLES = {
    "records": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    "a dict of columns": lambda columns: columns,
    "a frame of objects": lambda columns: pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()}),
}  # fmt: skip


@every("table", TABLES)
@every("first", NUMBERS)
def test_a_number_is_itself_beside_numbers_of_every_other_type(table, first):
    for second in NUMBERS:
        cells = [first, second, 0.3]
        floats = [float(cell) for cell in cells]
        run = rw.read_run(TABLES[table](rows("score", cells)))
        assert run.rows.table().key.tolist() == floats, (first, second)
        if np.isfinite(floats).all():
            qrels = rw.read_qrels(TABLES[table](rows("grade", cells)))
            assert qrels.grade.tolist() == floats, (first, second)


@every("table", TABLES)
@every("cells", [[0.5, BIG], [np.float32(0.5), BIG], [BIG, 0.5], [True, BIG], [BIG, Fraction(1, 2)]])
def test_a_whole_number_that_no_float_holds_is_refused_beside_fractions_in_any_order(table, cells):
    for read, word in ((rw.read_run, "score"), (rw.read_qrels, "grade")):
        with pytest.raises(rw.RankwellError, match=f"the {word} {BIG} is too large to be kept exactly"):
            read(TABLES[table](rows(word, cells)))


@every("table", TABLES)
@every("time", TIMES)
def test_a_time_beside_numbers_is_no_number(table, time):
    for cells in ([0.5, time], [time, 0.5], [1, time], [time, True]):
        for read, word in ((rw.read_run, "score"), (rw.read_qrels, "grade")):
            with pytest.raises(rw.RankwellError, match=f"row [12]: the {word} is .*, not a number"):
                read(TABLES[table](rows(word, cells)))


@every("table", TABLES)
def test_true_is_no_id_beside_others(table):
    for cells in ([True, 2], [2, True], [np.True_, 2], ["a", True], [False, "a"], [1.5, True]):
        for read in (rw.read_run, rw.read_qrels):
            with pytest.raises(
                rw.RankwellError,
                match=r"row [12]: item ids must be all str or all int, but there are bool and",
            ):
                read(TABLES[table](rows("item", cells)))


@every("table", ["records", "a frame of objects"])
def test_what_is_missing_among_text_is_no_id(table):
    for cells in (["a", float("nan")], [float("nan"), "a"], ["a", np.nan, "b"]):
        row = next(row for row, cell in enumerate(cells, 1) if cell not in ("a", "b"))
        for read in (rw.read_run, rw.read_qrels):
            with pytest.raises(rw.RankwellError, match=f"row {row}: the item is missing"):
                read(TABLES[table](rows("item", cells)))


def test_what_is_missing_among_text_in_json_is_no_id(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(TABLES["records"](rows("item", ["a", float("nan")]))))
    with pytest.raises(rw.RankwellError, match=r"a\.json, record 2: the item is missing"):
        rw.read_run(path)


def test_cells_that_nobody_reads_may_be_of_any_types():
    run = rows("score", [0.1, 0.9]) | {
        "when": [dt.date(2020, 1, 1), 1],
        "flag": [True, "x"],
        "big": [0.5, BIG],
    }
    for make in TABLES.values():
        assert rw.evaluate(make(run), {"u": ["b"]}, ["rr"]).mean == {"rr": 1}


def test_a_column_of_one_type_is_the_series_of_polars():
    for cells in ([np.float32(0.1)] * 2, [True, False], [BIG, 1], ["a", None], [dt.date(2020, 1, 1)] * 2):
        assert series_of(cells, "x").to_list() == cells


def test_a_number_in_bytes_is_refused_in_one_line():
    for cell in (b".5", bytearray(b".5")):
        with pytest.raises(rw.RankwellError, match=r"^run, row 1: .*, not (a number|numbers)\.$"):
            rw.Run(["u", "u"], ["a", "b"], [cell, 0.3])


@every("unit", ["s", "m", "h", "D", "W", "M", "Y", "ms", "us", "ns", "ps"])
def test_a_column_of_times_in_any_unit_is_read_beside_scores_and_divides_a_log(unit):
    times = np.array([1, 2, 3]).astype(f"datetime64[{unit}]")
    columns = {"user": [*"uuu"], "item": [*"abc"], "score": [0.1, 0.9, 0.5]}
    for time in (times, times - times[0]):
        for table in (
            columns | {"time": time},
            pd.DataFrame(columns | {"time": time}) if unit != "ps" else columns,
        ):
            assert rw.evaluate(table, {"u": ["c"]}, ["rr"]).mean == {"rr": 0.5}
    if unit in "smhDWMY":
        for log in (columns | {"time": times}, pd.DataFrame(columns | {"time": times})):
            assert rw.prepare.split(log, "last").test["item"].to_list() == ["c"]
            assert rw.prepare.split(log, "time", at=times[1]).test["item"].to_list() == ["b", "c"]


def test_numbers_behind_a_missing_one_are_numbers():
    assert series_of([None, 1, 0.5], "table", "wt").to_list() == [None, 1.0, 0.5]
    assert series_of([None, "a"], "table", "wt").to_list() == [None, "a"]
