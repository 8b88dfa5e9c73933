"""The lists of a run, ordered by the policy and matched with the judgements."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from rankwell.errors import DataError, brief
from rankwell.judge.asked import Asked
from rankwell.judge.context import Context
from rankwell.judge.given_ranks import number_given, with_ranks
from rankwell.judge.judged import Judged, Ties
from rankwell.judge.policy import Policy
from rankwell.judge.pool import Pool
from rankwell.judge.ties import condensed, decided, levels, settled, undecided
from rankwell.judge.whole_lists import Matches, leads_on, whole_lists
from rankwell.kernels import match, order, ranks
from rankwell.tables.csr import offsets_of, places_of
from rankwell.tables.ids import NO_TEXT, Ids, Known, to_same_kind
from rankwell.tables.ranked import NO_ROWS, Ranked
from rankwell.tables.rows import Lists

TIED = frozenset({"ties", "score"})
UNDECIDED = "queries in which ties could change a value"


def judge(
    lists: Lists,
    pool: Pool,
    asked: Asked,
    context: Context,
    known: Matches | None = None,
) -> tuple[Judged, dict[str, int]]:
    """Order lists by the policy, match them with the judgements, and count the rows each rule affected.

    ``known`` is what ``matches_of`` found for these rows, to be reordered here; only without a depth and ties by grade.

    Raises
    ------
    DataError
        If a list repeats an item (``duplicates=error``), an item is not in the catalogue (``outside=error``), ids are text
        on one side and integers on the other, or a metric of scores gets lists with ranks alone.
    """
    policy, needs = asked.policy, asked.needs
    rule, how = order.TIE_RULES[policy.row_order], policy.ties if policy.ties in ("best", "worst") else None
    counts: dict[str, int] = {"lists": len(lists.offsets) - 1, "rows": len(lists.score)}
    if lists.against_score:
        counts["rows whose rank contradicts the score"] = lists.against_score
    if lists.queries.is_text != pool.queries.ids.is_text or lists.items.is_text != pool.items.is_text:
        lists, pool = _same_kinds(lists, pool, counts)
    if "score" in needs or policy.scores == "single":
        lists = _with_scores(lists, policy, needs)
    if lists.has_ranks and policy.ranks == "given":
        lists = with_ranks(lists, asked)
    if policy.drop_own_query:
        from rankwell.judge.own_query import without_own

        given, lists = lists, without_own(lists, policy, counts)
        known = known if lists is given else None
    pool_row = pool.queries.find(lists.queries) if counts["lists"] else NO_ROWS
    # the hits alone are ordered faster, but the places of all rows can matter
    if how and ("shown" in needs or policy.depth is not None or policy.duplicates != "error"):
        lists = _settled(lists, pool_row, pool, how, counts)
    if policy.depth is not None:
        lists = _first_rows(lists, rule, policy.depth)
    matches, left_out, lengths = _matched(lists, pool_row, pool, policy, counts, known)
    if lists.ranks is not None:
        lists = number_given(lists, left_out, policy, counts)
    hits, ties = _ranked(lists, rule, left_out, matches, pool, needs)
    if how:
        counts[UNDECIDED] = counts.get(UNDECIDED, 0) or len(undecided(hits, ties, pool.scale))
        hits, ties = decided(hits, ties, how, pool.scale)
    if policy.ties == "expected" or needs & TIED:
        hits.tie_start, hits.tie_size = ties
    shown = None
    if "shown" in needs:
        shown = whole_lists(lists, rule, left_out, matches, pool_row, pool, asked, context, counts)
    judged = Judged(
        lists.queries,
        pool_row,
        hits,
        lengths,
        pool,
        shown,
        ties=ties,
        is_expected=policy.ties == "expected",
        ranks=None if lists.ranks is None else (lists.offsets, lists.ranks),
    )
    if judged.known is not None:
        counts["lists without judgements"] = len(pool_row) - int(np.count_nonzero(judged.known))
    counts["judged items found"] = len(hits.grade)
    if 0 in counts.values():
        counts = {what: rows for what, rows in counts.items() if rows}
    return (condensed(judged) if policy.unjudged == "condense" else judged), counts


def matches_of(lists: Lists, pool: Pool) -> Matches:
    """Return the judged rows of lists, which are the same whatever the scores."""
    if lists.queries.is_text != pool.queries.ids.is_text or lists.items.is_text != pool.items.is_text:
        lists, pool = _same_kinds(lists, pool, {})
    return _hits(lists, pool.queries.find(lists.queries), pool, NO_TEXT)


def missing_lists(pool: Pool, seen: np.ndarray) -> Judged:
    """Return empty lists for the judged queries that are not in ``seen`` (rows of the pool)."""
    absent = np.ones(len(pool.queries), np.bool_)
    absent[seen] = False
    pool_row = np.flatnonzero(absent)
    return _empty_lists(pool.queries.ids[pool_row], pool_row, pool)


def lists_of_others(users: Ids, seen: Ids, pool: Pool) -> Judged:
    """Return empty lists, without judgements, for the users not in ``seen``."""
    others = users[np.flatnonzero(Known(seen).rows_of(users, "query") < 0)]
    if seen.is_text and not others.is_text:
        others = Ids.of_strings([str(user) for user in others.tolist()])
    return _empty_lists(to_same_kind(others, seen, "query")[0], np.full(len(others), -1, np.int64), pool)


def _empty_lists(queries: Ids, pool_row: np.ndarray, pool: Pool) -> Judged:
    nothing = np.empty(0)
    none = Ranked(len(pool_row), NO_ROWS, NO_ROWS, nothing, item=NO_ROWS, score=nothing, pool_row=NO_ROWS)
    lengths = np.zeros(len(pool_row), np.int64)
    return Judged(queries, pool_row, none, lengths, pool, shown=none, in_run=False)


def _same_kinds(lists: Lists, pool: Pool, counts: dict[str, int]) -> tuple[Lists, Pool]:
    """Convert the ids of both sides to one kind, if the text of one is the plain decimal form of integers."""
    if len(pool.offsets) < 2 or not lists.rows:
        return lists, pool
    if (pool.queries.ids.is_text and not lists.queries.is_text) or (
        pool.items.is_text and not lists.items.is_text
    ):
        pool = pool.in_integers()
        counts["judgement ids read as integers"] = 1
    queries, queries_changed = to_same_kind(lists.queries, pool.queries.ids, "query")
    items, items_changed = to_same_kind(lists.items, pool.items, "item")
    counts["run ids read as integers"] = queries_changed * len(queries) + items_changed * len(items)
    return replace(lists, queries=queries, items=items), pool


def _with_scores(lists: Lists, policy: Policy, needs: frozenset[str]) -> Lists:
    """The lists with the scores given for metrics of scores, and in the precision of the policy."""
    if "score" in needs:
        lists = replace(lists, given=_scores(lists))
    if policy.scores == "single" and not lists.by_rank:
        with np.errstate(over="ignore"):  # values beyond single precision become infinite, as in C
            lists = replace(lists, score=lists.score.astype(np.float32).astype(np.float64))
    return lists


def _scores(lists: Lists) -> np.ndarray:
    """The scores as given in the run."""
    if not lists.by_rank:
        return lists.score
    if lists.given is None:
        raise DataError(
            f"{lists.place(0)}: the run has an order but no scores, and rating errors compare scores with grades. Add a "
            f"score column with the predicted rating, or use {{query: {{item: score}}}}."
        )
    return np.asarray(lists.given, np.float64)


def _settled(
    lists: Lists, pool_row: np.ndarray, pool: Pool, how: Literal["best", "worst"], counts: dict[str, int]
) -> Lists:
    """The lists with ties broken by grade, best or worst first; copies of an item get the same grade."""
    if not lists.rows:
        return lists
    marks = np.zeros(lists.rows, np.uint8)
    _, rows, pooled, _ = _hits(lists, pool_row, pool, marks)
    grade = np.full(lists.rows, np.nan)
    grade[rows] = pool.grades[pooled]
    copies, firsts = match.repeats(lists.offsets, *lists.items.columns)
    np.fmax.at(grade, firsts, grade[copies])
    grade[copies] = grade[firsts]
    base = np.arange(lists.rows)
    order.sort(base, lists.offsets, lists.score, *lists.items.columns, order.TIE_RULES["item-desc"])
    level = levels(grade, pool.scale)[base] * (1.0 if how == "best" else -1.0)
    heads, sizes = _tied_groups(lists.score[base], lists.offsets)
    differ = np.maximum.reduceat(level, heads) != np.minimum.reduceat(level, heads)
    queries = np.searchsorted(lists.offsets, heads[differ], side="right")
    counts[UNDECIDED] = int(np.count_nonzero(np.diff(queries, prepend=-1)))
    place = np.empty(lists.rows)
    start, width = (np.repeat(column, sizes) for column in (heads, sizes))
    place[base] = settled(level, heads, start, width, np.arange(lists.rows))
    return replace(lists, score=-place)


def _tied_groups(score: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each group of equal scores begins in ordered lists, and its size."""
    fresh = np.ones(len(score), np.bool_)
    fresh[1:] = score[1:] != score[:-1]
    fresh[offsets[:-1][np.diff(offsets) > 0]] = True
    heads = np.flatnonzero(fresh)
    return heads, np.diff(np.append(heads, len(score)))


