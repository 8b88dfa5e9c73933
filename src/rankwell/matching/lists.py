"""The lists of a run, ordered by the policy and matched with the judgements."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataError, brief
from rankwell.kernels import match, order, ranks
from rankwell.kernels import rank_columns as kernel
from rankwell.matching.batch import Context, Judged, Ties
from rankwell.matching.groups import COPIES, FOLDED, LATER, Groups, fold
from rankwell.matching.parts import OF_RUNS, PartLists, as_integers, check_extra
from rankwell.matching.policy import Asked, Policy
from rankwell.matching.pool import Pool
from rankwell.matching.ties import break_ties, condense, levels, ranks_by_level, undecided_queries
from rankwell.tables.cells import MOST
from rankwell.tables.columns import EXTRA
from rankwell.tables.ids import NO_TEXT, Ids, Known, own_text, to_same_kind
from rankwell.tables.lists import NO_ROWS, Ranked, offsets_of, owners, owners_of, places_of
from rankwell.tables.rows import Lists, contradictions

# for each judged item found its query, its row, and its row of the pool; the first two copies of an item in a list, or -1
Matches = tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]

TIED = frozenset({"ties", "score"})
READ_OF_RUNS = frozenset(OF_RUNS)
UNDECIDED = "queries in which ties could change a value"
OWN = "rows whose item is the query itself"
CLOSED = "lists with ranks, numbered 1 to n by drop_own_query=True"
AGAINST = "rows whose rank contradicts the score"
HEADLESS = "lists with no item at rank 1"
NUMBERED = "Number the items 1, 2, …"
OR_CLOSED = "or set ranks='closed', which reads only their order"


def judge(
    lists: Lists,
    pool: Pool,
    asked: Asked,
    context: Context,
    matches: Matches | None = None,
) -> tuple[Judged, dict[str, int]]:
    """Order lists by the policy, match them with the judgements, and count the rows each rule affected.

    ``matches`` is what ``matches_of`` returned for these rows, to be reordered here; only without a depth and ties by grade.

    Raises
    ------
    DataError
        If a list repeats an item (``duplicates=error``), an item is not in the catalogue (``outside=error``), ids are text
        on one side and integers on the other, or a metric of scores gets lists with ranks alone.
    """
    policy = asked.policy
    # a metric tells copies by the judgement that they share
    needs = asked.needs | {"judgement"} if policy.duplicates == "each" else asked.needs
    rule, how = order.TIE_RULES[policy.row_order], policy.ties if policy.ties in ("best", "worst") else None
    counts: dict[str, int] = {"lists": len(lists.offsets) - 1}
    parts = None
    if lists.extra or needs & READ_OF_RUNS:
        check_extra(lists, asked)
        if "part" in lists.extra:
            parts = PartLists.of(lists)
            lists = parts.lists
    counts["rows"] = len(lists.score)
    if lists.against_score:
        counts["rows whose rank contradicts the score"] = lists.against_score
    judgements = pool
    if "spans" in needs:
        pool = pool.without_items(lists.items)
    # what is folded is held against judgements by the ids of its groups, further down
    with_items = context.groups is None
    if lists.queries.is_text != pool.queries.ids.is_text or (
        with_items and lists.items.is_text != pool.items.is_text
    ):
        lists, pool = _same_kinds(lists, pool, counts, with_items=with_items)
        judgements = judgements if "spans" in needs else pool
    if "score" in needs or policy.scores == "single":
        lists = _with_scores(lists, asked)
    if lists.has_ranks and policy.ranks == "given":
        lists = with_ranks(lists, asked)
    elif lists.has_ranks and lists.given is not None:
        lists = _equal_ranks_by_score(lists, lists.given)
    # the order of these steps is part of the definition: a query's own row takes no rank from others, rows below the depth are
    # not read, so a copy there is no error, and unjudged items go last, after the ties and ranks that they take part in
    if policy.drop_own_query:
        all_lists, lists = lists, without_own(lists, policy, counts)
        matches = matches if lists is all_lists else None
    pool_row = pool.queries.find(lists.queries) if counts["lists"] else NO_ROWS
    # the hits alone are ordered faster, but the places of all rows can matter
    if how and (
        "shown" in needs
        or policy.depth is not None
        or policy.duplicates != "error"
        or context.groups is not None
    ):
        lists = _break_ties(lists, pool_row, pool, how, context.groups, counts)
    if policy.depth is not None:
        lists = _first_rows(lists, rule, policy.depth)
    spread, sized = None, None
    if "sizes" in needs:
        assert context.sizes is not None
        is_read = pool_row >= 0 if policy.population == "judged" else None
        lists = replace(lists, extra={**lists.extra, "size": context.sizes.of_rows(lists, is_read)})
    if context.groups is not None:
        if "sizes" in needs:  # which a budget counts of all rows
            spread = fold(lists, rule, context.groups, policy, {}, is_folded=False)
        lists, matches = fold(lists, rule, context.groups, policy, counts), None
        if spread is not None and FOLDED in counts:
            counts[LATER] = counts.pop(FOLDED)
        if lists.items.is_text != pool.items.is_text:
            lists, pool = _same_kinds(lists, pool, counts)
            judgements = pool
    matches, left_out, lengths = _match(lists, pool_row, pool, policy, counts, matches)
    if "support" in lists.extra and policy.duplicates == "first" and counts.get(COPIES):
        lists = _without_support_of_copies(lists, pool_row, pool)
    if lists.ranks is not None:
        lists = number_given(lists, left_out, policy, counts)
    hits, ties = _rank_hits(lists, rule, left_out, matches, pool, needs)
    if how:
        counts[UNDECIDED] = counts.get(UNDECIDED, 0) or len(undecided_queries(hits, ties, pool.scale))
        hits, ties = break_ties(hits, ties, how, pool.scale)
    if policy.ties == "expected" or needs & TIED:
        hits.tie_start, hits.tie_size = ties
    whole = None
    if "shown" in needs:
        whole = whole_lists(lists, rule, left_out, matches, pool_row, pool, asked, context, counts)
        if spread is not None:
            sized = _unfolded(spread, rule, pool_row, pool, asked, context)
    if parts is None:
        judged = Judged(
            lists.queries,
            pool_row,
            hits,
            lengths,
            judgements,
            whole,
            ties=ties,
            is_expected=policy.ties == "expected",
            ranks=None if lists.ranks is None else (lists.offsets, lists.ranks),
            sized=sized,
        )
    else:
        firsts = parts.firsts
        judged = Judged(
            lists.queries[firsts],
            pool_row[firsts],
            parts.joined(hits),
            np.add.reduceat(lengths, firsts),
            judgements,
            None if whole is None else parts.joined(whole),
            is_expected=policy.ties == "expected",
            parts=parts.counts,
        )
    if judged.is_judged is not None:
        counts["lists without judgements"] = len(judged.pool_row) - int(np.count_nonzero(judged.is_judged))
    counts["judged items found"] = len(hits.grade)
    if "spans" in needs:
        from rankwell.matching.spans import spans_of  # of few evaluations

        counts["judged items found"] = spans_of(judged, context).found()
    if 0 in counts.values():
        counts = {what: rows for what, rows in counts.items() if rows}
    return (condense(judged) if policy.unjudged == "condense" else judged), counts


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
    unlisted = users[np.flatnonzero(Known(seen).rows_of(users, "query") < 0)]
    if seen.is_text and not unlisted.is_text:
        unlisted = Ids.of_strings([str(user) for user in unlisted.tolist()])
    return _empty_lists(to_same_kind(unlisted, seen, "query")[0], np.full(len(unlisted), -1, np.int64), pool)


def _empty_lists(queries: Ids, pool_row: np.ndarray, pool: Pool) -> Judged:
    nothing = np.empty(0)
    extra = dict.fromkeys(EXTRA, nothing)
    none = Ranked(
        len(pool_row), NO_ROWS, NO_ROWS, nothing, item=NO_ROWS, score=nothing, pool_row=NO_ROWS, extra=extra
    )
    lengths = np.zeros(len(pool_row), np.int64)
    return Judged(queries, pool_row, none, lengths, pool, shown=none, in_run=False, parts=lengths)


def _same_kinds(
    lists: Lists, pool: Pool, counts: dict[str, int], *, with_items: bool = True
) -> tuple[Lists, Pool]:
    """Convert the ids of both sides to one kind, if the text of one is the plain decimal form of integers."""
    if len(pool.offsets) < 2 or not lists.rows:
        return lists, pool
    if (pool.queries.ids.is_text and not lists.queries.is_text) or (
        with_items and pool.items.is_text and not lists.items.is_text
    ):
        pool = pool.in_integers()
        counts["judgement ids read as integers"] = 1
    queries, queries_changed = to_same_kind(lists.queries, pool.queries.ids, "query")
    items, items_changed = (
        to_same_kind(lists.items, pool.items, "item") if with_items else (lists.items, False)
    )
    counts["run ids read as integers"] = queries_changed * len(queries) + items_changed * len(items)
    return replace(lists, queries=queries, items=items), pool


def _equal_ranks_by_score(lists: Lists, given: np.ndarray) -> Lists:
    """The lists with rows of one rank in the order of the scores beside the ranks, where these say the same; what is equal in both stays tied."""
    query, key = owners(lists.offsets), lists.score
    rows = np.lexsort((-given.astype(np.float64), -key, query))
    above, below = rows[:-1], rows[1:]
    is_tied = (query[above] == query[below]) & (key[above] == key[below])
    if not is_tied.any():
        return lists
    # where another rank has a better score, as distances have, scores say nothing of equal ranks
    against = (query[above] == query[below]) & ~is_tied & (given[below] > given[above])
    is_alike = ~np.isin(query[above], query[above][against])
    place = np.zeros(len(rows))
    place[below] = np.cumsum(~is_tied | (is_alike & (given[above] != given[below])))
    return replace(lists, score=-place)


def _with_scores(lists: Lists, asked: Asked) -> Lists:
    """The lists with the scores given for metrics of scores, and in the precision of the policy."""
    if "score" in asked.needs:
        lists = replace(lists, given=_scores(lists, asked))
    if asked.policy.scores == "single" and not lists.by_rank:
        with np.errstate(over="ignore"):  # values beyond single precision become infinite, as in C
            lists = replace(lists, score=lists.score.astype(np.float32).astype(np.float64))
    return lists


def _scores(lists: Lists, asked: Asked) -> np.ndarray:
    """The scores as given in the run."""
    if not lists.by_rank:
        return lists.score
    if lists.given is None:
        raise DataError(
            f"{lists.place(0)}: the run has an order but no scores, and {asked.by_need.get('score', 'a metric')} reads them. Add a score "
            f"column, such as the predicted rating, or use {{query: {{item: score}}}}."
        )
    return np.asarray(lists.given, np.float64)


def _break_ties(
    given: Lists,
    pool_row: np.ndarray,
    pool: Pool,
    how: Literal["best", "worst"],
    groups: Groups | None,
    counts: dict[str, int],
) -> Lists:
    """The lists with ties broken by grade, best or worst first; copies of an item, and items of a group, get the same grade."""
    if not given.rows:
        return given
    lists = given
    if groups is not None:
        lists = replace(given, items=groups.groups_of(given.items, given.place)[0])
        lists, pool = (
            _same_kinds(lists, pool, {}) if lists.items.is_text != pool.items.is_text else (lists, pool)
        )
    marks = np.zeros(lists.rows, np.uint8)
    _, rows, pooled, _ = _hits(lists, pool_row, pool, marks)
    grade = np.full(lists.rows, np.nan)
    grade[rows] = pool.grades[pooled]
    # only one copy of an item was matched; fmax passes NaN over
    copies, firsts = match.repeats(lists.offsets, *lists.items.columns)
    np.fmax.at(grade, firsts, grade[copies])
    grade[copies] = grade[firsts]
    # equal grades of a tie are in the default order, so best and worst are one order each
    base = np.arange(lists.rows)
    order.sort(base, lists.offsets, lists.score, *given.items.columns, order.TIE_RULES["item-desc"])
    # the sign makes the worst first; reduceat looks at each group of ties once
    level = levels(grade, pool.scale)[base] * (1.0 if how == "best" else -1.0)
    heads, sizes = _tied_groups(lists.score[base], lists.offsets)
    differ = np.maximum.reduceat(level, heads) != np.minimum.reduceat(level, heads)
    queries = np.searchsorted(lists.offsets, heads[differ], side="right")
    counts[UNDECIDED] = int(np.count_nonzero(np.diff(queries, prepend=-1)))
    place = np.empty(lists.rows)
    start, width = (np.repeat(column, sizes) for column in (heads, sizes))
    place[base] = ranks_by_level(level, heads, start, width, np.arange(lists.rows))
    # places as scores, of which none are equal: what follows needs no rule of its own for these ties
    return replace(given, score=-place)


def _tied_groups(score: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each group of equal scores begins in ordered lists, and its size."""
    fresh = np.ones(len(score), np.bool_)
    fresh[1:] = score[1:] != score[:-1]
    fresh[offsets[:-1][np.diff(offsets) > 0]] = True  # an empty list begins at a row of another
    heads = np.flatnonzero(fresh)
    return heads, np.diff(np.append(heads, len(score)))


