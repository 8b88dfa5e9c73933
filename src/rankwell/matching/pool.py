"""Pool: the judgements, prepared once for all runs: rows grouped by query, one grade per item, and the scale of the grades."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from rankwell.errors import DataError, DataWarning, NeededError, UsageError, brief
from rankwell.kernels import integers, match
from rankwell.matching.policy import Asked, Asker, Policy
from rankwell.matching.scale import Scale
from rankwell.records import Derived, record
from rankwell.tables.ids import NO_TEXT, Digest, Ids, Known
from rankwell.tables.lists import (
    NO_ROWS,
    Ranked,
    Topics,
    highest_first,
    lengths_of,
    offsets_of,
    owners_of,
    places_of,
)
from rankwell.tables.rows import cuts, group_rows
from rankwell.tables.run_qrels import PAD, SWAPPED, Qrels

if TYPE_CHECKING:
    from rankwell.matching.batch import Context
    from rankwell.matching.groups import Groups
    from rankwell.tables.columns import UnreadColumn
    from rankwell.tables.spans import Spans
    from rankwell.tables.states import Amounts

ENOUGH, TENTH = 10, 0.1  # fewer judged ids, or a smaller share of them, are no evidence about all
PART_ROWS = 1_000_000  # judgements that one thread looks through at a time
FEW = 1_000  # integer grades from -FEW to FEW are counted, others sorted
STEPS = 4  # grades are whole or halves or quarters; scores of a run are any number


@record(eq=False)
class PoolSummary:
    """What depends on the judgements of all queries: the items judged for any of them, the lowest and the highest grade.

    A pool that is a part of the judgements is given it, with the topics in their order and the sums of grades by item of the
    catalogue if a metric asks for them; a whole pool computes it.
    """

    items: Ids
    lowest: float
    highest: float
    topics: Known | None = None
    grades: Amounts | None = None

    def only(self, items: Known) -> PoolSummary:
        """Return the same for some of the items."""
        return replace(self, items=self.items[np.flatnonzero(items.rows_of(self.items, "item") >= 0)])


class Pool(Derived):
    """The judgements, prepared once for all runs: each query's judged items, grades, and on request topics and propensities.

    ``is_wider`` says whether judgements carry topics or propensities. Values that depend on the judgements alone are cached with
    ``once``, for all runs, batches and cut-offs. ``names_ideal`` says
    whether rows of the ideal list keep their row of the pool even without topics, to find the names of the items. A part of the
    judgements is given the ``summary`` of all of them.
    """

    lifetime: ClassVar[int] = 2

    def __init__(
        self,
        queries: Ids,
        offsets: np.ndarray,
        items: Ids,
        grades: np.ndarray,
        scale: Scale,
        topics: Topics | None = None,
        propensity: np.ndarray | None = None,
        *,
        names_ideal: bool = False,
        summary: PoolSummary | None = None,
    ) -> None:
        self.queries, self.offsets, self.items = Known(queries), offsets, items
        self.names_ideal = names_ideal
        self._summary = summary
        self.grades, self.scale, self.topics, self.propensity = grades, scale, topics, propensity
        self.is_wider = topics is not None or propensity is not None

    @property
    def ideal(self) -> Ranked:
        """All judged items of all queries, highest grade first."""
        return self.once(Pool._ideal)

    def _ideal(self) -> Ranked:
        lengths = lengths_of(self.offsets)
        grades, rows = self.grades, np.arange(len(self.grades))
        if self.scale.kind != "interactions":  # which are all 1, and stay as they are
            # equal grades stay in the order of the input, so no number depends on how the sort works
            rows = highest_first(grades, self.offsets)
            grades = grades[rows]
        query = owners_of(lengths)
        is_named = self.names_ideal or self.topics is not None
        return Ranked(len(lengths), query, places_of(lengths), grades, pool_row=rows if is_named else None)

    @property
    def ideals(self) -> tuple[Ranked, np.ndarray | None]:
        """The distinct ideal lists, and the index of each query's list (None: each has its own)."""
        return self.once(Pool._ideals)

    def _ideals(self) -> tuple[Ranked, np.ndarray | None]:
        lengths = lengths_of(self.offsets)
        is_graded = self.scale.kind != "interactions"
        if not len(self.grades) or (is_graded and not integers.are_equal(self.grades)):
            return self.ideal, None
        # if all grades are equal, queries with equally many judged items share an ideal list
        sizes = np.flatnonzero(np.bincount(lengths))
        profile = np.zeros(int(sizes[-1]) + 1, np.int64)
        profile[sizes] = np.arange(len(sizes))
        grades = np.full(sizes.sum(), self.grades[0])
        return Ranked(len(sizes), owners_of(sizes), places_of(sizes), grades), profile[lengths]

    @property
    def summary(self) -> PoolSummary:
        """What depends on the judgements of all queries."""
        return self._summary or self.once(Pool._summarise)

    def _summarise(self) -> PoolSummary:
        judged = self.grades[self.scale.judged(self.grades)]
        ends = (float(judged.min()), float(judged.max())) if len(judged) else (np.nan, np.nan)
        return PoolSummary(self.items, *ends)

    def amounts(self, context: Context) -> np.ndarray:
        """Return the sum of the grades above 0 of each item of the catalogue, over all judgements."""
        grades = self.summary.grades
        return (context.once(amounts_of, self) if grades is None else grades).total

    @property
    def digest(self) -> Digest:
        """What identifies the judgements, in any order; the digests of the parts of a pool add up."""
        return self.once(Pool._digest)

    def _digest(self) -> Digest:
        return Digest.of_judgements(self.queries.ids, self.offsets, self.items, self.grades)

    def relevant_counts(self, rel: float | None) -> np.ndarray:
        """Return R, the number of relevant judged items, of each query of the pool."""
        return self.once(Pool._relevant_counts, rel)

    def _relevant_counts(self, rel: float | None) -> np.ndarray:
        if self.scale.kind == "interactions" and self.scale.threshold(rel) is None:
            return lengths_of(self.offsets)
        # differences of running counts, as reduceat gives a query without judgements the row at its place
        until = offsets_of(self.scale.relevant(self.grades, rel))
        return until[self.offsets[1:]] - until[self.offsets[:-1]]

    def rows_in(self, context: Context) -> np.ndarray:
        """Return the row of each judged item in the catalogue, -1 outside."""
        return context.once(_rows_of_pool, self)

    def spans_in(self, context: Context) -> Spans:
        """Return the judged spans, with documents numbered as those of the catalogue; DataError for an item that is no span."""
        return context.once(_spans_of_pool, self)

    def without_items(self, like: Ids) -> Pool:
        """Return the same queries without their judgements, for lists of items like these: what is judged are no items of lists."""
        return self.once(Pool._without_items, like.is_text)

    def _without_items(self, is_text: bool) -> Pool:
        none = Ids.of_strings([]) if is_text else Ids.of_integers(NO_ROWS)
        return Pool(self.queries.ids, np.zeros_like(self.offsets), none, np.empty(0), self.scale)

    def only(self, items: Known) -> Pool:
        """Return the same queries with the judgements of some items only."""
        is_kept = items.rows_of(self.items, "item") >= 0
        until = offsets_of(is_kept)
        rows = np.flatnonzero(is_kept)
        topics = None if self.topics is None else self.topics.take(rows)
        propensity = None if self.propensity is None else self.propensity[rows]
        offsets = until[self.offsets]
        summary = None if self._summary is None else self._summary.only(items)
        return Pool(
            self.queries.ids,
            offsets,
            self.items[rows],
            self.grades[rows],
            self.scale,
            topics,
            propensity,
            summary=summary,
        )

    def in_groups(self, groups: Groups) -> tuple[Pool, int]:
        """Return the judgements of items as those of their groups, with the highest grade of each one's items; and how many have no group.

        Raises
        ------
        DataError
            If they have topics or propensities.
        """
        if not len(self.items):  # of a part, which keeps its topics
            return self, 0
        if self.is_wider:
            raise DataError(
                f"group={brief(groups.rule)}: judgements of items with topics or propensities cannot be folded; give the judgements of the "
                f"groups, and judged='groups'."
            )
        return self.once(Pool._in_groups, groups)

    def _in_groups(self, groups: Groups) -> tuple[Pool, int]:
        items, outside = groups.groups_of(self.items)
        again, firsts = match.repeats(self.offsets, *items.columns)
        grades = np.array(self.grades, np.float64)
        np.maximum.at(grades, firsts, grades[again])
        is_first = np.ones(len(grades), bool)
        is_first[again] = False
        offsets = offsets_of(is_first)[self.offsets]
        is_graded = self.scale.kind != "interactions"
        grades = grades[is_first] if is_graded else np.broadcast_to(1.0, int(is_first.sum()))
        return Pool(self.queries.ids, offsets, items[is_first], grades, self.scale), outside

    def in_integers(self) -> Pool:
        """Return the same pool, with text ids that are plain numbers converted to integers."""
        return self.once(Pool._in_integers)

    def _in_integers(self) -> Pool:
        queries, items = (
            ids.as_integers() or ids if ids.is_text else ids for ids in (self.queries.ids, self.items)
        )
        rest = (self.grades, self.scale, self.topics, self.propensity)
        return Pool(queries, self.offsets, items, *rest, names_ideal=self.names_ideal, summary=self._summary)


