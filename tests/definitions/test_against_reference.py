"""rankwell against the slow reference: every metric and switch, every value of every policy, random data."""

from __future__ import annotations

import random

import pytest
from tests.cases import FEWER

import rankwell as rw

from . import reference
from .both import qrels_of, run_of, same, values_of
from .reference_policy import CHOICES

METRICS = [
    "p@1", "p@3", "p(denom=n)@4", "p(rel=2)@3", "r@3", "r(denom=min_rk)@2", "hit@2", "hit(rel=2)@3",
    "ap", "ap@3", "ap(denom=R)@3", "ap(denom=hits)@3", "ap(denom=hits)", "ap(denom=k)@4", "ap(denom=min_rn)@4",
    "ap(denom=min_rn)", "ap(rel=2)@2", "rr", "rr@2", "rr(rel=2)",
    "ndcg", "ndcg@3", "ndcg(gain=exp2)@3", "ndcg(gain={1:3,2:9,3:1},discount=jk,base=3)", "ndcg(discount=jk)@4",
    "ndcg(discount=reciprocal)@3", "ndcg(discount=none)@3", "ndcg(discount=[1,.5,.25])", "ndcg(ideal=retrieved)@3",
    "ndcg(ideal=retrieved,gain={0:1,2:-1,3:4})@3", "ndcg(gain_from=raw)@3", "ndcg(gain={-1:-2,1:1,2:2})",
    "err", "err@3", "err(gain=linear)", "err(max_grade=12)@4", "err(gain_from=raw,max_grade=12)",
    "judged@1", "judged@4", "bpref", "bpref(rel=2)",
    "f@3", "f(beta=2)@3", "f(c=.2,denom=n)@4", "f(C=4)@2", "f(rel=2)@3", "f(C=0)@2", "set_p", "set_r", "set_r(denom=min_rn)",
    "set_f", "set_f(C=2)", "set_f(c=.8)", "set_ap", "set_ap(rel=2)", "accuracy", "accuracy(collection=40)@3", "fallout",
    "fallout(among=judged)", "fallout(among=judged)@2", "fallout@2", "specificity", "specificity@2", "utility",
    "utility(prices=[2,-1,.5,.25])", "utility@2", "rprec", "rprec(rel=2)", "mean_precision@1", "mean_precision@5",
    "iprec(level=0)", "iprec(level=.3)", "iprec(level=.7,levels=trec9)", "iprec(level=.4,levels=trec10)", "iprec(level=1)",
    "avg11", "avg11(levels=trec9)", "avg11(levels=trec10)", "first_rank", "first_rank@2", "full_rank", "full_rank@4",
    "cg@3", "cg(gain=exp2)", "cg(gain={1:3,2:9})@2", "dcg", "dcg@3", "dcg(gain=exp2,discount=jk,base=3)@4",
    "dcg(gain={1:1,2:-2})", "dcg(discount=[1,.5])", "dcg(gain_from=raw)@2", "nerr", "nerr@2", "nerr(gain=linear)@3",
    "nerr(max_grade=12)", "rbp", "rbp(p=.5)@3", "rbp(gain=binary)", "rbp(max_grade=12,p=.95)", "rbp_residual",
    "rbp_residual(p=.5)@2", "insq", "insq(T=3)@3", "insq(gain=binary,T=.25)", "inst", "inst(T=2.5)@3",
    "inst(gain=binary,T=.3)", "inst(max_grade=12)", "q", "q@3", "q(beta=0)", "q(beta=10)@2", "q(gain=exp2)", "q(rel=2)",
    "q(gain={1:1,2:5})", "q(gain={2:5,others:own})", "cg(gain={1:3,others:own})@3", "ndcg(gain={0:1,2:-1,others:own})@3", "compat", "compat(p=.5)", "compat(depth=2)", "compat(depth=none)", "compat(rel=2)", "unj@2", "unj@5",
    "infap", "infap(rel=2)", "auc", "auc(among=judged)", "auc(rel=2)", "auc_topk", "auc_topk@2", "auc_topk(collection=30)@3",
    "pauc@1", "pauc@3", "pap@2", "pap(rel=2)@3", "gmap", "gmap@2", "gmap(floor=.01)", "gmap(epsilon=1e-5)", "gmap(epsilon=.1)@2",
    "ndcg(ideal=min_kn)", "ndcg(ideal=min_kn)@3", "ndcg(ideal=min_kn,gain=exp2)@2", "ndcg(ideal=min_kn,gain={1:3,2:-1})@4", "ndcg(ideal=min_kn,gain_from=raw,discount=jk)",
    "ndcg(ideal=uncut)@2", "ndcg(ideal=uncut,gain=exp2,discount=jk)@3", "ndcg(ideal=maximal)@3", "ndcg(ideal=maximal,max_grade=12,gain=exp2)@2", "ndcg(ideal=maximal,gain={1:3,2:9})@4",
    "ndcg(ideal=maximal,gain_from=raw,discount=jk)@5", "auc_pr", "auc_pr(rel=2)", "auc_pr(method=trapezoid)",
    "yaap", "yaap(rel=2)", "bing", "bing(rel=2)", "g", "g(gain=exp2)", "g(gain={0:1,1:.2,2:-1,3:4})", "g(gain_from=raw)",
    "ndcg_rel", "ndcg_rel(gain=exp2)", "ndcg_rel(gain={1:3,2:.5})", "rndcg", "rndcg(gain=exp2,rel=2)", "rndcg(gain={0:1,1:2})",
    "rprec(multiple=.35)", "rprec(multiple=1.7,levels=trec9)", "rprec(multiple=.05,levels=trec9)", "idcg", "idcg(gain=exp2)@2",
    "idcg(discount=jk,base=3)", "gm_bpref", "gm_bpref(epsilon=.01)", "num_nonrel_judged_ret", "num_nonrel_judged_ret(rel=2)@3",
    "avg11(at=[.25,.5,.75])", "avg11(at=[.33],levels=trec10)",
    "num_ret", "num_ret@3", "num_rel", "num_rel(rel=2)", "num_rel_ret", "num_rel_ret@2",
]  # fmt: skip
IDS = {
    "text": ["a", "b", "ab", "B", "é", "日本", "z" * 20, "10", "2", "1", "A1", "", "a b"],
    "int": [1, 2, 10, 21, 100, 3, -5, 2**62, 12, 200, 11, 5, 7],
}


