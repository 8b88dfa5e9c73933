"""What metrics need besides the run, brought together before the first batch: the catalogue, the history, users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from rankwell.attributes import Items, Users
from rankwell.base import Metric
from rankwell.errors import NeededError, UsageError
from rankwell.hits import Context, Pool
from rankwell.ids import Known
from rankwell.judge import history_of
from rankwell.policy import Policy
from rankwell.readers import read_items, read_qrels

TABLES = {
    "catalogue": ("items", "the catalogue: give items= (--items), every item that could be shown"),
    "collection_size": (
        "items",
        "the number of items that could be retrieved: write {name}(collection=1400), or give items= (--items), every one of them",
    ),
    "features": ("items", "a table of items: give items= (--items), with the columns that it names"),
    "history": ("train", "what the system learned from: give train= (--train), a table of query and item"),
    "counts": ("train", "what the system learned from: give train= (--train), a table of query and item"),
}


def refuse_metrics(metrics: Iterable[Metric], policy: Policy, *, given: frozenset[str]) -> None:
    """Raise an error for a metric that needs a table that was not given, or has no meaning under the policy.

    ``given`` are the arguments that were: qrels, items, train.
    """
    for metric in metrics:
        if metric.judgements and "qrels" not in given:
            raise NeededError(
                f"{metric} needs judgements: give qrels=. Without them only metrics of lists can be had."
            )
        if policy.unjudged == "condense" and metric.judgements and "shown" in metric.needs:
            raise UsageError(
                f"{metric} reads whole lists, unjudged items too, and has no form without them; say unjudged='nonrelevant'."
            )
        if policy.ties == "expected" and not metric.expects():
            raise UsageError(
                f"{metric} has no formula for the mean over all orders of equal scores; say ties='item-desc' (or "
                f"'best' and 'worst' for the range)."
            )
        for need, (table, remedy) in TABLES.items():
            if need in metric.needed() and table not in given:
                raise NeededError(f"{metric} needs {remedy.format(name=metric.name)}.")


def needs_of(metrics: Iterable[Metric]) -> frozenset[str]:
    """Return what is built for some metrics: what their kind reads, and what their parameters ask for."""
    return frozenset[str]().union(*(metric.needed() | metric.needs for metric in metrics))


def context_of(
    metrics: Iterable[Metric], pool: Pool, policy: Policy, *, items: Any, train: Any
) -> tuple[Context, Counter[str]]:
    """Return what all batches share, and what its rules touched.

    Raises
    ------
    RankwellError
        If a table cannot be read, or lacks what a metric needs of it.
    """
    needs = needs_of(metrics)
    counts: Counter[str] = Counter()
    table = None if items is None else _catalogue(items, with_columns="features" in needs)
    catalogue, history = None if table is None else Known(table.item), None
    if needs & {"history", "counts"}:
        log = read_qrels(train, name=None if isinstance(train, str) else "train")
        history, counts = history_of(log, catalogue, policy)
        catalogue = history.catalogue
    highest = float(pool.grades.max()) if len(pool.grades) else None
    context = Context(scale=pool.scale, grade_max=highest, catalogue=catalogue, items=table, train=history)
    for metric in metrics:
        metric.check_tables(context)
    return context, counts


def _catalogue(items: Any, *, with_columns: bool) -> Items:
    if not with_columns:
        return read_items(items)
    from rankwell.readers.attributes import read_catalogue

    return read_catalogue(items)


def users_of(users: Any) -> Users | None:
    """Return the table of users; None if none was given."""
    if users is None:
        return None
    from rankwell.readers.attributes import read_users

    return read_users(users)
