"""Splits, folds and cores against plain loops, and against a split of MovieTweetings that was made without rankwell."""

from __future__ import annotations

import datetime as dt
import pickle
from collections import Counter

import polars as pl
import pytest
from tests.prepare.logs import movietweetings, random_log

import rankwell as rw
from rankwell.prepare import core, folds, split


def tuples(frame):
    return [tuple(row.values()) for row in frame.to_dicts()]


def by_loop(log, how, test=0.2, n=1):
    """Which rows are the test data, in loops over dicts."""
    rows = list(enumerate(log.to_dicts()))
    if how == "time":
        times = sorted(row["timestamp"] for _, row in rows)
        wanted = round(test * len(rows))
        sizes = {
            t: sum(time >= t for time in times)
            for t in times
            if 0 < sum(time >= t for time in times) < len(times)
        }
        cut = min(sizes, key=lambda t: (abs(sizes[t] - wanted), t))
        return {at for at, row in rows if row["timestamp"] >= cut}
    chosen = set()
    for user in log["user_id"].unique():
        own = sorted((row["timestamp"], at) for at, row in rows if row["user_id"] == user)
        size = int(test * len(own) + 1e-9) if how == "user_time" else n if len(own) > n else 0
        chosen |= {at for _, at in own[len(own) - size :]}
    return chosen


@pytest.mark.parametrize(
    ("how", "options"),
    [
        ("time", {}), ("time", {"test": 0.5}), ("user_time", {}), ("user_time", {"test": 0.34}), ("last", {}), ("last", {"n": 3})
    ],
)  # fmt: skip
def test_test_rows_are_those_of_a_plain_loop(how, options):
    for seed in range(12):
        log = random_log(seed, times=[5, 60, 1000][seed % 3])
        chosen = by_loop(log, how, **options)
        rows = tuples(log)
        train, test, report = split(log, how, **options)
        assert tuples(test) == [row for at, row in enumerate(rows) if at in chosen]
        assert tuples(train) == [row for at, row in enumerate(rows) if at not in chosen]
        assert report["rows"] == len(log)


@pytest.mark.parametrize("how", ["random", "cold_users", "cold_items"])
def test_what_is_drawn_has_the_size_asked_for_and_the_seed_decides(how):
    log = random_log(1, rows=500)
    train, test, _ = split(log, how, test=0.3, seed=4)
    assert sorted(tuples(train) + tuples(test), key=str) == sorted(tuples(log), key=str)
    column = {"random": None, "cold_users": "user_id", "cold_items": "item_id"}[how]
    if column is None:
        assert len(test) == round(0.3 * len(log))
    else:
        assert not set(train[column]) & set(test[column])
        assert test[column].n_unique() == round(0.3 * log[column].n_unique())
    again, other = split(log, how, test=0.3, seed=4).test, split(log, how, test=0.3, seed=5).test
    assert again.equals(test)
    assert not other.equals(test)


