"""What the rules look at: whole lists, judgements by query, and a way to ask what a change would do to a metric."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from rankwell.display.findings import Finding
from rankwell.display.text import Composed
from rankwell.errors import DataError, InputError, RankwellError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.engines.memory import Memory
from rankwell.evaluation.plan import Plan
from rankwell.evaluation.request import Request
from rankwell.evaluation.task import Task
from rankwell.matching.lists import RanksBeginAtZero
from rankwell.matching.parts import PartLists, check_numbers
from rankwell.matching.policy import Policy
from rankwell.metrics import metrics_of
from rankwell.readers import read_items, read_qrels
from rankwell.readers.bytes.files import File, files_of
from rankwell.readers.formats.trec import TrecRows
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.read import open_run
from rankwell.readers.registry import ExplainedRows, guess, recode
from rankwell.records import cached_property, record
from rankwell.results.part import Part
from rankwell.tables.ids import Ids, Known, own_text
from rankwell.tables.items_users import Items
from rankwell.tables.lists import NO_ROWS, highest_first, offsets_of
from rankwell.tables.machine import Workers, cores, in_order, on_all_cores
from rankwell.tables.rows import PART_ROWS, Columns, Lists, Rows, group_rows, own_column
from rankwell.tables.run_qrels import Qrels, Run, refuse_mismatch
from rankwell.tables.series import end_to_end

BY_LINES = (
    "delimited",
    "movielens",
    "ndjson",
    "trec",
)  # formats in which the line that cannot be read can be left out


MOST_LINES = 20  # each damaged line costs another reading of the file; a file with more is the wrong one


# bytes of a file whose lines are held once they were read; those of a larger one are read again
MOST_HELD, COMPRESSED = 1 << 25, 4
LOOKED_AT = 1000  # items that show how ids are made


Read = TypeVar("Read", "RunData", "QrelsData", Items)
Change = tuple[Any, ...]  # a function that returns changed lists, and what it is given beside them
Add = Callable[[Any, Lists, Any], Any]  # what was found before, a batch, and what a look found in it


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
    catalogue: Known | None
    train: QrelsData | None
    settings: LintSettings

    @property
    def missed(self) -> int:
        """How many answers of the runs were not known when they were asked for."""
        return sum(run.missed for run in self.runs)

    def value(
        self, run: RunData, metric: str | None = None, change: Change | None = None, **policy: Any
    ) -> float | None:
        """Return a metric of a run under a changed policy, or of its lists after a change; None where it cannot be had, or is not known yet."""
        if self.qrels is None:
            return None
        key = metric or self.settings.metric, self.settings.lenient(**policy), change
        if key not in run.values:  # several rules ask for the value of the run as it is
            run.values[key] = self._measured(run, *key)
        measured = run.values[key]
        if measured is None or (parts := run.ask(measured, add=_listed)) is None:
            return None
        return measured.value(parts)

    def _measured(
        self, run: RunData, metric: str, lenient: Policy, change: Change | None
    ) -> MeasuredRun | None:
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
            return MeasuredRun(Evaluator.of(request), run, metric, change)
        except RankwellError:
            return None  # the finding is reported without its effect

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
    """A run that is read batch by batch: what rules ask of each batch is answered for all of them together, in one pass.

    Before that the answer is None, and ``missed`` counts it: the rule is to be asked again. Lines of TREC text are read from their file in each pass.
    """

    def __init__(self, run: Run) -> None:
        self.run, self.name = run, run.name
        inner = run.rows.rows if isinstance(run.rows, ExplainedRows) else run.rows
        self.is_trec = isinstance(inner, TrecRows)
        # only lines of text come in the order of the file, by which the first row of a finding is known
        self.rows = run.rows.owned() if not isinstance(inner, TrecRows) else inner.with_ranks()
        if isinstance(run.rows, ExplainedRows) and self.is_trec:
            self.rows = ExplainedRows(self.rows, run.rows.file, run.rows.name)
        self.values: dict[tuple[str, Policy, Change | None], MeasuredRun | None] = {}
        self._asked: dict[Any, Add] = {}
        self._answers: dict[Any, Any] = {}
        self._held: list[Lists] = []
        self._head: Lists | None = None
        size = sum(file.size if file.is_plain else COMPRESSED * file.size for file in run.files)
        self._holds = self.is_trec and size <= MOST_HELD
        self.missed = self.n_rows = 0
        self.queries = self.first_items = Ids.of_integers(NO_ROWS)
        self.by_rank = self.has_both = self.has_parts = self.has_sizes = False

    @property
    def is_read(self) -> bool:
        """Whether the run has been read."""
        return self.n_rows > 0

    def ask(self, look: Callable[..., Any], *given: Any, add: Add) -> Any:
        """Return what a look at each batch found, added up in their order; None before they are read."""
        key = look, *given
        if key not in self._answers:
            self._asked[key] = add
            self.missed += 1
        return self._answers.get(key)

    def mark(self, look: Callable[..., np.ndarray], *given: Any) -> MarkedRows | None:
        """Return what there is to say of the rows of each batch that a look returns; None if there are none, or before they are read."""
        marked: MarkedRows | None = self.ask(look, *given, add=_mark)
        return marked

    def read(self) -> None:
        """Answer what was asked, if anything was."""
        if self.is_read and not self._asked:
            return
        asked, self._asked = self._asked, {}
        answers, queries = dict.fromkeys(asked), list[Ids]()
        held, n_rows, self.has_both = list[Lists](), 0, True
        with Workers(cores()) as workers:
            jobs = (partial(_look, make, asked) for make in self.batches())
            for lists, found in in_order(workers, cores(), jobs):
                if not queries:
                    self.by_rank, self._head = lists.by_rank, _own(lists)
                    self.first_items = self._head.items[:LOOKED_AT]
                queries.append(own_text(lists.queries))
                n_rows += lists.rows
                if self._holds and not self.is_read:
                    held.append(lists)
                self.has_both &= ranks_and_scores(lists) is not None
                for (key, add), own in zip(asked.items(), found, strict=True):
                    answers[key] = add(answers[key], lists, own)
        if queries:
            self.queries = Ids.concatenate(queries)
        # scattered rows show by a query in two batches: only then is all read again, grouped
        if not self.rows.grouped and not self.queries.is_distinct():
            self.rows, self._asked = self.rows.regrouped(), asked
            self.read()
        else:
            self._answers |= answers
            self._held, self.n_rows = self._held or held, n_rows

    def batches(self) -> Iterator[Callable[[], Lists]]:
        """Yield functions that each make a batch."""
        for lists in self._held:
            yield partial(_itself, lists)
        if not self._held:
            for make in self.rows.batches(PART_ROWS):
                yield partial(self._made, make)

    def heads(self) -> Iterator[Callable[[], Lists]]:
        """Yield the same, of which the first is at hand: a few rows are looked at often, and their places are not asked for."""
        if self._head is not None:
            yield partial(_itself, self._head)
        yield from islice(self.batches(), int(self._head is not None), None)

    def _made(self, make: Callable[[], Lists]) -> Lists:
        lists = make()
        check_numbers(lists)
        self.has_sizes |= "size" in lists.extra
        if "part" not in lists.extra:
            return lists
        self.has_parts = True  # rules look at lists: here one for each part of a query
        return PartLists.of(lists).lists

    def place_of_list(self, number: int) -> str:
        """Return the place of the first row of a list."""
        for make in self.batches():
            lists = make()
            if number < len(lists.queries):
                return lists.place(int(lists.offsets[number]))
            number -= len(lists.queries)
        raise IndexError(number)

    @cached_property
    def lists(self) -> Lists:
        """All lists, one after the other, held."""
        return next(BatchedRows(self).table().batches(self.n_rows + 1))()

    def changed(self, change: Change | None) -> Run:
        """Return the run with other lists, to be evaluated."""
        run = Run.of_rows(BatchedRows(self, change), self.name)
        run.matrix = self.run.matrix
        return run


def _itself(lists: Lists) -> Lists:
    return lists


def _own(lists: Lists) -> Lists:
    """Lists without the text that they are cut from, and so without places in it."""
    extra = {word: own_column(column) for word, column in lists.extra.items()}
    return replace(
        lists,
        queries=own_text(lists.queries),
        items=own_text(lists.items),
        score=lists.score.copy(),
        place=str,
        extra=extra,
    )


def _look(make: Callable[[], Lists], asked: Iterable[Any]) -> tuple[Lists, list[Any]]:
    lists = make()
    return lists, [look(lists, *given) for look, *given in asked]


def _listed(total: list[Any] | None, lists: Lists, own: Any) -> list[Any]:  # noqa: ARG001 - as all that add
    return [*(total or ()), own]


def ranks_and_scores(lists: Lists) -> tuple[np.ndarray, np.ndarray] | None:
    """Return minus the rank and the score of each row, None without both."""
    if lists.by_rank:
        return None if lists.given is None else (lists.score, lists.given)
    rank = lists.extra.get("rank")
    return (-rank, lists.score) if isinstance(rank, np.ndarray) else None


def with_scores(lists: Lists, scores: Callable[[Lists], np.ndarray]) -> Lists:
    """Return lists with other scores, which decide the order."""
    return _changed_rows(lists, scores(lists), slice(None), lists.offsets)


def without(lists: Lists, look: Callable[..., np.ndarray], *given: Any) -> Lists:
    """Return lists without the rows that a look returns, and without those of which none are left."""
    kept = np.ones(lists.rows, np.bool_)
    kept[look(lists, *given)] = False
    # how many rows are kept before each begin of a list is where the list begins among those kept
    return _changed_rows(lists, lists.score[kept], kept, offsets_of(kept)[lists.offsets])


def _changed_rows(lists: Lists, score: np.ndarray, rows: Any, offsets: np.ndarray) -> Lists:
    some = np.flatnonzero(np.diff(offsets))  # an empty list would count as a query that found nothing
    ends = np.append(offsets[some], offsets[-1])
    new = np.ascontiguousarray(score, np.float64)
    return Lists(lists.queries[some], ends, lists.items[rows], new, lists.place)


class MeasuredRun(Memory):
    """An evaluation of a run, or of its lists after a change, whose batches are measured while rules look at them."""

    def __init__(self, evaluator: Evaluator, run: RunData, metric: str, change: Change | None) -> None:
        super().__init__()
        assert isinstance(evaluator.plan, Plan)
        self.plan, self.run_data, self.metric, self.change = evaluator.plan, run, metric, change
        self.task = self.plan.task.of_run(run.changed(change))
        self._part: Part | None = None
        self._values: list[float | None] = []

    def __call__(self, lists: Lists) -> Part | RankwellError:
        """Return the part of a batch, or why there is none."""
        try:
            return self.task.measure(*self.task.judge(_changed(lists, self.change))).settle()
        except RankwellError as error:
            return error

    def measure(self, rows: Rows, name: str, task: Task) -> Part:
        """Return the sum of the batches that were measured, once; measure them anew under other rules."""
        part, self._part = self._part, None
        return super().measure(rows, name, task) if part is None else part

    def value(self, parts: list[Part | RankwellError]) -> float | None:
        """Return the value from the parts of all batches; None if there is none."""
        if not self._values:
            self._values.append(self._value_of(parts))
        return self._values[0]

    def _value_of(self, parts: list[Part | RankwellError]) -> float | None:
        errors = [part for part in parts if isinstance(part, RankwellError)]
        if errors and not isinstance(errors[0], RanksBeginAtZero):
            return None
        try:
            self._part = None if errors else Part.sum(part for part in parts if isinstance(part, Part))
            value = replace(self.plan, engine=self).results(self.run_data.changed(self.change))[self.metric]
        except RankwellError:
            return None
        return None if math.isnan(value) else value


Rule = Callable[[LintData], Iterator[Finding]]


class QrelsData:
    """Judgements, the rows of each query together."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels, self.name = qrels, qrels.name
        queries, self.offsets, rows = group_rows(qrels.by_query)
        self.rows = np.arange(len(qrels)) if rows is None else rows
        self.queries = Known(queries)
        self.items = qrels.item if rows is None else qrels.item[rows]

    @cached_property
    def judged(self) -> Known:
        """The different items."""
        return Known(self.items.distinct())

    def place(self, row: int) -> str:
        """Return the place of a grouped row."""
        return self.qrels.place(int(self.rows[row]))

    def place_of_query(self, query: int) -> str:
        """Return the place of the first row of a query."""
        return self.place(int(self.offsets[query]))


