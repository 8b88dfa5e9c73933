"""``growth``: what systems cost with more and more random parts of the documents, all sizes in turns, and how each quantity grows."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankwell.display.saved_files import Kind
from rankwell.display.table import Cell, Column, Table
from rankwell.efficiency.costs import Costs
from rankwell.efficiency.estimates import MIB, MS, latency, median, of_machine
from rankwell.efficiency.frames import (
    COLD,
    FAILED,
    GROWN,
    MEASURED,
    REMEDY,
    WARM,
    Columns,
    Measurements,
    SavedParts,
    frame_of,
)
from rankwell.efficiency.load import Closed, Load, check_count, check_known
from rankwell.efficiency.machine import environment, refuse_elsewhere
from rankwell.efficiency.measurement import MeasurementPlan, Record, in_turn, warm_up
from rankwell.efficiency.process import SystemLimits, Team
from rankwell.efficiency.session import overhead
from rankwell.efficiency.system import Command, searches
from rankwell.efficiency.tables import conditions
from rankwell.errors import UsageError, brief
from rankwell.records import cached_property
from rankwell.statistics.growth import DECADES, FITTED, REPETITIONS, SHORT, SIZES, GrowthFit, Prediction
from rankwell.statistics.growth import growth as growth_of
from rankwell.tables.arguments import plain
from rankwell.tables.collections import Documents

if TYPE_CHECKING:
    import polars as pl


SMALLEST = 2  # documents, as log 1 is 0
SHORTEST = 10  # documents from which sizes start where a reason allows fewer decades
FORMAT, VERSION = "rankwell growth", 1


class SavedGrowth(SavedParts):
    """What ``to_dict`` writes; the estimates are made again."""

    measured: Columns
    failures: Columns


FILE = Kind(
    SavedGrowth, "file of growth", "rankwell bench --growth and Growth.save write them", REMEDY, ("format", FORMAT),
    ("version", VERSION),
)  # fmt: skip
NO_LAW = "no law is shown"
FEW = 3  # sizes that a note names
UNITS = {
    "indexing": ("s", 1.0),
    "memory": ("MiB", 1 / MIB),
    "index size": ("MiB", 1 / MIB),
    "latency": ("ms", MS),
}


@dataclass(frozen=True, eq=False, repr=False)
class Growth(Measurements):
    """How the cost of systems grows with the number of documents, as ``rw.efficiency.growth`` measured it.

    Attributes
    ----------
    measured
        A row per system, number of documents and repetition: seconds of indexing, peak memory above that before indexing and size of the index in
        bytes, geometric mean of the latencies in seconds (null where a query failed), calls, and how many of them failed.
    failures
        A row per call that failed, with its message.
    settings, environment, overhead, notes
        As in ``Costs``.
    """

    _plural: ClassVar[str] = "measurements"
    _file: ClassVar[Kind[Any]] = FILE
    _frames: ClassVar[Mapping[str, Mapping[str, str]]] = GROWN

    measured: pl.DataFrame
    failures: pl.DataFrame

    @cached_property
    def systems(self) -> list[str]:
        """The systems, in the order in which they were given."""
        return self.measured["system"].unique(maintain_order=True).to_list()

    @cached_property
    def quantities(self) -> list[str]:
        """What was measured: indexing, memory, index size, latency."""
        return [quantity for quantity in UNITS if self.measured[column_of(quantity)].is_not_null().any()]

    @cached_property
    def sizes(self) -> list[int]:
        """The numbers of documents, ascending."""
        return sorted(self.measured["documents"].unique().to_list())

    def values(self, system: str, quantity: str) -> dict[int, np.ndarray]:
        """Return the values of the repetitions by number of documents, in seconds and bytes.

        Left out are numbers of documents with a value of 0, which is below what can be measured.

        Raises
        ------
        UsageError
            For a system or quantity that does not exist.
        """
        by_size = self._known(system, quantity)
        return {size: values for size, values in by_size.items() if (values > 0).all()}

    def left_out(self, system: str, quantity: str) -> list[int]:
        """Return the numbers of documents that ``values`` leaves out.

        Raises
        ------
        UsageError
            For a system or quantity that does not exist.
        """
        return [size for size, values in self._known(system, quantity).items() if not (values > 0).all()]

    def _known(self, system: str, quantity: str) -> dict[int, np.ndarray]:
        check_known("system", system, self.systems)
        check_known("quantity", quantity, [*UNITS])
        column = column_of(quantity)
        own = self.measured.filter(system=system, outcome="ok").select("documents", column).drop_nulls()
        parts = own.partition_by("documents", as_dict=True, maintain_order=True)
        return {int(size): part[column].to_numpy() for (size,), part in sorted(parts.items())}

    @cached_property
    def fits(self) -> dict[tuple[str, str], GrowthFit]:
        """The fit of each system and quantity that was measured at 3 sizes or more."""
        # fewer decades are enough only where a reason was given for them, which is printed
        decades = DECADES if self.settings.get("reason") is None else SHORT
        fits = {}
        for system in self.systems:
            for quantity in self.quantities:
                values = self.values(system, quantity)
                if len(values) >= FITTED:
                    fits[system, quantity] = growth_of(
                        np.array([*values]), [*values.values()], decades=decades
                    )
        return fits

    def fit(self, system: str, quantity: str) -> GrowthFit:
        """Return the exponent of a quantity with its interval, and the law that is shown, if any.

        Raises
        ------
        UsageError
            For a system or quantity that does not exist, or was measured at fewer than 3 sizes.
        """
        sizes = len(self.values(system, quantity))
        if (system, quantity) not in self.fits:
            raise UsageError(
                f"{system}: {quantity} was measured with {sizes} numbers of documents, and a fit needs {FITTED}."
            )
        return self.fits[system, quantity]

    def predict(self, system: str, quantity: str, documents: int) -> Prediction:
        """Return what the law that is shown, else the exponent, says of a number of documents, in seconds or bytes.

        There is an interval up to ten times the most documents that were measured, and no value if the exponent changes.

        Raises
        ------
        UsageError
            As ``fit``, and for fewer than 2 documents.
        """
        check_count("documents", documents, 2)
        return self.fit(system, quantity).predict(documents)

    def tables(self, at: int | None = None) -> list[Table]:
        """Return the tables that are printed: growth, what was measured at each size, failures, how it was measured."""
        parts = [self.to_table(at), _table_of_medians(self)]
        if len(self.failures):
            parts.append(_table_of_failures(self))
        return [*parts, conditions(self, self.notes)]

    def to_table(self, at: int | None = None) -> Table:
        """Return a row per system and quantity: exponent, interval, law or why none, and the prediction for `at` documents.

        By default these are ten times the most that were measured.
        """
        top = self.sizes[-1] if self.sizes else 0
        at = 10 * top if at is None else at
        if self.sizes:
            check_count("at", at, 2)
        rows: list[list[Cell]] = []
        notes = []
        for system in self.systems:
            for quantity in self.quantities:
                fit, (unit, times) = self.fits.get((system, quantity)), UNITS[quantity]
                sizes = len(self.values(system, quantity))
                if fit is None and not sizes and not self.left_out(system, quantity):
                    continue
                if fit is None:
                    why = f"{sizes} sizes have values, and a fit needs {FITTED}"
                    rows.append([system, quantity, None, None, None, NO_LAW, None, None, None, unit, why])
                    continue
                value = fit.predict(at)
                ends = [None if math.isnan(each) else each * times for each in value[:3]]
                law = fit.law or NO_LAW
                # an exponent that is exactly 1 is so only to the last digits of a double
                exponents = [round(each, 6) for each in (fit.exponent, fit.low, fit.high)]
                rows.append([system, quantity, *exponents, law, *ends, unit, _reason_of(fit)])
                if out := self.left_out(system, quantity):
                    shown = ", ".join(f"{each:,}" for each in out[:FEW]) + (" …" if len(out) > FEW else "")
                    notes.append(
                        f"{system}, {quantity}: left out at {shown} documents, too little to be measured."
                    )
        columns = [
            Column("system"), Column("quantity"), Column("exponent", "value", digits=3), Column("low", "value", digits=3),
            Column("high", "value", digits=3), Column("law"), Column(f"at {at:,}", "value", digits=3), Column("from", "value", digits=3),
            Column("to", "value", digits=3), Column("unit"), Column("why no law"),
        ]  # fmt: skip
        explained = ["exponent is b of a·n^b, with its 95 % interval; the law is named only if it is shown."]
        if self.sizes and not self.sizes[0] <= at <= top:
            explained.append(
                f"at {at:,} is extrapolated: {at / top:.3g} times the most documents that were measured."
                if at > top
                else f"at {at:,} is extrapolated: fewer documents than were measured."
            )
            explained.append(
                "Beyond ten times as many there is no interval, and no value where the exponent is not constant."
            )
        if reason := self.settings.get("reason"):
            decades = math.log10(top / self.sizes[0]) if self.sizes else 0.0
            explained.append(f"Only {decades:.1f} decades ({SHORT} rather than 3 are enough here): {reason}.")
        return Table(
            columns,
            rows,
            caption="Growth with the number of documents n",
            notes=[*explained, *notes],
            labels=2,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with the estimates; a bound or exponent that is undefined is None."""
        estimates = [
            {"system": system, "quantity": quantity, "exponent": fit.exponent, "low": fit.low, "high": fit.high,
             "level": fit.level, "law": fit.law or None, "why": fit.why or None}
            for (system, quantity), fit in self.fits.items()
        ]  # fmt: skip
        return super().to_dict() | {"estimates": estimates}


