"""The random cases on which fast and slow metrics are compared: whole, repeatable, and awkward in every way."""

from __future__ import annotations

import math

from tests.every import every

from .reference_beyond import CORPUS, PER_LIST, random_case
from .reference_case import count, judged_users, n_train_users

SEEDS = range(60)
CUTS = (1, 3, None)
GIVEN = {
    "unexpectedness": {"top": 3},
    "serendipity": {"top": 3},
    "serendipity_kotkov": {"distance": 0.3, "novel": 0.5},
    "ips": {"metric": "dcg"},
    "snips": {"metric": "r"},
}


def test_a_random_case_is_the_same_for_the_same_seed():
    assert [random_case(seed) for seed in SEEDS] == [random_case(seed) for seed in SEEDS]


def test_every_random_case_is_whole():
    for seed in SEEDS:
        case = random_case(seed)
        assert 6 <= len(case.catalogue) <= 20
        for user, items in case.lists.items():
            assert len(set(items)) == len(items)
            assert set(items) <= set(case.catalogue)
            scores = [case.scores[user][item] for item in items]
            assert scores == sorted(set(scores), reverse=True)
        assert n_train_users(case) > 0
        assert {u: set(rows) for u, rows in case.truth.items()} == {
            u: set(rows) for u, rows in case.propensity.items()
        }


def edges(case):
    """Which of the awkward things a case has."""
    judged, counts = set(judged_users(case)), [count(case, item) for item in case.catalogue]
    listed = {item for items in case.lists.values() for item in items}
    lengths = [len(items) for items in case.lists.values()]
    found = {
        "ragged lists": len(set(lengths)) > 1,
        "an empty list": 0 in lengths,
        "one list": len(lengths) == 1,
        "all lists equal": len(lengths) > 1 and len({tuple(items) for items in case.lists.values()}) == 1,
        "a list without judgements": bool(case.lists.keys() - judged),
        "judgements without a list": bool(judged - case.lists.keys()),
        "a list without train rows": any(not case.train.get(user) for user in case.lists),
        "an empty profile": any(not rows for rows in case.train.values()),
        "a profile without a list": bool(case.train.keys() - case.lists.keys()),
        "a listed item without a train user": any(count(case, item) == 0 for item in listed),
        "an item without topics": any(not case.topics.get(item) for item in listed),
        "a vector of zeros": any(not any(case.vectors[item]) for item in listed),
        "an item without a group": any(case.groups[item] is None for item in listed),
        "equal counts": len(set(counts)) < len(counts),
        "a topic that no list has": not any("lonely" in case.topics.get(item, ()) for item in listed),
        "more relevant than any list is long": max(map(len, case.truth.values())) > max(lengths),
        "judged, none relevant": any(not any(rows.values()) for rows in case.truth.values()),
        "an item that nobody judged": bool(listed - {i for rows in case.truth.values() for i in rows}),
        "two groups": len(set(case.groups.values()) - {None}) == 2,
        "three groups": len(set(case.groups.values()) - {None}) == 3,
        "a weight of zero": 0 in case.weights.values(),
    }
    return {name: bool(is_there) for name, is_there in found.items()}


def test_random_cases_have_every_edge():
    seen = [edges(random_case(seed)) for seed in SEEDS]
    rare = {name for name in seen[0] if sum(case[name] for case in seen) < 3}
    assert not rare
    assert all(case["a topic that no list has"] for case in seen)


@every("name", [*CORPUS, *PER_LIST])
def test_every_metric_has_values_on_random_cases_and_stays_finite(name):
    values = []
    for seed in SEEDS:
        case = random_case(seed)
        if name in {"dp_ratio", "dtr"} and seed % 3 == 0:
            continue
        for k in CUTS:
            if name in CORPUS:
                values.append(CORPUS[name](case, k))
            else:
                found = PER_LIST[name](case, k, **GIVEN.get(name, {}))
                assert list(found) == (judged_users(case) if name.endswith("ips") else list(case.lists))
                values += found.values()
    defined = [value for value in values if value is not None]
    assert len(defined) > len(values) / 4
    assert all(map(math.isfinite, defined))
    assert len(set(defined)) > 3
