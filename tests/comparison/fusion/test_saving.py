"""A fused run in a file is the same run."""

from __future__ import annotations

import os

import pytest
from tests.every import every

import rankwell as rw
from rankwell.comparison.fusion.fuse import SUFFIXES, TREC

RUNS = {
    "a": {"q1": {"d1": 0.1, "é": 7e-12, '"x,y"': 1e20}, "q2": {"d1": -1 / 3}},
    "b": {"q1": {"d2": 2 / 3}, "0": {"0104257": 1.0}},
}


@every("suffix", SUFFIXES)
def test_what_is_read_back_is_what_was_saved(suffix, tmp_path):
    fused = rw.fuse(RUNS, "comb_sum", norm="none")
    path = tmp_path / f"fused{suffix}"
    fused.save(path)
    again = rw.read_run(path)
    rows = again.rows.table()
    wanted = fused.to_frame()
    assert rows.query.tolist() == wanted["query"].to_list()
    assert rows.item.tolist() == wanted["item"].to_list()
    found = rows.key if rows.given_score is None else rows.given_score
    assert list(found) == wanted["score"].to_list()
    qrels = {"q1": {"d2": 1, '"x,y"': 2}, "q2": {"d1": 1}, "0": {"0104257": 1}}
    assert rw.evaluate(path, qrels, ["ndcg", "rr"]).mean == rw.evaluate(fused, qrels, ["ndcg", "rr"]).mean


def test_trec_text_has_the_six_columns_and_the_name_as_tag(tmp_path):
    runs = [
        {"q1": {'"x,y"': 1.5, "d1": 0.1}, "0": {"0104257": 1.0}},
        {"q1": {"d2": 2 / 3}, "q2": {"d1": -1 / 3}},
    ]
    rw.fuse(runs, "comb_sum", norm="none", name="my  fusion", top=2).save(tmp_path / "x.run")
    assert (tmp_path / "x.run").read_text(encoding="utf-8").splitlines() == [
        'q1 Q0 "x,y" 1 1.5 my_fusion',
        "q1 Q0 d2 2 0.6666666666666666 my_fusion",
        "0 Q0 0104257 1 1.0 my_fusion",
        "q2 Q0 d1 1 -0.3333333333333333 my_fusion",
    ]


def test_integer_ids_are_written_in_decimal(tmp_path):
    rw.fuse([[[3, 1]], [[1]]], name="n").save(tmp_path / "x.txt")
    assert [line.split()[:4] for line in (tmp_path / "x.txt").read_text().splitlines()] == [
        ["0", "Q0", "1", "1"],
        ["0", "Q0", "3", "2"],
    ]


@every(("query", "item"), [("a b", "d"), ("q", "d\te"), ("q", ""), ("q", "x\u00a0y")])
def test_an_id_that_trec_text_cannot_hold_is_refused_and_other_formats_take_it(query, item, tmp_path):
    fused = rw.fuse([{query: [item]}, {query: [item, "other"]}])
    with pytest.raises(rw.RankwellError, match=r"is empty or has white space.*Choose another format"):
        fused.save(tmp_path / "x.run")
    assert not (tmp_path / "x.run").exists()
    fused.save(tmp_path / "x.parquet")
    assert rw.read_run(tmp_path / "x.parquet").rows.table().item.tolist() == [item, "other"]


def test_an_unknown_suffix_is_refused_with_those_that_are_known(tmp_path):
    fused = rw.fuse(RUNS, "comb_sum")
    with pytest.raises(
        rw.RankwellError,
        match=r"runs are written as .run, .trec or .txt \(TREC text\) or .csv.*mean .parquet",
    ):
        fused.save(tmp_path / "x.parqet")
    with pytest.raises(rw.RankwellError, match="cannot be written"):
        fused.save(tmp_path / "nowhere" / "x.run")


@pytest.mark.skipif(not hasattr(os, "umask"), reason="a file system with modes")
def test_a_file_appears_when_it_is_whole(tmp_path):
    rw.fuse(RUNS, "comb_sum").save(tmp_path / "x.run")
    assert [path.name for path in tmp_path.iterdir()] == ["x.run"]
    assert {".run", ".trec", ".txt"} == {*TREC}
