"""What is behind the plot of ties: the values under the worst and the best order of equal scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from rankwell.errors import UsageError
from rankwell.matching.lists import UNDECIDED
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results import Results
from rankwell.results.values import value_of

# what metrics read that are not computed again under another order of ties
LISTS = frozenset({"shown", "topics"})


class Range(TypedDict):
    """The value of a system, and those under the worst and the best order of equal scores."""

    system: str
    metric: str
    worst: float
    value: float
    best: float


class Touched(TypedDict):
    """The queries of a system in which the order of equal scores could change a value."""

    system: str
    queries: int
    of: int
    share: float


def ranges_of(systems: Mapping[str, Results], metrics: Sequence[Metric]) -> list[Range]:
    """Return the reported value of each system and metric, and its ends; undefined values are left out."""
    rows = list[Range]()
    for metric in metrics:
        for name, res in systems.items():
            value = res.plain_mean[str(metric)]
            if math.isnan(value):
                continue
            best, worst = (
                (value_of(metric, state) for state in res.part.ends[metric])
                if metric in res.part.ends
                else (value, value)
            )
            rows.append(Range(system=name, metric=str(metric), worst=worst, value=value, best=best))
    return rows


def touched_of(systems: Mapping[str, Results]) -> list[Touched]:
    """Return in how many queries of each system the order of equal scores could change a value."""
    rows = list[Touched]()
    for name, res in systems.items():
        queries, lists = res.counts.get(UNDECIDED, 0), res.counts.get("lists", 0)
        share = queries / lists if lists else 0.0
        rows.append(Touched(system=name, queries=queries, of=lists, share=share))
    return rows


def can_move(metric: Metric) -> bool:
    """Whether the order of equal scores can change a metric's value, and results know how far."""
    return isinstance(metric, QueryMetric) and metric.judgements and not LISTS & metric.needed()


def movable(systems: Mapping[str, Results], metrics: Iterable[Wanted] | Wanted | None) -> tuple[Metric, ...]:
    """Return the metrics asked for, by default all, whose values the order of equal scores can change.

    Raises
    ------
    UsageError
        If there is none, or one was not evaluated.
    """
    first = next(iter(systems.values()))
    asked = first.metrics if metrics is None else metrics_of(metrics)
    for metric in asked:
        for res in systems.values():
            res[metric]  # or an error that names the nearest one
    found = tuple(metric for metric in asked if can_move(metric))
    if not found:
        names = ", ".join(map(str, asked))
        raise UsageError(
            f"no range over the orders of equal scores is known for {names}; evaluate a metric of judged items too, such as ndcg@10."
        )
    return found
