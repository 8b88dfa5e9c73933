"""Sweep of the relevance threshold: values of the same runs, and whether their order changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import UsageError, brief, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs, read_inputs
from rankwell.evaluation.request import Request
from rankwell.matching.policy import Policy, policy_with
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.tables.run_qrels import Run

Threshold = float | str


EVERY = {"interactions": "every row, all alike", "judgements": "above 0, gains as they are"}


def rel_sweep(
    runs: Mapping[str, Any],
    qrels: Any,
    metrics: Iterable[Wanted] | Wanted,
    rels: Iterable[Threshold],
    *,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
    train: Any = None,
    items: Any = None,
    users: Any = None,
    threads: int | None = None,
) -> Sweep:
    """Evaluate runs under several relevance thresholds.

    Parameters
    ----------
    runs
        Runs by name.
    qrels, metrics
        As for ``evaluate``; the metrics must use judgements and have no ``rel`` of their own.
    rels
        The thresholds: a number is the lowest grade that counts as relevant; with ``"interactions"`` every row is
        relevant and grades are not used; with ``"judgements"`` grades above 0 are relevant and gains are the grades.
    policy, train, items, users, threads
        As for ``evaluate``; each threshold replaces the policy's ``rel``.

    Returns
    -------
    Sweep
        A table per metric; ``order`` and ``changes`` for programs.

    Raises
    ------
    RankwellError
        If there are fewer than two thresholds, or a metric does not depend on them.

    Examples
    --------
    >>> runs = {"a": {"u": ["x", "y"]}, "b": {"u": ["y", "x"]}}
    >>> sweep = rel_sweep(runs, {"u": {"x": 3, "y": 8, "z": 5, "w": 6, "v": 1}}, "rr", [2, 7])
    >>> sweep.changes(sweep.metrics[0]), sweep.order(sweep.metrics[0], 7)
    (True, ['b', 'a'])
    """
    resolved = metrics_of(metrics)
    thresholds = thresholds_of(resolved, rels)
    request = Request(
        metrics=resolved, policy=policy_with(policy, {}), qrels=qrels, train=train, items=items, users=users, threads=threads
    )  # fmt: skip
    inputs = read_inputs(request, list(runs.values()), list(runs))
    return sweep_of(request, inputs, dict(zip(runs, inputs.runs, strict=True)), thresholds)


def thresholds_of(metrics: Iterable[Metric], rels: Iterable[Threshold]) -> tuple[Threshold, ...]:
    """Return the thresholds, each once; UsageError if there are fewer than two, or a metric does not depend on them."""
    thresholds = tuple(dict.fromkeys(map(_threshold, rels)))
    if len(thresholds) < 2:
        raise UsageError(
            "a sweep needs at least two thresholds: rels=[6, 7, 8, 9], or --rel-sweep 6,7,8,9 on the command line."
        )
    fixed = next((m for m in metrics if not m.judgements or getattr(m, "rel", None) is not None), None)
    if fixed is not None:
        why = "has its own rel" if fixed.judgements else "reads no judgements"
        raise UsageError(f"{fixed} {why}, so it does not depend on the threshold; leave it out of the sweep.")
    return thresholds


def _threshold(threshold: Threshold) -> Threshold:
    try:
        return threshold if threshold in EVERY else float(threshold)
    except ValueError:
        raise UsageError(
            f"{brief(threshold)} is not a threshold; use a grade such as 7, or {one_of(EVERY)}."
        ) from None


def sweep_of(
    request: Request, inputs: Inputs, runs: Mapping[str, Run], thresholds: tuple[Threshold, ...]
) -> Sweep:
    """Evaluate runs that have been read under each threshold; see ``rel_sweep``."""
    values: dict[tuple[Metric, Threshold, str], float] = {}
    n: dict[tuple[Metric, Threshold], int] = {}
    for rel in thresholds:
        rules: dict[str, Any] = {"rel": rel} if isinstance(rel, float) else {"rel": None, "grades": rel}
        policy = replace(inputs.asked.policy, **rules)  # tables are read once for all thresholds
        evaluator = Evaluator.of(request, inputs.under(policy))
        for name, res in evaluator.results_of_all(runs).items():
            for metric in inputs.metrics:
                values[metric, rel, name], n[metric, rel] = res.mean[str(metric)], res.n[str(metric)]
    return Sweep(inputs.metrics, thresholds, tuple(runs), values, n)


@dataclass(frozen=True, repr=False)
class Sweep(Result):
    """Values by metric, threshold and run; ``order`` ranks the runs, ``changes`` says if the ranking changes."""

    _plural: ClassVar[str] = "sweeps"

    metrics: tuple[Metric, ...]
    rels: tuple[Threshold, ...]
    runs: tuple[str, ...]
    values: Mapping[tuple[Metric, Threshold, str], float]
    n: Mapping[tuple[Metric, Threshold], int]

    def order(self, metric: Metric, rel: Threshold) -> list[str]:
        """Return the runs, best first, ties in the order given; runs without a value are left out."""
        # sorted() keeps the order of equal values, in either direction
        sign = -1.0 if metric.better == "higher" else 1.0
        values = {run: self.values[metric, rel, run] for run in self.runs}
        return sorted(
            (run for run in self.runs if not math.isnan(values[run])), key=lambda run: sign * values[run]
        )

    def changes(self, metric: Metric) -> bool:
        """Whether the order of the runs depends on the threshold."""
        return any(self.order(metric, a) != self.order(metric, b) for a, b in pairwise(self.rels))

    def to_table(self, metric: Metric) -> Table:
        """Return a table with one row per threshold and one column per run."""
        columns = [
            Column("relevant from"),
            *(Column(run, "value") for run in self.runs),
            Column("n", "count"),
        ]
        is_ordered = metric.better != "neither" and len(self.runs) > 1
        columns += [Column("order, best first")] if is_ordered else []
        rows: list[tuple[Cell, ...]] = []
        for rel in self.rels:
            values = [self.values[metric, rel, run] for run in self.runs]
            ranking = [" > ".join(self.order(metric, rel))] if is_ordered else []
            rows.append((EVERY.get(str(rel)) or f"{rel:g}", *values, self.n[metric, rel], *ranking))
        verdict = "changes" if self.changes(metric) else "does not change"
        notes = [f"{metric} is {metric.signature}"]
        notes += [f"the order of the runs {verdict} with the threshold"] if is_ordered else []
        return Table(columns, rows, caption=f"{metric} by threshold", notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as plain Python values; undefined is None."""
        return {
            str(metric): {
                "order_changes": self.changes(metric),
                "thresholds": [
                    {
                        "rel": rel,
                        "n": self.n[metric, rel],
                        "values": {
                            run: None if math.isnan(value := self.values[metric, rel, run]) else value
                            for run in self.runs
                        },
                        "order": self.order(metric, rel),
                    }
                    for rel in self.rels
                ],
            }
            for metric in self.metrics
        }

    def tables(self) -> list[Table]:
        """Return a table for each metric."""
        return [self.to_table(metric) for metric in self.metrics]
