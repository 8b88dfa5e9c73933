"""Costs: what was measured, in frames and as estimates with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.costing import CostEstimates
from rankwell.display.table import Table
from rankwell.efficiency import estimates, joining, limits, quality, saving, shown
from rankwell.efficiency.estimates import Group
from rankwell.efficiency.frames import COLD, WARM
from rankwell.efficiency.load import check_known
from rankwell.efficiency.queries import text_of
from rankwell.errors import UsageError, one_of
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.statistics.quantiles import QuantileInterval
from rankwell.statistics.ratios import RatioInterval
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    import polars as pl

QUANTILES = (0.5, 0.9, 0.95, 0.99, 0.999)


@dataclass(frozen=True, eq=False, repr=False)
class Costs:
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

    calls: pl.DataFrame
    sessions: pl.DataFrame
    indexing: pl.DataFrame
    failures: pl.DataFrame
    runs: Mapping[str, Run] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    overhead: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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
    def groups(self) -> list[Group]:
        """The calls of each system, load and session, with what is estimated from them."""
        return estimates.groups(self)

    def group(self, system: str, load: str | None = None, session: str = WARM) -> Group:
        """Return the group of a system under a load, as ``of``."""
        calls = self.of(system, load, session)
        known = (each for each in self.groups if (each.system, each.session) == (system, session))
        found = next((each for each in known if load in (None, each.load) or session == COLD), None)
        return found or Group(system, load or "", session, calls)

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
        return estimates.ratio(self.group(new, load), self.group(old, load), q=q, level=level, seed=seed)

    def answered(self, system: str) -> int:
        """Return how many queries of the warm sessions a system answered."""
        own = self.sessions.filter(system=check_known("system", system, self.systems), session=WARM)
        return int(own["completed"].sum())

    def histogram(self, system: str, load: str | None = None, session: str = WARM) -> Any:
        """Return the latencies as an ``HdrHistogram`` in microseconds, to 3 digits, which can be merged with others.

        Time-outs count at its highest value, an hour.
        """
        return estimates.histogram(self.latencies(system, load, session))

    def summary(self, quantiles: Sequence[float] = QUANTILES) -> pl.DataFrame:
        """Return a row per system, session and load: quantiles with bounds, throughput, memory, and what failed."""
        return shown.summary(self, quantiles)

    def tables(self) -> list[Table]:
        """Return the tables that are printed: searching, indexing, pairs of systems, failures, how it was measured."""
        return shown.tables(self)

    def to_table(self) -> Table:
        """Return the table of searching: latency, throughput and memory per system and load."""
        return shown.searching(self)

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
        return quality.table(self.results(qrels, metrics, **options), self.estimates(load))

    def results(self, qrels: Any, metrics: Any = "ndcg@10", **options: Any) -> dict[str, Results]:
        """Evaluate the answers of all systems, as ``Evaluator.evaluate_all``.

        Raises
        ------
        UsageError
            If no system answered a query.
        """
        return quality.results(self, qrels, metrics, **options)

    def estimates(self, load: str | None = None, pairs: Sequence[tuple[str, str]] = ()) -> CostEstimates:
        """Return what ``compare(…, costs=…)`` and pictures take of the costs under a load, and the ratios of latency of pairs.

        Latencies (in ms) have the intervals of ``quantile``; of throughput (queries/s), size of the index (MiB) and time of indexing (s) it is the
        median, with the least and the most of all repetitions; memory (MiB) is the highest peak.

        Raises
        ------
        UsageError
            If there are several loads and none is named, or there is no such load.
        """
        return quality.estimates(self, load, pairs)

    def under(self, load: str) -> Costs:
        """Return the costs under one of several loads.

        Raises
        ------
        UsageError
            If there is no such load.
        """
        check_known("load", load, self.loads)
        import polars as pl

        kept = (pl.col("load") == load) | (pl.col("session") == COLD)
        frames = {name: getattr(self, name).filter(kept) for name in ("calls", "sessions", "failures")}
        return replace(self, **frames)

    limits = limits.limits

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the runs as plain values."""
        return saving.plain(self, saving.FORMAT, saving.VERSION, saving.FRAMES)

    def save(self, path: str | Path) -> None:
        """Write everything to a JSON file, which ``Costs.load`` reads.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        saving.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Costs:
        """Read what ``save`` wrote.

        Raises
        ------
        InputError, DataError
            If it cannot be read, or holds something else.
        """
        return cls(**saving.loaded(path))

    def renamed(self, names: Mapping[str, str]) -> Costs:
        """Return the same with other names of systems.

        Raises
        ------
        UsageError
            For a name that does not exist, or two systems of one name.
        """
        import polars as pl

        for each in names:
            check_known("system", each, self.systems)
        new = [text_of("system", names.get(each, each)) for each in self.systems]
        if len(set(new)) < len(new):
            raise UsageError(f"two systems would have one name; the names are {one_of(new)}.")
        frames = {
            name: getattr(self, name).with_columns(pl.col("system").replace(dict(names)))
            for name in saving.FRAMES
        }
        runs = {names.get(name, name): run for name, run in self.runs.items()}
        return replace(self, **frames, runs=runs)

    def __add__(self, other: Costs) -> Costs:
        """Return the costs of the systems of both, which must have different names."""
        if not isinstance(other, Costs):
            return NotImplemented
        return joining.joined(self, other)

    def __repr__(self) -> str:
        return "\n\n".join(each.to_text() for each in self.tables())

    def _repr_html_(self) -> str:
        from rankwell.display.html import in_notebook

        return in_notebook(self.tables())
