"""Growth: what was measured with more and more documents, and how each quantity grows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.output import write_bytes
from rankwell.display.saved_files import Kind
from rankwell.display.table import Table
from rankwell.efficiency import growth_tables, saving
from rankwell.efficiency.estimates import MIB, MS
from rankwell.efficiency.frames import GROWN
from rankwell.efficiency.load import check_count, check_known
from rankwell.errors import UsageError
from rankwell.records import cached_property
from rankwell.statistics.growth import DECADES, FITTED, SHORT, GrowthFit, Prediction
from rankwell.statistics.growth import growth as growth_of

if TYPE_CHECKING:
    import polars as pl

FORMAT, VERSION = "rankwell growth", 1


class SavedGrowth(saving.SavedParts):
    """What ``to_dict`` writes; the estimates are made again."""

    measured: saving.Columns
    failures: saving.Columns


FILE = Kind(
    SavedGrowth, "file of growth", "rankwell bench --growth and Growth.save write them", saving.REMEDY, ("format", FORMAT),
    ("version", VERSION),
)  # fmt: skip
UNITS = {
    "indexing": ("s", 1.0),
    "memory": ("MiB", 1 / MIB),
    "index size": ("MiB", 1 / MIB),
    "latency": ("ms", MS),
}


@dataclass(frozen=True, eq=False, repr=False)
class Growth:
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
        return [each for each in UNITS if self.measured[column_of(each)].is_not_null().any()]

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
        found = self._known(system, quantity)
        return {size: values for size, values in found.items() if (values > 0).all()}

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
        decades = DECADES if self.settings.get("reason") is None else SHORT
        found = {}
        for system in self.systems:
            for quantity in self.quantities:
                values = self.values(system, quantity)
                if len(values) >= FITTED:
                    found[system, quantity] = growth_of(
                        np.array([*values]), [*values.values()], decades=decades
                    )
        return found

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
        return growth_tables.tables(self, at)

    def to_table(self, at: int | None = None) -> Table:
        """Return a row per system and quantity: exponent, interval, law or why none, and the prediction for `at` documents.

        By default these are ten times the most that were measured.
        """
        return growth_tables.growth(self, at)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with the estimates; a bound or exponent that is undefined is None."""
        estimates = [
            {"system": system, "quantity": quantity, "exponent": fit.exponent, "low": fit.low, "high": fit.high,
             "level": fit.level, "law": fit.law or None, "why": fit.why or None}
            for (system, quantity), fit in self.fits.items()
        ]  # fmt: skip
        return saving.plain(self, FORMAT, VERSION, GROWN) | {"estimates": estimates}

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write everything to a JSON file, which ``Growth.load`` reads.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        write_bytes(self.to_json().encode(), str(path))

    @classmethod
    def load(cls, path: str | Path) -> Growth:
        """Read what ``save`` wrote.

        Raises
        ------
        InputError, DataError
            If it cannot be read, or holds something else.
        """
        content = FILE.read(path)
        with FILE.checking(path):
            return cls(**saving.parts_of(content, GROWN))

    def __repr__(self) -> str:
        return "\n\n".join(each.to_text() for each in self.tables())

    def _repr_html_(self) -> str:
        from rankwell.display.html import in_notebook

        return in_notebook(self.tables())


def column_of(quantity: str) -> str:
    """The column of a quantity."""
    return quantity.replace(" ", "_")
