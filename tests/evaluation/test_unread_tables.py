"""A file that no metric reads is still to be there: its name may be wrong, and nobody else would see it."""

from __future__ import annotations

import re

import pytest

import rankwell as rw
from rankwell.cli import run as command

QRELS, RUN = {"u": {"a": 1}}, {"u": ["a", "b"]}


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_training_data_that_are_not_there_are_an_error_whoever_needs_them(tmp_path, engine):
    for metric in ("rr", "epc@2"):
        with pytest.raises(rw.RankwellError, match=r"nope\.csv: cannot be read"):
            rw.evaluate(RUN, QRELS, [metric], train=tmp_path / "nope.csv", engine=engine)
    (tmp_path / "train.csv").write_text("user,item\nu,b\nv,a\n")
    assert rw.evaluate(RUN, QRELS, ["rr"], train=tmp_path / "train.csv", engine=engine).mean == {"rr": 1.0}
    assert rw.evaluate(RUN, QRELS, ["rr"], train=[tmp_path / "train.csv"] * 2, engine=engine).mean == {
        "rr": 1.0
    }
    assert rw.evaluate(RUN, QRELS, ["rr"], train={"u": ["b"]}, engine=engine).mean == {"rr": 1.0}


DAMAGED = {
    "no Parquet": ("train.parquet", b"PAR1 cut off"),
    "cut JSON": ("train.json", b'{"u": {"a": 1'),
    "another table": ("train.csv", b"colour,size\nred,1\n"),
    "no bytes": ("train.csv", b""),
    "a header alone": ("train.csv", b"user,item\n"),
    "no id": ("train.csv", b"user,item\nu,a\nv,\n"),
    "no text": ("train.csv", b"user,item\nu,\0\n"),
    "lines of no format": ("train.txt", b"u a\nv b\n"),
    "cut lines of JSON": ("train.jsonl", b'{"user": "u", "item": "a"}\n{"user": \n'),
    "an archive": ("train.csv", b"PK\3\4" + b"x" * 40),
    "two columns of one name": ("train.csv", b"user,item,item\nu,a,b\n"),
}


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("what", DAMAGED)
def test_training_data_that_are_no_table_are_the_same_error_whoever_needs_them(tmp_path, what, engine):
    name, content = DAMAGED[what]
    (tmp_path / name).write_bytes(content)
    said = []
    for metric in ("epc@2", "rr"):
        with pytest.raises(rw.RankwellError) as caught:
            rw.evaluate(RUN, QRELS, [metric], train=tmp_path / name, engine=engine)
        said.append(str(caught.value))
    assert said[0] == said[1].replace(f"{name}: the table", "train: the table")


def test_a_column_of_the_training_data_is_named_or_asked_about_as_where_it_is_read(tmp_path):
    (tmp_path / "train.csv").write_text("person,thing,event\nu,b,view\nv,a,buy\n")
    for metric in ("epc@2", "rr"):
        with pytest.raises(rw.RankwellError, match=re.escape("{'train.person': 'query'")):
            rw.evaluate(RUN, QRELS, [metric], train=tmp_path / "train.csv")
        columns = {"train.person": "query", "train.thing": "item"}
        assert rw.evaluate(RUN, QRELS, [metric], train=tmp_path / "train.csv", columns=columns).mean


def test_the_command_says_that_they_were_not_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.qrels").write_text("u 0 a 1\n")
    (tmp_path / "r.run").write_text("u Q0 a 1 2 t\n")
    (tmp_path / "train.csv").write_text("user,item\nu,b\n")
    asked = ["evaluate", "q.qrels", "r.run", "-m", "rr", "-v", "--train"]
    assert command([*asked, "train.csv"]) == 0
    assert "train.csv: not read, as no metric needs the training data" in capsys.readouterr().err
    assert command([*asked, "train.csv", "-m", "epc@2"]) == 0
    assert "not read, as no metric" not in capsys.readouterr().err
    assert command([*asked, "nope.csv"]) == 3
    assert "nope.csv: cannot be read" in capsys.readouterr().err
