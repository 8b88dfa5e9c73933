"""Trends: means and changes by date against plain loops, what dates may be, and what is undefined, counted or refused."""

from __future__ import annotations

import datetime as dt
import json
import math
import random
import re
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankwell as rw
from rankwell.comparison.trend import read_days
from rankwell.errors import RankwellError

ITEMS = list("abcdefgh")
WEEKS = [f"2026-11-{day:02}" for day in (2, 9, 16, 23)]


def week(first, last, seed, metrics=("rr", "p@2"), **options):
    """The results of the queries from one number to another, and the values that plain loops give."""
    rng = random.Random(seed)
    qrels = {f"q{n}": {rng.choice(ITEMS): 1} for n in range(first, last)}
    run = {query: rng.sample(ITEMS, 6) for query in qrels}
    return rw.evaluate(run, qrels, list(metrics), **options)


def weeks(**options):
    """Four weeks of which two share all queries, two some and two none."""
    spans = (0, 60), (0, 60), (30, 100), (200, 280)
    return {day: week(*span, at, **options) for at, (day, span) in enumerate(zip(WEEKS, spans, strict=True))}


def values_of(res, metric):
    return {row["query"]: row[metric] for row in res.per_query.to_dicts() if row[metric] is not None}


def mean(values):
    return math.fsum(values) / len(values)


def by_hand(before, after):
    """The change, its bounds and the number of shared queries, one sum at a time."""
    one, two = [*before.values()], [*after.values()]
    both = sorted({*before} & {*after})
    square = np.var(one, ddof=1) / len(one) + np.var(two, ddof=1) / len(two)
    if len(both) > 1:
        common = np.cov([before[q] for q in both], [after[q] for q in both])[0, 1]
        square -= 2 * len(both) * common / len(one) / len(two)
    reach = stats.t.ppf(0.975, min(len(one), len(two)) - 1) * math.sqrt(square)
    change = mean(two) - mean(one)
    return change, change - reach, change + reach, len(both)


def test_each_date_has_its_mean_with_interval_and_its_change():
    given = weeks()
    found = rw.trend(given)
    for metric in ("rr", "p@2"):
        points = found[metric]
        assert [str(own.date) for own in points] == WEEKS
        for own, res in zip(points, given.values(), strict=True):
            values, interval = values_of(res, metric), res.interval(metric)
            assert (own.n, own.mean) == (len(values), pytest.approx(mean([*values.values()]), abs=1e-12))
            assert (own.low, own.high, own.method) == (interval.low, interval.high, interval.method)
        assert points[0].shared is None
        assert math.isnan(points[0].change)
        for (before, after), own in zip(pairwise(WEEKS), points[1:], strict=True):
            expected = by_hand(values_of(given[before], metric), values_of(given[after], metric))
            assert (own.change, own.change_low, own.change_high, own.shared) == pytest.approx(
                expected, abs=1e-12
            )
            assert own.is_shown == (own.change_low > 0 or own.change_high < 0)
    assert [own.shared for own in found["rr"][1:]] == [60, 30, 0]


