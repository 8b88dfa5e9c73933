"""Limits: conditions on one number of the new system: its means, their bounds, the queries that it lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.comparison.gate.checks import Margin
from rankwell.comparison.gate.deciding import Limit, Rules, Status
from rankwell.comparison.groups import Groups
from rankwell.display.text import beside, whole
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.statistics.many import intervals

MISSING = "judged queries missing from the run"
Amounts = Mapping[str, Any] | float | str | None


def named(name: str, metrics: Sequence[Metric], word: str) -> str:
    """Return the text of a metric that is one of those checked; raises UsageError for others."""
    wanted = metric_of(name)
    if wanted not in metrics:
        names = [str(each) for each in metrics]
        raise UsageError(
            f"{word}: {wanted} is none of the metrics, {one_of(names)}.{nearest(str(wanted), names)}"
        )
    return str(wanted)


def _amounts(given: Amounts, metrics: Sequence[Metric], word: str) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        given = {str(metric): given for metric in metrics}
    found = {}
    for name, value in given.items():
        own = named(name, metrics, word)
        try:
            found[own] = float(value)
        except (TypeError, ValueError):
            raise UsageError(
                f"{word} is a number or numbers by metric, such as 0.3, not {brief(given)}."
            ) from None
        low, high = metric_of(own).range
        if not low <= found[own] <= high:  # nan is in no range
            raise UsageError(f"{word}: {found[own]:g} is none of the values of {own}, {low:g} to {high:g}.")
    return found


def means_at_least(aligned: Aligned, given: Amounts) -> list[Limit]:
    """Return whether the new means reach what they must, as estimated."""
    found = []
    res = aligned.results[0]
    for name, least in _amounts(given, aligned.metrics, "minimum").items():
        value = res.mean[name]
        better = metric_of(name).better
        holds = value <= least if better == "lower" else value >= least
        bound = "at most" if better == "lower" else "at least"
        found.append(
            Limit(
                f"{name} {bound} {whole(least)}",
                value,
                "pass" if holds else "fail",
                f"the mean is {beside(value, least)}",
            )
        )
    return found


def means_surely_at_least(aligned: Aligned, groups: Groups, given: Amounts, rules: Rules) -> list[Limit]:
    """Return whether the one-sided bounds of the new means reach what they must."""
    found = []
    for name, least in _amounts(given, aligned.metrics, "sure_minimum").items():
        metric = metric_of(name)
        row = aligned.values(metric)[:1]
        told = intervals(
            row,
            aligned.units,
            level=1 - 2 * rules.alpha,
            seed=rules.seed,
            limits=metric.range,
            design=groups.design,
        )
        is_lower = metric.better == "lower"
        bound = float((told.high if is_lower else told.low)[0])
        word = "at most" if is_lower else "at least"
        if math.isnan(bound):  # without spread there is no bound but the value itself
            known = row[~np.isnan(row)]
            bound = float(known[0]) if len(known) > 1 else math.nan
        holds = bound <= least if is_lower else bound >= least
        status: Status = "inconclusive" if math.isnan(bound) else "pass" if holds else "fail"
        why = f"its bound is {beside(bound, least)}"
        found.append(Limit(f"{name} surely {word} {whole(least)}", bound, status, why))
    return found


def lost_at_most(aligned: Aligned, limit: Margin) -> Limit:
    """Return whether the new system leaves queries unanswered, or undefined, that the baseline answers."""
    new, old = aligned.results
    judged = max(new.counts.get("judged queries", 0), len(aligned.queries), 1)
    unanswered = max(new.counts.get(MISSING, 0) - old.counts.get(MISSING, 0), 0)
    lost = unanswered
    for metric in aligned.metrics:
        values = aligned.values(metric)
        lost = max(lost, int(np.count_nonzero(np.isnan(values[0]) & ~np.isnan(values[1]))))
    share = lost / judged
    why = f"{lost:,} of {judged:,} queries are lost: unanswered, or undefined where the baseline is not"
    # a share of queries, also where it is written as a number
    return Limit(
        f"lost queries at most {limit.value * 100:g}%",
        share,
        "pass" if share <= limit.value else "fail",
        why,
    )
