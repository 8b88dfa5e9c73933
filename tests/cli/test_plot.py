"""The command plot: what its kinds take, the files it writes, and its errors."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import MOVIES, QRELS, RUN
from tests.efficiency.made import made
from tests.evidence import evidence

import rankwell as rw
from rankwell.cli import run
from rankwell.cli.arguments import arguments_of, pairs_in
from rankwell.cli.commands import homes
from rankwell.cli.report import command_of
from rankwell.reporting.chart.charts import picture_named

PICTURES = [words[1] for words in homes() if words[0] == "plot"]
CRANFIELD = str(evidence("cranfield/qrels.graded.txt"))
BINARY = str(evidence("cranfield/qrels.binary.txt"))
RUNS = [str(evidence(f"cranfield/runs/{name}.run")) for name in ("bm25", "coord")]
TEST, TRAIN, ITEMS = (str(MOVIES / f"{name}.parquet") for name in ("test", "train", "items"))
ALS, POPULAR = (str(MOVIES / f"{name}.parquet") for name in ("als", "popular"))
# a command line for each kind; a new kind needs one here
LINES = {
    "bounds": [CRANFIELD, *RUNS, "-m", "ndcg@10", "-m", "p@5", "--pool", "100", "--scale", "4"],
    "calibration": ["als=" + ALS, "--train", TRAIN, "--items", ITEMS, "--column", "genres"],
    "correlation": [CRANFIELD, *RUNS, "-m", "ndcg@10,ap,rr"],
    "costs": [CRANFIELD, "costs.json", "-m", "ndcg@10", "--x", "memory", "--load", "open"],
    "curve": [CRANFIELD, *RUNS, "-m", "ndcg", "--ks", "1,5,10"],
    "differences": [CRANFIELD, *RUNS, "-m", "ndcg@10"],
    "effort": ["judging.json"],
    "exposure": [ALS, POPULAR, "--train", TRAIN, "-k", "10"],
    "forest": [CRANFIELD, *RUNS, "-m", "ndcg@10", "--baseline", RUNS[0]],
    "growth": [str(evidence("growth/engines.json"))],
    "heatmap": ["board.csv", "-m", "rr"],
    "positions": ["positions.json"],
    "preference": ["preference.json"],
    "weights": ["off_policy.json"],
    "judged": [CRANFIELD, *RUNS, "--ks", "1,10"],
    "latency": ["costs.json", "--load", "closed"],
    "long_tail": [TRAIN, "--at", "0.5"],
    "movement": [CRANFIELD, *RUNS, "--against", BINARY, "-m", "ndcg@10"],
    "per_query": [CRANFIELD, *RUNS, "-m", "ndcg@10"],
    "precision_recall": [CRANFIELD, *RUNS, "--query", "1"],
    "ranks": ["board.csv", "-m", "rr"],
    "rel_sweep": [TEST, ALS, POPULAR, "-m", "ndcg@10", "--rels", "7,9,interactions"],
    "scatter": [CRANFIELD, *RUNS, "--x", "ap", "--y", "rr"],
    "segments": [CRANFIELD, *RUNS, "-m", "ndcg@10", "--by", "half"],
    "similarity": [ALS, "-k", "5"],
    "trend": ["trend.json", "-m", "rr"],
    "watch": ["watch.json"],
    "ties": [CRANFIELD, *RUNS, "-m", "ndcg@10", "-m", "ap"],
    "wins": [CRANFIELD, *RUNS, "-m", "ndcg@10"],
}  # fmt: skip


def measured(folder):
    """A file of costs of two systems under two loads."""
    own = {"seconds": [[0.001, 0.002]] * 3, "memory": [1, 2, 3], "index": [1], "throughput": [9, 9, 9]}
    runs = {name: {"1": [item], "2": [item]} for name, item in (("a", "184"), ("b", "29"))}
    made(dict.fromkeys(runs, own), loads=("closed", "open"), runs=runs).save(folder / "costs.json")
    return folder / "costs.json"


def judged(folder):
    """A file of simulated judging of two runs."""
    runs = {"good": {"q": ["a", "b", "x"]}, "poor": {"q": ["y", "x", "b"]}}
    found = rw.judging.simulate(
        runs, {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}, methods=["mtc", "depth"], budgets=[2, 4]
    )
    found.save(folder / "judging.json")
    return folder / "judging.json"


def dated(folder):
    """A file of a trend of two dates."""
    weeks = {
        day: rw.evaluate({"q": ["a", "b"], "r": ["b", "a"]}, {"q": {item: 1}, "r": {"a": 1}}, ["rr"])
        for day, item in (("2026-11-16", "a"), ("2026-11-23", "b"))
    }
    rw.trend(weeks).save(folder / "trend.json")
    return folder / "trend.json"


def watched(folder):
    """A file of a watch of fifteen days."""
    days = {
        f"2026-11-{at:02}": rw.evaluate(
            {"q": ["a", "b"], "r": ["b", "a"]}, {"q": {"ab"[at % 2]: 1}, "r": {"a": 1}}, ["rr"]
        )
        for at in range(1, 16)
    }
    rw.watch(days, reference=14).save(folder / "watch.json")
    return folder / "watch.json"


@pytest.mark.parametrize("kind", PICTURES)
def test_every_kind_draws_what_its_function_draws_from_a_command_line(kind, tmp_path, capsys):
    assert kind in LINES, f"write a command line of rankwell plot {kind} in LINES of tests/cli/test_plot.py"
    words = LINES[kind]
    if kind == "segments":
        users = tmp_path / "users.csv"
        users.write_text("query,half\n" + "".join(f"{query},{query % 2}\n" for query in range(1, 226)))
        words = [*words, "--users", str(users)]
    words = [str(measured(tmp_path)) if each == "costs.json" else each for each in words]
    words = [str(judged(tmp_path)) if each == "judging.json" else each for each in words]
    words = [str(dated(tmp_path)) if each == "trend.json" else each for each in words]
    words = [str(watched(tmp_path)) if each == "watch.json" else each for each in words]
    log = {
        "impression": [1, 1, 2, 2],
        "user": list("uuvv"),
        "rank": [1, 2] * 2,
        "team": ["A", "B"] * 2,
        "click": [1, 0, 1, 1],
    }
    rw.clicks.positions(log).save(tmp_path / "positions.json")
    rw.clicks.interleaved(log).save(tmp_path / "preference.json")
    choices = {"reward": [1, 0], "propensity": [0.5, 0.25], "target": [0.1, 0.5]}
    rw.clicks.off_policy(choices).save(tmp_path / "off_policy.json")
    clicks = "positions.json", "preference.json", "off_policy.json"
    words = [str(tmp_path / each) if each in clicks else each for each in words]
    (tmp_path / "board.csv").write_text("task,system,value\nt,a,0.5\nt,b,0.25\n")
    words = [str(tmp_path / "board.csv") if each == "board.csv" else each for each in words]
    target = tmp_path / "picture.json"
    assert run(["plot", kind, *words, "-o", str(target)]) == 0, capsys.readouterr().err
    spec = json.loads(target.read_text())
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert spec["title"]["text"]
    assert f"wrote {target}" in capsys.readouterr().err


@pytest.mark.parametrize("kind", PICTURES)
def test_every_option_of_every_kind_says_what_it_is(kind):
    takes = set(inspect.signature(getattr(rw.plot, kind)).parameters)
    named = {argument.field for argument in arguments_of(command_of(kind)) if argument.help}
    assert named == {argument.field for argument in arguments_of(command_of(kind))}
    # what is missing is made from QRELS and RUN, said by other options, or for Python alone
    made = {"results", "comparison", "metrics", "metric", "costs", "read", "options", "dark"}
    assert takes - named <= made | pairs_in(command_of(kind)).keys() | {*picture_named(kind).in_python}
    assert takes.isdisjoint(named & {*picture_named(kind).in_python})
    assert {*picture_named(kind).in_python} <= takes


def test_the_list_has_all_kinds_and_what_their_functions_say():
    said = {
        kind: getattr(rw.plot, kind).__doc__.split("\n\n")[0].split()
        for kind in rw.plot.__all__
        if kind != "save"
    }
    assert {kind: homes()["plot", kind].sentence.split() for kind in PICTURES} == said


def test_the_kinds_are_listed_with_a_sentence_and_their_own_help(capsys):
    assert run(["plot", "--help-all"]) == 0
    listed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for kind in PICTURES:
        assert f"{kind} {homes()['plot', kind].sentence}" in listed
    assert run(["plot", "movement", "--help-all"]) == 0
    shown = capsys.readouterr().out
    assert "Usage: rankwell plot movement" in shown
    assert "--against" in shown
    assert "--baseline" not in shown
    assert "ARGS" not in shown


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("html", b"<!DOCTYPE html>"), ("json", b"{")],
)
def test_the_suffix_chooses_the_format(tmp_path, suffix, start):
    target = tmp_path / f"ties.{suffix}"
    assert run(["plot", "ties", QRELS, RUN, "-m", "ap", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(start)


def test_without_an_output_the_file_is_named_after_the_kind(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["plot", "ties", QRELS, RUN, "-m", "ap"]) == 0
    assert capsys.readouterr().err == "rankwell: note: wrote ties.svg.\n"
    assert Path("ties.svg").read_text().startswith("<svg")


def test_the_language_is_an_option(tmp_path):
    target = tmp_path / "a.svg"
    line = ["plot", "judged", QRELS, RUN, "--ks", "1,5"]
    assert run([*line, "--lang", "ko", "-o", str(target)]) == 0
    assert "판정된 비율" in target.read_text()


def test_saved_results_are_drawn_without_judgements(tmp_path):
    saved, target = tmp_path / "one.json", tmp_path / "ties.json"
    assert run(["evaluate", CRANFIELD, RUNS[1], "-m", "ap", "-o", str(saved), "--per-query"]) == 0
    assert run(["plot", "ties", "none", f"coord={saved}", "-o", str(target)]) == 0
    assert "coord" in target.read_text()


def test_names_and_policies_are_those_of_other_commands(tmp_path):
    target = tmp_path / "ties.json"
    assert (
        run(
            [
                "plot",
                "ties",
                CRANFIELD,
                f"words={RUNS[1]}",
                "-m",
                "ap",
                "--policy",
                "ties=item-asc",
                "-o",
                str(target),
            ]
        )
        == 0
    )
    spec = target.read_text()
    assert "words" in spec
    res = rw.evaluate(RUNS[1], CRANFIELD, ["ap"], ties="item-asc")
    assert repr(res["ap"]) in spec


WRONG = {
    'Did you mean "ties"?': (2, ["tis", QRELS, RUN]),
    "ends in .svg, .png, .pdf, .html or .json": (2, ["ties", QRELS, RUN, "-m", "ap", "-o", "ties.jpg"]),
    "Did you mean ndcg?": (2, ["ties", QRELS, RUN, "-m", "ndgc"]),
    "say which metrics you want": (2, ["ties", QRELS, RUN]),
    "must be en or ko": (2, ["ties", QRELS, RUN, "-m", "ap", "--lang", "de"]),
    "--ks takes numbers such as 1,5,10, not 'ten'": (2, ["judged", QRELS, RUN, "--ks", "1,ten"]),
    "for Python alone: the argument highlight of rw.plot.curve.": (
        2,
        ["curve", QRELS, RUN, "--highlight", "a"],
    ),
    "does not exist": (3, ["ties", QRELS, RUN, "-m", "ap", "-o", "no/ties.svg"]),
    "cannot be read": (3, ["ties", QRELS, "none.run", "-m", "ap"]),
    "--against": (2, ["movement", QRELS, RUN, "-m", "ap"]),
    "Unknown option": (2, ["ties", QRELS, RUN, "-m", "ap", "--against", QRELS]),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_use_is_one_line_and_leaves_no_file(message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, words = WRONG[message]
    assert run(["plot", *words]) == code
    shown = capsys.readouterr()
    assert not shown.out
    assert message.replace('"', "") in shown.err.replace('"', "")
    assert len(shown.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_drawn_leaves_the_file_as_it_was(tmp_path):
    target = tmp_path / "ties.svg"
    target.write_text("old")
    assert run(["plot", "ties", QRELS, RUN, "-m", "coverage", "-o", str(target)]) != 0
    assert target.read_text() == "old"


def test_an_input_is_not_overwritten(tmp_path, capsys):
    lists = tmp_path / "run.json"
    lists.write_text(json.dumps({"q": ["a"]}))
    assert run(["plot", "similarity", str(lists), "-o", str(lists)]) == 2
    assert "would overwrite an input" in capsys.readouterr().err


def test_the_list_of_commands_loads_no_picture():
    code = "import sys, rankwell.__main__ as m; m.main(['--help']); print(*sorted({'altair', 'numpy', 'rankwell.reporting'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stdout.splitlines()[-1]


def test_the_kinds_are_listed_without_altair():
    code = "import sys, rankwell.__main__ as m; m.main(['plot', '--help']); print(*sorted({'altair', 'vl_convert'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stdout.splitlines()[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="fontconfig names the fonts on Linux")
def test_characters_without_a_font_are_named_with_the_remedy(tmp_path):
    folder = tmp_path / "fonts"
    folder.mkdir()
    setting = tmp_path / "fonts.conf"
    setting.write_text(
        f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>{folder}</dir></fontconfig>'
    )
    environment = {**os.environ, "FONTCONFIG_FILE": str(setting)}

    code = (
        "import sys; from rankwell.cli import run\n"
        "for suffix in ('png', 'pdf', 'svg', 'html', 'json'):\n"
        "    assert run([*sys.argv[1:], f'a.{suffix}']) == 0\n"
        "    print(end='\\0', file=sys.stderr, flush=True)\n"
    )
    command = [sys.executable, "-c", code, "plot", "judged", QRELS, RUN, "--lang", "ko", "-o"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    png, pdf, *others, end = done.stderr.split("\0")
    for noted in (png, pdf):
        assert "no installed font has 가 (U+AC00)" in noted
        assert "or write .svg or .html" in noted
    assert (len(others), end) == (3, "")
    for noted in others:
        assert "no installed font" not in noted


def test_costs_need_a_file_of_them_and_one_load(tmp_path, capsys):
    file = str(measured(tmp_path))
    target = ["-o", str(tmp_path / "x.svg")]
    assert run(["plot", "costs", CRANFIELD, *RUNS, "-m", "rr", *target]) == 2
    assert "no RUN is a file of costs, which rankwell bench -o writes" in capsys.readouterr().err
    assert run(["plot", "costs", CRANFIELD, file, "-m", "rr", *target]) == 2
    assert "--load says which: closed or open" in capsys.readouterr().err
    assert run(["plot", "latency", RUNS[0], *target]) == 3
    assert "this is no file of costs" in capsys.readouterr().err
    assert run(["plot", "latency", file, file, *target]) == 2
    assert "a" in capsys.readouterr().err


def test_pictures_of_a_comparison_are_drawn_from_a_saved_one(tmp_path, capsys):
    """Each is the picture that the function draws of the comparison, whose margin and test no picture is asked for."""
    saved, target = str(tmp_path / "found.json"), tmp_path / "picture.json"
    line = ["compare", CRANFIELD, *RUNS, "-m", "ndcg@10", "--baseline", "bm25", "--margin", "0.02"]
    assert run([*line, "--test", "wilcoxon", "-o", saved]) == 0
    found = rw.Comparison.load(saved)
    results = rw.Evaluator(CRANFIELD, ["ndcg@10"]).evaluate_all(
        dict(zip(("bm25", "coord"), RUNS, strict=True))
    )
    drawn = {
        "forest": ([saved], rw.plot.forest(found)),
        "wins": ([saved], rw.plot.wins(found)),
        "differences": ([CRANFIELD, *RUNS, saved], rw.plot.differences(results, comparison=found)),
        "per_query": ([CRANFIELD, saved, *RUNS], rw.plot.per_query(results, comparison=found)),
    }
    for kind, (words, chart) in drawn.items():
        metric = ["-m", "ndcg@10"] if len(words) > 1 else []
        assert run(["plot", kind, *words, *metric, "-o", str(target)]) == 0
        rw.plot.save(chart, tmp_path / "expected.json")
        assert json.loads(target.read_text()) == json.loads((tmp_path / "expected.json").read_text()), kind
    assert "0.02" in json.dumps(rw.plot.forest(found).to_dict())
    capsys.readouterr()
    wrong = [
        (["ties", saved], "plot ties is drawn from runs or saved results, not from a comparison"),
        (["wins", saved, saved], "plot wins is drawn from one comparison, not two"),
        (["differences", saved], "name the results or the runs that it compares beside it"),
        (["wins", saved, RUNS[0]], f"the comparison is made, and drawn by itself; leave out {RUNS[0]}."),
        (["wins", CRANFIELD, saved], f"leave out {CRANFIELD}."),
        (["forest", saved, "--baseline", "bm25"], "leave out --baseline."),
        (["wins", saved, "--policy", "rel=2"], "leave out --policy."),
        (["wins", saved, "--read", "order=rows"], "leave out --read."),
        (["wins", saved, "--train", TRAIN], "leave out --train."),
    ]
    for words, told in wrong:
        assert run(["plot", *words, "-o", str(target)]) == 2
        assert told in capsys.readouterr().err
