"""Features of items in metrics: which columns hold them, which rows have none, and sums over pairs of items, within lists or against the history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np

from rankwell.matching.batch import Context, Judged
from rankwell.metrics.metric import ListMetric, definition
from rankwell.tables.features import Features
from rankwell.tables.lists import Ranked, owners_of, places_among, ratio

Measure = Literal["cosine", "jaccard", "euclidean"]
CELLS = 1 << 17  # cells of the dense tables built at a time: they should fit into the processor's cache
NARROW = 64  # the number of features up to which each has a column in every list's table


@definition
class Featured(ListMetric):
    """A list metric that reads features of items."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "features"})

    features: str = "topics"

    def check_tables(self, context: Context) -> None:
        """The features must be columns of the items table."""
        assert context.items is not None
        context.items.check_features(self.features)

    def vectors(self, judged: Judged, context: Context) -> Features:
        """The features of the items of these lists, and of the users' histories if they are needed."""
        return judged.once(_vectors, context, self.features, "history" in self.needs)

    def rows(self, judged: Judged, context: Context) -> tuple[Ranked, np.ndarray]:
        """The first k rows of each list, and which of them have features."""
        return judged.once(_rows, self.k, context, self.features, "history" in self.needs)

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """The number of rows whose item has no features."""
        _, has = self.rows(judged, context)
        return {f"rows without {self.features}": len(has) - int(np.count_nonzero(has))}


def _rows(
    judged: Judged, k: int | None, context: Context, wanted: str, with_history: bool
) -> tuple[Ranked, np.ndarray]:
    rows = judged.shown.top(k)
    assert rows.item is not None
    return rows, judged.once(_vectors, context, wanted, with_history).has(rows.item)


def _vectors(judged: Judged, context: Context, wanted: str, with_history: bool) -> Features:
    assert context.items is not None
    tables = [judged.shown, *([judged.history(context)] if with_history else [])]
    return context.items.features(wanted, *(rows.item for rows in tables if rows.item is not None))


