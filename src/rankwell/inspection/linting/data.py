"""What the rules look at: whole lists, judgements by query, and a way to ask what a change would do to a metric."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from rankwell.display.findings import Finding
from rankwell.display.text import Composed
from rankwell.errors import DataError, InputError, RankwellError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.kernels import order
from rankwell.matching.parts import Parts, check_numbers
from rankwell.matching.policy import Policy
from rankwell.metrics import metrics_of
from rankwell.readers import read_items, read_qrels, read_run
from rankwell.readers.bytes.files import File, files_of
from rankwell.readers.formats.trec import TextRows
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.registry import ExplainedRows, guess, recode
from rankwell.records import cached_property, record
from rankwell.tables.csr import offsets_of
from rankwell.tables.ids import Ids, Known
from rankwell.tables.items_users import Items
from rankwell.tables.matrix import refuse_mismatch
from rankwell.tables.places import end_to_end
from rankwell.tables.rows import PART_ROWS, Columns, Lists, Rows, group_rows
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.workers import on_all_cores

BY_LINES = (
    "delimited",
    "movielens",
    "ndjson",
    "trec",
)  # formats in which the line that cannot be read can be left out


MOST_LINES = 20  # each damaged line costs another reading of the file; a file with more is the wrong one


Read = TypeVar("Read", "RunData", "QrelsData", Items)


@record(eq=False)
class LintSettings:
    """The settings of a check: the cut-off, the scale of the grades, the metric whose change is shown, the policy."""

    k: int = 10
    scale: tuple[float, ...] | None = None
    metric: str = "ndcg@10"
    policy: Policy = field(default_factory=Policy)

    @property
    def needs(self) -> frozenset[str]:
        """What the metric needs of the tables; nothing if there is no such metric."""
        try:
            return frozenset[str]().union(
                *(metric.needs | metric.needed() for metric in metrics_of(self.metric))
            )
        except RankwellError:
            return frozenset()

    def lenient(self, **changes: Any) -> Policy:
        """Return the policy under which dirty data can be evaluated, with changes."""
        # these faults are findings of their own: the value that shows another one must not fail for them
        rules: dict[str, Any] = {"duplicates": "first", "duplicate_grades": "max", "outside": "ignore"}
        return replace(self.policy, **(rules | changes))


@record(eq=False)
class LintData:
    """All that the rules look at."""

    runs: tuple[RunData, ...]
    qrels: QrelsData | None
    items: Items | None
    train: QrelsData | None
    settings: LintSettings
    values: dict[tuple[RunData, str, Policy], float | None] = field(default_factory=dict)

    def value(self, run: Run | RunData, metric: str | None = None, **policy: Any) -> float | None:
        """Return a metric of a run under a changed policy; None where it cannot be had."""
        if self.qrels is None:
            return None
        metric, lenient = metric or self.settings.metric, self.settings.lenient(**policy)
        if not isinstance(run, RunData):
            return self._value(run, metric, lenient)
        key = run, metric, lenient  # several rules ask for the value of the run as it is
        if key not in self.values:
            self.values[key] = self._value(run.as_run, metric, lenient)
        return self.values[key]

    def _value(self, run: Run, metric: str, lenient: Policy) -> float | None:
        assert self.qrels is not None
        try:
            request = Request(
                metrics=metrics_of(metric),
                policy=lenient,
                qrels=self.qrels.qrels,
                items=self.items
                if lenient.group is not None or self.settings.needs & {"spans", "sizes"}
                else None,
                tie_ranges=False,
            )
            value = Evaluator.of(request).results_of(run)[metric]
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


class RunData:
    """A run as batches of whole lists."""

    def __init__(self, run: Run) -> None:
        self.run, self.name = run, run.name
        self.rows = HeldRows.of(run.rows)
        for lists in self.rows.lists:
            check_numbers(lists)
        self.has_parts, self.has_sizes = (
            any(word in lists.extra for lists in self.rows.lists) for word in ("part", "size")
        )
        if self.has_parts:  # rules look at lists: here one for each part of a query
            self.rows = HeldRows([Parts.of(lists).lists for lists in self.rows.lists])
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
    def as_run(self) -> Run:
        """The run, to be evaluated."""
        # of the rows that were read for the rules: a value under another policy reads no file again
        run = Run.of_rows(self.rows, self.name)
        run.matrix = self.run.matrix
        return run

    @cached_property
    def ranks_and_scores(self) -> list[tuple[np.ndarray, np.ndarray]] | None:
        """Minus the rank and the score of the rows of each batch, None without both.

        TREC text has a rank column that evaluation ignores; here it is read.
        """
        if self.by_rank:
            pairs = [(lists.score, lists.given) for lists in self.batches if lists.given is not None]
            return pairs or None
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
        return self._replace_rows([(lists, score, slice(None), lists.offsets) for lists, score in pairs])

    def without(self, rows: Iterable[np.ndarray]) -> Run:
        """Return the run without some rows of each batch, and without the lists of which none are left."""
        changes = []
        for lists, left_out in zip(self.batches, rows, strict=True):
            kept = np.ones(lists.rows, np.bool_)
            kept[left_out] = False
            # how many rows are kept before each begin of a list is where the list begins among those kept
            changes.append((lists, lists.score[kept], kept, offsets_of(kept)[lists.offsets]))
        return self._replace_rows(changes)

    def _replace_rows(self, changes: Iterable[tuple[Lists, np.ndarray, Any, np.ndarray]]) -> Run:
        """The run with other scores of some rows of each batch, given with the places where the lists then begin."""
        changed = []
        for lists, score, rows, offsets in changes:
            some = np.flatnonzero(np.diff(offsets))  # an empty list would count as a query that found nothing
            ends = np.append(offsets[some], offsets[-1])
            new = np.ascontiguousarray(score, np.float64)
            changed.append(Lists(lists.queries[some], ends, lists.items[rows], new, lists.place))
        return Run.of_rows(HeldRows(changed), self.name)


class QrelsData:
    """Judgements, the rows of each query together."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels, self.name = qrels, qrels.name
        queries, self.offsets, rows = group_rows(qrels.by_query)
        self.rows = np.arange(len(qrels)) if rows is None else rows
        self.queries = Known(queries)
        self.items = qrels.item if rows is None else qrels.item[rows]

    def place(self, row: int) -> str:
        """Return the place of a grouped row."""
        return self.qrels.place(int(self.rows[row]))

    def place_of_query(self, query: int) -> str:
        """Return the place of the first row of a query."""
        return self.place(int(self.offsets[query]))


