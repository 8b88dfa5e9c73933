"""The slow second implementation is itself right: by papers, published numbers, trec_eval and brute force."""

from __future__ import annotations

import ast
import itertools
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.cases import FEWER, seeds
from tests.every import every

from . import collections_data, worked
from .reference import Outcome, evaluate, evaluate_many, rows_of

Rows = dict[str, list[tuple[Any, float | None]]]
WORKED = worked.cases()


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


def wrong_rows(expected: list[collections_data.Expectation]) -> list[tuple[Any, ...]]:
    """The rows of published tables that the reference does not give in all their digits."""
    groups: dict[tuple[Path, Path, str], list[collections_data.Expectation]] = defaultdict(list)
    for expectation in expected:
        groups[expectation.group].append(expectation)
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
    return wrong


def test_every_covered_row_of_what_trec_eval_prints_for_its_own_example_comes_out_in_all_its_digits() -> None:
    rows = [row for row in collections_data.expectations() if row.run.name.startswith("results.")]
    assert len(rows) == 3233
    assert wrong_rows(rows) == []


@pytest.mark.exhaustive
def test_every_covered_row_of_the_published_tables_comes_out_in_all_its_digits() -> None:
    rows = list(collections_data.expectations())
    assert len(rows) == 87_411
    assert wrong_rows(rows[::FEWER]) == []


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
    for seed in seeds(400):
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
