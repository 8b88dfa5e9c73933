"""The worked table: the computation of a metric's value, rank by rank, for one query."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import read_inputs
from rankwell.evaluation.one_query import One, one_query
from rankwell.matching.policy import Policy
from rankwell.metrics.additive import Additive, RankWeighted, Terms
from rankwell.metrics.metric import Metric, QueryMetric

ALL_RANKS = 40  # in longer lists only ranks that add something are shown


def worked_table(
    metric: Metric, run: Any, qrels: Any, query: str | int | None, policy: Policy, **tables: Any
) -> Table:
    """Return the worked table of one query; ``tables`` are items, train and users."""
    if not isinstance(metric, QueryMetric):
        raise UsageError(f"{metric} has one value for all lists, so there is no table of one query.")
    if policy.ties == "expected" and not isinstance(metric, RankWeighted):
        raise UsageError(
            f"{metric}: ties=expected averages over orders, so there is no single list; use ties='item-desc'."
        )
    inputs = read_inputs(metric, policy, runs=[run], qrels=qrels, **tables)
    task = Evaluator.of(inputs).task
    task.require_fit(inputs.runs[0])
    one = one_query(task, inputs.runs[0].rows.table(), query)
    value = float(task.measure(one.judged, Counter()).values[metric][0])
    left, right, notes = _added(metric, one, value) if isinstance(metric, Additive) else (None, None, [])
    columns, rows = _listed(one, left)
    left_out = sum(1 for rank in one.grades if metric.k is None or rank <= metric.k) - len(rows)
    if left_out:
        notes.append(f"{left_out:,} ranks that add nothing are left out")
    if right is not None:
        more, beside = _ideal(one, right)
        if len(beside) > max(len(rows), ALL_RANKS):
            notes.append(f"the ideal list has {len(beside):,} items; the first are shown")
            beside = beside[: max(len(rows), ALL_RANKS)]
        blank: list[Cell] = [None] * len(columns)
        rows += [[place + 1, *blank[1:]] for place in range(len(rows), len(beside))]
        beside += [[None] * len(more)] * (len(rows) - len(beside))
        columns, rows = columns + more, [[*row, *side] for row, side in zip(rows, beside, strict=True)]
    names = [column.name for column in columns]
    columns = [
        replace(c, name=f"ideal {c.name}") if n in names[:at] else c
        for at, (n, c) in enumerate(zip(names, columns, strict=True))
    ]
    if not notes:
        notes = [
            f"{metric} = {number(value)}"
            if not math.isnan(value)
            else f"{metric} is undefined for this query"
        ]
    notes += [f"{metric} is {metric.signature}"] if str(metric) != metric.signature else []
    return Table(columns, rows, caption=f"{metric} for query {brief(one.query)}", notes=notes)


def _added(metric: Additive, one: One, value: float) -> tuple[Terms, Terms | None, list[str]]:
    """The terms of the list, those of the ideal list, and the division in words."""
    context = one.task.context
    left, right = metric.terms(one.judged, context), metric.ideal_terms(one.judged, context)
    total, below = float(left.sum()[0]), float(metric.divisor(one.judged, context)[0])
    return left, right, [_division(metric, total, below, value)]


def _division(metric: Additive, total: float, below: float, value: float) -> str:
    if math.isnan(below) or below == 0:
        counted = "" if math.isnan(value) else f"; it counts as {value:g}"
        return f"{metric} is undefined: no judged item could be found{counted}"
    word = metric.words[2]
    shown = f"{below:g}" if float(below).is_integer() else number(below)
    if not word:
        return f"{metric} = {number(total)}"
    return f"{number(total)} ÷ {word} = {number(total)} ÷ {shown} = {number(total / below)}"


def _listed(one: One, terms: Terms | None) -> tuple[list[Column], list[list[Cell]]]:
    """The ranks of the list, with what each adds."""
    columns = [Column("rank", "count"), Column("item"), Column("grade")]
    metric = one.task.metrics[0]
    ranks = sorted(rank for rank in one.grades if metric.k is None or rank <= metric.k)
    added: dict[int, tuple[float, float]] = {}
    if terms is not None:
        assert isinstance(metric, Additive)
        columns += [Column(metric.words[0], _kind(terms.gain)), Column(metric.words[1], "value")]
        columns += [Column("product", "value"), Column("sum", "value")]
        added = dict(
            zip(
                terms.rows.rank.tolist(),
                zip(terms.gain.tolist(), terms.weight.tolist(), strict=True),
                strict=True,
            )
        )
        if len(ranks) > ALL_RANKS:
            ranks = [rank for rank in ranks if rank in added]
    rows: list[list[Cell]] = []
    total, names = 0.0, one.names(max(ranks, default=0))
    for rank in ranks:
        row: list[Cell] = [rank, str(names[rank]), _grade(one.grades[rank])]
        if terms is not None:
            gain, weight = added.get(rank, (0.0, None))
            total += 0.0 if weight is None else gain * weight
            product = 0.0 if weight is None else gain * weight
            row += [int(gain) if columns[3].kind == "count" else gain, weight, product, total]
        rows.append(row)
    return columns, rows


def _ideal(one: One, terms: Terms) -> tuple[list[Column], list[list[Cell]]]:
    """The ranks of the ideal list, with what each adds."""
    metric = one.task.metrics[0]
    assert isinstance(metric, Additive)
    columns = [Column("ideal item"), Column("grade")]
    columns.append(Column(metric.words[0], _kind(terms.gain)))
    columns += [Column(name, "value") for name in (metric.words[1], "product", "sum")]
    rows: list[list[Cell]] = []
    total = 0.0
    known, items = (one.pooled, terms.rows.pool_row) if terms.ids is None else (terms.ids, terms.rows.item)
    assert items is not None
    for place, item in enumerate(items.tolist()):
        gain, weight = float(terms.gain[place]), float(terms.weight[place])
        total += gain * weight
        name = str(known.one(item))
        shown = int(gain) if columns[2].kind == "count" else gain
        rows.append([name, _grade(float(terms.rows.grade[place])), shown, weight, gain * weight, total])
    return columns, rows


def _kind(gains: np.ndarray) -> Literal["count", "value"]:
    return "count" if np.array_equal(gains, np.round(gains)) else "value"


def _grade(grade: float) -> str | None:
    return None if math.isnan(grade) else f"{grade:g}"
