"""Backtests against pairs that plain Python datetimes make, and against splits of MovieTweetings made by hand."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import tracemalloc
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence import PACKED
from tests.prepare.logs import movietweetings

import rankwell as rw
from rankwell.cli import run as command
from rankwell.prepare import backtest, split

UTC, DAY = dt.UTC, dt.timedelta(days=1)
CASES = {
    case["id"]: case
    for case in json.loads((PACKED / "worked_next.json").read_text(encoding="utf-8"))["cases"]
    if case["id"].startswith("d.backtest")
}


def log_of(times, **more):
    """A log with a row of its own number for each time."""
    rows = range(len(times))
    log = {"user": [f"u{row % 7}" for row in rows], "item": [f"i{row * row % 11}" for row in rows]}
    return log | {"row": list(rows), "time": times} | more


def midnight(moment):
    return dt.datetime.combine(moment.date(), dt.time(), UTC)


def by_hand(moments, every, horizon, gap, window):
    """The pairs of a log of moments in UTC, in a loop: origin, and the rows of both sides; and how many are left out."""
    start, end = midnight(min(moments)), midnight(max(moments)) + DAY
    pairs, short, origin = [], 0, start + every
    while origin < end:
        begin, since = origin + gap, start if window is None else origin - window
        if since >= start and begin + horizon > end:
            short += 1
        elif since >= start:
            train = [row for row, moment in enumerate(moments) if since <= moment < origin]
            test = [row for row, moment in enumerate(moments) if begin <= moment < begin + horizon]
            pairs.append((origin.date(), train, test))
        origin += every
    return pairs, short


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_pairs_are_those_of_the_worked_examples(case):
    asked = dict(case["input"])
    times = [asked.pop("first"), "2026-01-20", asked.pop("last")]
    found = backtest(log_of(times), **asked)
    shown = [
        {
            "train": [pair.train_from and str(pair.train_from.date()), str(pair.train_to.date())],
            "test": [str(pair.test_from.date()), str(pair.test_to.date())],
        }
        for pair in found
    ]
    assert shown == case["expected"]["pairs"]
    assert [str(pair.origin) for pair in found] == [pair["train"][1] for pair in shown]
    left_out = found.report["left out, since the test would outlast the log"]
    assert left_out == case["expected"]["left out as short"]


# what a log may hold as times, of moments in UTC; each loses what it cannot say
ZONES = [UTC, ZoneInfo("Asia/Seoul"), ZoneInfo("America/New_York"), dt.timezone(dt.timedelta(hours=-9.5))]
KINDS = {
    "seconds": lambda moments, _: [int(moment.timestamp()) for moment in moments],
    "floats": lambda moments, _: [moment.timestamp() for moment in moments],
    "milliseconds": lambda moments, _: [int(moment.timestamp()) * 1000 for moment in moments],
    "microseconds": lambda moments, _: np.array([int(moment.timestamp()) * 10**6 for moment in moments]),
    "nanoseconds": lambda moments, _: [int(moment.timestamp()) * 10**9 + 999 for moment in moments],
    "naive": lambda moments, _: [moment.replace(tzinfo=None) for moment in moments],
    "aware": lambda moments, zone: pl.Series([m.replace(tzinfo=None) for m in moments]).dt.replace_time_zone("UTC").dt.convert_time_zone(str(zone)) if isinstance(zone, ZoneInfo) else [moment.astimezone(zone) for moment in moments],
    "mixed": lambda moments, zone: [m.astimezone(zone) if row % 2 else m for row, m in enumerate(moments)],
    "text": lambda moments, _: [moment.strftime("%Y-%m-%dT%H:%M:%S") for moment in moments],
    "zoned text": lambda moments, zone: [moment.astimezone(zone).isoformat() for moment in moments],
    "milliseconds of Polars": lambda moments, _: pl.Series(moments).dt.cast_time_unit("ms"),
}  # fmt: skip
DURATIONS = st.builds(
    lambda n, unit: (f"{n}{unit[0]}", n * unit[1]),
    st.integers(1, 9),
    st.sampled_from([("d", DAY), ("w", 7 * DAY), ("h", DAY / 24), ("min", DAY / 1440)]),
)
MOMENTS = st.lists(
    # the year before 1973 is none of seconds since 1970; on whole hours, so that many are at a midnight of some zone
    st.integers(0, 24 * 70).map(lambda hours: dt.datetime(2011, 2, 20, tzinfo=UTC) + hours * DAY / 24),
    min_size=2, max_size=60,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(KINDS)), st.sampled_from(ZONES), MOMENTS, st.integers(1, 15),
    DURATIONS, st.none() | DURATIONS, st.none() | DURATIONS,
)  # fmt: skip
def test_no_row_of_training_data_is_of_the_future_and_each_pair_is_that_of_plain_datetimes(
    kind, zone, moments, days, horizon, gap, window
):
    log = log_of(KINDS[kind](moments, zone))
    lengths = (days * DAY, horizon[1], gap[1] if gap else 0 * DAY, window and window[1])
    expected, short = by_hand(moments, *lengths)
    asked = {
        "every": f"{days}d",
        "horizon": horizon[0],
        "gap": gap and gap[0],
        "window": window and window[0],
    }
    if not expected:
        with pytest.raises(rw.errors.DataError, match="hold 0 pairs"):
            backtest(log, **asked)
        return
    found = backtest(log, **asked)
    assert [
        (pair.origin, pair.train["row"].to_list(), pair.test["row"].to_list()) for pair in found
    ] == expected
    assert found.report["left out, since the test would outlast the log"] == short
    for pair, row in zip(found, found.report.tables[0].to_records(), strict=True):
        origin = dt.datetime.combine(pair.origin, dt.time(), UTC)
        begin = origin + lengths[2]
        assert (pair.train_to, pair.test_from, pair.test_to) == (origin, begin, begin + lengths[1])
        assert all(moments[at] < origin for at in pair.train["row"])
        assert all(begin <= moments[at] < begin + lengths[1] for at in pair.test["row"])
        train, test = pair.train, pair.test
        assert row == {
            "origin": str(pair.origin),
            "train rows": len(train), "train users": train["user"].n_unique(), "train items": train["item"].n_unique(),
            "test rows": len(test), "test users": test["user"].n_unique(),
            "cold users": len({*test["user"]} - {*train["user"]}),
            "test items": test["item"].n_unique(), "cold items": len({*test["item"]} - {*train["item"]}),
        }  # fmt: skip


def test_dates_and_moments_at_midnight_belong_to_the_day_that_begins():
    days = [dt.date(2026, 1, 1) + at * DAY for at in range(5)]
    found = backtest(log_of(days), every="1d", horizon=dt.timedelta(days=1))
    assert [pair.test["row"].to_list() for pair in found] == [[1], [2], [3], [4]]
    assert backtest(log_of(days), every=DAY, horizon="24h")[0].train["time"].to_list() == days[:1]


def test_the_order_of_the_log_changes_no_pair_and_is_kept_with_all_columns():
    rng = np.random.default_rng(0)
    log = pl.DataFrame(
        log_of(sorted(rng.integers(1_700_000_000, 1_705_000_000, 400).tolist()), note=["x"] * 400)
    )
    mixed = log[rng.permutation(400)]
    found, other = backtest(log), backtest(mixed)
    assert found.report.to_dict() == other.report.to_dict()
    for one, two in zip(found, other, strict=True):
        for side in ("train", "test"):
            own = getattr(two, side)
            assert getattr(one, side).equals(own.sort("row"))
            assert own.columns == log.columns
            assert own.equals(mixed.filter(pl.col("row").is_in(own["row"].implode())))


def test_rows_that_are_alike_are_kept_as_a_split_keeps_them():
    log = pl.DataFrame(log_of([1_700_000_000, 1_700_900_000])).drop("row")
    pair = backtest(pl.concat([log] * 3), every="1d", horizon="1d")["2023-11-25"]
    assert (len(pair.train), len(pair.test)) == (3, 3)
    by_time = split(pl.concat([log] * 3), at="2023-11-25")
    assert pair.train.equals(by_time.train)
    assert pair.test.equals(by_time.test)


def test_a_pair_is_found_by_its_number_its_date_and_a_slice():
    found = backtest(log_of(["2026-01-01", "2026-02-20"]))
    assert len(found) == 6
    assert (
        found["2026-01-15"]
        is found[dt.date(2026, 1, 15)]
        is found[1]
        is found[np.int64(-5)]
        is list(found)[1]
    )
    assert [pair.origin.day for pair in found[:2]] == [8, 15]
    with pytest.raises(
        rw.RankwellError, match=r"no origin is '2026-01-16'; the 6 are from 2026-01-08 to 2026-02-12. Did you"
    ):
        found["2026-01-16"]
    with pytest.raises(IndexError):
        found[6]
    assert repr(found) == found.report.to_text()
    assert "<table" in found._repr_html_()
    again = pickle.loads(pickle.dumps(found))
    assert again[2].test.equals(found[2].test)


def test_tests_that_overlap_or_are_empty_are_counted_and_said():
    times = ["2026-01-01", "2026-01-02", "2026-01-30"]
    found = backtest(log_of(times), horizon="14d", window="7d")
    assert (found.report["tests that overlap the one before"], len(found)) == (1, 2)
    assert found.report["pairs without test rows"] == 2
    assert found.report["pairs without training rows"] == 1
    assert [note.split(" ")[0] for note in found.report.notes] == ["Tests", "Some"]
    assert len(found[0].test) == 0
    assert found[0].test.columns == ["user", "item", "row", "time"]
    apart = backtest(log_of(["2026-01-01", "2026-01-08", "2026-01-16", "2026-01-21"])).report
    assert apart["pairs"] == 2
    assert (apart["tests that overlap the one before"], apart.notes) == (0, ())


def test_pairs_of_a_growing_window_are_not_held_together():
    rows = 200_000
    times = np.random.default_rng(1).integers(1_700_000_000, 1_710_000_000, rows)
    log = {"user": np.arange(rows) % 999, "item": np.arange(rows) % 77, "time": times}
    found = backtest(log)
    pairs = list(found)
    assert len(pairs) > 12
    tracemalloc.start()
    for pair in pairs:  # Polars' memory is not traced, so what a pair holds is looked at, too
        assert len(pair.train) + len(pair.test) > 0
        assert {type(value) for value in vars(pair).values()} <= {
            dt.date,
            dt.datetime,
            type(None),
            type(pair.places),
            type(pair.log),
        }
        assert pair.log is pairs[0].log
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < rows
    ordered = {name: values[np.argsort(times)] for name, values in log.items()}
    inside = backtest(ordered)[-1].train["item"]
    assert inside.equals(pl.Series("item", ordered["item"][: len(inside)]))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"every": "7 days"}, r"every='7 days': must be a length of time such as 7d, 2w.*Did you mean 7d\?"),
        ({"horizon": "1 Week"}, "Did you mean 1w?"),
        ({"gap": "30m"}, "gap='30m': .*Did you mean 30min?"),
        ({"window": 28}, "window=28: .*Did you mean 28d?"),
        ({"horizon": "P7D"}, "or a timedelta.$"),
        ({"horizon": "1 month"}, "or a timedelta.$"),
        ({"horizon": "1M"}, "or a timedelta.$"),
        ({"horizon": 0}, "or a timedelta.$"),
        ({"horizon": "0d"}, "horizon='0d': must be a length"),
        ({"every": -DAY}, "every=.*: must be a length"),
        ({"window": "-3d"}, "must be a length"),
        ({"every": "9" * 7 + "d"}, "must be a length"),
        ({"every": None}, "every=None: must be a length"),
        ({"every": "36h"}, "every='36h': origins are midnights.*whole days, such as 1d"),
        ({"window": "300w"}, r"2026-01-01 to 2026-02-10, 41 days, hold 0 pairs .*window 300w\). A pair takes two days, with every='1d', horizon='1d' and neither"),
        ({"every": "999999w", "window": dt.timedelta.max}, "hold 0 pairs"),
        ({"gap": dt.timedelta.max, "horizon": dt.timedelta.max}, "hold 0 pairs"),
        ({"hold": "1d"}, "there is no argument hold="),
    ],
)  # fmt: skip
def test_lengths_that_do_not_fit_are_one_clear_error(asked, message):
    with pytest.raises(rw.RankwellError, match=message):
        backtest(log_of(["2026-01-01", "2026-02-10"]), **asked)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([None, 1_700_000_000], "row 1: the time is missing. Remove the row or fill the time"),
        ([1, 2], "'time' are neither dates nor seconds since 1970"),
        ([1_700_000_000, 1_700_000_000_000], "row 2: the time 1700000000000 is in another unit than 1700000000 at"),
        ([0, 1_700_000_000], "neither dates nor seconds since 1970"),
        ([1.7e9, float("inf")], "neither dates nor seconds"),
        ([dt.time(3), dt.time(4)], "neither dates nor seconds"),
        (["2026-01-01T00:00:00", "2026-01-09T00:00:00Z"], "row 1: the time '2026-01-01T00:00:00' has no time zone, and others"),
        (["2026-01-01T00:00:00+01:00", "2026-01-09T00:00"], "row 2: .* has no time zone"),
        (["2026-01-01T00:00:00Z", "noon"], "row 2: the time 'noon' is neither"),
        (["2026-01-01", "9999-12-31"], "row 2: the time is outside the years 1 to 9998"),
        (["2026-01-01", "9000-12-31"], r" 2,547,\d+ days, hold 2,547,\d+ pairs .*Look for times that are wrong"),
        (["2026-01-01", "2026-01-01"], "2026-01-01 to 2026-01-01, 1 day, hold 0 pairs"),
        (["01/02/2026", "02/02/2026"], "may begin with the day or the month"),
    ],
)  # fmt: skip
def test_times_that_say_no_day_are_one_clear_error(times, message):
    with pytest.raises(rw.errors.DataError, match=message):
        backtest(log_of(times), every="1d", horizon="1d")


def test_a_log_without_times_is_refused_with_the_remedy():
    log = log_of([1_700_000_000, 1_702_000_000])
    log["when"] = log.pop("time")
    with pytest.raises(rw.errors.DataError, match=r"no column for the time; .*columns="):
        backtest(log)
    assert len(backtest(log, columns={"when": "time"})) == 2


def test_pairs_of_movietweetings_are_splits_by_hand_and_a_trend_takes_the_results():
    path = movietweetings() / "ratings.dat"
    cells = pl.read_csv(path, separator=":", has_header=False, infer_schema=False)[:, ::2]
    log = pl.DataFrame(dict(zip(("user", "item", "rating", "time"), cells, strict=True)))
    found = backtest(log, every="14d", horizon="14d")
    assert (len(found), found.report["left out, since the test would outlast the log"]) == (12, 1)
    results = {}
    for pair in found:
        rest = split(log, at=str(pair.origin))
        assert pair.train.equals(rest.train)
        after = pair.origin + 14 * DAY
        expected = split(rest.test, at=str(after)).train
        assert pair.test.equals(expected)
        if pair.origin.month in (5, 6):
            lists = rw.prepare.baselines(pair.train, pair.test, kinds=["popular"], k=10).lists
            results[pair.origin] = rw.evaluate(lists["popular"], pair.test, ["hit@10"], grades="interactions")
    days = rw.trend(results).dates
    assert days == [*results]
    assert {two - one for one, two in pairwise(days)} == {14 * DAY}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    days = sorted(rng.integers(0, 40, 300).tolist())
    pl.DataFrame(log_of([str(dt.date(2026, 1, 1) + day * DAY) for day in days])).write_parquet("log.parquet")
    return tmp_path


def test_the_command_writes_a_folder_per_origin_and_prints_the_table(folder, capsys):
    asked = ["--every", "7d", "--horizon", "7d", "--gap", "2d", "--window", "14d"]
    assert command(["prepare", "backtest", "log.parquet", *asked, "-o", "weeks"]) == 0
    shown = capsys.readouterr()
    expected = backtest("log.parquet", gap="2d", window="14d")
    assert shown.out.strip() == expected.report.to_text(120)
    assert sorted(path.name for path in (folder / "weeks").iterdir()) == [
        str(pair.origin) for pair in expected
    ]
    for pair in expected:
        own = folder / "weeks" / str(pair.origin)
        assert sorted(path.name for path in own.iterdir()) == ["test.parquet", "train.parquet"]
        assert pl.read_parquet(own / "train.parquet").equals(pair.train)
        assert pl.read_parquet(own / "test.parquet").equals(pair.test)
    assert command(["prepare", "backtest", "log.parquet", *asked, "-o", "weeks"]) == 0  # again, as folds are


def test_results_by_origin_are_read_by_the_command_trend(folder, capsys):
    assert (
        command(["prepare", "backtest", "log.parquet", "--every", "14d", "--horizon", "7d", "-o", "weeks"])
        == 0
    )
    for own in (folder / "weeks").iterdir():
        train, test = str(own / "train.parquet"), str(own / "test.parquet")
        assert command(["prepare", "baselines", train, test, "--kind", "ideal", "-o", str(own)]) == 0
        asked = ["evaluate", test, str(own / "ideal.parquet"), "-m", "hit@5", "--per-query"]
        (folder / "results").mkdir(exist_ok=True)
        assert (
            command(
                [
                    *asked,
                    "--grades",
                    "interactions",
                    "--duplicate-grades",
                    "max",
                    "-o",
                    f"results/{own.name}.json",
                ]
            )
            == 0
        )
    capsys.readouterr()
    assert command(["trend", "results", "-m", "hit@5"]) == 0
    out = capsys.readouterr().out
    assert "2026-01-15" in out
    assert "2026-01-29" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["log.parquet", "--every", "7days"], 2, "--every 7days: must be a length of time such as 7d, 2w, 12h or 30min"),
        (["log.parquet", "--horizon", "60d"], 3, "hold 0 pairs"),
        (["log.parquet", "-o", "log.parquet"], 3, "cannot be made a folder"),
        (["none.csv"], 3, "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_and_nothing_is_written(folder, arguments, code, message, capsys):
    assert command(["prepare", "backtest", *arguments]) == code
    shown = capsys.readouterr()
    assert message in shown.err
    assert len(shown.err.strip().splitlines()) == 1
    assert not shown.out
    assert [path.name for path in folder.iterdir()] == ["log.parquet"]
