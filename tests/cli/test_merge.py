"""The command ``merge``, and folders of daily results where other commands take saved ones."""

from __future__ import annotations

import json
import random

import pytest

import rankwell as rw
from rankwell.cli.main import run

ITEMS = [f"i{n}" for n in range(30)]
DAYS = [f"2026-11-{day:02}" for day in range(1, 7)]
RNG = random.Random(3)
QRELS = {f"{day}/u{n}": dict.fromkeys(RNG.sample(ITEMS, 4), 1) for day in DAYS for n in range(25)}
RUNS = {
    "bm25": {query: RNG.sample(ITEMS, 8) for query in QRELS},
    "dense": {
        query: [*list(found)[:2], *RNG.sample([i for i in ITEMS if i not in found], 6)]
        for query, found in QRELS.items()
    },
}


def of(table, day):
    return {query: row for query, row in table.items() if query.startswith(day)}


@pytest.fixture
def days(tmp_path):
    """The results of each day and system, as ``evaluate`` saved them."""
    (tmp_path / "items.csv").write_text("item\n" + "\n".join(ITEMS))
    for at, day in enumerate(DAYS):
        (tmp_path / "qrels.json").write_text(json.dumps(of(QRELS, day)))
        for name, lists in RUNS.items():
            (tmp_path / "days" / name).mkdir(parents=True, exist_ok=True)
            own = tmp_path / f"{name}-{day}.json"
            own.write_text(json.dumps(of(lists, day)))
            out = tmp_path / "days" / name / f"{day}.{'json' if at % 2 else 'parquet'}"
            more = ["--items", str(tmp_path / "items.csv"), "--per-query", "-o", str(out)]
            more = more if at % 2 else [word for word in more if word != "--per-query"]
            assert (
                run(["evaluate", str(tmp_path / "qrels.json"), str(own), "-m", "ndcg@5,rr,coverage@3", *more])
                == 0
            )
    return tmp_path / "days"


def whole(name, days=DAYS):
    lists, truth = (
        {q: row for day in days for q, row in of(table, day).items()} for table in (RUNS[name], QRELS)
    )
    return rw.evaluate(lists, truth, ["ndcg@5", "rr", "coverage@3"], items=ITEMS)


def test_a_week_is_what_one_evaluation_of_it_is(days, tmp_path, capsys):
    out = tmp_path / "week.parquet"
    assert run(["merge", str(days / "bm25"), "--since", DAYS[1], "--until", DAYS[4], "-o", str(out)]) == 0
    shown = capsys.readouterr()
    expected = whole("bm25", DAYS[1:5])
    found = rw.Results.load(out)
    assert (found.mean, found.counts, found.n) == (expected.mean, expected.counts, expected.n)
    assert found.per_query.equals(expected.per_query)
    assert f"{expected['ndcg@5']:.4f}" in shown.out
    assert "added 4 files: bm25." in shown.err
    assert (
        run(
            [
                "merge",
                str(out),
                str(days / "bm25" / f"{DAYS[5]}.."),
                str(days / "bm25" / f"{DAYS[0]}.parquet"),
                "--format",
                "json",
            ]
        )
        == 0
    )
    (data,) = json.loads(capsys.readouterr().out)["runs"]
    assert data["mean"] == whole("bm25").mean


def test_several_systems_are_merged_side_by_side(days, tmp_path, capsys):
    assert run(["merge", str(days), "-o", str(tmp_path / "all.json")]) == 0
    assert run(["merge", str(tmp_path / "all.json"), "--format", "csv"]) == 0
    text = capsys.readouterr().out
    assert all(repr(whole(name)["ndcg@5"]) in text for name in RUNS)
    assert run(["merge", str(days)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("bm25 ", "dense "))] == ["dense", "bm25"]
    assert run(["merge", str(days), "-o", str(tmp_path / "all.parquet")]) == 2
    assert "a Parquet file holds one system" in capsys.readouterr().err


def test_gate_and_compare_take_folders_and_windows(days, tmp_path, capsys):
    window = f"{DAYS[0]}..{DAYS[3]}"
    both = [
        str(days / "dense" / window),
        "--baseline",
        str(days / "bm25" / window),
        "-m",
        "ndcg@5",
        "--max-drop",
        "0.01",
    ]
    assert run(["gate", "none", *both]) == 0
    assert "100" in (text := capsys.readouterr().out)
    assert "PASS" in text
    both[0], both[2] = both[2], both[0]
    assert run(["gate", "none", *both]) == 1
    assert run(["gate", "none", *both, "--ratchet"]) == 2
    assert "is not one file" in capsys.readouterr().err
    assert run(["compare", "none", str(days), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["systems"] == ["bm25", "dense"]
    assert (
        run(
            [
                "compare",
                "none",
                f"a={days / 'bm25' / window}",
                f"b={days}/dense/2026-11-0[1-4]*",
                "-m",
                "rr",
                "--format",
                "json",
            ]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["systems"] == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--since", "x"], 2, "--since x: must be a date"),
        (["--since", "2027-01-01"], 3, "no file of saved results is of the days since 2027-01-01"),
        (["--name", "one"], 2, "is in both"),
    ],
)
def test_a_mistake_is_one_line(days, capsys, words, code, message):
    assert run(["merge", str(days), *words]) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_what_is_no_file_of_results_is_named(tmp_path, capsys):
    (tmp_path / "run.json").write_text('{"q": ["a"]}')
    assert run(["merge", str(tmp_path / "run.json")]) == 3
    assert "run.json: this is no file of results" in capsys.readouterr().err
    assert run(["merge", str(tmp_path / "nowhere.json")]) == 3
    assert "nowhere.json: cannot be read" in capsys.readouterr().err
    assert run(["merge", str(tmp_path)]) == 3


def test_systems_of_different_metrics_fit_in_no_table(tmp_path, capsys):
    for name, metric in (("a", "rr"), ("b", "ap")):
        res = rw.evaluate(rw.read_run({name: ["x"]}, name=name), {name: {"x": 1}}, [metric])
        res.save(tmp_path / f"{name}.json")
    assert run(["merge", str(tmp_path)]) == 2
    assert "systems have different metrics (a and b …)" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gone", "gone.parquet", "gone/2026-11-01..2026-11-03", "gone/2026-11-01.."])
@pytest.mark.parametrize(
    "command", [["merge"], ["compare", "none", "old"], ["gate", "none", "--baseline", "old"]]
)
def test_a_folder_that_is_not_there_is_said_to_be_not_there(tmp_path, monkeypatch, capsys, command, name):
    monkeypatch.chdir(tmp_path)
    assert run([*command, name]) == 3
    assert "cannot be read (No such file or directory)." in capsys.readouterr().err