class HeldRows:
    """The rows of a run as batches of whole lists in memory: rules look at each on all cores, and none is read again."""

    grouped = True

    def __init__(self, lists: list[Lists]) -> None:
        self.lists = lists

    @classmethod
    def of(cls, rows: Rows) -> HeldRows:
        """Return rows from a reader, with those of each query together."""
        in_file_order = cls(on_all_cores(lambda make: make(), rows.batches(PART_ROWS)))
        # scattered rows show by a query in two batches: only then is all read again, grouped
        if rows.grouped or not in_file_order.lists or in_file_order.queries.is_distinct():
            return in_file_order
        return cls(on_all_cores(lambda make: make(), rows.regrouped().batches(PART_ROWS)))

    @property
    def queries(self) -> Ids:
        """The query of each list."""
        return Ids.concatenate([lists.queries for lists in self.lists])

    @property
    def items(self) -> Ids:
        """The item of each row."""
        return Ids.concatenate([lists.items for lists in self.lists])

    def __len__(self) -> int:
        return sum(lists.rows for lists in self.lists)

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:  # noqa: ARG002 - they are made already
        """Yield functions that each return one batch, of the size that it has."""
        for lists in self.lists:
            yield partial(_itself, lists)

    def owned(self) -> HeldRows:
        """Return these rows: they are held."""
        return self

    def regrouped(self) -> HeldRows:
        """Return these rows: they are grouped."""
        return self

    def table(self) -> Columns:
        """Return all rows as columns."""
        first = self.lists[0]
        offsets = offsets_of(np.concatenate([np.diff(lists.offsets) for lists in self.lists]))
        score = np.concatenate([lists.score for lists in self.lists])
        given = None
        if first.given is not None:
            given = np.concatenate([lists.given for lists in self.lists if lists.given is not None])

        rows = Columns(
            None,
            self.items,
            -score if first.by_rank else score,
            place=end_to_end([lists.rows for lists in self.lists], [lists.place for lists in self.lists]),
            by_rank=first.by_rank,
            given_score=given,
            lists=(self.queries, offsets),
        )
        rows.by_place, rows.rank_base = first.by_rank and not first.has_ranks, first.rank_base
        return rows


