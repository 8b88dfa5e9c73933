"""The same name in every tool: the number that each would print for these data, and in what its definition differs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from rankwell.display.table import Cell, Column, Table
from rankwell.errors import RankwellError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs, read_inputs
from rankwell.evaluation.preset import Preset, names, preset_of
from rankwell.judge.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import value_text
from rankwell.results import Results
from rankwell.tables.run_qrels import Qrels, Run

__all__ = ["Rosetta", "rosetta"]
Rules = Mapping[str, Any]
# rules that are worth a word, and the word for a value
TOLD = {
    "missing": {"skip": "only users that both sides have", "empty": "users without a list count as 0"},
    "undefined": {"zero": "0 where nothing is relevant", "skip": "users with nothing relevant are left out"},
    "grades": {"interactions": "all relevant items are alike", "judgements": "grades are gains as they are"},
    "ties": {"order": "equal scores as given", "item-asc": "equal scores by id ascending", "expected": "equal scores averaged"},
    "scores": {"single": "scores of 32 bits"},
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One tool: the number, the metric behind it, and what differs from the first line."""

    tool: str
    version: str
    value: float
    n: int
    metric: Metric
    differs: str
    is_confirmed: bool


class Rosetta:
    """One metric in all tools; ``print`` it, or take ``to_table()`` and its forms, or ``lines``."""

    def __init__(self, asked: Metric, lines: list[Line], notes: list[str]) -> None:
        self.asked, self.lines, self.notes = asked, lines, notes

    def to_table(self) -> Table:
        """Return one row per tool, the same numbers together."""
        columns = [
            Column("value", "value"),
            Column("n", "count"),
            Column("tool"),
            Column("definition"),
            Column("differs in"),
        ]
        rows: list[tuple[Cell, ...]] = []
        last = None
        for line in self.lines:
            shown = None if last is not None and f"{line.value:.4f}" == f"{last:.4f}" else line.value
            mark = "" if line.is_confirmed else " †"
            tool = f"{line.tool} {line.version}{mark}".strip()
            rows.append((shown, line.n, tool, line.metric.signature, line.differs))
            last = line.value
        distinct = len({f"{line.value:.4f}" for line in self.lines if not math.isnan(line.value)})
        caption = f"{self.asked} of these data: {distinct} numbers from {len(self.lines)} definitions in use"
        return Table(columns, rows, caption=caption, notes=self.notes)

    def __repr__(self) -> str:
        return self.to_table().to_text()

    def _repr_html_(self) -> str:
        return self.to_table().to_html()


def rosetta(
    run: Any,
    qrels: Any,
    metrics: str | Metric | type[Metric] | Iterable[Any],
    *,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
) -> list[Rosetta]:
    """Return for each metric what other tools would print for the same data, and why.

    Parameters
    ----------
    run, qrels
        As for ``rankwell.evaluate``.
    metrics
        Names with cut-offs, such as ``"ndcg@10"``; each tool means its own by it.
    policy
        What the grades are and from which one an item is relevant (``grades``, ``rel``), for every tool alike.

    Returns
    -------
    list[Rosetta]
        One table per metric: values, tools, definitions, differences. A dagger marks a definition that was read in a
        tool's code and not run.

    Raises
    ------
    RankwellError
        If the data cannot be evaluated, or no tool has the metric.

    Examples
    --------
    >>> run, qrels = {"ann": ["a", "b", "c"]}, {"ann": {"a": 1, "c": 1, "d": 1, "e": 1, "f": 1}}
    >>> [table] = rosetta(run, qrels, "ap@3")
    >>> {line.tool: round(line.value, 3) for line in table.lines if line.tool in ("rankwell", "RecTools", "recmetrics")}
    {'recmetrics': 0.833, 'rankwell': 0.556, 'RecTools': 0.333}
    """
    inputs = read_inputs(metrics, policy, runs=[run], qrels=qrels)
    if inputs.qrels is None:
        raise UsageError("rosetta compares tools on judged data: give qrels=.")
    return [_one(inputs.runs[0], inputs.qrels, each, policy) for each in inputs.metrics]


def _one(run: Run, qrels: Qrels, asked: Metric, policy: Policy) -> Rosetta:
    res = Evaluator.of(Inputs.of([asked], policy, qrels=qrels)).results_of(run)
    ours = Line("rankwell", "", res[asked], res.n[str(asked)], asked, "", is_confirmed=True)
    plain, matters = policy.to_dict() | {"grades": res.grades}, _matters(res, qrels)
    rest, failed = [], []
    for name in names():
        preset = preset_of(name)
        if not preset.has(asked):
            continue
        try:
            rest.append(_theirs(preset, run, qrels, asked, policy, plain, matters))
        except RankwellError as error:
            failed.append(f"{preset.tool}: {error}")
    if not rest and not failed:
        raise UsageError(f"no other tool that is known here has {asked.name}.")
    ordered = sorted(
        [*rest, ours],
        key=lambda line: (math.isnan(line.value), -round(line.value, 12), line is not ours, line.tool),
    )
    notes = ["† read in its code, not run"] if any(not line.is_confirmed for line in ordered) else []
    return Rosetta(asked, ordered, [*notes, *failed])


def _theirs(
    preset: Preset, run: Run, qrels: Qrels, asked: Metric, policy: Policy, plain: Rules, matters: set[str]
) -> Line:
    metric = preset.metric(asked)
    rules = preset.policy_of(asked, policy)
    inputs = Inputs.of([metric], rules, qrels=preset.judgements(qrels, policy, rules))
    res = Evaluator.of(inputs).results_of(run)
    differs = _differences(asked, metric, plain, rules.to_dict(), matters)
    return Line(
        preset.tool, preset.version, res[metric], res.n[str(metric)], metric, differs, preset.is_confirmed
    )


def _matters(res: Results, qrels: Qrels) -> set[str]:
    """The rules that make a difference for these data."""
    counts = res.counts
    found = {"missing"} if counts.get("judged queries missing from the run") else set()
    found |= {"ties", "scores"} if counts.get("queries in which ties could change a value") else set()
    found |= {"undefined"} if res.undefined else set()
    grades = np.empty(0) if qrels.grade is None else qrels.grade[res.conditions.scale.relevant(qrels.grade)]
    return found | ({"grades"} if len(grades) and grades.min() != grades.max() else set())


def _differences(ours: Metric, theirs: Metric, plain: Rules, other: Rules, matters: set[str]) -> str:
    """Parameters and rules that are not ours and make a difference here, in words."""
    here, there = ours.resolved(), theirs.resolved()
    words = [
        f"{name} {value_text(value)}"
        for name, value in there.items()
        if value != here.get(name) and value is not None and theirs.applies(name)
    ]
    is_graded = any(field.name == "gain" for field in fields(ours))
    is_binary = other["grades"] == "interactions"
    for name, meanings in TOLD.items():
        is_idle = (
            name not in matters or (name == "undefined" and is_binary) or (name == "grades" and not is_graded)
        )
        if other[name] != plain[name] and not is_idle and other[name] in meanings:
            words.append(meanings[str(other[name])])
    return "; ".join(words)
