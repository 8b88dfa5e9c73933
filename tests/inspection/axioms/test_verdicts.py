"""check_axioms: verdicts, counterexamples, metrics of one's own, and what is refused."""

from __future__ import annotations

import json
from math import log2

import numpy as np
import pytest
from tests.every import every

import rankwell as rw
from rankwell import metrics
from rankwell.inspection.axioms import AXIOMS, check_axioms, situations
from rankwell.inspection.axioms.situations import exact_difference
from rankwell.metrics.metric import REGISTRY, QueryMetric, definition


@pytest.fixture
def registry():
    """Metrics that a test defines are gone after it."""
    before = dict(metrics.registry())
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def lists_of(example):
    """The grades (for one topic, or the highest) that stand in the two lists, and in the pool."""
    best = {
        name: max((grade or 0 for grade in item.values()), default=0) for name, item in example.items.items()
    }
    return (
        [best[name] for name in example.better],
        [best[name] for name in example.worse],
        list(best.values()),
    )


def verdicts(found):
    return {each.axiom: (each.verdict, each.strict, each.ties, each.violations) for each in found}


def dcg(grades):
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def ap(grades, pool):
    hits = [rank for rank, grade in enumerate(grades, 1) if grade]
    return sum(n / rank for n, rank in enumerate(hits, 1)) / sum(grade > 0 for grade in pool)


def err(grades):
    total, left = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        chance = (2**grade - 1) / 8
        total, left = total + left * chance / rank, left * (1 - chance)
    return total


@pytest.mark.parametrize(
    ("metric", "slow"),
    [
        ("ndcg", lambda grades, pool: dcg(grades) / dcg(sorted(pool, reverse=True))),
        ("ap", ap),
        ("err", lambda grades, pool: err(grades)),
        ("rr", lambda grades, pool: next((1 / at for at, grade in enumerate(grades, 1) if grade), 0)),
        ("p@10", lambda grades, pool: sum(grade > 0 for grade in grades[:10]) / 10),
    ],
)
def test_the_values_of_a_counterexample_are_those_of_a_plain_loop_and_speak_against_the_axiom(metric, slow):
    graded = [name for name, axiom in AXIOMS.items() if max(axiom.levels) == 3 and name not in ("P4", "Norm")]
    examples = [each for each in check_axioms(metric, graded, trials=200) if each.counterexample]
    assert len(examples) > 5
    for each in examples:
        better, worse, pool = lists_of(each.counterexample)
        assert each.counterexample.values == pytest.approx((slow(better, pool), slow(worse, pool)), abs=1e-12)
        first, second = each.counterexample.values
        if each.axiom == "Sat" or each.verdict == "violated":
            assert first < second or each.counterexample.by_terms
        else:
            assert first == pytest.approx(second, abs=1e-13)


def test_a_counterexample_is_made_small():
    found = check_axioms(["rr", "ap"], ["Pri", "Deep"])
    example = found["rr", "Pri"].counterexample
    # a tie under RR takes a relevant item above both that change places
    assert lists_of(example)[:2] == ([1, 1, 0], [1, 0, 1])
    deep = found["ap", "Deep"].counterexample
    assert len(deep.better) <= 9  # the pair of the specification has 9 ranks, hits at 6 and 8
    assert [round(value, 5) for value in deep.values] == [0.225, 0.22619]


def test_the_same_seed_draws_the_same_pairs_and_another_one_others():
    first, again, other = (check_axioms("ap", ["Deep", "P1"], seed=seed) for seed in (1, 1, 2))
    assert first.to_json() == again.to_json()
    assert verdicts(first) != verdicts(other)


def test_every_trial_is_strict_a_tie_a_violation_or_undefined():
    for each in check_axioms(["ap", "auc"], trials=70):
        if each.verdict != "not applicable" and not each.thresholds:
            assert each.strict + each.ties + each.violations + each.undefined == 70


def test_a_function_a_class_and_a_text_of_one_definition_get_the_same_verdicts(registry):
    @rw.metric(name="own_rr")
    def own_rr(judged, context):
        """The reciprocal rank of the first relevant item."""
        first = judged.relevant().where(judged.relevant().nth() == 1)
        return np.where(judged.n_relevant() > 0, first.sum(1.0 / first.rank), np.nan)

    @definition
    class OwnRR(QueryMetric):
        name = "own_rr_too"
        power: float = 1.0

        def per_query(self, judged, context):
            first = judged.relevant().where(judged.relevant().nth() == 1)
            return np.where(judged.n_relevant() > 0, first.sum(first.rank**-self.power), np.nan)

    built_in = verdicts(check_axioms("rr"))
    assert verdicts(check_axioms(own_rr)) == built_in
    assert verdicts(check_axioms(OwnRR)) == built_in
    assert verdicts(check_axioms("own_rr_too(power=2)"))["CloseTh"] == ("violated", 0, 0, 3)


def test_where_lower_is_better_the_signs_change(registry):
    @rw.metric(name="miss", better="lower")
    def miss(judged, context):
        """One less nDCG."""
        return 1.0 - rw.nDCG().per_query(judged, context)

    names = [name for name in AXIOMS if name not in ("Sat", "P3", "Norm")]
    assert {k: v[0] for k, v in verdicts(check_axioms(miss, names)).items()} == {
        k: v[0] for k, v in verdicts(check_axioms("ndcg", names)).items()
    }


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("coverage", "it has one value for all lists"),
        ("num_ret", "neither end of its range is better"),
        ("ips(metric=ndcg)", "propensities"),
        ("awrf", "'group'"),
        ("user_mae", "no scores"),
    ],
)
def test_an_axiom_that_makes_no_sense_for_a_metric_is_not_applicable_and_says_why(metric, reason):
    for each in check_axioms(metric, ["Pri", "DeepTh"]):
        assert each.verdict == "not applicable"
        assert reason in each.reason
        assert each.cell is None


