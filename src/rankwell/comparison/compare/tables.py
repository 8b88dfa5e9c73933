"""Letters: systems that share one do not differ significantly."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from rankwell.comparison.compare.cells import Differences
from rankwell.comparison.compare.comparison import Comparison
from rankwell.comparison.compare.costs import (
    FRONT,
    MEMORY,
    SHOWN,
    CostEstimates,
    column_of,
    front,
    front_note,
)
from rankwell.comparison.compare.decisions import WHOLE as DECIDED
from rankwell.comparison.compare.families import Key, families_of, flips_of
from rankwell.comparison.compare.methods import CORRECTIONS, INTERVALS, TESTS, Methods
from rankwell.display.table import Cell, Column, Table, number
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.replicates import is_testable, replicates_needed

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters_of(differ: np.ndarray, order: Sequence[int]) -> list[str]:
    """Return the letters of each system; two share a letter exactly if they do not differ.

    ``differ`` is a symmetric table of what differs, ``order`` the systems, best first, which get the first letters. After z
    follow a1, b1 …: each letter takes the digits behind it. Source: Piepho, Journal of Computational and Graphical Statistics
    13 (2004), insert and absorb.

    Examples
    --------
    >>> differ = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> letters_of(differ, [0, 1, 2])
    ['a', 'ab', 'b']
    """
    groups: list[set[int]] = [set(order)]
    places = {system: place for place, system in enumerate(order)}
    for i, first in enumerate(order):
        for second in order[i + 1 :]:
            if differ[first, second]:
                groups = _split(groups, first, second)
    groups.sort(key=lambda group: sorted(places[system] for system in group))
    names = [_letter(number) for number in range(len(groups))]
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if system in group)
        for system in range(len(differ))
    ]


def _split(groups: list[set[int]], first: int, second: int) -> list[set[int]]:
    """Part two systems wherever they share a group, and drop groups that another one holds."""
    found = [group for group in groups if not (first in group and second in group)]
    for group in groups:
        if first in group and second in group:
            for part in (group - {second}, group - {first}):
                if not any(part <= other for other in found):
                    found = [other for other in found if not other < part]
                    found.append(part)
    return found


def _letter(number: int) -> str:
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn) if turn else "")


LEAST = 1e-9
STARS = (0.001, "***"), (0.01, "**"), (0.05, "*")
WARN_ABOVE = 200
MOST_LISTED = 6
NUMBERED = re.compile(r"^(.*?)[-_ .]?(?:seed|s|run)?[-_ .]?\d+$")


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
        notes=[*_legend(found, details=details), *_remarks(found, intervals=details), *found.notes],
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


def cost_tables(found: Comparison) -> list[Table]:
    """Return the costs of the systems, best first by the metric that decides, and the ratios of latency; nothing without costs."""
    if found.costs is None:
        return []
    names = [found.names[row] for row in found.order]
    metric = metric_of(found.methods.primary) if found.methods.primary else found.metrics[0]
    means = found.means[metric, 0].mean
    sign = -1 if metric.better == "lower" else 1
    latency = found.costs.of("p95")
    on_front = front(
        [
            (sign * float(means[row]), latency[name].value if name in latency else None)
            for row, name in zip(found.order, names, strict=True)
        ]
    )
    starred = [name for name, is_on in zip(names, on_front, strict=True) if is_on]
    tables = [_cost_table(found.costs, names, starred, str(metric))]
    return [*tables, _ratio_table(found.costs)] if found.costs.ratios else tables


def _cost_table(found: CostEstimates, systems: Sequence[str], starred: Sequence[str], metric: str) -> Table:
    """Return a row per system with what it costs; starred where no other is as good in the metric and as fast."""
    shown = [name for name in SHOWN if found.of(name)]
    rows: list[list[Cell]] = []
    for system in systems:
        row: list[Cell] = [system]
        for name in shown:
            known = found.of(name).get(system)
            row.append(None if known is None else known.value)
            if name == "p95":
                row += [None, None] if known is None else [known.low, known.high]
        rows.append(row)
    columns = [Column("system")]
    for name in shown:
        columns.append(column_of(name))
        if name == "p95":
            columns += [Column("low", "value", digits=3), Column("high", "value", digits=3)]
    notes = [f"{FRONT} {front_note(metric)}"] if starred else []
    notes.append(f"low and high bound p95 with 95 %; latency under the load “{found.load}”; {MEMORY}")
    marks = {(systems.index(each), 0): FRONT for each in starred}
    return Table(columns, rows, caption="Costs", notes=notes, marks=marks)


def _ratio_table(found: CostEstimates) -> Table:
    """Return a row per pair of systems with the ratio of their latencies."""
    columns = [
        Column("system"), Column("against"), Column("queries", "count"), Column("ratio", "value", better="lower", digits=3),
        Column("low", "value", digits=3), Column("high", "value", digits=3), Column("low in turns", "value", digits=3),
        Column("high in turns", "value", digits=3), Column("turns", "count"),
    ]  # fmt: skip
    return Table(
        columns, [list(each) for each in found.ratios], caption="Ratios of latency: geometric means over queries", labels=2,
        notes=["low and high are bounds for other queries, in turns those for measuring again on this machine; both hold for 95 %."],
    )  # fmt: skip


def decided_table(found: Comparison) -> Table:
    """Return a row per metric and pair: in how many queries the judgements decide, and the bounds of the mean difference."""
    columns = [Column("metric"), Column("first"), Column("second"), Column("n", "count")]
    columns += [Column(name, "count") for name in ("first wins", "second wins", "equal", "undecided")]
    columns += [Column("lowest", "value"), Column("highest", "value"), Column("order")]
    rows: list[tuple[Cell, ...]] = []
    for metric, own in found.decided.items():
        settled = own.is_settled()
        for place, (left, right) in enumerate(found.pairs.T.tolist()):
            label = (str(metric), found.names[left], found.names[right])
            if own.kind[place] == "none":
                rows.append((*label, *[None] * 7, "no bounds"))
                continue
            ends = [None if math.isnan(end[place]) else float(end[place]) for end in (own.low, own.high)]
            counts = [int(getattr(own, name)[place]) for name in DECIDED]
            rows.append((*label, *counts, *ends, "settled" if settled[place] else "not settled"))
    return Table(
        columns,
        rows,
        caption="What the judgements decide, whatever unjudged items turn out to be",
        notes=_decided_notes(found),
    )


def _decided_sentences(found: Comparison) -> list[str]:
    """Return in words what is decided, and which orders are not settled, as notes of the leaderboard."""
    notes = []
    if len(found.pairs.T) == 1:
        left, right = (found.names[row] for row in found.pairs[:, 0])
        for metric, own in found.decided.items():
            if own.kind[0] == "none":
                continue
            first, second, equal, undecided, n = (
                int(column[0]) for column in (own.first, own.second, own.equal, own.undecided, own.n)
            )
            same = f", equal in {equal:,}" if equal else ""
            notes.append(
                f"{metric}: {left} > {right} whatever the judges say in {first:,} of {n:,} queries, {right} > {left} in "
                f"{second:,}{same}; undecided in {undecided:,}"
            )
    open_ones = []
    for metric, own in found.decided.items():
        settled = own.is_settled() | (own.kind == "none")
        pairs = [
            f"{found.names[one]} / {found.names[other]}" for one, other in found.pairs[:, ~settled].T.tolist()
        ]
        if pairs:
            more = f" and {len(pairs) - 3:,} more pairs" if len(pairs) > 3 else ""
            open_ones.append(f"{metric} ({', '.join(pairs[:3])}{more})")
    if open_ones:
        notes.append(f"orders of means that judging unjudged items could turn: {'; '.join(open_ones)}")
    return notes


def _decided_notes(found: Comparison) -> list[str]:
    assert found.bounding is not None
    pool = f"; pool: {found.bounding.pool}" if found.bounding.pool else ""
    notes = [
        f"over all grades that unjudged items could get, the same in both lists; {found.bounding.scale()}{pool}",
        "of queries that are defined as judged; lowest and highest: of the mean difference, first less second",
    ]
    outer = [str(m) for m, own in found.decided.items() if (own.kind == "outer").any()]
    if outer:
        notes.append(f"outer bounds, so that more queries may be decided: {', '.join(outer)}")
    outer = [str(m) for m, own in found.decided.items() if (own.mean_kind == "outer").any()]
    if outer:
        notes.append(f"outer bounds of the mean difference: {', '.join(outer)}")
    reasons: dict[str, list[str]] = {}
    for metric, own in found.decided.items():
        for why in sorted({why for why in own.why.tolist() if why}):
            reasons.setdefault(why, []).append(str(metric))
    return notes + [f"{', '.join(names)}: {why}" for why, names in reasons.items()]


def _tests_of(how: Methods, correction: str) -> str:
    """Return in words which test and which correction were used."""
    own = correction in ("maxt", "tukey")
    return CORRECTIONS[correction] if own else f"{TESTS[how.test]}, {CORRECTIONS[correction]}"


def caption_of(found: Comparison, *, intervals: bool = True) -> str:
    """Return what a table of the comparison shows, with or without intervals, in one sentence or two."""
    systems = f"{len(found.names)} systems"
    n = {int(count) for (_, segment), each in found.means.items() if segment == 0 for count in each.n}
    queries = f"{max(n):,}" if len(n) == 1 else f"{min(n):,} to {max(n):,}"
    against = f", compared with {found.baseline}" if found.baseline else ", all pairs compared"
    kinds = sorted({kind for each in found.means.values() for kind in each.method if kind}, reverse=True)
    how = "; ".join(INTERVALS[kind] for kind in kinds)
    family = "all comparisons" if found.methods.family == "all" else "one metric's comparisons"
    if found.by and found.methods.family == "metric":
        family += ", of all queries and of the segments apart"
    tests = (
        f"Tests: {_tests_of(found.methods, found.correction)}; family: {family}; α = {found.methods.alpha:g}."
    )
    if set(found.seeds) == set(found.names):
        tests = "No tests, but intervals over seeds and queries."
    bounds = (
        f" {found.methods.level * 100:g} % intervals of each mean{f': {how}' if how else ''}, not corrected."
    )
    return f"{systems} on {queries} queries{against}. {tests}{bounds if intervals else ''}"


def _remarks(found: Comparison, *, intervals: bool = True) -> list[str]:
    """Return notes about what to mind when reading this comparison, whose table shows intervals or not."""
    notes = (
        [f"primary metric: {found.methods.primary}; all others are exploratory"]
        if found.methods.primary
        else []
    )
    notes += [f"experiment: {found.experiment}"] if found.experiment else []
    notes += _counted(found)
    notes += _decided_sentences(found)
    notes += _seed_notes(found)
    notes += _visible(found)
    notes += [*_bet(found), *_doubtful(found)] if intervals else []
    notes += _lost(found)
    notes += _disagreeing(found)
    notes += _segments(found)
    biggest = max((int(each.n.max()) for each in found.differences.values()), default=0)
    if found.methods.test in ("wilcoxon", "sign") and biggest >= WARN_ABOVE:
        notes.append(
            f"with {biggest:,} queries the t-test of the mean is as safe and answers the question; {found.methods.test} "
            f"tests another one"
        )
    if biggest >= LARGE:
        notes.append(f"no signs were flipped: with {biggest:,} queries they would only repeat the t-test")
    return notes + _untestable(found)


def _untestable(found: Comparison) -> list[str]:
    """Families where random flips decide and are too few to reach alpha."""
    how, is_maxt = found.methods, found.correction == "maxt"
    if not is_maxt and (how.test != "flips" or found.correction == "tukey"):
        return []
    notes = []
    keys = [key for key, each in found.differences.items() if not np.isnan(each.p_flips).all()]
    for family in families_of(keys, how, found.correction):
        cells = [found.differences[key] for key in family]
        if not is_maxt and not any((each.p_flips_low < each.p_flips_high).any() for each in cells):
            continue  # all flips were looked at
        flips = flips_of([int(each.n.max()) for each in cells], how)
        tested = sum(int(np.count_nonzero(~np.isnan(each.p_flips))) for each in cells)
        steps = tested if found.correction == "holm" else 1
        if flips and not is_testable(steps, flips, how.alpha):
            where = _listed([f"{metric}{_in(found, segment)}" for metric, segment in family])
            notes.append(
                f"{where}: not testable with {flips:,} flips: the smallest corrected p is {number(steps / (flips + 1))}; "
                f"flips={replicates_needed(steps, how.alpha):,} are enough"
            )
    return notes


def _counted(found: Comparison) -> list[str]:
    """How queries count, where they do not count alike and by themselves."""
    if not found.weights and not found.clusters:
        return []
    told = []
    for metric in found.metrics:
        own = found.means[metric, 0]
        least = number(float(own.effective.min()), 1)
        told.append(f"{metric} {least} of {int(own.n.min()):,}")
    how = [f"weighted by {found.weights}"] if found.weights else []
    how += [f"whole clusters ({found.clusters}) are drawn and flipped"] if found.clusters else []
    return [f"queries are {' and '.join(how)}; effective n: {', '.join(told)}"]


def _visible(found: Comparison) -> list[str]:
    """The smallest true difference, over all queries, that these queries would show; from that pair to this one."""
    told = []
    for metric in found.metrics:
        visible = found.differences[metric, 0].visible
        if not np.isnan(visible).all():
            least, most = (number(float(bound)) for bound in (np.nanmin(visible), np.nanmax(visible)))
            told.append(f"{metric} {least}" + (f" to {most}" if most != least else ""))
    how = f"found with power {found.methods.power:g}, before correction, by pair"
    return [f"smallest true difference {how}: {', '.join(told)}"] if told else []


def _bet(found: Comparison) -> list[str]:
    where = _cells(found, [key for key, each in found.means.items() if (each.method == "betting").any()])
    told = "hedged betting intervals, which hold for any number of queries but are wide"
    return [f"{told} (few queries, or nearly all with the same value): {where}"] if where else []


def _doubtful(found: Comparison) -> list[str]:
    where = _cells(found, [key for key, each in found.means.items() if each.is_doubtful.any()])
    told = "intervals likely too short (few queries, or nearly all with the same value)"
    return [f"{told}: {where}"] if where else []


def _cells(found: Comparison, keys: Sequence[Key]) -> str:
    """Some cells by name, or how many they are."""
    own = sorted(f"{metric}{_in(found, segment)}" for metric, segment in keys)
    return ", ".join(own) if len(own) <= MOST_LISTED else f"{len(own)} of {len(found.means)} cells"


def _lost(found: Comparison) -> list[str]:
    """Queries that a system lacks, or where it is undefined, while the other one has them."""
    notes = []
    for (metric, segment), each in found.differences.items():
        if segment:
            continue
        lost: dict[str, int] = {}
        for column, row in ((each.lost_first, 0), (each.lost_second, 1)):
            for place in np.flatnonzero(column):
                name = found.names[found.pairs[row, place]]
                lost[name] = max(lost.get(name, 0), int(column[place]))
        if lost:
            listed = _listed([f"{name} {count:,}" for name, count in lost.items()])
            notes.append(
                f"{metric}: queries undefined or missing, which another system has: {listed}; they are in no difference"
            )
    return notes


def _disagreeing(found: Comparison) -> list[str]:
    """Comparisons where the t-test and sign flips fall on two sides of alpha."""
    alpha, cells = found.methods.alpha, []
    for (metric, segment), each in found.differences.items():
        with np.errstate(invalid="ignore"):
            sides = (
                ((each.p_t < alpha) != (each.p_flips < alpha)) & ~np.isnan(each.p_t) & ~np.isnan(each.p_flips)
            )
        for place in np.flatnonzero(sides):
            first, second = (found.names[row] for row in found.pairs[:, place])
            cells.append(
                f"{first} – {second}, {metric}{_in(found, segment)} (t {number(each.p_t[place])}, flips {number(each.p_flips[place])})"
            )
    if not cells:
        return []
    return [f"t-test and sign flips fall on two sides of {alpha:g} before correction: {_listed(cells)}"]


def _segments(found: Comparison) -> list[str]:
    """Whether differences vary over the segments, with one p-value per metric; of many, only those that surely do."""
    notes, how = [], "(Welch, Holm over metrics)"
    if found.pairs.shape[1] == 1 or found.baseline:
        for place, (row, other) in enumerate(found.pairs.T.tolist()):
            p_of = {metric: p[place] for metric, p in found.heterogeneity.items() if not np.isnan(p[place])}
            few = len(p_of) <= MOST_LISTED // 2
            told = [
                f"{metric} p = {number(p)}" for metric, p in p_of.items() if few or p < found.methods.alpha
            ]
            if p_of:
                words = ", ".join(told) or f"not shown to vary, all p ≥ {number(min(p_of.values()))}"
                pair = f"{found.names[row]} – {found.names[other]}"
                notes.append(f"is the difference {pair} the same in all segments? {how} {words}")
    return notes


def _in(found: Comparison, segment: int) -> str:
    return f" in {found.labels[segment]}" if segment else ""


def _listed(words: Iterable[str]) -> str:
    words = list(words)
    rest = len(words) - MOST_LISTED
    return ", ".join(words[:MOST_LISTED]) + (f" and {rest:,} more" if rest > 0 else "")


def _seed_notes(found: Comparison) -> list[str]:
    """Return what to mind when systems are several trainings or folds."""
    notes = []
    for system, members in found.folds.items():
        notes.append(
            f"{system}: {len(members)} folds, pooled per query; a fold is no unit of its own, as all share training data"
        )
    if not found.seeds:
        return notes
    listed = ", ".join(f"{system} ({len(members)})" for system, members in found.seeds.items())
    notes.append(
        f"several seeds: {listed}: means over seeds and queries; intervals by a two-way bootstrap over both are of the method; "
        f"between two such methods there is no p-value, only the interval of the difference"
    )
    shares = _shares(found)
    if shares:
        notes.append(f"share of the variance that comes from the seeds: {_listed(shares)}")
    alone = [system for system in found.names if system not in found.seeds]
    if alone:
        notes.append(
            f"a comparison with {_listed(alone)}, of one training each, says nothing about the method, only about these models"
        )
    stems: dict[str, list[str]] = {}
    for system in alone:
        if told := NUMBERED.match(system):
            stems.setdefault(told[1], []).append(system)
    alike = [_listed(same) for same in stems.values() if len(same) > 1]
    return notes + [f"{names} look like trainings of one method; name them in seeds=" for names in alike]


def _shares(found: Comparison) -> list[str]:
    """Of each difference between methods, on all queries."""
    told = []
    for metric in found.metrics:
        each = found.differences[metric, 0]
        for place in np.flatnonzero(~np.isnan(each.of_seeds)):
            first, second = (found.names[row] for row in found.pairs[:, place])
            told.append(f"{first} – {second}, {metric} {number(each.of_seeds[place], 2)}")
    return told
