"""The lists that systems gave for a few queries, and their items, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from rankwell.comparison.diff.diff import outcomes_of
from rankwell.comparison.diff.query_diff import JudgedLists, ListRow, OneList, digits_of, ranks_shown, rise_of
from rankwell.display.page.album import ADDRESS, Album
from rankwell.display.table import visible
from rankwell.display.text import plain_value
from rankwell.evaluation.query import lists_of
from rankwell.evaluation.task import Task
from rankwell.inspection.explaining import has_contributions
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property, record
from rankwell.reporting.material import Material
from rankwell.tables.ids import Ids
from rankwell.tables.redaction import Redaction, Word
from rankwell.tables.run_qrels import Run

LONGEST_NAME, LONGEST_ID, LONGEST_TEXT = 60, 200, 300  # characters
# as many as can be told apart in print
HIGHEST_LEVEL = 4  # shades of relevant grades


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
