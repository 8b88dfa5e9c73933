"""Both lists of one query: ranks, moves and contributions against plain loops over the files."""

from __future__ import annotations

import json
import math
import random
from importlib.resources import files

import polars as pl
import pytest
from tests.every import every
from tests.evidence import evidence

import rankwell as rw
from rankwell.comparison.query_diff import LONGEST
from rankwell.metrics.metric import IN_PART

FILMS = files("rankwell") / "data" / "movietweetings"
TEST, POPULAR, ITEMKNN, ITEMS = (
    str(FILMS / f"{name}.parquet") for name in ("test", "popular", "itemknn", "items")
)
COVID = "trec-covid-round1"
RUNS = "bm25t5.run", "BERT.run"


def read_list(name, query):
    """The list of a query as trec_eval orders it: score down, then item down."""
    with evidence(f"{COVID}/runs/{name}").open(encoding="utf-8") as lines:
        rows = [line.split() for line in lines]
    own = [(float(row[4]), row[2]) for row in rows if row[0] == query]
    return [(item, score) for score, item in sorted(own, reverse=True)]


def read_grades(query):
    with evidence(f"{COVID}/qrels-rnd1.txt").open(encoding="utf-8") as lines:
        return {row[2]: int(row[3]) for line in lines if (row := line.split())[0] == query}


def covid(query, metric, **options):
    qrels, *runs = (
        str(evidence(f"{COVID}/{name}")) for name in ("qrels-rnd1.txt", *(f"runs/{run}" for run in RUNS))
    )
    return rw.diff(dict(zip(("old", "new"), runs, strict=True)), qrels, metric).query(query, **options)


@pytest.mark.parametrize("query", ["7", "12", "26"])
def test_lists_grades_scores_and_moves_are_those_of_the_files(query):
    found = covid(query, "ndcg@10")
    lists = [read_list(name, query) for name in RUNS]
    grades = read_grades(query)
    for own, other, rows in ((lists[0], lists[1], found.rows[0]), (lists[1], lists[0], found.rows[1])):
        places = {item: rank for rank, (item, _) in enumerate(other, 1)}
        assert len(rows) == len(own)
        for rank, (row, (item, score)) in enumerate(zip(rows, own, strict=True), 1):
            assert (row.rank, row.item, row.score, row.other) == (rank, item, score, places.get(item))
            assert row.grade == grades.get(item)


@pytest.mark.parametrize("query", ["7", "12"])
def test_contributions_to_ndcg_and_ap_are_those_of_plain_loops(query):
    grades = read_grades(query)
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    ideal = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(best[:10], 1))
    for at, found in enumerate(covid(query, "ndcg@10").rows):
        for rank, (item, _) in enumerate(read_list(RUNS[at], query), 1):
            gain = max(grades.get(item, 0), 0) if rank <= 10 else 0
            assert found[rank - 1].added == pytest.approx(gain / math.log2(rank + 1) / ideal)
    for at, found in enumerate(covid(query, "ap").rows):
        hits = 0
        for rank, (item, _) in enumerate(read_list(RUNS[at], query), 1):
            is_hit = grades.get(item, 0) > 0
            hits += is_hit
            assert found[rank - 1].added == pytest.approx(is_hit * hits / rank / len(best))


@pytest.mark.parametrize("metric", ["ndcg@10", "ap", "rr", "rbp", "err@20", "bpref", "r@100"])
def test_contributions_add_up_to_both_values_and_changes_to_the_difference(metric):
    for query in ("1", "7", "26"):
        found = covid(query, metric)
        for rows, value in zip(found.rows, found.values, strict=True):
            assert math.fsum(row.added for row in rows) == pytest.approx(value, abs=1e-12)
        table = found.to_item_table()
        shown = math.fsum(row["Δ"] for row in table.to_records())
        if not table.notes:  # else more items are summed up there
            assert shown == pytest.approx(found.delta, abs=1e-12)
            assert not table.rows or table.to_records()[-1]["sum"] == pytest.approx(found.delta, abs=1e-12)


