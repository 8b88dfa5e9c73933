"""Costs: what was measured, in frames and as estimates with intervals."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankwell.comparison.checks import Limit, Status
from rankwell.comparison.compare.costs import QUANTITIES, CostConditions, CostEstimate, CostEstimates
from rankwell.display.result import TEXTS, module
from rankwell.display.saved_files import Kind, ensure
from rankwell.display.table import Table
from rankwell.display.text import beside
from rankwell.efficiency.estimates import (
    MIB,
    MS,
    CallGroup,
    conditions,
    histogram,
    most,
    over_repetitions,
    ratio,
    slower,
)
from rankwell.efficiency.frames import ALL, COLD, REMEDY, WARM, Columns, Measurements, SavedParts, parts_of
from rankwell.efficiency.load import check_known, text_of
from rankwell.errors import UsageError, brief, one_of
from rankwell.evaluation import Evaluator
from rankwell.metrics import metrics_of
from rankwell.readers.bytes.files import File
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.statistics.quantiles import QuantileInterval
from rankwell.statistics.ratios import RatioInterval
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    import polars as pl

QUANTILES = (0.5, 0.9, 0.95, 0.99, 0.999)
SHOWN = tuple(name for name in QUANTITIES if name.startswith("p"))
QUANTILE = re.compile(r"p(\d+(?:\.\d+)?)")
TABLES = "rankwell.efficiency.tables"
FORMAT, VERSION = "rankwell costs", 1


class SavedCosts(SavedParts):
    """What ``save`` writes: a list per column; of the run of a system those of queries, items, scores and ranks."""

    calls: Columns
    sessions: Columns
    indexing: Columns
    failures: Columns
    runs: dict[str, tuple[list[str | int], list[str | int], list[float] | None, list[int | float]]]


FILE = Kind(
    SavedCosts,
    "file of costs",
    "rankwell bench and Costs.save write them",
    REMEDY,
    ("format", FORMAT),
    ("version", VERSION),
)


@dataclass(frozen=True, eq=False, repr=False)
class Costs(Measurements):
    """What systems cost in time and space, as ``rw.efficiency.measure`` found it.

    Attributes
    ----------
    calls
        A row per call: seconds from the beginning of its session at which it was due (open loops), began and ended, and its outcome.
    sessions
        A row per system, load and repetition: wall and CPU seconds, peak memory, throughput, noise.
    indexing
        A row per start of a system: wall and CPU seconds, memory above that before indexing, size on disk, all in bytes.
    failures
        A row per call that failed, with its message.
    runs
        The answers of each system, as a run to evaluate.
    settings, environment, overhead, notes
        How it was measured, on what, what the harness itself adds in seconds per call, and what a reader must know.
    """

    _plural: ClassVar[str] = "costs"
    _texts: ClassVar[Mapping[str, str]] = {**TEXTS, ".json": "_to_file"}
    _file: ClassVar[Kind[Any]] = FILE
    _frames: ClassVar[Mapping[str, Mapping[str, str]]] = ALL

    calls: pl.DataFrame
    sessions: pl.DataFrame
    indexing: pl.DataFrame
    failures: pl.DataFrame
    runs: Mapping[str, Run] = field(default_factory=dict)

    @cached_property
    def systems(self) -> list[str]:
        """The systems, in the order in which they were given."""
        return self.indexing["system"].unique(maintain_order=True).to_list()

    @cached_property
    def loads(self) -> list[str]:
        """The loads of the sessions that count as warm; only the cold pass if there is none."""
        warm = self.calls.filter(self.calls["session"] == WARM)
        return (warm if len(warm) else self.calls)["load"].unique(maintain_order=True).to_list()

    @cached_property
    def groups(self) -> list[CallGroup]:
        """The calls of each system, load and session, cold before warm, with what is estimated from them."""
        parts = self.calls.partition_by("system", "load", "session", as_dict=True, maintain_order=True)
        keys = {
            (str(system), str(load), str(session)): calls for (system, load, session), calls in parts.items()
        }
        warm = [(system, load, WARM) for load in self.loads for system in self.systems]
        # cold calls have no load that was asked for: the first pass of a process is always one query after the other
        cold = [key for key in keys if key[2] == COLD]
        return [CallGroup(*key, keys[key]) for key in (*cold, *warm) if key in keys]

    def group(self, system: str, load: str | None = None, session: str = WARM) -> CallGroup:
        """Return the group of a system under a load, as ``of``."""
        calls = self.of(system, load, session)
        candidates = (each for each in self.groups if (each.system, each.session) == (system, session))
        first = next((each for each in candidates if load in (None, each.load) or session == COLD), None)
        # a group without calls, so that whoever asks for quantiles is told what is missing
        return first or CallGroup(system, load or "", session, calls)

    def of(self, system: str, load: str | None = None, session: str = WARM) -> pl.DataFrame:
        """Return the calls of a system under a load, by default the only one.

        Raises
        ------
        UsageError
            If there is no such system or load, or several loads and none is named.
        """
        check_known("system", system, self.systems)
        if session == COLD:
            return self.calls.filter(system=system, session=COLD)
        if load is None:
            if len(self.loads) != 1:
                raise UsageError(f"there are several loads; load= says which: {one_of(self.loads)}.")
            load = self.loads[0]
        check_known("load", load, self.loads)
        return self.calls.filter(system=system, load=load, session=session)

    def latencies(self, system: str, load: str | None = None, session: str = WARM) -> np.ndarray:
        """Return seconds per call, from when it was due (open loop) or began (closed); ∞ for a time-out, without other failures."""
        return self.group(system, load, session).latencies

    def quantile(
        self, system: str, q: float, load: str | None = None, session: str = WARM, *, level: float = 0.95
    ) -> QuantileInterval:
        """Return a quantile of the latency, in seconds, with its interval.

        The interval is that of order statistics of as many independent calls as these are worth: their effective number (calls that
        follow each other may be slow together), and at most the number of distinct queries. Without bounds, ``missing`` says how many are lacking.

        Raises
        ------
        UsageError
            For a system or load that does not exist, or a system that never answered.
        """
        group = self.group(system, load, session)
        if not len(group.latencies):
            raise UsageError(f"{system}: it has not answered a query.")
        return group.quantile(q, level=level)

    def ratio(
        self,
        new: str,
        old: str,
        load: str | None = None,
        *,
        q: float | None = None,
        level: float = 0.95,
        seed: int = 0,
    ) -> RatioInterval:
        """Return by which factor one system is slower than another on the same queries, with its interval over queries.

        The latency of a query is the median of its repetitions; the factor is that of geometric means, or of a quantile `q` of the
        queries' latencies. Only queries that both answered count.

        Raises
        ------
        UsageError
            For a system or load that does not exist, or systems that answered no query in common.
        """
        return ratio(self.group(new, load), self.group(old, load), q=q, level=level, seed=seed)

    def answered(self, system: str) -> int:
        """Return how many queries of the warm sessions a system answered."""
        own = self.sessions.filter(system=check_known("system", system, self.systems), session=WARM)
        return int(own["completed"].sum())

    def histogram(self, system: str, load: str | None = None, session: str = WARM) -> Any:
        """Return the latencies as an ``HdrHistogram`` in microseconds, to 3 digits, which can be merged with others.

        Time-outs count at its highest value, an hour.
        """
        return histogram(self.latencies(system, load, session))

    def summary(self, quantiles: Sequence[float] = QUANTILES) -> pl.DataFrame:
        """Return a row per system, session and load: quantiles with bounds, throughput, memory, and what failed."""
        frame: pl.DataFrame = module(TABLES).summary(self, quantiles)
        return frame

    def tables(self) -> list[Table]:
        """Return the tables that are printed: searching, indexing, pairs of systems, failures, how it was measured."""
        tables: list[Table] = module(TABLES).tables(self)
        return tables

    def to_table(self) -> Table:
        """Return the table of searching: latency, throughput and memory per system and load."""
        table: Table = module(TABLES).searching(self)
        return table

    def beside(self, qrels: Any, metrics: Any = "ndcg@10", load: str | None = None, **options: Any) -> Table:
        """Return what the systems found beside what it cost: metrics with intervals, latency, throughput, memory and index size.

        The metrics are those of the answers whose cost was measured. Systems are marked that no other beats in the first metric and
        in latency (p95) at once.

        Parameters
        ----------
        qrels, metrics
            As for ``evaluate``.
        load
            Under which load the latency is; may be left out if there is only one.
        **options
            Further arguments of ``evaluate``.

        Raises
        ------
        UsageError
            If there are several loads and none is named, or no system answered a query.
        """
        table: Table = module(TABLES).beside(self.results(qrels, metrics, **options), self.estimates(load))
        return table

    def results(self, qrels: Any, metrics: Any = "ndcg@10", **options: Any) -> dict[str, Results]:
        """Evaluate the answers of all systems, as ``Evaluator.evaluate_all``.

        Raises
        ------
        UsageError
            If no system answered a query.
        """
        runs = {system: self.runs[system] for system in self.systems if system in self.runs}
        if not runs:
            raise UsageError("no system answered a query, so there is nothing to evaluate.")
        return Evaluator(qrels, metrics_of(metrics), **options).evaluate_all(runs)

    def estimates(self, load: str | None = None, pairs: Sequence[tuple[str, str]] = ()) -> CostEstimates:
        """Return what ``compare(…, costs=…)`` and pictures take of the costs under a load, and the ratios of latency of pairs.

        Latencies (in ms) have the intervals of ``quantile``; of throughput (queries/s), size of the index (MiB) and time of indexing (s) it is the
        median, with the least and the most of all repetitions; memory (MiB) is the highest peak.

        Raises
        ------
        UsageError
            If there are several loads and none is named, or there is no such load.
        """
        values: dict[str, dict[str, CostEstimate]] = {name: {} for name in QUANTITIES}
        for system in self.systems:
            group = self.group(system, load)
            for name, estimate in self._of_system(system, group):
                if estimate is not None:
                    values[name][system] = estimate
        return CostEstimates(
            load or self.loads[0],
            {name: own for name, own in values.items() if own},
            tuple(
                estimate
                for pair in pairs
                if set(pair) <= set(self.systems)
                for estimate in slower(*(self.group(system, load) for system in pair))
            ),
            self._conditions(load or self.loads[0]),
        )

    def _of_system(self, system: str, group: CallGroup) -> Sequence[tuple[str, CostEstimate | None]]:
        estimates: list[tuple[str, CostEstimate | None]] = []
        for name in SHOWN if len(group.latencies) else ():
            interval = group.quantile(float(name[1:]) / 100)
            estimates.append((name, CostEstimate(*(bound * MS for bound in interval[:3]))))
        own = self.sessions.filter(system=system, load=group.load, session=WARM)
        index = self.indexing.filter(system=system)
        # sessions report their own peaks; what an index holds counts too, where no session was measured
        peaks = own["peak_memory"].drop_nulls().to_list()
        held = index["held_memory"].drop_nulls().to_list()
        if highest := [max(bound) / MIB for bound in (peaks, held) if bound]:
            # the least of the sessions bounds it from below; the most is the value itself, as memory must suffice for all
            # of them
            least = min(peaks, default=math.inf) / MIB
            estimates.append(("memory", CostEstimate(max(highest), min(least, max(highest)), max(highest))))
        return [
            *estimates,
            ("throughput", _over_turns(own["achieved"])),
            ("index", _over_turns(index["size"], MIB)),
            ("indexing", _over_turns(index["wall"])),
        ]

    def _conditions(self, load: str) -> CostConditions:
        sessions = self.sessions.filter(load=load, session=WARM)
        return conditions(self.environment, sessions, [group for group in self.groups if group.load == load])

    def under(self, load: str) -> Costs:
        """Return the costs under one of several loads.

        Raises
        ------
        UsageError
            If there is no such load.
        """
        check_known("load", load, self.loads)
        import polars as pl

        is_under = (pl.col("load") == load) | (pl.col("session") == COLD)
        frames = {name: getattr(self, name).filter(is_under) for name in ("calls", "sessions", "failures")}
        return replace(self, **frames)

    def limits(
        self,
        system: str,
        *,
        max_latency: Mapping[str, float] | None = None,
        max_memory: float | None = None,
        max_index_size: float | None = None,
        max_slowdown: float | None = None,
        baseline: str | None = None,
        load: str | None = None,
        alpha: float = 0.05,
    ) -> list[Limit]:
        """Return whether a system keeps within limits, for ``gate(…, checks=…)``.

        A latency passes if the upper bound of its quantile is at most the limit, each bound with confidence 1 − `alpha`, and fails if the lower
        bound is above it; in between, and with too few queries for bounds, it is inconclusive. A search that failed fails the gate.

        Parameters
        ----------
        system
            The system.
        max_latency
            Seconds by quantile, such as ``{"p95": 0.05}``.
        max_memory, max_index_size
            Bytes.
        max_slowdown, baseline
            The share by which it may be slower than another system that was measured with it, such as 0.05, in the geometric mean over
            queries; surely both for other queries and for another measurement.
        load
            Under which load; may be left out if there is only one.
        alpha
            The chance that a bound is wrong.

        Raises
        ------
        UsageError
            For a system, load or quantile that does not exist.
        """
        limits = [
            self._latency_limit(system, name, most_allowed, load, alpha)
            for name, most_allowed in (max_latency or {}).items()
        ]
        calls = self.of(system, load)
        own = self.sessions.filter(system=system, session=WARM)
        if load is not None:
            own = own.filter(load=load)
        index = self.indexing.filter(system=system)
        if max_memory is not None:
            held = [
                peak for peak in (most(own["peak_memory"]), most(index["peak_memory"])) if peak is not None
            ]
            limits.append(_bytes("memory", max(held) if held else math.nan, max_memory))
        if max_index_size is not None:
            size = most(index["size"])
            limits.append(_bytes("index size", math.nan if size is None else size, max_index_size))
        if max_slowdown is not None:
            if baseline is None:
                raise UsageError("max_slowdown needs baseline=, the system that it is measured against.")
            limits.append(self._slowdown_limit(system, baseline, max_slowdown, load, alpha))
        # a time-out has a latency, infinite, and is judged by that
        failed = int((~calls["outcome"].is_in(["ok", "timeout"])).sum())
        if failed:
            limits.append(
                Limit(
                    "searches that fail: none",
                    failed,
                    "fail",
                    f"{failed:,} of {len(calls):,} searches failed",
                )
            )
        return limits

    def _latency_limit(self, system: str, name: str, limit: float, load: str | None, alpha: float) -> Limit:
        word = QUANTILE.fullmatch(name)
        if word is None or not 0 < float(word[1]) < 100:
            raise UsageError(f"max_latency is by quantile, such as p95, not {brief(name)}.")
        if not limit > 0:
            raise UsageError(f"max_latency of {name} is a number of seconds above 0, not {brief(limit)}.")
        # one side at alpha is both sides at 2 alpha
        interval = self.quantile(system, float(word[1]) / 100, load, level=1 - 2 * alpha)
        own = limit * MS
        what = f"{name} latency at most {own:g} ms"
        value = interval.value * MS
        if interval.missing:
            more = f"{interval.missing:,} more independent queries are needed to be sure"
            return Limit(what, value, "inconclusive", f"{name} is {value:.4g} ms, but {more}")
        status: Status = (
            "pass" if interval.high <= limit else "fail" if interval.low > limit else "inconclusive"
        )
        why = f"{name} is {value:.4g} ms, surely between {beside(interval.low * MS, own)} and {beside(interval.high * MS, own)} ms"
        return Limit(what, value, status, why)

    def _slowdown_limit(self, new: str, old: str, limit: float, load: str | None, alpha: float) -> Limit:
        if not limit >= 0:
            raise UsageError(f"max_slowdown is a share from 0 on, such as 0.05, not {brief(limit)}.")
        level = 1 - 2 * alpha
        ours, theirs = self.group(new, load), self.group(old, load)
        whole, turns = ratio(ours, theirs, level=level), over_repetitions(ours, theirs, level=level)
        name = f"latency at most {limit:.4g} of the baseline's more"
        # the wider of both ways: surely for other queries, and surely for another measurement
        low, high = min(whole.low, turns.low), max(whole.high, turns.high)
        if math.isnan(whole.high) or math.isnan(turns.high):
            why = f"too few queries ({whole.n:,}) or repetitions ({turns.n:,}, of {turns.needed} at least) to be sure"
            return Limit(name, whole.value - 1, "inconclusive", why)
        most_allowed = 1 + limit
        status: Status = "pass" if high <= most_allowed else "fail" if low > most_allowed else "inconclusive"
        why = f"it is {whole.value:.4g} times the baseline's, surely between {low:.4g} and {high:.4g} times"
        return Limit(name, whole.value - 1, status, why)

    def _to_file(self) -> str:
        """Everything with the runs, of each its queries, items, scores and ranks."""
        runs = {name: _columns(run) for name, run in self.runs.items()}
        return json.dumps(self.to_dict() | {"runs": runs}, ensure_ascii=False)

    @classmethod
    def _of_file(cls, content: Any, path: str | Path) -> Costs:
        parts = parts_of(content, ALL)
        runs = {name: Run(*columns, name=name) for name, columns in content["runs"].items()}
        systems = {*parts["calls"]["system"], *parts["sessions"]["system"], *parts["indexing"]["system"]}
        ensure(runs.keys() <= systems, "runs", "one is that of no system that was measured")
        for run in runs.values():
            run.rows.table()  # which checks ids, scores and ranks
            run.files = (File(path),)
        return cls(**parts, runs=runs)

    def renamed(self, names: Mapping[str, str]) -> Costs:
        """Return the same with other names of systems.

        Raises
        ------
        UsageError
            For a name that does not exist, or two systems of one name.
        """
        import polars as pl

        for system in names:
            check_known("system", system, self.systems)
        new = [text_of("system", names.get(system, system)) for system in self.systems]
        if len(set(new)) < len(new):
            raise UsageError(f"two systems would have one name; the names are {one_of(new)}.")
        frames = {
            name: getattr(self, name).with_columns(pl.col("system").replace(dict(names))) for name in ALL
        }
        runs = {names.get(name, name): run for name, run in self.runs.items()}
        return replace(self, **frames, runs=runs)

    def __add__(self, other: Costs) -> Costs:
        """Return the costs of the systems of both, which must have different names; a note says what differs in how they were measured."""
        if not isinstance(other, Costs):
            return NotImplemented
        import polars as pl

        both = set(self.systems) & set(other.systems)
        if both:
            raise UsageError(f"both have a system {brief(min(both))}; give one another name with renamed().")
        notes = dict.fromkeys((*self.notes, *other.notes))
        for word, one, two in (
            ("settings", self.settings, other.settings),
            ("machine", self.environment, other.environment),
        ):
            if differ := [name for name in {**one, **two} if one.get(name) != two.get(name)]:
                notes[
                    f"The systems were not measured in turns, and with other {word}: {one_of(sorted(differ))} differ."
                ] = None
        if not any("not measured in turns" in note for note in notes):
            notes[
                "The systems were not measured in turns: what changed on the machine in between is in their differences."
            ] = None
        frames = {name: pl.concat([getattr(self, name), getattr(other, name)]) for name in ALL}
        return replace(self, **frames, runs={**self.runs, **other.runs}, notes=tuple(notes))


def _over_turns(column: pl.Series, unit: float = 1.0) -> CostEstimate | None:
    """The median over repetitions with the least and the most of them."""
    values = column.drop_nulls().to_numpy() / unit
    if not len(values):
        return None
    return CostEstimate(float(np.median(values)), float(values.min()), float(values.max()))


def _bytes(what: str, value: float, limit: float) -> Limit:
    name = f"{what} at most {limit / MIB:,.4g} MiB"
    if math.isnan(value):
        return Limit(name, value, "inconclusive", f"the {what} was not measured")
    return Limit(
        name, value / MIB, "pass" if value <= limit else "fail", f"the {what} is {value / MIB:,.4g} MiB"
    )


def _columns(run: Run) -> list[Any]:
    """Queries, items, scores and ranks, as Run takes them."""
    table = run.rows.table()
    scores = None if table.given_score is None else table.given_score.tolist()
    return [table.query.tolist(), table.item.tolist(), scores, table.key.tolist()]
