"""The worked examples of the specification as cases for any implementation.

The file describes its metrics in words of its own (`log2(i+1)`, `b`, `denom` on `ap` with a `k` beside it);
this module holds the translation into metric texts. Expected values are the file's, so nothing here is
computed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.evidence import PACKED

WORKED_EXAMPLES = PACKED / "worked_examples.json"

Run = dict[str, list[tuple[str, float]]]
Qrels = list[tuple[str, str, float, str | None]]


@dataclass(frozen=True)
class Case:
    """`expected` is the mean over the queries, None for "undefined"; with kind "invalid" it must not come
    out.

    run: {query: [(item, score), …]} in rank order, scores falling; qrels: rows (query, item, grade, topic).
    """

    id: str
    run: Run
    qrels: Qrels
    metric: str
    expected: float | None
    kind: str
    policy: dict[str, Any] = field(default_factory=dict)


# Cases of the families s000, s001, s002, s004 and ord that these metrics do not cover, with the reason.
NOT_COVERED = {
    "s001.dg_terms": "single terms of a DCG (tests/inspection/test_explanation.py)",
    "s001.idcg_term_rank4": "single terms of a DCG",
    "ord.rbo_ext": "of two runs (tests/comparison/test_rank_overlap.py)",
    "ord.rbo_min": "of two runs",
}
FAMILIES = ("s000.", "s001.", "s002.", "s004.", "ord.")

# Metric texts per case; several texts: each must give the value.
TEXTS: dict[str, list[str]] = {
    "s000.precision": ["p@3", "p(denom=n)@3"],
    "s000.recall": ["r@3"],
    "s001.cg": ["cg@6", "cg"],
    "s001.dcg_linear": ["dcg", "dcg@6", "dcg(gain=linear,discount=log2p1)"],
    "s001.dcg_jk": ["dcg(discount=jk,base=2)", "dcg(discount=jk)@6"],
    "s001.idcg_linear": ["dcg"],
    "s001.dcg_exp": ["dcg(gain=exp2)"],
    "s001.idcg_exp": ["dcg(gain=exp2)@6"],
    "s001.ndcg_linear": ["ndcg(ideal=retrieved)", "ndcg(ideal=retrieved)@6", "ndcg"],
    "s001.ndcg_exp": ["ndcg(gain=exp2,ideal=retrieved)", "ndcg(gain=exp2,ideal=retrieved)@6"],
    "s001.ndcg_jk": ["ndcg(discount=jk,base=2,ideal=retrieved)@6", "ndcg(discount=jk,ideal=retrieved)"],
    "s001.ndcg_all_judged": ["ndcg@6", "ndcg(gain=linear,discount=log2p1,ideal=judged)@6"],
    "s001.mixed_literal": [
        "ndcg",
        "ndcg(ideal=retrieved)",
        "ndcg(gain=exp2)",
        "ndcg(gain=exp2,ideal=retrieved)",
    ],
    "s001.mixed_literal_perfect": ["ndcg", "ndcg(gain=exp2)", "ndcg(gain=exp2,ideal=retrieved)@6"],
    "s002.code_no_relevant": ["ap@5", "ap(denom=hits)@5", "ap"],
    "s004.precision": ["p@20"],
    "s004.recall": ["r@20"],
    "s004.recall_literal_std_names": ["r@20", "r(denom=min_rk)@20"],
    "s004.r_precision": ["p@3", "r@3", "rprec"],
    "s004.accuracy": ["accuracy(collection=1000)", "accuracy(collection=1000)@20"],
    "s004.accuracy_literal_std_names": ["accuracy(collection=1000)"],
    "s004.fallout": ["fallout(collection=1000)", "fallout(collection=1000)@20"],
    "s004.F_c0.2": ["f(c=.2)@2", "f(beta=2)@2", "set_f(C=4)"],
    "s004.F_c0.5": ["f@2", "f(c=.5)@2", "set_f"],
    "s004.F_c0.8": ["f(c=.8)@2", "f(beta=.5)@2", "set_f(c=.8)"],
    "s004.avg11_R3": ["avg11"],
    "s004.iprec_float_trap": ["iprec(level=.3)"],
    "s004.iprec_trec9_trap": ["iprec(level=.7)"],
    "s004.iprec_trec10_trap": ["iprec(level=.4)"],
    "s004.ndcg_exp": ["ndcg(gain=exp2)@6", "ndcg(gain=exp2,discount=log2p1,ideal=judged)@6"],
    "ord.err": ["err(max_grade=3)@6", "err@6", "err"],
    "ord.rbp": ["rbp(max_grade=3)", "rbp"],
    "ord.tie_dcg": ["dcg", "dcg@5"],
    "ord.auc": ["auc", "auc(among=judged)"],
    "ord.gmap": ["gmap"],
    "ord.bpref": ["bpref"],
    "ord.bpref_trecnote": ["bpref"],
}


def examples() -> dict[str, Any]:
    """The file's cases by id."""
    cases = json.loads(WORKED_EXAMPLES.read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in cases}


