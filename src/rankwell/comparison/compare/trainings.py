"""Systems that are several results: the seeds that a method was trained with, and the folds of a cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from rankwell.comparison.compare.alignment import MISSING
from rankwell.comparison.compare.cells import Differences, Means
from rankwell.comparison.compare.methods import Methods
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.records import cached_property, record
from rankwell.results import Results
from rankwell.statistics.families import Cell
from rankwell.statistics.intervals import kind_for
from rankwell.statistics.seeds import FEWEST, Seeded, SeedMoments, pool_units, seeds_interval

T = TypeVar("T")
Groups = Mapping[str, Sequence[str]]
METHOD = "seeds"  # the word for intervals over seeds and queries
UNTESTED = (
    "p_t", "p_test", "p_flips", "p_flips_low", "p_flips_high", "p", "visible", "needed", "p_equivalent", "below", "within",
    "above",
)  # fmt: skip


@record(eq=False)
class TrainedSystems:
    """The systems that are compared: of each the rows of its results, by seed and by fold."""

    names: tuple[str, ...]
    rows: tuple[tuple[tuple[int, ...], ...], ...]

    @classmethod
    def of(cls, names: Sequence[str], seeds: Groups | None, folds: Groups | None) -> TrainedSystems:
        """Return the systems that some results are; what is in no group is one by itself.

        Raises
        ------
        UsageError
            If a group names what is not there or in another group, or has too few members.
        """
        single = {name: row for row, name in enumerate(names)}
        folded = _group(single, folds or {}, "folds", 2)
        trained = _group(folded, seeds or {}, "seeds", FEWEST)
        return cls(tuple(trained), tuple(trained.values()))

    @cached_property
    def is_plain(self) -> bool:
        """Whether every system is one result."""
        return [*self.rows] == [((row,),) for row in range(len(self.rows))]

    @property
    def is_seeded(self) -> np.ndarray:
        """Whether each system was trained with several seeds."""
        return np.array([len(seeds) > 1 for seeds in self.rows])

    def between_methods(self, pairs: np.ndarray) -> np.ndarray:
        """The places of the pairs of which both systems were trained with several seeds."""
        return np.flatnonzero(self.is_seeded[pairs].all(axis=0))

    def by_seed(self, values: np.ndarray) -> list[np.ndarray]:
        """Return, per system, a row of values per seed; folds are pooled per query."""
        if self.is_plain:
            return [values[row : row + 1] for row in range(len(values))]
        return [np.array([_pool(values[list(folds)]) for folds in seeds]) for seeds in self.rows]

    def pooled(self, values: np.ndarray) -> np.ndarray:
        """Return a row of values per system, the mean over its seeds."""
        return values if self.is_plain else np.array([seeds.mean(axis=0) for seeds in self.by_seed(values)])

    def are_shared(self, has_query: np.ndarray) -> np.ndarray:
        """Whether folds of each system share queries; ``has_query`` has a row per result and a column per query."""
        counts = [
            [np.count_nonzero(has_query[list(folds)], axis=0) for folds in seeds] for seeds in self.rows
        ]
        return np.array([any((own > 1).any() for own in system) for system in counts])

    def alone(self, values: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return values and n of a metric of all lists together: their mean over seeds; folds together have none."""
        means, counts = np.full(len(self.rows), math.nan), np.zeros(len(self.rows), np.int64)
        for place, seeds in enumerate(self.rows):
            # coverage of several folds together is not the mean of theirs, so there is none
            if all(len(folds) == 1 for folds in seeds):
                own = [folds[0] for folds in seeds]
                means[place], counts[place] = values[own].mean(), n[own].min()
        return means, counts


def _group(units: Mapping[str, T], groups: Groups, word: str, least: int) -> dict[str, tuple[T, ...]]:
    """Return the members of each group, in the order of first members; ungrouped systems form groups of one."""
    group_of: dict[str, str] = {}
    for group, members in groups.items():
        for name in members:
            if name not in units:
                raise UsageError(f"{word}: {brief(name)} is none of {one_of(units)}.{nearest(name, units)}")
            if name in group_of:
                raise UsageError(
                    f"{word}: {brief(name)} is named twice, for {group_of[name]} and for {group}."
                )
            group_of[name] = group
        if len(members) < least:
            raise UsageError(
                f"{word}: {group} has {len(members)}; at least {least} are needed, each by its name."
            )
    members_of: dict[str, list[T]] = {}
    for name, unit in units.items():
        if name not in group_of and name in groups:
            raise UsageError(
                f"{word}: {brief(name)} is also the name of a system by itself; choose another name."
            )
        members_of.setdefault(group_of.get(name, name), []).append(unit)
    return {name: tuple(members) for name, members in members_of.items()}


