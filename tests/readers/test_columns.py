"""Columns of tables: each usual name is read, what nobody claimed is asked about, and what means nothing else is passed over.

The run ranks a above b by its scores and has b first, so that a forgotten score gives another number; the judgements have a row of
grade 0, so that a forgotten grade makes it relevant.
"""

from __future__ import annotations

import itertools
import re
import warnings

import pandas as pd
import polars as pl
import pytest
from tests.every import every
from tests.readers import kinds

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataWarning
from rankwell.tables.columns import COLUMNS, is_passed

QRELS, RUN = {"u": {"a": 1}}, {"u": ["b", "a"], "v": ["c"]}
# of all kinds of tables, those that differ in how a column's type is known
SOME = [
    "polars",
    "polars lazy",
    "pandas",
    "pandas nullable",
    "records",
    "dict of columns",
    "csv",
    "parquet",
    "ndjson",
]


def table(kind, folder, columns):
    return kinds.KINDS[kind](columns, folder)


def run_with(**columns):
    return {"user": ["u", "u", "v"], "item": ["b", "a", "c"], **columns}


def qrels_with(**columns):
    return {"user": ["u", "u", "v"], "item": ["b", "a", "c"], **columns}


def mean(run, qrels, metric="rr", **options):
    return rw.evaluate(run, qrels, [metric], **options).mean[metric]


def aliases(word):
    return COLUMNS[word].names


@every("name", aliases("score"))
@every("kind", SOME)
def test_every_alias_of_a_score_is_read(tmp_path, kind, name):
    run = table(kind, tmp_path, run_with(**{name: [0.1, 0.9, 0.5]}))
    assert mean(run, QRELS) == 1.0


@every("name", aliases("rank"))
@every("kind", SOME)
def test_every_alias_of_a_rank_is_read(tmp_path, kind, name):
    run = table(kind, tmp_path, run_with(**{name: [2, 1, 1]}))
    assert mean(run, QRELS) == 1.0


@every("name", aliases("grade"))
@every("kind", SOME)
def test_every_alias_of_a_grade_is_read(tmp_path, kind, name):
    qrels = table(kind, tmp_path, qrels_with(**{name: [0, 1, 0]}))
    assert mean(RUN, qrels) == 0.5


@every(("query", "item"), [(q, "item") for q in aliases("query")] + [("query", i) for i in aliases("item")])
@every("kind", SOME, share=5)
def test_every_alias_of_an_id_is_read(tmp_path, kind, query, item):
    if (kind, query) == ("dict of columns", "q"):  # which may well be a query
        return
    run = table(kind, tmp_path, {query: ["u", "u"], item: ["b", "a"], "score": [0.1, 0.9]})
    assert mean(run, QRELS) == 1.0
    assert mean({"u": ["b", "a"]}, table(kind, tmp_path, {query: ["u"], item: ["b"], "grade": [1]})) == 1.0


def test_spelling_means_nothing():
    for name in ("Y_Score", "y-score", "Predicted Rating", "yScore"):
        assert mean(pl.DataFrame(run_with(**{name: [0.1, 0.9, 0.5]})), QRELS) == 1.0


# what people call their scores and grades, beside what stands in the table of columns
SCORES = [
    "p_buy",
    "value",
    "weight",
    "estimate",
    "loss",
    "distance",
    "probability",
    "proba",
    "confidence",
    "strength",
    "affinity",
    "relevance",
    "rating",
    "utility",
    "energy",
    "distance_km",
    "hybrid",
    "bid",
    "dwell_time",
    "ctr",
    "pctr",
    "cvr",
    "expected_clicks",
    "interest",
    "propensity",
    "als_output",
    "output",
    "raw",
    "result",
    "points",
    "sims",
    "logloss",
    "cost",
    "margin",
    "gbm",
    "fm",
    "order",
]
GRADES = [
    "plays",
    "views",
    "quantity",
    "strength",
    "clicks",
    "count",
    "freq",
    "frequency",
    "n",
    "purchases",
    "value",
    "weight",
    "dwell",
    "watch_time",
    "liked",
    "clicked",
    "bought",
]


def refused(kind, folder, columns, of_run, **options):
    given = table(kind, folder, columns)
    with pytest.raises(rw.RankwellError) as error:
        mean(given, QRELS, **options) if of_run else mean(RUN, given, **options)
    said = str(error.value)
    assert "\n" not in said
    return said


@every("name", SCORES)
@every("kind", SOME, share=5)
def test_numbers_that_nobody_claimed_are_asked_about_in_a_run(tmp_path, kind, name):
    columns = run_with(**{name: [0.1, 0.9, 0.5]})
    said = refused(kind, tmp_path, columns, of_run=True)
    # obeyed to the letter, in Python and in a shell
    assert f"columns={{{name!r}: 'score'}}" in said
    given = table(kind, tmp_path, columns)
    assert mean(given, QRELS, columns={name: "score"}) == 1.0
    assert mean(table(kind, tmp_path, columns), QRELS, order="rows") == 0.5


