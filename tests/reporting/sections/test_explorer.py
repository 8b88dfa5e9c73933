"""The query explorer's data: what diff says of each query and pair, and what plain loops over the lists give."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from tests.evidence import evidence
from tests.reporting import second
from tests.reporting.explorer.explored import explored

import rankwell as rw
from rankwell.reporting.explorer import MOST_QUERIES, MOST_SYSTEMS

FILMS = files("rankwell") / "data" / "movietweetings"
COVID = "trec-covid-round1"
RUNS = ("bm25t5", "BERT", "sab20.1.meta.docs")


@pytest.fixture(scope="module")
def covid():
    return {name: str(evidence(f"{COVID}/runs/{name}.run")) for name in RUNS}, str(
        evidence(f"{COVID}/qrels-rnd1.txt")
    )


def plain():
    data = second.data_of("explorer")
    shown = {
        (row["id"], system): (value, lists["found"][0] if lists["found"] else None, lists["retrieved"])
        for row in data["queries"]
        for system, value, lists in zip(data["systems"], row["values"], row["lists"], strict=True)
    }
    expected = {}
    for system, own in second.LISTS.items():
        for query, listed in own.items():
            found = sum(item in second.QRELS[query] and second.QRELS[query][item] > 0 for item in listed)
            expected[query, system] = second.value("rr", system, query), found, len(listed)
    for pair in data["pairs"]:
        one, other = (data["systems"][pair[side]] for side in "ab")
        for row, delta in zip(data["queries"], pair["deltas"], strict=True):
            key = row["id"], one, other
            shown[key] = delta
            expected[key] = second.value("rr", other, row["id"]) - second.value("rr", one, row["id"])
    return shown, expected


@pytest.mark.parametrize("metric", ["ndcg@10", "ap", "rbp", "iprec(level=0.3)"])
def test_each_list_is_what_diff_shows_of_the_query(covid, metric):
    systems, qrels = covid
    data = explored(systems, qrels, [metric])
    assert data["kept"] == {"all": 30}
    for a, b in combinations(range(3), 2):
        found = rw.diff({"old": systems[RUNS[a]], "new": systems[RUNS[b]]}, qrels, metric)
        (pair,) = (pair for pair in data["pairs"] if (pair["a"], pair["b"]) == (a, b))
        for at, query in enumerate(data["queries"]):
            one = found.query(query["id"])
            assert (query["values"][a], query["values"][b]) == one.values
            assert pair["deltas"][at] == one.delta
            sides = zip(
                (a, b),
                one.rows,
                one.found,
                pair["moves"][at],
                (("gone", 1), ("new", -1)),
                strict=True,
            )
            for system, rows, counted, moves, (_, sign) in sides:
                own = query["lists"][system]
                assert own["found"] == list(counted)
                assert own["retrieved"] == len(rows)
                shown = rows[: data["top"]]
                assert [
                    (
                        rank,
                        data["items"][item]["id"],
                        None if grade is None else data["grades"][grade]["grade"],
                        score,
                        adds,
                    )
                    for rank, item, grade, score, adds in own["rows"]
                ] == [(row.rank, row.item, row.grade, row.score, row.added) for row in shown]
                assert moves == [
                    None if row.other is None else sign * (row.rank - row.other) for row in shown
                ]


def test_moves_are_the_ranks_lost_and_gained_in_the_files(covid):
    systems, qrels = covid
    data = explored(systems, qrels, ["ndcg@10"])
    lists = {}
    for name, path in systems.items():
        with open(path, encoding="utf-8") as lines:
            rows = [line.split() for line in lines]
        for query in {row[0] for row in rows}:
            own = sorted(((float(row[4]), row[2]) for row in rows if row[0] == query), reverse=True)
            lists[name, query] = {item: rank for rank, (_, item) in enumerate(own, 1)}
    for pair in data["pairs"]:
        a, b = (data["systems"][pair[letter]] for letter in "ab")
        for query, (of_a, of_b) in zip(data["queries"], pair["moves"], strict=True):
            ranks_a, ranks_b = lists[a, query["id"]], lists[b, query["id"]]
            for system, moves in ((pair["a"], of_a), (pair["b"], of_b)):
                items = [data["items"][row[1]]["id"] for row in query["lists"][system]["rows"]]
                assert moves == [
                    ranks_a[item] - ranks_b[item] if item in ranks_a and item in ranks_b else None
                    for item in items
                ]


def test_relevant_grades_have_levels_that_rise_and_others_none():
    qrels = {"q": {f"d{grade}": grade for grade in range(-1, 6)}, "r": {"d3": 3}}
    data = explored({"run": {"q": [f"d{n}" for n in range(-1, 7)]}}, qrels, ["p(rel=3)@8"])
    levels = {each["grade"]: each["level"] for each in data["grades"]}
    assert {grade: levels[grade] for grade in (0, 1, 2)} == {0: 0, 1: 0, 2: 0}
    assert 1 <= levels[3] < levels[4] < levels[5] == 4


def test_texts_are_those_of_the_tables_and_each_item_is_there_once():
    data = explored(
        {name: str(FILMS / f"{name}.parquet") for name in ("popular", "itemknn")},
        str(FILMS / "test.parquet"),
        ["ndcg@10"],
        items=str(FILMS / "items.parquet"),
        queries={str(query): f"user {query}" for query in range(20_000)},
        rel=8,
    )
    import polars as pl

    titles = dict(pl.read_parquet(FILMS / "items.parquet").select("item_id", "title").iter_rows())
    assert all(item["text"] == titles[item["id"]] for item in data["items"])
    assert len({item["id"] for item in data["items"]}) == len(data["items"])
    assert all(query["text"] == f"user {query['id']}" for query in data["queries"])
    assert len(data["queries"]) == MOST_QUERIES


def test_of_many_systems_the_best_and_the_baseline_are_kept():
    qrels = {f"q{n}": {"a": 1} for n in range(6)}
    systems = {
        f"s{rank}": {query: [*(f"x{n}" for n in range(rank)), "a"] for query in qrels} for rank in range(12)
    }
    data = explored(systems, qrels, ["rr"], baseline="s11")
    assert data["systems"] == [*(f"s{rank}" for rank in range(MOST_SYSTEMS - 1)), "s11"]
    assert [data["systems"][at] for at in data["first"]] == ["s11", "s0"]
    assert len(data["pairs"]) == math.comb(MOST_SYSTEMS, 2)
    assert data["in_all"]["systems"] == 12


def test_the_two_shown_first_are_the_best_in_the_order_given():
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    lists = {"low": ["x", "y", "a"], "high": ["a"], "middle": ["x", "a"]}
    for names in permutations(lists):
        data = explored({name: {"q": lists[name], "r": lists[name]} for name in names}, qrels, ["rr"])
        assert [data["systems"][at] for at in data["first"]] == [name for name in names if name != "low"]


def test_lower_is_better_turns_outcomes_and_not_differences():
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 1}}
    old = {"q": ["a"], "r": ["x", "a"], "s": ["a"]}
    new = {"q": ["x", "a"], "r": ["a"], "s": ["a"]}
    data = explored({"old": old, "new": new}, qrels, ["first_rank"])
    (pair,) = data["pairs"]
    assert (pair["deltas"], pair["outcomes"]) == ([1.0, -1.0, 0.0], [-1, 1, 0])


def test_queries_without_a_list_or_a_value_are_there_without_one():
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"b": 0}}
    data = explored(
        {"old": {"q": ["a"], "s": ["b"]}, "new": {"q": ["x", "a"], "r": ["a"], "s": ["b"]}}, qrels, ["rr"]
    )
    q, r, s = data["queries"]
    assert s["values"] == [None, None]
    assert data["pairs"][0]["outcomes"] == [-1, 1, None]
    assert (r["values"], r["lists"][0]["rows"], r["lists"][0]["retrieved"]) == ([0.0, 1.0], [], 0)
    assert data["pairs"][0]["moves"][1] == [[], [None]]
    assert q["lists"][0]["rows"][0][4] == 1.0


def test_one_system_has_its_lists_and_no_pairs():
    data = explored({"only": {"q": {"a": 2.0, "b": 1.5}}}, {"q": {"b": 1}}, ["rr"])
    assert (data["systems"], data["first"], data["pairs"]) == (["only"], [0], [])
    assert data["queries"][0]["lists"][0]["rows"] == [[1, 0, None, 2.0, 0.0], [2, 1, 0, 1.5, 0.5]]


def test_saved_results_have_values_and_no_lists():
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    res = [rw.evaluate({"q": items, "r": ["a"]}, qrels, ["rr"]) for items in (["a"], ["x", "a"])]
    data = rw.report({"old": res[0], "new": res[1]}).section("explorer").data
    assert "items" not in data
    assert [query["values"] for query in data["queries"]] == [[1.0, 0.5], [1.0, 1.0]]
    assert "lists" not in data["queries"][0]


def test_a_comparison_alone_and_metrics_of_all_lists_have_no_explorer():
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    old, new = {"q": ["a"], "r": ["a"]}, {"q": ["x", "a"], "r": ["a"]}
    compared = rw.compare({"old": old, "new": new}, qrels, ["rr"])
    pages = [
        rw.report(compared),
        rw.report({"old": old, "new": new}, metrics=["coverage"], items=["a", "x"]),
    ]
    assert all("explorer" not in [section.name for section in page.sections] for page in pages)


def test_the_metric_that_decides_is_explored():
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    lists = {"q": ["x", "a"], "r": ["a"]}
    systems = {"old": lists, "new": lists}
    assert explored(systems, qrels, ["rr", "p@1"], primary="p@1")["metric"] == "p@1"
    assert explored(systems, qrels, ["coverage", "rr"], items=["a", "x"])["metric"] == "rr"


def test_hostile_names_are_shown_short_and_with_nothing_hidden():
    bad = "\u202e<script>" + "x" * 10_000
    data = explored(
        {"run": {bad: ["a\x00b", bad]}}, {bad: {bad: 1}}, ["rr"], queries={bad: "one\n two\u202e"}
    )
    query, items = data["queries"][0], data["items"]
    assert query["id"].startswith("\\u202e<script>x")
    assert len(query["id"]) < 210
    assert query["id"].endswith("…")
    assert query["text"] == "one two\\u202e"
    assert items[0]["id"] == "a\\x00b"


def test_eight_systems_and_two_hundred_queries_take_less_than_a_megabyte_and_a_half():
    draw = np.random.default_rng(3)
    qrels = {f"user{n}": {f"item{i}": 1 for i in draw.choice(3000, 5)} for n in range(400)}
    systems = {
        f"s{n}": {
            query: dict(
                zip(
                    (f"item{i}" for i in draw.choice(3000, 20, replace=False)),
                    draw.random(20).tolist(),
                    strict=True,
                )
            )
            for query in qrels
        }
        for n in range(8)
    }
    items = [
        {"item": f"item{i}", "title": f"The long title of a film, number {i} (2013)"} for i in range(3000)
    ]
    for metric in ("ndcg@10", "ndcg"):
        data = explored(systems, qrels, [metric], items=items)
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        assert len(text.encode()) < 1_500_000


def test_queries_that_are_numbers_come_in_their_order():
    for ids in (["10", "9", "100", "1"], [10, 9, 100, 1], ["q10", "q9"]):
        data = explored({"run": {query: ["a"] for query in ids}}, {query: {"a": 1} for query in ids}, ["rr"])
        assert [query["id"] for query in data["queries"]] == [
            str(query) for query in sorted(ids, key=lambda x: int(x) if str(x).isdecimal() else x)
        ]


def test_long_names_of_systems_are_cut():
    lists = {"q": ["a"]}
    data = explored({"A" * 500: lists, "B": lists}, {"q": {"a": 1}}, ["rr"])
    assert data["systems"] == ["A" * 59 + "…", "B"]
    assert data["queries"][0]["lists"][0]["rows"]


def test_the_folds_of_a_method_are_one_system():
    sizes = [0, 3, 5, 9]
    results = {}
    for method, items in (("A", ["a"]), ("B", ["x", "a"])):
        for at, (low, high) in enumerate(pairwise(sizes)):
            qrels = {f"q{n}": {"a": 1} for n in range(low, high)}
            results[f"{method}{at}"] = rw.evaluate(dict.fromkeys(qrels, items), qrels, ["rr"])
    folds = {method: [f"{method}{at}" for at in range(3)] for method in "AB"}
    data = explored(results, None, None, folds=folds)
    assert data["systems"] == ["A", "B"]
    assert [query["values"] for query in data["queries"]] == [[1.0, 0.5]] * 9
    assert "items" not in data


def test_trainings_of_a_method_can_be_chosen_one_by_one():
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    systems = {f"{m}{n}": dict.fromkeys(qrels, ["x"] * (m == "B") + ["a"]) for m in "AB" for n in range(3)}
    seeds = {method: [f"{method}{n}" for n in range(3)] for method in "AB"}
    data = explored(systems, qrels, ["rr"], seeds=seeds, baseline="A")
    assert data["systems"] == list(systems)
    assert len(data["queries"][0]["lists"]) == 6
