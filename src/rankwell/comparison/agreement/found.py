"""Agreement: what ``agreement`` found, as tables and plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rankwell.comparison.agreement.circular import Circular
from rankwell.comparison.agreement.judgements import Joint, Judgements, Measures
from rankwell.comparison.agreement.orders import Coefficients, How, Leaderboards
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.statistics.bootstrap import Estimate
from rankwell.tables.run_qrels import Assessor

if TYPE_CHECKING:
    import polars as pl

SCHEMA = 1
FEW = 50  # queries below which an interval is likely too short
MEASURES = {
    "exact": "same grade",
    "binary": "both or neither relevant",
    "kappa": "Cohen's κ",
    "kappa_binary": "Cohen's κ, relevant or not",
    "kappa_quadratic": "Cohen's κ, quadratic weights",
    "alpha_nominal": "Krippendorff's α, nominal",
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "alpha_interval": "Krippendorff's α, interval",
}
SHOWN = {"tau_b": "τ_b", "tau_ap": "τ_AP", "tau_ap_reversed": "τ_AP reversed", "rbo": "RBO"}
MOST_SWAPS = 20  # rows of one pair of leaderboards; the others are in to_dict()
TIES = {
    "a": "the mean over all orders of equal values",
    "b": "equal values corrected for",
    "w": "equal values share a rank",
}


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """How far judgements agree, each two of them and (``joint``, from three on) all; and leaderboards; made by ``agreement``.

    ``assessors`` are those who made the judgements, ``circular`` systems that may be favoured by a judge of their own kind.
    """

    _plural: ClassVar[str] = "agreements"
    _indent: ClassVar[int | None] = 1

    judgements: tuple[Judgements, ...]
    joint: Joint | None
    leaderboards: tuple[Leaderboards, ...]
    assessors: Mapping[str, Assessor | None]
    circular: tuple[Circular, ...]
    how: How
    resamples: int
    seed: int

    def tables(self) -> list[Table]:
        """Return the tables: measures and grades of each two judgements, coefficients of leaderboards, the pairs that swap."""
        tables = [table for each in self.judgements for table in (_measures(self, each), _confusion(each))]
        tables += [] if self.joint is None else [_joint(self, self.joint)]
        tables += [_coefficients(self), _swaps(self)] if self.leaderboards else []
        return [table for table in tables if table.rows]

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per measure of each two judgements and coefficient of each two leaderboards.

        Its columns are first, second, n (pairs of query and item, or systems), measure, value, low and high.
        """
        import polars as pl

        own: list[tuple[str, str, int, Measures | Coefficients]] = [
            (each.first, each.second, each.n, each.measures) for each in self.judgements
        ]
        own += [(each.first, each.second, len(each.systems), each.whole) for each in self.leaderboards]
        rows = [
            (first, second, n, name, *value)
            for first, second, n, values in own
            for name, value in values._asdict().items()
        ]
        columns = ["first", "second", "n", "measure", "value", "low", "high"]
        return pl.DataFrame(rows, schema=columns, orient="row").fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        how = {**vars(self.how), "resamples": self.resamples, "seed": self.seed}
        return {
            "schema": SCHEMA,
            "how": how,
            "assessors": {
                name: None if each is None else vars(each) for name, each in self.assessors.items()
            },
            "circular": _plain(self.circular),
            "judgements": [_plain(vars(each)) for each in self.judgements],
            "joint": _plain(self.joint),
            "leaderboards": [_plain(vars(each)) for each in self.leaderboards],
        }