def amounts_of(context: Context, pool: Pool) -> Amounts:
    """Return the sums of the grades above 0 of each item of the catalogue, over the judgements of this pool."""
    from rankwell.tables.states import Amounts

    assert context.catalogue is not None
    rows = pool.rows_in(context)
    return Amounts.of(rows, np.maximum(pool.grades, 0.0), len(context.catalogue))


def _rows_of_pool(context: Context, pool: Pool) -> np.ndarray:
    assert context.catalogue is not None
    return context.catalogue.rows_of(pool.items, "item")


def _spans_of_pool(context: Context, pool: Pool) -> Spans:
    from rankwell.tables.spans import Spans

    assert context.items is not None

    def where(row: int) -> str:
        query = int(np.searchsorted(pool.offsets, row, side="right")) - 1
        return f"the judgements: query {brief(pool.queries.ids.one(query))}"

    return Spans.of_ids(pool.items, where).like(context.items.spans())


def pool_of(
    qrels: Qrels | None, asked: Asked, scale: Scale | None = None, summary: PoolSummary | None = None
) -> tuple[Pool, Counter[str]]:
    """Prepare judgements: group rows by query, keep one grade per item, and determine the scale of the grades.

    Topics are kept if a metric needs them. A part of the judgements is given the ``scale`` and the ``summary`` of all of
    them, which have been seen to have topics if a metric needs those.

    Raises
    ------
    DataError
        If an item is judged twice (``duplicate_grades=error``).
    NeededError
        If a metric needs topics and the judgements have none.
    UsageError
        If the grades look like ratings and no ``rel`` sets the lowest relevant one.
    """
    if qrels is None:
        empty = Ids.of_spans(NO_TEXT, NO_ROWS, np.empty(0, np.int32))
        return Pool(empty, np.zeros(1, np.int64), empty, np.empty(0), scale or Scale()), Counter()
    counts: dict[str, int] = {}
    # a view of a single 1: interactions, of which there are most, take no memory for their grades
    grades = np.broadcast_to(1.0, len(qrels)) if qrels.grade is None else qrels.grade
    policy = asked.policy
    asker = asked.by_need.get("topics")
    if scale is None:
        scale = scale_of(qrels, asked)
        if asker is not None:
            require_topics(qrels, asker)
    queries, offsets, rows = group_rows(qrels.by_query)
    items = qrels.item if rows is None else qrels.item[rows]
    grades = grades if rows is None or qrels.grade is None else grades[rows]  # 1, if there are none
    propensity = propensities_of(qrels, asked)
    propensity = propensity if rows is None or propensity is None else propensity[rows]
    again, firsts = _repeats(offsets, items)
    # also if no metric asks for topics: without them, one item with two topics would look judged twice
    has_topics = qrels.topic is not None and (asker is not None or len(again) > 0)
    own, owner = grades, np.arange(len(grades) if has_topics else 0)
    numbering = None if summary is None else summary.topics
    topics = NumberedTopics.of(qrels, rows, numbering) if has_topics else None
    if len(again):
        if has_topics:
            owner[again] = firsts
        own, grades, copies = _merge_copies(qrels, policy, rows, firsts, again, owner, topics, grades)
        keep = np.ones(len(grades), np.bool_)
        keep[again] = False
        items, grades = items[keep], grades[keep]
        # what is left moves up by the copies before it
        offsets, owner = (at - np.searchsorted(again, at) for at in (offsets, owner))
        if propensity is not None:
            propensity = _check_copies(qrels, rows, propensity, firsts, again)[keep]
        counts["judgements given twice"] = copies
    if scale.kind == "interactions":
        grades, own = np.broadcast_to(1.0, len(grades)), np.broadcast_to(1.0, len(own))
    of_items = None if asker is None or topics is None else topics_of(qrels, rows, topics, owner, own)
    counts["imputed judgements"] = 0 if qrels.imputed is None else int(np.count_nonzero(qrels.imputed))
    counts["judged queries"] = len(offsets) - 1
    counts["judgements"] = len(grades)
    counts["negative grades"] = 0 if scale.kind == "interactions" else int(np.count_nonzero(grades < 0))
    pool = Pool(queries, offsets, items, grades, scale, of_items, propensity, summary=summary)
    return pool, Counter({what: n for what, n in counts.items() if n})


