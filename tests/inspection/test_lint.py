"""lint finds what was planted, says what it does to the numbers, and finds nothing in clean data."""

from __future__ import annotations

import gzip
import itertools
import json
import subprocess
from pathlib import Path

import polars as pl
import pytest
from tests.readers import ways

import rankwell as rw
from rankwell.cli import run as command

CLEAN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 0.5, "c": 0.25}}
QRELS = {"1": {"a": 0, "b": 1, "c": 2}, "2": {"b": 1, "c": 0}}
ROWS = [(q, i, s) for q, items in CLEAN.items() for i, s in items.items()]


def rules(*arguments, **options):
    return {each.rule: each for each in rw.lint(*arguments, **options)}


def test_nothing_is_wrong_with_clean_data(tmp_path):
    for name, write in ways.FILES.items():
        (tmp_path / name).write_bytes(write(ROWS, "run"))
        found = rw.lint(tmp_path / name, QRELS, items=["a", "b", "c"], train={"1": ["z"]}, scale=[0, 1, 2])
        assert (list(found), str(found), found.is_wrong) == ([], "nothing is wrong", False)


def test_a_repeated_item_is_found_with_both_readings(tmp_path):
    text = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n1 Q0 c 4 .5 t\n2 Q0 b 1 1 t\n"
    (tmp_path / "bad.run").write_text(text)
    found = rules(tmp_path / "bad.run", QRELS)["duplicates"]
    assert (found.level, found.count, found.place) == ("error", 1, f"{tmp_path}/bad.run:3")
    values = [
        rw.evaluate(tmp_path / "bad.run", QRELS, "ndcg@10", policy=rw.Policy(duplicates=rule))["ndcg@10"]
        for rule in ("first", "drop")
    ]
    assert values[0] < values[1]
    assert f"{values[0]:.4f} → {values[1]:.4f}" in found.effect


def test_an_item_judged_twice_is_an_error_only_with_another_grade():
    table = {"query": ["1", "1", "1"], "item": ["a", "b", "b"]}
    differing, alike = (pl.DataFrame({**table, "grade": grades}) for grades in ([0, 1, 2], [0, 1, 1]))
    assert rules(CLEAN, differing)["duplicates"].level == "error"
    assert rules(CLEAN, alike)["duplicates"].level == "warning"


def test_scores_that_rise_with_the_rank_are_suspected(tmp_path):
    text = "".join(f"1 Q0 {item} {rank} {rank}.5 t\n" for rank, item in enumerate("cbaxyzuvw", 1))
    (tmp_path / "distance.run").write_text(text)
    qrels = {"1": {"c": 2, "b": 1}}
    found = rules(tmp_path / "distance.run", qrels)["score-direction"]
    right = rw.evaluate({"1": list("cbaxyzuvw")}, qrels, "ndcg@10")["ndcg@10"]
    wrong = rw.evaluate({"1": list("wvuzyxabc")}, qrels, "ndcg@10")["ndcg@10"]
    assert found.effect == f"ndcg@10 {wrong:.4f} → {right:.4f} if the other column decides"
    names = ["query", "zero", "item", "rank", "score", "tag"]
    table = pl.read_csv(tmp_path / "distance.run", separator=" ", has_header=False, new_columns=names)
    unranked = table.select("query", "item", "score").cast({"query": pl.String})
    assert rules(unranked, qrels)["score-direction"].effect.endswith("if low scores are better")


def test_single_rows_against_their_rank_are_told(tmp_path):
    text = "1 Q0 a 1 3 t\n1 Q0 b 2 5 t\n1 Q0 c 3 1 t\n1 Q0 d 4 .5 t\n"
    (tmp_path / "some.run").write_text(text)
    found = rules(tmp_path / "some.run", {"1": {"a": 1, "b": 0}})["ranks-against-scores"]
    assert (found.count, found.place) == (1, f"{tmp_path}/some.run:2")
    assert found.effect == "ndcg@10 0.6309 → 1.0000 if the other column decides"
    table = pl.DataFrame({"query": ["1"] * 3, "item": list("abc"), "rank": [1, 2, 3], "score": [3, 5, 1]})
    assert "the rank decides" in rules(table, {"1": {"a": 1}})["ranks-against-scores"].message


