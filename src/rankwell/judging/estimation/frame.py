"""Frame: the items that could have been drawn for each query, how they were drawn, and what was judged of them."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.matching.pool import Pool
from rankwell.readers.samples import SampleRows
from rankwell.records import Derived, cached_property, record
from rankwell.statistics.samples import (
    Variance,
    independent_variance,
    pair_factors,
    stratified_variance,
)
from rankwell.tables.cells import MOST
from rankwell.tables.ids import Ids, Known
from rankwell.tables.lists import offsets_of, owners
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.series import Reordered, StoredPlace, store_place

Unanswered = Literal["error", "random"]
NEAR = 0.01  # how far, relatively, a propensity may be from drawn/size: files round it


@record(eq=False)
class Frame:
    """The rows of a frame, query by query: items by their number in ``catalogue``, strata in ``strata``; other columns NaN where unknown."""

    name: str
    queries: Ids
    offsets: np.ndarray
    catalogue: Ids
    item: np.ndarray
    strata: tuple[str, ...]
    stratum: np.ndarray | None
    propensity: np.ndarray | None
    drawn: np.ndarray | None
    grade: np.ndarray
    place: StoredPlace

    @classmethod
    def of(cls, rows: SampleRows) -> Frame:
        """Return the frame in the rows of a table.

        Raises
        ------
        DataError
            If there is no row, a query has an item twice, or a propensity is not above 0 and at most 1.
        """
        frame, place, name = rows
        if not len(frame):
            raise DataError(f"{name}: the frame holds no rows.")
        query = Ids.of_series(frame["query"], "query", place).owned()
        items = Ids.of_series(frame["item"], "item", place).owned()
        number, firsts = query.group()
        order = np.argsort(number, kind="stable")
        offsets = offsets_of(np.bincount(number))
        of_item, first_items = items.group()
        keys = number * len(items) + of_item
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        if (times > 1).any():
            row = int(np.flatnonzero(keys == keys[first[times > 1][0]])[1])
            raise DataError(
                f"{place(row)}: item {brief(items.one(row))} of query {brief(query.one(row))} is in the frame twice. Remove one row."
            )
        columns = {
            word: frame[word].to_numpy() for word in ("propensity", "drawn", "grade") if word in frame.columns
        }
        chance = columns.get("propensity")
        if chance is not None:
            # below the least one, 1/π is more items than any frame has, and at last infinite
            wrong = ~((chance >= 1 / MOST) & (chance <= 1)) & ~np.isnan(chance)
            if wrong.any():
                row = int(wrong.argmax())
                least = f" (at least 2^-53, {1 / MOST:.1e})" if chance[row] > 0 else ""
                raise DataError(
                    f"{place(row)}: the propensity is {chance[row]:g}; it must be above 0{least} and at most 1."
                )
        names: list[Any] = []
        codes = None
        if "stratum" in frame.columns:
            strata = Ids.of_series(frame["stratum"], "stratum", place)
            codes, first_strata = strata.group()
            names = strata[first_strata].tolist()
        grade = columns.get("grade", np.full(len(frame), np.nan))

        def sorted_by_query(column: np.ndarray | None) -> np.ndarray | None:
            return None if column is None else column[order]

        return cls(
            name, query[firsts], offsets, items[first_items], of_item[order], tuple(names), sorted_by_query(codes), sorted_by_query(chance),
            sorted_by_query(columns.get("drawn")), grade[order], Reordered(store_place(place, name), order),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.item)

    @property
    def items(self) -> Ids:
        """The item of each row."""
        return self.catalogue[self.item]

    @cached_property
    def query(self) -> np.ndarray:
        """The query of each row."""
        return owners(self.offsets)

    @cached_property
    def _known(self) -> tuple[Known, Known, np.ndarray, np.ndarray]:
        keys = self.query * len(self.catalogue) + self.item
        order = np.argsort(keys)
        return Known(self.queries), Known(self.catalogue), keys[order], order

    def find(self, queries: Ids, items: Ids) -> np.ndarray:
        """Return the row of each pair of ids, -1 for those that are not in the frame, -2 for those of a query that is not."""
        known_queries, known_items, keys, order = self._known
        query, item = known_queries.rows_of(queries, "query"), known_items.rows_of(items, "item")
        pair_keys = query * len(known_items) + item
        place = np.minimum(np.searchsorted(keys, pair_keys), len(keys) - 1)
        rows = np.where((item >= 0) & (keys[place] == pair_keys), order[place], -1)
        return np.where(query < 0, -2, rows)

    def judgements(self) -> Qrels:
        """Return the grades that stand in the frame itself; DataError if there are none."""
        rows = np.flatnonzero(~np.isnan(self.grade))
        if not len(rows):
            raise DataError(f"{self.name}: no row has a grade, so nothing is judged.")
        return Qrels(
            self.queries[self.query[rows]], self.catalogue[self.item[rows]], self.grade[rows], name=self.name
        )

    @property
    def marks_undrawn(self) -> bool:
        """Whether grades below 0 mark what was not drawn."""
        return self.drawn is None and bool((self.grade < 0).any())

    @property
    def is_whole(self) -> bool:
        """Whether the frame holds what was not drawn, too: otherwise only what was drawn is known."""
        if self.drawn is not None:
            return not self.drawn.all() or self.propensity is None or bool((self.propensity == 1).all())
        return bool((np.isnan(self.grade) | (self.grade < 0)).any()) or (
            self.propensity is not None and bool((self.propensity == 1).all())
        )


@record(eq=False)
class JudgedRows:
    """The grades of a frame's rows that are drawn and judged, NaN for others; its parts, one per query; and what was met."""

    grade: np.ndarray
    parts: tuple[QueryFrame, ...]
    is_whole: bool
    counts: Counter[str]


