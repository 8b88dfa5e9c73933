"""The same name in every tool: the number that each would print for these data, and in what its definition differs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from itertools import product
from typing import Any, Unpack

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import RankwellError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import read_inputs, read_tables
from rankwell.evaluation.preset import Preset, names, preset_of
from rankwell.evaluation.request import Request, Words, read_with, reading_of
from rankwell.matching.groups import COPIES
from rankwell.matching.lists import OWN
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import value_text
from rankwell.records import record
from rankwell.results import Results
from rankwell.results.warnings import warn
from rankwell.tables.arguments import ordered
from rankwell.tables.run_qrels import Qrels, Run

__all__ = ["Rosetta", "rosetta"]


Rules = Mapping[str, Any]


Key = tuple[Metric, str]  # the metric asked for, and the name of a preset


# rules that are worth a word, and the word for a value
RULE_WORDS = {
    "missing": {"skip": "only users that both sides have", "empty": "users without a list count as 0"},
    "population": {"listed": "lists without judgements count", "judged": "only lists of judged users count"},
    "undefined": {"zero": "0 where nothing is relevant", "one": "1 where nothing is relevant", "skip": "users with nothing relevant are left out"},
    "grades": {"interactions": "all relevant items are alike", "judgements": "grades are gains as they are"},
    "ties": {"order": "equal scores as given", "item-asc": "equal scores by id ascending", "expected": "equal scores averaged", "worst": "of equal scores the worst first"},
    "duplicates": {"each": "each copy of an item counts", "first": "later copies gain nothing", "drop": "later copies are left out"},
    "depth": {"all": "lists are read to their end"},
    "unjudged": {"nonrelevant": "unjudged items are not relevant"},
    "scores": {"single": "scores of 32 bits"},
    "drop_own_query": {"True": "a query's own id is left out of its list", "False": "a query's own id stays in its list"},
}  # fmt: skip


# what is asked by default, by what was given
USUAL = {
    "qrels": ("ap@10", "ndcg@10", "rr@10", "p@10", "r@10"),
    "train": ("arp@10", "msi@10"),
    "items": ("coverage@10",),
}


@ordered(
    "rosetta takes the run, the judgements and the metrics; others by name: rw.rosetta(run, qrels, 'ndcg@10', rel=8)."
)
def rosetta(
    run: Any,
    qrels: Any,
    metrics: str | Metric | type[Metric] | Iterable[Any] | None = None,
    *,
    train: Any = None,
    items: Any = None,
    users: Any = None,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
    read: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    **rules: Unpack[Words],
) -> Rosettas:
    """Return for each metric what other tools would print for the same data, and why.

    Parameters
    ----------
    run, qrels
        As for ``rankwell.evaluate``; None as judgements for metrics of lists alone.
    metrics
        Names with cut-offs, such as ``"ndcg@10"``; each tool means its own by it. By default the usual ones at 10: with judgements ap,
        ndcg, rr, p and r, with ``train`` arp and msi, with ``items`` coverage.
    train, items, users
        As for ``rankwell.evaluate``, for metrics that need them here or in another tool.
    policy, rules
        What the grades are, from which one an item is relevant (``grades``, ``rel``) and of which group it is (``group``), for every
        tool alike; other rules are those of the first line.
    read, columns
        As for ``rankwell.evaluate``.

    Returns
    -------
    Rosettas
        A list of one table per metric: values, tools, definitions, differences. A dagger marks a definition that was read in a
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
    >>> [table] = rosetta(run, None, "coverage@2", items=["a", "b", "c", "d"], train={"ann": ["c", "d"]})
    >>> table.lines[0].value
    0.5
    """
    if metrics is None:
        tables = {"qrels": qrels, "train": train, "items": items}
        metrics = [name for word, names in USUAL.items() if tables[word] is not None for name in names]
    of_runs, of_qrels = reading_of(read_with(read, rules), columns=columns)
    own_metrics, policy = metrics_of(metrics), policy_with(policy, rules)
    if sized := [str(metric) for metric in own_metrics if "sizes" in metric.needed()]:
        raise UsageError(
            f"{sized[0]} reads the sizes of items, which no other tool does; leave it out of a rosetta."
        )
    request = Request(
        metrics=own_metrics, policy=policy, qrels=qrels, train=train, items=items, users=users, of_runs=of_runs, of_qrels=of_qrels,
    )  # fmt: skip
    tools = Tools(request)
    # a tool's definition may need a table that ours does without
    needs = frozenset().union(*(metric.needed() for metric in (*own_metrics, *tools.metrics)))
    train, items, users = read_tables(request, needs)
    tools.request = replace(request, train=train, items=items, users=users)
    inputs = read_inputs(tools.request, [run])
    once = _read_once(inputs.runs[0])
    res = Evaluator.of(tools.request, inputs).results_of(once)
    warn([res], stacklevel=2)
    tools.evaluate(once, inputs.qrels, res.policy)
    return Rosettas(_one(metric, res, inputs.qrels, tools) for metric in inputs.metrics)


@record
class ToolLine:
    """One tool: the number, the metric behind it, and what differs from the first line."""

    tool: str
    version: str
    value: float
    n: int
    metric: Metric
    differs: str
    is_confirmed: bool


class Rosetta(Result):
    """One metric in all tools; ``print`` it, or take ``to_table()`` and its forms, or ``lines``."""

    def __init__(self, asked: Metric, lines: list[ToolLine], notes: list[str]) -> None:
        self.asked, self.lines, self.notes = asked, lines, notes

    def to_table(self) -> Table:
        """Return one row per tool, the same numbers together."""
        columns = [
            Column("value", "value"),
            Column("n", "count"),
            *map(Column, ("tool", "definition", "differs in")),
        ]
        rows: list[tuple[Cell, ...]] = []
        for line in self.lines:
            mark = "" if line.is_confirmed else " †"
            tool = f"{line.tool} {line.version}{mark}".strip()
            rows.append((line.value, line.n, tool, line.metric.signature, line.differs))
        distinct = len({f"{line.value:.4f}" for line in self.lines if not math.isnan(line.value)})
        caption = f"{self.asked} of these data: {distinct} numbers from {len(self.lines)} definitions in use"
        return Table(columns, rows, caption=caption, notes=self.notes)


class Rosettas(Result, list[Rosetta]):
    """One table per metric, below each other."""

    def tables(self) -> list[Table]:
        """Return the table of each metric."""
        return [rosetta.to_table() for rosetta in self]


def _read_once(run: Run) -> Run:
    """The same run as columns, so that a file is not read again for each evaluation."""
    columns = Run.of_rows(run.rows.table(), run.name)
    columns.matrix = run.matrix
    return columns


def _one(metric: Metric, res: Results, qrels: Qrels | None, tools: Tools) -> Rosetta:
    ours = ToolLine("rankwell", "", res[metric], res.n[str(metric)], metric, "", is_confirmed=True)
    plain, matters = tools.request.policy.to_dict() | {"grades": res.grades}, _matters(res, metric, qrels)
    settings, failed = tools.of(metric)
    if not settings and not failed:
        raise UsageError(f"no other tool that is known here has {metric.name}.")
    lines = [ours]
    for setting, theirs in settings:
        tool, tool_metric = setting.preset, setting.metric
        # whether a query's own id is left out matters only where some list holds it
        own = {"drop_own_query"} if OWN in res.counts or OWN in theirs.counts else set()
        differs = _differences(metric, tool_metric, plain, setting.rules.to_dict(), matters | own)
        n = theirs.n[str(tool_metric)]
        lines.append(
            ToolLine(tool.tool, tool.version, theirs[tool_metric], n, tool_metric, differs, tool.is_confirmed)
        )
    # rounded, so that tools that differ in the last bits stand together, in the order of their names
    lines.sort(key=lambda line: (math.isnan(line.value), -round(line.value, 12), line is not ours, line.tool))
    notes = ["† read in its code, not run"] if any(not line.is_confirmed for line in lines) else []
    return Rosetta(metric, lines, [*notes, *failed])


def _matters(res: Results, metric: Metric, qrels: Qrels | None) -> set[str]:
    """The rules that make a difference for these data."""
    counts, rules = res.counts, {"depth", "unjudged"}
    rules |= {"missing"} if counts.get("judged queries missing from the run") else set()
    rules |= {"ties", "scores"} if counts.get("queries in which ties could change a value") else set()
    rules |= {"population"} if counts.get("lists without judgements") else set()
    rules |= {"duplicates"} if counts.get(COPIES) else set()
    rules |= {"undefined"} if str(metric) in res.undefined else set()
    grades = (
        np.empty(0)
        if qrels is None or qrels.grade is None
        else qrels.grade[res.conditions.scale.relevant(qrels.grade)]
    )
    return rules | ({"grades"} if len(grades) and grades.min() != grades.max() else set())


def _differences(ours: Metric, theirs: Metric, plain: Rules, other: Rules, matters: set[str]) -> str:
    """Parameters and rules that are not ours and make a difference here, in words."""
    our_values, their_values = ours.resolved(), theirs.resolved()
    words = [
        f"{name} {value_text(value)}"
        for name, value in their_values.items()
        if value != our_values.get(name) and value is not None and theirs.applies(name)
    ]
    is_graded = any(field.name == "gain" for field in fields(ours))
    is_binary = other["grades"] == "interactions"
    for name, meanings in RULE_WORDS.items():
        is_idle = (
            name not in matters
            or (name == "undefined" and is_binary and other["population"] != "listed")
            or (name == "grades" and not is_graded)
        )
        # a rule that is off is not there
        their_rule, our_rule = (str(rules.get(name, False)) for rules in (other, plain))
        if their_rule != our_rule and not is_idle and their_rule in meanings:
            words.append(meanings[their_rule])
    return "; ".join(words)


@record
class ToolSetting:
    """What a tool means by a metric, and its rules."""

    preset: Preset
    metric: Metric
    rules: Policy


class Tools:
    """The setting of each tool for each metric asked for, its results, and the errors where there are none."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.settings: dict[Key, ToolSetting] = {}
        self.results: dict[Key, Results] = {}
        self.failed: dict[Key, RankwellError] = {}
        for metric, name in product(request.metrics, names()):
            preset = preset_of(name)
            if (reason := preset.not_reproduced.get(metric.name)) is not None:
                self.failed[metric, name] = UsageError(f"{metric.name} is not reproduced: {reason}.")
            elif preset.has(metric):
                try:
                    theirs = metric_of(preset.metric(metric))
                    meant = ToolSetting(preset, theirs, preset.policy_of(metric, request.policy))
                except RankwellError as error:
                    self.failed[metric, name] = error
                else:
                    self.settings[metric, name] = meant

    @property
    def metrics(self) -> list[Metric]:
        """What the tools mean by the metrics asked for."""
        return [setting.metric for setting in self.settings.values()]

    def evaluate(self, run: Run, qrels: Qrels | None, ours: Policy) -> None:
        """Evaluate a run under each setting, at once under those with the same rules and judgements.

        Where groups are folded, ``ours`` says what all judgements are of; those that a tool is given may not tell.
        """
        groups: dict[tuple[Policy, bool], list[Key]] = {}
        for key, setting in self.settings.items():
            rules = replace(setting.rules, judged=ours.judged)
            groups.setdefault((rules, setting.preset.is_binary), []).append(key)
        for (rules, _), keys in groups.items():
            preset = self.settings[keys[0]].preset
            judgements = None if qrels is None else preset.judgements(qrels, self.request.policy, rules)
            self._evaluate(run, judgements, rules, keys)

    def _evaluate(self, run: Run, qrels: Qrels | None, rules: Policy, keys: list[Key]) -> None:
        metrics = dict.fromkeys(self.settings[key].metric for key in keys)
        try:
            request = replace(
                self.request, metrics=tuple(metrics), policy=rules, qrels=qrels, tie_ranges=False
            )
            self.results |= dict.fromkeys(keys, Evaluator.of(request).results_of(run))
        except RankwellError as error:
            if len(metrics) == 1:
                self.failed |= dict.fromkeys(keys, error)
                return
            for metric in metrics:  # only those that fail by themselves have failed
                self._evaluate(
                    run, qrels, rules, [key for key in keys if self.settings[key].metric == metric]
                )

    def of(self, asked: Metric) -> tuple[list[tuple[ToolSetting, Results]], list[str]]:
        """Return the settings for a metric with their results, and what is to be said of those that failed."""
        keys = [(asked, name) for name in names()]
        results = [(self.settings[key], self.results[key]) for key in keys if key in self.results]
        by_reason: dict[str, list[str]] = {}  # a reason that several tools share is printed once
        for key in keys:
            if key in self.failed:
                by_reason.setdefault(str(self.failed[key]), []).append(preset_of(key[1]).tool)
        return results, [
            f"{', '.join(dict.fromkeys(tools))}: {reason}" for reason, tools in by_reason.items()
        ]
