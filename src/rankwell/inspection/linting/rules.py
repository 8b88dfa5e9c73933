"""Rules about runs and judgements by themselves; each is a function of the data that yields what it found."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from rankwell.display.findings import Finding
from rankwell.display.text import Composed
from rankwell.errors import UsageError, brief
from rankwell.inspection.linting.data import (
    LintData,
    MarkedRows,
    QrelsData,
    RunData,
    common,
    inside,
    order_rows,
    ranks_and_scores,
    rows_of,
    with_scores,
    without,
)
from rankwell.kernels import match
from rankwell.kernels import rank_columns as kernel
from rankwell.matching.lists import WrongRanks, number_given, own_rows, with_ranks
from rankwell.matching.policy import Asked, Policy
from rankwell.matching.pool import refuse_ungraded
from rankwell.readers.frames.columns import quoted
from rankwell.tables.ids import NO_TEXT, Ids, Known
from rankwell.tables.lists import NO_ROWS, distinct, owners
from rankwell.tables.rows import Lists
from rankwell.tables.run_qrels import Qrels, Run

ASCENDING = 0.9  # share of neighbours with rising scores from which the whole column is taken to be distances


def columns(data: LintData) -> Iterator[Finding]:
    """Columns of the tables that are not read, and one that may hold the grades that are missing."""
    tables: list[Run | Qrels] = [run.run for run in data.runs]
    if data.qrels is not None:
        tables.append(data.qrels.qrels)
        if data.qrels.qrels.grade is None:
            try:
                refuse_ungraded(data.qrels.qrels, Asked(data.settings.policy))
            except UsageError as error:
                what, _, remedy = str(error).removeprefix(f"{data.qrels.name}: ").partition("? ")
                yield Finding("columns", "error", data.qrels.name, what, remedy)
    for table in tables:
        if names := [column.name for column in table.unread]:
            yield Finding(
                "unread-columns", "note", table.name, Composed("columns that are not read: {columns}", columns=quoted(names)),
                _named(table, names[0]), len(names),
            )  # fmt: skip


def _named(table: Run | Qrels, name: str) -> str:
    """What to type if a column is meant."""
    option, word = ("--qrels-columns", "grade") if isinstance(table, Qrels) else ("--columns", "score")
    return f"If one of them is meant, say what it holds, such as {option} {shlex.quote(f'{name}={word}')}."


def duplicates(data: LintData) -> Iterator[Finding]:
    """Items that stand twice in a list, and items that are judged twice."""
    for run in data.runs:
        drops_own = data.settings.policy.drop_own_query
        copies = run.mark(_again, drops_own)
        if copies is not None:
            first = int(_copies(copies.lists, drops_own)[1][0])
            value_first, value_drop = (data.value(run, duplicates=rule) for rule in ("first", "drop"))
            yield Finding(
                "duplicates", "error", copies.place,
                Composed(
                    "query {query} lists item {item} twice (first: {first}); {rows} repeat{s} an item",
                    query=copies.query, item=copies.item, first=copies.lists.place(first), rows=rows_of(copies.count),
                    s="s" * (copies.count == 1),
                ),
                "Remove the copies, or say --duplicates first or drop.", copies.count,
                data.change(value_first, value_drop, Composed("from later copies that keep their rank (first) to none (drop)")),
            )  # fmt: skip
    if data.qrels is not None:
        yield from _judged_twice(data.qrels)


def _copies(lists: Lists, drops_own: bool) -> tuple[np.ndarray, np.ndarray]:
    """The rows whose item has an earlier row in the list, and that row; without the query's own if these are left out."""
    again, firsts = match.repeats(lists.offsets, *lists.items.columns)
    if drops_own:
        is_copy = ~np.isin(again, own_rows(lists))
        return again[is_copy], firsts[is_copy]
    return again, firsts


def _again(lists: Lists, drops_own: bool) -> np.ndarray:
    return _copies(lists, drops_own)[0]