def _repeats(offsets: np.ndarray, items: Ids) -> tuple[np.ndarray, np.ndarray]:
    """The rows of items that a query judges again, with the row of their first judgement; many are looked for on all cores."""
    if offsets[-1] <= PART_ROWS:
        return match.repeats(offsets, *items.columns)
    from rankwell.tables.machine import on_all_cores

    columns = items.columns
    parts = on_all_cores(
        lambda part: match.repeats(offsets[part[0] : part[1] + 1], *columns), cuts(offsets, PART_ROWS)
    )
    again, firsts = map(np.concatenate, zip(*parts, strict=True))
    return again, firsts


def propensities_of(qrels: Qrels, asked: Asked) -> np.ndarray | None:
    """Return the propensities if a metric weights by them; NeededError if the judgements have none."""
    asker = asked.by_need.get("propensity")
    if asker is not None and qrels.propensity is None:
        raise NeededError(
            f"{asker} needs propensities: a column 'propensity' of the judgements, the probability that each was observed; "
            f"{qrels.name} has none."
        )
    return None if asker is None else qrels.propensity


def _check_copies(
    qrels: Qrels, rows: np.ndarray | None, propensity: np.ndarray, firsts: np.ndarray, again: np.ndarray
) -> np.ndarray:
    """Return the propensities; DataError if copies of a judgement (or its topics) have different ones."""
    differ = np.flatnonzero(propensity[firsts] != propensity[again])
    if len(differ):
        copy = int(again[differ[0]])
        at = copy if rows is None else int(rows[copy])
        raise DataError(
            f"{qrels.place(at)}: query {brief(qrels.query.one(at))} judges item {brief(qrels.item.one(at))} twice, with different "
            f"propensities. Give each pair one propensity."
        )
    return propensity


