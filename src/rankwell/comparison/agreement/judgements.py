"""Judgements of several assessors of the same pairs of query and item, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.records import record
from rankwell.statistics.bootstrap import Replicated, drawn_weights, percentiles
from rankwell.statistics.kappa import Coincidences, Level, cohen, coincidences, krippendorff, share_agreed
from rankwell.tables.csr import distinct, owners_of
from rankwell.tables.fingerprints import fingerprints_of
from rankwell.tables.ids import Ids, Known, to_one_kind
from rankwell.tables.run_qrels import Qrels

# the table of grades is made per query: with more, each had mostly empty cells, and the values are ratings rather than a
# scale
MOST_GRADES = 50


@record(eq=False)
class JudgedPairs:
    """All pairs of query and item that any assessor judged.

    ``codes`` has a row per assessor and a column per pair: the number of the grade in ``grades``, which ascend; -1 where the
    assessor did not judge it. ``query`` and ``item`` are the rows of each pair in ``queries`` and ``items``, ``units`` a fixed
    number per query, for draws.
    """

    names: tuple[str, ...]
    grades: np.ndarray
    relevant: np.ndarray
    codes: np.ndarray
    query: np.ndarray
    item: np.ndarray
    queries: Ids
    items: Ids
    units: np.ndarray
    negative: tuple[int, ...]

    @classmethod
    def of(cls, judged: Mapping[str, Qrels], policy: Policy) -> JudgedPairs:
        """Return the pairs of several judgements by name.

        Raises
        ------
        RankwellError
            If grades look like ratings and no ``rel`` is given, or are too many to be a scale.
        """
        asked = Asked(policy, rels={"binary agreement": policy.rel})
        pools = {name: pool_of(qrels, asked)[0] for name, qrels in judged.items()}
        queries = _join_ids([pool.queries.ids for pool in pools.values()], "query")
        items = _join_ids([pool.items for pool in pools.values()], "item")
        columns = [_keys_and_grades(pool, queries, items) for pool in pools.values()]
        grades = np.unique(np.concatenate([each for _, each in columns]))
        if len(grades) > MOST_GRADES:
            raise UsageError(
                f"the judgements have {len(grades):,} different grades; agreement is of a scale of at most {MOST_GRADES}. "
                f"Round them first."
            )
        # a key is the query times the number of items, and the item: sorted, they are the columns of the table
        keys = distinct(np.concatenate([each for each, _ in columns]))
        codes = np.full((len(pools), len(keys)), -1, np.int64)
        for row, (own, own_grades) in enumerate(columns):
            # both searches hit: keys and grades were made of all columns, this one among them
            codes[row, np.searchsorted(keys, own)] = np.searchsorted(grades, own_grades)
        scale = next(iter(pools.values())).scale
        sizes = [len(pool.grades) for pool in pools.values()]
        negative = tuple(size - len(own) for size, (own, _) in zip(sizes, columns, strict=True))
        # at least 1, as judgements may hold no items at all
        query, item = np.divmod(keys, max(len(items), 1))
        return cls(
            names=tuple(judged),
            grades=grades,
            relevant=scale.relevant(grades),
            codes=codes,
            query=query,
            item=item,
            queries=queries.ids,
            items=items.ids,
            units=fingerprints_of(queries.ids),
            negative=negative,
        )

    def both(self, first: int, second: int) -> np.ndarray:
        """Return the pairs that two assessors judged.

        Raises
        ------
        DataError
            If there are none.
        """
        shared = np.flatnonzero((self.codes[first] >= 0) & (self.codes[second] >= 0))
        if not len(shared):
            raise DataError(
                f"{self.names[first]} and {self.names[second]} judge no pair of query and item in common."
            )
        return shared


def _join_ids(columns: list[Ids], what: str) -> Known:
    """The distinct ids of several columns, as integers if one of them holds integers."""
    both = Ids.concatenate(to_one_kind([ids.distinct() for ids in columns], what))
    return Known(both[both.group()[1]])


def _keys_and_grades(pool: Pool, queries: Known, items: Known) -> tuple[np.ndarray, np.ndarray]:
    """A number for the query and item of each judgement, and its grade; negative grades may be no judgements."""
    query = queries.rows_of(pool.queries.ids, "query")[owners_of(np.diff(pool.offsets))]
    item = items.rows_of(pool.items, "item")
    judged = np.flatnonzero(pool.scale.judged(pool.grades))
    return query[judged] * len(items) + item[judged], np.asarray(pool.grades)[judged]


class Measures(NamedTuple):
    """How far two assessors agree, second against first.

    ``exact`` is the share of pairs with the same grade, ``binary`` of those called relevant by both or neither. ``kappa`` is
    Cohen's, of grades, ``kappa_binary`` of relevance, ``kappa_quadratic`` weighted by the squared difference of grades. The
    alphas are Krippendorff's. ``over`` is the mean of second less first, ``higher`` and ``lower`` the shares of pairs that the
    second grades higher or lower, ``prevalence_first`` and ``prevalence_second`` the shares called relevant.
    """

    exact: Replicated
    binary: Replicated
    kappa: Replicated
    kappa_binary: Replicated
    kappa_quadratic: Replicated
    alpha_nominal: Replicated
    alpha_ordinal: Replicated
    alpha_interval: Replicated
    over: Replicated
    higher: Replicated
    lower: Replicated
    prevalence_first: Replicated
    prevalence_second: Replicated


class Joint(NamedTuple):
    """Krippendorff's α of all assessors together, over the pairs that at least two of them judged."""

    names: tuple[str, ...]
    n: int
    queries: int
    alpha_nominal: Replicated
    alpha_ordinal: Replicated
    alpha_interval: Replicated


