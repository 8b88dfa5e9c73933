"""Odd values in the place of every argument of every public function: an answer, RankwellError or TypeError, and nothing else.

The arguments are those of the signatures, so that a new one is tried without being named here; ``VALID`` is a call of each function.
``python -m tests.calls.test_every_argument 30 7 plot.curve`` tries so many values for each argument, from a seed, of one function or all.
"""

from __future__ import annotations

import inspect
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.calls.test_public_calls import answer, own_folder, stop  # noqa: F401 - a fixture
from tests.calls.values import ODD
from tests.cases import FEWER, drawn
from tests.efficiency.made_growth import made

import rankwell as rw

VALUES = 4 if FEWER == 1 else 2  # for each argument
SLOW = ("efficiency.growth", "efficiency.measure", "report")  # which start processes or write a megabyte
CLICKS = {
    "impression": [1, 1, 2, 2],
    "user": list("uuvv"),
    "rank": [1, 2] * 2,
    "team": ["A", "B"] * 2,
    "click": [1, 0, 1, 1],
}
A = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}, "3": {"c": 1.0}}
B = {"1": {"c": 3.0, "b": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"c": 1.0, "a": 0.5}}
C = {"1": ["b"], "2": ["b", "c"], "3": ["a"]}
Q = {"1": {"a": 1, "c": 0}, "2": {"a": 1, "b": 0}, "3": {"c": 1}}
R = {"x": A, "y": B}
LOG = [{"query": q, "item": i, "grade": 1.0, "time": t} for t, (q, i) in enumerate([*zip("1122331", "abbcacc", strict=True)] * 2)]  # fmt: skip
LOG = list({(row["query"], row["item"]): row for row in LOG}.values())
ITEMS = [{"item": i, "topics": [t], "title": i} for i, t in zip("abc", "xyx", strict=True)]
USERS = [{"query": q, "tier": t, "day": d} for q, t, d in zip("123", "xyx", (1, 2, 3), strict=True)]
# what a function takes beside its signature, as words of ``**options``
OPTIONS = (
    "policy",
    "rel",
    "depth",
    "ties",
    "engine",
    "threads",
    "read",
    "train",
    "items",
    "users",
    "columns",
)


class Seek:
    """A system that can be measured."""

    def index(self, documents: Any) -> None:
        """Need no index."""

    def search(self, query: Any, k: int) -> list[str]:
        """Return two items."""
        return ["a", "b"][:k]


@cache
def evaluated() -> dict[str, rw.Results]:
    return rw.Evaluator(Q, ["ap", "p@1"], users=USERS, by="tier").evaluate_all(R)


@cache
def bounded() -> dict[str, rw.Results]:
    return rw.Evaluator(Q, ["ap", "p@1"], bounds=True).evaluate_all(R)


@cache
def compared() -> rw.Comparison:
    return rw.compare(R, Q, ["ap", "p@1"], users=USERS, by="tier", flips=99, resamples=99)


# odd values of the kind that an argument may well be given by mistake, beside those of ``values.py``
MORE: dict[str, Callable[[], Any]] = {
    "x": lambda: "x",
    "5": lambda: 5,
    "slice": lambda: slice(1),
    "long array": lambda: np.arange(20),
    "results": lambda: evaluated()["x"],
    "comparison": compared,
    "policy": rw.Policy,
    "a run": lambda: A,
    "judgements": lambda: Q,
    "list of numbers": lambda: [1, 2],
    "list of texts": lambda: ["ap", "rr"],
    "pair": lambda: (0.0, 1.0),
}  # fmt: skip
NAMED = ODD | MORE


@cache
def costed() -> Any:
    return rw.efficiency.measure({"x": Seek(), "y": Seek()}, {"1": "u", "2": "v", "3": "w"}, repetitions=2)


@cache
def grown() -> Any:
    return made(
        {
            "x": {
                "indexing": lambda n: 1e-6 * n,
                "memory": lambda n: 9.0 * n,
                "index_size": lambda n: 8.0 * n,
                "latency": lambda n: 1e-6 * n,
            }
        }
    )


def topics_file() -> str:
    path = Path(tempfile.gettempdir()) / "topics.tsv"
    path.write_text("1\tu\n2\tv\n3\tw\n")
    return str(path)


@cache
def board() -> rw.Board:
    return rw.suite({f"t{t}": {"x": 0.5, "y": 0.4 + t / 100} for t in range(6)}, metric="rr").board()


def write_suite() -> str:
    path = Path(tempfile.gettempdir()) / "suite.csv"
    path.write_text("task,system,value\nt,x,0.5\nt,y,0.25\n")
    return str(path)


