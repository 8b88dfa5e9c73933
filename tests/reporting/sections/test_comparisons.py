"""The sections on uncertainty, segments and trade-offs: their data are those of the comparison, and each appears if it says something."""

from __future__ import annotations

import json

import pytest
from tests.reporting.compared import ITEMS, METRICS, compared, data, evaluated
from tests.reporting.plots.test_segments import divided, users_of

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.reporting.material import Material
from rankwell.reporting.page import page_of
from rankwell.reporting.sections import segments, tradeoffs, uncertainty

ALL = (uncertainty, segments, tradeoffs)


def material(results, comparison, lang="en"):
    return Material(results, comparison, words_of(lang))


def page(*sections, lang="en"):
    """The page of some sections, which fails for a value that a template does not find, and for NaN in JSON."""
    made = [each for each in sections if each is not None]
    for each in made:
        json.dumps([dict(each.data), dict(each.charts)], allow_nan=False)
    return page_of("title", made, words_of(lang))


@pytest.mark.parametrize("baseline", [None, "s1"])
def test_the_table_of_differences_is_that_of_the_comparison(baseline):
    found = compared(4, baseline=baseline)
    own = uncertainty.section(material(evaluated(4), found))
    metrics = [table["metric"] for table in own.data["tables"]]
    assert metrics == ["ndcg@10", "rr", "p@5", "first_rank", "personalization@3"][: len(metrics)]
    for table in own.data["tables"]:
        for row in table["rows"]:
            told = found.difference(row["first"], row["second"], table["metric"])
            names = ("n", "mean", "low", "high", "p", "wins", "ties", "losses")
            assert [row[name] for name in names] == [getattr(told, name) for name in names]
        shown = [row for row in table["rows"] if row["p"] < 0.05]
        assert table["differing"] == len(shown)
        assert table["tested"] == len(table["rows"])


def test_systems_with_the_same_values_leave_no_choice_between_metrics():
    res = evaluated(1)["s0"]
    found = rw.compare({"old": res, "new": res}, metrics=["ndcg@10", "rr"])
    (picture,) = tradeoffs.section(material({"old": res, "new": res}, found)).data["pictures"]
    assert picture["sentence"] == "All systems have the same ndcg@10 and the same rr."


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_sentences_say_how_many_differences_are_shown(lang):
    own = uncertainty.section(material(evaluated(4), compared(4), lang))
    table = own.data["tables"][0]
    assert 0 < table["differing"] < 6
    wanted = {
        "en": f"ndcg@10: {table['differing']} of 6 differences are shown to be more than chance (p < 0.05, maxT); the others "
        "may be chance.",
        "ko": f"ndcg@10: 차이 6개 중 {table['differing']}개는 우연으로 볼 수 없고 (p < 0.05, maxT), 나머지는 우연일 수 있습니다.",
    }
    assert table["sentence"] == wanted[lang]
    assert wanted[lang] in page(own, lang=lang).replace("&lt;", "<")


def test_identical_runs_have_no_difference_and_do_not_count_as_equal():
    qrels, runs = data(1, 20)
    own = rw.Evaluator(qrels, ["ndcg@10", "rr"]).evaluate_all({"a": runs["s0"], "b": runs["s0"]})
    found = rw.compare(own, flips=99)
    told = uncertainty.section(material(own, found))
    assert "no difference is shown" in told.data["tables"][0]["sentence"]
    assert "does not prove" in told.data["tables"][0]["sentence"]
    page(told, tradeoffs.section(material(own, found)))


def test_one_query_says_that_nothing_can_be_said():
    qrels, runs = data(2, 1)
    own = rw.Evaluator(qrels, ["ndcg@10", "rr", "p@5"]).evaluate_all(runs)
    found = rw.compare(own)
    told = uncertainty.section(material(own, found))
    assert "too few queries" in told.data["tables"][0]["sentence"]
    assert segments.section(material(own, found)) is None
    page(told, tradeoffs.section(material(own, found)))


def test_a_run_without_a_hit_is_shown():
    qrels, runs = data(1, 20)
    own = rw.Evaluator(qrels, ["ndcg@10", "rr", "p@5"]).evaluate_all(
        {"a": runs["s0"], "none": {q: ["zz"] for q in qrels}}
    )
    found = rw.compare(own, flips=99)
    page(*(each.section(material(own, found)) for each in ALL))
    [row] = uncertainty.section(material(own, found)).data["tables"][0]["rows"]
    assert abs(row["mean"]) == pytest.approx(own["a"]["ndcg@10"], abs=1e-12)  # the other has 0


