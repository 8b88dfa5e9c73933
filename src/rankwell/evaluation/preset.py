"""Presets: definitions and rules of other tools, one TOML file per tool, named after it.

``[metrics]`` maps metric names to the definitions of the tool, ``[policy]`` holds its rules for edge cases, and
``[exceptions]`` the rules that differ for single metrics (``rr`` for each form of it, ``rr@k`` for those with a cut-off).
``[not_reproduced]`` says for a metric of the tool why no definition here has its numbers: asked for, it is refused with that
reason. ``limits`` are data that the tool refuses or has no rule for. ``confirmed`` names the test that compares the preset with the
tool, or says that the tool's code was only read; such a preset appears in tables but cannot be used to evaluate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.arguments import plain
from rankwell.tables.run_qrels import Qrels

__all__ = ["Preset", "names", "preset_of"]


GROUPED = "group", "judged", "outside"
FOLDER = Path(__file__).parent / "presets"


def names() -> list[str]:
    """Return the names of all presets."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def preset_of(name: str) -> Preset:
    """Return a preset by its name; UsageError if no preset has this name.

    Examples
    --------
    >>> preset_of("rectools").metric("ap@10"), preset_of("replay").metric("ap@10")
    (ap(denom=R)@10, ap(denom=min_rk)@10)
    """
    return _preset_of(plain("preset", name, str))


@cache
def _preset_of(name: str) -> Preset:
    if name not in names():
        raise UsageError(
            f"preset={brief(name)}: unknown preset; use {one_of(names())}.{nearest(name, names())}"
        )
    import tomllib

    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return Preset(
        name=name,
        tool=data["tool"],
        version=data["version"],
        confirmed=data["confirmed"],
        limits=tuple(data["limits"]),
        not_reproduced=data.get("not_reproduced", {}),
        policy=data["policy"],
        metrics=data["metrics"],
        exceptions=data.get("exceptions", {}),
    )