def _itself(lists: Lists) -> Lists:
    return lists


def common(ids: Ids, table: Known) -> np.ndarray | None:
    """Return the row of each wanted id among the known ones, -1 where it is not; None if the kinds differ."""
    if ids.is_text == table.ids.is_text:
        return table.find(ids)
    text, is_ids = (ids, True) if ids.is_text else (table.ids, False)
    integers = text.as_integers()
    if integers is None:
        return None
    return table.find(integers) if is_ids else Known(integers).find(ids)


@record
class MarkedRows:
    """Rows that a rule has something to say about: how many there are, and the first of them."""

    count: int
    lists: Lists
    row: int

    @property
    def place(self) -> str:
        """Where the first row stands."""
        return self.lists.place(self.row)

    @property
    def item(self) -> str:
        """The item of the first row, for a message."""
        return brief(self.lists.items.one(self.row))

    @property
    def query(self) -> str:
        """The query of the first row, for a message."""
        at = int(np.searchsorted(self.lists.offsets, self.row, side="right")) - 1
        return brief(self.lists.queries.one(at))


def mark_rows(batches: list[Lists], rows: list[np.ndarray]) -> MarkedRows | None:
    """Return what there is to say of some rows of each batch; None if there are none."""
    marked = [(lists, own) for lists, own in zip(batches, rows, strict=True) if len(own)]
    return (
        MarkedRows(sum(len(own) for _, own in marked), marked[0][0], int(marked[0][1][0])) if marked else None
    )


def rows_of(count: int) -> Composed:
    """Return a number of rows in words."""
    return Composed("{n:,} row", n=count) if count == 1 else Composed("{n:,} rows", n=count)


def inside(lists: Lists) -> np.ndarray:
    """Return whether each row but the first is of the same list as the row above it."""
    same = np.ones(max(lists.rows - 1, 0), np.bool_)
    begins = lists.offsets[1:-1]
    # a list without rows at either end of the batch begins outside the pairs of neighbours
    same[begins[(begins > 0) & (begins < lists.rows)] - 1] = False
    return same


def order_rows(lists: Lists, key: np.ndarray) -> np.ndarray | None:
    """Return the rows, those of the highest key first in each list; None if they are in this order already."""
    # one pass tells, where a sort is the larger part of a rule; most files are in order
    if not np.any((key[1:] > key[:-1]) & inside(lists)):
        return None
    rows = np.arange(lists.rows)
    order.sort(rows, lists.offsets, key, *Ids.of_integers(rows).columns, order.TIE_RULES["order"])
    return rows


def run_data(source: Any, **options: Any) -> RunData:
    """Return a run whose rows have been read."""
    data = RunData(read_run(source, **options))
    if data.run is not source and data.run.files:
        data.name = data.run.files[0].name  # findings are of files, not of systems
    if not len(data.rows):
        raise DataError(f"{data.name}: the run holds no rows.")
    return data


def qrels_data(source: Any, **options: Any) -> QrelsData:
    """Return judgements as the rules see them."""
    return QrelsData(read_qrels(source, **options))


def try_reading_chunks(source: Any, findings: list[Finding], encoding: str | None) -> Items | None:
    """Return the chunks of a table, None if they or their spans cannot be read; what is wrong is added to the findings."""
    try:
        chunks = read_catalogue(source, encoding=encoding, needs=frozenset({"spans"}))
        chunks.spans()
    except RankwellError as error:
        findings.append(_unreadable(error))
        return None
    return chunks


