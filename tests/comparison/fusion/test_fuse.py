"""fuse against a slow loop over items, and what it says of arguments that do not fit."""

from __future__ import annotations

import pickle
import random

import numpy as np
import polars as pl
import pytest
from tests.comparison.fusion import plain
from tests.comparison.fusion.ranx import scores
from tests.every import every

import rankwell as rw
from rankwell.comparison.fusion.methods import METHODS, NORMS
from rankwell.errors import DataWarning

BY_SCORE = [name for name, method in METHODS.items() if method.votes is None]
BY_RANK = [name for name, method in METHODS.items() if method.votes is not None]
TWO = {"a": {"q": {"x": 3.0, "y": 1.0}}, "b": {"q": {"y": 2.0, "z": 1.0}, "r": {"x": 1.0}}}


def same(found, wanted):
    assert found.keys() == wanted.keys()
    for query, items in wanted.items():
        assert found[query] == pytest.approx(items, abs=1e-12), query
    return sum(len(items) for items in wanted.values())


def weights_for(rng, method, runs):
    if not METHODS[method].is_weighted:
        return None
    drawn = [rng.choice([0, 0.1, 0.2, 0.3, 1, 2]) for _ in runs]
    return drawn if any(drawn) else [1.0] * len(runs)


@every(("method", "norm"), [(method, norm) for method in BY_SCORE for norm in NORMS])
def test_methods_of_scores_give_what_a_plain_loop_gives(method, norm):
    rng = random.Random(f"{method} {norm}")
    for _ in range(12):
        runs = plain.random_runs(rng, positive=norm == "max")
        depth, weights = rng.choice([None, 1, 3]), weights_for(rng, method, runs)
        numbers = {"gamma": rng.choice([-1.0, 0.3, 2.0])} if method == "comb_gmnz" else {}
        given = weights or ([1.0] * len(runs) if method == "weighted" else None)
        found = rw.fuse(runs, method, norm=norm, weights=given, depth=depth, **numbers)
        assert same(scores(found), plain.fused(runs, method, norm, given, depth, numbers))


@every("method", BY_RANK)
def test_methods_of_ranks_give_what_a_plain_loop_gives(method):
    rng = random.Random(method)
    own = METHODS[method].parameter
    for _ in range(40):
        runs = plain.random_runs(rng, positive=False)
        depth, weights = rng.choice([None, 1, 3]), weights_for(rng, method, runs)
        numbers = {own.name: rng.choice(own.grid)} if own and rng.random() < 0.7 else {}
        found = rw.fuse(runs, method, weights=weights, depth=depth, **numbers)
        assert same(scores(found), plain.fused(runs, method, weights=weights, depth=depth, numbers=numbers))


@every("method", [*BY_SCORE, *BY_RANK])
def test_queries_fused_part_by_part_give_what_all_at_once_give(method, monkeypatch):
    rng = random.Random(method)
    for _ in range(6):
        drawn = plain.random_runs(rng, positive=True)
        some = [dict(rng.sample(list(run.items()), len(run))) for run in drawn]
        given = {"weights": [0.25] * len(some)} if method == "weighted" else {}
        whole = rw.fuse(some, method, **given)
        for rows in (1, 3, 7):
            monkeypatch.setattr("rankwell.comparison.fusion.fuse.PART_ROWS", rows)
            parts = rw.fuse(some, method, **given)
            assert parts.to_frame().equals(whole.to_frame())
            assert parts.how.sources == whole.how.sources
        monkeypatch.undo()


def test_rows_are_in_the_order_of_the_fused_scores_and_equal_ones_in_that_of_their_ids():
    for seed in range(20):
        runs = plain.random_runs(random.Random(seed), positive=True)
        method = random.Random(seed).choice(["comb_sum", "condorcet", "log_isr", "rrf"])
        for ties in ("item-desc", "item-asc"):
            rows = rw.fuse(runs, method, ties=ties).to_frame().rows()
            for query in {row[0] for row in rows}:
                own = [row for row in rows if row[0] == query]
                by_id = sorted(own, key=lambda row: row[1].encode(), reverse=ties == "item-desc")
                assert own == sorted(by_id, key=lambda row: -row[3])
                assert [row[2] for row in own] == list(range(1, len(own) + 1))


