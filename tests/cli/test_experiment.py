"""Experiment files: one file that evaluate, compare and gate read; what is given beside it wins."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files

import pytest

import rankwell as rw
from rankwell.cli.main import run

FILMS = files("rankwell") / "data" / "movietweetings"
SAYS = """\
qrels = "test.parquet"
metrics = ["ndcg@10", "rr"]
baseline = "als"
primary = "ndcg@10"
[runs]
popular = "lists/popular.parquet"
als = "lists/als.parquet"
[policy]
rel = 8
[margins]
"ndcg@10" = 0.01
rr = 0.02
[statistics]
flips = 499
resamples = 99
[gate]
max_lost = "2%"
strict = true
"""


@pytest.fixture
def experiment(tmp_path):
    (tmp_path / "lists").mkdir()
    for name in ("popular", "als"):
        (tmp_path / "lists" / f"{name}.parquet").write_bytes((FILMS / f"{name}.parquet").read_bytes())
    (tmp_path / "test.parquet").write_bytes((FILMS / "test.parquet").read_bytes())
    path = tmp_path / "rankwell.toml"
    path.write_text(SAYS.replace("flips = 499", "flips = 999"), encoding="utf-8")
    return path


def origin(path):
    return f"rankwell.toml sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def test_evaluate_prints_the_runs_by_their_names_and_the_hash_of_the_file(experiment, capsys):
    assert run(["evaluate", str(experiment), "--format", "json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [each["run"] for each in runs] == ["popular", "als"]
    assert {each["experiment"] for each in runs} == {origin(experiment)}
    assert (
        runs[0]["mean"]
        == rw.evaluate(FILMS / "popular.parquet", FILMS / "test.parquet", ["ndcg@10", "rr"], rel=8).mean
    )


def test_results_keep_the_experiment_through_files_and_addition(experiment, tmp_path):
    saved = tmp_path / "als.json"
    more = ["-m", "rr", "--per-query", "-o", str(saved)]
    experiment.write_text(SAYS.replace('popular = "lists/popular.parquet"\n', ""), encoding="utf-8")
    assert run(["evaluate", str(experiment), *more]) == 0
    assert rw.Results.load(saved).experiment == origin(experiment)


def test_compare_does_what_its_arguments_would_do(experiment, capsys):
    assert run(["compare", str(experiment), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    again = rw.compare(**rw.read_experiment(experiment))
    assert told["cells"] == json.loads(again.to_json())["cells"]
    assert told["experiment"] == again.experiment == origin(experiment)
    assert told["methods"]["margins"] == {"ndcg@10": 0.01, "rr": 0.02}
    assert f"experiment: {origin(experiment)}" in repr(again)


def test_a_rope_seeds_and_folds_are_said_as_the_command_takes_them(experiment, capsys):
    folder = experiment.parent / "lists"
    for seed in (1, 2, 3):
        (folder / f"a{seed}.parquet").write_bytes((FILMS / "als.parquet").read_bytes())
        (folder / f"p{seed}.parquet").write_bytes((FILMS / "itemknn.parquet").read_bytes())
    runs = "".join(f'{name}{seed} = "lists/{name}{seed}.parquet"\n' for name in "ap" for seed in (1, 2, 3))
    more = '[rope]\nrr = 0.002\n[seeds]\nA = ["a1", "a2", "a3"]\n[folds]\nP = ["p1", "p2", "p3"]\n'
    text = experiment.read_text(encoding="utf-8").replace("[policy]", f"{runs}[policy]") + more
    experiment.write_text(text.replace('baseline = "als"', 'baseline = "A"'), encoding="utf-8")
    assert run(["compare", str(experiment), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    again = json.loads(rw.compare(**rw.read_experiment(experiment)).to_json())
    assert told["cells"] == again["cells"]
    assert (told["seeds"], told["folds"]) == ({"A": ["a1", "a2", "a3"]}, {"P": ["p1", "p2", "p3"]})
    assert (told["systems"], told["baseline"]) == (["popular", "als", "A", "P"], "A")
    assert told["methods"]["ropes"] == {"rr": 0.002}
    assert run(["gate", str(experiment), "popular"]) == 2
    assert "the baseline 'A' is several runs" in capsys.readouterr().err
    experiment.write_text(text.replace('["a1", "a2", "a3"]', '"a1"'), encoding="utf-8")
    assert run(["compare", str(experiment)]) == 2
    assert "[seeds] A must be a list of runs" in capsys.readouterr().err


def test_what_is_given_beside_the_file_wins(experiment, capsys):
    assert (
        run(
            [
                "compare",
                "--experiment",
                str(experiment),
                "-m",
                "hit@10",
                "--baseline",
                "popular",
                "--format",
                "json",
            ]
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["baseline"] == "popular"
    assert [each["metric"] for each in told["metrics"]] == ["hit@10"]
    assert told["methods"]["primary"] == ""


def test_gate_takes_the_other_run_as_the_new_one(experiment, capsys):
    assert run(["gate", str(experiment), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["new"], told["baseline"], told["rules"]["strict"]) == ("popular", "als", True)
    assert {each["check"]: each["margin"] for each in told["checks"]} == {"ndcg@10": "0.01", "rr": "0.02"}
    assert told["limits"][-1]["name"] == "lost queries at most 2%"
    assert (
        run(
            [
                "gate",
                str(experiment),
                "als",
                "--baseline",
                str(experiment.parent / "lists" / "popular.parquet"),
            ]
        )
        == 1
    )


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("primary =", "primry =", 2, "'primry' is none of qrels, metrics"),
        ("rel = 8", "rle = 8", 2, "[policy] has no 'rle', only"),
        ('metrics = ["ndcg@10", "rr"]', "metrics = 3", 2, "metrics must be a list of texts, not 3"),
        ("[runs]", "[runs", 3, "cannot be read as an experiment file"),
        ('als = "lists/als.parquet"', "als = 7", 2, "[runs] als must be a file, not 7"),
        ('baseline = "als"', 'baseline = "asl"', 2, "Did you mean als?"),
        ("lists/als", "lists/nothing", 3, "nothing.parquet"),
        ("rr = 0.02", "rr = 2", 2, "a margin of 2 is larger than rr can differ by"),
        ("rel = 8", "rel = 8\ndepth = 1.5", 2, "[policy] depth must be a whole number such as 10, not 1.5"),
        ("rel = 8", 'rel = 8\nties = "oder"', 2, "best or worst, not 'oder'. Did you mean order?"),
        ("flips = 499", "flips = 99.4", 2, "[statistics] flips must be a whole number such as 10, not 99.4"),
        ("flips = 499", "seed = true", 2, "[statistics] seed must be a whole number such as 10, not True"),
        ("flips = 499", 'test = ["t"]', 2, "[statistics] test must be t, flips, wilcoxon or sign, not ['t']"),
        ("flips = 499", "alpha = nan", 2, "[statistics] alpha must be a number such as 0.01, not nan"),
        ("rel = 8", "rel = false", 2, "[policy] rel must be a number such as 0.01, not False"),
        ("rel = 8", 'drop_own_query = "yes"', 2, "[policy] drop_own_query must be true or false, not 'yes'"),
        (
            "rr = 0.02",
            'rr = "much"',
            2,
            "[margins] rr must be a number, or a share such as \"1%\", not 'much'",
        ),
        (
            "[gate]",
            "[rope]\nrr = {a = 1}\n[gate]",
            2,
            "[rope] rr must be a number such as 0.01, not {'a': 1}",
        ),
        ("[gate]", "[seeds]\nA = [1]\n[gate]", 2, "[seeds] A must be a list of runs, not [1]"),
        ("[gate]", "[folds]\nA = [[]]\n[gate]", 2, "[folds] A must be a list of runs, not [[]]"),
        ("[gate]", "[read]\ncolumns = {a = 3}\n[gate]", 2, "[read] columns must be a table of texts"),
        ("[gate]", "[read]\nrank_base = 7\n[gate]", 2, "[read] rank_base must be 0 or 1, not 7"),
        ("strict = true", "strict = 1", 2, "[gate] strict must be true or false, not 1"),
        ("strict = true", "min = [3]", 2, "[gate] min must be a number, a list such as"),
        ('max_lost = "2%"', "max_lost = 2020-01-01", 2, "[gate] max_lost must be a number, or a share"),
        ('primary = "ndcg@10"', f"primary = {'[' * 5_000}", 3, "nested too deeply"),
    ],
)
def test_what_the_file_cannot_say_is_refused_with_its_name(experiment, capsys, old, new, code, message):
    experiment.write_text(SAYS.replace(old, new, 1), encoding="utf-8")
    assert run(["compare", str(experiment)]) == code
    err = capsys.readouterr().err
    assert message in err
    assert "rankwell.toml" in err or code == 3 or "a margin of" in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_and_an_option_without_one(tmp_path, capsys):
    assert run(["evaluate", str(tmp_path / "no.toml")]) == 3
    assert run(["evaluate", "--experiment", "results"]) == 2
    assert "names a file such as rankwell.toml" in capsys.readouterr().err


def test_addresses_and_collections_are_not_named_from_the_folder_of_the_file(tmp_path):
    # urllib and ir_datasets know only the whole address; a slash was lost when it was joined like a path
    path = tmp_path / "rankwell.toml"
    path.write_text(
        'qrels = "irds:beir/scifact/test"\n[runs]\na = "s3://b/q.parquet"\nb = "https://h.org/x//y.parquet"\nc = "c.run"\n'
        'd = "/d.run"\n[tables]\ntrain = "gs://b/t.csv"\n'
    )
    found = rw.read_experiment(path)
    assert found["qrels"] == "irds:beir/scifact/test"
    assert found["runs"]["a"] == "s3://b/q.parquet"
    assert found["runs"]["b"] == "https://h.org/x//y.parquet"
    assert found["runs"]["c"] == str(tmp_path / "c.run")
    assert found["runs"]["d"] == "/d.run"
    assert found["train"] == "gs://b/t.csv"


def test_a_byte_order_mark_is_no_part_of_the_file(experiment, capsys):
    plain = rw.read_experiment(experiment)
    experiment.write_bytes(b"\xef\xbb\xbf" + experiment.read_bytes())
    assert rw.read_experiment(experiment) == plain | {"experiment": origin(experiment)}
    assert run(["evaluate", str(experiment)]) == 0
