"""The arguments of fuse, checked: runs with their names, weights, the number of a method, the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.comparison.fusion.methods import Method
from rankwell.errors import UsageError, brief, nearest
from rankwell.matching.policy import Policy, policy_with
from rankwell.readers import open_several
from rankwell.readers.sources import refuse_one_list, refuse_unnamed
from rankwell.tables.arguments import UNFIT, fitted
from rankwell.tables.run_qrels import Run


def runs_of(runs: Any, read: Mapping[str, Any]) -> list[Run]:
    """Return the runs to fuse; UsageError if there are fewer than two."""
    if not isinstance(runs, (list, tuple)):
        refuse_unnamed(runs, "fuse")
        opened = open_several([(run, str(name)) for name, run in runs.items()], read)
    else:
        refuse_one_list(runs)
        opened = open_several([(run, None) for run in runs], read)
    if len(opened) < 2:
        raise UsageError(f"fuse needs at least two runs, and this is {'one' if opened else 'none'}.")
    return opened


def names_of(runs: Mapping[Any, Any] | Sequence[Any], opened: Sequence[Run]) -> list[str]:
    """Return a name for each run: its key, or that of the run itself, numbered where several have the same.

    >>> names_of([], [Run(["q"], ["a"], name=name) for name in ("bm25", "run", "run")])
    ['bm25', 'run 1', 'run 2']
    """
    given = [str(name) for name in runs] if isinstance(runs, Mapping) else [run.name for run in opened]
    seen: dict[str, int] = {}
    names = []
    for name in given:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if given.count(name) == 1 else f"{name} {seen[name]}")
    return names


def policy_of(policy: Policy | None, rules: Mapping[str, Any], others: Sequence[str]) -> Policy:
    """Return the policy; UsageError for rules under which lists cannot be fused."""
    found = policy_with(policy, rules, others)
    if found.ties in ("best", "worst", "expected"):
        raise UsageError(
            f"ties={brief(found.ties)} orders by grades, and the lists to fuse have none; use ties='item-desc'."
        )
    if found.duplicates == "first":
        raise UsageError("duplicates='first' keeps copies, which cannot be fused; use duplicates='drop'.")
    return found


def weights_of(weights: Any, names: Sequence[str], method: Method) -> tuple[float, ...] | None:
    """Return the weight of each run, None if none were given.

    Raises
    ------
    UsageError
        For a method without weights, a number of weights other than that of the runs, or a weight below 0.
    """
    if weights is None:
        return None
    if not method.is_weighted:
        raise UsageError(f"weights=: {method.name} has none; method='weighted' is a sum with weights.")
    listed = _by_name(weights, names) if isinstance(weights, Mapping) else weights
    try:
        found = tuple(fitted(weight, float) for weight in listed)
    except TypeError:
        found = (UNFIT,)
    if len(found) != len(names) or UNFIT in found or min(found) < 0 or max(found) == 0:
        raise UsageError(
            f"weights= must be {len(names)} numbers, one for each run, none below 0 and not all 0, not {brief(weights)}."
        )
    return found


def _by_name(weights: Mapping[Any, Any], names: Sequence[str]) -> list[Any]:
    for name in weights:
        if name not in names:
            raise UsageError(
                f"weights=: {brief(name)} is no run.{nearest(name, names)} The runs are {', '.join(names)}."
            )
    for name in names:
        if name not in weights:
            raise UsageError(f"weights=: the weight of {brief(name)} is missing; give each run one.")
    return [weights[name] for name in names]


def number_of(given: Mapping[str, float | None], method: Method) -> float | None:
    """Return the number of a method that was given by its name, None if none was; UsageError if it does not fit."""
    own, found = method.parameter, None
    for name, value in given.items():
        if value is None:
            continue
        if own is None or name != own.name:
            raise UsageError(
                f"{name}={value:g}: {method.name} has no {name}{f', but {own.name}=' if own else ''}; leave it out."
            )
        if not own.is_valid(value):
            raise UsageError(f"{name}={value:g}: must be {own.range}.")
        found = float(value)
    return found
