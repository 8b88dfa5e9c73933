"""The one kernel that is said to compute the whole cascade family, against each formula by itself."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from .reference_alphabeta import ALPHA_BETA, chance_of, profile_of
from .reference_aspects_case import Case, aspects, log_discount
from .reference_aspects_random import random_case, random_ratings
from .reference_intents import SUBTOPICS
from .reference_subtopics import satisfied


def cascade(items, state, reach, leave, discount, *, noisy_or=False, scale=1.0, cost=0.0):
    """scale · Σ_r discount(r) (gain − cost); gain = Σ t or 1 − Π(1 − t), t = c_φ S_φ, then S_φ *= f_φ."""
    state, terms = dict(state), []
    for rank, item in enumerate(items, start=1):
        reached = {topic: reach(topic, item) * left for topic, left in state.items()}
        gain = 1 - math.prod(1 - t for t in reached.values()) if noisy_or else sum(reached.values())
        terms.append(discount(rank) * (float(gain) - cost))
        for topic in state:
            state[topic] *= leave(topic, item)
    return scale * math.fsum(terms)


def kernel_rows(case, query, k):
    """Each row of the table with its kernel: name, parameters, and the kernel's value."""
    view = aspects(case, query)
    if view is None:
        return
    shown, n = case.top(query, k), len(view.universe)
    ones = dict.fromkeys(view.universe, Fraction(1))

    def has(topic, item):
        return Fraction(item in view.relevant[topic])

    def left(topic, item):
        return 1 - has(topic, item) * Fraction(3, 10)

    def seen(topic, item):
        return 1 - has(topic, item)

    flat = {topic: Fraction(1, n) for topic in view.universe}
    yield "alpha_dcg", {"alpha": 0.3}, cascade(shown, ones, has, left, log_discount)
    yield "s_recall", {}, cascade(shown, flat, has, seen, lambda rank: 1.0)
    nrbp = cascade(shown, flat, has, left, lambda rank: 0.8 ** (rank - 1), scale=1 - 0.7 * 0.8)
    yield "nrbp", {"alpha": 0.3, "beta": 0.8, "weights": "uniform"}, nrbp
    if view.weights is not None:
        chance = satisfied(view, "exp2", 0.5, None)

        def stay(topic, item):
            return 1 - chance(topic, item)

        yield "err_ia", {}, cascade(shown, view.weights, chance, stay, lambda rank: 1 / rank)
        rbu = cascade(shown, view.weights, chance, stay, lambda rank: 0.8 ** (rank - 1), scale=0.2, cost=0.03)
        yield "rbu", {}, rbu


@pytest.mark.parametrize("k", [1, 3, 10])
def test_one_kernel_computes_every_row_of_its_table(k):
    compared: dict[str, int] = {}
    for seed in range(60):
        case = random_case(seed)
        for query in case.judged:
            for name, parameters, value in kernel_rows(case, query, k):
                direct = SUBTOPICS[name](case, query, k, **parameters)
                assert value == pytest.approx(direct, abs=1e-14), (name, seed, query)
                compared[name] = compared.get(name, 0) + 1
        ratings = random_ratings(seed)
        for user in ratings.judged:
            profile = profile_of(ratings, user, cold="uniform")
            chance = chance_of(ratings, user, alpha=0.1, beta=0.9)
            shown = ratings.top(user, k)
            value = cascade(
                shown, profile, chance, lambda t, i, c=chance: 1 - c(t, i), log_discount, noisy_or=True
            )
            direct = ALPHA_BETA["ab_dcg"](ratings, user, k, cold="uniform")
            assert value == pytest.approx(direct, abs=1e-14)
            compared["ab_dcg"] = compared.get("ab_dcg", 0) + 1
    assert len(compared) == 6
    assert min(compared.values()) > 150


def test_with_equal_interest_and_one_chance_alpha_beta_is_alpha_dcg_to_the_first_order():
    """§1.7: αβ-DCG → Σ γ a Π(1−a) d(r); with γ and a alike that is γ a · α-DCG with α = a."""
    topics = ["1", "2", "x"]
    tables = {"i1": {"1", "2"}, "i2": {"1"}, "i3": {"2", "x"}, "i4": set(), "i5": {"1", "x"}}
    case = Case(
        lists={"u": list(tables)},
        judged={"u": {item: dict.fromkeys(named, 1.0) or {"1": 0.0} for item, named in tables.items()}},
        catalogue=list(tables),
        columns={"topics": tables},
        given={"u": dict.fromkeys(topics, 1e-7)},
    )
    value = ALPHA_BETA["ab_dcg"](
        case, "u", 5, alpha=0.3, beta=0.3, profile="given", rating_map="binary", rel=0
    )
    alike = SUBTOPICS["alpha_dcg"](case, "u", 5, alpha=0.3)
    assert value == pytest.approx(1e-7 * 0.3 * alike, rel=1e-6)
