"""Values of each segment: of the queries of all batches, grouped once, and of states that were kept per segment."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from rankwell.kernels import ids as kernel
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results.part import Part
from rankwell.results.values import value_of
from rankwell.tables.csr import offsets_of
from rankwell.tables.states import Mean, few_means

Column = tuple[np.ndarray, np.ndarray]


def by_segment(part: Part, metrics: Iterable[Metric], segments: int) -> dict[Metric, Column]:
    """Return the value of each metric in each segment, and the number of queries behind it."""
    columns = {metric: (np.full(segments, math.nan), np.zeros(segments, np.int64)) for metric in metrics}
    for (metric, code), state in part.split.items():
        values, n = columns[metric]
        values[code], n[code] = value_of(metric, state), state.n
    if part.segment is not None:
        order, offsets = kernel.gather(part.segment, segments)
        for metric, own in part.divided.items():
            assert isinstance(metric, QueryMetric)
            columns[metric] = _of_groups(metric, own[order], offsets)
    return columns


def measured(part: Part, segments: int) -> np.ndarray:
    """Return which segments have a state or the value of a query, defined or not."""
    found = np.zeros(segments, np.bool_)
    found[[code for _, code in part.split]] = True
    if part.segment is not None and part.divided:
        found[part.segment] = True
    return found


def _of_groups(metric: QueryMetric, values: np.ndarray, offsets: np.ndarray) -> Column:
    """The value and the number of the defined values of each group."""
    defined = ~np.isnan(values)
    values, offsets = values[defined], offsets_of(defined)[offsets]
    n, nothing = np.diff(offsets), metric.summary(values[:0])
    if isinstance(nothing, Mean):
        found = few_means(values, offsets)
        left = np.flatnonzero(np.isnan(found) & (n > 0))
    else:
        found = np.full(len(n), metric.value(nothing))
        left = np.flatnonzero(n)
    for code, low, high in zip(
        left.tolist(), offsets[left].tolist(), offsets[left + 1].tolist(), strict=True
    ):
        found[code] = metric.value(metric.summary(values[low:high]))
    return found, n
