"""The ``evaluate`` function: results of one run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack

from rankwell.evaluation.engine import Engine, engine_of
from rankwell.evaluation.inputs import READING, Words, read_inputs, read_with, reading_of, refuse_words
from rankwell.evaluation.plan import NO_BOUNDS, BoundsWanted, plan_of
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted
from rankwell.results import Results
from rankwell.results.doubts import warn
from rankwell.tables.popularity import Parts

OF_EVALUATE = (
    "metrics", "labels", "train", "items", "users", "by", "weights", "slices", "engine", "threads", "per_query", "preset",
    "read", "bounds", "pool", "scale", *READING,
)  # fmt: skip


def evaluate(
    run: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    labels: Any = None,
    train: Any = None,
    items: Any = None,
    users: Any = None,
    by: str | Iterable[str] | None = None,
    weights: str | None = None,
    slices: Mapping[str, Any] | Parts | None = None,
    policy: Policy | None = None,
    engine: str | Engine | None = None,
    threads: int | None = None,
    per_query: bool | str | os.PathLike[str] = True,
    preset: str | None = None,
    read: Mapping[str, Any] | None = None,
    bounds: bool = False,
    pool: Any = None,
    scale: float | Sequence[float] | None = None,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    format_in: str | None = None,
    qrels_format: str | None = None,
    encoding: str | None = None,
    order: Literal["rows"] | None = None,
    **rules: Unpack[Words],
) -> Results:
    """Evaluate one run against judgements.

    Parameters
    ----------
    run
        A path, ``{query: {item: score}}``, a table with columns query, item, score or rank, or a Run.
    qrels
        A path, ``{query: {item: grade}}``, a table with columns query, item, grade, a matrix of labels, or Qrels; None if the
        metrics need only lists.
    metrics
        Text such as ``"ndcg@10"``, or metrics such as ``rw.P @ 5``; at least one.
    labels, train, items, users, by, weights, slices, policy, engine, threads, per_query, bounds, pool, scale, rules
        As for ``Evaluator``.
    preset
        The name of another tool whose definitions and rules to use, such as ``"rectools"``; ``policy`` can then set only
        ``grades`` and ``rel``.
    columns, qrels_columns, format_in, qrels_format, encoding, order, read
        How the run and the judgements are read, as for ``Evaluator``.

    Returns
    -------
    Results
        With ``res["ndcg@10"]``, ``res.mean``, ``res.per_query``, ``res.counts``, ``res.policy``.

    Raises
    ------
    RankwellError
        With a message that names the file and line or the query, the cause and the fix.

    Examples
    --------
    >>> import rankwell as rw
    >>> run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> rw.evaluate(run, {"q1": {"b": 1, "c": 2}}, ["ap", "rr", rw.P @ 2]).mean
    {'ap': 0.5833333333333333, 'rr': 0.5, 'p@2': 0.5}
    """
    run_options, qrels_options = reading_of(
        read_with(read, rules) if rules else read, columns=columns, qrels_columns=qrels_columns, format_in=format_in, qrels_format=qrels_format,
        encoding=encoding, order=order,
    )  # fmt: skip
    if run_options or qrels_options["columns"]:
        refuse_words(run_options, qrels_options, run, qrels)
    where = engine_of(engine, run, qrels, train, per_query=per_query)
    inputs = read_inputs(
        metrics, policy_with(policy, rules, OF_EVALUATE), preset=preset, runs=[run], qrels=qrels, labels=labels, train=train, items=items,
        users=users, slices=slices, run_options=run_options, qrels_options=qrels_options, engine=where,
    )  # fmt: skip
    wanted = NO_BOUNDS
    if bounds is not False or pool is not None or scale is not None:
        wanted = BoundsWanted(bounds, pool, scale, run_options)
    plan = plan_of(
        inputs, by=by, weights=weights, engine=where, threads=threads, per_query=per_query, bounds=wanted
    )
    found = plan.results(inputs.runs[0])
    warn([found], stacklevel=2)
    return found
