"""diff: which queries differ, against trec_eval's values per query and plain loops; what is left out, refused and said."""

from __future__ import annotations

import csv
import json
import math
from importlib.resources import files

import numpy as np
import polars as pl
import pytest
from tests.evidence import evidence

import rankwell as rw

FILMS = files("rankwell") / "data" / "movietweetings"
TEST, POPULAR, ITEMKNN = (str(FILMS / f"{name}.parquet") for name in ("test", "popular", "itemknn"))
COVID = "trec-covid-round1"
OLD, NEW = "bm25t5.run", "sab20.1.meta.docs.run"


@pytest.fixture(scope="module")
def films():
    return rw.diff({"old": POPULAR, "new": ITEMKNN}, TEST, rel=8)


@pytest.fixture(scope="module")
def users():
    rated = pl.read_parquet(TEST).group_by("user_id").len("ratings")
    return rated.with_columns(
        tier=pl.when(pl.col("ratings") >= 6).then(pl.lit("VIP")).otherwise(pl.lit("other"))
    )


def covid(**options):
    old, new, qrels = (
        evidence(f"{COVID}/{name}") for name in (f"runs/{OLD}", f"runs/{NEW}", "qrels-rnd1.txt")
    )
    return rw.diff({"old": str(old), "new": str(new)}, str(qrels), **options)


