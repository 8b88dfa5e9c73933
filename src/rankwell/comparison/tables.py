"""Tables of a comparison: the leaderboard, and a row per pair."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankwell.comparison.letters import letters_of
from rankwell.comparison.words import caption_of, remarks_of
from rankwell.display.table import Cell, Column, Table, number

if TYPE_CHECKING:
    from rankwell.comparison.cells import Differences
    from rankwell.comparison.comparison import Comparison
    from rankwell.metrics.metric import Metric

LEAST = 1e-9
STARS = (0.001, "***"), (0.01, "**"), (0.05, "*")


def leaderboard(found: Comparison, *, details: bool = True) -> Table:
    """Return a row per system (and segment), best first: each metric's mean, its interval, and what differs.

    Without ``details`` each metric is one column, with stars or letters behind its means.
    """
    columns = [Column(name) for name in found.by] + [Column("system")]
    cells = _labels(found)
    marks: dict[tuple[int, int], str] = {}
    numbers = [_numbers(found, metric) for metric in found.metrics]
    for metric, own, following in zip(found.metrics, numbers, [*numbers[1:], None], strict=True):
        if details:
            for column, values in _columns_of(found, metric):
                columns.append(column)
                cells.append(values)
        else:
            marks |= {(row, len(columns)): mark for row, mark in enumerate(_marks(found, metric)) if mark}
            columns.append(Column(str(metric), "value", better=metric.better))
            cells.append(_means(found, metric))
        if own != following:  # neighbours with the same n share its column
            columns.append(Column("n" if numbers.count(own) == len(numbers) else f"n {metric}", "count"))
            cells.append(own)
    return Table(
        columns,
        list(zip(*cells, strict=True)),
        caption=caption_of(found, intervals=details),
        notes=[*_legend(found, details=details), *remarks_of(found, intervals=details), *found.notes],
        mark_best=True,
        marks=marks,
        labels=len(found.by) + 1,
    )


def _labels(found: Comparison) -> list[list[Cell]]:
    """The columns that label the rows: segments and systems."""
    cells: list[list[Cell]] = [[] for _ in range(len(found.by) + 1)]
    for labels in found.segments:
        for row in found.order:
            for at, label in enumerate(labels or ("(all)",) * len(found.by)):
                cells[at].append(label)
            mark = " (baseline)" if found.names[row] == found.baseline else ""
            cells[-1].append(found.names[row] + mark)
    return cells


def _means(found: Comparison, metric: Metric) -> list[Cell]:
    return [
        _float(found.means[metric, at].mean[row]) for at in range(len(found.segments)) for row in found.order
    ]


def _marks(found: Comparison, metric: Metric) -> list[str]:
    """The marks of the rows of the leaderboard."""
    by_segment = [marks_of(found, metric, segment) for segment in range(len(found.segments))]
    return [marks[row] for marks in by_segment for row in found.order]


def marks_of(found: Comparison, metric: Metric, segment: int) -> list[str]:
    """Return what stands behind each system's mean: stars beside a baseline, letters for all pairs."""
    each = found.differences[metric, segment]
    if found.baseline:
        stars = {
            row: _stars(float(p), found.methods.alpha)
            for row, p in zip(found.pairs[0].tolist(), each.p, strict=True)
        }
        return [stars.get(row, "") for row in range(len(found.names))]
    letters = _letters(found, each, found.order_of(metric, segment))
    return [f" {letters[row][1]}" if letters[row][1] else "" for row in range(len(found.names))]


def _columns_of(found: Comparison, metric: Metric) -> list[tuple[Column, list[Cell]]]:
    means: list[Cell] = []
    bounds: list[Cell] = []
    deltas: list[Cell] = []
    tests: list[Cell] = []
    for segment in range(len(found.segments)):
        own, each = found.means[metric, segment], found.differences[metric, segment]
        told = (
            _against(found, each)
            if found.baseline
            else _letters(found, each, found.order_of(metric, segment))
        )
        for row in found.order:
            means.append(_float(own.mean[row]))
            bounds.append(_interval(own.low[row], own.high[row]))
            delta, test = told[row]
            deltas.append(delta)
            tests.append(test)
    columns = [(Column(str(metric), "value", better=metric.better), means)]
    if any(bounds):
        columns.append((Column(f"{metric} {found.methods.level * 100:g} %"), bounds))
    if found.baseline:
        columns.append((Column(f"Δ {metric}", "value"), deltas))
    if found.baseline and found.seeds:
        columns.append(
            (Column(f"Δ {metric} {found.methods.level * 100:g} %"), _intervals_against(found, metric))
        )
    if any(tests):
        columns.append((Column(f"p {metric}" if found.baseline else f"{metric} differs"), tests))
    return columns


def _numbers(found: Comparison, metric: Metric) -> list[Cell]:
    """The number of queries behind each mean, as the rows of the leaderboard."""
    return [int(found.means[metric, at].n[row]) for at in range(len(found.segments)) for row in found.order]


def _against(found: Comparison, each: Differences) -> dict[int, tuple[Cell, Cell]]:
    """The difference from the baseline and its p-value, for each system."""
    told: dict[int, tuple[Cell, Cell]] = dict.fromkeys(range(len(found.names)), (None, ""))
    for place, row in enumerate(found.pairs[0].tolist()):
        p = float(each.p[place])
        told[row] = (
            float(each.mean[place]),
            "" if math.isnan(p) else f"{_p(p)}{_stars(p, found.methods.alpha)}",
        )
    return told


