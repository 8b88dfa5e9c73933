"""The ``stability`` function: how well metrics tell systems apart, and how often other queries would say the opposite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.agreement.inputs import named
from rankwell.comparison.agreement.stability_found import Stability, Stable
from rankwell.comparison.aligned import Aligned
from rankwell.comparison.comparing import compare
from rankwell.comparison.methods import FLIPS, Correction
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.statistics.stability import swaps
from rankwell.tables.arguments import checked, plain

FEWEST = 4  # queries, for two halves of two
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
    wanted = metrics_of(metrics)
    if len(runs) < 3:
        raise UsageError(
            f"stability is of an order of at least three systems, not {len(runs)}; the more, the better."
        )
    if not LEAST <= alpha < 1:
        raise UsageError(f"alpha={alpha:g}: must be from {LEAST:g} up to 1, such as 0.05.")
    if times < 1:
        raise UsageError(f"times={times}: at least 1 division of the queries.")
    results = Evaluator(qrels, wanted, threads=threads, **options).results_of_sources(runs)
    systems = named(results)
    aligned = Aligned.of(systems, wanted)
    for metric in wanted:
        if not aligned.has_values(metric):
            raise UsageError(f"{metric} has no value per query, so queries cannot be divided.")
    found = compare(
        systems, metrics=wanted, correction=correction, alpha=alpha, flips=flips, resamples=99, seed=seed, threads=threads
    )  # fmt: skip
    rows = []
    for metric in wanted:
        p = found.differences[metric, 0].p
        values, units, halves = _defined(aligned, metric, sizes)
        drawn = tuple(swaps(values, units, size, times=times, seed=seed) for size in halves)
        pairs = found.pairs.shape[1]
        rows.append(Stable(str(metric), len(systems), pairs, int((p < alpha).sum()), values.shape[1], drawn))
    return Stability(tuple(rows), alpha, found.correction, times, seed)


def _defined(
    aligned: Aligned, metric: Metric, sizes: Sequence[int] | None
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """The values of the queries that all systems have, a number per query, and the sizes of halves."""
    values = aligned.values(metric)
    kept = np.flatnonzero(~np.isnan(values).any(axis=0))
    most = len(kept) // 2
    if len(kept) < FEWEST:
        raise UsageError(
            f"{metric} is defined in all systems for {len(kept)} queries; halves need at least {FEWEST}."
        )
    usual = [first * 10**power for power in range(7) for first in (1, 2, 5)][2:]
    wanted = (
        [*(size for size in usual if size < most), most]
        if sizes is None
        else sorted({plain("sizes", size, int) for size in sizes})
    )
    for size in wanted:
        if not 1 <= size <= most:
            raise UsageError(
                f"sizes: {size} must be from 1 to {most}, half of the {len(kept):,} queries that {metric} is defined for in all systems."
            )
    return values[:, kept], aligned.units[kept], wanted