@record
class Preset:
    """The metrics and the policy of one tool."""

    name: str
    tool: str
    version: str
    confirmed: str
    limits: tuple[str, ...]
    not_reproduced: Mapping[str, str]
    policy: Mapping[str, Any]
    metrics: Mapping[str, str]
    exceptions: Mapping[str, Mapping[str, Any]]

    @property
    def is_confirmed(self) -> bool:
        """Whether a test compares the preset with the tool itself or its published output."""
        return self.confirmed.startswith("run")

    def has(self, metric: Metric) -> bool:
        """Whether the preset has a metric of this name; the tool may have more."""
        return metric.name in self.metrics

    def metric(self, metric: str | Metric | type[Metric]) -> Metric:
        """Return the tool's definition of a metric; parameters given by the caller are kept.

        Raises
        ------
        UsageError
            If the preset has no such metric, or the tool's definition has no such parameter or needs a cut-off.
        """
        asked = metric_of(metric)
        if asked.budget is not None:
            raise UsageError(f"{asked}: no tool has a budget: leave out the preset {brief(self.name)}.")
        if (reason := self.not_reproduced.get(asked.name)) is not None:
            raise UsageError(
                f"the preset for {self.tool} {self.version} does not reproduce {asked.name}: {reason}. Leave out the preset "
                f"for rankwell's own definition."
            )
        if not self.has(asked):
            raise UsageError(
                f"the preset for {self.tool} {self.version} has no {asked.name}: the tool lacks it, or its numbers have not been "
                f"compared with ours. Use {one_of(list(self.metrics))}; or leave out the preset."
            )
        base = metric_of(self.metrics[asked.name], complete=False)
        # what differs from rankwell's default was asked for; the rest is left to the tool's definition
        own = {f.name: getattr(asked, f.name) for f in fields(asked) if getattr(asked, f.name) != f.default}
        unknown = sorted(own.keys() - {f.name for f in fields(base)})
        if unknown:
            raise UsageError(
                f"{asked}: {self.tool} computes {base} under this name, which has no {unknown[0]}; leave it out."
            )
        theirs = replace(base, **own)
        # what the tool's definition says of cut-offs says nothing without one
        idle: dict[str, Any] = {
            f.name: f.default for f in fields(theirs) if f.name not in own and not theirs.applies(f.name)
        }
        theirs = replace(theirs, **idle)
        theirs.check()
        return theirs

    @property
    def is_binary(self) -> bool:
        """Whether the tool counts every judged row as relevant; nonrelevant rows are not passed to it."""
        return self.policy.get("grades") == "interactions"

    def policy_of(self, metric: Metric, policy: Policy | None = None) -> Policy:
        """Return the policy for a metric; of ``policy`` what it says of the data is kept: grades, and of which groups items are."""
        data = {} if policy is None or self.is_binary else {"grades": policy.grades, "rel": policy.rel}
        if policy is not None and policy.group is not None:
            data |= {name: getattr(policy, name) for name in GROUPED}
        cut = {} if metric.k is None else self.exceptions.get(f"{metric.name}@k", {})
        rules = {**data, **self.policy, **self.exceptions.get(metric.name, {}), **cut}
        if policy is not None and policy.grades == "interactions":
            rules["grades"] = "interactions"
        if rules.get("group") and rules.get("duplicates") == "each":
            del rules["duplicates"]  # a group stands once in its list
        return Policy(**rules)

    def applied(self, metrics: Iterable[Metric], given: Policy) -> tuple[tuple[Metric, ...], Policy]:
        """Return the tool's metrics and policy for one evaluation.

        UsageError if the preset is not confirmed or lacks a metric, or the tool has different policies for two of the metrics.
        """
        if not self.is_confirmed:
            raise UsageError(
                f"the preset {brief(self.name)} cannot be used to evaluate: it was read from the code of {self.tool} and not "
                f"confirmed by running it. It appears only in rankwell rosetta."
            )
        asked = list(metrics)
        own = [self.metric(metric) for metric in asked]
        policies = [self.policy_of(metric, given) for metric in asked]
        free = {"grades", "rel", *(GROUPED if given.group is not None else ())}
        if len({policy.duplicates for policy in policies}) > 1:
            # lists without copies have the same numbers by all of these rules; for others the caller has to say one
            free.add("duplicates")
            policies = [replace(policy, duplicates=given.duplicates) for policy in policies]
        plain, rules = Policy().to_dict(), given.to_dict()
        set_rules = [name for name in rules if rules[name] != plain.get(name) and name not in free]
        if set_rules:
            raise UsageError(
                f"the preset {brief(self.name)} sets every rule, as {self.tool} has it, and you set {', '.join(set_rules)}; give either the "
                f"preset or your own."
            )
        # one evaluation has one policy: metrics of which the tool has another cannot be asked for together
        by_policy: dict[Policy, list[str]] = {}
        for metric, policy in zip(asked, policies, strict=True):
            by_policy.setdefault(policy, []).append(_as_asked(metric))
        if len(by_policy) > 1:
            (one, first), (another, other) = list(by_policy.items())[:2]
            differ = [f.name for f in fields(Policy) if getattr(one, f.name) != getattr(another, f.name)]
            calls = ", then ".join(f"metrics={texts}" for texts in by_policy.values())
            raise UsageError(
                f"{self.tool} has different rules ({', '.join(differ)}) for {first[0]} and {other[0]}; evaluate them one after "
                f"the other: {calls}."
            )
        return tuple(own), policies[0]

    def judgements(self, qrels: Qrels, policy: Policy, rules: Policy | None = None) -> Qrels:
        """Return the judgements to pass to the tool: all of them, or the relevant ones if the tool is binary.

        ``rules`` is the policy of the metrics; errors of predicted ratings see all grades.
        """
        is_binary = self.is_binary and (rules is None or rules.grades == "interactions")
        if not is_binary or qrels.grade is None or policy.grades == "interactions":
            return qrels
        least = policy.rel
        rows = np.flatnonzero(qrels.grade > 0 if least is None else qrels.grade >= least)
        topic = None if qrels.topic is None else qrels.topic[rows]
        weight = None if qrels.topic_weight is None else qrels.topic_weight[rows]
        chance = None if qrels.propensity is None else qrels.propensity[rows]
        columns = qrels.query[rows], qrels.item[rows], None, topic
        judged = Qrels(*columns, topic_weight=weight, propensity=chance, name=qrels.name)
        judged.matrix = qrels.matrix
        return judged


def _as_asked(metric: Metric) -> str:
    """The text of a metric as people ask for it, without the parameters that are its defaults."""
    plain = metric.name if metric.k is None else f"{metric.name}@{metric.k}"
    return plain if metric_of(plain) == metric else str(metric)
