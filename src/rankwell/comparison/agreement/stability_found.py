"""Stability: what ``stability`` found, as a table and a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.statistics.stability import Swaps

if TYPE_CHECKING:
    import polars as pl


class Stable(NamedTuple):
    """One metric: of so many ``pairs`` of ``systems``, how many differ significantly, and ``swaps`` by the size of the halves."""

    metric: str
    systems: int
    pairs: int
    significant: int
    queries: int
    swaps: tuple[Swaps, ...]

    @property
    def power(self) -> float:
        """Discriminative power: the share of pairs that differ significantly."""
        return self.significant / self.pairs


@dataclass(frozen=True, repr=False)
class Stability(Result):
    """How well metrics tell systems apart, and how stable the order of systems is; made by ``stability``."""

    rows: tuple[Stable, ...]
    alpha: float
    correction: str
    times: int
    seed: int

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per metric and size of the halves."""
        import polars as pl

        rows = [
            {"metric": row.metric, "systems": row.systems, "pairs": row.pairs, "significant": row.significant}
            | {"power": row.power, "queries": row.queries, **each._asdict()}
            for row in self.rows
            for each in row.swaps
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def to_table(self) -> Table:
        """Return a table with a row per metric, the least swapped first."""
        sizes = sorted({each.size for row in self.rows for each in row.swaps})
        columns = [Column("metric"), Column("significant"), Column("power", "value", digits=2)]
        columns += [Column(f"swaps {size}", "value", digits=3) for size in sizes]
        columns += [
            Column("tied", "value", digits=2),
            Column("needed", "value"),
            Column("reached", "value", digits=2),
        ]
        columns += [Column("queries", "count")]
        rows: list[tuple[Cell, ...]] = []
        for row in sorted(self.rows, key=lambda row: (math.isnan(row.swaps[-1].rate), row.swaps[-1].rate)):
            rates = {each.size: each.rate for each in row.swaps}
            last = row.swaps[-1]
            cells = (*(rates.get(size) for size in sizes), last.tied, last.needed, last.reached)
            rows.append((row.metric, f"{row.significant:,} of {row.pairs:,}", row.power, *cells, row.queries))
        notes = [
            f"significant: pairs of systems with p < {self.alpha:g} (corrected: {self.correction}); power: their share",
            "swaps n: share of pairs that two disjoint sets of n queries order differently, of those that both decide",
            f"sets are drawn in {self.times:,} divisions (seed {self.seed}); tied, needed and reached are of the largest",
            "tied: share of comparisons that a set leaves equal",
            "needed: the least difference from which on at most 5 % are swapped; reached: share of comparisons that have it",
        ]
        return Table(columns, rows, caption="Stability of metrics", notes=notes)
