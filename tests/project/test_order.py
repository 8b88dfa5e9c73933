"""The order of arguments: run or runs first, judgements second, metrics third, in every public verb; other orders are told the call that works."""

from __future__ import annotations

import importlib
import inspect

import pytest

import rankwell as rw

FACES = (
    "rankwell",
    "rankwell.judging",
    "rankwell.prepare",
    "rankwell.reporting.plots",
    "rankwell.efficiency",
    "rankwell.testing",
)
PLACES = {"run": 0, "runs": 0, "qrels": 1, "metric": 2, "metrics": 2}
EVALUATED = {"results", "comparison"}  # they stand for all three
# verbs about something else, which comes first, with what they take by place
OTHERS = {
    "rankwell.fuse": ["runs", "method"],
    "rankwell.agreement": ["qrels"],
    "rankwell.explain": ["metric"],
    "rankwell.read_collection": ["folder"],
    "rankwell.read_suite": ["source", "metric"],
    "rankwell.online": ["table"],
    "rankwell.watch": ["results", "metric", "reference", "false_alarms"],
    "rankwell.reporting.plots.heatmap": ["board"],
    "rankwell.reporting.plots.ranks": ["board"],
    "rankwell.reporting.plots.positions": ["found"],
    "rankwell.reporting.plots.preference": ["found"],
    "rankwell.reporting.plots.weights": ["found"],
    "rankwell.reporting.plots.trend": ["found"],
    "rankwell.reporting.plots.watch": ["found"],
}  # fmt: skip
# classes that people call; all others are values that verbs return, and metrics
CALLED = (rw.Evaluator, rw.judging.Chooser)


def verbs():
    for face in FACES:
        module = importlib.import_module(face)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) or value in CALLED:
                yield f"{face}.{name}", value


VERBS = dict(verbs())


def by_place(verb):
    parameters = inspect.signature(verb).parameters.values()
    return [
        each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]


def is_in_order(verb):
    taken = list(inspect.signature(verb).parameters)
    if taken and taken[0] in EVALUATED:
        return PLACES.keys().isdisjoint(by_place(verb)[2:])
    named = [name for name in taken if name in PLACES]
    places = [PLACES[name] for name in named]
    # each once, in order, and nothing before or between
    return places == sorted(set(places)) and by_place(verb)[: len(named)] == named


def test_every_kind_of_verb_is_looked_at():
    told = {"rankwell.evaluate", "rankwell.gate", "rankwell.lint", "rankwell.judging.next", "rankwell.plot.movement", "rankwell.Evaluator",
            "rankwell.prepare.split", "rankwell.efficiency.measure", "rankwell.testing.assert_not_worse"}  # fmt: skip
    assert {name.replace("plot.", "reporting.plots.") for name in told} <= set(VERBS)
    assert (
        sum(not PLACES.keys().isdisjoint(inspect.signature(verb).parameters) for verb in VERBS.values()) > 30
    )


@pytest.mark.parametrize("name", sorted(set(VERBS) - set(OTHERS)))
def test_a_verb_takes_runs_first_judgements_second_and_metrics_third(name):
    assert is_in_order(VERBS[name]), inspect.signature(VERBS[name])


@pytest.mark.parametrize("name", OTHERS)
def test_a_verb_about_something_else_takes_that_first(name):
    assert by_place(VERBS[name]) == OTHERS[name]


@pytest.mark.parametrize(
    "verb",
    [
        lambda run, baseline, qrels=None, metrics=None: None,
        lambda a, b, qrels=None, metric=None: None,
        lambda what, path=None, *, qrels=None, metrics=None: None,
        lambda run, metrics, qrels=None: None,
        lambda runs, human, model, metrics: None,
        lambda runs, qrels, against, metric: None,
        lambda runs, qrels, methods=(), *, metric="ap": None,
        lambda results, metric, first, qrels: None,
        lambda qrels, run: None,
        lambda run, runs, qrels: None,
    ],
)
def test_another_order_would_be_seen(verb):
    assert not is_in_order(verb)


RUN, OTHER = {"1": ["a", "b"], "2": ["b"]}, {"1": ["b", "a"], "2": ["a"]}
QRELS = {query: {"a": 1, "b": 0} for query in RUN}
TWO, USERS = {"x": RUN, "y": OTHER}, [{"query": "1", "day": 1}, {"query": "2", "day": 2}]
RESULTS = [rw.evaluate(run, QRELS, "rr") for run in (RUN, OTHER)]
DAYS = {"arrival": "day", "users": USERS}


