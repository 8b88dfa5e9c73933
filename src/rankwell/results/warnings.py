"""Warnings about results that are wrong or easily misread: the worst first, in front of the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataWarning
from rankwell.matching.lists import HEADLESS
from rankwell.metrics.metric import CorpusMetric
from rankwell.tables.rows import Lists

if TYPE_CHECKING:
    from rankwell.results.results import Results

# what ``look`` counts, and what matching counts
NEIGHBOURS, RISING, TIED = "neighbours looked at", "neighbours whose score grows", "neighbours of equal score"
SEEN = NEIGHBOURS, RISING, TIED
CONTRADICTIONS = "rows whose rank contradicts the score"
LEAST, LOOKED_AT = 50, 2048  # rows of a batch from which on it is looked at, and its first rows that are
NEARLY_ALL = 0.9
SHORT_CUT = 0.05
FEW_QUERIES, FEW_ITEMS, ENOUGH = 0.5, 0.005, 200
MOST = 3  # lines
REST = Composed(" (rankwell lint QRELS RUN shows the rest)")


def warnings_of(results: Sequence[Results]) -> list[str]:
    """Return warnings about data that are wrong or easily misread, the worst first."""
    return [*wrong_with(results), *_misread(results)]


def first_of(lines: Sequence[str]) -> list[str]:
    """Return the first three warnings; the last of them says where the others are."""
    return [*lines] if len(lines) <= MOST else [*lines[: MOST - 1], lines[MOST - 1] + REST]


def warn(results: Iterable[Results], stacklevel: int) -> None:
    """Warn once of data that look wrong, in at most three lines."""
    doubtful: list[Results] = []
    for res in results:
        # a few looks and no calls: to ask each warning would take a good part of a small evaluation, and nearly all are fine
        counts, seen = res.part.counts, res.part.seen
        if (
            res.notice is not None
            or (seen and (seen[RISING] > NEARLY_ALL * seen[NEIGHBOURS] or seen[TIED] == seen[NEIGHBOURS]))
            or "judged items found" not in counts
            or "judged queries missing from the run" in counts
            or CONTRADICTIONS in counts
            or HEADLESS in counts
            or res.slices
            or (res.division.by and _are_all_unknown(res))
        ):
            doubtful.append(res)
    if doubtful:
        import warnings

        if lines := wrong_with(doubtful):
            warnings.warn("\n".join(first_of(lines)), DataWarning, stacklevel=stacklevel + 1)


def look(lists: Lists) -> dict[str, int]:
    """Return how many neighbours among the first rows of a batch have growing, and equal, scores; nothing if ranks decide.

    What every evaluation pays for: the first rows are enough to see that scores are distances, or all the same.
    """
    if lists.rows < LEAST or lists.by_rank:
        return {}
    score = lists.score[:LOOKED_AT]
    above, below = score[:-1], score[1:]
    rising, tied, is_end = below > above, below == above, np.zeros(len(above), np.bool_)
    # the last row of each list has no neighbour below; -1, of an empty first list, takes one neighbour more away
    ends = lists.offsets[1 : lists.offsets.searchsorted(len(score))] - 1
    is_end[ends], rising[ends], tied[ends] = True, False, False
    return {
        NEIGHBOURS: len(above) - int(np.count_nonzero(is_end)),
        RISING: int(np.count_nonzero(rising)),
        TIED: int(np.count_nonzero(tied)),
    }


def wrong_with(results: Sequence[Results]) -> list[str]:
    """What is probably wrong with the data: ids that do not meet, then scores."""
    ids = [line for res in results for line in (*_hardly_met(res), *_tables_not_met(res))]
    scores = [line for res in results for line in _scores_seen(res)]
    return list(dict.fromkeys([*ids, *scores]))  # runs of one name and one fault say it once


def _hardly_met(res: Results) -> list[str]:
    """Warnings that most judged queries, or nearly all judged items, are missing from the run."""
    if res.notice is not None:
        return [res.notice]
    counts: Mapping[str, int] = res.counts
    queries, judgements = counts.get("judged queries", 0), counts.get("judgements", 0)
    missing = counts.get("judged queries missing from the run", 0)
    if missing > FEW_QUERIES * queries:
        return [
            Composed(
                "{name}: {n:,} of {of:,} judged queries are missing from the run. Is it the run of these judgements?",
                name=res.name,
                n=missing,
                of=queries,
            )
        ]
    n_found = counts.get("judged items found", 0)
    if judgements and not n_found and any("spans" in metric.needs for metric in res.metrics):
        return [
            Composed(
                "{name}: no listed chunk shares a character with a judged span. Do items= and the judgements name documents alike?",
                name=res.name,
            )
        ]
    if judgements and not n_found and any(metric.judgements for metric in res.metrics):
        return [
            Composed(
                "{name}: no judged item is in any list. Is it the run of these judgements?", name=res.name
            )
        ]
    return []


def _tables_not_met(res: Results) -> Iterator[str]:
    """Warnings that users= knows none of the queries, or a slice none of the relevant items."""
    if res.has_segments and _are_all_unknown(res):
        yield Composed(
            "{name}: no query has a value of {by} in users=. Check that its queries have the same ids.",
            name=res.name,
            by=", ".join(res.division.by),
        )
    for name, part in res.slices.items():
        judging = [metric for metric in part.metrics if metric.judgements]
        if any(part.n[str(metric)] == 0 for metric in judging) and not any(
            part.mean[str(metric)] > 0 for metric in judging
        ):
            yield Composed(
                "{name}: no relevant item is in the slice {slice}. Check that it has the ids of the judgements.",
                name=res.name,
                slice=name,
            )


def _scores_seen(res: Results) -> Iterator[Composed]:
    """Warnings about the scores of a run."""
    if against := res.counts.get(CONTRADICTIONS, 0):
        yield Composed(
            "{name}: {n:,} rows are ranked below a row with a lower score; the rank column is used.",
            name=res.name,
            n=against,
        )
    if res.counts.get("lists", 0) > 1 and 2 * res.counts.get(HEADLESS, 0) >= res.counts["lists"]:
        yield Composed(
            "{name}: {n:,} of {of:,} lists have no item at rank 1, as if the ranks ran through the whole table. If only their order "
            "counts, say ranks='closed'.",
            name=res.name,
            n=res.counts[HEADLESS],
            of=res.counts["lists"],
        )
    if not (seen := res.part.seen):
        return
    if seen[RISING] > NEARLY_ALL * seen[NEIGHBOURS]:
        yield Composed(
            "{name}: scores grow down the lists, and the highest is taken as the best. If low scores are better (distances), "
            "negate them.",
            name=res.name,
        )
    if seen[TIED] == seen[NEIGHBOURS]:
        yield Composed(
            "{name}: all scores of a list are equal, so ids decide the order. If the rows are in order, say ties='order'.",
            name=res.name,
        )


def _are_all_unknown(res: Results) -> bool:
    """Whether all queries are in the segment of those that are not in the table of users."""
    codes = res.part.segment if res.part.segment is not None else np.array([*res.part.sizes])
    return len(codes) > 0 and bool((codes == len(res.division.labels) - 1).all())


def _misread(results: Sequence[Results]) -> Iterator[str]:
    """What is right, and easily misread."""
    counts: Mapping[str, int] = results[0].counts
    cut_short = counts.get("queries with R > k", 0)
    if cut_short > SHORT_CUT * counts.get("judged queries", 0):
        yield Composed(
            "{n:,} of {of:,} judged queries have more than k relevant items; "
            "AP ÷ R and AP ÷ min(R, k) differ there, so say which one you report.",
            n=cut_short,
            of=counts["judged queries"],
        )
    for metric in results[0].metrics:
        n = {res.n[str(metric)] for res in results}
        if (
            isinstance(metric, CorpusMetric)
            and metric.grows
            and len(n) > 1
            and not getattr(metric, "users", None)
        ):
            yield Composed(
                "{metric} depends on the number of lists, which is {least:,} to {most:,}: compare runs with equally many "
                "lists{other}.",
                metric=metric,
                least=min(n),
                most=max(n),
                other=Composed(", or use coverage(users={n})", n=min(n)) if metric.name == "coverage" else "",
            )
    for res in results:
        yield from _few_found(res)
        # the names of the counts are texts themselves, so that pages in other languages have them, too
        for what in (Composed("run ids read as integers"), Composed("judgement ids read as integers")):
            if res.counts.get(what):
                yield Composed("{name}: {what}, to match the other side.", name=res.name, what=what)


def _few_found(res: Results) -> list[str]:
    """A note that nearly all judged items are missing from the lists, as from those of a random recommender."""
    counts: Mapping[str, int] = res.counts
    queries, judgements = counts.get("judged queries", 0), counts.get("judgements", 0)
    missing, n_found = (
        counts.get(what, 0) for what in ("judged queries missing from the run", "judged items found")
    )
    # of the judgements of the queries that are there, as if all had equally many; a part of a run is no run of other judgements
    here = judgements * (queries - missing) / max(queries, 1)
    if (
        res.notice is None
        and judgements >= ENOUGH
        and 0 < n_found < FEW_ITEMS * here
        and missing <= FEW_QUERIES * queries
    ):
        return [
            Composed(
                "{name}: the lists hold only {n:,} of {of:,} judged items. Is it the run of these judgements?",
                name=res.name,
                n=n_found,
                of=judgements,
            )
        ]
    return []