@record(eq=False)
class AssessorPair:
    """Two assessors on the ``n`` pairs of ``queries`` queries that both judged.

    ``confusion`` has a row per grade of the first and a column per grade of the second; ``only_first`` and ``only_second`` are
    the pairs that one of them judged alone, ``negative`` their grades below 0, which are no judgements.
    """

    first: str
    second: str
    n: int
    queries: int
    only_first: int
    only_second: int
    negative: tuple[int, int]
    grades: tuple[float, ...]
    relevant: tuple[bool, ...]
    confusion: tuple[tuple[int, ...], ...]
    measures: Measures


def compare_two(
    pairs: JudgedPairs, first: int, second: int, *, level: float, times: int, seed: int
) -> AssessorPair:
    """Return how far two assessors agree.

    Raises
    ------
    DataError
        If they judge no pair in common.
    """
    both = pairs.both(first, second)
    count = len(pairs.grades)
    # a cell of the table of grades as one number: the row times the grades and the column
    cells = Coincidences(
        pairs.query[both], pairs.codes[first, both] * count + pairs.codes[second, both], np.ones(len(both))
    )

    def measured(tables: np.ndarray) -> np.ndarray:
        return _measures(tables, pairs.grades, pairs.relevant)

    table, values = _estimate(cells, pairs, measured, level, times, seed)
    judged = pairs.codes >= 0
    return AssessorPair(
        first=pairs.names[first],
        second=pairs.names[second],
        n=len(both),
        queries=len(distinct(pairs.query[both])),
        only_first=int((judged[first] & ~judged[second]).sum()),
        only_second=int((judged[second] & ~judged[first]).sum()),
        negative=(pairs.negative[first], pairs.negative[second]),
        grades=tuple(pairs.grades.tolist()),
        relevant=tuple(pairs.relevant.tolist()),
        confusion=tuple(tuple(int(cell) for cell in row) for row in table),
        measures=Measures(*values),
    )


def compare_all(pairs: JudgedPairs, *, level: float, times: int, seed: int) -> Joint:
    """Return how far all assessors agree."""
    by_pair = coincidences(pairs.codes, len(pairs.grades))
    shared = np.flatnonzero((pairs.codes >= 0).sum(axis=0) >= 2)
    cells = by_pair._replace(unit=pairs.query[by_pair.unit])

    def measured(tables: np.ndarray) -> np.ndarray:
        return np.stack(_alphas(tables, pairs.grades), axis=-1)

    _, values = _estimate(cells, pairs, measured, level, times, seed)
    return Joint(pairs.names, len(shared), len(distinct(pairs.query[shared])), *values)


def _estimate(
    cells: Coincidences,
    pairs: JudgedPairs,
    measure: Callable[[np.ndarray], np.ndarray],
    level: float,
    times: int,
    seed: int,
) -> tuple[np.ndarray, list[Replicated]]:
    """The table of all queries, and what is measured of it; intervals from tables of resampled queries."""
    from scipy.sparse import csr_array

    count = len(pairs.grades)
    queries, own = np.unique(cells.unit, return_inverse=True)
    # a table per query, so that the tables of resampled queries are one product with their weights
    added = csr_array((cells.amount, (own, cells.cell)), shape=(len(queries), count * count))
    table = np.asarray(added.sum(axis=0)).reshape(count, count)
    parts = [
        measure((weights @ added).reshape(-1, count, count))
        for weights in drawn_weights(pairs.units[queries], times, seed)
    ]
    # a row per measure, so that each row is the replicates of one value
    drawn = np.concatenate(parts).T
    values = measure(table).tolist()
    bounds = (percentiles(column, level) for column in drawn)
    return table, [Replicated(value, *bound) for value, bound in zip(values, bounds, strict=True)]


def _alphas(tables: np.ndarray, grades: np.ndarray) -> list[np.ndarray]:
    levels: tuple[Level, ...] = "nominal", "ordinal", "interval"
    return [krippendorff(tables, grades, level) for level in levels]


def _measures(tables: np.ndarray, grades: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """All measures (last axis) of tables with a row per grade of the first and a column per grade of the second."""
    total = tables.sum(axis=(-1, -2))
    sides = np.stack([relevant, ~relevant]).astype(np.float64)
    # grades fall together into relevant and not, in rows and in columns
    binary = sides @ tables @ sides.T
    # the second less the first: rows are grades of the first, columns of the second
    change = grades[None, :] - grades[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        shifts = [(tables * weight).sum(axis=(-1, -2)) / total for weight in (change, change > 0, change < 0)]
        shares = [binary[..., 0, :].sum(axis=-1) / total, binary[..., :, 0].sum(axis=-1) / total]
    coefficients = [
        share_agreed(tables),
        share_agreed(binary),
        cohen(tables),
        cohen(binary),
        cohen(tables, grades),
    ]
    # Krippendorff's coincidences have no first and second: each pair counts in both orders
    coefficients += _alphas(tables + np.swapaxes(tables, -1, -2), grades)
    return np.stack([*coefficients, *shifts, *shares], axis=-1)
