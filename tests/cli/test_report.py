"""The command ``report``: what it writes, says and refuses."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from tests.efficiency.made import made

import rankwell as rw
from rankwell.cli.main import run

FILMS = files("rankwell") / "data" / "movietweetings"
SYSTEMS = [str(FILMS / f"{name}.parquet") for name in ("popular", "itemknn", "als")]
TEST = str(FILMS / "test.parquet")
QUICK = ["--flips", "499", "--resamples", "99"]
RR = ["-m", "rr", "--rel", "8", *QUICK]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def data_of(path):
    """The sections of a report that was written as JSON, by name."""
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    return {each["name"]: each["data"] for each in found["sections"]}


def test_it_writes_the_page_of_the_library_and_says_where(tmp_path, capsys):
    arguments = ["report", TEST, *SYSTEMS, *RR, "--baseline", SYSTEMS[0], "--command", "as typed"]
    assert run(arguments) == 0
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith("rankwell: note: wrote report.html (")
    names = ("popular", "itemknn", "als")
    own = rw.report(
        dict(zip(names, SYSTEMS, strict=True)), TEST, "rr", rel=8, baseline="popular", flips=499, resamples=99,
        command="as typed",
    )  # fmt: skip
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == own.to_html().rstrip("\n") + "\n"


def test_the_data_are_written_with_the_suffix_of_json(capsys):
    assert run(["report", TEST, SYSTEMS[0], "-m", "rr,hit@10", "--rel", "8", "-o", "one.json"]) == 0
    data = data_of("one.json")
    assert data["answer"]["case"] == "alone"
    assert [each["metric"] for each in data["leaderboard"]["metrics"]] == ["rr", "hit@10"]


def test_the_page_keeps_the_command_without_the_folders_of_the_machine(tmp_path):
    assert run(["report", TEST, f"my lists={SYSTEMS[0]}", *RR, "-o", str(tmp_path / "x.json")]) == 0
    command = data_of("x.json")["definitions"]["command"]
    assert command == (
        "rankwell report test.parquet 'my lists=popular.parquet' -m rr --rel 8 --flips 499 --resamples 99 -o x.json"
    )


def test_tables_and_languages_reach_the_page():
    tables = ["--train", str(FILMS / "train.parquet"), "--items", str(FILMS / "items.parquet")]
    assert (
        run(["report", TEST, *SYSTEMS[:2], *RR, *tables, "--lang", "ko", "--title", "영화", "-o", "x.json"])
        == 0
    )
    with open("x.json", encoding="utf-8") as file:
        found = json.load(file)
    assert (found["title"], found["lang"]) == ("영화", "ko")
    labels = [each["label"] for each in data_of("x.json")["answer"]["compared"]]
    assert labels == ["시스템", "판단 지표", "사용자", "판정", "학습 데이터 행", "카탈로그 항목"]


def test_the_metric_and_the_margin_that_decide_can_be_named():
    arguments = ["report", TEST, *SYSTEMS[:2], "-m", "rr,hit@10", "--rel", "8", *QUICK, "-o", "x.json"]
    assert (
        run([*arguments, "--primary", "hit@10", "--margin", "hit@10=0.5", "--baseline", "popular.parquet"])
        == 0
    )
    assert data_of("x.json")["answer"]["sentence"].startswith(
        "No winner: itemknn and popular are equally good within ±0.5000, on average over 379 users (hit@10 "
    )


def test_queries_are_called_as_asked():
    arguments = ["report", TEST, *SYSTEMS[:2], *RR, "-o", "x.json"]
    for noun, said in (("films", "379 films"), ("person/people", "379 people")):
        assert run([*arguments, "--noun", noun]) == 0
        assert said in data_of("x.json")["answer"]["sentence"]


def test_a_noun_that_is_no_word_is_refused(capsys):
    assert run(["report", TEST, *SYSTEMS[:2], *RR, "--noun", "{users}", "-o", "x.json"]) == 2
    assert "--noun '{users}'" in capsys.readouterr().err


def test_saved_results_need_no_judgements():
    for path, name in zip(SYSTEMS[:2], ("a.json", "b.parquet"), strict=True):
        assert run(["evaluate", TEST, path, "-m", "rr", "--rel", "8", "--per-query", "-o", name]) == 0
    assert run(["report", "none", "a.json", "b.parquet", *QUICK, "-o", "x.json"]) == 0
    assert {row["system"] for row in data_of("x.json")["leaderboard"]["rows"]} == {"a", "b"}


def test_an_experiment_file_says_what_is_reported(tmp_path, capsys):
    says = f"""
