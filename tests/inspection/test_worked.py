"""The worked table of one query adds up to the value that evaluate gives."""

from __future__ import annotations

import math
import random
import re

import polars as pl
import pytest
from tests.every import every
from tests.laws.test_laws import METRICS

import rankwell as rw
from rankwell import testing
from rankwell.cli import run as command
from rankwell.metrics.additive import Additive
from rankwell.testing.data import read_tables

ADDITIVE = [metric for metric in METRICS if isinstance(metric, Additive)]
JUDGED = rw.Policy(grades="judgements", sizes="weight")
TABLES = read_tables()
DATA = list(testing.examples(3, seed=5))


@every("metric", ADDITIVE)
def test_the_rows_add_up_to_the_value(metric):
    for data in DATA:
        query = next(iter(data.run))
        run, qrels = data.some_lists(tuple(data.run)), data.judgements([metric], {})
        table = rw.explain(metric, run=run, qrels=qrels, query=query, policy=JUDGED, **TABLES)
        res = rw.evaluate(run, qrels, metric, policy=JUDGED, **TABLES)
        values = dict(res.per_query.rows())
        records = table.to_records()
        sums = [record["sum"] for record in records if record["sum"] is not None]
        products = [record["product"] for record in records if record["product"] is not None]
        assert math.isclose(math.fsum(products), sums[-1] if sums else 0.0, abs_tol=1e-12)
        value = values.get(query)
        last = next(note for note in table.notes if "=" in note or "undefined" in note)
        if value is None:
            assert "undefined" in last
        else:
            assert last.endswith(f"= {value:.4f}") or "<" in last or ">" in last


WITH_IDEAL = [
    metric
    for metric in ADDITIVE
    if type(metric).ideal_terms is not Additive.ideal_terms and getattr(metric, "ideal", None) != "maximal"
]


@every("metric", WITH_IDEAL, share=3)
def test_the_rows_of_the_ideal_list_add_up_to_the_divisor(metric):
    shown = 0
    for data in DATA:
        run, qrels = data.some_lists(tuple(data.run)), data.judgements([metric], {})
        table = rw.explain(metric, run=run, qrels=qrels, query=next(iter(data.run)), policy=JUDGED, **TABLES)
        products = [
            row["ideal product"] for row in table.to_records() if row.get("ideal product") is not None
        ]
        divisor = re.search(r" ÷ ([\d.]+) = ", table.notes[0])
        if divisor and "left out" not in str(table.notes):
            assert math.fsum(products) == pytest.approx(float(divisor[1]), abs=6e-5)  # of four digits
            shown += 1
    assert shown, metric


def test_each_rank_has_its_item_and_grade_and_the_ideal_list_its_own():
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"c": 2, "x": 3, "b": 0}}
    table = rw.explain("ndcg@3", run=run, qrels=qrels)
    assert [(row["rank"], row["item"], row["grade"]) for row in table.to_records()] == [
        (1, "a", None), (2, "b", "0"), (3, "c", "2"),
    ]  # fmt: skip
    beside = [(row["ideal item"], row["ideal grade"]) for row in table.to_records()]
    assert beside == [("x", "3"), ("c", "2"), (None, None)]
    own = rw.explain("ndcg(ideal=retrieved)@3", run=run, qrels=qrels).to_records()
    assert own[0]["ideal item"] == "c"


def test_a_greedy_ideal_is_worked_through_beside_the_list():
    topics = ["ax", "ay", "bx", "cz", "dz"]  # a is relevant for x and y
    qrels = [{"query": "q", "item": item, "topic": topic, "grade": 1} for item, topic in topics]
    table = rw.explain("alpha_ndcg@3", run={"q": ["b", "u", "c"]}, qrels=qrels, query="q")
    rows = table.to_records()
    # by hand: a has two new topics, d one (of c and d, alike, the higher id), and c then half a topic
    assert [(row["ideal item"], row["ideal new"]) for row in rows] == [("a", 2.0), ("d", 1.0), ("c", 0.5)]
    ideal = 2 + 1 / math.log2(3) + 0.5 / 2
    assert rows[-1]["ideal sum"] == pytest.approx(ideal, rel=1e-12)
    assert table.notes[0] == f"1.5000 ÷ ideal α-DCG = 1.5000 ÷ {ideal:.4f} = {1.5 / ideal:.4f}"


def test_a_table_of_gains_orders_the_ideal_list_anew():
    run, qrels = {"q": {"a": 3.0, "b": 2.0}}, {"q": {"a": 1, "b": 2}}
    rows = rw.explain("ndcg(gain={1:5,2:3})", run=run, qrels=qrels).to_records()
    assert [row["ideal item"] for row in rows] == ["a", "b"]


def test_condensed_lists_have_no_unjudged_items():
    run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"c": 2, "b": 0}}
    rows = rw.explain("rr", run=run, qrels=qrels, policy=rw.Policy(unjudged="condense")).to_records()
    assert [row["item"] for row in rows] == ["b", "c"]


