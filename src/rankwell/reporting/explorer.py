"""The query explorer: which systems and which queries of many it keeps, and their lists and items, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from rankwell.comparison.compare.alignment import Aligned
from rankwell.comparison.diff import outcomes_of
from rankwell.comparison.query_diff import JudgedLists, ListRow, OneList, digits_of, ranks_shown, rise_of
from rankwell.display.page.album import ADDRESS, Album
from rankwell.display.table import visible
from rankwell.display.text import plain_value
from rankwell.evaluation.query import lists_of
from rankwell.evaluation.task import Task
from rankwell.inspection.explanation import has_contributions
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property, record
from rankwell.reporting.material import Material
from rankwell.results.redaction import Redaction, Word
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Run

LONGEST_NAME, LONGEST_ID, LONGEST_TEXT = 60, 200, 300  # characters
# as many as can be told apart in print
HIGHEST_LEVEL = 4  # shades of relevant grades
MOST_SYSTEMS = 8
MOST_QUERIES = 200
MOST_ROWS = 12_000  # rows of lists, of all systems and queries together
# shares of the queries kept, each up to which one reason to keep them takes its turn
ENDS = {"difference": 0.6, "extreme": 0.8, "random": 1.0}
ALL = "all"
# an odd number near 2^64 / φ: brings the numbers of queries into an order that no id could have been choose_queries for
MIXING = np.uint64(0x9E3779B97F4A7C15)


def best_systems(order: Sequence[int], baseline: int | None) -> list[int]:
    """Return the systems that are kept, in the order given: the best, and the baseline.

    Examples
    --------
    >>> best_systems([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], baseline=0)
    [0, 3, 4, 5, 6, 7, 8, 9]
    """
    first = [baseline] if baseline is not None else []
    best = [system for system in order if system != baseline]
    return sorted([*first, *best][:MOST_SYSTEMS])


def room_for(systems: int, top: int) -> int:
    """Return how many queries are kept of so many systems and ranks.

    Examples
    --------
    >>> room_for(2, 10), room_for(8, 10), room_for(8, 20)
    (200, 150, 75)
    """
    return min(MOST_QUERIES, MOST_ROWS // (systems * top))


def choose_queries(values: np.ndarray, units: np.ndarray, room: int) -> dict[str, np.ndarray]:
    """Return the places of the queries that are kept, by why they are.

    ``values`` has a row per system and a column per query, ``units`` a fixed number of each query: random ones follow from it, and
    which of equal ones is kept. If all fit, all are kept; if not, none without a value in any system.

    Examples
    --------
    >>> found = choose_queries(np.array([[0, 0, 0, 0.5, 1], [0, 0, 1, 0.5, 1]]), np.arange(5, dtype=np.uint64), 3)
    >>> {why: places.tolist() for why, places in found.items()}
    {'difference': [2], 'extreme': [4], 'random': [0]}
    """
    if values.shape[1] <= room:
        return {ALL: np.arange(values.shape[1])}
    defined = np.flatnonzero(~np.isnan(values).all(axis=0))
    if len(defined) <= room:
        return {ALL: defined}
    # a fixed order that has nothing to do with ids or values: the random queries are its first
    order = defined[np.argsort(units[defined] * MIXING, kind="stable")]
    values, is_chosen = values[:, order], np.zeros(len(order), bool)
    lists = {
        "difference": list(_differences(values, room)),
        "extreme": list(_extremes(values, room)),
        "random": [np.arange(room)],
    }
    return {
        why: np.sort(order[_taken(lists[why], round(room * end) - int(is_chosen.sum()), is_chosen)])
        for why, end in ENDS.items()
    }


def _differences(values: np.ndarray, room: int) -> Iterator[np.ndarray]:
    """For each pair of systems the queries on which one is the most above the other, and the reverse."""
    for a, b in combinations(range(len(values)), 2):
        deltas = np.nan_to_num(values[b] - values[a])
        for sign in (1, -1):
            rows = _largest(sign * deltas, room)
            yield rows[sign * deltas[rows] > 0]


def _extremes(values: np.ndarray, room: int) -> Iterator[np.ndarray]:
    """The best and the worst queries of each system."""
    for own in values:
        for sign in (1, -1):
            yield _largest(np.nan_to_num(sign * own, nan=-np.inf), room)


def _largest(values: np.ndarray, n: int) -> np.ndarray:
    """The places of the largest values, the largest first; of equal ones the first."""
    # of equal values the first ones in the mixed order, so that the choice is the same each time
    cut = np.partition(values, -n)[-n]
    above = np.flatnonzero(values > cut)
    equal = np.flatnonzero(values == cut)[: n - len(above)]
    rows = np.concatenate([above, equal])
    return rows[np.argsort(-values[rows], kind="stable")]


def _taken(lists: Sequence[Iterable[int]], size: int, is_chosen: np.ndarray) -> np.ndarray:
    """Take places in turn from lists, as long as some have any, that are not kept yet."""
    chosen: list[int] = []
    waiting = [iter(one_list) for one_list in lists]
    while waiting and len(chosen) < size:
        for one_list in list(waiting):
            place = next((place for place in one_list if not is_chosen[place]), None)
            if place is None:
                waiting.remove(one_list)
            elif len(chosen) < size:
                is_chosen[place] = True
                chosen.append(int(place))
    return np.array(chosen, np.int64)


@record(eq=False)
class SystemValues:
    """Values with a row per system, in the order given, and a column per query; ``order`` has the best first."""

    names: tuple[str, ...]
    values: np.ndarray
    queries: Ids
    units: np.ndarray
    order: tuple[int, ...]
    baseline: int | None

    @classmethod
    def of(cls, material: Material, metric: Metric) -> SystemValues:
        """Return all systems."""
        comparison = material.comparison
        folds: Mapping[str, Sequence[str]] = {} if comparison is None else comparison.folds
        partial = {member: method for method, members in folds.items() for member in members}
        aligned = Aligned.of(material.results, [metric], partial=partial)
        names = tuple(dict.fromkeys(partial.get(name, name) for name in aligned.names))
        values = np.full((len(names), len(aligned.queries)), np.nan)
        for name, own in zip(aligned.names, aligned.values(metric), strict=True):
            row = values[names.index(partial.get(name, name))]
            row[:] = np.where(np.isnan(own), row, own)
        baseline = (
            None
            if comparison is None or comparison.baseline not in names
            else names.index(comparison.baseline)
        )
        return cls(names, values, aligned.queries, aligned.units, _best_first(values, metric), baseline)

    def kept(self) -> SystemValues:
        """Return those that can be choose_queries: the best, and the baseline."""
        rows = best_systems(self.order, self.baseline)
        return replace(
            self,
            names=tuple(self.names[row] for row in rows),
            values=self.values[rows],
            order=tuple(rows.index(row) for row in self.order if row in rows),
            baseline=None if self.baseline is None else rows.index(self.baseline),
        )

    @property
    def first(self) -> list[int]:
        """The two that are shown at first: the baseline and the best other one, or the two best in the order given."""
        if self.baseline is None:
            return sorted(self.order[:2])
        return [self.baseline, *(row for row in self.order if row != self.baseline)][:2]


def _best_first(values: np.ndarray, metric: Metric) -> tuple[int, ...]:
    """The rows with the best mean first, those without a value last."""
    n = np.count_nonzero(~np.isnan(values), axis=1)
    means = np.where(n > 0, np.nansum(values, axis=1) / np.maximum(n, 1), np.nan)
    sign = {"higher": -1, "lower": 1, "neither": 0}[metric.better]
    return tuple(np.argsort(np.where(n > 0, sign * means, np.inf), kind="stable").tolist())


@record
class Names:
    """How ids and texts are shown."""

    redaction: Redaction | None = None

    def id(self, word: Word, known: str | int) -> str:
        """Return an id of a query or an item."""
        return short(str(known), LONGEST_ID) if self.redaction is None else self.redaction.of(word, known)

    def text(self, text: str | None) -> str | None:
        """Return a text in one line; none if ids are redacted."""
        if not text or self.redaction is not None:
            return None
        return short(" ".join(text.split()), LONGEST_TEXT)


def short(text: str, longest: int) -> str:
    r"""Return a text with its control characters shown; of a long one the beginning.

    >>> short("a" * 5, 4), short("\u202eabc", 9)
    ('aaa…', '\\u202eabc')
    """
    # cut before control characters are written out: these would be cut in their middle
    shown = visible(text if len(text) <= longest else text[:longest])
    return shown if len(text) <= longest else f"{shown[: longest - 1]}…"


@record(eq=False)
class Catalogue:
    """The items by their numbers, and their pictures."""

    numbers: Mapping[str, int]
    items: Sequence[Mapping[str, Any]]
    album: Album

    @classmethod
    def of(cls, material: Material, rows: Sequence[Sequence[Sequence[ListRow]]]) -> Catalogue:
        """Return the items of some lists, numbered as they come."""
        items_by_text: dict[str, str | int] = {}
        for own in rows:
            for listed in own:
                for row in listed:
                    # one run may have numbers where another has text: an item is one by its text
                    items_by_text.setdefault(str(row.item), row.item)
        ids, names = list(items_by_text.values()), Names(material.redaction)
        texts = [None] * len(ids) if material.item_texts is None else material.item_texts.of(ids)
        images = [None] * len(ids) if material.item_images is None else material.item_images.of(ids)
        album = Album(".") if material.item_images is None else Album(material.item_images.folder)
        items = [
            {
                "id": names.id("item", item),
                "text": names.text(text),
                "picture": None if image is None else album.add(image),
                **({"address": names.text(image)} if image is not None and ADDRESS.match(image) else {}),
            }
            for item, text, image in zip(ids, texts, images, strict=True)
        ]
        return cls({name: number for number, name in enumerate(items_by_text)}, items, album)

    def to_dict(self) -> dict[str, Any]:
        """Return the items and pictures as plain values."""
        return {
            "items": [
                {key: value for key, value in item.items() if value is not None} for item in self.items
            ],
            "pictures": self.album.pictures,
            "pictures_left_out": dict(self.album.left_out),
        }


@record(eq=False)
class Shelf:
    """The lists of some systems for some queries: ``lists[query][system]``, and what of them is shown."""

    metric: Metric
    task: Task
    lists: Sequence[Sequence[OneList]]

    @classmethod
    def of(cls, metric: Metric, task: Task, runs: Sequence[Run], queries: Ids) -> Shelf:
        """Return the lists in some runs, each of which is read once."""
        is_additive = has_contributions(metric, task.asked.policy.ties)
        # only the lists that the page shows are taken out of each run, which may be a file of many gigabytes
        few = [JudgedLists(task.of_groups(run), lists_of(run, queries)) for run in runs]
        ids = [queries.one(row) for row in range(len(queries))]
        return cls(
            metric,
            few[0].task if few else task,
            [[OneList(lists.one(query), metric, is_additive) for lists in few] for query in ids],
        )

    @property
    def is_additive(self) -> bool:
        """Whether ranks have a part of the value."""
        return has_contributions(self.metric, self.task.asked.policy.ties)

    @cached_property
    def rows(self) -> list[list[tuple[ListRow, ...]]]:
        """The rows that are shown, without what another list has."""
        # beside an empty list: where an item is in the others is worked out once per pair, in moves
        top, nothing = ranks_shown(self.metric), OneList(None, self.metric, self.is_additive)
        return [[one_list.rows(nothing, top=top) for one_list in own] for own in self.lists]

    def grades(self) -> list[dict[str, Any]]:
        """Return the grades that are shown, lowest first: as text, whether they are relevant, and a level from 0 for their colour."""
        grades = sorted(
            {row.grade for own in self.rows for rows in own for row in rows if row.grade is not None}
        )
        is_relevant = self.task.context.scale.relevant(np.array(grades), getattr(self.metric, "rel", None))
        n = int(np.count_nonzero(is_relevant))
        # irrelevant grades share the shade 0, relevant ones are spread over the others
        levels = [0] * (len(grades) - n) + np.linspace(1, HIGHEST_LEVEL, n).round().astype(int).tolist()
        if n == 1:
            levels[-1] = HIGHEST_LEVEL
        return [
            {"grade": grade, "text": f"{grade:g}", "level": level}
            for grade, level in zip(grades, levels, strict=True)
        ]

    def to_lists(self, items: Mapping[str, int], grades: Mapping[float, int]) -> list[list[dict[str, Any]]]:
        """Return the lists as plain values, with the numbers of their items and grades."""
        return [
            [_plain(own, rows, items, grades) for own, rows in zip(*both, strict=True)]
            for both in zip(self.lists, self.rows, strict=True)
        ]

    def moves(self, a: int, b: int) -> list[list[list[int | None]]]:
        """Return for each query how many ranks each item of both lists rises from A to B, null if the other lacks it."""
        return [
            [
                self._moves(own[a], rows[a], own[b], was_first=True),
                self._moves(own[b], rows[b], own[a], was_first=False),
            ]
            for own, rows in zip(self.lists, self.rows, strict=True)
        ]

    def _moves(
        self, own: OneList, rows: Sequence[ListRow], other: OneList, *, was_first: bool
    ) -> list[int | None]:
        ranks = own.ranks_in(other, ranks_shown(self.metric))
        return [
            rise_of(row._replace(other=rank), was_first=was_first)
            for row, rank in zip(rows, ranks, strict=True)
        ]


def _plain(
    own: OneList, rows: Sequence[ListRow], items: Mapping[str, int], grades: Mapping[float, int]
) -> dict[str, Any]:
    """A list as plain values: of each row the rank, the numbers of its item and of its grade, the score, and what it adds."""
    scores = [row.score for row in rows if row.score is not None]
    return {
        "rows": [
            [
                row.rank,
                items[str(row.item)],
                None if row.grade is None else grades[row.grade],
                plain_value(row.score),
                plain_value(row.added),
            ]
            for row in rows
        ],
        "digits": digits_of(scores) if scores else 0,
        "found": list(own.found),
        "retrieved": own.retrieved,
    }


def pairs_of(values: np.ndarray, sign: int) -> list[dict[str, Any]]:
    """Return for each pair of systems A before B: the differences B less A, and which are better (1), ties (0) or worse (-1)."""
    pairs = []
    for a, b in combinations(range(len(values)), 2):
        deltas = values[b] - values[a]
        outcomes = outcomes_of(deltas, sign)
        pairs.append(
            {
                "a": a,
                "b": b,
                "deltas": [plain_value(delta) for delta in deltas.tolist()],
                "outcomes": [None if outcome == -2 else outcome for outcome in outcomes.tolist()],
            }
        )
    return pairs
