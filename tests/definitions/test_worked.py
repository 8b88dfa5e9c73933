"""The worked examples of the specification, through rankwell."""

from __future__ import annotations

from tests.every import every

import rankwell as rw
from rankwell.metrics import metric_of

from .both import qrels_of, run_of, same
from .worked import cases

CASES = cases()


@every("case", CASES)
def test_a_worked_example_comes_out_to_1e_12_and_a_wrong_one_does_not(case):
    run = (
        run_of(case.run)
        if any(case.run.values())
        else {query: {} for query in case.run} | {"other": {"x": 1.0}}
    )
    qrels = qrels_of(case.qrels) if case.qrels else None
    res = rw.evaluate(run, qrels, [case.metric], policy=rw.Policy(**case.policy))
    ours = res[case.metric]
    assert same(ours, case.expected) == (case.kind != "invalid"), (
        str(metric_of(case.metric)),
        ours,
        case.expected,
    )


def test_the_worked_examples_are_there():
    assert len(CASES) >= 60