def write_ledger() -> str:
    path = Path(tempfile.mkdtemp()) / "ledger.jsonl"
    rw.evaluate(A, Q, ["ap"], ledger=path)
    return str(path)


FIVE = [{str(q): items for q in range(5)} for items in (["a", "b"], ["b", "a"], ["c"])]


RUNS = {"runs": R, "qrels": Q}
SHEET = {"pairs": {"1": {"a": 0}, "2": {"b": 0}}, "items": ITEMS, "queries": {"1": "u", "2": "v"}}
VALID: dict[str, Callable[[], dict[str, Any]]] = {
    "Budget": lambda: {"size": 2},
    "plot.bounds": lambda: {"results": bounded()},
    "plot.calibration": lambda: {"runs": R, "train": LOG, "items": ITEMS},
    "plot.correlation": lambda: {"results": evaluated()["x"], "metrics": ["ap", "p@1"]},
    "plot.costs": lambda: {"comparison": rw.compare(R, Q, ["ap"], costs=costed()), "metric": "ap"},
    "plot.curve": lambda: {**RUNS, "metric": "ndcg", "ks": [1, 2]},
    "plot.differences": lambda: {"results": evaluated(), "metric": "ap", "first": "x", "second": "y"},
    "plot.effort": lambda: {"found": rw.judging.simulate({"x": A, "y": B, "z": C}, Q, methods=["mtf"], budgets=[1, 2])},
    "plot.exposure": lambda: {"runs": R, "train": LOG, "items": ITEMS, "k": 2, "groups": 2},
    "plot.forest": lambda: {"comparison": compared()},
    "plot.growth": lambda: {"found": grown()},
    "plot.judged": lambda: {**RUNS, "ks": [1, 2]},
    "plot.latency": lambda: {"costs": costed()},
    "plot.long_tail": lambda: {"train": LOG},
    "plot.movement": lambda: {"runs": {**R, "z": C}, "qrels": Q, "against": Q, "metric": "ap", "resamples": 99},
    "plot.per_query": lambda: {"results": evaluated(), "metric": "ap"},
    "plot.precision_recall": lambda: RUNS,
    "plot.rel_sweep": lambda: {**RUNS, "metric": "ap", "rels": [1, 2]},
    "plot.save": lambda: {"chart": rw.plot.wins(compared(), "ap"), "path": "chart.json"},
    "plot.scatter": lambda: {"results": evaluated(), "x": "ap", "y": "p@1"},
    "plot.segments": lambda: {"results": compared(), "metric": "ap"},
    "plot.similarity": lambda: {"run": A, "k": 2},
    "plot.ties": lambda: {"results": evaluated()},
    "plot.heatmap": lambda: {"board": board()},
    "plot.ranks": lambda: {"board": board()},
    "plot.positions": lambda: {"found": rw.clicks.positions(CLICKS, cluster=None)},
    "plot.preference": lambda: {"found": rw.clicks.interleaved(CLICKS)},
    "plot.weights": lambda: {
        "found": rw.clicks.off_policy({"reward": [1, 0], "propensity": [0.5, 0.25], "target": [0.1, 0.5]})
    },
    "plot.trend": lambda: {"found": {"2026-11-16": evaluated()["x"], "2026-11-23": evaluated()["y"]}},
    "plot.watch": lambda: {"found": rw.watch(**VALID["watch"]())},
    "plot.wins": lambda: {"comparison": compared()},
    "judging.Chooser": lambda: {"runs": R, "qrels": Q},
    "judging.correct": lambda: {"run": {"1": ["a", "b"], "2": ["b", "a"]}, "qrels": {"1": {"a": 1}, "2": {"a": 1}}, "metrics": ["hit@1"], "candidates": 100, "negatives": 1},
    "judging.estimate": lambda: {"runs": A, "qrels": Q, "metrics": "ap", "frame": rw.judging.sample(R, budget=3), "unanswered": "random"},
    "judging.next": lambda: {"runs": R, "qrels": {"1": {"a": 1}}, "budget": 2},
    "judging.prompts": lambda: {**SHEET, "model": "m"},
    "judging.sample": lambda: {"runs": R, "budget": 3},
    "judging.sheet": lambda: SHEET,
    "judging.simulate": lambda: {"runs": {"x": A, "y": B, "z": C}, "qrels": Q, "methods": ["mtf"], "budgets": [1, 2]},
    "prepare.PopularityCut": lambda: {"top": 1},
    "prepare.backtest": lambda: {"log": {"user": ["a", "b"], "item": ["x", "x"], "time": ["2026-01-01", "2026-01-20"]}, "every": "7d"},
    "prepare.baselines": lambda: {"train": LOG, "test": Q, "k": 2},
    "prepare.check": lambda: {"train": LOG, "test": Q},
    "prepare.core": lambda: {"log": LOG, "min_per_user": 1},
    "prepare.folds": lambda: {"log": LOG, "k": 2},
    "prepare.impute": lambda: {"qrels": Q, "lists": A, "train": LOG},
    "prepare.scale_by_tier": lambda: {"interactions": LOG, "tiers": USERS, "factors": {"x": 2.0, "y": 1.0}},
    "before": lambda: {"separator": "#"},
    "prepare.judge_chunks": lambda: {
        "gold": [{"query": "q", "document": "d", "start": 0, "end": 9}],
        "chunks": [{"item": "c", "document": "d", "start": 0, "end": 5}],
    },
    "prepare.split": lambda: {"log": LOG, "test": 0.3},
    "efficiency.Batch": lambda: {"size": 2},
    "efficiency.Closed": lambda: {"concurrency": 2},
    "efficiency.Command": lambda: {"search": "seek {query}"},
    "efficiency.Open": lambda: {"rate": 10.0},
    "efficiency.growth": lambda: {"systems": {"x": Seek()}, "queries": {"1": "u"}, "documents": ["a"] * 9},
    "efficiency.measure": lambda: {"systems": {"x": Seek()}, "queries": {"1": "u"}, "repetitions": 1},
    "efficiency.recall_of_exact": lambda: {"run": A, "exact": B, "k": 2},
    "Assessor": lambda: {"kind": "human", "name": "x"},
    "Evaluator": lambda: {"qrels": Q, "metrics": ["ap"]},
    "Policy": dict,
    "Qrels": lambda: {"query": ["1"], "item": ["a"], "grade": [1]},
    "Run": lambda: {"query": ["1"], "item": ["a"], "score": [1.0]},
    "Spark": dict,
    "Stream": dict,
    "agreement": lambda: {"qrels": Q, "runs": {**R, "z": C}, "metrics": ["ap", "p@1"], "resamples": 99},
    "check_axioms": lambda: {"metric": "ap", "trials": 5},
    "compare": lambda: {**RUNS, "metrics": ["ap"], "flips": 99, "resamples": 99},
    "confidence_sequence": lambda: {"runs": {"a": A, "b": B}, "qrels": Q, "metric": "ap", "arrival": "day", "users": USERS},
    "diff": lambda: {"runs": {"a": A, "b": B}, "qrels": Q, "metric": "ap"},
    "evaluate": lambda: {"run": A, "qrels": Q, "metrics": ["ap"]},
    "explain": lambda: {"metric": "ap"},
    "from_groups": lambda: {"y": [1, 0], "p": [0.5, 0.4], "group": [2]},
    "fuse": lambda: {"runs": R},
    "gate": lambda: {"run": A, "baseline": B, "qrels": Q, "metrics": ["ap"]},
    "jackknife": lambda: {"run": A, "metrics": ["coverage@1"], "items": ITEMS},
    "lint": lambda: {"runs": A, "qrels": Q},
    "long_tail": lambda: {"train": LOG},
    "metric": lambda: {"name": "my_own_metric"},
    "online": lambda: {"table": {"offline": [1, 2, -1, 3], "online": [1, 3, -2, 2]}},
    "pool_bias": lambda: {**RUNS, "metrics": ["ap"], "depth": 1},
    "prediction_powered": lambda: {"runs": R, "qrels": Q, "model": Q, "metrics": ["p@1"], "drawn": "random"},
    "rbo": lambda: {"run": A, "other": B},
    "read_collection": lambda: {"topics": topics_file(), "qrels": Q},
    "read_experiment": lambda: {"path": "rankwell.toml"},
    "read_ledger": lambda: {"path": write_ledger(), "sd": 0.1},
    "read_qrels": lambda: {"source": Q},
    "read_run": lambda: {"source": A},
    "report": lambda: {"what": evaluated()["x"], "path": "report.html"},
    "rosetta": lambda: {"run": A, "qrels": Q, "metrics": "ap"},
    "stability": lambda: {"runs": dict(zip("xyz", FIVE, strict=True)), "qrels": {str(q): {"a": 1} for q in range(5)}, "metrics": ["ap"], "times": 5, "flips": 99},
    "read_suite": lambda: {"source": write_suite(), "metric": "rr"},
    "suite": lambda: {"results": {"t": evaluated()}, "metric": "ap"},
    "trend": lambda: {"results": {"2026-11-16": evaluated()["x"], "2026-11-23": evaluated()["y"]}},
    "watch": lambda: {"results": {f"2026-11-{at:02}": evaluated()["xy"[at % 2]] for at in range(1, 18)}, "metric": "ap", "reference": 14},
    "top_k": lambda: {"scores": np.array([[0.5, 0.2], [0.1, 0.9]]), "k": 1},
}  # fmt: skip
# of a kind that is made by functions or read from files alone, and functions of files that have tests of their own
LEFT_OUT = {"judging.answers", "judging.merge"}


