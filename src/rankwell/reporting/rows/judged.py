"""What is behind the plot of judged shares: the share of judged items among the first k."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypedDict

import numpy as np

from rankwell.errors import UsageError
from rankwell.metrics import metrics_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.tables.arguments import plain

LENGTH = "num_ret"
KS = 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000


class Share(TypedDict):
    """The mean judged share of the first k items of a system's lists, over n of them."""

    system: str
    k: int
    share: float
    n: int


def cuts(ks: Iterable[int] | None = None) -> tuple[Metric, ...]:
    """Return the metrics behind the picture: the judged share at each cut-off, and the lengths of the lists.

    Raises
    ------
    UsageError
        If a cut-off is no whole number from 1 on, or there is none.
    """
    wanted = sorted({plain("ks", k, int) for k in (KS if ks is None else ks)})
    if not wanted or wanted[0] < 1:
        raise UsageError("ks= are cut-offs of lists, whole numbers from 1 on, such as [1, 5, 10].")
    return metrics_of([*(f"judged@{k}" for k in wanted), *([LENGTH] if ks is None else [])])


def shares_of(results: Mapping[str, Results]) -> list[Share]:
    """Return the judged shares from results of ``cuts``; without given cut-offs, down to the end of the longest list."""
    rows = list[Share]()
    ks = [metric.k for res in results.values() for metric in res.metrics if metric.k is not None]
    last = max((_longest(res) for res in results.values()), default=0)
    deepest = next((k for k in sorted(ks) if k >= last), max(ks))
    for name, res in results.items():
        for metric in res.metrics:
            share, k = res.mean[str(metric)], metric.k
            if k is not None and (k <= deepest or not last) and not math.isnan(share):
                rows.append(Share(system=name, k=k, share=share, n=res.n[str(metric)]))
    return rows


def _longest(res: Results) -> int:
    """The length of the longest list; 0 if it was not asked for."""
    length = next((metric for metric in res.metrics if str(metric) == LENGTH), None)
    if length is None:
        return 0
    values = res.values(length)
    return int(np.nanmax(values)) if len(values) else 0
