"""confidence_sequence: bounds of the differences in order of arrival, looked at as often as one likes."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.statistics import sequences

COUNT = 120
RNG = np.random.default_rng(8)
QRELS = {query: {"a": 1} for query in range(COUNT)}
OLD = {query: [*"xyz"[: int(RNG.integers(1, 4))], "a"] for query in range(COUNT)}
NEW = {query: ["a"] if RNG.random() < 0.5 else OLD[query] for query in range(COUNT)}
DAYS = RNG.permutation(COUNT)
USERS = pl.DataFrame({"query": range(COUNT), "day": DAYS})


def found(users=USERS, metric="rr", **options):
    return rw.confidence_sequence(
        {"first": NEW, "second": OLD}, QRELS, metric, arrival="day", users=users, **options
    )


@pytest.mark.parametrize("method", ["betting", "bernstein"])
def test_the_bounds_are_those_of_the_differences_in_order_of_arrival(method):
    stream = found(method=method)
    first, second = (rw.evaluate(run, QRELS, ["rr"]).per_query["rr"].to_numpy() for run in (NEW, OLD))
    order = np.argsort(DAYS)
    told = sequences.confidence_sequence((first - second)[order], bound=1.0, method=method)
    assert stream.queries == order.tolist()
    assert np.array_equal(stream.mean, told.mean)
    assert np.array_equal(stream.low, told.low)
    assert np.array_equal(stream.high, told.high)
    decided = next(
        n for n, (low, high) in enumerate(zip(told.low, told.high, strict=True), 1) if low > 0 or high < 0
    )
    assert stream.decided == decided


def test_whoever_is_looked_at_first_the_bounds_are_turned():
    other = rw.confidence_sequence({"first": OLD, "second": NEW}, QRELS, "rr", arrival="day", users=USERS)
    assert other.high == pytest.approx(-found().low)
    assert other.decided == found().decided


def test_dates_times_and_iso_text_are_the_same_order():
    start = dt.date(2026, 1, 1)
    dates = [start + dt.timedelta(days=int(day)) for day in DAYS]
    for column in (dates, [str(date) for date in dates], DAYS * 0.5):
        assert found(pl.DataFrame({"query": range(COUNT), "day": column})).queries == found().queries


def test_queries_that_came_together_are_in_the_order_of_ids_and_counted():
    stream = found(pl.DataFrame({"query": range(COUNT), "day": [0] * 5 + list(range(1, COUNT - 4))}))
    assert stream.queries[:6] == [0, 1, 2, 3, 4, 5]
    assert stream.together == 5
    assert "5 queries came at the same time" in repr(stream)


def test_queries_that_one_lacks_are_left_out_and_counted():
    stream = rw.confidence_sequence(
        {"first": {query: NEW[query] for query in range(100)}, "second": OLD},
        QRELS,
        "rr",
        arrival="day",
        users=USERS,
        missing="skip",
    )
    assert (stream.n, stream.left_out) == (100, 20)
    assert set(stream.queries) == set(range(100))


def test_without_a_bound_it_is_asymptotic_and_says_so():
    stream = found(metric="dcg")
    assert stream.bound is None
    assert "asymptotic: only for many queries" in repr(stream)
    assert math.isnan(stream.low[0])
    assert found(metric="dcg", bound=2).bound == 2


def test_the_table_has_1_2_5_steps_the_decision_and_the_end():
    stream = found()
    shown = [row[0] for row in stream.to_table().rows]
    assert shown == sorted({1, 2, 5, 10, 20, 50, 100, COUNT, stream.decided})
    assert f"exclude 0 from {stream.decided} queries on" in repr(stream)
    assert stream.to_frame().columns == ["n", "query", "mean", "low", "high"]
    assert stream.to_frame()["low"].to_list() == stream.low.tolist()
    assert stream.to_dict()["decided"] == stream.decided


def test_equal_systems_are_never_decided():
    stream = rw.confidence_sequence({"first": OLD, "second": OLD}, QRELS, "rr", arrival="day", users=USERS)
    assert stream.decided is None
    assert "do not exclude 0 yet" in repr(stream)


def test_results_need_no_judgements():
    first, second = (rw.evaluate(run, QRELS, ["rr", "ap"]) for run in (NEW, OLD))
    stream = rw.confidence_sequence(
        {"first": first, "second": second}, None, "rr", arrival="day", users=USERS
    )
    assert np.array_equal(stream.low, found().low)


def test_looking_after_every_query_is_wrong_as_seldom_as_it_says():
    """Equal systems, looked at 100 times each: Student's interval excludes 0 far too often, the sequence seldom."""
    rng = np.random.default_rng(3)
    wrong, misled = 0, 0
    for _ in range(100):
        d = rng.choice([-0.5, 0.0, 0.5], 100)
        told = sequences.confidence_sequence(d, method="bernstein")
        wrong += bool(((told.low > 0) | (told.high < 0)).any())
        n = np.arange(10, 101)
        mean = np.cumsum(d)[9:] / n
        sd = np.array([d[:count].std(ddof=1) for count in n])
        misled += bool((np.abs(mean) > 1.96 * sd / np.sqrt(n)).any())
    assert wrong <= 5
    assert misled > 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "coverage@1"}, "no mean of values per query"),
        ({"metric": "dcg", "bound": 0.1}, "beyond bound=0.1"),
        ({"bound": 0}, "bound=0: must be above 0"),
        ({"level": 95}, "level=95"),
        ({"users": USERS[:50]}, "has no day in users"),
        ({"users": USERS.with_columns(day=pl.lit("Monday"))}, "is text"),
        ({"users": USERS.with_columns(day=pl.lit(None, pl.Int64))}, "has no day"),
        ({"users": USERS.rename({"day": "time"})}, "no column 'day'"),
        ({"users": USERS.with_columns(day=pl.lit(value=True))}, "neither numbers nor times"),
    ],
)
def test_what_is_no_stream_is_refused(options, message):
    if options.get("metric") == "coverage@1":
        options = options | {"items": list("axyz")}
    with pytest.raises(rw.RankwellError, match=message):
        found(**options)
