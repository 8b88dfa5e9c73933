"""The slow second implementation of the metrics beyond accuracy: what the fast ones are held against.

`PER_LIST[name](case, k, **parameters)` gives {user: value}, one for each list of the run (ips and snips: one for each
judged user), `CORPUS[name]` one value of all lists; None is undefined. Parameters have rankwell's names and defaults,
but a column of `items=` is a field of the case: features="topics" or "vectors", weights="weights", groups are
`case.groups`. Choices that the definitions leave open stand at the top of each file.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import reference_bias, reference_catalogue, reference_exposure, reference_lists, reference_novelty
from .reference_case import Case, Value, everybody, mean

__all__ = ["CORPUS", "PER_LIST", "Case", "Value", "jackknife", "mean", "random_case"]

CORPUS: dict[str, Callable[..., Value]] = {
    name: getattr(module, name)
    for module, names in {
        reference_catalogue: "coverage prediction_coverage user_coverage topic_coverage test_share gini gini_m1 "
        "gini_diversity entropy entropy_norm simpson effective_items personalization",
        reference_bias: "tail_coverage pop_rsp pop_reo delta_gap",
        reference_exposure: "exposure dp_ratio dtr rmse mae mse",
    }.items()
    for name in names.split()
}
PER_LIST: dict[str, Callable[..., dict[str, Value]]] = {
    name: getattr(module, name)
    for module, names in {
        reference_lists: "ils ild eild",
        reference_novelty: "msi self_information epc efd epd unexpectedness serendipity serendipity_murakami "
        "serendipity_kotkov unserendipity surprise",
        reference_bias: "calibration arp aplt aclt upd",
        reference_exposure: "awrf user_rmse user_mae user_mse ips snips",
    }.items()
    for name in names.split()
}
JUDGED_TOO = {"user_coverage", "pop_reo"}  # their units are judged users without a list too


def without(case: Case, user: str) -> Case:
    """The case without one query: its list and its judgements. What was trained on stays."""
    return replace(
        case,
        lists={other: items for other, items in case.lists.items() if other != user},
        scores={other: rows for other, rows in case.scores.items() if other != user},
        truth={other: rows for other, rows in case.truth.items() if other != user},
        propensity={other: rows for other, rows in case.propensity.items() if other != user},
    )


def jackknife(
    metric: str | Callable[..., Value], case: Case, k: int | None, **parameters: Any
) -> tuple[Value, Value]:
    """A corpus metric of all lists, and its standard error √((n−1)/n Σ(θ_i − θ̄)²), θ_i without list i.

    The estimate is the plain one, not corrected for bias. There is no error with fewer than two lists, or where the
    metric is undefined without one of them.
    """
    value = CORPUS[metric] if isinstance(metric, str) else metric
    name = metric if isinstance(metric, str) else ""
    units = everybody(case) if name in JUDGED_TOO else list(case.lists)
    estimate = value(case, k, **parameters)
    parts = [value(without(case, user), k, **parameters) for user in units]
    defined = [part for part in parts if part is not None]
    n = len(units)
    if estimate is None or n < 2 or len(defined) < n:
        return estimate, None
    middle = math.fsum(defined) / n
    return estimate, math.sqrt((n - 1) / n * math.fsum((part - middle) ** 2 for part in defined))


def random_case(seed: int) -> Case:
    """A small case: 3 to 9 users, 6 to 20 items; the same for the same seed.

    By seed: 0 mod 10 one list only, 1 mod 10 all lists equal, 2 mod 10 all lists empty but one; 0 mod 3 three
    groups of items, else two. Always: a user with a train row, one judged item, an item that nobody has, listed or
    trained on, with a topic of its own. Mostly: ragged and empty lists, users without list, judgements or train rows
    (no key, or an empty dict), items without topics, with a zero vector, without a group, listed but without a train
    user, equal counts, a user with more relevant items than any list is long.
    """
    draw = random.Random(seed)
    users = [f"u{number}" for number in range(1, draw.randint(3, 9) + 1)]
    items = [f"i{number}" for number in range(1, draw.randint(6, 20) + 1)]
    nobodys = items[-1]
    shown, trained = items[:-1], items[:-2]  # the last but one may be listed and has no train user

    whole = draw.sample(shown, draw.randint(2, len(shown)))
    lists: dict[str, list[str]] = {}
    for user in users[:1] if seed % 10 == 0 else users:
        if seed % 10 == 1:
            lists[user] = list(whole)
        elif seed % 10 == 2:
            lists[user] = [] if lists else list(whole)
        elif user == users[0] or draw.random() < 0.85:
            lists[user] = draw.sample(shown, draw.randint(0, min(len(shown), 8)))
    scores = {}
    for user, listed in lists.items():
        falling = sorted((draw.uniform(0.5, 5) for _ in listed), reverse=True)
        scores[user] = dict(zip(listed, falling, strict=True))

    train: dict[str, dict[str, float]] = {}
    for user in [*users, "trained_only"]:
        if user == "trained_only" or draw.random() < 0.8:
            rows = draw.sample(trained, draw.randint(0, min(len(trained), 6)))
            train[user] = {item: float(draw.randint(1, 5)) for item in rows}
    train["trained_only"] = train["trained_only"] or {trained[0]: 4.0}

    judged = shown[seed % 2 :]  # for odd seeds one that nobody judged
    truth: dict[str, dict[str, float]] = {}
    for user in [*users, "judged_only"]:
        if user in {users[0], "judged_only"} or draw.random() < 0.7:
            rows = draw.sample(judged, draw.randint(1, len(judged)))
            truth[user] = {item: float(draw.choice([0, 0, 1, 2, 3])) for item in rows}
    truth[users[0]] = {item: float(draw.randint(1, 3)) for item in judged}
    propensity = {user: {item: draw.uniform(0.05, 1) for item in rows} for user, rows in truth.items()}

    names = ["drama", "comedy", "war", "noir"]
    topics = {item: set(draw.sample(names, draw.randint(0, 3))) for item in items if draw.random() < 0.9}
    topics[nobodys] = {"lonely"}
    vectors = {
        item: [0.0] * 3 if draw.random() < 0.15 else [float(draw.randint(-2, 3)) for _ in range(3)]
        for item in items
    }
    labels = ["north", "south"] + (["west"] if seed % 3 == 0 else [])
    groups: dict[str, str | None] = {item: draw.choice([*labels, *labels, None]) for item in items}
    groups.update(zip(items, labels, strict=False))
    weights = {item: 0.0 if draw.random() < 0.1 else draw.uniform(0.1, 2) for item in items}
    return Case(lists, items, scores, truth, topics, vectors, groups, weights, train, propensity)