def try_reading(
    read: Callable[[Any], Read], source: Any, findings: list[Finding], encoding: str | None
) -> Read | None:
    """Return what ``read`` gives, None if it cannot be read; what is wrong is added to the findings.

    A line that cannot be read is left out, and the file read again, as long as there are few of them.
    """
    damaged: dict[str, list[int]] = {}
    try:
        files = [recode(file, encoding) for file in _files(source, of_paths=read is not read_items)]
        for file in files:
            findings += _cut_off(file)
        while True:
            try:
                parts = [file.without(damaged.get(file.label, [])) for file in files]
                return read(parts or source)
            except DataError as error:
                findings.append(_unreadable(error))
                label, line = _line_of(error, files)
                # no line to leave out, or one that is left out and still damaged: reading on would never end
                if not line or line in damaged.get(label, []):
                    return None
                damaged.setdefault(label, []).append(line)
                if sum(map(len, damaged.values())) > MOST_LINES:
                    findings.append(_too_many(label))
                    return None
    except (DataError, InputError) as error:
        findings.append(_unreadable(error))
        return None


def _files(source: Any, *, of_paths: bool) -> list[File]:
    """The files that a source names; none if it is something else (a list may be one of ids)."""
    sources = list(source) if isinstance(source, (list, tuple)) and of_paths else [source]
    is_path = [
        isinstance(path, (str, os.PathLike, File)) and not str(path).startswith("irds:") for path in sources
    ]
    return [file for path in sources for file in files_of(path)] if all(is_path) else []


def _line_of(error: DataError, files: Sequence[File]) -> tuple[str, int]:
    """The file and the line that an error names; line 0 if the line cannot be left out."""
    for file in files:
        place = re.match(re.escape(file.label) + r":(\d+): ", str(error))
        if place and guess(file)[0] in BY_LINES:
            line = int(place[1])
            return file.label, 0 if line <= _header(file) else line
    return "", 0


def _header(file: File) -> int:
    """The line of a file's header; 0 if it has none."""
    if guess(file)[0] != "delimited":
        return 0
    lines = file.head.splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.strip() and line[:1] != b"#"), 1)


def _cut_off(file: File) -> Iterator[Finding]:
    """A last line without its end: the file may be cut off."""
    is_whole_json = file.head.lstrip()[:1] in (b"{", b"[") and file.tail(1) in (b"}", b"]")
    if file.tail(1) == b"\n" or is_whole_json or b"\0" in file.head:
        return  # binary files and whole JSON need no line end
    line = sum(piece.tobytes().count(b"\n") for piece in file.pieces()) + 1
    yield Finding(
        "cut-off", "warning", f"{file.label}:{line}", "the last line has no line end; the file may be cut off",
        "Compare its length with the original; a score may have lost its last digits.",
    )  # fmt: skip


def _unreadable(error: RankwellError) -> Finding:
    """A finding of an error that stops the reading: ``place: what. Remedy.``"""
    place, _, rest = str(error).partition(": ")
    what, _, remedy = rest.partition(". ")
    remedy = remedy or "Mend or remove it; the other rules did not see it."
    return Finding("unreadable", "error", place, what.rstrip("."), remedy)


def _too_many(label: str) -> Finding:
    return Finding(
        "unreadable", "error", label, f"more than {MOST_LINES} lines cannot be read; the rest was not looked at",
        "Is this the right file, and is it read as what it is? `rankwell evaluate -v` says.",
    )  # fmt: skip


def fits(run: Run, qrels: QrelsData | None, findings: list[Finding]) -> bool:
    """Whether run and judgements can be of the same items; if not, the finding is added."""
    try:
        refuse_mismatch(run.matrix, None if qrels is None else qrels.qrels.matrix)
    except RankwellError as error:
        findings.append(_unreadable(error))
        return False
    return True
