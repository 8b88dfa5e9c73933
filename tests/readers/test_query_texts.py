"""Texts of queries are read from the tables people have, with and without a header, and ids stay as they are written."""

from __future__ import annotations

import polars as pl
import pytest

import rankwell as rw
from rankwell.readers.items_users import read_queries

TEXTS = {"007": "the origin", "8": 'he said "yes", they said no'}


def told(table):
    return dict(zip(table.query.tolist(), table.texts(table.columns[0]), strict=True))


@pytest.mark.parametrize(
    "names", [("qid", "query"), ("query_id", "text"), ("user_id", "title"), ("query", "text")]
)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "ndjson", "arrow"])
def test_a_table_is_read_whatever_its_columns_are_called(names, suffix, tmp_path):
    frame = pl.DataFrame({names[0]: list(TEXTS), names[1]: list(TEXTS.values())})
    path = tmp_path / f"queries.{suffix}"
    write = {
        "csv": frame.write_csv,
        "tsv": lambda file: frame.write_csv(file, separator="\t"),
        "parquet": frame.write_parquet,
        "ndjson": frame.write_ndjson,
        "arrow": frame.write_ipc,
    }
    write[suffix](path)
    assert told(read_queries(path)) == TEXTS
    assert told(read_queries(frame)) == TEXTS
    assert told(read_queries(frame.to_dicts())) == TEXTS


def test_ids_and_texts_between_tabs_need_no_header(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("".join(f"{query}\t{text}\n" for query, text in TEXTS.items()), encoding="utf-8")
    assert told(read_queries(path)) == TEXTS
    path.write_bytes("1\tgroß\n".encode("latin-1"))
    assert told(read_queries(path, encoding="latin-1")) == {"1": "groß"}


def test_a_dict_is_taken_as_it_is_and_a_table_that_was_read_too():
    table = read_queries(TEXTS)
    assert told(table) == TEXTS
    assert read_queries(table) is table


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": ["1"], "b": ["x"]}, "there is no column for the query; the columns are 'a', 'b'"),
        ({"qid": ["1"], "user_id": ["2"], "text": ["x"]}, "the columns 'qid', 'user_id' all mean query"),
        ({"qid": ["1", "1"], "text": ["x", "y"]}, "query '1' is repeated"),
    ],
)
def test_what_is_no_table_of_queries_is_refused(columns, message):
    with pytest.raises(rw.RankwellError, match=message):
        read_queries(columns)


def test_a_file_of_judgements_is_refused(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b 0\n")
    with pytest.raises(
        rw.RankwellError, match=r"trec files cannot hold texts of queries\. Give it as .*\.csv, .*\.parquet"
    ):
        read_queries(path)
