"""confidence_sequence: what a stream of queries says of two systems, looked at as often as one likes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.comparison.compare.compare import results_of, two_by_name
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.evaluation.request import reading_of_users
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric
from rankwell.statistics import sequences
from rankwell.statistics.frequent import TIE
from rankwell.tables.arguments import ordered, refuse_level
from rankwell.tables.ids import Ids, Known

if TYPE_CHECKING:
    import polars as pl

    from rankwell.tables.items_users import Users

# only dates that sort as text: 31.01.2026 would put the days before the years
ISO_DATE = r"^\d{4}-\d{2}-\d{2}"


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceSequence(Result):
    """The mean difference of two systems after each query, first less second, and bounds that all hold at once.

    ``decided`` is the number of queries at which the bounds first exclude 0, None if they never do; ``left_out`` the number of
    queries that are undefined or missing in one of the two, ``together`` that of queries which arrived with another one.
    """

    names: tuple[str, str]
    metric: str
    arrival: str
    queries: list[str] | list[int]
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    method: str
    level: float
    bound: float | None
    left_out: int
    together: int

    @property
    def n(self) -> int:
        """The number of queries that came."""
        return len(self.mean)

    @property
    def decided(self) -> int | None:
        """The number of queries at which the bounds first exclude 0."""
        with np.errstate(invalid="ignore"):
            # the bounds hold at all n at once, so the first time that they exclude 0 may be taken
            sure = np.flatnonzero((self.low > 0) | (self.high < 0))
        return int(sure[0]) + 1 if len(sure) else None

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per query, in the order of arrival: n, query, mean, low, high."""
        import polars as pl

        columns = {"n": np.arange(1, self.n + 1), "query": self.queries}
        return pl.DataFrame(
            columns | {"mean": self.mean, "low": self.low, "high": self.high}, nan_to_null=True
        )

    def to_table(self) -> Table:
        """Return a table after 1, 2, 5, 10, 20, 50 … queries, where it is decided, and at the end."""
        columns = [Column("n", "count"), *(Column(name, "value") for name in ("mean", "low", "high"))]
        # 1, 2, 5, 10 …: as even on a logarithmic scale as round numbers can be
        steps = {digit * 10**power for power in range(10) for digit in (1, 2, 5)}
        steps = {step for step in steps if step < self.n} | {self.n} | ({self.decided} - {None})
        rows: list[tuple[Cell, ...]] = [
            (n, *(_float(column[n - 1]) for column in (self.mean, self.low, self.high)))
            for n in sorted(step for step in steps if step)
        ]
        first, second = self.names
        caption = f"{self.metric}: {first} less {second}, queries in the order of {self.arrival}"
        return Table(columns, rows, caption=caption, notes=self._notes())

    def _notes(self) -> list[str]:
        decided = self.decided
        said = "do not exclude 0 yet" if decided is None else f"exclude 0 from {decided:,} queries on"
        kind = "asymptotic" if self.bound is None else f"{self.method}, differences within ±{self.bound:g}"
        notes = [f"the bounds {said}; they hold at every n at once with {self.level * 100:g} % ({kind})"]
        if self.bound is None:
            notes.append("asymptotic: only for many queries, as nothing bounds the differences; give bound=")
        notes.append(
            "for these two systems on ever more queries; trying ever new systems on the same queries is selection, which no "
            "such bounds mend"
        )
        if self.left_out:
            notes.append(f"{self.left_out:,} queries are undefined or missing in one of the two and left out")
        if self.together:
            notes.append(
                f"{self.together:,} queries came at the same time as another; these are in the order of ids"
            )
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        columns = {name: [_float(x) for x in getattr(self, name)] for name in ("mean", "low", "high")}
        fields = ("metric", "arrival", "method", "level", "bound", "n", "decided", "left_out", "together")
        return {"systems": list(self.names), **{name: getattr(self, name) for name in fields}, **columns}


ORDER = (
    "confidence_sequence takes two systems by name, then the judgements and the metric: "
    "rw.confidence_sequence({'new': a, 'old': b}, qrels, 'ndcg@10', arrival='day', users=users)."
)