@every("metric", ["p", "r", "hit", "rr", "ap", "cg", "dcg", "f", "judged", "size_p", "used"])
@every("fill", ["stop", "skip", "cut"])
@every("group", [None, "#"])
@every("seed", range(4), share=2)
def test_contributions_at_a_budget_add_up_to_both_values(metric, fill, group, seed):
    rng = random.Random(seed)
    documents = [f"d{n}" for n in range(6)]
    passages = [f"{document}#{n}" for document in documents for n in range(3)]
    tokens = pl.DataFrame({"item": passages, "tokens": [rng.choice([5, 10, 25, 60]) for _ in passages]})
    judged = documents if group else passages
    qrels = {"q": {item: rng.choice([0, 1, 2]) for item in rng.sample(judged, 6)}}
    runs = {name: {"q": rng.sample(passages, 12)} for name in ("old", "new")}
    options = {"items": tokens, "sizes": "tokens", "fill": fill} | ({"group": group} if group else {})
    if fill == "cut" and metric not in IN_PART:
        return
    found = rw.diff(runs, qrels, f"{metric}@70t", **options).query("q")
    assert found.is_additive == (metric not in ("hit", "judged"))
    for rows, value in zip(found.rows, found.values, strict=True):
        if found.is_additive and not math.isnan(value):
            assert math.fsum(row.added for row in rows) == pytest.approx(value, abs=1e-12)


def test_what_a_budget_keeps_adds_and_is_counted():
    tokens = pl.DataFrame({"item": ["a", "x", "b"], "tokens": [30, 20, 10]})
    runs = {"old": {"q": ["a", "x", "b"]}, "new": {"q": ["x", "b", "a"]}}
    found = rw.diff(runs, {"q": {"a": 1, "b": 1}}, "r@40t", items=tokens, sizes="tokens").query("q")
    assert [row.added for row in found.rows[0]] == [0.5, 0, 0]  # 30, and 20 more do not fit
    assert [row.added for row in found.rows[1]] == [0, 0.5, 0]
    assert "relevant items within 40 tokens: A 1, B 1 of 2; unjudged: A 0, B 1" in repr(found)
    skipped = rw.diff(runs, {"q": {"a": 1, "b": 1}}, "r@40t", items=tokens, sizes="tokens", fill="skip")
    assert [row.added for row in skipped.query("q").rows[0]] == [0.5, 0, 0.5]


def test_rows_of_a_group_that_a_budget_pays_for_are_not_called_folded():
    tokens = pl.DataFrame({"item": ["d#1", "d#2", "e#1"], "tokens": [30, 20, 10]})
    run, qrels = {"q": ["d#1", "d#2", "e#1"]}, {"q": {"d": 1, "e": 1}}
    options = {"group": "#", "items": tokens, "sizes": "tokens"}
    counts = rw.evaluate(run, qrels, ["r@55t"], **options).counts
    assert counts["rows after the first of their group, which a budget pays for, too"] == 1
    assert "rows folded into the first of their group" not in counts
    assert (
        rw.evaluate(run, qrels, ["r@3"], group="#").counts["rows folded into the first of their group"] == 1
    )


def test_ranks_are_gained_lost_kept_new_and_gone():
    qrels = {"q": {"a": 1, "c": 2}}
    found = rw.diff(
        {"old": {"q": ["a", "b", "c", "d"]}, "new": {"q": ["b", "c", "x", "d"]}}, qrels, "ndcg@4"
    ).query("q")
    rows = found.to_table().to_records()
    assert [row["in B"] for row in rows] == ["gone", "1 ↑1", "2 ↑1", "4 ="]
    assert [row["in A"] for row in rows] == ["2 ↑1", "3 ↑1", "new", "4 ="]


def test_an_unjudged_item_is_marked_apart_from_grade_0():
    qrels = {"q": {"a": 1, "zero": 0}}
    found = rw.diff({"old": {"q": ["zero", "none", "a"]}, "new": {"q": ["a"]}}, qrels, "rr").query("q")
    assert [row["grade A"] for row in found.to_table().to_records()] == ["0", None, "1"]
    assert "relevant items: A 1, B 1 of 1; unjudged: A 1, B 0 (their grade is –)" in repr(found)


