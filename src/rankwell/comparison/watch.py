"""The ``watch`` function: whether a daily mean has dropped, with as many false alarms as were promised."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from rankwell.comparison.checks import Margin
from rankwell.comparison.compare.alignment import difference_of_judgements
from rankwell.comparison.gate import LINKED
from rankwell.comparison.trend import read_days, refuse_unlike_days
from rankwell.display.page import PageStrings, words_of
from rankwell.display.result import SavedFields, frame_of_rows
from rankwell.display.saved_files import LARGEST, ensure, ensure_same, is_count, within
from rankwell.display.table import Cell, Column, Table
from rankwell.display.text import PRINTED, plain_row
from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.policy import Policy, policy_of
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.results.intervals import refuse_without_mean
from rankwell.results.saving.days import Day, Window, without_day
from rankwell.statistics.series import Baseline, cusum, looks_to_see, threshold_for
from rankwell.tables.arguments import as_list, ordered
from rankwell.tables.ids import Digest, fingerprints_of
from rankwell.tables.lists import distinct

if TYPE_CHECKING:
    import polars as pl

ORDER = "watch takes results by date, then the metric: rw.watch('days/', 'ndcg@10')."
LEAST, BY_WEEKDAY = 14, 28  # days of a reference, and of one that has a mean for each weekday
SHOWN = 14  # days that the table shows, besides those of alarms
SEARCHED = 1e-3  # relative: what a threshold and what follows from it are found to
NEAR = 1e-9  # a standard deviation of less than that of the mean is rounding
CORRELATED = 0.1  # autocorrelation of a reference above which it is said what this does
UNITS = {"year": 365, "quarter": 365 / 4, "month": 365 / 12, "week": 7}  # days
# what arguments are written as, and what is said of others
ABOVE_0 = r"\s*(?=[\d.]*[1-9])\d*\.?\d+"
REFERENCE = r"\s*(1[4-9]|[2-9]\d|[1-9]\d{2,4})\s*d?\s*", f"at least {LEAST} days, such as 28 or 28d"
PROMISE = rf"({ABOVE_0})\s*/\s*({'|'.join(UNITS)})\s*", "such as 1/year, 4/year or 1/month"
DROP = rf"{ABOVE_0}(e-?\d{{1,2}})?\s*%?\s*", "a share such as 5%, or a number such as 0.02, above 0"
Use = Literal["reference", "watched", "no value", "no segment", "no weekday"]
Summary = tuple[int, float, float]  # of values: how many, their mean and their variance


class WatchedDay(NamedTuple):
    """A day: its n, its mean, √(s²/n), and what it was used for, or why it was skipped; NaN where there is none.

    ``plain`` is the mean of queries that count alike, ``expected`` that of the reference, ``z`` how far the day is from it, below 0 if it is
    worse, and ``total`` the sum S.
    """

    date: date
    run: str
    n: int
    mean: float
    plain: float
    use: Use
    error: float = math.nan
    expected: float = math.nan
    z: float = math.nan
    total: float = math.nan
    is_alarm: bool = False


class WatchDesign(NamedTuple):
    """What was promised, and what follows from the reference; NaN while there are too few days.

    One false alarm in ``looks`` looks, each ``step`` days after the one before; ``wanted`` days of a reference, of which there are ``days``, and
    the first date for the verdict. ``mean`` is that of the reference, ``day_part`` and ``sampling`` are the standard deviations of a day (τ, and the
    draw of queries), ``threshold`` is h, ``drop`` the drop to be seen and ``days_to_see`` the mean number of days until it is.
    """

    false_alarms: str
    looks: float
    step: int
    share: str
    since: str
    wanted: int
    days: int
    mean: float = math.nan
    day_part: float = math.nan
    sampling: float = math.nan
    autocorrelation: float = math.nan
    threshold: float = math.nan
    drop: float = math.nan
    days_to_see: float = math.nan

    @property
    def sigma(self) -> float:
        """The standard deviation of a day about the reference, both parts together."""
        return math.hypot(self.day_part, self.sampling)

    @property
    def is_by_weekday(self) -> bool:
        """Whether each weekday has a mean of its own."""
        return self.wanted >= BY_WEEKDAY


@dataclass(frozen=True, eq=False, repr=False)
class Watch(SavedFields, kind="watch", plural="watches", file_of="a watch"):
    """Whether a daily mean dropped below its reference; made by ``watch``, drawn by ``rw.plot.watch``.

    ``days`` holds each day, ``design`` what they are held against, ``alarms`` the dates of alarms.
    """

    _indent: ClassVar[int | None] = 1
    _printed: ClassVar[int | None] = PRINTED

    metric: Metric
    policy: Policy
    by: tuple[str, ...]
    design: WatchDesign
    rows: tuple[WatchedDay, ...]  # what files call the days

    @property
    def days(self) -> tuple[WatchedDay, ...]:
        """The days, in order."""
        return self.rows

    @property
    def alarms(self) -> list[date]:
        """The dates of alarms, in order."""
        return [day.date for day in self.days if day.is_alarm]

    @property
    def newest(self) -> date | None:
        """The newest day that was looked at; None if none was."""
        return max((day.date for day in self.days if day.use == "watched"), default=None)

    @property
    def status(self) -> Literal["ok", "alarm", "too few"]:
        """``alarm`` if there is one on the newest day that was looked at, or since ``since``; ``too few`` if none was; else ``ok``."""
        return "too few" if self.newest is None else "alarm" if self._counted else "ok"

    @property
    def _counted(self) -> list[str]:
        """The alarms that count for the verdict."""
        since = self.design.since or str(self.newest)
        return [str(day) for day in self.alarms if str(day) >= since]

    @property
    def exit_code(self) -> int:
        """1 for an alarm, else 0."""
        return int(self.status == "alarm")

    def headline(self, words: PageStrings | None = None) -> str:
        """Return the verdict in one line, in English or other words."""
        words, own = words or words_of("en"), self.design
        since = words("watch.since", date=own.since) if own.since else self.newest
        last = words("watch.last", date=self.alarms[-1]) if self.alarms and not self._counted else ""
        if self.newest != (end := self.days[-1].date):
            last += words("watch.skipped", date=end)
        fields = {"metric": self.metric, "since": since, "n": own.days, "wanted": own.wanted, "last": last}
        return words(f"watch.{self.status.replace(' ', '_')}", dates=", ".join(self._counted), **fields)

    def to_table(self) -> Table:
        """Return the last fortnight and the days of alarms before: n, mean, the mean of the reference, z, the sum S, and the use of the day."""
        several = bool(self.by)
        columns = [Column("date"), Column("n", "count"), Column("mean", "value", better=self.metric.better)]
        columns += [Column(name, "value") for name in ["plain mean"] * several + ["expected", "z", "S"]]
        shown = [day for at, day in enumerate(self.days, SHOWN) if day.is_alarm or at >= len(self.days)]
        rows: list[list[Cell]] = [
            [str(day.date), day.n, day.mean, *[day.plain] * several, day.expected, day.z, day.total, day.use]
            for day in shown
        ]
        marks = {(at, len(columns) - 1): " *" for at, day in enumerate(shown) if day.is_alarm}  # beside S
        columns.append(Column("use"))
        return Table(columns, rows, caption=self.headline(), notes=self.notes(), marks=marks)

    def to_markdown(self) -> str:
        """Return the verdict and the table, for the summary of a step; names make no links and call nobody."""
        return LINKED.sub(r"\g<0><!-- -->", super().to_markdown())

    def notes(self, words: PageStrings | None = None) -> list[str]:
        """Return what the reference is, what is promised, how soon a drop is seen, and what was skipped, in English or other words."""
        words, own = words or words_of("en"), self.design
        used = [day.date for day in self.days if day.use == "reference"]
        parts = "parts" if own.sampling else "days_alone"
        keys = ["reference", parts, "sum", "promised"] * math.isfinite(own.threshold)
        if own.drop > 0:
            keys.append("impossible" if math.isnan(own.days_to_see) else "seen")
        if math.isfinite(own.autocorrelation):
            keys.append("correlated" if own.autocorrelation > CORRELATED else "autocorrelation")
        worst = self.metric.range[self.metric.better == "lower"]
        fields = own._asdict() | {"sigma": own.sigma, "ratio": own.drop / own.sigma, "n": own.days}
        # two standard errors of that of days without any
        fields |= {"metric": self.metric, "worst": worst, "chance": 2 / math.sqrt(max(own.days, 1))}
        fields["span"] = f"{used[0]} – {used[-1]}" if used else ""
        fields["kind"] = words("watch.by_weekday") if own.is_by_weekday else ""
        notes = [words(f"watch.{key}", **fields) for key in keys]
        if self.alarms:
            notes.append(words("watch.alarms", dates=", ".join(map(str, self.alarms))))
        if self.by:
            notes.append(words("watch.standardised", by=", ".join(self.by)))
        skipped = Counter(day.use.replace(" ", "_") for day in self.days if day.use.startswith("no "))
        skipped["missing"] = (self.days[-1].date - self.days[0].date).days // own.step + 1 - len(self.days)
        notes += [words(f"watch.{key}", n=n) for key, n in skipped.items() if n > 0]
        return notes + [
            words("watch.renamed", old=one.run, new=day.run, date=day.date)
            for one, day in pairwise(self.days)
            if without_day(one.run) != without_day(day.run)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        own, found = (
            self.metric,
            {"status": self.status, "exit_code": self.exit_code, "verdict": self.headline()},
        )
        metric = {"metric": str(own), "signature": own.signature, "better": own.better}
        made = {"metric": metric, "policy": self.policy.to_dict(), "design": plain_row(self.design)}
        alarms = [str(day) for day in self.alarms]
        return found | {"alarms": alarms} | super().to_dict() | made | {"notes": self.notes()}

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per day; undefined is null."""
        return frame_of_rows(WatchedDay, self.days)

    @classmethod
    def _of_file(cls, content: dict[str, Any], path: Any) -> Watch:
        made = {"metric": metric_of(content["metric"]["metric"]), "policy": policy_of(content["policy"])}
        return super()._of_file(content | made, path)

    def _check(self) -> None:
        own, (low, high), measured = self.design, self.metric.range, []
        ensure(self.rows, "rows", "there is none")
        for place, day in enumerate(self.rows):
            with within(f"rows[{place}]"):
                is_whole = day.use in ("reference", "watched", "no weekday")
                ensure(is_count(day.n, LARGEST) and day.n >= 2 * is_whole, "n", "it is no count of queries")
                ensure(not place or self.rows[place - 1].date < day.date, "date", "dates are not in order")
                ensure(math.isfinite(day.error) == is_whole and not day.error < 0, "error", "it is no error")
                means = [mean for mean in day[3:5] if is_whole or not math.isnan(mean)]
                is_inside = all(low - NEAR <= mean <= high + NEAR and math.isfinite(mean) for mean in means)
                ensure(is_inside, "mean", f"it is not from {low:g} to {high:g}")
                ensure(self.by or not means or day.mean == day.plain, "plain", "it is not the mean")
                measured.append(
                    WatchedDay(*day[:5], "watched" if day.use == "no weekday" else day.use, day.error)
                )
        uses = {day.use for day in measured}
        with within("design"):
            _read("reference", own.wanted, REFERENCE)
            fits = own.days == own.wanted if "watched" in uses else own.days <= own.wanted
            ensure(fits, "days", f"they are {own.days} of {own.wanted}")
            # all else follows from the days and from what was asked; what a search found may differ in its last step between machines
            design, rows = _designed(
                measured, self.metric, own.wanted, own.false_alarms, own.share, own.since
            )
            for word in "threshold", "days_to_see":
                saved, value = getattr(own, word), getattr(design, word)
                is_near = math.isclose(saved, value, rel_tol=SEARCHED) or (
                    math.isnan(saved) and math.isnan(value)
                )
                ensure(is_near, word, f"{saved} in place of {value}")
            design = design._replace(threshold=own.threshold, days_to_see=own.days_to_see)
            ensure_same(plain_row(own), plain_row(design), "")
        rows = _added_up(rows, own.threshold)
        ensure_same([*map(plain_row, self.rows)], [*map(plain_row, rows)], "rows")


