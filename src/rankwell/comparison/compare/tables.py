"""All tables of a comparison, their captions and their notes; first the letters of systems that do not differ significantly."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rankwell.comparison.compare.cells import Differences, Key, families_of, flips_of
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
from rankwell.comparison.compare.methods import CORRECTIONS, INTERVALS, TESTS, Methods
from rankwell.display.table import Cell, Column, Table, number
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.statistics.families import is_testable, replicates_needed
from rankwell.statistics.intervals import LARGE

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
    # by the places of their systems, so that the best system has the letter a
    groups.sort(key=lambda group: sorted(places[system] for system in group))
    names = [_letter(number) for number in range(len(groups))]
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if system in group)
        for system in range(len(differ))
    ]


def _split(groups: list[set[int]], first: int, second: int) -> list[set[int]]:
    """Part two systems wherever they share a group, and drop groups that another one holds."""
    parts = [group for group in groups if not (first in group and second in group)]
    for group in groups:
        if first in group and second in group:
            for part in (group - {second}, group - {first}):
                # absorb: a group within another says nothing more, and would be a letter too many
                if not any(part <= other for other in parts):
                    parts = [other for other in parts if not other < part]
                    parts.append(part)
    return parts


def _letter(number: int) -> str:
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn) if turn else "")


LEAST = 1e-9  # p-values are shown as at least this: none is 0
STARS = (0.001, "***"), (0.01, "**"), (0.05, "*")
WARN_ABOVE = 200  # queries, from which on the t-test is as safe as tests of ranks and signs
MOST_LISTED = 6  # systems or cells in one note; the others are counted
# bm25-seed3, bm25_s3, bm25-run-3, bm25.3: a stem, then perhaps a word for a training, and a number
NUMBERED = re.compile(r"^(.*?)[-_ .]?(?:seed|s|run)?[-_ .]?\d+$")


def leaderboard(comparison: Comparison, *, details: bool = True) -> Table:
    """Return a row per system (and segment), best first: each metric's mean, its interval, and what differs.

    Without ``details`` each metric is one column, with stars or letters behind its means.
    """
    columns = [Column(name) for name in comparison.by] + [Column("system")]
    cells = _labels(comparison)
    marks: dict[tuple[int, int], str] = {}
    numbers = [_numbers(comparison, metric) for metric in comparison.metrics]
    for metric, own, following in zip(comparison.metrics, numbers, [*numbers[1:], None], strict=True):
        if details:
            for column, values in _columns_of(comparison, metric):
                columns.append(column)
                cells.append(values)
        else:
            marks |= {
                (row, len(columns)): mark for row, mark in enumerate(_marks(comparison, metric)) if mark
            }
            columns.append(Column(str(metric), "value", better=metric.better))
            cells.append(_means(comparison, metric))
        if own != following:  # neighbours with the same n share its column
            columns.append(Column("n" if numbers.count(own) == len(numbers) else f"n {metric}", "count"))
            cells.append(own)
    return Table(
        columns,
        list(zip(*cells, strict=True)),
        caption=caption_of(comparison, intervals=details),
        notes=[
            *_legend(comparison, details=details),
            *_remarks(comparison, intervals=details),
            *comparison.notes,
        ],
        mark_best=True,
        marks=marks,
        labels=len(comparison.by) + 1,
    )


def _labels(comparison: Comparison) -> list[list[Cell]]:
    """The columns that label the rows: segments and systems."""
    cells: list[list[Cell]] = [[] for _ in range(len(comparison.by) + 1)]
    for labels in comparison.segments:
        for row in comparison.order:
            for at, label in enumerate(labels or ("(all)",) * len(comparison.by)):
                cells[at].append(label)
            mark = " (baseline)" if comparison.names[row] == comparison.baseline else ""
            cells[-1].append(comparison.names[row] + mark)
    return cells


def _means(comparison: Comparison, metric: Metric) -> list[Cell]:
    return [
        _float(comparison.means[metric, at].mean[row])
        for at in range(len(comparison.segments))
        for row in comparison.order
    ]


def _marks(comparison: Comparison, metric: Metric) -> list[str]:
    """The marks of the rows of the leaderboard."""
    by_segment = [marks_of(comparison, metric, segment) for segment in range(len(comparison.segments))]
    return [marks[row] for marks in by_segment for row in comparison.order]


def marks_of(comparison: Comparison, metric: Metric, segment: int) -> list[str]:
    """Return what stands behind each system's mean: stars beside a baseline, letters for all pairs."""
    differences = comparison.differences[metric, segment]
    if comparison.baseline:
        stars = {
            row: _stars(float(p), comparison.methods.alpha)
            for row, p in zip(comparison.pairs[0].tolist(), differences.p, strict=True)
        }
        return [stars.get(row, "") for row in range(len(comparison.names))]
    letters = _letters(comparison, differences, comparison.order_of(metric, segment))
    return [f" {letters[row][1]}" if letters[row][1] else "" for row in range(len(comparison.names))]


