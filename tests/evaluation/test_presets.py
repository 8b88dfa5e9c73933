"""Presets against the tools themselves: their numbers on a small fixture, on MovieTweetings, and as they run here."""

from __future__ import annotations

import ast
import json
import math
import random
import re
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from benchmarks.programs.peer_presets import GIVEN, REPEATING
from tests.evaluation.preset_cases import LISTS, TRUTH, beyond_accuracy, ours

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
# of spans, nuggets and citations (test_chroma.py, test_nuggetizer.py, test_alce.py), of passages, search engines and groups of rows (test_presets_rag.py,
# test_preset_values.py)
GROUPS = {name for name, taken in GIVEN.items() if "rows" in taken}
APART = {"alce", "chroma", "nuggetizer", "elasticsearch", "opensearch", *REPEATING} | GROUPS
ROUNDED = {
    "recmetrics": 1e-4,
    "beir": 6e-6,
    "gdeval": 6e-6,
    "torchmetrics": 1e-6,
}  # single precision, or a few digits
FIVE_DIGITS = ("err", "ndcg(gain=exp2)")  # of ir_measures, by gdeval


def digits(tool: str, name: str) -> float:
    return 6e-6 if tool == "ir_measures" and name.startswith(FIVE_DIGITS) else ROUNDED.get(tool, 1e-9)


def stored_of(tool: str) -> dict:
    """What is stored of a tool."""
    assert tool in STORED, (
        f"nothing is stored of {tool}: write tests/evaluation/stored/{tool}.py with a function {tool}(lists, truth, k), and run "
        f"`python tests/evaluation/stored/tools_movietweetings.py {tool}`; see Add a preset in CONTRIBUTING.md"
    )
    return STORED[tool]


def test_what_is_stored_is_of_presets():
    assert {tool.partition(",")[0] for tool in STORED} <= {*names()} - APART


@pytest.mark.parametrize("name", sorted({*names()} - APART))
def test_every_metric_of_a_preset_is_held_against_its_tool(name):
    tried = {metric_of(key).name for key in stored_of(name)["fixture"]} | set(beyond_accuracy(name))
    # of rbp only NIST's expected output is there (test_trec_eval.py); recmetrics' own MAP is not in its last release
    excused = {"trec_eval": {"rbp"}, "recmetrics": {"ap"}}.get(name, set())
    untried = set(preset_of(name).metrics) - tried - excused
    assert not untried, (
        f"the function {name}() in tests/evaluation/stored returns no {', '.join(sorted(untried))}"
    )
    assert STORED[name]["version"].startswith(preset_of(name).version) or name in RELEASED, (
        f"{name}.toml says version {preset_of(name).version}, and {STORED[name]['version']} was run"
    )


# where the number of the preset is not that of the package that was run
RELEASED = {
    "gdeval": "the program in ir_measures says 1.2a", "recmetrics": "its last release is 0.1.5", "trec_eval": "run as pytrec_eval",
    "trec_eval_9": "run as pytrec_eval",
}  # fmt: skip


TOOLS = sorted({*STORED} | {*names()} - APART)  # also what was not stored yet


@pytest.mark.parametrize("tool", TOOLS)
def test_a_preset_has_the_numbers_of_the_tool_on_a_fixture(tool):
    stored = stored_of(tool)["fixture"]
    found = ours(tool, stored, LISTS, TRUTH)
    for name, theirs in stored.items():
        assert found[name] == pytest.approx(adapted(tool, name, theirs, 3 / 4), abs=digits(tool, name)), name


def adapted(tool: str, name: str, theirs: float, share: float) -> float:
    """What a number becomes if the share of users without a list counts as 0, or does not count."""
    if tool == "trec_eval":  # version 10 has them with -c; the stored number is of the others
        return theirs**share * 1e-5 ** (1 - share) if name == "gmap" else theirs * share
    return theirs


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


@pytest.mark.parametrize("tool", TOOLS)
def test_a_preset_has_the_numbers_of_the_tool_on_movietweetings(tool):
    stored = stored_of(tool)["values"]
    assert len(stored) in (10, 15)  # four lists and a cut one under two thresholds, and with grades
    for case, values in stored.items():
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


