"""Needs of metrics besides the run: asked for once, and held against what was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from rankwell.errors import NeededError, UsageError, brief
from rankwell.evaluation.request import NOTHING_SAID, Request
from rankwell.matching.policy import Asked, Asker, Policy
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.budgets import IN_PART
from rankwell.metrics.bundles import profile
from rankwell.metrics.metric import Metric
from rankwell.readers.frames.columns import NONE_GIVEN, Given
from rankwell.tables.columns import COLUMNS

TABLES = {
    "spans": ("items", "the spans of the chunks: give items= with columns item, document, start and end"),
    "catalogue": ("items", "the catalogue: give items= with every item that could be shown"),
    "collection_size": (
        "items",
        "the number of items that could be retrieved: write {name}(collection=1400), or give items= with all of them",
    ),
    "features": ("items", "a table of items: give items= with the columns that the metric names"),
    "history": ("train", "the training data: give train=, a table with query and item columns"),
    "counts": ("train", "the training data: give train=, a table with query and item columns"),
    "users": ("users", "a table of users: give users= with the columns that the metric names"),
}
# needs that tell of single items
UNGROUPED = "spans", "features", "catalogue", "collection_size", "counts", "history", "users"
# needs that columns of a table meet
OF_COLUMNS = {
    table: frozenset(column.need for column in COLUMNS.values() if table in column.tables)
    for table in ("run", "qrels")
}


def with_needs(
    reading: Mapping[str, Any],
    metrics: Iterable[Wanted] | Wanted | None,
    table: str = "qrels",
    sizes: str | None = None,
) -> Mapping[str, Any]:
    """Return what ``read_qrels`` (``read_run``) takes, for tables of which metrics need more than the usual columns."""
    listed = metrics if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    # a picture takes a metric without the cut-off that an evaluation needs
    wanted = [each for one in listed if one is not None for each in _metrics_of_text(one)]
    needs = frozenset[str]().union(*(metric.needs | metric.needed() for metric in wanted))
    return needing(reading, needs, table, sizes)


def _metrics_of_text(wanted: Wanted) -> Iterable[Metric]:
    is_bundle = isinstance(wanted, str) and profile(wanted) is not None
    return metrics_of(wanted) if is_bundle else [metric_of(wanted, complete=False)]


def needing(
    reading: Mapping[str, Any], needs: frozenset[str], table: str, sizes: str | None = None
) -> Mapping[str, Any]:
    """Return the same for metrics with these needs, of which the policy names the column of ``sizes``."""
    needs = needs | {"sizes"} if sizes else needs - {"sizes"}
    if not (needs := needs & OF_COLUMNS[table]):
        return reading
    nothing = NOTHING_SAID if table == "qrels" else NONE_GIVEN
    return {**reading, "columns": Given.of(reading.get("columns") or nothing).needing(needs, sizes)}


@lru_cache(maxsize=256)
def asked_of(metrics: tuple[Metric, ...], policy: Policy) -> Asked:
    """Return what metrics need under a policy; cached, because metrics and policies are values."""
    needed = [metric.needed() for metric in metrics]
    reads = [own | metric.needs for metric, own in zip(metrics, needed, strict=True)]
    by_need: dict[str, Asker] = {}
    for metric, own in zip(metrics, needed, strict=True):
        for need in own - by_need.keys():  # the first metric that needs a table is named in the error
            by_need[need] = Asker(str(metric), metric.name, frozenset(metric.resolved()))
    # whole lists are read down to the deepest cut-off, or to their ends if one metric has none
    cuts = [metric.k for metric, own in zip(metrics, reads, strict=True) if "shown" in own]
    return Asked(
        policy,
        needs=frozenset[str]().union(*reads),
        by_need=by_need,
        rels={
            str(m): policy.rel if getattr(m, "rel", None) is None else m.rel
            for m in metrics
            if m.judgements and hasattr(m, "rel") and m.applies("rel")
        },
        cuts=_cuts(metrics),
        deepest=None if None in cuts else max((cut for cut in cuts if cut is not None), default=None),
        reads_judgements=any(metric.judgements for metric in metrics),
    )


def refuse_metrics(metrics: Iterable[Metric], asked: Asked, request: Request) -> None:
    """Raise an error if a metric needs a table that was not given, or is not defined under the policy."""
    policy, metrics = asked.policy, tuple(metrics)
    if "spans" in asked.needs:
        refuse_beside_spans(metrics, policy)
    if "parts" in asked.needs:
        refuse_beside_parts(metrics, policy)
    refuse_budgets(metrics, asked)
    for metric in metrics:
        if metric.judgements and request.qrels is None:
            raise NeededError(
                f"{metric} needs judgements: give qrels=. Without qrels, only list metrics such as coverage can be computed."
            )
        reads_all = "shown" in metric.needs or metric.budget is not None
        if policy.unjudged == "condense" and metric.judgements and reads_all:
            raise UsageError(
                f"{metric} reads whole lists including unjudged items, so it cannot condense them; use "
                f"unjudged='nonrelevant'."
            )
        if policy.ties == "expected" and (metric.budget is not None or not metric.has_expected_value()):
            raise UsageError(
                f"{metric} has no formula for the mean over all orders of equal scores; use "
                f"ties='item-desc', or 'best' and 'worst' for the range."
            )
        if policy.duplicates == "each" and not metric.copies:
            raise UsageError(
                f"{metric} has no meaning for items that count more than once; use duplicates='first' or 'drop'."
            )
    if policy.group is not None:
        _refuse_with_groups(asked, request)
    for need, (table, remedy) in TABLES.items():
        if (asker := asked.by_need.get(need)) is not None and getattr(request, table) is None:
            raise NeededError(f"{asker} needs {remedy.format(name=asker.name)}.")


def refuse_beside_spans(metrics: Iterable[Metric], policy: Policy) -> None:
    """Raise UsageError for metrics of judged items beside those of judged spans, and for an order of ties by the grades of items."""
    for metric in metrics:
        if "spans" in metric.needed() and "spans" not in metric.needs:
            raise UsageError(
                f"{metric}: a metric of spans cannot be part of another metric; ask for it by itself."
            )
    spans = next(metric for metric in metrics if "spans" in metric.needs)
    others = [str(metric) for metric in metrics if metric.judgements and "spans" not in metric.needs]
    if others:
        raise UsageError(
            f"{spans} reads judgements of spans, {others[0]} judgements of items: ask for them in two calls. "
            f"rw.prepare.judge_chunks makes judgements of chunks from those of spans."
        )
    if policy.ties in ("best", "worst"):
        raise UsageError(
            f"ties={brief(policy.ties)} orders equal scores by the grades of items, and {spans} judges spans; use ties='item-desc'."
        )


def refuse_beside_parts(metrics: Iterable[Metric], policy: Policy) -> None:
    """Raise UsageError for metrics of whole lists beside those of parts, and for an order of ties by grades."""
    for metric in metrics:
        if "parts" in metric.needed() and "parts" not in metric.needs:
            raise UsageError(
                f"{metric}: a metric of parts cannot be part of another metric; ask for it by itself."
            )
    parts = next(metric for metric in metrics if "parts" in metric.needs)
    if others := [str(metric) for metric in metrics if "parts" not in metric.needs]:
        raise UsageError(
            f"{parts} reads a list for each part of a query, {others[0]} one list for each query: ask for them in two calls."
        )
    if policy.ties in ("best", "worst"):
        raise UsageError(
            f"ties={brief(policy.ties)} orders equal scores by grades, which {parts} does not read; use ties='item-desc'."
        )


def refuse_budgets(metrics: Iterable[Metric], asked: Asked) -> None:
    """Raise an error for metrics of sizes if it is not said what has them, or a part of a row means nothing to one."""
    if "sizes" not in asked.needs:
        return
    if asked.policy.sizes is None:
        raise NeededError(
            f"{asked.by_need['sizes']} needs the size of each item: name the column of items= or of the run that has it, such as "
            f"sizes='tokens'."
        )
    for metric in metrics:
        if asked.policy.fill == "cut" and metric.budget is not None and metric.name not in IN_PART:
            raise UsageError(
                f"{metric}: fill='cut' counts the part of a row that fits, which means something to {', '.join(IN_PART)}; use "
                f"fill='stop' or 'skip'."
            )


def _refuse_with_groups(asked: Asked, request: Request) -> None:
    """Raise UsageError for a metric that looks at single items, or a table of them, where lists are folded into groups."""
    said = f"group={brief(asked.policy.group)}"
    if asked.policy.duplicates == "each":
        raise UsageError(
            f"duplicates='each' counts every copy of an item, and {said} one row of each group; use duplicates='drop'."
        )
    if (asker := asked.by_need.get("parts")) is not None:
        raise UsageError(
            f"{asker} looks at single items, and {said} folds them into groups; leave out group= for it."
        )
    for need in UNGROUPED:
        if (asker := asked.by_need.get(need)) is not None:
            raise UsageError(
                f"{asker} looks at single items ({TABLES[need][0]}=), and {said} folds them into groups; leave out group= for it."
            )
    for word in ("slices", "pool", "scale"):
        given = getattr(request, word)
        if given is not None and not (isinstance(given, dict) and not given):
            raise UsageError(
                f"{word}= is of single items, and {said} folds them into groups; leave out one of them."
            )
    if request.bounds:
        raise UsageError(
            f"bounds= are of single items, and {said} folds them into groups; leave out one of them."
        )


def _cuts(metrics: Iterable[Metric]) -> dict[str, tuple[int | None, ...]]:
    """Return the requested cut-offs by metric name."""
    cuts: dict[str, tuple[int | None, ...]] = {}
    for metric in metrics:
        ks = cuts.setdefault(metric.name, ())
        cuts[metric.name] = ks if metric.k in ks else (*ks, metric.k)
    return cuts
