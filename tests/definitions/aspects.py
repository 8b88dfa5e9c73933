"""Cases of the slow metrics of topics, given to rankwell; and its values compared with theirs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import polars as pl

import rankwell as rw

from .both import same, values_of
from .reference_aspects_case import Case, Value

POLICY = rw.Policy(grades="judgements", outside="ignore", undefined="skip")
Wanted = tuple[str, dict[str, Any], int | None]  # name, parameters, cut-off


def qrels_of(case: Case) -> rw.Qrels:
    """The judgements by topic; with the weights of topics, if the case has any."""
    rows = [
        {"query": query, "item": item, "topic": topic, "grade": float(grade)}
        | ({} if case.weights is None else {"topic_weight": float(case.weights[query][topic])})
        for query, items in case.judged.items()
        for item, grades in items.items()
        for topic, grade in grades.items()
    ]
    return rw.read_qrels(pl.DataFrame(rows))


def tables_of(case: Case) -> dict[str, Any]:
    """The tables beside the judgements, as arguments of `evaluate`."""
    tables: dict[str, Any] = {}
    if case.catalogue:
        columns = {
            name: [sorted(table.get(item, ())) for item in case.catalogue]
            for name, table in case.columns.items()
        }
        tables["items"] = pl.DataFrame({"item": case.catalogue, **columns})
    if case.train:
        tables["train"] = {user: dict(rows) for user, rows in case.train.items()}
    if case.given:
        tables["users"] = pl.DataFrame([{"query": user, **rows} for user, rows in case.given.items()])
    return tables


def text_of(name: str, parameters: dict[str, Any], k: int | None) -> str:
    """A metric as text."""
    inside = ",".join(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in parameters.items()
    )
    return name + (f"({inside})" if inside else "") + ("" if k is None else f"@{k}")


def differences(
    case: Case,
    wanted: Iterable[Wanted],
    slow: dict[str, Callable[..., Value]],
    counted: Counter[str],
    lists: dict[str, list[str]] | None = None,
    **options: Any,
) -> list[str]:
    """Where rankwell and the slow definitions differ by more than 1e-12, over all judged queries.

    `lists` are those that rankwell is given, if its policy makes those of the case of them.
    """
    tables = {text_of(*each): each for each in wanted}
    policy = rw.Policy(grades="ratings", rel=case.rel, outside="ignore") if case.are_ratings else POLICY
    res = rw.evaluate(
        lists or case.lists, qrels_of(case), list(tables), **{**tables_of(case), "policy": policy, **options}
    )
    found = []
    for text, (name, parameters, k) in tables.items():
        ours = values_of(res, text)
        for query in case.judged:
            theirs = slow[name](case, query, k, **parameters)
            if not same(ours.get(query), theirs):
                found.append(f"{text} of {query}: {ours.get(query)} is not {theirs}")
            if theirs is None:
                counted["undefined"] += 1
            else:
                counted.update([name, *(f"{name} {key}={value}" for key, value in parameters.items())])
    return found


def drawn(
    seed: int,
    own: dict[str, list[dict[str, Any]]],
    common: Callable[[str, random.Random], dict[str, Any]],
    cut: set[str],
) -> list[Wanted]:
    """Each metric with two choices of parameters; those of `cut` always with a cut-off."""
    rng = random.Random(seed)
    wanted: list[Wanted] = []
    for name, choices in own.items():
        for _ in range(2):
            cuts = [1, 2, 3, 5, 12] if name in cut else [None, 1, 2, 3, 5, 12]
            parameters = {**rng.choice(choices), **common(name, rng)}
            wanted.append((name, parameters, rng.choice(cuts)))
    return wanted


def _under(case: Case, policy: dict[str, Any]) -> Case:
    """The case with the lists that a policy makes of those given."""
    lists = {}
    for query, items in case.lists.items():
        shown: list[str] = []
        for place, item in enumerate(items[: policy["depth"]]):
            if item not in shown:
                shown.append(item)
            elif policy["duplicates"] == "first":  # a later copy keeps its rank and is nothing
                shown.append(f"copy {place}")
        if policy["unjudged"] == "condense":
            shown = [
                item
                for item in shown
                if (case.grade(query, item) or 0) >= 0 and item in case.judged.get(query, {})
            ]
        lists[query] = shown
    return replace(case, lists=lists)


def policy_of(
    seed: int, case: Case, *, condense: bool = True
) -> tuple[dict[str, Any], dict[str, list[str]], Case]:
    """A policy, lists with copies, and the case as it is under that policy."""
    rng = random.Random(seed)
    policy: dict[str, Any] = {
        "duplicates": rng.choice(["first", "drop"]),
        "depth": rng.choice([None, 2, 4]),
        "unjudged": rng.choice(["nonrelevant", "condense"]) if condense else "nonrelevant",
    }
    lists = {query: [*items, *rng.choices(items, k=3)] for query, items in case.lists.items()}
    for items in lists.values():
        rng.shuffle(items)
    return policy, lists, _under(replace(case, lists=lists), policy)
