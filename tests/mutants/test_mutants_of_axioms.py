"""The mistakes of articles as metrics: the axioms catch each; and planted bugs of the checker, each caught by its tests."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mutants.planting import around, put

import rankwell as rw
from rankwell import metrics
from rankwell.inspection.axioms import amigo, check_axioms, kinds
from rankwell.inspection.axioms import situations as scored
from rankwell.metrics.metric import REGISTRY

BETA = 0.9


@pytest.fixture(autouse=True)
def registry():
    """Metrics that a test defines are gone after it, and so are situations drawn by mutants."""
    before = dict(metrics.registry())
    _forget()
    yield
    REGISTRY.clear()
    REGISTRY.update(before)
    _forget()


def _forget():
    for kept in (kinds._draw_situations, kinds._build_situations, scored.tables):
        kept.cache_clear()


def alpha_beta(judged, up_to):
    """αβ-DCG of judged items as article 003 writes it, all topics liked alike; ``up_to`` is 1 if an item discounts itself."""
    topics, found, values = judged.pool.topics, judged.found, np.zeros(len(judged))
    left: dict[tuple[int, int], float] = {}
    for query, rank, row in zip(found.query, found.rank, found.pool_row, strict=True):
        cells = range(topics.offsets[row], topics.offsets[row + 1])
        chances = {topics.topic[cell]: BETA * max(topics.grade[cell], 0) / 3 for cell in cells}
        missed = 1.0
        for topic, chance in chances.items():
            novelty = left.get((query, topic), 0.25)
            left[query, topic] = novelty * (1 - chance)
            missed *= 1 - chance * (left[query, topic] if up_to else novelty)
        values[query] += (1 - missed) / np.log2(rank + 1)
    return values


def dcg(rows, gains):
    return rows.sum(gains / np.log2(rows.rank + 1))


def found_by(metric, *names):
    return {each.axiom: each.verdict for each in check_axioms(metric, names)}


def test_a_novelty_product_that_includes_the_item_itself_is_caught():
    @rw.metric(name="article_alpha_beta", needs={"topics"})
    def article(judged, context):
        """The product up to S."""
        return alpha_beta(judged, 1)

    @rw.metric(name="right_alpha_beta", needs={"topics"})
    def right(judged, context):
        """The product up to S − 1."""
        return alpha_beta(judged, 0)

    names = ("PriGraded", "DeepGraded", "Red", "QAspDiv")
    assert found_by(right, *names) == dict.fromkeys(names, "holds")
    wrong = found_by(article, *names)
    assert {wrong["PriGraded"], wrong["DeepGraded"]} == {"violated"}


def test_an_ideal_made_of_the_list_itself_is_caught():
    @rw.metric(name="ndcg_of_the_list")
    def itself(judged, context):
        """DCG of the list, divided by that of the list sorted."""
        found = judged.found
        best = np.lexsort((-found.grade, found.query))
        ideal = found.sum(found.grade[best] / np.log2(found.nth() + 1))
        return np.where(ideal > 0, dcg(found, found.grade) / np.where(ideal > 0, ideal, 1), np.nan)

    names = ("CloseTh", "QAspDiv")
    assert found_by("ndcg", *names) == {"CloseTh": "holds", "QAspDiv": "weak"}
    assert found_by(itself, *names) == dict.fromkeys(names, "violated")


@pytest.mark.parametrize(("above", "below"), [("linear", "exp2"), ("exp2", "linear")])
def test_one_gain_in_the_list_and_another_in_the_ideal_are_caught(above, below):
    gains = {"linear": lambda grade: grade, "exp2": lambda grade: 2.0**grade - 1}

    @rw.metric(name="ndcg_of_two_gains", range=(0, 7))
    def two_gains(judged, context):
        """DCG with one gain, divided by the ideal DCG with the other."""
        found, best = judged.found, judged.ideal
        return dcg(found, gains[above](found.grade)) / dcg(best, gains[below](best.grade))

    assert found_by("ndcg", "Norm") == {"Norm": "holds"}
    assert found_by(two_gains, "Norm") == {"Norm": "violated"}


def test_without_the_mirrored_pool_ndcg_ia_would_not_be_indifferent_to_redundancy(monkeypatch):
    assert found_by("ndcg_ia", "Red") == {"Red": "weak"}
    monkeypatch.setattr(amigo, "mirrored", lambda situation: situation)
    _forget()
    assert check_axioms("ndcg_ia", "Red")["Red"].strict > 100


# one bug in the checker, and a verdict that it changes
PLANTED = {
    "better and worse change places": (
        around(scored, "tables", lambda made, situations, top: made(tuple(_turned(each) for each in situations), top)),
        ("ndcg", "Pri", "holds"),
    ),
    "terms are not asked": (put(scored, "exact_difference", lambda left, right: 0.0), ("err", "P3", "violated")),
    "the margin is wide": (put(scored, "MARGIN", 0.05), ("ndcg_ia", "Pri", "holds")),
    "weights stay with one topic": (
        around(scored, "tables", lambda made, situations, top: made(tuple(map(_unweighted, situations)), top)),
        ("err_ia", "AspRel", "holds"),
    ),
}  # fmt: skip


def _turned(situation):
    return type(situation)(
        situation.worse, situation.better, situation.weights, situation.unlisted, situation.apart
    )


def _unweighted(situation):
    ones = (1,) * len(situation.weights)
    return type(situation)(situation.better, situation.worse, ones, situation.unlisted, situation.apart)


@pytest.mark.parametrize("name", PLANTED)
def test_a_bug_in_the_checker_changes_a_verdict(name, monkeypatch):
    plant, (metric, axiom, verdict) = PLANTED[name]
    assert check_axioms(metric, axiom)[axiom].verdict == verdict
    plant(monkeypatch)
    _forget_drawn()
    assert check_axioms(metric, axiom)[axiom].verdict != verdict


def _forget_drawn():
    kinds._draw_situations.cache_clear()
    kinds._build_situations.cache_clear()


def test_saturation_within_rounding_would_be_believed_without_looking_at_the_step_before(monkeypatch):
    @rw.metric(name="opaque")
    def opaque(judged, context):
        """ERR that tells nothing of its terms."""
        return rw.ERR(max_grade=3).per_query(judged, context)

    assert found_by(opaque, "Sat") == {"Sat": "violated"}
    monkeypatch.setattr(kinds, "CLEAR", 0.0)
    assert found_by(opaque, "Sat") == {"Sat": "holds"}
