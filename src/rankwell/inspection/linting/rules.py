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
    QrelsData,
    RunData,
    common,
    inside,
    mark_rows,
    order_rows,
)
from rankwell.kernels import match
from rankwell.kernels import rank_columns as kernel
from rankwell.matching.asked import Asked
from rankwell.matching.lists import WrongRanks, number_given, own_rows, with_ranks
from rankwell.matching.policy import Policy
from rankwell.matching.pool import refuse_ungraded
from rankwell.readers.frames.columns import quoted
from rankwell.tables.csr import distinct, owners
from rankwell.tables.ids import NO_TEXT, Ids, Known
from rankwell.tables.ranked import NO_ROWS
from rankwell.tables.rows import Lists
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.workers import on_all_cores

ASCENDING = 0.9


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
        repeats = on_all_cores(_repeats, run.batches)
        if data.settings.policy.drop_own_query:
            others = [
                ~np.isin(again, own_rows(lists))
                for lists, (again, _) in zip(run.batches, repeats, strict=True)
            ]
            repeats = [(again[o], firsts[o]) for o, (again, firsts) in zip(others, repeats, strict=True)]
        found = mark_rows(run.batches, [again for again, _ in repeats])
        if found is not None:
            first = next(int(firsts[0]) for again, firsts in repeats if len(again))
            kept, dropped = (data.value(run, duplicates=rule) for rule in ("first", "drop"))
            yield Finding(
                "duplicates", "error", found.place,
                Composed(
                    "query {query} lists item {item} twice (first: {first}); {rows} repeat{s} an item",
                    query=found.query, item=found.item, first=found.lists.place(first), rows=rows_of(found.count),
                    s="s" * (found.count == 1),
                ),
                "Remove the copies, or say --duplicates first or drop.", found.count,
                data.change(kept, dropped, Composed("from later copies that keep their rank (first) to none (drop)")),
            )  # fmt: skip
    if data.qrels is not None:
        yield from _judged_twice(data.qrels)


def _repeats(lists: Lists) -> tuple[np.ndarray, np.ndarray]:
    return match.repeats(lists.offsets, *lists.items.columns)


def own_queries(data: LintData) -> Iterator[Finding]:
    """Lists that hold their own query as an item: the document that was searched with, found again."""
    for run in () if data.settings.policy.drop_own_query else data.runs:
        found = mark_rows(run.batches, on_all_cores(own_rows, run.batches))
        if found is not None and 2 * found.count >= len(run.queries):
            dropped = data.value(run, drop_own_query=True)
            yield Finding(
                "own-query", "note", found.place,
                Composed("{rows} of {n:,} lists hold the query itself as an item", rows=rows_of(found.count), n=len(run.queries)),
                "If queries are documents of the collection, say --drop-own-query, as BEIR does.", found.count,
                data.change(data.value(run), dropped, Composed("with --drop-own-query")),
            )  # fmt: skip


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


def ranks_against_scores(data: LintData) -> Iterator[Finding]:
    """Rows of a better rank but a lower score than the row below, and scores that grow down the whole list."""
    for run in data.runs:
        both = run.ranks_and_scores
        if both is None:
            yield from _rising(data, run)
            continue
        rising = on_all_cores(lambda each: _rising_rows(*each), list(zip(run.batches, both, strict=True)))
        found = mark_rows(run.batches, rising)
        if found is None:
            continue
        neighbours = len(run.rows) - len(run.queries)
        by_rank, by_score = (data.value(run.with_scores(each)) for each in zip(*both, strict=True))
        share = found.count / neighbours
        rule = (
            Composed("the rank decides")
            if run.by_rank
            else Composed("the score decides, the rank is ignored")
        )
        values = (by_rank, by_score) if run.by_rank else (by_score, by_rank)
        yield Finding(
            "score-direction" if share > ASCENDING else "ranks-against-scores", "error" if share > ASCENDING else "warning",
            found.place,
            Composed(
                "the score is higher than that of the better rank above; {n:,} of {of:,} neighbours contradict ({rule})",
                n=found.count, of=neighbours, rule=rule,
            ),
            "If low scores are better (distances), negate them; else write ranks and scores that agree.",
            found.count,
            data.change(*values, Composed("if the other column decides")),
        )  # fmt: skip