@pytest.mark.parametrize(
    ("right", "call"),
    [
        ("rw.jackknife(run, qrels, metrics)", lambda: rw.jackknife(RUN, "coverage@2", items=["a", "b"])),
        ("rw.jackknife(run, qrels, metrics)", lambda: rw.jackknife(RUN, ["mse", "coverage@2"], QRELS)),
        ("rw.jackknife(run, qrels, metrics)", lambda: rw.jackknife(RUN, rw.Coverage @ 2, rw.read_qrels(QRELS))),
        ("rw.jackknife(run, qrels, metrics)", lambda: rw.jackknife("a.run", "mse", "qrels.txt")),
        ("rw.jackknife(run, qrels, metrics)", lambda: rw.jackknife(RUN, "mse", qrels=QRELS)),
        ("rw.jackknife(run, metrics='coverage@10')", lambda: rw.jackknife(RUN, "personalization@2")),
        ("{'new': a, 'old': b}, qrels, 'ndcg@10'", lambda: rw.confidence_sequence(RUN, OTHER, QRELS, "rr", **DAYS)),
        ("{'new': a, 'old': b}, qrels, 'ndcg@10'", lambda: rw.confidence_sequence(RUN, OTHER, QRELS, metric="rr", **DAYS)),
        ("{'new': a, 'old': b}, qrels, 'ndcg@10'", lambda: rw.confidence_sequence(RUN, OTHER, qrels=QRELS, metric="rr", **DAYS)),
        ("{'new': a, 'old': b}, qrels, 'ndcg@10'", lambda: rw.confidence_sequence(*RESULTS, None, "rr", **DAYS)),
        ("{'new': a, 'old': b}, qrels, 'ndcg@10'", lambda: rw.confidence_sequence(first=RUN, second=OTHER, qrels=QRELS, metric="rr", **DAYS)),
        ("(runs, qrels, metrics, model=model, drawn='random')", lambda: rw.prediction_powered(TWO, QRELS, QRELS, ["p@1"], drawn="random")),
        ("(runs, qrels, metrics, model=model, drawn='random')", lambda: rw.prediction_powered(TWO, QRELS, QRELS, metrics="p@1", drawn="random")),
        ("(runs, qrels, metrics, model=model, drawn='random')", lambda: rw.prediction_powered(TWO, human=QRELS, model=QRELS, metrics="p@1", drawn="random")),
        ("rw.plot.movement(runs, qrels, 'ndcg@10', against=others)", lambda: rw.plot.movement(TWO, QRELS, QRELS, "rr")),
        ("rw.plot.movement(runs, qrels, 'ndcg@10', against=others)", lambda: rw.plot.movement(TWO, QRELS, QRELS, metric="rr")),
        ("rw.judging.simulate(runs, qrels, 'ap', methods=", lambda: rw.judging.simulate(TWO, QRELS, ["mtc", "depth"], [1, 2])),
        ("rw.judging.simulate(runs, qrels, 'ap', methods=", lambda: rw.judging.simulate(TWO, QRELS, ["mtc", "depth"])),
        ("rw.judging.simulate(runs, qrels, 'ap', methods=", lambda: rw.judging.simulate(TWO, QRELS, "depth")),
        ("rw.judging.simulate(runs, qrels, 'ap', methods=", lambda: rw.judging.simulate(TWO, QRELS, "depth", metric="p@1")),
        ("rw.explain('ndcg@10', run=run, qrels=qrels, query=query)", lambda: rw.explain("ap", RUN, QRELS, "1")),
        ("rw.explain('ndcg@10', run=run, qrels=qrels, query=query)", lambda: rw.explain("ap", RUN, qrels=QRELS)),
    ],
)  # fmt: skip
def test_another_order_is_told_the_call_that_works(right, call):
    with pytest.raises(rw.RankwellError) as error:
        call()
    assert right in str(error.value)


def test_the_calls_that_are_told_work():
    scored = {query: dict.fromkeys(items, 0.5) for query, items in RUN.items()}
    assert rw.jackknife(scored, QRELS, ["mse"]).n == 2
    assert rw.jackknife(RUN, metrics="personalization@2").n == 2
    assert rw.confidence_sequence({"new": RUN, "old": OTHER}, QRELS, "rr", **DAYS).names == ("new", "old")
    assert rw.prediction_powered(TWO, QRELS, ["p@1"], model=QRELS, drawn="random")["x", "p@1"].human == 0.5
    assert rw.plot.movement(TWO, QRELS, "rr", against=QRELS, resamples=0) is not None
    assert (
        rw.judging.simulate(TWO, QRELS, "ap", methods=["mtc", "depth"], budgets=[1, 2]).metric
        == "ap(denom=R)"
    )
    assert rw.explain("ap", run=RUN, qrels=QRELS, query="1").rows
