"""Presets: what other tools mean by the same names, one TOML file per tool, found by its name.

``[metrics]`` says which metric each name is there, ``[policy]`` what happens at the edges, ``[exceptions]`` what is
different for single metrics. ``confirmed`` says what holds the preset against the tool itself, or that its code was only
read: such a preset appears in a table, but nothing is evaluated under its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rankwell.errors import UsageError, nearest, one_of
from rankwell.judge.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.tables.run_qrels import Qrels

__all__ = ["Preset", "names", "preset_of"]

FOLDER = Path(__file__).parent / "presets"


@dataclass(frozen=True)
class Preset:
    """One tool: which metric each name is, and its policy."""

    name: str
    tool: str
    version: str
    confirmed: str
    not_reproduced: tuple[str, ...]
    policy: Mapping[str, Any]
    metrics: Mapping[str, str]
    exceptions: Mapping[str, Mapping[str, Any]]

    @property
    def is_confirmed(self) -> bool:
        """Whether a test holds it against the tool itself or its published output."""
        return self.confirmed.startswith("run")

    def has(self, metric: Metric) -> bool:
        """Whether the tool has a metric of this name."""
        return metric.name in self.metrics

    def metric(self, wanted: str | Metric | type[Metric]) -> Metric:
        """Return what the tool means by a metric; parameters that were given stay as they are.

        Raises
        ------
        UsageError
            If it has no such metric.
        """
        asked = metric_of(wanted)
        if not self.has(asked):
            raise UsageError(
                f"{self.tool} has no {asked.name} that is known here; it has {one_of(list(self.metrics))}."
            )
        base = metric_of(self.metrics[asked.name], complete=False)
        own = {f.name: getattr(asked, f.name) for f in fields(asked) if getattr(asked, f.name) != f.default}
        return replace(base, **own)

    @property
    def is_binary(self) -> bool:
        """Whether the tool takes rows of judgements as wanted, all alike; what is not relevant is not given to it."""
        return self.policy.get("grades") == "interactions"

    def policy_of(self, metric: Metric, given: Policy | None = None) -> Policy:
        """Return the policy for a metric; what ``given`` says of the data (grades, rel) stays."""
        data = {} if given is None or self.is_binary else {"grades": given.grades, "rel": given.rel}
        rules = {**data, **self.policy, **self.exceptions.get(metric.name, {})}
        if given is not None and given.grades == "interactions":
            rules["grades"] = "interactions"
        return Policy(**rules)

    def applied(self, metrics: Iterable[Metric], given: Policy) -> tuple[tuple[Metric, ...], Policy]:
        """Return metrics and policy as the tool has them, for one evaluation.

        Raises
        ------
        UsageError
            If the preset was read and not run, it lacks a metric, or two of them are under different policies there.
        """
        if not self.is_confirmed:
            raise UsageError(
                f"the preset {self.name!r} was read in the code of {self.tool} and not run; it stands in rankwell rosetta only."
            )
        plain, said = Policy().to_dict(), given.to_dict()
        others = [name for name in said if said[name] != plain[name] and name not in ("grades", "rel")]
        if others:
            raise UsageError(
                f"the preset {self.name!r} decides {one_of(others)}; leave it out, or the preset."
            )
        asked = list(metrics)
        found = [self.metric(metric) for metric in asked]
        policies = [self.policy_of(metric, given) for metric in asked]
        odd = next((n for n, policy in enumerate(policies) if policy != policies[0]), None)
        if odd is not None:
            raise UsageError(
                f"{self.tool} has {asked[0]} and {asked[odd]} under different rules (of missing users, say); evaluate them apart."
            )
        return tuple(found), policies[0]

    def judgements(self, qrels: Qrels, given: Policy) -> Qrels:
        """Return what is given to the tool: all judgements, or the relevant ones where all count alike."""
        if not self.is_binary or qrels.grade is None or given.grades == "interactions":
            return qrels
        least = given.rel
        rows = np.flatnonzero(qrels.grade > 0 if least is None else qrels.grade >= least)
        topic = None if qrels.topic is None else qrels.topic[rows]
        weight = None if qrels.topic_weight is None else qrels.topic_weight[rows]
        chance = None if qrels.propensity is None else qrels.propensity[rows]
        kept = qrels.query[rows], qrels.item[rows], None, topic
        return Qrels(*kept, topic_weight=weight, propensity=chance, name=qrels.name)


def names() -> list[str]:
    """Return the names of all presets."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


@cache
def preset_of(name: str) -> Preset:
    """Return a preset by its name.

    Raises
    ------
    UsageError
        If there is none.

    Examples
    --------
    >>> preset_of("rectools").metric("ap@10"), preset_of("replay").metric("ap@10")
    (ap(denom=R)@10, ap(denom=min_rk)@10)
    """
    if name not in names():
        raise UsageError(f"There is no preset {name!r}; there are {one_of(names())}.{nearest(name, names())}")
    import tomllib

    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return Preset(
        name=name,
        tool=data["tool"],
        version=data["version"],
        confirmed=data["confirmed"],
        not_reproduced=tuple(data["not_reproduced"]),
        policy=data["policy"],
        metrics=data["metrics"],
        exceptions=data.get("exceptions", {}),
    )
