"""A query's own item is left out of its list before all else, in every engine and verb, counted and printed."""

from __future__ import annotations

import json
import random

import numpy as np
import polars as pl
import pytest
from tests.cases import seeds
from tests.definitions import reference
from tests.definitions.both import same, values_of

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.matching.lists import CLOSED, OWN, own_rows
from rankwell.tables.ids import Ids

METRICS = ["ap", "rr", "ndcg@3", "p@2", "num_ret", "judged@2"]
KINDS = [(str, str), (int, int), (str, int), (int, str)]  # of queries and items
ENGINES = [
    {}, {"engine": Memory(batch=3)}, {"engine": Memory(batch=7), "threads": 2},
    *({"engine": rw.Stream(part_rows=rows)} for rows in (1, 4, 1000)),
]  # fmt: skip
ON = {"drop_own_query": True}


def drawn(rng, order, kinds):
    """Rows of a run and of judgements, with ids from the same numbers."""
    query, item = kinds
    numbers, base = range(8), rng.choice([0, 1])
    lists, judged = {}, []
    for q in rng.sample(numbers, 6):
        listed = rng.sample(numbers, rng.randint(1, 7))
        places = sorted(rng.sample(range(base, base + 11), len(listed)))
        if order == "rank" and rng.random() < 0.5:
            places = list(range(base, base + len(listed)))
        scores = [rng.choice([1.0, 2.0, 3.5]) for _ in listed]
        lists[query(q)] = list(zip(map(item, listed), scores if order == "score" else places, strict=True))
        judged += [(query(q), item(i), rng.choice([0, 1, 2]), None) for i in rng.sample(numbers, 4)]
    return lists, judged


def tables(lists, judged, order):
    """The same as frames."""
    rows = [(q, i, number) for q, listed in lists.items() for i, number in listed]
    run = pl.DataFrame(rows, schema=["query", "item", order], orient="row")
    qrels = pl.DataFrame([row[:3] for row in judged], schema=["query", "item", "grade"], orient="row")
    return run, qrels


def have_the_values_of_a_plain_loop(cases):
    """Compare every engine with the slow reference; return how many rows were left out."""
    dropped = 0
    for case in cases:
        rng = random.Random(f"own {case}")
        order, kinds = rng.choice(["score", "rank"]), KINDS[case % 4]
        lists, judged = drawn(rng, order, kinds)
        policy = {
            **ON,
            **rng.choice([{}, {"depth": 2}, {"ranks": "closed"}, {"unjudged": "condense"}, {"ties": "best"}]),
        }
        own = sum(str(q) == str(i) for q, listed in lists.items() for i, _ in listed)
        run, qrels = tables(lists, judged, order)
        expected = reference.evaluate_many(lists, judged, METRICS, policy, order=order)
        for engine in ENGINES:
            res = rw.evaluate(run, qrels, METRICS, **engine, **policy)
            assert res.counts.get(OWN, 0) == own, (case, engine)
            for metric, outcome in zip(METRICS, expected, strict=True):
                values = values_of(res, metric)
                for q, value in outcome.values.items():
                    assert same(values[q], value), (case, engine, metric, q, values[q], value)
        dropped += own
    return dropped


@pytest.mark.parametrize("case", seeds(40))
def test_every_engine_has_the_values_of_a_plain_loop(case):
    assert have_the_values_of_a_plain_loop(range(4 * case, 4 * case + 4)) > 0


@pytest.mark.parametrize("order", ["score", "rank"])
@pytest.mark.parametrize("case", range(6))
def test_nothing_changes_where_no_item_is_its_query(case, order):
    lists, judged = drawn(random.Random(f"no own {case}"), order, KINDS[case % 4])
    others = {q: [row for row in listed if str(row[0]) != str(q)] for q, listed in lists.items()}
    run, qrels = tables(others, judged, order)
    off, on = (rw.evaluate(run, qrels, METRICS, drop_own_query=flag) for flag in (False, True))
    assert on.per_query.equals(off.per_query)
    assert dict(on.counts) == dict(off.counts)


def test_the_same_text_is_the_same_id_and_nothing_else_is():
    run = {"1": ["1", "01", " 1", "1.0"], "01": ["1", "01"], "é": ["é", "e"], "": ["", "x"]}
    found = rw.evaluate(run, {"1": ["01"]}, "num_ret", **ON)
    assert (found["num_ret"], found.counts[OWN]) == (3, 4)
    lists = (
        rw.Run(["7", "07", "+7", "-7", "x", str(2**64)], [7, 7, 7, -7, 0, 0], [1.0] * 6).rows.table().lists()
    )
    assert own_rows(lists).tolist() == [0, 3]