@ordered(ORDER)
def watch(
    results: Any,
    metric: Wanted | None = None,
    reference: int | str = 28,
    false_alarms: str = "1/year",
    *,
    drop: float | str = "5%",
    by: str | Sequence[str] | None = None,
    since: Day = None,
) -> Watch:
    """Watch a daily mean, and raise an alarm when it has dropped below a reference, with as many false alarms as were promised.

    The first days are the reference; each day after them adds to a sum how far it is below, and a sum above h is an alarm. What the draw of a
    day's queries does counts, and what days differ in besides.

    Formula
        τ² = max(0, variance of the reference's days − mean of s²/n); z = (day − reference)/√(τ² + s²/n), s² of the queries of the
        reference and n of the day; S ← max(0, S − z − ½), an alarm where S > h, then S = 0; h from E[1/ARL(h)] = 1/looks over errors
        N(0, 1/D) of the mean and χ²/(D − 1) of the variance. From 28 days on by weekday: variance and χ² ÷ (D − 7), z ÷ √(1 + 6/D).
        Without s²/n where each day has the same queries, which then are no draw

    Parameters
    ----------
    results
        ``{date: Results}``, or saved results by the date in the name of each file: what ``rw.trend`` takes.
    metric
        A mean of values per query; one for which lower is better is turned round. Default: the only one.
    reference
        How many days, the first that have a value, the others are held against: at least 14, as a number or as text such as 28d.
    false_alarms
        The promise: how many alarms may come where nothing changes, such as 1/year, 4/year or 1/month.
    drop
        The drop of which is said how long it takes to be seen: in units of the metric, or a share of the reference's mean.
    by
        What the results were evaluated ``by=``: the mean counts each segment with the share of queries that it has in the reference.
    since
        A date from which on any alarm counts for the verdict; default: only one of the newest day.

    Raises
    ------
    RankwellError
        If dates cannot be read, two results are of one date, they differ in definition, policy, grades or judgements, or an argument is none.

    Notes
    -----
    Days that are missing, have no value, lack a segment of the reference or are of a weekday that it lacks are skipped and counted.
    ``docs/watch.md`` shows how the promise is kept in simulated years, and by what it is broken.

    Source: Page (1954), Biometrika 41; Jones, Champ & Rigdon (2004), Journal of Quality Technology 36, for estimated references.

    Examples
    --------
    >>> import rankwell as rw
    >>> from datetime import date, timedelta
    >>> def evaluated(day, hits):
    ...     lists = {f"{day}/{q}": ["b", "a"] if (7 * q + day) % 10 < hits else ["b", "c"] for q in range(90 + day % 5)}
    ...     return rw.evaluate(lists, {query: {"a": 1} for query in lists}, ["hit@2"])
    >>> days = {date(2026, 1, 1) + timedelta(day): evaluated(day, 6 if day < 20 else 4) for day in range(23)}
    >>> found = rw.watch(days, "hit@2", reference=14)
    >>> found.status, [str(day) for day in found.alarms]
    ('alarm', ['2026-01-23'])
    """
    wanted, by = int(_read("reference", reference, REFERENCE)[1]), tuple(as_list("by", by))
    _read("false_alarms", false_alarms, PROMISE)
    least, first = Margin.of(_read("drop", drop, DROP)[0]), Window.of(since, None).since
    days = read_days(results, ORDER)
    res = next(iter(days.values()))
    own = _metric_of(metric, res)
    _refuse_unlike(days, own)
    rows = _measured(days, own, by, wanted)
    design, rows = _designed(rows, own, wanted, false_alarms, str(least), str(first or ""))
    return Watch(own, res.policy, by, design, tuple(rows))