def _columns_of(comparison: Comparison, metric: Metric) -> list[tuple[Column, list[Cell]]]:
    means: list[Cell] = []
    bounds: list[Cell] = []
    deltas: list[Cell] = []
    tests: list[Cell] = []
    for segment in range(len(comparison.segments)):
        mean, differences = comparison.means[metric, segment], comparison.differences[metric, segment]
        changes = (
            _against(comparison, differences)
            if comparison.baseline
            else _letters(comparison, differences, comparison.order_of(metric, segment))
        )
        for row in comparison.order:
            means.append(_float(mean.mean[row]))
            bounds.append(_interval(mean.low[row], mean.high[row]))
            delta, test = changes[row]
            deltas.append(delta)
            tests.append(test)
    columns = [(Column(str(metric), "value", better=metric.better), means)]
    if any(bounds):
        columns.append((Column(f"{metric} {comparison.methods.level * 100:g} %"), bounds))
    if comparison.baseline:
        columns.append((Column(f"Δ {metric}", "value"), deltas))
    if comparison.baseline and comparison.seeds:
        columns.append(
            (
                Column(f"Δ {metric} {comparison.methods.level * 100:g} %"),
                _intervals_against(comparison, metric),
            )
        )
    if any(tests):
        columns.append((Column(f"p {metric}" if comparison.baseline else f"{metric} differs"), tests))
    return columns


def _numbers(comparison: Comparison, metric: Metric) -> list[Cell]:
    """The number of queries behind each mean, as the rows of the leaderboard."""
    return [
        int(comparison.means[metric, at].n[row])
        for at in range(len(comparison.segments))
        for row in comparison.order
    ]


def _against(comparison: Comparison, differences: Differences) -> dict[int, tuple[Cell, Cell]]:
    """The difference from the baseline and its p-value, for each system."""
    changes: dict[int, tuple[Cell, Cell]] = dict.fromkeys(range(len(comparison.names)), (None, ""))
    for place, row in enumerate(comparison.pairs[0].tolist()):
        p = float(differences.p[place])
        changes[row] = (
            float(differences.mean[place]),
            "" if math.isnan(p) else f"{number(max(p, LEAST))}{_stars(p, comparison.methods.alpha)}",
        )
    return changes


def _intervals_against(comparison: Comparison, metric: Metric) -> list[Cell]:
    """The intervals of the differences from the baseline, as the rows of the leaderboard."""
    shown: list[Cell] = []
    for segment in range(len(comparison.segments)):
        differences = comparison.differences[metric, segment]
        bounds = {
            row: _interval(differences.low[place], differences.high[place])
            for place, row in enumerate(comparison.pairs[0].tolist())
        }
        shown += [bounds.get(row, "") for row in comparison.order]
    return shown


def _letters(
    comparison: Comparison, differences: Differences, order: list[int]
) -> dict[int, tuple[Cell, Cell]]:
    """The letters of each system: those that share one do not differ significantly."""
    count = len(comparison.names)
    # without p-values nothing is known to differ, and equal letters for all would say that nothing does
    if comparison.seeds or np.isnan(differences.p).all():
        return dict.fromkeys(range(count), (None, ""))
    differ = np.zeros((count, count), bool)
    with np.errstate(invalid="ignore"):
        left, right = comparison.pairs[:, differences.p < comparison.methods.alpha]
    differ[left, right] = differ[right, left] = True
    letters = letters_of(differ, order)
    return {row: (None, letters[row]) for row in range(count)}


