"""The ``diff`` function: two systems, query by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.comparison.diffs import Diff
from rankwell.comparison.groups import columns_of, groups_of
from rankwell.comparison.methods import Direction
from rankwell.comparison.side_by_side import Lists
from rankwell.comparison.texts import texts_of_items, texts_of_queries
from rankwell.errors import UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs, read_inputs
from rankwell.evaluation.request import READING, Request, Words, read_with, reading_of
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results import Results
from rankwell.results.loading import opened
from rankwell.tables.arguments import checked
from rankwell.tables.redaction import Redaction, redaction_of, warn_of

MISSING = "judged queries missing from the run"
ARGUMENTS = (
    "metric", "by", "users", "items", "text", "queries", "top", "direction", "names", "train", "threads", "read",
    "redact", *READING,
)  # fmt: skip


@checked
def diff(
    a: Any,
    b: Any,
    qrels: Any = None,
    metric: Wanted | None = None,
    *,
    by: str | Iterable[str] | None = None,
    users: Any = None,
    queries: Any = None,
    items: Any = None,
    text: str | None = None,
    top: int = 20,
    direction: Direction = "both",
    names: Sequence[str] | None = None,
    train: Any = None,
    policy: Policy | None = None,
    threads: int | None = None,
    read: Mapping[str, Any] | None = None,
    redact: bool | bytes | Redaction = False,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    format_in: str | None = None,
    qrels_format: str | None = None,
    encoding: str | None = None,
    order: Literal["rows"] | None = None,
    **rules: Unpack[Words],
) -> Diff:
    """Show on which queries two systems differ, and for one query both lists with what each rank contributed.

    Parameters
    ----------
    a, b
        Two runs in any form that ``evaluate`` reads, or ``Results``, or the path of saved ones, which have values but no lists.
        Differences are b less a: ``a`` is the old system, ``b`` the new one.
    qrels
        The judgements, as for ``evaluate``; None for two ``Results``.
    metric
        One metric with a value per query; default ``ndcg@10``, for two ``Results`` the one they have.
    by, users
        Columns of ``users``, a table with a query column, that divide the queries into segments.
    queries
        The texts of queries: a table with a query column and one of texts, or ``{id: text}``.
    items, text
        A table with an item column, for metrics that need it, and its column with the text of each item; by default one called
        text, title or name.
    top, direction
        How many of the queries that changed most are shown, and whether only those where b is ``better`` or ``worse``.
    names
        What to call the two; by default the names of the runs.
    train, policy, threads, columns, qrels_columns, format_in, qrels_format, encoding, order, read, rules
        As for ``Evaluator``.
    redact
        Whether ids are shown as hashes, without texts and without segments of fewer than 5 queries: True, or a key of at least 16
        bytes, under which an id has the same hash each time.

    Returns
    -------
    Diff
        Print it, or see ``found.to_table``, ``found.query("q1")``, ``found.to_frame``.

    Raises
    ------
    RankwellError
        If a metric has no value per query, both are the same file, results do not fit together, or data are bad.

    Notes
    -----
    ``compare`` says whether a mean difference is more than chance. Why two *tools* print different numbers for one run, ``rosetta``
    says.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {"1": {"a": 1}, "2": {"b": 2, "c": 1}, "3": {"d": 1}}
    >>> old = {"1": ["a", "x"], "2": ["x", "b", "c"], "3": ["y", "x"]}
    >>> new = {"1": ["x", "a"], "2": ["b", "c", "x"], "3": ["x", "y"]}
    >>> found = rw.diff(old, new, qrels, "ndcg@3")
    >>> found.wins, found.ties, found.losses
    (1, 1, 1)
    >>> round(found.query("1").delta, 4)
    -0.3691
    """
    refuse_same(a, b)
    a, b = opened(a), opened(b)
    asked = _metric(metric, a, b)
    _refuse(top, direction, asked)
    of_runs, of_qrels = reading_of(
        read_with(read, rules), columns=columns, qrels_columns=qrels_columns, format_in=format_in, qrels_format=qrels_format,
        encoding=encoding, order=order,
    )  # fmt: skip
    encoding = of_qrels.get("encoding")
    item_texts = texts_of_items(items, text, encoding)
    given, redaction = policy_with(policy, rules, ARGUMENTS), redaction_of(redact)
    request = inputs = None
    if isinstance(a, Results) and isinstance(b, Results):
        _refuse_policy(given, a)
    else:
        request = Request(
            metrics=(asked,), policy=given, qrels=qrels, train=train, items=items, users=users, threads=threads, tie_ranges=False,
            of_runs=of_runs, of_qrels=of_qrels,
        )  # fmt: skip
        inputs = read_inputs(request, [each for each in (a, b) if not isinstance(each, Results)])
        users = users if inputs.users is None else inputs.users
    query_texts = texts_of_queries(queries, None if inputs is None else inputs.qrels, encoding)
    results, lists = _evaluated(a, b, request, inputs)
    called = _names(names, (results[0].name, results[1].name))
    first, second = (replace(res, name=name) for name, res in zip(called, results, strict=True))
    aligned = Aligned.of({first.name: first, second.name: second}, [asked])
    segments = columns_of(by)
    found = Diff(
        names=called,
        metric=asked,
        ids=aligned.queries,
        values=aligned.values(asked),
        lacking=np.array([_lacking(aligned, row, lists[row]) for row in (0, 1)]),
        groups=groups_of(aligned.queries, users, by=segments, weights=None, clusters=None, encoding=encoding),
        results=(first, second),
        lists=lists,
        query_texts=query_texts,
        item_texts=item_texts,
        top=top,
        direction=direction,
    )
    if redaction is not None:
        return found.redacted(redaction)
    warn_of(found.ids, "queries", stacklevel=4)
    return found


def _evaluated(
    a: Any, b: Any, request: Request | None, inputs: Inputs | None
) -> tuple[tuple[Results, Results], tuple[Lists | None, Lists | None]]:
    """The results of both, and the lists of those that were runs, which are evaluated together."""
    if request is None or inputs is None:
        return (a, b), (None, None)
    evaluator = Evaluator.of(request, inputs)
    waiting = iter(inputs.runs)
    runs = {place: next(waiting) for place, each in enumerate((a, b)) if not isinstance(each, Results)}
    made = evaluator.warned_results({str(place): run for place, run in runs.items()}, stacklevel=4)
    results = [made.get(str(place), each) for place, each in enumerate((a, b))]
    lists = [Lists(evaluator.task, runs[place]) if place in runs else None for place in (0, 1)]
    return (results[0], results[1]), (lists[0], lists[1])


def refuse_same(a: Any, b: Any) -> None:
    """Raise UsageError if both systems are one object or one path."""
    is_path = isinstance(a, (str, Path)) and isinstance(b, (str, Path))
    if a is b or (is_path and Path(a) == Path(b)):
        name = str(a) if is_path else "one object"
        raise UsageError(f"A and B are the same ({name}), so nothing can differ; give two systems.")


def _refuse(top: int, direction: Direction, metric: Metric) -> None:
    if top < 1:
        raise UsageError(f"top={top}: must be at least 1.")
    if direction != "both" and metric.better == "neither":
        raise UsageError(f"direction={brief(direction)}: neither end of {metric} is better; use 'both'.")


def _refuse_policy(given: Policy, res: Results) -> None:
    if given not in (Policy(), res.policy):
        raise UsageError(
            f"{res.name} was evaluated with its own policy, {res.policy}; give the runs to evaluate them with another."
        )


def _metric(metric: Wanted | None, a: Any, b: Any) -> Metric:
    """The metric asked for, or the default."""
    asked = metric_of("ndcg@10") if metric is None else metric_of(metric)
    known = [each for each in (a, b) if isinstance(each, Results)]
    if metric is None and known:
        has = [each for each in known[0].metrics if isinstance(each, QueryMetric)]
        if len(has) != 1:
            names = ", ".join(map(str, has)) or "none with a value per query"
            raise UsageError(f"say by which metric the two are compared; {known[0].name} has {names}.")
        asked = has[0]
    if not isinstance(asked, QueryMetric):
        raise UsageError(
            f"{asked} has one value for all lists, so no query has a difference; compare shows its two values."
        )
    return asked


def _names(given: Sequence[str] | None, own: tuple[str, str]) -> tuple[str, str]:
    if given is not None:
        listed = [given] if isinstance(given, str) else list(given)
        if len(listed) != 2 or not all(isinstance(each, str) for each in listed) or listed[0] == listed[1]:
            raise UsageError(f"names= takes two different names, such as ('old', 'new'), not {brief(given)}.")
        return listed[0], listed[1]
    return own if own[0] != own[1] else (f"{own[0]} (A)", f"{own[1]} (B)")


def _lacking(aligned: Aligned, row: int, lists: Lists | None) -> np.ndarray:
    """Which queries have no list in a run, as far as this is known: saved results tell only of those without a value."""
    res, places = aligned.results[row], aligned.places[row]
    found = np.ones(len(aligned.queries), bool)
    found[places] = False
    if lists is not None and res.counts.get(MISSING):
        found |= lists.lacks(aligned.queries)
    return found
