"""Results kept as files: nothing is lost, others can read them, and nothing is half written."""

from __future__ import annotations

import json
from importlib.resources import files

import duckdb
import jsonschema
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from markdown_it import MarkdownIt
from tests.results.test_segments import ITEMS, METRICS, QRELS, RUN, USERS

import rankwell as rw
from rankwell.cli import run as command

SCHEMA = json.loads((files("rankwell") / "data" / "results.schema.json").read_text(encoding="utf-8"))
WHOLE = USERS.vstack(USERS[:6].with_columns(user_id=pl.Series([f"q{number}" for number in range(30, 36)])))
RES = {
    "plain": rw.evaluate(RUN, QRELS, METRICS, items=ITEMS),
    "divided": rw.evaluate(
        RUN, QRELS, METRICS, items=ITEMS, users=WHOLE, by=["tier", "country"], weights="spent"
    ),
    "sliced": rw.evaluate(
        RUN, QRELS, ["ap", "num_rel"], users=WHOLE, by="tier", weights="spent", slices={"head": ITEMS[:5]}
    ),
    "ties": rw.evaluate({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}, ["rr", "utility", "first_rank"]),
    "ratings": rw.evaluate(
        {1: {2: 1.0}}, {1: {2: 9}}, ["ndcg"], policy=rw.Policy(grades="ratings", rel=8, depth=3)
    ),
    "undefined": rw.evaluate({"q": ["a"]}, {"q": {"b": 0}}, ["ap", "judged@1"]),
}


@pytest.mark.parametrize("name", RES)
@pytest.mark.parametrize("suffix", [".parquet", ".json"])
def test_what_is_saved_comes_back(tmp_path, name, suffix):
    res = RES[name]
    res.save(tmp_path / f"res{suffix}")
    again = rw.Results.load(tmp_path / f"res{suffix}")
    assert again.to_dict(per_query=True) == res.to_dict(per_query=True)
    assert again.per_query.equals(res.per_query)
    assert again.to_table().to_text() == res.to_table().to_text()
    assert again.to_json() == res.to_json()
    if res.has_segments:
        assert str(again.segments) == str(res.segments)
    again.save(tmp_path / f"again{suffix}")
    assert rw.Results.load(tmp_path / f"again{suffix}").to_json() == res.to_json()


@pytest.mark.parametrize("name", RES)
@pytest.mark.parametrize("per_query", [False, True])
def test_the_json_is_of_its_schema(name, per_query):
    jsonschema.validate(json.loads(RES[name].to_json(per_query=per_query)), SCHEMA)


def test_a_document_that_is_not_of_the_schema_is_noticed():
    data = json.loads(RES["plain"].to_json())
    for change in ({"schema": 2}, {"mean": {"ap": "x"}}, {"extra": 1}, {"metrics": []}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data | change, SCHEMA)


def test_polars_pandas_and_duckdb_read_the_saved_parquet(tmp_path):
    file, res = tmp_path / "res.parquet", RES["plain"]
    res.save(file)
    assert pl.read_parquet(file).equals(res.per_query)
    theirs = pd.read_parquet(file)
    assert theirs["ndcg@5"].isna().sum() == res.per_query["ndcg@5"].null_count()
    assert theirs["ap"].mean() == pytest.approx(res["ap"])
    rows = duckdb.sql(f"select avg(ap), count(*) from '{file}'").fetchall()
    assert rows == [(pytest.approx(res["ap"]), len(res.per_query))]
    assert json.loads(pl.read_parquet_metadata(file)["rankwell"])["policy"]["ties"] == "item-desc"


def test_results_speak_arrow_and_pandas():
    res = RES["plain"]
    assert pa.table(res).num_rows == len(res.per_query)
    assert pl.DataFrame(res).equals(res.per_query)
    assert res.to_pandas()["query"].tolist() == res.per_query["query"].to_list()


def test_added_loaded_results_keep_what_can_be_added(tmp_path):
    left = rw.evaluate({"a": ["x", "y"]}, {"a": {"y": 1}}, ["ap"])
    right = rw.evaluate({"b": ["x", "y"]}, {"b": {"x": 1}}, ["ap"])
    left.save(tmp_path / "left.parquet")
    assert (rw.Results.load(tmp_path / "left.parquet") + right)["ap"] == 0.75
    assert (right + rw.Results.load(tmp_path / "left.parquet"))["ap"] == 0.75


