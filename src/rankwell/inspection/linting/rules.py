"""Rules about runs and judgements by themselves; each is a function of the data that yields what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankwell.display.findings import Finding
from rankwell.errors import brief
from rankwell.inspection.linting.data import Data, QrelsData, RunData, common
from rankwell.kernels import match
from rankwell.tables.ids import Ids, Known

ASCENDING = 0.9


def duplicates(data: Data) -> Iterator[Finding]:
    """Items that stand twice in a list, and items that are judged twice."""
    for run in data.runs:
        again, firsts = match.repeats(run.lists.offsets, *run.lists.items.columns)
        if len(again):
            row, first = int(again[0]), int(firsts[0])
            kept, dropped = (data.value(run, duplicates=rule) for rule in ("first", "drop"))
            yield Finding(
                "duplicates", "error", run.lists.place(row),
                f"query {brief(run.lists.queries.one(int(run.list_of[row])))} lists item {brief(run.lists.items.one(row))} twice "
                f"(first: {run.lists.place(first)}); {rows_of(again)} repeat{'s' * (len(again) == 1)} an item",
                "Remove the copies, or say --duplicates first or drop.", len(again),
                data.change(kept, dropped, "from later copies that keep their rank (first) to none (drop)"),
            )  # fmt: skip
    if data.qrels is not None:
        yield from _judged_twice(data.qrels)


def _judged_twice(qrels: QrelsData) -> Iterator[Finding]:
    again, firsts = match.repeats(qrels.offsets, *qrels.items.columns)
    if qrels.qrels.subgroup is not None:
        return  # one row per subgroup is no copy
    if qrels.qrels.topic is not None and len(again):
        topic = qrels.qrels.topic.group()[0][qrels.rows]
        if len(np.unique(topic)) > 1:
            return  # one row per topic is no copy
    grade = qrels.qrels.grade
    if len(again):
        grades = np.ones(len(qrels.rows)) if grade is None else grade[qrels.rows]
        differ = int(np.count_nonzero(grades[again] != grades[firsts]))
        row = int(again[0])
        yield Finding(
            "duplicates", "error" if differ else "warning", qrels.place(row),
            f"item {brief(qrels.items.one(row))} is judged twice for its query (first: {qrels.place(int(firsts[0]))}); "
            f"{rows_of(again)} repeat{'s' * (len(again) == 1)} an item, {differ} with another grade",
            "Remove the copies, or say --duplicate-grades max or last.", len(again),
        )  # fmt: skip


def ranks_against_scores(data: Data) -> Iterator[Finding]:
    """Rows of a better rank but a lower score than the row below, and scores that grow down the whole list."""
    for run in data.runs:
        lists = run.ranked
        given = run.columns.given_score if run.columns.by_rank else run.columns.key
        if lists is None or given is None:
            yield from _rising(data, run)
            continue
        score = run.in_lists(given)
        order = np.lexsort((-lists.score, run.list_of))
        inside = run.list_of[order][1:] == run.list_of[order][:-1]
        rises = inside & (score[order][1:] > score[order][:-1])
        if not rises.any():
            continue
        row = int(order[1:][rises][0])
        by_score, by_rank = (data.value(run.changed(lists.items, each)) for each in (score, lists.score))
        share = float(np.mean(rises[inside]))
        rule = "the rank decides" if run.columns.by_rank else "the score decides, the rank is ignored"
        values = (by_rank, by_score) if run.columns.by_rank else (by_score, by_rank)
        yield Finding(
            "score-direction" if share > ASCENDING else "ranks-against-scores", "error" if share > ASCENDING else "warning",
            lists.place(row),
            f"the score is higher than that of the better rank above; {np.count_nonzero(rises):,} of "
            f"{np.count_nonzero(inside):,} neighbours contradict ({rule})",
            "If low scores are better (distances), negate them; else write ranks and scores that agree.",
            int(np.count_nonzero(rises)),
            data.change(*values, "if the other column decides"),
        )  # fmt: skip


def _rising(data: Data, run: RunData) -> Iterator[Finding]:
    """Scores that grow from row to row, in a file without ranks."""
    if run.columns.by_rank:
        return
    score = run.lists.score
    inside = run.list_of[1:] == run.list_of[:-1]
    rises = inside & (score[1:] > score[:-1])
    if np.count_nonzero(inside) > 1 and np.count_nonzero(rises) > ASCENDING * np.count_nonzero(inside):
        effect = data.change(
            data.value(run), data.value(run.changed(run.lists.items, -score)), "if low scores are better"
        )
        yield Finding(
            "score-direction", "warning", run.lists.place(int(np.flatnonzero(rises)[0]) + 1),
            f"scores grow down the lists ({np.count_nonzero(rises):,} of {np.count_nonzero(inside):,} neighbours)",
            "If low scores are better (distances), negate them.", int(np.count_nonzero(rises)), effect,
        )  # fmt: skip


def infinite_scores(data: Data) -> Iterator[Finding]:
    """Scores that are infinite: they are tied with each other."""
    for run in data.runs:
        rows = np.flatnonzero(np.isinf(run.lists.score))
        if len(rows) and not run.columns.by_rank:
            yield Finding(
                "infinite-scores", "warning", run.lists.place(int(rows[0])),
                f"the score is infinite; {rows_of(rows)}, all tied with each other",
                "Leave such items out of the lists, or give them a finite score.", len(rows),
                data.change(data.value(run), data.value(run.without(rows)), "without them"),
            )  # fmt: skip


def near_ties(data: Data) -> Iterator[Finding]:
    """Neighbouring scores that differ in double precision and are equal in single, as trec_eval 9 reads them."""
    for run in data.runs:
        order = np.lexsort((-run.lists.score, run.list_of))
        score = run.lists.score[order]
        with np.errstate(over="ignore"):
            single = score.astype(np.float32)
        merged = (
            (run.list_of[order][1:] == run.list_of[order][:-1])
            & (score[1:] != score[:-1])
            & (single[1:] == single[:-1])
        )
        if merged.any() and not run.columns.by_rank:
            rows = order[1:][merged]
            yield Finding(
                "near-ties", "note", run.lists.place(int(rows[0])),
                f"{rows_of(rows)} differ from the one above only beyond single precision",
                "Tools that read scores as 32-bit numbers (trec_eval 9, pytrec_eval) see ties here; --scores single does the same.",
                len(rows), data.change(data.value(run, scores="double"), data.value(run, scores="single"), "with --scores single"),
            )  # fmt: skip


def white_space(data: Data) -> Iterator[Finding]:
    """White space at the beginning or the end of ids: they match nothing."""
    sides: list[tuple[Ids, Callable[[int], str]]] = []
    for run in data.runs:
        sides += [(run.lists.items, run.lists.place), (run.lists.queries, _first_of(run))]
    if data.qrels is not None:
        sides += [
            (data.qrels.items, data.qrels.place),
            (data.qrels.queries.ids, _first_of_judged(data.qrels)),
        ]
    for ids, place in sides:
        if not ids.is_text or not len(ids):
            continue
        ends = ids.starts + np.maximum(ids.lengths - 1, 0)
        rows = np.flatnonzero((ids.lengths > 0) & ((ids.text[ids.starts] <= 32) | (ids.text[ends] <= 32)))
        if len(rows):
            yield Finding(
                "white-space", "error", place(int(rows[0])),
                f"the id {brief(ids.one(int(rows[0])))} has white space around it; {rows_of(rows)}",
                "Remove it: an id matches only if every byte does.", len(rows),
            )  # fmt: skip


def coverage(data: Data) -> Iterator[Finding]:
    """Runs that cover different queries: their means are over different things."""
    first, *others = data.runs or (None,)
    if first is None:
        return
    known = Known(first.lists.queries)
    for run in others:
        found = common(run.lists.queries, known)
        if found is None:
            continue
        here, there = int(np.count_nonzero(found < 0)), len(known) - int(np.count_nonzero(found >= 0))
        if here or there:
            yield Finding(
                "different-queries", "warning", run.name,
                f"{there:,} queries are only in {first.name}, {here:,} only in {run.name}",
                "Compare means over the same queries: complete the runs, or cut both to the common ones.", here + there,
            )  # fmt: skip


def rows_of(rows: np.ndarray) -> str:
    """Return a number of rows in words."""
    return f"{len(rows):,} row{'s' * (len(rows) != 1)}"


def _first_of(run: RunData) -> Callable[[int], str]:
    return lambda query: run.lists.place(int(run.lists.offsets[query]))


def _first_of_judged(qrels: QrelsData) -> Callable[[int], str]:
    return lambda query: qrels.place(int(qrels.offsets[query]))


RULES: tuple[Callable[[Data], Iterator[Finding]], ...] = (
    duplicates, ranks_against_scores, infinite_scores, near_ties, white_space, coverage,
)  # fmt: skip
