"""Thousands between dots: known by other cells of their column, or asked about; sound scores with three decimals are neither.

The run has b before a, by its rows and where 1.200 is read as 1.2; by the numbers that are meant a is first.
"""

from __future__ import annotations

import re
import warnings

import polars as pl
import pytest
from tests.every import every

import rankwell as rw
from rankwell.tables.series import how_to_write, is_number

QRELS = {"u": {"a": 1}}


def written(folder, cells, sign=";"):
    path = folder / "run.csv"
    path.write_text(
        f"user{sign}item{sign}score\n"
        + "".join(f"u{sign}{item}{sign}{cell}\n" for item, cell in zip("bacdefg", cells, strict=False))
    )
    return path


@every("sign", [";", ",", "\t"])
@every("cells", [["900", "1.200", "3.500"], ["12", "12.345", "1.000", "0"], ["-900", "-1.200", "-3.000"]])
def test_whole_numbers_beside_three_digits_are_asked_about(tmp_path, sign, cells):
    with pytest.warns(
        rw.errors.DataWarning, match=f"'{cells[1]}' in the column 'score' was read as .*remove them"
    ):
        rw.evaluate(written(tmp_path, cells, sign), QRELS, ["rr"])


@every("cells", [
    ["0.123", "12.345", "1.5"], ["0.900", "1.200"], ["12.345", "7.120", "9.000"], ["12.345", "0", "1.222", "0"], ["1.2", "900", "3.500"],
    ["3", "2.125", "1.500", "0.5"], ["2", "1", "1.125"], ["1000", "1.125", "2.125"], ["1.1234", "2.123", "3"],
])  # fmt: skip
def test_sound_scores_are_not(tmp_path, cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rw.evaluate(written(tmp_path, cells), QRELS, ["rr"]).mean


@every("kind", ["csv", "frame"])
@every("cells", [["3,5", "1.200"], ["900", "1.234.567", "2.300"]])
def test_what_is_known_of_a_column_is_told_of_its_thousands(tmp_path, kind, cells):
    run = (
        written(tmp_path, cells)
        if kind == "csv"
        else pl.DataFrame({"user": ["u"] * len(cells), "item": list("bac"[: len(cells)]), "score": cells})
    )
    with pytest.raises(rw.RankwellError, match=r"So (1\.200|2\.300) in its column is (1200|2300), too"):
        rw.evaluate(run, QRELS, ["rr"])


@every(("text", "meant"), [
    ("(3)", -3), ("3,5-", -3.5), ("1.234.567", 1234567), ("१२", 12), ("３", 3), ("\u22123", -3), ("1'000", 1000), ("1.#IND", None), ("-1.#INF", None),
    ("3.0.0", None), ("1.2.2026", None), ("0x10", None),
])  # fmt: skip
def test_a_number_is_advised_only_where_it_is_the_one_that_is_meant(text, meant):
    advised = re.fullmatch(r" Write it as (\S+)\.|", how_to_write(text))[1]
    assert (advised and is_number(advised) and float(advised)) == meant