def _pool(values: np.ndarray) -> np.ndarray:
    """One row of the values of several folds: what several say of a query counts once, as their mean."""
    if len(values) == 1:
        return values[0]
    # places of the values that are defined: a query of one fold is undefined in all others
    at = np.nonzero(~np.isnan(values))
    pooled = np.full(values.shape[1], math.nan)
    queries, means = pool_units(values[at], at[1].astype(np.uint64))
    pooled[queries.astype(np.int64)] = means
    return pooled


def refuse_empty_lists(
    names: Sequence[str], results: Sequence[Results], systems: TrainedSystems, are_shared: np.ndarray
) -> None:
    """Refuse folds that were evaluated on the queries of the others too, where they have no lists and so count as 0.

    Raises
    ------
    UsageError
        If queries of a fold are missing from its run, count as empty lists, and are in another fold.
    """
    for place in np.flatnonzero(are_shared).tolist():
        for row in (row for folds in systems.rows[place] if len(folds) > 1 for row in folds):
            missing = results[row].counts.get(MISSING, 0)
            if missing and results[row].policy.missing == "empty":
                raise UsageError(
                    f"{names[row]}: {missing:,} judged queries are not in this fold and count as empty lists; evaluate "
                    f"folds with missing='skip' (--missing skip), or each against its own judgements."
                )


def add_seed_intervals(
    systems: TrainedSystems,
    pairs: np.ndarray,
    interval: Callable[[tuple[int, ...]], Seeded],
    means: Means,
    differences: Differences,
    limits: tuple[float, float],
) -> tuple[Means, Differences]:
    """Return means and differences with the intervals of methods, over their seeds and the queries, without p-values.

    ``interval`` tells that of a system or of two, by their places; ``limits`` are those of a value.
    """
    low, high = limits
    means = Means(*(column.copy() for column in means))
    for system in np.flatnonzero(systems.is_seeded).tolist():
        _put_interval(means._asdict(), system, interval((system,)), (low, high))
    columns = {name: column.copy() for name, column in differences._asdict().items()}
    for place in systems.between_methods(pairs).tolist():
        first, second = pairs[:, place].tolist()
        _put_interval(columns, place, interval((first, second)), (low - high, high - low))
        # tests over queries say nothing of other seeds, so all that rests on them is undefined
        for word in UNTESTED:
            columns[word][place] = math.nan
    return means, Differences(**columns)


def interval_by_values(
    by_seed: Sequence[np.ndarray], units: np.ndarray, n: np.ndarray, how: Methods, total: int
) -> Callable[[tuple[int, ...]], Seeded]:
    """Return what tells the interval of systems from their values, over the queries where all seeds are defined.

    ``n`` says of how many queries each system is, of ``total`` in all.
    """
    more: Any = {"level": how.level, "times": how.resamples, "seed": how.seed}

    def interval(of: tuple[int, ...]) -> Seeded:
        own = [by_seed[system] for system in of]
        if are_many(n, of, total):
            # normal means need only moments, and these the same sums as on a cluster, so that both give one number
            centres = [float(np.nanmean(rows)) for rows in own]
            return SeedMoments.of(own, centres).interval(centres, **more)
        whole = np.flatnonzero(~np.isnan(np.vstack(own)).any(axis=0))
        first, *second = (rows[:, whole] for rows in own)
        return seeds_interval(first, second[0] if second else None, units[whole], **more)

    return interval


def are_many(n: np.ndarray, of: tuple[int, ...], total: int) -> bool:
    """Whether systems have so many queries that means over these are drawn as normal, as intervals of one mean are Student's."""
    return kind_for(int(min(n[system] for system in of)), is_share=False, total=total) == "t"


def _put_interval(
    columns: Mapping[str, np.ndarray], place: int, interval: Seeded, limits: tuple[float, float]
) -> None:
    columns["low"][place] = max(interval.low, limits[0])
    columns["high"][place] = min(interval.high, limits[1])
    columns["method"][place] = METHOD
    columns["is_doubtful"][place] = interval.is_doubtful
    columns["of_seeds"][place] = interval.of_seeds


def leave_out(cell: Cell, places: np.ndarray) -> Cell:
    """Return the cell of which signs are flipped, where some pairs are not tested and so in no family."""
    if not len(places):
        return cell
    d = cell.values[cell.pairs[0]] - cell.values[cell.pairs[1]]
    d[places] = math.nan
    return Cell.of_differences(d, cell.units)
