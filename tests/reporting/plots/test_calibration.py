"""The plot of genres in histories and in lists."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import ITEMS, RUNS, TRAIN, spec_checked, values_of

import rankwell as rw
from rankwell import plot
from rankwell.errors import DataError, UsageError

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
