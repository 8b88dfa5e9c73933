"""Pairs: what several assessors say of the same pairs of query and item."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.records import record
from rankwell.tables.csr import distinct, owners_of
from rankwell.tables.fingerprints import fingerprints_of
from rankwell.tables.ids import Ids, Known, of_one_kind
from rankwell.tables.run_qrels import Qrels

MOST_GRADES = 50


@record(eq=False)
class Pairs:
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
    def of(cls, judged: Mapping[str, Qrels], policy: Policy) -> Pairs:
        """Return the pairs of several judgements by name.

        Raises
        ------
        RankwellError
            If grades look like ratings and no ``rel`` is given, or are too many to be a scale.
        """
        asked = Asked(policy, rels={"binary agreement": policy.rel})
        pools = {name: pool_of(qrels, asked)[0] for name, qrels in judged.items()}
        queries = _known([pool.queries.ids for pool in pools.values()], "query")
        items = _known([pool.items for pool in pools.values()], "item")
        columns = [_keys_and_grades(pool, queries, items) for pool in pools.values()]
        grades = np.unique(np.concatenate([each for _, each in columns]))
        if len(grades) > MOST_GRADES:
            raise UsageError(
                f"the judgements have {len(grades):,} different grades; agreement is of a scale of at most {MOST_GRADES}. "
                f"Round them first."
            )
        keys = distinct(np.concatenate([each for each, _ in columns]))
        codes = np.full((len(pools), len(keys)), -1, np.int64)
        for row, (own, given) in enumerate(columns):
            codes[row, np.searchsorted(keys, own)] = np.searchsorted(grades, given)
        scale = next(iter(pools.values())).scale
        sizes = [len(pool.grades) for pool in pools.values()]
        negative = tuple(size - len(own) for size, (own, _) in zip(sizes, columns, strict=True))
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
        found = np.flatnonzero((self.codes[first] >= 0) & (self.codes[second] >= 0))
        if not len(found):
            raise DataError(
                f"{self.names[first]} and {self.names[second]} judge no pair of query and item in common."
            )
        return found


def _known(columns: list[Ids], what: str) -> Known:
    """The distinct ids of several columns, as integers if one of them holds integers."""
    both = Ids.concatenate(of_one_kind([ids.distinct() for ids in columns], what))
    return Known(both[both.group()[1]])


def _keys_and_grades(pool: Pool, queries: Known, items: Known) -> tuple[np.ndarray, np.ndarray]:
    """A number for the query and item of each judgement, and its grade; negative grades may be no judgements."""
    query = queries.rows_of(pool.queries.ids, "query")[owners_of(np.diff(pool.offsets))]
    item = items.rows_of(pool.items, "item")
    kept = np.flatnonzero(pool.scale.judged(pool.grades))
    return query[kept] * len(items) + item[kept], np.asarray(pool.grades)[kept]
