"""Learning: the best setting by trying all on the queries to learn from, and no query fused with what it taught itself."""

from __future__ import annotations

import pickle
import random
from itertools import product
from statistics import mean

import pytest
from tests.comparison.fusion.ranx import scores
from tests.evidence import evidence

import rankwell as rw
from rankwell.comparison.fusion.lessons import weight_search
from rankwell.comparison.fusion.methods import METHODS, FusionSetting

QUERIES = [f"q{n}" for n in range(14)]
ITEMS = [f"d{n}" for n in range(12)]
TENTHS = [each for each in product(range(11), repeat=3) if sum(each) == 10]


def data(seed=0):
    """Three runs, of which the first is good, the second fair, the third noise; judgements of ten of fourteen queries."""
    rng = random.Random(seed)
    relevant = {query: set(rng.sample(ITEMS, 3)) for query in QUERIES}
    runs = {}
    for name, signal in (("good", 1.0), ("fair", 0.5), ("noise", 0.0)):
        runs[name] = {
            query: {
                item: round(rng.random() + signal * (item in relevant[query]), 3)
                for item in rng.sample(ITEMS, 9)
            }
            for query in QUERIES
        }
    return runs, {query: dict.fromkeys(relevant[query], 1) for query in QUERIES[:10]}


def only(run, queries):
    return {query: run[query] for query in queries}


def mean_of(runs, qrels, queries, method, metric="ndcg@5", **setting):
    fused = rw.fuse({name: only(run, queries) for name, run in runs.items()}, method, **setting)
    return rw.evaluate(fused, only(qrels, queries), metric)[metric]


def queries_of(learned, rows):
    return learned.queries[rows].tolist()


def test_the_weights_are_the_best_and_of_the_best_the_most_even_of_all_tenths():
    runs, qrels = data()
    learned = rw.fuse(runs, "weighted", qrels=qrels, metric="ndcg@5", folds=3).learned
    for fit in learned.fits:
        queries = queries_of(learned, fit.learned_from)
        tried = {
            each: mean_of(runs, qrels, queries, "weighted", weights=[w / 10 for w in each]) for each in TENTHS
        }
        best = max(tried.values())
        assert fit.mean == pytest.approx(best, abs=1e-12)
        even = min(sum(w * w for w in each) for each, found in tried.items() if found >= best - 1e-12)
        assert sum(w * w for w in fit.setting.weights) * 100 == pytest.approx(even)
        assert tried[tuple(round(w * 10) for w in fit.setting.weights)] == pytest.approx(best, abs=1e-12)
    assert learned.fits[0].setting.weights[0] > learned.fits[0].setting.weights[2]


def test_each_judged_query_is_fused_with_what_was_learned_without_it_and_the_others_with_what_all_taught():
    runs, qrels = data(1)
    fused = rw.fuse(runs, "weighted", qrels=qrels, metric="ndcg@5", folds=4)
    learned, found = fused.learned, scores(fused)
    assert sorted(queries_of(learned, learned.fits[0].used_for)) == sorted(QUERIES[10:])
    assert sorted(queries_of(learned, learned.fits[0].learned_from)) == sorted(qrels)
    used = []
    for fit in learned.fits:
        own = queries_of(learned, fit.used_for)
        used += own
        plain = scores(rw.fuse(runs, "weighted", weights=fit.setting.weights))
        assert {query: found[query] for query in own} == {query: plain[query] for query in own}
    assert sorted(used) == sorted(QUERIES)
    for fit in learned.fits[1:]:
        own, others = queries_of(learned, fit.used_for), queries_of(learned, fit.learned_from)
        assert {*own} | {*others} == {*qrels}
        assert not {*own} & {*others}
        assert len(own) in (2, 3)


def test_judgements_of_a_query_never_change_how_it_is_fused_itself():
    runs, qrels = data(2)
    before = rw.fuse(runs, "weighted", qrels=qrels, metric="ndcg@5")
    for query in qrels:
        rng = random.Random(query)
        changed = qrels | {query: dict.fromkeys(rng.sample(ITEMS, 4), 1)}
        after = rw.fuse(runs, "weighted", qrels=changed, metric="ndcg@5")
        assert scores(after)[query] == scores(before)[query]


def test_what_was_learned_pickles():
    runs, qrels = data(3)
    fused = rw.fuse(runs, qrels=qrels, metric="ap")
    again = pickle.loads(pickle.dumps(fused))
    assert str(again) == str(fused)
    assert again.learned.per_query.equals(fused.learned.per_query)


def test_the_mean_is_that_of_the_fused_run():
    runs, qrels = data(3)
    for method, metric in (("rrf", "ap"), ("weighted", "ndcg@5"), ("rbc", "rr")):
        fused = rw.fuse(runs, method, qrels=qrels, metric=metric)
        res = rw.evaluate(fused, qrels, metric)
        assert fused.learned.mean == pytest.approx(res[metric], abs=1e-12)
        own = {query: value for query, _, value in fused.learned.per_query.rows() if value is not None}
        assert own == pytest.approx(dict(res.per_query.rows()))