def test_the_level_is_that_of_all_intervals():
    narrow, wide = (rw.trend(weeks(), "rr", level=level)["rr"][2] for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert wide.change_low < narrow.change_low < narrow.change_high < wide.change_high
    with pytest.raises(RankwellError, match=r"level=1: must be between 0 and 1"):
        rw.trend(weeks(), "rr", level=1.0)


def test_metrics_are_named_or_all_of_the_first_date():
    given = weeks()
    assert list(map(str, rw.trend(given).metrics)) == ["rr", "p@2"]
    found = rw.trend(given, rw.P @ 2)
    assert list(map(str, found.metrics)) == ["p@2"]
    assert found["precision@2"] == rw.trend(given)["p@2"]
    with pytest.raises(KeyError, match=r"rr is not in the trend; the metrics are p@2"):
        found["rr"]


# ------------------------------------------------------------------------------------------------------------------ dates


def test_keys_are_dates_in_any_form_and_rows_are_in_their_order():
    first, *others = weeks().values()
    keys = [
        "2026-11-23",
        dt.date(2026, 11, 2),
        dt.datetime.fromisoformat("2026-11-09"),
        np.datetime64("2026-11-16"),
    ]
    found = rw.trend(dict(zip(keys, [*others, first], strict=True)), "rr")
    assert [str(day) for day in found.dates] == WEEKS
    assert list(read_days({dt.datetime.fromisoformat("2026-11-09"): first})) == [dt.date(2026, 11, 9)]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "2026-13-01",
            r"results\['2026-13-01'\]: is no date; keys are datetime.date, or text such as 2026-11-23",
        ),
        ("23.11.2026", "is no date"),
        ("bm25", "is no date"),
        (20261123, "is no date"),
        (None, "is no date"),
        (dt.datetime.fromisoformat("2026-11-09T12:00:00"), "is no date"),
        ("2026-11-02", "both of 2026-11-02, and a date has one result: leave one out"),
    ],
)
def test_a_key_that_is_no_date_or_one_that_is_there_is_refused(key, message):
    res = week(0, 5, 1)
    with pytest.raises(RankwellError, match=message):
        rw.trend({dt.date(2026, 11, 2): res, key: res})


@pytest.fixture
def folder(tmp_path):
    """The weeks as files, as names and formats come."""
    for at, (day, res) in enumerate(weeks().items()):
        res.save(tmp_path / f"{'results-' * (at % 2)}{day}.{'json' if at < 2 else 'parquet'}")
    return tmp_path


def test_a_folder_a_pattern_a_window_and_files_are_read_by_the_dates_in_their_names(folder):
    whole = rw.trend(weeks()).to_json()
    assert rw.trend(folder).to_json() == whole
    assert rw.trend(sorted(folder.iterdir(), reverse=True)).to_json() == whole
    assert (
        rw.trend(
            {
                path.name[-18:-8] if "p" in path.suffix else path.name[-15:-5]: path
                for path in folder.iterdir()
            }
        ).to_json()
        == whole
    )
    assert [str(day) for day in rw.trend(str(folder / "results-*")).dates] == WEEKS[1::2]
    assert [str(day) for day in rw.trend(folder / "2026-11-09..2026-11-16").dates] == WEEKS[1:3]


def test_what_files_cannot_be_is_said_with_the_remedy(folder):
    res = week(0, 5, 1)
    for name, message in {
        "other.json": r"other\.json: its name has no date, and results by day need the one that they are of",
        "2026-11-01-2026-11-02.json": "two dates, 2026-11-01 and 2026-11-02",
        "other-2026-11-02.json": r"2026-11-02\.json and .*other-2026-11-02\.json are both of 2026-11-02.* such as '.*/\*\.json'",
        "dense/2026-12-01.json": r"holds the results of 2 systems \(files beside them, dense\); name the folder of one",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        res.save(folder / name)
        with pytest.raises(RankwellError, match=message):
            rw.trend(folder)
        (folder / name).unlink()
    (folder / "2026-12-01.json").write_text("{}")
    with pytest.raises(RankwellError, match=r"2026-12-01\.json: this is no file of results"):
        rw.trend(folder)
    rw.trend(weeks()).save(folder / "2026-12-01.json")
    with pytest.raises(
        RankwellError, match=r"2026-12-01\.json: this is no file of results; Results\.load reads"
    ):
        rw.trend(folder)
    with pytest.raises(RankwellError, match="cannot be read"):
        rw.trend(folder / "nowhere")


@pytest.mark.parametrize("given", [{}, [], None, 7, week(0, 5, 1), [week(0, 5, 1)]])
def test_what_is_no_results_by_date_is_told_the_call_that_works(given):
    with pytest.raises(RankwellError, match=r"rw\.trend\(|at least those of one date"):
        rw.trend(given, "rr")
    with pytest.raises(RankwellError, match=r"rw\.trend\('days/', 'ndcg@10'\)"):
        rw.trend(weeks(), "rr", 0.9)


def test_runs_are_to_be_evaluated_first():
    with pytest.raises(
        RankwellError, match=r"results\['2026-11-02'\]: expected Results, not .* Evaluate runs first"
    ):
        rw.trend({"2026-11-02": {"q": ["a"]}}, "rr")


# -------------------------------------------------------------------------------------------------- what cannot be compared


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["rr"]}, r"2026-11-09: p@2 was not evaluated; its metrics are rr"),
        ({"metrics": ["rr", "p@3"]}, r"2026-11-09: p@2 was not evaluated"),
        (
            {"missing": "skip"},
            r"2026-11-02 and 2026-11-09 were evaluated with different policies: missing \(empty and skip\)",
        ),
        (
            {"rel": 2},
            "2026-11-02 and 2026-11-09 were evaluated with different (policies|meanings of the grades)",
        ),
        ({"per_query": False}, r"2026-11-09: the values of rr per query are not there, .*per_query=True"),
        ({"weights": "w"}, "2026-11-02 and 2026-11-09 were evaluated with different weights: none and w"),
    ],
)
def test_other_metrics_definitions_and_weights_are_refused_with_both_dates(options, message):
    users = [{"query": f"q{n}", "w": 1 + n % 3} for n in range(50)]
    given = options | ({"users": users} if "weights" in options else {})
    with pytest.raises(RankwellError, match=message):
        rw.trend({"2026-11-02": week(0, 50, 1), "2026-11-09": week(0, 50, 2, **given)})