def _merge_copies(
    qrels: Qrels,
    policy: Policy,
    rows: np.ndarray | None,
    firsts: np.ndarray,
    again: np.ndarray,
    owner: np.ndarray,
    topics: NumberedTopics | None,
    grades: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, int]:
    """The grades of all rows alone and combined with other topics of the item, and the number of repeated rows.

    Rows of one item with different topics are not repeats; without topics the highest grade counts.
    """
    copy, is_sorted = again, False
    if topics is not None:
        key = topics.within(owner)
        copy, is_sorted = again[:0], are_ascending(key)
        if not is_sorted:
            order = np.argsort(key, kind="stable")
            copy = np.sort(order[1:][np.diff(key[order]) == 0])
    if len(copy) and policy.duplicate_grades == "error":
        second = int(copy[0])
        first = int(firsts[np.searchsorted(again, second)])
        at, earlier = (place if rows is None else int(rows[place]) for place in (second, first))
        raise DataError(
            f"{qrels.place(at)}: query {brief(qrels.query.one(at))} judges item {brief(qrels.item.one(at))} twice (first: "
            f"{qrels.place(earlier)}). Remove one, or set duplicate_grades='max' or 'last'."
        )
    if qrels.grade is None:
        return grades, grades, len(copy)
    if policy.duplicate_grades == "last":
        if topics is None:
            owner = np.arange(len(grades))
            owner[again] = firsts
        grades = _take_last_grades(owner if topics is None else topics.within(owner), firsts, again, grades)
    highest = grades.copy()
    if is_sorted:  # the rows of an item are adjacent, so reduceat will do, in one pass
        starts = np.flatnonzero(owner == np.arange(len(owner)))
        highest[starts] = np.maximum.reduceat(grades, starts)
    else:
        np.maximum.at(highest, firsts, grades[again])
    return grades, highest, len(copy)