def test_top_keeps_the_first_items_and_their_scores():
    whole, cut = rw.fuse(TWO), rw.fuse(TWO, top=1)
    assert cut.to_frame().rows() == [row for row in whole.to_frame().rows() if row[2] == 1]


def test_a_query_that_a_run_lacks_is_fused_from_the_others_and_counted():
    fused = rw.fuse({"a": {"q": ["x"]}, "b": {"q": ["x"], "r": ["y"]}, "c": {"r": ["y"], "s": []}})
    assert fused.queries == ["q", "r"]
    assert [(each.queries, each.missing) for each in fused.how.sources] == [(1, 1), (2, 0), (1, 1)]
    assert scores(fused) == {"q": {"x": pytest.approx(2 / 61)}, "r": {"y": pytest.approx(2 / 61)}}


def test_ranks_of_a_rank_column_count_and_gaps_stay_gaps_for_methods_of_ranks():
    gaps = rw.Run(query=["q", "q"], item=["x", "y"], rank=[1, 5])
    other = {"q": ["z"]}
    assert scores(rw.fuse([gaps, other], k=0))["q"] == pytest.approx({"x": 1, "y": 1 / 5, "z": 1})
    closed = rw.fuse([gaps, other], k=0, ranks="closed")
    assert scores(closed)["q"] == pytest.approx({"x": 1, "y": 1 / 2, "z": 1})
    zero_based = rw.Run(query=["q", "q"], item=["x", "y"], rank=[0, 1])
    assert scores(rw.fuse([zero_based, other], k=0))["q"] == pytest.approx({"x": 1, "y": 1 / 2, "z": 1})
    # points and shares are given by the place in the list, which cannot exceed its length
    assert scores(rw.fuse([gaps, other], "borda"))["q"] == {"x": 4.5, "y": 3.5, "z": 4.0}


def test_a_table_with_ranks_and_scores_has_the_order_of_the_ranks_and_the_values_of_the_scores():
    both = rw.Run(query=["q"] * 3, item=["x", "y", "z"], rank=[1, 2, 3], score=[1.0, 5.0, 3.0])
    other = {"q": {"x": 0.0}}
    assert scores(rw.fuse([both, other], "comb_sum", norm="none"))["q"] == {"x": 1.0, "y": 5.0, "z": 3.0}
    assert scores(rw.fuse([both, other], k=0))["q"] == pytest.approx({"x": 2, "y": 1 / 2, "z": 1 / 3})


def test_numbers_in_one_run_and_the_same_as_text_in_another_are_the_same_ids():
    numbers = rw.Run(query=[1, 1], item=[10, 20], score=[2.0, 1.0])
    text = {"1": {"20": 5.0, "30": 4.0}}
    rows = rw.fuse([numbers, text]).to_frame()
    assert rows["item"].dtype == pl.Int64
    assert {row[1]: row[3] for row in rows.rows()} == pytest.approx(
        {10: 1 / 61, 20: 1 / 62 + 1 / 61, 30: 1 / 62}
    )


def test_the_order_of_runs_and_of_rows_does_not_matter():
    rng = random.Random(3)
    for _ in range(10):
        runs = plain.random_runs(rng, positive=True)
        mixed = [
            {query: dict(rng.sample(list(items.items()), len(items))) for query, items in rng.sample(list(run.items()), len(run))}
            for run in rng.sample(runs, len(runs))
        ]  # fmt: skip
        for method in ("rrf", "comb_mnz", "borda", "condorcet", "comb_med"):
            same(scores(rw.fuse(mixed, method)), scores(rw.fuse(runs, method)))


def test_weights_are_taken_in_order_or_by_name():
    by_name = rw.fuse(TWO, "weighted", weights={"b": 0.2, "a": 0.8})
    in_order = rw.fuse(list(TWO.values()), "weighted", weights=np.array([0.8, 0.2]))
    assert scores(by_name) == scores(in_order)
    assert by_name.how.sources[0].weight == 0.8


