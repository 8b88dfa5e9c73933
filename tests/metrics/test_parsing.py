"""How the text of a metric is read."""

from __future__ import annotations

import numpy as np

from rankwell.metrics import metric_of
from rankwell.metrics.metric import QueryMetric, definition
from rankwell.metrics.parsing import MOST_PARSED, PARSED


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
