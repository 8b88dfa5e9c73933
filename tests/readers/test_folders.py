"""A folder given in place of a file, and files that a pattern names."""

from __future__ import annotations

import json
import re
import warnings

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


@pytest.mark.parametrize("form", ["csv", "run", "json", "parquet"])
@pytest.mark.parametrize(
    ("names", "is_said"),
    [
        (("bm25", "dense"), True),
        (("seed-1", "seed-2"), True),
        (("fold0", "fold1"), True),
        (("part-00000", "part-00001"), False),
    ],
)
def test_files_of_several_systems_that_a_pattern_names_are_warned_of(tmp_path, form, names, is_said):
    """Their lists would be one, in which a is third; parts of one table have rows of a query, too, and are called by numbers."""
    for name, items in zip(names, ({"b": 0.9, "a": 0.5}, {"c": 0.8}), strict=True):
        rows = [("u", item, score) for item, score in items.items()]
        frame = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
        path = tmp_path / f"{name}.{form}"
        {
            "csv": frame.write_csv, "parquet": frame.write_parquet, "json": lambda path, items=items: path.write_text(json.dumps({"u": items})),
            "run": lambda path, rows=rows: path.write_text("".join(f"{q} Q0 {i} 1 {s} x\n" for q, i, s in rows)),
        }[form](path)  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert rw.evaluate(str(tmp_path / f"*.{form}"), {"u": {"a": 1}}, ["rr"]).mean["rr"] == pytest.approx(
            1 / 3
        )
    said = f"{names[0]} and {names[1]}: both have rows of query 'u', which are one list here"
    assert any(said in str(each.message) for each in caught) == is_said