def a_case(rng: random.Random) -> tuple[dict, list, dict, list, str]:
    """Rows of a run and of qrels, a policy, a catalogue and how the lists are ordered."""
    pool = IDS[rng.choice(["text", "int"])]
    queries = rng.choice([["1", "2", "10", "q", "ü"], [1, 2, 10, -3]])
    choices = CHOICES | {
        "ties": CHOICES["ties"] - {"expected"}
    }  # tests/definitions/test_expected.py has that one
    policy = {name: rng.choice(sorted(allowed)) for name, allowed in choices.items() if rng.random() < 0.35}
    if rng.random() < 0.25:
        policy["depth"] = rng.randint(1, 6)
    if rng.random() < 0.3 or policy.get("grades") == "ratings":
        policy["rel"] = rng.choice([1, 2, 3, 2.5])
    copies = rng.random() < 0.3
    order = rng.choice(["score", "score", "score", "rank", "list"])
    numbers = rng.choice(
        [[1, 2, 3], [0.1 * each for each in range(30)], [1 + each * 1e-8 for each in range(8)]]
    )
    if order == "rank" and rng.random() < 0.8:  # ranks of their own, with gaps, from 0 or 1
        base = rng.choice([0, 1])
        numbers = list(range(base, base + len(pool) + rng.choice([0, 2, 9])))
    grades = rng.choice([[1], [0, 1], [-1, 0, 0, 1, 2, 3], [0.5, 1.5, 0, 2], list(range(1, 11))])
    run, qrels = {}, []
    for query in queries:
        if rng.random() < 0.8:
            size = rng.randint(1, len(pool))
            items = [rng.choice(pool) for _ in range(size)] if copies else rng.sample(pool, size)
            apart = len(numbers) >= size and order == "rank"
            own = rng.sample(numbers, size) if apart else [rng.choice(numbers) for _ in items]
            run[query] = list(zip(items, own, strict=True))
        if rng.random() < 0.8:
            for item in rng.sample(pool, rng.randint(1, len(pool))):
                topics = rng.sample("xyz", rng.randint(1, 3)) if copies else [None]
                qrels += [(query, item, rng.choice(grades), topic) for topic in topics]
    if copies and rng.random() < 0.4 and qrels:
        qrels.append((*rng.choice(qrels)[:2], rng.choice(grades), "x"))
    rng.shuffle(qrels)
    if rng.random() < 0.4:  # queries and items are drawn from the same numbers, as text or as integers
        policy["drop_own_query"] = True
    return run, qrels, policy, pool if rng.random() < 0.7 else pool[:8], order


def outcome_of(run, qrels, metric, policy, catalogue, order):
    """The reference's outcome, or the kind of its refusal."""
    try:
        return reference.evaluate(run, qrels, metric, policy=policy, catalogue=catalogue, order=order)
    except reference.ReferenceRefusal as refusal:
        return refusal.kind


def compare(seeds, metrics=None):
    """Compare rankwell with the reference on random data; return how many agreed, values and refusals."""
    compared = refused = 0
    for seed in seeds:
        rng = random.Random(seed)
        run, qrels, policy, catalogue, order = a_case(rng)
        if not set(run) & {row[0] for row in qrels}:
            continue
        chosen = metrics or [*rng.sample(METRICS, 14), rng.choice(["coverage", "coverage@2"])]
        for metric in chosen:
            theirs = outcome_of(run, qrels, metric, policy, catalogue, order)
            shown = (seed, metric, policy, order, run, qrels)
            try:
                ours = rw.evaluate(
                    run_of(run, order), qrels_of(qrels), [metric], items=catalogue, policy=rw.Policy(**policy)
                )
            except rw.RankwellError as error:
                ours = str(error)
            if isinstance(ours, str):
                assert isinstance(theirs, str), (ours, *shown)
                refused += 1
                continue
            assert not isinstance(theirs, str), (theirs, *shown)
            assert same(ours[metric], theirs.mean), (ours[metric], theirs.mean, *shown)
            values = values_of(ours, metric)
            if theirs.values:
                assert set(values) == set(theirs.values), shown
            for query, value in theirs.values.items():
                assert same(values[query], value), (query, values[query], value, *shown)
            compared += 1
    return compared, refused


@pytest.mark.parametrize("block", range(12))
def test_random_data_under_random_policies_have_the_values_of_the_reference(block):
    compared, refused = compare(range(block * 60, block * 60 + 60 // FEWER))
    assert compared > 40 / FEWER
    assert refused > 5 / FEWER
