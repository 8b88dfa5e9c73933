"""The command ``suite``."""

from __future__ import annotations

import json

import polars as pl
import pytest
import yaml

import rankwell as rw
from rankwell.cli.main import run

VALUES = {"a": [0.61, 0.55, 0.72, 0.48, 0.66, 0.59, 0.7], "b": [0.6, 0.56, 0.7, 0.49, 0.65, 0.57, 0.71],
          "c": [0.52, 0.47, 0.66, 0.4, 0.6, 0.5, 0.62]}  # fmt: skip


@pytest.fixture
def table(tmp_path):
    rows = [
        {"task": f"t{t}", "system": name, "value": value}
        for name, own in VALUES.items()
        for t, value in enumerate(own)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "table.csv")
    return str(tmp_path / "table.csv")


def board(table, *words):
    return rw.read_suite(table, "ndcg@10").board(*words)


def test_the_table_is_that_of_the_library(table, capsys):
    assert run(["suite", table, "-m", "ndcg@10"]) == 0
    assert capsys.readouterr().out.rstrip() == board(table).to_text()
    assert (
        run(["suite", table, "-m", "ndcg@10", "--rank-by", "borda", "--draw", "tasks", "--level", "0.9"]) == 0
    )
    assert capsys.readouterr().out.rstrip() == board(table, "borda", "tasks", 0.9).to_text()


def test_every_form_is_written(table, tmp_path, capsys):
    for suffix in "json", "csv", "tex", "md", "html":
        assert run(["suite", table, "-m", "ndcg@10", "-o", str(tmp_path / f"board.{suffix}")]) == 0
    own = board(table)
    assert (tmp_path / "board.json").read_text(encoding="utf-8").rstrip() == own.to_json()
    assert json.loads((tmp_path / "board.json").read_text(encoding="utf-8"))["draw"] == "tasks"
    assert pl.read_csv(tmp_path / "board.csv").equals(own.to_frame().cast({"needed": pl.Int64}))
    assert (tmp_path / "board.tex").read_text(encoding="utf-8").rstrip() == own.to_latex()
    assert (tmp_path / "board.md").read_text(encoding="utf-8").rstrip() == own.to_card()
    assert "Which ranks are real" in (tmp_path / "board.html").read_text(encoding="utf-8")
    assert run(["suite", table, "-m", "ndcg@10", "--system", "b", "-o", str(tmp_path / "card.md")]) == 0
    (model,) = yaml.safe_load((tmp_path / "card.md").read_text(encoding="utf-8").split("---\n")[1])[
        "model-index"
    ]
    assert model["name"] == "b"
    assert run(["suite", table, "-m", "ndcg@10", "--lang", "ko", "--format", "html"]) == 0
    assert "어느 순위가 진짜인가" in capsys.readouterr().out


def test_errors_name_options_that_work(table, tmp_path, capsys):
    assert run(["suite", table, "--system", "b"]) == 2
    assert "-o card.md" in capsys.readouterr().err
    assert run(["suite", table, "--draw", "queries"]) == 2
    assert "or --draw tasks" in capsys.readouterr().err
    assert run(["suite", table, "-o", table]) == 2
    assert "would overwrite an input" in capsys.readouterr().err
    lacking = tmp_path / "lacking.csv"
    lacking.write_text("task,system,value,metric\nt,a,0.5,rr\nt,b,0.5,rr\nu,a,0.5,p@1\n")
    assert run(["suite", str(lacking)]) == 3
    assert (
        capsys.readouterr().err
        == "rankwell: b has no value for u; --missing shared uses the 1 task that all have\n"
    )
    lacking.write_text("task,system,value,metric\nt,a,0.5,rr\nu,a,0.5,p@1\n")
    assert run(["suite", str(lacking)]) == 2
    assert "a mean of both says nothing; --rank-by borda" in capsys.readouterr().err


def test_pictures_are_drawn_of_a_table(table, tmp_path):
    for kind in "ranks", "heatmap":
        assert run(["plot", kind, table, "-m", "ndcg@10", "-o", str(tmp_path / f"{kind}.svg")]) == 0
        assert (tmp_path / f"{kind}.svg").read_text(encoding="utf-8").startswith("<svg")
