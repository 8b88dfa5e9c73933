"""Growth: what was measured with more and more documents, and how each quantity grows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankwell.display.saved_files import Kind
from rankwell.display.table import Cell, Column, Table
from rankwell.efficiency.estimates import MIB, MS, median
from rankwell.efficiency.frames import GROWN, REMEDY, Columns, Measurements, SavedParts
from rankwell.efficiency.load import check_count, check_known
from rankwell.efficiency.tables import conditions
from rankwell.errors import UsageError
from rankwell.records import cached_property
from rankwell.statistics.growth import DECADES, FITTED, REPETITIONS, SHORT, SIZES, GrowthFit, Prediction
from rankwell.statistics.growth import growth as growth_of

if TYPE_CHECKING:
    import polars as pl

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
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    overhead: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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
        return [*parts, conditions(self.environment, self.settings, self.overhead, self.notes)]

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
