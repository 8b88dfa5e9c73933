"""Tables with all their columns: whatever they come from, the same rows, and text stays text."""

from __future__ import annotations

import gzip
import json
import warnings

import pandas as pd
import polars as pl
import pytest

import rankwell as rw
from rankwell.errors import DataWarning
from rankwell.readers.logs import read_log

ROWS = [
    ("u1", "0104257", 7, 1365029107, "tv"),
    ("u2", "0002844", 8, 1366576639, "web"),
    ("u1", "0002844", 10, 1364690142, "tv"),
]
FRAME = pl.DataFrame(ROWS, schema=["userId", "movieId", "Rating", "timestamp", "device"], orient="row")


def sources(folder):
    FRAME.write_csv(folder / "log.csv")
    FRAME.write_csv(folder / "log.tsv", separator="\t")
    (folder / "log.csv.gz").write_bytes(gzip.compress((folder / "log.csv").read_bytes()))
    FRAME.write_parquet(folder / "log.parquet")
    FRAME.write_ipc(folder / "log.arrow")
    FRAME.write_ndjson(folder / "log.jsonl")
    files = [
        folder / name
        for name in ("log.csv", "log.tsv", "log.csv.gz", "log.parquet", "log.arrow", "log.jsonl")
    ]
    others = [
        FRAME,
        FRAME.lazy(),
        FRAME.to_pandas(),
        FRAME.to_arrow(),
        FRAME.to_dicts(),
        FRAME.to_dict(as_series=False),
    ]
    return [*files, *others]


def test_every_source_gives_the_same_table(tmp_path):
    for source in sources(tmp_path):
        log = read_log(source, "grade", "time")
        assert log.frame.rows() == ROWS, source
        assert log.words == {"query": "userId", "item": "movieId", "grade": "Rating", "time": "timestamp"}
        assert log.ids("item").tolist() == [row[1] for row in ROWS]
        assert log.times().tolist() == [row[3] for row in ROWS]


def test_double_colons_trec_and_dicts_have_their_columns(tmp_path):
    (tmp_path / "ratings.dat").write_text("1::0104257::7::1365029107\n2::0002844::8::1366576639\n")
    assert read_log(tmp_path / "ratings.dat", "time").frame.rows() == [
        ("1", "0104257", 7, 1365029107),
        ("2", "0002844", 8, 1366576639),
    ]
    (tmp_path / "short.dat").write_text("1::0104257::7\n")
    assert read_log(tmp_path / "short.dat").frame.columns == ["query", "item", "grade"]
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq2 0 d2 0\n")
    assert read_log(tmp_path / "qrels.txt", "grade").frame.select("query", "item", "grade").rows() == [
        ("q1", "d1", 2.0),
        ("q2", "d2", 0.0),
    ]
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n")
    run = read_log(tmp_path / "a.run", "score")
    assert run.is_lists
    assert run.frame.select("query", "item", "score").rows() == [("q1", "d1", 2.5), ("q1", "d2", 1.5)]
    (tmp_path / "lists.json").write_text(json.dumps({"q": {"a": 1, "b": 2}}))
    assert read_log(tmp_path / "lists.json").frame.select("query", "item").rows() == [("q", "a"), ("q", "b")]
    assert read_log({"q": ["a", "b"]}).frame.rows() == [("q", "a"), ("q", "b")]
    assert read_log(rw.Run(["q", "q"], ["a", "b"])).frame.rows() == [("q", "a", 1), ("q", "b", 2)]
    assert read_log(rw.Qrels([1], [2], [3])).frame.rows() == [(1, 2, 3.0)]


def test_several_files_are_one_table(tmp_path):
    FRAME.head(2).write_csv(tmp_path / "part-1.csv")
    FRAME.tail(1).write_csv(tmp_path / "part-2.csv")
    assert read_log(str(tmp_path / "part-*.csv"), "time").frame.rows() == ROWS
    FRAME.tail(1).drop("device").write_csv(tmp_path / "part-2.csv")
    with pytest.raises(rw.RankwellError, match=r"its columns are not those of part-1.csv"):
        read_log(str(tmp_path / "part-*.csv"))


def test_a_file_without_a_header_is_read_by_numbers(tmp_path):
    (tmp_path / "log.csv").write_text("u1,a,5\nu2,b,4\n")
    log = read_log(tmp_path / "log.csv", "grade", columns={"1": "query", "2": "item", "3": "grade"})
    assert log.frame.rows() == [("u1", "a", 5), ("u2", "b", 4)]