@pytest.mark.parametrize(
    ("method", "word"), [("rrf", "k"), ("rbc", "phi"), ("comb_gmnz", "gamma"), ("logn_isr", "sigma")]
)
def test_the_number_of_a_method_is_the_best_of_its_grid_and_of_the_best_the_nearest_to_the_default(
    method, word
):
    runs, qrels = data(4)
    learned = rw.fuse(runs, method, qrels=qrels, metric="ap", folds=1).learned
    own = METHODS[method].parameter
    tried = {number: mean_of(runs, qrels, qrels, method, "ap", **{word: number}) for number in own.grid}
    best = [number for number, found in tried.items() if found >= max(tried.values()) - 1e-12]
    assert learned.what == word
    assert learned.fits[0].setting.number == min(best, key=lambda number: abs(number - own.default))


def test_weights_are_learned_for_methods_that_have_a_number_too_when_asked():
    runs, qrels = data(5)
    fused = rw.fuse(runs, qrels=qrels, metric="ap", learn="weights", k=5)
    assert fused.learned.what == "weights"
    assert {fit.setting.number for fit in fused.learned.fits} == {5}
    for method in ("comb_mnz", "borda", "condorcet", "isr"):
        assert rw.fuse(runs, method, qrels=qrels, metric="ap").learned.what == "weights"


def test_with_one_fold_all_queries_are_fused_with_what_the_judged_ones_taught_and_this_is_said():
    runs, qrels = data(6)
    fused = rw.fuse(runs, "weighted", qrels=qrels, metric="ndcg@5", folds=1)
    (fit,) = fused.learned.fits
    assert sorted(queries_of(fused.learned, fit.used_for)) == sorted(QUERIES)
    assert "their own values are too high" in str(fused)
    assert "their own values are too high" not in str(rw.fuse(runs, "weighted", qrels=qrels, metric="ap"))


def test_a_metric_of_which_lower_values_are_better_is_made_low():
    runs, qrels = data(7)

    high = rw.fuse(runs, "weighted", qrels=qrels, metric="rr", folds=1).learned
    low = rw.fuse(runs, "weighted", qrels=qrels, metric=first_hit, folds=1).learned
    worst = max(
        mean_of(runs, qrels, qrels, "weighted", first_hit, weights=[w / 10 for w in each]) for each in TENTHS
    )
    assert low.mean == pytest.approx(low.fits[0].mean)
    assert low.mean < worst
    assert high.mean > 0


@rw.metric(name="first_hit_of_fused", range=(1, float("inf")), better="lower")
def first_hit(judged, _context):
    """The rank of the first relevant item found."""
    first = judged.relevant()
    first = first.where(first.nth() == 1)
    return (first.sum(first.rank) + 100 * (first.count() == 0)).astype(float)


def test_folds_depend_on_the_seed_and_the_ids_and_on_no_order():
    runs, qrels = data(8)
    turned = {name: dict(reversed(run.items())) for name, run in runs.items()}
    folds = [
        rw.fuse(given, qrels=judged, metric="ap", seed=seed).learned.per_query.rows()
        for given, judged, seed in (
            (runs, qrels, 1),
            (turned, dict(reversed(qrels.items())), 1),
            (runs, qrels, 2),
        )
    ]
    assert folds[0] == folds[1] != folds[2]


def test_the_cut_of_the_fused_lists_is_that_of_the_values_learned_for():
    runs, qrels = data(9)
    learned = rw.fuse(runs, "weighted", qrels=qrels, metric="ap", top=3, folds=1).learned
    given = [w / 10 for w in (3, 3, 4)]
    assert learned.fits[0].mean >= mean_of(runs, qrels, qrels, "weighted", "ap", weights=given, top=3)
    best = learned.fits[0].setting.weights
    assert learned.fits[0].mean == pytest.approx(
        mean_of(runs, qrels, qrels, "weighted", "ap", weights=best, top=3)
    )


def test_many_runs_are_weighted_by_moving_one_share_at_a_time_and_no_move_makes_it_better():
    def value(setting):
        wanted = (0.4, 0.3, 0.1, 0.1, 0.05, 0.05)
        return -sum((own - other) ** 2 for own, other in zip(setting.weights, wanted, strict=True))

    found = weight_search(6, 1.0)(value)
    assert sum(found.weights) == pytest.approx(1)
    assert value(found) > -0.01 > value(FusionSetting((1 / 6,) * 6))
    flat = weight_search(6, 1.0)(lambda _: 0.5)
    assert flat.weights == (1 / 6,) * 6


def test_six_runs_of_trec_covid_are_learned_better_than_evenly_on_the_queries_learned_from():
    folder = evidence("trec-covid-round1")
    runs = {path.name: path for path in sorted((folder / "runs").glob("*.run"))}
    qrels, metric = folder / "qrels-rnd1.txt", "ndcg@10"
    learned = rw.fuse(runs, "weighted", qrels=qrels, metric=metric, depth=50, folds=2).learned
    even = rw.evaluate(rw.fuse(runs, "weighted", weights=[1] * 6, depth=50), qrels, metric)[metric]
    assert learned.fits[0].mean > even
    assert learned.mean < learned.fits[0].mean
    assert mean(len(fit.used_for) for fit in learned.fits[1:]) == 15