qrels = "{TEST}"
metrics = ["rr"]
baseline = "popular"
[runs]
popular = "{SYSTEMS[0]}"
als = "{SYSTEMS[2]}"
[policy]
rel = 8
[margins]
rr = 0.1
[rope]
rr = 0.01
[statistics]
flips = 499
resamples = 99
"""
    (tmp_path / "rankwell.toml").write_text(says, encoding="utf-8")
    assert run(["report", "rankwell.toml", "-o", "x.json"]) == 0
    data = data_of("x.json")
    assert data["answer"]["sentence"].startswith(
        "als is clearly worse than popular, on average over 379 users (rr "
    )
    assert data["definitions"]["command"] == "rankwell report rankwell.toml -o x.json"
    assert data["definitions"]["experiment"].startswith("rankwell.toml sha256:")


def test_an_experiment_of_one_run_is_reported(tmp_path):
    says = f'qrels = "{TEST}"\nmetrics = ["rr"]\n[runs]\npopular = "{SYSTEMS[0]}"\n[policy]\nrel = 8\n[margins]\nrr = 0.1\n'
    (tmp_path / "rankwell.toml").write_text(says, encoding="utf-8")
    assert run(["report", "rankwell.toml", "-o", "x.json"]) == 0
    data = data_of("x.json")
    assert data["answer"]["case"] == "alone"
    assert data["definitions"]["experiment"].startswith("rankwell.toml sha256:")


def test_a_saved_comparison_is_reported_alone():
    assert run(["compare", TEST, *SYSTEMS[:2], *RR, "--baseline", SYSTEMS[0], "-o", "cmp.json"]) == 0
    assert run(["report", "none", "cmp.json", "-o", "x.json"]) == 0
    data = data_of("x.json")
    found = rw.Comparison.load("cmp.json").mean("itemknn", "rr")
    (cell,) = (row["cells"][0] for row in data["leaderboard"]["rows"] if row["system"] == "itemknn")
    assert (cell["mean"], cell["low"]) == (found.mean, found.low)
    assert data["definitions"]["files"][0]["name"] == "cmp.json"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([TEST, *SYSTEMS], 2, "say which metrics you want"),
        ([TEST, *SYSTEMS], 2, "say which metrics you want: -m ndcg@10 -m ap"),
        (
            [TEST, *SYSTEMS, *RR, "-o", "x.pdf"],
            2,
            "unknown suffix; a report is .html, .htm or .json. A browser prints .html to PDF",
        ),
        ([TEST, *SYSTEMS, *RR, "-o", "no/x.html"], 3, "the folder no does not exist"),
        ([TEST, *SYSTEMS, *RR, "--lang", "kr"], 2, "--lang kr: must be en or ko."),
        ([TEST, *SYSTEMS, *RR, "--baseline", "popular.parque"], 2, "Did you mean popular?"),
        (
            [TEST, SYSTEMS[0], *RR, "--baseline", SYSTEMS[0]],
            2,
            "--baseline is for several systems; there is one",
        ),
        ([TEST, SYSTEMS[0], SYSTEMS[0], *RR], 2, "two runs are called"),
        ([TEST, *SYSTEMS, *RR, "--by", "tier"], 2, "give --users"),
        ([TEST, *SYSTEMS, *RR, "--text", "title"], 2, "--text names a column of --items"),
        (
            ["none", "cmp.json", "-m", "rr"],
            2,
            "a comparison is evaluated already, so metrics= means nothing beside it",
        ),
        ([TEST, "nowhere.run", *RR], 3, "nowhere.run: cannot be read"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_one_line(arguments, code, message, capsys):
    rw.compare({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"q": ["x"]}, "rr").save("cmp.json")
    assert run(["report", *arguments]) == code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_file_of_costs_stands_for_its_systems(tmp_path, capsys):
    (tmp_path / "qrels.txt").write_text("".join(f"q{at} 0 d 1\n" for at in range(12)))
    seconds = [[0.001 * (1 + at) for at in range(12)]] * 3
    own = {"seconds": seconds, "memory": [1, 1, 1], "index": [1], "throughput": [9, 9, 9]}
    runs = {
        "good": {f"q{at}": ["d", "e"] for at in range(12)},
        "poor": {f"q{at}": ["e", "d"] for at in range(12)},
    }
    made({"good": own, "poor": own}, loads=("closed", "open"), runs=runs).save("costs.json")
    words = ["report", "qrels.txt", "costs.json", "-m", "rr", "--flips", "99", "--resamples", "99"]
    assert run([*words, "-o", "x.json"]) == 2
    assert "--load says which: closed or open" in capsys.readouterr().err
    assert run([*words, "--load", "open", "--baseline", "poor", "-o", "x.json"]) == 0
    data = data_of("x.json")
    assert [each["system"] for each in data["leaderboard"]["rows"]] == ["good", "poor"]
    assert [each["name"] for each in data["definitions"]["files"]] == [
        "qrels.txt",
        "costs.json",
        "costs.json",
    ]
    assert run([*words, "more=costs.json", "--load", "open"]) == 2
    assert "two systems are called 'good'" in capsys.readouterr().err


def test_costs_of_one_name_in_two_folders_are_those_of_each(tmp_path, monkeypatch, capsys):
    one = {"seconds": [[0.001, 0.002]] * 3, "memory": [1, 1, 1], "index": [1], "throughput": [9, 9, 9]}
    for systems in (("first", "second"), ("third", "fourth"), ("fifth", "sixth")):
        folder = tmp_path / systems[0]
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder if systems[0] != "fifth" else tmp_path / "third")  # written anew, too
        Path("qrels.txt").write_text("q0 0 d 1\nq1 0 d 1\n")
        runs = {name: {"q0": ["d"], "q1": ["d"]} for name in systems}
        made(dict.fromkeys(systems, one), runs=runs).save("costs.json")
        assert run(["compare", "qrels.txt", "costs.json", "-m", "rr", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["systems"] == [*systems]


def test_a_load_without_costs_is_refused(capsys):
    assert run(["report", TEST, *SYSTEMS, *RR, "--load", "closed"]) == 2
    assert "no RUN is a file that rankwell bench -o wrote" in capsys.readouterr().err
