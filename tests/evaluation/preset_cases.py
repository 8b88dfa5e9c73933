"""A small run, its judgements, and the values of a preset."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tools import make_elsewhere_page

import rankwell as rw
from rankwell.evaluation.preset import preset_of
from rankwell.metrics import metric_of

# a list of two, a user without a list, a user without truth, and more relevant items than k
LISTS = {"1": list("axbcy"), "2": list("de"), "3": list("xyzwv"), "5": list("abcde")}
TRUTH = {
    "1": dict.fromkeys("abcfghi", 1),
    "2": dict.fromkeys("de", 1),
    "3": dict.fromkeys("ab", 1),
    "4": dict.fromkeys("ac", 1),
}


def ours(
    tool: str, wanted: Iterable[str], run: Any, truth: Any, policy: rw.Policy | None = None
) -> dict[str, float]:
    """The values under a preset; a name with switches is an option of the tool, under the preset's rules."""
    preset, given = preset_of(tool.partition(",")[0]), policy or rw.Policy()
    qrels, found = rw.read_qrels(truth), {}
    groups: dict[tuple[rw.Policy, bool], list[str]] = {}
    for name in wanted:
        groups.setdefault((preset.policy_of(metric_of(name), given), "(" in name), []).append(name)
    for (rules, is_option), group in groups.items():
        if tool.startswith("lenskit"):  # it was given no list of a user without truth
            rules = replace(rules, population="all", grades="judgements" if is_option else rules.grades)
            judged = qrels if is_option else preset.judgements(qrels, given)
            res = rw.evaluate(
                run, judged, [name if is_option else preset.metric(name) for name in group], policy=rules
            )
        elif not is_option:
            res = rw.evaluate(run, qrels, group, preset=preset.name, policy=given)
        elif tool.endswith("gains"):  # the tool takes grades too, in a way of its own
            res = rw.evaluate(run, qrels, group, policy=replace(rules, grades="judgements"))
        else:
            res = rw.evaluate(run, preset.judgements(qrels, given), group, policy=rules)
        found |= zip(group, res.mean.values(), strict=True)
    return found


def beyond_accuracy(tool: str) -> dict[str, dict[str, Any]]:
    """What is stored of a tool's numbers on the lists of MovieTweetings, by the names of the preset's metrics."""
    stored = json.loads(make_elsewhere_page.STORED.read_text(encoding="utf-8"))["tools"]
    preset, found = preset_of(tool), {}
    for entry in stored[tool]["lists"].values() if tool in stored else ():
        for name in preset.metrics if entry["metric"] else ():
            whole = metric_of(entry["metric"])
            if metric_of(preset.metrics[name], complete=False) == replace(whole, k=None):
                found[name] = entry
    return found