def test_the_depth_is_that_of_the_metric_or_as_asked():
    found = covid("7", "ndcg@10")
    assert len(found.to_table().rows) == 10
    assert len(covid("7", "ndcg@10", top=3).to_table().rows) == 3
    assert len(covid("7", "ap").to_table().rows) == 20
    assert len(covid("7", "ndcg@100").to_table().rows) == 20
    below = math.fsum(row.added for row in found.rows[0][3:])
    assert f"ranks below 3 add {below:.4f} to A" in repr(covid("7", "ndcg@10", top=3))
    with pytest.raises(rw.RankwellError, match="top=0"):
        covid("7", "ap", top=0)


def test_texts_of_items_stand_beside_them_cut_only_on_a_terminal():
    found = rw.diff({"old": POPULAR, "new": ITEMKNN}, TEST, rel=8, items=ITEMS).query("4422")
    title = "Star Trek Into Darkness (2013)"
    assert found.rows[0][2].text == title
    assert title in found.to_markdown()
    assert title in found.to_html()
    assert title not in repr(found)
    assert f"{title[: LONGEST - 1]}…" in repr(found)
    assert max(map(len, repr(found).splitlines())) <= 140
    assert found.to_item_table().to_records()[0]["text"] == "Iron Man 3 (2013)"
    genres = rw.diff({"old": POPULAR, "new": ITEMKNN}, TEST, rel=8, items=ITEMS, text="genres").query("4422")
    assert genres.rows[0][0].text == "Action|Adventure|Fantasy|Sci-Fi"


def test_a_metric_that_is_no_sum_over_ranks_says_so():
    found = rw.diff({"old": POPULAR, "new": ITEMKNN}, None, "ild@10", items=ITEMS).query("10016")
    assert "is no sum over the ranks of a list" in repr(found)
    assert not {"adds A", "grade A"} & set(found.to_table().to_records()[0])
    assert found.to_item_table().rows == ()
    assert len(found.to_tables()) == 1


def test_ties_expected_gives_each_rank_the_mean_weight_of_its_group():
    qrels, tied = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    found = rw.diff(
        {"old": tied, "new": {"q": {"a": 2.0, "b": 1.0}}}, qrels, "ndcg@2", ties="expected"
    ).query("q")
    mean = (1 + 1 / math.log2(3)) / 2
    assert math.fsum(row.added for row in found.rows[0]) == pytest.approx(mean)
    assert found.values == pytest.approx((mean, 1.0))


def test_a_missing_list_is_empty_and_an_undefined_value_has_no_changes():
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
    whole, part = {"1": ["a"], "2": ["a"], "3": ["a"]}, {"1": ["a"], "3": ["b"]}
    empty = rw.diff({"old": whole, "new": part}, qrels, "rr").query("2")
    assert empty.rows[1] == ()
    assert "B has no list for this query" in repr(empty)
    assert empty.to_item_table().to_records()[0]["Δ"] == -1.0
    skipped = rw.diff({"old": whole, "new": part}, qrels, "rr", missing="skip").query("2")
    assert math.isnan(skipped.delta)
    assert skipped.to_item_table().rows == ()
    undefined = rw.diff({"old": whole, "new": part}, qrels, "rr").query("3")
    assert "rr is undefined in A" in repr(undefined)
    one = rw.diff({"old": whole, "new": part}, qrels, "rr", undefined="one").query("3")
    assert "A counts as 1 by the policy, whatever its list" in repr(one)


def test_lists_of_numbers_and_of_text_are_matched():
    found = rw.diff({"old": {"q": [2, 1]}, "new": {"q": ["1", "2"]}}, {"q": {"1": 1}}, "rr").query("q")
    assert [row.other for row in found.rows[0]] == [2, 1]


def test_given_ranks_with_gaps_stand_at_their_ranks():
    run = [{"query": "q", "item": "a", "rank": 1}, {"query": "q", "item": "b", "rank": 4}]
    found = rw.diff({"old": run, "new": {"q": ["b"]}}, {"q": {"b": 1}}, "rr").query("q")
    assert [(row.rank, row.item, row.added) for row in found.rows[0]] == [(1, "a", 0.0), (4, "b", 0.25)]
    assert [row["rank"] for row in found.to_table().to_records()] == [1, 4]
    assert found.rows[0][0].score is None


