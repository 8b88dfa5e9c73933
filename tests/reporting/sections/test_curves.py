"""The curves of a report."""

from __future__ import annotations

import json

import pytest
from tests.reporting import second
from tests.reporting.plots.pictures import HOSTILE, ITEMS, QRELS, RUNS
from tests.reporting.sections.made import material_of

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.reporting.page import page_of
from rankwell.reporting.sections.curves import section

WORDS = words_of("en")


def plain():
    data = second.data_of("curves", primary="p@3")
    shown = {
        (row["system"], k): cell["value"]
        for row in data["table"]
        for k, cell in zip(data["ks"], row["cells"], strict=True)
    }
    expected = {
        (system, k): second.mean(second.p(lists[q], second.QRELS[q], k) for q in second.QUERIES)
        for system, lists in second.LISTS.items()
        for k in data["ks"]
    }
    for row in data["summary"]:  # the mean over eleven levels of recall
        values = [each["precision"] for each in data["precision_recall"] if each["system"] == row["system"]]
        shown[row["system"]], expected[row["system"]] = (
            (row["mean"], row["n"]),
            (second.mean(values), len(second.QUERIES)),
        )
    return shown, expected


def test_values_are_those_of_an_evaluation():
    found = section(material_of(RUNS, QRELS, ["ap", "ndcg@10"], rel=8))
    assert found is not None
    ev = rw.Evaluator(QRELS, ["ndcg@1", "ndcg@10", "avg11"], rel=8)
    for name, res in ev.evaluate_all(RUNS).items():
        values = {row["k"]: row["value"] for row in found.data["curve"] if row["system"] == name}
        assert (values[1], values[10]) == (res["ndcg@1"], res["ndcg@10"])
        (summary,) = [row for row in found.data["summary"] if row["system"] == name]
        assert summary["mean"] == pytest.approx(res["avg11"], abs=1e-12)
    assert set(found.charts) == {"curve", "precision_recall"}


def test_the_page_shows_each_number_of_the_data():
    found = section(material_of(RUNS, QRELS, ["ndcg@10"], rel=8))
    text = page_of("t", [found], WORDS)
    for row in found.data["table"]:
        assert all(
            f'<data value="{cell["value"]!r}">' in text for cell in row["cells"] if cell["value"] is not None
        )
    for row in found.data["summary"]:
        assert f'<data value="{row["mean"]!r}">' in text
    json.dumps(dict(found.data), allow_nan=False)


def test_the_primary_metric_is_drawn_if_it_has_a_cut_off_else_the_first_that_has():
    runs = {name: RUNS[name] for name in ("als", "popular")}
    assert (
        section(material_of(runs, QRELS, ["p@5", "ndcg@10"], primary="ndcg@10", rel=8)).data["metric"]
        == "ndcg"
    )
    assert section(material_of(runs, QRELS, ["ap", "rr@5", "ndcg@10"], rel=8)).data["metric"] == "rr"


def test_without_cut_offs_there_is_precision_and_recall_alone():
    found = section(material_of({"a": {"q": ["x"]}}, {"q": {"x": 1}}, ["ap"]))
    assert set(found.charts) == {"precision_recall"}
    assert page_of("t", [found], WORDS)


def test_exact_ties_have_no_interpolated_precision():
    run = {"q": {"x": 1.0, "y": 1.0}}
    found = section(material_of({"a": run}, {"q": {"x": 1}}, ["p@1"], ties="expected"))
    assert set(found.charts) == {"curve"}


def test_there_is_none_without_runs_or_judgements_or_anything_relevant():
    saved = rw.evaluate(RUNS["als"], QRELS, ["ndcg@10"], rel=8)
    assert section(material_of({"als": saved}, None, None)) is None
    assert section(material_of({"als": RUNS["als"]}, None, ["coverage@5"], items=ITEMS)) is None
    assert section(material_of({"a": {"q": ["x"]}}, {"q": {"x": 0}}, ["ndcg@5"])) is None


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_hostile_names_stay_text(lang):
    material = material_of(HOSTILE, {"q": {"x": 1}, "r": {"y": 1}}, ["ndcg@5"], lang=lang)
    text = page_of("t", [section(material)], words_of(lang))
    assert "<script>alert" not in text


def test_a_hundred_systems_stay_small():
    import numpy as np

    rng = np.random.default_rng(0)
    runs = {f"s{n}": {str(q): [str(i) for i in rng.permutation(30)] for q in range(20)} for n in range(100)}
    found = section(
        material_of(runs, {str(q): {"1": 1, "2": 1} for q in range(20)}, ["ndcg@10"], baseline="s5")
    )
    assert len(json.dumps([dict(found.data), dict(found.charts)])) < 400_000
    assert "in colour" in json.dumps(found.charts["curve"]["title"])


def test_of_judged_spans_there_is_no_precision_of_items():
    chunks = [
        {"item": item, "document": "d", "start": start, "end": start + 10}
        for item, start in (("a", 0), ("b", 10))
    ]
    gold = [{"query": query, "document": "d", "start": 5, "end": 15} for query in ("q", "p")]
    runs = {"x": {"q": ["a", "b"], "p": ["b", "a"]}, "y": {"q": ["b"], "p": ["a"]}}
    material = material_of(runs, gold, ["span_r@1"], items=chunks)
    found = section(material)
    assert found is not None
    assert set(found.charts) == {"curve"}
    assert [row["value"] for row in found.data["curve"] if row["system"] == "x"][:2] == [0.5, 1.0]
    assert material.judged == {}


def test_a_metric_at_a_budget_is_drawn_over_budgets():
    run = {"q": list("abcd"), "r": list("dcba")}
    qrels = {"q": {"a": 1, "c": 1}, "r": {"a": 1}}
    sized = {"items": [{"item": item, "tokens": size} for item, size in zip("abcd", (5, 10, 20, 1), strict=True)], "sizes": "tokens"}  # fmt: skip
    found = section(material_of({"run": run}, qrels, ["r@20t", "p@2"], **sized))
    res = rw.evaluate(run, qrels, [f"r@{budget}t" for budget in (5, 10, 20, 40, 80)], **sized)
    assert {row["k"]: row["value"] for row in found.data["curve"]} == {
        metric.budget: res[metric] for metric in res.metrics
    }
    text = page_of("t", [found], WORDS)
    assert "r@20t" in text
    assert "within each budget" in text
