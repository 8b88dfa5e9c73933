"""One planted bug per rule and switch of nuggets and of their readers; each is caught by the plain loop or the stored numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.definitions.both import same, values_of
from tests.definitions.test_nugget import METRICS, UNASSIGNED, UNJUDGED, loop, parameters, tables
from tests.evaluation.test_nuggetizer import (
    test_values_are_those_that_nuggetizer_printed as compare_with_nuggetizer,
)
from tests.mutants.planting import around, fails, put

import rankwell as rw
from rankwell.matching.batch import Judged
from rankwell.metrics.evidence import nuggets
from rankwell.readers.formats import nuggetizer


def compare_with_the_loop():
    run, judged = tables(60, 2)
    res = rw.evaluate(run, judged, METRICS)
    for metric in METRICS:
        for query, value in values_of(res, metric).items():
            assert same(value, loop(judged[query], run.get(query, {}), *parameters(metric))), metric
    assigned = {query: set(run.get(query, ())) for query in judged}
    assert res.counts[UNASSIGNED] == sum(len(judged[query].keys() - assigned[query]) for query in judged)
    assert res.counts[UNJUDGED] == sum(len(assigned[query] - judged[query].keys()) for query in judged)


def only_assigned(original, self, function, *objects):
    """The number of a query's nuggets, of those that were assigned."""
    if function is not nuggets._nuggets:
        return original(self, function, *objects)
    return np.where(self.pool_row < 0, np.nan, self.found.count())


def without(switch):
    """Ignore a switch: it is a half."""
    return lambda original, self, *given: original(replace(self, **{switch: 0.5}), *given)


def last_of_one_text(original, value, key, words):
    found = original(value, key, words)
    return {text: label for text, label in found.items() if not text.endswith(")")}


OF_METRIC = {
    "vital nuggets are the okay ones": put(nuggets, "VITAL", 1.0),
    "support in part counts in full": put(nuggets, "PARTIAL_SUPPORT", 1.0),
    "full support is support in part": put(nuggets, "SUPPORT", 0.5),
    "partial is always a half": around(nuggets.Nugget, "per_query", without("partial")),
    "okay nuggets always weigh a half": around(nuggets.Nugget, "per_query", without("okay")),
    "nuggets that were not assigned do not count": around(Judged, "of_ideal", only_assigned),
    "no query is undefined": around(nuggets.Nugget, "per_query", lambda original, *given: np.nan_to_num(original(*given))),
    "counts of unjudged queries": around(
        nuggets.Nugget, "counts", lambda original, *given: {what: n + 1 for what, n in original(*given).items()}
    ),
}  # fmt: skip
OF_READER = {
    "a failed assignment is support": put(nuggetizer, "SUPPORT_WORDS", {**nuggetizer.SUPPORT_WORDS, "failed": 1.0}),
    "a failed importance is vital": put(nuggetizer, "IMPORTANCE_WORDS", {**nuggetizer.IMPORTANCE_WORDS, "failed": 2.0}),
    "nuggets of one text are one": around(nuggetizer, "_labels", last_of_one_text),
}  # fmt: skip


def test_nothing_is_caught_where_nothing_is_planted():
    compare_with_the_loop()
    compare_with_nuggetizer()


@pytest.mark.parametrize("name", [*OF_METRIC, *OF_READER])
def test_a_planted_bug_is_caught(name, monkeypatch):
    (OF_METRIC | OF_READER)[name](monkeypatch)
    assert fails(compare_with_the_loop if name in OF_METRIC else compare_with_nuggetizer)