@ordered(ORDER, "first", "second")
def confidence_sequence(
    runs: Any,
    qrels: Any,
    metric: Wanted,
    *,
    arrival: str,
    users: Any,
    bound: float | None = None,
    level: float = 0.95,
    method: Literal["betting", "bernstein"] = "betting",
    **options: Any,
) -> ConfidenceSequence:
    """Compare two systems on a stream of queries, of which one may stop at any time.

    An ordinary interval holds for a number of queries that was fixed before. If you check every day and stop at the first
    significant result, you will be wrong far more often than 5 % of the time. The bounds here hold at every number of queries at once.

    Parameters
    ----------
    runs
        Two systems by name, the new one first: anything that ``evaluate`` reads, or ``Results``. Differences are the first less the
        second.
    qrels
        The judgements; of ``Results`` alone none are needed (None).
    metric
        One metric with a value per query.
    arrival, users
        The column of ``users``, a table with a row per query, that says when each query came: numbers, times, or dates as
        2026-01-31.
    bound
        The differences lie within ±bound; by default the length of the metric's range, such as 1 for nDCG. Without a finite one
        the bounds are asymptotic, which is printed.
    level
        The probability that all bounds hold.
    method
        ``betting``, or ``bernstein``, which is wider and faster.
    options
        Other arguments of ``Evaluator``: ``policy``, ``rel`` and so on.

    Returns
    -------
    Stream
        Print it, or see ``decided``, ``low``, ``high``, ``to_frame()``.

    Raises
    ------
    RankwellError
        For other than two systems, a metric without values per query, queries without a time, or a difference beyond the bound.

    Notes
    -----
    It allows to look as often as one likes at more and more queries of one kind, for two systems that were fixed before. It does
    not allow to try ever new systems on one set of queries: that is selection. Source:
    I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, JRSS-B 86, 2024.

    Examples
    --------
    >>> qrels = {q: {"a": 1} for q in range(300)}
    >>> users = [{"query": q, "day": 300 - q} for q in range(300)]
    >>> old = {q: ["b", "a"] for q in range(300)}
    >>> new = {q: ["a", "b"] if q % 3 else ["b", "a"] for q in range(300)}
    >>> found = confidence_sequence({"new": new, "old": old}, qrels, "rr", arrival="day", users=users)
    >>> found.n, found.decided, round(float(found.low[-1]), 2), round(float(found.high[-1]), 2)
    (300, 25, 0.29, 0.37)
    """
    refuse_level(level)
    if bound is not None and not bound > 0:
        raise UsageError(
            f"bound={bound:g}: must be above 0, the greatest difference that two values can have."
        )
    names, systems = two_by_name(runs, "confidence_sequence", ORDER)
    metric_wanted = metric_of(metric)
    results = results_of(dict(zip(names, systems, strict=True)), qrels, [metric_wanted], options)
    aligned = Aligned.of(results, [metric_wanted])
    if not aligned.has_values(metric_wanted):
        raise UsageError(f"{metric_wanted} is no mean of values per query, so no query adds to it by itself.")
    values = aligned.values(metric_wanted)
    d = values[0] - values[1]
    order, times = _in_order(aligned.queries, users, arrival, reading_of_users(options))
    defined = order[~np.isnan(d[order])]
    if not len(defined):
        raise DataError(
            f"{metric_wanted} is defined for no query in both systems, so there is nothing to compare."
        )
    limit = _limit(metric_wanted, bound)
    differences = _clip_to_limit(d, defined, limit, aligned.queries)
    bounds = sequences.confidence_sequence(differences, bound=limit, level=level, method=method)
    # times that several queries share: their order is ours and not that of their arrival, which is said
    _, counts = np.unique(times[defined], return_counts=True)
    return ConfidenceSequence(
        names,
        str(metric_wanted),
        arrival,
        aligned.queries[defined].tolist(),
        bounds.mean,
        bounds.low,
        bounds.high,
        bounds.method,
        level,
        limit,
        len(d) - len(defined),
        int(counts[counts > 1].sum()),
    )


def _limit(metric: Metric, bound: float | None) -> float | None:
    """The greatest difference that two values can have; None if nothing says so."""
    span = metric.range[1] - metric.range[0]
    return bound if bound is not None else span if math.isfinite(span) else None


def _clip_to_limit(d: np.ndarray, places: np.ndarray, limit: float | None, queries: Ids) -> np.ndarray:
    """The differences of the queries kept; DataError if one is beyond the limit by more than rounding."""
    if limit is None:
        return d[places]
    worst = int(places[np.abs(d[places]).argmax()])
    # a difference of rounded values may pass the bound by its last digits, and is then cut to it
    if abs(d[worst]) > limit * (1 + TIE):
        raise DataError(
            f"query {brief(queries.one(worst))}: the difference is {d[worst]:g}, beyond bound={limit:g}; give a bound that no "
            f"difference can exceed."
        )
    return np.clip(d[places], -limit, limit)


def _in_order(
    queries: Ids, users: Any, column: str, reading: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """The places of queries in the order of arrival, and the place of each one's time among all times."""
    from rankwell.readers.items_users import read_users

    table = read_users(users, **reading)
    if column not in table.columns:
        has = f"it has {one_of(table.columns)}" if table.columns else "it has only queries"
        raise UsageError(
            f"{table.name} has no column {brief(column)}; {has}.{nearest(column, table.columns)}"
        )
    codes = _codes(table, column)
    rows = Known(table.query).rows_of(queries, "query")
    missing = np.flatnonzero((rows < 0) | (codes[rows] < 0))
    if len(missing):
        raise DataError(
            f"query {brief(queries.one(int(missing[0])))} has no {column} in {table.name} ({len(missing):,} such queries). Add it "
            f"for each query."
        )
    times = codes[rows]
    # stable: queries of one time stay in the order of their ids
    return np.argsort(times, kind="stable"), times


def _codes(table: Users, column: str) -> np.ndarray:
    """The place of each row's time among all times; -1 if it has none."""
    import polars as pl

    series = table.frame[column]
    if series.dtype == pl.String:
        if not series.drop_nulls().str.contains(ISO_DATE).all():
            raise DataError(
                f"{table.name}: the column {brief(column)} is text; the order of arrival needs numbers, times, or dates as 2026-01-31."
            )
    elif not (series.dtype.is_numeric() or series.dtype.is_temporal()):
        raise DataError(
            f"{table.name}: the column {brief(column)} is {series.dtype}, neither numbers nor times."
        )
    if series.dtype.is_float():
        series = series.fill_nan(None)
    ranks = series.rank("dense").cast(pl.Int64)
    # ranks begin at 1, and a missing time has 0 here: less one, it is -1
    return ranks.fill_null(0).to_numpy() - 1


def _float(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
