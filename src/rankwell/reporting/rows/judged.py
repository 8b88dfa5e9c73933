"""What is behind the plot of judged shares: the share of judged items among the first k."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypedDict

import numpy as np

from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.metrics import metrics_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.tables.arguments import plain
from rankwell.tables.run_qrels import Run

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


def shares_of(evaluator: Evaluator, runs: Mapping[str, Run]) -> list[Share]:
    """Return the judged shares of runs under an evaluator of ``cuts``; if these were not given, down to the end of the longest list.

    Examples
    --------
    >>> from rankwell.readers import read_run
    >>> evaluator = Evaluator({"q": {"a": 1, "c": 0}}, cuts([1, 2]))
    >>> shares_of(evaluator, {"bm25": read_run({"q": ["a", "b", "c"]})})
    [{'system': 'bm25', 'k': 1, 'share': 1.0, 'n': 1}, {'system': 'bm25', 'k': 2, 'share': 0.5, 'n': 1}]
    """
    rows, longest = list[Share](), 0
    for name, run in runs.items():  # one after the other, so that the values of one run are held at a time
        res = evaluator.results_of(run)
        longest = max(longest, _longest(res))
        for metric in res.metrics:
            share = res.mean[str(metric)]
            if metric.k is not None and not math.isnan(share):
                rows.append(Share(system=name, k=metric.k, share=share, n=res.n[str(metric)]))
    enough = [row["k"] for row in rows if longest and row["k"] >= longest]
    return [row for row in rows if not enough or row["k"] <= min(enough)]


def _longest(res: Results) -> int:
    """The length of the longest list; 0 if it was not asked for."""
    length = next((metric for metric in res.metrics if str(metric) == LENGTH), None)
    if length is None:
        return 0
    values = res.values(length)
    return int(np.nanmax(values)) if len(values) else 0