def _rising_rows(lists: Lists, ranks_and_scores: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Rows with a higher score than the row of the next better rank."""
    key, score = ranks_and_scores
    rows = order_rows(lists, key)
    score = score if rows is None else score[rows]
    below = np.flatnonzero((score[1:] > score[:-1]) & inside(lists)) + 1
    return below if rows is None else rows[below]


def _rising(data: LintData, run: RunData) -> Iterator[Finding]:
    """Scores that grow from row to row, in a file without ranks."""
    if run.by_rank:
        return
    rises = [np.flatnonzero((x.score[1:] > x.score[:-1]) & inside(x)) + 1 for x in run.batches]
    found, neighbours = mark_rows(run.batches, rises), len(run.rows) - len(run.queries)
    if found is not None and neighbours > 1 and found.count > ASCENDING * neighbours:
        # what the metric would be the other way round: the reader sees which way is meant
        negated = run.with_scores(-lists.score for lists in run.batches)
        effect = data.change(data.value(run), data.value(negated), Composed("if low scores are better"))
        yield Finding(
            "score-direction", "warning", found.place,
            Composed("scores grow down the lists ({n:,} of {of:,} neighbours)", n=found.count, of=neighbours),
            "If low scores are better (distances), negate them.", found.count, effect,
        )  # fmt: skip


def infinite_scores(data: LintData) -> Iterator[Finding]:
    """Scores that are infinite: they are tied with each other."""
    for run in data.runs:
        rows = [np.flatnonzero(np.isinf(lists.score)) for lists in run.batches]
        found = mark_rows(run.batches, rows)
        if found is not None and not run.by_rank:
            yield Finding(
                "infinite-scores", "warning", found.place,
                Composed("the score is infinite; {rows}, all tied with each other", rows=rows_of(found.count)),
                "Leave such items out of the lists, or give them a finite score.", found.count,
                data.change(data.value(run), data.value(run.without(rows)), Composed("without them")),
            )  # fmt: skip


def near_ties(data: LintData) -> Iterator[Finding]:
    """Neighbouring scores that differ in double precision and are equal in single, as trec_eval 9 reads them."""
    for run in data.runs:
        if run.by_rank:
            continue
        found = mark_rows(run.batches, on_all_cores(_nearly_tied, run.batches))
        if found is not None:
            yield Finding(
                "near-ties", "note", found.place,
                Composed("{rows} differ from the one above only beyond single precision", rows=rows_of(found.count)),
                "Tools that read scores as 32-bit numbers (trec_eval 9, pytrec_eval) see ties here; --scores single does the same.",
                found.count,
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
        items = mark_rows(run.batches, on_all_cores(_padded_items, run.batches))
        if items is not None:
            yield _padded(items.place, items.item, items.count)
        yield from _padded_ids(run.queries, run.place_of_list)
    if data.qrels is not None:
        yield from _padded_ids(data.qrels.items, data.qrels.place)
        yield from _padded_ids(data.qrels.queries.ids, _first_of_judged(data.qrels))


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
    return rows[(first <= 32) | (last <= 32)]


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
    known = Known(first.queries)
    for run in others:
        found = common(run.queries, known)
        if found is None:
            continue
        here, there = int(np.count_nonzero(found < 0)), len(known) - int(np.count_nonzero(found >= 0))
        if here or there:
            yield Finding(
                "different-queries", "warning", run.name,
                Composed(
                    "{there:,} queries are only in {first}, {here:,} only in {second}",
                    there=there, first=first.name, here=here, second=run.name,
                ),
                "Compare means over the same queries: complete the runs, or cut both to the common ones.", here + there,
            )  # fmt: skip


def rows_of(count: int) -> Composed:
    """Return a number of rows in words."""
    return Composed("{n:,} row", n=count) if count == 1 else Composed("{n:,} rows", n=count)


def _first_of_judged(qrels: QrelsData) -> Callable[[int], str]:
    return lambda query: qrels.place(int(qrels.offsets[query]))


RULES: tuple[Callable[[LintData], Iterator[Finding]], ...] = (
    columns, duplicates, own_queries, ranks_against_scores, infinite_scores, near_ties, white_space, coverage,
)  # fmt: skip


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


def rank_columns(data: LintData) -> Iterator[Finding]:
    """Ranks that are not whole numbers or are given twice, and lists with gaps: their items count at the rank given."""
    policy = replace(data.settings.policy, ranks="given", duplicates="error", unjudged="nonrelevant")
    for run in data.runs:
        if all(map(_says_no_more_than_the_order, run.batches)):
            continue
        try:
            lists = ranked_as_given(run, policy)
        except WrongRanks as error:
            yield Finding("ranks", "error", error.place, error.what, error.remedy)
            continue
        if lists.ranks is None:
            continue
        last = np.zeros(len(lists.offsets) - 1, np.int64)
        np.maximum.at(last, owners(lists.offsets), lists.ranks)
        rows = np.diff(lists.offsets)
        short = np.flatnonzero(last > rows)
        first = int(short[0])
        given, closed = (data.value(run, ranks=rule) for rule in ("given", "closed"))
        yield Finding(
            "rank-gaps", "warning", run.lists.place(int(lists.offsets[first])),
            Composed(
                "{n:,} of {of:,} lists leave ranks out (this one has {rows:,} rows and ends at rank {last:,})",
                n=len(short), of=len(rows), rows=int(rows[first]), last=int(last[first]),
            ),
            "If items were removed after ranking, number the lists anew or say --ranks closed; else this is what users saw.",
            len(short),
            data.change(given, closed, Composed("with --ranks closed")),
        )  # fmt: skip


def _says_no_more_than_the_order(lists: Lists) -> bool:
    base = 1 if lists.rank_base is None else lists.rank_base
    return not lists.has_ranks or kernel.are_closed(lists.offsets, lists.score, base)


RANK_RULES: tuple[Callable[[LintData], Iterator[Finding]], ...] = (rank_columns,)
