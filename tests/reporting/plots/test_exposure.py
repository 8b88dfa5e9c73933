"""The plot of exposure by popularity."""

from __future__ import annotations

import math
from collections import Counter

import polars as pl
import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, RUNS, TRAIN, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.errors import DataError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.engines.memory import Memory
from rankwell.evaluation.request import Request
from rankwell.matching.policy import Policy
from rankwell.readers import open_run, read_items, read_qrels
from rankwell.reporting.plots.exposure import Slots, history_in, rows_of

LOG = {"ann": ["x", "y", "z"], "bob": ["x", "y"], "cid": ["x"]}


def plain():
    chart = rw.plot.exposure(second.RUNS, second.TRAIN, second.ITEMS, k=3)
    group, expected = second.groups(second.CATALOGUE), {}
    log = [group[item] for own in second.TRAIN.values() for item in own]
    for system, lists in second.LISTS.items():
        slots = [group[item] for listed in lists.values() for item in listed[:3]]
        expected |= {(system, at): (slots.count(at) / len(slots),) for at in range(1, 11)}
    expected |= {("log", at): (log.count(at) / len(log),) for at in range(1, 11)}
    shown = second.shown_in(chart, ("system", "group"), ("share",))
    of_log = second.shown_in(chart, ("group",), ("interactions_share",))
    return shown | {("log", at): share for (at,), share in of_log.items()}, expected


def test_lines_have_the_shares_of_slots_and_bars_those_of_interactions():
    chart = plot.exposure({"a": {"q": ["x", "z"], "r": ["x"]}, "b": {"q": ["z"]}}, LOG, groups=3)
    rows = values_of(chart)
    shares = {
        (row["system"], row["group"]): row["share"] for row in rows if "share" in row and "system" in row
    }
    assert shares == {
        ("a", 1): pytest.approx(2 / 3),
        ("a", 2): 0.0,
        ("a", 3): pytest.approx(1 / 3),
        ("b", 1): 0.0,
        ("b", 2): 0.0,
        ("b", 3): 1.0,
    }
    bars = {row["group"]: row["interactions_share"] for row in rows if "interactions_share" in row}
    assert bars == pytest.approx({1: 3 / 6, 2: 2 / 6, 3: 1 / 6})
    assert chart.title.subtitle == [
        "3 items in 3 groups of equal size by popularity; 2 lists",
        "Bars: share of the training interactions. Dashed: 33 % of the items are in each group.",
    ]


def test_what_is_left_out_is_said():
    chart = plot.exposure({"a": {"q": ["x", "new"]}}, LOG, groups=2)
    assert chart.title.subtitle[-1] == "1 recommendation outside the catalogue is left out."


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("view", ["cut", "log2p1"])
def test_it_is_drawn_in_both_languages_and_views(lang, view):
    spec_checked(plot.exposure(RUNS, TRAIN, ITEMS, k=5, view=view, lang=lang, dark=True))
    spec_checked(plot.exposure(HOSTILE, LOG, groups=3, view=view, lang=lang))
    spec_checked(plot.exposure({"a": {"q": ["new"]}}, LOG, groups=3, view=view, lang=lang))


def test_bad_groups_are_refused():
    with pytest.raises(UsageError, match="at least 2"):
        plot.exposure(RUNS, TRAIN, groups=1)
    with pytest.raises(DataError, match="set groups="):
        plot.exposure({"a": {"q": ["x"]}}, LOG)
    with pytest.raises(UsageError, match="view='log'"):
        plot.exposure(RUNS, TRAIN, view="log")


def measured(runs, train, groups, *, items=None, k=None, view="cut", **how):
    wanted = Slots(k=k, view=view)
    catalogue = None if items is None else read_items(items)
    request = Request(
        metrics=(wanted,), policy=Policy(outside="ignore"), train=read_qrels(train), items=catalogue, **how
    )
    evaluator = Evaluator.of(request)
    results = {name: evaluator.results_of(open_run(run, name=name)) for name, run in runs.items()}
    return rows_of(results, history_in(evaluator), groups, wanted)


@pytest.mark.parametrize("view", ["cut", "log2p1"])
@pytest.mark.parametrize("items", [None, ITEMS])
def test_shares_are_those_of_a_plain_loop_over_the_log_and_the_lists(view, items):
    log = pl.read_parquet(TRAIN)
    users = Counter(item for _, item in set(log.select(log.columns[:2]).iter_rows()))
    catalogue = list(users) if items is None else pl.read_parquet(ITEMS).to_series().to_list()
    order = sorted(catalogue, key=lambda item: (-users[item], item))
    group = {item: place * 10 // len(order) for place, item in enumerate(order)}
    run, seen, shown = pl.read_parquet(RUNS["itemknn"]), Counter(), set()
    for rank, item in run.select("rank", "item_id").iter_rows():
        if rank <= 5:
            seen[group[item]] += 1 if view == "cut" else 1 / math.log2(rank + 1)
            shown.add(item)
    found = measured({"itemknn": RUNS["itemknn"]}, TRAIN, 10, items=items, k=5, view=view)
    for row in found["exposure"]:
        assert row["share"] == pytest.approx(seen[row["group"] - 1] / sum(seen.values()), abs=1e-12)
    for row in found["groups"]:
        own = [item for item in order if group[item] == row["group"] - 1]
        assert row["items"] == len(own)
        assert row["interactions_share"] == pytest.approx(
            sum(users[i] for i in own) / sum(users.values()), abs=1e-12
        )
    (summary,) = found["summary"]
    assert (summary["items"], summary["catalogue"], summary["outside"]) == (len(shown), len(order), 0)


def test_coverage_is_that_of_the_metric():
    found = measured(RUNS, TRAIN, 10, items=ITEMS, k=10)
    for row in found["summary"]:
        res = rw.evaluate(RUNS[row["system"]], metrics=["coverage@10"], items=ITEMS)
        assert row["coverage"] == res["coverage@10"]
        assert row["slots"] == 10 * row["lists"]


def test_threads_and_batches_change_no_digit():
    one, many = (measured(RUNS, TRAIN, 10, view="log2p1", threads=threads) for threads in (1, 2))
    small = measured(RUNS, TRAIN, 10, view="log2p1", engine=Memory(batch=7))
    assert one == many == small


def test_recommendations_outside_the_catalogue_are_counted_and_left_out():
    found = measured({"run": {"u": ["a", "z", "b"], "v": ["z"]}}, {"u": ["a", "b"], "v": ["a"]}, 2)
    assert [row["share"] for row in found["exposure"]] == [0.5, 0.5]
    assert (found["summary"][0]["outside"], found["summary"][0]["slots"]) == (2, 2)


def test_lists_without_any_known_item_have_no_shares():
    found = measured({"run": {"u": ["z"]}}, {"u": ["a", "b"]}, 2)
    assert [row["share"] for row in found["exposure"]] == [None, None]


def test_fewer_items_than_groups_are_refused():
    with pytest.raises(DataError, match="2 items cannot be divided into 10 groups"):
        measured({"run": {"u": ["a"]}}, {"u": ["a", "b"]}, 10)