@every("engine", ["memory", "stream"])
@every("suffix", ["csv", "parquet", "ndjson"])
def test_engines_and_verbs_ask_the_same(tmp_path, suffix, engine):
    odd = table(suffix, tmp_path, run_with(p_buy=[0.1, 0.9, 0.5]))
    plain = table(suffix, tmp_path, run_with(score=[0.1, 0.9, 0.5]))
    counted = table(suffix, tmp_path, qrels_with(plays=[0, 3, 0]))
    asked = "is 'p_buy' the score"
    for ask in (
        lambda **words: rw.evaluate(odd, QRELS, ["rr"], engine=engine, **words),
        lambda **words: rw.Evaluator(QRELS, ["rr"], engine=engine, **words).evaluate(odd),
        lambda **words: rw.compare({"a": odd, "b": odd}, QRELS, ["rr"], **words),
        lambda **words: rw.gate(odd, QRELS, ["rr"], baseline=odd, **words),
        lambda **words: (
            rw.diff({"old": odd, "new": odd if words else plain}, QRELS, "rr", **words) if not words else None
        ),
        lambda **words: rw.fuse([odd, odd], **words),
        lambda **words: rw.report({"a": odd, "b": odd}, QRELS, ["rr"], **words),
    ):
        with pytest.raises(rw.RankwellError, match=asked):
            ask()
        ask(columns={"p_buy": "score"})
    with pytest.raises(rw.RankwellError, match=r"is 'plays'.* the grade"):
        rw.evaluate(plain, counted, ["rr"], engine=engine)
    assert rw.evaluate(plain, counted, ["rr"], engine=engine, qrels_columns={"plays": "grade"})["rr"] == 1.0
    assert rw.evaluate(plain, counted, ["rr"], engine=engine, grades="interactions")["rr"] == 1.0
    finding = str(rw.lint(odd, QRELS))
    assert asked in finding


@every("values", [[0, 1, 0], [0, 5, 2]])
@every("name", GRADES)
@every("kind", SOME, share=5)
def test_numbers_that_nobody_claimed_are_asked_about_in_judgements(tmp_path, kind, name, values):
    columns = qrels_with(**{name: values})
    said = refused(kind, tmp_path, columns, of_run=False)
    assert f"qrels_columns={{{name!r}: 'grade'}}" in said
    assert "grades='interactions'" in said
    right = 0.5 if values[2] == 0 else 0.75
    assert mean(RUN, table(kind, tmp_path, columns), qrels_columns={name: "grade"}) == right
    assert mean(RUN, table(kind, tmp_path, columns), grades="interactions") == 1.0


@every("kind", SOME)
@every("values", [[False, True, False]])
def test_truth_values_too(tmp_path, kind, values):
    columns = qrels_with(clicked=values)
    refused(kind, tmp_path, columns, of_run=False)
    assert mean(RUN, table(kind, tmp_path, columns), qrels_columns={"clicked": "grade"}) == 0.5
    assert mean(RUN, table(kind, tmp_path, qrels_with(relevant=values))) == 0.5


@every("kind", SOME)
@every("said", [{"rel": 1}, {"rel": 8}, {"grades": "judgements"}, {"grades": "ratings", "rel": 3}])
def test_where_grades_are_spoken_of_any_number_is_asked_about(tmp_path, kind, said):
    columns = qrels_with(plays=[3, 9, 4])
    assert "is 'plays'" in refused(kind, tmp_path, columns, of_run=False, **said)
    assert mean(RUN, table(kind, tmp_path, columns)) == 1.0  # nobody spoke of any, and none is 0


@every("kind", SOME)
@every("engine", ["memory", "stream"])
def test_numbers_without_a_0_are_asked_about_beside_the_value(tmp_path, kind, engine):
    if engine == "stream" and kind not in ("csv", "parquet", "ndjson"):
        return
    columns = qrels_with(plays=[3, 9, 4], title=["x", "y", "z"], fold=[1, 1, 2], store=[7, 7, 7])
    question = (
        r"there is no grade, so every row is relevant; is 'plays' the grade\? "
        r"qrels_columns=\{'plays': 'grade'\}\. If every row is relevant, say grades='interactions'\.$"
    )
    with pytest.warns(DataWarning, match=question):
        assert mean(RUN, table(kind, tmp_path, columns), engine=engine) == 1.0
    columns |= {"plays": [3, 9, 1]}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        for said in (
            {"qrels_columns": {"plays": "grade"}, "rel": 4, "missing": "skip"},
            {"grades": "interactions"},
        ):
            mean(RUN, table(kind, tmp_path, columns), engine=engine, **said)
        del columns["plays"]
        mean(RUN, table(kind, tmp_path, columns), engine=engine)