def _judged_twice(qrels: QrelsData) -> Iterator[Finding]:
    again, firsts = match.repeats(qrels.offsets, *qrels.items.columns)
    if qrels.qrels.subgroup is not None:
        return  # one row per subgroup is no copy
    if qrels.qrels.topic is not None and len(again):
        topic = qrels.qrels.topic.group()[0][qrels.rows]
        if len(distinct(topic)) > 1:
            return  # one row per topic is no copy
    # copies that agree change nothing; those that differ make the value depend on the one that is taken
    grade = qrels.qrels.grade
    if len(again):
        grades = np.ones(len(qrels.rows)) if grade is None else grade[qrels.rows]
        differ = int(np.count_nonzero(grades[again] != grades[firsts]))
        row = int(again[0])
        yield Finding(
            "duplicates", "error" if differ else "warning", qrels.place(row),
            Composed(
                "item {item} is judged twice for its query (first: {first}); {rows} repeat{s} an item, {n} with another grade",
                item=brief(qrels.items.one(row)), first=qrels.place(int(firsts[0])), rows=rows_of(len(again)),
                s="s" * (len(again) == 1), n=differ,
            ),
            "Remove the copies, or say --duplicate-grades max or last.", len(again),
        )  # fmt: skip


def own_queries(data: LintData) -> Iterator[Finding]:
    """Lists that hold their own query as an item: the document that was searched with, found again."""
    for run in () if data.settings.policy.drop_own_query else data.runs:
        own = run.mark(own_rows)
        if own is not None and 2 * own.count >= len(run.queries):
            dropped = data.value(run, drop_own_query=True)
            yield Finding(
                "own-query", "note", own.place,
                Composed("{rows} of {n:,} lists hold the query itself as an item", rows=rows_of(own.count), n=len(run.queries)),
                "If queries are documents of the collection, say --drop-own-query, as BEIR does.", own.count,
                data.change(data.value(run), dropped, Composed("with --drop-own-query")),
            )  # fmt: skip


def ranks_against_scores(data: LintData) -> Iterator[Finding]:
    """Rows of a better rank but a lower score than the row below, and scores that grow down the whole list."""
    for run in data.runs:
        rising, grown = run.mark(_contradicting), run.mark(_grown)
        if not run.has_both:
            yield from _rising(data, run, grown)
            continue
        if rising is None:
            continue
        neighbours = run.n_rows - len(run.queries)
        by_rank, by_score = (
            data.value(run, change=change) for change in ((with_scores, _key), (with_scores, _score))
        )
        share = rising.count / neighbours
        rule = (
            Composed("the rank decides")
            if run.by_rank
            else Composed("the score decides, the rank is ignored")
        )
        values = (by_rank, by_score) if run.by_rank else (by_score, by_rank)
        yield Finding(
            "score-direction" if share > ASCENDING else "ranks-against-scores", "error" if share > ASCENDING else "warning",
            rising.place,
            Composed(
                "the score is higher than that of the better rank above; {n:,} of {of:,} neighbours contradict ({rule})",
                n=rising.count, of=neighbours, rule=rule,
            ),
            "If low scores are better (distances), negate them; else write ranks and scores that agree.",
            rising.count,
            data.change(*values, Composed("if the other column decides")),
        )  # fmt: skip


def _key(lists: Lists) -> np.ndarray:
    return (ranks_and_scores(lists) or (lists.score,))[0]


def _score(lists: Lists) -> np.ndarray:
    return (ranks_and_scores(lists) or (lists.score,))[-1]


def _negated(lists: Lists) -> np.ndarray:
    return -lists.score


def _contradicting(lists: Lists) -> np.ndarray:
    """Rows with a higher score than the row of the next better rank."""
    both = ranks_and_scores(lists)
    if both is None:
        return NO_ROWS
    key, score = both
    rows = order_rows(lists, key)
    score = score if rows is None else score[rows]
    below = np.flatnonzero((score[1:] > score[:-1]) & inside(lists)) + 1
    return below if rows is None else rows[below]


def _grown(lists: Lists) -> np.ndarray:
    """Rows with a higher score than the row above."""
    return np.flatnonzero((lists.score[1:] > lists.score[:-1]) & inside(lists)) + 1