def _intervals_against(found: Comparison, metric: Metric) -> list[Cell]:
    """The intervals of the differences from the baseline, as the rows of the leaderboard."""
    shown: list[Cell] = []
    for segment in range(len(found.segments)):
        each = found.differences[metric, segment]
        told = {
            row: _interval(each.low[place], each.high[place])
            for place, row in enumerate(found.pairs[0].tolist())
        }
        shown += [told.get(row, "") for row in found.order]
    return shown


def _letters(found: Comparison, each: Differences, order: list[int]) -> dict[int, tuple[Cell, Cell]]:
    """The letters of each system: those that share one do not differ significantly."""
    count = len(found.names)
    if found.seeds or np.isnan(each.p).all():
        return dict.fromkeys(range(count), (None, ""))
    differ = np.zeros((count, count), bool)
    with np.errstate(invalid="ignore"):
        left, right = found.pairs[:, each.p < found.methods.alpha]
    differ[left, right] = differ[right, left] = True
    letters = letters_of(differ, order)
    return {row: (None, letters[row]) for row in range(count)}


def _stars(p: float, alpha: float) -> str:
    return " " + next((stars for limit, stars in STARS if p < limit), "") if p < alpha else ""


def _p(p: float) -> str:
    """A p-value as text; the smallest are never shown as 0."""
    return number(max(p, LEAST))


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{number(low)} – {number(high)}"


def _legend(found: Comparison, *, details: bool) -> list[str]:
    if found.baseline:
        stars = ", ".join(f"{stars} p < {limit:g}" for limit, stars in reversed(STARS))
        against = "; Δ: system less baseline" if details else " against the baseline"
        return [f"p: corrected ({found.correction}); {stars}{against}"]
    if found.seeds:
        return ["whether systems differ: see the intervals of their differences (pairs)"]
    return [f"systems that share a letter do not differ significantly (corrected: {found.correction})"]


def _float(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def pair_table(found: Comparison) -> Table:
    """A row per pair, metric and segment: the difference and everything about it."""
    columns = [
        Column("metric"),
        *([Column("segment")] if found.by else []),
        Column("first"),
        Column("second"),
    ]
    columns += [Column("n", "count"), Column("lost", "text"), Column("difference", "value")]
    columns += [Column("low", "value"), Column("high", "value"), Column("p", "value"), Column("p t", "value")]
    columns += [
        Column("p flips", "value"),
        Column("d_z", "value", digits=3),
        Column("superiority", "value", digits=2),
    ]
    columns += [
        Column("wins", "count"),
        Column("ties", "count"),
        Column("losses", "count"),
        Column("visible", "value"),
    ]
    if found.methods.margins:
        columns += [Column("needed", "count"), Column("p equivalent", "value")]
    if found.methods.ropes:
        columns += [Column(name, "value") for name in ("below", "within", "above")]
    if found.seeds:
        columns.append(Column("of seeds", "value", digits=2))
    rows: list[tuple[Cell, ...]] = []
    for (metric, segment), each in found.differences.items():
        for place, (left, right) in enumerate(found.pairs.T.tolist()):
            lost = f"{each.lost_first[place]} / {each.lost_second[place]}"
            row: list[Cell] = [str(metric), *([found.labels[segment]] if found.by else [])]
            known = each.n[place] > 0
            row += [found.names[left], found.names[right], int(each.n[place]) if known else None, lost]
            row += [
                _float(column[place])
                for column in (each.mean, each.low, each.high, each.p, each.p_t, each.p_flips)
            ]
            row += [_float(each.dz[place]), _float(each.superiority[place])]
            row += [int(column[place]) if known else None for column in (each.wins, each.ties, each.losses)]
            row.append(_float(each.visible[place]))
            if found.methods.margins:
                needed = each.needed[place]
                row += [int(needed) if math.isfinite(needed) else None, _float(each.p_equivalent[place])]
            if found.methods.ropes:
                row += [_float(column[place]) for column in (each.below, each.within, each.above)]
            if found.seeds:
                row.append(_float(each.of_seeds[place]))
            rows.append(tuple(row))
    how = f"p: {found.correction}; p t, p flips: uncorrected"
    least = f"smallest true difference found with power {found.methods.power:g}"
    notes = [
        f"difference: first less second, with its interval; lost: queries undefined or missing in the first / second; {how}",
        f"d_z: mean ÷ sd; superiority: share of queries won, ties half; visible: {least}",
    ]
    if found.methods.margins:
        margins = ", ".join(f"{name} {value:g}" for name, value in found.methods.margins.items())
        notes.append(
            f"needed: queries that would show a difference of the margin ({margins}), by the upper 80 % bound of sd; p "
            f"equivalent: two one-sided tests of the margin"
        )
    if found.methods.ropes:
        ropes = ", ".join(f"{name} {value:g}" for name, value in found.methods.ropes.items())
        notes.append(
            f"below, within, above: chances that the true difference is under −rope, within ±rope, over rope ({ropes}); "
            f"Bayesian bootstrap"
        )
    if found.seeds:
        notes.append(
            "of seeds: share of the variance of the difference that comes from the seeds of the two methods"
        )
    return Table(columns, rows, caption=caption_of(found), notes=notes)
