"""Novelty, serendipity and popularity bias against the slow definitions, the worked examples and by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.cases import seeds
from tests.definitions.novelty_cases import OF_HEAD, QRELS, RUN, TRAIN

import rankwell as rw
from rankwell.metrics import metric_of

from .beyond import agree, evaluated, filled, text_of
from .reference_beyond import CORPUS, PER_LIST
from .reference_case import judged_users

SEEDS = seeds(90)
CUTS = (1, 3, None)
UNSEEN = [{"unseen": word} for word in ("max", "laplace", "skip")]
RELEVANCE = [{}, {"relevance": "binary"}, {"relevance": "binary", "rel": 2}, {"relevance": "graded"}]
DISCOUNTS = [{"discount": word} for word in ("log2p1", "none", "reciprocal")]
RELS = [{}, {"rel": 2}]


def crossed(*choices):
    """All combinations of parameters."""
    return [{key: x for part in parts for key, x in part.items()} for parts in itertools.product(*choices)]


KOTKOV = crossed(
    [{"distance": x} for x in (-0.2, 0, 0.3, 0.5, 1)],
    [{"novel": x} for x in (0.01, 0.5)],
    [{"features": x} for x in ("topics", "vectors")],
    RELS,
)
PARAMETERS = {
    "msi": UNSEEN,
    "self_information": UNSEEN,
    "epc": crossed(UNSEEN, DISCOUNTS, RELEVANCE),
    "efd": crossed(UNSEEN, DISCOUNTS, RELEVANCE),
    "unexpectedness": [{"top": top} for top in (1, 3, 100)],
    "serendipity": crossed([{"top": top} for top in (1, 3, 100)], RELS),
    "serendipity_murakami": crossed([{"form": form} for form in ("murakami", "rectools")], RELS),
    "serendipity_kotkov": KOTKOV,
    "arp": [{}],
    "delta_gap": [{}],
    **dict.fromkeys(("aplt", "aclt", "tail_coverage", "pop_rsp"), OF_HEAD),
    "pop_reo": crossed(OF_HEAD, RELS),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_slow_definition_gives_the_same_for_every_parameter(name):
    asked = {text_of(name, p, k): (p, k) for p in PARAMETERS[name] for k in CUTS}
    for seed in SEEDS:
        case = filled(seed)
        res = evaluated(case, *asked)
        frame, judged = res.per_query, set(judged_users(case))
        for text, (parameters, k) in asked.items():
            metric = metric_of(text)
            if name in CORPUS:
                assert agree(res[metric], CORPUS[name](case, k, **parameters)), (seed, text)
                continue
            ours = dict(zip(frame["query"].to_list(), frame[str(metric)].to_list(), strict=True))
            for user, value in PER_LIST[name](case, k, **parameters).items():
                # the slow ones give users without judgements 0; relevance has no value there
                wanted = value if user in judged or not metric.judgements else None
                assert agree(ours.get(user), wanted), (seed, text, user)


LOG3 = 1 / math.log2(3)
BY_HAND = {
    # −log2 of 1/4 and 2/4; of 4/4 and 1/4; of 1/4 twice
    "msi": [1.5, 1.0, 2.0],
    # of 1/5 and 3/5; of 5/5 and 1/5; of 1/5 twice
    "msi(unseen=laplace)": [-math.log2(3 / 25) / 2, math.log2(5) / 2, math.log2(5)],
    "msi(unseen=skip)": [1.0, 0.0, None],
    # of 1/8 and 2/8; of 4/8 and 1/8; of 1/8 twice
    "self_information": [2.5, 2.0, 3.0],
    "self_information(unseen=skip)": [2.0, 1.0, None],
    "epc(discount=none)": [0.75, 0.5, 1.0],
    "epc(discount=none,unseen=skip)": [0.5, 0.0, None],
    "epc(discount=none,unseen=laplace)": [0.6, 0.4, 0.8],
    "efd": [(3 + 2 * LOG3) / (1 + LOG3), (1 + 3 * LOG3) / (1 + LOG3), 3.0],
    # b alone, at rank 2, whose weight is in the norm too
    "efd(unseen=skip)": [2.0, 1.0, None],
    # g_max = 1: gain 1/2 for a relevant item; b is known to half of the users, x and y to nobody
    "epc(discount=none,relevance=graded)": [(0.5 + 0.25) / 2, 0.25, 0.0],
    "epc(discount=none,relevance=graded,max_grade=2)": [(0.25 + 0.125) / 2, 0.125, 0.0],
    "epc(discount=none,relevance=binary,unseen=skip)": [0.5, 0.0, None],
    "unexpectedness(top=2)": [0.5, 0.5, 1.0],
    # what train lacks is unexpected however many are expected
    "unexpectedness(top=100)": [0.5, 0.5, 1.0],
    "serendipity(top=2)": [0.5, 0.5, 0.0],
    "arp": [1.0, 2.0, 0.0],
    # the head is a, b and c: 7 of 8 rows; 6 are fewer than .8 of them
    "aplt": [0.5, 0.5, 1.0],
    "aclt(head=top,at=1)": [2.0, 1.0, 2.0],
    # of u and v: profiles 7/3 and 3 users per item, lists 1 and 0; U cancels
    "delta_gap": (0.5 - 8 / 3) / (8 / 3),
    # relevant and new are x, y and c, of the tail all; of the head only b is relevant, which u has: one part is left
    "pop_reo(head=top,at=2)": 0.0,
}


@pytest.mark.parametrize("metric", BY_HAND)
def test_an_item_that_train_lacks_is_unseen_unexpected_and_of_the_tail(metric):
    res = rw.evaluate(RUN, QRELS, [metric], train=TRAIN)
    if isinstance(BY_HAND[metric], float):
        assert res[metric] == pytest.approx(BY_HAND[metric], rel=0, abs=1e-12)
        return
    frame = res.per_query
    found = dict(zip(frame["query"].to_list(), frame[str(metric_of(metric))].to_list(), strict=True))
    assert [found[user] for user in RUN] == [
        value if value is None else pytest.approx(value, rel=0, abs=1e-12) for value in BY_HAND[metric]
    ]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        # the catalogue is a, b, c, d, x; y is outside it
        ("aplt(head=top,at=2)", (1 / 2 + 0 + 1 / 2) / 3),
        ("aclt(head=top,at=2)", 2 / 3),
        ("tail_coverage(head=top,at=2)", 1 / 3),
        # head a, b: b and a of 6 − (2 + 2); tail c, d, x: x twice of 9 − 1
        ("pop_rsp(head=top,at=2)", (2 / 2 - 2 / 8) / (2 / 2 + 2 / 8)),
        # tail: x of u found, c of v not; y has no part in it, and u has b
        ("pop_reo(head=top,at=2)", 0.0),
        ("msi", (1.5 + 1 + 2) / 3),
        ("self_information(unseen=laplace)", -np.mean([math.log2(3 / 169), math.log2(5 / 169), math.log2(1 / 169)]) / 2),
        # u: x is first by list, fifth by place: (5 − 1)/5 · 1; b is second in both. new: y outside is sixth: (6 − 2)/5 · 1/2
        ("serendipity_murakami", (4 / 5 / 2 + 4 / 5 / 2 / 2 + 0) / 3),
        ("serendipity_murakami(form=rectools)", ((5 / 5) / 2 + (4 / 5) / 2 + 0) / 3),
    ],
)  # fmt: skip
def test_an_item_outside_the_catalogue_counts_in_the_list_and_in_no_part_of_the_catalogue(metric, value):
    policy = rw.Policy(outside="ignore")
    res = rw.evaluate(RUN, QRELS, [metric], train=TRAIN, items=list("abcdx"), policy=policy)
    assert res[metric] == pytest.approx(value, rel=0, abs=1e-12)
    assert res.counts["rows outside the catalogue"] == 2


def test_rows_of_unseen_items_are_counted():
    res = rw.evaluate(RUN, metrics=["msi@1", "epc(unseen=skip)@2"], train=TRAIN)
    assert res.counts["rows of items without training users"] == 4
    assert res.undefined["epc(unseen=skip)@2"] == {"undefined by the list": 1}