@every("kind", SOME)
def test_what_is_said_of_columns_holds_for_users_and_items_that_share_them(tmp_path, kind):
    foreign = {"cust": ["u", "u", "v"], "sku": ["b", "a", "c"]}
    run = pd.DataFrame(foreign | {"p_buy": [0.1, 0.9, 0.5]})
    qrels = pd.DataFrame(foreign | {"plays": [0, 3, 1]})
    users = table(kind, tmp_path, {"cust": ["u", "v"], "tier": ["new", "old"]})
    items = table(kind, tmp_path, {"sku": ["a", "b", "c"], "genre": ["x", "y", "x"]})
    # the other tables lack p_buy and plays
    said = {
        "columns": {"cust": "query", "sku": "item", "p_buy": "score"},
        "qrels_columns": {"cust": "query", "sku": "item", "plays": "grade"},
    }
    metrics = ["rr", "coverage@1", "ild(features=genre)@2"]
    tiers = {"users": users, "by": "tier"}
    found = rw.evaluate(run, qrels, metrics, items=items, **tiers, **said)
    assert found.segments.to_frame()["rr"].to_list() == [1.0, 1.0]
    assert found.mean["coverage@1"] == pytest.approx(2 / 3)
    two = {"old": run, "new": run.copy()}
    assert rw.compare(two, qrels, ["rr"], **tiers, **said).by == ("tier",)
    assert rw.gate(run, qrels, ["rr"], baseline=run, **tiers, **said).exit_code == 0
    rw.diff(two, qrels, "rr", **tiers, **said)
    rw.report(two, qrels, ["rr"], path=tmp_path / "r.html", items=items, **tiers, **said)
    lists, _ = rw.prepare.baselines(
        pd.DataFrame(foreign), kinds=["segment"], **tiers, columns={"cust": "query", "sku": "item"}
    )
    assert [*lists] == ["segment"]
    with pytest.raises(
        rw.RankwellError, match=r"no column for the query.*say which it is: columns=\{'users.cust': 'query'\}"
    ):
        mean(RUN, {"u": {"a": 1}}, **tiers)


def test_a_threshold_above_1_needs_grades():
    plain = pd.DataFrame({"user": ["u"], "item": ["a"], "when": ["monday"]})
    for said in ({"rel": 8}, {"grades": "ratings", "rel": 1}):
        with pytest.raises(
            rw.RankwellError, match="needs grades, and there are none; its other columns are 'when'"
        ):
            mean(RUN, plain, **said)
    with pytest.raises(rw.RankwellError, match="rel=2 needs grades"):
        mean(RUN, {"u": ["a"]}, "p(rel=2)@1")
    assert mean(RUN, plain, rel=1) == 0.5
    assert mean(RUN, plain, grades="interactions") == 0.5


def columns_of(text, n=3):
    """Columns by the names in a text, of numbers that would turn the order around."""
    return {name: [0, 2, 1][:n] for name in text.split()}


# twenty common tables that are read without a question
PASS_AS_RUN = {
    "a rank beside price, popularity and a fold": run_with(rank=[2, 1, 1], price=[9.5, 3.0, 1.0], popularity=[10, 2, 3], fold=[0, 1, 0]),
    "a score beside p_buy and an order": run_with(score=[0.1, 0.9, 0.5], p_buy=[0.9, 0.1, 0.3], order=[0, 1, 2]),
    "a score beside another model's": run_with(score=[0.1, 0.9, 0.5], prediction=[0.9, 0.1, 0.3]),
    "a score beside a ranking of all items": run_with(score=[0.1, 0.9, 0.5], ranking=[1, 2, 3]),
    "PyTerrier": {
        "qid": ["u", "u"], "docid": [7, 8], "docno": ["b", "a"], "rank": [1, 0], "score": [0.1, 0.9], "query": ["what", "what"]
    },
    "Surprise": {"uid": ["u", "u"], "iid": ["b", "a"], "r_ui": [5.0, 2.0], "est": [0.1, 0.9]},
    "LensKit": {"user_id": ["u", "u"], "item_id": ["b", "a"], "score": [0.1, 0.9], "rank": [2, 1]},
    "RecTools": {"user_id": ["u", "u"], "item_id": ["b", "a"], "score": [0.1, 0.9], "rank": [2, 1], "weight": [1, 3]},
    "a query's id beside its text": {"query_id": ["u", "u"], "query": ["what", "what"], "docno": ["b", "a"], "score": [0.1, 0.9]},
}  # fmt: skip
IN_ORDER = {
    "nothing else": run_with(),
    "a time": run_with(timestamp=[1700000009, 1700000000, 5]),
    "a date": run_with(created_at=["2026-01-02", "2026-01-01", "2026-01-03"]),
    "a part of the data": run_with(fold=[2, 1, 0]),
    "the session": run_with(session_idx=[9, 3, 4]),
    "an index that pandas wrote": {"Unnamed: 0": [0, 1, 2], **run_with()},
    "an index that Arrow wrote": {**run_with(), "__index_level_0__": [7, 1, 3]},
    "one value in all rows": run_with(k=[20, 20, 20]),
    "a title": run_with(title=["B", "A", "C"]),
}
PASS_AS_QRELS = {
    "a log of shops and hours": qrels_with(shops=[3, 1, 2], hour=[0, 9, 14]),
    "a log with times": qrels_with(timestamp=[0, 1700000000, 1700000009]),
    "a log with prices": qrels_with(price=[9.5, 3.0, 1.25]),
    "an index that pandas wrote": {"Unnamed: 0": [0, 1, 2], **qrels_with()},
    "positions from 0": qrels_with(position=[0, 1, 2]),
    "shops and folds": qrels_with(shop_id=[0, 1, 1], fold=[0, 1, 2], split=[0, 0, 1]),
}