@pytest.mark.parametrize("n", [1, 3, 9])
def test_fold_in_rows_are_the_first_of_each_held_out_user_in_a_plain_loop(n):
    for seed in range(6):
        log = random_log(seed, times=[5, 60, 1000][seed % 3])
        plain = split(log, "cold_users", test=0.4, seed=seed)
        held, first = set(plain.test["user_id"]), set()
        rows = list(enumerate(log.to_dicts()))
        for user in held:
            own = sorted((row["timestamp"], at) for at, row in rows if row["user_id"] == user)
            first |= {at for _, at in own[:n]}
        found = split(log, "cold_users", test=0.4, seed=seed, fold_in=n)
        assert found.train.equals(plain.train)
        assert tuples(found.fold_in) == [tuple(row.values()) for at, row in rows if at in first]
        rest = [row for at, row in rows if at not in first and row["user_id"] in held]
        assert found.test.to_dicts() == rest
        lengths = Counter(row["user_id"] for _, row in rows if row["user_id"] in held)
        short = sum(size <= n for size in lengths.values())
        assert str(found.report[f"held-out users with at most {n} rows, none in the test"]).startswith(
            f"{short} of {len(held)}"
        )
        pairs = set(zip(found.fold_in["user_id"], found.fold_in["item_id"], strict=True))
        again = sum((row["user_id"], row["item_id"]) in pairs for row in rest)
        assert str(found.report["test rows whose pair is in fold-in"]).startswith(f"{again} of {len(rest)}")
        ties = sum(
            1
            for user in held
            for own in [sorted(row["timestamp"] for _, row in rows if row["user_id"] == user)]
            if len(own) > n and own[n - 1] == own[n]
        )
        assert found.report["held-out users whose cut divides rows of equal time, kept in log order"] == ties
        kept = split(log, "cold_users", test=0.4, seed=seed, fold_in=n, repeated="drop").test
        assert kept.to_dicts() == [row for row in rest if (row["user_id"], row["item_id"]) not in pairs]
        sizes = {row["part"]: row["rows"] for row in found.report.tables[-1].to_records()}
        assert sizes == {"train": len(found.train), "fold-in": len(found.fold_in), "test": len(rest)}


def test_a_split_without_fold_in_rows_has_none_and_unpacks_into_three():
    train, test, report = divided = split(random_log(1), "cold_users")
    assert divided.fold_in is None
    assert (train, test, report) == tuple(divided)


def test_fold_in_is_refused_where_it_makes_no_sense():
    log = random_log(1)
    for how in ("time", "user_time", "last", "random", "cold_items"):
        with pytest.raises(rw.RankwellError, match=f"it needs how='cold_users', not '{how}'"):
            split(log, how, fold_in=2)
    for n in (0, -1, 1.5):
        with pytest.raises(rw.RankwellError, match="a whole number"):
            split(log, "cold_users", fold_in=n)
    with pytest.raises(rw.RankwellError, match="there is no column for the time"):
        split(log.drop("timestamp"), "cold_users", fold_in=1)
    with pytest.raises(rw.RankwellError, match=r"the test data would be empty.*fold_in="):
        split(log, "cold_users", fold_in=1000)


def test_the_leak_check_counts_what_a_loop_counts():
    for seed in range(6):
        log = random_log(seed)
        for how in ("time", "user_time", "last", "random", "cold_items"):
            train, test, report = split(log, how, seed=seed)
            newest = max(train["timestamp"])
            own = {}
            for row in train.to_dicts():
                own[row["user_id"]] = max(own.get(row["user_id"], -1), row["timestamp"])
            pairs = set(zip(train["user_id"], train["item_id"], strict=True))
            rows = test.to_dicts()
            expected = {
                "test rows before the newest training row": sum(row["timestamp"] < newest for row in rows),
                "test rows before their user's newest training row": sum(row["timestamp"] < own.get(row["user_id"], -1) for row in rows),
                "test rows of such items": sum(row["item_id"] not in set(train["item_id"]) for row in rows),
                "test rows whose pair is in train": sum((row["user_id"], row["item_id"]) in pairs for row in rows),
                "test users not in train": len(set(test["user_id"]) - set(train["user_id"])),
                "test items not in train": len(set(test["item_id"]) - set(train["item_id"])),
            }  # fmt: skip
            assert {name: int(str(report[name]).split()[0]) for name in expected} == expected


def test_a_global_split_has_no_leak_and_leave_last_out_says_that_models_see_the_future():
    log = random_log(3)
    report = split(log).report
    assert str(report["test rows before the newest training row"]).startswith("0 of")
    assert not report.notes
    assert "see the future" in split(log, "last").report.to_text()


def test_what_the_training_data_lack_can_be_dropped():
    log = random_log(2, rows=120, users=40)
    full = split(log, "random")
    known = set(full.train["user_id"]), set(full.train["item_id"])
    pairs = set(zip(full.train["user_id"], full.train["item_id"], strict=True))
    dropped = split(log, "random", unknown_users="drop", unknown_items="drop", repeated="drop")
    assert tuples(dropped.test) == [
        row
        for row in tuples(full.test)
        if row[0] in known[0] and row[2] in known[1] and (row[0], row[2]) not in pairs
    ]
    assert len(dropped.test) < len(full.test)
    assert dropped.train.equals(full.train)