def test_a_cut_off_that_is_too_short_for_an_axiom_is_said():
    found = check_axioms("ndcg@3", ["Pri", "Deep", "CloseTh"])
    assert [each.verdict for each in found] == ["holds", "not applicable", "not applicable"]
    assert found["Deep"].reason == "it needs 4 ranks within the cut-off"
    assert "no length fits" in found["CloseTh"].reason


def test_the_cut_off_of_a_metric_inside_another_counts():
    assert check_axioms("by_topic(metric=ndcg@3)", "Deep")["Deep"].verdict == "not applicable"


def test_undefined_trials_are_counted_and_decide_nothing(registry):
    @rw.metric(name="half")
    def half(judged, context):
        """NDCG, where the list has an even number of items."""
        return np.where(judged.n_retrieved % 2 == 0, rw.nDCG().per_query(judged, context), np.nan)

    found = check_axioms(half, ["Pri", "Conf"])
    assert found["Pri"].verdict == "holds"
    assert found["Pri"].undefined > 50
    assert found["Pri"].strict + found["Pri"].undefined == 500
    assert (found["Conf"].verdict, found["Conf"].reason) == (
        "not applicable",
        "it is undefined in every trial",
    )


def test_terms_tell_apart_what_rounding_makes_equal():
    # after 25 items of grade 3 the chance to come so far is 8 ** -25
    exact = check_axioms("err", "P3")["P3"]
    assert (exact.verdict, exact.counterexample.by_terms) == ("violated", True)
    assert "their terms show which is higher" in str(exact.counterexample.to_table(""))


def test_a_metric_that_tells_no_terms_has_ties_within_rounding(registry):
    @rw.metric(name="opaque_err")
    def opaque_err(judged, context):
        """ERR that tells nothing of its terms."""
        return rw.ERR(max_grade=3).per_query(judged, context)

    found = check_axioms([opaque_err, "err"], ["P3", "Sat"])
    assert found["opaque_err", "P3"].verdict == "weak"
    assert found["err", "P3"].verdict == "violated"
    # what is lost in rounding does not pass for saturation
    assert found["opaque_err", "Sat"].verdict == found["err", "Sat"].verdict == "violated"


def test_a_difference_is_summed_without_rounding():
    assert exact_difference([1e16, 1.0, 1e-9], [1e16, 1.0]) == 1e-9
    assert exact_difference([0.1] * 10, [1.0]) == 0.0
    assert exact_difference([], [2.0]) == -2.0
    assert exact_difference([0.3, 1e-20], [0.1, 0.2]) == 0.0  # the terms that differ are rounded by more


def test_all_lists_of_an_axiom_are_one_evaluation(monkeypatch):
    made = []

    class Counted(situations.Evaluator):
        def results_of(self, run):
            made.append(len(run.queries))
            return super().results_of(run)

    monkeypatch.setattr(situations, "Evaluator", Counted)
    assert check_axioms("ndcg", "Pri", trials=40)["Pri"].verdict == "holds"
    assert made == [80]


def test_everything_is_in_the_json():
    found = check_axioms("ap", ["Deep", "P5", "CloseTh"])
    saved = json.loads(found.to_json())
    assert (saved["trials"], saved["seed"]) == (500, 0)
    assert [rule["second_hand"] for rule in saved["axioms"]] == [False, True, False]
    deep, p5, close = saved["verdicts"]
    assert (deep["verdict"], deep["strict"] + deep["violations"]) == ("violated", 500)
    example = deep["counterexample"]
    assert set(example["better"]) == set(example["worse"]) == set(example["items"])
    assert p5["verdict"] == "violated"
    assert close["thresholds"] == {"1": 3, "2": 3, "3": 3}


def test_the_output_says_what_is_known_second_hand_or_from_memory():
    shown = str(check_axioms("rr", ["Pri", "P1", "P8", "Norm"], trials=20))
    assert "stated from memory of the article: Pri\n" in shown
    assert "known only second-hand: P8\n" in shown
    assert "not from an article, and between queries: Norm" in shown


@every("name", AXIOMS)
def test_every_axiom_says_what_it_means_and_where_it_is_from(name):
    axiom = AXIOMS[name]
    assert axiom.statement.endswith(".")
    assert axiom.source
    assert axiom.second_hand == (name in {"P5", "P6", "P7", "P8"})


def test_verdicts_are_looked_up_by_axiom_or_by_metric_and_axiom():
    found = check_axioms(["rr", "ndcg"], ["pri", "PRI", "Conf"], trials=20)
    assert [rule.name for rule in found.axioms] == ["Pri", "Conf"]
    assert found["ndcg", "conf"].verdict == "weak"
    with pytest.raises(KeyError, match="several metrics"):
        found["Pri"]
    assert [row["metric"] for row in found.table().to_records()] == ["rr", "ndcg"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "ndcg", "axioms": ["Prio"]}, "no axiom 'Prio'.*Did you mean pri"),
        ({"metric": "ndcg", "axioms": []}, "give at least one axiom"),
        ({"metric": "ndgc"}, "Did you mean ndcg"),
        ({"metric": "p"}, "needs a cut-off"),
        ({"metric": "ndcg", "trials": 0}, "whole number of at least 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, message):
    with pytest.raises(rw.RankwellError, match=message):
        check_axioms(**given)