def test_one_system_has_intervals_of_its_means_and_no_differences():
    own = evaluated(1)
    told = uncertainty.section(material(own, None))
    assert [row["metric"] for row in told.data["means"]] == ["ndcg@10", "rr", "p@5", "first_rank"]
    for row in told.data["means"]:
        wanted = own["s0"].interval(row["metric"])
        assert (row["mean"], row["low"], row["high"], row["n"]) == (
            wanted.mean,
            wanted.low,
            wanted.high,
            wanted.n,
        )
    assert set(told.charts) == {"per_query"}
    assert tradeoffs.section(material(own, None)).data["pictures"] == []
    page(told, tradeoffs.section(material(own, None)))


def test_without_values_per_query_one_system_has_no_such_section():
    qrels, runs = data(1)
    own = {"s0": rw.evaluate(runs["s0"], qrels, ["ndcg@10", "rr"], per_query=False)}
    for each in ALL:
        assert each.section(material(own, None)) is None


def test_a_comparison_alone_has_its_numbers_without_pictures_of_queries():
    told = uncertainty.section(material({}, compared(3)))
    assert {"differences", "per_query"}.isdisjoint(told.charts)
    assert "forest" in told.charts
    page(told, tradeoffs.section(material({}, compared(3))))


def test_of_a_hundred_systems_the_differences_from_the_best_are_shown():
    qrels, runs = data(100, 12)
    own = rw.Evaluator(qrels, ["ndcg@10", "rr"]).evaluate_all(runs)
    found = rw.compare(own, flips=99, resamples=99)
    told = uncertainty.section(material(own, found))
    best = found.names[found.order[0]]
    assert told.data["against"] == best
    assert {row["second"] for row in told.data["tables"][0]["rows"]} == {best}
    assert len(told.data["tables"][0]["rows"]) == 50
    assert len(json.dumps(dict(told.charts))) < 300_000


def test_segments_are_those_of_the_comparison_with_the_heterogeneity_of_the_best_pair():
    own = divided()
    found = rw.compare(own, users=users_of(60), by="tier", flips=99)
    told = segments.section(material(own, found))
    table = told.data["tables"][0]
    for row in table["rows"]:
        for system, cell in zip(table["systems"], row["cells"], strict=True):
            wanted = found.mean(system, table["metric"], None if row["is_all"] else row["segment"])
            assert (cell["mean"], cell["low"], cell["high"], cell["n"]) == (
                wanted.mean,
                wanted.low,
                wanted.high,
                wanted.n,
            )
    pair = [{found.names[row] for row in each} for each in found.pairs.T.tolist()].index(
        {table["first"], table["second"]}
    )
    assert table["p"] == found.heterogeneity[found.metrics[0]][pair]
    page(told)
    page(segments.section(material({"s0": own["s0"]}, None)))


def test_trade_offs_set_accuracy_against_what_needs_no_judgements():
    told = tradeoffs.section(material(evaluated(4), compared(4)))
    axes = [(each["x"], each["y"]) for each in told.data["pictures"]]
    assert axes == [("ndcg@10", "coverage@3"), ("ndcg@10", "gini@3"), ("ndcg@10", "personalization@3")]
    assert told.data["correlation"]["metrics"] == ["ndcg@10", "rr", "p@5", "first_rank"]
    page(told)


def test_without_such_metrics_trade_offs_are_of_the_first_two():
    own = evaluated(3, 30, 1, ("p@5", "rr"))
    told = tradeoffs.section(material(own, rw.compare(own, flips=99, resamples=99)))
    assert [(each["x"], each["y"]) for each in told.data["pictures"]] == [("p@5", "rr")]
    assert told.data["correlation"] == {}


def test_a_report_has_the_sections_in_both_languages():
    qrels, runs = data(3, 60)
    for lang in ("en", "ko"):
        report = rw.report(
            runs, qrels, list(METRICS), items=ITEMS, users=users_of(60), by="tier", baseline="s0", lang=lang
        )
        names = [each.name for each in report.sections]
        assert [name for name in names if name in ("uncertainty", "segments", "tradeoffs")] == [
            "uncertainty",
            "segments",
            "tradeoffs",
        ]
        report.to_html()


def test_methods_with_seeds_are_told_apart_by_intervals():
    qrels, runs = data(6, 40)
    own = rw.Evaluator(qrels, ["ndcg@10", "rr", "p@5"]).evaluate_all(runs)
    found = rw.compare(own, seeds={"weak": ["s0", "s1", "s2"], "strong": ["s3", "s4", "s5"]}, resamples=199)
    told = uncertainty.section(material(own, found))
    table = told.data["tables"][0]
    (row,) = table["rows"]
    difference = found.difference("strong", "weak", "ndcg@10")
    assert (row["mean"], row["low"], row["high"], row["p"]) == (
        difference.mean,
        difference.low,
        difference.high,
        None,
    )
    assert table["differing"] == int(difference.low > 0)
    assert "over seeds and queries" in table["sentence"]
    assert {"forest", "differences", "per_query", "wins"} <= set(told.charts)
    page(told, tradeoffs.section(material(own, found)))
