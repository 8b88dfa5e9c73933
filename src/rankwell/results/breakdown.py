"""Results by segment: one row per segment, with each value's gap to the best segment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, nearest
from rankwell.kernels import ids as kernel
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.records import record
from rankwell.results.part import Part, value_of
from rankwell.results.segments import UNKNOWN, Segmentation
from rankwell.tables.lists import offsets_of
from rankwell.tables.redaction import hidden_groups
from rankwell.tables.states import Mean, group_means

if TYPE_CHECKING:
    import polars as pl

Values = tuple[np.ndarray, np.ndarray]  # of the segments, and the number of queries behind each


@record
class Gap:
    """Gap between a metric's highest and lowest segment: ``difference`` = highest − lowest, ``ratio`` = lowest ÷ highest.

    ``highest`` and ``lowest`` name the two segments. If fewer than two segments have a value, the names are empty
    and the numbers are NaN.
    """

    metric: str
    difference: float
    ratio: float
    highest: str = ""
    lowest: str = ""

    def __str__(self) -> str:
        if not self.highest:
            return f"{self.metric}: fewer than two segments have a value"
        between = f"between {self.highest} (highest) and {self.lowest} (lowest)"
        return f"{self.metric}: {number(self.difference)} {between}, ratio {number(self.ratio)}"


class Breakdown(Result):
    """Values per segment: ``print`` it, or use ``to_frame()``, ``to_table()`` or ``gap()``."""

    _plural: ClassVar[str] = "segments"

    def __init__(self, name: str, metrics: tuple[Metric, ...], division: Segmentation, part: Part) -> None:
        self.name, self.metrics, self.by = name, metrics, division.by
        columns = _by_segment(part, metrics, len(division.labels))
        sizes = _sizes(part, metrics, len(division.labels))
        filled = np.any([sizes > 0, *(n > 0 for _, n in columns.values())], axis=0)
        used = np.flatnonzero(filled & _measured(part, len(sizes)))
        used = division.labels.in_order(used[~hidden_groups(sizes[used], division.least)])
        self._labels = division.labels.of(used)
        self._sizes = sizes[used]
        self._values = {metric: own[used] for metric, (own, _) in columns.items()}
        self._n = {metric: n[used] for metric, (_, n) in columns.items()}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per segment: its labels, the number of queries, and the value and n of each metric."""
        names = [str(metric) for metric in self.metrics]
        means, numbers = (
            zip(*(column.tolist() for column in each.values()), strict=True)
            for each in (self._values, self._n)
        )
        return [
            {
                **dict(zip(self.by, labels, strict=True)),
                "queries": size,
                "mean": dict(zip(names, mean, strict=True)),
                "n": dict(zip(names, n, strict=True)),
            }
            for labels, size, mean, n in zip(self._labels, self._sizes.tolist(), means, numbers, strict=True)
        ]

    def gap(self, metric: str | Metric | type[Metric]) -> Gap:
        """Return the gap between a metric's highest and lowest segment.

        Parameters
        ----------
        metric
            One of the evaluated metrics, in any spelling. Queries missing from the table of users do not count as a
            segment. The ratio is NaN if the highest value is not above 0.

        Raises
        ------
        UsageError
            If the metric was not evaluated.

        Examples
        --------
        >>> import rankwell as rw
        >>> users = [{"query": "1", "tier": "gold"}, {"query": "2", "tier": "tin"}]
        >>> res = rw.evaluate({"1": ["a"], "2": ["b", "a"]}, {"1": {"a": 1}, "2": {"a": 1}}, ["rr"], users=users, by="tier")
        >>> print(res.segments.gap("mrr"))
        rr: 0.5000 between gold (highest) and tin (lowest), ratio 0.5000
        """
        wanted = metric_of(metric)
        names = [str(metric_there) for metric_there in self.metrics]
        if wanted not in self.metrics:
            raise UsageError(
                f"{wanted} was not evaluated; the metrics are {', '.join(names)}.{nearest(str(wanted), names)}"
            )
        values = {
            ", ".join(labels): value
            for labels, value in zip(self._labels, self._values[wanted].tolist(), strict=True)
            if set(labels) != {UNKNOWN} and not math.isnan(value)
        }
        if len(values) < 2:
            return Gap(str(wanted), math.nan, math.nan)
        highest, lowest = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
        high, low = values[highest], values[lowest]
        if high == low:  # all equal: still name two segments
            lowest = next(label for label in values if label != highest)
        return Gap(str(wanted), high - low, low / high if high > 0 else math.nan, highest, lowest)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with one row per segment: the columns of ``by``, ``queries``, and one column per metric."""
        import polars as pl

        columns = {
            name: pl.Series([labels[at] for labels in self._labels], dtype=pl.String)
            for at, name in enumerate(self.by)
        }
        columns["queries"] = pl.Series(self._sizes)
        values = {str(m): pl.Series(own, nan_to_null=True) for m, own in self._values.items()}
        return pl.DataFrame(columns | values)

    def to_table(self) -> Table:
        """Return a table with one row per segment, with each value's gap to the best segment.

        A value that rests on fewer queries than the segment has, as it is undefined for some, is followed by its n.
        """
        columns = [*(Column(name) for name in self.by), Column("queries", "count")]
        sizes, numbers = self._sizes.tolist(), [self._n[metric].tolist() for metric in self.metrics]
        followers = [*numbers[1:], None]  # neighbours with the same n share its column
        shown: dict[Metric, str] = {}
        for metric, own, following in zip(self.metrics, numbers, followers, strict=True):
            if own not in (sizes, following):
                shown[metric] = f"n of {metric}" if shown or own != numbers[0] else "n"
        cells: list[Sequence[Cell]] = [[labels[at] for labels in self._labels] for at in range(len(self.by))]
        cells.append(sizes)
        for metric, n in zip(self.metrics, numbers, strict=True):
            own = self._values[metric].tolist()
            defined = [value for value in own if not math.isnan(value)]
            columns.append(Column(str(metric), "value", better=metric.better))
            cells.append(own)
            if metric.better != "neither" and len(defined) > 1:
                best = max(defined) if metric.better == "higher" else min(defined)
                columns.append(Column(f"{metric} to best", "value"))
                cells.append([value - best for value in own])
            if metric in shown:
                columns.append(Column(shown[metric], "count"))
                cells.append(n)
        rows = list(zip(*cells, strict=True))
        return Table(columns, rows, caption=f"{self.name} by {', '.join(self.by)}", mark_best=True)


def _by_segment(part: Part, metrics: Iterable[Metric], segments: int) -> dict[Metric, Values]:
    """The value of each metric in each segment, and the number of queries behind it."""
    columns = {metric: (np.full(segments, math.nan), np.zeros(segments, np.int64)) for metric in metrics}
    for (metric, code), state in part.split.items():
        values, n = columns[metric]
        values[code], n[code] = value_of(metric, state), state.n
    if part.segment is not None:
        # the queries of all batches are grouped once, for all metrics: segments may be as many as queries
        order, offsets = kernel.gather(part.segment, segments)
        for metric, own in part.divided.items():
            assert isinstance(metric, QueryMetric)
            columns[metric] = _of_groups(metric, own[order], offsets)
    return columns


def _sizes(part: Part, metrics: Iterable[Metric], segments: int) -> np.ndarray:
    """The number of queries of each segment: of judged ones, if a metric needs judgements."""
    sizes = np.zeros(segments, np.int64)
    sizes[list(part.sizes)] = list(part.sizes.values())
    if part.segment is not None:
        sizes += np.bincount(part.segment[part.counted(metrics, part.divided)], minlength=segments)
    return sizes


def _measured(part: Part, segments: int) -> np.ndarray:
    """Which segments have a state or the value of a query, defined or not."""
    is_measured = np.zeros(segments, np.bool_)
    is_measured[[code for _, code in part.split]] = True
    if part.segment is not None and part.divided:
        is_measured[part.segment] = True
    return is_measured


def _of_groups(metric: QueryMetric, values: np.ndarray, offsets: np.ndarray) -> Values:
    """The value and the number of the defined values of each group."""
    defined = ~np.isnan(values)
    values, offsets = values[defined], offsets_of(defined)[offsets]
    n, nothing = np.diff(offsets), metric.summary(values[:0])
    if isinstance(nothing, Mean):  # one pass with the same exact sums, in place of a state per segment
        return group_means(values, offsets), n
    own = np.full(len(n), metric.value(nothing))
    for code in np.flatnonzero(n).tolist():
        own[code] = metric.value(metric.summary(values[offsets[code] : offsets[code + 1]]))
    return own, n