@pytest.mark.parametrize(
    ("metric", "theirs"), [("ndcg@10", "ndcg_cut_10"), ("ap", "map"), ("rr", "recip_rank")]
)
def test_values_and_their_order_are_those_of_trec_eval(metric, theirs):
    with evidence(f"{COVID}/expected/trec_eval.tsv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.reader(lines, delimiter="\t") if row[1] == theirs and row[2] != "all"]
    told = {
        name: {query: float(value) for run, _, query, value in rows if run == name} for name in (OLD, NEW)
    }
    found = covid(metric=metric)
    frame = found.to_frame()
    assert len(frame) == len(told[OLD]) == 30
    for row in frame.to_dicts():
        d = told[NEW][row["query"]] - told[OLD][row["query"]]
        assert row["a"] == pytest.approx(told[OLD][row["query"]], abs=1e-6)
        assert row["delta"] == pytest.approx(d, abs=2e-6)
    sizes = np.abs(frame["delta"].to_numpy())
    assert (np.diff(sizes) <= 1e-12).all()
    d = [told[NEW][query] - told[OLD][query] for query in told[OLD]]
    counted = [sum(x > 1.5e-6 for x in d), sum(abs(x) <= 1.5e-6 for x in d), sum(x < -1.5e-6 for x in d)]
    assert [found.wins, found.ties, found.losses] == counted


def test_the_share_of_the_worst_is_their_part_of_the_sum_of_all_losses(films):
    d = [x for x in films.to_frame()["delta"].to_list() if x is not None]
    losses = sorted(x for x in d if x < -1e-9)
    for n in (1, 10, 26, len(losses)):
        assert films.share(n) == pytest.approx(sum(losses[:n]) / sum(losses))
    gains = sorted((x for x in d if x > 1e-9), reverse=True)
    assert films.share(3, "better") == pytest.approx(sum(gains[:3]) / sum(gains))
    need = next(n for n in range(1, len(losses)) if sum(losses[:n]) / sum(losses) >= 0.8)
    assert f"the {need} worst make {sum(losses[:need]) / sum(losses) * 100:.0f} % of it" in repr(films)
    table = rw.diff({"old": POPULAR, "new": ITEMKNN}, TEST, rel=8, direction="worse", top=5).to_table()
    records = table.to_records()
    assert [row["Δ"] for row in records] == pytest.approx(losses[:5])
    assert records[4]["share"] == pytest.approx(sum(losses[:5]) / sum(losses))
    assert len(records) == 5
    assert f"the first 5 of {len(losses)}" in table.caption


def test_wins_and_losses_of_segments_are_those_of_their_queries(films, users):
    found = rw.diff({"old": POPULAR, "new": ITEMKNN}, TEST, rel=8, users=users, by="tier")
    frame = films.to_frame().join(users, left_on="query", right_on="user_id")
    for row in found.to_overview().to_records():
        own = frame if row["tier"] == "(all)" else frame.filter(tier=row["tier"])
        both = own.drop_nulls("delta")
        assert row["queries"] == len(both)
        assert row["left out"] == len(own) - len(both)
        assert [row["B better"], row["tied"], row["B worse"]] == [
            int((both["delta"] > 1e-9).sum()), int((both["delta"].abs() <= 1e-9).sum()), int((both["delta"] < -1e-9).sum())
        ]  # fmt: skip
        assert row["Δ"] == pytest.approx(both["delta"].mean())
        assert row["gains"] + row["losses"] == pytest.approx(both["delta"].sum())
    assert found.to_frame().filter(query="10532")["tier"].item() == "other"
    assert found.to_table().to_records()[0]["tier"] == "other"


def test_a_mean_is_that_of_evaluate(films):
    row = films.to_overview().to_records()[0]
    assert row["A"] == pytest.approx(rw.evaluate(POPULAR, TEST, "ndcg@10", rel=8)["ndcg@10"], abs=1e-15)
    assert row["B"] == pytest.approx(rw.evaluate(ITEMKNN, TEST, "ndcg@10", rel=8)["ndcg@10"], abs=1e-15)


def test_a_lower_value_wins_where_lower_is_better():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = rw.diff({"old": {"1": ["x", "a"], "2": ["a"]}, "new": {"1": ["a"], "2": ["a"]}}, qrels, "unj@2")
    assert (found.wins, found.ties, found.losses) == (1, 1, 0)
    row = found.to_overview().to_records()[0]
    assert (row["Δ"], row["gains"], row["losses"]) == (-0.25, 0.5, 0.0)
    assert found.changed("better").tolist() == [0]


def test_a_metric_that_is_no_mean_of_its_values_is_told_beside_their_means():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = rw.diff({"old": {"1": ["a"], "2": ["x", "a"]}, "new": {"1": ["a"], "2": ["a"]}}, qrels, "gmap")
    assert found.to_overview().to_records()[0]["A"] == 0.75
    assert "gmap is none, it is A 0.7071 and B 1.0000" in repr(found)
    assert "means over queries" not in repr(rw.diff({"old": {"1": ["a"]}, "new": {"2": ["a"]}}, qrels, "ap"))


def test_differences_within_a_billionth_are_ties():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    base = rw.evaluate({"1": ["a"], "2": ["a"]}, qrels, ["rr"])
    other = rw.evaluate({"1": ["a"], "2": ["a"]}, qrels, ["rr"])
    other.part.values[rw.metrics.metric_of("rr")] = np.array([1 - 9e-10, 1 - 2e-9])
    found = rw.diff({"old": base, "new": other})
    assert (found.ties, found.losses) == (1, 1)


def test_queries_without_a_value_in_one_are_listed_apart_with_the_reason():
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}, "4": {"b": 1}}
    whole = {"1": ["a"], "2": ["a"], "3": ["a"], "4": ["b"]}
    part = {"1": ["x", "a"], "3": ["a"], "4": ["b"]}
    found = rw.diff({"old": whole, "new": part}, qrels, "rr", missing="skip")
    assert (found.wins, found.ties, found.losses) == (0, 1, 1)
    apart = found.to_tables()[-1]
    assert [tuple(row.values()) for row in apart.to_records()] == [("2", 1.0, None, "no list in B")]
    assert (
        "left out: 1 query with a value in only one of the two and 1 query without a value in either"
        in repr(found)
    )
    frame = {row["query"]: row for row in found.to_frame().to_dicts()}
    assert (frame["2"]["why_a"], frame["2"]["why_b"], frame["2"]["outcome"]) == (None, "no list", None)
    assert (frame["3"]["why_a"], frame["3"]["why_b"]) == ("undefined", "undefined")


def test_a_missing_list_that_counts_as_empty_is_marked_beside_the_loss_it_makes():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = rw.diff({"old": {"1": ["a"], "2": ["a"]}, "new": {"1": ["a"]}}, qrels, "rr")
    assert found.to_table().to_records() == [
        {"query": "2", "A": 1.0, "B": 0.0, "Δ": -1.0, "share": 1.0, "note": "no list in B"}
    ]