def column_of(quantity: str) -> str:
    """The column of a quantity."""
    return quantity.replace(" ", "_")


def _reason_of(fit: GrowthFit) -> str:
    """Why no law is shown; "" if one is."""
    first, last = fit.ends
    match fit.why:
        case "sizes":
            return f"{len(fit.sizes)} sizes, and {SIZES} are needed"
        case "repetitions":
            enough = int((fit.repetitions >= REPETITIONS).sum())
            return f"{enough} sizes with {REPETITIONS} repetitions, and {SIZES} are needed"
        case "span":
            return f"the sizes span only {fit.decades:.1f} decades"
        case "bend":
            return (
                f"the exponent is not constant: {first:.2f} at the smallest size, {last:.2f} at the largest"
            )
        case "lead":
            return "none leads the others by 6 in AICc"
        case "exponent":
            return "the best one has another exponent"
    return ""


def _table_of_medians(growth: Growth) -> Table:
    """The median of each quantity by system and number of documents."""
    rows: list[list[Cell]] = []
    for (system, documents), own in growth.measured.group_by("system", "documents", maintain_order=True):
        ok = own.filter(outcome="ok")
        indexing, memory, size, latency = (
            median(ok[column]) for column in ("indexing", "memory", "index_size", "latency")
        )
        rows.append(
            [
                str(system), int(str(documents)), len(own), indexing, None if memory is None else memory / MIB,
                None if size is None else size / MIB, None if latency is None else latency * MS,
                len(own) - len(ok), int(own["failed"].sum()),
            ]
        )  # fmt: skip
    columns = [
        Column("system"), Column("documents", "count"), Column("repetitions", "count"), Column("indexing s", "value", better="lower"),
        Column("MiB", "value", better="lower", digits=2), Column("disk MiB", "value", better="lower", digits=3),
        Column("latency ms", "value", better="lower", digits=3), Column("starts failed", "count"), Column("searches failed", "count"),
    ]  # fmt: skip
    return Table(columns, rows, caption="Medians of the repetitions", labels=2, notes=[
        "MiB is the peak of memory above that before indexing; latency is the geometric mean over queries.",
    ])  # fmt: skip


