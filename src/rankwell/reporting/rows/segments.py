"""Means by system and segment, of a comparison or of results, and which of many are drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from rankwell.comparison.comparison import Comparison
from rankwell.display.plain_values import plain_value
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.theme import MOST_COLOURS
from rankwell.reporting.rows.labels import shortened
from rankwell.reporting.rows.pairs import sign_of
from rankwell.reporting.rows.texts import with_interval
from rankwell.results import Results
from rankwell.results.interval_columns import segment_intervals
from rankwell.results.segments import UNKNOWN
from rankwell.tables.states import Mean

MOST = 30  # segments that are drawn
WIDE = 5  # times the median width
Labels = tuple[str, ...]


class Estimate(NamedTuple):
    """A mean of n queries with its interval; NaN is undefined."""

    n: int
    mean: float
    low: float
    high: float


class Segmented(NamedTuple):
    """Means by system and segment, of which the first, without labels, is all queries; and the systems, best first."""

    by: tuple[str, ...]
    labels: list[Labels]
    order: list[str]
    means: Mapping[tuple[str, Labels], Estimate]
    comparison: Comparison | None = None

    @property
    def baseline(self) -> str | None:
        """The baseline of the comparison."""
        return None if self.comparison is None else self.comparison.baseline

    @property
    def systems(self) -> list[str]:
        """Those that are drawn: all, or the best ones and the baseline."""
        if len(self.order) <= MOST_COLOURS:
            return self.order
        first = self.order[:MOST_COLOURS]
        if self.baseline is None or self.baseline in first:
            return first
        return [*first[:-1], self.baseline]

    @property
    def drawn(self) -> list[Labels]:
        """The segments that are drawn, in their order: all, or the largest."""
        if len(self.labels) - 1 <= MOST:
            return self.labels
        sizes = [max((self.means[name, each].n for name in self.order), default=0) for each in self.labels]
        kept = sorted(range(1, len(sizes)), key=lambda at: -sizes[at])[:MOST]
        return [self.labels[at] for at in [0, *sorted(kept)]]


def in_comparison(found: Comparison, metric: Metric) -> Segmented:
    """Return the means of a comparison with the intervals that it has."""
    means = {}
    for segment, labels in enumerate(found.segments):
        for row, name in enumerate(found.names):
            own = found.means[metric, segment]
            means[name, labels] = Estimate(
                int(own.n[row]), float(own.mean[row]), float(own.low[row]), float(own.high[row])
            )
    order = [found.names[row] for row in found.order_of(metric, 0)]
    return Segmented(found.by, list(found.segments), order, means, found)


def in_results(results: Mapping[str, Results], metric: Metric) -> Segmented:
    """Return the means of results, those drawn with intervals where the value and the segment of each query are known.

    Raises
    ------
    UsageError
        If the results are divided in different ways.
    """
    by = _by(results)
    means: dict[tuple[str, Labels], Estimate] = {}
    for name, res in results.items():
        text = str(metric)
        # without weights, as the means of segments are
        means[name, ()] = Estimate(res.n[text], res.plain_mean[text], math.nan, math.nan)
        for row in res.segments.to_dicts() if by else []:
            means[name, tuple(row[column] for column in by)] = Estimate(
                row["n"][text], row["mean"][text], math.nan, math.nan
            )
    labels = sorted({labels for _, labels in means}, key=lambda each: (each == (UNKNOWN,) * len(by), each))
    none = Estimate(0, math.nan, math.nan, math.nan)
    every = {(name, each): means.get((name, each), none) for name in results for each in labels}
    gains = {name: sign_of(metric) * means[name, ()].mean for name in results}
    order = sorted(results, key=lambda name: math.inf if math.isnan(gains[name]) else -gains[name])
    found = Segmented(by, labels, order, every)
    return found._replace(means=every | _intervals(results, metric, found))


def _by(results: Mapping[str, Results]) -> tuple[str, ...]:
    """The columns that divide all results."""
    ways = {res.division.by: name for name, res in results.items()}
    if len(ways) > 1:
        (first, name), (other, another), *_ = ways.items()
        raise UsageError(
            f"{name} is divided by {', '.join(first) or 'nothing'}, {another} by {', '.join(other) or 'nothing'}; evaluate all "
            f"systems with the same by=."
        )
    return next(iter(ways))


def _intervals(
    results: Mapping[str, Results], metric: Metric, found: Segmented
) -> dict[tuple[str, Labels], Estimate]:
    told = {}
    for name in found.systems:
        res = results[name]
        own = segment_intervals(res, metric, found.drawn)
        if (
            metric in res.part.values
            and metric not in res.part.weighted
            and isinstance(res.part.states[metric], Mean)
        ):
            own[()] = res.interval(metric)
        for labels, each in own.items():
            told[name, labels] = found.means[name, labels]._replace(low=each.low, high=each.high)
    return told


def rows_of(found: Segmented, everything: str) -> list[dict[str, Any]]:
    """Return a row per segment and system that are drawn; the first segment is ``everything``."""
    labels = shortened(", ".join(each) for each in found.drawn)
    names = shortened(found.systems)
    rows = []
    for each in found.drawn:
        for system in found.systems:
            own = found.means[system, each]
            rows.append(
                {
                    "segment": labels[", ".join(each)] if each else everything,
                    "system": names[system],
                    "mean": plain_value(own.mean),
                    "low": plain_value(own.low),
                    "high": plain_value(own.high),
                    "n": own.n,
                    "estimate": with_interval(own.mean, own.low, own.high),
                }
            )
    return rows


def domain_of(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """Return the ends of an axis that leaves out very wide intervals, beside which all others would look like points.

    Very wide is over five times the median, or without an end; None if there is none, or no other.
    """
    told = [(float(row["low"]), float(row["high"])) for row in rows if row["low"] is not None]
    widths = [high - low for low, high in told if math.isfinite(high - low)]
    if not widths or max(high - low for low, high in told) <= WIDE * median(widths):
        return None
    ends = [row["mean"] for row in rows if row["mean"] is not None]
    for low, high in told:
        if high - low <= WIDE * median(widths):
            ends += [low, high]
    air = (max(ends) - min(ends)) * 0.03
    return min(ends) - air, max(ends) + air