def _designed(
    rows: list[WatchedDay], metric: Metric, wanted: int, false_alarms: str, share: str, since: str
) -> tuple[WatchDesign, list[WatchedDay]]:
    """What follows from measured days and from what was asked, and the days held against the reference, if it is whole."""
    promise, least = _read("false_alarms", false_alarms, PROMISE), Margin.of(_read("drop", share, DROP)[0])
    first, last = Window.of(since or None, None).since, rows[-1].date
    if first is not None and first > last:
        raise UsageError(f"since={first} is after the last day, {last}.")
    step = round(median([(later.date - one.date).days for one, later in pairwise(rows)] or [1]))
    n, looks = sum(day.use == "reference" for day in rows), UNITS[promise[2]] / float(promise[1]) / step
    design = WatchDesign(false_alarms, looks, step, share, since, wanted, n)
    return _judged(rows, design, least, metric) if n == wanted else (design, rows)


def _measured(
    days: Mapping[date, Results], metric: Metric, by: tuple[str, ...], wanted: int
) -> list[WatchedDay]:
    """Each day with its mean, in which each segment has its share of the reference, its error, and what it is used for."""
    found = {day: _by_segment(day, res, metric, by) for day, res in days.items()}
    valued = [day for day, own in found.items() if sum(n for n, _, _ in own.values()) > 1]
    # those of the first days with a value; a day that lacks one has no such mean
    segments = dict.fromkeys(key for day in valued[:wanted] for key in found[day])
    whole = [day for day in valued if all(found[day].get(key, (0,))[0] > 1 for key in segments)]
    own, first = {day: np.array([found[day][key] for key in segments]).T for day in whole}, whole[:wanted]
    held = np.array([own[day] for day in first]).reshape(len(first), 3, len(segments))
    sizes, freedom = held[:, 0], np.maximum(1, (held[:, 0] - 1).sum(0))
    # ids that are on each day are no draw: what days differ by is all of it
    ids = {day: Digest.of_rows(fingerprints_of(days[day].part.queries)) for day in whole}
    is_draw = len({ids[day].sums for day in first}) != 1 or len(first) == 1
    if others := [day for day in whole[wanted:] if not is_draw and ids[day] != ids[first[0]]]:
        raise DataError(
            f"all days of the reference have the same queries, and {others[0]} has others, so these may be what changed. Evaluate all days "
            f"against the same, or begin anew with the window of days {others[0]}..; if each day has its own, give its queries ids of their own, "
            f"such as user and date."
        )
    # a day's own s² falls with its mean where values are hits, and a low day would seem lower than it is
    shares, spread = sizes.sum(0) / max(1, sizes.sum()), ((sizes - 1) * held[:, 2]).sum(0) / freedom
    rows = []
    for day, res in days.items():
        use: Use = "no segment" if day in valued else "no value"
        plain = res.mean[str(metric)]
        mean, error = plain, math.nan
        if day in own:
            use = "reference" if day in first else "watched"
            n, means, variances = own[day]
            variances = variances if use == "reference" else spread
            mean, error = float(shares @ means), math.sqrt(shares**2 @ (variances / n)) * is_draw
        rows.append(WatchedDay(day, res.name, res.n[str(metric)], mean, plain, use, error))
    return rows