@every("what", PASS_AS_RUN)
@every("kind", SOME)
def test_common_runs_are_read_by_score_or_rank_without_a_question(tmp_path, kind, what):
    assert mean(table(kind, tmp_path, PASS_AS_RUN[what]), QRELS) == 1.0


@every("what", IN_ORDER)
@every("kind", SOME)
def test_common_runs_in_order_are_read_without_a_question(tmp_path, kind, what):
    assert mean(table(kind, tmp_path, IN_ORDER[what]), QRELS) == 0.5


@every("what", PASS_AS_QRELS)
@every("kind", SOME)
def test_common_logs_are_interactions_without_a_question(tmp_path, kind, what):
    given = table(kind, tmp_path, PASS_AS_QRELS[what])
    assert mean(RUN, given) == 1.0
    assert mean(RUN, QRELS, "epc@2", train=table(kind, tmp_path, PASS_AS_QRELS[what])) >= 0


def test_no_column_of_training_data_items_or_users_is_asked_about():
    train = pd.DataFrame(qrels_with(plays=[0, 3, 1]))
    items = pd.DataFrame({"item": ["a", "b", "c"], "price": [0, 1, 2]})
    users = pd.DataFrame({"user": ["u"], "spent": [0]})
    metrics = ["epc@2", "coverage@2", "user_coverage@2"]
    found = rw.evaluate(RUN, QRELS, metrics, train=train, items=items, users=users).mean
    bare = {"train": {"u": ["a", "b"], "v": ["c"]}, "items": ["a", "b", "c"], "users": {"query": ["u"]}}
    assert found == rw.evaluate(RUN, QRELS, metrics, **bare).mean


@every("name", ["user_id", "shopId", "session idx", "Key", "cv_fold", "train_split", "rowIndex", "customerid", "Unnamed: 0.1", "level_0",
                "event_time", "createdAt", "hour", "year", "__index_level_12__"])  # fmt: skip
def test_names_that_are_passed_over(name):
    assert is_passed(name)


@every(
    "name",
    [
        "p_buy",
        "hybrid",
        "bid",
        "amount_paid",
        "valid",
        "grid",
        "dwell_time",
        "watch_hour",
        "sigmoid",
        "order",
        "update",
        "x",
    ],
)
def test_names_that_are_not(name):
    assert not is_passed(name)


def test_a_winner_and_what_has_none():
    ask = re.escape("both mean")
    winners = [
        ("qid", "query"),
        ("query_id", "query"),
        ("docno", "docid"),
        ("doc_id", "document"),
        ("user_id", "user"),
    ]
    for winner, other in winners:
        is_query = winner in ("qid", "query_id", "user_id")
        ids = {"item" if is_query else "query": ["a", "b"] if is_query else ["u", "u"]}
        own = ["u", "u"] if is_query else ["a", "b"]
        for names in ((winner, other), (other, winner)):
            columns = {name: own if name == winner else ["x", "y"] for name in names}
            assert mean(pl.DataFrame({**columns, **ids, "score": [2.0, 1.0]}), QRELS) == 1.0
    for one, other in (("prediction", "similarity"), ("y_score", "est")):
        with pytest.raises(rw.RankwellError, match=ask):
            rw.read_run(pl.DataFrame(run_with(**{one: [1, 2, 3], other: [1, 2, 3]})))
    with pytest.raises(rw.RankwellError, match=ask):
        rw.read_run(pl.DataFrame({"user_id": ["u"], "query": ["q"], "item": ["a"], "score": [1.0]}))
    with pytest.raises(rw.RankwellError, match=ask):
        rw.read_qrels(pl.DataFrame(qrels_with(label=[0, 1, 0], relevance=[1, 0, 1])))
    assert mean(RUN, pl.DataFrame(qrels_with(grade=[0, 1, 0], relevance=[1, 0, 1]))) == 0.5


def test_what_was_not_read_is_known():
    run = rw.read_run(pd.DataFrame(run_with(score=[1.0, 2.0, 3.0], p_buy=[3, 2, 1])))
    assert [column.name for column in run.unread] == ["p_buy"]
    qrels = rw.read_qrels(pd.DataFrame(qrels_with(plays=[0, 3, 1])))
    assert [(column.name, column.levels) for column in qrels.unread] == [("plays", (0.0, 1.0, 3.0))]


@every("form", ["csv", "parquet", "ndjson"])
def test_what_the_shell_says_can_be_typed(tmp_path, capsys, form):
    run = table(form, tmp_path, run_with(**{"p buy": [0.1, 0.9, 0.5]}))
    qrels = table(form, tmp_path, qrels_with(plays=[0, 3, 0]))
    words = ["evaluate", str(qrels), str(run), "-m", "rr"]
    assert command(words) == 3
    said = capsys.readouterr().err
    found = re.search(r"--columns ('[^']+'|\S+)\. ", said)
    assert found, said
    words += ["--columns", found[1].strip("'")]
    assert command(words) == 2
    said = capsys.readouterr().err
    found = re.search(r"--qrels-columns (\S+)\. ", said)
    assert found, said
    assert command([*words, "--qrels-columns", found[1]]) == 0
    assert "1.0000" in capsys.readouterr().out
    assert command([*words, "--grades", "interactions"]) == 0
    capsys.readouterr()
    assert command([*words[:5], "--order", "rows", "--qrels-columns", found[1]]) == 0
    assert "0.5000" in capsys.readouterr().out