def test_scores_that_only_double_precision_tells_apart_are_noted():
    run = {"1": {"a": 1.0, "b": 1.0 + 1e-9, "c": 0.5}}
    found = rules(run, {"1": {"a": 1}})["near-ties"]
    assert (found.level, found.count) == ("note", 1)
    single = rw.evaluate(run, {"1": {"a": 1}}, "ndcg@10", policy=rw.Policy(scores="single"))["ndcg@10"]
    assert f"{single:.4f} with --scores single" in found.effect


def test_infinite_scores_are_told():
    run = {"1": {"a": float("inf"), "b": float("inf"), "c": 0.5}}
    assert rules(run, {"1": {"c": 1}})["infinite-scores"].effect == "ndcg@10 0.5000 → 1.0000 without them"


def test_queries_of_one_side_only_are_told():
    found = rules(CLEAN | {"9": {"a": 1.0}}, QRELS | {"7": {"a": 1}, "8": {"a": 1}})
    assert (found["unknown-queries"].count, found["missing-queries"].count) == (1, 2)
    assert found["missing-queries"].effect.endswith("with --missing skip")


@pytest.mark.parametrize(
    ("item", "hint"),
    [
        ("a ", "without white space"),
        ("00a", "without leading zeros"),
        ("A", "in lower case"),
        ("doc_a", "without the prefix 'doc_'"),
    ],
)
def test_sides_that_never_meet_are_told_what_would_make_them(item, hint):
    found = rules({"1": {item: 1.0}}, {"1": {"a": 1}})["nothing-in-common"]
    assert f"1 of 1 would match {hint}" in found.message
    assert "in run, write each item id as " in found.remedy


def test_queries_that_never_meet_are_told_what_would_make_them():
    found = rules({"topic7": {"a": 1.0}}, {"7": {"a": 1}})["nothing-in-common"]
    assert "1 of 1 would match without the prefix 'topic' (the lists have 'topic7'" in found.message
    assert found.remedy.endswith('in run, write each query id as id.removeprefix("topic")')


def test_swapped_columns_are_told_with_their_names():
    pairs = [(f"u{number % 7}", f"i{number}") for number in range(60)]
    table = {"user": [item for _, item in pairs], "item": [user for user, _ in pairs], "score": [*range(60)]}
    found = rules(
        pl.DataFrame(table), {user: {item: 1 for one, item in pairs if one == user} for user, _ in pairs}
    )
    assert "60 of 60 would match with query and item swapped" in found["nothing-in-common"].message
    assert found["nothing-in-common"].remedy.endswith("columns={'user': 'item', 'item': 'query'}")


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_ids_that_would_meet_only_after_a_change_are_found(share):
    judged = [f"doc{number}" for number in range(100)]
    run = {each.upper() if number < 100 * share else each: 1.0 for number, each in enumerate(judged)}
    found = rules({"1": run}, {"1": dict.fromkeys(judged, 1)})["id-mismatch"]
    assert found.level == ("error" if share > 0.5 else "warning")
    n = round(100 * share)
    assert (
        f"{n} of {n} would match in lower case (the lists have 'DOC0', the judgements 'doc0')"
        in found.message
    )


def test_a_command_of_the_remedy_makes_the_ids_meet(tmp_path):
    (tmp_path / "a.run").write_text(
        "".join(f"1 Q0 MS_{number:03} {number + 1} {30 - number} it's\n" for number in range(20))
    )
    (tmp_path / "qrels.txt").write_text("".join(f"1 0 {number:03} 1\n" for number in range(20)))
    found = rules(tmp_path / "a.run", tmp_path / "qrels.txt")["nothing-in-common"]
    command = found.remedy.partition(": ")[2]
    subprocess.run(command, shell=True, check=True)
    assert rw.evaluate(tmp_path / "fixed-a.run", tmp_path / "qrels.txt", "r@20")["r@20"] == 1.0


def test_ids_of_two_types_are_told_only_if_they_cannot_meet():
    assert "nothing-in-common" not in rules({1: {7: 1.0}}, {"1": {"7": 1}})
    assert "nothing-in-common" in rules({1: {7: 1.0}}, {"1": {"d7": 1}})


def test_white_space_in_ids_is_found(tmp_path):
    (tmp_path / "run.csv").write_text("query,item,score\n1,a,3\n1,b ,2\n")
    found = rules(tmp_path / "run.csv", {"1": {"a": 1, "b": 1}})["white-space"]
    assert (found.place, found.count) == (f"{tmp_path}/run.csv:3", 1)


