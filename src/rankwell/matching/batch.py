"""What a metric is given of a batch: Judged, its judged lists; and Context, the data that all batches share, built once before the first, with the
training history, which is the largest of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.kernels import integers
from rankwell.matching.policy import Asked, Policy
from rankwell.matching.pool import Pool, pool_of
from rankwell.matching.scale import Scale
from rankwell.records import Derived, T, cached_property, record
from rankwell.tables.ids import Digest, Ids, Known, fingerprints_of
from rankwell.tables.items_users import Items, Users
from rankwell.tables.lists import NO_ROWS, Ranked, as_slice, offsets_of, owners, owners_of, places_of, spread
from rankwell.tables.run_qrels import Qrels

if TYPE_CHECKING:
    from rankwell.matching.budgets import Sizes
    from rankwell.matching.groups import Groups
    from rankwell.tables.states import Amounts


Ties = tuple[np.ndarray, np.ndarray]
FIRST = 4096  # ids that are looked for first

# what is counted of the training data, which all queries share
COUNTS = frozenset(
    {"training pairs", "training users", "training pairs given twice", "training pairs outside the catalogue"}
)


@record(eq=False)
class Context(Derived):
    """The data shared by all batches: the grade scale and its ends, the catalogue, the history, the users.

    ``items`` and the items of ``train`` use the catalogue's rows. Without an items table the catalogue is the items of train.
    ``cuts`` are the cut-offs asked for, by the name of a metric. ``parent`` is the context that this one was derived from, if
    the catalogue belongs to one run. ``groups`` says of which group an item is, if lists are folded, ``sizes`` what items cost of a
    budget.
    """

    lifetime: ClassVar[int] = 1

    scale: Scale = field(default_factory=Scale)
    grade_max: float | None = None
    catalogue: Known | None = None
    items: Items | None = None
    train: History | None = None
    grade_min: float | None = None
    users: Users | None = None
    cuts: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    parent: Context | None = None
    groups: Groups | None = None
    sizes: Sizes | None = None

    def of_run(self, catalogue: Known) -> Context:
        """Return the context of one run whose items are the catalogue."""
        return replace(self, catalogue=catalogue, parent=self.shared)

    @property
    def shared(self) -> Context:
        """The context of all runs; it caches what does not depend on the items of one run."""
        return self if self.parent is None else self.parent

    @property
    def collection_size(self) -> int | None:
        """The number of items that could be shown, None if unknown."""
        return None if self.items is None else len(self.items)


@record(eq=False)
class History:
    """The distinct items of each training user, as rows of the catalogue, with their grades.

    ``totals`` are those of all users, if these are some of them only.
    """

    queries: Known
    offsets: np.ndarray
    item: np.ndarray
    grade: np.ndarray
    catalogue: Known
    totals: Everyone | None = field(default=None, kw_only=True)

    @cached_property
    def everyone(self) -> Everyone:
        """The totals over all users."""
        if self.totals is not None:
            return self.totals
        from rankwell.tables.states import Amounts

        counts = np.bincount(self.item, minlength=len(self.catalogue))
        user = np.repeat(fingerprints_of(self.queries.ids), np.diff(self.offsets))
        digest = Digest.of_rows(user, self.item, self.grade)
        grades = Amounts.of(self.item, np.maximum(self.grade, 0.0), len(self.catalogue))
        return Everyone(self.catalogue, counts, len(self.queries), len(self.item), digest, grades)

    @property
    def users(self) -> int:
        """U, the number of training users."""
        return self.everyone.users

    @property
    def total(self) -> int:
        """T, the number of distinct pairs of user and item."""
        return self.everyone.total

    @property
    def counts(self) -> np.ndarray:
        """The number of training users of each item of the catalogue."""
        return self.everyone.counts

    @property
    def order(self) -> np.ndarray:
        """The items of the catalogue, most popular first; ties ordered by id."""
        return self.everyone.order

    @property
    def place(self) -> np.ndarray:
        """The position of each item of the catalogue in ``order``, from 1."""
        return self.everyone.place

    def users_of(self, rows: Ranked) -> np.ndarray:
        """Return the number of training users of each row's item; 0 for items outside the catalogue."""
        assert rows.item is not None
        return np.append(self.counts, 0)[rows.item]  # -1, outside, is the last one

    def places_of(self, rows: Ranked) -> np.ndarray:
        """Return the position of each row's item by popularity, from 1; items outside the catalogue come last."""
        assert rows.item is not None
        return np.append(self.place, len(self.place) + 1)[rows.item]

    def rows(self, queries: Ids) -> Ranked:
        """Return the training rows of some users: ``item`` and ``grade``, ranks in the order of the data."""
        own = self.queries.rows_of(queries, "query")
        # of -1, a user without training rows, the last offset and the first, which np.where throws away
        starts, ends = self.offsets[own], self.offsets[own + 1]
        lengths = np.where(own >= 0, ends - starts, 0)
        query, rank = owners_of(lengths), places_of(lengths)
        at = rank + np.repeat(starts - 1, lengths)
        return Ranked(len(own), query, rank, self.grade[at], item=self.item[at])


