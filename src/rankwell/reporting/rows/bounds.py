"""What is behind the plot of bounds: the lowest and the highest mean over all grades that unjudged items could get."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from rankwell.errors import UsageError
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.bounds import require


class Bounds(TypedDict):
    """The mean of a system and its bounds; ``lowest`` is the value itself where there is no lower bound (``is_open``)."""

    system: str
    metric: str
    lowest: float
    value: float
    highest: float
    is_open: bool


def bounds_of(systems: Mapping[str, Results], metrics: Sequence[Metric]) -> list[Bounds]:
    """Return the bounds of each system and metric; undefined values and metrics without bounds are left out."""
    rows = list[Bounds]()
    for metric in metrics:
        for name, res in systems.items():
            value, own = res.plain_mean[str(metric)], res.bounds[str(metric)]
            if math.isnan(value) or own.high is None:
                continue
            low = value if own.low is None else own.low
            row = Bounds(
                system=name,
                metric=str(metric),
                lowest=low,
                value=value,
                highest=own.high,
                is_open=own.low is None,
            )
            rows.append(row)
    return rows


def bounded(systems: Mapping[str, Results], metrics: Iterable[Wanted] | Wanted | None) -> tuple[Metric, ...]:
    """Return the metrics asked for, by default all, that have bounds.

    Raises
    ------
    UsageError
        If there is none, one was not evaluated, or results were evaluated without bounds.
    """
    first = next(iter(systems.values()))
    asked = first.metrics if metrics is None else metrics_of(metrics)
    for res in systems.values():
        require(res.bounding)
        for metric in asked:
            res[metric]  # or an error that names the nearest one
    found = tuple(
        metric
        for metric in asked
        if any(row["metric"] == str(metric) for row in bounds_of(systems, [metric]))
    )
    if not found:
        names = ", ".join(map(str, asked))
        raise UsageError(
            f"{names}: there are no bounds under unjudged items; evaluate a metric that has some too, such as ndcg@10."
        )
    return found