def _first_rows(lists: Lists, rule: int, depth: int) -> Lists:
    """The rows of each list down to rank ``depth``."""
    rows = np.arange(lists.rows)
    if lists.ranks is None:
        order.sort(rows, lists.offsets, lists.score, *lists.items.columns, rule)
        kept = np.sort(rows[places_of(np.diff(lists.offsets)) <= depth])
    else:
        kept = np.flatnonzero(lists.ranks <= depth)
    return lists.only(kept)


def _matched(
    lists: Lists,
    pool_row: np.ndarray,
    pool: Pool,
    policy: Policy,
    counts: dict[str, int],
    known: Matches | None,
) -> tuple[Matches, np.ndarray, np.ndarray]:
    """The judged items of each list, a mark for each row that is left out (or none), and the lengths of the lists."""
    matches = _hits(lists, pool_row, pool, NO_TEXT) if known is None else known
    lengths = lists.offsets[1:] - lists.offsets[:-1]
    first, second = matches[3]
    if second < 0:
        return matches, NO_TEXT, lengths
    if policy.duplicates == "error":
        raise _twice(lists, first, second)
    if policy.ties == "expected" and policy.duplicates == "first":
        raise DataError(
            f"{lists.place(second)}: the item is repeated in its list; ties='expected' is undefined for a "
            f"later copy that keeps its rank. Set duplicates='drop'."
        )
    lost = np.zeros(lists.rows, np.uint8)
    matches = _hits(lists, pool_row, pool, lost)
    counts["rows that repeat an item"] = int(lost.sum())
    if policy.duplicates != "drop":
        return matches, NO_TEXT, lengths
    until = offsets_of(lost)
    return matches, lost, lengths - (until[lists.offsets[1:]] - until[lists.offsets[:-1]])


