"""Every table from every format: whatever file it is in, the rows and the numbers are those of the table in memory."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest
from tests.readers import ways

import rankwell as rw
from rankwell.cli import run as command
from rankwell.readers.collections.collection import read_topics
from rankwell.readers.items_users import read_catalogue, read_queries, read_users
from rankwell.readers.logs import read_log
from rankwell.readers.registry import TABLES as KINDS
from rankwell.readers.registry import formats, reader
from rankwell.readers.samples import read_sample

TABLES = {
    "log": pl.DataFrame(
        {
            "userId": ["01", "02", "01", "02", "01"],
            "movieId": ["007", "007", "8", "9", "9"],
            "rating": [4.5, 3.0, 5.0, 1.0, 2.5],
            "timestamp": [30, 10, 20, 50, 40],
            "clicked": [True, False, True, True, False],
            "price": [1.5, None, 3.25, 2.0, 1e20],
            "minutes": [90, 5, 0, 61, 1],
            "version": ["1.10", "1.9", "2", "1", "1"],
            "place": ["01234", "98765", "00001", "02139", "00003"],
        }
    ),
    "items": pl.DataFrame(
        {
            "movieId": ["007", "8", "9", "10"],
            "genres": ["Drama|War", "War", "Comedy", None],
            "year": [1999, 2001, 2001, 1980],
            "price": [1.5, None, 3.25, 2.0],
            "is_new": [True, False, True, True],
            "shelf": ["01", "02", "3", "4"],
            "title": ["one, two", 'he said "so"', "three", "5"],
        }
    ),
    "users": pl.DataFrame(
        {"user_id": ["01", "02"], "tier": ["gold", "new"], "age": [31, 45], "weight": [0.5, 2.0], "paid": [True, False]}
    ),
    "queries": pl.DataFrame({"qid": ["01", "2"], "query": ["1984", 'the "origin", they said'], "lang": ["en", "en"]}),
    "sample": pl.DataFrame(
        {
            "query": ["01", "01", "8"],
            "item": ["01", "a b", "c"],
            "stratum": ["1-10", "11+", "1-10"],
            "propensity": [0.5, 0.25, 1.0],
            "drawn": [True, False, True],
            "grade": [1.0, None, 0.0],
        }
    ),
}  # fmt: skip
READ = {
    "log": lambda source: read_log(source, "grade").frame,
    "items": lambda source: _with_ids(read_catalogue(source)),
    "users": lambda source: _with_ids(read_users(source)),
    "queries": lambda source: _with_ids(read_queries(source)),
    "sample": lambda source: read_sample(source).frame,
}


def _with_ids(table):
    ids = table.query if hasattr(table, "query") else table.item
    return table.frame.select(pl.Series("id", ids.tolist()), pl.all())


FILES = [(form, name) for form in ways.NAMED for name in ways.NAMED[form]]


def written(folder, form, name, table):
    path = folder / name
    path.write_bytes(ways.NAMED[form][name](table))
    return path


def test_every_format_says_which_tables_it_holds():
    for form in formats():
        held = getattr(reader(form), "TABLES", KINDS) if hasattr(reader(form), "read_table") else ()
        said = KINDS if form in ways.NAMED else ways.FIXED.get(form, ())
        assert set(held) == set(said), f"say in tests/readers/ways.py which tables {form} files hold"
    assert set(READ) == set(TABLES) == set(KINDS)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("form", "name"), FILES)
def test_a_table_in_a_file_is_the_table_in_memory(form, name, kind, pack, tmp_path):
    path = written(tmp_path, form, name, TABLES[kind])
    path.write_bytes(pack(path.read_bytes()))
    found, expected = READ[kind](path), READ[kind](TABLES[kind])
    if kind == "log" and name == "capitals.csv":  # a log is written as it was, so True stays text
        assert found["clicked"].to_list() == ["True", "False", "True", "True", "False"]
        found, expected = found.drop("clicked"), expected.drop("clicked")
    assert found.schema == expected.schema
    assert found.equals(expected)


@pytest.mark.parametrize(("form", "kind"), [(form, kind) for form in ways.FIXED for kind in ways.FIXED[form]])
def test_columns_by_their_order_are_the_table_in_memory(form, kind, tmp_path):
    content, table = ways.FIXED[form][kind]
    path = tmp_path / f"table{reader(form).SUFFIXES[0]}"
    path.write_bytes(content)
    expected = READ[kind](pl.DataFrame(table))
    assert READ[kind](path).select(expected.columns).equals(expected)


@pytest.mark.parametrize(
    ("form", "kind"), [(form, kind) for form in ways.FIXED for kind in KINDS if kind not in ways.FIXED[form]]
)
def test_a_format_that_cannot_hold_a_table_names_it_and_those_that_can(form, kind, tmp_path):
    path = tmp_path / f"table{reader(form).SUFFIXES[0]}"
    path.write_bytes(next(iter(ways.FIXED[form].values()))[0])
    with pytest.raises(
        rw.RankwellError, match=rf"{form} files cannot hold {KINDS[kind]}\. Give it as"
    ) as caught:
        READ[kind](path)
    assert all(reader(each).SUFFIXES[0] in str(caught.value) for each in ways.NAMED)


@pytest.mark.parametrize("whole", [True, False], ids=["numbers as ids", "text as ids"])
@pytest.mark.parametrize(("form", "name"), FILES)
def test_every_argument_of_an_evaluation_gives_the_numbers_of_the_table_in_memory(
    form, name, whole, tmp_path
):
    def ids(table, *columns):
        return table.with_columns(pl.col(columns).cast(pl.Int64 if whole else pl.String))

    train = ids(TABLES["log"].select("userId", "movieId", "rating", "timestamp"), "userId", "movieId")
    items, users = ids(TABLES["items"].fill_null("War"), "movieId"), ids(TABLES["users"], "user_id")
    head = items.head(2)
    run = {1: [7, 8, 10], 2: [9, 10, 7]} if whole else {"01": ["007", "8", "10"], "02": ["9", "10", "007"]}
    qrels = {1: {8: 1, 9: 2}, 2: {10: 1}} if whole else {"01": {"8": 1, "9": 2}, "02": {"10": 1}}
    metrics = [
        "ndcg@3",
        "coverage@3",
        "epc@3",
        "gini@3",
        "alpha_ndcg(topics=items)@3",
        "ild(features=year)@3",
    ]

    def evaluated(place):
        return rw.evaluate(
            run, qrels, metrics, train=place("train", train), items=place("items", items), users=place("users", users),
            by="paid", weights="weight", slices={"head": place("head", head)},
        ).to_json()  # fmt: skip

    def in_file(word, table):
        (folder := tmp_path / word).mkdir()
        return written(folder, form, name, table)

    def without_names(text):
        return {
            word: value
            for word, value in json.loads(text).items()
            if word in ("mean", "weighted", "per_query", "by")
        }

    assert without_names(evaluated(in_file)) == without_names(evaluated(lambda _, table: table))


@pytest.mark.parametrize(("form", "name"), FILES)
def test_the_last_rows_of_a_log_are_split_off_from_every_format(form, name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, form, name, TABLES["log"])
    assert command(["prepare", "split", path.name, "--how", "last", "--format", "json", "-o", "parts"]) == 0
    capsys.readouterr()
    expected = rw.prepare.split(TABLES["log"], "last")
    found = rw.prepare.split(path, "last")
    for part in ("train", "test"):
        columns = ["userId", "movieId", "rating", "timestamp", "price", "place"]
        assert getattr(found, part).select(columns).equals(getattr(expected, part).select(columns))
        (file,) = (tmp_path / "parts").glob(f"{part}.*")
        assert read_log(file, "time").frame.select(columns).equals(getattr(expected, part).select(columns))


@pytest.mark.parametrize(("form", "name"), FILES)
def test_other_tables_of_commands_come_from_every_format(form, name, tmp_path):
    tiers = TABLES["users"].select("user_id", "tier")
    path = written(tmp_path, form, name, tiers)
    scaled = [
        rw.prepare.scale_by_tier(TABLES["log"], each, {"gold": 3, "new": 1}).table for each in (path, tiers)
    ]
    assert scaled[0].equals(scaled[1])
    topics = read_topics(written(tmp_path, form, name, TABLES["queries"]))
    assert [*topics] == [*read_topics(TABLES["queries"])]


def times_of(kind):
    moments = pl.datetime_range(pl.datetime(2020, 1, 1, 9), pl.datetime(2020, 1, 5, 9), "1d", eager=True)
    if kind == "date":
        return moments.dt.date()
    return moments.dt.replace_time_zone("Asia/Seoul") if kind == "zone" else moments.dt.cast_time_unit(kind)


@pytest.mark.parametrize("kind", ["us", "ms", "ns", "date", "zone"])
@pytest.mark.parametrize(
    ("form", "name"), [(form, name) for form, name in FILES if name not in ("columns.json", "pandas.json")]
)
def test_moments_are_the_same_times_from_every_format(form, name, kind, tmp_path):
    log = TABLES["log"].with_columns(times_of(kind).alias("timestamp"))
    found, expected = read_log(written(tmp_path, form, name, log), "time"), read_log(log, "time")
    assert found.times().tolist() == expected.times().tolist()
    assert expected.times()[0] == (1_577_836_800 + (0 if kind in ("date", "zone") else 9 * 3600)) * 1_000_000
    checked = rw.prepare.check(found, log).report.facts
    assert checked == rw.prepare.check(log, log).report.facts


def test_moments_and_numbers_are_not_compared(tmp_path):
    moments = TABLES["log"].with_columns(times_of("us").alias("timestamp"))
    with pytest.raises(rw.RankwellError, match="use one type for both"):
        rw.prepare.check(TABLES["log"], moments)


@pytest.mark.parametrize(("form", "name"), FILES)
def test_flags_are_the_numbers_0_and_1_from_every_format(form, name, tmp_path):
    log = TABLES["log"].drop("rating").rename({"clicked": "rating"})
    found = read_log(written(tmp_path, form, name, log), "grade")
    assert found.frame["rating"].to_list() == log["rating"].to_list()
    assert (
        found.numbers("grade").tolist() == read_log(log, "grade").numbers("grade").tolist() == [1, 0, 1, 1, 0]
    )


def test_parts_of_a_table_are_one_and_each_row_has_its_place(tmp_path):
    for at in range(2):
        TABLES["users"][at : at + 1].write_csv(tmp_path / f"part-{at}.csv")
        (tmp_path / f"part-{at}.jsonl").write_text(
            json.dumps({"user": "u", "item": at, "rating": [4, 4.5][at]}) + "\n"
        )
    found = read_users(str(tmp_path / "part-*.csv"))
    assert _with_ids(found).equals(_with_ids(read_users(TABLES["users"])))
    with pytest.raises(
        rw.RankwellError, match=r"part-1\.jsonl: the column 'rating' is Float64, but Int64 in part-0\.jsonl"
    ):
        read_log(str(tmp_path / "part-*.jsonl"))
    (tmp_path / "log-0.csv").write_text("user,item,rating\nu,a,1\n")
    (tmp_path / "log-1.csv").write_text("user,item,rating\nu,b,2\nv,b,bad\n")
    with pytest.raises(rw.RankwellError, match=r"log-1\.csv:3: the grade is 'bad', not a number"):
        read_log(str(tmp_path / "log-*.csv"), "grade")


def test_folders_of_parquet_are_tables(tmp_path):
    for at in range(2):
        TABLES["users"][at : at + 1].write_parquet(tmp_path / f"part-{at}.parquet")
    assert _with_ids(read_users(tmp_path)).equals(_with_ids(read_users(TABLES["users"])))


LINES = {
    "a key that only later lines have": ('{"item": 1}\n{"item": 2, "x": 5}\n', [None, 5]),
    "fractions after whole numbers": ('{"item": 1, "x": 1}\n{"item": 2, "x": 0.5}\n', [1.0, 0.5]),
    "a key that stands twice in a later line": (
        '{"item": 1}\n{"item": 2, "x": 5, "x": 6}\n',
        "t.jsonl:2: the key 'x' stands twice",
    ),
    "a whole number that a fraction changes": (
        '{"item": 1, "x": 9007199254740993}\n{"item": 2, "x": 0.5}\n',
        "t.jsonl:1: the x 9007199254740993 is too large to be kept exactly",
    ),
    "a list for an id": ('{"item": "a"}\n{"item": ["b"]}\n', r"t.jsonl:2: the item \['b'\] is not an id"),
    "no object": ('{"item": "a"}\n[1]\n', "t.jsonl:2: list, expected an object"),
}


@pytest.mark.parametrize("case", LINES)
def test_lines_of_json_keep_all_columns_or_say_which_line_is_wrong(case, tmp_path):
    text, expected = LINES[case]
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    if isinstance(expected, list):
        assert read_catalogue(path).frame["x"].to_list() == expected
        return
    with pytest.raises(rw.RankwellError, match=expected):
        read_catalogue(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": {"x": 1}, "b": {"y": 2}}', "this JSON is no table. Give a list of records"),
        (
            '{"item": ["a", "b"], "year": [1]}',
            "its columns hold different numbers of values: 'item' 2, 'year' 1",
        ),
        (
            '[{"item": "a", "x": 9007199254740993}, {"item": "b", "x": 0.5}]',
            "record 1: the x 9007199254740993 is too large",
        ),
    ],
)
def test_json_that_is_no_table_is_refused(text, message, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(rw.RankwellError, match=message):
        read_catalogue(path)


def test_a_catalogue_in_json_may_be_a_list_of_ids(tmp_path):
    (tmp_path / "t.json").write_text('["007", "8"]')
    assert read_catalogue(tmp_path / "t.json").item.tolist() == ["007", "8"]
