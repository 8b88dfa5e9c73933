"""Preparation of the judgements: rows grouped by query, one grade per item, and a scale for the grades."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankwell.errors import DataError, NeededError, UsageError, brief
from rankwell.judge.asked import Asked
from rankwell.judge.policy import Policy
from rankwell.judge.pool import Pool, Together
from rankwell.judge.qrel_topics import Numbered, require_topics, rises, topics_of
from rankwell.judge.scale import Scale
from rankwell.kernels import integers, match
from rankwell.tables.ids import NO_TEXT, Ids
from rankwell.tables.ranked import NO_ROWS
from rankwell.tables.rows import cuts, grouped
from rankwell.tables.run_qrels import SWAPPED, Qrels

if TYPE_CHECKING:
    from rankwell.tables.columns import Unread

PART_ROWS = 1_000_000  # judgements that one thread looks through at a time
FEW = 1_000  # integer grades from -FEW to FEW are counted, others sorted
STEPS = 4  # grades are whole or halves or quarters; scores of a run are any number


def pool_of(
    qrels: Qrels | None, asked: Asked, scale: Scale | None = None, together: Together | None = None
) -> tuple[Pool, Counter[str]]:
    """Prepare judgements: group rows by query, keep one grade per item, and determine the scale of the grades.

    Topics are kept if a metric needs them. For a part of the judgements it is given what holds for all of them: the
    scale, and what they tell together; all have been seen to have topics if a metric needs those.

    Raises
    ------
    DataError
        If an item is judged twice (``duplicate_grades=error``).
    NeededError
        If a metric needs topics and the judgements have none.
    UsageError
        If the grades look like ratings and no ``rel`` sets the lowest relevant one.
    """
    counts: Counter[str] = Counter()
    if qrels is None:
        empty = Ids.of_spans(NO_TEXT, NO_ROWS, np.empty(0, np.int32))
        return Pool(empty, np.zeros(1, np.int64), empty, np.empty(0), scale or Scale()), counts
    grades = np.broadcast_to(1.0, len(qrels)) if qrels.grade is None else qrels.grade
    policy = asked.policy
    asker = asked.by_need.get("topics")
    if scale is None:
        scale = scale_of(qrels, asked)
        if asker is not None:
            require_topics(qrels, asker)
    queries, offsets, rows = grouped(qrels.by_query)
    items = qrels.item if rows is None else qrels.item[rows]
    grades = grades if rows is None or qrels.grade is None else grades[rows]  # 1, if there are none
    chances = propensities_of(qrels, asked)
    chances = chances if rows is None or chances is None else chances[rows]
    again, firsts = _repeats(offsets, items)
    has_topics = qrels.topic is not None and (asker is not None or len(again) > 0)
    own, owner = grades, np.arange(len(grades) if has_topics else 0)
    topics = None if together is None else together.topics
    found = Numbered.of(qrels, rows, topics) if has_topics else None
    if len(again):
        if has_topics:
            owner[again] = firsts
        own, grades, copies = _merged(qrels, policy, rows, firsts, again, owner, found, grades)
        keep = np.ones(len(grades), np.bool_)
        keep[again] = False
        items, grades = items[keep], grades[keep]
        offsets, owner = (at - np.searchsorted(again, at) for at in (offsets, owner))
        chances = None if chances is None else _same_chances(qrels, rows, chances, firsts, again)[keep]
        counts["judgements given twice"] = copies
    if scale.kind == "interactions":
        grades, own = np.broadcast_to(1.0, len(grades)), np.broadcast_to(1.0, len(own))
    of_items = None if asker is None or found is None else topics_of(qrels, rows, found, owner, own)
    counts["imputed judgements"] = 0 if qrels.imputed is None else int(np.count_nonzero(qrels.imputed))
    counts["judged queries"] = len(queries)
    counts["judgements"] = len(grades)
    counts["negative grades"] = 0 if scale.kind == "interactions" else int(np.count_nonzero(grades < 0))
    pool = Pool(queries, offsets, items, grades, scale, of_items, chances, together=together)
    return pool, +counts


def _repeats(offsets: np.ndarray, items: Ids) -> tuple[np.ndarray, np.ndarray]:
    """The rows of items that a query judges again, with the row of their first judgement; many are looked for on all cores."""
    if len(items) <= PART_ROWS:
        return match.repeats(offsets, *items.columns)
    from rankwell.tables.workers import on_all_cores

    columns = items.columns
    found = on_all_cores(
        lambda part: match.repeats(offsets[part[0] : part[1] + 1], *columns), cuts(offsets, PART_ROWS)
    )
    again, firsts = map(np.concatenate, zip(*found, strict=True))
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


def _same_chances(
    qrels: Qrels, rows: np.ndarray | None, chances: np.ndarray, firsts: np.ndarray, again: np.ndarray
) -> np.ndarray:
    """Return the propensities; DataError if copies of a judgement (or its topics) have different ones."""
    differ = np.flatnonzero(chances[firsts] != chances[again])
    if len(differ):
        copy = int(again[differ[0]])
        at = copy if rows is None else int(rows[copy])
        raise DataError(
            f"{qrels.place(at)}: query {brief(qrels.query.one(at))} judges item {brief(qrels.item.one(at))} twice, with different "
            f"propensities. Give each pair one propensity."
        )
    return chances


def _merged(
    qrels: Qrels,
    policy: Policy,
    rows: np.ndarray | None,
    firsts: np.ndarray,
    again: np.ndarray,
    owner: np.ndarray,
    found: Numbered | None,
    grades: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, int]:
    """The grades of all rows alone and combined with other topics of the item, and the number of repeated rows.

    Rows of one item with different topics are not repeats; without topics the highest grade counts.
    """
    copy, stands_together = again, False
    if found is not None:
        key = found.within(owner)
        copy, stands_together = again[:0], rises(key)
        if not stands_together:
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
        if found is None:
            owner = np.arange(len(grades))
            owner[again] = firsts
        grades = _last_copies(owner if found is None else found.within(owner), firsts, again, grades)
    highest = grades.copy()
    if stands_together:
        starts = np.flatnonzero(owner == np.arange(len(owner)))
        highest[starts] = np.maximum.reduceat(grades, starts)
    else:
        np.maximum.at(highest, firsts, grades[again])
    return grades, highest, len(copy)


def _last_copies(key: np.ndarray, firsts: np.ndarray, again: np.ndarray, grades: np.ndarray) -> np.ndarray:
    """Give every copy of a (query, item, topic) the grade of the last one."""
    grades = grades.copy()
    touched = np.union1d(firsts, again)
    last = dict(zip(key[touched].tolist(), grades[touched].tolist(), strict=True))
    grades[touched] = [last[each] for each in key[touched].tolist()]
    return grades


def scale_of(qrels: Qrels, asked: Asked) -> Scale:
    """Return the scale of the grades; ratings without a threshold are refused, with a list of choices."""
    if qrels.grade is None or asked.policy.grades == "interactions":
        return scale_of_levels(None, asked, qrels)
    return scale_of_levels(levels_of(qrels.grade), asked, qrels)


def scale_of_levels(found: tuple[np.ndarray, np.ndarray] | None, asked: Asked, of: Ungraded) -> Scale:
    """Return the scale of grades by their levels and how many rows have each; None if there are no grades."""
    policy = asked.policy
    if found is None or policy.grades == "interactions":
        refuse_ungraded(of, asked)
        return Scale("interactions", policy.rel, policy.negative)
    kind = policy.grades
    levels, shares = found
    share = shares / max(int(shares.sum()), 1)
    fine = levels[levels % (1 / STEPS) != 0]
    if kind == "auto":
        few = np.count_nonzero(levels > 0) <= 3 or share[levels <= 0].sum() >= 0.01
        kind = "judgements" if few else "ratings"
    without = [name for name, rel in asked.rels.items() if rel is None]
    if policy.grades == "auto" and without and (fine < 0).any():
        raise UsageError(
            f"grades such as {fine[0]:g} look like the scores of a run. {SWAPPED} If they are grades, set grades='judgements', "
            f"or rel= to the lowest relevant grade."
        )
    if kind == "ratings" and without:
        from_here = np.cumsum(share[::-1])[::-1]
        wanted = np.unique(np.searchsorted(-from_here, [-0.7, -0.45]).clip(0, len(levels) - 1))
        choices = ", ".join(f"rel={levels[i]:g} ({from_here[i]:.0%} of rows)" for i in wanted)
        raise UsageError(
            f"grades look like ratings: {len(levels)} levels {levels[0]:g}–{levels[-1]:g}, "
            f"{share[levels <= 0].sum():.2g} of rows at most 0; {without[0]} needs to know the lowest relevant grade. "
            f"Set {choices}, or grades='interactions', or grades='judgements' if every grade above 0 is "
            f"relevant.{f' {SWAPPED}' if len(fine) else ''}"
        )
    return Scale(kind, policy.rel, policy.negative)


class Ungraded(Protocol):
    """Judgements without grades: their name, and the columns that were not read."""

    name: str
    unread: tuple[Unread, ...]


def refuse_ungraded(qrels: Ungraded, asked: Asked) -> None:
    """Refuse judgements without grades where grades were said to be there, or a column that nobody claimed may hold them.

    UsageError with the column that may be the grade, and what to say if every row is relevant.
    """
    policy = asked.policy
    if policy.grades == "interactions" or not (
        qrels.unread or policy.grades == "ratings" or any(asked.rels.values())
    ):
        return
    from rankwell.tables.columns import known_word

    rels = [rel for rel in asked.rels.values() if rel is not None]
    said = "grades='ratings'" if policy.grades == "ratings" else f"rel={max(rels):g}" if rels else ""
    numbers = [each for each in qrels.unread if each.is_number]
    # one that is called as a score is: a run was given for judgements, or what a model predicts stands beside them
    doubtful = [each for each in numbers if known_word(each.name) == "score"]
    doubtful += [each for each in numbers if each.levels and len(each.levels) > 1 and each.levels[0] <= 0]
    if doubtful or (numbers and (rels or policy.grades in ("judgements", "ratings"))):
        column = (doubtful or numbers)[0]
        shown = [f"{level:g}" if np.isfinite(level) else "nothing" for level in column.levels or ()]
        holds = f", which holds {', '.join(shown)}," if shown else ""
        raise UsageError(
            f"{qrels.name}: there is no grade; is {brief(column.name)}{holds} the grade? qrels_columns={{{brief(column.name)}: 'grade'}}. "
            f"If every row is relevant, say grades='interactions'."
        )
    if policy.grades == "ratings" or max(rels, default=0) > 1:
        others = [brief(each.name) for each in qrels.unread]
        has = f"; its other columns are {', '.join(others[:9])}" if others else ""
        raise UsageError(
            f"{qrels.name}: {said} needs grades, and there are none{has}. Name their column: qrels_columns={{'its name': 'grade'}}; "
            f"if every row is relevant, say grades='interactions' without {said.partition('=')[0]}=."
        )


def levels_of(grades: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct grades, ascending, and their counts."""
    counts = integers.counts(grades, FEW) if len(grades) else None
    if counts is None:
        return np.unique(grades, return_counts=True)
    levels = np.flatnonzero(counts)
    return (levels - FEW).astype(np.float64), counts[levels]
