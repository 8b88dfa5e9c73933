"""Tables of how far leaderboards agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankwell.display.table import Cell, Column, Table, number

if TYPE_CHECKING:
    from rankwell.comparison.agreement.found import Agreement
    from rankwell.comparison.agreement.orders import Coefficients, Leaderboards
    from rankwell.statistics.resampled import Estimate

SHOWN = {"tau_b": "τ_b", "tau_ap": "τ_AP", "tau_ap_reversed": "τ_AP reversed", "rbo": "RBO"}
MOST_SWAPS = 20  # rows of one pair of leaderboards; the others are in to_dict()
TIES = {
    "a": "the mean over all orders of equal values",
    "b": "equal values corrected for",
    "w": "equal values share a rank",
}


def coefficients(found: Agreement) -> Table:
    """A row per pair of leaderboards, and one for the top apart."""
    columns = [Column("first"), Column("second"), Column("systems", "count")]
    level = f"{found.how.level * 100:g} %"
    for name in SHOWN.values():
        columns += [Column(name, "value"), Column(f"{name} {level}")]
    columns += [Column("swapped", "text"), Column("queries")]
    rows: list[tuple[Cell, ...]] = []
    for each in found.leaderboards:
        rows.append(_row(each, len(each.systems), each.whole, _swapped(each)))
        if each.top is not None:
            rows.append(_row(each, found.how.top, each.top, ""))
    return Table(columns, rows, caption="Agreement of leaderboards", notes=_notes(found), labels=2)


def _row(each: Leaderboards, systems: int, values: Coefficients, swapped: str) -> tuple[Cell, ...]:
    cells: list[Cell] = [each.first, each.second, systems]
    for word in SHOWN:
        value: Estimate = getattr(values, word)
        cells += [None if math.isnan(value.value) else value.value, _bounds(value)]
    n = sorted(set(each.n))
    return (*cells, swapped, " / ".join(f"{one:,}" for one in n))


def _bounds(value: Estimate) -> str:
    return "" if math.isnan(value.low) else f"{number(value.low)} – {number(value.high)}"


def _swapped(each: Leaderboards) -> str:
    return f"{len(each.swaps):,} of {math.comb(len(each.systems), 2):,}"


def _notes(found: Agreement) -> list[str]:
    how = f"p = {found.how.p:g}, {TIES[found.how.ties]}"
    notes = [
        "τ_b: all pairs of systems alike",
        "τ_AP: the top weighs most; the first leaderboard is the reference (reversed: the second)",
        f"RBO: the top weighs most; {how}",
        f"intervals: of so many queries, by {found.resamples:,} bootstrap replicates, the same for both (seed {found.seed})",
        "noise lowers agreement: with more queries a coefficient may lie above its interval",
    ]
    if any(each.top for each in found.leaderboards):
        notes.append(f"rows of {found.how.top} systems: the top of the first leaderboard apart")
    notes += [
        f"{each.first}, {each.second}: no value of {', '.join(each.undefined)}; left out"
        for each in found.leaderboards
        if each.undefined
    ]
    who = [f"{name} is {assessor}" for name, assessor in found.assessors.items() if assessor]
    notes += [f"judged by: {'; '.join(who)}"] if who else []
    return [*notes, *map(str, found.circular)]


def swaps(found: Agreement) -> Table:
    """A row per pair of systems that two leaderboards order differently, the surest first."""
    columns = [
        Column("first"),
        Column("second"),
        Column("better by the first"),
        Column("better by the second"),
    ]
    columns += [Column("Δ first", "value"), Column("Δ second", "value"), Column("again", "value", digits=2)]
    rows: list[tuple[Cell, ...]] = []
    more = 0
    for each in found.leaderboards:
        for swap in each.swaps[:MOST_SWAPS]:
            head = (each.first, each.second, swap.better, swap.worse)
            again = None if math.isnan(swap.again) else swap.again
            rows.append((*head, swap.first, swap.second, again))
        more += len(each.swaps[MOST_SWAPS:])
    notes = [
        "Δ: the third column's system less the fourth's, turned so that higher is better",
        "again: share of replicates in which the pair is swapped in the same way; at .5 or less the queries do not decide it",
    ]
    if more:
        notes.append(f"{more:,} more pairs are in to_dict() and in JSON")
    return Table(columns, rows, caption="Pairs of systems that swap", notes=notes)