def test_a_repeated_item_is_found_at_its_first_rank():
    run = {"query": ["q"] * 3, "item": ["a", "a", "b"], "score": [3.0, 2.0, 1.0]}
    found = rw.diff(
        {"old": run, "new": {"q": ["b", "a"]}}, {"q": {"a": 1, "b": 1}}, "ap", duplicates="first"
    ).query("q")
    assert [row.other for row in found.rows[1]] == [3, 1]
    assert math.fsum(row.added for row in found.rows[0]) == pytest.approx(found.values[0])


def test_an_unknown_query_is_refused_with_the_nearest():
    with pytest.raises(rw.RankwellError, match=r"'33' is in neither old nor new\. Did you mean 3"):
        covid("33", "rr")


def test_scores_have_as_many_digits_as_tell_them_apart():
    qrels = {"q": {"a": 1}}
    near = {"q": {"a": -0.481973, "b": -0.481984, "c": -0.482011}}
    found = rw.diff({"old": near, "new": {"q": {"a": 1124.0, "b": 1105.0, "c": 3.0}}}, qrels, "rr").query("q")
    text = found.to_table().to_text()
    assert "-0.48197 " in text
    assert " 1124 " in text
    whole = rw.diff(
        {"old": {"q": {"a": 1.007, "b": 0.99}}, "new": {"q": {"b": 1.0, "a": 0.4}}}, qrels, "rr"
    ).query("q")
    assert "<" not in whole.to_table().to_text()


def test_everything_is_written_in_every_format():
    found = rw.diff({"old": POPULAR, "new": ITEMKNN}, TEST, rel=8, items=ITEMS).query("4422")
    frame = found.to_frame()
    assert frame.shape == (20, 8)
    assert frame["added"].sum() == pytest.approx(sum(found.values))
    told = json.loads(found.to_json())
    assert told["values"]["delta"] == found.delta
    assert told["lists"]["b"][0] == found.rows[1][0]._asdict()
    assert found.to_csv().count("\n") == 21
    assert found.to_latex().count(r"\begin{tabular}") == 2
    odd = rw.diff(
        {"old": {"q": {"a": math.inf, "b": -math.inf}}, "new": {"q": ["b"]}}, {"q": {"a": 1}}, "rr"
    ).query("q")
    assert [row["score"] for row in json.loads(odd.to_json())["lists"]["a"]] == ["inf", "-inf"]


def test_lists_that_do_not_fit_a_terminal_stand_one_below_the_other():
    found = rw.diff({"old": POPULAR, "new": ITEMKNN}, TEST, rel=8, items=ITEMS).query("4422")
    assert found.to_text(140) == found.to_text()
    narrow = found.to_text(100)
    heads = [line.split() for line in narrow.splitlines() if line.startswith("rank")]
    assert [set(head) & {"A", "B"} for head in heads] == [
        {"A", "B"},
        {"A", "B"},
    ]  # "in B" beside A, "in A" beside B
    assert [head[1:3] for head in heads] == [["item", "A"], ["item", "B"]]
    assert max(map(len, narrow.splitlines())) <= 100
    assert narrow.count("ndcg@10 for query") == narrow.count("relevant items in") == 1


def test_a_lone_column_of_lists_is_no_text():
    import polars as pl

    items = pl.DataFrame({"item": ["a", "b"], "topics": [["war"], ["war", "drama"]]})
    found = rw.diff({"old": {"1": ["a", "b"]}, "new": {"1": ["b", "a"]}}, {"1": {"b": 1}}, "rr", items=items)
    assert {row.text for row in found.query("1").rows[0]} == {None}
    with pytest.raises(rw.RankwellError, match="the column 'topics' is List"):
        rw.diff(
            {"old": {"1": ["a", "b"]}, "new": {"1": ["b", "a"]}},
            {"1": {"b": 1}},
            "rr",
            items=items,
            text="topics",
        )
