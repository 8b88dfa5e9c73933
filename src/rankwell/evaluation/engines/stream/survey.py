"""Survey: what must be known of all rows of the tables before a part of them can be evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from time import monotonic
from typing import Any

import numpy as np

from rankwell.errors import DataError
from rankwell.evaluation.engines.stream.tables import ids_in, numbers_in, own_piece, qrels_of
from rankwell.evaluation.inputs import Inputs
from rankwell.matching.batch import Context, Everyone, History
from rankwell.matching.pool import PoolSummary, levels_of, scale_of_levels, without_topics
from rankwell.matching.scale import Scale
from rankwell.readers.frames.pieces import Piece, Pieces
from rankwell.records import record
from rankwell.results.part import add_counts
from rankwell.statistics.draws import first, further
from rankwell.tables.ids import DENSE, Ids, Known, pack, to_same_kind
from rankwell.tables.lists import NO_ROWS, distinct
from rankwell.tables.popularity import Parts
from rankwell.tables.rows import are_items
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.series import Place, numbers_of
from rankwell.tables.states import Amounts

NUMBER = 8  # bytes of an id that is an integer, of where text is, and of another number
KEPT = 1024  # hashes
SECONDS, SHARE = 0.1, 0.05  # between two times that what was seen is kept, and what of the time that may take
HELD = 8  # so many lists of distinct items, before they become one
NO_IDS = Ids.of_integers(NO_ROWS)
Prepare = Callable[[Qrels], Qrels]


@record(eq=False)
class Survey:
    """The number of rows of a table, whether they are sorted by query, their kinds of ids, and what a column told.

    ``levels`` are the distinct grades and how many rows have each, ``items`` and ``topics`` the distinct ones, ``empty`` a piece
    without rows. Of tables on one machine ``width`` are the bytes of a row, and ``queries`` is about the number of queries.
    """

    rows: int
    empty: Piece
    first: Ids
    is_sorted: bool = False
    width: float = 0.0
    queries: int = 0
    levels: tuple[np.ndarray, np.ndarray] | None = None
    topics: Ids | None = None
    lowest_rank: float = np.inf
    items: Ids | None = None

    @property
    def is_text(self) -> bool:
        """Whether the queries are text."""
        return self.first.is_text


Surveys = Mapping[str, Survey]


def words_of_survey(inputs: Inputs, name: str, *, has_train: bool) -> tuple[str, ...]:
    """Return the columns of a table that a survey looks at; the items only if the distinct ones must be known."""
    words = {"run": ["rank"], "qrels": ["grade"]}.get(name, [])
    topics = ["topic"] * (name == "qrels" and "topics" in inputs.asked.by_need)
    return ("query", *words, *topics, *["item"] * _lists_items(inputs, name, has_train=has_train))


def _lists_items(inputs: Inputs, name: str, *, has_train: bool) -> bool:
    policy = inputs.asked.policy
    if name == "qrels":
        is_open = policy.group is not None and policy.judged is None
        return (
            is_open
            or any(metric.reads_all_judgements() for metric in inputs.metrics)
            or isinstance(inputs.slices, Parts)
        )
    if inputs.items is not None and policy.group is None:
        return False
    return name == "train" or ("item" in inputs.asked.needs and not has_train)


class Distinct:
    """About how many different ids there are: by the smallest of their hashes (Bar-Yossef and others, RANDOM 2002)."""

    def __init__(self) -> None:
        self._least = np.empty(0, np.uint64)

    def add(self, ids: Ids) -> None:
        """Add some ids."""
        heads = ids.keys[
            ids.runs()
        ]  # the rows of a query mostly stand together: one hash a run, not one a row
        hashed = further(first(0), heads)
        # most hashes of a large table are above the largest one kept, and sorting the others costs little
        if len(self._least) == KEPT:
            hashed = hashed[hashed < self._least[-1]]
        self._least = distinct(np.append(self._least, hashed))[:KEPT]

    @property
    def number(self) -> int:
        """The number, exact up to a thousand, then within some percent."""
        if len(self._least) < KEPT:
            return len(self._least)
        # of n hashes spread evenly over 2^64 values, the k-th smallest is expected at k / n of them; k − 1 makes it unbiased
        return int((KEPT - 1) * 2.0**64 / float(self._least[-1]))


@dataclass(slots=True)
class SurveyedRows:
    """What the rows that were looked at so far told: ``last`` is the query of the last one, while all are sorted."""

    rows: int = 0
    is_sorted: bool = True
    last: Any = None
    queries: Distinct = field(default_factory=Distinct)
    levels: dict[float, int] | None = None
    topics: list[Ids] = field(default_factory=list)
    lowest_rank: float = np.inf
    items: list[Ids] = field(default_factory=list)


class Surveyor:
    """Looks at a table piece by piece.

    ``words`` are the columns that are looked at; of items the distinct ones are kept. ``integer`` is a query of a table in which
    these are integers: then text is taken as integers, too. ``seen`` is what was seen before, if the look was ended early.
    """

    def __init__(
        self,
        words: Sequence[str],
        integer: Ids | None,
        *,
        prepare: Prepare | None = None,
        seen: SurveyedRows | None = None,
    ) -> None:
        self.words, self.integer, self.prepare = words, integer, prepare
        self.seen = SurveyedRows() if seen is None else seen

    def of(
        self,
        pieces: Pieces,
        tell: Callable[[str, int, int | None], object],
        keep: Callable[[SurveyedRows], object],
    ) -> Survey:
        """Return what all rows tell, and tell how many have been looked at; DataError if there are none.

        What was seen is given to ``keep`` now and then.
        """
        head, seen = pieces.head(), self.seen
        if head is None:
            raise DataError(f"{pieces.name}: the table holds no rows.")
        empty, top = (own_piece({word: column[:n] for word, column in head.items()}) for n in (0, 1))
        width = sum(_bytes_of(column) for column in head.values()) / len(head["query"])
        del head
        due = monotonic() + SECONDS
        for piece in pieces.read(self.words, seen.rows):
            self._look(piece, partial(_after, pieces, seen.rows))
            # what was seen grows with the distinct items: it is saved the more rarely the longer that takes
            if (now := monotonic()) > due:
                keep(seen)
                due = monotonic() + max(SECONDS, (monotonic() - now) / SHARE)
            tell("rows looked at", seen.rows, None)
        levels = None
        if seen.levels is not None:
            grades = sorted(seen.levels)
            levels = np.array(grades), np.array([seen.levels[grade] for grade in grades], np.int64)
        return Survey(
            seen.rows,
            empty,
            self._converted(ids_in(top)),
            seen.is_sorted,
            width,
            seen.queries.number,
            levels,
            _join_distinct(seen.topics, seen.rows),
            seen.lowest_rank,
            _join_distinct(seen.items, seen.rows),
        )

    def _converted(self, query: Ids) -> Ids:
        return query if self.integer is None else to_same_kind(query, self.integer, "query")[0]

    def _look(self, piece: Piece, place: Place) -> None:
        query, seen = self._converted(ids_in(piece)), self.seen
        seen.queries.add(query)
        if seen.is_sorted:
            self._look_at_order(query)
        if "rank" in piece:
            lowest = numbers_of(numbers_in(piece, "rank"), "rank", place).min()
            seen.lowest_rank = min(seen.lowest_rank, float(lowest))
        if "grade" in piece:
            self._look_at_grades(piece, place)
        if "topic" in piece:
            _add(seen.topics, ids_in(piece, "topic"))
        if "item" in self.words:
            _add(seen.items, ids_in(piece, "item"))
        seen.rows += len(query)

    def _look_at_order(self, query: Ids) -> None:
        heads, seen = query[query.runs()], self.seen
        begin = heads.one(0)
        # a list may go on in the next piece
        if seen.last is not None and not seen.last <= begin:
            seen.is_sorted = False
            return
        seen.is_sorted = ascends(heads)
        seen.last = heads.one(len(heads) - 1)

    def _look_at_grades(self, piece: Piece, place: Place) -> None:
        # the grades alone are looked at; any ids will do for what must have some
        qrels = qrels_of({"item": piece["query"]} | piece, "qrels", place)
        grade = (qrels if self.prepare is None else self.prepare(qrels)).grade
        if grade is None:
            return
        self.seen.levels = self.seen.levels or {}
        levels, counts = levels_of(grade)
        add_counts(self.seen.levels, dict(zip(levels.tolist(), counts.tolist(), strict=True)))


def ascends(ids: Ids) -> bool:
    """Whether each id is above the one before it: integers by value, text by its bytes."""
    if not ids.is_text:
        return bool((ids.integers[1:] > ids.integers[:-1]).all())
    texts: list[Any] = ids.tolist()
    return all(one < other for one, other in pairwise(texts))


def _after(pieces: Pieces, before: int, row: int) -> str:
    return pieces.place(before + row)


def _bytes_of(column: Ids | np.ndarray) -> int:
    text = int(column.lengths.sum()) if isinstance(column, Ids) and column.is_text else 0
    return text + NUMBER * len(column)


def _add(lists: list[Ids], ids: Ids) -> None:
    """Add the distinct ones of some ids, but for what stands for no item; several lists become one, so that few are held."""
    own = _distinct(ids)
    lists.append(own[are_items(own)])
    if len(lists) > HELD:
        lists[:] = [_distinct(Ids.concatenate(lists))]


def _join_distinct(lists: list[Ids], rows: int) -> Ids | None:
    """The distinct ids in the order that ``Ids.distinct`` gives them in, of so many rows."""
    ids = _distinct(Ids.concatenate(lists)) if lists else None
    if ids is None or ids.is_text or int(np.ptp(ids.integers)) >= DENSE * rows:
        return ids
    return ids[ids.order()]


def _distinct(ids: Ids) -> Ids:
    distinct_ids = ids[ids.group()[1]]
    return pack(distinct_ids) if distinct_ids.is_text else distinct_ids


@record(slots=True)
class Ends:
    """The highest grade, and the lowest and the highest of those that are judgements; None if there is none."""

    top: float | None = None
    lowest: float | None = None
    highest: float | None = None

    @classmethod
    def of(cls, grades: np.ndarray, scale: Scale) -> Ends:
        """Return the ends of some grades."""
        if not len(grades):
            return cls()
        judged = grades[scale.judged(grades)]
        ends = (float(judged.min()), float(judged.max())) if len(judged) else (None, None)
        return cls(float(grades.max()), *ends)

    def __add__(self, other: Ends) -> Ends:
        """Return the ends of the grades of both."""
        tops, lows, highs = (
            [end for end in pair if end is not None]
            for pair in ((self.top, other.top), (self.lowest, other.lowest), (self.highest, other.highest))
        )
        return Ends(max(tops, default=None), min(lows, default=None), max(highs, default=None))


@record(eq=False)
class Facts:
    """The scale and the ends of the grades, the items judged for anybody, and what training users share."""

    scale: Scale
    ends: Ends = Ends()
    judged: Ids = NO_IDS
    topics: Known | None = None
    grades: Amounts | None = None
    everyone: Everyone | None = None

    @classmethod
    def of(cls, inputs: Inputs, surveys: Surveys) -> Facts:
        """Return what the survey of the judgements tells; UsageError or NeededError as ``rankwell.matching.pool_of`` does."""
        survey = surveys.get("qrels")
        if survey is None:
            return cls(Scale())
        scale = scale_of_levels(survey.levels, inputs.asked, inputs.opened["qrels"])
        asker = inputs.asked.by_need.get("topics")
        if (
            asker is not None
            and (survey.topics is None or len(survey.topics) < 2)
            and "subgroup" not in survey.empty
        ):
            raise without_topics(inputs.opened["qrels"].name, asker, has_column="topic" in survey.empty)
        grades = np.ones(1) if scale.kind == "interactions" or survey.levels is None else survey.levels[0]
        judged = NO_IDS if survey.items is None else survey.items
        topics = (
            None
            if asker is None or survey.topics is None
            else Known(survey.topics[survey.topics.text_order()])
        )
        return cls(scale, Ends.of(grades, scale), judged, topics)

    def summary(self) -> PoolSummary:
        """Return what depends on the judgements of all queries."""
        lowest, highest = (np.nan if end is None else end for end in (self.ends.lowest, self.ends.highest))
        return PoolSummary(self.judged, lowest, highest, self.topics, self.grades)

    def context(self, context: Context, *, needs_lowest: bool) -> Context:
        """Return the context of all parts; the training data of each are put in later."""
        everyone = self.everyone
        train = None
        if everyone is not None:
            nobody = Known(NO_IDS), np.zeros(1, np.int64), NO_ROWS, np.empty(0)
            train = History(*nobody, everyone.catalogue, totals=everyone)
        lowest = self.ends.lowest if needs_lowest else None
        return replace(context, scale=self.scale, grade_max=self.ends.top, grade_min=lowest, train=train)