def test_expected_weights_are_those_of_the_group():
    run, qrels = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1}}
    table = rw.explain("dcg", run=run, qrels=qrels, policy=rw.Policy(ties="expected"))
    assert table.notes[0] == f"dcg = {(1 + 1 / math.log2(3)) / 2:.4f}"
    with pytest.raises(rw.RankwellError, match="averages over orders, so there is no single list"):
        rw.explain("ap", run=run, qrels=qrels, policy=rw.Policy(ties="expected"))


def test_a_query_that_the_run_lacks_has_an_empty_list():
    table = rw.explain("ap", run={"1": {"a": 1.0}}, qrels={"1": {"a": 1}, "2": {"a": 1}}, query="2")
    assert table.rows == ()
    assert table.notes[0] == "0.0000 ÷ R = 0.0000 ÷ 1 = 0.0000"


@pytest.mark.parametrize("ids", [[1, 2, 30], ["1", "2", "30"]])
@pytest.mark.parametrize("asked", [30, "30"])
def test_a_query_may_be_named_as_text_or_as_a_number(ids, asked):
    frame = pl.DataFrame({"query": ids, "item": ["a", "b", "c"], "score": [1.0, 1.0, 1.0]})
    qrels = pl.DataFrame({"query": ids, "item": ["a", "b", "c"], "grade": [1, 1, 1]})
    assert rw.explain("rr", run=frame, qrels=qrels, query=asked).rows[0][1] == "c"
    assert rw.explain("rr", run=frame.filter(pl.col("item") != "c"), qrels=qrels, query=asked).rows == ()


def test_long_lists_show_the_ranks_that_add_something():
    rng = random.Random(1)
    run = {"q": {f"i{number}": rng.random() for number in range(500)}}
    qrels = {"q": {f"i{number}": 1 for number in range(0, 500, 50)}}
    table = rw.explain("ap", run=run, qrels=qrels)
    assert len(table.rows) == 10
    assert "490 ranks that add nothing are left out" in table.notes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("coverage@2", {"q": ["a"]}, None), "one value for all lists"),
        (("rr", {"q": ["a"], "r": ["a"]}, {"q": {"a": 1}}), "the run has 2 lists; name the query to show, such as 'q'"),
        (("rr", {"query": ["a"]}, {"query": {"a": 1}}, "quer"), "query 'quer' is in neither the run nor the judgements. Did you mean query?"),
        (("rr", None, {"q": {"a": 1}}), "needs a run as well: explain takes the metric, and the lists of a query by name"),
        (("iprec", {"q": ["a"]}, None), "needs judgements"),
    ],
)  # fmt: skip
def test_what_cannot_be_worked_through_is_said(arguments, message):
    metric, *data = arguments
    with pytest.raises(rw.RankwellError) as error:
        rw.explain(metric, **dict(zip(("run", "qrels", "query"), data, strict=False)))
    assert message in str(error.value)


def test_the_command_refuses_half_of_what_it_needs(capsys):
    assert command(["explain", "ap", "--query", "1"]) == 2
    assert "rankwell explain ap QRELS RUN --query 1" in capsys.readouterr().err
    assert command(["explain", "ap", "qrels.txt"]) == 2
    assert "needs a run as well" in capsys.readouterr().err


def test_of_spans_each_rank_shows_the_gold_characters_that_it_adds():
    # gold: characters 100 to 200 and 400 to 450; the first chunk holds 50 of them, the second 60 of which 10 are in the first
    chunks = [("c1", 50, 150), ("c2", 140, 240), ("c3", 300, 310)]
    items = [{"item": item, "document": "d", "start": start, "end": end} for item, start, end in chunks]
    gold = [
        {"query": "q", "document": "d", "start": start, "end": end} for start, end in [(100, 200), (400, 450)]
    ]
    table = rw.explain("span_p(overlaps=count)@3", run={"q": ["c1", "c2", "c3"]}, qrels=gold, items=items)
    assert [list(row) for row in table.rows] == [[1, "c1", 50, 50], [2, "c2", 50, 100], [3, "c3", 0, 100]]
    assert table.notes[0] == "100 characters in both ÷ characters of listed chunks = 100 ÷ 210 = 0.4762"
    none = rw.explain("span_r", run={"q": [], "p": ["c1"]}, qrels=gold, items=items, query="q")
    assert none.notes == ("0 characters in both ÷ characters of gold = 0 ÷ 150 = 0.0000",)


def test_of_nuggets_the_weight_that_is_supported_is_divided_by_all_weight():
    # vital a supported, okay b in part, okay c not assigned, x no nugget: (1 + .5 · .5) ÷ (1 + 2 · .5)
    run, importance = {"q": {"a": 1, "b": 0.5, "x": 1}}, {"q": {"a": 2, "b": 1, "c": 1}}
    table = rw.explain("nugget(of=weighted)", run=run, qrels=importance)
    assert table.notes[0] == "supported weight ÷ weight of the nuggets = 1.25 ÷ 2 = 0.6250"
    none = rw.explain("nugget(of=vital)", run={"q": {"b": 1}}, qrels={"q": {"b": 1}})
    assert none.notes[0].endswith("= 0 ÷ 0: undefined without a nugget that counts")
