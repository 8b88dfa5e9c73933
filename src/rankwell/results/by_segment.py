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
from rankwell.tables.states import Mean, group_means

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


def sizes_of(part: Part, metrics: Iterable[Metric], segments: int) -> np.ndarray:
    """Return the number of queries of each segment: of judged ones, if a metric needs judgements."""
    sizes = np.zeros(segments, np.int64)
    sizes[list(part.sizes)] = list(part.sizes.values())
    if part.segment is not None:
        sizes += np.bincount(part.segment[part.counted(metrics, part.divided)], minlength=segments)
    return sizes


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
        return group_means(values, offsets), n
    found = np.full(len(n), metric.value(nothing))
    for code in np.flatnonzero(n).tolist():
        found[code] = metric.value(metric.summary(values[offsets[code] : offsets[code + 1]]))
    return found, n