@pytest.mark.parametrize(
    "times",
    [
        [1.5, 2.5, 3.5, 4.5],
        ["2013-05-01", "2013-05-02", "2013-05-03", "2013-05-04"],
        ["2013-05-01T10:00:00", "2013-05-01T11:00:00", "2013-05-01T12:00:00", "2013-05-01T13:00:00"],
        [dt.date(2013, 5, day) for day in (1, 2, 3, 4)],
        [dt.datetime(2013, 5, day, tzinfo=dt.UTC) for day in (1, 2, 3, 4)],
        [1367366400, 1367452800, 1367539200, 1367625600],
    ],
    ids=["floats", "days", "moments", "dates", "datetimes", "seconds"],
)
def test_times_may_be_numbers_dates_or_text(times):
    log = pl.DataFrame({"user": ["a"] * 4, "item": list("wxyz"), "time": times})
    shuffled = log.reverse()
    train, test, _ = split(shuffled, test=0.25)
    assert test["item"].to_list() == ["z"]
    assert train["time"].dtype == log["time"].dtype
    if not isinstance(times[0], float) and "T" not in str(times[0]):
        assert split(log, at="2013-05-03").test["item"].to_list() == ["y", "z"]
        assert split(log, at=dt.date(2013, 5, 3)).test["item"].to_list() == ["y", "z"]


def test_folds_hold_each_row_once_in_a_test_part():
    log = random_log(1).with_row_index("row")
    for of, column in (("rows", "row"), ("users", "user_id"), ("items", "item_id")):
        parts, report = folds(log, 4, of=of, seed=2)
        assert sorted(row for _, test in parts for row in test["row"]) == list(range(len(log)))
        for train, test in parts:
            assert not set(train[column]) & set(test[column])
            assert len(train) + len(test) == len(log)
        sizes = [test[column].n_unique() for _, test in parts]
        assert max(sizes) - min(sizes) <= 1
        expected = [
            (
                number,
                len(train),
                len(test),
                *(len(set(test[side]) - set(train[side])) for side in ("user_id", "item_id")),
            )
            for number, (train, test) in enumerate(parts, 1)
        ]
        assert list(report.tables[0].rows) == expected


def test_parts_of_folds_are_made_when_asked_for_and_are_a_sequence(monkeypatch):
    log, made = random_log(1), []
    filtered = pl.DataFrame.filter
    monkeypatch.setattr(pl.DataFrame, "filter", lambda *args: made.append(1) or filtered(*args))
    parts = folds(log, 7, seed=2).parts
    assert (len(parts), len(made)) == (7, 0)
    first = parts[0]
    assert len(made) == 2
    every = list(parts)
    assert len(every) == 7
    assert same(first, every[0])
    assert same(parts[-1], every[6])
    assert all(map(same, parts[1:6:2], every[1:6:2]))
    assert all(map(same, pickle.loads(pickle.dumps(parts)), every))
    with pytest.raises(IndexError):
        parts[7]


def same(one, other):
    return all(mine.equals(its) for mine, its in zip(one, other, strict=True))


def core_by_loop(rows, low_user, high_user, low_item, high_item):
    while True:
        users, items = Counter(row[0] for row in rows), Counter(row[2] for row in rows)
        kept = [
            r for r in rows if low_user <= users[r[0]] <= high_user and low_item <= items[r[2]] <= high_item
        ]
        if len(kept) == len(rows):
            return rows
        rows = kept


def test_a_core_is_that_of_a_plain_loop():
    for seed in range(10):
        log = random_log(seed, rows=300)
        kept, report = core(log, min_per_user=5, max_per_user=20, min_per_item=3, max_per_item=60)
        assert tuples(kept) == core_by_loop(tuples(log), 5, 20, 3, 60)
        assert str(report["rows within limits"]).startswith(f"{len(kept)} of 300")
    once = core(random_log(0), min_per_user=9, min_per_item=9, repeat=False)
    assert len(once.report.tables[0].rows) == 2


