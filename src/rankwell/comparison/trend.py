"""The ``trend`` function: results of several dates, and how each mean changed since the date before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, NotRequired, TypedDict

from rankwell.comparison.compare.alignment import Aligned, difference_of_judgements, refuse_unlike
from rankwell.comparison.compare.comparison import MetricText
from rankwell.display.page import PageStrings, words_of
from rankwell.display.result import Saved, frame_of_rows
from rankwell.display.saved_files import LARGEST, ensure, is_count, row_of, within
from rankwell.display.table import Column, Table
from rankwell.display.text import PRINTED, plain_row
from rankwell.errors import NotAskedError, UsageError, brief, nearest
from rankwell.matching.policy import Policy, policy_of
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.intervals import METHODS, has_interval
from rankwell.results.saving.days import date_of, day_of, files_of, without_day
from rankwell.results.saving.load import load_results
from rankwell.statistics.series import mean_change
from rankwell.tables.arguments import ordered, refuse_level

if TYPE_CHECKING:
    import polars as pl

KIND = "trend"
ORDER = (
    "trend takes results by date, then the metrics: rw.trend('days/', 'ndcg@10'), or "
    "rw.trend({'2026-11-16': res, '2026-11-23': new}, 'ndcg@10')."
)
NAMED = 3  # dates that a note names
NEAR = 1e-9  # a change that a file holds is that of the means, but for rounding


def read_days(results: Any, order: str = ORDER) -> dict[date, Results]:
    """Return results by date, in the order of the dates.

    Parameters
    ----------
    results
        ``{date: Results}``, a date being a ``datetime.date`` or text such as 2026-11-23, a value also the path of saved results; or
        saved results by the one date in the name of each file: a folder, a pattern, a window of days, a file, or several of these.
    order
        What those read who give something else.

    Raises
    ------
    RankwellError
        If a date or a file cannot be read, two results are of one date, or files are of several systems.

    Examples
    --------
    >>> import rankwell as rw
    >>> res = rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, ["rr"])
    >>> [str(day) for day in read_days({"2026-11-23": res, date(2026, 11, 16): res})]
    ['2026-11-16', '2026-11-23']
    """
    if isinstance(results, Mapping):
        given = [(_date(key), f"results[{brief(key)}]", value) for key, value in results.items()]
    else:
        words = [results] if isinstance(results, str | Path) else results
        if not (
            isinstance(words, Sequence) and words and all(isinstance(word, str | Path) for word in words)
        ):
            raise UsageError(order)
        files = [file for word in words for file in files_of(word)]
        if len(systems := dict.fromkeys(file.system for file in files)) > 1:
            names = ", ".join(name or "files beside them" for name in systems)
            raise UsageError(
                f"{words[0]}: holds the results of {len(systems)} systems ({names}); name the folder of one, or a pattern."
            )
        given = [(day_of(file.path), str(file.path), file.path) for file in files]
    if not given:
        raise UsageError("there are no results: give at least those of one date.")
    given.sort(key=lambda each: each[0])
    for (day, place, _), (other, second, _) in pairwise(given):
        if place == second:
            raise UsageError(f"{place} is named twice; name it once.")
        if day == other:
            remedy = "" if isinstance(results, Mapping) else (
                f", add them up (rankwell merge), or name those of one system, such as '{place.replace(str(day), '*')}'"
            )  # fmt: skip
            raise UsageError(
                f"{place} and {second} are both of {day}, and a date has one result: leave one out{remedy}."
            )
    return {day: _open(place, value) for day, place, value in given}


def _date(key: Any) -> date:
    try:
        return date_of(key)
    except ValueError:
        raise UsageError(
            f"results[{brief(key)}]: is no date; keys are datetime.date, or text such as 2026-11-23."
        ) from None


def _open(place: str, value: Any) -> Results:
    if isinstance(value, str | Path):
        return load_results(value).collected()
    if not isinstance(value, Results):
        raise UsageError(
            f"{place}: expected Results, not {brief(value)}. Evaluate runs first: rw.evaluate(run, qrels, metrics)."
        )
    return value.collected()


class DatedMean(NamedTuple):
    """A mean on a date, and its change since the date before; NaN and None are undefined.

    ``shared`` counts the queries in both means of the change. ``method`` made the interval of the mean. ``is_doubtful``, and for the
    change ``change_is_doubtful``: likely too short.
    """

    date: date
    run: str
    n: int
    mean: float
    low: float = math.nan
    high: float = math.nan
    change: float = math.nan
    change_low: float = math.nan
    change_high: float = math.nan
    shared: int | None = None
    method: str = ""
    is_doubtful: bool = False
    change_is_doubtful: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether the interval of the change excludes 0."""
        return self.change_low > 0 or self.change_high < 0

    @property
    def lacks_interval(self) -> bool:
        """Whether the mean or the change is defined and has no interval."""
        pairs = (self.mean, self.low), (self.change, self.change_low)
        return any(math.isnan(low) and not math.isnan(value) for value, low in pairs)