def _hits(lists: Lists, pool_row: np.ndarray, pool: Pool, lost: np.ndarray) -> Matches:
    return match.hits(
        lists.offsets, lists.score, *lists.items.columns, pool_row, pool.offsets, *pool.items.columns, lost
    )


def _ranked(
    lists: Lists,
    rule: int,
    left_out: np.ndarray,
    found: Matches,
    pool: Pool,
    needs: frozenset[str],
) -> tuple[Ranked, Ties]:
    """The hits of each list with their ranks, in rank order, on request with scores and rows of the pool; and their tie groups."""
    query, rows, pooled, _ = found
    n, place = len(lists.offsets) - 1, None
    rank, start, size = ranks.ranks(
        lists.offsets, lists.score, *lists.items.columns, rule, left_out, query, rows, pooled
    )
    if lists.ranks is not None and len(rows):
        place, rank = rank, lists.ranks[rows]
        start = rank
    score = None
    if "score" in needs:
        score = (lists.score if lists.given is None else lists.given)[rows]
    pool_row = pooled if leads_on(pool, needs) else None
    return Ranked(n, query, rank, pool.grades[pooled], score=score, place=place, pool_row=pool_row), (
        start,
        size,
    )


def _twice(lists: Lists, first: int, second: int) -> DataError:
    query = int(np.searchsorted(lists.offsets, second, side="right")) - 1
    return DataError(
        f"{lists.place(second)}: query {brief(lists.queries.one(query))} lists item {brief(lists.items.one(second))} twice "
        f"(first: {lists.place(first)}). Remove one, or set duplicates='first' or 'drop'."
    )