def test_lists_of_numbers_that_nobody_claimed_are_asked_about():
    lists = {"user": ["u"], "items": [["b", "a"]]}
    for frame in (
        pl.DataFrame({**lists, "probs": [[0.1, 0.9]]}),
        [{"user": "u", "items": ["b", "a"], "probs": [0.1, 0.9]}],
    ):
        with pytest.raises(rw.RankwellError, match="is 'probs' the score"):
            mean(frame, QRELS)
        assert mean(frame, QRELS, columns={"probs": "score"}) == 1.0
    assert mean(pl.DataFrame({**lists, "scores": [[0.1, 0.9]]}), QRELS) == 1.0


def test_words_about_reading_are_said_once():
    run = pd.DataFrame(run_with(p_buy=[0.1, 0.9, 0.5]))
    with pytest.raises(rw.RankwellError, match="columns= is given twice"):
        mean(run, QRELS, columns={"p_buy": "score"}, read={"columns": {"p_buy": "score"}})
    with pytest.raises(rw.RankwellError, match="columns= says what columns hold"):
        mean(run, QRELS, columns="p_buy")
    with pytest.raises(rw.RankwellError, match="order='cols': must be rows"):
        mean(run, QRELS, order="cols")
    with pytest.raises(rw.RankwellError, match="two rankings"):
        mean(run, QRELS, columns={"p_buy": "score"}, order="rows")
    with pytest.raises(rw.RankwellError, match="order= are for tables"):
        mean({"u": {"a": 1.0}}, QRELS, order="rows")


def test_the_aliases_are_all_different():
    # a column that a metric needs may have the name of a usual one, which then is that: the document of a chunk is an item to all others
    for need in {column.need for column in COLUMNS.values()}:
        columns = [column for column in COLUMNS.values() if column.need == need]
        names = list(itertools.chain.from_iterable(column.names for column in columns))
        assert len(names) == len(set(names))
    assert all(source for column in COLUMNS.values() for source in column.names.values())


@every("kind", SOME)
@every(
    ("yes", "no"),
    [
        *(("yes", "no"), ("True", "False"), ("Relevant", "not relevant"), ("relevant", "Irrelevant")),
        *(("Y", "N"), ("T", "F"), ("good", "bad"), ("up", "down"), ("relevant", "not_relevant")),
    ],
)
def test_grades_may_be_words(tmp_path, kind, yes, no):
    assert mean(RUN, table(kind, tmp_path, qrels_with(label=[no, yes, no]))) == 0.5


@every("kind", SOME)
@every(("yes", "no"), [("Y", "N"), ("t", "f"), ("good", "bad"), ("Up", "Down"), ("yes", "no")])
def test_words_of_a_judge_in_a_column_that_nobody_claimed_are_asked_about(tmp_path, kind, yes, no):
    qrels = table(kind, tmp_path, qrels_with(thumbs=[no, yes, no]))
    assert "is 'thumbs', which holds 0, 1, the grade" in refused(
        kind, tmp_path, qrels_with(thumbs=[no, yes, no]), of_run=False
    )
    assert mean(RUN, qrels, qrels_columns={"thumbs": "grade"}) == 0.5


@every("kind", SOME)
@every(
    "cells", [["F", "M", "F"], ["NO", "SE", "NO"], ["F", "M", None], ["no", "yes", "perhaps"], ["f", "x", ""]]
)
def test_other_words_in_it_are_not(tmp_path, kind, cells):
    assert mean(RUN, table(kind, tmp_path, qrels_with(segment=cells))) == 1.0


@every("kind", SOME)
def test_other_words_are_asked_about(tmp_path, kind):
    said = refused(kind, tmp_path, qrels_with(label=["S", "E", "I"]), of_run=False)
    assert "the grade 'S' is not a number. Of words only these are read: true, false, yes" in said
    said = refused(kind, tmp_path, qrels_with(label=["1", "E", "0"]), of_run=False)
    assert "'E' is not a number" in said
    assert "Of words" not in said
    # words that are read do not make others of the same column into numbers
    said = refused(kind, tmp_path, qrels_with(label=["vital", "essential", "okay"]), of_run=False)
    assert "'essential' is not a number. Of words only these are read: true, false, yes" in said


ALPHABETS = ["점수", "得分", "スコア", "оценка", "σκορ", "%", "#", "*", "ｓｃｏｒｅ２"]


@every("name", ALPHABETS)
@every("kind", SOME)
def test_names_in_any_alphabet_are_asked_about(tmp_path, kind, name):
    assert f"{name!r} the score" in refused(kind, tmp_path, run_with(**{name: [0.1, 0.9, 0.5]}), of_run=True)
    assert f"{name!r}" in refused(kind, tmp_path, qrels_with(**{name: [0, 1, 0]}), of_run=False)


