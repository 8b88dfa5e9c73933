"""The ``stability`` function: how well metrics tell systems apart, and how often other queries would say the opposite."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.comparison.compare.compare import compare
from rankwell.comparison.compare.methods import FLIPS, Correction
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers.sources import names_as_text
from rankwell.statistics.agreement import Swaps, swaps
from rankwell.tables.arguments import checked, plain

if TYPE_CHECKING:
    import polars as pl


FEWEST = 4  # queries, for two halves of two
# as in compare: below it no number of flips could reach significance
LEAST = 1e-6  # alpha


@checked
def stability(
    runs: Mapping[str, Any],
    qrels: Any,
    metrics: Iterable[Wanted] | Wanted,
    *,
    sizes: Sequence[int] | None = None,
    alpha: float = 0.05,
    correction: Correction = "auto",
    flips: int = FLIPS,
    times: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    **options: Any,
) -> Stability:
    """Return for each metric how many pairs of systems it tells apart, and how often disjoint halves of the queries disagree.

    Parameters
    ----------
    runs, qrels
        The systems by name (the more, the more it says), and the judgements.
    metrics
        Metrics with a value per query.
    sizes
        Numbers of queries in each half; by default 5, 10, 20, 50, 100, … and half of the queries.
    alpha, correction, flips
        When a pair differs significantly, as for ``compare``.
    times, seed
        How many random divisions of the queries are drawn, and their seed.
    threads, options
        Other arguments of ``Evaluator``.

    Returns
    -------
    Stability
        Print it, or see ``found.rows``.

    Raises
    ------
    RankwellError
        For fewer than three systems, a metric without a value per query, or too few queries.

    Notes
    -----
    *Discriminative power* is the share of pairs that differ significantly. The *swap rate* is the share of pairs of systems that two
    disjoint sets of n queries order differently, of those that both order at all; it is of n queries, so that of all queries is
    lower. All metrics see the same divisions, of the queries where each is defined in all systems. Neither says whether a metric
    measures the right thing: a constant order would be perfectly stable.

    Source: C. Buckley and E. Voorhees, Evaluating evaluation measure stability, SIGIR 2000; E. Voorhees and C. Buckley, The effect of
    topic set size on retrieval experiment error, SIGIR 2002; T. Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1, "b": 1} for q in range(12)}
    >>> lists = {"good": ["a", "b", "x"], "fair": ["a", "x", "b"], "bad": ["x", "y", "z"]}
    >>> runs = {name: dict.fromkeys(qrels, ranked) for name, ranked in lists.items()}
    >>> for row in rw.stability(runs, qrels, ["ap", "p@1"], flips=999).rows:
    ...     print(row.metric, row.significant, row.pairs, row.swaps[-1].rate, round(row.swaps[-1].tied, 2))
    ap 3 3 0.0 0.0
    p@1 2 3 0.0 0.33
    """
    metrics_wanted = metrics_of(metrics)
    if len(runs) < 3:
        raise UsageError(
            f"stability is of an order of at least three systems, not {len(runs)}; the more, the better."
        )
    if not LEAST <= alpha < 1:
        raise UsageError(f"alpha={alpha:g}: must be from {LEAST:g} up to 1, such as 0.05.")
    if times < 1:
        raise UsageError(f"times={times}: at least 1 division of the queries.")
    results = Evaluator(qrels, metrics_wanted, threads=threads, **options).results_of_sources(runs)
    systems = names_as_text(results)
    aligned = Aligned.of(systems, metrics_wanted)
    for metric in metrics_wanted:
        if not aligned.has_values(metric):
            raise UsageError(f"{metric} has no value per query, so queries cannot be divided.")
    comparison = compare(
        systems, metrics=metrics_wanted, correction=correction, alpha=alpha, flips=flips, resamples=99, seed=seed, threads=threads
    )  # fmt: skip
    rows = []
    for metric in metrics_wanted:
        p = comparison.differences[metric, 0].p
        values, units, halves = _shared_values(aligned, metric, sizes)
        drawn = tuple(swaps(values, units, size, times=times, seed=seed) for size in halves)
        pairs = comparison.pairs.shape[1]
        rows.append(Stable(str(metric), len(systems), pairs, int((p < alpha).sum()), values.shape[1], drawn))
    return Stability(tuple(rows), alpha, comparison.correction, times, seed)


def _shared_values(
    aligned: Aligned, metric: Metric, sizes: Sequence[int] | None
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """The values of the queries that all systems have, a number per query, and the sizes of halves."""
    values = aligned.values(metric)
    shared = np.flatnonzero(~np.isnan(values).any(axis=0))
    most = len(shared) // 2
    if len(shared) < FEWEST:
        raise UsageError(
            f"{metric} is defined in all systems for {len(shared)} queries; halves need at least {FEWEST}."
        )
    # 1, 2, 5, 10 …, from 5 on: halves of one or two queries say nothing
    usual = [first * 10**power for power in range(7) for first in (1, 2, 5)][2:]
    wanted = (
        [*(size for size in usual if size < most), most]
        if sizes is None
        else sorted({plain("sizes", size, int) for size in sizes})
    )
    for size in wanted:
        if not 1 <= size <= most:
            raise UsageError(
                f"sizes: {size} must be from 1 to {most}, half of the {len(shared):,} queries that {metric} is defined for in all systems."
            )
    return values[:, shared], aligned.units[shared], wanted


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
            | {"power": row.power, "queries": row.queries, **swap._asdict()}
            for row in self.rows
            for swap in row.swaps
        ]
        return pl.DataFrame(rows).fill_nan(None)

    def to_table(self) -> Table:
        """Return a table with a row per metric, the least swapped first."""
        sizes = sorted({swap.size for row in self.rows for swap in row.swaps})
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
            rates = {swap.size: swap.rate for swap in row.swaps}
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
