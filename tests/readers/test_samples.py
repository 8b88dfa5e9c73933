"""Frames of samples: the same columns from every format, ids as they are written, and the line of what is wrong."""

from __future__ import annotations

import polars as pl
import pytest

import rankwell as rw
from rankwell.errors import DataError, InputError
from rankwell.readers.samples import read_sample

ROWS = pl.DataFrame(
    {
        "query": ["007", "007", "8"],
        "item": ["01", "a b", "c"],
        "stratum": ["1-10", "11+", "1-10"],
        "propensity": [0.5, 0.25, 1.0],
        "drawn": [True, False, True],
        "grade": [1.0, None, 0.0],
    }
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "jsonl"])
def test_every_format_gives_the_same_and_ids_stay_as_they_are(suffix, tmp_path):
    write = {
        "csv": ROWS.write_csv,
        "tsv": lambda path: ROWS.write_csv(path, separator="\t"),
        "parquet": ROWS.write_parquet,
        "arrow": ROWS.write_ipc,
        "jsonl": ROWS.write_ndjson,
    }[suffix]
    path = tmp_path / f"frame.{suffix}"
    write(path)
    assert read_sample(path).frame.rows() == ROWS.rows()
    assert read_sample(ROWS).frame.equals(ROWS)
    assert read_sample(ROWS.to_dicts()).frame.equals(ROWS)


def test_columns_have_usual_names_and_numbers_may_be_flags():
    table = {
        "qid": ["1", "1"],
        "docno": ["a", "b"],
        "Stratum": [1, 2],
        "sampled": [1, 0],
        "relevance": [2, -1],
    }
    found = read_sample(table).frame
    assert found.columns == ["query", "item", "stratum", "drawn", "grade"]
    assert found.rows() == [("1", "a", "1", True, 2.0), ("1", "b", "2", False, -1.0)]
    named = read_sample(
        {"frage": ["1"], "ding": ["a"], "stratum": ["x"]}, columns={"frage": "query", "ding": "item"}
    )
    assert named.frame.columns == ["query", "item", "stratum"]


def test_stratified_judgements_of_trec_are_five_columns(tmp_path):
    path = tmp_path / "prels"
    path.write_text("1 0 d1 top 1\n\n1\t0\td2\tlow\t-1\r\n")
    found = read_sample(path)
    assert found.frame.rows() == [("1", "d1", "top", 1.0), ("1", "d2", "low", -1.0)]
    assert found.place(1).endswith("prels:3")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "p",
            "1 0 d1 top 1\n1 0 d2 1\n",
            "p:2: 4 columns where stratified judgements have 5: query 0 item stratum grade. Judgements",
        ),
        ("p", "1 0 d1 top 1\n1 0 d2 low x\n", "p:2: the grade 'x' is no number"),
        ("f.csv", "# made\nquery,item,stratum,grade\n1,a,s,1\n1,b,,0\n", "f.csv:4: the stratum is missing"),
        ("f.csv", "query,item,propensity\n1,a,half\n", "f.csv:2: the propensity 'half' is no number"),
        ("f.csv", "query,item,grade\n1,a,1\n", "there is no column stratum and no column propensity"),
        ("f.csv", "item,stratum\na,1\n", "there is no column for the query"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(name, text, message, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=message.replace("(", r"\(")):
        read_sample(path)


def test_a_file_that_is_not_there_or_empty_is_said(tmp_path):
    with pytest.raises(InputError, match="none"):
        rw.judging.estimate({"r": {"q": ["a"]}}, tmp_path / "none", "ap")
    (tmp_path / "empty").write_text("")
    with pytest.raises((InputError, DataError), match="empty"):
        read_sample(tmp_path / "empty")


@pytest.mark.parametrize("word", ["stratum", "propensity", "drawn", "grade"])
def test_cells_with_several_values_are_refused_by_their_column(word, tmp_path):
    for cells in (pl.Series([{"a": 1}] * 3), pl.Series([[1]] * 3), pl.Series([b"x"] * 3)):
        with pytest.raises(DataError, match=f"the column '?{word}'? .* holds (Struct|List|Binary)"):
            read_sample(ROWS.with_columns(cells.alias(word)))


def test_a_propensity_for_which_an_item_would_stand_for_more_than_any_frame_holds_is_refused():
    rows = ROWS.drop("stratum").with_columns(propensity=pl.Series([5e-324, 0.25, 1.0]))
    with pytest.raises(DataError, match=r"the propensity is .*e-324; it must be above 0 \(at least 2\^-53"):
        rw.judging.estimate({"007": ["01"]}, rows, ["ap"])