def function_of(name: str) -> Any:
    """The function, class or class's maker of a name."""
    room, _, own = name.rpartition(".")
    return getattr(getattr(rw, room) if room else rw, own)


def words_of(name: str) -> list[str]:
    """Every word that a function takes, with some of those that it passes on."""
    found = []
    for parameter in inspect.signature(function_of(name)).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            found += [word for word in OPTIONS if word not in found]
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            found.append(parameter.name)
    return found


def called(name: str, given: dict[str, Any]) -> Any:
    """A call without arguments, which some functions take by their place alone."""
    function = function_of(name)
    parameters = inspect.signature(function).parameters.values()
    places = [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY and each.name in given]
    rest = {word: value for word, value in given.items() if word not in places}
    return lambda: function(*(given[word] for word in places), **rest)


def faults(name: str, draw: random.Random, values: int) -> list[str]:
    """What came of odd values that is neither an answer nor a refusal."""
    found, words = [], words_of(name)
    # of functions that take long a third of the arguments
    for word in drawn(words, f"arguments of {name}", 3) if name in SLOW else words:
        for odd in draw.sample(sorted(NAMED), min(values, len(NAMED))):
            came = answer(called(name, VALID[name]() | {word: NAMED[odd]()}), {})
            if came != "answered" and not came.startswith("refused"):
                found.append(f"{name}({word}={odd}): {came}")
    return found


