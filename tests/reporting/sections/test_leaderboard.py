"""The leaderboard of a report: order, marks, intervals, numbers of queries, and what is said below it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting import second
from tests.reporting.lists import qrels_of, run_of

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.metrics import classes, metric_of
from rankwell.reporting.sections.leaderboard import plain_words

GOOD = [1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1]
BAD = [2, 3, 4, 3, 2, 5, 4, 2, 3, 4, 3, 2]
QUICK = {"flips": 999, "resamples": 199}


def board(runs, metrics, qrels=None, **options):
    made = {name: run_of(ranks) for name, ranks in runs.items()}
    count = len(next(iter(runs.values())))
    found = rw.report(made, qrels or qrels_of(count), metrics, **QUICK, **options)
    return found.section("leaderboard").data


def rows_of(data):
    return {row["system"]: row["cells"] for row in data["rows"]}


def plain():
    data = second.data_of("leaderboard")
    metrics = [column["metric"] for column in data["metrics"]]
    shown = {
        (row["system"], metric): (cell["mean"], cell["n"], cell["best"])
        for row in data["rows"]
        for metric, cell in zip(metrics, row["cells"], strict=True)
    }
    expected = {}
    for metric in second.PLAIN:
        means = {system: second.mean_of(metric, system) for system in second.RUNS}
        for system, own in means.items():
            expected[system, metric] = own, len(second.QUERIES), own == max(means.values())
    return shown, expected


def test_systems_come_best_first_by_the_metric_that_decides():
    data = board({"A": BAD, "B": GOOD}, ["first_rank", "rr"])
    assert [row["system"] for row in data["rows"]] == ["B", "A"]
    data = board({"A": BAD, "B": GOOD}, ["rr", "num_ret"], primary="rr")
    assert [row["system"] for row in data["rows"]] == ["B", "A"]
    assert [each["primary"] for each in data["metrics"]] == [True, False]
    assert "rr decides; the other metrics are exploratory." in data["notes"]


def test_the_best_of_a_column_is_marked_in_its_direction_and_equal_ones_alike():
    cells = rows_of(board({"A": BAD, "B": GOOD, "C": GOOD}, ["rr", "first_rank"]))
    assert [cell["best"] for cell in cells["A"]] == [False, False]
    assert [cell["best"] for cell in cells["B"]] == [cell["best"] for cell in cells["C"]] == [True, True]


def test_nothing_is_best_where_neither_end_is_better():
    train = {f"t{at}": ["good"] for at in range(4)}
    cells = rows_of(board({"A": BAD, "B": GOOD}, ["rr", "arp@3"], train=train))
    assert not cells["A"][1]["best"]
    assert not cells["B"][1]["best"]


def test_stars_stand_beside_what_differs_from_the_baseline_and_letters_without_one():
    stars = rows_of(board({"A": BAD, "B": GOOD, "C": BAD}, ["rr"], baseline="A"))
    assert [stars[name][0]["mark"] for name in "ABC"] == ["", "***", ""]
    letters = rows_of(board({"A": BAD, "B": GOOD, "C": BAD}, ["rr"]))
    assert [letters[name][0]["mark"] for name in "ABC"] == ["b", "a", "b"]


def test_of_many_systems_those_near_the_best_are_marked():
    runs = {f"s{at:02}": GOOD if at % 2 else BAD for at in range(14)}
    data = board(runs, ["rr"])
    near = {name for name, cells in rows_of(data).items() if cells[0]["mark"] == "≈"}
    assert near == {name for name, ranks in runs.items() if ranks is GOOD}
    assert data["notes"][1].startswith("≈: not shown to differ from the best of the column at α = 0.05")


def test_one_number_of_queries_is_said_once_and_several_have_columns():
    data = board({"A": BAD, "B": GOOD}, ["rr", "p@1"])
    assert "12 queries" in data["caption"]
    assert not any(each["n_column"] for each in data["metrics"])
    qrels = qrels_of(12) | {"q0": {"good": 0}}
    data = board({"A": BAD, "B": GOOD}, ["rr", "p@1", "num_ret"], qrels=qrels)
    numbers = [cell["n"] for cell in rows_of(data)["A"]]
    assert numbers == [11, 11, 12]
    assert [each["n_column"] for each in data["metrics"]] == [False, True, True]


def test_a_metric_that_is_undefined_everywhere_is_a_dash():
    qrels = {f"q{at}": {"x0": 0} for at in range(12)}
    found = rw.report({"A": run_of(BAD), "B": run_of(GOOD)}, qrels, ["rr", "p@1"], **QUICK)
    data = found.section("leaderboard").data
    assert [cell["mean"] for cell in data["rows"][0]["cells"]] == [None, None]
    assert "–" in found.to_html()


def test_intervals_say_how_they_were_made_and_whether_to_trust_them():
    data = board({"A": BAD, "B": GOOD}, ["rr", "p@1"])
    told = "hedged betting where others are likely too short, Wilson’s for values that are only 0 or 1"
    assert any(told in each for each in data["notes"])
    # those of p@1 are: betting is for the other metric
    assert any(each.startswith("Some intervals are likely too short") for each in data["notes"])
    rng = np.random.default_rng(2)
    many = {name: rng.integers(1, 6, 300).tolist() for name in "AB"}
    notes = board(many, ["rr"])["notes"]
    assert not any(each.startswith("Some intervals") for each in notes)
    assert any("(studentised bootstrap)" in each for each in notes)
    assert not any(
        each.startswith("Some intervals") for each in board({"A": BAD, "B": GOOD}, ["rr"])["notes"]
    )


def test_an_interval_that_holds_everything_is_not_too_short_and_is_said_above():
    found = rw.report({"A": run_of([1, 3])}, qrels_of(2), ["rr"])
    cell = found.section("leaderboard").data["rows"][0]["cells"][0]
    assert (cell["low"], cell["high"]) == (None, None)
    assert not any(each.startswith("Some intervals") for each in found.section("leaderboard").data["notes"])
    facts = found.section("answer").data["facts"]
    assert facts[0] == "2 queries are too few for an interval: it holds every possible value."


@pytest.mark.parametrize("count", [3, 13])
def test_many_systems_can_be_searched(count):
    page = rw.report({f"s{at}": run_of(GOOD) for at in range(count)}, qrels_of(12), ["rr"], **QUICK).to_html()
    assert ("data-filter" in page.split('<section id="leaderboard"')[1].split("</section>")[0]) == (
        count > 12
    )


@pytest.mark.parametrize(("count", "is_above"), [(3, False), (21, True)])
def test_the_marks_of_a_long_table_are_explained_above_it(count, is_above):
    found = rw.report({f"s{at}": run_of(GOOD) for at in range(count)}, qrels_of(12), ["rr"], **QUICK)
    page = found.to_html().split('<section id="leaderboard"')[1].split("</section>")[0]
    assert page.count("Bold: the best value of a column.") == 1
    assert (page.index("Bold: the best value") < page.index("<table")) == is_above


@pytest.mark.parametrize(("ranks", "is_said"), [(BAD, False), ([1, 3], True), ([2], True)])
def test_an_interval_that_says_nothing_is_a_dash(ranks, is_said):
    runs = {"A": run_of(GOOD[: len(ranks)]), "B": run_of(ranks)}
    found = rw.report(runs, qrels_of(len(ranks)), ["rr"], **QUICK)
    data = found.section("leaderboard").data
    (cell,) = rows_of(data)["B"]
    assert (cell["low"] is None and cell["high"] is None) == is_said
    assert any(note.startswith("A dash: no interval") for note in data["notes"]) == is_said
    page = found.to_html().split('<section id="leaderboard"')[1].split("</section>")[0]
    assert ('<span class="interval">–</span>' in page) == is_said
    assert "nan" not in page


def test_each_metric_is_explained_in_plain_words_beside_its_column():
    words = [
        each["plain"]
        for each in board({"A": BAD, "B": GOOD}, ["ndcg@10", "p@1", "rr", "first_rank", "r@100"])["metrics"]
    ]
    assert words == [
        "how good the first ten are, higher is better",
        "share of the first item that is relevant, higher is better",
        "how early the first relevant item comes in the whole list, higher is better",
        "place of the first relevant item, lower is better",
        "share of the relevant items found in the first 100, higher is better",
    ]


def test_a_budget_is_said_in_words():
    said = plain_words(metric_of("r@2000t"), words_of("en"))
    assert said == "share of the relevant items found in what fits into a budget of 2,000, higher is better"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_metric_has_plain_words(lang):
    for cls in classes():
        for metric in [
            cls() if cls.cut != "required" else cls(k=1),
            cls(k=10) if cls.cut != "none" else cls(),
        ]:
            text = plain_words(metric, words_of(lang))
            assert 10 < len(text) < 200, metric
            assert "{" not in text
            assert "no description" not in text
