"""Cases of the slow metrics beyond accuracy, given to rankwell; and its values compared with theirs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import rankwell as rw

from .reference_beyond import CORPUS, PER_LIST, Case, random_case

POLICY = rw.Policy(grades="judgements", outside="ignore", undefined="skip")


def filled(seed: int) -> Case:
    """A random case without empty lists: a run is made of rows, so that it holds none. A judged user has a list."""
    case = random_case(seed)
    lists = {user: items for user, items in case.lists.items() if items}
    return replace(case, lists={"u1": case.catalogue[:2]} | lists)


def items_of(case: Case) -> list[dict[str, Any]]:
    """The table of items."""
    return [
        {
            "item": item,
            "topics": sorted(case.topics.get(item, ())),
            "vectors": case.vectors.get(item) or [0.0] * max(map(len, case.vectors.values()), default=1),
            "group": case.groups.get(item),
            "weights": case.weights.get(item, 1.0),
        }
        for item in case.catalogue
    ]


def evaluated(case: Case, *metrics: Any, **options: Any) -> rw.Results:
    """rankwell's results; equal scores cannot be, as the lists' order is given."""
    truth = {user: grades for user, grades in case.truth.items() if grades}
    train = {user: grades for user, grades in case.train.items() if grades}
    options = {"items": items_of(case), "train": train, "policy": POLICY} | options
    return rw.evaluate(case.lists, truth, list(metrics), **options)


def text_of(name: str, parameters: dict[str, Any], k: int | None) -> str:
    """A metric as text."""
    inside = ",".join(f"{key}={'none' if value is None else value}" for key, value in parameters.items())
    return (
        f"{name}({inside})" + ("" if k is None else f"@{k}")
        if inside
        else name + ("" if k is None else f"@{k}")
    )


def differences(
    case: Case, name: str, k: int | None, parameters: dict[str, Any], **options: Any
) -> list[str]:
    """Where rankwell and the slow definition differ; empty if they agree to 1e-12."""
    metric = text_of(name, parameters, k)
    ours = evaluated(case, metric, **options)
    if name in CORPUS:
        theirs = CORPUS[name](case, k, **parameters)
        value = ours[metric]
        return [] if agree(value, theirs) else [f"{metric}: {value} is not {theirs}"]
    found = PER_LIST[name](case, k, **parameters)
    frame = ours.per_query
    mine = dict(zip(frame["query"].to_list(), frame[metric].to_list(), strict=True))
    return [
        f"{metric} of {user}: {mine.get(user)} is not {value}"
        for user, value in found.items()
        if not agree(mine.get(user), value)
    ]


def agree(mine: float | None, theirs: float | None) -> bool:
    """Whether two values are equal to 1e-12, undefined ones too."""
    if mine is None or math.isnan(mine):
        return theirs is None
    return theirs is not None and math.isclose(mine, theirs, rel_tol=1e-12, abs_tol=1e-12)
