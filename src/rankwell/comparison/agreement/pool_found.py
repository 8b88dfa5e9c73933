"""PoolBias: what ``pool_bias`` found, as a table and a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number

if TYPE_CHECKING:
    import polars as pl

APART = 0.1  # judged shares that differ by more make values incomparable


class Alone(NamedTuple):
    """A run under one metric: its value and rank, and those without its own judgements.

    A rank is None where the value is undefined. ``lost`` are the queries without which the change is computed, as the metric is no longer defined there. ``judged`` is the
    share of its first ``k`` items that are judged, ``own`` the number of judged items that no other run brought into the pool,
    ``own_relevant`` how many of these are relevant.
    """

    system: str
    metric: str
    value: float
    without: float
    rank: int | None
    rank_without: int | None
    lost: int
    judged: float = 0.0
    k: int = 0
    own: int = 0
    own_relevant: int = 0


@dataclass(frozen=True, repr=False)
class PoolBias(Result):
    """How far runs are judged, and what each loses without the judgements that it alone contributed; made by ``pool_bias``."""

    rows: tuple[Alone, ...]
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    depth: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is said of runs whose judged shares differ by more than .1."""
        found = []
        for metric in self.metrics:
            own = sorted((row.judged, row.system) for row in self.rows if row.metric == metric)
            (low, least), (high, most) = own[0], own[-1]
            if high - low > APART:
                k = next(row.k for row in self.rows if row.metric == metric)
                found.append(
                    f"{metric}: judged@{k} is {number(low, 2)} of {least} and {number(high, 2)} of {most}: unjudged items count as not "
                    f"relevant, so {least} may be better than its value"
                )
        return tuple(found)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per run and metric."""
        import polars as pl

        ranks = {"rank": pl.Int64, "rank_without": pl.Int64}
        return pl.DataFrame([row._asdict() for row in self.rows], schema_overrides=ranks).fill_nan(None)

    def to_table(self) -> Table:
        """Return a table with a row per run and metric."""
        columns = [
            Column("system"),
            Column("metric"),
            Column("value", "value"),
            Column("judged@"),
            Column("judged", "value", digits=2),
        ]
        columns += [Column("own", "count"), Column("relevant", "count"), Column("without", "value")]
        columns += [Column("change", "value"), Column("rank", "count"), Column("rank without", "count")]
        rows: list[tuple[Cell, ...]] = [
            (
                row.system, row.metric, row.value, row.k, row.judged, row.own, row.own_relevant, row.without,
                row.without - row.value, row.rank, row.rank_without,
            )
            for row in sorted(self.rows, key=lambda row: (self.metrics.index(row.metric), row.rank or 0))
        ]  # fmt: skip
        lost = max(row.lost for row in self.rows)
        notes = [
            f"pool: the first {self.depth} items of each run; own: judged items that no other run has there, and how many are relevant",
            "without: the value if these were unjudged, as they would be had the run not been pooled; the others keep their values",
            *(
                [f"up to {lost:,} queries lose all relevant items and are left out of the change"]
                if lost
                else []
            ),
            *self.warnings,
        ]
        return Table(columns, rows, caption="Pooling bias", notes=notes, labels=2)
