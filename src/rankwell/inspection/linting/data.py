"""What the rules look at: whole lists, judgements by query, and a way to ask what a change would do to a metric."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any

import numpy as np

from rankwell.display.composed import Composed
from rankwell.errors import RankwellError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs
from rankwell.inspection.linting.batches import HeldRows
from rankwell.matching.policy import Policy
from rankwell.readers.failures import ExplainedRows
from rankwell.readers.formats.trec import TextRows
from rankwell.records import cached_property, record
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.rows import Lists, grouped
from rankwell.tables.run_qrels import Qrels, Run


@record(eq=False)
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
    """A run as batches of whole lists."""

    def __init__(self, run: Run) -> None:
        self.run, self.name = run, run.name
        self.rows = HeldRows.of(run.rows)
        self.batches = self.rows.lists

    @property
    def by_rank(self) -> bool:
        """Whether ranks decide, or the order of the rows."""
        return self.batches[0].by_rank

    @cached_property
    def queries(self) -> Ids:
        """The query of each list."""
        return self.rows.queries

    def place_of_list(self, number: int) -> str:
        """Return the place of the first row of a list."""
        for lists in self.batches:
            if number < len(lists.queries):
                return lists.place(int(lists.offsets[number]))
            number -= len(lists.queries)
        raise IndexError(number)

    @cached_property
    def lists(self) -> Lists:
        """All lists, one after the other."""
        return next(self.rows.table().batches(len(self.rows) + 1))()

    @cached_property
    def held(self) -> Run:
        """The run, to be evaluated."""
        held = Run.of_rows(self.rows, self.name)
        held.matrix = self.run.matrix
        return held

    @cached_property
    def ranks_and_scores(self) -> list[tuple[np.ndarray, np.ndarray]] | None:
        """Minus the rank and the score of the rows of each batch, None without both.

        TREC text has a rank column that evaluation ignores; here it is read.
        """
        if self.by_rank:
            found = [(lists.score, lists.given) for lists in self.batches if lists.given is not None]
            return found or None
        rows = self.run.rows.rows if isinstance(self.run.rows, ExplainedRows) else self.run.rows
        if not isinstance(rows, TextRows):
            return None
        try:
            ranks = [lists.score for lists in HeldRows.of(rows.with_ranks()).lists]
        except RankwellError:
            return None  # a rank column of words
        return [(-rank, lists.score) for rank, lists in zip(ranks, self.batches, strict=True)]

    def with_scores(self, scores: Iterable[np.ndarray]) -> Run:
        """Return the run with other scores, which decide the order."""
        pairs = zip(self.batches, scores, strict=True)
        return self._changed([(lists, score, slice(None), lists.offsets) for lists, score in pairs])

    def without(self, rows: Iterable[np.ndarray]) -> Run:
        """Return the run without some rows of each batch, and without the lists of which none are left."""
        changes = []
        for lists, left_out in zip(self.batches, rows, strict=True):
            kept = np.ones(lists.rows, np.bool_)
            kept[left_out] = False
            changes.append((lists, lists.score[kept], kept, offsets_of(kept)[lists.offsets]))
        return self._changed(changes)

    def _changed(self, changes: Iterable[tuple[Lists, np.ndarray, Any, np.ndarray]]) -> Run:
        """The run with other scores of some rows of each batch, given with the places where the lists then begin."""
        changed = []
        for lists, score, rows, offsets in changes:
            some = np.flatnonzero(np.diff(offsets))
            ends = np.append(offsets[some], offsets[-1])
            new = np.ascontiguousarray(score, np.float64)
            changed.append(Lists(lists.queries[some], ends, lists.items[rows], new, lists.place))
        return Run.of_rows(HeldRows(changed), self.name)


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


@record(eq=False)
class Data:
    """All that the rules look at."""

    runs: tuple[RunData, ...]
    qrels: QrelsData | None
    items: Items | None
    train: QrelsData | None
    settings: Settings
    known: dict[tuple[RunData, str, Policy], float | None] = field(default_factory=dict)

    def value(self, run: Run | RunData, metric: str | None = None, **policy: Any) -> float | None:
        """Return a metric of a run under a changed policy; None where it cannot be had."""
        if self.qrels is None:
            return None
        metric, lenient = metric or self.settings.metric, self.settings.lenient(**policy)
        if not isinstance(run, RunData):
            return self._value(run, metric, lenient)
        key = run, metric, lenient  # several rules ask for the value of the run as it is
        if key not in self.known:
            self.known[key] = self._value(run.held, metric, lenient)
        return self.known[key]

    def _value(self, given: Run, metric: str, lenient: Policy) -> float | None:
        assert self.qrels is not None
        try:
            inputs = Inputs.of(metric, lenient, qrels=self.qrels.qrels)
            value = Evaluator.of(inputs, tie_ranges=False).results_of(given)[metric]
        except RankwellError:
            return None  # the finding is reported without its effect
        return None if math.isnan(value) else value

    def change(self, before: float | None, after: float | None, when: Composed) -> str:
        """Return in words what a change does to the metric."""
        if before is None or after is None:
            return ""
        if f"{before:.4f}" == f"{after:.4f}":
            return Composed(
                "{metric} stays {value:.4f} {when}", metric=self.settings.metric, value=before, when=when
            )
        return Composed(
            "{metric} {before:.4f} → {after:.4f} {when}",
            metric=self.settings.metric,
            before=before,
            after=after,
            when=when,
        )


def common(wanted: Ids, known: Known) -> np.ndarray | None:
    """Return the row of each wanted id among the known ones, -1 where it is not; None if the kinds differ."""
    if wanted.is_text == known.ids.is_text:
        return known.find(wanted)
    text, is_wanted = (wanted, True) if wanted.is_text else (known.ids, False)
    integers = text.as_integers()
    if integers is None:
        return None
    return known.find(integers) if is_wanted else Known(integers).find(wanted)
