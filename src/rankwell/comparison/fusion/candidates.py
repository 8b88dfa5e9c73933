"""Candidates: the items of each query in all runs, and the lists of each run among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching import Asked, judge, pool_of
from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy
from rankwell.matching.scale import Scale
from rankwell.records import cached_property, record
from rankwell.tables.ids import Ids, Known, own_text, to_one_kind
from rankwell.tables.lists import NO_ROWS, offsets_of, spread
from rankwell.tables.machine import on_all_cores
from rankwell.tables.rows import Lists, cuts
from rankwell.tables.run_qrels import Run

PART_ROWS = 1 << 17  # whose keys are sorted in the cache


@record(eq=False)
class RankedRun:
    """The lists of one run, in rank order: of each row the query, the candidate, the rank, and the score if scores count.

    ``queries`` are the queries that have a list, ascending, ``heads`` the rows at which their lists begin.
    """

    query: np.ndarray
    candidate: np.ndarray
    rank: np.ndarray
    place: np.ndarray  # among the rows of the list, from 1: the rank, without the gaps that ranks may have
    score: np.ndarray | None

    @cached_property
    def heads(self) -> np.ndarray:
        """The first row of each list."""
        return np.flatnonzero(np.append(True, self.query[1:] != self.query[:-1])[: len(self.query)])

    @cached_property
    def lengths(self) -> np.ndarray:
        """The length of each list."""
        return np.diff(np.append(self.heads, len(self.query)))

    @property
    def queries(self) -> np.ndarray:
        """The queries that have a list."""
        return self.query[self.heads]

    def per_row(self, values: np.ndarray) -> np.ndarray:
        """Return for each row the value of its list."""
        return np.repeat(values, self.lengths)

    def take(self, rows: np.ndarray) -> RankedRun:
        """Return some rows, in an order in which the queries ascend."""
        score = None if self.score is None else self.score[rows]
        return RankedRun(self.query[rows], self.candidate[rows], self.rank[rows], self.place[rows], score)

    def renumbered(self, queries: np.ndarray, candidate: np.ndarray) -> RankedRun:
        """Return the lists of the queries that have a new number, those without have -1, under the new numbers."""
        rows = self.take(np.flatnonzero(queries[self.query] >= 0))
        return replace(rows, query=queries[rows.query], candidate=candidate[rows.candidate])


@record(eq=False)
class FusionCandidates:
    """The candidates of each query, end to end, as rows of ``catalogue``; and the lists of each run."""

    queries: Ids
    offsets: np.ndarray
    item: np.ndarray
    catalogue: Ids
    runs: tuple[RankedRun, ...]

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of candidates of each query."""
        return np.diff(self.offsets)

    @cached_property
    def voices(self) -> np.ndarray:
        """In how many runs each candidate is."""
        counts = np.zeros(len(self), np.int64)
        for run in self.runs:
            counts[run.candidate] += 1
        return counts

    @cached_property
    def items(self) -> Ids:
        """The item of each candidate."""
        return self.catalogue[self.item]

    def of_queries(self, queries: np.ndarray) -> FusionCandidates:
        """Return the candidates of some queries, ascending."""
        rows, offsets = spread(self.offsets, queries)
        # -1 for what is left out, by which runs drop its rows
        number, candidate = np.full(len(self.queries), -1), np.full(len(self), -1)
        number[queries], candidate[rows] = np.arange(len(queries)), np.arange(len(rows))
        runs = tuple(run.renumbered(number, candidate) for run in self.runs)
        return replace(self, queries=self.queries[queries], offsets=offsets, item=self.item[rows], runs=runs)


def lists_of(runs: Sequence[Run], *, by_score: bool) -> list[Lists]:
    """Return all lists of each run, with ids of one kind.

    Raises
    ------
    DataError
        If a run holds no rows, has no scores where scores count, or has ids of another kind.
    """
    lists = on_all_cores(lambda run: _rows(run, by_score=by_score), runs)
    queries = to_one_kind([each.queries for each in lists], "query")
    items = to_one_kind([each.items for each in lists], "item")
    return [
        replace(each, queries=own, items=listed)
        for each, own, listed in zip(lists, queries, items, strict=True)
    ]


def split_lists(lists: Sequence[Lists], size: int) -> Iterator[Callable[[], list[Lists]]]:
    """Yield functions that each give the lists of the runs for some queries, of about ``size`` rows in all.

    Queries are in the order of their first appearance.
    """
    queries = _queries_of(lists)
    sizes, sorted_lists = np.zeros(len(queries), np.int64), []
    for run_lists in lists:
        number, lengths = queries.find(run_lists.queries), np.diff(run_lists.offsets)
        own = np.flatnonzero(lengths)
        sizes[number[own]] += lengths[own]
        # sorted by the common number of the query, so that a part of the queries is one stretch of each run
        own = own[np.argsort(number[own], kind="stable")]
        sorted_lists.append((own, number[own]))
    for low, high in cuts(offsets_of(sizes), size):
        wanted = [own[slice(*np.searchsorted(numbers, [low, high]))] for own, numbers in sorted_lists]
        yield partial(_take_all, lists, wanted)