def _by_segment(
    day: date, res: Results, metric: Metric, by: tuple[str, ...]
) -> dict[tuple[str, ...], Summary]:
    """The summary of each segment of a day, or of all its queries."""
    if not by:
        n, _, variance = _summary(res.values(metric))
        return {(): (n, res.mean[str(metric)], variance)}
    segment, said = res.part.segment, f"by={', '.join(by)}: the results of {day}"
    if res.division.by != by:
        raise UsageError(
            f"{said} were evaluated by {', '.join(res.division.by) or 'no column'}. Evaluate all days with by=."
        )
    if segment is None or metric not in res.part.divided:
        raise UsageError(f"{said} hold no segment of each query. Evaluate them with by=, and save them anew.")
    values, codes = res.part.divided[metric], distinct(segment)
    summaries = [_summary(values[segment == code]) for code in codes]
    return {
        labels: own for labels, own in zip(res.division.labels.of(codes), summaries, strict=True) if own[0]
    }


def _summary(values: np.ndarray) -> Summary:
    values = values[~np.isnan(values)]
    n = len(values)
    return n, float(values.mean()) if n else math.nan, float(values.var(ddof=1)) if n > 1 else math.nan


def _judged(
    rows: list[WatchedDay], design: WatchDesign, least: Margin, metric: Metric
) -> tuple[WatchDesign, list[WatchedDay]]:
    """What follows from the reference, and each later day held against it."""
    kinds = {day.date: day.date.weekday() * design.is_by_weekday for day in rows}
    held = [(day.mean, day.error**2, kinds[day.date]) for day in rows if day.use == "reference"]
    means, sampling, own = np.array(held).T
    base, mean = Baseline.of(means, sampling, own.astype(int)), float(means.mean())
    if base.day_part + base.sampling <= (NEAR * mean) ** 2:
        raise UsageError(
            f"{metric} has one value for all queries or all days of the reference, so nothing can be held against it. Watch another metric, "
            f"or hold each day against one before it (rankwell gate)."
        )
    design = design._replace(
        mean=mean, day_part=math.sqrt(base.day_part), sampling=math.sqrt(base.sampling), autocorrelation=base.autocorrelation,
        threshold=threshold_for(design.looks, base.reference), drop=least.value * (abs(mean) if least.is_relative else 1),
    )  # fmt: skip
    worst = metric.range[metric.better == "lower"]
    if 0 < design.drop <= abs(mean - worst) * (1 + NEAR):
        looks = looks_to_see(design.drop / design.sigma / base.widening, design.threshold, base.reference)
        design = design._replace(days_to_see=looks * design.step)
    sign = -1 if metric.better == "lower" else 1
    for at, day in enumerate(rows):
        kind, is_watched = kinds[day.date], day.use == "watched"
        if kind in base.means:
            z = sign * base.z(day.mean, day.error**2, kind) if is_watched else math.nan
            rows[at] = day._replace(expected=base.means[kind], z=z)
        elif is_watched:
            rows[at] = day._replace(use="no weekday")
    return design, _added_up(rows, design.threshold)


