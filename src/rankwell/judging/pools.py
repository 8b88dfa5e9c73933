"""Pooled: the candidates of each query in all runs, and the rows of all lists, query by query; the runs and the policy that they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from rankwell.comparison.fusion.candidates import PART_ROWS, distinct
from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation.task import BATCH_ROWS
from rankwell.matching import Asked, judge, pool_of
from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy, policy_with, refuse_groups
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.readers import open_named, open_several
from rankwell.readers.sources import is_one_run, names_as_text, refuse_one_list
from rankwell.records import cached_property, record
from rankwell.tables.ids import Ids, Known, Numbering
from rankwell.tables.lists import Ranked, offsets_of, owners
from rankwell.tables.machine import Workers, cores, in_order
from rankwell.tables.rows import Lists, cuts
from rankwell.tables.run_qrels import Run

ROW = "row"  # a column of lists: which row of them each is
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
class _RankedLists:
    """Lists of one run: of each the query and the length, of each row the item and the rank."""

    query: np.ndarray
    length: np.ndarray
    item: np.ndarray
    rank: np.ndarray

    @classmethod
    def of(cls, lists: Lists, shown: Ranked, queries: Numbering, items: Numbering) -> _RankedLists:
        """Return lists in the order of their ranks, as numbers of queries and items, which are numbered as they come."""
        filled = np.flatnonzero(np.diff(lists.offsets))  # a list without rows is none
        query = queries.number(lists.queries[filled], "query")
        item = items.number(lists.items, "item")[shown.extra[ROW]]
        rank = shown.rank
        small = rank.astype(np.int32) if rank.max(initial=0) <= np.iinfo(np.int32).max else rank
        return cls(query, np.bincount(shown.query, minlength=len(lists.queries))[filled], item, small)


def _read(
    runs: Sequence[Run], policy: Policy, scattered: frozenset[int]
) -> tuple[Numbering, Numbering, list[list[_RankedLists]]]:
    """Read runs one after the other: their queries and items by first appearance, and the lists of each; ``scattered`` ones are read as a whole."""
    queries, items = Numbering(), Numbering()
    read: list[list[_RankedLists]] = [[] for _ in runs]
    jobs = (
        partial(_rank, number, make, policy)
        for number, run in enumerate(runs)
        for make in _batches(run, is_scattered=number in scattered)
    )
    with Workers(cores()) as workers:
        for number, lists, shown in in_order(workers, cores(), jobs):
            read[number].append(_RankedLists.of(lists, shown, queries, items))
            del lists, shown  # the memory that they were read into is used again
    again = set()
    for number, (run, parts) in enumerate(zip(runs, read, strict=True)):
        own = [part.query for part in parts if len(part.query)]
        if not own:
            raise DataError(f"{run.name}: the run holds no rows.")
        if len(own) > 1 and np.bincount(np.concatenate(own)).max() > 1:
            again.add(number)
    return _read(runs, policy, scattered | again) if again else (queries, items, read)


def _batches(run: Run, *, is_scattered: bool) -> Iterator[Callable[[], Lists]]:
    """Yield functions that each give lists of a run, by the first appearance of their queries: text in blocks, tables as a whole."""
    rows = run.rows
    if rows.grouped or is_scattered:
        yield lambda: rows.table().lists()
    else:
        yield from rows.batches(BATCH_ROWS)


def _rank(number: int, make: Callable[[], Lists], policy: Policy) -> tuple[int, Lists, Ranked]:
    """Lists of the run of a number, and the same in rank order, with the row that each row was."""
    lists = make()
    asked = Asked(policy, needs=frozenset({"shown"}), reads_judgements=False)
    rows = np.arange(lists.rows, dtype=np.int32)
    judged, _ = judge(
        replace(lists, extra={**lists.extra, ROW: rows}),
        pool_of(None, asked)[0],
        asked,
        Context(Scale(), None),
    )
    assert judged.shown is not None
    return number, lists, judged.shown


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
        queries, items, read = _read(runs, policy, frozenset())
        lengths = np.zeros(len(queries), np.int64)
        for part in chain.from_iterable(read):
            lengths[part.query] += part.length
        rows = offsets_of(lengths)
        kind = np.result_type(*(part.rank for part in chain.from_iterable(read)))
        candidate, rank, run = (np.empty(rows[-1], each) for each in (np.int32, kind, np.int32))
        end = rows[:-1].copy()
        # the list of a query goes as a whole behind those of the runs before it
        for number, parts in enumerate(read):
            for part in parts:
                at = np.repeat(end[part.query] - offsets_of(part.length)[:-1], part.length)
                at += np.arange(len(at))
                candidate[at], rank[at], run[at] = part.item, part.rank, number
                end[part.query] += part.length
            parts.clear()
        # a query and an item as one number: rows of all runs meet by these, of some queries at a time
        width, every, n = len(items), [np.empty(0, np.int64)], 0
        for low, high in cuts(rows, PART_ROWS):
            own = slice(int(rows[low]), int(rows[high]))
            query = np.repeat(np.arange(low, high), lengths[low:high])
            found, place = distinct(query * width + candidate[own])
            candidate[own] = place + n
            every.append(found)
            n += len(found)
        query, item = np.divmod(np.concatenate(every), width)
        offsets = offsets_of(np.bincount(query, minlength=len(queries)))
        return cls(tuple(names), queries.ids, items.ids, offsets, item, rows, candidate, run, rank)

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


# The arguments that a pool is made of, checked: the runs by name, and the policy.


def runs_of(runs: Any, read: Mapping[str, Any]) -> dict[str, Run]:
    """Return runs by name: a mapping, a list, or a single run."""
    if isinstance(runs, Mapping) and not is_one_run(runs):
        return open_named(names_as_text(runs), read)
    refuse_one_list(runs)
    listed = runs if isinstance(runs, Sequence) and not isinstance(runs, str | bytes) else [runs]
    opened = open_several([(run, None) for run in listed], read)
    names = [run.name for run in opened]
    if len({*names}) < len(names):
        # all are numbered, and not only the second of two: which is which can then be told
        names = [f"{name} {at}" for at, name in enumerate(names, start=1)]
    return dict(zip(names, opened, strict=True))


def ordering_policy(policy: Policy | None, rules: Mapping[str, Any], others: Sequence[str]) -> Policy:
    """Return the policy; UsageError for rules under which an item has no one rank."""
    policy_given = refuse_groups(policy_with(policy, rules, others), "judging is of")
    if policy_given.ties in ("best", "worst", "expected"):
        raise UsageError(
            f"ties={brief(policy_given.ties)} orders by grades that are not known yet; use ties='item-desc'."
        )
    if policy_given.unjudged == "condense":
        raise UsageError(
            "unjudged='condense' gives items other ranks with every judgement; choose with unjudged='nonrelevant'."
        )
    if policy_given.duplicates in ("first", "each"):
        raise UsageError(
            f"duplicates='{policy_given.duplicates}' keeps copies of an item in a list; use duplicates='drop'."
        )
    return policy_given