@record(eq=False)
class Everyone:
    """Totals of the training data over all users: the numbers of users and of pairs, and the users and grades of each item.

    ``digest`` identifies the pairs and their grades, in any order; those of disjoint users add up.
    """

    catalogue: Known
    counts: np.ndarray
    users: int
    total: int
    digest: Digest
    grades: Amounts

    @property
    def amounts(self) -> np.ndarray:
        """The sum of the grades above 0 of each item of the catalogue."""
        return self.grades.total

    @cached_property
    def order(self) -> np.ndarray:
        """The items of the catalogue, most popular first; ties ordered by id."""
        from rankwell.tables.popularity import by_popularity

        return by_popularity(self.counts, self.catalogue.ids)

    @cached_property
    def place(self) -> np.ndarray:
        """The position of each item of the catalogue in ``order``, from 1."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(1, len(self.order) + 1)
        return place

    def __add__(self, other: Everyone) -> Everyone:
        """Return the totals over two disjoint sets of users."""
        return Everyone(
            self.catalogue,
            self.counts + other.counts,
            self.users + other.users,
            self.total + other.total,
            self.digest + other.digest,
            self.grades + other.grades,
        )


def history_of(
    log: Qrels, catalogue: Known | None, policy: Policy, totals: Everyone | None = None
) -> tuple[History, Counter[str]]:
    """Return the history and how many rows each rule affected; without a catalogue its items are the catalogue.

    ``totals`` are those of all users, if the log is that of some of them, or of none.

    A repeated pair counts once, with its highest grade. DataError if it is empty, or an item is not in the catalogue (``outside=error``).
    """
    if not len(log) and totals is None:
        raise DataError(f"{log.name}: train= is empty.")
    # without grades nothing is asked about: other columns of a log mean nothing here
    kind: Literal["judgements", "interactions"] = "interactions" if log.grade is None else "judgements"
    pool, affected = pool_of(log, Asked(Policy(grades=kind, duplicate_grades="max")))
    queries, offsets, items, grades = pool.queries, pool.offsets, pool.items, pool.grades
    counts = Counter({"training pairs": len(items), "training users": len(queries)})
    counts["training pairs given twice"] = affected["judgements given twice"]
    if catalogue is None:
        code, firsts = items.group()
        return History(queries, offsets, code, grades, Known(items[firsts]), totals=totals), +counts
    row = catalogue.rows_of(items, "item")
    outside = np.flatnonzero(row < 0)
    if len(outside) and policy.outside == "error":
        raise DataError(
            f"{log.name}: item {brief(items.one(int(outside[0])))} is not in the catalogue ({len(outside):,} such pairs). "
            f"Complete items=, or set outside='ignore' to leave such items out and count them."
        )
    if len(outside):
        counts["training pairs outside the catalogue"] = len(outside)
        until = offsets_of(row >= 0)  # how many rows before each place stay
        offsets, row, grades = until[offsets], row[row >= 0], grades[row >= 0]
    return History(queries, offsets, row, grades, catalogue, totals=totals), +counts


def overlapping_ids(history: History, pool: Pool) -> frozenset[str]:
    """Return "item" if a judged item has a training user, and "user" if a judged user has training items.

    Ids that are text on one side only cannot be compared here, and count as met.
    """
    sides = {
        "item": (history.catalogue, pool.items, history.counts > 0),
        "user": (history.queries, pool.queries.ids, None),
    }
    return frozenset(
        what
        for what, (trained, ids, seen) in sides.items()
        if len(ids) and (ids.is_text != trained.ids.is_text or _any_known(trained, ids, seen))
    )


def _any_known(trained: Known, ids: Ids, seen: np.ndarray | None = None) -> bool:
    """Whether any of some ids is in the training data, and seen there."""
    for some in (ids[:FIRST], ids):  # where the data fit at all, the first ids already do
        row = trained.find(some)
        row = row[row >= 0]
        if len(row if seen is None else row[seen[row]]):
            return True
    return False


class Judged(Derived):
    """The judged lists of a batch of queries: the input of a metric.

    ``pool_row`` is each query's row in the pool (-1: not judged), ``is_judged`` which queries are judged (None: all), ``in_run``
    whether the lists come from the run, ``found`` the judged items at the ranks they have in the run, ``ideal`` all judged items,
    best first, ``ties`` the first rank and the size of the group of tied scores of each hit, ``shown`` (only if a metric needs it) the whole list, ``sized`` the whole list with sizes
    before rows are folded into groups, if a budget cuts it, ``n_retrieved`` the length of each
    list, ``ranks`` where the lists begin and the rank of each row of the run, None if ranks have no gaps. ``is_expected`` asks
    for the mean over all orders of tied scores. Of a run with parts, ``parts`` is the number of parts of each list, and ``shown`` has the
    part of each row, from 1, in ``extra``; ranks are those within a part. Values shared by the metrics of the batch are cached with ``once``.
    """

    lifetime: ClassVar[int] = 0

    def __init__(
        self,
        queries: Ids,
        pool_row: np.ndarray,
        found: Ranked,
        n_retrieved: np.ndarray,
        pool: Pool,
        shown: Ranked | None = None,
        *,
        ties: Ties | None = None,
        in_run: bool = True,
        is_expected: bool = False,
        ranks: tuple[np.ndarray, np.ndarray] | None = None,
        parts: np.ndarray | None = None,
        sized: Ranked | None = None,
    ) -> None:
        self.queries, self.pool_row, self.found, self.n_retrieved = queries, pool_row, found, n_retrieved
        self.ties, self.in_run, self.is_expected = ties, in_run, is_expected
        self.pool, self.scale, self._shown, self._sized = pool, pool.scale, shown, sized
        self.ranks, self.parts, self.is_condensed = ranks, parts, False
        self._before: Judged | None = None  # the same queries before their hits were reordered
        # None, the usual case, saves every metric of a batch a choice per query
        self.is_judged = pool_row >= 0 if integers.negative(pool_row) else None

    def __len__(self) -> int:
        return len(self.pool_row)

    @property
    def is_small(self) -> bool:
        """Whether nothing is held that is as long as the run: then several batches are measured as cheaply as one."""
        return self._shown is None and self.ranks is None

    @classmethod
    def concatenate(cls, parts: Sequence[Judged]) -> Judged:
        """Return the judged lists of several batches of one run, all of them small."""
        first, *more = parts
        if not more:
            return first
        ties = [part.ties for part in parts if part.ties is not None]
        columns = list(zip(*ties, strict=True))
        whole = cls(
            Ids.concatenate([part.queries for part in parts]),
            np.concatenate([part.pool_row for part in parts]),
            Ranked.concatenate([part.found for part in parts]),
            np.concatenate([part.n_retrieved for part in parts]),
            first.pool,
            ties=None if not ties else (np.concatenate(columns[0]), np.concatenate(columns[1])),
            is_expected=first.is_expected,
        )
        whole.is_condensed = first.is_condensed
        return whole

    @property
    def tied(self) -> Ranked | None:
        """The hits with their groups of tied scores; None for lists in an order that is not the run's."""
        if self.ties is None or self.found.tie_start is not None:
            return None if self.ties is None else self.found
        hits, (start, size) = self.found, self.ties
        return Ranked(
            hits.queries,
            hits.query,
            hits.rank,
            hits.grade,
            tie_start=start,
            tie_size=size,
            pool_row=hits.pool_row,
            place=hits.place,
        )

    @property
    def listed(self) -> Ranked | None:
        """The whole lists in rank order, if a metric of the batch needs them."""
        return self._shown

    @property
    def shown(self) -> Ranked:
        """The whole lists in rank order; for metrics that declare ``needs = {"shown"}``."""
        if self._shown is None:
            raise LookupError('a metric that reads judged.shown must declare needs = {"shown"}')
        return self._shown

    @property
    def sized(self) -> Ranked:
        """The whole lists in rank order with the size of each row; a later row of a group is as if it were unjudged."""
        return self.shown if self._sized is None else self._sized

    @property
    def ideal(self) -> Ranked:
        """All judged items of these queries, highest grade first."""
        return self.once_for_any_order(Judged._ideal)

    def once_for_any_order(self, function: Callable[..., T], *objects: Hashable) -> T:
        """Return the same as ``once``, for a function that reads only the queries and their judgements."""
        return (self._before or self).once(function, *objects)

    def _ideal(self) -> Ranked:
        pooled = self.pool.ideal
        query, rank, rows = self.pool_rows()
        pool_row = None if pooled.pool_row is None else pooled.pool_row[rows]
        return Ranked(len(self), query, rank, pooled.grade[rows], pool_row=pool_row)

    def pool_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return for each judgement of these queries: its query, its position from 1, and its row in the pool."""
        offsets = self.pool.offsets
        # row -1 of a query without judgements reads the first and the last offset, which np.where throws away
        lengths = np.where(self.pool_row >= 0, offsets[self.pool_row + 1] - offsets[self.pool_row], 0)
        rank = places_of(lengths)
        return owners_of(lengths), rank, rank + np.repeat(offsets[self.pool_row] - 1, lengths)

    def take(self, rows: np.ndarray, found: Ranked, *, is_whole: bool = True) -> Judged:
        """Return the judged lists of some queries, in the order of their rows, with new hits, on request without the whole lists."""
        whole, sized = (
            each.of_queries(rows) if is_whole and each is not None else None
            for each in (self._shown, self._sized)
        )
        found = found.of_queries(rows)
        part = as_slice(rows)
        queries, pool_row, lengths = self.queries[part], self.pool_row[part], self.n_retrieved[part]
        ranks = self.ranks
        if ranks is not None:
            places, offsets = spread(ranks[0], rows)
            ranks = offsets, ranks[1][places]
        parts = None if self.parts is None else self.parts[part]
        return Judged(
            queries,
            pool_row,
            found,
            lengths,
            self.pool,
            whole,
            in_run=self.in_run,
            ranks=ranks,
            parts=parts,
            sized=sized,
        )

    def reordered(self, found: Ranked) -> Judged:
        """Return the same lists with their hits in another order."""
        lists = self.with_found(found, self.n_retrieved)
        lists.ranks = self.ranks
        return lists

    def with_found(self, found: Ranked, n_retrieved: np.ndarray) -> Judged:
        """Return the same queries with other hits and lengths."""
        lists = Judged(
            self.queries,
            self.pool_row,
            found,
            n_retrieved,
            self.pool,
            self._shown,
            in_run=self.in_run,
            is_expected=self.is_expected,
            parts=self.parts,
            sized=self._sized,
        )
        lists._before = self._before or self
        return lists

    def relevant(self, rel: float | None = None) -> Ranked:
        """Return the relevant items found, in rank order."""
        return self.once(Judged._relevant, rel)

    def _relevant(self, rel: float | None) -> Ranked:
        rows = self.scale.relevant(self.found.grade, rel)
        return self.found if np.count_nonzero(rows) == len(rows) else self.found.where(rows)

    def copies(self) -> Ranked:
        """Return the hits whose item stands above them already; only with ``duplicates=each`` are they hits."""
        return self.once(Judged._copies)

    def _copies(self) -> Ranked:
        known = self.found.pool_row
        if known is None:
            return self.found.where(NO_ROWS)
        again = np.ones(len(known), np.bool_)
        again[np.unique(known, return_index=True)[1]] = False
        return self.found.where(again)

    def n_relevant(self, rel: float | None = None) -> np.ndarray:
        """Return R per query: the number of relevant judged items, retrieved or not."""
        return self._per_query(self.pool.relevant_counts(rel), 0)

    def history(self, context: Context) -> Ranked:
        """Return each query's own training rows; for metrics that declare ``needs = {"history"}``."""
        if context.train is None:
            raise LookupError('a metric that reads judged.history must declare needs = {"history"}')
        return self.once(Judged._history, context.train)

    def _history(self, train: History) -> Ranked:
        return train.rows(self.queries)

    def in_catalogue(self, context: Context) -> Ranked:
        """Return all judged items of these queries in input order, with ``item`` as rows of the catalogue."""
        return self.once(Judged._in_catalogue, context)

    def _in_catalogue(self, context: Context) -> Ranked:
        item = self.pool.rows_in(context)
        query, rank, rows = self.pool_rows()
        return Ranked(len(self), query, rank, self.pool.grades[rows], item=item[rows], pool_row=rows)

    def n_nonrelevant(self, rel: float | None = None) -> np.ndarray:
        """Return N per query: the number of judged items that are not relevant, retrieved or not."""
        return self.of_ideal(_count_nonrelevant, self.scale, rel)

    def n_shown(self, k: int | None) -> np.ndarray:
        """Return the number of rows of each list down to rank k; of the whole list for None."""
        if k is None:
            return self.n_retrieved
        if self.ranks is None:
            return np.minimum(self.n_retrieved, k)
        # with gaps in the ranks, fewer than k rows may be at the ranks down to k
        offsets, rank = self.ranks
        return np.bincount(owners(offsets)[rank <= k], minlength=len(self))

    def last_rank(self) -> np.ndarray:
        """Return the rank of the last row of each list; 0 for an empty one."""
        if self.ranks is None:
            return self.n_retrieved
        offsets, rank = self.ranks
        last = np.zeros(len(self), np.int64)
        # rows are in the order of the input here, and lists may be empty: neither the last row nor reduceat will do
        np.maximum.at(last, owners(offsets), rank)
        return last

    def of_ideal(self, function: Callable[..., np.ndarray], *objects: Hashable) -> np.ndarray:
        """Return ``function(ideal, *objects)`` per query, computed once for all queries of the pool (see ``once``)."""
        return self._per_query(self.pool.once(_of_ideals, function, *objects), np.nan)

    def _per_query(self, pooled: np.ndarray, otherwise: float) -> np.ndarray:
        if not len(pooled):
            return np.full(len(self), otherwise)
        if self.is_judged is None:
            values = pooled[self.pool_row]
            # where NaN is possible, floats in every batch: a batch without one must not compute in integers
            return values.astype(np.float64, copy=False) if math.isnan(otherwise) else values
        return np.where(self.is_judged, pooled[self.pool_row], otherwise)


def _of_ideals(pool: Pool, function: Callable[..., np.ndarray], *objects: Hashable) -> np.ndarray:
    ideal, profile = pool.ideals
    values = function(ideal, *objects)
    return values if profile is None else values[profile]


def _count_nonrelevant(best: Ranked, scale: Scale, rel: float | None) -> np.ndarray:
    return best.where(scale.judged(best.grade) & ~scale.relevant(best.grade, rel)).count()