def test_a_run_of_weight_0_gives_its_items_nothing_and_is_not_counted_as_a_list_that_has_them():
    fused = scores(rw.fuse(TWO, "comb_mnz", norm="none", weights=[1, 0]))
    assert fused == {"q": {"x": 3.0, "y": 1.0, "z": 0.0}, "r": {"x": 0.0}}


def test_a_fused_run_is_a_run_that_can_be_evaluated_fused_again_and_pickled():
    fused = rw.fuse(TWO, name="both")
    assert isinstance(fused, rw.Run)
    assert (fused.name, len(fused), fused.queries) == ("both", 4, ["q", "r"])
    assert rw.evaluate(fused, {"q": {"y": 1}, "r": {"x": 1}}, "rr")["rr"] == 1.0
    assert len(rw.fuse({"fused": fused, "a": TWO["a"]}, "comb_sum")) == 4
    again = pickle.loads(pickle.dumps(fused))
    assert again.to_frame().equals(fused.to_frame())
    assert str(again) == str(fused)


def test_rules_about_judgements_change_no_fused_list():
    wanted = rw.fuse(TWO).to_frame()
    for rules in (
        {"unjudged": "condense"},
        {"population": "judged"},
        {"missing": "skip"},
        {"rel": 2},
        {"outside": "ignore"},
    ):
        assert rw.fuse(TWO, **rules).to_frame().equals(wanted)


def test_matrices_and_lists_are_runs_too():
    scored, listed = np.array([[1.0, 2.0, 3.0]]), [[2, 1]]
    assert scores(rw.fuse([scored, listed], k=0))[0] == pytest.approx({2: 2, 1: 1, 0: 1 / 3})


def test_what_the_caller_changes_afterwards_changes_nothing():
    query, item, score = np.array([1, 1]), np.array([5, 6]), np.array([2.0, 1.0])
    runs = [
        pl.DataFrame({"query": query, "item": item, "score": score}),
        {"query": query, "item": item, "score": score},
    ]
    fused = rw.fuse(runs, "comb_sum", norm="none")
    before = fused.to_frame().rows()
    for column in (query, item, score):
        column[:] = 0
    assert fused.to_frame().rows() == before


QRELS = {"q": {"x": 1}}


