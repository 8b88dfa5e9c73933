"""Items to judge are no judgements: one error says so, in every kind of table, and what judges said is read."""

from __future__ import annotations

import os

import polars as pl
import pytest

import rankwell as rw
from rankwell.errors import DataError

RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 1.0}},
    "y": {"1": {"c": 2.0, "e": 1.0}, "2": {"d": 2.0, "a": 1.0}},
}
WRITTEN = {
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".csv": lambda frame, path: frame.write_csv(path),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".arrow": lambda frame, path: frame.write_ipc(path),
    ".ndjson": lambda frame, path: frame.write_ndjson(path),
    ".json": lambda frame, path: frame.write_json(path),
}
MADE = {
    "next": lambda: rw.judging.next(RUNS, budget=3).to_frame(),
    "next, with a column of notes": lambda: MADE["next"]().with_columns(note=pl.lit("?")),
    "rank": lambda: rw.judging.sample(RUNS, budget=2).to_frame(),
    "poisson": lambda: rw.judging.sample(RUNS, budget=2, design="poisson").to_frame(),
    "frame": lambda: rw.judging.sample(RUNS, budget=2).whole_frame(),
    "poisson frame": lambda: rw.judging.sample(RUNS, budget=2, design="poisson").whole_frame(),
}


@pytest.mark.parametrize("what", MADE)
@pytest.mark.parametrize("suffix", WRITTEN)
def test_files_of_items_to_judge_are_refused_as_judgements(tmp_path, what, suffix):
    path = tmp_path / f"items{suffix}"
    frame = MADE[what]()
    WRITTEN[suffix](frame, path)
    command = "next" if what.startswith("next") else "sample"
    for read in (lambda: rw.read_qrels(str(path)), lambda: rw.evaluate(RUNS["x"], str(path), "p@2")):
        with pytest.raises(
            DataError, match=f"items{suffix}.*a list of items to judge.*judging {command}.*merge"
        ):
            read()
    WRITTEN[suffix](frame.with_columns(grade=pl.lit(2)), path)
    assert set(rw.read_qrels(str(path)).grade.tolist()) == {2.0}
    with pytest.raises(DataError, match="a list of items to judge"):
        rw.read_qrels(frame)


def test_frames_of_any_kind_and_records_are_refused():
    frame = MADE["next"]()
    for each in (
        frame.lazy(),
        frame.to_pandas(),
        frame.to_arrow(),
        frame.to_dicts(),
        frame.to_dict(as_series=False),
    ):
        with pytest.raises(DataError, match="a list of items to judge"):
            rw.compare(RUNS, each, "p@2")


def test_interactions_with_other_columns_are_read():
    rows = [{"query": "1", "item": "a", "propensity": 0.5}, {"query": "1", "item": "b", "propensity": 0.1}]
    assert rw.read_qrels(rows).propensity.tolist() == [0.5, 0.1]
    assert len(rw.read_qrels([{"user": "1", "item": "a", "weight": 2, "time": 3}])) == 1


def test_columns_that_are_named_are_taken_at_their_word():
    frame = MADE["next"]()
    assert rw.read_qrels(frame, columns={"item": "item"}).grade is None
    assert rw.read_qrels(frame, columns={"weight": "grade"}).grade.tolist() == frame["weight"].to_list()


@pytest.mark.parametrize("what", MADE)
def test_sheets_and_prompts_ask_what_is_in_them(tmp_path, what):
    frame = MADE[what]()
    frame.write_csv(tmp_path / "items.csv")
    items = [{"item": each, "text": each} for each in "abcde"]
    for given in (frame, str(tmp_path / "items.csv")):
        assert len(rw.judging.sheet(given, items=items)) == len(frame)
        assert len(
            rw.judging.prompts(given, items=items, model="m", queries={"1": "one", "2": "two"})
        ) == len(frame)


def test_the_json_of_next_is_refused_as_judgements_and_judged(tmp_path):
    chosen = rw.judging.next(RUNS, budget=3)
    names = [str(tmp_path / f"next{suffix}") for suffix in (".json", ".tsv")]
    for name in names:
        chosen.save(name)
    with pytest.raises(DataError, match=r"next\.json: a list of items to judge.*merge"):
        rw.read_qrels(names[0])
    items = [{"item": each, "text": each} for each in "abcde"]
    one, other = (rw.judging.sheet(name, items=items, order="given") for name in names)
    assert one.to_dict() == other.to_dict()
    assert len(rw.judging.prompts(names[0], items=items, model="m", queries={"1": "one", "2": "two"})) == 3
    rw.judging.next(RUNS, {"1": dict.fromkeys("abce", 1), "2": dict.fromkeys("ad", 1)}).save(names[0])
    with pytest.raises(DataError, match="no pair of query and item to judge"):
        rw.judging.sheet(names[0], items=items)


def test_judgements_of_a_query_called_method_are_read(tmp_path):
    (tmp_path / "qrels.json").write_text('{"method": {"a": 1}, "settling": {"b": 1}, "items": {"c": 2}}')
    assert len(rw.read_qrels(str(tmp_path / "qrels.json"))) == 3
    assert len(rw.read_qrels({"method": ["a"], "settling": ["b"]})) == 2


def test_of_two_lists_of_items_in_json_none_is_left_out_in_silence(tmp_path):
    for name in ("one", "other"):
        rw.judging.next(RUNS, budget=3).save(tmp_path / f"{name}.json")
    items = [{"item": each, "text": each} for each in "abcde"]
    assert len(rw.judging.sheet(tmp_path / "one.json", items=items)) == 3
    with pytest.raises(rw.RankwellError, match=r"one\.json: of lists of items .* one at a time"):
        rw.judging.sheet([tmp_path / "one.json", tmp_path / "other.json"], items=items)


def test_items_to_judge_come_through_a_pipe(tmp_path):
    """A pipe can be read once."""
    read, write = os.pipe()
    with open(write, "w", encoding="utf-8") as file:
        file.write("query,item,weight\n1,a,0.5\n1,b,0.5\n")
    items = [{"item": each, "text": each} for each in "ab"]
    try:
        assert len(rw.judging.sheet(f"/dev/fd/{read}", items=items)) == 2
    finally:
        os.close(read)
