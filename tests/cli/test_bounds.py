"""The option --bounds of `rankwell evaluate`."""

from __future__ import annotations

import json

import pytest
from tests.cli.samples import QRELS, RUN

import rankwell as rw
from rankwell.cli import run


def test_bounds_are_columns_beside_the_values(capsys):
    assert run(["evaluate", QRELS, RUN, "-m", "p@5,ap,bpref", "--bounds"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[2].split()[:4] == ["metric", "value", "lowest", "highest"]
    assert "no lowest value of ap: no pool was stated" in shown
    assert "no bounds of bpref" in shown


def test_the_options_are_the_arguments(capsys, tmp_path):
    other = tmp_path / "other.run"
    other.write_text("\n".join(f"{q} Q0 new{q} 1 1.0 x" for q in (301, 302, 303)), encoding="utf-8")
    words = ["--bounds", "--pool", "20", "--pool", str(other), "--scale", "0,1,2,4", "--format", "json"]
    assert run(["evaluate", QRELS, RUN, "-m", "ap,ndcg@10", *words]) == 0
    found = json.loads(capsys.readouterr().out)["runs"][0]
    res = rw.evaluate(RUN, QRELS, ["ap", "ndcg@10"], bounds=True, pool=[20, str(other)], scale=[0, 1, 2, 4])
    assert found["bounds"] == res.bounding.to_dict()
    assert found["bounds"]["grades"] == [0, 1, 2, 4]
    assert [each["bounds"] for each in found["metrics"]] == [own.to_dict() for own in res.bounds.values()]


@pytest.mark.parametrize("form", ["csv", "markdown", "latex", "html"])
@pytest.mark.parametrize("more", [[], ["--per-query"], [RUN]], ids=["one", "queries", "two"])
def test_every_format_has_the_bounds(capsys, form, more):
    assert run(["evaluate", QRELS, RUN, *more, "-m", "p@5,set_r", "--bounds", "--format", form]) == 0
    shown = capsys.readouterr().out
    res = rw.evaluate(RUN, QRELS, ["p@5"], bounds=True)
    high = res.bounds["p@5"].high
    assert (f"{high:.4f}" in shown) or (str(high) in shown) or str(res.per_query["p@5 high"][0]) in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pool", "10"], "--pool is about bounds"),
        (["--bounds", "--scale", "many"], "--scale"),
        (["--bounds", "--ties", "best"], "--ties best"),
        (["--bounds", "--engine", "stream"], "--engine memory"),
        (["--bounds", "--weights", "w", "--users", "u"], "--weights"),
        (["--bounds", "--pool", "no-such-file"], "no-such-file"),
        (["--bounds", "--rel-sweep", "1,2"], "--rel-sweep"),
    ],
)
def test_what_does_not_go_together_is_refused(capsys, words, message):
    assert run(["evaluate", QRELS, RUN, "-m", "ap", *words]) in (2, 3)
    shown = capsys.readouterr()
    assert message in shown.err
    assert "Traceback" not in shown.err
    assert not shown.out
