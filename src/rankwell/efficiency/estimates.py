"""Estimates from calls: latencies, their quantiles, and ratios of two systems."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.efficiency.needs import needed
from rankwell.errors import UsageError
from rankwell.statistics.quantiles import QuantileInterval, quantile_interval
from rankwell.statistics.ratios import Ratio, geometric_ratio, quantile_ratio
from rankwell.statistics.series import effective_size

if TYPE_CHECKING:
    import polars as pl

    from rankwell.efficiency.costs import Costs

TURNS = 3  # repetitions without which an interval over them says nothing
HOUR, DIGITS = 3_600_000_000, 3  # the highest value of a histogram, in microseconds


def latency() -> pl.Expr:
    """Seconds from when a call was due, or began if it was due when it began; ∞ for a time-out, null for other failures."""
    import polars as pl

    outcome = pl.col("outcome")
    return (
        pl.when(outcome == "ok")
        .then(pl.col("ended") - pl.coalesce("intended", "began"))
        .when(outcome == "timeout")
        .then(float("inf"))
    )


def latencies(calls: pl.DataFrame) -> np.ndarray:
    """The latencies of calls in the order in which they were made."""
    return calls.select(each=latency()).drop_nulls().to_series().to_numpy()


def quantile(calls: pl.DataFrame, q: float, *, level: float = 0.95) -> QuantileInterval:
    """A quantile of the latencies, whose bounds are those of their effective number, at most that of distinct queries."""
    values = latencies(calls)
    point = quantile_interval(values, q, level=level).value
    worth = min(effective_size(values > point), float(calls["query"].n_unique()))
    return quantile_interval(values, q, level=level, effective=worth)


def by_query(calls: pl.DataFrame) -> dict[str, float]:
    """The median latency of each query over its repetitions, where it was always answered in time."""
    import polars as pl

    found = calls.select("query", each=latency()).group_by("query", maintain_order=True).agg(
        pl.col("each").median(), whole=pl.col("each").is_not_null().all() & pl.col("each").is_finite().all()
    )  # fmt: skip
    kept = found.filter("whole")
    return dict(zip(kept["query"].to_list(), kept["each"].to_list(), strict=True))


def ratio(new: pl.DataFrame, old: pl.DataFrame, *, q: float | None, level: float, seed: int) -> Ratio:
    """The factor between two systems over the queries that both always answered."""
    ours, theirs = by_query(new), by_query(old)
    both = [each for each in ours if each in theirs]
    if not both:
        raise UsageError("the two systems have answered no query in common.")
    first, second = (np.array([each[query] for query in both]) for each in (ours, theirs))
    if q is None:
        return geometric_ratio(first, second, level=level, seed=seed)
    return quantile_ratio(first, second, q, level=level, seed=seed)


def over_repetitions(costs: Costs, new: str, old: str, load: str | None, *, level: float = 0.95) -> Ratio:
    """The ratio of geometric means, with Student's interval over repetitions: what another measurement would find."""
    from scipy.special import stdtrit

    ours, theirs = (_mean_logs(costs.of(each, load)) for each in (new, old))
    logs = np.array([ours[each] - theirs[each] for each in ours if each in theirs])
    n = len(logs)
    if not n:
        return Ratio(math.nan, math.nan, math.nan, 0, TURNS)
    mean = float(logs.mean())
    reach = (
        float(stdtrit(n - 1, (1 + level) / 2)) * float(logs.std(ddof=1)) / math.sqrt(n)
        if n >= TURNS
        else math.nan
    )
    return Ratio(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), n, TURNS)


def _mean_logs(calls: pl.DataFrame) -> dict[int, float]:
    """The mean log latency of each repetition."""
    import polars as pl

    found = calls.select("repetition", each=latency()).drop_nulls().filter(pl.col("each").is_finite())
    logs = found.group_by("repetition", maintain_order=True).agg(pl.col("each").log().mean())
    return dict(zip(logs["repetition"].to_list(), logs["each"].to_list(), strict=True))


def histogram(values: np.ndarray) -> Any:
    """The latencies as a histogram in microseconds."""
    made = needed("hdrh.histogram").HdrHistogram(1, HOUR, DIGITS)
    whole = np.clip(np.ceil(np.where(np.isfinite(values), values, HOUR) * 1e6), 1, HOUR)
    for value, count in zip(*np.unique(whole.astype(np.int64), return_counts=True), strict=True):
        made.record_value(int(value), int(count))
    return made


def groups(costs: Costs) -> list[tuple[tuple[str, str, str], pl.DataFrame]]:
    """The calls of each system, load and session; cold before warm, and systems in their order."""
    found = costs.calls.partition_by("system", "load", "session", as_dict=True, maintain_order=True)
    keys = {tuple(str(each) for each in key): calls for key, calls in found.items()}
    wanted = [(system, load, "warm") for load in costs.loads for system in costs.systems]
    cold = [key for key in keys if key[2] == "cold"]
    return [((key[0], key[1], key[2]), keys[key]) for key in (*cold, *wanted) if key in keys]


def median(column: pl.Series) -> float | None:
    """The median of what is known; None if nothing is."""
    known = column.drop_nulls().to_numpy()
    return float(np.median(known)) if len(known) else None


def most(column: pl.Series) -> float | None:
    """The largest of what is known; None if nothing is."""
    known = column.drop_nulls().to_numpy()
    return float(known.max()) if len(known) else None
