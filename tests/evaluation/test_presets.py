"""Presets against the tools themselves: their numbers on a small fixture, on MovieTweetings, and as they run here."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.evaluation.preset import names, preset_of
from rankwell.metrics import metric_of

FILMS = Path(rw.__path__[0]) / "data" / "movietweetings"
STORED = json.loads(
    (Path(__file__).parent / "stored" / "tools_movietweetings.json").read_text(encoding="utf-8")
)["tools"]
# version 9's code is in pytrec_eval; version 10 has these measures in common with it (test_trec_eval.py)
STORED |= dict.fromkeys(("trec_eval", "trec_eval_9"), STORED["pytrec_eval"])
# a list of two, a user without a list, a user without truth, and more relevant items than k
LISTS = {"1": list("axbcy"), "2": list("de"), "3": list("xyzwv"), "5": list("abcde")}
TRUTH = {
    "1": dict.fromkeys("abcfghi", 1),
    "2": dict.fromkeys("de", 1),
    "3": dict.fromkeys("ab", 1),
    "4": dict.fromkeys("ac", 1),
}
ROUNDED = {
    "recmetrics": 1e-4,
    "beir": 6e-6,
    "gdeval": 6e-6,
    "torchmetrics": 1e-6,
}  # single precision, or a few digits
FIVE_DIGITS = ("err", "ndcg(gain=exp2)")  # of ir_measures, by gdeval
# every definition by its own switches: mean over the four users with truth
DEFINED = {
    "p@5": 0.25, "p(denom=n)@5": 0.4, "r@5": 0.357143, "r(denom=min_rk)@5": 0.4, "ap(denom=R)@5": 0.336310, "ap@5": 0.370833,
    "ap(denom=hits)@5": 0.451389, "ap(denom=k)@5": 0.220833, "ndcg@5": 0.413702, "ndcg(ideal=maximal,max_grade=1)@5": 0.301989,
    "ndcg(ideal=uncut)@5": 0.382674, "ndcg(ideal=retrieved)@5": 0.476506, "ndcg(discount=jk)@5": 0.399576, "rr@5": 0.5, "hit@5": 0.5,
}  # fmt: skip


def ours(
    tool: str, wanted: Iterable[str], run: Any, truth: Any, policy: rw.Policy | None = None
) -> dict[str, float]:
    """The values under a preset; a name with switches is an option of the tool, under the preset's rules."""
    preset, given = preset_of(tool.partition(",")[0]), policy or rw.Policy()
    qrels, found = rw.read_qrels(truth), {}
    groups: dict[tuple[rw.Policy, bool], list[str]] = {}
    for name in wanted:
        groups.setdefault((preset.policy_of(metric_of(name), given), "(" in name), []).append(name)
    for (rules, is_option), group in groups.items():
        if not is_option:
            res = rw.evaluate(run, qrels, group, preset=preset.name, policy=given)
        elif tool.endswith("gains"):  # the tool takes grades too, in a way of its own
            res = rw.evaluate(run, qrels, group, policy=replace(rules, grades="judgements"))
        else:
            res = rw.evaluate(run, preset.judgements(qrels, given), group, policy=rules)
        found |= zip(group, res.mean.values(), strict=True)
    return found


def digits(tool: str, name: str) -> float:
    return 6e-6 if tool == "ir_measures" and name.startswith(FIVE_DIGITS) else ROUNDED.get(tool, 1e-9)


def test_every_preset_is_held_against_its_tool():
    assert {tool.partition(",")[0] for tool in STORED} == set(names())
    for name in names():
        tried = {metric_of(key).name for key in STORED[name]["fixture"]}
        # of rbp only NIST's expected output is there (test_trec_eval.py); recmetrics' own MAP is not in its last release
        assert set(preset_of(name).metrics) - tried <= {"trec_eval": {"rbp"}, "recmetrics": {"ap"}}.get(
            name, set()
        ), name
        assert STORED[name]["version"].startswith(preset_of(name).version) or name in RELEASED, name


# where the number of the preset is not that of the package that was run
RELEASED = {
    "gdeval": "the program in ir_measures says 1.2a", "recmetrics": "its last release is 0.1.5", "trec_eval": "run as pytrec_eval",
    "trec_eval_9": "run as pytrec_eval",
}  # fmt: skip


