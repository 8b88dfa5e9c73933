"""What evaluate refuses or counts, beyond the definitions."""

from __future__ import annotations

import pytest

import rankwell as rw


def test_a_parameter_that_does_nothing_is_refused():
    with pytest.raises(rw.RankwellError, match=r"ndcg\(base=3\): base=3 has no effect"):
        rw.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "ndcg(base=3)")


def test_scores_beyond_single_precision_are_infinite_and_tied_there():
    run, qrels = {"q": {"a": 1e300, "b": 2e300, "c": 1.0}}, {"q": {"a": 1}}
    single = rw.evaluate(run, qrels, "rr", policy=rw.Policy(scores="single"))
    assert (single["rr"], rw.evaluate(run, qrels, "rr")["rr"]) == (1 / 2, 1 / 2)
    assert single.counts["queries in which ties could change a value"] == 1