def test_metrics_that_divide_by_the_highest_grade_need_the_same_one():
    run, one = {"q": ["a", "b"], "r": ["b"]}, {"q": {"a": 1}, "r": {"b": 1}}
    two = {"q": {"a": 2}, "r": {"b": 1}}
    given = {
        day: rw.evaluate(run, qrels, ["err", "rr"]) for day, qrels in zip(WEEKS, (one, two), strict=False)
    }
    with pytest.raises(
        RankwellError, match=r"2026-11-02 and 2026-11-09 .* ends of the grades, 1 and 2, .* Set max_grade="
    ):
        rw.trend(given)
    assert len(rw.trend(given, "rr")["rr"]) == 2
    same = {
        day: rw.evaluate(run, qrels, ["err(max_grade=2)"])
        for day, qrels in zip(WEEKS, (one, two), strict=False)
    }
    assert len(rw.trend(same).dates) == 2


def test_the_same_queries_with_other_numbers_of_judgements_are_said():
    run = {f"q{n}": ["a", "b", "c"] for n in range(4)}
    one = {query: {"b": 1} for query in run}
    two = one | {"q0": {"a": 1, "b": 1}}
    other = {f"x{query}": own for query, own in two.items()}
    given = [
        rw.evaluate(run, one, "rr"),
        rw.evaluate(run, two, "rr"),
        rw.evaluate({f"x{q}": own for q, own in run.items()}, other, "rr"),
    ]
    found = rw.trend(dict(zip(WEEKS, [*given, given[2]], strict=True)))
    assert [str(day) for day in found.rejudged] == WEEKS[1:2]
    (note,) = [note for note in found.to_table().notes if "judgements" in note]
    assert note.endswith("which may be what changed the values: 2026-11-09")


# ------------------------------------------------------------------------------------------------------ undefined, and said


def test_a_date_without_a_value_has_none_and_no_change_to_or_from_it():
    given = weeks()
    given[WEEKS[1]] = rw.evaluate({"q": ["a"]}, {"q": {"a": 0}}, ["rr", "p@2"])
    found = rw.trend(given, "rr")
    assert [own.n for own in found["rr"]] == [60, 0, 70, 80]
    assert [math.isnan(own.mean) for own in found["rr"]] == [False, True, False, False]
    assert [math.isnan(own.change) for own in found["rr"]] == [True, True, True, False]
    assert (
        "rr is undefined for all queries on 2026-11-09: no value, and no change to or from it"
        in found.to_table().notes
    )
    row = found.to_table().to_records()[1]
    assert (row["n"], row["mean"], row["change"]) == (0, None, None)