def match_judgements(frame: Frame, pool: Pool, unanswered: Unanswered, *, own: bool) -> JudgedRows:
    """Return what is judged of a frame, whose rows ``drawn`` says were drawn; without it those that are judged were.

    ``own`` is whether the judgements are those of the frame itself.

    Raises
    ------
    DataError
        If drawn items are not judged and ``unanswered`` is ``"error"``, or the frame does not say how they were drawn.
    """
    counts: Counter[str] = Counter()
    grade = np.full(len(frame), np.nan)
    row = frame.find(pool.queries.ids[owners(pool.offsets)], pool.items)
    is_judged = pool.scale.judged(pool.grades)
    counts["judged items of queries that are not in the frame"] = int((is_judged & (row == -2)).sum())
    counts["judged items that are not in the frame"] = int((is_judged & (row == -1)).sum())
    in_frame = is_judged & (row >= 0)
    grade[row[in_frame]] = pool.grades[in_frame]
    drawn = ~np.isnan(grade) if frame.drawn is None else frame.drawn
    counts["judged items that were not drawn"] = int((~np.isnan(grade) & ~drawn).sum())
    # a judgement of what was not drawn was chosen by somebody, and would make the sample another
    grade[~drawn] = np.nan
    missing = np.flatnonzero(drawn & np.isnan(grade))
    if len(missing) and unanswered == "error":
        at = int(missing[0])
        raise DataError(
            f"{frame.place(at)}: {len(missing):,} drawn items have no judgement, such as {brief(frame.catalogue.one(int(frame.item[at])))} of query "
            f"{brief(frame.queries.one(int(frame.query[at])))}. Judge them; or, if it depends on nothing which are missing, say "
            f"unanswered='random': the others of their stratum then stand for them."
        )
    counts["drawn items without a judgement"] = len(missing)
    if np.isnan(grade).all():
        raise DataError(
            f"{frame.name}: none of the drawn items is judged. Do the ids of the judgements fit those of the frame?"
        )
    parts = tuple(
        _query_frame(frame, slice(int(low), int(high)), drawn, ~np.isnan(grade), own=own)
        for low, high in zip(frame.offsets[:-1], frame.offsets[1:], strict=True)
    )
    return JudgedRows(grade, parts, frame.is_whole, +counts)