def _stars(p: float, alpha: float) -> str:
    return " " + next((stars for limit, stars in STARS if p < limit), "") if p < alpha else ""


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{number(low)} – {number(high)}"


def _legend(comparison: Comparison, *, details: bool) -> list[str]:
    if comparison.baseline:
        stars = ", ".join(f"{stars} p < {limit:g}" for limit, stars in reversed(STARS))
        against = "; Δ: system less baseline" if details else " against the baseline"
        return [f"p: corrected ({comparison.correction}); {stars}{against}"]
    if comparison.seeds:
        return ["whether systems differ: see the intervals of their differences (pairs)"]
    return [f"systems that share a letter do not differ significantly (corrected: {comparison.correction})"]


def _float(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def pair_table(comparison: Comparison) -> Table:
    """A row per pair, metric and segment: the difference and everything about it."""
    columns = [
        Column("metric"),
        *([Column("segment")] if comparison.by else []),
        Column("first"),
        Column("second"),
    ]
    columns += [Column("n", "count"), Column("lost", "text")]
    columns += [Column(name, "value") for name in ("difference", "low", "high", "p", "p t", "p flips")]
    columns += [Column("d_z", "value", digits=3), Column("superiority", "value", digits=2)]
    columns += [Column(name, "count") for name in ("wins", "ties", "losses")] + [Column("visible", "value")]
    if comparison.methods.margins:
        columns += [Column("needed", "count"), Column("p equivalent", "value")]
    if comparison.methods.ropes:
        columns += [Column(name, "value") for name in ("below", "within", "above")]
    if comparison.seeds:
        columns.append(Column("of seeds", "value", digits=2))
    rows: list[tuple[Cell, ...]] = []
    for (metric, segment), differences in comparison.differences.items():
        for place, (left, right) in enumerate(comparison.pairs.T.tolist()):
            pair = {name: column[place] for name, column in differences._asdict().items()}

            def values(*names: str, pair: Mapping[str, float] = pair) -> list[Cell]:
                return [_float(pair[name]) for name in names]

            # of a metric without values per query nothing is counted: 0 there is no count
            n, *counts = (
                int(pair[name]) if pair["n"] > 0 else None for name in ("n", "wins", "ties", "losses")
            )
            row: list[Cell] = [str(metric), *([comparison.labels[segment]] if comparison.by else [])]
            lost = f"{pair['lost_first']} / {pair['lost_second']}"
            row += [comparison.names[left], comparison.names[right], n, lost]
            row += values("mean", "low", "high", "p", "p_t", "p_flips", "dz", "superiority")
            row += [*counts, *values("visible")]
            if comparison.methods.margins:
                needed = int(pair["needed"]) if math.isfinite(pair["needed"]) else None
                row += [needed, *values("p_equivalent")]
            row += values("below", "within", "above") if comparison.methods.ropes else []
            row += values("of_seeds") if comparison.seeds else []
            rows.append(tuple(row))
    how = f"p: {comparison.correction}; p t, p flips: uncorrected"
    least = f"smallest true difference found with power {comparison.methods.power:g}"
    notes = [
        f"difference: first less second, with its interval; lost: queries undefined or missing in the first / second; {how}",
        f"d_z: mean ÷ sd; superiority: share of queries won, ties half; visible: {least}",
    ]
    if comparison.methods.margins:
        margins = ", ".join(f"{name} {value:g}" for name, value in comparison.methods.margins.items())
        notes.append(
            f"needed: queries that would show a difference of the margin ({margins}), by the upper 80 % bound of sd; p "
            f"equivalent: two one-sided tests of the margin"
        )
    if comparison.methods.ropes:
        ropes = ", ".join(f"{name} {value:g}" for name, value in comparison.methods.ropes.items())
        notes.append(
            f"below, within, above: chances that the true difference is under −rope, within ±rope, over rope ({ropes}); "
            f"Bayesian bootstrap"
        )
    if comparison.seeds:
        notes.append(
            "of seeds: share of the variance of the difference that comes from the seeds of the two methods"
        )
    return Table(columns, rows, caption=caption_of(comparison), notes=notes)


def cost_tables(comparison: Comparison) -> list[Table]:
    """Return the costs of the systems, best first by the metric that decides, and the ratios of latency; nothing without costs."""
    if comparison.costs is None:
        return []
    names = [comparison.names[row] for row in comparison.order]
    metric = metric_of(comparison.methods.primary) if comparison.methods.primary else comparison.metrics[0]
    means = comparison.means[metric, 0].mean
    sign = -1 if metric.better == "lower" else 1
    latency = comparison.costs.of("p95")
    on_front = front(
        [
            (sign * float(means[row]), latency[name].value if name in latency else None)
            for row, name in zip(comparison.order, names, strict=True)
        ]
    )
    starred = [name for name, is_on in zip(names, on_front, strict=True) if is_on]
    tables = [_cost_table(comparison.costs, names, starred, str(metric))]
    return [*tables, _ratio_table(comparison.costs)] if comparison.costs.ratios else tables


def _cost_table(costs: CostEstimates, systems: Sequence[str], starred: Sequence[str], metric: str) -> Table:
    """Return a row per system with what it costs; starred where no other is as good in the metric and as fast."""
    shown = [name for name in SHOWN if costs.of(name)]
    rows: list[list[Cell]] = []
    for system in systems:
        row: list[Cell] = [system]
        for name in shown:
            estimate = costs.of(name).get(system)
            row.append(None if estimate is None else estimate.value)
            # only of p95 are bounds shown: the front is drawn by it
            if name == "p95":
                row += [None, None] if estimate is None else [estimate.low, estimate.high]
        rows.append(row)
    columns = [Column("system")]
    for name in shown:
        columns.append(column_of(name))
        if name == "p95":
            columns += [Column("low", "value", digits=3), Column("high", "value", digits=3)]
    notes = [f"{FRONT} {front_note(metric)}"] if starred else []
    notes.append(f"low and high bound p95 with 95 %; latency under the load “{costs.load}”; {MEMORY}")
    marks = {(systems.index(system), 0): FRONT for system in starred}
    return Table(columns, rows, caption="Costs", notes=notes, marks=marks)


def _ratio_table(costs: CostEstimates) -> Table:
    columns = [
        Column("system"), Column("against"), Column("queries", "count"), Column("ratio", "value", better="lower", digits=3),
        Column("low", "value", digits=3), Column("high", "value", digits=3), Column("low in turns", "value", digits=3),
        Column("high in turns", "value", digits=3), Column("turns", "count"),
    ]  # fmt: skip
    return Table(
        columns, [list(ratio) for ratio in costs.ratios], caption="Ratios of latency: geometric means over queries", labels=2,
        notes=["low and high are bounds for other queries, in turns those for measuring again on this machine; both hold for 95 %."],
    )  # fmt: skip


def decided_table(comparison: Comparison) -> Table:
    """Return a row per metric and pair: in how many queries the judgements decide, and the bounds of the mean difference."""
    columns = [Column("metric"), Column("first"), Column("second"), Column("n", "count")]
    columns += [Column(name, "count") for name in ("first wins", "second wins", "equal", "undecided")]
    columns += [Column("lowest", "value"), Column("highest", "value"), Column("order")]
    rows: list[tuple[Cell, ...]] = []
    for metric, own in comparison.decided.items():
        settled = own.is_settled()
        for place, (left, right) in enumerate(comparison.pairs.T.tolist()):
            label = (str(metric), comparison.names[left], comparison.names[right])
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
        notes=_decided_notes(comparison),
    )


