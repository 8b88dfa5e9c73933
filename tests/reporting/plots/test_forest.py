"""The forest plot, against what the comparison says of each pair."""

from __future__ import annotations

import json
import math

import pytest
from tests.reporting import second
from tests.reporting.compared import compared, data, evaluated
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of

import rankwell as rw
from rankwell.errors import RankwellError


def rows_of(chart):
    """The rows of all pairs, each once."""
    return list({row["row"]: row for row in rows_in(chart, "row", "estimate")}.values())


def words_of(chart):
    return " ".join([chart.title.text, *chart.title.subtitle])


def plain():
    chart = rw.plot.forest(second.compared())
    shown, expected = second.shown_in(chart, ("pair",), ("mean", "n")), {}
    for (pair,) in shown:  # the better system first
        one, other = pair.split(" − ")
        expected[pair,] = second.mean_of("rr", one) - second.mean_of("rr", other), str(len(second.QUERIES))
        assert expected[pair,][0] >= 0
    assert len(expected) == 3
    return shown, expected


@pytest.mark.parametrize("metric", ["ndcg@10", "first_rank", "p@5"])
@pytest.mark.parametrize("baseline", [None, "s1"])
def test_each_row_is_the_difference_that_the_comparison_has(metric, baseline):
    found = compared(4, baseline=baseline)
    rows = rows_of(rw.plot.forest(found, metric))
    assert len(rows) == (6 if baseline is None else 3)
    for row in rows:
        first, second = row["pair"].split(" − ")
        own = found.difference(first, second, metric)
        assert (row["mean"], row["low"], row["high"]) == (own.mean, own.low, own.high)
        assert row["n"] == f"{own.n:,}"
        better = own.mean < 0 if metric == "first_rank" else own.mean > 0
        assert row["outcome"] == ("open" if own.p >= 0.05 else "better" if better else "worse")
        assert row["p"] in (f"{own.p:.4f}", "<0.0001")


@pytest.mark.parametrize(("metric", "sign"), [("ndcg@10", 1), ("first_rank", -1)])
def test_of_all_pairs_the_better_system_is_first_and_the_largest_difference_at_the_top(metric, sign):
    gains = [sign * row["mean"] for row in rows_of(rw.plot.forest(compared(5), metric))]
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] >= 0


def test_against_one_system_all_others_are_less_it():
    rows = rows_of(rw.plot.forest(compared(5), against="s2"))
    assert {row["row"] for row in rows} == {"s0", "s1", "s3", "s4"}
    assert all(row["pair"].endswith("− s2") for row in rows)


def test_of_many_pairs_the_largest_are_shown_and_this_is_said():
    found = compared(5)
    every = sorted((abs(float(mean)) for mean in found.differences[found.metrics[0], 0].mean), reverse=True)
    chart = rw.plot.forest(found, most=4)
    assert sorted((row["mean"] for row in rows_of(chart)), reverse=True) == every[:4]
    assert "the 4 largest of 10 differences" in words_of(chart)


@pytest.mark.parametrize(("metric", "sign"), [("ndcg@10", 1), ("first_rank", -1)])
def test_of_many_systems_the_best_are_shown_and_this_is_said(metric, sign):
    found = compared(5)
    gains = [found.difference(f"s{at}", "s2", metric).mean for at in (0, 1, 3, 4)]
    chart = rw.plot.forest(found, metric, against="s2", most=2)
    assert [row["mean"] for row in rows_of(chart)] == sorted(gains, key=lambda gain: -sign * gain)[:2]
    assert "the 2 best of 4 differences" in words_of(chart)


def test_a_margin_is_a_band_around_zero():
    rows = rows_of(rw.plot.forest(compared(3, margins=0.02), "ndcg@10"))
    assert {(row["less"], row["margin"]) for row in rows} == {(-0.02, 0.02)}
    assert "±0.02" in words_of(rw.plot.forest(compared(3, margins=0.02), "ndcg@10"))


def test_several_metrics_of_one_pair_have_a_row_each():
    chart = rw.plot.forest(compared(2), ["ndcg@10", "rr", "coverage@3"])
    assert [row["row"] for row in rows_of(chart)] == ["ndcg@10", "rr", "coverage@3"]
    assert "s1 − s0" in chart.title.text or "s0 − s1" in chart.title.text


def test_one_value_of_all_lists_has_no_interval_and_no_p():
    chart = rw.plot.forest(compared(2), "coverage@3")
    (row,) = rows_of(chart)
    assert (row["low"], row["high"], row["p"], row["outcome"]) == (None, None, "–", "open")
    assert "no interval and no test" in words_of(chart)


def test_between_methods_with_seeds_the_interval_decides():
    qrels, runs = data(6, 40)
    seeds = {"weak": ["s0", "s1", "s2"], "strong": ["s3", "s4", "s5"]}
    found = rw.compare(runs, qrels, ["ndcg@10"], seeds=seeds, resamples=199)
    chart = rw.plot.forest(found)
    (row,) = rows_of(chart)
    own = found.difference("strong", "weak", "ndcg@10")
    assert (row["mean"], row["low"], row["p"]) == (own.mean, own.low, "–")
    assert row["outcome"] == ("better" if own.low > 0 else "open")
    assert "No tests" in words_of(chart)


def test_identical_runs_are_at_zero_without_an_interval():
    qrels, runs = data(1, 20)
    found = rw.compare({"a": runs["s0"], "b": runs["s0"]}, qrels, ["ndcg@10"], flips=999)
    (row,) = rows_of(rw.plot.forest(found))
    assert (row["mean"], row["low"], row["outcome"]) == (0.0, None, "open")


def test_hostile_names_stay_text_and_apart_in_each_language():
    own = next(iter(evaluated(1, 10, 1, ("rr", "p@5")).values()))
    found = rw.compare(dict.fromkeys(HOSTILE, own), flips=99, resamples=99)
    for lang in ("en", "ko"):
        chart = rw.plot.forest(found, lang=lang, dark=True)
        assert len(rows_of(chart)) == math.comb(len(HOSTILE), 2)
        json.dumps(chart.to_dict(), allow_nan=False)
    assert "<script>alert" in text_of(chart)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metrics": "ap"}, "was not compared|was not evaluated"),
        ({"metrics": []}, "names no metric"),
        ({"against": "s9"}, "must be s0"),
        ({"most": 0}, "at least 1"),
        ({"lang": "xx"}, "must be en"),
    ],
)
def test_what_does_not_fit_is_refused(options, said):
    with pytest.raises(RankwellError, match=said):
        rw.plot.forest(compared(3), **options)


def test_results_are_no_comparison():
    with pytest.raises(RankwellError, match="expected what rankwell"):
        rw.plot.forest(evaluated(3))
