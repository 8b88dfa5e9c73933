"""A run given as the judgements, and the judgements as the run: the error says so."""

from __future__ import annotations

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command

RUN_TEXT = "".join(f"q{q} Q0 d{d} {d} {9.137 - d * q / 7:.4f} bm25\n" for q in (1, 2) for d in (1, 2, 3))
QRELS_TEXT = "".join(f"q{q} 0 d{d} {(q + d) % 2}\n" for q in (1, 2) for d in (1, 2, 3))
SCORES = pl.DataFrame({"query": ["q1", "q1", "q2"], "item": ["a", "b", "a"], "score": [2.71, 1.3, 0.4]})
GRADES = pl.DataFrame({"query": ["q1", "q1", "q2"], "item": ["a", "b", "a"], "relevance": [1, 0, 2]})
SWAPPED = r"swapped\? It is rankwell evaluate QRELS RUN, and rw\.evaluate\(run, qrels\)"


def refused(run, qrels, **options):
    with pytest.raises(rw.RankwellError, match=SWAPPED) as error:
        rw.evaluate(run, qrels, "ndcg@10", **options)
    return str(error.value)


def files(tmp_path):
    run, qrels = tmp_path / "bm25.run", tmp_path / "test.qrels"
    run.write_text(RUN_TEXT)
    qrels.write_text(QRELS_TEXT)
    return run, qrels


def test_trec_text(tmp_path):
    run, qrels = files(tmp_path)
    assert "bm25.run:1: 6 columns, expected exactly 4" in refused(qrels, run)
    assert "bm25.run:1: 6 columns" in refused(run, run)
    assert "test.qrels:1: 4 columns, expected 6" in refused(qrels, qrels)


def test_other_lines_with_columns_missing_say_nothing_of_it(tmp_path):
    run, qrels = files(tmp_path)
    for path, text in ((run, "q1 Q0 d1 high\n"), (qrels, "q1 0 d1 1 two words\n"), (qrels, "q1 0 d1 1 1\n")):
        given = {"run": run, "qrels": qrels}
        path.write_text(text)
        with pytest.raises(rw.RankwellError) as error:
            rw.evaluate(given["run"], given["qrels"], "ndcg@10")
        assert "swapped" not in str(error.value)
        files(tmp_path)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "ndjson", None])
@pytest.mark.parametrize("scores", ["score", "prediction", "rank"])
def test_tables(tmp_path, suffix, scores):
    run, qrels = SCORES.rename({"score": scores}), GRADES
    if suffix is not None:
        for name, frame in (("run", run), ("qrels", qrels)):
            getattr(frame, f"write_{suffix}")(tmp_path / f"{name}.{suffix}")
        run, qrels = tmp_path / f"run.{suffix}", tmp_path / f"qrels.{suffix}"
    assert "has no score and no rank, but a column 'relevance'" in refused(qrels, run)


def test_a_table_without_scores_can_be_a_run_when_its_column_is_named():
    as_score = rw.read_run(GRADES, columns={"relevance": "score"})
    assert rw.evaluate(as_score, GRADES, "ndcg@10").mean == {"ndcg@10": 1.0}
    assert len(rw.read_run(GRADES, columns={"relevance": "grade"})) == 3
    assert len(rw.read_run(GRADES.drop("relevance"))) == 3
    assert len(rw.read_run(SCORES.with_columns(label=1))) == 3


def test_values_that_were_read():
    run, qrels = rw.read_run(SCORES), rw.read_qrels(GRADES)
    refused(qrels, run)
    refused(qrels, GRADES)


@pytest.mark.parametrize("shift", [0, -8, -20])
def test_dicts(shift):
    run = {f"q{q}": {f"d{d}": 9.137 - d * q / 7 + shift for d in range(5)} for q in range(1, 4)}
    qrels = {f"q{q}": {f"d{d}": (q + d) % 2 for d in range(5)} for q in range(1, 4)}
    refused(qrels, run)
    rw.evaluate(qrels, run, "ndcg@10", grades="judgements")


def test_grades_of_halves_and_negative_ones_are_judgements():
    qrels = {"q": {"a": -2, "b": 0.5, "c": 1.25}}
    assert rw.evaluate({"q": ["c", "b", "a"]}, qrels, "ndcg@10").mean == {"ndcg@10": 1.0}


def test_on_the_command_line(tmp_path, capsys):
    run, qrels = files(tmp_path)
    assert command(["evaluate", str(run), str(qrels), "-m", "ndcg@10"]) == 3
    assert "rankwell evaluate QRELS RUN" in capsys.readouterr().err