def _decided_sentences(comparison: Comparison) -> list[str]:
    """Return in words what is decided, and which orders are not settled, as notes of the leaderboard."""
    notes = []
    if len(comparison.pairs.T) == 1:
        left, right = (comparison.names[row] for row in comparison.pairs[:, 0])
        for metric, own in comparison.decided.items():
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
    for metric, own in comparison.decided.items():
        settled = own.is_settled() | (own.kind == "none")
        pairs = [
            f"{comparison.names[one]} / {comparison.names[other]}"
            for one, other in comparison.pairs[:, ~settled].T.tolist()
        ]
        if pairs:
            more = f" and {len(pairs) - 3:,} more pairs" if len(pairs) > 3 else ""
            open_ones.append(f"{metric} ({', '.join(pairs[:3])}{more})")
    if open_ones:
        notes.append(f"orders of means that judging unjudged items could turn: {'; '.join(open_ones)}")
    return notes


def _decided_notes(comparison: Comparison) -> list[str]:
    assert comparison.bounding is not None
    pool = f"; pool: {comparison.bounding.pool}" if comparison.bounding.pool else ""
    notes = [
        f"over all grades that unjudged items could get, the same in both lists; {comparison.bounding.scale()}{pool}",
        "of queries that are defined as judged; lowest and highest: of the mean difference, first less second",
    ]
    outer = [str(m) for m, own in comparison.decided.items() if (own.kind == "outer").any()]
    if outer:
        notes.append(f"outer bounds, so that more queries may be decided: {', '.join(outer)}")
    outer = [str(m) for m, own in comparison.decided.items() if (own.mean_kind == "outer").any()]
    if outer:
        notes.append(f"outer bounds of the mean difference: {', '.join(outer)}")
    reasons: dict[str, list[str]] = {}
    for metric, own in comparison.decided.items():
        for why in sorted({why for why in own.why.tolist() if why}):
            reasons.setdefault(why, []).append(str(metric))
    return notes + [f"{', '.join(names)}: {why}" for why, names in reasons.items()]


