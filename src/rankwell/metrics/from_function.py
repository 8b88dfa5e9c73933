"""The ``metric`` decorator: a metric made from a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import Better, MetricType, QueryMetric, definition

Function = Callable[[Judged, Context], np.ndarray]


def metric(
    *,
    name: str,
    range: tuple[float, float] = (0.0, 1.0),
    better: Better = "higher",
    needs: Iterable[str] = (),
) -> Callable[[Function], QueryMetric]:
    """Make a metric without parameters from a module-level function ``(judged, context) -> one value per query``.

    Parameters
    ----------
    name
        The metric's name in lower case; it must not be in use.
    range
        The lowest and the highest value.
    better
        ``higher``, ``lower`` or ``neither``.
    needs
        Tables beyond the judged hits: ``shown``, ``item``, ``score``, ``ties``, ``catalogue``, ``features``, ``history``,
        ``counts``, ``grade_max``, ``topics``.

    Returns
    -------
    QueryMetric
        The metric. It works wherever a built-in metric does, and can be asked for by name.

    Raises
    ------
    UsageError
        If the name is in use or a need is unknown.

    Examples
    --------
    >>> @metric(name="last_hit", range=(1, float("inf")), better="lower")
    ... def last_hit(judged, context):
    ...     '''The rank of the last relevant item found.'''
    ...     hits = judged.relevant()
    ...     last = hits.where(hits.nth() == hits.count()[hits.query])
    ...     return np.where(last.count() > 0, last.sum(last.rank), np.nan)
    >>> last_hit
    last_hit
    """

    def make(function: Function) -> QueryMetric:
        body = {
            "__doc__": function.__doc__,
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "__reduce__": lambda _: function.__qualname__,
            "name": name,
            "range": range,
            "better": better,
            "needs": frozenset(needs),
            "cut": "none",
            "per_query": lambda _, judged, context: function(judged, context),
        }
        return definition(MetricType(function.__name__, (QueryMetric,), body))()

    return make