def _added_up(days: Sequence[WatchedDay], threshold: float) -> list[WatchedDay]:
    """The days with the sums S and their alarms."""
    totals, alarms = cusum(np.array([day.z for day in days]), threshold)
    sums = zip(days, totals.tolist(), alarms.tolist(), strict=True)
    return [day._replace(total=total, is_alarm=is_alarm) for day, total, is_alarm in sums]


def _metric_of(metric: Wanted | None, res: Results) -> Metric:
    """The metric, or the only one of the results; UsageError for one of which no drop can be told."""
    if metric is None and len(res.metrics) > 1:
        raise UsageError(f"one metric is watched; name it, of {', '.join(map(str, res.metrics))}.")
    own = res.metrics[0] if metric is None else metric_of(metric)
    if own.better == "neither":
        raise UsageError(f"{own}: neither end is better, so nothing is a drop. Watch another metric.")
    if own in res.part.weighted:
        raise UsageError(
            f"{own} is weighted by {res.weights}, and results do not hold the weight of each query. Evaluate without weights."
        )
    return own


def _refuse_unlike(days: Mapping[date, Results], metric: Metric) -> None:
    """Refuse days that differ in definition, policy, scale or, for the same queries, in judgements."""
    refuse_unlike_days(days, [metric])
    for res in days.values():
        refuse_without_mean(res.part, metric)
    alike = [
        (f"{day} and {other}", difference_of_judgements(one, res))
        for (day, one), (other, res) in pairwise(days.items())
        if one.n == res.n and one.queries == res.queries
    ]
    changed = [(both, difference) for both, difference in alike if difference]
    # a log of each day's own is another one every day; what stays for days and then changes is one set that was exchanged
    if changed and len(changed) < len(alike):
        both, difference = changed[0]
        raise DataError(
            f"{both} have the same queries and other judgements ({difference}), as other days have not, so these may be what changed. Evaluate "
            f"all days against the same."
        )


def _read(word: str, given: object, form: tuple[str, str]) -> re.Match[str]:
    """Read an argument of a form; UsageError if it is none."""
    found = re.fullmatch(form[0], str(given))
    if found is None:
        raise UsageError(f"{word}={brief(given)}: must be {form[1]}.")
    return found