def test_a_date_of_one_query_has_a_mean_and_a_change_without_intervals():
    given = dict(zip(WEEKS, [week(0, 60, 1), week(0, 1, 2), week(0, 60, 3)], strict=False))
    points = rw.trend(given, "p@2")["p@2"]
    assert (points[1].n, points[1].shared) == (1, 1)
    assert points[1].change == points[1].mean - points[0].mean
    assert all(math.isnan(own) for point in points[1:] for own in (point.change_low, point.change_high))
    assert any(
        note
        == "p@2: no interval of the mean or the change on 2026-11-09, 2026-11-16 (fewer than 2 queries on a date, or no spread)"
        for note in rw.trend(given, "p@2").to_table().notes
    )


def test_a_change_that_is_the_same_for_all_queries_has_no_interval():
    run = {f"q{n}": ["a", "b"] for n in range(60)}
    given = {
        day: rw.evaluate(run, {q: {item: 1} for q in run}, "rr")
        for day, item in zip(WEEKS, "ab", strict=False)
    }
    own = rw.trend(given)["rr"][1]
    assert (own.change, own.shared) == (-0.5, 60)
    assert math.isnan(own.change_low)
    assert not own.is_shown


def test_metrics_of_all_lists_and_other_than_means_have_values_without_intervals():
    options = {"metrics": ["coverage@2", "gmap", "rr"], "items": ITEMS}
    given = weeks(**options)
    found = rw.trend(given)
    for metric in ("coverage@2", "gmap"):
        assert [own.mean for own in found[metric]] == [res[metric] for res in given.values()]
        changes = [own.change for own in found[metric][1:]]
        assert changes == [given[b][metric] - given[a][metric] for a, b in pairwise(WEEKS)]
        assert all(
            math.isnan(own.low) and math.isnan(own.change_low) and own.shared is None for own in found[metric]
        )
        assert f"{metric} is no mean of values per query: no intervals" in found.to_table().notes
    assert not math.isnan(found["rr"][1].change_low)


def test_weighted_means_have_no_intervals_as_results_hold_no_weights():
    users = [{"query": f"q{n}", "w": 1 + n % 3} for n in range(300)]
    given = weeks(metrics=["rr"], users=users, weights="w")
    found = rw.trend(given)
    assert [own.mean for own in found["rr"]] == [res["rr"] for res in given.values()]
    assert all(math.isnan(own.low) for own in found["rr"])
    assert (
        "rr is weighted by w, and results do not hold the weight of each query: no intervals"
        in found.to_table().notes
    )


def test_one_date_is_a_trend_without_a_change():
    found = rw.trend({"2026-11-02": week(0, 60, 1)}, "rr")
    assert len(found["rr"]) == 1
    assert "Trend of rr: 2026-11-02" in str(found)
    assert not any(note.startswith("change") for note in found.to_table().notes)


def test_ids_may_be_numbers_on_one_date_and_their_text_on_another():
    run, qrels = {n: ["a", "b"] for n in range(5)}, {n: {"ab"[n % 2]: 1} for n in range(5)}
    text = {str(n): own for n, own in run.items()}, {str(n): own for n, own in qrels.items()}
    given = {"2026-11-02": rw.evaluate(run, qrels, "rr"), "2026-11-09": rw.evaluate(*text, "rr")}
    assert rw.trend(given)["rr"][1].shared == 5


# ------------------------------------------------------------------------------------------------------------- what is shown


def test_the_table_marks_changes_that_are_shown_and_names_runs_that_change():
    run = {f"q{n}": ["a", "b", "c", "d"] for n in range(80)}
    judged = [{q: {"abcd"[n % most]: 1} for n, q in enumerate(run)} for most in (2, 2, 4)]
    given = {}
    for at, (day, qrels) in enumerate(zip(WEEKS, judged, strict=False)):
        given[day] = rw.evaluate(rw.read_run(run, name=f"v{at // 2}-{day}.run"), qrels, ["rr"])
    given[WEEKS[1]] = rw.evaluate(
        rw.read_run(run, name=f"v0-{WEEKS[1]}.run"),
        {q: {"ab"[n % 3 > 1]: 1} for n, q in enumerate(run)},
        ["rr"],
    )
    found = rw.trend(given)
    marked = [own.is_shown for own in found["rr"]]
    assert marked == [False, True, True]
    lines = [line for line in str(found).splitlines() if line.startswith("2026") and ".run" in line]
    assert ["*" in line for line in lines] == marked
    assert [line.split()[1] for line in lines] == [
        "v0-2026-11-02.run",
        "v0-2026-11-09.run",
        "v1-2026-11-16.run",
    ]
    assert (
        "* the interval of the change excludes 0; so do about 5 % where nothing but the draw of queries differs"
        in found.to_table().notes
    )
    assert "run" not in rw.trend(dict(list(given.items())[:2])).to_table().to_records()[0]


