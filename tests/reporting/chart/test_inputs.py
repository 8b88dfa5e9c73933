"""Runs, or results, by name, from what people give."""

from __future__ import annotations

import polars as pl
import pytest
from tests.reporting.plots.pictures import RUNS

import rankwell as rw
from rankwell.errors import UsageError
from rankwell.reporting.chart.inputs import runs_of, systems_of
from rankwell.reporting.chart.texts import cut, percent, shorten, titles_of

LISTS = {"u": ["a", "b"], "v": ["b"]}
SCORES = {"u": {"a": 2.0, "b": 1.0}, "v": {"b": 1}}
FRAME = pl.DataFrame({"query": ["u", "u", "v"], "item": ["a", "b", "b"], "score": [2.0, 1.0, 1.0]})
COLUMNS = {"query": ["u", "u", "v"], "item": ["a", "b", "b"], "score": [2.0, 1.0, 1.0]}


@pytest.mark.parametrize("run", [LISTS, SCORES, FRAME, COLUMNS, rw.Run(["u", "u", "v"], ["a", "b", "b"])])
def test_one_run_in_any_form_is_one_system_and_several_are_by_name(run):
    assert [len(each) for each in runs_of(run).values()] == [3]
    assert {name: len(each) for name, each in runs_of({"first": run, "second": run}).items()} == {
        "first": 3,
        "second": 3,
    }


def test_paths_are_read_and_named_after_their_file():
    assert list(runs_of(RUNS["als"])) == ["als.parquet"] or list(runs_of(RUNS["als"])) == ["als"]
    assert list(runs_of(RUNS)) == list(RUNS)


def test_a_list_of_runs_keeps_their_names_apart():
    run = rw.Run(["u"], ["a"], name="bm25")
    assert list(runs_of([run, run])) == ["bm25", "bm25 2"]


def test_results_are_taken_where_they_can_be_and_refused_where_lists_are_needed(tmp_path):
    res = rw.evaluate(LISTS, {"u": {"a": 1}}, ["rr"])
    res.save(tmp_path / "saved.parquet")
    assert isinstance(systems_of({"saved": str(tmp_path / "saved.parquet")})["saved"], rw.Results)
    with pytest.raises(UsageError, match="results do not hold the lists"):
        runs_of({"bm25": res})


def test_nothing_is_refused():
    with pytest.raises(UsageError, match="no run to draw"):
        runs_of({})


def test_names_are_short_on_one_line_and_distinct():
    names = ["a\x1b[2J", "x" * 10_000 + "1", "x" * 10_000 + "2", "two\nlines", "half \udc80"]
    found = shorten(names)
    assert len(set(found.values())) == len(names)
    assert all(len(label) <= 60 and label.isprintable() for label in found.values())
    for label in found.values():
        label.encode()


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (1, "100 %"), (0.99999, ">99 %"), (1e-6, "<0.1 %"), (None, "–")]
)
def test_a_share_never_reads_as_none_or_all_unless_it_is(share, text):
    assert percent(share) == text


def test_a_text_is_cut_before_it_is_looked_at():
    assert len(cut("ab " * 10_000_000)) == 40


def test_titles_come_from_the_names_else_from_the_catalogue_and_a_table_without_any_is_refused():
    films = [{"item": "a", "title": "Alien"}]
    assert titles_of(films).of(["a", "b"]) == ["Alien", None]
    assert titles_of([{"item": "a", "year": 1, "kind": 2}]) is None
    assert titles_of(["a", "b"]) is None
    assert titles_of(["a"], films).of(["a"]) == ["Alien"]
    assert titles_of(None, [{"item": "a", "x": "X"}], "x").of(["a"]) == ["X"]
    with pytest.raises(UsageError, match="no column of titles"):
        titles_of(films, [{"item": "a", "year": 1, "kind": 2}])
