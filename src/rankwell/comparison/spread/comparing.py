"""How values that lie on Spark are compared: every cell from what their groups of queries answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial, reduce
from operator import add

import numpy as np

from rankwell.comparison.cells import Differences, Means
from rankwell.comparison.families import Key
from rankwell.comparison.methods import Methods
from rankwell.comparison.rope import with_chances_of_many, with_chances_of_parts
from rankwell.comparison.spread.answers import Few, Question
from rankwell.comparison.spread.cells import differences_by_sums, means_by_sums, with_few
from rankwell.comparison.spread.results import Spread
from rankwell.comparison.spread.sums import OfMetric
from rankwell.comparison.trainings import are_many, interval_by_values, over_seeds, refuse_empty_lists
from rankwell.records import record
from rankwell.statistics.families import Cell
from rankwell.statistics.intervals import LARGE
from rankwell.statistics.seeds import Seeded


@record
class Compared:
    """What is known of systems and pairs by metric and segment, cells that say at least how many units they have, and p of Tukey's test."""

    labels: tuple[tuple[str, ...], ...]
    means: dict[Key, Means]
    differences: dict[Key, Differences]
    cells: dict[Key, Cell]
    p_shuffled: dict[Key, np.ndarray]


def compared_spread(
    spread: Spread, pairs: np.ndarray, how: Methods, correction: str, signs: Mapping[str, int]
) -> Compared | None:
    """Return what is known of systems and pairs; None if these are too few queries for that."""
    from rankwell.evaluation.engines.spark.tables import refuse_other_kind

    refuse_other_kind(dict(zip(spread.names, spread.frames, strict=True)), spread.segments)
    tested = [metric for metric in spread.metrics if spread.has_values(metric)]
    asked = Question(spread.systems, pairs)
    centres = {str(metric): spread.centres(metric) for metric in tested}
    sums = reduce(add, spread.asked(centres, partial(asked.sums, centres=centres)))
    total = sums.segments[0].queries
    if total < LARGE:
        return None
    refuse_empty_lists(spread.names, spread.results, spread.systems, sums.are_shared)
    codes, labels = spread.in_order(sums)
    few, rows = spread.few(asked, sums, tested)
    cells, parts = spread.cells(asked, sums, tested, codes, how, correction)
    p_ranks = spread.by_ranks(asked, sums, tested) if how.test == "wilcoxon" else {}
    means, differences = {}, {}
    for place, code in enumerate(codes):
        for metric in tested:
            key, at = (metric, place), (str(metric), code)
            own, centre = sums.segments[code].metrics[str(metric)], centres[str(metric)]
            known = means_by_sums(metric, own.systems, centre, how)
            if at in few:
                values = spread.systems.pooled(few[at].values)[rows[at]]
                known = with_few(known, rows[at], few[at]._replace(values=values), metric, how, total=total)
            if not code and spread.is_plain and spread.systems.is_plain:
                # in every digit as the results have it
                known = known._replace(mean=spread.alone(metric)[0])
            found = differences_by_sums(
                metric,
                own.pairs,
                pairs,
                centre,
                how,
                signs[metric.better],
                is_plain=spread.is_plain,
                p_ranks=p_ranks.get(at),
            )
            rope = how.ropes.get(str(metric), math.nan)
            if at in parts:
                found = with_chances_of_parts(found, parts[at], rope, how.seed)
            elif not math.isnan(rope):
                found = with_chances_of_many(found, rope)
            if asked.seeded:
                interval = _over_seeds(spread, own, centre, known.n, few.get(at), how, total)
                known, found = over_seeds(spread.systems, pairs, interval, known, found, metric.range)
            means[key], differences[key] = known, found
    shuffled = {} if correction != "tukey" else spread.by_shuffles(asked, sums, tested, how)
    p_shuffled = {(metric, place): shuffled[str(metric), codes[place]] for metric, place in cells if shuffled}
    return Compared(labels, means, differences, cells, p_shuffled)


def _over_seeds(
    spread: Spread,
    own: OfMetric,
    centre: np.ndarray,
    n: np.ndarray,
    few: Few | None,
    how: Methods,
    total: int,
) -> Callable[[tuple[int, ...]], Seeded]:
    """What tells the interval of systems with several seeds: by sums, or of few queries by values."""

    def interval(of: tuple[int, ...]) -> Seeded:
        if are_many(n, of, total):
            return own.seeds[of].interval(
                centre[list(of)].tolist(), level=how.level, times=how.resamples, seed=how.seed
            )
        assert few is not None
        return interval_by_values(spread.systems.by_seed(few.values), few.units, n, how, total)(of)

    return interval
