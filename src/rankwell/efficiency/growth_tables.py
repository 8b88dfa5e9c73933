"""The tables of growth: exponents and laws, what was measured at each size, failures, and how it was measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankwell.display.table import Cell, Column, Table
from rankwell.efficiency.estimates import MIB, MS, median
from rankwell.efficiency.load import check_count
from rankwell.efficiency.shown import conditions
from rankwell.statistics.growth import FITTED, REPETITIONS, SHORT, SIZES, GrowthFit

if TYPE_CHECKING:
    from rankwell.efficiency.grown import Growth

NO_LAW = "no law is shown"
FEW = 3  # sizes that a note names


def tables(found: Growth, at: int | None) -> list[Table]:
    """All tables, those first that are asked for most."""
    parts = [growth(found, at), measured(found)]
    if len(found.failures):
        parts.append(failures(found))
    return [*parts, conditions(found.environment, found.settings, found.overhead, found.notes)]


def growth(found: Growth, at: int | None) -> Table:
    """Exponent, law and prediction of each system and quantity."""
    from rankwell.efficiency.grown import UNITS

    top = found.sizes[-1] if found.sizes else 0
    at = 10 * top if at is None else at
    if found.sizes:
        check_count("at", at, 2)
    rows: list[list[Cell]] = []
    notes = []
    for system in found.systems:
        for quantity in found.quantities:
            fit, (unit, times) = found.fits.get((system, quantity)), UNITS[quantity]
            sizes = len(found.values(system, quantity))
            if fit is None and not sizes and not found.left_out(system, quantity):
                continue
            if fit is None:
                why = f"{sizes} sizes have values, and a fit needs {FITTED}"
                rows.append([system, quantity, None, None, None, NO_LAW, None, None, None, unit, why])
                continue
            value = fit.predict(at)
            ends = [None if math.isnan(each) else each * times for each in value[:3]]
            law = fit.law or NO_LAW
            # an exponent that is exactly 1 is so only to the last digits of a double
            known = [round(each, 6) for each in (fit.exponent, fit.low, fit.high)]
            rows.append([system, quantity, *known, law, *ends, unit, reason_of(fit)])
            if out := found.left_out(system, quantity):
                shown = ", ".join(f"{each:,}" for each in out[:FEW]) + (" …" if len(out) > FEW else "")
                notes.append(
                    f"{system}, {quantity}: left out at {shown} documents, too little to be measured."
                )
    columns = [
        Column("system"), Column("quantity"), Column("exponent", "value", digits=3), Column("low", "value", digits=3),
        Column("high", "value", digits=3), Column("law"), Column(f"at {at:,}", "value", digits=3), Column("from", "value", digits=3),
        Column("to", "value", digits=3), Column("unit"), Column("why no law"),
    ]  # fmt: skip
    said = ["exponent is b of a·n^b, with its 95 % interval; the law is named only if it is shown."]
    if found.sizes and not found.sizes[0] <= at <= top:
        said.append(
            f"at {at:,} is extrapolated: {at / top:.3g} times the most documents that were measured."
            if at > top
            else f"at {at:,} is extrapolated: fewer documents than were measured."
        )
        said.append(
            "Beyond ten times as many there is no interval, and no value where the exponent is not constant."
        )
    if reason := found.settings.get("reason"):
        decades = math.log10(top / found.sizes[0]) if found.sizes else 0.0
        said.append(f"Only {decades:.1f} decades ({SHORT} rather than 3 are enough here): {reason}.")
    return Table(
        columns, rows, caption="Growth with the number of documents n", notes=[*said, *notes], labels=2
    )


def reason_of(fit: GrowthFit) -> str:
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


def measured(found: Growth) -> Table:
    """The median of each quantity by system and number of documents."""
    rows: list[list[Cell]] = []
    for (system, documents), own in found.measured.group_by("system", "documents", maintain_order=True):
        ok = own.filter(outcome="ok")
        indexing, memory, size, latency = (
            median(ok[each]) for each in ("indexing", "memory", "index_size", "latency")
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


def failures(found: Growth) -> Table:
    """Calls that failed, by system, number of documents, outcome and message."""
    import polars as pl

    parts = found.failures.group_by("system", "documents", "outcome", "message", maintain_order=True).agg(
        pl.len().alias("calls")
    )
    columns = [
        Column("system"), Column("documents", "count"), Column("outcome"), Column("message"), Column("calls", "count"),
    ]  # fmt: skip
    return Table(columns, parts.rows(), caption="Failures", labels=2, notes=[
        "A repetition in which a search failed has no latency.",
    ])  # fmt: skip
