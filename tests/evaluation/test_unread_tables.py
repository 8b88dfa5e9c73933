"""A file that no metric reads is still to be there: its name may be wrong, and nobody else would see it."""

from __future__ import annotations

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