def _table_of_failures(growth: Growth) -> Table:
    """Calls that failed, by system, number of documents, outcome and message."""
    import polars as pl

    parts = growth.failures.group_by("system", "documents", "outcome", "message", maintain_order=True).agg(
        pl.len().alias("calls")
    )
    columns = [
        Column("system"), Column("documents", "count"), Column("outcome"), Column("message"), Column("calls", "count"),
    ]  # fmt: skip
    return Table(columns, parts.rows(), caption="Failures", labels=2, notes=[
        "A repetition in which a search failed has no latency.",
    ])  # fmt: skip


def growth(
    systems: Any,
    queries: Any,
    items: Any,
    sizes: Iterable[int] | None = None,
    *,
    repetitions: int = REPETITIONS,
    reason: str | None = None,
    k: int = 10,
    load: Load = Closed(),  # noqa: B008 - it never changes
    warmup: int = 1,
    threads: bool = False,
    timeout: float | None = 60.0,
    index_timeout: float | None = None,
    memory: int | None = None,
    seed: int = 0,
    progress: Callable[[str], object] | None = None,
) -> Growth:
    """Measure how indexing time, memory, index size and search latency grow with the number of documents.

    Sizes are random parts of the documents, each of which holds the smaller ones. In each of the repetitions every size has its turn, in random
    order, and at each size the systems (A B, B A, …): a new process indexes, answers all queries once cold, warms up,
    and answers them once more, which is measured.

    Parameters
    ----------
    systems, queries, k, threads, timeout, index_timeout, memory, progress
        As for ``measure``; each system has ``index(items)``.
    items
        ``Documents``, a list, a mapping, an array or a data frame.
    sizes
        At least 8 numbers of documents from 2 on, over at least 3 decades; default: 8 of them, evenly spaced in logarithms, up to all documents.
    repetitions
        At least 5.
    reason
        Why the sizes span fewer than 3 decades, such as ``"memory"``; then 2 do, and the result says so.
    load
        The one under which latency is measured.
    warmup
        Passes over all queries before those that are measured, the cold one included.
    seed
        Of the parts, of the order of sizes and queries, and of random arrivals.

    Returns
    -------
    Growth
        What failed is counted, and the rest goes on; where a system failed to index or to come up, that size is not tried again. After an
        interruption (Ctrl-C) it holds what was measured until then.

    Raises
    ------
    UsageError
        For arguments that do not fit, too few documents, sizes or repetitions, or libraries that are missing.

    Examples
    --------
    A list has 1,000 texts, and a reason is given why 2 decades are enough::

        found = rw.efficiency.growth({"bm25": BM25()}, queries, texts, reason="no more texts")
        found.fit("bm25", "indexing").exponent
    """
    refuse_elsewhere()
    check_count("warmup", warmup, 0)
    check_count("seed", seed, 0)
    check_count("repetitions", repetitions, 1)
    if repetitions < REPETITIONS:
        raise UsageError(f"growth needs at least {REPETITIONS} repetitions, not {repetitions}.")
    plain("threads", threads, bool)
    limits = SystemLimits(timeout, index_timeout, memory)
    count, part = subsets(items, seed)
    chosen = sizes_of(count, sizes, reason)
    settings = {
        "k": k, "load": str(load), "sizes": chosen, "repetitions": repetitions, "reason": reason, "warmup": warmup, "threads": threads,
        "timeout": timeout, "index_timeout": index_timeout, "memory": memory, "seed": seed,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="rankwell-") as name:
        folder = Path(name)
        steps: list[_Size] = []
        try:
            steps.extend(
                _Size.of(
                    systems,
                    queries,
                    part(size),
                    size,
                    folder,
                    limits,
                    k=k,
                    load=load,
                    threads=threads,
                    seed=seed,
                )
                for size in chosen
            )
            return _measure(
                steps,
                settings,
                folder,
                (lambda _: None) if progress is None else progress,
                (repetitions, warmup, seed),
            )
        finally:
            for each in (team for step in steps for team in step.teams):
                each.end()
                each.queue.close()