def _rising(data: LintData, run: RunData, rows: MarkedRows | None) -> Iterator[Finding]:
    """Scores that grow from row to row, in a file without ranks."""
    if run.by_rank:
        return
    neighbours = run.n_rows - len(run.queries)
    if rows is not None and neighbours > 1 and rows.count > ASCENDING * neighbours:
        # what the metric would be the other way round: the reader sees which way is meant
        effect = data.change(
            data.value(run),
            data.value(run, change=(with_scores, _negated)),
            Composed("if low scores are better"),
        )
        yield Finding(
            "score-direction", "warning", rows.place,
            Composed("scores grow down the lists ({n:,} of {of:,} neighbours)", n=rows.count, of=neighbours),
            "If low scores are better (distances), negate them.", rows.count, effect,
        )  # fmt: skip


def infinite_scores(data: LintData) -> Iterator[Finding]:
    """Scores that are infinite: they are tied with each other."""
    for run in data.runs:
        infinite = run.mark(_infinite)
        if infinite is not None and not run.by_rank:
            yield Finding(
                "infinite-scores", "warning", infinite.place,
                Composed("the score is infinite; {rows}, all tied with each other", rows=rows_of(infinite.count)),
                "Leave such items out of the lists, or give them a finite score.", infinite.count,
                data.change(data.value(run), data.value(run, change=(without, _infinite)), Composed("without them")),
            )  # fmt: skip


def _infinite(lists: Lists) -> np.ndarray:
    return np.flatnonzero(np.isinf(lists.score))


def near_ties(data: LintData) -> Iterator[Finding]:
    """Neighbouring scores that differ in double precision and are equal in single, as trec_eval 9 reads them."""
    for run in data.runs:
        tied = run.mark(_nearly_tied)
        if tied is not None and not run.by_rank:
            yield Finding(
                "near-ties", "note", tied.place,
                Composed("{rows} differ from the one above only beyond single precision", rows=rows_of(tied.count)),
                "Tools that read scores as 32-bit numbers (trec_eval 9, pytrec_eval) see ties here; --scores single does the same.",
                tied.count,
                data.change(
                    data.value(run, scores="double"), data.value(run, scores="single"), Composed("with --scores single")
                ),
            )  # fmt: skip


def _nearly_tied(lists: Lists) -> np.ndarray:
    """Rows whose score differs from that of the row above, in the order of scores, only beyond single precision."""
    rows = order_rows(lists, lists.score)
    score = lists.score if rows is None else lists.score[rows]
    # rounded to 32 bits as trec_eval 9 reads them, these rows are tied, and the id decides
    with np.errstate(over="ignore"):
        single = score.astype(np.float32)
    below = np.flatnonzero((single[1:] == single[:-1]) & (score[1:] != score[:-1]) & inside(lists)) + 1
    return below if rows is None else rows[below]


def white_space(data: LintData) -> Iterator[Finding]:
    """White space at the beginning or the end of ids: they match nothing."""
    for run in data.runs:
        items = None if run.is_trec else run.mark(_padded_items)  # words of a line have none
        if items is not None:
            yield _padded(items.place, items.item, items.count)
        yield from _padded_ids(run.queries, run.place_of_list)
    if data.qrels is not None:
        yield from _padded_ids(data.qrels.items, data.qrels.place)
        yield from _padded_ids(data.qrels.queries.ids, data.qrels.place_of_query)


def _padded_items(lists: Lists) -> np.ndarray:
    return _with_white_space(lists.items)


def _padded_ids(ids: Ids, place: Callable[[int], str]) -> Iterator[Finding]:
    rows = _with_white_space(ids)
    if len(rows):
        yield _padded(place(int(rows[0])), brief(ids.one(int(rows[0]))), len(rows))


def _with_white_space(ids: Ids) -> np.ndarray:
    """The rows of ids that begin or end with white space."""
    if not ids.is_text or not len(ids):
        return NO_ROWS
    rows = np.flatnonzero(ids.lengths > 0)  # an empty id may begin where the text has ended
    starts = ids.starts[rows]
    first, last = ids.text[starts], ids.text[starts + ids.lengths[rows] - 1]
    return rows[(first <= 32) | (last <= 32)]  # ASCII has no white space above the byte of a space


