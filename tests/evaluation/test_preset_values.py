"""Every metric of every preset against what the tool itself said of one fixture (tools/make_preset_values.py, tests/data/presets)."""

from __future__ import annotations

import json
import math

import pytest
from benchmarks.programs.peer_presets import given
from tests.evidence import evidence
from tools.make_preset_values import ELSEWHERE, FOLDER, Case, digits, fixture, ours, stored

import rankwell as rw
from rankwell.evaluation.preset import names, preset_of
from rankwell.metrics import metric_of

VALUES = stored()
CASES = {name: Case.of(data) for name, data in fixture().items()}
PAIRS = [
    (tool, case, metric)
    for tool, found in VALUES.items()
    for case, values in found["values"].items()
    for metric in values
    if metric_of(metric).name not in preset_of(tool).not_reproduced
]


def test_the_tools_were_run_on_the_fixture_of_today():
    assert json.loads((FOLDER / "fixture.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(fixture())
    )
    for tool, found in VALUES.items():
        for metric in found["values"]["small"]:
            name = metric.partition("@")[0]
            assert found["given"].get(name, []) == list(given(tool, metric)), (tool, name)


def test_the_fixture_has_every_kind_of_user_and_item():
    for case in (CASES["small"], CASES["drawn"]):
        lists, judged = case.items, case.grades
        assert lists.keys() - judged.keys()
        assert judged.keys() - lists.keys()
        assert {0, 1} < {min(len(row), 2) for row in lists.values()}
        assert any(len(row) > case.k for row in lists.values())
        assert any(len({score for _, score in rows}) < len(rows) for rows in case.lists.values())
        assert lists.keys() - case.train.keys()
        assert {item for row in lists.values() for item in row} - case.counts.keys()
        assert any(not case.topics[item] for row in lists.values() for item in row)
        assert judged.keys() - case.truth.keys()
        assert {0, 1, 2, 4} <= {grade for row in judged.values() for grade in row.values()}
    repeating = CASES["copies"].items.values()
    assert sum(len(set(row)) < len(row) for row in repeating) > 50
    assert max(map(len, repeating)) == CASES["copies"].k
    assert {type(user) for case in CASES.values() for user in case.lists} == {str, int}


@pytest.mark.parametrize("name", names())
def test_every_metric_of_a_preset_has_a_number_of_the_tool_or_says_why_not(name):
    preset = preset_of(name)
    assert not preset.metrics.keys() & preset.not_reproduced.keys()
    elsewhere = {metric for tool, metric in ELSEWHERE if tool == name}
    if "" in elsewhere:
        return
    assert name in VALUES, f"add {name} to benchmarks/peers.py; see Add a preset in CONTRIBUTING.md"
    for values in VALUES[name]["values"].values():
        said = {metric_of(metric).name for metric, value in values.items() if isinstance(value, float)}
        assert preset.metrics.keys() - elsewhere <= said, f"run python -m tools.make_preset_values {name}"


def test_the_preset_of_trec_eval_10_has_what_nist_expects():
    folder = evidence("trec_eval")
    lines = (line.split() for line in (folder / "out.test.aqc").read_text().splitlines())
    expected = {measure: value for measure, query, value in lines if query == "all"}
    measures = {"p@5": "P_5", "r@5": "recall_5", "ap": "map", "ap@10": "map_cut_10", "gmap": "gm_map", "ndcg": "ndcg", "ndcg@10": "ndcg_cut_10",
                "rr": "recip_rank", "hit@5": "success_5", "rprec": "Rprec", "bpref": "bpref", "rbp": "rbp"}  # fmt: skip
    assert {metric_of(name, complete=False).name for name in measures} == set(preset_of("trec_eval").metrics)
    res = rw.evaluate(
        folder / "results.trunc", folder / "qrels.test", list(measures), preset="trec_eval", format_in="trec"
    )
    for value, (name, measure) in zip(res.mean.values(), measures.items(), strict=True):
        assert value == pytest.approx(float(expected[measure]), abs=5.1e-5), name


@pytest.mark.parametrize(("tool", "case", "metric"), PAIRS)
def test_a_preset_has_the_number_of_its_tool(tool, case, metric):
    theirs, (within, _) = VALUES[tool]["values"][case][metric], digits(tool, metric)
    assert math.isclose(ours(tool, metric, CASES[case]), theirs, rel_tol=1e-9, abs_tol=within)


REFUSED = [(name, metric) for name in names() for metric in preset_of(name).not_reproduced]


@pytest.mark.parametrize(("name", "metric"), REFUSED)
def test_what_a_preset_does_not_reproduce_is_refused_with_the_reason(name, metric):
    preset, case = preset_of(name), CASES["small"]
    run = {user: dict(rows) for user, rows in case.lists.items()}
    asked = metric_of(metric, complete=False)
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(run, case.grades, asked if asked.cut == "none" else asked @ 5, preset=name)
    assert preset.not_reproduced[metric] in str(error.value)
    assert "Leave out the preset" in str(error.value)


def test_the_small_cases_that_went_wrong():
    """Of RecTools 0.19 and recommenders 1.2.1, run on these rows: a listed user without judgements, a judged one without a list."""
    run, truth = {"a": ["y"], "b": ["x"], "c": ["y"]}, {"a": {"y": 1}, "d": {"x": 1}}
    train, items = {"a": {"z": 1}, "b": {"z": 1}, "c": {"x": 1, "z": 1}}, ["x", "y", "z"]

    def value(metric, preset, items=items):
        res = rw.evaluate(
            run,
            truth,
            metric,
            preset=preset,
            policy=rw.Policy(grades="interactions"),
            train=train,
            items=items,
        )
        return next(iter(res.mean.values()))

    assert value("serendipity@1", "rectools") == pytest.approx(1 / 3)
    assert value("user_coverage@1", "rectools") == 0.5
    flags = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 1.0, 1.0)}
    table = [
        {"item": item, "topics": "|".join(n for n, on in zip("ABC", flags[item], strict=True) if on)}
        for item in items
    ]
    assert value("surprise@1", "microsoft", table) == pytest.approx(0.0976, abs=1e-4)
