"""The command ``diff``: what it prints, reads and refuses."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.cli.samples import MOVIES

import rankwell as rw
from rankwell.cli.main import run

TEST, OLD, NEW, ITEMS = (str(MOVIES / f"{name}.parquet") for name in ("test", "popular", "itemknn", "items"))
FILMS = [TEST, OLD, NEW, "--rel", "8"]


def printed(capsys, *arguments):
    assert run(["diff", *arguments]) == 0
    return capsys.readouterr().out


def test_it_prints_the_tables_of_the_library(capsys):
    found = rw.diff({"popular": OLD, "itemknn": NEW}, TEST, rel=8)
    assert printed(capsys, *FILMS) == repr(found) + "\n"
    assert printed(capsys, *FILMS, "--query", "4422") == repr(found.query("4422")) + "\n"
    some = rw.diff({"popular": OLD, "itemknn": NEW}, TEST, "rr", rel=8, top=3, direction="worse")
    assert printed(capsys, *FILMS, "-m", "rr", "--top", "3", "--direction", "worse") == repr(some) + "\n"


def test_segments_and_texts_come_from_tables(tmp_path, capsys):
    (tmp_path / "users.csv").write_text("user_id,tier\n10532,gold\n3659,silver\n")
    (tmp_path / "names.tsv").write_text("10532\tAda\n3659\tBob\n")
    shown = printed(
        capsys, *FILMS, "--users", str(tmp_path / "users.csv"), "--by", "tier", "--queries", str(tmp_path / "names.tsv"),
        "--top", "2",
    )  # fmt: skip
    assert "(unknown)" in shown
    assert "10532  gold    1.0000  0.0000  -1.0000  0.051  Ada" in shown
    shown = printed(capsys, *FILMS, "--query", "4422", "--items", ITEMS, "--text", "genres")
    assert "Action|Adventure|Fantas…" in shown


def test_saved_results_need_no_judgements_and_have_no_lists(tmp_path, capsys):
    saved = [str(tmp_path / name) for name in ("old.json", "new.parquet")]
    for path, system in zip(saved, (OLD, NEW), strict=True):
        assert run(["evaluate", TEST, system, "-m", "ndcg@10", "--rel", "8", "--per-query", "-o", path]) == 0
    alone = json.loads(printed(capsys, "none", *saved, "--format", "json"))
    assert alone["queries"] == json.loads(printed(capsys, *FILMS, "--format", "json"))["queries"]
    assert (alone["a"], alone["b"]) == ("old", "new")
    assert run(["diff", "none", *saved, "--query", "4422"]) == 2
    assert "hold values but no lists" in capsys.readouterr().err
    both = str(tmp_path / "both.json")
    assert run(["evaluate", TEST, OLD, NEW, "-m", "ndcg@10", "--rel", "8", "--per-query", "-o", both]) == 0
    assert run(["diff", "none", both, saved[0]]) == 2
    assert "holds results of 2 runs (popular, itemknn)" in capsys.readouterr().err


@pytest.mark.parametrize("query", [[], ["--query", "4422"]])
def test_every_format_is_written(query, tmp_path, capsys):
    for suffix in ("md", "tex", "html", "csv", "json"):
        path = tmp_path / f"table.{suffix}"
        assert run(["diff", *FILMS, *query, "-o", str(path)]) == 0
        assert "popular" in path.read_text(encoding="utf-8") or (suffix == "csv" and not query)
    assert capsys.readouterr().out == ""
    rows = list(csv.reader(io.StringIO(printed(capsys, *FILMS, *query, "--format", "csv"))))
    assert len({len(row) for row in rows}) == 1
    json.loads(printed(capsys, *FILMS, *query, "--format", "json"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([TEST, OLD, OLD, "--rel", "8"], 2, "A and B are the same"),
        ([TEST, OLD, NEW], 2, "Set --rel 7"),
        ([TEST, f"x={OLD}", f"x={NEW}", "--rel", "8"], 2, "two runs are called 'x'; give each a name of its own: name=file"),
        ([*FILMS, "-m", "coverage@10"], 2, "has one value for all lists"),
        ([*FILMS, "--query", "44222"], 2, "Did you mean 4422?"),
        ([*FILMS, "--top", "0"], 2, "--top 0: must be at least 1" ),
        ([*FILMS, "--text", "title"], 2, "--text names a column of --items"),
        ([*FILMS, "--by", "tier"], 2, "give --users"),
        ([*FILMS, "-m", "num_ret", "--direction", "worse"], 2, "neither end of num_ret is better"),
        (["none", OLD, NEW], 2, "ndcg@10 needs judgements"),
        ([TEST, OLD, "nothing.run", "--rel", "8"], 3, "nothing.run: cannot be read"),
        ([*FILMS, "--queries", TEST], 3, "query '10087' is repeated"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line(arguments, code, message, capsys):
    assert run(["diff", *arguments]) == code
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_the_help_leads_to_what_says_whether_and_why(capsys):
    shown = " ".join(printed(capsys, "--help-all").split())
    assert "rosetta" in shown
    assert "compare" in shown
