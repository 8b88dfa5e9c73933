"""Names of runs, results and tasks that are no text: what they print, in each function that takes them."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

import rankwell as rw

QRELS = {"q": {"a": 1}}
TAKE = {
    "report": lambda key, run: rw.report({key: run, "b": {"q": ["a"]}}, QRELS, ["rr"]) and None,
    "compare": lambda key, run: rw.compare({key: run, "b": run}, QRELS, ["rr"]).names,
    "evaluate_all": lambda key, run: rw.Evaluator(QRELS, ["rr"]).evaluate_all({key: run, "b": run}).values(),
    "fuse": lambda key, run: [row[0] for row in rw.fuse({key: run, "b": run}).tables()[0].rows],
    "suite": lambda key, run: rw.suite({"t": {key: rw.evaluate(run, QRELS, ["rr"]), "b": 0.5}}).systems,
    "tasks": lambda key, run: rw.suite({key: {"a": rw.evaluate(run, QRELS, ["rr"]), "b": 0.5}}).tasks,
    "next": lambda key, run: rw.judging.next({key: run, "b": {"q": ["c"]}}, QRELS, budget=1) and None,
    "bounds": lambda key, run: rw.plot.bounds({key: rw.evaluate(run, QRELS, ["rr"], bounds=True)}) and None,
}


@pytest.mark.parametrize(
    "key", [np.int64(3), 10**6000, None, date(2026, 11, 28)], ids=["3", "huge", "none", "date"]
)
@pytest.mark.parametrize("name", TAKE)
def test_names_that_are_no_text_are_what_they_print(name, key):
    found = TAKE[name](key, {"q": ["b", "a"]})
    if found is not None:
        assert ("a number of about 6,000 digits" if key == 10**6000 else str(key)) in [
            str(getattr(own, "name", own)) for own in found
        ]


def test_a_date_that_python_cannot_print_is_no_date():
    with pytest.raises(rw.RankwellError, match="is no date"):
        rw.trend({10**6000: rw.evaluate({"q": ["a"]}, QRELS, ["rr"])})


@pytest.mark.parametrize("key", [np.int64(3), 10**6000, date(2026, 11, 28)], ids=["3", "huge", "date"])
def test_members_of_a_group_are_called_as_their_runs_are(key):
    run, other = {"q": ["b", "a"], "r": ["a"]}, {"q": ["a"], "r": ["b", "a"]}
    runs = {key: run} | {name: [other, run][name in "wy"] for name in "uvwxy"}
    qrels = QRELS | {"r": {"a": 1}}
    found = rw.compare(runs, qrels, ["rr"], seeds={"A": [key, "u", "v"], "B": ["w", "x", "y"]})
    assert found.names == ("A", "B")