def test_beir_takes_an_item_with_the_id_of_its_query_out_of_the_list():
    """What ``EvaluateRetrieval.evaluate`` does before it calls pytrec_eval: ``ignore_identical_ids=True`` is its default."""
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    run, qrels = case()
    documents = {
        name: {
            f"d{q}": {f"d{i}" if i.isdigit() else i: x for i, x in row.items()} for q, row in table.items()
        }
        for name, table in {"run": run, "qrels": qrels}.items()
    }
    run, qrels = documents["run"], documents["qrels"]
    assert sum(query in listed for query, listed in run.items()) > 5
    others = {q: {item: score for item, score in listed.items() if item != q} for q, listed in run.items()}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"P.5", "recall.5", "map_cut.5", "ndcg_cut.5"}).evaluate(
        others
    )
    res = rw.evaluate(run, qrels, ["p@5", "r@5", "ap@5", "ndcg@5"], preset="beir")
    for value, name in zip(res.mean.values(), ("P_5", "recall_5", "map_cut_5", "ndcg_cut_5"), strict=True):
        assert value == pytest.approx(math.fsum(row[name] for row in theirs.values()) / len(theirs), rel=1e-9)


def test_gdeval_and_ir_measures():
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    run, qrels = case()
    shared = {query: row for query, row in qrels.items() if query in run}
    for tool, judged, names_ in (("gdeval", shared, {"ndcg@5": "nDCG(dcg='exp-log2')@5", "err@5": "ERR@5"}),
                                 ("ir_measures", qrels, {"ap@5": "AP@5", "p@5": "P@5", "rr@5": "RR@5", "err@5": "ERR@5"})):  # fmt: skip
        for own, text in names_.items():
            measure = ir_measures.parse_measure(text)
            theirs = ir_measures.calc_aggregate([measure], judged, run)[measure]
            found = rw.evaluate(run, judged, [own], preset=tool).mean
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
    for module in ("inspection.rosetta_table", "evaluation.preset"):
        monkeypatch.setattr(
            f"rankwell.{module}.preset_of", lambda name: read if name == "spark" else preset_of(name)
        )
    with pytest.raises(rw.RankwellError, match="not confirmed by running it"):
        rw.evaluate(LISTS, TRUTH, ["ap@3"], preset="spark")
    [table] = rw.rosetta(LISTS, TRUTH, "ap@3")
    assert f"Spark MLlib {read.version} †" in str(table)
    assert "† read in its code, not run" in str(table)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"preset": "rectool"}, "Did you mean rectools?"), ({"preset": "rectools", "policy": rw.Policy(ties="order")}, "and you set ties"),
        ({"preset": "implicit", "metrics": ["rr@5"]}, "has no rr: the tool lacks it, or its numbers have not been compared"), ({"preset": "implicit", "metrics": ["p@5"]}, "does not reproduce p: precision is pooled"),
        ({"preset": "rectools", "metrics": ["serendipity(top=3)@5"]}, "which has no top"), ({"preset": "microsoft", "metrics": ["ap@5", "ndcg@5"]}, "different rules"),
    ],
)  # fmt: skip
def test_what_a_preset_cannot_do_is_said(options, words):
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(LISTS, TRUTH, options.pop("metrics", ["ap@5"]), **options)
    assert words in str(error.value)


