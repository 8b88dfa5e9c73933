"""One planted bug per law and per switch; each is caught by a law or by the slow reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.definitions.test_against_reference import compare
from tests.matching.test_own_query import have_the_values_of_a_plain_loop
from tests.mutants.planting import fails, put

from rankwell import matching, testing
from rankwell.evaluation import task as engines
from rankwell.evaluation.engines import memory
from rankwell.kernels import match, order, ranks
from rankwell.matching import batch as hits
from rankwell.matching import lists as judge_lists
from rankwell.matching import lists as matched_lists
from rankwell.matching import pool as judge_pool
from rankwell.metrics import additive, metric_of
from rankwell.metrics.binary import binary, first, incompleteness, precision
from rankwell.metrics.graded import cascade, gain, gain_functions, ndcg
from rankwell.tables import lists, states
from rankwell.tables.ids import Ids
from rankwell.testing import checks

WATCHED = [
    "p@3", "p(denom=n)@4", "r@3", "r(denom=min_rk)@2", "hit(rel=2)@3", "ap", "ap@3", "ap(denom=R)@3",
    "ap(denom=min_rn)@4", "rr", "rr@2", "ndcg@3", "ndcg(gain=exp2)@3", "ndcg(discount=jk,base=3)", "err@3",
    "ndcg(ideal=retrieved)@3", "judged@4", "bpref", "coverage@2",
]  # fmt: skip


def keep_the_laws():
    """Try the laws on some metrics."""
    for text in ("ap@2", "ndcg@2", "p@2", "err", "bpref", "coverage@2", "rr@2", "judged@2"):
        testing.check_metric(text, cases=4)


def keep_the_laws_together():
    """Try the laws on groups of metrics, each evaluated beside the others in every case."""
    texts = [
        "ap@2",
        "ap",
        "ndcg@2",
        "ndcg",
        "p@2",
        "p@3",
        "err",
        "err@2",
        "bpref",
        "coverage@2",
        "coverage@3",
        "rr@2",
        "rr",
    ]
    for group in checks.groups_of(map(metric_of, texts)):
        checks.check(group, [replace(given, beside=group) for given in testing.examples(4)])


def have_the_values_of_the_reference():
    compare([*range(45), 188], WATCHED)  # the last one drops copies


def wrap(module, name, change):
    """Return a mutant: what ``name`` returns is changed."""

    def plant(patch):
        original = getattr(module, name)
        patch.setattr(module, name, lambda *args, **named: change(original(*args, **named), *args))

    return plant


def first_part_only(patch):
    patch.setattr(engines.Part, "sum", classmethod(lambda _, parts: next(iter(parts))))


def state_forgets_the_left(patch):
    patch.setattr(states.Mean, "__add__", lambda self, other: states.Mean(other.total, self.n + other.n))


def rounded_sums(patch):
    patch.setattr(states, "exact_sum", lambda values: int(float(np.sum(values)) * 1e15) << 1077)


def per_batch_highest_grade(patch):
    original = cascade.ERR.terms

    def terms(self, judged_lists, context):
        highest = float(np.nanmax(judged_lists.found.grade, initial=1))
        return original(self, judged_lists, hits.Context(context.scale, highest, context.catalogue))

    patch.setattr(cascade.ERR, "terms", terms)


def ideal_over_the_run(patch):
    original = ndcg.nDCG.divisor

    def divisor(self, judged_lists, context):
        retrieved = ndcg.nDCG(gain=self.gain, discount=self.discount, ideal="retrieved", k=self.k)
        return original(retrieved, judged_lists, context)

    patch.setattr(ndcg.nDCG, "divisor", divisor)


def ideal_of(change):
    """Return a mutant: the ideal list is that of another metric."""

    def plant(patch):
        original = gain.ideal_dcg
        patch.setattr(gain, "ideal_dcg", lambda self, best, context: original(change(self), best, context))

    return plant


def ties_reversed(patch):
    patch.setitem(order.TIE_RULES, "item-desc", order.TIE_RULES["item-asc"])


def negative_is_judged(patch):
    patch.setattr(hits.Scale, "judged", lambda _, grade: ~np.isnan(grade))


def rel_ignored(patch):
    patch.setattr(hits.Scale, "threshold", lambda _, rel: None)


def k_ignored(patch):
    patch.setattr(lists.Ranked, "top", lambda self, _: self)


def depth_ignored(patch):
    patch.setattr(judge_lists, "_first_rows", lambda lists, *_: lists)


def copies_gain_twice(patch):
    original = match.hits

    def hits_of(*args):
        lists, rows, pooled, pair = original(*args)
        if len(args[-1]) and args[-1].any():
            pooled = pooled.copy()
            rows = rows.copy()
            args[-1][:] = 0  # nothing is dropped, nothing is lost
        return lists, rows, pooled, pair

    patch.setattr(match, "hits", hits_of)


def missing_query_dropped(patch):
    patch.setattr(
        memory, "missing_lists", lambda pool, _: matching.missing_lists(pool, np.arange(len(pool.queries)))
    )


def undefined_is_zero(patch):
    patch.setattr(
        additive.sums,
        "ratios",
        lambda query, gain, weight, below: np.divide(
            np.bincount(query, gain * weight, len(below)), below, out=np.zeros(len(below)), where=below != 0
        ),
    )


def last_judgement_wins(patch):
    original = judge_pool._merge_copies

    def merged(qrels, policy, *rest):
        own, _, copies = original(qrels, policy, *rest)
        return own, rest[-1], copies

    patch.setattr(judge_pool, "_merge_copies", merged)


def single_ignored(patch):
    patch.setattr(np, "float32", np.float64)


def condense_ignored(patch):
    patch.setattr(judge_lists, "condense", lambda lists: lists)


def n_of_p_wrong(patch):
    original = binary.P.divisor
    patch.setattr(
        binary.P,
        "divisor",
        lambda self, *given: original(binary.P(denom="k", rel=self.rel, k=self.k), *given),
    )


def denominators_swapped(patch):
    patch.setattr(precision.AP, "divisor", lambda self, lists, _: lists.n_relevant(self.rel))


def bpref_counts_unjudged(patch):
    patch.setattr(
        incompleteness.Bpref, "terms", lambda self, lists, context: precision.AP().terms(lists, context)
    )


def errors_of_rr(patch):
    patch.setattr(
        first.RR,
        "per_query",
        lambda self, *given: precision.AP(k=self.k).terms(*given).over(self.divisor(*given).astype(float)),
    )


def scattered_rows_kept_apart(patch):
    patch.setattr(Ids, "is_distinct", lambda _: True)


def batches_counted_twice(patch):
    original = engines.Task.measure

    def measure(self, judged, counts):
        part = original(self, judged, counts)
        return replace(
            part, states={m: s + s if len(part.queries) == 1 else s for m, s in part.states.items()}
        )

    patch.setattr(engines.Task, "measure", measure)


def own_after_depth(patch):
    original = judge_lists._first_rows
    patch.setattr(
        matched_lists,
        "without_own",
        lambda lists, policy, counts, found=matched_lists.without_own: found(
            lists
            if policy.depth is None
            else original(lists, order.TIE_RULES[policy.row_order], policy.depth),
            policy,
            counts,
        ),
    )


CAUGHT_BY_LAWS = {
    "rank by position only": wrap(ranks, "ranks", lambda found, *_: (found[1], found[1], found[2])),
    "last hit not found": wrap(
        match, "hits", lambda found, *_: (found[0][:-1], found[1][:-1], found[2][:-1], found[3])
    ),
    "k ignored": k_ignored,
    "ties reversed": ties_reversed,
    "missing query dropped": missing_query_dropped,
    "ideal over the run": ideal_over_the_run,
    "highest grade of the batch": per_batch_highest_grade,
    "RR that is AP": errors_of_rr,
    "state forgets": state_forgets_the_left,
    "sums rounded": rounded_sums,
    "only the first part": first_part_only,
    "single queries counted twice": batches_counted_twice,
    "scattered rows kept apart": scattered_rows_kept_apart,
}
CAUGHT_BY_THE_REFERENCE = {
    "rank off by one": wrap(ranks, "ranks", lambda found, *_: (found[0] + 1, found[1] + 1, found[2])),
    "depth ignored": depth_ignored,
    "rel ignored": rel_ignored,
    "copies not lost": copies_gain_twice,
    "condense ignored": condense_ignored,
    "scores=single ignored": single_ignored,
    "duplicate judgements: first wins": last_judgement_wins,
    "negative grades judged": negative_is_judged,
    "undefined is zero": undefined_is_zero,
    "ideal not cut at k": ideal_of(lambda metric: ndcg.nDCG(gain=metric.gain)),
    "gains mixed above and below": ideal_of(lambda metric: ndcg.nDCG(gain="exp2", k=metric.k)),
    "jk with the base of log2": put(
        gain, "discount", lambda kind, _, ranks: gain_functions.discount(kind, 2.0, ranks)
    ),
    "n of P wrong": n_of_p_wrong,
    "AP always over R": denominators_swapped,
    "bpref that is AP": bpref_counts_unjudged,
    "discount not in steps": put(lists.Ranked, "product_before", lambda self, factors: np.ones(len(factors))),
}


CAUGHT_BY_LISTS_THAT_HOLD_THEIR_QUERY = {
    "own rows kept": put(matched_lists, "own_rows", lambda _: lists.NO_ROWS),
    "own ranks not closed": put(matched_lists, "_close_ranks", lambda own, *_: own),
    "text is never an integer": put(
        matched_lists,
        "as_integers",
        lambda ids: (np.zeros(len(ids), int), np.zeros(len(ids), bool)),
    ),
    "the next list": wrap(
        matched_lists, "own_rows", lambda found, lists: np.minimum(found + 1, lists.rows - 1)
    ),
    "left out after the depth": own_after_depth,
}


def test_nothing_is_caught_where_nothing_is_planted():
    have_the_values_of_a_plain_loop(range(24))
    keep_the_laws()
    keep_the_laws_together()
    have_the_values_of_the_reference()


@pytest.mark.parametrize("laws", [keep_the_laws, keep_the_laws_together])
@pytest.mark.parametrize("name", CAUGHT_BY_LAWS)
def test_a_planted_bug_breaks_a_law(name, laws, monkeypatch):
    CAUGHT_BY_LAWS[name](monkeypatch)
    assert fails(laws)


@pytest.mark.parametrize("name", CAUGHT_BY_THE_REFERENCE)
def test_a_planted_bug_changes_a_value_of_the_reference(name, monkeypatch):
    CAUGHT_BY_THE_REFERENCE[name](monkeypatch)
    assert fails(have_the_values_of_the_reference)


@pytest.mark.parametrize("name", CAUGHT_BY_LISTS_THAT_HOLD_THEIR_QUERY)
def test_a_planted_bug_of_a_query_s_own_item_is_noticed(name, monkeypatch):
    CAUGHT_BY_LISTS_THAT_HOLD_THEIR_QUERY[name](monkeypatch)
    assert fails(lambda: have_the_values_of_a_plain_loop(range(24)))