def _first_rows(lists: Lists, rule: int, depth: int) -> Lists:
    """The rows of each list down to rank ``depth``."""
    rows = np.arange(lists.rows)
    if lists.ranks is None:
        order.sort(rows, lists.offsets, lists.score, *lists.items.columns, rule)
        rows_within = np.sort(rows[places_of(np.diff(lists.offsets)) <= depth])
    else:
        rows_within = np.flatnonzero(lists.ranks <= depth)
    return lists.only(rows_within)


def _match(
    lists: Lists,
    pool_row: np.ndarray,
    pool: Pool,
    policy: Policy,
    counts: dict[str, int],
    matches: Matches | None,
) -> tuple[Matches, np.ndarray, np.ndarray]:
    """The judged items of each list, a mark for each row that is left out (or none), and the lengths of the lists."""
    if matches is None:
        matches = _hits(lists, pool_row, pool, NO_TEXT)
    lengths = lists.offsets[1:] - lists.offsets[:-1]
    first, second = matches[3]
    if second < 0:
        return matches, NO_TEXT, lengths
    if policy.duplicates == "error":
        raise lists.repeat_error(first, second)
    if policy.ties == "expected" and policy.duplicates != "drop":
        raise DataError(
            f"{lists.place(second)}: the item is repeated in its list; ties='expected' is undefined for a "
            f"later copy that keeps its rank. Set duplicates='drop'."
        )
    # a second pass, which marks the copies: the first one writes nothing per row, and is enough for most runs
    lost = np.zeros(lists.rows, np.uint8)
    matches = _hits(lists, pool_row, pool, lost)
    counts[COPIES] = int(lost.sum())
    if policy.duplicates == "each":
        return _with_copies(lists, matches), NO_TEXT, lengths
    if policy.duplicates != "drop":
        return matches, NO_TEXT, lengths
    until = offsets_of(lost)
    return matches, lost, lengths - (until[lists.offsets[1:]] - until[lists.offsets[:-1]])


