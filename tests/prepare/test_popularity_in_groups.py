"""The cut by popularity within categories and windows of time: the plain cut of each group's rows alone, in a loop."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter, defaultdict

import polars as pl
import pytest
from tests.every import every
from tests.prepare.logs import movietweetings, random_log
from tests.prepare.test_popularity import RULES, head_of, popularity

import rankwell as rw
from rankwell.cli import run as command
from rankwell.prepare import PopularityCut, Share

START, DAY = 1_360_000_000, 86_400  # 2013-02-04 17:46:40


def timed(seed, rows=250):
    """A log over 100 days, in seconds."""
    return random_log(seed, rows=rows, times=100 * DAY).with_columns(pl.col("timestamp") + START)


def films(seed):
    """A catalogue of the items of the logs and some that nobody used, one genre or several each, or none."""
    draw = random.Random(seed)
    genres = ["war", "noir", "drama", "short"]
    return [
        {"item": f"i{number}", "genre": "|".join(draw.sample(genres[:3], draw.choice([0, 1, 1, 2])))}
        for number in range(30)
    ] + [
        {"item": f"unused{number}", "genre": genre} for number, genre in enumerate(["war", "short", "short"])
    ]


def month_of(row):
    return f"{dt.datetime.fromtimestamp(row['timestamp'], dt.UTC):%Y-%m}"


def stretch_of(days, newest):
    """Windows of so many days, counted from the newest row backwards; the later one has the greater number."""
    return lambda row: -((newest - row["timestamp"]) // (days * DAY))


def groups_by_hand(log, catalogue, window_of, rule, ties, by):
    """What is popular in each window, in a loop over windows and genres."""
    (name, at), rows = next(iter(rule.items())), log.to_dicts()
    genres = {row["item"]: row["genre"].split("|") if row["genre"] else ["(none)"] for row in catalogue}
    found = defaultdict(set)
    for window in {window_of(row) for row in rows}:
        for genre in {genre for some in genres.values() for genre in some}:
            members = [item for item, some in genres.items() if genre in some]
            inside = [row for row in rows if window_of(row) == window and row["item_id"] in members]
            if not inside:
                continue
            used = popularity(pl.DataFrame(inside), by)
            counts = Counter({item: used[item] for item in members})
            if not sum(counts.values()):
                continue
            users = len({row["user_id"] for row in inside})
            found[window] |= {item for item in head_of(counts, users, name, at, ties) if counts[item] > 0}
    return found


@every("ties", ["in", "out"])
@every("rule", RULES)
def test_each_category_is_cut_as_if_the_log_had_no_other_items(rule, ties):
    for seed, by in enumerate(["users", "events", "weight", "users"]):
        if "reach" in rule and by != "users":
            continue
        log, catalogue = timed(seed), films(seed)
        cut = PopularityCut(by=by, ties=ties, within="genre", **rule).fit(log, catalogue)
        expected = groups_by_hand(log, catalogue, lambda row: 0, rule, ties, by)[0]
        assert set(cut.items_) == expected
        marked, report = cut.apply(log, "mark")
        assert marked["popular"].to_list() == [item in expected for item in log["item_id"]]
        assert report["rows of popular items"] == Share(sum(marked["popular"]), len(log))


@every("window", ["month", 30, 7.5])
@every("rule", RULES)
def test_each_window_is_cut_as_if_the_log_had_no_other_rows(rule, window):
    for seed in range(3):
        log = timed(seed)
        window_of = month_of if window == "month" else stretch_of(window, log["timestamp"].max())
        # without a catalogue the items are those of the window
        expected = defaultdict(set)
        for part in {window_of(row) for row in log.to_dicts()}:
            inside = pl.DataFrame([row for row in log.to_dicts() if window_of(row) == part])
            catalogue = [{"item": item, "genre": ""} for item in inside["item_id"].unique()]
            expected |= {part: groups_by_hand(inside, catalogue, lambda row: 0, rule, "in", "users")[0]}
        cut = PopularityCut(window=window, **rule).fit(log)
        marked = cut.apply(log, "mark").table
        assert marked["popular"].to_list() == [
            row["item_id"] in expected[window_of(row)] for row in log.to_dicts()
        ]
        assert set(cut.items_) == expected[max(expected)]


def test_categories_and_windows_go_together():
    log, catalogue, rule = timed(5, rows=500), films(5), {"share_of_volume": 0.4}
    expected = groups_by_hand(log, catalogue, month_of, rule, "in", "users")
    cut = PopularityCut(within="genre", window="month", **rule).fit(log, catalogue)
    marked = cut.apply(log, "mark").table
    assert marked["popular"].to_list() == [
        row["item_id"] in expected[month_of(row)] for row in log.to_dicts()
    ]
    assert set(cut.items_) == expected["2013-05"]
    table = cut.summary().tables[0]
    assert [column.name for column in table.columns][:4] == ["window", "genre", "items", "users"]
    assert {row["window"] for row in table.to_records()} == {
        f"from 2013-{month:02}-01" for month in (2, 3, 4, 5)
    }


LOG = [
    # a and b of war, c and d of noir; x in both; e has no genre, and nobody used the short s
    *({"user": user, "item": item, "date": "2013-03-01"} for user, item in ("ua", "va", "wa", "ub", "uc", "ud", "vx")),
    *({"user": user, "item": item, "date": "2013-04-02"} for user, item in ("ub", "vb", "wb", "ua", "ue")),
]  # fmt: skip
FILMS = [
    {"item": item, "genre": genre}
    for item, genre in [
        ("a", "war"),
        ("b", "war"),
        ("c", "noir"),
        ("d", "noir"),
        ("x", "noir|war"),
        ("e", None),
        ("s", "short"),
    ]
]


def test_ties_and_empty_groups_are_told():
    cut = PopularityCut(top=1, within="genre").fit(LOG, FILMS)
    assert cut.items_ == [
        "a",
        "b",
        "c",
        "d",
        "e",
        "x",
    ]  # c, d and x are alike in noir; a and b (3 users each) in war
    report = cut.summary()
    assert report["groups without interactions, left out"] == Share(1, 4)
    assert report["groups without popular items"] == Share(0, 3)
    assert report["popular items"] == Share(6, 7)
    rows = {row["genre"]: row for row in report.tables[0].to_records()}
    assert {genre: (row["items"], row["users"], row["interactions"], row["popular"]) for genre, row in rows.items()} == {
        "(none)": (1, 1, 1, 1), "noir": (3, 2, 3, 3), "war": (3, 3, 7, 2),
    }  # fmt: skip
    for words in (
        "equally popular items at the cut are all in the head",
        "each group is cut separately; items that nobody used",
    ):
        assert words in report.to_text()
    out = PopularityCut(top=1, within="genre", ties="out").fit(LOG, FILMS)
    assert out.items_ == ["e"]
    assert out.summary()["groups without popular items"] == Share(2, 3)


def test_an_item_that_nobody_used_is_not_popular_however_small_its_group():
    cut = PopularityCut(top=5, within="genre").fit(
        {"u": ["a"]}, [{"item": "a", "genre": "war"}, {"item": "b", "genre": "war"}]
    )
    assert cut.items_ == ["a"]


def test_rows_of_other_times_are_cut_as_in_the_window_that_had_begun():
    cut = PopularityCut(top=1, window="month").fit(LOG)
    test = [
        {"user": "u", "item": item, "date": date}
        for item in "ab"
        for date in ("2012-12-31", "2013-03-31", "2013-06-01")
    ]
    marked, report = cut.apply(test, "mark")
    assert marked["popular"].to_list() == [True, True, False, False, False, True]  # a in March, b in April
    assert report["rows before the first window, cut as in it"] == 2
    lists, report = cut.apply({"u": ["a", "b"]})
    assert lists.rows() == [("u", "a")]
    assert report["window"] == "the last one, from 2013-04-01: the table has no times"
    res = rw.evaluate({"u": ["a", "b"]}, {"u": {"a": 1, "b": 1}}, ["hit@1"], slices=cut)
    assert {name: part["hit@1"] for name, part in res.slices.items()} == {"head": 0.0, "tail": 1.0}


REFUSED = [
    ({"within": "genre"}, {}, "within='genre' is a column of the items: give items="),
    ({"within": "gender"}, {"items": FILMS}, r"has no column 'gender'; it has genre.*Did you mean genre"),
    ({"within": "year"}, {"items": [{"item": item, "year": 1.5} for item in "abcdex"]}, "groups must be text or whole numbers"),
    ({"window": "monht"}, {}, r"window='monht': must be a number of days, or day, week, .*Did you mean month"),
    ({"window": 0}, {}, "the number of days must be above 0"),
    ({"window": float("nan")}, {}, "must be a finite number"),
    ({"window": 1}, {"train": [{"user": "u", "item": "a", "time": 7}]}, "neither dates nor seconds since 1970"),
    ({"window": 1}, {"train": [{"user": "u", "item": "a"}]}, "no column for the time"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "data", "message"), REFUSED, ids=str)
def test_what_does_not_fit_is_refused_with_the_remedy(options, data, message):
    with pytest.raises(rw.RankwellError, match=message):
        PopularityCut(top=1, **options).fit(**{"train": LOG} | data)


def test_capping_is_refused_within_groups():
    with pytest.raises(rw.RankwellError, match="groups have their own; use drop, relabel or mark"):
        PopularityCut(top=1, window="week").fit(LOG).apply(LOG, "cap", cap=2)


def test_times_may_be_seconds_dates_or_text():
    seconds = timed(2)
    moments = seconds.with_columns(pl.from_epoch("timestamp"))
    texts = moments.with_columns(pl.col("timestamp").dt.strftime("%Y-%m-%dT%H:%M:%S"))
    for window in (3, "week", "year"):
        found = [
            PopularityCut(top=3, window=window).fit(log).apply(log, "mark").table["popular"].to_list()
            for log in (seconds, moments, texts)
        ]
        assert found[0] == found[1] == found[2]


def test_the_command_cuts_as_the_library(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    timed(3).write_csv("log.csv")
    pl.DataFrame(films(3)).write_csv("films.csv")
    asked = ["prepare", "popularity", "log.csv", "log.csv", "--top", "2", "--by", "events", "-o", "new"]
    assert command([*asked, "--items", "films.csv"]) == 0
    cut = PopularityCut(top=2, by="events").fit("log.csv", "films.csv")
    kept, report = cut.apply("log.csv")
    assert capsys.readouterr().out.strip() == f"{cut.summary().to_text(120)}\n\n{report.to_text(120)}"
    assert pl.read_csv("new/log.csv").height == len(kept) < pl.read_csv("log.csv").height


def test_the_groups_of_movietweetings_are_those_of_a_loop():
    folder = movietweetings() / "split"
    rows = pl.read_csv(folder / "train.csv", infer_schema=False).to_dicts()
    months = defaultdict(Counter)
    for row in rows:  # no pair stands there twice
        months[f"{dt.datetime.fromtimestamp(int(row['timestamp']), dt.UTC):%Y-%m}"][row["item_id"]] += 1
    table = (
        PopularityCut(share_of_volume=0.33, window="month")
        .fit(folder / "train.csv")
        .summary()
        .tables[0]
        .to_records()
    )
    assert [row["window"][5:12] for row in table] == sorted(months)
    for row in table:
        counts = months[row["window"][5:12]]
        head = head_of(counts, 0, "share_of_volume", 0.33, "in")
        assert (row["popular"], row["interactions"], row["items"]) == (
            len(head),
            sum(counts.values()),
            len(counts),
        )