def _take_last_grades(
    key: np.ndarray, firsts: np.ndarray, again: np.ndarray, grades: np.ndarray
) -> np.ndarray:
    """Give every copy of a (query, item, topic) the grade of the last one."""
    grades = grades.copy()
    touched = np.union1d(firsts, again)
    # of equal keys a dict keeps the last value, and the rows ascend
    last = dict(zip(key[touched].tolist(), grades[touched].tolist(), strict=True))
    grades[touched] = [last[own] for own in key[touched].tolist()]
    return grades


def has_pad(pool: Pool) -> bool:
    """Whether the number that fills up lists is among the judged items."""
    item = pool.items
    if not item.is_text:
        return bool((item.integers == PAD).any())
    begins = item.starts[item.lengths == len(str(PAD))]
    return bool(((item.text[begins] == ord("-")) & (item.text[begins + 1] == ord("1"))).any())


def scale_of(qrels: Qrels, asked: Asked) -> Scale:
    """Return the scale of the grades; ratings without a threshold are refused, with a list of choices."""
    if qrels.grade is None or asked.policy.grades == "interactions":
        return scale_of_levels(None, asked, qrels)
    return scale_of_levels(levels_of(qrels.grade), asked, qrels)


def scale_of_levels(levels_counts: tuple[np.ndarray, np.ndarray] | None, asked: Asked, of: Ungraded) -> Scale:
    """Return the scale of grades by their levels and how many rows have each; None if there are no grades."""
    policy = asked.policy
    if levels_counts is None or policy.grades == "interactions":
        if question := refuse_ungraded(of, asked):
            warnings.warn(question, DataWarning, stacklevel=2)
        return Scale("interactions", policy.rel, policy.negative)
    kind = policy.grades
    levels, counts = levels_counts

    def shares() -> np.ndarray:
        return counts / max(int(counts.sum()), 1)

    def fine(some: np.ndarray) -> np.ndarray:
        return some[some % (1 / STEPS) != 0]

    if kind == "auto":
        # judges use few grades above 0, or write down what is not relevant; raters do neither
        few = len(levels) <= 3 or np.count_nonzero(levels > 0) <= 3 or shares()[levels <= 0].sum() >= 0.01
        kind = "judgements" if few else "ratings"
    without = [name for name, rel in asked.rels.items() if rel is None]
    is_below = policy.grades == "auto" and without and levels.size and levels[0] < 0
    if is_below and len(odd := fine(levels[levels < 0])):
        raise UsageError(
            f"grades such as {odd[0]:g} look like the scores of a run. {SWAPPED} If they are grades, set grades='judgements', "
            f"or rel= to the lowest relevant grade."
        )
    if kind == "ratings" and without:
        share = shares()
        from_here = np.cumsum(share[::-1])[::-1]
        # the lowest thresholds with which at most 70 % and 45 % of the rows are relevant (from_here descends, hence the minus)
        lowest = np.unique(np.searchsorted(-from_here, [-0.7, -0.45]).clip(0, len(levels) - 1))
        choices = ", ".join(f"rel={levels[i]:g} ({from_here[i]:.0%} of rows)" for i in lowest)
        raise UsageError(
            f"grades look like ratings: {len(levels)} levels {levels[0]:g}–{levels[-1]:g}, "
            f"{share[levels <= 0].sum():.2g} of rows at most 0; {without[0]} needs to know the lowest relevant grade. "
            f"Set {choices}, or grades='interactions', or grades='judgements' if every grade above 0 is "
            f"relevant.{f' {SWAPPED}' if len(fine(levels)) else ''}"
        )
    if levels.size and (unreached := out_of_reach(levels[-1], asked.rels)):
        warnings.warn(f"{of.name}: {unreached}", DataWarning, stacklevel=2)
    return Scale(kind, policy.rel, policy.negative)


