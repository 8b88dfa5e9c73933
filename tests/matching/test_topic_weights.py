"""Weights of topics: of the judgements, or of a table; and what is refused."""

from __future__ import annotations

import pytest

import rankwell as rw


def weighted(*rows):
    query, item, topic, weight = (list(column) for column in zip(*rows, strict=True))
    return rw.Qrels(query, item, [1] * len(rows), topic, topic_weight=weight)


def test_the_weight_of_a_topic_is_that_of_its_rows():
    qrels = weighted(
        ("q", "a", "x", 3), ("q", "b", "y", 1), ("q", "c", "x", 3), ("r", "a", "x", 0), ("r", "b", "y", 2)
    )
    res = rw.evaluate({"q": ["a"], "r": ["a"]}, qrels, ["rr_ia", "rr_ia(weights=uniform)"])
    assert res.per_query.rows() == [("q", 0.75, 0.5), ("r", 0.0, 0.5)]


def test_judgements_in_a_table_tell_weights_of_topics(tmp_path):
    file = tmp_path / "qrels.csv"
    file.write_text("query,item,topic,grade,intent_probability\nq,a,x,1,0.9\nq,b,y,1,0.1\n")
    assert rw.evaluate({"q": ["b"]}, file, "rr_ia").mean == {"rr_ia": pytest.approx(0.1)}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("q", "a", "x", 3), ("q", "b", "y", 1), ("q", "c", "x", 2)],
         "qrels, row 3: topic 'x' of query 'q' weighs 2 here and 3 at qrels, row 1. Give it one weight."),
        ([("q", "a", "x", -1), ("q", "b", "y", 1)], "qrels, row 1: the topic_weight is -1"),
        ([("q", "a", "x", 1), ("q", "b", "y", float("inf"))], "qrels, row 2: the topic_weight is inf"),
    ],
)  # fmt: skip
def test_a_weight_that_is_none_is_refused_with_its_place(rows, words):
    with pytest.raises(rw.RankwellError, match=r".") as error:
        rw.evaluate({"q": ["a"]}, weighted(*rows), "rr_ia")
    assert words in str(error.value)


def test_weights_without_topics_are_refused():
    with pytest.raises(rw.RankwellError, match="give topic too"):
        rw.Qrels(["q"], ["a"], [1], topic_weight=[1])


def test_a_query_all_of_whose_topics_weigh_nothing_has_no_value():
    qrels = weighted(("q", "a", "x", 0), ("q", "b", "y", 0), ("r", "a", "x", 1))
    metrics = ["err_ia", "nrbp", "nnrbp", "p_ia@2", "d_ndcg", "rbu", "s_recall@1"]
    res = rw.evaluate({"q": ["a"], "r": ["a"]}, qrels, metrics)
    assert {name: res.per_query[name].is_null().to_list() for name in res.mean} == {
        name: [not name.startswith("s_recall"), False] for name in res.mean
    }


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("alpha_ndcg(alpha=2)", "alpha must be between 0 and 1"), ("nrbp(beta=-1)", "beta must be between 0 and 1"),
        ("err_ia(gain=binary,alpha=0)", "set alpha above 0, or norm=ndeval"), ("err_ia(norm=ndeval)@5", "gain=binary"),
        ("err_ia(gain=binary,norm=ndeval)", "cut-off"), ("alpha_dcg(norm=ndeval)", "needs a cut-off"), ("s_recall", "write s_recall@10"),
        ("s_precision(level=0)", "above 0"), ("rbu(p=1)", "below 1"), ("rbu(e=2)", "between 0 and 1"), ("err_ia(alpha=.3)", "no effect"),
        ("dsharp_ndcg(gamma=2)", "between 0 and 1"), ("rbu(scale=topic,max_grade=3)", "no effect"),
        ("alpha_ndcg(universe=profile)", "use topics=items"), ("nrbp(weights=profile)", "use topics=items"),
        ("alpha_ndcg(topics=items)", "give items="), ("alpha_ndcg(topics=items,universe=profile)", "give"),
        ("by_topic(metric=s_recall@5)", "already reads all topics"),
    ],
)  # fmt: skip
def test_what_a_metric_of_topics_cannot_do_is_said(metric, words):
    qrels = rw.Qrels(["q"] * 2, ["a", "b"], [1, 1], ["x", "y"])
    with pytest.raises(rw.RankwellError, match=r".") as error:
        rw.evaluate({"q": ["a"]}, qrels, metric)
    assert words in str(error.value)


def test_a_column_of_topics_that_is_not_there_is_said():
    with pytest.raises(rw.RankwellError, match="no column 'genre'"):
        rw.evaluate(
            {"q": ["a"]}, {"q": {"a": 1}}, "alpha_ndcg(topics=genre)", items=[{"item": "a", "topics": "x"}]
        )


def test_topics_of_items_are_named_where_the_judgements_have_none():
    with pytest.raises(rw.RankwellError, match=r"or write alpha_ndcg\(topics=items\) for those of the items"):
        rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, "alpha_ndcg@5")