@dataclass
class _Size:
    """A number of documents, with the systems that are measured with them, and what was found."""

    size: int
    plan: MeasurementPlan
    teams: list[Team]
    record: Record

    @classmethod
    def of(
        cls, systems: Any, queries: Any, documents: Any, size: int, folder: Path, limits: SystemLimits, *, k: int, load: Load,
        threads: bool, seed: int,
    ) -> _Size:  # fmt: skip
        plan = MeasurementPlan(systems, queries, documents, k, load, threads=threads, seed=seed)
        if len(plan.loads) > 1:
            raise UsageError("growth is measured under one load.")
        for name, system in plan.systems.items():
            has = "index" in system.commands if isinstance(system, Command) else hasattr(system, "index")
            if not has:
                raise UsageError(f"{name}: it indexes no documents, so nothing can grow with their number.")
        own = folder / f"documents-{size}"
        own.mkdir()
        return cls(size, plan, plan.teams(own, limits), Record(plan.ids, {}, {}))

    def measure(self, team: Team, turn: int, warmup: int) -> None:
        """Index, search cold, warm up, and search."""
        record, plan = self.record, self.plan
        try:
            record.add_start(team.name, turn, team.start(), self.size)
            if not team.failure and searches(team.system):
                plan.session(team, Closed(), COLD, turn, record, keep=False)
            warm_up(plan, team, warmup)
            if not team.failure:
                plan.session(team, plan.loads[0], WARM, turn, record, keep=False)
            if team.failure:
                record.note(f"{team.name}: {team.failure}; it was not measured any further.")
        # each size starts from nothing, so that no cache of a smaller one makes it fast
        finally:
            team.end()


