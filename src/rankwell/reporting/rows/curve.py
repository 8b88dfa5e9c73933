"""The values of a metric at its cut-offs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from rankwell.errors import UsageError, brief
from rankwell.matching.context import Context
from rankwell.matching.judged import Judged
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.metric import Metric, definition
from rankwell.records import record
from rankwell.results import Results
from rankwell.statistics.many import intervals as intervals_of
from rankwell.tables.arguments import UNFIT, as_list, fitted
from rankwell.tables.fingerprints import fingerprints_of
from rankwell.tables.machine import cores
from rankwell.tables.states import Mean

NO_INTERVAL = {"low": None, "high": None, "is_doubtful": False}
CUT = re.compile(r"@\d+\s*$")
KS = (1, 3, 5, 10, 20, 50, 100)


def without_cut(metric: Wanted) -> Metric:
    """Return a metric that takes a cut-off and has none yet.

    Raises
    ------
    UsageError
        If it has one already, takes none, or is unknown.

    Examples
    --------
    >>> without_cut("ndcg(gain=exp2)"), without_cut("p")
    (ndcg(gain=exp2), p)
    """
    if isinstance(metric, str):
        has_cut = CUT.search(metric) is not None
        found = metric_of(metric if has_cut else f"{metric}@1")
    else:
        # a class makes one without a cut-off, which metric_of may refuse
        is_own = isinstance(metric, type) and issubclass(metric, Metric)
        found = metric() if is_own else metric_of(metric)  # type: ignore[operator]
        has_cut = found.k is not None
        _ = found if has_cut else found @ 1  # which refuses a metric that takes none
    base = replace(found, k=None)
    if has_cut:
        raise UsageError(f"metric={found}: leave out the cut-off and write {base}; ks= has the cut-offs.")
    return base


def at_cuts(base: Metric, ks: Sequence[int] | None) -> list[Metric]:
    """Return the metric at each cut-off, and without any given what tells how deep the lists are."""
    if ks is None:
        return [*(replace(base, k=k) for k in KS), Deepest()]
    cuts = [fitted(each, int) for each in as_list("ks", ks)]
    if not cuts or UNFIT in cuts or cuts != sorted({*cuts}):
        raise UsageError(
            f"ks={brief(ks)}: must be distinct whole numbers in ascending order, such as [1, 5, 10]."
        )
    return [replace(base, k=k) for k in cuts]


def rows_of(
    name: str, res: Results, base: Metric, ks: Sequence[int] | None, *, intervals: bool = True
) -> list[dict[str, Any]]:
    """Return a row for each cut-off: the value, its interval if asked for and there is one, and the number of queries.

    Raises
    ------
    UsageError
        If saved results do not hold the metric at any cut-off.
    """
    found = {
        m.k: m
        for m in res.metrics
        if m.k is not None and type(m) is type(base) and replace(m, k=None) == base
    }
    deepest: Any = res.part.states.get(Deepest())
    wanted = sorted(found) if ks is None else [k for k in ks if k in found]
    if deepest is not None and ks is None:
        enough = next((k for k in wanted if k >= deepest.longest), wanted[-1])
        wanted = [k for k in wanted if k <= enough]
    if not wanted:
        raise UsageError(
            f"{brief(name)}: the results hold {base} at no cut-off; evaluate {base}@5, {base}@10 …."
        )
    chosen = [found[k] for k in wanted]
    bounds = _intervals(res, chosen) if intervals else {}
    return [
        {
            "system": name,
            "k": metric.k,
            "value": None if math.isnan(res[metric]) else res[metric],
            **bounds.get(metric, NO_INTERVAL),
            "n": res.n[str(metric)],
        }
        for metric in chosen
    ]


def _intervals(res: Results, metrics: Sequence[Metric]) -> dict[Metric, dict[str, Any]]:
    """The intervals of the means, as ``Results.interval`` has them, for all cut-offs at once: they share their draws."""
    able = [
        metric
        for metric in metrics
        if metric in res.part.values
        and metric not in res.part.weighted
        and isinstance(res.part.states[metric], Mean)
    ]
    if not able:
        return {}
    values = np.array([res.values(metric) for metric in able])
    units = fingerprints_of(res.part.queries[res.part.concerned()])
    found = intervals_of(values, units, limits=able[0].range, threads=cores())
    return {
        metric: {"low": _plain(low), "high": _plain(high), "is_doubtful": bool(is_doubtful)}
        for metric, low, high, is_doubtful in zip(able, found.low, found.high, found.is_doubtful, strict=True)
    }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


@definition
class Deepest(CorpusMetric):
    """The length of the longest list: which cut-offs say anything."""

    needs: ClassVar[frozenset[str]] = frozenset()

    def state(self, judged: Judged, context: Context) -> Longest:  # noqa: ARG002 - as of all metrics
        """The longest list of a batch."""
        return Longest(int(judged.last_rank().max(initial=0)), len(judged))

    def has_expected_value(self) -> bool:
        """The order of items does not matter."""
        return True

    def value(self, state: Longest) -> float:
        """Its length."""
        return float(state.longest)


@record
class Longest:
    """The length of the longest of n lists."""

    longest: int
    n: int

    def __add__(self, other: Longest) -> Longest:
        return Longest(max(self.longest, other.longest), self.n + other.n)
