"""Inputs: what an evaluation reads, and what it leaves unread."""

from __future__ import annotations

import ast
import re

import polars as pl
import pytest

import rankwell as rw
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import read_inputs
from rankwell.evaluation.request import Request
from rankwell.metrics import metrics_of
from rankwell.readers import read_items, read_qrels, read_run
from rankwell.readers.items_users import read_users

RUN = {"u": {"a": 3.0, "b": 2.0}, "v": {"b": 1.0}}
QRELS = {"u": {"b": 1}, "v": {"c": 1}}
TRAIN = {"u": ["c"], "v": ["a"]}


def asked(metrics, **tables):
    return Request(metrics=metrics_of(metrics), policy=rw.Policy(), **tables)


def test_tables_that_were_read_are_taken_as_they_are():
    run, qrels, train = read_run(RUN), read_qrels(QRELS), read_qrels(TRAIN)
    items, users = read_items(["a", "b", "c"]), read_users([{"user": "u"}, {"user": "v"}])
    inputs = read_inputs(asked(["ap", "epc@2"], qrels=qrels, train=train, items=items, users=users), [run])
    assert inputs.runs == (run,)
    assert (inputs.qrels, inputs.train, inputs.items, inputs.users) == (qrels, train, items, users)


def test_training_data_that_no_metric_needs_are_not_read(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("user,item\nu,a\n")
    assert read_inputs(asked("ap", qrels=QRELS, train=path)).train is None
    assert len(read_inputs(asked("epc@2", qrels=QRELS, train=path)).train) == 1
    path.write_text("no table")
    for metric in ("ap", "epc@2"):  # what the first rows show is told
        with pytest.raises(rw.RankwellError, match=r"train\.csv: the first line"):
            read_inputs(asked(metric, qrels=QRELS, train=path))


@pytest.mark.parametrize(
    ("metrics", "options", "message"),
    [
        ("ndgc", {}, "Did you mean ndcg"),
        ("coverage@2", {}, "needs the catalogue"),
        ("ap", {"preset": "rectool"}, "Did you mean rectools"),
        ("err@5", {"policy": rw.Policy(ties="expected")}, "no formula for the mean"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_before_anything_is_read(metrics, options, message, tmp_path):
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(tmp_path / "none.run", tmp_path / "none.qrels", metrics, **options)


def test_inputs_under_another_policy_hold_the_same_tables():
    request = asked(["ap", "rr"], qrels=read_qrels({"u": {"a": 1, "b": 3}}))
    inputs = read_inputs(request)
    changed = inputs.under(rw.Policy(rel=2))
    assert changed.qrels is inputs.qrels
    assert Evaluator.of(request, changed).results_of(read_run(RUN))["rr"] == 0.5
    assert Evaluator.of(request, inputs).results_of(read_run(RUN))["rr"] == 1.0


def test_an_evaluator_of_a_request_gives_the_values_of_an_evaluation():
    metrics, items = ["ap", "ndcg@2", "coverage@2", "epc@2"], ["a", "b", "c"]
    expected = rw.evaluate(RUN, QRELS, metrics, train=TRAIN, items=items)
    request = asked(metrics, qrels=read_qrels(QRELS), train=read_qrels(TRAIN), items=read_items(items))
    assert Evaluator.of(request).results_of(read_run(RUN)).to_json() == expected.to_json()


# tables whose columns have names that tell nothing, beside a run and judgements of the same people; a genre is no item
PEOPLE = pl.DataFrame({"user": ["u", "u", "v"], "item": ["a", "b", "b"], "score": [3.0, 2.0, 1.0]})
FOREIGN = {
    "train": pl.DataFrame({"person": ["u", "v"], "film": ["c", "a"], "stars": [1, 1]}),
    "items": pl.DataFrame({"genre": ["g", "h", "g"], "film": ["a", "b", "c"]}),
    "users": pl.DataFrame({"person": ["u", "v"], "tier": ["x", "y"]}),
}
NAMED = {
    "train.person": "query", "train.film": "item", "items.film": "item", "users.person": "query",
}  # fmt: skip
ALL = {
    "train": TRAIN,
    "items": ["a", "b", "c"],
    "users": [{"user": "u", "tier": "x"}, {"user": "v", "tier": "y"}],
}
OF_ALL = ["ap", "epc@2", "coverage@2"]


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("way", ["columns", "read"])
def test_columns_of_train_items_and_users_are_named_with_their_table(engine, way):
    named = {"columns": NAMED} if way == "columns" else {"read": {"columns": NAMED}}
    found = rw.evaluate(PEOPLE, QRELS, OF_ALL, **FOREIGN, by="tier", engine=engine, **named)
    assert found.mean == rw.evaluate(RUN, QRELS, OF_ALL, **ALL, by="tier").mean
    assert [row["tier"] for row in found.segments.to_dicts()] == ["x", "y"]


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("table", FOREIGN)
def test_the_remedy_for_names_that_tell_nothing_works_when_it_is_pasted(engine, table):
    tables = {**ALL, table: FOREIGN[table]}
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(RUN, QRELS, OF_ALL, **tables, by="tier", engine=engine)
    said = re.search(r"columns=(\{.*?\})", str(error.value))
    columns = ast.literal_eval(said[1])
    assert all(column.startswith(f"{table}.") for column in columns)
    # which of two columns is the item nobody can tell; the first is shown
    columns = {column.replace("genre", "film"): word for column, word in columns.items()}
    assert rw.evaluate(RUN, QRELS, OF_ALL, **tables, by="tier", engine=engine, columns=columns).mean


def test_a_column_that_train_shares_with_the_run_holds_the_same():
    run = PEOPLE.rename({"user": "person", "item": "film"})
    shared = {"person": "query", "film": "item"}
    found = rw.evaluate(run, QRELS, "epc@2", train=FOREIGN["train"], columns=shared)
    assert found.mean == rw.evaluate(RUN, QRELS, "epc@2", train=TRAIN).mean
    own = FOREIGN["train"].with_columns(user_id=pl.col("person"), person=pl.lit("nobody"))
    with_own = rw.evaluate(run, QRELS, "epc@2", train=own, columns={**shared, "train.user_id": "query"})
    assert with_own.mean == found.mean


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"train.person": "query"}, r"columns=\{'train.person': 'query'\} names a column of train=, which is not given"),
        ({"items.filn": "item"}, r"items: columns= names 'items.filn', but the columns are 'genre', 'film'. Did you mean film"),
        ({"items.film": "itm"}, r"items: columns= calls 'items.film' 'itm'; a column is .*Did you mean item"),
    ],
)  # fmt: skip
def test_a_name_for_a_table_that_does_not_fit_is_refused(columns, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(RUN, QRELS, "coverage@2", items=FOREIGN["items"], columns=columns)


def test_other_functions_take_the_same_names():
    runs, names = {"one": RUN, "two": {"u": ["b", "a"], "v": ["c"]}}, {"columns": NAMED}
    expected = rw.compare(runs, QRELS, "ap", users=ALL["users"], by="tier")
    found = rw.compare(
        runs, QRELS, "ap", users=FOREIGN["users"], by="tier", columns={"users.person": "query"}
    )
    assert found.mean("one", "ap", "x").mean == expected.mean("one", "ap", "x").mean
    evaluator = Evaluator(QRELS, OF_ALL, **FOREIGN, by="tier", **names)
    assert evaluator.evaluate(PEOPLE).mean == rw.evaluate(RUN, QRELS, OF_ALL, **ALL, by="tier").mean
    assert rw.diff(
        runs, QRELS, "epc@2", train=FOREIGN["train"], columns={"train.person": "query", "train.film": "item"}
    )
    lints = [
        rw.lint(PEOPLE, QRELS, train=FOREIGN["train"], items=FOREIGN["items"], columns=NAMED),
        rw.lint(PEOPLE, QRELS, train=TRAIN, items={"item": ["a", "b", "c"]}),
    ]
    assert str(lints[0]) == str(lints[1])