def cases() -> list[Case]:
    """All cases. Ids are the file's, with the metric text behind."""
    result: list[Case] = []
    every = examples()
    for name, example in every.items():
        if not name.startswith(FAMILIES) or name in NOT_COVERED:
            continue
        result.extend(_cases(name, example, every))
    return result


def _cases(name: str, example: dict[str, Any], examples: dict[str, Any]) -> list[Case]:
    given, params, expected, kind = example["input"], example["params"], example["expected"], example["kind"]
    if name == "ord.gmap":
        given = [{"rel": [0, 1], "R": 1}, {"rel": [0, 0, 0, 1], "R": 1}, {"rel": [0], "R": 1}]
        assert example["input"] == {"ap": [0.5, 0.25, 0.0]}
    if isinstance(given, list):
        run, qrels = {}, []
        for number, one in enumerate(given, start=1):
            one_run, one_qrels = _lists(one, f"u{number}")
            run.update(one_run)
            qrels.extend(one_qrels)
    else:
        run, qrels = _lists(given, "u1")
    policy = {"duplicates": params["duplicates"]} if "duplicates" in params else {}
    if name == "ord.tie_dcg":
        policy = {"ties": "expected"}
        run = {"u1": [(item, score) for (item, _), score in zip(run["u1"], given["scores"], strict=True)]}
    if name == "s004.iprec11_R3":
        return [
            Case(f"{name} {level}", run, qrels, f"iprec(level={level / 10})", value, kind)
            for level, value in enumerate(expected)
        ]
    if name == "s000.prec_at_ranks":
        return [
            Case(f"{name} p@{k}", run, qrels, f"p@{k}", float(value), kind)
            for k, value in enumerate(expected, start=1)
        ]
    texts = TEXTS.get(name) or [_average_precision(params)]
    result = [Case(f"{name} {text}", run, qrels, text, expected, kind, policy) for text in texts]
    if name == "s002.code_no_relevant":  # the article's own value is what the policy "zero" gives
        result.append(
            Case(f"{name} zero", run, qrels, "ap@5", example["article_value"], kind, {"undefined": "zero"})
        )
    if name == "s002.code_shortlist":  # the article's code divides by min(R, n), not by min(R, k)
        result.append(Case(f"{name} code", run, qrels, "ap(denom=min_rn)@5", example["article_value"], kind))
    if name == "s002.code_duplicates":
        again = Case(f"{name} dropped", run, qrels, "ap@3", expected, kind, {"duplicates": "drop"})
        never = Case(f"{name} never", run, qrels, "ap@3", example["article_value"], "invalid", policy)
        result.extend([again, never])
    return result


def _average_precision(params: dict[str, Any]) -> str:
    cut = f"@{params['k']}" if "k" in params else ""
    return f"ap(denom={params['denom']}){cut}"


def _falling(items: list[str]) -> list[tuple[str, float]]:
    return [(item, float(len(items) - place)) for place, item in enumerate(items)]


def _lists(given: dict[str, Any], query: str) -> tuple[Run, Qrels]:
    """One list and its judgements from any of the forms in which the file describes them."""
    if "TP" in given:
        rel = [1] * given["TP"] + [0] * given["FP"]
        return _graded(rel, [1] * (given["TP"] + given["relevant_not_retrieved"]), query)
    if "P" in given:  # 1 hit of 2 retrieved and 4 relevant items has P = 1/2 and R = 1/4
        assert given == {"P": 0.5, "R": 0.25}
        return _graded([1, 0], [1, 1, 1, 1], query)
    if "positive_scores" in given:
        rows = [(score, 1.0) for score in given["positive_scores"]]
        rows += [(score, 0.0) for score in given["negative_scores"]]
        return (
            {query: [(f"i{place}", score) for place, (score, _) in enumerate(rows)]},
            [(query, f"i{place}", grade, None) for place, (_, grade) in enumerate(rows)],
        )
    if "rel" in given:
        return _graded(given["rel"], [1] * given.get("R", sum(given["rel"])), query)
    if "judgements" in given:
        return _graded(given["judgements"], [1] * given["R"] + [0] * given["N"], query)
    for name in ("gains", "grades"):
        if name in given:
            return _graded(given[name], given.get("judged", given[name]), query)
    items: list[str] = given["recommended"] if "recommended" in given else given["predicted"]
    qrels: Qrels = [(query, item, 1.0, None) for item in given["relevant"]]
    # A query without a relevant item is one that was judged all the same.
    return {query: _falling(items)}, qrels or [(query, items[0], 0.0, None)]


def _graded(listed: Sequence[float | None], judged: Sequence[float], query: str) -> tuple[Run, Qrels]:
    """Items i1, i2, … with the grades of the list (None: unjudged); x1, x2, … for other judged items."""
    items = [f"i{place}" for place in range(1, len(listed) + 1)]
    qrels: Qrels = []
    left = [float(grade) for grade in judged]
    for item, grade in zip(items, listed, strict=True):
        if grade is not None:
            qrels.append((query, item, float(grade), None))
            if float(grade) in left:
                left.remove(float(grade))
    qrels.extend((query, f"x{place}", grade, None) for place, grade in enumerate(left, start=1))
    return {query: _falling(items)}, qrels