def _measure(
    steps: list[_Size],
    settings: dict[str, Any],
    folder: Path,
    tell: Callable[[str], object],
    numbers: tuple[int, int, int],
) -> Growth:
    repetitions, warmup, seed = numbers
    notes: list[str] = []
    harness: dict[str, float] = {}
    try:
        tell("the harness itself")
        harness = overhead(folder)
        for turn in range(1, repetitions + 1):
            # sizes in random order, so that what drifts on the machine does not look like growth
            for at in np.random.default_rng([seed, turn]).permutation(len(steps)).tolist():
                step = steps[at]
                for team in in_turn(step.teams, turn):
                    if not team.failure:
                        tell(f"{team.name}: {step.size:,} documents, {turn} of {repetitions}")
                        step.measure(team, turn, warmup)
    except KeyboardInterrupt:
        notes.append("The measurement was interrupted; what was measured until then is here.")
    return _growth_of(steps, settings, harness, notes)


def _growth_of(
    steps: list[_Size], settings: dict[str, Any], harness: dict[str, float], notes: list[str]
) -> Growth:
    import polars as pl

    costs_by_size = [(step.size, step.record.costs()) for step in steps]
    rows = pl.concat([frame_of(_rows(size, costs), MEASURED) for size, costs in costs_by_size])
    failures = pl.concat(
        [frame_of(costs.failures.with_columns(documents=size), FAILED) for size, costs in costs_by_size]
    )
    for size, costs in costs_by_size:
        notes += [f"{size:,} documents: {note}" for note in costs.notes]
    notes += of_machine(pl.concat([costs.sessions for _, costs in costs_by_size]))
    plan = steps[0].plan
    settings = {"queries": len(plan.ids), **settings}
    order = {name: at for at, name in enumerate(plan.systems)}
    rows = rows.sort(pl.col("system").replace_strict(order), "documents", "repetition")
    return Growth(
        rows, failures, settings=settings, environment=environment(), overhead=harness, notes=tuple(notes)
    )