def test_unjudged_lists_are_noted():
    run = {"1": {"x": 3.0, "y": 2.0, "z": 1.5, "a": 1.0}}
    found = rules(run, {"1": {"a": 1, "b": 0}})["unjudged"]
    assert "only 25% of the first 10" in found.message
    assert found.effect == "ndcg@10 0.4307 → 1.0000 with --unjudged condense"


def test_grades_outside_the_scale_and_items_outside_the_catalogue_are_errors():
    found = rules(CLEAN, QRELS, scale=[0, 1], items=["a", "b"])
    assert (found["scale"].count, found["scale"].level) == (1, "error")
    assert found["unknown-items"].level == "error"


def test_runs_over_different_queries_are_told():
    found = rules([CLEAN, {"1": CLEAN["1"], "3": {"a": 1.0}}], QRELS)["different-queries"]
    assert (found.message, found.count) == ("1 queries are only in run, 1 only in run", 2)


def test_a_catalogue_may_be_a_file(tmp_path):
    (tmp_path / "items.csv").write_text("item\na\nb\n")
    found = rules(CLEAN, QRELS, items=tmp_path / "items.csv")
    assert found.keys() == rules(CLEAN, QRELS, items=["a", "b"]).keys()
    assert found["unknown-items"].message.startswith("item 'c' is not in the catalogue items.csv")


def test_training_items_in_the_lists_are_told():
    found = rules(CLEAN, QRELS, train={"1": ["a"], "2": ["z"]})["training-items"]
    without = rw.evaluate({"1": {"b": 2.0, "c": 1.0}, "2": CLEAN["2"]}, QRELS, "ndcg@10")["ndcg@10"]
    assert found.count == 1
    assert f"→ {without:.4f} without them" in found.effect