def _without_support_of_copies(lists: Lists, pool_row: np.ndarray, pool: Pool) -> Lists:
    """The same lists, in which a later copy of an item gains nothing; one that nobody judged stays so."""
    lost, support = np.zeros(lists.rows, np.uint8), lists.extra["support"]
    _hits(lists, pool_row, pool, lost)
    assert isinstance(support, np.ndarray)
    return replace(lists, extra={**lists.extra, "support": np.where(lost == 1, 0 * support, support)})


def _hits(lists: Lists, pool_row: np.ndarray, pool: Pool, lost: np.ndarray) -> Matches:
    return match.hits(
        lists.offsets, lists.score, *lists.items.columns, pool_row, pool.offsets, *pool.items.columns, lost
    )


def _with_copies(lists: Lists, matches: Matches) -> Matches:
    """The same matches and those of the other copies of each judged item."""
    _, rows, pooled, pair = matches
    judged = np.full(lists.rows, -1, np.int64)
    judged[rows] = pooled
    copies, firsts = match.repeats(lists.offsets, *lists.items.columns)
    np.maximum.at(judged, firsts, judged[copies])  # any one of the copies was matched
    judged[copies] = judged[firsts]
    rows = np.flatnonzero(judged >= 0)
    return owners_of(np.diff(lists.offsets))[rows], rows, judged[rows], pair


