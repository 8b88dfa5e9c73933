"""Metrics of a list's items among themselves and beside the user's history, against the slow definitions."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
from tests.cases import FEWER
from tests.every import every

from rankwell.metrics import metric_of

from .beyond import agree, evaluated, filled, text_of
from .reference_beyond import PER_LIST
from .reference_case import judged_users

FEATURES = ("topics", "vectors")


def crossed(name, **words):
    """A metric with all combinations of some parameters' values."""
    return [(name, dict(zip(words, chosen, strict=True))) for chosen in itertools.product(*words.values())]


DISCOUNTS = ("log2p1", "none", "reciprocal")
ANY_LIST = [
    *crossed("ils", features=FEATURES, similarity=["cosine", "jaccard"], average=["pairs", "matrix", "sum"],
             missing=["zero", "skip"]),
    *crossed("ild", features=FEATURES, distance=["cosine", "jaccard", "euclidean", "sqeuclidean"],
             missing=["zero", "skip"]),
    *crossed("eild", features=FEATURES, distance=["cosine", "jaccard"], discount=DISCOUNTS,
             weights=["relative", "symmetric"], missing=["zero", "skip"]),
    *crossed("unserendipity", features=FEATURES),
    *crossed("epd", features=FEATURES, distance=["cosine", "jaccard"], discount=DISCOUNTS),
    *crossed("calibration", divergence=["js", "hellinger", "tv"], discount=["none", "log2p1", "reciprocal"], weights=["none", "grade"]),
    *crossed("calibration", smoothing=[0.01, 0.3], base=[2.0, 10.0], weights=["none", "grade"]),
    *crossed("calibration", discount=["none", "log2p1", "reciprocal"]),
    *crossed("upd", head=["volume", "fraction"], at=[0.1, 0.5, 0.8]),
    *crossed("upd", head=["volume", "fraction"], at=[0.2], mid=[0.2, 0.5, 1]),
    *crossed("upd", head=["reach", "quantile"], at=[0.8, 0.5], mid=[0.1, 0.5]),
    *crossed("upd", head=["top"], at=[0, 1], mid=[1, 3]),
    *crossed("upd", head=["count", "iqr"], at=[1, 3], mid=[0, 1]),
    ("upd", {}),
]  # fmt: skip
JUDGED_LISTS = [
    *crossed("eild", features=FEATURES, distance=["cosine", "jaccard"], discount=["log2p1", "none"],
             relevance=["binary"], weights=["relative", "symmetric"], missing=["zero", "skip"], rel=[None, 2.0]),
    *crossed("epd", features=FEATURES, distance=["cosine", "jaccard"], relevance=["binary"], rel=[None, 2.0]),
    *crossed("epd", features=FEATURES, discount=DISCOUNTS, relevance=["graded"]),
    *crossed("surprise", features=FEATURES, rel=[None, 2.0]),
]  # fmt: skip
CUTS = (1, 3, None)


def compare(case, pairs, cuts):
    """Compare metrics with the slow definitions on one case; return how many values agreed, defined and undefined."""
    wanted = [(metric_of(text_of(*pair, k)), *pair, k) for pair in pairs for k in cuts]
    frame = evaluated(case, *(each[0] for each in wanted)).per_query
    defined = undefined = 0
    for metric, name, parameters, k in wanted:
        mine = dict(zip(frame["query"].to_list(), frame[str(metric)].to_list(), strict=True))
        for user, value in PER_LIST[name](case, k, **parameters).items():
            assert agree(mine[user], value), (metric, user, mine[user], value)
            defined += value is not None
            undefined += value is None
    return defined, undefined


@every("block", range(5))
def test_random_lists_have_the_values_of_the_slow_definitions(block):
    found = [
        compare(filled(seed), ANY_LIST, [CUTS[seed % 3]])
        for seed in range(block * 12, block * 12 + math.ceil(12 / FEWER))
    ]
    assert min(sum(each) for each in zip(*found, strict=True)) > 300 / FEWER


@every("block", range(5))
def test_random_lists_have_the_values_of_the_slow_definitions_where_relevance_counts(block):
    for seed in range(block * 12, block * 12 + math.ceil(12 / FEWER)):
        case = filled(seed)
        lists = {user: items for user, items in case.lists.items() if user in judged_users(case)}
        assert compare(replace(case, lists=lists), JUDGED_LISTS, [CUTS[seed % 3]])[0] > 0


# --- many features, long lists ------------------------------------------------------------------------------


def wide(seed, users=30, items=80, tags=300):
    """Lists of up to 40 items with up to 12 of many tags each, and a history: more columns than a table may have."""
    draw = np.random.default_rng(seed)
    names = np.array([f"t{tag}" for tag in range(tags)])
    topics = {
        f"i{item}": set(draw.choice(names, draw.integers(0, 12), replace=False)) for item in range(items)
    }

    def sample(most):
        return [f"i{item}" for item in draw.permutation(items)[: draw.integers(1, most)]]

    case = filled(seed)
    return replace(
        case,
        catalogue=[*topics],
        topics=topics,
        lists={f"u{user}": sample(40) for user in range(users)},
        train={f"u{user}": dict.fromkeys(sample(60), 1.0) for user in range(users)},
        truth={"u1": {"i1": 1.0}},
    )


WIDE = [
    *crossed("ils", similarity=["cosine", "jaccard"]),
    *crossed("ild", distance=["euclidean", "sqeuclidean"]),
    *crossed("eild", distance=["cosine", "jaccard"]),
    *crossed("epd", distance=["cosine", "jaccard"]),
    ("unserendipity", {}),
    ("calibration", {}),
]  # fmt: skip


def test_many_features_and_long_lists_change_no_definition():
    for seed in range(3):
        assert compare(wide(seed), WIDE, (10, None))[0] > 400