class BatchedRows:
    """The rows of a run as rules see them, after a change of its lists."""

    grouped = True

    def __init__(self, run: RunData, change: Change | None = None) -> None:
        self.run, self.change = run, change

    def batches(self, size: int) -> Iterator[Callable[[], Lists]]:  # noqa: ARG002 - of the size that rules see
        """Yield functions that each make one batch."""
        for make in self.run.heads():
            yield partial(_make_changed, make, self.change)

    def owned(self) -> BatchedRows:
        """Return these rows."""
        return self

    regrouped = owned

    def table(self) -> Columns:
        """Return all rows as columns."""
        batches = on_all_cores(lambda make: _make_changed(make, self.change), self.run.batches())
        first = batches[0]
        offsets = offsets_of(np.concatenate([np.diff(lists.offsets) for lists in batches]))
        score = np.concatenate([lists.score for lists in batches])
        given = None
        if first.given is not None:
            given = np.concatenate([lists.given for lists in batches if lists.given is not None])
        queries, items = ([getattr(lists, word) for lists in batches] for word in ("queries", "items"))
        rows = Columns(
            None,
            Ids.concatenate(items),
            -score if first.by_rank else score,
            place=end_to_end([lists.rows for lists in batches], [lists.place for lists in batches]),
            by_rank=first.by_rank,
            given_score=given,
            lists=(Ids.concatenate(queries), offsets),
        )
        rows.by_place, rows.rank_base = first.by_rank and not first.has_ranks, first.rank_base
        return rows


