"""Captions and notes of comparisons: tests, corrections, n, policy and definitions in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankwell.comparison.families import Key, families_of, flips_of
from rankwell.comparison.methods import CORRECTIONS, TESTS, Methods
from rankwell.comparison.seed_notes import notes_of_seeds
from rankwell.display.table import number
from rankwell.results.notes import notes_of as notes_of_results
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.replicates import is_testable, replicates_needed

if TYPE_CHECKING:
    from rankwell.comparison.aligned import Aligned
    from rankwell.comparison.comparison import Comparison
    from rankwell.comparison.spread.results import Spread

INTERVALS = {
    "studentised": "studentised Poisson bootstrap",
    "wilson": "Wilson's for values that are only 0 or 1",
    "betting": "hedged betting where others are likely too short",
    "t": "Student's t",
    "seeds": "two-way bootstrap over seeds and queries",
}
WARN_ABOVE = 200
MOST_LISTED = 6


def notes_of(aligned: Aligned | Spread) -> list[str]:
    """Return the notes about definitions, policy and rows, as below a table of results."""
    return notes_of_results(aligned.results, hint=False, names=aligned.names)


def test_of(how: Methods, correction: str) -> str:
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
        f"Tests: {test_of(found.methods, found.correction)}; family: {family}; α = {found.methods.alpha:g}."
    )
    if set(found.seeds) == set(found.names):
        tests = "No tests, but intervals over seeds and queries."
    bounds = (
        f" {found.methods.level * 100:g} % intervals of each mean{f': {how}' if how else ''}, not corrected."
    )
    return f"{systems} on {queries} queries{against}. {tests}{bounds if intervals else ''}"


def remarks_of(found: Comparison, *, intervals: bool = True) -> list[str]:
    """Return notes about what to mind when reading this comparison, whose table shows intervals or not."""
    notes = (
        [f"primary metric: {found.methods.primary}; all others are exploratory"]
        if found.methods.primary
        else []
    )
    notes += [f"experiment: {found.experiment}"] if found.experiment else []
    notes += _counted(found)
    if found.decided:
        from rankwell.comparison.decided import sentences_of

        notes += sentences_of(found)
    notes += notes_of_seeds(found)
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
