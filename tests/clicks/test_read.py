"""Logs in every shape: tables and their names, events of UBI, interleaving libraries, and what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import random
import re
import warnings
from types import SimpleNamespace

import polars as pl
import pytest
from tests.evidence import PACKED, evidence

import rankwell as rw
from rankwell.cli.main import run
from rankwell.errors import DataError, DataWarning, InputError, UsageError

TRUTH = json.loads((PACKED / "shapes" / "clicks_truth.json").read_text(encoding="utf-8"))
ROWS = {
    "impression": ["1", "1"],
    "user": ["u", "u"],
    "rank": [1, 2],
    "item": ["007", "b"],
    "team": ["A", "B"],
    "click": [1, 0],
}


@pytest.mark.parametrize("file", ["team_draft.csv", "team_draft_mpkato.jsonl", "team_draft_events.csv"])
def test_the_interleaving_libraries(file):
    truth = TRUTH["team_draft"]
    is_events = file.endswith("events.csv")  # which know no user
    found = rw.clicks.interleaved(
        evidence("shapes/interleaving") / file, cluster=None if is_events else "user"
    )
    assert (found.won, found.lost, found.tied) == (truth["wins_A"], truth["wins_B"], truth["ties"])
    assert found.delta == truth["delta_all_impressions"]
    assert found.without_clicks == len(truth["impressions_without_click"])
    assert found.clusters == (8 if is_events else len(truth["share_A_by_user"]))


@pytest.mark.parametrize("files", [["click_events.ndjson"], ["click_events.ndjson", "click_queries.ndjson"]])
def test_events_of_ubi(files):
    truth = TRUTH["ubi"]
    paths = [evidence("shapes/ubi") / file for file in files]
    log = rw.clicks.read_log(paths if len(paths) > 1 else paths[0])
    found = rw.clicks.positions(log)
    assert {str(row.rank): row.clicks for row in found.rows} == truth["clicks_by_ordinal"]
    assert {str(row.rank): row.impressions for row in found.rows} == truth["impressions_by_ordinal"]
    # COEC with the click rates as theta is OpenSearch's, whose rates are not relative to the first
    made = rw.clicks.judgements(log, list(truth["ctr_by_ordinal"].values()), at_least=1e-9)
    grades = dict(
        zip(zip(made.query.tolist(), made.item.tolist(), strict=True), made.grade.tolist(), strict=True)
    )
    assert grades == pytest.approx({(q, i): g for q, own in truth["coec"].items() for i, g in own.items()})


def events(*rows):
    """Lines of events: the action, the search, the item, the rank."""
    return "\n".join(
        json.dumps({"action_name": action, "query_id": search, "client_id": "u", "user_query": "q", "timestamp": "2026-03-01T10:00:00Z", "event_attributes": {
            "object": {"object_id": item}, "position": {} if rank is None else {"ordinal": rank}}}) for action, search, item, rank in rows
    )  # fmt: skip


@pytest.mark.parametrize("suffix", [".json", ".ndjson"])
@pytest.mark.parametrize("dumped", [True, False])
def test_events_in_an_array_or_a_dump_are_those_of_lines(dumped, suffix, tmp_path):
    lines = events(("impression", "s", "a", 1), ("impression", "s", "b", 2), ("click", "s", "b", 2))
    rows = list(map(json.loads, lines.splitlines()))
    (tmp_path / "lines.ndjson").write_text(lines)
    truth = rw.clicks.read_log(tmp_path / "lines.ndjson").frame.collect()
    value = {"hits": {"hits": [{"_source": row} for row in rows]}} if dumped else rows
    assert rw.clicks.read_log(value).frame.collect().equals(truth)
    if suffix == ".json" or dumped:
        (tmp_path / f"log{suffix}").write_text(json.dumps(value))
        assert rw.clicks.read_log(tmp_path / f"log{suffix}").frame.collect().equals(truth)


def test_a_table_may_have_a_column_of_ubi(tmp_path):
    rows = [{"user_query": "shoes", "item": "a", "rank": rank, "click": 1} for rank in (1, 2)]
    (tmp_path / "log.ndjson").write_text("\n".join(map(json.dumps, rows)))
    assert rw.clicks.positions(tmp_path / "log.ndjson", cluster=None).theta == [1.0, 1.0]


@pytest.mark.parametrize(
    "line",
    [
        {"hits": None},
        {"hits": {"hits": [3]}},
        {
            "action_name": "click",
            "query_id": "s",
            "event_attributes": {"object": {"object_id": 1}, "position": {"ordinal": 1.5}},
        },
    ],
)
def test_objects_that_are_no_events_are_refused(line, tmp_path):
    (tmp_path / "log.ndjson").write_text(json.dumps(line))
    with pytest.raises(
        DataError, match=r"neither an event|expected an object, not 3|the ordinal 1\.5 is no whole number"
    ):
        rw.clicks.read_log([tmp_path / "log.ndjson"])


def test_events_of_the_library_interleaved_may_name_users(tmp_path):
    rows = [
        f"{search},{event},{user}"
        for search, user in enumerate("uuv")
        for event in ("serp,,", "click,1,A", "click,2,B")
    ]
    (tmp_path / "events.csv").write_text(
        "\n".join(["search_id,event,position,ranking_function,user_id", *rows])
    )
    assert rw.clicks.interleaved(tmp_path / "events.csv").clusters == 2


def test_odd_events_are_counted(tmp_path):
    file = tmp_path / "events.ndjson"
    shown = [("impression", "s", "a", 1), ("impression", "s", "a", 1), ("impression", "s", 7, 2)]
    file.write_text(
        events(
            *shown,
            ("click", "s", 7, None),
            ("click", "s", 7, 2),
            ("click", "s", "z", 9),
            ("page_exit", "s", None, None),
        )
    )
    log = rw.clicks.read_log(file)
    assert log.counts == {
        "impressions that were logged twice": 1, "events without an object": 1, "clicks on items that were not shown": 1,
    }  # fmt: skip
    assert log.frame.select("item", "click").collect().rows() == [("a", 0), ("7", 2)]
    assert rw.clicks.judgements(log, [1, 0.5], at_least=0.5).grade.tolist() == [
        2.0,
        0.0,
    ]  # a count is read as a click
    file.write_text(events(("click", "s", "a", 1)))
    with pytest.raises(DataError, match="no event is an impression"):
        rw.clicks.read_log(file)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".arrow", ".ndjson", ".json"])
def test_tables_of_every_kind_are_one_log(suffix, tmp_path):
    frame, path = pl.DataFrame(ROWS), tmp_path / f"log{suffix}"
    writers = {
        ".csv": frame.write_csv,
        ".parquet": frame.write_parquet,
        ".arrow": frame.write_ipc,
        ".ndjson": frame.write_ndjson,
    }
    writers[".tsv"] = lambda file: frame.write_csv(file, separator="\t")
    writers[".json"] = lambda file: file.write_text(json.dumps(ROWS))
    writers[suffix](path)
    found = rw.clicks.interleaved(path)
    assert (found.won, found.clusters, found.log) == (1, 1, path.name)
    log = rw.clicks.read_log(path)
    assert log.frame.collect()[log.words["item"]].to_list() == ["007", "b"]


@pytest.mark.parametrize(
    "make",
    [
        pl.DataFrame,
        lambda rows: pl.DataFrame(rows).lazy(),
        lambda rows: pl.DataFrame(rows).to_pandas(),
        lambda rows: pl.DataFrame(rows).to_dicts(),
        lambda rows: [SimpleNamespace(**row) for row in pl.DataFrame(rows).to_dicts()],
    ],
)
def test_frames_of_every_kind_are_one_log(make):
    assert rw.clicks.interleaved(make(ROWS)).won == 1


def test_the_line_of_a_wrong_cell_is_named(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("impression,user,team,click\n1,u,A,1\n1,u,B,x\n")
    with pytest.raises(DataError, match=r"log\.csv:3: the click is 'x'"):
        rw.clicks.interleaved(file)


def test_columns_of_other_names_are_said():
    log = {"answer": [1, 1], "who": ["u", "u"], "side": ["A", "B"], "clicked": [1, 0]}
    with pytest.raises(
        DataError, match=r"no column for the impression .* columns=\{'its name': 'impression'\}"
    ):
        rw.clicks.interleaved(log)
    said = rw.clicks.read_log(log, columns={"answer": "impression", "who": "user", "side": "team"})
    assert rw.clicks.interleaved(said).won == 1
    with pytest.raises(UsageError, match="Did you mean user"):
        rw.clicks.read_log(log, columns={"who": "usr"})
    with pytest.raises(UsageError, match="no column 'nobody'"):
        rw.clicks.read_log(log, columns={"nobody": "user"})
    with pytest.raises(DataError, match="could each be the user"):
        rw.clicks.read_log({"user_id": ["u"], "client_id": ["c"]})


def test_users_without_a_name_are_alone_and_counted():
    log = {
        "impression": [1, 1, 2, 2, 3, 3],
        "user": ["u", "u", None, None, None, None],
        "team": ["A", "B"] * 3,
        "click": [1, 0] * 3,
    }
    found = rw.clicks.interleaved(log)
    assert found.clusters == 3
    assert found.counts == {"impressions without a user, each counted alone": 2}


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("log.ndjson", "{", "log.ndjson:1: this line is no JSON"),
        ("log.ndjson", "[1]", "log.ndjson:1: expected an object"),
        ("log.ndjson", "", "log.ndjson: the file is empty"),
        ("log.ndjson", "\n\n", "holds no rows"),
        ("log.json", "{", "this is no JSON"),
        ("log.jsonl", '{"ranking_list": ["a"], "teams": {"0": ["a"]}, "clicks": [4]}', "position 4 was clicked, but the list has 1 items"),
        ("log.jsonl", '{"ranking_list": ["a"], "teams": 3, "clicks": [0]}', "no line with ranking_list, teams and clicks"),
        ("log.jsonl", '{"ranking_list": ["a", "b"], "teams": {"0": ["a"], "1": ["b"]}, "clicks": [true, false]}', "clicks are positions, whole numbers"),
        ("log.csv", "impression,user,team,click\n", "holds no rows"),
    ],
)  # fmt: skip
def test_damaged_files(name, text, error, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises((DataError, InputError), match=error):
        rw.clicks.interleaved(tmp_path / name)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    "file", ["team_draft.csv", "team_draft_mpkato.jsonl", "team_draft_events.csv", "click_events.ndjson"]
)
def test_a_packed_log_is_the_log(file, pack, tmp_path):
    [path] = evidence("shapes").rglob(file)
    packed = tmp_path / f"{file}.{({gzip.compress: 'gz', bz2.compress: 'bz2'}).get(pack, 'xz')}"
    packed.write_bytes(pack(path.read_bytes()))
    plain, same = (rw.clicks.read_log(each, name="log") for each in (path, packed))
    assert (same.names, same.hash) == (plain.names, plain.hash)


@pytest.mark.parametrize(("sign", "encoding"), [(";", "utf-8"), ("\t", "utf-16"), (",", "utf-8-sig")])
def test_the_separator_is_seen_in_the_text_whatever_holds_it(sign, encoding, tmp_path):
    lines = [sign.join(ROWS), *(sign.join(map(str, row)) for row in zip(*ROWS.values(), strict=True))]
    packed = tmp_path / "log.csv.gz"
    packed.write_bytes(gzip.compress("\n".join(lines).encode(encoding)))
    found = rw.clicks.interleaved(packed)
    assert (found.won, found.lost, found.clusters) == (1, 0, 1)


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("log.csv", b"query,impression,user,team,click\nshoes, red,1,u,A,1\nhats,1,u,B,0\n", "log.csv:2: 6 columns where the header has 5. Quote the text"),
        ("log.xlsx", b"PK\x03\x04" + b"\0" * 60, "a zip archive .or a spreadsheet.. Unpack it, or export it as CSV"),
        ("log.csv", b"impression,user,team,click\n\n1,u,A,1\n\n1,u,B,\n", "log.csv:5: the click is missing; it must be 0, 1 or a count; what was shown and not clicked is 0"),
    ],
)  # fmt: skip
def test_text_that_is_no_table_is_refused_as_everywhere(name, text, error, tmp_path):
    (tmp_path / name).write_bytes(text)
    with pytest.raises(DataError, match=error):
        rw.clicks.interleaved(tmp_path / name)


def test_several_tables_are_not_taken_for_events(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("impression,user,team,click\n1,u,A,1\n")
    with pytest.raises(
        DataError, match=r"of a table in several files give one frame, such as polars\.scan_csv"
    ):
        rw.clicks.read_log([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_a_missing_file():
    with pytest.raises(InputError, match="there is no such file"):
        rw.clicks.read_log("nowhere.csv")


@pytest.mark.parametrize("word", ["impression", "item", "user", "click"])
def test_cells_that_hold_more_than_one_value_are_refused(word):
    with pytest.raises(DataError, match=f"the column '{word}' is List"):
        rw.clicks.interleaved(pl.DataFrame(ROWS | {word: [[1, 2], [3]]}))


def test_clicks_and_answers_of_the_library_interleaved_that_contradict_the_answers_are_counted(tmp_path):
    rows = ["1,serp,,", "1,click,1,A", "1,serp,,", "2,serp,,", "2,click,1,B", "9,click,2,B", "1,hover,1,A"]
    (tmp_path / "events.csv").write_text("\n".join(["search_id,event,position,ranking_function", *rows]))
    found = rw.clicks.interleaved(tmp_path / "events.csv", cluster=None)
    assert (found.impressions, found.won, found.lost) == (2, 1, 1)
    assert found.counts == {
        "events that are neither serp nor click": 1, "clicks on answers that were not shown": 1, "impressions that were logged twice": 1,
    }  # fmt: skip


def test_lines_of_json_take_names_of_columns(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"place": 1, "click": 1}\n{"place": 2, "click": 0}\n')
    found = rw.clicks.positions(
        rw.clicks.read_log(tmp_path / "log.jsonl", columns={"place": "rank"}), cluster=None
    )
    assert found.theta == [1.0, 0.0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"impression": [1, None]}, "log, row 2: the impression is missing"),
        ({"item": ["a", "a"]}, "log, row 2: impression 1 shows item 'a' a second time"),
    ],
)
@pytest.mark.parametrize("verb", ["positions", "interleaved", "off_policy"])
def test_rows_of_no_impression_and_items_twice_in_one_are_refused(verb, change, said):
    log = {
        "impression": [1, 1], "item": ["a", "b"], "rank": [1, 2], "click": [1, 0], "user": ["u", "u"], "propensity": [0.5, 0.2],
        "target": [0.1, 0.1],
    }  # fmt: skip
    team = {"team": ["A", "A"]} if verb == "interleaved" else {}
    with pytest.raises(DataError, match=said):
        getattr(rw.clicks, verb)(log | team | change)


def test_an_item_of_both_teams_of_a_draft_gives_no_credit(tmp_path):
    line = {
        "ranking_list": ["a", "b", "c"],
        "teams": {"bm25 + rm3": ["a", "b"], "dense": ["b", "c"]},
        "clicks": [1, 1, 0],
    }
    (tmp_path / "log.jsonl").write_text(json.dumps(line))
    found = rw.clicks.interleaved(tmp_path / "log.jsonl", cluster=None)
    assert (found.team, found.won, found.lost) == ("bm25 + rm3", 1, 0)
    assert found.counts == {"items of both teams, which give no credit": 1}


def test_an_event_with_attributes_of_another_kind_is_refused(tmp_path):
    event = {"action_name": "click", "query_id": "1", "event_attributes": {"position": {"ordinal": "first"}}}
    (tmp_path / "log.ndjson").write_text(json.dumps(event))
    with pytest.raises(DataError, match=r"log\.ndjson:1: the event_attributes are not those of UBI"):
        rw.clicks.read_log(tmp_path / "log.ndjson")


def drawn(change=None, names=(), impressions=24):
    """Impressions of three items by two rankers; the names of further columns hold three values, each of whole impressions."""
    rng = random.Random(7)
    rows = [
        {"impression": i, "user": f"u{i % 8}", "query": f"q{i % 2}", "item": f"d{j}", "rank": k + 1, "team": "AB"[k % 2],
         "click": int(rng.random() < 0.6), "propensity": 0.5, "target": rng.random()} | dict.fromkeys(names, f"e{i % 3}") | (change or {})
        for i in range(impressions) for k, j in enumerate(rng.sample(range(4), 3))
    ]  # fmt: skip
    return pl.DataFrame(rows)


ANSWERS = {
    "interleaved": rw.clicks.interleaved,
    "swap": rw.clicks.positions,
    "harvest": lambda log: rw.clicks.positions(log, how="harvest"),
    "judgements": lambda log: rw.clicks.judgements(log, [1, 0.5, 0.3], at_least=1),
    "counterfactual": lambda log: rw.clicks.counterfactual(log, {"q0": ["d1", "d2"]}, [1, 0.5, 0.3]),
    "off_policy": lambda log: rw.clicks.off_policy(log, force=True),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize(
    "name", ["experiment_id", "expId", "test", "ABTest", "test group", "variant_group", "campaign", "bucket"]
)
def test_several_experiments_in_one_log_are_named(answer, name):
    log = drawn(names=[name])
    with pytest.warns(DataWarning, match=r"holds 3 experiments \('e0', 'e1', 'e2'\)") as said:
        found = ANSWERS[answer](log)
    assert found.counts["experiments, which were answered as one"] == 3
    # the remedy: each by itself, and then nothing is said
    frame = log.to_pandas()
    own = eval(re.search(r"dict\(list\(.*?\)\)\)", str(said[0].message))[0], {"frame": frame})
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        parts = [ANSWERS[answer](part) for part in own.values()]
        ANSWERS[answer](log.drop(name))
    if answer == "interleaved":
        assert sum(part.impressions for part in parts) == found.impressions


@pytest.mark.parametrize(
    "log",
    [
        drawn(names=["country", "latest", "age_bucket", "contest"]),  # what answers are pooled over by right
        drawn({"experiment": "e1"}),
        drawn({"test_score": 0.5}).with_columns(test_score=pl.int_range(pl.len()) / 100),
        drawn().with_columns(
            variant=pl.col("item") + "x", test=pl.col("rank")
        ),  # an item's, within an answer
        drawn().with_columns(test_id=pl.col("impression")),  # another name of the answer
        drawn().unique("impression").with_columns(campaign=pl.col("item")),  # a row per choice
    ],
)
@pytest.mark.filterwarnings("error::rankwell.errors.DataWarning")
def test_columns_that_are_no_experiments_are_not_named(log):
    assert "answered as one" not in rw.clicks.off_policy(log, force=True).to_text()


def test_experiments_of_a_file_are_named_in_the_shell(tmp_path, capsys):
    drawn(names=["experiment"]).write_csv(tmp_path / "log.csv")
    assert run(["clicks", "interleaved", str(tmp_path / "log.csv")]) == 0
    said = capsys.readouterr()
    assert "log.csv: by 'experiment' it holds 3 experiments" in said.err
    assert "experiments, which were answered as one: 3" in said.out


@pytest.mark.parametrize("answer", [name for name in ANSWERS if name != "off_policy"])
def test_a_log_of_clicked_rows_alone_is_named(answer):
    with pytest.warns(DataWarning, match="every row is clicked"):
        found = ANSWERS[answer](drawn({"click": 1}))
    assert found.counts["rows, all of them clicked: what was shown and not clicked is missing"] == 72


@pytest.mark.parametrize("missing", [math.nan, None])
def test_a_swap_that_pandas_writes_as_nan_is_none(missing):
    log = drawn().with_columns(swap=pl.when(pl.col("impression") % 2 == 0).then(2)).to_pandas()
    assert log["swap"].isna().sum() == 36
    found = rw.clicks.positions(log.assign(swap=log["swap"].fillna(missing)))
    assert (
        found.theta[:2]
        == rw.clicks.positions(pl.DataFrame(log).with_columns(pl.col("swap").fill_nan(None))).theta[:2]
    )


def test_lines_of_the_library_interleaving_keep_what_else_they_say(tmp_path):
    lines = [
        {"ranking_list": ["a", "b"], "teams": {"A": ["a"], "B": ["b"]}, "clicks": [0] * (n % 3 > 0), "user": f"u{n % 5}",
         "session": f"s{n % 7}", "experiment": f"e{n % 2}"} for n in range(20)
    ]  # fmt: skip
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.warns(DataWarning, match="2 experiments"):
        assert rw.clicks.interleaved(tmp_path / "log.jsonl", cluster="session").clusters == 7


def test_a_folder_of_parquet_is_a_log(tmp_path):
    log = drawn()
    log[:36].write_parquet(tmp_path / "a.parquet")
    log[36:].write_parquet(tmp_path / "b.parquet")
    assert rw.clicks.interleaved(tmp_path).pairs == rw.clicks.interleaved(log).pairs


def test_text_is_read_as_numbers_without_what_takes_four_times_the_memory():
    log = rw.clicks.read_log(drawn().with_columns(pl.all().cast(pl.String)))
    assert "replace" not in log.frame.select(log.number("click")).explain()
    truth = pl.Series(["true", " False", "TRUE ", "1", "0", "2", ""])
    own = rw.clicks.read_log(pl.DataFrame({"click": truth}))
    assert own.columns(own.number("click")).to_series().to_list() == [1, 0, 1, 1, 0, 2, None]
