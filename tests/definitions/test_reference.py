"""The slow second implementation is itself right: by papers, published numbers, trec_eval and brute force."""

from __future__ import annotations

import ast
import itertools
import math
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.every import every

from . import collections_data, worked
from .reference import Outcome, ReferenceRefusal, evaluate, evaluate_many, parse_metric, rows_of

WORKED = worked.cases()
Rows = dict[str, list[tuple[Any, float | None]]]


# --- worked examples ----------------------------------------------------------------------------------------


@every("case", WORKED)
def test_a_worked_example_comes_out_and_an_invalid_one_does_not(case: worked.Case) -> None:
    mean = evaluate(case.run, case.qrels, case.metric, None, case.policy).mean
    same = mean is None if case.expected is None else mean == pytest.approx(case.expected, rel=0, abs=1e-12)
    assert same != (case.kind == "invalid"), mean


def test_every_example_of_the_families_is_covered_or_said_not_to_be() -> None:
    wanted = {name for name in worked.examples() if name.startswith(worked.FAMILIES)}
    covered = {case.id.split(" ")[0] for case in WORKED}
    assert covered | set(worked.NOT_COVERED) == wanted
    assert not covered & set(worked.NOT_COVERED)


# --- real collections ---------------------------------------------------------------------------------------


def test_every_covered_row_of_the_published_tables_comes_out_in_all_its_digits() -> None:
    groups: dict[tuple[Path, Path, str], list[collections_data.Expectation]] = defaultdict(list)
    for expectation in collections_data.expectations():
        groups[expectation.group].append(expectation)
    assert sum(map(len, groups.values())) == 87_411
    wrong = []
    for (run, qrels, policy), rows in groups.items():
        metrics = sorted({row.metric for row in rows})
        run_rows, qrels_rows = collections_data.read_run_rows(run), collections_data.read_qrels_rows(qrels)
        results = evaluate_many(run_rows, qrels_rows, metrics, ast.literal_eval(policy))
        by_metric = dict(zip(metrics, results, strict=True))
        for row in rows:
            outcome = by_metric[row.metric]
            value = outcome.mean if row.query == "all" else outcome.values.get(row.query)
            if not row.agrees(value):
                wrong.append((row.source, row.run.name, row.measure, row.query, row.value, value))
    assert wrong == []


# --- trec_eval ----------------------------------------------------------------------------------------------

# What trec_eval 9.0.8 and 10.0 both print for this input; unj_5 is .4 in version 10.
MICRO_QRELS = rows_of(
    {"1": {"a": 2, "b": 1, "c": 0, "d": -1, "e": 1, "f": 0, "g": 3}, "2": {"a": 0, "b": 0}, "3": {"a": 1}}
)
MICRO_RUN: Rows = {
    "1": [("x", 9), ("c", 8), ("a", 8), ("d", 7), ("b", 6), ("f", 5), ("g", 4)],
    "2": [("a", 1)],
    "4": [("a", 1)],
}
MICRO = [
    ("ap(denom=R)", {}, "1", ".2905"),
    ("bpref", {}, "1", ".2500"),
    ("rr", {}, "1", ".3333"),
    ("p@5", {}, "1", ".4000"),
    ("r@5", {}, "1", ".5000"),
    ("ndcg", {}, "1", ".4597"),
    ("ndcg@5", {}, "1", ".2671"),
    ("ap(denom=R)@5", {}, "1", ".1833"),
    ("judged@5", {}, "1", ".6000"),
    ("ap(denom=R,rel=2)", {}, "1", ".3095"),
    ("bpref(rel=2)", {}, "1", ".2500"),
    ("ndcg(rel=2)", {}, "1", ".4597"),
    ("ap(denom=R)", {"missing": "skip"}, "all", ".1452"),
    ("ap(denom=R)", {"missing": "empty"}, "all", ".0968"),
    # Judged items only (-J): the same as condensing the list.
    ("ap(denom=R)", {"unjudged": "condense"}, "1", ".4417"),
    ("ndcg", {"unjudged": "condense"}, "1", ".5628"),
    ("bpref", {"unjudged": "condense"}, "1", ".2500"),
]