def _query_frame(
    frame: Frame, rows: slice, drawn: np.ndarray, judged: np.ndarray, *, own: bool
) -> QueryFrame:
    """The part of one query."""
    drawn, judged = drawn[rows], judged[rows]
    chance = None if frame.propensity is None else frame.propensity[rows]
    if chance is not None and np.isnan(chance[drawn]).any():
        at = rows.start + int((drawn & np.isnan(chance)).argmax())
        raise DataError(f"{frame.place(at)}: the item was drawn, and its propensity is missing.")
    if chance is not None and frame.drawn is not None and ((chance == 1) & ~drawn).any():
        at = rows.start + int(((chance == 1) & ~drawn).argmax())
        raise DataError(
            f"{frame.place(at)}: the propensity is 1, so every draw takes the item, but drawn is false. Correct one of the two."
        )
    if frame.stratum is None:
        assert chance is not None  # a frame has one or the other
        # of independently drawn items the share that was judged scales the probability: missing at random, others stand
        # for them
        answered = judged.sum() / max(drawn.sum(), 1)
        return QueryFrame(
            np.zeros(len(drawn), np.int64), judged, np.array([len(drawn)]), chance * (answered or 1.0)
        )
    codes, stratum = np.unique(frame.stratum[rows], return_inverse=True)
    sizes = np.bincount(stratum)
    n = np.bincount(stratum[drawn], minlength=len(sizes))
    if not frame.is_whole:
        sizes = _sizes_of_strata(frame, rows, stratum, n, own=own)
    elif chance is not None:
        expected = (n / sizes)[stratum]
        # of a stratum of which nothing was drawn only a larger sample could tell
        off = (expected > 0) & (
            np.abs(chance - expected) > NEAR * expected
        )  # NaN is not known, and never off
        if off.any():
            at = int(off.argmax())
            raise DataError(
                f"{frame.place(rows.start + at)}: the propensity is {chance[at]:g}, but {n[stratum[at]]} of the {sizes[stratum[at]]} items of "
                f"stratum {brief(frame.strata[codes[stratum[at]]])} were drawn. Strata are drawn at random, all items alike: leave the column "
                f"stratum out if items were drawn independently, each with its own propensity."
            )
    return QueryFrame(stratum, judged, sizes)


def _sizes_of_strata(
    frame: Frame, rows: slice, stratum: np.ndarray, n: np.ndarray, *, own: bool
) -> np.ndarray:
    """The numbers of items of strata of which only drawn items are known, from their propensities."""
    if frame.propensity is None:
        hint = (
            ""
            if own
            else " It should hold all items that could have been drawn, with drawn = false for those that were not."
        )
        raise DataError(
            f"{frame.name}: every row was drawn, so how many could have been is not known.{hint} Keep the rows that were not drawn (grade "
            f"-1, or empty), or give the propensities."
        )
    chance = frame.propensity[rows]
    low, high = (np.full(len(n), fill) for fill in (np.inf, 0.0))
    np.minimum.at(low, stratum, chance)
    np.maximum.at(high, stratum, chance)
    if (high > low * (1 + NEAR)).any():
        at = rows.start + int((high > low * (1 + NEAR))[stratum].argmax())
        raise DataError(
            f"{frame.place(at)}: items of one stratum have different propensities. Strata are drawn at random, all items alike: leave the "
            f"column stratum out if items were drawn independently."
        )
    # the propensity is n / N, rounded in the file
    sizes = np.round(n / low)
    if (sizes > MOST).any():
        at = rows.start + int((sizes > MOST)[stratum].argmax())
        raise DataError(
            f"{frame.place(at)}: the propensity is {frame.propensity[at]:g}, so its stratum would have {sizes.max():.0e} items; at most 2^53 "
            f"can be counted."
        )
    return np.maximum(sizes.astype(np.int64), n)


