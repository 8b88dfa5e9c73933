"""The grammar of a metric's text, name(param=value, …)@k, and that each text is read once."""

from __future__ import annotations

import numpy as np
import pytest

import rankwell as rw
from rankwell.metrics import metric_of, metrics_of
from rankwell.metrics.grammar import MOST_PARSED, PARSED
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parameters import value_text


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("ndcg", {}),
        ("NDCG@10", {"k": 10}),
        ("  ndcg ( gain = exp2 ) @ 10 ", {"gain": "exp2", "k": 10}),
        ("ndcg()", {}),
        ("ndcg(gain={1: 3, 2: 9.5})", {"gain": ((1.0, 3.0), (2.0, 9.5))}),
        (
            "ndcg(gain={2:9.5,-1:+3e0},discount=[1,.5])",
            {"gain": ((-1.0, 3.0), (2.0, 9.5)), "discount": (1.0, 0.5)},
        ),
        ("ndcg(gain='exp2')", {"gain": "exp2"}),
        ('ndcg(gain="exp2")', {"gain": "exp2"}),
        ("p(rel=none)@5", {"rel": None, "k": 5}),
        ("p(rel=2.50)@5", {"rel": 2.5, "k": 5}),
        ("ils(features='genre_*')", {"features": "genre_*"}),
        ("by_topic(metric=ap)", {"metric": metric_of("ap")}),
        ("by_topic(metric=ndcg(gain=exp2)@3)", {"metric": metric_of("ndcg(gain=exp2)@3")}),
    ],
)
def test_a_text_is_read_as_its_grammar_says(text, parameters):
    metric = metric_of(text)
    assert {name: getattr(metric, name) for name in parameters} == parameters
    assert metric_of(str(metric)) == metric
    assert metric_of(metric.signature) == metric


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the name of a metric but found 'the end'"),
        ("@10", "expected the name of a metric but found '@10'"),
        ("ndgc@10", "There is no metric 'ndgc'. Did you mean ndcg?"),
        ("ndcg@", "expected a cut-off (a whole number of at least 1) but found 'the end'"),
        ("ndcg@0", "the cut-off must be a whole number of at least 1, not 0"),
        ("ndcg@-1", "the cut-off must be a whole number of at least 1, not -1"),
        ("ndcg@1.5", "the cut-off must be a whole number of at least 1, not 1.5"),
        ("ndcg@ten", "(a whole number of at least 1) but found 'ten'"),
        ("ndcg@10 ten", "expected the end of the text but found 'ten'"),
        ("ndcg@10 ap", "is more than one metric. Ask for 'ndcg@10' and 'ap' each by itself"),
        ("ap, p@5,rr", "Ask for 'ap' and 'p@5,rr' each by itself"),
        ("ndcg(gain=exp2", "expected ',' or ')' but found 'the end'"),
        ("ndcg(gain exp2)", "expected '=' but found 'exp2)'"),
        ("ndcg(gain=)", "expected a value but found ')'"),
        ("ndcg(gain={1})", "expected ':' but found '})'"),
        (
            "ndcg(gain={1:2,others:3})",
            "expected own (others:own: all other grades gain themselves) but found '3})'",
        ),
        ("ndcg(gain={1:2,rest:own})", "expected a number or others but found 'rest:own})'"),
        ("ndcg(gain={others:own})", "gain must be one of linear, exp2, {number: number, …}"),
        ("ndcg(discount=[1 2])", "expected ',' or ']' but found '2])'"),
        ("ndcg(discount=[1,])", "expected a value but found '])'"),
        ("ndcg(gian=exp2)", "ndcg has no parameter 'gian'"),
        ("rr(gain=exp2)", "rr has no parameter 'gain'; it has rel"),
        ("ndcg(gain=cubic)", "gain must be one of linear, exp2"),
        ("ndcg(k=10)", "ndcg has no parameter 'k'"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text, message):
    with pytest.raises(rw.RankwellError) as error:
        metric_of(text)
    assert message in str(error.value)


def test_names_and_parameters_are_read_in_upper_and_lower_case_and_values_as_they_are():
    assert metric_of("NDCG(GAIN=exp2)@3") == metric_of("ndcg(gain=exp2)@3")
    with pytest.raises(rw.RankwellError, match="gain must be one of"):
        metric_of("ndcg(gain=EXP2)")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"), (0.1, "0.1"), (1e300, "1e+300"), (-3, "-3"), (True, "true"), (None, "none"), ("exp2", "exp2"), ("true", "'true'"),
        ("two words", "'two words'"), ("it's", '"it\'s"'), ((1.0, 0.5), "[1,0.5]"), (((1.0, 3.0), (2.0, 7.5)), "{1:3,2:7.5}"),
        (((1.0, 3.0), ("others", "own")), "{1:3,others:own}"),
    ],
)  # fmt: skip
def test_a_value_is_written_in_the_grammar(value, text):
    assert value_text(value) == text


def test_several_metrics_are_each_taken_once_in_the_order_asked():
    wanted = metrics_of(["p@5", rw.nDCG @ 10, "precision@5", rw.RR, "ndcg@10"])
    assert [str(metric) for metric in wanted] == ["p@5", "ndcg@10", "rr"]
    assert metrics_of("ap") == metrics_of(rw.AP) == metrics_of(rw.AP()) == (rw.AP(),)


def test_a_profile_stands_for_its_metrics():
    names = [str(metric) for metric in metrics_of(["hit@3", "recsys@3"])]
    assert names[:3] == ["hit@3", "ndcg@3", "r@3"]
    assert len(names) == len(set(names))
    assert metrics_of("recsys") == metrics_of("RECSYS @ 10")
    with pytest.raises(rw.RankwellError, match="the cut-off must be a whole number of at least 1"):
        metrics_of("recsys@0")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (None, "say which metrics you want"),
        ([], "metrics= is empty"),
        ([5], "5 is not a metric"),
        (5, "5 is not a metric"),
    ],
)
def test_what_is_no_metric_is_refused(wanted, message):
    with pytest.raises(rw.RankwellError, match=message):
        metrics_of(wanted)


def test_a_text_is_read_once():
    assert metric_of("ndcg(gain=exp2)@7") is metric_of("ndcg(gain=exp2)@7")


def test_a_text_is_read_once_also_when_another_metric_is_loaded():
    before = metric_of("ndcg(gain=exp2)@7")

    @definition
    class Another(QueryMetric):
        """No name of it is in a text that was read."""

        name = "another_of_parsing"

        def per_query(self, judged, _):
            return np.zeros(len(judged))

    assert type(metric_of("another_of_parsing")) is Another
    assert metric_of("ndcg(gain=exp2)@7") is before


def test_a_metric_that_is_defined_again_is_read_again():
    def define(value):
        @definition
        class Constant(QueryMetric):
            """A constant."""

            name = "constant_of_parsing"

            def per_query(self, judged, _):
                return np.full(len(judged), value)

        return Constant

    first = define(1.0)
    assert type(metric_of("constant_of_parsing")) is first
    second = define(2.0)
    assert type(metric_of("constant_of_parsing")) is second


def test_texts_that_were_read_do_not_pile_up():
    for k in range(1, MOST_PARSED + 10):
        metric_of(f"p@{k}")
    assert len(PARSED) <= MOST_PARSED