def test_results_have_the_same_queries_but_no_lists(films, tmp_path):
    results = [rw.evaluate(path, TEST, ["ndcg@10"], rel=8) for path in (POPULAR, ITEMKNN)]
    results[0].save(tmp_path / "old.json")
    saved = rw.Results.load(tmp_path / "old.json")
    for a, b in ((saved, results[1]), (results[0], results[1])):
        assert rw.diff({"old": a, "new": b}).to_json() == films.to_json()
    beside = rw.diff({"old": saved, "new": ITEMKNN}, TEST, rel=8)
    assert beside.to_frame().equals(films.to_frame())
    with pytest.raises(rw.RankwellError, match="hold values but no lists"):
        beside.query("10532")


def test_texts_of_queries_and_ids_of_any_kind_are_found():
    qrels, old, new = {7: {1: 1}}, {7: [2, 1]}, {7: [1, 2]}
    texts = [{"qid": "7", "query": "who"}, {"qid": "8", "query": "what"}]
    found = rw.diff({"old": old, "new": new}, qrels, "rr", queries=texts)
    assert found.to_table().to_records()[0]["text"] == "who"
    assert found.query("7").text == found.query(7).text == "who"
    assert rw.diff({"old": old, "new": new}, qrels, "rr", queries={7: "why"}).to_frame()[
        "text"
    ].to_list() == ["why"]
    with pytest.raises(rw.RankwellError, match="has no column of texts; it has length or language"):
        rw.diff({"old": old, "new": new}, qrels, "rr", queries=[{"qid": 7, "length": 3, "language": "en"}])


def test_everything_is_written_in_every_format(films, tmp_path):
    assert "| query" in films.to_markdown()
    assert films.to_html().count("<table") == 2
    assert films.to_latex().count(r"\begin{table}") == 2
    told = json.loads(films.to_json())
    assert told["segments"][0] | {"delta": None} == {
        "segment": [], "queries": 379, "wins": films.wins, "ties": films.ties, "losses": films.losses, "delta": None,
        "left_out": 121,
    }  # fmt: skip
    assert len(told["queries"]) == 500
    rows = pl.read_csv(films.to_csv().encode(), schema_overrides={"query": pl.String})
    assert rows["delta"].to_list() == films.to_frame()["delta"].to_list()
    assert not any("rankwell" in table.to_latex() for table in films.to_tables())  # no command in a paper


def test_two_equal_runs_have_no_table_of_queries():
    found = rw.diff({"old": {"1": ["a"]}, "new": {"1": ["a"]}}, {"1": {"a": 1}}, "rr")
    assert len(found.to_tables()) == 1
    assert "no query differs" in repr(found)
    assert math.isnan(found.share(3))
    assert found.to_table().rows == ()