def test_every_public_function_is_tried():
    made = (
        "Results",
        "Comparison",
        "Gate",
        "Trend",
        "Watch",
        "Launches",
        "Suite",
        "Board",
        "RankwellError",
    )  # by functions
    public = {
        f"{room}.{each}" if room else each
        for room, module in {"": rw, "plot": rw.plot, "judging": rw.judging, "prepare": rw.prepare, "efficiency": rw.efficiency}.items()
        for each in module.__all__
        if callable(getattr(module, each)) and each not in made
    }  # fmt: skip
    metrics = {
        each for each in public if inspect.isclass(own := function_of(each)) and hasattr(own, "sampled")
    }
    values = {
        each
        for each in public
        if each.partition(".")[0] in ("judging", "prepare", "efficiency") and inspect.isclass(function_of(each)) and each not in VALID
    }  # fmt: skip
    assert public - metrics - values - LEFT_OUT == set(VALID)


@pytest.mark.parametrize("name", VALID)
def test_odd_values_of_every_argument_are_answered_or_refused(name, own_folder):  # noqa: F811
    # the same values each time but for the slow ones; others are tried by the command above
    values = 1 if name in SLOW else VALUES
    assert not faults(name, random.Random(f"1 {name}"), values)


@pytest.mark.parametrize("name", [each for each in VALID if each not in ("read_experiment", "Spark", *SLOW)])
def test_the_call_without_odd_values_is_answered(name, own_folder):  # noqa: F811
    assert answer(called(name, VALID[name]()), {}) == "answered"


@pytest.mark.parametrize(
    "call",
    [
        lambda: rw.Stream(memory=np.arange(3)),
        lambda: rw.Stream(resume=np.arange(3)),
        lambda: rw.Stream(part_rows=np.arange(3)),
        lambda: rw.plot.curve(R, Q, 5),
        lambda: rw.plot.differences(evaluated(), comparison="x"),
        lambda: rw.plot.per_query(evaluated(), comparison="x"),
        lambda: rw.plot.judged(R, Q, dark="x"),
        lambda: rw.evaluate(A, Q, ["ap"], engine=slice(1)),
    ],
)
def test_what_is_plainly_wrong_is_refused_in_a_sentence(call):
    with pytest.raises(rw.RankwellError):
        call()


if __name__ == "__main__":
    signal.signal(signal.SIGVTALRM, stop)
    folder = tempfile.mkdtemp()
    tempfile.tempdir = folder
    os.chdir(folder)
    for each in sys.argv[3:] or VALID:
        for fault in faults(each, random.Random(sys.argv[2]), int(sys.argv[1])):
            print(fault, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
