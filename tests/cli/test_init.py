"""``rankwell init``: what it writes validates, loads and runs; what files do not tell is asked about."""

from __future__ import annotations

import json
import re
import shutil
import tomllib

import jsonschema
import pytest
from tests.cli.samples import DATA, MOVIES, QRELS, RUN
from tools import make_schema

from rankwell.cli import run
from rankwell.cli.start import SCHEMA, part_of
from rankwell.comparison.experiment import experiment_of
from rankwell.errors import RankwellError

RATED = ["--qrels", "test.parquet", "--train", "train.parquet", "--policy", "rel=8"]
BASE = "user,item,score\nu1,a,2\nu1,b,1\nu2,a,1\n"
GRADED = "user,item,grade\nu1,a,1\nu2,b,2\nu2,c,0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def checked(path):
    """The experiment of a file that was written, which is valid, loads and runs."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(data, json.loads(SCHEMA.read_text(encoding="utf-8")))
    experiment = experiment_of(path)
    assert run(["evaluate", str(path)]) == 0
    if len(experiment.runs) > 1:
        assert run(["compare", str(path)]) == 0
        assert run(["gate", str(path), "--baseline", *[*experiment.runs][:2]]) in (
            0,
            1,
            2,
        )
    return experiment


def test_the_films_of_the_demo(folder, capsys):
    for file in MOVIES.iterdir():
        shutil.copyfile(file, folder / file.name)
    (folder / "notes.md").write_text("# Notes\n")
    assert run(["init"]) == 2
    said = capsys.readouterr().err
    assert "which file holds the judgements, test.parquet or train.parquet?" in said
    assert "rankwell init --qrels test.parquet --train train.parquet" in said
    assert run(["init", *RATED[:4]]) == 2
    assert "grades look like ratings" in (said := capsys.readouterr().err)
    assert "--policy rel=8" in said
    assert not (folder / "rankwell.toml").exists()
    assert run(["init", *RATED]) == 0
    assert capsys.readouterr().err == "rankwell: note: wrote rankwell.toml: 4 runs, judged by test.parquet.\n"
    found = checked(folder / "rankwell.toml")
    assert [*found.runs] == ["als", "itemknn", "popular", "random"]
    assert found.policy == {"rel": 8}
    assert {name: file.rpartition("/")[2] for name, file in found.tables.items()} == {
        "train": "train.parquet",
        "items": "items.parquet",
    }


def test_trec_files_in_folders_and_a_file_elsewhere(folder, capsys):
    (folder / "runs").mkdir()
    (folder / "made").mkdir()
    shutil.copyfile(QRELS, folder / "qrels.txt")
    shutil.copyfile(RUN, folder / "runs" / "bm25.run")
    shutil.copyfile(RUN, folder / "runs" / 'a "b" é.run')
    (folder / ".hidden").write_text(GRADED)
    assert run(["init", "-m", "rr,p@5", "-m", "ap(rel=2)", "-o", "made/own.toml"]) == 0
    found = checked(folder / "made" / "own.toml")
    assert set(found.runs) == {"bm25", 'a "b" é'}
    assert found.metrics == ("rr", "p@5", "ap(rel=2)")


def test_files_and_names_that_are_said_win(folder, capsys):
    write(
        folder, a_csv=BASE, b_csv=BASE, q_csv=GRADED, log_csv=GRADED, users_csv="user,country\nu1,kr\nu2,no\n"
    )
    assert run(["init", "old=a.csv", "b.csv", "--qrels", "q.csv"]) == 0
    found = checked(folder / "rankwell.toml")
    assert set(found.runs) == {"old", "b"}
    assert not found.tables


def test_what_may_be_several_things_is_not_used_and_said(folder, capsys):
    write(
        folder, a_csv=BASE, q_csv=GRADED, pairs_csv="user,item\nu1,a\n", x_csv=BASE.replace("score", "p_buy")
    )
    write(folder, both_csv="user,item,score,grade\nu1,a,1,1\n")
    assert run(["init"]) == 0
    said = capsys.readouterr().err
    assert "not used, as it is not clear what they are: both.csv, pairs.csv, x.csv" in said
    assert [*checked(folder / "rankwell.toml").runs] == ["a"]


@pytest.mark.parametrize(
    ("run_columns", "qrels_columns", "read"),
    [
        ("cust,sku,p_buy", "cust,sku,plays", [
            '# columns = {cust = "query", sku = "item", p_buy = "score"}  # model.csv, old.csv',
            '# qrels_columns = {cust = "query", sku = "item", plays = "grade"}  # t.csv',
        ]),
        ("user,item,p buy", "user,item,grade", ['# columns = {"p buy" = "score"}  # model.csv, old.csv']),
        ("cust,sku,score", "cust,sku,rating", [
            '# columns = {cust = "query", sku = "item"}  # model.csv, old.csv',
            '# qrels_columns = {cust = "query", sku = "item"}  # t.csv',
        ]),
        ("user,item,score", "user,item,bought", ['# qrels_columns = {bought = "grade"}  # t.csv']),
    ],
)  # fmt: skip
def test_columns_of_other_names_are_proposed_and_the_answer_is_one_edit(
    folder, capsys, run_columns, qrels_columns, read
):
    rows = "u1,a,0.3\nu1,b,0.9\nu2,c,0.4\n"
    write(folder, model_csv=f"{run_columns}\n{rows}", old_csv=f"{run_columns}\n{rows}")
    write(folder, t_csv=f"{qrels_columns}\nu1,b,2\nu1,a,0\nu2,c,1\n")
    assert run(["init", "model=model.csv", "old=old.csv", "--qrels", "t.csv"]) == 0
    said = capsys.readouterr().err
    assert "answer there, under [read], what the columns of " in said
    file = folder / "rankwell.toml"
    text = file.read_text()
    assert [line for line in text.splitlines() if "columns =" in line] == read
    assert experiment_of(file).read == {}  # nothing is guessed
    assert run(["evaluate", str(file)]) in (2, 3)
    file.write_text(re.sub(r"(?m)^# (\w*columns = )", r"\1", text))
    checked(file)
    capsys.readouterr()
    assert (
        run(
            [
                "init",
                "model.csv",
                "model=model.csv",
                "--qrels",
                "t.csv",
                "--policy",
                "grades=interactions",
                "-o",
                "i.toml",
            ]
        )
        == 0
    )
    assert "grade" not in (folder / "i.toml").read_text().partition("[read]")[2].partition("[policy]")[0]
    capsys.readouterr()
    assert run(["evaluate", str(file), "-m", "rr", "--format", "json"]) == 0
    assert [own["mean"]["rr"] for own in json.loads(capsys.readouterr().out)["runs"]] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("files", "words", "code", "message"),
    [
        ({}, [], 2, "no file holds judgements; say which does: rankwell init --qrels FILE."),
        ({"a_csv": BASE}, [], 2, "no file holds judgements"),
        (
            {"my log_csv": "user,item,timestamp\nu,a,5\n"},
            [],
            2,
            "test data are made by: rankwell prepare split 'my log.csv' -o split\n",
        ),
        (
            {"il_csv": "query,item,position,click,team\nq,a,1,1,A\n"},
            [],
            2,
            "the rankers are compared by: rankwell clicks interleaved il.csv\n",
        ),
        (
            {"q_csv": GRADED},
            [],
            2,
            "no file is a run by what it holds; say which is: rankwell init NAME=FILE.",
        ),
        (
            {"q_csv": GRADED, "my x_csv": BASE.replace("score", "p_buy"), "z_csv": "item,colour\na,1\n"},
            ["--qrels", "q.csv"],
            2,
            "say which is: rankwell init 'my x=my x.csv' --qrels q.csv\n",
        ),
        (
            {
                "x_csv": "cust,sku,p_buy\nu,a,1\n",
                "q_csv": "cust,sku,stars\n" + "".join(f"u,{n},{n + 1}\n" for n in range(9)),
            },
            ["x=x.csv", "--qrels", "q.csv"],
            2,
            "grades look like ratings",
        ),
        (
            {"x_csv": BASE, "q_csv": "user,item,price\n" + "".join(f"u,{n},{n + 1}\n" for n in range(9))},
            ["x=x.csv", "--qrels", "q.csv"],
            2,
            "if 'price' is the grade: grades look like ratings",
        ),
        ({"q_csv": GRADED, "p_csv": GRADED}, [], 2, "Say it: rankwell init --qrels p.csv --train q.csv"),
        ({"pairs_csv": "user,item\nu1,a\n"}, [], 2, "Say it: rankwell init --qrels pairs.csv"),
        (
            {"a_csv": "cust,sku,buy\nu,a,1\n", "b_csv": "cust,sku,stars\nu,a,1\n"},
            [],
            2,
            "a.csv or b.csv? Say it: rankwell init --qrels FILE",
        ),
        ({}, ["-o", "draft.xls"], 2, "-o draft.xls: an experiment file is .toml."),
        ({"a_csv": BASE, "q_csv": GRADED}, ["-m", "ndgc"], 2, "Did you mean ndcg?"),
        ({}, ["nowhere"], 3, "nowhere: there is no such file or folder"),
        ({"rankwell_toml": ""}, [], 2, "rankwell.toml is there already; give another name: -o other.toml."),
    ],
)
def test_what_is_missing_is_one_line_and_nothing_is_written(files, words, code, message, folder, capsys):
    write(folder, **files)
    before = {path.name for path in folder.iterdir()}
    found = run(["init", *words])
    said = capsys.readouterr().err
    assert (found, message in said, said.count("\n")) == (code, True, 1), said
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1 Q0 a 1 2.5 t\n", "run"),
        ("1 0 a 1\n", "qrels"),
        ("four words are here\n", None),
        ("six words of no number here\n", None),
        ("user,item,rank\n1,a,1\n", "run"),
        ("user,item,rating,timestamp\n1,a,1,100\n", "log"),
        ("item,title\na,b\n", "items"),
        ("user,age\n1,30\n", "users"),
        ("user,item\n1,a\n", ""),
        ("name,colour\n1,a\n", ""),
        ('{"1": {"a": 1}}', ""),
        ('{"hits": {"hits": [{"_id": "d1", "_score": 2.0}]}}', ""),
        ("", None),
    ],
)
def test_what_a_file_is_by_what_it_holds(text, part, tmp_path):
    (tmp_path / "file").write_text(text)
    assert part_of(str(tmp_path / "file")) == part


def test_the_schema_is_what_is_read():
    assert SCHEMA.read_text(encoding="utf-8") == make_schema.text(), "run python tools/make_schema.py"
    jsonschema.Draft202012Validator.check_schema(make_schema.schema())


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ('metrics = "rr"', True),
        ('[margins]\n"ndcg@10" = "1%"', True),
        ("[gate]\nmin = {rr = 0.1}\nmax_lost = 0.1\nstrict = true", True),
        ('[read]\ncolumns = {a = "query"}\nrank_base = 0', True),
        ("[policy]\nrel = 2.5\ndepth = 10", True),
        ('[seeds]\na = ["b", "c"]', True),
        ("metrics = 1", False),
        ("colour = 1", False),
        ('[policy]\nties = "never"', False),
        ("[policy]\ndepth = 1.5", False),
        ('[margins]\nrr = "a lot"', False),
        ('[rope]\nrr = "1%"', False),
        ("[gate]\nstrict = 1", False),
        ("[tables]\nrun = 'a'", False),
    ],
)  # fmt: skip
def test_the_schema_allows_what_the_file_may_hold(text, is_read, tmp_path):
    file = tmp_path / "rankwell.toml"
    file.write_text(text)
    errors = [*jsonschema.Draft202012Validator(make_schema.schema()).iter_errors(tomllib.loads(text))]
    assert (not errors) == is_read
    if is_read:
        experiment_of(file)
    else:
        with pytest.raises(RankwellError):
            experiment_of(file)


def test_the_comment_for_editors_names_the_schema(folder, capsys):
    shutil.copyfile(QRELS, folder / "q")
    assert run(["init", f"a={RUN}", "--qrels", "q"]) == 0
    first = (folder / "rankwell.toml").read_text().partition("\n")[0]
    assert first == f"#:schema {(DATA / 'config.schema.json').as_uri()}"


def test_columns_of_runs_of_two_shapes_are_one_proposal_that_works(folder, capsys):
    write(
        folder, a_csv="cust,sku,p_buy\nu1,a,0.3\nu1,b,0.9\n", b_csv="person,film,prob\nu1,b,0.3\nu1,a,0.9\n"
    )
    write(folder, t_csv="user,item,grade\nu1,b,1\n")
    assert run(["init", "a=a.csv", "b=b.csv", "--qrels", "t.csv", "-m", "rr"]) == 0
    file = folder / "rankwell.toml"
    proposal = (
        '# columns = {cust = "query", sku = "item", p_buy = "score", person = "query", film = "item", prob = "score"}'
        "  # a.csv, b.csv"
    )
    assert [line for line in file.read_text().splitlines() if "columns =" in line] == [proposal]
    file.write_text(file.read_text().replace("# columns", "columns"))
    capsys.readouterr()
    assert run(["evaluate", str(file), "--format", "json"]) == 0
    assert [each["mean"]["rr"] for each in json.loads(capsys.readouterr().out)["runs"]] == [1.0, 0.5]


def test_answers_that_name_no_query_are_asked_about(folder, capsys):
    answer = {
        "hits": {
            "hits": [{"_index": "i", "_id": item, "_score": score} for item, score in (("a", 2), ("b", 1))]
        }
    }
    (folder / "u1.json").write_text(json.dumps(answer))
    documents = [{"page_content": "x", "metadata": {"source": "b"}, "type": "Document"}]
    (folder / "chain.json").write_text(json.dumps(documents))
    write(folder, t_csv="user,item,grade\nu1,b,1\n")
    assert run(["init", "es=u1.json", "--qrels", "t.csv", "-m", "rr"]) == 0
    assert "say there, under [read], which queries u1.json answers" in capsys.readouterr().err
    file = folder / "rankwell.toml"
    text = file.read_text()
    assert '# query_ids = "stem"  # u1.json: stem, if' in text
    file.write_text(text.replace("# query_ids", "query_ids"))
    assert run(["evaluate", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["mean"]["rr"] == 0.5
    (folder / "many.json").write_text(json.dumps({"responses": [answer, answer]}))
    assert run(["init", "many=many.json", "lc=chain.json", "--qrels", "t.csv", "-o", "m.toml"]) == 0
    assert '# query_ids = "ids.txt"  # many.json, chain.json: ' in (folder / "m.toml").read_text()


@pytest.mark.parametrize(
    "other",
    [
        {"requests_ndjson": '{"index": "a"}\n{"query": {"match": {"text": "b"}}}\n'},  # of a _msearch
        {"visits_csv": "user,country\nu1,KR\nu1,CA\n"},  # several rows of a user
        {"prices_csv": "item,price\na,1\na,2\n"},
        {"gaps_csv": "user,country\nu1,KR\n,CA\n"},
    ],
)
def test_a_table_that_evaluate_does_not_read_is_not_proposed(other, folder, capsys):
    write(folder, bm25_csv=BASE, qrels_csv=GRADED, **other)
    assert run(["init", "--qrels", "qrels.csv"]) == 0
    (name,) = (key.replace("_", ".") for key in other)
    assert f"not used, as it is not clear what they are: {name}" in capsys.readouterr().err
    checked(folder / "rankwell.toml")
