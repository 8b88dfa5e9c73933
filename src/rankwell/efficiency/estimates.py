"""Estimates from calls: latencies, their quantiles, ratios of two systems; and what makes measured figures doubtful."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.compare.costs import CostConditions, Failures, Slower
from rankwell.efficiency.frames import WARM
from rankwell.efficiency.machine import require
from rankwell.errors import UsageError
from rankwell.records import cached_property, record
from rankwell.statistics.quantiles import QuantileInterval, quantile_interval
from rankwell.statistics.ratios import RatioInterval, geometric_ratio, quantile_ratio, ratio_of_logs
from rankwell.statistics.series import effective_size

if TYPE_CHECKING:
    import polars as pl


MS, MIB = 1e3, 2**20  # milliseconds of a second, bytes of a MiB
TURNS = 3  # repetitions without which an interval over them says nothing
HOUR, DIGITS = 3_600_000_000, 3  # the highest value of a histogram, in microseconds
# a note says that the machine slowed down if a fixed loop takes this factor longer than at its best
PACE = 1.10
OTHERS = 0.25  # cores that other processes keep busy
SHARE = 0.05  # of the median latency that is the harness


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


@record(eq=False)
class CallGroup:
    """The calls of a system under one load, cold or warm, and what is estimated from them, each once."""

    system: str
    load: str
    session: str
    calls: pl.DataFrame
    known: dict[tuple[float, float], QuantileInterval] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What tables call it beside the system."""
        return self.load if self.session == WARM else self.session

    @property
    def failed(self) -> int:
        """How many calls were not answered in time and in shape."""
        return int((self.calls["outcome"] != "ok").sum())

    @property
    def failures(self) -> Failures:
        """How many of the calls timed out, and how many failed otherwise."""
        timeouts = int((self.calls["outcome"] == "timeout").sum())
        return Failures(len(self.calls), timeouts, self.failed - timeouts)

    @cached_property
    def latencies(self) -> np.ndarray:
        """The latencies in the order in which the calls were made."""
        return self.calls.select(each=latency()).drop_nulls().to_series().to_numpy()

    def quantile(self, q: float, *, level: float = 0.95) -> QuantileInterval:
        """A quantile of the latencies, whose bounds are those of their effective number, at most that of distinct queries."""
        if (q, level) not in self.known:
            values = self.latencies
            point = quantile_interval(values, q, level=level).value
            # calls that exceed the quantile come in bursts where the machine stalls, and one query asked again is the
            # same query
            worth = min(effective_size(values > point), float(self.calls["query"].n_unique()))
            self.known[q, level] = quantile_interval(values, q, level=level, effective=worth)
        return self.known[q, level]

    @cached_property
    def by_query(self) -> dict[str, float]:
        """The median latency of each query over its repetitions, where it was always answered in time."""
        import polars as pl

        # by the median, so that one stall does not make a query slow; without queries that ever failed, whose other calls
        # say nothing of it
        medians = self.calls.select("query", each=latency()).group_by("query", maintain_order=True).agg(
            pl.col("each").median(), whole=pl.col("each").is_not_null().all() & pl.col("each").is_finite().all()
        )  # fmt: skip
        whole = medians.filter("whole")
        return dict(zip(whole["query"].to_list(), whole["each"].to_list(), strict=True))

    @cached_property
    def by_repetition(self) -> dict[int, float]:
        """The mean log latency of each repetition."""
        import polars as pl

        latencies = (
            self.calls.select("repetition", each=latency()).drop_nulls().filter(pl.col("each").is_finite())
        )
        # logs, as ratios of geometric means are differences of these
        logs = latencies.group_by("repetition", maintain_order=True).agg(pl.col("each").log().mean())
        return dict(zip(logs["repetition"].to_list(), logs["each"].to_list(), strict=True))


def ratio(
    new: CallGroup, old: CallGroup, *, q: float | None = None, level: float = 0.95, seed: int = 0
) -> RatioInterval:
    """The factor between two systems over the queries that both always answered."""
    both = [each for each in new.by_query if each in old.by_query]
    if not both:
        raise UsageError("the two systems have answered no query in common.")
    first, second = (np.array([each.by_query[query] for query in both]) for each in (new, old))
    if q is None:
        return geometric_ratio(first, second, level=level, seed=seed)
    return quantile_ratio(first, second, q, level=level, seed=seed)


