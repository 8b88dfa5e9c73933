"""Judgements by topic: what metrics see of them, what is refused, and what nobody else notices."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.matching.topics import qrels

import rankwell as rw
from rankwell.cli import run as command
from rankwell.evaluation.engines.memory import Memory
from rankwell.metrics import metric_of
from rankwell.metrics.diversity.by_topic import topic_queries
from rankwell.metrics.metric import QueryMetric, definition

RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "r": {"c": 2.0, "a": 1.0}}


def many(seed=3, queries=60):
    """A larger run and judgements as rows, ids as text of numbers."""
    rng = random.Random(seed)
    run = {
        str(q): {str(i): rng.choice([1.0, 2.0, 3.0]) for i in rng.sample(range(40), 20)}
        for q in range(queries)
    }
    rows = [
        (str(q), str(i), rng.randint(-1, 2), rng.choice("xyz"))
        for q in range(queries)
        for i in rng.sample(range(40), 12)
    ]
    return run, rows


def test_by_topic_by_hand():
    # q: x has a (rank 1), y has b, c, d (ranks 2, 3, none); r: y has a (rank 2); s is not in the run
    res = rw.evaluate(RUN, qrels(), ["by_topic(metric=ap)", "by_topic(metric=rr)", "by_topic(metric=p@2)"])
    assert res.per_query["query"].to_list() == ["q", "r", "s"]
    assert res.per_query["by_topic(metric=ap)"].to_list() == pytest.approx(
        [(1 + (1 / 2 + 2 / 3) / 3) / 2, 1 / 2, 0]
    )
    assert res.per_query["by_topic(metric=rr)"].to_list() == [3 / 4, 1 / 2, 0]
    assert res.per_query["by_topic(metric=p@2)"].to_list() == [1 / 2, 1 / 2, 0]


def test_a_topic_without_a_relevant_item_is_left_out_or_counts_as_0():
    rows = [("q", "a", 1, "x"), ("q", "b", 0, "y")]
    res = rw.evaluate({"q": ["a", "b"]}, qrels(rows), ["by_topic(metric=ap)", "by_topic(metric=ap,over=all)"])
    assert list(res.mean.values()) == [1.0, 0.5]
    none = rw.evaluate(
        {"q": ["a"]}, qrels([("q", "a", 0, "x"), ("q", "b", 0, "y")]), ["by_topic(metric=ap,over=all)"]
    )
    assert none.undefined == {"by_topic(metric=ap,over=all)": {"undefined by the judgements": 1}}


@pytest.mark.parametrize(
    ("judgements", "metric", "message"),
    [
        ({"q": {"a": 1}}, "by_topic(metric=ap)", "by_topic\\(metric=ap\\) needs topics: qrels has no topic column. Give judgements with a topic"),
        ({"q": {"a": 1}}, "prefs_simp", r"or write prefs_simp\(groups=query\) for one group per query"),
        (qrels([("q", "a", 1, "0"), ("r", "a", 1, "0")]), "prefs_pair", "one topic in the whole file"),
    ],
)  # fmt: skip
def test_judgements_without_topics_are_refused_with_the_remedy(judgements, metric, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(RUN, judgements, [metric])


def test_topics_are_kept_for_metrics_that_need_them_and_for_nobody_else():
    assert rw.Evaluator(qrels(), ["ap", "prefs_simp(groups=query)"]).task.pool.topics is None
    assert rw.Evaluator(qrels(), ["ap", "by_topic(metric=ap)"]).task.pool.topics is not None
    with pytest.raises(rw.RankwellError, match="needs topics, which this evaluator was made without"):
        rw.Evaluator(qrels(), ["ap"]).of_other_metrics(["by_topic(metric=ap)"])


def test_topics_change_no_bit_of_other_metrics():
    run, rows = many()
    metrics = ["ap", "ndcg@5", "bpref", "judged@3", "infap", "err"]
    alone = rw.evaluate(run, qrels(rows), metrics).per_query
    assert (
        rw.evaluate(run, qrels(rows), [*metrics, "by_topic(metric=ap)"])
        .per_query[alone.columns]
        .equals(alone)
    )


@pytest.mark.parametrize("metric", ["by_topic(metric=ndcg@5)", "prefs_pair", "prefs_avgjg_rnonrel"])
def test_rows_in_any_order_batches_threads_and_integers_change_no_bit(metric):
    run, rows = many()
    policy = rw.Policy(negative="nonrelevant")
    whole = rw.evaluate(run, qrels(rows), [metric], policy=policy)
    random.Random(1).shuffle(rows)
    shuffled = rw.evaluate(run, qrels(rows), [metric], policy=policy, engine=Memory(batch=30), threads=3)
    assert shuffled.per_query.equals(whole.per_query)
    numbers = [(int(q), int(i), g, ord(t)) for q, i, g, t in rows]
    integers = {int(q): {int(i): s for i, s in items.items()} for q, items in run.items()}
    for ours, theirs in ((integers, rows), (run, numbers), (integers, numbers)):
        res = rw.evaluate(ours, qrels(theirs), [metric], policy=policy)
        values = dict(
            zip(map(str, res.per_query["query"].to_list()), res.per_query[metric].to_list(), strict=True)
        )
        assert values == dict(
            zip(whole.per_query["query"].to_list(), whole.per_query[metric].to_list(), strict=True)
        )


def test_a_slice_has_the_topics_of_its_items_alone():
    run, rows = many()
    head = [str(item) for item in range(15)]
    for metric in ("by_topic(metric=ap)", "by_topic(metric=ndcg@5)", "by_topic(metric=num_rel_ret@5)"):
        res = rw.evaluate(run, qrels(rows), [metric], slices={"head": head})
        inside = [row for row in rows if row[1] in head]
        assert res.slices["head"][metric] == rw.evaluate(run, qrels(inside), [metric])[metric]
    with pytest.raises(rw.RankwellError, match="is not defined on a slice"):
        rw.evaluate(run, qrels(rows), ["by_topic(metric=bpref)"], slices={"head": head})
    with pytest.raises(rw.RankwellError, match="is not defined on a slice"):
        rw.evaluate(run, qrels(rows), ["prefs_simp"], slices={"head": head})


def test_the_same_item_twice_for_one_topic_is_a_copy_and_for_two_topics_is_not():
    rows = [("q", "a", 0, "x"), ("q", "a", 1, "y"), ("q", "a", 1, "x")]
    with pytest.raises(rw.RankwellError, match="judges item 'a' twice"):
        rw.evaluate({"q": ["a"]}, qrels(rows), ["by_topic(metric=p@1)"])
    # x: highest 1, last 1; y: 1. In the other order of rows the last for x is 0.
    for kept, expected, order in (
        ("max", 1.0, rows),
        ("last", 1.0, rows),
        ("max", 1.0, rows[::-1]),
        ("last", 0.5, rows[::-1]),
    ):
        res = rw.evaluate(
            {"q": ["a"]},
            qrels(order),
            ["by_topic(metric=p@1,over=all)"],
            policy=rw.Policy(duplicate_grades=kept),
        )
        assert list(res.mean.values()) == [expected]


def test_subgroups_say_what_is_compared_and_one_group_is_enough():
    # within 1: a over b; within 2: b over c; so a over c, though nobody compared them
    rows = [("q", "a", 2, "g"), ("q", "b", 1, "g"), ("q", "b", 2, "g"), ("q", "c", 1, "g")]
    given = qrels(rows, subgroup=["1", "1", "2", "2"])
    res = rw.evaluate({"q": ["c", "a", "b"]}, given, ["prefs_num_poss", "prefs_simp"])
    assert list(res.mean.values()) == [3.0, pytest.approx(1 / 3)]
    # a item of two levels in one subgroup's stead: without subgroups that is a copy
    with pytest.raises(rw.RankwellError, match="twice"):
        rw.evaluate({"q": ["a"]}, qrels(rows), ["prefs_simp(groups=query)"])
    with pytest.raises(rw.RankwellError, match="give topic too"):
        rw.Qrels(["q"], ["a"], subgroup=["1"])


def test_judges_who_contradict_themselves_are_told():
    rows = [("q", "a", 2, "g"), ("q", "b", 1, "g"), ("q", "b", 2, "g"), ("q", "a", 1, "g")]
    with pytest.raises(rw.RankwellError, match="'a' and 'b' are each preferred to the other"):
        rw.evaluate({"q": ["a"]}, qrels(rows, subgroup=["1", "1", "2", "2"]), ["prefs_simp"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("by_topic(metric=p)", "p needs a cut-off"),
        ("by_topic(metric=coverage@3)", "coverage@3 does not depend on a query's judgements"),
        ("by_topic(metric=by_topic)", "already reads all topics"),
        ("by_topic(metric=prefs_simp)", "already reads all topics"),
        ("by_topic(metric=nothing)", "There is no metric 'nothing'"),
        ("by_topic(metric=3)", "metric must be a metric"),
        ("by_topic@3", "takes no cut-off"),
    ],
)
def test_what_has_no_value_per_topic_is_refused(text, message):
    with pytest.raises(rw.RankwellError, match=message):
        metric_of(text)


def test_a_metric_is_a_parameter_as_text_as_a_class_and_as_a_value():
    made = metric_of("by_topic(metric=ndcg(gain=exp2)@10,over=all)")
    assert (
        made
        == rw.ByTopic(metric=rw.nDCG(gain="exp2") @ 10, over="all")
        == rw.ByTopic(metric="ndcg(gain=exp2)@10", over="all")
    )
    assert metric_of("by_topic(metric=rr)") == rw.ByTopic(metric=rw.RR) == metric_of("by_topic(metric='rr')")
    assert str(made) == "by_topic(metric=ndcg(gain=exp2)@10,over=all)"
    assert made.signature == "by_topic(metric=ndcg(gain=exp2,discount=log2p1,ideal=judged)@10,over=all)"
    assert metric_of("by_topic(metric=first_rank)").better == "lower"
    assert metric_of("by_topic(metric=bing)").range == metric_of("bing").range


@definition
class ShownByTopic(QueryMetric):
    """The share of the first two rows that are judged for a topic, by the whole list; for this test."""

    name = "shown_by_topic"
    needs = frozenset({"shown", "topics"})

    def per_query(self, judged, context):
        each = topic_queries(judged)
        top = each.judged.shown.top(2)
        assert (top.pool_row[~np.isnan(top.grade)] >= 0).all()
        return each.mean(
            len(judged), top.where(top.grade >= 0).count() / 2, np.ones(len(each.owner), np.bool_)
        )


def test_the_whole_list_has_the_grades_of_each_topic():
    for size in (1, 100):
        res = rw.evaluate(
            RUN,
            qrels(),
            [ShownByTopic(), "by_topic(metric=judged@2)"],
            policy=rw.Policy(missing="skip"),
            engine=Memory(batch=size),
        )
        # q: a, b of x {a, c} and y {b, c, d}: one each; r: c, a of y {a}
        assert res.per_query["shown_by_topic"].to_list() == [0.5, 0.5]
        assert res.per_query["by_topic(metric=judged@2)"].to_list() == [0.5, 0.5]


def test_one_query_is_explained_with_its_topics():
    table = rw.explain("by_topic(metric=rr)", run=RUN, qrels=qrels(), query="q")
    assert "by_topic(metric=rr) = 0.7500" in str(table)


def test_preference_files_work_on_the_command_line(tmp_path, capsys):
    (tmp_path / "judged").write_text("q g 0 a 1\nq g 0 b 0\nq h 0 b 1\nq h 0 a 0\nq h 0 c 0\n")
    (tmp_path / "run").write_text("q Q0 a 1 3 t\nq Q0 c 2 2 t\nq Q0 b 3 1 t\n")
    assert (
        command(
            [
                "evaluate",
                str(tmp_path / "judged"),
                str(tmp_path / "run"),
                "-m",
                "prefs_simp",
                "-m",
                "prefs_avgjg",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    assert "0.33333" in (out := capsys.readouterr().out)
    assert "0.5" in out