def _tests_of(how: Methods, correction: str) -> str:
    """Return in words which test and which correction were used."""
    own = correction in ("maxt", "tukey")
    return CORRECTIONS[correction] if own else f"{TESTS[how.test]}, {CORRECTIONS[correction]}"


def caption_of(comparison: Comparison, *, intervals: bool = True) -> str:
    """Return what a table of the comparison shows, with or without intervals, in one sentence or two."""
    systems = f"{len(comparison.names)} systems"
    n = {int(count) for (_, segment), means in comparison.means.items() if segment == 0 for count in means.n}
    queries = f"{max(n):,}" if len(n) == 1 else f"{min(n):,} to {max(n):,}"
    against = f", compared with {comparison.baseline}" if comparison.baseline else ", all pairs compared"
    kinds = sorted(
        {kind for means in comparison.means.values() for kind in means.method if kind}, reverse=True
    )
    how = "; ".join(INTERVALS[kind] for kind in kinds)
    family = "all comparisons" if comparison.methods.family == "all" else "one metric's comparisons"
    if comparison.by and comparison.methods.family == "metric":
        family += ", of all queries and of the segments apart"
    tests = f"Tests: {_tests_of(comparison.methods, comparison.correction)}; family: {family}; α = {comparison.methods.alpha:g}."
    if set(comparison.seeds) == set(comparison.names):
        tests = "No tests, but intervals over seeds and queries."
    bounds = f" {comparison.methods.level * 100:g} % intervals of each mean{f': {how}' if how else ''}, not corrected."
    return f"{systems} on {queries} queries{against}. {tests}{bounds if intervals else ''}"


def _remarks(comparison: Comparison, *, intervals: bool = True) -> list[str]:
    """Return notes about what to mind when reading this comparison, whose table shows intervals or not."""
    notes = (
        [f"primary metric: {comparison.methods.primary}; all others are exploratory"]
        if comparison.methods.primary
        else []
    )
    notes += [f"experiment: {comparison.experiment}"] if comparison.experiment else []
    notes += _effective_n(comparison)
    notes += _decided_sentences(comparison)
    notes += _seed_notes(comparison)
    notes += _visible(comparison)
    notes += [*_bet(comparison), *_doubtful(comparison)] if intervals else []
    notes += _lost(comparison)
    notes += _disagreements(comparison)
    notes += _segments(comparison)
    biggest = max((int(differences.n.max()) for differences in comparison.differences.values()), default=0)
    if comparison.methods.test in ("wilcoxon", "sign") and biggest >= WARN_ABOVE:
        notes.append(
            f"with {biggest:,} queries the t-test of the mean is as safe and answers the question; {comparison.methods.test} "
            f"tests another one"
        )
    if biggest >= LARGE:
        notes.append(f"no signs were flipped: with {biggest:,} queries they would only repeat the t-test")
    return notes + _untestable(comparison)


