"""Presets against the tools themselves: their numbers on a small fixture, on MovieTweetings, and as they run here."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.presets import names, preset_of

FILMS = Path(rw.__path__[0]) / "data" / "movietweetings"
# a list of two, a user without a list, a user without truth, and more relevant items than k
LISTS = {"U1": list("axbcy"), "U2": list("de"), "U3": list("xyzwv"), "U5": list("abcde")}
TRUTH = {
    "U1": dict.fromkeys("abcfghi", 1),
    "U2": dict.fromkeys("de", 1),
    "U3": dict.fromkeys("ab", 1),
    "U4": dict.fromkeys("ac", 1),
}
# what each library returned on it (each run from its own modules)
RETURNED = {
    "rectools": {"p": 0.25, "r": 0.357143, "ap": 0.336310, "ndcg": 0.301989, "rr": 0.5, "hit": 0.5},
    "replay": {"p": 0.25, "r": 0.357143, "ap": 0.370833, "ndcg": 0.413702, "rr": 0.5, "hit": 0.5},
    "microsoft": {"p": 0.333333, "r": 0.476190, "ap": 0.494444, "ndcg": 0.413702},
    "rs_metrics": {"r": 0.357143, "ap": 0.336310, "ndcg": 0.413702, "rr": 0.5, "hit": 0.5},
    "jurity": {"p": 0.533333, "r": 0.357143, "ap": 0.494444, "ndcg": 0.382674},
    "recpack": {"p": 0.25, "r": 0.357143, "ndcg": 0.413702, "rr": 0.5},
    "recmetrics": {"p": 0.533333, "ap": 0.451389},
    "implicit": {"ap": 0.370833, "ndcg": 0.413702},
}
# every definition by its own switches: mean over the four users with truth
DEFINED = {
    "p@5": 0.25, "p(denom=n)@5": 0.4, "r@5": 0.357143, "r(denom=min_rk)@5": 0.4, "ap(denom=R)@5": 0.336310, "ap@5": 0.370833,
    "ap(denom=hits)@5": 0.451389, "ap(denom=k)@5": 0.220833, "ndcg@5": 0.413702, "ndcg(ideal=maximal,max_grade=1)@5": 0.301989,
    "ndcg(ideal=uncut)@5": 0.382674, "ndcg(ideal=retrieved)@5": 0.476506, "ndcg(discount=jk)@5": 0.399576, "rr@5": 0.5, "hit@5": 0.5,
}  # fmt: skip


@pytest.mark.parametrize("tool", RETURNED)
def test_a_preset_has_the_numbers_that_the_tool_returned(tool):
    for name, value in RETURNED[tool].items():
        res = rw.evaluate(LISTS, TRUTH, [f"{name}@5"], preset=tool)
        assert next(iter(res.mean.values())) == pytest.approx(value, abs=1e-6), name


@pytest.mark.parametrize("metric", DEFINED)
def test_every_definition_in_use_is_a_switch(metric):
    res = rw.evaluate(LISTS, TRUTH, metric, policy=rw.Policy(ties="order", undefined="zero"))
    assert res[metric] == pytest.approx(DEFINED[metric], abs=1e-6)


STORED = json.loads(
    (Path(__file__).parent / "stored" / "rectools_movietweetings.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", STORED["values"])
def test_rectools_on_movietweetings(case):
    name, _, rel = case.partition(", rel=")
    policy = rw.Policy(grades="interactions") if rel == "0" else rw.Policy(grades="ratings", rel=float(rel))
    wanted = [f"{metric}@10" for metric in STORED["values"][case]]
    res = rw.evaluate(
        FILMS / f"{name}.parquet", FILMS / "test.parquet", wanted, preset="rectools", policy=policy
    )
    for value, theirs in zip(res.mean.values(), STORED["values"][case].values(), strict=True):
        assert value == pytest.approx(theirs, abs=1e-12)


TOOLS = json.loads(
    (Path(__file__).parent / "stored" / "tools_movietweetings.json").read_text(encoding="utf-8")
)["tools"]


@pytest.mark.parametrize("tool", TOOLS)
def test_other_tools_on_movietweetings(tool):
    digits = 1e-4 if tool == "recmetrics" else 1e-9  # it rounds
    for key, values in TOOLS[tool]["values"].items():
        name, _, rel = key.partition(", rel=")
        policy = (
            rw.Policy(grades="interactions") if rel == "0" else rw.Policy(grades="ratings", rel=float(rel))
        )
        for metric, theirs in values.items():
            truth = pl.read_parquet(FILMS / "test.parquet")
            if not preset_of(tool).is_binary:  # it was given the wanted items alone
                truth, policy = truth.filter(pl.col("rating") >= float(rel)), rw.Policy(grades="interactions")
            res = rw.evaluate(FILMS / f"{name}.parquet", truth, f"{metric}@10", preset=tool, policy=policy)
            assert next(iter(res.mean.values())) == pytest.approx(theirs, abs=digits), (key, metric)


def case() -> tuple[dict, dict]:
    rng = random.Random(8)
    qrels = {
        f"{q}": {f"d{i}": rng.choice([0, 1, 2, 4]) for i in rng.sample(range(30), 12)} for q in range(1, 25)
    }
    run = {q: {f"d{i}": float(s) for s, i in enumerate(rng.sample(range(30), 15))} for q in list(qrels)[:20]}
    return run, qrels


@pytest.mark.parametrize("tool", ["pytrec_eval", "beir"])
def test_pytrec_eval_and_what_rests_on_it(tool):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    run, qrels = case()
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"P.5", "recall.5", "map_cut.5", "ndcg_cut.5"}).evaluate(
        run
    )
    res = rw.evaluate(run, qrels, ["p@5", "r@5", "ap@5", "ndcg@5"], preset=tool)
    for value, name in zip(res.mean.values(), ("P_5", "recall_5", "map_cut_5", "ndcg_cut_5"), strict=True):
        assert value == pytest.approx(math.fsum(row[name] for row in theirs.values()) / len(theirs), rel=1e-9)


def test_gdeval_and_ir_measures():
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    run, qrels = case()
    shared = {query: row for query, row in qrels.items() if query in run}
    for tool, judged, names_ in (("gdeval", shared, {"ndcg@5": "nDCG(dcg='exp-log2')@5", "err@5": "ERR@5"}),
                                 ("ir_measures", qrels, {"ap@5": "AP@5", "p@5": "P@5", "rr@5": "RR@5", "err@5": "ERR@5"})):  # fmt: skip
        for ours, text in names_.items():
            measure = ir_measures.parse_measure(text)
            theirs = ir_measures.calc_aggregate([measure], judged, run)[measure]
            found = rw.evaluate(run, judged, [ours], preset=tool).mean
            assert next(iter(found.values())) == pytest.approx(theirs, abs=1e-5), (tool, text)


def test_scikit_learn_averages_equal_scores():
    from sklearn.metrics import dcg_score, ndcg_score

    rng = random.Random(2)
    for _ in range(50):
        grades, scores = [rng.randint(0, 3) for _ in range(8)], [float(rng.randint(0, 3)) for _ in range(8)]
        if not any(grades):
            continue
        run = {"q": {f"d{n}": score for n, score in enumerate(scores)}}
        qrels = {"q": {f"d{n}": grade for n, grade in enumerate(grades)}}
        res = rw.evaluate(run, qrels, ["ndcg@4", "dcg@4"], preset="sklearn")
        expected = [ndcg_score([grades], [scores], k=4), dcg_score([grades], [scores], k=4)]
        assert list(res.mean.values()) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", names())
def test_a_preset_can_be_read_and_names_what_holds_it(name):
    preset = preset_of(name)
    for metric in preset.metrics:
        wanted = preset.metric(metric) if metric in ("bpref", "rprec", "gmap", "rbp", "set_f", "dcg") else preset.metric(metric + "@5") if metric != "dcg" else preset.metric("dcg@5")  # fmt: skip
        wanted.check()
        preset.policy_of(wanted)
    if preset.is_confirmed:
        assert name in RETURNED or "test_" in preset.confirmed
        rw.evaluate(
            LISTS,
            TRUTH,
            [f"{next(each for each in ('ndcg', 'ap') if each in preset.metrics)}@3"],
            preset=name,
        )
    else:
        with pytest.raises(rw.RankwellError, match="not run"):
            rw.evaluate(LISTS, TRUTH, ["ap@3"], preset=name)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"preset": "rectool"}, "Did you mean rectools?"), ({"preset": "rectools", "policy": rw.Policy(ties="order")}, "decides ties"),
        ({"preset": "implicit", "metrics": ["p@5"]}, "has no p that is known"), ({"preset": "microsoft", "metrics": ["ap@5", "ndcg@5"]}, "different rules"),
    ],
)  # fmt: skip
def test_what_a_preset_cannot_do_is_said(options, words):
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(LISTS, TRUTH, options.pop("metrics", ["ap@5"]), **options)
    assert words in str(error.value)


def test_rosetta_has_one_row_per_tool_and_says_in_what_it_differs(capsys, tmp_path):
    [table] = rw.rosetta(LISTS, TRUTH, "ndcg@5")
    found = {line.tool: line for line in table.lines}
    assert found["rankwell"].value == pytest.approx(0.413702, abs=1e-6)
    assert found["RecTools"].value == pytest.approx(0.301989, abs=1e-6)
    assert "ideal maximal" in found["RecTools"].differs
    assert found["jurity"].differs == "ideal uncut"
    assert found["pytrec_eval"].value > found["trec_eval"].value  # one leaves out the user without a list
    assert "only users that both sides have" in found["pytrec_eval"].differs
    assert [line.value for line in table.lines] == sorted((line.value for line in table.lines), reverse=True)
    assert "†" in str(table)
    [rated] = rw.rosetta(FILMS / "als.parquet", FILMS / "test.parquet", "ndcg@10", policy=rw.Policy(rel=8))
    differs = {line.tool: line.differs for line in rated.lines}
    assert "grades are gains as they are" in differs["trec_eval"]
    assert "all relevant items are alike" in differs["RePlay"]
    assert "<table" in table._repr_html_()
    files = [str(FILMS / "test.parquet"), str(FILMS / "als.parquet")]
    for form, sign in (("text", "differs in"), ("markdown", "|"), ("html", "<table")):
        assert command(["rosetta", *files, "-m", "ap@10", "--rel", "8", "--format", form]) == 0
        assert sign in capsys.readouterr().out
    assert command(["rosetta", *files, "-m", "coverage@10"]) in (2, 3)
    assert "coverage" in capsys.readouterr().err


def test_the_command_takes_a_preset(capsys):
    files = [str(FILMS / "test.parquet"), str(FILMS / "als.parquet")]
    assert (
        command(
            [
                "evaluate",
                *files,
                "-m",
                "ap@10",
                "--preset",
                "rectools",
                "--grades",
                "interactions",
                "--format",
                "json",
            ]
        )
        == 0
    )
    shown = json.loads(capsys.readouterr().out)["runs"][0]
    assert shown["mean"] == {"ap(denom=R)@10": pytest.approx(STORED["values"]["als, rel=0"]["ap"], abs=1e-12)}
    assert pl.read_parquet(files[0]).height == shown["counts"]["judgements"]
