"""The one table of columns: those that metrics need mean nothing to anybody else, and one more is one line."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import polars as pl
import pytest

import rankwell as rw
from rankwell.readers.frames.columns import Given, match_columns
from rankwell.tables.columns import COLUMNS, WORDS, KnownColumn, is_passed, known_word

NEEDED = {name: word for word, column in COLUMNS.items() if column.need for name in column.names}
NEW = [name for name in NEEDED if known_word(name) is None]
ASKED = [name for name in NEW if not is_passed(name)]


def test_names_of_columns_that_metrics_need_are_not_usual_names():
    assert {"start", "end", "size", "start_index", "end_index"} <= set(NEW)
    assert {known_word(name) for name in NEEDED} == {None, "item"}  # a document is an item to all others


def said(table, read, **options):
    """What reading a table says, or its unread columns."""
    try:
        found = read(table, **options)
    except rw.RankwellError as error:
        return str(error)
    return str([*found.unread]), found.words


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize(
    "other", [{}, {"score": [2.0, 1.0]}, {"grade": [1, 0]}], ids=["alone", "score", "grade"]
)
@pytest.mark.parametrize("values", [[5, 9], ["x", "y"], [0, 1]], ids=["numbers", "texts", "flags"])
def test_a_column_of_such_a_name_is_as_any_of_no_meaning_to_runs_and_judgements(name, other, values):
    strange = "zqx" if name in ASKED else "zqx_index"  # a name that means nothing
    tables = [
        pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], column: values, **other})
        for column in (name, strange)
    ]
    for read in (rw.read_run, rw.read_qrels):
        ours, theirs = (said(table, read) for table in tables)
        assert re.sub(rf"\b{name}\b", strange, str(ours)) == str(theirs)


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_about_a_run_is_what_was_always_asked(name):
    with pytest.raises(rw.RankwellError, match=f"is '{name}' the score, where higher is better"):
        rw.read_run(pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], name: [5, 9]}))


@pytest.mark.parametrize(
    ("word", "need", "tables"), [("confidence", "confidence", ("run",)), ("wage", "wages", ("run", "qrels"))]
)
def test_a_column_more_is_one_line(monkeypatch, word, need, tables):
    usual = WORDS["run"]
    columns = ["query", "item", "score", word]
    with pytest.raises(rw.RankwellError, match="a column is query, item"):
        match_columns(columns, usual, "run", {word: word})
    monkeypatch.setitem(
        COLUMNS,
        word,
        KnownColumn("number", "what it is", {word: "common", f"{word} stated": "Tool"}, need, tables),
    )
    own = {"query": "query", "item": "item", "score": "score"}
    assert match_columns(columns, usual, "run") == own
    assert match_columns(columns, usual, "run", Given(needs=frozenset({"spans"}))) == own
    assert match_columns(columns, usual, "run", Given(needs=frozenset({need}))) == own | {word: word}
    other = [*columns[:3], f"{word.title()}_Stated"]
    assert match_columns(other, usual, "run", Given(needs=frozenset({need}))) == own | {word: other[3]}
    assert match_columns([*columns[:3], "x"], usual, "run", {"x": word}) == own | {word: "x"}
    with pytest.raises(
        rw.RankwellError, match=rf"calls 'x' '{word}'; a column is query.*document, start, end or size"
    ):
        match_columns(["item", "x"], WORDS["items"], "items", {"x": word})
    assert f"| {word}: what it is | `{word}`, `{word} stated` (Tool); of runs" in page_of_columns().rows()


def page_of_columns():
    path = Path(__file__).parents[2] / "tools" / "make_columns.py"
    spec = importlib.util.spec_from_file_location("make_columns", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
