"""Gains of launches offline and online: worked numbers, τ and the signs by hand, what tables may hold, and what is refused."""

from __future__ import annotations

import json
import math
import re
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from tests.evidence import PACKED

import rankwell as rw
from rankwell.errors import RankwellError

WORKED = {
    case["id"]: case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["section"] == "D online"
}
GIVEN = WORKED["d.online"]["input"]
TABLE = {"launch": [f"L{n}" for n in range(8)], "offline": GIVEN["offline"], "online": GIVEN["online"]}


def bounds(estimate):
    return None if math.isnan(estimate.low) else [estimate.low, estimate.high]


@pytest.mark.parametrize("name", WORKED)
def test_worked_launches_have_their_numbers(name):
    case = WORKED[name]
    given, expected, near = case["input"], case["expected"], case.get("tolerance", 1e-12)
    found = rw.online({word: given[word] for word in ("offline", "online")})
    assert found.tau.value == pytest.approx(expected["tau_b"], abs=near)
    wanted = expected["tau interval"]
    assert bounds(found.tau) == (wanted if wanted is None else pytest.approx(wanted, abs=near))
    assert [found.equal, found.signed] == expected["signs"]
    assert bounds(found.signs) == pytest.approx(expected["wilson"], abs=near)
    assert found.slope == pytest.approx(expected["slope"], abs=near)
    if "slope with both se" in expected:
        assert rw.online(given).slope == pytest.approx(expected["slope with both se"], abs=near)


def test_tau_is_that_of_all_pairs_in_any_unit():
    rng = np.random.default_rng(2)
    for scale in (1e-12, 1, 1e9):
        x, y = rng.integers(-4, 5, 15), rng.integers(-4, 5, 15)
        pairs = [(x[i] - x[j], y[i] - y[j]) for i, j in combinations(range(15), 2)]
        balance = sum(np.sign(a * b) for a, b in pairs)
        decided = sum(a != 0 for a, _ in pairs) * sum(b != 0 for _, b in pairs)
        found = rw.online({"offline": x * scale, "online": y * scale})
        assert found.tau.value == pytest.approx(balance / math.sqrt(decided), abs=1e-12)


def test_a_table_is_a_file_a_frame_records_or_columns_by_any_name(tmp_path):
    expected = rw.online(TABLE).to_dict() | {"name": ""}
    frame = pl.DataFrame(TABLE)
    frame.write_csv(tmp_path / "gains.csv")
    frame.write_parquet(tmp_path / "gains.parquet")
    renamed = frame.rename({"launch": "experiment", "offline": "Δ ndcg", "online": "ctr"})
    tables = [frame, frame.to_dicts(), tmp_path / "gains.csv", str(tmp_path / "gains.parquet")]
    found = [rw.online(table) for table in tables]
    found.append(rw.online(renamed, columns={"Δ ndcg": "offline", "ctr": "online"}))
    for each in found:
        assert each.to_dict() | {"name": ""} == expected
    assert found[2].name == "gains.csv"


def test_rows_with_a_missing_value_are_left_out_and_counted_and_columns_not_read_are_named():
    rows = [{"launch": f"L{n}", "offline": n - 1, "online": n, "note": "x"} for n in range(4)]
    rows += [
        {"launch": "L8", "offline": None, "online": 1},
        {"launch": "L9", "offline": 1, "online": math.nan},
    ]
    found = rw.online(rows)
    assert (len(found.rows), found.left_out, found.unread) == (4, 2, ("note",))
    text = str(found)
    assert "rows left out for a missing value: 2" in text
    assert "columns not read: 'note'" in text


def test_what_has_no_interval_or_no_value_says_why():
    ten = list(range(-3, 7))
    assert "τ_b: no interval, as it is ±1" in str(rw.online({"offline": ten, "online": ten}))
    assert "τ_b: no interval, as fewer than 8 launches" in str(rw.online({"offline": ten[:7], "online": ten[:7]}))  # fmt: skip
    flat = rw.online({"offline": ten, "online": [1] * 10})
    assert math.isnan(flat.tau.value)
    assert "τ_b: undefined, as all gains online are equal" in str(flat)
    none = rw.online({"offline": [0] * 10, "online": ten})
    assert none.signed == 0
    assert "left out for a gain of exactly 0: 10" in str(none)
    assert math.isnan(none.signs.value)
    assert math.isnan(none.slope)
    assert "slope: undefined" in str(none)
    assert none.to_dict()["signs"]["value"] is None