def test_a_file_without_its_last_line_end_may_be_cut_off(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2.5 t")
    found = rules(tmp_path / "a.run", QRELS)["cut-off"]
    assert found.place == f"{tmp_path}/a.run:2"


def test_what_cannot_be_read_is_a_finding_and_the_rest_is_looked_at(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 x t\n")
    found = rules([tmp_path / "a.run", CLEAN | {"9": {"a": 1.0}}], QRELS)
    assert found["unreadable"].place == f"{tmp_path}/a.run:2"
    assert "unknown-queries" in found
    assert rules(tmp_path / "nowhere", QRELS)["unreadable"].level == "error"


@pytest.mark.parametrize(
    "name", [name for name in ways.FILES if name.endswith((".run", "sv", ".ndjson", ".dat"))]
)
@pytest.mark.parametrize("pack", ["", ".gz"])
def test_every_line_that_cannot_be_read_is_told_and_the_others_are_looked_at(tmp_path, name, pack):
    rows = [("1", "a", 3.0), ("1", "b", 2.0), ("1", "c", 1.0), ("2", "a", 1.0), ("2", "a", 0.5)]
    lines = ways.FILES[name](rows, "run").splitlines(keepends=True)
    header = len(lines) - len(rows)
    for row in (1, 3):
        lines[row + header] = lines[row + header].replace(b"2.0", b"x").replace(b"1.0", b"x")
        assert b"x" in lines[row + header]
    path = tmp_path / f"{name}{pack}"
    path.write_bytes(gzip.compress(b"".join(lines)) if pack else b"".join(lines))
    found = rw.lint(path, {"1": {"a": 1}, "2": {"a": 1}}, cleaned_copies=tmp_path / "clean")
    wrong = [each.place for each in found if each.rule == "unreadable"]
    assert wrong == [f"{path}:{row + header + 1}" for row in (1, 3)]
    assert not (tmp_path / "clean" / name).exists(), "what is not whole is not written"
    assert not any(each.rule == "duplicates" for each in found)


def test_a_file_of_nothing_but_bad_lines_is_given_up(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 x t\n" * 50)
    found = rw.lint(tmp_path / "a.run")
    assert len(found) == 22
    assert "more than 20 lines cannot be read" in str(found)


DIRTY = [("1", "a", 3.0), ("1", " b", 2.0), ("2", "c", 0.5), ("1", "a", 4.0), ("2", "d", 1.5)]


@pytest.mark.parametrize("name", [name for name in ways.FILES if name != "object.json"])
def test_a_cleaned_copy_has_nothing_left_to_clean(tmp_path, name):
    rows = [row for row in DIRTY if "trec" not in name or " " not in row[1]]
    (tmp_path / name).write_bytes(ways.FILES[name](rows, "run"))
    judged = [("1", "a", 1), ("1", "b", 0), ("1", "a", 2), ("2", "c", 1)]
    (tmp_path / f"q{name}").write_bytes(ways.FILES[name](judged, "qrels"))
    rw.lint(tmp_path / name, tmp_path / f"q{name}", cleaned_copies=tmp_path / "clean")
    cleaned = rw.lint(tmp_path / "clean" / name, tmp_path / "clean" / f"q{name}")
    assert not {each.rule for each in cleaned} & {"duplicates", "white-space", "cut-off", "unreadable"}
    expected = rw.evaluate(
        {"1": {"a": 4.0} | ({} if "trec" in name else {"b": 2.0}), "2": {"d": 1.5, "c": 0.5}},
        {"1": {"a": 2, "b": 0}, "2": {"c": 1}}, ["ndcg@10", "ap"],
    )  # fmt: skip
    seen = rw.evaluate(tmp_path / "clean" / name, tmp_path / "clean" / f"q{name}", ["ndcg@10", "ap"])
    assert seen.mean == expected.mean
    with pytest.raises(rw.RankwellError, match=r"is there already\. Name an empty folder"):
        rw.lint(tmp_path / name, cleaned_copies=tmp_path / "clean")


JUDGED = pl.DataFrame(
    {
        "query": ["1", "1", "1", "2"], "item": ["a", "a ", "b", "a"], "grade": [1.0, 2.0, 0.0, 1.0],
        "propensity": [0.5, 0.25, 1.0, 0.75], "imputed": [0.0, 1.0, 0.0, 1.0],
    }
)  # fmt: skip
WITH_TOPICS = JUDGED.with_columns(
    topic=pl.Series(["x", "x", "y", "x"]), topic_weight=pl.Series([1.0, 1, 2, 1])
)
KEPT = {
    "csv": "write_csv",
    "parquet": "write_parquet",
    "arrow": "write_ipc",
    "jsonl": "write_ndjson",
    "json": "write_json",
}


@pytest.mark.parametrize("suffix", KEPT)
@pytest.mark.parametrize("judged", [JUDGED, WITH_TOPICS], ids=["plain", "topics"])
def test_a_cleaned_copy_of_judgements_keeps_every_column_of_the_rows_that_it_keeps(tmp_path, suffix, judged):
    getattr(judged, KEPT[suffix])(tmp_path / f"judged.{suffix}")
    rw.lint(CLEAN, tmp_path / f"judged.{suffix}", cleaned_copies=tmp_path / "clean")
    copy = rw.read_qrels(tmp_path / "clean" / f"judged.{suffix}")
    expected = judged[1:].with_columns(pl.col("item").str.strip_chars()).to_dict(as_series=False)
    assert {word: [*getattr(copy, word).tolist()] for word in judged.columns} == expected


@pytest.mark.parametrize("suffix", KEPT)
@pytest.mark.parametrize("columns", [["score"], ["rank"], ["rank", "score"]], ids=" and ".join)
def test_a_cleaned_copy_of_a_run_has_the_columns_that_decided_before(tmp_path, suffix, columns):
    run = pl.DataFrame(
        {"query": ["1"] * 3, "item": ["b", "a", "c"], "score": [0.5, 3.0, 0.25], "rank": [3, 7, 2]}
    ).select("query", "item", *columns)
    getattr(run, KEPT[suffix])(tmp_path / f"run.{suffix}")
    rw.lint(tmp_path / f"run.{suffix}", cleaned_copies=tmp_path / "clean")
    rows = rw.read_run(tmp_path / "clean" / f"run.{suffix}").rows.table()
    assert rows.by_rank == ("rank" in columns)
    by_key = (
        [("a", 3.0), ("b", 0.5), ("c", 0.25)]
        if columns == ["score"]
        else [("c", 0.25), ("b", 0.5), ("a", 3.0)]
    )
    assert rows.item.tolist() == [item for item, _ in by_key]
    scores = rows.key if columns == ["score"] else rows.given_score
    assert scores is None if columns == ["rank"] else scores.tolist() == [score for _, score in by_key]


def test_a_note_names_each_copy_and_each_file_that_is_not_copied(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n")
    (tmp_path / "b.run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 x t\n")
    found = rw.lint([tmp_path / "a.run", tmp_path / "b.run"], cleaned_copies=tmp_path / "clean")
    notes = [each for each in found if each.rule == "cleaned-copy"]
    assert [(each.place, each.level) for each in notes] == [
        (str(tmp_path / "clean/a.run"), "note"),
        ("b.run", "note"),
    ]
    assert (
        "written, with 2 of 3 rows of a.run; columns that rankwell does not read are left out"
        in notes[0].message
    )
    assert notes[1].message == "no copy was written, as some lines cannot be read"
    assert [each.name for each in (tmp_path / "clean").iterdir()] == ["a.run"]


def test_what_is_no_single_file_is_copied_too(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.prefs").write_text(f"{name} g 0 x 1\n{name} g 1 y 2\n")
    rw.lint(CLEAN, str(tmp_path / "*.prefs"), cleaned_copies=tmp_path / "clean")
    assert sorted(each.name for each in (tmp_path / "clean").iterdir()) == [
        "a_and_1_more.prefs",
        "run.parquet",
    ]
    copy = rw.read_qrels(tmp_path / "clean" / "a_and_1_more.prefs")
    assert copy.subgroup.tolist() == ["0", "1", "0", "1"]
    assert (
        rw.evaluate(tmp_path / "clean" / "run.parquet", QRELS, "ap").mean
        == rw.evaluate(CLEAN, QRELS, "ap").mean
    )


def test_the_command_ends_with_1_if_something_is_wrong(tmp_path, capsys):
    (tmp_path / "bad.run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 x t\n")
    (tmp_path / "good.run").write_bytes(ways.trec(ROWS, "run"))
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n1 0 b 0\n1 0 c 0\n2 0 c 0\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "good.run")]
    assert command(["lint", *files]) == 0
    assert capsys.readouterr().out == "nothing is wrong\n"
    assert command(["lint", files[0], str(tmp_path / "bad.run")]) == 1
    assert (
        f"{tmp_path}/bad.run:2: error [unreadable] the score 'x' is not a number" in capsys.readouterr().out
    )
    assert command(["lint", files[0], str(tmp_path / "bad.run"), "--format", "github"]) == 1
    assert f"::error file={tmp_path}/bad.run,line=2,title=unreadable::" in capsys.readouterr().out
    assert command(["lint", files[0], str(tmp_path / "bad.run"), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["rule"] == "unreadable"
    assert command(["lint", *files, "--scale", "x"]) == 2
    assert command(["lint", *files, "--cleaned-copies", str(tmp_path / "clean")]) == 0
    assert (tmp_path / "clean" / "good.run").read_text().startswith("1 Q0 a 1 3 cleaned\n")


@pytest.mark.parametrize(("ties", "expected"), [("item-desc", "cba"), ("item-asc", "abc"), ("order", "bca")])
def test_rows_of_equal_score_are_copied_in_the_order_of_the_policy(tmp_path, ties, expected):
    path = tmp_path / "tied.run"
    path.write_text("".join(f"1 Q0 {item} 1 0.5 tag\n" for item in "bca"), encoding="utf-8")
    rw.lint(path, policy=rw.Policy(ties=ties), cleaned_copies=tmp_path / "clean")
    lines = (tmp_path / "clean" / "tied.run").read_text(encoding="utf-8").splitlines()
    assert "".join(line.split()[2] for line in lines) == expected


def test_pairs_that_the_training_data_repeat_are_told_once():
    run = {"u": ["a", "b", "c"], "v": ["c"]}
    train = pl.DataFrame({"query": ["u", "v"] * 500, "item": ["a", "x"] * 500})
    found = rules(run, {"u": {"b": 1}}, train=train)["training-items"]
    assert (found.count, found.place) == (1, "run, query 'u'")


LISTS = {
    "two": {"a": 2.0, "b": 1.0},
    "one": {"a": 1.0},
    "rising": {"a": 1.0, "b": 2.0},
    "empty": {},
    "no id": {"": 1.0},
}


@pytest.mark.parametrize("queries", [*itertools.permutations(["", "q", "r "], 3)])
@pytest.mark.parametrize("lists", [*itertools.product(LISTS, repeat=2)])
def test_empty_lists_and_empty_ids_at_any_place_are_looked_at(queries, lists):
    table = dict(zip(queries, [LISTS[each] for each in lists] + [{"a": 1.0}], strict=True))
    judged = {query: dict.fromkeys(own, 1) for query, own in table.items()}
    for run, qrels in ((table, {"q": {"a": 1}}), ({"q": {"a": 1.0}}, judged), (table, judged)):
        try:
            found = rw.lint(run, qrels)
        except rw.RankwellError:
            continue  # such as a run without a row
        if "r " in {query for query, own in run.items() if own}:
            assert "white-space" in {each.rule for each in found}


CHUNKS = [
    {"chunk_id": "c1", "document": "d", "start": 0, "end": 50},
    {"chunk_id": "c2", "document": "d", "start": 50, "end": 90},
]
SPANS = [
    {"query": query, "document": "d", "start": start, "end": start + 9} for query in "qp" for start in (7, 30)
]


def test_with_a_metric_of_spans_judged_spans_are_not_looked_for_among_chunks():
    found = rw.lint({"q": ["c1"], "p": ["c2"]}, SPANS, items=CHUNKS, metric="span_r@10")
    assert not list(found), found
    found = rw.lint({"q": ["c1"]}, SPANS, items=CHUNKS, metric="span_r@10")
    assert [each.rule for each in found] == ["missing-queries"]
    assert "span_r@10 0.5000 → 1.0000" in str(found)


def test_spans_that_no_chunk_can_have_and_chunks_without_spans_are_found():
    gold = [*SPANS, {"query": "q", "document": "docs/d", "start": 1, "end": 5}]
    found = rw.lint({"q": ["c1", "c9"], "p": ["c2"]}, gold, items=CHUNKS, metric="span_r@10")
    assert [each.rule for each in found] == ["unknown-items", "unknown-items"]
    assert "no chunk of items is of the document 'docs/d'; 1 row of qrels" in str(found)
    bad = [*CHUNKS, {"chunk_id": "c3", "document": "d", "start": 5, "end": 5}]
    found = rw.lint({"q": ["c1"], "p": ["c2"]}, SPANS, items=bad, metric="span_r@10")
    assert "item 'c3': the end (5) must be above the start (5)" in str(found)


ANSWERS = {
    "query": ["q", "q", "q", "p", "p"], "part": [1, 2, 2, 1, None], "item": ["a", "a", "b", None, None],
    "support": [1.0, 0.5, None, None, None],
}  # fmt: skip


def test_with_a_metric_of_parts_each_is_a_list_of_its_own(tmp_path):
    assert not list(rw.lint(ANSWERS, metric="citation_r"))
    twice = {**ANSWERS, "part": [1, 2, 2, 1, None], "item": ["a", "b", "b", None, None]}
    assert str(rw.lint(twice, metric="citation_r")).startswith(
        "run, row 3: error [duplicates] query 'q' lists item 'b' twice (first: run, row 2)"
    )
    path = tmp_path / "answers.csv"
    lines = ["query,claim,item,support", "q,1,a,1", "q,2,b,0.7", "q,2,c,perhaps", "q,,d,1"]
    path.write_text("\n".join(lines) + "\n")
    found = rw.lint(path, metric="citation_r", columns={"claim": "part"})
    places = [str(each.place).rpartition(":")[2] for each in found]
    assert places == ["4", "3", "5"]
    assert {each.rule for each in found} == {"unreadable"}
    copies = rw.lint(ANSWERS, metric="citation_r", cleaned_copies=tmp_path / "copies")
    assert "no copy was written, as one would have no parts" in str(copies)


def test_runs_by_name_are_those_that_compare_takes(tmp_path):
    lists = {"1": {"a": 2.0, "b": 1.0}}
    path = tmp_path / "some.run"
    path.write_text("1 Q0 a 1 2.0 t\n1 Q0 a 2 1.0 t\n")
    table = pl.DataFrame({"query": ["1", "1"], "item": ["a", "a"], "score": [2.0, 1.0]})
    forms = [path, str(path), table, table.to_dict(as_series=False), {"1": ["a", "a"]}, rw.read_run(path)]
    for form in forms:
        found = rw.lint({"old": form, "new": lists}, {"1": {"a": 1, "b": 0}})
        assert found[0].rule == "duplicates", form
        place = "some.run:2" if isinstance(form, (str, Path, rw.Run)) else "old, "
        assert place in str(found[0].place), form
    # what is one run stays one
    for run in (
        {"1": ["a"], "2": []},
        {"1": {}, "2": {"a": 1.0}},
        {"1": [("a", 1.0)]},
        {"query": ["1"], "item": ["a"]},
    ):
        assert not [each for each in rw.lint(run) if each.rule == "unreadable"], run