def test_all_forms_hold_the_same_numbers(tmp_path):
    found = rw.trend(weeks())
    frame = found.to_frame()
    assert frame.schema["date"] == pl.Date
    assert frame.schema["shared"] == pl.Int64
    assert frame.height == 8
    data = json.loads(found.to_json())
    assert (data["kind"], data["level"], data["rows"][0]["change"]) == ("trend", 0.95, None)
    for name in ("mean", "low", "high", "change", "change_low", "change_high"):
        rows = [row[name] for row in data["rows"]]
        assert frame[name].to_list() == rows
        column = [row[name.replace("_", " ")] for row in found.to_table().to_records()]
        assert column == rows
    for suffix in ("json", "csv", "parquet", "md", "tex", "html"):
        found.save(tmp_path / f"trend.{suffix}")
    assert pl.read_csv(tmp_path / "trend.csv")["change"].to_list() == frame["change"].to_list()
    assert pl.read_parquet(tmp_path / "trend.parquet").equals(frame)
    for form in (found.to_markdown(), found.to_latex(), found.to_html(), found._repr_html_()):
        assert form.count("2026-11-16") >= 2


def test_a_saved_trend_is_the_same_when_it_is_loaded(tmp_path):
    given = weeks(metrics=["rr", "coverage@2"], items=ITEMS)
    given["2026-12-01"] = rw.evaluate({"q": ["a"]}, {"q": {"a": 0}}, ["rr", "coverage@2"], items=ITEMS)
    found = rw.trend(given, level=0.9)
    found.save(tmp_path / "trend.json")
    again = rw.Trend.load(tmp_path / "trend.json")
    assert again.to_json() == found.to_json()
    assert str(again) == str(found)
    assert again.policy == found.policy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(kind="comparison"), "this is no file of a trend; Trend.load reads"),
        (lambda data: data.update(schema=2), "written with schema 2"),
        (lambda data: data.update(metrics=[]), "metrics: there is none"),
        (lambda data: data.update(rows=[]), "rows: there is not one for each metric and date"),
        (lambda data: data["rows"].pop(), "rows: there is not one for each metric and date"),
        (lambda data: data["rows"][1].update(mean=0.99), r"rows\[1\]\.change: it is not that of the means"),
        (lambda data: data["rows"][1].update(mean=1.5), r"rows\[1\]\.mean: it is not from 0 to 1"),
        (lambda data: data["rows"][1].update(date="2026-11-01"), r"rows\[1\]\.date: dates are not in order"),
        (
            lambda data: data["rows"][1].update(date="today"),
            r"rows\[1\]: .*date",
        ),
        (lambda data: data["rows"][1].update(n=-1), r"rows\[1\]\.n: it is no count"),
        (lambda data: data["rows"][1].update(method="luck"), r"rows\[1\]\.method: there is no such method"),
        (lambda data: data["rows"][1].pop("low"), r"rows\[1\]: 'low' is missing"),
        (lambda data: data.update(level=2), "level: it is not between 0 and 1"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(change, message, tmp_path):
    data = json.loads(rw.trend(weeks()).to_json())
    change(data)
    (tmp_path / "trend.json").write_text(json.dumps(data))
    with pytest.raises(RankwellError, match=message):
        rw.Trend.load(tmp_path / "trend.json")


def test_notes_of_many_dates_name_the_first_and_count_the_others():
    given = {f"2026-11-{day:02}": week(0, 5, day) for day in range(1, 10)}
    (note,) = [note for note in rw.trend(given, "rr").to_table().notes if note.startswith("rr: intervals")]
    assert re.search(r"on 2026-11-02, 2026-11-03, 2026-11-04 and 5 more \(few queries", note)
