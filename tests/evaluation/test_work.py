"""A small evaluation is a few steps: how many functions of ours it calls, which no machine makes faster or slower."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import rankwell as rw

PACKAGE = str(Path(rw.__file__).parent)
RUN = {"q": {f"d{number}": 10.0 - number for number in range(10)}}
QRELS = {"q": {"d3": 1, "x": 2}}
METRICS = ["ndcg@10", "ap"]


def calls(function):
    """The number of calls of functions of the package in Python, after what is done only once: the least of three counts.

    The garbage collector may end an object of another test in between.
    """
    for _ in range(3):
        function()
    return min(counted(function) for _ in range(3))


def counted(function):
    """The number of calls this time, but those of `__eq__`: a dict makes one when two hashes, which are random, meet.

    Those that only keep what a property works out are not counted either; before Python 3.12 they are ours, and else the library's.
    """
    seen = 0

    def count(frame, event, _):
        nonlocal seen
        code = frame.f_code
        seen += (
            event == "call"
            and code.co_filename.startswith(PACKAGE)
            and code.co_name not in ("__eq__", "__get__")
        )

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return seen


def test_an_evaluator_calls_few_functions_for_a_dict():
    evaluator = rw.Evaluator(QRELS, METRICS)
    assert calls(lambda: evaluator.evaluate(RUN).mean) <= 112


def test_an_evaluator_calls_fewer_functions_for_a_run():
    evaluator, run = rw.Evaluator(QRELS, METRICS), rw.read_run(RUN)
    assert calls(lambda: evaluator.evaluate(run).mean) <= 98


def test_evaluate_calls_few_functions_where_nothing_is_prepared():
    assert calls(lambda: rw.evaluate(RUN, QRELS, METRICS).mean) <= 261


@pytest.mark.parametrize("queries", [1, 300])
def test_the_number_of_calls_does_not_grow_with_the_queries(queries):
    run = {f"q{number}": RUN["q"] for number in range(queries)}
    evaluator = rw.Evaluator(dict.fromkeys(run, QRELS["q"]), METRICS)
    assert calls(lambda: evaluator.evaluate(run).mean) <= 112 + 4 * (queries > 1)  # a look at scores and ids