@every(
    "name",
    ["score_idx", "pred_fold", "predicted_time", "revenue_per_day", "clicks_week", "Unnamed: 2", "liquid"],
)
@every("kind", SOME)
def test_fractions_are_no_ids_parts_or_times(tmp_path, kind, name):
    refused(kind, tmp_path, run_with(**{name: [0.1, 0.9, 0.5]}), of_run=True)


def test_a_column_without_a_name_is_an_index_only_in_the_first_place(tmp_path):
    (tmp_path / "index.csv").write_text(",user,item\n0,u,b\n1,u,a\n2,v,c\n")
    assert mean(tmp_path / "index.csv", QRELS) == 0.5
    (tmp_path / "score.csv").write_text("user,item,\nu,b,.1\nu,a,.9\nv,c,.5\n")
    with pytest.raises(rw.RankwellError, match="is '' the score"):
        mean(tmp_path / "score.csv", QRELS)


NOT_RELEVANT = {
    "a dislike": [-1, 1, -1], "words": ["no", "yes", "no"], "likes": ["dislike", "like", "dislike"], "nothing": [None, 1, None],
    "nothing beside true": [None, True, None], "not a number": [float("nan"), 2.0, 1.0],
}  # fmt: skip


@every("what", NOT_RELEVANT)
@every("kind", SOME)
def test_what_says_not_relevant_otherwise_than_by_0_is_asked_about(tmp_path, kind, what):
    assert "'feedback'" in refused(kind, tmp_path, qrels_with(feedback=NOT_RELEVANT[what]), of_run=False)


@every("kind", SOME)
def test_a_missing_score_hides_no_column(tmp_path, kind):
    refused(kind, tmp_path, run_with(p=[0.1, None, None]), of_run=True)


def test_durations_and_objects_are_numbers():
    seconds = pd.to_timedelta([1, 9, 5], unit="s")
    for frame in (
        pd.DataFrame(run_with(dwell=seconds)),
        pd.DataFrame(run_with(p=pd.Series([0.1, None, 0.5], dtype=object))),
    ):
        with pytest.raises(rw.RankwellError, match="the score"):
            mean(frame, QRELS)


@every("name", sorted(set(aliases("score")) - {"score"}))
def test_what_a_model_predicts_is_no_grade_unasked(name):
    both = pd.DataFrame(run_with(**{name: [0.9, 0.1, 0.5]}))
    with pytest.raises(rw.RankwellError, match=re.escape(f"is {name!r}")):
        mean(RUN, both)
    with pytest.raises(rw.RankwellError, match="the grade"):
        mean(both, both.assign(actual=[0, 1, 0]))


def test_a_score_of_judgements_beside_a_column_of_labels_is_asked_about():
    frame = pd.DataFrame(qrels_with(score=[0.9, 0.1, 0.5], clicked=[0, 1, 0]))
    with pytest.raises(rw.RankwellError, match="is 'score' or 'clicked' the grade"):
        mean(RUN, frame)
    assert mean(RUN, frame, qrels_columns={"clicked": "grade"}) == 0.5
    assert mean(RUN, pd.DataFrame(qrels_with(score=[0, 1, 0], position=[1, 2, 3]))) == 0.5


@every("kind", SOME)
@every("names", [("item", "item_2"), ("item_1", "item_2"), ("item.1", "item.2"), ("doc1", "doc2")])
def test_a_row_per_query_with_a_column_per_rank_is_asked_about(tmp_path, kind, names):
    columns = {"user": ["u", "v"], names[0]: ["b", "c"], names[1]: ["a", "d"]}
    said = refused(kind, tmp_path, columns, of_run=True)
    frame = pd.DataFrame(columns)
    if (
        kind == "dict of columns"
    ):  # which is known by its names: this may be lists of the queries user, item_1 …
        return
    remedy = re.search(r"frame\.melt\(.*?\]\]", said)[0]
    assert mean(eval(remedy, {"frame": frame}), QRELS, order="rows") == 0.5


def test_a_column_that_a_join_doubled_is_left_out_when_the_item_is_named():
    """As pandas calls the second one of two."""
    frame = pd.DataFrame(run_with(score=[0.1, 0.9, 0.5]) | {"item.1": ["x", "y", "z"]})
    with pytest.raises(rw.RankwellError, match=re.escape("If 'item' is the item: columns={'item': 'item'}.")):
        mean(frame, QRELS)
    assert mean(frame, QRELS, columns={"item": "item"}) == 1.0


@every("kind", SOME)
@every("name", ["model", "system", "run_name", "algorithm", "seed", "Epoch", "trial"])
def test_several_systems_in_one_table_are_asked_about(tmp_path, kind, name):
    mixed = {
        "user": ["u"] * 4,
        "item": list("bdab"),
        "score": [0.9, 0.1, 0.8, 0.7],
        name: ["als", "als", "pop", "pop"],
    }
    assert "several systems ('als', 'pop')" in refused(kind, tmp_path, mixed, of_run=True)
    parts = dict(list(pd.DataFrame(mixed).groupby(name)))
    assert [mean(part, QRELS) for part in parts.values()] == [0.0, 1.0]
    assert rw.compare(parts, QRELS, ["rr"])
    one = run_with(
        score=[0.1, 0.9, 0.5], **{name: ["als", "als", "pop"]}
    )  # each user saw the lists of one system
    assert mean(table(kind, tmp_path, one), QRELS) == 1.0