def _untestable(comparison: Comparison) -> list[str]:
    """Families where random flips decide and are too few to reach alpha."""
    how, is_maxt = comparison.methods, comparison.correction == "maxt"
    if not is_maxt and (how.test != "flips" or comparison.correction == "tukey"):
        return []
    notes = []
    keys = [
        key for key, differences in comparison.differences.items() if not np.isnan(differences.p_flips).all()
    ]
    for family in families_of(keys, how, comparison.correction):
        cells = [comparison.differences[key] for key in family]
        if not is_maxt and not any(
            (differences.p_flips_low < differences.p_flips_high).any() for differences in cells
        ):
            continue  # all flips were looked at
        flips = flips_of([int(differences.n.max()) for differences in cells], how)
        tested = sum(int(np.count_nonzero(~np.isnan(differences.p_flips))) for differences in cells)
        # Holm multiplies the smallest p by their number; maxT and Tukey correct within the draws
        steps = tested if comparison.correction == "holm" else 1
        if flips and not is_testable(steps, flips, how.alpha):
            where = _join_some([f"{metric}{_in(comparison, segment)}" for metric, segment in family])
            notes.append(
                f"{where}: not testable with {flips:,} flips: the smallest corrected p is {number(steps / (flips + 1))}; "
                f"flips={replicates_needed(steps, how.alpha):,} are enough"
            )
    return notes


def _effective_n(comparison: Comparison) -> list[str]:
    """How queries count, where they do not count alike and by themselves."""
    if not comparison.weights and not comparison.clusters:
        return []
    counts = []
    for metric in comparison.metrics:
        own = comparison.means[metric, 0]
        least = number(float(own.effective.min()), 1)
        counts.append(f"{metric} {least} of {int(own.n.min()):,}")
    how = [f"weighted by {comparison.weights}"] if comparison.weights else []
    how += [f"whole clusters ({comparison.clusters}) are drawn and flipped"] if comparison.clusters else []
    return [f"queries are {' and '.join(how)}; effective n: {', '.join(counts)}"]


def _visible(comparison: Comparison) -> list[str]:
    """The smallest true difference, over all queries, that these queries would show; from that pair to this one."""
    drops = []
    for metric in comparison.metrics:
        visible = comparison.differences[metric, 0].visible
        if not np.isnan(visible).all():
            least, most = (number(float(bound)) for bound in (np.nanmin(visible), np.nanmax(visible)))
            drops.append(f"{metric} {least}" + (f" to {most}" if most != least else ""))
    how = f"found with power {comparison.methods.power:g}, before correction, by pair"
    return [f"smallest true difference {how}: {', '.join(drops)}"] if drops else []


def _bet(comparison: Comparison) -> list[str]:
    where = _cells(
        comparison, [key for key, means in comparison.means.items() if (means.method == "betting").any()]
    )
    what = "hedged betting intervals, which hold for any number of queries but are wide"
    return [f"{what} (few queries, or nearly all with the same value): {where}"] if where else []


def _doubtful(comparison: Comparison) -> list[str]:
    where = _cells(comparison, [key for key, means in comparison.means.items() if means.is_doubtful.any()])
    what = "intervals likely too short (few queries, or nearly all with the same value)"
    return [f"{what}: {where}"] if where else []


def _cells(comparison: Comparison, keys: Sequence[Key]) -> str:
    """Some cells by name, or how many they are."""
    own = sorted(f"{metric}{_in(comparison, segment)}" for metric, segment in keys)
    return ", ".join(own) if len(own) <= MOST_LISTED else f"{len(own)} of {len(comparison.means)} cells"


def _lost(comparison: Comparison) -> list[str]:
    """Queries that a system lacks, or where it is undefined, while the other one has them."""
    notes = []
    for (metric, segment), differences in comparison.differences.items():
        if segment:
            continue
        lost: dict[str, int] = {}
        for column, row in ((differences.lost_first, 0), (differences.lost_second, 1)):
            for place in np.flatnonzero(column):
                name = comparison.names[comparison.pairs[row, place]]
                lost[name] = max(lost.get(name, 0), int(column[place]))
        if lost:
            listed = _join_some([f"{name} {count:,}" for name, count in lost.items()])
            notes.append(
                f"{metric}: queries undefined or missing, which another system has: {listed}; they are in no difference"
            )
    return notes