def _padded(place: str, item: str, count: int) -> Finding:
    return Finding(
        "white-space", "error", place,
        Composed("the id {item} has white space around it; {rows}", item=item, rows=rows_of(count)),
        "Remove it: an id matches only if every byte does.", count,
    )  # fmt: skip


def coverage(data: LintData) -> Iterator[Finding]:
    """Runs that cover different queries: their means are over different things."""
    first, *others = data.runs or (None,)
    if first is None:
        return
    queries = Known(first.queries)
    for run in others:
        places = common(run.queries, queries)
        if places is None:
            continue
        missing, only_first = (
            int(np.count_nonzero(places < 0)),
            len(queries) - int(np.count_nonzero(places >= 0)),
        )
        if missing or only_first:
            yield Finding(
                "different-queries", "warning", run.name,
                Composed(
                    "{there:,} queries are only in {first}, {here:,} only in {second}",
                    there=only_first, first=first.name, here=missing, second=run.name,
                ),
                "Compare means over the same queries: complete the runs, or cut both to the common ones.", missing + only_first,
            )  # fmt: skip


def rank_columns(data: LintData) -> Iterator[Finding]:
    """Ranks that are not whole numbers or are given twice, and lists with gaps: their items count at the rank given."""
    # rules that close gaps of their own accord are off: only the gaps of the file are of interest
    policy = replace(data.settings.policy, ranks="given", duplicates="error", unjudged="nonrelevant")
    for run in data.runs:
        if run.mark(_ranks_beyond_the_order) is None:
            continue
        # a rank that is given twice, or left out, is one of the whole run: this rule alone holds it
        try:
            lists = ranked_as_given(run, policy)
        except WrongRanks as error:
            yield Finding("ranks", "error", error.place, error.what, error.remedy)
            continue
        if lists.ranks is None:
            continue
        # the highest rank of each list, against its number of rows
        last = np.zeros(len(lists.offsets) - 1, np.int64)
        np.maximum.at(last, owners(lists.offsets), lists.ranks)
        rows = np.diff(lists.offsets)
        short = np.flatnonzero(last > rows)
        first = int(short[0])
        value_given, value_closed = (data.value(run, ranks=rule) for rule in ("given", "closed"))
        yield Finding(
            "rank-gaps", "warning", run.lists.place(int(lists.offsets[first])),
            Composed(
                "{n:,} of {of:,} lists leave ranks out (this one has {rows:,} rows and ends at rank {last:,})",
                n=len(short), of=len(rows), rows=int(rows[first]), last=int(last[first]),
            ),
            "If items were removed after ranking, number the lists anew or say --ranks closed; else this is what users saw.",
            len(short),
            data.change(value_given, value_closed, Composed("with --ranks closed")),
        )  # fmt: skip


def _ranks_beyond_the_order(lists: Lists) -> np.ndarray:
    """The first row of lists whose ranks say more than their order."""
    base = 1 if lists.rank_base is None else lists.rank_base
    says_no_more = not lists.has_ranks or kernel.are_closed(lists.offsets, lists.score, base)
    return NO_ROWS if says_no_more else np.zeros(1, np.int64)


def ranked_as_given(run: RunData, policy: Policy) -> Lists:
    """Return the lists of a run with the ranks that they give, where some list has a gap.

    Raises
    ------
    WrongRanks
        If the ranks cannot count.
    """
    if not run.lists.has_ranks:
        return run.lists
    lists = with_ranks(run.lists, Asked(policy))
    return lists if lists.ranks is None else number_given(lists, NO_TEXT, policy, Counter())


RULES: tuple[Callable[[LintData], Iterator[Finding]], ...] = (
    columns, duplicates, own_queries, ranks_against_scores, infinite_scores, near_ties, white_space, coverage,
)  # fmt: skip


RANK_RULES: tuple[Callable[[LintData], Iterator[Finding]], ...] = (rank_columns,)