def _make_changed(make: Callable[[], Lists], change: Change | None) -> Lists:
    return _changed(make(), change)


def _changed(lists: Lists, change: Change | None) -> Lists:
    return lists if change is None else change[0](lists, *change[1:])


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


def _mark(total: MarkedRows | None, lists: Lists, rows: np.ndarray) -> MarkedRows | None:
    """Add some rows of a batch; the first of all is kept with its batch."""
    if not len(rows):
        return total
    if total is None:
        return MarkedRows(len(rows), lists, int(rows[0]))
    return MarkedRows(total.count + len(rows), total.lists, total.row)


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
    return highest_first(key, lists.offsets)


def run_data(source: Any, ask: Callable[[RunData], object], **options: Any) -> RunData:
    """Return a run that was read once, which answers what was asked before."""
    data = RunData(open_run(source, **options))
    if data.run is not source and data.run.files and options.get("name") is None:
        data.name = data.run.files[0].name  # findings are of files, not of systems
    ask(data)
    data.read()
    if not data.n_rows:
        raise DataError(f"{data.name}: the run holds no rows.")
    return data


def qrels_data(source: Any, **options: Any) -> QrelsData:
    """Return judgements as the rules see them."""
    return QrelsData(read_qrels(source, **options))


def try_reading_chunks(
    source: Any, findings: list[Finding], encoding: str | None, columns: Mapping[str, str]
) -> Items | None:
    """Return the chunks of a table, None if they or their spans cannot be read; what is wrong is added to the findings."""
    try:
        chunks = read_catalogue(source, encoding=encoding, columns=columns, needs=frozenset({"spans"}))
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
        files = [
            recode(file, encoding)
            for file in _files(source, of_paths=getattr(read, "func", read) is not read_items)
        ]
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