def test_texts_of_one_hash_are_not_the_same_id():
    lists = rw.Run(["a", "b"], ["a", "c"], [1.0, 1.0]).rows.table().lists()
    keys = np.full(2, 7, np.uint64)
    for word in ("queries", "items"):
        ids = getattr(lists, word)
        setattr(lists, word, Ids(keys, ids.text, ids.starts, ids.lengths))
    assert own_rows(lists).tolist() == [0]


def test_it_goes_before_copies_are_looked_for_and_before_the_depth():
    run = rw.Run(["q"] * 4, ["q", "a", "q", "b"], [4.0, 3.0, 2.0, 1.0])
    found = rw.evaluate(run, {"q": {"b": 1}}, ["rr", "num_ret"], depth=2, **ON)
    assert found.mean == {"rr": 0.5, "num_ret": 2}
    with pytest.raises(rw.RankwellError, match="lists item 'q' twice"):
        rw.evaluate(run, {"q": {"b": 1}}, "rr")


@pytest.mark.parametrize("ranks", [[1, 2, 3, 4], [0, 1, 2, 3], [2, 5, 6, 9]])
def test_a_list_with_ranks_is_numbered_1_to_n_without_it(ranks):
    run = rw.Run(["q"] * 4 + ["r"], ["q", "a", "b", "c", "a"], rank=[*ranks, 3])
    found = rw.evaluate(run, {"q": ["b"], "r": ["a"]}, "first_rank", **ON)
    assert found.per_query["first_rank"].to_list() == [
        2,
        4 if 0 in ranks else 3,
    ]  # the other list keeps its gap
    assert (found.counts[OWN], found.counts[CLOSED]) == (1, 1)
    closed = rw.evaluate(run, {"q": ["b"], "r": ["a"]}, "first_rank", ranks="closed", **ON)
    assert closed.per_query["first_rank"].to_list() == [2, 1]
    assert CLOSED not in closed.counts


def test_a_rank_that_the_others_give_twice_is_an_error_still():
    run = rw.Run(["q"] * 3, ["q", "a", "b"], rank=[1, 2, 2])
    with pytest.raises(
        rw.RankwellError, match=r"run, row 3: query 'q' gives a rank twice \(first: run, row 2\)"
    ):
        rw.evaluate(run, {"q": ["a"]}, "rr", **ON)
    beside = rw.Run(["q"] * 3, ["q", "a", "b"], rank=[1, 1, 2])  # the query's own rank is nobody's
    assert rw.evaluate(beside, {"q": ["b"]}, "rr", **ON)["rr"] == 0.5


def test_places_in_errors_are_those_of_the_table():
    run = rw.Run(["q"] * 4, ["q", "a", "b", "b"], [4.0, 3.0, 2.0, 1.0])
    with pytest.raises(rw.RankwellError, match=r"run, row 4: .* \(first: run, row 3\)"):
        rw.evaluate(run, {"q": ["a"]}, "rr", **ON)


def test_a_contradiction_of_the_query_s_own_rank_counts_no_more():
    run = rw.Run(["q"] * 3, ["q", "a", "b"], score=[1.0, 9.0, 8.0], rank=[1, 2, 3])
    with pytest.warns(rw.errors.DataWarning, match="ranked below a row with a lower score"):
        off = rw.evaluate(run, {"q": ["a"]}, "rr")
    what = "rows whose rank contradicts the score"
    assert (off.counts[what], what in rw.evaluate(run, {"q": ["a"]}, "rr", **ON).counts) == (1, False)


RUN = {f"d{n}": {f"d{m}": 1.0 / (1 + abs(n - m)) + m / 1e3 for m in range(n - 3, n + 3)} for n in range(12)}
OTHER = {q: {item: -score for item, score in listed.items()} for q, listed in RUN.items()}
QRELS = {q: dict.fromkeys(list(listed)[:2], 1) for q, listed in RUN.items()}


def without(run):
    return {q: {item: score for item, score in listed.items() if item != q} for q, listed in run.items()}


