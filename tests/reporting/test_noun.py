"""What a report calls queries: what their column says, or what was asked for, on the whole page."""

from __future__ import annotations

import re

import polars as pl
import pytest
from tests.reporting.lists import qrels_of, run_of
from tests.reporting.pages import shown_in

import rankwell as rw

RANKS = {"A": [2, 3, 4, 3, 2, 5, 4, 2], "B": [1, 1, 1, 2, 1, 1, 3, 1]}
QUICK = {"flips": 99, "resamples": 99}


def table(lists, column, **more):
    rows = [
        {column: query, "item": item, **{name: value(place) for name, value in more.items()}}
        for query, items in lists.items()
        for place, item in enumerate(items)
    ]
    return pl.DataFrame(rows)


def report_of(column, **options):
    runs = {
        name: table(run_of(ranks), column, score=lambda place: 9.0 - place) for name, ranks in RANKS.items()
    }
    return rw.report(runs, table(qrels_of(8), column, grade=lambda _: 1), ["rr", "p@1"], **QUICK, **options)


@pytest.mark.parametrize(
    ("column", "noun"),
    [("user_id", "users"), ("customer_id", "customers"), ("query", "queries"), ("qid", "queries")],
)
def test_the_column_of_the_query_says_what_queries_are(column, noun):
    found = report_of(column)
    assert f"on average over 8 {noun} (" in found.answer
    labels = [row["label"] for row in found.section("answer").data["compared"]]
    assert noun.capitalize() in labels
    assert f"8 {noun}" in found.section("leaderboard").data["caption"]


def test_what_is_asked_for_goes_before_the_column():
    assert "on average over 8 people" in report_of("user_id", noun="people").answer
    assert "사람 8명 평균에서" in report_of("user_id", noun="people", lang="ko").answer


@pytest.mark.parametrize(("lang", "words"), [("en", r"\b[Qq]uer(y|ies)\b"), ("ko", "질의")])
def test_a_page_of_users_speaks_of_users(lang, words):
    found = report_of("user_id", lang=lang)
    page = found.to_html()
    # definitions quote what is written in the code
    page = re.sub(r'<section id="definitions".*?</section>', "", page, flags=re.DOTALL)
    assert [text for _, text in shown_in(page) if re.search(words, text)] == []
    charts = [str(section.charts) for section in found.sections]
    assert not any(
        re.search(r"\b[0-9]+ queries|per query" if lang == "en" else words, text) for text in charts
    )


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_what_is_saved_keeps_the_word_that_its_tables_have(tmp_path, engine, suffix):
    tables = {
        name: table(run_of(ranks), "user_id", score=lambda place: 9.0 - place)
        for name, ranks in RANKS.items()
    }
    for name, own in tables.items():
        own.write_parquet(tmp_path / f"{name}.run.parquet")
    table(qrels_of(8), "qid", grade=lambda _: 1).write_parquet(qrels := tmp_path / "qrels.parquet")
    results = {}
    for name in tables:
        found = rw.evaluate(tmp_path / f"{name}.run.parquet", qrels, ["rr"], engine=engine)
        found.save(tmp_path / f"{name}.{suffix}")
        results[name] = rw.Results.load(tmp_path / f"{name}.{suffix}")
        assert results[name].query_columns == found.query_columns != ()
    comparison = rw.compare(results, **QUICK)
    comparison.save(tmp_path / "both.json")
    rw.trend({"2026-11-01": results["A"], "2026-11-08": results["B"]}).save(tmp_path / "weeks.json")
    for saved in (results, comparison, rw.Comparison.load(tmp_path / "both.json")):
        assert "over 8 users" in rw.report(saved).answer
    assert rw.Trend.load(tmp_path / "weeks.json").query_columns == comparison.query_columns
    assert rw.report(tmp_path / "weeks.json").noun == "users"
    assert rw.report(comparison, noun="people").noun == "people"


def test_saved_results_and_comparisons_are_of_queries_unless_they_are_called_otherwise():
    runs = {name: run_of(ranks) for name, ranks in RANKS.items()}
    comparison = rw.compare(runs, qrels_of(8), ["rr"], **QUICK)
    assert "over 8 queries" in rw.report(comparison).answer
    assert "over 8 users" in rw.report(comparison, noun="users").answer