def test_numbers_are_whole_if_all_are_and_other_columns_stay_text(tmp_path):
    (tmp_path / "log.csv").write_text(
        "user,item,rating,zip,time\nu,a,4.5,01234,2013-05-01\nv,b,3,98765,2013-05-02\n"
    )
    frame = read_log(tmp_path / "log.csv").frame
    assert frame.rows() == [("u", "a", 4.5, "01234", "2013-05-01"), ("v", "b", 3.0, "98765", "2013-05-02")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("user,item,rating\nu,a,five\n", r"log.csv:2: the grade is 'five', not a number"),
        ("user,item,rating\nu,a,5\nu,b,\n", r"log.csv:3: the grade is missing"),
        ("user,thing,rating\nu,a,5\n", "there is no column for the item"),
        ("user,item,rating\n", "holds no rows"),
        ("user,item,rating,stars,label\nu,a,5,4,3\n", "'rating', 'stars', 'label' all mean grade"),
        ("user,item,rating\nu,a,5,6\n", "4 columns where the header has 3"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_line(tmp_path, content, message):
    (tmp_path / "log.csv").write_text(content)
    with pytest.raises(rw.RankwellError, match=message):
        read_log(tmp_path / "log.csv", "grade").numbers("grade")


def test_ids_that_are_missing_are_named():
    frame = pd.DataFrame({"user": ["u", None], "item": ["a", "b"]})
    with pytest.raises(rw.RankwellError, match="row 2: the query id is missing"):
        read_log(frame).ids("query")
    with pytest.raises(rw.RankwellError, match="the columns do not make a table"):
        read_log({"user": ["a", "b", "c"], "item": ["x", "y"]})
    with pytest.raises(rw.RankwellError, match="table: cannot read int"):
        read_log(5)


@pytest.mark.parametrize(
    ("times", "other"),
    [
        (["1600000000", "1700000000123"], 2),
        (["1600000000123", "1600000000124", "1700000000"], 3),
        (["1600000000.5", "1700000000123"], 2),
        (["1600000000123456", "1700000000123"], 2),
    ],
)
def test_times_in_two_units_are_refused_with_the_row(tmp_path, times, other):
    path = tmp_path / "log.csv"
    path.write_text("user,item,time\n" + "".join(f"u,{row},{time}\n" for row, time in enumerate(times)))
    for source in (path, pl.read_csv(path)):
        with pytest.raises(
            rw.RankwellError,
            match=rf"(:{other + 1}|row {other}): the time .* is in another unit than {times[0]} at",
        ):
            rw.prepare.split(source, how="last")


@pytest.mark.parametrize(
    "times",
    [
        ["5", "1700000000"],
        ["1600000000", "1700000000"],
        ["100000001", "50000000000", "200000000000"],
        ["0", "1700000000123"],
    ],
)
def test_times_of_one_unit_or_of_any_beginning_are_read(tmp_path, times):
    path = tmp_path / "log.csv"
    path.write_text("user,item,time\n" + "".join(f"u,{row},{time}\n" for row, time in enumerate(times)))
    assert len(rw.prepare.split(path, how="last").test) == 1


MOMENTS = [f"2024-01-{day:02d} 10:00:00" for day in range(1, 9)]
SECONDS = [1_700_000_000 + 1000 * n for n in range(8)]


@pytest.mark.parametrize(
    "mark",
    [
        "1970-01-01",
        "1970-01-01 00:00:00",
        "1900-01-01",
        "0001-01-01",
        "2199-01-01",
        "9999-12-31 23:59:59",
        0,
        -1,
        9_999_999_999,
    ],
)
@pytest.mark.parametrize("typed", [False, True])
def test_a_time_that_programs_write_for_none_is_warned_of(tmp_path, mark, typed):
    """It would be the first of its user in every split, or the last; as the years of a log have no such marks, nothing is said of them."""
    times = [*(MOMENTS if isinstance(mark, str) else SECONDS), mark]
    frame = pl.DataFrame({"user": list("uv") * 4 + ["u"], "item": [f"i{n}" for n in range(9)], "time": times})
    frame.write_csv(tmp_path / "log.csv")
    if typed and isinstance(mark, str):
        frame = frame.with_columns(
            pl.col("time").str.pad_end(19, " ").str.replace(r"\s+$", " 00:00:00").str.to_datetime()
        )
    source = frame if typed else tmp_path / "log.csv"
    with pytest.warns(
        DataWarning, match=r"and so are 1 of 9 times\. If it stands for a time that is missing"
    ):
        rw.prepare.split(source, how="last")
    for others in (
        [2000 + n for n in range(9)],
        list(range(9)),
        [0] * 9,
        MOMENTS + MOMENTS[:1],
        SECONDS + SECONDS[:1],
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataWarning)
            rw.prepare.split(frame.with_columns(time=pl.Series(others)), how="last")


def test_a_row_of_sums_behind_a_log_is_warned_of(tmp_path):
    (tmp_path / "log.csv").write_text("user,item,time\nu,a,1\nu,b,2\nGrand total,Grand Total,3\n")
    with pytest.warns(DataWarning, match="its last row has the item 'Grand Total', as a row of sums has"):
        read_log(tmp_path / "log.csv", "time")