def over_repetitions(new: CallGroup, old: CallGroup, *, level: float = 0.95) -> RatioInterval:
    """The ratio of geometric means, with Student's interval over repetitions: what another measurement would find."""
    ours, theirs = new.by_repetition, old.by_repetition
    logs = np.array([ours[repetition] - theirs[repetition] for repetition in ours if repetition in theirs])
    if not len(logs):
        return RatioInterval(math.nan, math.nan, math.nan, 0, TURNS)
    return ratio_of_logs(logs, least=TURNS, method="t", level=level)


def slower(new: CallGroup, old: CallGroup) -> list[Slower]:
    """The ratio of two systems over queries and over repetitions; none if they answered no query in common."""
    if not new.by_query.keys() & old.by_query.keys():
        return []
    whole, turns = ratio(new, old), over_repetitions(new, old)
    return [Slower(new.system, old.system, whole.n, *whole[:3], *turns[1:3], turns.n)]


def histogram(values: np.ndarray) -> Any:
    """The latencies as a histogram in microseconds."""
    made = require("hdrh.histogram").HdrHistogram(1, HOUR, DIGITS)
    # rounded up: a histogram of whole microseconds should not make a call faster than it was
    whole = np.clip(np.ceil(np.where(np.isfinite(values), values, HOUR) * 1e6), 1, HOUR)
    for value, count in zip(*np.unique(whole.astype(np.int64), return_counts=True), strict=True):
        made.record_value(int(value), int(count))
    return made


def median(column: pl.Series) -> float | None:
    """The median of what is known; None if nothing is."""
    values = column.drop_nulls().to_numpy()
    return float(np.median(values)) if len(values) else None


def most(column: pl.Series) -> float | None:
    """The largest of what is known; None if nothing is."""
    values = column.drop_nulls().to_numpy()
    return float(values.max()) if len(values) else None


def conditions(
    environment: Mapping[str, Any], sessions: pl.DataFrame, groups: Sequence[CallGroup]
) -> CostConditions:
    """On what the warm sessions under a load were measured, and what disturbed them."""
    paces, busy = (sessions[each].drop_nulls().to_numpy() for each in ("pace", "others"))
    failures = {each.system: each.failures for each in groups if each.session == WARM and each.failed}
    return CostConditions(
        environment=dict(environment),
        slower=float(paces.max() / paces.min() - 1) if len(paces) else None,
        busy=float(busy.max()) if len(busy) else None,
        saturated=tuple(sessions.filter(saturated=True)["system"].unique(maintain_order=True)),
        restarts=_restarts(sessions),
        failures=failures,
    )


def _restarts(sessions: pl.DataFrame) -> dict[str, int]:
    """How many times the process of a system was started again, of those where it was."""
    import polars as pl

    counts = sessions.group_by("system", maintain_order=True).agg(pl.col("restarts").sum())
    return dict(counts.filter(pl.col("restarts") > 0).rows())


def of_machine(sessions: pl.DataFrame) -> list[str]:
    """What the machine did while sessions ran: another pace, other processes."""
    notes = []
    paces, busy = (sessions[each].drop_nulls().to_numpy() for each in ("pace", "others"))
    if len(paces) and (slower := paces.max() / paces.min()) > PACE:
        notes.append(
            f"The machine was up to {slower - 1:.0%} slower at times (a fixed loop before each session)."
        )
    if len(busy) and busy.max() > OTHERS:
        notes.append(
            f"Other processes kept up to {busy.max():.1f} cores busy ({np.median(busy):.1f} in the median session)."
        )
    return notes


def disturbances(
    sessions: pl.DataFrame, overhead: Mapping[str, float], groups: Sequence[CallGroup]
) -> list[str]:
    """What made figures doubtful: another pace of the machine, other processes, a queue without end, restarts, the harness."""
    notes = of_machine(sessions)
    for system, load in (
        sessions.filter(saturated=True).select("system", "load").unique(maintain_order=True).rows()
    ):
        notes.append(
            f"{system}: saturated under “{load}”: queries come faster than they are answered, so latencies grow as long as it goes on."
        )
    notes += [
        f"{system}: its process was started again {count:,} times; due times were put off meanwhile, and CPU of these sessions is undefined."
        for system, count in _restarts(sessions).items()
    ]
    added = overhead.get("call", 0.0)
    for group in groups:
        usual = float(np.median(group.latencies)) if len(group.latencies) else 0.0
        if group.session == WARM and usual and added > SHARE * usual:
            notes.append(
                f"{group.system} ({group.load}): the harness is {added / usual:.0%} of the median latency."
            )
    return notes