def test_a_plain_slope_says_that_it_is_too_flat_and_standard_errors_mend_it():
    rng = np.random.default_rng(5)
    true = rng.normal(size=400)
    se = rng.uniform(0.5, 1, (2, 400))
    columns = {
        "offline": true + rng.normal(size=400) * se[0],
        "online": 3 * true + rng.normal(size=400) * se[1],
    }
    plain, mended = (
        rw.online(columns | more) for more in ({}, {"se_offline": se[0], "online_se": se[1], "x": se[0]})
    )
    assert plain.slope < 2.2
    assert 2.8 < mended.slope < 3.2
    assert "too flat" in str(plain)
    assert "too flat" not in str(mended)


def test_errors_of_one_side_leave_no_row_out_and_are_said_not_to_be_read():
    launches = {"offline": [1.0, 2, 4, 3], "online": [1.0, 2, 3, 4]}
    plain = rw.online(launches)
    for more in ({"se_offline": [0.1, None, None, 0.2]}, {"se_online": [0.1] * 4, "se_offline": [None] * 4}):
        found = rw.online(launches | more)
        assert (found.left_out, found.unread) == (0, tuple(more))
        assert (str(found.rows), found.slope) == (str(plain.rows), plain.slope)
        assert not found.has_errors
        assert "columns not read: 'se_o" in found.to_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"offline": None}, "table: there is no column offline; the columns are 'launch', 'online'. Say which it is: columns={'its name': 'offline'}."),
        ({"launch": [*"abcdefga"]}, "table, row 8: launch 'a' is at table, row 1 already. A launch has one row: leave one out, or name them apart."),
        ({"online": [*"1234567x"]}, "table, row 8: 'x', but online is a number written such as -0.5, with a point, without % or other signs; leave the cell empty if it is not known."),
        ({"online": [1, 2, 3, 4, 5, 6, 7, math.inf]}, "table, row 8: inf, but online is a number of at most 1e50."),
        ({"online": ["5%"] * 8}, "table, row 1: '5%', but online is a number written such as -0.5, with a point, without % or other signs; leave the cell empty if it is not known."),
        ({"offline": ["0,5"] * 8}, "table, row 1: '0,5', but offline is a number written such as -0.5, with a point, without % or other signs; leave the cell empty if it is not known."),
        ({"online": [True] * 8}, "table: the column 'online' is Boolean; online is a number."),
        ({"se_online": [1, 1, -1, 1, 1, 1, 1, 1]}, "table, row 3: -1, but se_online is a number above 0; without such errors, leave the column out."),
        ({"se_offline": [0.0] * 8}, "table, row 1: 0.0, but se_offline is a number above 0; without such errors, leave the column out."),
        ({"online": [1, 2, *[None] * 6]}, "table: 2 launches besides 6 with a missing value; give a table of 3 to 5,000, a row for each."),
        ({"Offline gain": TABLE["online"], "offline_gain": TABLE["online"], "offline": None}, "table: 'Offline gain', 'offline_gain' could each be the offline. Say which: columns={'Offline gain': 'offline'}."),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_read_gives_one_error(change, said):
    table = {word: own for word, own in (TABLE | change).items() if own is not None}
    with pytest.raises(RankwellError, match=rf"^{re.escape(said)}$"):
        rw.online(table)


def test_launches_are_saved_whole_and_edited_files_are_refused(tmp_path):
    found = rw.online(GIVEN)
    found.save(tmp_path / "launches.json")
    again = rw.Launches.load(tmp_path / "launches.json")
    assert again.to_json() == found.to_json()
    assert again.to_frame().equals(found.to_frame())
    found.save(tmp_path / "launches.csv")
    assert len(pl.read_csv(tmp_path / "launches.csv")) == 8
    text = (tmp_path / "launches.json").read_text(encoding="utf-8")
    for old, new in (
        ('"offline": 0.01,', '"offline": null,'),
        ('"se_offline": 0.002', '"se_offline": -0.002'),
    ):
        (tmp_path / "edited.json").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(
            RankwellError,
            match=r"edited\.json: this file of launches is damaged .*; make and save it again\.",
        ):
            rw.Launches.load(tmp_path / "edited.json")