def out_of_reach(highest: float, rels: Mapping[str, float | None]) -> str:
    """Return what to say of metrics to which nothing is relevant, with the highest grade; "" if there are none.

    >>> out_of_reach(2, {"rr": 5, "p@1": 5, "ap": 2})
    'no item is relevant for rr, p@1: no grade reaches 5, the highest is 2. Set rel=2, or less.'
    >>> out_of_reach(0, {"rr": None})
    'no item is relevant for rr: no grade is above 0, the highest is 0.'
    """
    names = [name for name, rel in rels.items() if (highest <= 0 if rel is None else rel > highest)]
    if not names:
        return ""
    rel = rels[names[0]]
    grade = "is above 0" if rel is None else f"reaches {rel:g}"
    remedy = f" Set rel={highest:g}, or less." if highest > 0 else ""
    return (
        f"no item is relevant for {', '.join(names)}: no grade {grade}, the highest is {highest:g}.{remedy}"
    )


class Ungraded(Protocol):
    """Judgements without grades: their name, and the columns that were not read."""

    name: str
    unread: tuple[UnreadColumn, ...]


SHOWN_AT = frozenset(("position", "pos", "ordinal"))  # of a click, where the item stood


def refuse_ungraded(qrels: Ungraded, asked: Asked) -> str:
    """Refuse judgements without grades where grades were said to be there, or a column that nobody claimed may hold them.

    UsageError with the column that may be the grade, and what to say if every row is relevant. Where only its numbers speak for it, which
    a price has, too, the same is returned as a question.
    """
    policy = asked.policy
    if policy.grades == "interactions" or not (
        qrels.unread or policy.grades == "ratings" or any(asked.rels.values())
    ):
        return ""
    from rankwell.tables.columns import VIEWS, known_word, words_for_less

    rels = [rel for rel in asked.rels.values() if rel is not None]
    rule = "grades='ratings'" if policy.grades == "ratings" else f"rel={max(rels):g}" if rels else ""
    numbers = [column for column in qrels.unread if column.is_number]
    # one that is called as a score is: a run was given for judgements, or what a model predicts stands beside them
    doubtful = [column for column in numbers if known_word(column.name) == "score"]
    # zeros among them, so not every row can be a hit
    doubtful += [
        column for column in numbers if column.levels and len(column.levels) > 1 and column.levels[0] <= 0
    ]
    if doubtful or (numbers and (rels or policy.grades in ("judgements", "ratings"))):
        column = (doubtful or numbers)[0]
        levels = [f"{level:g}" if np.isfinite(level) else "nothing" for level in column.levels or ()]
        holds = f", which holds {', '.join(levels)}," if levels else ""
        raise UsageError(
            f"{qrels.name}: there is no grade; is {brief(column.name)}{holds} the grade? {_remedy(column)}"
        )
    if policy.grades == "ratings" or max(rels, default=0) > 1:
        names = [brief(column.name) for column in qrels.unread]
        has = f"; its other columns are {', '.join(names[:9])}" if names else ""
        raise UsageError(
            f"{qrels.name}: {rule} needs grades, and there are none{has}. Name their column: qrels_columns={{'its name': 'grade'}}; "
            f"if every row is relevant, say grades='interactions' without {rule.partition('=')[0]}=."
        )
    questions = []
    for column in qrels.unread:
        if less := words_for_less(column.words or ()):
            questions.append(_question_of_events(qrels.name, column, less))
            if not VIEWS.issuperset(less):
                raise UsageError(questions[-1])
    questions += [
        f"{qrels.name}: there is no grade, so every row is relevant; is {brief(column.name)} the grade? {_remedy(column)}"
        for column in numbers
        if column.levels is None or len(column.levels) > 1
    ]
    questions += [
        f"{qrels.name}: there is no grade, but a column {brief(column.name)}, as runs have. {SWAPPED} If every row is relevant, say "
        f"grades='interactions'."
        for column in qrels.unread
        if known_word(column.name) == "rank" and column.name.strip().lower() not in SHOWN_AT
    ]
    return "".join(questions[:1])