ABSENT = np.inf  # the rank of an item that the list lacks, or has below the cut-off


@record(eq=False)
class QueryFrame(Derived):
    """The items that could have been drawn for one query, end to end.

    ``stratum`` is the number of each item's stratum, ``judged`` whether it is in the sample and has a grade. ``chance`` is the
    probability of each item to be drawn if items are drawn independently, and None if they are drawn stratum by stratum, at
    random without replacement: ``sizes`` are then the numbers of items N of the strata and ``drawn`` those judged, n.
    """

    stratum: np.ndarray
    judged: np.ndarray
    sizes: np.ndarray
    chance: np.ndarray | None = None

    lifetime: ClassVar[int] = 0

    @cached_property
    def drawn(self) -> np.ndarray:
        """The number of judged items of each stratum."""
        return np.bincount(self.stratum[self.judged], minlength=len(self.sizes))

    @cached_property
    def weight(self) -> np.ndarray:
        """How many items of the frame each judged item stands for, 1/π; 0 for the others."""
        if self.chance is not None:
            return np.where(self.judged, 1.0 / self.chance, 0.0)
        per_stratum = self.sizes / np.maximum(self.drawn, 1)
        return np.where(self.judged, per_stratum[self.stratum], 0.0)

    @cached_property
    def scaled(self) -> np.ndarray:
        """The weights over their mean in the stratum: 1 for each judged item of a stratum drawn at random."""
        if self.chance is None:
            return self.judged.astype(np.float64)
        sums = np.bincount(self.stratum, self.weight, minlength=len(self.sizes))
        means = sums / np.maximum(self.drawn, 1)
        return self.weight / np.where(means > 0, means, 1.0)[self.stratum]

    @cached_property
    def pair_factors(self) -> np.ndarray:
        """π_i π_j / π_ij for two items of each stratum; those of two strata are drawn independently."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return pair_factors(self.sizes, self.drawn)

    @cached_property
    def factors_without_one(self) -> np.ndarray:
        """The factors of pairs if one judged item of the stratum were not judged."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return pair_factors(self.sizes, self.drawn - 1)

    @cached_property
    def growth(self) -> np.ndarray:
        """How much more the other judged items of a stratum stand for if one were not judged: n/(n − 1); 1 if none is left."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return np.where(self.drawn > 1, self.drawn / np.maximum(self.drawn - 1, 1), 1.0)

    def variance(self, estimate: Estimate) -> Variance:
        """Return the design variance of an estimate, by the jackknife: from its values without each judged item.

        In a stratum of N items of which n are judged, item j moves the value by (n − 1)/N (θ − θ without j) per item that it stands
        for; the variance is that of the total of these. Independently drawn items move it by π (θ − θ without j), and so does an
        item that is alone in its stratum. NaN if it is not known, as ``stratified_variance`` says.
        """
        step = estimate.value - estimate.without
        if self.chance is not None:
            chance = self.chance[self.judged]
            return independent_variance(chance * step, chance)
        stratum = self.stratum[self.judged]
        drawn, sizes = self.drawn[stratum], self.sizes[stratum]
        return stratified_variance(np.maximum(drawn - 1, 1) / sizes * step, stratum, self.sizes, self.drawn)

    @property
    def lonely(self) -> int:
        """The number of strata of which one item of several is judged."""
        return 0 if self.chance is not None else int(((self.drawn == 1) & (self.sizes > 1)).sum())

    @property
    def empty(self) -> int:
        """The number of strata of which no item is judged."""
        return int(((self.drawn == 0) & (self.sizes > 0)).sum()) if self.chance is None else 0


@record(eq=False)
class Estimate:
    """An estimated value, and what it would be without each judged item, 0 where no relevant item would be left."""

    value: float
    without: np.ndarray