def test_metrics_of_different_rules_are_told_apart_by_calls_that_work_when_pasted(tmp_path, capsys):
    run, judged = tmp_path / "run.json", tmp_path / "qrels.json"
    run.write_text(json.dumps(LISTS), encoding="utf-8")
    judged.write_text(json.dumps(TRUTH), encoding="utf-8")
    train = tmp_path / "train.json"
    train.write_text(
        json.dumps({user: dict.fromkeys(items, 1) for user, items in LISTS.items()}), encoding="utf-8"
    )
    asked = ["serendipity@5", "ap@5", "ap(denom=R)@3", "user_coverage@5", "r@5"]
    more = {"preset": "rectools", "train": str(train)}
    with pytest.raises(
        rw.RankwellError, match=r"different rules \(population\) for serendipity@5 and ap@5"
    ) as error:
        rw.evaluate(LISTS, TRUTH, asked, items=["a"], **more)
    calls = re.findall(r"metrics=(\[[^\]]*\])", str(error.value))
    assert [ast.literal_eval(each) for each in calls] == [
        ["serendipity@5"], ["ap@5", "ap(denom=R)@3", "r@5"], ["user_coverage@5"]
    ]  # fmt: skip
    words = ["evaluate", str(judged), str(run), "--preset", "rectools", "--train", str(train)]
    assert command([*words, *(part for each in asked for part in ("-m", each))]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    told = re.findall(r"--metric ('[^']*'|[^\s,]\S*?)(?=, then|\.$)", said.strip())
    assert len(told) == len(calls)
    for call, options in zip(calls, told, strict=True):
        catalogue = sorted({item for items in LISTS.values() for item in items})
        found = rw.evaluate(LISTS, TRUTH, ast.literal_eval(call), items=catalogue, **more)
        pasted = [
            "--metric",
            *shlex.split(options),
            "--items",
            str(tmp_path / "items.csv"),
            "--format",
            "json",
        ]
        (tmp_path / "items.csv").write_text("\n".join(["item", *catalogue]), encoding="utf-8")
        assert command([*words, *pasted]) == 0
        assert json.loads(capsys.readouterr().out)["runs"][0]["mean"] == found.mean


@pytest.mark.parametrize("name", names())
def test_what_a_preset_computes_can_be_written_down_and_read_again(name):
    # jurity's ideal=uncut says nothing without a cut-off: saved results of ndcg could not be loaded again
    preset = preset_of(name)
    for asked in (each + cut for each in preset.metrics for cut in ("", "@5")):
        try:
            metric = preset.metric(asked)
        except rw.RankwellError:
            continue
        assert metric_of(str(metric)) == metric_of(metric.signature) == metric


def test_a_preset_whose_definition_needs_a_cut_off_asks_for_one(capsys, tmp_path):
    with pytest.raises(rw.RankwellError, match="needs a cut-off: write ") as error:
        rw.evaluate(LISTS, TRUTH, ["ndcg"], preset="rectools")
    told = str(error.value).rpartition("write ")[2].rstrip(".")
    assert (
        rw.evaluate(LISTS, TRUTH, [told], preset="rectools").mean
        == rw.evaluate(LISTS, TRUTH, ["ndcg@10"], preset="rectools").mean
    )
    (tmp_path / "run.json").write_text(json.dumps(LISTS), encoding="utf-8")
    (tmp_path / "qrels.json").write_text(json.dumps(TRUTH), encoding="utf-8")
    files = [str(tmp_path / "qrels.json"), str(tmp_path / "run.json")]
    assert command(["evaluate", *files, "-m", "ndcg", "--preset", "rectools"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert rw.evaluate(LISTS, TRUTH, ["ndcg"], preset="jurity").mean == {
        "ndcg": rw.evaluate(LISTS, TRUTH, ["ndcg@1000000"], preset="jurity")["ndcg(ideal=uncut)@1000000"]
    }


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
    [table] = rw.rosetta(LISTS, TRUTH, "p@5")
    assert "implicit: p is not reproduced: precision is pooled" in " ".join(table.notes)
    assert "implicit" not in {line.tool for line in table.lines}
    [rated] = rw.rosetta(FILMS / "als.parquet", FILMS / "test.parquet", "ndcg@10", policy=rw.Policy(rel=8))
    differs = {line.tool: line.differs for line in rated.lines}
    assert "grades are gains as they are" in differs["trec_eval"]
    assert "all relevant items are alike" in differs["RePlay"]
    assert "<table" in table._repr_html_()
    files = [str(FILMS / "test.parquet"), str(FILMS / "als.parquet")]
    for form, sign in (("text", "differs in"), ("markdown", "|"), ("html", "<table")):
        assert command(["rosetta", *files, "-m", "ap@10", "--policy", "rel=8", "--format", form]) == 0
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