@every(("metric", "policy", "query", "printed"), MICRO)
def test_the_micro_case_prints_as_in_trec_eval(
    metric: str, policy: dict[str, Any], query: str, printed: str
) -> None:
    outcome = evaluate(MICRO_RUN, MICRO_QRELS, metric, None, {"undefined": "zero", **policy})
    value = outcome.mean if query == "all" else outcome.values[query]
    assert f"{value:.4f}" == f"0{printed}"


CUTS = (1, 2, 3, 5, 10, 30)
MEASURES = {
    "map": "ap(denom=R)",
    "recip_rank": "rr",
    "ndcg": "ndcg",
    "bpref": "bpref",
    **{f"map_cut_{k}": f"ap(denom=R)@{k}" for k in CUTS},
    **{f"P_{k}": f"p@{k}" for k in CUTS},
    **{f"recall_{k}": f"r@{k}" for k in CUTS},
    **{f"success_{k}": f"hit@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in CUTS},
    **{f"relative_P_{k}": f"r(denom=min_rk)@{k}" for k in CUTS},
    **{f"iprec_at_recall_{tenth / 10:.2f}": f"iprec(level={tenth / 10},levels=trec9)" for tenth in range(11)},
    "11pt_avg": "avg11(levels=trec9)",
    "Rprec": "rprec",
    "infAP": "infap",
    "set_P": "set_p",
    "set_recall": "set_r",
    "set_relative_P": "set_r(denom=min_rn)",
    "set_map": "set_ap",
    "set_F": "set_f",
    "utility": "utility",
    "num_ret": "num_ret",
    "num_rel": "num_rel",
    "num_rel_ret": "num_rel_ret",
}
ASKED = {name for name in MEASURES if not name.rpartition("_")[2].replace(".", "").isdigit()} | {
    "iprec_at_recall"
}
ASKED |= {
    f"{name}.{','.join(map(str, CUTS))}"
    for name in ("map_cut", "P", "recall", "success", "ndcg_cut", "relative_P")
}


def random_case(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Run and qrels with ties, scores that only 32 bits make equal, negative grades, missing queries, short
    lists.

    No list is empty and no query has negative grades only: on both pytrec_eval-terrier 0.5.11 crashes.
    """
    rng = random.Random(seed)
    pool = [f"d{number}" for number in range(rng.choice((3, 8, 40)))] + ["é1", "z", "Z", "d"]
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    style = rng.choice(("spread", "ties", "near", "large"))
    for query in ("1", "2", "10", "q"):
        if rng.random() < 0.85:
            judged = rng.sample(pool, rng.randint(1, len(pool)))
            qrels[query] = {item: rng.choice((-2, -1, 0, 0, 0, 1, 1, 2, 3)) for item in judged}
            qrels[query][judged[0]] = rng.choice((0, 1, 4))
        if rng.random() < 0.85:
            listed = rng.sample(pool, rng.randint(1, len(pool)))
            draw = {
                "spread": lambda: rng.gauss(0, 1),
                "ties": lambda: float(rng.randint(-2, 2)),
                "near": lambda: 1 + rng.randint(0, 6) * 2e-8,
                "large": lambda: 16777216.0 + rng.randint(0, 5),
            }[style]
            run[query] = {item: draw() for item in listed}
    return run, qrels


@every("level", [1, 2])
def test_random_cases_agree_with_pytrec_eval(level: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    policy = {
        "grades": "judgements",
        "scores": "single",
        "missing": "skip",
        "undefined": "zero",
        "rel": None if level == 1 else level,
    }
    for seed in range(400):
        run, qrels = random_case(seed)
        if not set(run) & set(qrels):
            continue
        theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level).evaluate(run)
        rows = {query: list(scores.items()) for query, scores in run.items()}
        ours = evaluate_many(rows, rows_of(qrels), list(MEASURES.values()), policy)
        for measure, outcome in zip(MEASURES, ours, strict=True):
            for query, value in outcome.values.items():
                assert value == pytest.approx(theirs[query][measure], abs=1e-12), (seed, measure, query)
            assert set(outcome.values) == set(theirs), seed


# --- ties ---------------------------------------------------------------------------------------------------

TIE_METRICS = [
    "p@2", "p(denom=n)@3", "ap", "ap@2", "ap(denom=k)@3", "rr", "rr@2", "ndcg", "ndcg@2", "ndcg(gain=exp2)@3",
    "ndcg(discount=jk)@3", "r@2", "hit@1",
]  # fmt: skip


@every("seed", range(40))
def test_best_and_worst_are_the_extremes_over_all_orders_of_the_tied(seed: int) -> None:
    rng = random.Random(seed)
    items = [f"i{number}" for number in range(5)]
    scores = {item: float(rng.randint(1, 2)) for item in items}
    grades = {item: rng.choice((-1, 0, 1, 1, 2)) for item in items if rng.random() < 0.8} | {"far": 1}
    run = {"q": list(scores.items())}
    qrels = rows_of({"q": grades})
    groups = [[item for item in items if scores[item] == score] for score in (2.0, 1.0)]
    orders = [
        [(item, None) for group in one for item in group]
        for one in itertools.product(*(list(itertools.permutations(group)) for group in groups))
    ]
    every = [evaluate_many({"q": order}, qrels, TIE_METRICS, order="list") for order in orders]
    for ties, extreme in (("best", max), ("worst", min)):
        outcomes = evaluate_many(run, qrels, TIE_METRICS, {"ties": ties})
        for place, metric in enumerate(TIE_METRICS):
            wanted = extreme(_mean(results[place]) for results in every)
            assert _mean(outcomes[place]) == pytest.approx(wanted, abs=1e-12), (ties, metric)
    for ties in ("item-desc", "item-asc", "order"):
        outcomes = evaluate_many(run, qrels, TIE_METRICS, {"ties": ties})
        for place in range(len(TIE_METRICS)):
            assert any(_mean(outcomes[place]) == pytest.approx(_mean(one[place]), abs=1e-15) for one in every)


def _mean(outcome: Outcome) -> float:
    assert outcome.mean is not None
    return outcome.mean


# --- policies, counted by hand ------------------------------------------------------------------------------

LIST: Rows = {"q": [("a", 5), ("b", 4), ("a", 3), ("u", 2), ("c", 1)]}
QRELS = rows_of({"q": {"a": 1, "b": 0, "c": 2, "m": -1}})
HAND: list[tuple[str, dict[str, Any], float]] = [
    # drop: a b u c -> hits at 1 and 4; first: a b a' u c -> hits at 1 and 5; condensed: a b c -> 1 and 3
    ("ap(denom=R)", {"duplicates": "drop"}, (1 / 1 + 2 / 4) / 2),
    ("ap(denom=R)", {"duplicates": "first"}, (1 / 1 + 2 / 5) / 2),
    ("ap(denom=R)", {"duplicates": "drop", "unjudged": "condense"}, (1 / 1 + 2 / 3) / 2),
    ("p(denom=n)@5", {"duplicates": "drop"}, 2 / 4),
    ("p(denom=n)@5", {"duplicates": "first"}, 2 / 5),
    ("p(denom=n)@5", {"duplicates": "drop", "unjudged": "condense"}, 2 / 3),
    ("judged@4", {"duplicates": "drop"}, 3 / 4),
    ("judged@4", {"duplicates": "drop", "unjudged": "condense"}, 1.0),
    ("ap(denom=R)", {"depth": 2}, 1 / 2),
    ("p(denom=n)@5", {"depth": 2}, 1 / 2),
    ("ndcg", {"depth": 2}, 1 / (2 + 1 / math.log2(3))),
    ("ndcg(ideal=retrieved)", {"depth": 2}, 1.0),
    ("ap(denom=R)", {"depth": 2, "rel": 2}, 0.0),
    ("err(max_grade=2)", {"duplicates": "drop"}, 1 / 4 + (3 / 4) * (3 / 4) / 4),
    ("err(gain=linear)", {"duplicates": "drop"}, 1 / 3 + (2 / 3) * (2 / 3) / 4),
    ("ndcg(discount=[1, 0, 0, 1])", {"duplicates": "drop"}, (1 + 2) / 2),
    ("ndcg(discount=jk,base=3)", {"duplicates": "drop"}, (1 + 2 / math.log(4, 3)) / 3),
    ("ndcg(discount=reciprocal)", {"duplicates": "drop"}, (1 + 2 / 4) / (2 + 1 / 2)),
    ("ndcg(discount=none)@2", {"duplicates": "drop"}, 1 / 3),
    ("ndcg(gain={1: 5})", {"duplicates": "drop"}, 1.0),
    ("bpref", {"duplicates": "drop"}, (1 + 0) / 2),
    # with the negative grade as a judged non-relevant item: N = 2, one of them above c
    ("bpref", {"duplicates": "drop", "negative": "nonrelevant"}, (1 + 1 / 2) / 2),
]


@every(("metric", "policy", "expected"), HAND)
def test_policies_do_what_a_count_by_hand_gives(metric: str, policy: dict[str, Any], expected: float) -> None:
    assert evaluate(LIST, QRELS, metric, None, policy).mean == pytest.approx(expected, abs=1e-15)


RATINGS = rows_of({"q": {"a": 9, "b": 7, "c": 4, "d": 8}})
RATED: Rows = {"q": [("c", 3), ("b", 2), ("a", 1)]}


def test_ratings_are_refused_without_rel_and_count_gains_from_it() -> None:
    with pytest.raises(ReferenceRefusal, match="grades"):
        evaluate(RATED, RATINGS, "ndcg@3")
    with pytest.raises(ReferenceRefusal, match="rel"):
        evaluate(RATED, RATINGS, "p@3", None, {"grades": "ratings"})
    assert evaluate(RATED, RATINGS, "judged@3").mean == 1.0
    # levels 0, 1, 3 in the list and 3, 2, 1 at best
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert evaluate(RATED, RATINGS, "ndcg(rel=7)").mean == pytest.approx((1 / math.log2(3) + 3 / 2) / ideal)
    raw = (4 + 7 / math.log2(3) + 9 / 2) / (9 + 8 / math.log2(3) + 7 / 2 + 4 / math.log2(5))
    assert evaluate(RATED, RATINGS, "ndcg(gain_from=raw)", None, {"rel": 7}).mean == pytest.approx(raw)
    assert evaluate(RATED, RATINGS, "p(rel=8)@3", None, {"rel": 4}).mean == pytest.approx(1 / 3)
    assert evaluate(RATED, RATINGS, "err(rel=7)").mean == pytest.approx((1 / 8) / 2 + (7 / 8) * (7 / 8) / 3)
    assert evaluate(RATED, RATINGS, "p@3", None, {"grades": "interactions"}).mean == 1.0
    assert evaluate(RATED, RATINGS, "p@3", None, {"grades": "judgements"}).mean == 1.0


def test_grades_are_taken_as_judgements_up_to_three_levels_or_from_one_row_in_a_hundred_not_positive() -> (
    None
):
    run: Rows = {"q": [("i0", 1)]}

    def refused(grades: Sequence[float]) -> bool:
        qrels = [("q", f"i{place}", grade, None) for place, grade in enumerate(grades)]
        try:
            evaluate(run, qrels, "p@1")
        except ReferenceRefusal as refusal:
            return refusal.kind == "grades"
        return False

    assert not refused([1, 2, 3])
    assert refused([1, 2, 3, 4])
    assert not refused([1, 2, 3, 4, 0])
    assert not refused([1, 2, 3, 4] + [4] * 95 + [0])
    assert refused([1, 2, 3, 4] + [4] * 96 + [0])


def test_copies_in_the_judgements_are_refused_or_settled_and_topics_give_the_highest_grade() -> None:
    run: Rows = {"q": [("a", 2), ("b", 1)]}
    twice = [("q", "a", 1.0, None), ("q", "a", 0.0, None), ("q", "b", 1.0, None)]
    with pytest.raises(ReferenceRefusal, match="duplicate_grades"):
        evaluate(run, twice, "rr")
    assert evaluate(run, twice, "rr", None, {"duplicate_grades": "max"}).mean == 1.0
    assert evaluate(run, twice, "rr", None, {"duplicate_grades": "last"}).mean == 0.5
    topics = [("q", "a", 1.0, "t1"), ("q", "a", 0.0, "t2"), ("q", "b", 1.0, "t1")]
    assert evaluate(run, topics, "rr").mean == 1.0


def test_missing_and_undefined_queries_are_treated_as_the_policy_says() -> None:
    run: Rows = {"1": [("a", 1)], "2": [("a", 1)], "9": [("a", 1)]}
    qrels = rows_of({"1": {"a": 1}, "2": {"a": 0}, "3": {"a": 1}})
    empty = evaluate(run, qrels, "rr")
    assert (empty.mean, empty.values) == (0.5, {"1": 1.0, "2": None, "3": 0.0})
    assert empty.counts == {
        "queries": 2, "undefined_judgements": 1, "undefined_list": 0, "missing": 1, "not_judged": 1,
    }  # fmt: skip
    assert evaluate(run, qrels, "rr", None, {"missing": "skip"}).mean == 1.0
    assert evaluate(run, qrels, "rr", None, {"undefined": "zero"}).mean == 1 / 3
    assert evaluate(run, qrels, "rr", None, {"undefined": "one"}).mean == 2 / 3
    with pytest.raises(ReferenceRefusal, match="undefined"):
        evaluate(run, qrels, "rr", None, {"undefined": "error"})
    assert evaluate(run, qrels, "judged@1").values == {"1": 1.0, "2": 1.0, "3": None}
    with pytest.raises(ReferenceRefusal, match="duplicates"):
        evaluate(LIST, QRELS, "rr")


def test_ranks_order_a_list_and_ids_tie_by_their_text() -> None:
    qrels = rows_of({"q": {10: 1}})
    tied: Rows = {"q": [(9, 0), (10, 0), (2, 0)]}
    assert evaluate(tied, qrels, "rr", order="rank").mean == 1 / 3  # texts fall: 9, 2, 10
    assert evaluate(tied, qrels, "rr", None, {"ties": "item-asc"}, order="rank").mean == 1.0
    assert evaluate(tied, qrels, "rr", order="list").mean == 1 / 2
    ranked: Rows = {"q": [(9, 7), (10, 3), (2, 5)]}
    assert evaluate(ranked, qrels, "rr", order="rank").mean == 1.0
    near: Rows = {"q": [(10, 16777217.0), (9, 16777216.0)]}
    assert evaluate(near, qrels, "rr").mean == 1.0
    assert evaluate(near, qrels, "rr", None, {"scores": "single"}).mean == 1 / 2


def test_coverage_counts_what_lists_show_of_the_catalogue() -> None:
    run: Rows = {"1": [("a", 2), ("b", 1)], "2": [("c", 2), ("x", 1)]}
    assert evaluate(run, None, "coverage@1", None, None, "abcd").mean == 2 / 4
    assert evaluate(run, None, "coverage", None, {"outside": "ignore"}, "abcd").mean == 3 / 4
    judged = rows_of({"1": {"a": 1}, "3": {"d": 1}})
    assert evaluate(run, judged, "coverage", None, {"population": "judged"}, "abcd").mean == 2 / 4
    with pytest.raises(ReferenceRefusal, match="outside"):
        evaluate(run, None, "coverage", None, None, "abcd")
    with pytest.raises(ReferenceRefusal, match="catalogue"):
        evaluate(run, None, "coverage")


def test_metric_texts_are_read() -> None:
    assert parse_metric("ndcg(gain={1: 3, 2: 9.5},discount=[1, 0.5],base=2)@10") == (
        "ndcg", {"gain": {1: 3, 2: 9.5}, "discount": [1, 0.5], "base": 2, "k": 10},
    )  # fmt: skip
    assert parse_metric("AP(denom=min_rk, rel=none)") == ("ap", {"denom": "min_rk", "rel": None})
