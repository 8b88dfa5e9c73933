"""The arguments that choosing and simulating share, checked: runs with their names, the aim, judgements, the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rankwell.errors import UsageError, brief
from rankwell.judging.measure import Measure
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy, policy_with, refuse_groups
from rankwell.matching.pool import Pool
from rankwell.readers import open_named, open_several, read_qrels
from rankwell.readers.sources import is_one_run, names_as_text, refuse_one_list
from rankwell.tables.run_qrels import Run

Aim = Literal["order", "difference", "mean"]
ALSO = {"order": "two or more runs", "difference": "two runs", "mean": "one run"}


def runs_of(runs: Any, read: Mapping[str, Any]) -> dict[str, Run]:
    """Return runs by name: a mapping, a list, or a single run."""
    if isinstance(runs, Mapping) and not is_one_run(runs):
        return open_named(names_as_text(runs), read)
    refuse_one_list(runs)
    listed = runs if isinstance(runs, Sequence) and not isinstance(runs, str | bytes) else [runs]
    opened = open_several([(run, None) for run in listed], read)
    names = [run.name for run in opened]
    if len({*names}) < len(names):
        # all are numbered, and not only the second of two: which is which can then be told
        names = [f"{name} {at}" for at, name in enumerate(names, start=1)]
    return dict(zip(names, opened, strict=True))


def refuse_aim(aim: Aim, n: int) -> None:
    """Raise UsageError for a number of runs that does not fit what the judgements are for."""
    if not {"order": n >= 2, "difference": n == 2, "mean": n == 1}[aim]:
        fitting = "mean" if n == 1 else "order"
        other = "" if n == 0 else f" For {n} take aim='{fitting}'."
        raise UsageError(
            f"aim={brief(aim)} needs {ALSO[aim]}, and {n or 'none'} {'is' if n == 1 else 'are'} given.{other}"
        )


def ordering_policy(policy: Policy | None, rules: Mapping[str, Any], others: Sequence[str]) -> Policy:
    """Return the policy; UsageError for rules under which an item has no one rank."""
    policy_given = refuse_groups(policy_with(policy, rules, others), "judging is of")
    if policy_given.ties in ("best", "worst", "expected"):
        raise UsageError(
            f"ties={brief(policy_given.ties)} orders by grades that are not known yet; use ties='item-desc'."
        )
    if policy_given.unjudged == "condense":
        raise UsageError(
            "unjudged='condense' gives items other ranks with every judgement; choose with unjudged='nonrelevant'."
        )
    if policy_given.duplicates in ("first", "each"):
        raise UsageError(
            f"duplicates='{policy_given.duplicates}' keeps copies of an item in a list; use duplicates='drop'."
        )
    return policy_given


def pool_for(qrels: Any, measure: Measure, policy: Policy, read: Mapping[str, Any]) -> Pool:
    """Return the judgements, prepared; none if ``qrels`` is None.

    Raises
    ------
    RankwellError
        If they cannot be read, or grades look like ratings and no lowest relevant one is given.
    """
    rel = getattr(measure.metric, "rel", None)
    asked = Asked(policy, rels={str(measure.metric): policy.rel if rel is None else rel})
    return pool_of(None if qrels is None else read_qrels(qrels, **read), asked)[0]
