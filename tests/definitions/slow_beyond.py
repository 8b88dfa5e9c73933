"""rankwell held against the slow definitions of exposure, rating errors and weighed metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.cases import seeds

import rankwell as rw

from .beyond import agree
from .reference_beyond import CORPUS, PER_LIST, Case, Value

SEEDS = seeds(90)


def of_judged(case: Case) -> Case:
    """The case with the lists of judged queries alone: a metric that needs judgements sees no others."""
    return replace(case, lists={user: items for user, items in case.lists.items() if case.truth.get(user)})


def needs_judgements(name: str, parameters: dict[str, Any]) -> bool:
    pooled = name == "dp_ratio" and parameters.get("candidates") == "pool"
    return name == "dtr" or pooled or parameters.get("target") == "merit"


def agreeing(
    res: rw.Results, case: Case, k: int | None, metrics: list[tuple[Any, str, dict[str, Any]]]
) -> int:
    frame = res.per_query
    defined = 0
    for metric, name, given in metrics:
        seen = of_judged(case) if needs_judgements(name, given) else case
        theirs: dict[Any, Value] = (
            {"all": CORPUS[name](seen, k, **given)} if name in CORPUS else PER_LIST[name](seen, k, **given)
        )
        ours = (
            {"all": res[metric]}
            if name in CORPUS
            else dict(zip(frame["query"].to_list(), frame[str(metric)].to_list(), strict=True))
        )
        for user, value in theirs.items():
            assert agree(ours[user], value), f"{metric} of {user}: {ours[user]} is not {value}"
        defined += sum(value is not None for value in theirs.values())
    return defined
