"""Metrics of topics against slow definitions, worked examples, and NIST's ndeval."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from tests.cases import FEWER, seeds
from tests.evidence import evidence

import rankwell as rw

from .aspects import POLICY, differences, drawn, policy_of, qrels_of, tables_of, text_of
from .both import same, values_of
from .ndeval_cases import MEASURES, stored
from .reference_aspects_random import crowded_case, random_case
from .reference_intents import SUBTOPICS
from .test_reference_subtopics import DIV, EXAMPLES, binary_example, graded_example

OWN: dict[str, list[dict[str, Any]]] = {
    "alpha_dcg": [{}, {"alpha": 0}, {"alpha": 1}, {"alpha": 0.3}],
    "alpha_ndcg": [{}, {"alpha": 0}, {"alpha": 1}, {"alpha": 0.3}, {"alpha": 0.9}],
    "err_ia": [{}, {"gain": "linear"}, {"gain": "binary"}, {"gain": "binary", "alpha": 0.3}, {"max_grade": 5}],
    "nerr_ia": [{}, {"gain": "linear"}, {"gain": "binary"}, {"gain": "binary", "alpha": 0.3}, {"max_grade": 5}],
    "nrbp": [{}, {"alpha": 0}, {"alpha": 1}, {"alpha": 0.1, "beta": 0.9}, {"beta": 0.25}],
    "nnrbp": [{}, {"alpha": 0}, {"alpha": 1}, {"alpha": 0.1, "beta": 0.9}, {"beta": 0.25}],
    "p_ia": [{}],
    "ap_ia": [{}, {"denom": "R"}, {"denom": "hits"}, {"denom": "min_rk"}],
    "ndcg_ia": [{}, {"gain": "exp2"}, {"discount": "jk", "base": 2}, {"discount": "jk", "base": 3}, {"discount": "reciprocal"}],
    "rr_ia": [{}],
    "s_recall": [{}],
    "i_rec": [{}],
    "s_precision": [{}, {"level": 0.5}, {"level": 0.3}, {"level": 0.8}],
    "d_ndcg": [{}, {"gain": "exp2"}],
    "dsharp_ndcg": [{}, {"gamma": 0.3}, {"gain": "exp2"}, {"gamma": 0}, {"gamma": 1}],
    "rbu": [{}, {"p": 0.99, "e": 0.001}, {"scale": "topic"}, {"max_grade": 4}, {"p": 0.5, "e": 0}],
}  # fmt: skip
CUT = {"p_ia", "s_recall", "i_rec"}  # which need a cut-off
UNCUT = {"nrbp", "nnrbp"}  # which are of the whole list
GRADED = {"err_ia", "nerr_ia", "ndcg_ia", "d_ndcg", "dsharp_ndcg", "rbu"}
MEANS = {"p_ia", "ap_ia", "rr_ia", "ndcg_ia"}
UNWEIGHTED = {"alpha_dcg", "alpha_ndcg", "s_recall", "i_rec", "s_precision"}


def common(name: str, rng: random.Random) -> dict[str, Any]:
    """Which topics, which of them count, what each weighs, what is relevant."""
    parameters: dict[str, Any] = {}
    topics = rng.choice(["qrels", "qrels", "items", "tags"])
    if topics != "qrels":
        parameters["topics"] = topics
    universes = ["judged", "judged", "catalogue"] if topics == "qrels" else ["judged", "catalogue", "profile"]
    if (universe := rng.choice(universes)) != "judged":
        parameters["universe"] = universe
    weights = ["qrels", "qrels", "uniform"] if topics == "qrels" else ["qrels", "uniform", "profile"]
    if name not in UNWEIGHTED and (chosen := rng.choice(weights)) != "qrels":
        parameters["weights"] = chosen
    if rng.random() < 0.2:
        parameters["rel"] = 2
    return parameters


def wanted_of(seed: int) -> list[tuple[str, dict[str, Any], int | None]]:
    each = drawn(seed, OWN, common, CUT)
    return [(name, parameters, None if name in UNCUT else k) for name, parameters, k in each]


def test_every_metric_of_topics_is_the_slow_one_on_random_judgements():
    counted: Counter[str] = Counter()
    found = []
    for seed in seeds(300):
        case = random_case(seed)
        found += [
            f"case {seed}: {difference}"
            for difference in differences(case, wanted_of(seed), SUBTOPICS, counted)
        ]
    assert not found, (len(found), found[:10])
    assert counted["undefined"] > 500 / FEWER
    for name, choices in OWN.items():
        assert counted[name] > 500 / FEWER, name
        for parameters in choices:
            for key, value in parameters.items():
                assert counted[f"{name} {key}={value}"] > 40 / FEWER, (name, key, value)


def test_ratings_gain_from_their_threshold_on():
    counted: Counter[str] = Counter()
    found = []
    for seed in seeds(100):
        rng = random.Random(seed)
        case = replace(random_case(seed), are_ratings=True, rel=rng.choice([1, 2, 3]))
        wanted = wanted_of(seed)
        for place, (name, parameters, k) in enumerate(wanted):
            if name in GRADED and rng.random() < 0.3 and parameters.get("gain") != "binary":
                wanted[place] = (name, {**parameters, "gain_from": "raw"}, k)
        found += [
            f"case {seed}: {difference}" for difference in differences(case, wanted, SUBTOPICS, counted)
        ]
    assert not found, (len(found), found[:10])
    assert min(counted[f"{name} gain_from=raw"] for name in GRADED) > 10 / FEWER


def test_copies_depth_and_condensed_lists_are_those_of_the_policy():
    counted: Counter[str] = Counter()
    found = []
    for seed in seeds(120):
        policy, lists, seen = policy_of(seed, random_case(seed))
        difference = rw.Policy(grades="judgements", outside="ignore", **policy)
        wanted = wanted_of(seed)
        if policy["unjudged"] == "condense":
            # rbu needs what is unjudged; an intent-aware mean has a list for each topic of the judgements
            by_topic = [one for one in wanted if one[0] in MEANS and "topics" not in one[1]]
            wanted = [one for one in wanted if one[0] != "rbu" and one not in by_topic]
        each = differences(seen, wanted, SUBTOPICS, counted, lists=lists, policy=difference)
        found += [f"case {seed} {policy}: {difference}" for difference in each]
    assert not found, (len(found), found[:10])
    assert counted["alpha_ndcg"] > 300 / FEWER


def test_the_divisor_of_ndeval_is_the_slow_one():
    counted: Counter[str] = Counter()
    for seed in seeds(100):
        case, rng = random_case(seed), random.Random(seed)
        wanted = [
            ("alpha_dcg", {"norm": "ndeval", "alpha": rng.choice([0, 0.3, 0.5, 1])}, rng.choice([1, 2, 5, 12])),
            ("err_ia", {"norm": "ndeval", "gain": "binary", "alpha": rng.choice([0, 0.3, 0.5, 1])}, rng.choice([1, 2, 5])),
            ("err_ia", {"norm": "ndeval", "gain": "binary", "weights": "uniform"}, 3),
        ]  # fmt: skip
        assert not (found := differences(case, wanted, SUBTOPICS, counted)), (seed, found)
    assert counted["alpha_dcg norm=ndeval"] > 100 / FEWER


def test_gains_that_are_equal_on_paper_are_equal_in_the_greedy_ideal():
    counted: Counter[str] = Counter()
    found = []
    for seed in range(25):
        wanted: list[Any] = [("nerr_ia", {"gain": "linear"}, 8), ("nerr_ia", {}, None)]
        wanted += [("alpha_ndcg", {"alpha": alpha}, 8) for alpha in (0.5, 0.9)]
        wanted += [("nnrbp", {"alpha": 0.9}, None), ("s_precision", {}, 14)]
        found += differences(crowded_case(seed), wanted, SUBTOPICS, counted)
    assert not found, (len(found), found[:10])
    assert counted["alpha_ndcg"] > 100 / FEWER


def test_ids_that_are_numbers_break_ties_as_text():
    """i10 stands before i9, and so does 10 before 9."""
    texts = ["alpha_ndcg@8", "nerr_ia", "s_precision"]
    for seed in range(15):
        case = crowded_case(seed)
        rows = [
            {"query": query, "item": int(item[1:]), "topic": topic, "grade": grade}
            for query, items in case.judged.items()
            for item, grades in items.items()
            for topic, grade in grades.items()
        ]
        lists = {query: [int(item[1:]) for item in items] for query, items in case.lists.items()}
        words = rw.evaluate(case.lists, qrels_of(replace(case, weights=None)), texts, policy=POLICY)
        numbers = rw.evaluate(lists, rw.read_qrels(pl.DataFrame(rows)), texts, policy=POLICY)
        assert words.per_query.equals(numbers.per_query)


def test_the_exact_ideal_of_alpha_ndcg_is_the_best_of_all_lists():
    counted: Counter[str] = Counter()
    for seed in seeds(100):
        rng = random.Random(seed)
        wanted = [
            ("alpha_ndcg", {"ideal": "exact", "alpha": alpha, **common("alpha_ndcg", rng)}, k)
            for k, alpha in [(1, 0.5), (2, 0.9), (3, 0.3), (4, 1)]
        ]
        assert not (found := differences(random_case(seed), wanted, SUBTOPICS, counted)), (seed, found)
    assert counted["alpha_ndcg"] > 500 / FEWER


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_profile_belongs_to_topics_of_items_and_is_refused_with_those_of_judgements(name):
    case = random_case(1)
    for parameters in [{"universe": "profile"}, {"weights": "profile"}]:
        if name in UNWEIGHTED and "weights" in parameters:
            continue
        with pytest.raises(rw.RankwellError, match="profile"):
            rw.evaluate(
                case.lists, qrels_of(case), [text_of(name, parameters, 3 if name in CUT else None)], policy=POLICY, **tables_of(case)
            )  # fmt: skip


@pytest.mark.parametrize(("name", "metric", "cuts", "parameters"), DIV)
def test_a_worked_example_of_topics_comes_out_to_1e_12(name, metric, cuts, parameters):
    example = EXAMPLES[name]
    case = graded_example(example) if name.startswith("div.g.") else binary_example(example)
    for place, k in enumerate(cuts):
        text = text_of(metric, parameters, k)
        expected = example["expected"]
        wanted = expected[place] if isinstance(expected, list) else expected
        res = rw.evaluate(case.lists, qrels_of(case), [text], policy=POLICY)
        assert same(res[text], wanted), (text, res[text], wanted)


COMMON_CUTS = re.compile(r"(^[^@]*|@(5|10|20))$")


def test_ndeval_has_these_values_of_random_lists_to_1e_6(confirm):
    program, cases = stored()
    compared: Counter[str] = Counter()
    common: Counter[tuple[str, str]] = Counter()
    for number, each in enumerate(cases):
        topic, item, grade = map(list, zip(*each.qrels, strict=True))
        if len(set(topic)) == 1:  # then the column is no topic
            continue
        qrels = rw.Qrels(query=["q"] * len(item), item=item, grade=grade, topic=topic)
        difference = {
            text_of(name, more, k): (measure, theirs) for measure, name, more, k, theirs in each.metrics()
        }
        policy = rw.Policy(grades="judgements", ties="item-asc")
        res = rw.evaluate({"q": dict(each.run)}, qrels, list(difference), policy=policy)
        for text, (measure, theirs) in difference.items():
            assert res[text] == pytest.approx(theirs, abs=1e-6), (number, text, measure, each)
            compared[measure] += 1
            if (each.alpha, each.beta, each.level) == (0.5, 0.5, 1) and COMMON_CUTS.search(text):
                common[text, measure] += 1
    assert set(compared) == set(MEASURES)
    assert min(compared.values()) > 250
    for (text, measure), values in common.items():
        confirm(text, f"{program} {measure}, random lists", values)


TSV = {
    "ERR-IA": "err_ia(gain=binary,norm=ndeval)",
    "nERR-IA": "nerr_ia(gain=binary)",
    "alpha-DCG": "alpha_dcg(norm=ndeval)",
    "alpha-nDCG": "alpha_ndcg",
    "P-IA": "p_ia",
    "strec": "s_recall",
    "NRBP": "nrbp",
    "nNRBP": "nnrbp",
    "MAP-IA": "ap_ia(denom=R)",
}


@pytest.mark.parametrize("run", ["ql-catb-filtered.run", "rm-catb-filtered.run"])
def test_ndevals_values_of_the_web_track_2012_come_out_in_all_digits(run, confirm):
    folder = evidence("trec-web-2012")
    rows = [line.split("\t") for line in (folder / "expected" / "ndeval.tsv").read_text().splitlines()]
    rows = [row for row in rows if row[0] == run]
    measures = {row[1]: row[1].partition("@") for row in rows}
    texts = {measure: TSV[name] + at + k for measure, (name, at, k) in measures.items()}
    res = rw.evaluate(
        folder / "runs" / run,
        folder / "qrels-for-ndeval.txt",
        list(texts.values()),
        policy=rw.Policy(
            ties="item-asc", scores="single", missing="skip", undefined="zero", grades="judgements"
        ),
    )
    values = {text: values_of(res, text) for text in texts.values()}
    for _, measure, query, value in rows:
        text = texts[measure]
        ours = res[text] if query == "all" else values[text][query]
        assert f"{ours:.6f}" == value, (measure, query, ours, value)
    assert len(rows) > 1000
    program, _ = stored()
    for measure, values in Counter(row[1] for row in rows).items():
        confirm(texts[measure], f"{program} {measure}, trec-web-2012", values)


def test_ideals_are_nested_and_a_list_in_the_ideals_order_scores_1():
    compared = 0
    for seed in seeds(60):
        case = random_case(seed)
        texts = [f"alpha_ndcg@{k}" for k in range(1, 8)]
        dcg = [f"alpha_dcg@{k}" for k in range(1, 8)]
        res = rw.evaluate(case.lists, qrels_of(case), [*texts, *dcg], policy=POLICY)
        for query in case.judged:
            difference = [
                (values_of(res, a)[query], values_of(res, b)[query]) for a, b in zip(dcg, texts, strict=True)
            ]
            ideals = [value / share for value, share in difference if value and share]
            assert all(low <= high * (1 + 1e-12) for low, high in pairwise(ideals))
            compared += len(ideals)
    assert compared > 300 / FEWER