def _disagreements(comparison: Comparison) -> list[str]:
    """Comparisons where the t-test and sign flips fall on two sides of alpha."""
    alpha, cells = comparison.methods.alpha, []
    for (metric, segment), differences in comparison.differences.items():
        with np.errstate(invalid="ignore"):
            sides = (
                ((differences.p_t < alpha) != (differences.p_flips < alpha))
                & ~np.isnan(differences.p_t)
                & ~np.isnan(differences.p_flips)
            )
        for place in np.flatnonzero(sides):
            first, second = (comparison.names[row] for row in comparison.pairs[:, place])
            cells.append(
                f"{first} – {second}, {metric}{_in(comparison, segment)} (t {number(differences.p_t[place])}, flips {number(differences.p_flips[place])})"
            )
    if not cells:
        return []
    return [f"t-test and sign flips fall on two sides of {alpha:g} before correction: {_join_some(cells)}"]


def _segments(comparison: Comparison) -> list[str]:
    """Whether differences vary over the segments, with one p-value per metric; of many, only those that surely do."""
    notes, how = [], "(Welch, Holm over metrics)"
    if comparison.pairs.shape[1] == 1 or comparison.baseline:
        for place, (row, other) in enumerate(comparison.pairs.T.tolist()):
            p_of = {
                metric: p[place] for metric, p in comparison.heterogeneity.items() if not np.isnan(p[place])
            }
            few = len(p_of) <= MOST_LISTED // 2
            p_values = [
                f"{metric} p = {number(p)}"
                for metric, p in p_of.items()
                if few or p < comparison.methods.alpha
            ]
            if p_of:
                words = ", ".join(p_values) or f"not shown to vary, all p ≥ {number(min(p_of.values()))}"
                pair = f"{comparison.names[row]} – {comparison.names[other]}"
                notes.append(f"is the difference {pair} the same in all segments? {how} {words}")
    return notes


def _in(comparison: Comparison, segment: int) -> str:
    return f" in {comparison.labels[segment]}" if segment else ""


def _join_some(words: Iterable[str]) -> str:
    words = list(words)
    rest = len(words) - MOST_LISTED
    return ", ".join(words[:MOST_LISTED]) + (f" and {rest:,} more" if rest > 0 else "")


def _seed_notes(comparison: Comparison) -> list[str]:
    """Return what to mind when systems are several trainings or folds."""
    notes = []
    for system, members in comparison.folds.items():
        notes.append(
            f"{system}: {len(members)} folds, pooled per query; a fold is no unit of its own, as all share training data"
        )
    if not comparison.seeds:
        return notes
    listed = ", ".join(f"{system} ({len(members)})" for system, members in comparison.seeds.items())
    notes.append(
        f"several seeds: {listed}: means over seeds and queries; intervals by a two-way bootstrap over both are of the method; "
        f"between two such methods there is no p-value, only the interval of the difference"
    )
    shares = _shares(comparison)
    if shares:
        notes.append(f"share of the variance that comes from the seeds: {_join_some(shares)}")
    alone = [system for system in comparison.names if system not in comparison.seeds]
    if alone:
        notes.append(
            f"a comparison with {_join_some(alone)}, of one training each, says nothing about the method, only about these models"
        )
    stems: dict[str, list[str]] = {}
    for system in alone:
        if match := NUMBERED.match(system):
            stems.setdefault(match[1], []).append(system)
    alike = [_join_some(same) for same in stems.values() if len(same) > 1]
    return notes + [f"{names} look like trainings of one method; name them in seeds=" for names in alike]


def _shares(comparison: Comparison) -> list[str]:
    """Of each difference between methods, on all queries."""
    shares = []
    for metric in comparison.metrics:
        differences = comparison.differences[metric, 0]
        for place in np.flatnonzero(~np.isnan(differences.of_seeds)):
            first, second = (comparison.names[row] for row in comparison.pairs[:, place])
            shares.append(f"{first} – {second}, {metric} {number(differences.of_seeds[place], 2)}")
    return shares
