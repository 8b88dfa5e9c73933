"""Results by segment: one row per segment, with each value's gap to the best segment."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, nearest
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.results.segments import UNKNOWN, Division
from rankwell.results.values import value_of
from rankwell.tables.states import State

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
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


class Breakdown:
    """Values per segment: ``print`` it, or use ``to_frame()``, ``to_table()`` or ``gap()``."""

    def __init__(
        self,
        name: str,
        metrics: tuple[Metric, ...],
        division: Division,
        states: Mapping[tuple[Metric, int], State],
        sizes: Counter[int],
    ) -> None:
        self.name, self.metrics, self.by = name, metrics, division.by
        used = sorted({code for _, code in states})
        self._rows = []
        for code in used:
            own = {m: states[m, code] for m in metrics if (m, code) in states}
            if sizes[code] or any(state.n for state in own.values()):
                values = {m: value_of(m, state) for m, state in own.items()}
                n = {m: state.n for m, state in own.items()}
                self._rows.append((division.labels[code], sizes[code], values, n))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per segment: its labels, the number of queries, and the value and n of each metric."""
        return [
            {
                **dict(zip(self.by, labels, strict=True)),
                "queries": size,
                "mean": {str(m): values.get(m, math.nan) for m in self.metrics},
                "n": {str(m): n.get(m, 0) for m in self.metrics},
            }
            for labels, size, values, n in self._rows
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
        names = [str(each) for each in self.metrics]
        if wanted not in self.metrics:
            raise UsageError(
                f"{wanted} was not evaluated; the metrics are {', '.join(names)}.{nearest(str(wanted), names)}"
            )
        values = {
            ", ".join(labels): own[wanted]
            for labels, _, own, _ in self._rows
            if set(labels) != {UNKNOWN} and not math.isnan(own.get(wanted, math.nan))
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

        rows = [
            {**{column: row[column] for column in self.by}, "queries": row["queries"], **row["mean"]}
            for row in self.to_dicts()
        ]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.selectors.float().fill_nan(None))

    def to_table(self) -> Table:
        """Return a table with one row per segment, with each value's gap to the best segment.

        A value that rests on fewer queries than the segment has, as it is undefined for some, is followed by its n.
        """
        columns = [*(Column(name) for name in self.by), Column("queries", "count")]
        best: dict[Metric, float] = {}
        numbers = [tuple(n.get(m, 0) for _, _, _, n in self._rows) for m in self.metrics]
        queries = tuple(size for _, size, _, _ in self._rows)
        followers = [*numbers[1:], None]  # neighbours with the same n share its column
        shown = {
            m: "n" if own == numbers[0] else f"n of {m}"
            for m, own, following in zip(self.metrics, numbers, followers, strict=True)
            if own not in (queries, following)
        }
        for metric in self.metrics:
            values = [own[metric] for _, _, own, _ in self._rows if not math.isnan(own.get(metric, math.nan))]
            columns.append(Column(str(metric), "value", better=metric.better))
            if metric.better != "neither" and len(values) > 1:
                best[metric] = max(values) if metric.better == "higher" else min(values)
                columns.append(Column(f"{metric} to best", "value"))
            if metric in shown:
                columns.append(Column(shown[metric], "count"))
        rows: list[list[Cell]] = []
        for labels, size, own, n in self._rows:
            row: list[Cell] = [*labels, size]
            for metric in self.metrics:
                value = own.get(metric, math.nan)
                row.append(value)
                row += [value - best[metric]] if metric in best else []
                row += [n.get(metric, 0)] if metric in shown else []
            rows.append(row)
        return Table(columns, rows, caption=f"{self.name} by {', '.join(self.by)}", mark_best=True)

    def __repr__(self) -> str:
        return self.to_table().to_text()

    def _repr_html_(self) -> str:
        return self.to_table().to_html()