class _Tables:
    """Feature vectors of the items of some lists: sparse entries, and a dense table per list with a row per item.

    If there are many features, a list's table has columns only for those of its own items.
    """

    def __init__(self, items: np.ndarray, lists: np.ndarray, count: int, features: Features) -> None:
        self.items, self.lists, self._width = items, lists, len(features.names)
        self.starts = np.searchsorted(lists, np.arange(count + 1))
        self.place, code, self.value = features.entries(items)
        own = lists[self.place]
        if self._width <= NARROW:
            widths = np.full(len(self.starts) - 1, self._width)
            self._known, self.column = np.empty(0, np.int64), code
        else:
            # of many features a list has few: its table has a column for each of these alone
            self._known, nth = np.unique(own * self._width + code, return_inverse=True)
            begins = np.searchsorted(self._known, np.arange(len(self.starts)) * self._width)
            widths, self._begins = np.diff(begins), begins
            self.column = nth - begins[own]
        ends = np.cumsum(widths[lists])
        self._base = ends - widths[lists]
        self._cells = np.zeros(int(ends[-1]) if len(ends) else 0)
        self._cells[self._base[self.place] + self.column] = self.value

    def columns(self, lists: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which features of other items are in their lists' tables, and in which columns."""
        if self._width <= NARROW:
            return np.arange(len(codes)), codes
        key = lists * self._width + codes
        at = places_among(self._known, key)
        there = np.flatnonzero(at >= 0)
        return there, at[there] - self._begins[lists[there]]

    def at(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the table values of some items in some columns of their lists."""
        return self._cells[self._base[rows] + columns]


def within(
    rows: Ranked, features: Features, measure: Measure
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield all pairs of items of the same list, in blocks: upper rows, lower rows, and the measure of each pair.

    ``cosine`` and ``jaccard`` are similarities, 0 for items without features; ``euclidean`` is a distance. The pairs of
    a list are ordered by their distance in the list, then by rank, whatever other lists there are. Within a block no row
    appears twice among the upper rows, or twice among the lower rows.
    """
    assert rows.item is not None
    features = _unit_vectors(features, measure)
    for low, high in _blocks(rows, features):
        first, last = np.searchsorted(rows.query, [low, high])
        tables = _Tables(rows.item[first:last], rows.query[first:last] - low, high - low, features)
        # the number of rows after each row in its list
        below = tables.starts[1:][tables.lists] - 1 - np.arange(last - first)
        # all pairs that are so many rows apart, of all lists at once: as many rounds as the longest list has rows
        for step in range(1, int(below.max(initial=0)) + 1):
            upper = np.flatnonzero(below >= step)
            if measure == "euclidean":
                values = _distances(tables, below, step)[upper]
            else:
                kept = np.flatnonzero(below[tables.place] >= step)
                place, column = tables.place[kept], tables.column[kept]
                both = np.bincount(
                    place,
                    weights=tables.value[kept] * tables.at(place + step, column),
                    minlength=len(below),
                )[upper]
                pair = tables.items[upper], tables.items[upper + step]
                values = both if measure == "cosine" else _jaccard(both, *pair, features)
            yield first + upper, first + upper + step, values


def sums_within(
    rows: Ranked, features: Features, measure: Measure, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return the sum of a measure over all pairs of each list, each weighted by both its rows."""
    total = np.zeros(rows.queries)
    for upper, lower, values in within(rows, features, measure):
        weighted = values if weights is None else values * weights[upper] * weights[lower]
        low, high = rows.query[upper[0]], rows.query[upper[-1]] + 1
        total[low:high] += np.bincount(rows.query[upper] - low, weights=weighted, minlength=high - low)
    return total


def jaccard_against(rows: Ranked, others: Ranked, features: Features) -> np.ndarray:
    """Return the sum of each row's Jaccard similarities to the rows of ``others`` of its query."""
    assert rows.item is not None
    assert others.item is not None
    features = features.sets
    total = np.zeros(len(rows))
    for low, high in _blocks(rows, features, others):
        first, last = np.searchsorted(rows.query, [low, high])
        begin, end = np.searchsorted(others.query, [low, high])
        tables = _Tables(rows.item[first:last], rows.query[first:last] - low, high - low, features)
        lists, items = others.query[begin:end] - low, others.item[begin:end]
        place, code, _ = features.entries(items)
        there, column = tables.columns(lists[place], code)
        place = place[there]
        lengths = np.diff(tables.starts)
        for nth in range(int(lengths.max(initial=0))):
            deep = lengths[lists] > nth
            kept, other = np.flatnonzero(deep[place]), np.flatnonzero(deep)
            row = tables.starts[lists] + nth
            both = np.bincount(
                place[kept], weights=tables.at(row[place[kept]], column[kept]), minlength=len(items)
            )
            values = _jaccard(both[other], tables.items[row[other]], items[other], features)
            sums = np.bincount(lists[other], weights=values, minlength=high - low)
            reached = np.flatnonzero(lengths > nth)
            total[first + tables.starts[reached] + nth] = sums[reached]
    return total


def closest(rows: Ranked, others: Ranked, features: Features) -> np.ndarray:
    """Return each row's highest cosine to the items of its query in ``others``, which has at least one."""
    assert rows.item is not None
    assert others.item is not None
    counts = others.count()
    first, count = (np.cumsum(counts) - counts)[rows.query], counts[rows.query]
    best, step = np.empty(len(rows)), np.cumsum(len(features.names) + count) // CELLS
    # in parts whose dense vectors and pairs fit into CELLS, however long a history is
    for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(step)) + 1):
        begin = np.cumsum(count[part]) - count[part]
        other = np.arange(int(count[part].sum())) + np.repeat(first[part] - begin, count[part])
        own = owners_of(count[part])
        cosines = _cosines(features, rows.item[part], own, others.item[other])
        best[part] = np.maximum.reduceat(cosines, begin) if len(part) else 0.0
    return best


def squares_within(rows: Ranked, features: Features) -> np.ndarray:
    """Return the sum of squared Euclidean distances over all pairs of each list in linear time: n Σ ‖x − mean‖²."""
    assert rows.item is not None
    n = rows.count()
    total = np.zeros(rows.queries)
    for low, high, sums in features.sums(rows):
        first, last = np.searchsorted(rows.query, [low, high])
        place, code, value = features.entries(rows.item[first:last])
        query = rows.query[first:last][place] - low
        means = sums / np.maximum(n[low:high], 1)[:, None]
        present = np.bincount(query * means.shape[1] + code, minlength=means.size).reshape(means.shape)
        # items that lack a feature are at 0, so far from its mean as that is
        absent = (n[low:high, None] - present) * np.square(means)
        apart = np.bincount(query, weights=np.square(value - means[query, code]), minlength=high - low)
        total[low:high] = n[low:high] * (apart + absent.sum(axis=1))
    return total


def _unit_vectors(features: Features, measure: Measure) -> Features:
    return {"cosine": features.units, "jaccard": features.sets}.get(measure, features)


def _jaccard(both: np.ndarray, one: np.ndarray, other: np.ndarray, features: Features) -> np.ndarray:
    """Shared features over all features of two items; 0 if neither has any."""
    return np.nan_to_num(ratio(both, features.lengths_of(one) + features.lengths_of(other) - both))


def _cosines(features: Features, items: np.ndarray, own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The cosine of ``items[own]`` and ``others``, pair by pair; 0 if either has no features."""
    width = len(features.names)
    dense = np.zeros(len(items) * width)
    place, code, value = features.entries(items)
    dense[place * width + code] = value
    pair, code, value = features.entries(others)
    products = np.bincount(pair, weights=value * dense[own[pair] * width + code], minlength=len(others))
    # a single root of the product: with whole numbers the result is exact if the cosine is
    lengths = np.sqrt(features.squares_of(items)[own] * features.squares_of(others))
    return np.divide(products, lengths, out=np.zeros(len(others)), where=lengths > 0)


def _distances(tables: _Tables, below: np.ndarray, step: int) -> np.ndarray:
    """The Euclidean distance of each item to the one ``step`` rows below it, if there is one.

    Sums squared differences, first over the features of the upper item, then over those that only the lower one has.
    """
    place, column, value = tables.place, tables.column, tables.value
    down = np.flatnonzero(below[place] >= step)
    apart = value[down] - tables.at(place[down] + step, column[down])
    upper = np.bincount(place[down], weights=np.square(apart), minlength=len(below))
    up = np.flatnonzero(place - tables.starts[tables.lists[place]] >= step)
    up = up[
        tables.at(place[up] - step, column[up]) == 0
    ]  # features of the lower item alone: others were counted above
    lower = np.bincount(place[up] - step, weights=np.square(value[up]), minlength=len(below))
    return np.sqrt(upper + lower)


def _blocks(rows: Ranked, features: Features, others: Ranked | None = None) -> Iterator[tuple[int, int]]:
    """Yield start and end of blocks of lists: at least one list, and as many as fit into a table of limited size."""
    assert rows.item is not None
    if not rows.queries:
        return
    width = len(features.names)
    lengths = rows.sum(features.lengths_of(rows.item))
    cost = rows.count() * (width if width <= NARROW else np.minimum(lengths, width))
    if others is not None:
        cost = cost + others.count()
    block = np.cumsum(cost) // CELLS
    starts = np.flatnonzero(np.diff(block, prepend=-1))
    yield from zip(starts.tolist(), [*starts[1:].tolist(), rows.queries], strict=True)