def _plain(value: Any) -> Any:
    """A value with named tuples as dicts, tuples as lists, and NaN as None."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(word): _plain(each) for word, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _measures(found: Agreement, each: Judgements) -> Table:
    """The measures of one pair of assessors with their intervals."""
    words = MEASURES | {
        "over": f"mean grade of {each.second} less {each.first}",
        "higher": f"graded higher by {each.second}",
        "lower": f"graded lower by {each.second}",
        "prevalence_first": f"relevant by {each.first}",
        "prevalence_second": f"relevant by {each.second}",
    }
    rows = [_measure_row(word, getattr(each.measures, name)) for name, word in words.items()]
    alone = f"{each.first} {each.only_first:,}, {each.second} {each.only_second:,}"
    lowest = [grade for grade, is_relevant in zip(each.grades, each.relevant, strict=True) if is_relevant]
    notes = [
        f"{each.n:,} pairs of query and item, of {each.queries:,} queries, judged by both; judged by one alone: {alone}",
        f"relevant: grade {min(lowest):g} or higher" if lowest else "no grade counts as relevant",
    ]
    who = [
        f"{name} is {found.assessors[name]}" for name in (each.first, each.second) if found.assessors[name]
    ]
    notes += [f"judged by: {'; '.join(who)}"] if who else []
    if any(each.negative):
        left = " and ".join(f"{count:,}" for count in each.negative)
        notes.append(f"grades below 0 are no judgements (negative='unjudged'): {left} are left out")
    caption = f"{each.second} against {each.first}: the same items judged by both"
    return Table(_columns(found), rows, caption=caption, notes=[*notes, *_measure_notes(found, each.queries)])


def _joint(found: Agreement, each: Joint) -> Table:
    """Krippendorff's α of all assessors together."""
    names = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
    rows = [_measure_row(MEASURES[name], getattr(each, name)) for name in names]
    notes = [f"{each.n:,} pairs of query and item, of {each.queries:,} queries, judged by at least two"]
    caption = f"All {len(each.names)} together: {', '.join(each.names)}"
    return Table(_columns(found), rows, caption=caption, notes=[*notes, *_measure_notes(found, each.queries)])


def _confusion(each: Judgements) -> Table:
    """How many pairs each grade of the first has under each grade of the second."""
    columns = [Column(f"{each.first} ↓ {each.second} →")]
    columns += [Column(f"{grade:g}", "count") for grade in each.grades] + [Column("all", "count")]
    rows: list[tuple[Cell, ...]] = [
        (f"{grade:g}", *row, sum(row)) for grade, row in zip(each.grades, each.confusion, strict=True)
    ]
    sums = [sum(column) for column in zip(*each.confusion, strict=True)]
    return Table(columns, [*rows, ("all", *sums, each.n)], caption="Grades of the same pairs")


def _columns(found: Agreement) -> list[Column]:
    return [Column("measure"), Column("value", "value"), Column(f"{found.how.level * 100:g} %")]


def _measure_row(word: str, value: Estimate) -> tuple[Cell, ...]:
    return word, None if math.isnan(value.value) else value.value, _bounds(value)


def _measure_notes(found: Agreement, queries: int) -> list[str]:
    how = f"percentiles of {found.resamples:,} bootstrap replicates of whole queries (seed {found.seed})"
    few = f"; of {queries:,} queries they are likely too short" if queries < FEW else ""
    return [f"intervals: {how}{few}"]


def _coefficients(found: Agreement) -> Table:
    """A row per pair of leaderboards, and one for the top apart."""
    columns = [Column("first"), Column("second"), Column("systems", "count")]
    level = f"{found.how.level * 100:g} %"
    for name in SHOWN.values():
        columns += [Column(name, "value"), Column(f"{name} {level}")]
    columns += [Column("swapped", "text"), Column("queries")]
    rows: list[tuple[Cell, ...]] = []
    for each in found.leaderboards:
        rows.append(_order_row(each, len(each.systems), each.whole, _swapped(each)))
        if each.top is not None:
            rows.append(_order_row(each, found.how.top, each.top, ""))
    return Table(columns, rows, caption="Agreement of leaderboards", notes=_order_notes(found), labels=2)


def _order_row(each: Leaderboards, systems: int, values: Coefficients, swapped: str) -> tuple[Cell, ...]:
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


def _order_notes(found: Agreement) -> list[str]:
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


def _swaps(found: Agreement) -> Table:
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