@pytest.mark.parametrize(
    ("runs", "arguments", "message"),
    [
        ({"a": TWO["a"]}, {}, "needs at least two runs, and this is one"),
        ("bm25.run", {}, "fuse takes runs by name, not"),
        (TWO, {"method": "mnz"}, "method='mnz': must be comb_sum.* Did you mean comb_mnz"),
        (TWO, {"method": "rff"}, "Did you mean rrf"),
        (TWO, {"norm": "max"}, "norm='max': rrf goes by ranks and reads no scores; leave it out"),
        (TWO, {"method": "comb_sum", "norm": "minmax"}, "norm='minmax': must be .* Did you mean min-max"),
        (TWO, {"method": "comb_sum", "weights": [1, 2]}, "comb_sum has none; method='weighted' is a sum with weights"),
        (TWO, {"method": "weighted"}, "needs weights=, one for each run, or qrels= and metric= to learn them"),
        (TWO, {"weights": [1]}, "weights= must be 2 numbers"),
        (TWO, {"weights": [1, -1]}, "none below 0"),
        (TWO, {"weights": [0, 0]}, "not all 0"),
        (TWO, {"weights": 3}, "weights= must be 2 numbers"),
        (TWO, {"weights": {"a": 1, "bb": 1}}, "'bb' is no run. Did you mean b"),
        (TWO, {"weights": {"a": 1}}, "the weight of 'b' is missing"),
        (TWO, {"k": -1}, "k=-1: must be at least 0"),
        (TWO, {"phi": 0.5}, "rrf has no phi, but k=; leave it out"),
        (TWO, {"method": "rbc", "phi": 1}, "phi=1: must be above 0 and below 1"),
        (TWO, {"method": "isr", "k": 3}, "isr has no k; leave it out"),
        (TWO, {"top": 0}, "top=0: must be at least 1"),
        (TWO, {"ties": "best"}, "ties='best' orders by grades"),
        (TWO, {"duplicates": "first"}, "use duplicates='drop'"),
        (TWO, {"dept": 3}, "there is no argument dept=. Did you mean depth"),
        (TWO, {"metric": "ap"}, "metric='ap' is for learning from judgements; give qrels= too"),
        (TWO, {"qrels": QRELS}, "say for which metric to learn"),
        (TWO, {"qrels": QRELS, "metric": ["ap", "rr"]}, "must be one metric with a value per query"),
        (TWO, {"qrels": QRELS, "metric": "coverage"}, "must be one metric with a value per query"),
        (TWO, {"qrels": QRELS, "metric": "ap", "k": 3}, "k= is given, and would be learned from qrels="),
        (TWO, {"qrels": QRELS, "metric": "ap", "learn": "phi"}, "rrf has k or weights to learn"),
        (TWO, {"qrels": QRELS, "metric": "ap", "method": "comb_min"}, "comb_min has nothing to learn"),
        (TWO, {"qrels": QRELS, "metric": "ap"}, "hold 1 judged query, too few for 5 folds; say folds=1"),
        (TWO, {"qrels": QRELS, "metric": "ap", "folds": 0}, "folds=0: must be at least 1"),
        (TWO, {"qrels": {"z": {"x": 1}}, "metric": "ap"}, "no query of the runs is judged"),
        (TWO, {"qrels": {"q": {"x": 0}}, "metric": "ap", "folds": 1}, "the metric is undefined for all queries"),
        ([{"q": ["x"]}, {"q": ["y"]}], {"method": "comb_sum"}, "has an order but no scores. Fuse by ranks"),
        ([{"q": {"x": 1}}, {"q": {"x": -2}}], {"method": "comb_sum", "norm": "max"}, "query 'q': the highest score .* is -2"),
        ([{"q": {"x": 1}}, {"q": {"y": float("inf")}}], {"method": "comb_sum"}, "item 'y' is inf"),
        ([{"q": ["x", "x"]}, {"q": ["y"]}], {}, "lists item 'x' twice"),
        ([{}, {"q": ["y"]}], {}, "the run holds no rows"),
        ([{"q": ["x"]}, {"q": [1]}], {}, "the text is not plain numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_fused_is_one_error_with_its_remedy(runs, arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.fuse(runs, **arguments)


def test_repeated_items_can_be_dropped():
    twice = rw.Run(query=["q"] * 3, item=["x", "x", "y"], score=[3.0, 2.0, 1.0])
    assert scores(rw.fuse([twice, {"q": ["z"]}], k=0, duplicates="drop"))["q"] == pytest.approx(
        {"x": 1, "y": 0.5, "z": 1}
    )


@pytest.mark.parametrize(
    ("query", "item", "remedy"),
    [
        ("{}", "{}.0", 'write each item id as id.removesuffix(".0")'),
        ("{}", "doc{}", 'write each item id as id.removeprefix("doc")'),
        ("q-{}", "{}", 'write each query id as id.removeprefix("q-")'),
        ("{}", "x{}y", "Are ids written alike?"),
    ],
)
def test_runs_whose_ids_do_not_meet_are_warned_of(query, item, remedy):
    """Each item is then fused with nothing: the remedy makes the lists those of one system twice."""
    one = {f"{q}": [f"{i}" for i in range(q, q + 4)] for q in range(1, 4)}
    other = {query.format(q): [item.format(i) for i in items] for q, items in one.items()}
    with pytest.warns(DataWarning, match=r"dense: none of its items is in a list of another run\.") as caught:
        rw.fuse({"bm25": one, "dense": other})
    assert remedy in str(caught[0].message)
    rw.fuse({"bm25": one, "dense": one | other, "sparse": {"1": ["1"]}})
