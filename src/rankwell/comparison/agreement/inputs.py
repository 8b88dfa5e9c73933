"""What the functions about agreement are given: runs by name, the policy, and how files are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwell.errors import brief
from rankwell.matching.policy import Policy, Rules, policy_with
from rankwell.readers import open_run
from rankwell.readers.sources import refuse_unnamed
from rankwell.tables.run_qrels import Run


def named(runs: Mapping[Any, Any]) -> dict[str, Any]:
    """Return runs by the text of their names."""
    return {name if isinstance(name, str) else brief(name): run for name, run in runs.items()}


def opened(runs: Mapping[Any, Any], options: Mapping[str, Any]) -> dict[str, Run]:
    """Return runs, which are read when they are evaluated; UsageError for one run in place of runs by name."""
    refuse_unnamed(runs, "agreement")
    return {name: open_run(run, name=name, **options) for name, run in named(runs).items()}


def policy_of(policy: Policy | None, options: dict[str, Any], *others: str) -> Policy:
    """Return the policy, with fields that are given by themselves, which are taken out of the options."""
    rules = {word: options.pop(word) for word in Rules.__annotations__ if word in options}
    return policy_with(policy, rules, others)