@every("kind", SOME)
@every("name", ["seed", "epoch", "run", "random_seed", "checkpoint"])
def test_repeats_of_a_run_that_list_other_items_are_asked_about(tmp_path, kind, name):
    mixed = {"user": ["u"] * 4, "item": list("bdac"), "score": [0.9, 0.1, 0.8, 0.7], name: [1, 1, 2, 2]}
    said = refused(kind, tmp_path, mixed, of_run=True)
    assert "several systems (" in said
    parts = eval(re.search(r"dict\(list\(.*?\)\)\)", said)[0], {"frame": pd.DataFrame(mixed)})
    assert [mean(part, QRELS) for part in parts.values()] == [0.0, 1.0]
    own = run_with(score=[0.1, 0.9, 0.5], **{name: [1, 1, 2]})  # each user saw the lists of one repeat
    assert mean(table(kind, tmp_path, own), QRELS) == 1.0
    times = mixed | {"item": list("bdac"), name: [1_700_000_000 + n for n in range(4)]}
    if name == "epoch":
        assert mean(table(kind, tmp_path, times), QRELS) == 0.5


@every("kind", SOME)
@every("name", ["fold", "cv_fold", "split"])
@every("of_run", [True, False])
def test_folds_of_one_query_are_warned_of(tmp_path, kind, name, of_run):
    """Predictions for the folds of a user's items are one list, and those of the folds of users are several; a row has no sign of it."""
    columns = run_with(score=[0.1, 0.9, 0.5]) if of_run else qrels_with(rel=[0, 1, 1])

    def value(folds):
        made = table(kind, tmp_path, columns | {name: folds})
        return mean(made, QRELS) if of_run else mean(RUN, made)

    with pytest.warns(
        rw.errors.DataWarning, match=f"by '{name}' queries have rows of several folds or repeats"
    ):
        warned = value([1, 2, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value([1, 1, 2]) == warned


@every("kind", SOME)
@every("names", [("prediction", "probability"), ("y_pred", "Prob_1"), ("pred", "confidence")])
def test_a_class_that_was_predicted_is_no_score_beside_its_probability(tmp_path, kind, names):
    """As Spark's and scikit-learn's classifiers give both: a is surer than b, and all are of class 1."""
    columns = run_with(**dict(zip(names, ([1, 1, 0], [0.6, 0.9, 0.2]), strict=True)))
    said = refused(kind, tmp_path, columns, of_run=True)
    assert f"is '{names[1]}' the score?" in said
    run = table(kind, tmp_path, columns)
    for column, value in ((names[1], 1.0), (names[0], 0.5)):
        assert f"columns={{'{column}': 'score'}}" in said
        assert mean(run, QRELS, columns={column: "score"}, ties="order") == value
    sure = columns | {names[0]: [0.1, 0.9, 0.5]}  # of a rating, how sure it is
    assert mean(table(kind, tmp_path, sure), QRELS) == 1.0


@every("kind", SOME)
@every(
    "names",
    [("score", "rerank_score"), ("score", "new_rank"), ("rank", "Final Rank"), ("bm25_score", "fused_score")],
)
def test_what_a_later_step_made_of_the_order_is_named_beside_it(tmp_path, kind, names):
    first, last = ([1.0, 2.0, 1.0] if name.lower().endswith("rank") else [0.9, 0.5, 0.9] for name in names)
    columns = run_with(**{names[0]: first, names[1]: [last[1], last[0], last[2]]})
    run = table(kind, tmp_path, columns)
    with pytest.warns(
        DataWarning, match=f"its order is that of '{names[0]}', and '{names[1]}' is not read"
    ) as caught:
        assert mean(run, QRELS) == 0.5
    remedies = re.findall(r"columns=(\{.*?\})", str(caught[0].message))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="its order")
        warnings.filterwarnings("ignore", message=".*the rank column is used")
        assert [mean(run, QRELS, columns=eval(remedy)) for remedy in remedies] == [1.0, 0.5]


@every("kind", ["polars", "pandas", "csv"])
@every("word", ["All", "Total", "grand total", "Gesamtergebnis", "合計"])
@every("of_run", [True, False])
def test_a_row_of_sums_is_warned_of(tmp_path, kind, word, of_run):
    """As pandas writes it with margins=True: the sum is the highest score of its list, and an item that nobody can find."""
    name = "score" if of_run else "rel"
    columns = {"user": ["u", "u", "u", "v"], "item": ["b", "a", word, "c"], name: [0, 1, 2, 1]}
    last = {"user": [*columns["user"], word], "item": [*columns["item"], word], name: [0, 1, 2, 1, 4]}
    made = table(kind, tmp_path, last)
    with pytest.warns(
        DataWarning, match=f"its last row has the item '{word}', as a row of sums has"
    ) as caught:
        mean(made, QRELS) if of_run else mean(RUN, made)
    kept = eval(re.search(r"frame\[frame\[.*\]", str(caught[0].message))[0], {"frame": pd.DataFrame(last)})
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        assert (mean(kept, QRELS) if of_run else mean(RUN, kept)) == (1.0 if of_run else 0.75)


def test_an_index_of_pandas_is_named_with_the_remedy():
    frame = pd.DataFrame(run_with(score=[0.1, 0.9, 0.5])).set_index("user")
    with pytest.raises(rw.RankwellError, match=re.escape("frame.reset_index()")):
        mean(frame, QRELS)
    assert mean(frame.reset_index(), QRELS) == 1.0


def test_what_is_offered_as_an_id_may_be_one():
    """No text of a query is an item, no score a query; a ranking may be a list of items."""
    frames = {
        "qrels_columns={'positive_passages': 'item'}": {
            "query_id": ["u"],
            "query": ["who?"],
            "positive_passages": ["a"],
        },
        "columns={'its name': 'query'}": {"item": ["a"], "score": [0.5]},
        "columns={'ranking': 'item'}": {"user": ["u"], "ranking": ["b a"]},
    }
    for remedy, columns in frames.items():
        run, qrels = (
            (RUN, pd.DataFrame(columns)) if remedy.startswith("qrels") else (pd.DataFrame(columns), QRELS)
        )
        with pytest.raises(rw.RankwellError, match=re.escape(remedy)):
            mean(run, qrels)
    assert (
        mean(
            pd.DataFrame(frames["columns={'ranking': 'item'}"]),
            QRELS,
            columns={"ranking": "item"},
            read={"items_in": "blank"},
        )
        == 0.5
    )


def test_a_topic_is_offered_as_the_query():
    frame = pd.DataFrame({"topic": ["u", "u"], "docno": ["a", "b"], "rel": [0, 1]})
    with pytest.raises(rw.RankwellError, match=re.escape("qrels_columns={'topic': 'query'}")):
        mean(RUN, frame)
    assert mean(RUN, frame, qrels_columns={"topic": "query"}) == 1.0


def test_columns_that_are_not_read_are_named_in_the_counts_once_also_of_many_days(tmp_path):
    runs, qrels = [], []
    for day, user in enumerate("uv"):
        runs.append(tmp_path / f"{day}.csv")
        runs[-1].write_text(f"user,item,score,title,year\n{user},a,2,A,1999\n{user},b,1,B,2001\n")
        qrels.append(pl.DataFrame({"user": [user], "item": ["a"], "rating": [1], "shelf": ["x"]}))
    days = [rw.evaluate(run, judged, "rr") for run, judged in zip(runs, qrels, strict=True)]
    named = {
        "columns not read in the run: 'title', 'year'": 2,
        "columns not read in the judgements: 'shelf'": 1,
    }
    assert named.items() <= days[0].counts.items()
    assert named.items() <= (days[0] + days[1]).counts.items()
    streamed = rw.evaluate(str(runs[0]), qrels[0], "rr", engine="stream").counts
    assert named.items() <= streamed.items()
    qrels[0].write_csv(tmp_path / "q.csv")
    streamed = rw.evaluate(str(runs[0]), str(tmp_path / "q.csv"), "rr", engine="stream").counts
    assert named.items() <= streamed.items()


def test_columns_may_be_named_of_runs_of_several_shapes():
    one = pd.DataFrame({"cust": ["u", "u"], "sku": ["a", "b"], "p_buy": [0.1, 0.9]})
    two = pd.DataFrame({"person": ["u", "u"], "film": ["a", "b"], "prob": [0.9, 0.1]})
    named = {
        "cust": "query",
        "sku": "item",
        "p_buy": "score",
        "person": "query",
        "film": "item",
        "prob": "score",
    }
    evaluator = rw.Evaluator({"u": {"a": 1}}, "rr", columns=named, qrels_columns={})
    found = evaluator.evaluate_all({"one": one, "two": two})
    assert {name: res["rr"] for name, res in found.items()} == {"one": 0.5, "two": 1.0}
    for odd in (
        {**named, "flim": "item"},
        {"cust": "query", "sku": "item", "p_buy": "score", "flim": "item"},
    ):
        with pytest.raises(
            rw.RankwellError,
            match=r"names 'flim', which is a column of none of the runs|no column for the query",
        ):
            rw.Evaluator({"u": {"a": 1}}, "rr", columns=odd).evaluate_all({"one": one, "two": two})


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_column_per_item_comes_with_the_way_to_a_row_per_item(tmp_path, kind):
    frame = pd.DataFrame(
        {"user": ["u", "v"], "a": [3, 1], "b": [0, 2], "c": [1, 0], "d": [0, 0], "e": [0, 0]}
    )
    frame.to_csv(tmp_path / "wide.csv", index=False)
    read = rw.read_run if kind == "run" else rw.read_qrels
    for source in (frame, tmp_path / "wide.csv"):
        with pytest.raises(rw.errors.DataError, match="there is no column for the item") as error:
            read(source)
        remedy = re.search(r"If each column is an item: (frame\.melt\(.*?\))\.$", str(error.value))[1]
        found = read(eval(remedy, {"frame": frame}))
        assert len(found) == 10
    with pytest.raises(rw.errors.DataError, match=r"=item\.$|'item'}\.$"):  # of a few columns one is the item
        read(frame[["user", "a", "b"]])