def _rows(size: int, costs: Costs) -> pl.DataFrame:
    """A row per system and repetition."""
    import polars as pl

    sessions = costs.sessions.filter(session=WARM).select("system", "repetition", searching="peak_memory")
    is_ok = pl.col("outcome") == "ok"
    calls = costs.calls.with_columns(each=latency()).group_by("system", "repetition").agg(
        latency=pl.col("each").filter(session=WARM).log().mean().exp(),
        calls=pl.len(),
        failed=(~pl.col("outcome").is_in(["ok", "not called"])).sum(),
        lost=(~is_ok).filter(session=WARM).sum(),
    )  # fmt: skip
    rows = costs.indexing.rename({"start": "repetition", "wall": "indexing", "size": "index_size"})
    rows = rows.join(sessions, on=("system", "repetition"), how="left")
    rows = rows.join(calls, on=("system", "repetition"), how="left")
    return rows.with_columns(
        documents=pl.lit(size),
        memory=pl.max_horizontal("peak_memory", "searching"),
        # without the queries that failed it would be the latency of others
        latency=pl.when(pl.col("lost") == 0).then("latency"),
        calls=pl.col("calls").fill_null(0),
        failed=pl.col("failed").fill_null(0),
    )


def sizes_of(documents: int, sizes: Iterable[int] | None, reason: str | None) -> list[int]:
    """Return the numbers of documents to measure with, ascending; by default evenly spaced in logarithms, up to all of them.

    Raises
    ------
    UsageError
        If they are too few or too close together to show how anything grows.

    Examples
    --------
    >>> sizes_of(100_000, None, None)
    [100, 268, 720, 1931, 5179, 13895, 37276, 100000]
    """
    if sizes is None:
        first = documents / 10**DECADES
        if reason is not None:
            first = max(first, min(SHORTEST, documents / 10**SHORT))
        chosen = np.rint(np.geomspace(max(first, SMALLEST), documents, SIZES)).astype(int).tolist()
    else:
        chosen = [*sizes]
        for each in chosen:
            check_count("each of sizes", each, SMALLEST)
        if max(chosen, default=0) > documents:
            raise UsageError(
                f"sizes: {max(chosen):,} is more than the {documents:,} documents that there are."
            )
    chosen = sorted(set(chosen))
    if len(chosen) < SIZES:
        raise UsageError(
            f"growth needs at least {SIZES} sizes, and there are {len(chosen)}; give more of them, or leave sizes out."
        )
    decades, most = math.log10(chosen[-1] / chosen[0]), SHORT if reason is not None else DECADES
    if decades < most - 0.01:
        ways = "" if reason is not None else f", or give reason='memory' (or another) if {SHORT} must do"
        raise UsageError(
            f"growth needs sizes over {most} decades, and from {chosen[0]:,} to {chosen[-1]:,} documents they span {decades:.1f}; "
            f"give more documents{ways}."
        )
    return chosen


def subsets(documents: Any, seed: int) -> tuple[int, Callable[[int], Any]]:
    """Return how many documents there are, and what gives so many of them, drawn at random, in the order that they have.

    Raises
    ------
    UsageError
        If they cannot be counted and chosen.

    Examples
    --------
    >>> count, part = subsets(["a", "b", "c", "d"], 0)
    >>> count, part(2), part(3)
    (4, ['a', 'c'], ['a', 'b', 'c'])
    """
    chosen: Callable[[list[int]], Any]
    if isinstance(documents, Documents):

        def chosen(rows: list[int]) -> Any:
            return Documents(documents.ids[np.array(rows)], documents.frame[rows], name=documents.name)
    elif isinstance(documents, Mapping):
        keys = [*documents]

        def chosen(rows: list[int]) -> Any:
            return {keys[at]: documents[keys[at]] for at in rows}
    elif isinstance(documents, np.ndarray) or hasattr(documents, "iter_rows"):

        def chosen(rows: list[int]) -> Any:
            return documents[rows]
    elif isinstance(documents, Sequence) and not isinstance(documents, (str, bytes)):

        def chosen(rows: list[int]) -> Any:
            return [documents[at] for at in rows]
    else:
        raise UsageError(
            "growth takes parts of the documents: give Documents, a list, a mapping, an array or a data frame, "
            f"not {brief(documents)}; rankwell.read_collection(documents=…) reads a file."
        )
    # one order for all sizes, of which each takes the beginning: larger parts hold the smaller ones
    order = np.random.default_rng(seed).permutation(len(documents))
    return len(documents), lambda size: chosen(np.sort(order[:size]).tolist())