def _question_of_events(name: str, column: UnreadColumn, less: list[str]) -> str:
    """The question on judgements whose rows are views, skips or returns beside others."""
    others = [word for word in column.words or () if word not in less]
    return (
        f"{name}: there is no grade, so every row is relevant; is one whose {brief(column.name)} is {brief(less[0])} as relevant as one with "
        f"{brief(others[0])}? Give only the rows that count, in pandas frame[frame[{brief(column.name)}].isin({brief(others)})], or a number "
        f"for each word in a column called grade. If every row is relevant, say grades='interactions'."
    )


def _remedy(column: UnreadColumn) -> str:
    """What to say if a column is the grade, and if there is none."""
    return f"qrels_columns={{{brief(column.name)}: 'grade'}}. If every row is relevant, say grades='interactions'."


def levels_of(grades: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct grades, ascending, and their counts."""
    # counting is one pass; None if some grade is no whole number, or too large
    counted = integers.counts(grades, FEW) if len(grades) else None
    if counted is None:
        return np.unique(grades, return_counts=True)
    lowest, counts = counted
    levels = counts.nonzero()[0]
    return (levels + lowest).astype(np.float64), counts[levels]


@record(slots=True)
class NumberedTopics:
    """Topics of judgements, numbered in the order of their ids, their number, and likewise for subgroups."""

    topic: np.ndarray
    count: int
    subgroup: np.ndarray | None = None
    subgroups: int = 1

    @classmethod
    def of(cls, qrels: Qrels, rows: np.ndarray | None, topics: Known | None = None) -> NumberedTopics:
        """Return the numbering for some judgements (None: all, in their order); ``topics`` are those of all of them."""
        assert qrels.topic is not None
        if topics is None:
            topic, count = _numbers(qrels.topic, rows)
        else:
            topic, count = (
                topics.rows_of(qrels.topic if rows is None else qrels.topic[rows], "topic"),
                len(topics),
            )
        if qrels.subgroup is None:
            return cls(topic, count)
        return cls(topic, count, *_numbers(qrels.subgroup, rows))

    def within(self, owner: np.ndarray) -> np.ndarray:
        """Return a number per judgement, the same for judgements with equal owner, topic and subgroup."""
        key = owner * self.count + self.topic
        return key if self.subgroup is None else key * self.subgroups + self.subgroup


def require_topics(qrels: Qrels, asker: Asker) -> None:
    """Raise NeededError if the judgements have no topics: no column, or one value in the whole file.

    Preferences with subgroups name their judgement groups, so one topic is enough there.
    """
    if qrels.topic is not None and (
        qrels.subgroup is not None or bool((qrels.topic.keys[1:] != qrels.topic.keys[:1]).any())
    ):
        return
    raise without_topics(qrels.name, asker, has_column=qrels.topic is not None)


def without_topics(name: str, asker: Asker, *, has_column: bool) -> NeededError:
    """Return the error of judgements that have no topics, although a metric asks for them."""
    has = "one topic in the whole file" if has_column else "no topic column"
    instead = ""
    if "groups" in asker.parameters:
        instead = f", or write {asker.name}(groups=query) for one group per query"
    elif "topics" in asker.parameters:
        instead = f", or write {asker.name}(topics=items) for those of the items in items="
    return NeededError(
        f"{asker} needs topics: {name} has {has}. Give judgements with a topic column (the second one of "
        f"TREC text){instead}."
    )


def topics_of(
    qrels: Qrels, rows: np.ndarray | None, topics: NumberedTopics, owner: np.ndarray, grades: np.ndarray
) -> Topics:
    """Return the topics of the rows of the pool, each (topic, subgroup) once with the highest of its grades.

    Parameters
    ----------
    qrels, rows
        The judgements, and which of them ``topics``, ``owner`` and ``grades`` refer to (None: all, in their order).
    topics
        The topics of each judgement.
    owner
        The row of the pool that each judgement belongs to.
    grades
        The grade of each judgement.
    """
    key, firsts = topics.within(owner), None
    if not are_ascending(key):
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        firsts, grades = order[starts], np.maximum.reduceat(grades[order], starts)
        owner = owner[firsts]
    # every row of the pool has a topic, so the last owner is the last row
    counts = np.bincount(owner, minlength=int(owner.max(initial=-1)) + 1)
    weight = None if qrels.topic_weight is None else _weights(qrels, rows)
    columns = (
        column if column is None or firsts is None else column[firsts]
        for column in (topics.topic, topics.subgroup, weight)
    )
    topic, subgroup, weight = columns
    assert topic is not None
    return Topics(offsets_of(counts), topic, grades, topics.count, subgroup, weight)


def are_ascending(keys: np.ndarray) -> bool:
    """Whether the keys are strictly ascending, as they are if judgements are grouped by item and topic."""
    return bool((keys[1:] > keys[:-1]).all())


def _weights(qrels: Qrels, rows: np.ndarray | None) -> np.ndarray:
    """The weight of each row's topic; DataError if rows of one query and topic disagree."""
    assert qrels.topic is not None
    assert qrels.topic_weight is not None
    (query, _), (topic, _) = qrels.query.group(), qrels.topic.group()
    order = np.lexsort([topic, query])
    weight = qrels.topic_weight[order]
    same = (np.diff(query[order]) == 0) & (np.diff(topic[order]) == 0)
    differ = np.flatnonzero(same & (weight[1:] != weight[:-1]))
    if len(differ):
        first, second = sorted(int(order[at]) for at in (differ[0], differ[0] + 1))
        raise DataError(
            f"{qrels.place(second)}: topic {brief(qrels.topic.one(second))} of query {brief(qrels.query.one(second))} weighs "
            f"{qrels.topic_weight[second]:g} here and {qrels.topic_weight[first]:g} at {qrels.place(first)}. Give it one weight."
        )
    return qrels.topic_weight if rows is None else qrels.topic_weight[rows]


def _numbers(column: Ids, rows: np.ndarray | None) -> tuple[np.ndarray, int]:
    """The index of each id among the distinct ones in the order of ids, whatever the order of rows; and their number."""
    codes, firsts = column.group()
    place = np.empty(len(firsts), np.int64)  # the inverse of the order: where each distinct id comes in it
    place[column[firsts].text_order()] = np.arange(len(firsts))
    return place[codes] if rows is None else place[codes[rows]], len(firsts)
