"""The systems that the explorer knows, and their value for each query; the folds of a method are one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.reporting.explorer.choosing import systems_kept
from rankwell.reporting.material import Material
from rankwell.tables.ids import Ids


@record(eq=False)
class Systems:
    """Values with a row per system, in the order given, and a column per query; ``order`` has the best first."""

    names: tuple[str, ...]
    values: np.ndarray
    queries: Ids
    units: np.ndarray
    order: tuple[int, ...]
    baseline: int | None

    @classmethod
    def of(cls, material: Material, metric: Metric) -> Systems:
        """Return all systems."""
        found = material.comparison
        folds: Mapping[str, Sequence[str]] = {} if found is None else found.folds
        partial = {member: method for method, members in folds.items() for member in members}
        aligned = Aligned.of(material.results, [metric], partial=partial)
        names = tuple(dict.fromkeys(partial.get(name, name) for name in aligned.names))
        values = np.full((len(names), len(aligned.queries)), np.nan)
        for name, own in zip(aligned.names, aligned.values(metric), strict=True):
            row = values[names.index(partial.get(name, name))]
            row[:] = np.where(np.isnan(own), row, own)
        baseline = None if found is None or found.baseline not in names else names.index(found.baseline)
        return cls(names, values, aligned.queries, aligned.units, _best_first(values, metric), baseline)

    def kept(self) -> Systems:
        """Return those that can be chosen: the best, and the baseline."""
        rows = systems_kept(self.order, self.baseline)
        return replace(
            self,
            names=tuple(self.names[row] for row in rows),
            values=self.values[rows],
            order=tuple(rows.index(row) for row in self.order if row in rows),
            baseline=None if self.baseline is None else rows.index(self.baseline),
        )

    @property
    def first(self) -> list[int]:
        """The two that are shown at first: the baseline and the best other one, or the two best in the order given."""
        if self.baseline is None:
            return sorted(self.order[:2])
        return [self.baseline, *(row for row in self.order if row != self.baseline)][:2]


def _best_first(values: np.ndarray, metric: Metric) -> tuple[int, ...]:
    """The rows with the best mean first, those without a value last."""
    n = np.count_nonzero(~np.isnan(values), axis=1)
    means = np.where(n > 0, np.nansum(values, axis=1) / np.maximum(n, 1), np.nan)
    sign = {"higher": -1, "lower": 1, "neither": 0}[metric.better]
    return tuple(np.argsort(np.where(n > 0, sign * means, np.inf), kind="stable").tolist())
