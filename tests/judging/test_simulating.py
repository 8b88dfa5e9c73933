"""Simulated judging against a plain loop that asks, answers and evaluates."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.evidence import evidence
from tests.judging import slow

import rankwell as rw
from rankwell.judging.method import methods

BUDGETS = (3, 8, 15, 1000)


def qrels_of(grades):
    found: dict[str, dict[str, float]] = {}
    for (query, item), grade in grades.items():
        found.setdefault(query, {})[item] = grade
    return found


def tau_ap(true, seen):
    """By the definition, for values without ties."""
    order = sorted(range(len(seen)), key=lambda at: -seen[at])
    shares = [
        sum(true[above] > true[at] for above in order[:place]) / place
        for place, at in enumerate(order)
        if place
    ]
    return 2 / (len(order) - 1) * sum(shares) - 1


@pytest.mark.parametrize("method", ["mtc", "hedge", "mtf", "depth"])
@pytest.mark.parametrize("metric", ["ap", "dcg@3"])
def test_it_is_what_asking_and_evaluating_by_hand_gives(method, metric):
    lists, grades = slow.worlds(11, runs=5, queries=4, items=14, length=10)
    found = rw.judging.simulate(lists, qrels_of(grades), metric, methods=[method], budgets=BUDGETS)
    truth = rw.Evaluator(qrels_of(grades), [metric]).evaluate_all(lists)
    key = next(iter(truth["run0"].mean))
    true = [truth[run].mean[key] for run in lists]
    chooser = rw.judging.Chooser(lists, method=method, metric=metric, highest=2)
    told: slow.Grades = {}
    rows = iter(found.rows)
    for n in range(1, 1000):
        pick = chooser.next()
        if pick is not None:
            told[pick[:2]] = grades[pick[:2]]
            chooser.tell(*pick[:2], grades[pick[:2]])
        if n in BUDGETS or pick is None:
            row = next(rows)
            seen = rw.Evaluator(qrels_of(told), [metric], grades="judgements").evaluate_all(lists)
            means = [seen[run].mean[key] for run in lists]
            assert (row.method, row.judgements) == (method, len(told))
            squares = [(a - b) ** 2 for a, b in zip(means, true, strict=True)]
            assert row.error == pytest.approx(math.sqrt(sum(squares) / 5), nan_ok=True)
            assert math.isnan(row.tau_ap) == math.isnan(means[0])
            if len(set(means)) == 5:
                assert row.tau_ap == pytest.approx(tau_ap(true, means))
            assert row.queries == len({query for query, _ in told})
        if pick is None:
            break
    assert next(rows, None) is None


@pytest.mark.parametrize("method", methods())
def test_the_order_is_right_when_everything_is_judged(method):
    lists, grades = slow.worlds(12)
    last = rw.judging.simulate(lists, qrels_of(grades), "ap", methods=method).rows[-1]
    if method == "mtc":  # which asks for nothing that moves no difference
        assert last.tau_ap == 1
    else:
        assert (last.tau_ap, last.found, last.judgements) == (1, 1, len(slow.candidates(lists)))


def test_items_without_a_judgement_are_skipped_or_not_relevant():
    lists, grades = slow.worlds(13)
    some = qrels_of({pair: grade for at, (pair, grade) in enumerate(sorted(grades.items())) if at % 3})
    known = {(query, item) for query, own in some.items() for item in own} & slow.candidates(lists)
    skip, rest = (
        rw.judging.simulate(lists, some, methods="depth", rest=each) for each in ("skip", "nonrelevant")
    )
    assert (skip.candidates, skip.rows[-1].judgements) == (len(known), len(known))
    assert (rest.candidates, rest.rows[-1].judgements) == (len(slow.candidates(lists)),) * 2
    assert rest.rows[-1].tau_ap == skip.rows[-1].tau_ap == 1


def test_a_run_left_out_is_evaluated_by_what_the_others_asked_for():
    lists, grades = slow.worlds(14, runs=4)
    found = rw.judging.simulate(lists, qrels_of(grades), methods="depth", budgets=10, leave_out=["run3"])
    others = {run: each for run, each in lists.items() if run != "run3"}
    told = {pick[:2]: grades[pick[:2]] for pick in rw.judging.next(others, method="depth", budget=10)}
    full, some = (
        {
            run: each.mean["ap"]
            for run, each in rw.Evaluator(qrels_of(which), "ap", grades="judgements")
            .evaluate_all(lists)
            .items()
        }
        for which in (grades, told)
    )
    (row,) = found.left_out
    assert (row.system, row.value, row.true_value) == ("run3", some["run3"], full["run3"])
    assert row.bias == pytest.approx(
        some["run3"] - full["run3"] - sum(some[run] - full[run] for run in others) / len(others)
    )
    assert row.rank == 1 + sum(some[run] > some["run3"] for run in others)
    each = rw.judging.simulate(lists, qrels_of(grades), methods="depth", budgets=10, leave_out="each")
    assert [left.system for left in each.left_out] == [*lists]
    assert each.left_out[-1] == row
    assert each.rows == rw.judging.simulate(lists, qrels_of(grades), methods="depth", budgets=10).rows


def test_a_method_that_has_nothing_to_ask_says_so(tmp_path):
    # runs that are alike: no judgement can change their order
    runs = {name: {"q": ["a", "b", "c"]} for name in ("one", "other")}
    found = rw.judging.simulate(runs, {"q": {"a": 1, "b": 0, "c": 2}}, methods=["mtc", "depth"])
    assert found.methods == ("depth",)
    assert found.idle == ("mtc",)
    assert "mtc asks for nothing" in repr(found)
    found.save(tmp_path / "found.json")
    assert rw.judging.Simulation.load(tmp_path / "found.json") == found


def test_a_saved_simulation_reads_back(tmp_path):
    lists, grades = slow.worlds(15)
    found = rw.judging.simulate(
        lists, qrels_of(grades), methods=["mtc", "depth"], budgets=[1, 5], leave_out="each"
    )
    found.save(tmp_path / "found.json")
    again = rw.judging.Simulation.load(tmp_path / "found.json")
    assert again.to_json() == found.to_json()
    assert repr(again) == repr(found)
    found.save(tmp_path / "found.csv")
    assert len((tmp_path / "found.csv").read_text().splitlines()) == 1 + len(found.rows)
    for text in ("{", "[]", '{"kind": "rankwell simulation of judging"}', json.dumps({"kind": "other"})):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(
            rw.RankwellError,
            match=r"bad\.json: .*(no file of a simulation of judging.*Simulation.save|simulation of judging is damaged)",
        ):
            rw.judging.Simulation.load(tmp_path / "bad.json")
    with pytest.raises(rw.RankwellError, match="cannot be read"):
        rw.judging.Simulation.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"methods": ["mtc", "best"]}, "method='best': must be"),
        ({"methods": [np.ma.array([1, 2])]}, "method=.*: must be"),
        ({"budgets": [0]}, "budgets=.*: must be whole numbers of at least 1"),
        ({"budgets": "many"}, "budgets='many': must be whole numbers"),
        ({"leave_out": "run9"}, r"leave_out='run9': is no run.*Did you mean run\d"),
        ({"leave_out": ["run0", "run1", "run2"]}, "leaves fewer than two runs"),
        (
            {"runs": {"a": {"q0": ["x"]}, "b": {"q0": ["y"]}}, "leave_out": "each"},
            "leaves fewer than two runs",
        ),
        ({"runs": {"a": {"q0": ["x"]}}}, "needs two or more runs"),
        ({"metric": "ndcg@10"}, "For nDCG take dcg"),
        ({"rest": "zero"}, "rest='zero': must be skip or nonrelevant"),
        ({"qrels": {"other": {"x": 1}}}, "none of the items in the runs is judged"),
    ],
)
def test_wrong_arguments_are_refused(given, message):
    lists, grades = slow.worlds(16)
    with pytest.raises(rw.RankwellError, match=message):
        rw.judging.simulate(**{"runs": lists, "qrels": qrels_of(grades), **given})


def test_mtc_is_ahead_of_depth_pooling_with_few_judgements_of_trec_covid():
    """What Carterette et al. (2006) and the Million Query tracks found: few judgements order many runs, and the first ones most."""
    covid = evidence("trec-covid-round1")
    runs = {path.stem: rw.read_run(path) for path in sorted((covid / "runs").iterdir())}
    names = [*runs]
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            runs[f"{one}+{other}"] = rw.fuse([runs[one], runs[other]], top=200, depth=200)
    found = rw.judging.simulate(
        runs, covid / "qrels-rnd1.txt", methods=["mtc", "depth"], budgets=[25, 50, 100, 200], depth=200
    )
    tau = {(row.method, row.judgements): row.tau_ap for row in found.rows}
    ahead = [tau["mtc", n] - tau["depth", n] for n in (25, 50, 100, 200)]
    assert sum(ahead) / 4 > 0.05
