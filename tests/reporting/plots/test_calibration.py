"""The plot of genres in histories and in lists."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from tests.definitions.worked import examples
from tests.reporting import second
from tests.reporting.plots.pictures import ITEMS, RUNS, TRAIN, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.display.page import words_of
from rankwell.errors import DataError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.matching.policy import Policy
from rankwell.readers import open_run, read_qrels
from rankwell.readers.items_users import read_catalogue
from rankwell.reporting.plots.calibration import column_name, few_topics, metrics_of, rows_of

FILMS = [
    {"item": "a", "genres": "War"},
    {"item": "b", "genres": "Drama|War"},
    {"item": "c", "genres": "Drama"},
]


def plain():
    chart = rw.plot.calibration(second.RUNS, second.TRAIN, second.ITEMS, k=5)
    expected = {}
    for system, lists in second.LISTS.items():
        pairs = [(second.shares(second.TRAIN[q]), second.shares(lists[q][:5])) for q in second.QUERIES]
        for topic in ("war", "love", "work"):
            history, share = (second.mean(pair[side][topic] for pair in pairs) for side in (0, 1))
            expected[system, topic] = history, share
    return second.shown_in(chart, ("system", "topic"), ("history", "share")), expected


def test_bars_and_dots_are_the_shares_and_the_divergence_is_that_of_the_metric():
    chart = plot.calibration(RUNS, TRAIN, ITEMS, k=5)
    res = rw.evaluate(RUNS["als"], metrics=["calibration@5"], train=TRAIN, items=ITEMS)
    assert f"als {res['calibration@5']:.2f}" in chart.title.subtitle[2]
    assert chart.title.text == "Shares of genres in histories and in recommendations"
    rows = [row for row in values_of(chart) if row.get("system") == "als"]
    assert sum(row["share"] for row in rows) == pytest.approx(1.0)
    assert len({row["topic"] for row in rows}) == 20


def test_one_user_is_named():
    chart = plot.calibration({"u": ["b", "c"]}, {"u": {"a": 1}}, FILMS, query="u", lang="en")
    assert chart.title.text == "Shares of genres in the history and in the recommendations of 'u'"
    rows = [row for row in values_of(chart) if "share" in row]
    assert {row["topic"]: (row["history"], row["share"]) for row in rows} == {
        "War": (1.0, 0.25),
        "Drama": (0.0, 0.75),
    }


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_two_and_fifty_systems_are_drawn(lang):
    rng = np.random.default_rng(0)
    runs = {f"s{n}": {"u": [str(i) for i in rng.permutation(list("abc"))[:2]]} for n in range(50)}
    spec_checked(plot.calibration(dict(list(runs.items())[:2]), {"u": {"a": 1}}, FILMS, lang=lang))
    many = spec_checked(plot.calibration(runs, {"u": {"a": 1}}, FILMS, lang=lang, dark=True))
    assert "50" in many["title"]["subtitle"][-1]


def test_without_histories_or_topics_it_is_refused():
    with pytest.raises(DataError, match="no user has both"):
        plot.calibration({"u": ["b"]}, {"v": {"a": 1}}, FILMS)
    with pytest.raises(DataError, match="query 'w'"):
        plot.calibration({"u": ["b"]}, {"u": {"a": 1}}, FILMS, query="w")
    with pytest.raises(UsageError, match="no column of topics"):
        plot.calibration({"u": ["b"]}, {"u": {"a": 1}}, [{"item": "a", "year": 1}])


def measured(run, train, items, *, column="topics", query=None, k=None, **how):
    catalogue, wanted = read_catalogue(items), metrics_of(k, column, query)
    request = Request(
        metrics=wanted, policy=Policy(outside="ignore"), train=read_qrels(train), items=catalogue, **how
    )
    res = Evaluator.of(request).results_of(open_run(run, name="run"))
    return rows_of({"run": res}, catalogue.features(column).names, wanted)


def shares(items, topics):
    """The mean share of each topic over the items that have some; None without any."""
    known = [topics[item] for item in items if topics.get(item)]
    total: dict[str, float] = {}
    for own in known:
        for topic in own:
            total[topic] = total.get(topic, 0.0) + 1 / len(own) / len(known)
    return total or None


def test_shares_are_those_of_the_worked_example():
    data = examples()["rs.data"]["input"]
    names = ("x", "y", "z")
    items = [
        {"item": item, "topics": "|".join(n for n, has in zip(names, row, strict=True) if has)}
        for item, row in data["features"].items()
    ]
    expected = examples()["rs.calibration_kl_u1"]["expected"]
    found = measured(data["recs"], data["train"], items, query="u1")
    own = {row["topic"]: row for row in found["topics"]}
    assert [own[name]["history"] for name in names] == pytest.approx(expected["p"], abs=1e-12)
    assert [own[name]["share"] for name in names] == pytest.approx(expected["q"], abs=1e-12)


def test_shares_are_those_of_a_plain_loop_over_all_users():
    frame = pl.read_parquet(ITEMS)
    topics = dict(frame.select("item_id", "genres").iter_rows())
    topics = {item: own.split("|") if isinstance(own, str) else own for item, own in topics.items()}
    log, run = pl.read_parquet(TRAIN), pl.read_parquet(RUNS["als"])
    known, listed = {}, {}
    for user, item in sorted(set(log.select(log.columns[:2]).iter_rows())):
        known.setdefault(user, []).append(item)
    for user, rank, item in run.select("user_id", "rank", "item_id").iter_rows():
        if rank <= 5:
            listed.setdefault(user, []).append(item)
    both = [(shares(known.get(user, []), topics), shares(items, topics)) for user, items in listed.items()]
    both = [(p, q) for p, q in both if p and q]
    found = measured(RUNS["als"], TRAIN, ITEMS, k=5)
    assert found["summary"][0]["users"] == len(both)
    for row in found["topics"]:
        for place, field in enumerate(("history", "share")):
            mean = math.fsum(each[place].get(row["topic"], 0.0) for each in both) / len(both)
            assert row[field] == pytest.approx(mean, abs=1e-12)
    history = [row["history"] for row in found["topics"]]
    assert history == sorted(history, reverse=True)
    assert math.fsum(history) == pytest.approx(1.0)


def test_threads_change_no_digit():
    one, two = (measured(RUNS["als"], TRAIN, ITEMS, threads=threads) for threads in (1, 2))
    assert one == two


def test_one_user_alone_is_what_the_loop_finds_and_an_unknown_one_has_no_rows():
    films = [
        {"item": "a", "genres": "War"},
        {"item": "b", "genres": "Drama|War"},
        {"item": "c", "genres": None},
    ]
    run, train = {"u": ["b", "c"], "v": ["a"]}, {"u": {"a": 1, "c": 1}, "v": {"b": 1}}
    rows = measured(run, train, films, query="u")["topics"]
    assert [(row["topic"], row["history"], row["share"]) for row in rows] == [
        ("War", 1.0, 0.5),
        ("Drama", 0.0, 0.5),
    ]
    assert measured(run, train, films, query="nobody")["topics"] == []
    assert measured({1: ["a"]}, {1: {"b": 1}}, films, query=1)["summary"][0]["users"] == 1


def test_topics_of_small_shares_are_added_up_without_loss():
    rows = [
        {"system": system, "topic": f"t{n}", "history": 1 / 2 ** (n + 1), "share": 1 / 30}
        for system in ("a", "b")
        for n in range(30)
    ]
    found = few_topics(rows, words_of("en"), 10)
    for system in ("a", "b"):
        own = [row for row in found if row["system"] == system]
        assert len(own) == 10
        assert own[-1]["topic"] == "21 others"
        assert math.fsum(row["history"] for row in own) == pytest.approx(1 - 1 / 2**30)
        assert math.fsum(row["share"] for row in own) == pytest.approx(1.0)


def test_a_topic_that_nobody_has_is_left_out():
    rows = [
        {"system": "a", "topic": "x", "history": 1.0, "share": 1.0},
        {"system": "a", "topic": "y", "history": 0.0, "share": 0.0},
    ]
    assert [row["topic"] for row in few_topics(rows, words_of("en"))] == ["x"]


def test_the_column_of_topics_is_called_by_its_own_name():
    assert column_name(read_catalogue(ITEMS), "topics") == "genres"
    assert column_name(read_catalogue(ITEMS), "year") == "year"