def test_the_split_of_movietweetings_is_the_one_that_was_made_without_rankwell():
    folder = movietweetings()
    # tests/data/README.md: users and movies with at least 5 ratings, repeated until stable; then the first 80 %
    # in time; test users that are in train
    found = split(folder / "ratings.dat", min_per_user=5, min_per_item=5, unknown_users="drop")
    for ours, name in ((found.train, "train.csv"), (found.test, "test.csv")):
        theirs = pl.read_csv(folder / "split" / name, infer_schema=False)
        mine = ours.select(pl.all().cast(pl.String))
        assert sorted(mine.rows()) == sorted(theirs.rows())
    assert str(found.report["test rows of such items"]) == "1,184 of 11,825 (0.1001)"
    assert found.report["test begins at"] == "1375122079 (2013-07-29 18:21:19 UTC)"


LOG = {"user": ["a", "a", "b"], "item": ["x", "y", "z"], "time": [1, 2, 3]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "tim"}, r"must be time, user_time.*Did you mean time"),
        ({"test": 20}, "must be between 0 and 1"),
        ({"how": "last", "at": 3}, "needs how='time'"),
        ({"how": "last", "n": 0}, "whole number of at least 1"),
        ({"at": 100}, "the test data would be empty"),
        ({"at": 0}, "the training data would be empty"),
        ({"at": "May"}, "a number or a date such as 2013-08-01"),
        ({"min_per_user": 5}, "no row is left within min_per_user=5"),
        ({"min_per_user": 5, "max_per_user": 2}, "is above max_per_user"),
        ({"min_per_user": 0}, "whole number of at least 1"),
        ({"unknown_users": "no"}, "must be keep or drop"),
        ({"how": "random", "test": 0.01}, "leaves one side empty"),
        ({"columns": {"when": "time"}}, "columns= names 'when'"),
    ],
)
def test_a_wrong_argument_is_refused(options, message):
    with pytest.raises(rw.RankwellError, match=message):
        split(LOG, **options)


def test_wrong_times_give_one_clear_error():
    frame = pl.DataFrame(LOG)
    with pytest.raises(
        rw.RankwellError, match=r"no column for the time; the columns are 'user', 'item'.*columns="
    ):
        split(frame.drop("time"))
    with pytest.raises(rw.RankwellError, match="row 2: the time is missing"):
        split(frame.with_columns(time=pl.Series([1, None, 3])))
    with pytest.raises(rw.RankwellError, match="row 2: the time 'noon' is neither a number nor a date"):
        split(frame.with_columns(time=pl.Series(["1", "noon", "3"])))
    with pytest.raises(rw.RankwellError, match="no moment divides the rows"):
        split(frame.with_columns(time=pl.Series([5, 5, 5])))
    with pytest.raises(rw.RankwellError, match="are not seconds; give a number"):
        split(frame.with_columns(time=pl.col("time") + 1_367_366_400_000), at="2013-05-01")
    with pytest.raises(
        rw.RankwellError, match=r"k=4: must be a whole number from 2 to 3, the number of rows in table"
    ):
        folds(frame, 4)
    with pytest.raises(rw.RankwellError, match="core needs a limit: give min_per_user="):
        core(frame)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (pl.Series(["02/01/2024", "01/12/2024"]), "'02/01/2024' may begin with the day or the month"),
        (pl.Series(["13.5.24", "1.12.24"]), "may begin with the day or the month"),
        (pl.Series([1, 2]).cast(pl.Duration("us")), "Duration.* not times. Give dates, moments or numbers"),
    ],
)
def test_times_that_could_be_others_are_refused(times, message):
    log = pl.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "time": times})
    with pytest.raises(rw.errors.DataError, match=message):
        split(log, how="last")
