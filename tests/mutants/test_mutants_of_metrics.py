"""One planted bug per switch of the metrics of lists; each is caught by the slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from tests.definitions.test_against_reference import compare
from tests.definitions.test_expected import compare_with_all_orders
from tests.mutants.planting import around, put

from rankwell.metrics import additive
from rankwell.metrics.binary import (
    auc,
    binary,
    collection,
    counts,
    first,
    geometric,
    incompleteness,
    precision,
    precision_recall,
    sets,
)
from rankwell.metrics.graded import cascade, experimental, gain, ideal, ndcg, users  # fmt: skip
from rankwell.tables.states import Mean


def swapped_cells(original, *given):
    tp, fp, fn, tn = original(*given)
    return tp, fp, tn, fn


def ties_by_rank(original, self, rows):
    return np.where(rows.rank <= (self.k or 1 << 30), self.weights_of(rows.rank), 0.0)


def not_interpolated(hits, relevant, level, levels):
    needed = np.maximum(precision_recall.needed_hits(level, relevant, levels), 1)
    there = hits.where(hits.nth() == needed[hits.query])
    return np.where(relevant > 0, there.sum(needed[there.query] / there.rank), np.nan)


MUTANTS = {
    "F: precision and recall swapped": (
        put(binary.Weighted, "recall_weight", property(lambda self: 1 / (self.beta or 1) ** 2)), ["f(beta=2)@3"]),
    "set F: beta, not its square": (
        put(binary.Weighted, "recall_weight", property(lambda self: self.beta or 1)), ["set_f(beta=2)"]),
    "F: the form with C(P + R)": (
        put(binary.Weighted, "below", lambda self, r, shown, lists: np.where(
            r > 0, self.recall_weight * (r + shown) / (self.recall_weight + 1), 0)),
        ["f(beta=3)@5", "f(C=4)@2"]),
    "set P over R": (put(sets.SetP, "per_query", lambda self, *given: sets.SetR(rel=self.rel).per_query(*given)),
        ["set_p"]),
    "set AP that is the mean of P and R": (
        put(sets.SetAP, "per_query", lambda self, *given: sets.SetF().per_query(*given)), ["set_ap"]),
    "accuracy: FN and TN swapped": (around(collection.OfCells, "cells", swapped_cells), ["accuracy"]),
    "fallout that is specificity": (
        around(collection.Fallout, "per_query", lambda original, self, *given: 1 - original(self, *given)), ["fallout"]),
    "fallout among judged counts all": (
        around(collection.Fallout, "per_query",
            lambda original, self, *given: original(collection.Fallout(rel=self.rel, k=self.k), *given)),
        ["fallout(among=judged)"]),
    "utility: FP gains": (
        around(collection.Utility, "per_query", lambda original, self, *given: np.abs(original(self, *given))), ["utility"]),
    "R-precision at k = 1": (put(precision.RPrec, "divisor", lambda self, lists, _: np.minimum(lists.n_relevant(), 1)),
        ["rprec"]),
    "mean precision that is AP": (
        put(precision.MeanPrecision, "weights_of", lambda self, ranks: 1.0 / ranks), ["mean_precision@5"]),
    "iprec: a level more or less": (
        around(precision_recall, "needed_hits", lambda original, *given: original(*given) + 1), ["iprec(level=.3)", "avg11"]),
    "iprec: trec_eval 9 for exact": (
        around(precision_recall, "needed_hits", lambda original, level, r, _: original(level, r, "trec9")),
        ["avg11", "iprec(level=.3)", "iprec(level=1)", "avg11(levels=trec10)"]),
    "iprec: not interpolated": (put(precision_recall, "interpolate", not_interpolated), ["iprec(level=.3)", "avg11"]),
    "first rank of the second hit": (
        put(first.FirstRank, "per_query", lambda self, *given: first.FullRank(k=self.k).per_query(*given)), ["first_rank"]),
    "full rank without all hits": (
        put(first.FullRank, "per_query", lambda self, *given: first.FirstRank(k=self.k).per_query(*given)), ["full_rank@4"]),
    "CG discounted": (put(gain.CG, "weights_of", lambda self, ranks: 1 / np.log2(ranks + 1.0)), ["cg@3"]),
    "DCG: rank instead of rank + 1": (
        around(gain, "discount", lambda original, kind, base, ranks: original(kind, base, ranks + 1)), ["dcg", "dcg@3"]),
    "nERR that is ERR": (put(cascade.nERR, "divisor", cascade.ERR.divisor), ["nerr", "nerr@2"]),
    "RBP: p^r": (around(users.RBP, "weights_of", lambda original, self, ranks: original(self, ranks + 1)), ["rbp"]),
    "RBP: raw grades": (
        around(users._Shares, "gains", lambda original, self, rows, context: np.nan_to_num(np.maximum(rows.grade, 0))),
        ["rbp", "insq"]),
    "residual without the tail": (
        around(users.RBPResidual, "per_query",
            lambda original, self, lists, context: original(self, lists, context)
            - self.p ** np.minimum(lists.n_retrieved, self.k or 1 << 30)), ["rbp_residual"]),
    "INSQ: T for 2T": (around(users, "_insq", lambda original, wish: original(wish / 2)), ["insq"]),
    "INST that is INSQ": (
        put(users.INST, "terms", lambda self, *given: users.INSQ(T=self.T, gain=self.gain, k=self.k).terms(*given)),
        ["inst", "inst(T=2.5)@3"]),
    "Q: ideal of the next rank": (
        around(ideal.Q, "_ideal_gains", lambda original, *given: original(*given) + 1), ["q", "q@3"]),
    "Q: divided by R under a cut": (
        put(ideal.Q, "divisor", lambda self, lists, _: lists.n_relevant(self.rel)), ["q@3", "q(beta=10)@2"]),
    "compat: no order among equal grades": (
        around(ideal.Compat, "_ideal_ranks", lambda original, *given: np.ones(len(original(*given)), np.int64)), ["compat"]),
    "compat: not normalised": (
        put(ideal.Compat, "divisor", lambda self, lists, _: np.minimum(lists.n_relevant(self.rel), 1)), ["compat"]),
    "compat: depth ignored": (
        put(ideal.Compat, "_depths", lambda self, lists: np.full(len(lists), 1000)), ["compat(depth=2)"]),
    "unjudged over n": (
        put(incompleteness.UnjudgedShare, "per_query",
            lambda self, *given: 1 - incompleteness.JudgedShare(k=self.k).per_query(*given)), ["unj@5"]),
    "infAP that is AP": (
        put(incompleteness.InfAP, "terms", lambda self, *given: precision.AP(rel=self.rel).terms(*given)), ["infap"]),
    "infAP: no epsilon": (put(incompleteness, "EPSILON", 1e-2), ["infap"]),
    "AUC: ties won": (
        around(auc.AUC, "per_query", lambda original, self, lists, context: 1 - original(self, lists, context)), ["auc"]),
    "AUC among judged counts the list": (
        put(auc, "_middle_ranks", lambda rows: rows.rank), ["auc(among=judged)"]),
    "AUC of a cut list: the rest loses": (
        around(auc.AUCTopK, "per_query",
            lambda original, self, lists, context: np.floor(original(self, lists, context) * 64) / 64), ["auc_topk@2"]),
    "pAUC: divided as pAp": (put(auc.PAUC, "divisor", auc.PAp.divisor), ["pauc@1", "pauc@3"]),
    "pAp: all hits": (put(auc.PAp, "_hits", auc.PAUC._hits), ["pap@2", "pap(rel=2)@3"]),
    "GMAP that is MAP": (put(geometric.GMAP, "summary", lambda self, values: Mean.of(values)), ["gmap"]),
    "GMAP without a floor": (put(geometric, "GeometricMean", type("", (), {
        "of": staticmethod(lambda values, **_: Mean.of(np.log(values)))})), ["gmap(floor=.01)"]),
    "GMAP: ε not taken off": (
        put(geometric.GMAP, "value", lambda self, state: state.value), ["gmap(epsilon=.1)@2"]),
    "sDCG of the judged ideal": (
        put(ndcg.nDCG, "_most", lambda self, lists, context: float(np.nanmax(lists.found.grade, initial=1.0))),
        ["ndcg(ideal=maximal)@3"]),
    "area under PR: begins at 0": (
        around(precision_recall.AUCPR, "terms", lambda original, self, *given: precision.AP().terms(*given)),
        ["auc_pr(method=trapezoid)"]),
    "G: ranks cost one more": (
        around(experimental.Ideals, "until", lambda original, self, query, place: original(self, query, place) + 1.0), ["g"]),
    "ndcg_rel: the missed are forgotten": (
        around(experimental.NDCGRel, "per_query", lambda original, self, *given: np.sqrt(original(self, *given))),
        ["ndcg_rel"]),
    "Rndcg: one place further": (
        around(experimental, "_found_until", lambda original, rows, points: np.maximum(original(rows, points) - 1, 0)),
        ["rndcg"]),
    "multiple of R: cut off": (
        put(precision, "needed_hits", lambda level, relevant, levels: (level * relevant).astype(np.int64)),
        ["rprec(multiple=.35)"]),
    "counts averaged": (put(counts.Count, "summary", lambda self, values: Mean.of(values)), ["num_ret", "num_rel"]),
    "expected: the rank of the sort": (around(additive.RankWeighted, "_mean_weights", ties_by_rank), ["expected dcg@3"]),
    "expected hit: the rank of the sort": (
        put(binary, "chance_of_a_hit", lambda hits, k: (hits.top(k).count() > 0).astype(float)), ["expected hit@2"]),
    "expected AP: groups apart": (
        put(precision, "expected_precisions", lambda hits, k: hits.top(k).sum(hits.top(k).nth() / hits.top(k).rank)),
        ["expected ap@4"]),
    "expected RR: the first place": (
        around(first, "expected_reciprocal", lambda original, hits, k: np.minimum(original(hits, k) * 1.01, 1)),
        ["expected rr@3"]),
}  # fmt: skip


def caught(metrics):
    """Whether the slow definitions notice a difference."""
    try:
        for metric in metrics:
            if metric.startswith("expected "):
                compare_with_all_orders(metric.removeprefix("expected "))
            else:
                compare(range(40), [metric])
    except AssertionError:
        return True
    return False


def test_nothing_is_caught_where_nothing_is_planted():
    for _, metrics in MUTANTS.values():
        assert not caught(metrics), metrics


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_is_caught(name, monkeypatch):
    plant, metrics = MUTANTS[name]
    plant(monkeypatch)
    assert caught(metrics)
