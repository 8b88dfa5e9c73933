"""Warnings about results that are easily misread: the worst first, in front of the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankwell.display.text import Composed
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.results.doubts import are_all_unknown, scores_seen

if TYPE_CHECKING:
    from rankwell.results.results import Results

SHORT_CUT = 0.05
FEW_QUERIES, FEW_ITEMS, ENOUGH = 0.5, 0.005, 200
MOST = 3  # lines
REST = Composed(" (rankwell lint QRELS RUN shows the rest)")


def warnings_of(results: Sequence[Results]) -> list[str]:
    """Return warnings about data that are wrong or easily misread, the worst first."""
    return [*wrong_with(results), *_misread(results)]


def first_of(found: Sequence[str]) -> list[str]:
    """Return the first three warnings; the last of them says where the others are."""
    return [*found] if len(found) <= MOST else [*found[: MOST - 1], found[MOST - 1] + REST]


def wrong_with(results: Sequence[Results]) -> list[str]:
    """What is probably wrong with the data: ids that do not meet, then scores."""
    ids = [each for res in results for each in (*_hardly_met(res), *_tables_not_met(res))]
    scores = [each for res in results for each in scores_seen(res)]
    return list(dict.fromkeys([*ids, *scores]))


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
    converted = {
        "run ids read as integers": Composed("run ids read as integers"),
        "judgement ids read as integers": Composed("judgement ids read as integers"),
    }
    for res in results:
        yield from _few_found(res)
        for what, text in converted.items():
            if res.counts.get(what):
                yield Composed("{name}: {what}, to match the other side.", name=res.name, what=text)


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
    found = counts.get("judged items found", 0)
    if judgements and not found and any(metric.judgements for metric in res.metrics):
        return [
            Composed(
                "{name}: no judged item is in any list. Is it the run of these judgements?", name=res.name
            )
        ]
    return []


def _tables_not_met(res: Results) -> Iterator[str]:
    """Warnings that users= knows none of the queries, or a slice none of the relevant items."""
    if res.has_segments and are_all_unknown(res):
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


def _few_found(res: Results) -> list[str]:
    """A note that nearly all judged items are missing from the lists, as from those of a random recommender."""
    counts: Mapping[str, int] = res.counts
    queries, judgements = counts.get("judged queries", 0), counts.get("judgements", 0)
    missing, found = (
        counts.get(what, 0) for what in ("judged queries missing from the run", "judged items found")
    )
    here = judgements * (queries - missing) / max(queries, 1)
    if (
        res.notice is None
        and judgements >= ENOUGH
        and 0 < found < FEW_ITEMS * here
        and missing <= FEW_QUERIES * queries
    ):
        return [
            Composed(
                "{name}: the lists hold only {n:,} of {of:,} judged items. Is it the run of these judgements?",
                name=res.name,
                n=found,
                of=judgements,
            )
        ]
    return []