@pytest.mark.parametrize("tool", STORED)
def test_a_preset_has_the_numbers_of_the_tool_on_a_fixture(tool):
    stored = STORED[tool]["fixture"]
    found = ours(tool, stored, LISTS, TRUTH)
    for name, theirs in stored.items():
        assert found[name] == pytest.approx(adapted(tool, name, theirs, 3 / 4), abs=digits(tool, name)), name


def adapted(tool: str, name: str, theirs: float, share: float) -> float:
    """What a number becomes if the share of users without a list counts as 0, or does not count."""
    if tool == "trec_eval":  # version 10 has them with -c; the stored number is of the others
        return theirs**share * 1e-5 ** (1 - share) if name == "gmap" else theirs * share
    return theirs / share if name.startswith("judged") else theirs  # they have 0 there, and here no value


# what a survey of the libraries' code found on the fixture at k = 5, each library run or its formulas lifted out of it;
# a name with users is the mean over them
SURVEY = {
    "rectools": {"p@5": 0.25, "r@5": 0.357143, "ap@5": 0.336310, "ap(denom=k)@5": 0.220833, "ndcg@5": 0.301989,
                 "ndcg(ideal=judged)@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "replay": {"p@5": 0.25, "r@5": 0.357143, "ap@5": 0.370833, "ndcg@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "microsoft": {"p@5": 0.333333, "r@5": 0.476190, "ap(denom=R)@5": 0.448413, "ap@5": 0.494444, "ndcg@5": 0.413702},
    "rs_metrics": {"r@5": 0.357143, "ap@5": 0.336310, "ndcg@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "jurity": {"p@5": 0.533333, "r@5": 0.357143, "ap@5": 0.494444, "ndcg@5": 0.382674},
    "recbole": {"p@5": 0.25, "r@5": 0.357143, "ap@5": 0.370833, "ndcg@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "recpack": {"p@5": 0.25, "r@5": 0.357143, "r(denom=min_rk)@5": 0.4, "ndcg@5": 0.413702, "rr@5": 0.5},
    "recmetrics": {"p@5": 0.533333, "ap@5": 0.451389, "ap(denom=R)@5": 0.336310},
    "implicit": {"ap@5": 0.370833, "ndcg@5": 0.413702},
}  # fmt: skip
NO_PRESET = {  # definition, value, users
    "rexmex": [("ap(denom=min_rk)@5", 0.370833, "1234"), ("ap(denom=R)@5", 0.336310, "1234")],
    "Cornac": [("p@5", 0.333333, "123"), ("r@5", 0.476190, "123"), ("ndcg@5", 0.551603, "123"), ("hit@5", 0.666667, "123")],
    "beta-recsys": [("p@5", 0.333333, "123"), ("r@5", 0.476190, "123"), ("ap(denom=R)@5", 0.448413, "123"), ("ndcg@5", 0.551603, "123")],
    "DaisyRec": [("p@5", 0.3, "13"), ("r@5", 0.214286, "13"), ("ap(denom=hits)@5", 0.402778, "13"),
                 ("ndcg(ideal=retrieved)@5", 0.453013, "13")],
    "Elliot": [("mean_precision@5", 0.472222, "123")],
}  # fmt: skip
REFUSED = {  # cells that are no number of a definition
    "rs_metrics P": (math.nan, "the mean of an empty list"),
    "recmetrics P": (None, "a user without a list divides by 0; without that user it is .533333"),
    "recmetrics R": (0.357150, "rounded to four digits for each user"),
    "rexmex hit rate": (None, "raises where an item is missing"),
    "rexmex nDCG": (None, "calls scikit-learn: its preset"),
    "Cornac MAP": (None, "of a ranking of all items, which lists are not"),
    "RecPack HitK": (1.25, "the number of hits, summed"),
    "DaisyRec MRR": (0.791667, "the sum over all hits, which may exceed 1"),
    "implicit P": (0.454545, "hits of all users together ÷ Σ min(k, R)"),
    "implicit AUC": (0.543793, "supposes that unranked relevant items stand in random places"),
}


@pytest.mark.parametrize("tool", SURVEY)
def test_every_cell_of_the_survey_is_a_preset_or_an_option_of_it(tool):
    assert ours(tool, SURVEY[tool], LISTS, TRUTH) == pytest.approx(SURVEY[tool], abs=1e-6)


@pytest.mark.parametrize("library", NO_PRESET)
def test_cells_of_libraries_without_a_preset_are_definitions(library):
    for name, value, users in NO_PRESET[library]:
        truth = {user: TRUTH[user] for user in users}
        res = rw.evaluate(LISTS, truth, name, policy=rw.Policy(ties="order", undefined="zero"))
        assert res[name] == pytest.approx(value, abs=1e-6), name


@pytest.mark.parametrize("cell", [cell for cell, (value, _) in REFUSED.items() if value is not None])
def test_a_refused_cell_is_the_number_of_no_definition(cell):
    value, reason = REFUSED[cell]
    assert reason
    for users in ("1234", "123"):
        res = rw.evaluate(LISTS, {user: TRUTH[user] for user in users}, list(DEFINED), policy=rw.Policy(ties="order", undefined="zero"))  # fmt: skip
        assert not any(math.isclose(value, each, abs_tol=1e-6) for each in res.mean.values())


@pytest.mark.parametrize("metric", DEFINED)
def test_every_definition_in_use_is_a_switch(metric):
    res = rw.evaluate(LISTS, TRUTH, metric, policy=rw.Policy(ties="order", undefined="zero"))
    assert res[metric] == pytest.approx(DEFINED[metric], abs=1e-6)


@cache
def shown(lists: str) -> rw.Run:
    table = pl.read_parquet(FILMS / f"{lists.removesuffix(' uneven')}.parquet")
    if lists.endswith("uneven"):  # lists of 1 to 10 items, and every eleventh user without one
        table = table.filter(pl.col("rank") <= (pl.col("user_id").rank("dense") - 1) % 11)
    return rw.read_run(table)


@cache
def films(scale: str) -> rw.Qrels:
    """The judgements: items rated at all, those rated 8 or more (the others judged and not wanted), or grades 0 to 4."""
    grade = {"rel=0": pl.lit(1), "rel=8": (pl.col("rating") >= 8).cast(int), "graded": (pl.col("rating") // 2 - 1).clip(0)}  # fmt: skip
    table = pl.read_parquet(FILMS / "test.parquet")
    return rw.read_qrels(table.select("user_id", "item_id", rating=grade[scale]))


@pytest.mark.parametrize("tool", STORED)
def test_a_preset_has_the_numbers_of_the_tool_on_movietweetings(tool):
    assert len(STORED[tool]["values"]) in (
        10,
        15,
    )  # four lists and a cut one under two thresholds, and with grades
    for case, values in STORED[tool]["values"].items():
        lists, scale = case.split(", ")
        found = ours(tool, values, shown(lists), films(scale), rw.Policy(grades="judgements"))
        share = 454 / 500 if lists.endswith("uneven") else 1.0
        for name, theirs in values.items():
            expected = adapted(tool, name, theirs, share)
            assert found[name] == pytest.approx(expected, abs=digits(tool, name)), (case, name)


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
def test_a_preset_names_the_tests_that_hold_it(name):
    preset = preset_of(name)
    assert preset.is_confirmed
    named = re.findall(r"tests/[\w/]+\.py", preset.confirmed)
    assert named
    assert all((Path(__file__).parents[2] / test).exists() for test in named)


def test_a_preset_that_was_only_read_is_not_offered(monkeypatch):
    read = replace(preset_of("spark"), confirmed="read")
    for module in ("evaluation.inputs", "inspection.rosetta_table"):
        monkeypatch.setattr(
            f"rankwell.{module}.preset_of", lambda name: read if name == "spark" else preset_of(name)
        )
    with pytest.raises(rw.RankwellError, match="not run"):
        rw.evaluate(LISTS, TRUTH, ["ap@3"], preset="spark")
    [table] = rw.rosetta(LISTS, TRUTH, "ap@3")
    assert f"Spark MLlib {read.version} †" in str(table)
    assert "† read in its code, not run" in str(table)


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
    assert "†" not in str(table)  # all were run
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
    assert shown["mean"] == {
        "ap(denom=R)@10": pytest.approx(STORED["rectools"]["values"]["als, rel=0"]["ap@10"], abs=1e-12)
    }
    assert pl.read_parquet(files[0]).height == shown["counts"]["judgements"]