def _rank_hits(
    lists: Lists,
    rule: int,
    left_out: np.ndarray,
    matches: Matches,
    pool: Pool,
    needs: frozenset[str],
) -> tuple[Ranked, Ties]:
    """The hits of each list with their ranks, in rank order, on request with scores and rows of the pool; and their tie groups."""
    query, rows, pooled, _ = matches
    n, place = len(lists.offsets) - 1, None
    rank, start, size = ranks.ranks(
        lists.offsets, lists.score, *lists.items.columns, rule, left_out, query, rows, pooled
    )
    if lists.ranks is not None and len(rows):
        place, rank = rank, lists.ranks[rows]
        start = rank  # no rank is given twice, so each row is a group of its own
    score = None
    if "score" in needs:
        score = (lists.score if lists.given is None else lists.given)[rows]
    pool_row = pooled if needs_pool_row(pool, needs) else None
    return Ranked(n, query, rank, pool.grades[pooled], score=score, place=place, pool_row=pool_row), (
        start,
        size,
    )


def own_rows(lists: Lists) -> np.ndarray:
    """Return the rows whose item is the query of their list; text and integers are the same id if the decimal text is."""
    queries, items, lengths = lists.queries, lists.items, np.diff(lists.offsets)
    if not lists.rows:
        return NO_ROWS
    is_plain = np.ones(len(queries), np.bool_)
    if queries.is_text and not items.is_text:
        numbers, is_plain = as_integers(queries)
        queries = Ids.of_integers(numbers)
    elif items.is_text and not queries.is_text:
        queries = Ids.of_strings([str(query) for query in queries.tolist()])
    rows = np.flatnonzero(items.keys == np.repeat(queries.keys, lengths))
    if not len(rows):
        return NO_ROWS
    # right, as of several lists that begin at a row only the last one has it
    owner = np.searchsorted(lists.offsets, rows, side="right") - 1
    if not items.is_text:
        return rows[is_plain[owner]]
    # keys of text are hashes, which are equal for other texts once in 2**64 pairs
    both = Ids.concatenate([own_text(queries[owner]), own_text(items[rows])])
    codes, _ = both.group()
    return rows[codes[: len(rows)] == codes[len(rows) :]]


