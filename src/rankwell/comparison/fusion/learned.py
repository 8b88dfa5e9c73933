"""Learned: what was learned from judgements, and for which queries it was used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankwell.comparison.fusion.learning import Fit
from rankwell.comparison.fusion.trials import Trials
from rankwell.display.table import Cell, Column, Table
from rankwell.records import record
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    import polars as pl


@record(eq=False)
class Learned:
    """The settings learned for a metric: the first of ``fits`` from all judged queries, the others each without one fold.

    ``what`` is ``weights`` or the name of the method's number. ``fold`` holds the fold of each of ``queries``, 0 for those
    that were fused with what all judged queries taught; ``values`` the metric of each, NaN where it is not judged or undefined.
    """

    metric: str
    what: str
    names: tuple[str, ...]
    fits: tuple[Fit, ...]
    seed: int
    queries: Ids
    fold: np.ndarray
    values: np.ndarray

    @classmethod
    def of(
        cls, trials: Trials, what: str, names: Sequence[str], fits: Sequence[Fit], queries: Ids, seed: int
    ) -> Learned:
        """Return what was learned, with the values of the judged queries under the settings they were fused with."""
        fold, values = np.zeros(len(queries), np.int64), np.full(len(queries), np.nan)
        row = np.full(len(queries), -1)
        row[trials.judged] = np.arange(len(trials.judged))
        for number, fit in enumerate(fits):
            fold[fit.used_for] = number
            known = fit.used_for[row[fit.used_for] >= 0]
            values[known] = trials.values(fit.setting)[row[known]]
        return cls(str(trials.metric), what, tuple(names), tuple(fits), seed, queries, fold, values)

    @property
    def is_cross_fitted(self) -> bool:
        """Whether no query was fused with what it taught itself."""
        return len(self.fits) > 1

    @property
    def mean(self) -> float:
        """The mean of the metric over the judged queries as they were fused, NaN if none is defined."""
        known = self.values[~np.isnan(self.values)]
        return float(known.mean()) if len(known) else float("nan")

    @property
    def per_query(self) -> pl.DataFrame:
        """One row per query: query, fold (0: fused with what all judged queries taught), and the metric."""
        import polars as pl

        order = self.queries.order()
        values = pl.Series(self.values[order], nan_to_null=True)
        return pl.DataFrame(
            {"query": self.queries[order].tolist(), "fold": self.fold[order], self.metric: values}
        )

    def to_table(self) -> Table:
        """Return a table of the settings, for people."""
        columns = [Column("learned without")]
        columns += (
            [Column(f"weight of {name}", "value") for name in self.names]
            if self.what == "weights"
            else [Column(self.what, "value", digits=3)]
        )
        columns += [
            Column("from queries", "count"),
            Column(self.metric, "value"),
            Column("used for queries", "count"),
        ]
        rows: list[tuple[Cell, ...]] = []
        for number, fit in enumerate(self.fits):
            setting = fit.setting.weights if self.what == "weights" else (fit.setting.number,)
            name = f"fold {number}" if number else "nothing"
            rows.append((name, *setting, fit.n, fit.mean, len(fit.used_for)))
        return Table(columns, rows, caption=f"{self.what} learned for {self.metric}", notes=[self._note()])

    def _note(self) -> str:
        judged = int(np.count_nonzero(~np.isnan(self.values)))
        told = f"{self.metric} is {self.mean:.4f} over the {judged:,} judged queries"
        if self.is_cross_fitted:
            return (
                f"Each judged query was fused with what the other folds taught ({len(self.fits) - 1} folds, seed {self.seed}), "
                f"all others with what all judged queries taught: {told}."
            )
        return (
            f"The judged queries were fused with what they taught themselves, so their own values are too high ({told}): "
            f"evaluate other queries, or say folds=5."
        )
