"""Ranks are what the user saw: gaps stay gaps, from every source, and what closes them says so."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path

import polars as pl
import pytest

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.matching import holes

STORED = json.loads((Path(__file__).parent / "stored" / "rank_gaps.json").read_text(encoding="utf-8"))
RUN = {"query": ["q", "q", "q"], "item": ["a", "b", "c"], "rank": [3, 1, 5]}
QRELS = {"q": {"a": 1, "c": 1}}


@pytest.mark.parametrize("case", STORED["cases"])
def test_lists_with_gaps_have_the_values_of_rectools(case):
    run, taken = pl.DataFrame(case["run"]), pl.DataFrame(case["taken"])
    res = rw.evaluate(run, taken, list(case["values"]), preset="rectools")
    assert list(res.mean.values()) == pytest.approx(list(case["values"].values()), abs=1e-12)
    assert res.counts["lists with gaps in their ranks"] > 0


def by_hand(**policy):
    """Values of b at rank 1, a at 3 and c at 5, where a and c are relevant."""
    metrics = ["hit@1", "hit@2", "p@3", "p(denom=n)@3", "rr", "ap", "num_ret@4", "auc", "first_rank"]
    return rw.evaluate(rw.Run(**RUN), QRELS, metrics, policy=rw.Policy(**policy))


def test_the_numbers_count():
    res = by_hand()
    # hits at ranks 3 and 5: AP = (1/3 + 2/5) / 2; b at 1 and a at 3 are the rows down to 4; b is above both hits
    assert list(res.mean.values()) == pytest.approx([0, 0, 1 / 3, 1 / 2, 1 / 3, 11 / 30, 2, 0, 3])
    assert res.counts["lists with gaps in their ranks"] == 1


def test_closed_ranks_are_the_order_alone():
    res = by_hand(ranks="closed")
    assert list(res.mean.values()) == pytest.approx([0, 1, 2 / 3, 2 / 3, 1 / 2, 7 / 12, 3, 0, 2])
    assert "lists with gaps in their ranks" not in res.counts


def test_depth_compares_the_rank():
    assert by_hand(depth=2)["num_ret@4"] == 1
    assert by_hand(depth=3)["num_ret@4"] == 2


@pytest.mark.parametrize("rule", [{"unjudged": "condense"}, {"duplicates": "drop"}])
def test_what_numbers_anew_says_so(rule):
    res = by_hand(**rule)
    [name] = rule.items()
    assert res.counts[f"lists with gaps, numbered 1 to n by {name[0]}={name[1]!r}"] == 1
    # without b the first hit is at 1; with it at 2
    assert res["first_rank"] == (1 if "unjudged" in rule else 2)


def test_a_later_copy_keeps_its_rank():
    run = rw.Run(["q"] * 3, ["b", "b", "a"], rank=[1, 2, 4])
    rules = {rule: rw.Policy(duplicates=rule) for rule in ("first", "drop")}
    values = {rule: rw.evaluate(run, QRELS, "first_rank", policy=policy) for rule, policy in rules.items()}
    assert {rule: res["first_rank"] for rule, res in values.items()} == {"first": 4, "drop": 2}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("source", ["columns", "csv", "parquet", "folder"])
@pytest.mark.parametrize("threads", [1, 2])
def test_whether_ranks_begin_at_0_is_decided_once_for_the_whole_run(tmp_path, source, late, threads):
    """The first queries have no item at rank 0; their items stand one rank deeper as soon as another query has one."""
    rows = [(f"q{n}", f"i{n}", 1) for n in range(300)]
    rows += [("z", "i0", 0)] if late else []
    frame = pl.DataFrame(rows, schema=["query", "item", "rank"], orient="row")
    run = frame
    if source == "csv":
        run = tmp_path / "run.csv"
        frame.write_csv(run)
    elif source == "parquet":
        run = tmp_path / "run.parquet"
        frame.write_parquet(run, row_group_size=50)
    elif source == "folder":
        frame.head(100).write_csv(tmp_path / "a.csv")
        frame.tail(len(frame) - 100).write_csv(tmp_path / "b.csv")
        run = str(tmp_path / "*.csv")
    qrels = {f"q{n}": [f"i{n}"] for n in range(300)}
    res = rw.evaluate(run, qrels, ["hit@1", "rr"], engine=Memory(batch=20), threads=threads)
    assert res.mean == ({"hit@1": 0.0, "rr": 0.5} if late else {"hit@1": 1.0, "rr": 1.0})


@pytest.mark.parametrize("batch", [20, 1_000_000])
def test_bounds_too_decide_once_whether_ranks_begin_at_0(tmp_path, monkeypatch, batch):
    """Only query 250 has an item at rank 0: elsewhere the items listed at 1 and 2 stand at the second and the third rank.

    The other system has the same items at ranks 1 and 2, so it is better whatever x is, except for query 250. And of the 300 items x
    only that of query 250 is first in its list, so only there an item that the judged list lacks could be relevant.
    """
    monkeypatch.setattr(holes, "BATCH", batch)
    first = {n: 0 if n == 250 else 1 for n in range(300)}
    rows = [(f"q{n}", f"{name}{n}", rank + at) for n, rank in first.items() for at, name in enumerate("xi")]
    path = tmp_path / "run.parquet"
    frame = pl.DataFrame(rows, schema=["query", "item", "rank"], orient="row")
    frame.write_parquet(path, row_group_size=50)
    qrels = {f"q{n}": {f"i{n}": 1} for n in range(300)}
    other = {f"q{n}": {f"x{n}": 2.0, f"i{n}": 1.0} for n in range(300)}
    comparison = rw.compare({"late": path, "other": other}, qrels, "rr", bounds=True, pool=1)
    assert "other > late in 299, equal in 1" in str(comparison)
    lists = {f"q{n}": [f"i{n}"] for n in range(300)}
    res = rw.evaluate(lists, qrels, "r@3", bounds=True, pool=[1, path])
    assert res.bounds["r@3"].low == pytest.approx((299 + 1 / 2) / 300, abs=1e-15)


def test_the_first_rank_can_be_said(tmp_path):
    rows = {"query": ["q", "q"], "item": ["a", "b"], "rank": [1, 2]}
    assert rw.evaluate(rw.Run(**rows, rank_base=0), QRELS, "rr")["rr"] == 0.5
    path = tmp_path / "run.csv"
    pl.DataFrame(rows).write_csv(path)
    said = rw.read_run(path, rank_base=0)
    assert rw.evaluate(said, QRELS, "rr")["rr"] == 0.5
    assert rw.evaluate(pickle.loads(pickle.dumps(said)), QRELS, "rr")["rr"] == 0.5
    assert rw.evaluate(path, QRELS, "rr")["rr"] == 1.0
    with pytest.raises(rw.RankwellError, match="the rank is 0; ranks begin at 1"):
        rw.evaluate(rw.Run(["q"], ["a"], rank=[0], rank_base=1), QRELS, "rr")
    with pytest.raises(rw.RankwellError, match="has no ranks"):
        rw.read_run({"q": ["a"]}, rank_base=0)


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ([1, 1, 2], "run, row 2: query 'q' gives a rank twice (first: run, row 1)"),
        ([1.5, 1, 2], "run, row 1: the rank 1.5 is not a whole number"),
        ([2, 1, -1], "run, row 3: the rank is -1; ranks begin at 1"),
        ([1, 2, float("inf")], "run, row 3: the rank inf is not a whole number"),
        ([1, 2, 2.0**60], "run, row 3: the rank 1.152921504606847e+18 is not a whole number"),
    ],
)
def test_ranks_that_cannot_count_are_refused_and_closed_takes_them(ranks, words):
    run = rw.Run(["q"] * 3, ["a", "b", "c"], rank=ranks)
    with pytest.raises(rw.RankwellError) as raised:
        rw.evaluate(run, QRELS, "ap")
    assert str(raised.value).startswith(words)
    assert "ranks='closed'" in str(raised.value)
    assert 0 < rw.evaluate(run, QRELS, "ap", policy=rw.Policy(ranks="closed"))["ap"] <= 1


@pytest.mark.parametrize("rank", [1, 0, -1])
def test_ranks_that_are_all_alike_beside_scores_are_refused_with_the_remedy_that_keeps_the_scores(rank):
    run = pl.DataFrame({"query": ["q"] * 3, "item": ["a", "b", "c"], "rank": [rank] * 3, "score": [1, 3, 2]})
    with pytest.raises(rw.RankwellError, match="leave the rank column out if the scores decide, or set"):
        rw.evaluate(run, QRELS, "ap")
    assert rw.evaluate(run.drop("rank"), {"q": {"b": 1}}, "ap")["ap"] == 1.0


def test_the_order_of_rows_and_scores_have_no_gaps():
    for run in ({"q": ["b", "a", "c"]}, {"q": {"b": 9.0, "a": 5.0, "c": 1.0}}):
        given, closed = (
            rw.evaluate(run, QRELS, "ap", policy=rw.Policy(ranks=rule)) for rule in ("given", "closed")
        )
        assert given["ap"] == closed["ap"] == pytest.approx(7 / 12)
        assert given.counts == closed.counts


def test_a_list_metric_sees_the_rows_and_discounts_the_rank():
    items = [{"item": "a", "genre": "x"}, {"item": "b", "genre": "y"}, {"item": "c", "genre": "x"}]
    res = rw.evaluate(rw.Run(**RUN), None, ["coverage@1", "coverage@3", "coverage"], items=items)
    assert list(res.mean.values()) == pytest.approx([1 / 3, 2 / 3, 1])


def test_lint_reports_gaps_and_wrong_ranks():
    found = {each.rule: each for each in rw.lint(rw.Run(**RUN), QRELS, metric="rr")}
    assert found["rank-gaps"].message.startswith(
        "1 of 1 lists leave ranks out (this one has 3 rows and ends at rank 5)"
    )
    assert found["rank-gaps"].effect == "rr 0.3333 → 0.5000 with --ranks closed"
    found = {each.rule: each for each in rw.lint(rw.Run(["q"] * 2, ["a", "b"], rank=[2, 2]))}
    assert found["ranks"].message == "query 'q' gives a rank twice (first: run, row 1)"
    assert found["ranks"].place == "run, row 2"


def test_a_cleaned_copy_keeps_gaps_where_nothing_was_removed(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,item,rank\nq,a,2\nq,b,4\nr,a,1\nr,a,3\nr,b,4\n", encoding="utf-8")
    rw.lint(path, cleaned_copies=tmp_path / "clean")
    copy = pl.read_csv(tmp_path / "clean" / "run.csv")
    assert copy.rows() == [("q", "a", 2), ("q", "b", 4), ("r", "a", 1), ("r", "b", 2)]


def test_ranks_at_their_places_in_a_curve_and_an_explanation():
    evaluator = rw.Evaluator(QRELS, ["ap"])
    assert evaluator.curve(rw.Run(**RUN), "q").points[-1] == (5, 1.0, 0.4)
    text = str(rw.explain("ap", run=rw.Run(**RUN), qrels=QRELS, query="q"))
    assert "0.3667" in text


def test_ranks_that_run_through_the_whole_table_are_warned_of():
    items = [f"d{at}" for at in range(20)]
    run = {
        "query": [f"q{at}" for at in range(30) for _ in items],
        "item": items * 30,
        "rank": [*range(1, 601)],
    }
    qrels = {f"q{at}": {"d0": 1} for at in range(30)}
    with pytest.warns(
        rw.errors.DataWarning, match=r"29 of 30 lists have no item at rank 1.*say ranks='closed'"
    ):
        assert rw.evaluate(run, qrels, "hit@1").mean["hit@1"] == 1 / 30
    assert rw.evaluate(run, qrels, "hit@1", ranks="closed").mean["hit@1"] == 1.0


@pytest.mark.parametrize("engine", ["memory", rw.Stream(part_rows=3)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_of_equal_ranks_that_are_closed_the_score_decides_unless_it_contradicts(engine, seed):
    rng = random.Random(seed)
    rows = [(f"q{q}", f"d{i}", rng.randint(1, 3), rng.randint(1, 4)) for q in range(30) for i in range(4)]
    if seed % 2:  # lists whose scores say the same as their ranks
        rows = [(q, i, rank, 8 - 2 * rank + score % 2) for q, i, rank, score in rows]
    qrels = {f"q{q}": {f"d{rng.randrange(4)}": 1} for q in range(30)}
    expected = []
    for query, judged in qrels.items():
        own = [row[1:] for row in rows if row[0] == query]
        is_alike = all(a[2] >= b[2] for a in own for b in own if a[1] < b[1])
        own.sort(key=lambda row: row[0], reverse=True)  # ties: item id down
        own.sort(key=lambda row: (row[1], -row[2] if is_alike else 0))
        expected.append(1 / (1 + [item for item, *_ in own].index(*judged)))
    frame = pl.DataFrame(rows, ["query", "item", "rank", "score"], orient="row")
    res = rw.evaluate(frame, qrels, ["rr"], ranks="closed", engine=engine)
    assert res.mean["rr"] == pytest.approx(sum(expected) / len(expected), abs=1e-12)