def without_own(lists: Lists, policy: Policy, counts: dict[str, int]) -> Lists:
    """Return lists without the rows whose item is the query; of a list that had one, what stays is ranked 1 to n.

    A rank that such a list gives twice stays given twice.
    """
    own = own_rows(lists)
    if not len(own):
        return lists
    counts[OWN] = len(own)
    fewer = lists.only(np.delete(np.arange(lists.rows), own))
    if lists.against_score:
        assert fewer.given is not None
        counts[AGAINST] = contradictions(fewer.offsets, fewer.score, fewer.given)
    if lists.has_ranks and policy.ranks == "given":
        is_shorter = np.diff(fewer.offsets) < np.diff(lists.offsets)
        counts[CLOSED] = int(np.count_nonzero(is_shorter))
        if fewer.ranks is not None:
            fewer.ranks = _close_ranks(fewer.ranks, owners(fewer.offsets), is_shorter)
    return fewer


def _close_ranks(ranks: np.ndarray, query: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The ranks, where those of some lists are numbered 1 to n in their order; equal ones stay equal."""
    rows = np.flatnonzero(chosen[query])
    rows = rows[np.lexsort((ranks[rows], query[rows]))]
    own, ranks_of_rows = query[rows], ranks[rows]
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = (own[1:] != own[:-1]) | (ranks_of_rows[1:] != ranks_of_rows[:-1])
    # equal ranks get the place of the first of them, counted from the beginning of their list
    heads = np.maximum.accumulate(np.where(is_first, np.arange(len(rows)), 0))
    closed = ranks.copy()
    closed[rows] = heads - np.searchsorted(own, own) + 1
    return closed


class WrongRanks(DataError):
    """A rank column that cannot count: where, what is wrong, and the remedy."""

    place: str
    what: Composed
    remedy: str

    @classmethod
    def at(cls, place: str, what: Composed, remedy: str) -> Self:
        """Return the error at a place."""
        error = cls(f"{place}: {what}. {remedy}, {OR_CLOSED}.")
        error.place, error.what, error.remedy = place, what, f"{remedy}, {OR_CLOSED}."
        return error


class RanksBeginAtZero(WrongRanks):
    """A rank of 0, where the batches before had none: the ranks of the whole run begin at 0."""


def with_ranks(lists: Lists, asked: Asked) -> Lists:
    """Return lists that have ranks of their own with these, from 1; without them if they say no more than the order.

    RanksBeginAtZero if they begin at 0, and this was not known; WrongRanks if a rank is not a whole number, or below the first one.
    """
    stated = lists.rank_base if asked.rank_base is None else asked.rank_base
    base = 1 if stated is None else stated
    # Ranks 1 to n are the usual case. Where copies are dropped, the numbers of the rows that stay are looked at later.
    if asked.policy.duplicates != "drop" and kernel.are_closed(lists.offsets, lists.score, base):
        return lists
    stated_ranks = -lists.score  # rows by rank are ordered by minus their rank
    ranks = np.rint(stated_ranks)
    if len(wrong := np.flatnonzero((ranks != stated_ranks) | (np.abs(stated_ranks) > MOST))):
        row = int(wrong[0])
        what = Composed("the rank {rank} is not a whole number", rank=brief(float(stated_ranks[row])))
        raise WrongRanks.at(lists.place(row), what, _or_by_score(NUMBERED, lists))
    if len(low := np.flatnonzero(ranks < base)):
        row = int(low[0])
        kind = RanksBeginAtZero if stated is None and ranks.min() == 0 else WrongRanks
        what = Composed(
            "the rank is {rank:g}; ranks begin at {base}", rank=float(stated_ranks[row]), base=base
        )
        raise kind.at(lists.place(row), what, _or_by_score(NUMBERED, lists))
    return replace(lists, ranks=ranks.astype(np.int64) + (1 - base))


def number_given(lists: Lists, left_out: np.ndarray, policy: Policy, counts: dict[str, int]) -> Lists:
    """Return the lists with their ranks where these say more than their order, as some list has a gap; count such lists.

    Lists without the copies of items (``duplicates='drop'``) are numbered 1 to n. WrongRanks if a list gives a rank twice.
    """
    assert lists.ranks is not None
    rows = np.arange(lists.rows) if not len(left_out) else np.flatnonzero(left_out == 0)
    query, ranks = owners(lists.offsets)[rows], lists.ranks[rows]
    if not np.all((query[1:] > query[:-1]) | (ranks[1:] > ranks[:-1])):
        order = np.lexsort((ranks, query))
        rows, query, ranks = rows[order], query[order], ranks[order]
        if len(again := np.flatnonzero((query[1:] == query[:-1]) & (ranks[1:] == ranks[:-1]))):
            raise _same_rank_error(lists, int(rows[again[0]]), int(rows[again[0] + 1]))
    # the last rank of a list without gaps is the number of its rows
    last = np.flatnonzero(np.append(query[1:] != query[:-1], len(query) > 0))
    gaps = int(np.count_nonzero(ranks[last] > np.diff(last, prepend=-1)))
    counts["lists with gaps in their ranks"] = gaps
    firsts = np.append(0, last[:-1] + 1) if len(last) else last
    if headless := int(np.count_nonzero(ranks[firsts] > 1)):
        counts[HEADLESS] = headless
    if policy.unjudged == "condense":
        counts["lists with gaps, numbered 1 to n by unjudged='condense'"] = gaps
    if policy.duplicates == "drop":
        counts["lists with gaps, numbered 1 to n by duplicates='drop'"] = gaps
    return lists if gaps and policy.duplicates != "drop" else replace(lists, ranks=None)


def _same_rank_error(lists: Lists, first: int, second: int) -> WrongRanks:
    query = int(np.searchsorted(lists.offsets, second, side="right")) - 1
    what = Composed(
        "query {query} gives a rank twice (first: {first})",
        query=brief(lists.queries.one(query)),
        first=lists.place(first),
    )
    return WrongRanks.at(lists.place(second), what, _or_by_score("Give each item a rank of its own", lists))


def _or_by_score(remedy: str, lists: Lists) -> str:
    """The remedy, and that of lists whose scores decide while their ranks are all alike."""
    return remedy if lists.given is None else f"{remedy}, leave the rank column out if the scores decide"


def whole_lists(
    lists: Lists,
    rule: int,
    left_out: np.ndarray,
    matches: Matches,
    pool_row: np.ndarray,
    pool: Pool,
    asked: Asked,
    context: Context,
    counts: dict[str, int],
) -> Ranked:
    """Return the whole lists in rank order down to the deepest rank needed; unjudged rows have grade NaN."""
    needs = asked.needs
    most = lists.rows if asked.deepest is None else asked.deepest
    rows, lengths = order.tops(lists.offsets, lists.score, *lists.items.columns, rule, left_out, most)
    _, hits, pooled, _ = matches
    query: np.ndarray | None = None
    rank: np.ndarray | None = None
    if lists.ranks is not None:
        within = slice(None) if asked.deepest is None else np.flatnonzero(lists.ranks[rows] <= asked.deepest)
        rows, query = rows[within], owners_of(lengths)[within]
        rank, lengths = lists.ranks[rows], np.bincount(query, minlength=len(lengths))
    whole = Ranked(
        len(lengths),
        query,
        rank,
        _at_rows(rows, lists.rows, hits, pool.grades[pooled], np.nan),
        score=lists.given[rows] if "score" in needs and lists.given is not None else None,
        pool_row=_at_rows(rows, lists.rows, hits, pooled, -1) if needs_pool_row(pool, needs) else None,
        counts=lengths,
        extra={word: column[rows] for word, column in lists.extra.items() if isinstance(column, np.ndarray)}
        if lists.extra
        else None,
    )
    if context.catalogue is not None:
        whole.item = _items(lists, rows, whole, pool_row, asked.policy, context, counts)
    return whole


def _unfolded(
    lists: Lists, rule: int, pool_row: np.ndarray, pool: Pool, asked: Asked, context: Context
) -> Ranked:
    """The whole lists of rows that are named after their groups, of which the first of each group alone is held against judgements."""
    if lists.items.is_text != pool.items.is_text:
        lists, pool = _same_kinds(lists, pool, {})
    matches = _hits(lists, pool_row, pool, np.zeros(lists.rows, np.uint8))
    if lists.ranks is not None:
        lists = number_given(lists, NO_TEXT, asked.policy, {})
    return whole_lists(lists, rule, NO_TEXT, matches, pool_row, pool, asked, context, {})


def _items(
    lists: Lists,
    rows: np.ndarray,
    whole: Ranked,
    pool_row: np.ndarray,
    policy: Policy,
    context: Context,
    counts: dict[str, int],
) -> np.ndarray:
    """The row of the catalogue of each item shown, -1 for those outside, which are counted or refused."""
    assert context.catalogue is not None
    item = context.catalogue.rows_of(lists.items[rows], "item")
    outside = np.flatnonzero(item < 0) if item.min(initial=0) < 0 else NO_ROWS
    if len(outside) and policy.population == "judged":
        outside = outside[pool_row[whole.query[outside]] >= 0]
    if len(outside) and policy.outside == "error" and context.items is not None:
        row = int(rows[outside[0]])
        raise DataError(
            f"{lists.place(row)}: item {brief(lists.items.one(row))} is not in the catalogue ({len(outside)} such rows "
            f"here). Complete items=, or set outside='ignore' to leave such items out and count them."
        )
    what = "rows outside the catalogue" if context.items is not None else "rows of items missing from train"
    counts[what] = len(outside)
    return item


def needs_pool_row(pool: Pool, needs: frozenset[str]) -> bool:
    """Return whether rows must know their judgement, to find topics, propensities or features of the item."""
    return pool.is_wider or "judgement" in needs


def _at_rows(
    rows: np.ndarray, n: int, filled: np.ndarray, values: np.ndarray, otherwise: float
) -> np.ndarray:
    """Selected rows of a column of length ``n`` with ``values`` in the rows ``filled`` and ``otherwise`` elsewhere."""
    if not len(filled):  # no row is judged: one value for all takes no memory
        return np.broadcast_to(otherwise, len(rows))
    column = np.full(n, otherwise)
    column[filled] = values
    return column[rows]
