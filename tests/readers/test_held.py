"""Values as people hold them: Series, dicts by pair or by column, structured arrays; and one run where runs by name are expected."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankwell as rw
from rankwell.errors import DataError, UsageError

FRAME = pd.DataFrame({"user": ["u", "u", "v"], "item": ["b", "a", "c"], "score": [0.1, 0.9, 0.5]})
PAIRS = FRAME.set_index(["user", "item"])["score"]
QRELS = {"u": {"a": 1}, "v": {"d": 1}}
LISTS = {"u": ["a", "b"], "v": ["d"]}
ONE = {"u": ["b", "a"], "v": ["d"]}
RUNS = {
    "a Series by user and item": PAIRS,
    "its dict": PAIRS.to_dict(),
    "a Series without a name": PAIRS.rename(None),
    "a Series named like a level of its index": PAIRS.rename("item"),
    "a dict by column and row": FRAME.to_dict(),
    "a dict by column": FRAME.to_dict("list"),
    "a dict of Series": FRAME.to_dict("series"),
    "records": FRAME.to_dict("records"),
    "a structured array": FRAME.to_records(),
    "a structured array without index": FRAME.to_records(index=False),
    "a list of named tuples": list(FRAME.itertuples()),
    "a Series of dicts": pd.Series({"u": {"b": 0.1, "a": 0.9}, "v": {"c": 0.5}}),
}


@pytest.mark.parametrize("name", RUNS)
def test_other_ways_to_hold_a_run_give_its_numbers(name):
    assert rw.evaluate(RUNS[name], QRELS, "rr").mean == {"rr": 0.5}
    assert rw.evaluate(RUNS[name], QRELS, "rr", engine="stream").mean == {"rr": 0.5}


def test_a_series_of_lists_is_a_run_best_first():
    lists = FRAME.groupby("user")["item"].apply(list)
    assert rw.evaluate(lists, QRELS, "rr").mean == {"rr": 0.25}


JUDGED = FRAME.assign(score=[0, 1, 1]).rename(columns={"score": "grade"})
JUDGEMENTS = {
    "a Series by user and item": JUDGED.set_index(["user", "item"])["grade"],
    "its dict": JUDGED.set_index(["user", "item"])["grade"].to_dict(),
    "a Series without a name": JUDGED.set_index(["user", "item"])["grade"].rename(None),
    "a dict by column and row": JUDGED.to_dict(),
    "a structured array": JUDGED.to_records(),
}


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("name", JUDGEMENTS)
def test_other_ways_to_hold_judgements_give_their_numbers(name, engine):
    assert rw.evaluate(ONE, JUDGEMENTS[name], "rr", engine=engine).mean == {"rr": 0.25}


def test_a_series_of_lists_is_judgements():
    lists = FRAME.groupby("user")["item"].apply(list)
    assert rw.evaluate(LISTS, lists, "p@1").mean == {"p@1": 0.5}


def test_whole_numbers_by_column_and_row_are_a_table():
    frame = pd.DataFrame({"user": [1, 1], "item": [5, 7], "score": [1, 2]})
    assert rw.evaluate(frame.to_dict(), {1: {7: 1}}, "rr").mean == {"rr": 1.0}
    spaced = frame.rename(columns={"user": "User ID", "item": "item-id"})
    assert rw.evaluate(spaced.to_dict(), {1: {7: 1}}, "rr").mean == {"rr": 1.0}
    for value in (frame.to_dict("index"), frame.iloc[[0, 0]].reset_index().to_dict("index")):
        with pytest.raises(DataError, match=r"Give its rows: list\(table.values\(\)\)"):
            rw.read_run(value)
        assert len(rw.read_run(list(value.values()))) == 2


def test_queries_called_like_columns_stay_queries():
    assert rw.read_run({"user": {"a": 1.0}, "item": {"b": 2.0}}).queries == ["user", "item"]


@pytest.mark.parametrize("orient", ["split", "table", "index", "values"])
def test_json_of_pandas_in_another_orient_names_the_one_that_is_read(tmp_path, orient):
    path = tmp_path / "a.json"
    for frame in (FRAME, FRAME.assign(user=1)):
        path.write_text(frame.to_json(orient=orient))
        for source in (path, json.loads(path.read_text())):
            for read in (rw.read_run, rw.read_qrels):
                with pytest.raises(DataError, match=r"orient='records'|to_dict\('records'\)"):
                    read(source)


REFUSED = {
    "one column": (FRAME.set_index("item")["score"], "a Series is one column. Give a frame with the columns query, item and score"),
    "a row": (FRAME.iloc[0], "a Series is one column"),
    "a column of Polars": (pl.Series([["a", "b"]]), "a Series is one column"),
    "an index without names": (PAIRS.rename_axis([None, None]), r"Give series.rename_axis\(\['query', 'item'\]\)"),
    "lists of one query twice": (pd.Series([["a"], ["b"]], index=["u", "u"]), "a Series is one column"),
    "groups": (FRAME.groupby("user"), "a DataFrameGroupBy is no table. Give the frame"),
    "rows once": (FRAME.itertuples(), r"can be read only once. Give a list: list\("),
    "a matrix of text": (FRAME.to_numpy(), r"The rows of a table are a frame: pd.DataFrame\(values"),
    "keys of three": ({("u", "a", "x"): 1.0}, r"no pair \(query, item\). Give \{\(query, item\): score\}"),
    "runs by name": ({"als": ONE}, "If these are runs by name, evaluate one of them, or rw.compare all"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_run_says_what_to_give(name):
    value, said = REFUSED[name]
    with pytest.raises(rw.RankwellError, match=said):
        rw.evaluate(value, QRELS, "rr")


def test_an_index_is_named_as_its_remedy_says():
    assert len(rw.read_run(PAIRS.rename_axis([None, None]).rename_axis(["query", "item"]))) == 3


VERBS = {
    "compare": lambda runs: rw.compare(runs, QRELS, "rr").mean,
    "evaluate_all": lambda runs: rw.Evaluator(QRELS, "rr").evaluate_all(runs),
    "fuse": lambda runs: rw.fuse(runs).to_frame(),
    "agreement": lambda runs: rw.agreement(QRELS, QRELS, runs=runs, metrics="rr"),
}
MODELS = FRAME.assign(model=["x", "y", "x"])


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "run", [ONE, {"u": {"a": 1.0}, "v": {"d": 1.0}}, FRAME.to_dict("list"), PAIRS.to_dict()]
)
def test_one_run_in_place_of_runs_by_name_says_how_to_name_it(verb, run):
    with pytest.raises(UsageError, match=r"takes runs by name, not one run.*Give \{'a': run, 'b': other\}"):
        VERBS[verb](run)
    VERBS[verb]({"a": run, "b": ONE})


@pytest.mark.parametrize("verb", VERBS)
def test_a_series_of_lists_is_one_of_the_runs_by_name(verb):
    lists = pd.Series(ONE)
    for runs in ({"a": lists, "b": ONE}, {"a": ONE, "b": lists}, {"a": lists, "b": lists}):
        assert str(VERBS[verb](runs)) == str(VERBS[verb]({"a": ONE, "b": ONE}))
    with pytest.raises(UsageError, match=r"takes runs by name, not one|must be a mapping"):
        VERBS[verb](lists)


@pytest.mark.parametrize("verb", ["compare", "evaluate_all", "fuse"])
def test_groups_in_place_of_runs_by_name_say_how_to_divide_them(verb):
    with pytest.raises(UsageError, match=r"not groups. Give dict\(list\(groups\)\)"):
        VERBS[verb](MODELS.groupby("model"))
    VERBS[verb](dict(list(MODELS.groupby("model"))))
    groups = pl.DataFrame(MODELS.to_dict("list")).group_by("model")
    with pytest.raises(UsageError, match=r"Give \{name: part for \(name,\), part in groups\}"):
        VERBS[verb](groups)
    VERBS[verb]({name: part for (name,), part in groups})


@pytest.mark.parametrize("verb", ["compare", "evaluate_all"])
def test_a_list_of_runs_and_a_single_one_say_how_to_name_them(verb):
    with pytest.raises(UsageError, match=r"not a list. Give \{'a': runs\[0\], 'b': runs\[1\]\}"):
        VERBS[verb]([ONE, ONE])
    with pytest.raises(UsageError, match=r"takes runs by name, not 'a.run'. Give \{'a': run, 'b': other\}"):
        VERBS[verb]("a.run")
    with pytest.raises(UsageError, match=r"takes runs by name, not one table \(DataFrame\). Give \{'a': run"):
        VERBS[verb](FRAME)


def test_lists_of_files_are_still_runs_by_name(tmp_path):
    (tmp_path / "a.run").write_text("u Q0 a 1 1 t\n")
    found = rw.Evaluator(QRELS, "rr").evaluate_all({"a": [str(tmp_path / "a.run")]})
    assert found["a"].mean == {"rr": 0.5}


def test_labels_of_groups_are_not_matched_by_position_against_their_index():
    y, p = np.array([0, 1, 1, 0]), np.array([0.1, 0.9, 0.8, 0.2])
    with pytest.raises(DataError, match=r"give p.to_numpy\(\); else p.loc\[y.index\]"):
        rw.from_groups(pd.Series(y), pd.Series(p, index=[3, 2, 1, 0]), [2, 2])
    run, _ = rw.from_groups(pd.Series(y), pd.Series(p, index=[3, 2, 1, 0]).loc[pd.Series(y).index], [2, 2])
    assert run.rows.table().key.tolist() == [0.2, 0.8, 0.9, 0.1]
    with pytest.raises(UsageError, match=r"give the second: p\[:, 1\]"):
        rw.from_groups(y, np.stack([1 - p, p], 1), [2, 2])