def _take_all(lists: Sequence[Lists], rows: Sequence[np.ndarray]) -> list[Lists]:
    return [_take(run_lists, own) for run_lists, own in zip(lists, rows, strict=True)]


def _take(lists: Lists, kept_lists: np.ndarray) -> Lists:
    """Some of the lists."""
    rows, offsets = spread(lists.offsets, kept_lists)
    given_scores = None if lists.given is None else lists.given[rows]
    return replace(
        lists,
        queries=lists.queries[kept_lists],
        offsets=offsets,
        items=lists.items[rows],
        score=lists.score[rows],
        given=given_scores,
        place=lambda row: lists.place(int(rows[row])),
    )


def candidates_of(lists: Sequence[Lists], policy: Policy, *, by_score: bool) -> FusionCandidates:
    """Return the candidates in the lists of several runs: items in the order of the policy, down to its depth.

    Raises
    ------
    DataError
        If a list repeats an item.
    """
    queries = _queries_of(lists)
    ranked = [_rank(own, queries, policy, by_score=by_score) for own in lists]
    runs, own = map(list, zip(*ranked, strict=True))
    # items are numbered by first appearance: within each run, then those of all runs together
    before = offsets_of(np.array([len(ids) for ids in own]))
    joined = Ids.concatenate(own)
    own.clear()
    number, firsts = joined.group()
    for at, (run, start) in enumerate(zip(runs, before[:-1], strict=True)):
        runs[at] = replace(run, candidate=number[start:][run.candidate])
    # a query and an item as one number: rows of all runs meet by sorting these, of some queries at a time
    width, every, n = len(firsts), [NO_ROWS], 0
    sizes = np.sum([np.bincount(run.query, minlength=len(queries)) for run in runs], axis=0)
    for low, high in cuts(offsets_of(sizes), PART_ROWS):
        parts = [slice(*np.searchsorted(run.query, [low, high])) for run in runs]
        keys = [run.query[part] * width + run.candidate[part] for run, part in zip(runs, parts, strict=True)]
        found, place = distinct(np.concatenate(keys))
        ends = np.cumsum([len(run_keys) for run_keys in keys])
        for run, part, places in zip(runs, parts, np.split(place + n, ends[:-1]), strict=True):
            run.candidate[part] = places
        every.append(found)
        n += len(found)
    query, item = np.divmod(np.concatenate(every), width)
    # keys ascend by query, so counts alone say where each query's candidates begin
    offsets = offsets_of(np.bincount(query, minlength=len(queries)))
    return FusionCandidates(queries.ids, offsets, item, joined[firsts], tuple(runs))


def distinct(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct whole numbers, ascending, and the place of each among them: as ``np.unique`` does, which sorts all.

    >>> [each.tolist() for each in distinct(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    number, firsts = Ids.of_integers(keys).group()
    found = keys[firsts]
    order = np.argsort(found)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return found[order], place[number]


def _rows(run: Run, *, by_score: bool) -> Lists:
    """All lists of a run, which must have what they are fused by."""
    lists = run.rows.table().lists()
    if not lists.rows:
        raise DataError(f"{run.name}: the run holds no rows.")
    if not by_score:
        return lists
    if lists.by_rank and lists.given is None:
        raise DataError(
            f"{run.name}: the run has an order but no scores. Fuse by ranks, as method='rrf' does, or say norm='rank'."
        )
    scores = np.asarray(lists.given if lists.by_rank else lists.score, np.float64)
    if len(wrong := np.flatnonzero(~np.isfinite(scores))):
        row = int(wrong[0])
        raise DataError(
            f"{lists.place(row)}: the score of item {brief(lists.items.one(row))} is {scores[row]:g}, and cannot be added "
            f"to others. Leave the item out, or fuse by ranks, as method='rrf' does."
        )
    return lists


def _queries_of(lists: Sequence[Lists]) -> Known:
    """The queries that have rows, by first appearance."""
    return Known(_distinct([run_lists.queries[np.diff(run_lists.offsets) > 0] for run_lists in lists]))


def _distinct(columns: list[Ids]) -> Ids:
    """The distinct ids of several columns, by first appearance, in memory of their own."""
    # each column made distinct first, which is less to sort than all rows of all runs
    both = Ids.concatenate([own_text(column[column.group()[1]]) for column in columns])
    return both[both.group()[1]]


def _rank(lists: Lists, queries: Known, policy: Policy, *, by_score: bool) -> tuple[RankedRun, Ids]:
    """The lists of a run, ordered by the queries of all runs, with its distinct items, in memory of their own, for candidates."""
    catalogue = Known(own_text(lists.items[lists.items.group()[1]]))
    needs = frozenset({"shown", "item", "score"} if by_score else {"shown", "item"})
    asked = Asked(policy, needs=needs, reads_judgements=False)
    judged, _ = judge(lists, pool_of(None, asked)[0], asked, Context(Scale(), None, catalogue=catalogue))
    table = judged.shown
    assert table.item is not None
    query = queries.find(lists.queries)[table.query]
    run = RankedRun(query, table.item, table.rank, table.nth(), table.score)
    return run if np.all(query[1:] >= query[:-1]) else run.take(
        np.argsort(query, kind="stable")
    ), catalogue.ids
