"""What the rules look at: whole lists, judgements by query, and a way to ask what a change would do to a metric."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankwell.errors import RankwellError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs
from rankwell.judge.policy import Policy
from rankwell.readers.failures import ExplainedRows
from rankwell.readers.formats.trec import TextRows
from rankwell.tables.csr import owners
from rankwell.tables.grouping import grouped
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.rows import Columns, Lists
from rankwell.tables.run_qrels import Qrels, Run

RANK = ("query Q0 item rank score tag", 3, 6)


@dataclass(frozen=True, eq=False)
class Settings:
    """The settings of a check: the cut-off, the scale of the grades, the metric whose change is shown, the policy."""

    k: int = 10
    scale: tuple[float, ...] | None = None
    metric: str = "ndcg@10"
    policy: Policy = field(default_factory=Policy)

    def lenient(self, **changes: Any) -> Policy:
        """Return the policy under which dirty data can be evaluated, with changes."""
        rules: dict[str, Any] = {"duplicates": "first", "duplicate_grades": "max", "outside": "ignore"}
        return replace(self.policy, **(rules | changes))


class RunData:
    """A run as whole lists."""

    def __init__(self, run: Run) -> None:
        self.run, self.name = run, run.name
        self.columns = run.rows.table()

    @cached_property
    def lists(self) -> Lists:
        """All lists, one after the other."""
        return next(self.columns.batches(len(self.columns.item) + 1))()

    @cached_property
    def list_of(self) -> np.ndarray:
        """The list of each row."""
        return owners(self.lists.offsets)

    @cached_property
    def ranked(self) -> Lists | None:
        """The lists in the order of their ranks with the scores beside them, None without both.

        TREC text has a rank column that evaluation ignores; here it is read.
        """
        columns = self.columns
        if columns.by_rank:
            return self.lists if columns.given_score is not None else None
        rows = self.run.rows.rows if isinstance(self.run.rows, ExplainedRows) else self.run.rows
        if not isinstance(rows, TextRows):
            return None
        try:
            ranks = rows.parsed(RANK).value
        except RankwellError:
            return None  # a rank column of words
        by_rank = Columns(
            columns.query, columns.item, ranks, place=columns.place, by_rank=True, given_score=columns.key
        )
        return next(by_rank.batches(len(ranks) + 1))()

    def in_lists(self, column: np.ndarray) -> np.ndarray:
        """Return a column of the run in the order of its lists."""
        columns, rows = self.columns, Ids.of_integers(np.arange(len(column)))
        ordered = Columns(columns.query, rows, np.asarray(column), place=columns.place)
        return column[next(ordered.batches(len(column) + 1))().items.integers]

    def without(self, rows: np.ndarray) -> Run:
        """Return the run without some rows of its lists."""
        kept = np.setdiff1d(np.arange(self.lists.rows), rows)
        return self.changed(self.lists.items[kept], self.lists.score[kept], kept)

    def changed(self, items: Ids, score: np.ndarray, rows: np.ndarray | None = None) -> Run:
        """Return the run with other items and scores (of some of its rows)."""
        numbers = self.list_of if rows is None else self.list_of[rows]
        return Run(self.lists.queries[numbers], items, score, name=self.name)


class QrelsData:
    """Judgements, the rows of each query together."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels, self.name = qrels, qrels.name
        queries, self.offsets, rows = grouped(qrels.by_query)
        self.rows = np.arange(len(qrels)) if rows is None else rows
        self.queries = Known(queries)
        self.items = qrels.item if rows is None else qrels.item[rows]

    def place(self, row: int) -> str:
        """Return the place of a grouped row."""
        return self.qrels.place(int(self.rows[row]))


@dataclass(frozen=True, eq=False)
class Data:
    """All that the rules look at."""

    runs: tuple[RunData, ...]
    qrels: QrelsData | None
    items: Items | None
    train: QrelsData | None
    settings: Settings

    def value(self, run: Run | RunData, metric: str | None = None, **policy: Any) -> float | None:
        """Return a metric of a run under a changed policy; None where it cannot be had."""
        if self.qrels is None:
            return None
        metric = metric or self.settings.metric
        given = run.run if isinstance(run, RunData) else run
        try:
            lenient = self.settings.lenient(**policy)
            inputs = Inputs.of(metric, lenient, qrels=self.qrels.qrels)
            value = Evaluator.of(inputs).results_of(given)[metric]
        except RankwellError:
            return None  # the finding is reported without its effect
        return None if math.isnan(value) else value

    def change(self, before: float | None, after: float | None, when: str) -> str:
        """Return in words what a change does to the metric."""
        if before is None or after is None:
            return ""
        if f"{before:.4f}" == f"{after:.4f}":
            return f"{self.settings.metric} stays {before:.4f} {when}"
        return f"{self.settings.metric} {before:.4f} → {after:.4f} {when}"


def common(wanted: Ids, known: Known) -> np.ndarray | None:
    """Return the row of each wanted id among the known ones, -1 where it is not; None if the kinds differ."""
    if wanted.is_text == known.ids.is_text:
        return known.find(wanted)
    text, is_wanted = (wanted, True) if wanted.is_text else (known.ids, False)
    integers = text.as_integers()
    if integers is None:
        return None
    return known.find(integers) if is_wanted else Known(integers).find(wanted)
