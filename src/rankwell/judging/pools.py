"""Pooled: the candidates of each query in all runs, and the rows of all lists, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankwell.comparison.fusion.candidates import candidates_of, lists_of
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.records import cached_property, record
from rankwell.tables.ids import Ids, Known
from rankwell.tables.lists import offsets_of, owners
from rankwell.tables.machine import on_all_cores
from rankwell.tables.run_qrels import Run

ABSENT = np.inf  # the rank of an item in a list that lacks it


@record(eq=False)
class Block:
    """The lists of one query, a row each, padded: the run of each list, and the candidates and ranks in it.

    Candidates are numbered within the query; a padded place has the number of the last one plus one, and rank ``ABSENT``.
    """

    run: np.ndarray
    candidate: np.ndarray
    rank: np.ndarray
    size: int

    def take(self, of_candidates: np.ndarray) -> np.ndarray:
        """Return the value of the candidate at each place, 0 at padded ones."""
        values: np.ndarray = np.append(of_candidates, 0.0)[self.candidate]
        return values

    def by_run(self, values: np.ndarray, runs: int) -> np.ndarray:
        """Return the values at all places as a table of candidates (rows) and runs (columns), 0 where a list lacks the item."""
        table = np.zeros((self.size + 1, runs))
        table[self.candidate, self.run[:, None]] = values
        return table[: self.size]


@record(eq=False)
class Pooled:
    """The candidates of each query, end to end, and the rows of all lists: by query, then run, then rank."""

    names: tuple[str, ...]
    queries: Ids
    catalogue: Ids
    offsets: np.ndarray
    item: np.ndarray
    row_offsets: np.ndarray
    candidate: np.ndarray
    run: np.ndarray
    rank: np.ndarray

    @classmethod
    def of(cls, names: Sequence[str], runs: Sequence[Run], policy: Policy) -> Pooled:
        """Return the candidates of runs, down to the depth of the policy.

        Raises
        ------
        DataError
            If a run holds no rows, repeats an item in a list, or has ids of another kind.
        """
        found = candidates_of(lists_of(runs, by_score=False), policy, by_score=False, each=on_all_cores)
        # each run's rows are in the order of queries and ranks, so its list of a query goes as a whole behind those before it
        lengths = [np.bincount(run.query, minlength=len(found.queries)) for run in found.runs]
        rows = offsets_of(np.sum(lengths, axis=0))
        (candidate, rank), run = np.empty((2, rows[-1]), np.int64), np.empty(rows[-1], np.int32)
        end = rows[:-1].copy()
        for number, (own, length) in enumerate(zip(found.runs, lengths, strict=True)):
            at = np.repeat(end - offsets_of(length)[:-1], length) + np.arange(len(own.query))
            candidate[at], rank[at], run[at] = own.candidate, own.rank, number
            end += length
        return cls(
            tuple(names), found.queries, found.catalogue, found.offsets, found.item, rows, candidate, run, rank
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def query(self) -> np.ndarray:
        """The query of each candidate."""
        return owners(self.offsets)

    @cached_property
    def best_rank(self) -> np.ndarray:
        """The best rank of each candidate in any list."""
        best = np.full(len(self), np.iinfo(np.int64).max)
        np.minimum.at(best, self.candidate, self.rank.astype(np.int64))
        return best

    @cached_property
    def voices(self) -> np.ndarray:
        """In how many lists each candidate is."""
        return np.bincount(self.candidate, minlength=len(self))

    @cached_property
    def pooling_order(self) -> np.ndarray:
        """The candidates by best rank, those in more lists first, then in the order of queries."""
        several = len(self.names) + 1
        if int(self.best_rank.max(initial=0)) * several < 2**16:
            # numbers of 16 bits are sorted by radix, in time with how many there are
            key = self.best_rank * several - self.voices
            return np.argsort(key.astype(np.uint16), kind="stable")
        return np.lexsort((-self.voices, self.best_rank))

    def only(self, is_kept: np.ndarray) -> Pooled:
        """Return the same with some of the candidates (a mask); items keep their ranks."""
        # how many candidates are kept before each: the new number of one that is kept
        until = offsets_of(is_kept)
        rows = np.flatnonzero(is_kept[self.candidate])
        return replace(
            self,
            offsets=until[self.offsets],
            item=self.item[is_kept],
            row_offsets=np.searchsorted(rows, self.row_offsets),
            candidate=until[self.candidate[rows]],
            run=self.run[rows],
            rank=self.rank[rows],
        )

    def without(self, names: Sequence[str]) -> tuple[Pooled, np.ndarray]:
        """Return the candidates of the runs but some, and the candidate that each was."""
        out = np.isin(np.array(self.names), np.array(names, dtype=str))
        rows = np.flatnonzero(~out[self.run])
        fewer = replace(
            self,
            names=tuple(name for name in self.names if name not in names),
            row_offsets=np.searchsorted(rows, self.row_offsets),
            candidate=self.candidate[rows],
            run=(np.cumsum(~out) - 1)[self.run[rows]],
            rank=self.rank[rows],
        )
        is_kept = np.zeros(len(self), np.bool_)
        is_kept[fewer.candidate] = True
        return fewer.only(is_kept), np.flatnonzero(is_kept)

    def of_query(self, query: int) -> slice:
        """Return the candidates of a query."""
        return slice(int(self.offsets[query]), int(self.offsets[query + 1]))

    def block(self, query: int) -> Block:
        """Return the lists of a query."""
        rows = slice(int(self.row_offsets[query]), int(self.row_offsets[query + 1]))
        own, first = self.of_query(query), int(self.offsets[query])
        size, run = own.stop - own.start, self.run[rows]
        # where the run changes a list begins; rows are sorted by run within a query
        heads = np.flatnonzero(np.append(True, run[1:] != run[:-1])[: len(run)])
        lengths = np.diff(np.append(heads, len(run)))
        # a mask of the places that have an item, by which rows of all lengths go into one table at once
        filled = np.arange(int(lengths.max(initial=0))) < lengths[:, None]
        candidate = np.full(filled.shape, size)
        rank = np.full(filled.shape, ABSENT)
        candidate[filled], rank[filled] = self.candidate[rows] - first, self.rank[rows]
        return Block(run[heads], candidate, rank, size)

    @cached_property
    def _known(self) -> tuple[Known, Known, np.ndarray]:
        keys = self.query * len(self.catalogue) + self.item
        return Known(self.queries), Known(self.catalogue), keys

    def find(self, queries: Ids, items: Ids) -> tuple[np.ndarray, np.ndarray]:
        """Return the query of each pair of ids and its candidate, -1 for those that no run has."""
        known_queries, known_items, keys = self._known
        query, item = known_queries.rows_of(queries, "query"), known_items.rows_of(items, "item")
        pair_keys = query * len(self.catalogue) + item
        # keys ascend; a search for what is not there may end behind the last
        place = np.minimum(np.searchsorted(keys, pair_keys), len(keys) - 1)
        return query, np.where((query >= 0) & (item >= 0) & (keys[place] == pair_keys), place, -1)

    def find_judged(self, pool: Pool) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for each judgement of a pool."""
        return self.find(pool.queries.ids[owners(pool.offsets)], pool.items)
