"""A folder given in place of a file."""

from __future__ import annotations

import re

import polars as pl
import pytest

import rankwell as rw


def test_a_folder_is_refused_with_the_files_to_name(tmp_path):
    beir = tmp_path / "scifact"
    (beir / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels/train.tsv"):
        (beir / name).write_text("x\n")
    judged = re.escape(f"judgements are in {beir / 'qrels' / 'test.tsv'} or {beir / 'qrels' / 'train.tsv'}.")
    with pytest.raises(rw.RankwellError, match=judged):
        rw.read_qrels(beir)
    for name in ("qrels/test.tsv", "qrels/train.tsv"):
        (beir / name).unlink()
    with pytest.raises(rw.RankwellError, match=re.escape(f"or several as '{beir / '*.jsonl'}'.")):
        rw.read_qrels(beir)
    for name in ("a.run.gz", "b.run.gz", "readme.md", ".hidden"):
        (beir / "qrels" / name).write_text("x\n")
    with pytest.raises(rw.RankwellError, match=re.escape(f"several as '{beir / 'qrels' / '*.run.gz'}'.")):
        rw.read_run(beir / "qrels")
    (tmp_path / "empty").mkdir()
    with pytest.raises(rw.RankwellError, match=re.escape(f"several as '{tmp_path / 'empty' / '*'}'.")):
        rw.read_run(tmp_path / "empty")


def test_a_folder_of_unlike_tables_is_named_as_such(tmp_path):
    pl.DataFrame({"query": ["q"], "item": ["a"], "grade": [1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"item": ["a"], "title": ["A"]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(rw.RankwellError, match=r"is a folder whose tables have different columns"):
        rw.evaluate({"q": ["a"]}, tmp_path, ["rr"])


def test_tables_of_other_kinds_beside_parquet_are_not_passed_over(tmp_path):
    pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]}).write_parquet(tmp_path / "part-0.parquet")
    for other in ("_SUCCESS", "README.md", ".part-0.parquet.crc", "_committed.csv"):
        (tmp_path / other).write_text("")
    assert len(rw.read_run(tmp_path)) == 1
    (tmp_path / "part-1.csv").write_text("query,item,score\nr,b,2\n")
    with pytest.raises(
        rw.RankwellError, match=r"holds Parquet and other tables, such as part-1.csv.*Name one"
    ):
        rw.evaluate(tmp_path, {"q": {"a": 1}}, ["rr"])
    pattern = str(tmp_path / "part-*.*")
    assert len(rw.read_run(pattern)) == 2


def test_rows_that_a_table_of_delta_lake_removed_are_not_read(tmp_path):
    pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]}).write_parquet(tmp_path / "a.parquet")
    log = tmp_path / "_delta_log" / "00000000000000000000.json"
    log.parent.mkdir()
    log.write_text('{"add":{"path":"a.parquet"}}\n')
    assert len(rw.read_run(tmp_path)) == 1
    log.with_name("00000000000000000001.json").write_text('{"remove":{"path":"a.parquet"}}\n')
    with pytest.raises(rw.RankwellError, match=r"Delta Lake that removed files.*polars.read_delta"):
        rw.read_run(tmp_path)
