"""One list against what is relevant for its query: how tools of language models ask for a metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rankwell.errors import DataError, brief
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.readers import read_run

QUERY = "this query"
Ask = Callable[[Any, Any], dict[str, float]]


def ask_one_list(
    metrics: Iterable[Wanted] | Wanted, policy: Policy | None, rules: Mapping[str, Any]
) -> tuple[tuple[str, ...], Ask]:
    """Return the names of metrics, and a function that computes them of the ids retrieved and those relevant; NaN where undefined.

    What grades mean is not guessed from those of one query: they are judgements, unless a policy or a rule says otherwise.
    """
    wanted = metrics_of(metrics)
    rules = {"grades": "judgements"} | dict(rules) if policy is None else rules
    whole = policy_with(policy, rules)

    def ask(retrieved: Any, relevant: Any) -> dict[str, float]:
        for word, ids in ("retrieved", retrieved), ("relevant", relevant):
            if isinstance(ids, str) or not isinstance(ids, Iterable):
                raise DataError(f"what is {word} is a list of ids, or a dict of them, not {brief(ids)}.")
        evaluator = Evaluator({QUERY: relevant}, wanted, policy=whole)
        return evaluator.results_of(read_run({QUERY: retrieved})).mean

    return tuple(map(str, wanted)), ask