VERBS = {
    "evaluate": lambda a, _, **on: rw.evaluate(a, QRELS, METRICS, **on).per_query,
    "Evaluator": lambda a, _, **on: rw.Evaluator(QRELS, METRICS, **on).evaluate(a).per_query,
    "evaluate_all": lambda a, b, **on: rw.Evaluator(QRELS, METRICS, **on).evaluate_all({"a": a, "b": b})["b"].mean,
    "metrics of lists": lambda a, _, **on: rw.evaluate(a, metrics=["personalization@3", "coverage@2"], items=[f"d{n}" for n in range(20)], outside="ignore", **on).mean,
    "bounds": lambda a, _, **on: rw.evaluate(a, QRELS, ["p@3", "rbp"], bounds=True, **on).bounds["rbp"].to_dict(),
    "compare": lambda a, b, **on: rw.compare({"a": a, "b": b}, QRELS, ["rr", "ndcg@3"], **on).to_dict()["cells"],
    "gate": lambda a, b, **on: rw.gate(a, QRELS, "rr", baseline=b, **on).to_dict()["checks"],
    "diff": lambda a, b, **on: rw.diff({"old": a, "new": b}, QRELS, "rr", **on).to_dict()["queries"],
    "fuse": lambda a, b, **on: rw.fuse({"a": a, "b": b}, "rrf", **on).to_frame(),
    "fuse by scores": lambda a, b, **on: rw.fuse([a, b], "comb_sum", **on).to_frame(),
    "learn": lambda a, b, **on: rw.fuse([a, b], "weighted", qrels=QRELS, metric="rr", folds=3, **on).to_frame(),
    "rbo": lambda a, b, **on: rw.rbo(a, b, **on).per_query,
    "explain": lambda a, _, **on: rw.explain("rr", run=a, qrels=QRELS, query="d4", policy=rw.Policy(**on)).to_text(),
    "jackknife": lambda a, _, **on: rw.jackknife(a, metrics="personalization@3", **on).to_dict(),
    "judging": lambda a, b, **on: rw.judging.next({"a": a, "b": b}, QRELS, budget=5, **on).to_frame(),
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.filterwarnings("ignore")
def test_every_verb_says_what_it_says_of_lists_without_the_query(verb):
    told = [str(VERBS[verb](without(RUN), without(OTHER))), str(VERBS[verb](RUN, OTHER, **ON))]
    assert told[0] == told[1]
    assert told[0] != str(VERBS[verb](RUN, OTHER))


def test_lists_that_hold_nothing_else_are_empty():
    run, qrels = {"q": {"q": 1.0}, "r": {"a": 1.0, "r": 2.0}}, {"q": {"a": 1}, "r": {"a": 1}}
    found = rw.evaluate(run, qrels, ["rr", "num_ret"], missing="skip", **ON)
    assert found.per_query["num_ret"].to_list() == [0, 1]
    overlap = rw.rbo(run, {"q": ["a"], "r": ["a"]}, **ON)
    assert (overlap.n, overlap.alone, overlap.mean["ext"]) == (1, (0, 1), 1.0)
    assert rw.fuse([run, run], "rrf", **ON).to_frame()["query"].to_list() == ["r"]


def test_results_say_it_only_where_it_is_on(tmp_path):
    off, on = (rw.evaluate(RUN, QRELS, ["rr"], drop_own_query=flag) for flag in (False, True))
    assert "own" not in off.to_json()
    assert json.loads(on.to_json())["policy"]["drop_own_query"] is True
    assert "drop_own_query=True (all others default" in on.to_table().to_text()
    assert f"{OWN}: 12" in on.to_table().to_text()
    for name in ("a.json", "a.parquet"):
        on.save(tmp_path / name)
        saved = rw.Results.load(tmp_path / name)
        assert (saved.policy, saved.mean, saved.counts[OWN]) == (rw.Policy(**ON), on.mean, 12)
    with pytest.raises(rw.RankwellError, match=r"different policies: drop_own_query \(False and True\)"):
        rw.compare({"a": off, "b": on}, metrics=["rr"])
    with pytest.raises(
        rw.RankwellError, match=r"the preset 'trec_eval' sets every rule.*and you set drop_own_query"
    ):
        rw.evaluate(RUN, QRELS, "rr", preset="trec_eval", **ON)


def test_how_a_run_was_fused_says_it():
    assert "drop_own_query=True" in str(rw.fuse([RUN, OTHER], "rrf", **ON))
    assert "drop_own_query" not in str(rw.fuse([RUN, OTHER], "rrf"))


def test_lint_tells_of_it_and_looks_for_no_copies_of_it():
    (found,) = [each for each in rw.lint(RUN, QRELS) if each.rule == "own-query"]
    assert (found.level, found.count) == ("note", 12)
    assert "12 rows of 12 lists hold the query itself" in found.message
    value = rw.evaluate(RUN, QRELS, "ndcg@10", **ON)["ndcg@10"]
    assert f"→ {value:.4f} with --drop-own-query" in found.effect
    copies = rw.Run(["q"] * 3, ["q", "q", "a"], [3.0, 2.0, 1.0])
    rules = {
        flag: {each.rule for each in rw.lint(copies, {"q": ["a"]}, policy=rw.Policy(drop_own_query=flag))}
        for flag in (False, True)
    }
    assert {"duplicates", "own-query"} <= rules[False]
    assert not {"duplicates", "own-query"} & rules[True]
    few = {q: {"x": 1.0, "d0": 0.5} for q in RUN}  # a number that is an item and a user by chance
    assert "own-query" not in {each.rule for each in rw.lint(few, QRELS)}


def test_rosetta_names_it_where_it_matters():
    differs = {line.tool: line.differs for line in rw.rosetta(RUN, QRELS, "ndcg@3")[0].lines}
    assert "a query's own id is left out of its list" in differs["BEIR"]
    assert "own id" not in str(rw.rosetta(without(RUN), QRELS, "ndcg@3"))
