"""Warnings about results that are easily misread, for the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankwell.display.composed import Composed
from rankwell.metrics.corpus_metric import CorpusMetric

if TYPE_CHECKING:
    from rankwell.results.results import Results

SHORT_CUT = 0.05
FEW_QUERIES, FEW_ITEMS, ENOUGH = 0.5, 0.005, 200


def warnings_of(results: Sequence[Results]) -> list[str]:
    """Return warnings about data that are easily misread."""
    found: list[str] = []
    counts: Mapping[str, int] = results[0].counts
    cut_short = counts.get("queries with R > k", 0)
    if cut_short > SHORT_CUT * counts.get("judged queries", 0):
        found.append(
            Composed(
                "{n:,} of {of:,} judged queries have more than k relevant items; "
                "AP ÷ R and AP ÷ min(R, k) differ there, so say which one you report.",
                n=cut_short,
                of=counts["judged queries"],
            )
        )
    for metric in results[0].metrics:
        n = {res.n[str(metric)] for res in results}
        if (
            isinstance(metric, CorpusMetric)
            and metric.grows
            and len(n) > 1
            and not getattr(metric, "users", None)
        ):
            found.append(
                Composed(
                    "{metric} depends on the number of lists, which is {least:,} to {most:,}: compare runs with equally many "
                    "lists{other}.",
                    metric=metric,
                    least=min(n),
                    most=max(n),
                    other=Composed(", or use coverage(users={n})", n=min(n))
                    if metric.name == "coverage"
                    else "",
                )
            )
    converted = {
        "run ids read as integers": Composed("run ids read as integers"),
        "judgement ids read as integers": Composed("judgement ids read as integers"),
    }
    for res in results:
        found += _hardly_met(res)
        against = res.counts.get("rows whose rank contradicts the score", 0)
        if against:
            found.append(
                Composed(
                    "{name}: {n:,} rows are ranked below a row with a lower score; the rank column is used.",
                    name=res.name,
                    n=against,
                )
            )
        found += [
            Composed("{name}: {what}, to match the other side.", name=res.name, what=text)
            for what, text in converted.items()
            if res.counts.get(what)
        ]
    return found


def _hardly_met(res: Results) -> list[Composed]:
    """Warnings that most judged queries, or nearly all judged items, are missing from the run."""
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
    here = judgements * (queries - missing) / max(queries, 1)
    if judgements >= ENOUGH and found < FEW_ITEMS * here:
        return [
            Composed(
                "{name}: the lists hold only {n:,} of {of:,} judged items. Is it the run of these judgements?",
                name=res.name,
                n=found,
                of=judgements,
            )
        ]
    return []