class SavedTrend(TypedDict):
    """A trend as ``to_dict`` writes it."""

    level: float
    metrics: list[MetricText]
    weights: str
    policy: dict[str, Any]
    grades: Literal["none", "judgements", "ratings", "interactions"]
    rel: int | float | None
    rejudged: list[str]
    query_columns: NotRequired[list[str]]
    rows: list[dict[str, Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Trend(Saved, kind=KIND, plural="trends", form=SavedTrend, file_of="a trend"):
    """The means on several dates and their changes; made by ``trend``.

    ``found["ndcg@10"]`` has a ``DatedMean`` per date. ``rejudged`` are dates with the same queries as the date before and other
    judgements.
    """

    _indent: ClassVar[int | None] = 1
    _printed: ClassVar[int | None] = PRINTED

    level: float
    points: Mapping[Metric, tuple[DatedMean, ...]]
    policy: Policy
    weights: str
    grades: str
    rel: float | None
    rejudged: tuple[date, ...]
    # what the tables call the column of the queries, which says what these are
    query_columns: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the order asked."""
        return tuple(self.points)

    @property
    def dates(self) -> list[date]:
        """The dates, in order."""
        return [own.date for own in next(iter(self.points.values()))]

    @property
    def has_runs(self) -> bool:
        """Whether runs have different names on different dates, apart from the dates in them."""
        return len({without_day(own.run) for own in next(iter(self.points.values()))}) > 1

    def __getitem__(self, metric: Wanted) -> tuple[DatedMean, ...]:
        """Return a metric's means by date; raises KeyError if the trend has none of it."""
        wanted = metric_of(metric)
        if wanted not in self.points:
            names = [str(other) for other in self.points]
            raise NotAskedError(
                f"{wanted} is not in the trend; the metrics are {', '.join(names)}.{nearest(str(wanted), names)}"
            )
        return self.points[wanted]

    def to_table(self) -> Table:
        """Return a row per metric and date: n, mean, interval, change since the date before, interval, shared queries."""
        several, named = len(self.points) > 1, self.has_runs
        directions = {metric.better for metric in self.points}
        better = directions.pop() if len(directions) == 1 else None
        numbers = [Column(name, "value") for name in ("low", "high", "change", "change low", "change high")]
        columns = [*map(Column, ["metric"] * several + ["date"] + ["run"] * named), Column("n", "count")]
        columns += [Column("mean", "value", better=better), *numbers, Column("shared", "count")]
        every = [(str(metric), own) for metric, points in self.points.items() for own in points]
        rows = [
            [metric] * several + [str(own.date)] + [own.run] * named + [*own[2:10]] for metric, own in every
        ]
        marks = {(row, len(columns) - 4): " *" for row, (_, own) in enumerate(every) if own.is_shown}
        notes = self.notes()
        return Table(columns, rows, caption=self.caption, notes=notes, marks=marks, labels=1 + several)

    @property
    def caption(self) -> str:
        """Which metrics on which dates."""
        first, *others = self.dates
        span = f"{len(others) + 1:,} dates, {first} to {others[-1]}" if others else str(first)
        return f"Trend of {', '.join(map(str, self.points))}: {span}"

    def notes(self, words: PageStrings | None = None) -> list[str]:
        """Return how intervals were made, what marks mean, and what has no value or no interval, in English or other words."""
        words = words or words_of("en")
        every = [own for points in self.points.values() for own in points]
        level, methods = f"{self.level * 100:g}", {own.method for own in every}
        notes = []
        if how := ", ".join(words(f"report.methods.{kind}") for kind in METHODS if kind in methods):
            notes.append(words("trend.interval", level=level, how=how))
        if any(not math.isnan(own.change_low) for own in every):
            notes.append(words("trend.since", level=level))
        if any(own.is_shown for own in every):
            notes.append(words("trend.shown", share=f"{(1 - self.level) * 100:g}"))
        for metric, points in self.points.items():
            found = {
                "undefined": [own.date for own in points if math.isnan(own.mean)],
                "no_interval": [own.date for own in points if own.method and own.lacks_interval],
                "doubtful": [own.date for own in points if own.is_doubtful or own.change_is_doubtful],
            }
            if not any(own.method for own in points):
                found["weights" if self.weights else "no_mean"] = [own.date for own in points if own.n]
            fields = {"metric": str(metric), "weights": self.weights}
            notes += [
                words(f"trend.{key}", **fields, dates=_listed(few, words))
                for key, few in found.items()
                if few
            ]
        if self.rejudged:
            notes.append(words("trend.rejudged", dates=_listed(self.rejudged, words)))
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        return {
            "caption": self.caption,
            "level": self.level,
            "metrics": [
                {"metric": str(m), "signature": m.signature, "better": m.better} for m in self.points
            ],
            "weights": self.weights,
            "policy": self.policy.to_dict(),
            "grades": self.grades,
            "rel": self.rel,
            "rejudged": [str(day) for day in self.rejudged],
            **({"query_columns": [*self.query_columns]} if self.query_columns else {}),
            "rows": [
                {"metric": str(metric)} | plain_row(own)
                for metric, points in self.points.items()
                for own in points
            ],
            "notes": self.notes(),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per metric and date; undefined is null."""
        import polars as pl

        of_metrics = [
            (str(metric), frame_of_rows(DatedMean, points)) for metric, points in self.points.items()
        ]
        return pl.concat(frame.select(pl.lit(name).alias("metric"), pl.all()) for name, frame in of_metrics)

    @classmethod
    def _of_file(cls, content: SavedTrend, path: str | Path) -> Trend:  # noqa: ARG003 - nothing names the file
        metrics = [metric_of(each["metric"]) for each in content["metrics"]]
        ensure(
            metrics and len({*metrics}) == len(metrics), "metrics", "there is none, or one stands there twice"
        )
        ensure(0 < content["level"] < 1, "level", "it is not between 0 and 1")
        points: dict[Metric, list[DatedMean]] = {metric: [] for metric in metrics}
        for place, row in enumerate(content["rows"]):
            with within(f"rows[{place}]"):
                metric = metric_of(row["metric"])
                points[metric].append(_point(row, metric, points[metric][-1:]))
        dates = [[point.date for point in own] for own in points.values()]
        is_whole = dates[0] and all(each == dates[0] for each in dates)
        ensure(is_whole, "rows", "there is not one for each metric and date")
        rejudged = tuple(map(date.fromisoformat, content["rejudged"]))
        ensure({*rejudged} <= {*dates[0][1:]}, "rejudged", "there is no such date")
        return cls(
            level=content["level"], points={metric: tuple(own) for metric, own in points.items()},
            policy=policy_of(content["policy"]), weights=content["weights"], grades=content["grades"],
            rel=content["rel"], rejudged=rejudged,
            query_columns=tuple(content.get("query_columns", ())),
        )  # fmt: skip


def _point(row: Mapping[str, Any], metric: Metric, before: Sequence[DatedMean]) -> DatedMean:
    """A row of a file, which follows another one; raises Damaged if it contradicts itself or that one."""
    own = row_of(DatedMean, row)
    low, high = metric.range
    ensure(is_count(own.n, LARGEST) and is_count(own.shared or 0, LARGEST), "n", "it is no count")
    ensure(own.method in ("", *METHODS), "method", "there is no such method")
    is_inside = math.isnan(own.mean) or (low - NEAR <= own.mean <= high + NEAR and not math.isinf(own.mean))
    ensure(is_inside, "mean", f"it is not from {low:g} to {high:g}")
    ensure(not own.method or (own.n and not math.isnan(own.mean)), "method", "there is no mean")
    ensure(_are_ends(own.low, own.high, own.method), "low", "low and high are no interval")
    last = before[-1] if before else DatedMean(own.date, "", 0, math.nan)
    ensure(not before or last.date < own.date, "date", "dates are not in order")
    change = own.mean - last.mean
    is_change = math.isclose(own.change, change, abs_tol=NEAR * max(1, abs(own.mean)))
    ensure(
        is_change or (math.isnan(own.change) and math.isnan(change)), "change", "it is not that of the means"
    )
    ends, has_change = (own.change_low, own.change_high), not math.isnan(change)
    ensure(_are_ends(*ends, has_change and own.method), "change_low", "low and high are no interval")
    is_middle = math.isclose(sum(ends) / 2, change, abs_tol=NEAR * max(1, *map(abs, ends)))
    ensure(math.isnan(ends[0]) or is_middle, "change_low", "the change is not in the middle")
    ensure((own.shared or 0) <= min(own.n, last.n), "shared", "there are not as many")
    return own


def _are_ends(low: float, high: float, has_interval: object) -> bool:
    """Whether two numbers are the ends of an interval, or there is none."""
    is_none = math.isnan(low) and math.isnan(high)
    return is_none or bool(has_interval and math.isfinite(low) and math.isfinite(high) and low <= high)


def _listed(dates: Sequence[date], words: PageStrings) -> str:
    shown = ", ".join(map(str, dates[:NAMED]))
    return shown if len(dates) <= NAMED else words("trend.more", dates=shown, n=len(dates) - NAMED)


@ordered(ORDER)
def trend(results: Any, metrics: Iterable[Wanted] | Wanted | None = None, *, level: float = 0.95) -> Trend:
    """Show the means of several dates, and how each changed since the date before.

    Dates may share all, some or none of their queries. Rows are in the order of the dates, whatever the order given.

    Formula
        change = x̄₂ − x̄₁, se² = s₁²/n₁ + s₂²/n₂ − 2mc/(n₁n₂), c the covariance of the values of the m queries on both dates (left out
        where m < 2); change ± t·se, Student's t with min(n₁, n₂) − 1 degrees of freedom

    Parameters
    ----------
    results
        ``{date: Results}``, a date being a ``datetime.date`` or text such as 2026-11-23; or saved results by the one date in the name of
        each file: a folder, a quoted pattern, a window (``days/2026-11-01..2026-11-30``), or a list of these.
    metrics
        The metrics that are shown, of those evaluated; default: all that the first results have.
    level
        The share of intervals that should contain the true mean, or the true change.

    Returns
    -------
    Trend
        Print it; ``found["ndcg@10"]`` has a ``DatedMean`` per date, ``found.to_frame()`` all of them, ``rw.plot.trend(found)`` draws it.

    Raises
    ------
    RankwellError
        If a date cannot be read, two results are of one date, or they differ in metrics, policy, the meaning of grades or weights.

    Notes
    -----
    Means have the intervals of ``Results.interval``. A metric with one value for all lists, or a weighted mean, has values and changes
    without intervals; so has a date with one query. Simulated (``docs/trend.md``): intervals of changes at level .95 contained the true
    change in 94 to 96 % of 4,000 samples each of 30, 100 and 300 queries, with none, half and all of them shared.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(6)}
    >>> weeks = {"2026-11-16": rw.evaluate(old, qrels, ["rr"]), "2026-11-23": rw.evaluate(new, qrels, ["rr"])}
    >>> found = rw.trend(weeks, "rr")
    >>> last = found["rr"][-1]
    >>> last.mean, last.shared, last.change, round(last.change_low, 3), round(last.change_high, 3)
    (0.875, 8, 0.375, 0.181, 0.569)
    """
    refuse_level(level)
    days = read_days(results)
    first = next(iter(days.values()))
    wanted = first.metrics if metrics is None else metrics_of(metrics)
    refuse_unlike_days(days, wanted)
    points: dict[Metric, list[DatedMean]] = {metric: [] for metric in wanted}
    rejudged: list[date] = []
    before: Results | None = None
    for day, res in days.items():
        pair = None
        if before is not None:
            # only neighbours are aligned: a table of all dates would have a column for each query of any
            pair = Aligned.of({"": before, str(day): res}, wanted, partial=("", str(day)))
            is_other = bool(difference_of_judgements(before, res) and pair.has_query().all())
            rejudged += [day] * is_other
        for metric, own in points.items():
            own.append(_mean_on(day, res, metric, level, own[-1:], pair))
        before = res
    grades = first.grades if any(metric.judgements for metric in wanted) else "none"
    return Trend(
        level, {metric: tuple(own) for metric, own in points.items()}, first.policy, first.weights, grades, first.conditions.scale.rel,
        tuple(rejudged), first.query_columns,
    )  # fmt: skip


def _mean_on(
    day: date, res: Results, metric: Metric, level: float, before: Sequence[DatedMean], pair: Aligned | None
) -> DatedMean:
    """The mean on a date, with the change since the mean before, if there is one."""
    own = DatedMean(day, res.name, res.n[str(metric)], res.mean[str(metric)])
    for last in before:
        own = own._replace(change=own.mean - last.mean)
    if not own.n or not has_interval(res.part, metric):
        return own
    low, high, method, is_doubtful = res.interval(metric, level=level)[1:5]
    own = own._replace(low=low, high=high, method=method, is_doubtful=is_doubtful)
    if pair is None:
        return own
    found = mean_change(*pair.values(metric), level=level)
    own = own._replace(shared=found.shared, change_is_doubtful=found.is_doubtful)
    return own._replace(change_low=found.low, change_high=found.high)


def refuse_unlike_days(days: Mapping[date, Results], metrics: Sequence[Metric]) -> None:
    """Refuse dates that differ in definition, policy or scale: weighted by other columns, or divided by other ends of the grades."""
    named = {str(day): res for day, res in days.items()}
    refuse_unlike(named, metrics, list(named))
    needs = frozenset[str]().union(*(metric.needed() for metric in metrics))
    for (day, one), (other, res) in pairwise(days.items()):
        both = f"{day} and {other} were evaluated with different"
        if one.weights != res.weights:
            raise UsageError(
                f"{both} weights: {one.weights or 'none'} and {res.weights or 'none'}. Evaluate both with the same."
            )
        for end, word in ("grade_max", "max_grade"), ("grade_min", "min_grade"):
            mine, theirs = getattr(one.conditions, end), getattr(res.conditions, end)
            # a file does not hold the lowest grade unless it holds states
            if end in needs and None not in (mine, theirs) and mine != theirs:
                raise UsageError(
                    f"{both} ends of the grades, {mine:g} and {theirs:g}, which a metric reads. Set {word}= in it."
                )