def test_results_saved_without_states_are_refused(tmp_path):
    tied = rw.evaluate({"a": {"x": 1.0, "y": 1.0}}, {"a": {"y": 1}}, ["rr"])
    other = rw.evaluate({"b": ["x"]}, {"b": {"x": 1}}, ["rr"])
    tied.save(tmp_path / "tied.json")
    again = rw.Results.load(tmp_path / "tied.json")
    assert again.tie_range == {"rr": (0.5, 1.0)}
    assert (again + other).tie_range == {"rr": (0.75, 1.0)}
    data = json.loads((tmp_path / "tied.json").read_text(encoding="utf-8"))
    for word in (
        "states",
        "per_query",
    ):  # of an earlier version; of `rankwell evaluate -o` without --per-query
        del data[word]
        (tmp_path / "old.json").write_text(json.dumps(data))
        old = rw.Results.load(tmp_path / "old.json")
        for left, right in ((old, other), (other, old)):
            with pytest.raises(rw.RankwellError, match=r"cannot add loaded results: .* evaluate --per-query"):
                left + right


def test_tables_are_markdown_latex_and_html(tmp_path):
    res = RES["divided"]
    for suffix in (".md", ".tex", ".html", ".csv"):
        res.save(tmp_path / f"res{suffix}")
    tokens = MarkdownIt().enable("table").parse((tmp_path / "res.md").read_text(encoding="utf-8"))
    assert sum(token.type == "tr_open" for token in tokens) == len(METRICS) + 1
    latex = (tmp_path / "res.tex").read_text(encoding="utf-8")
    assert latex.count(r"\begin{") == latex.count(r"\end{") == 2
    assert all(line.count("&") == 3 for line in latex.splitlines() if line.endswith(r"\\"))
    assert res.to_html(full=True) == (tmp_path / "res.html").read_text(encoding="utf-8")
    assert res.to_html().partition("</tbody>")[0] in res.to_html(full=True)
    assert pl.read_csv(tmp_path / "res.csv")["ap"].mean() == pytest.approx(res.plain_mean["ap"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.parquet", b"PAR1nonsense", "the Parquet file cannot be read; it is damaged or cut off"),
        ("no.json", b"{", "this is no file of results, which is JSON"),
        (
            "other.json",
            b'{"a": 1}',
            "this is no file of results; Results.load reads files written by Results.save",
        ),
        (
            "later.json",
            b'{"metrics": [], "schema": 9}',
            "written with schema 9, but this version of rankwell reads schemas up to 1",
        ),
    ],
)
def test_what_holds_no_results_is_said(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(rw.RankwellError) as error:
        rw.Results.load(tmp_path / name)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["nowhere.json", "nowhere.parquet", "nowhere"])
def test_a_file_of_results_that_is_not_there_is_said_as_of_any_file(tmp_path, name):
    with pytest.raises(rw.RankwellError, match=r": cannot be read \(No such file or directory\)\.$"):
        rw.Results.load(tmp_path / name)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(rw.RankwellError, match="results are written as"):
        RES["plain"].save(tmp_path / "res.xls")
    with pytest.raises(rw.RankwellError, match="cannot be written"):
        RES["plain"].save(tmp_path / "nowhere" / "res.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["markdown", "latex", "html", "json", "csv", "text"])
def test_the_command_writes_every_form(tmp_path, form):
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    files = [str(tmp_path / "qrels.json"), str(tmp_path / "run.json")]
    assert (
        command(["evaluate", *files, "-m", "ap,ndcg@5", "--format", form, "-o", str(tmp_path / "out")]) == 0
    )
    shown = repr(RES["plain"]["ap"]) if form in ("json", "csv") else f"{RES['plain']['ap']:.4f}"
    assert shown in (tmp_path / "out").read_text(encoding="utf-8")


def test_the_command_saves_parquet_of_one_run(tmp_path, capsys):
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    files = [str(tmp_path / "qrels.json"), str(tmp_path / "run.json")]
    assert command(["evaluate", *files, "-m", "ap", "--format", "parquet"]) == 2
    assert "-o FILE.parquet" in capsys.readouterr().err
    out = str(tmp_path / "out.parquet")
    assert command(["evaluate", *files, "-m", "ap", "--format", "parquet", "-o", out]) == 0
    assert rw.Results.load(out)["ap"] == RES["plain"]["ap"]


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_results_whose_counts_were_added_up_by_item_are_loaded(tmp_path, suffix):
    # as Spark makes them of a large catalogue: such states cannot be added, which loading tried
    wanted = ["coverage@2", "personalization@3", "personalization(similarity=overlap)@3", "test_share@4"]
    res = rw.evaluate(RUN, QRELS, wanted, items=ITEMS)
    mean = res.mean
    for metric, state in res.part.states.items():
        if hasattr(state, "folded"):
            res.part.states[metric] = state.folded()
    assert {type(state).__name__ for state in res.part.states.values()} >= {"Tally", "FewerJudged"}
    res.save(tmp_path / f"all.{suffix}")
    loaded = rw.Results.load(tmp_path / f"all.{suffix}")
    assert loaded.mean == mean
    with pytest.raises(rw.RankwellError, match="cannot add"):
        loaded + loaded