def test_systems_are_called_by_their_keys_and_the_first_is_the_old_one():
    old, new = rw.read_run({"1": ["a", "b"]}, name="own"), {"1": ["b", "a"]}
    found = rw.diff({"x": old, 7: new}, {"1": {"a": 1}}, "rr")
    assert found.names == ("x", "7")
    assert found.deltas.tolist() == [-0.5]  # 1/2 less 1


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({}, "takes two systems, not 0"),
        ({"a": {"1": ["a"]}}, "takes two systems, not 1"),
        (
            {name: {"1": [name]} for name in "abc"},
            r"not 3; give two by name, as .*rw\.compare\(runs, qrels, metrics\)",
        ),
        ({1: {"1": ["a"]}, "1": {"1": ["b"]}}, "two names print '1', such as '1'; name them apart"),
    ],
)
def test_other_than_two_systems_are_refused_with_what_to_do(runs, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.diff(runs, {"1": {"a": 1}}, "rr")


A, B, QRELS = {"1": ["a", "b"]}, {"1": ["b", "a"]}, {"1": {"a": 1}}


@pytest.mark.parametrize(
    "call",
    [
        lambda: rw.diff(A, B, QRELS, "rr"),
        lambda: rw.diff(A, B, QRELS),
        lambda: rw.diff(A, B),
        lambda: rw.diff(A, B, QRELS, metric="rr"),
        lambda: rw.diff(A, B, qrels=QRELS, metric="rr"),
        lambda: rw.diff({"1": [], **B}, B, QRELS),
        lambda: rw.diff("a.run", "b.run", "qrels.txt", "rr"),
        lambda: rw.diff("a.run", "b.run", "qrels.txt"),
        lambda: rw.diff("old.json", "new.json"),
        lambda: rw.diff(rw.evaluate(A, QRELS, "rr"), rw.evaluate(B, QRELS, "rr")),
        lambda: rw.diff(*[rw.evaluate(run, QRELS, "rr") for run in (A, B)], None, "rr"),
        lambda: rw.diff(a=A, b=B, qrels=QRELS, metric="rr"),
        lambda: rw.diff({"x": A, "y": B}, QRELS, "rr", names=("x", "y")),
        lambda: rw.diff(rw.compare({"x": A, "y": B}, QRELS, "rr")),
    ],
)
def test_two_systems_in_two_places_are_told_the_call_that_works(call):
    with pytest.raises(rw.RankwellError, match=r"rw\.diff\({'old': a, 'new': b}, qrels, 'ndcg@10'\)"):
        call()
    assert rw.diff({"old": A, "new": B}, QRELS, "ndcg@10").losses == 1  # pasted


ONE = {"1": ["a", "b"], "2": ["a"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": "coverage@10"}, "has one value for all lists, so no query has a difference"),
        ({"metric": "ndgc@10"}, "Did you mean ndcg"),
        ({"runs": {"a": ONE, "b": ONE}}, "A and B are the same"),
        ({"runs": {"a": TEST, "b": TEST}}, "A and B are the same .*test.parquet"),
        ({"top": 0}, "top=0: must be at least 1"),
        ({"direction": "wors"}, "Did you mean worse"),
        ({"text": "title"}, "give items="),
        ({"items": [{"item": "a", "title": "A"}], "text": "titel"}, "Did you mean title"),
        ({"items": [{"item": "a", "title": b"\xff"}]}, "'title' is Binary and cannot be read as text"),
        ({"by": "t", "users": [{"query": "1", "t": b"\xff"}]}, "'t' is Binary and cannot be read as text"),
        ({"by": "tier"}, "give users="),
        ({"relevance": 3}, "relevance"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_the_remedy(change, message):
    given = {
        "runs": {"a": ONE, "b": {"1": ["b", "a"], "2": ["a"]}},
        "qrels": {"1": {"a": 1}, "2": {"a": 1}},
        "metric": "rr",
    }
    with pytest.raises(rw.RankwellError, match=message):
        rw.diff(**given | change)


def test_a_metric_without_a_better_end_has_no_worse_queries():
    qrels, a, b = {"1": {"a": 1}}, {"1": ["a", "b"]}, {"1": ["a"]}
    found = rw.diff({"old": a, "new": b}, qrels, "num_ret")
    assert "B lower" in repr(found)
    with pytest.raises(rw.RankwellError, match="neither end of num_ret is better"):
        rw.diff({"old": a, "new": b}, qrels, "num_ret", direction="worse")


def test_results_keep_their_own_policy():
    results = [
        rw.evaluate(run, {"1": {"a": 1}}, ["rr"], missing="skip") for run in ({"1": ["a"]}, {"1": ["b", "a"]})
    ]
    assert rw.diff(dict(zip(("old", "new"), results, strict=True)), None, missing="skip").losses == 1
    with pytest.raises(rw.RankwellError, match="was evaluated with its own policy"):
        rw.diff(dict(zip(("old", "new"), results, strict=True)), None, ties="worst")


def test_of_several_saved_metrics_one_must_be_named():
    results = [rw.evaluate(run, {"1": {"a": 1}}, ["rr", "p@1"]) for run in ({"1": ["a"]}, {"1": ["b", "a"]})]
    with pytest.raises(rw.RankwellError, match="say by which metric the two are compared; run has rr, p@1"):
        rw.diff(dict(zip(("old", "new"), results, strict=True)), None)
    assert rw.diff(dict(zip(("old", "new"), results, strict=True)), None, "rr").losses == 1
