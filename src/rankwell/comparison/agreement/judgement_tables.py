"""Tables of how far assessors agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankwell.display.table import Cell, Column, Table, number

if TYPE_CHECKING:
    from rankwell.comparison.agreement.found import Agreement
    from rankwell.comparison.agreement.judgements import Joint, Judgements
    from rankwell.statistics.resampled import Estimate

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


def measures(found: Agreement, each: Judgements) -> Table:
    """The measures of one pair of assessors with their intervals."""
    words = MEASURES | {
        "over": f"mean grade of {each.second} less {each.first}",
        "higher": f"graded higher by {each.second}",
        "lower": f"graded lower by {each.second}",
        "prevalence_first": f"relevant by {each.first}",
        "prevalence_second": f"relevant by {each.second}",
    }
    rows = [_row(word, getattr(each.measures, name)) for name, word in words.items()]
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
    return Table(_columns(found), rows, caption=caption, notes=[*notes, *_notes(found, each.queries)])


def joint(found: Agreement, each: Joint) -> Table:
    """Krippendorff's α of all assessors together."""
    names = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
    rows = [_row(MEASURES[name], getattr(each, name)) for name in names]
    notes = [f"{each.n:,} pairs of query and item, of {each.queries:,} queries, judged by at least two"]
    caption = f"All {len(each.names)} together: {', '.join(each.names)}"
    return Table(_columns(found), rows, caption=caption, notes=[*notes, *_notes(found, each.queries)])


def confusion(each: Judgements) -> Table:
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


def _row(word: str, value: Estimate) -> tuple[Cell, ...]:
    bounds = "" if math.isnan(value.low) else f"{number(value.low)} – {number(value.high)}"
    return word, None if math.isnan(value.value) else value.value, bounds


def _notes(found: Agreement, queries: int) -> list[str]:
    how = f"percentiles of {found.resamples:,} bootstrap replicates of whole queries (seed {found.seed})"
    few = f"; of {queries:,} queries they are likely too short" if queries < FEW else ""
    return [f"intervals: {how}{few}"]
