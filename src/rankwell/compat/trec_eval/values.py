"""The values of all measures for all topics, from judgements, judgements by group, or preferences; and how trec_eval reads judgements: whole
grades, one line per document, no blank line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankwell.compat.trec_eval.measures import GainRBP, PrintedLine, Settings, judged_metrics, whole
from rankwell.compat.trec_eval.options import PREFERENCES, Options
from rankwell.errors import DataError, InputError, NothingInCommonError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.kernels.trec_lines import is_comment_line
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import named_gains
from rankwell.readers import read_qrels
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import require_text
from rankwell.records import record
from rankwell.results import Results
from rankwell.tables.ids import Ids
from rankwell.tables.lists import distinct
from rankwell.tables.rows import IdStretches
from rankwell.tables.run_qrels import Qrels, Run
from rankwell.tables.series import StoredPlace

BLANK, NEXT_BLANK = (
    re.compile(rb"[ \t\r\v\f]*\n"),
    re.compile(rb"\n[ \t\r\v\f]*\n"),
)  # the first line, and a later one
FORM = "A line is: query topic item grade."
LARGEST_PLAIN = 9


@record
class Judgements:
    """The judgements to evaluate; the number of topics, and of documents with a grade above 0, that the whole file has."""

    qrels: Qrels
    topics: list[str]
    all_topics: int
    relevant: int


def read_judgements(options: Options, path: str) -> Judgements:
    """Read the judgements: with whole grades, or the levels of preferences; topics only if they are groups.

    Raises
    ------
    InputError
        If the file cannot be read, or a line is malformed.
    DataError
        If preferences call a document both relevant and nonrelevant.
    NothingInCommonError
        If there is no judgement of the only topic asked for.
    """
    is_prefs = options.rel_format == "prefs"
    try:
        file = File(path)
        _refuse_blank_lines(file)
        read = read_qrels(file, format_in="prefs") if is_prefs else _read_whole(file)
    except DataError as error:
        raise InputError(str(error)) from error
    if is_prefs:
        _refuse_zero_and_more(read)
    grades = grades_of(read)
    query = read.by_query
    ids = query.ids if isinstance(query, IdStretches) else query
    names = ids[ids.group()[1]]
    relevant = int(np.count_nonzero(grades > 0))
    rows: Any = slice(None)
    if options.topic is not None:
        rows = np.flatnonzero([each == options.topic for each in read.query.tolist()])
        if not len(rows):
            raise NothingInCommonError(f"{path}: there are no judgements of topic {brief(options.topic)}.")
        query = read.query[rows]
    topic, subgroup = (None if column is None else column[rows] for column in (read.topic, read.subgroup))
    qrels = Qrels(
        query,
        read.item[rows],
        grades[rows],
        topic if options.rel_format != "qrels" else None,
        subgroup=subgroup,
        name=read.name,
        place=read.place if options.topic is None else None,
    )
    topics = [str(name) for name in names.tolist()] if options.topic is None else [options.topic]
    return Judgements(qrels, topics, len(names), relevant)


def _refuse_zero_and_more(read: Qrels) -> None:
    """Refuse a document that a group calls nonrelevant in one sub-group and relevant in another."""
    assert read.topic is not None
    levels = grades_of(read)
    names = np.stack([column.group()[0] for column in (read.query, read.topic, read.item)])
    _, codes = np.unique(names, axis=1, return_inverse=True)
    codes = codes.ravel()
    is_both = np.bincount(codes, levels == 0) * np.bincount(codes, levels > 0) > 0
    if not is_both.any():
        return
    row = int(np.flatnonzero(is_both[codes])[0])
    raise DataError(
        f"{read.place(row)}: the levels of document {brief(str(read.item.one(row)))} in group {brief(str(read.topic.one(row)))} are 0 "
        f"and above 0, so it is nonrelevant and relevant. Fix one, or put them into separate groups."
    )


def grades_of(qrels: Qrels) -> np.ndarray:
    """Return the grades, or levels, of the rows."""
    return np.ones(len(qrels.item)) if qrels.grade is None else qrels.grade


def _refuse_blank_lines(file: File) -> None:
    require_text(file)
    text = file.content.data
    blank = BLANK.match(text) or NEXT_BLANK.search(text)  # one pattern for both would be tried at every byte
    if blank is not None:
        line = file.content[: blank.end()].tobytes().count(b"\n")
        raise DataError(f"{file.label}:{line}: the line is blank, which trec_eval refuses. Remove it. {FORM}")


def _read_whole(file: File) -> Qrels:
    """Read judgements with grades as C's atol reads them: the digits that a word begins with, 0 if there are none.

    Grades from 0 to 9 are the same in any reading; the words are looked at only if there are others.
    """
    try:
        read = read_qrels(file, format_in="trec")
    except DataError:
        return _read_words(file)
    grades = grades_of(read)
    is_plain = (grades == np.trunc(grades)) & (grades <= LARGEST_PLAIN)
    return read if is_plain.all() else _read_words(file)


@record(eq=False)
class _LineOf(StoredPlace):
    """Rows by the lines that they stand in."""

    label: str
    lines: list[int]

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return f"{self.label}:{self.lines[row]}"


def _read_words(file: File) -> Qrels:
    rows: list[tuple[bytes, ...]] = []
    lines: list[int] = []
    for number, line in enumerate(file.content.tobytes().split(b"\n"), start=1):
        words = line.split()
        if not words or is_comment_line(line + b"\n"):
            continue
        if len(words) != 4:
            raise DataError(f"{file.label}:{number}: {len(words)} columns, expected exactly 4. {FORM}")
        rows.append(tuple(words))
        lines.append(number)
    if not rows:
        raise DataError(f"{file.label}: the file holds no judgements. {FORM}")
    query, topic, item, grade = zip(*rows, strict=True)
    grades = [float(whole(word.decode(errors="replace"))) for word in grade]
    place = _LineOf(file.label, lines)
    return Qrels(_ids_of(query), _ids_of(item), grades, _ids_of(topic), name=file.name, place=place)


def _ids_of(words: Sequence[bytes]) -> Ids:
    lengths = np.fromiter(map(len, words), np.int32, len(words))
    return Ids.of_lengths(np.frombuffer(b"".join(words), np.uint8), lengths)


Lines = Callable[[Settings], list[PrintedLine]]
# the share of judgement groups with a relevant document retrieved: of all groups, and of those with a relevant document
OF_ALL, OF_THOSE = (metric_of(f"by_topic(metric=hit@1000000000,over={over})") for over in ("all", "defined"))
NO_DOCUMENT = "(no document)"  # no line of a file can name it, as it has a space
LEAST_LOG = math.log(1e-5)


@dataclass
class TopicTable:
    """Per topic, sorted by bytes: the value of each line by name, texts, and the values for all topics.

    ``topics`` are the topics evaluated, ``n`` the number that means are taken over, ``relevant`` the documents with a grade
    above 0 in all judgements.
    """

    topics: list[str]
    n: int
    lines: list[PrintedLine] = field(default_factory=list)
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # judged topics missing from the run
    relevant: int | None = None  # with -c, the number that the program prints as num_rel of all topics
    notes: list[str] = field(default_factory=list)

    def add_totals(self) -> None:
        """Add the values for all topics: a sum for counts, otherwise a mean.

        The program adds the values topic after topic, so the same is done here; an exact sum would now and then round to
        another fourth digit.
        """
        for line in self.lines:
            if line.name not in self.columns:
                continue
            total = float(np.add.accumulate(np.append(0.0, self.columns[line.name]))[-1])
            if line.kind == "log":
                # a topic that is not there counts as the least value of a geometric mean, 1e-5
                total = math.exp((total + (self.n - len(self.topics)) * LEAST_LOG) / self.n)
            elif line.kind != "count":
                total /= self.n
            self.totals[line.name] = total
        if self.relevant is not None:
            self.totals["num_rel"] = self.relevant


class _Parts:
    """The results of several runs of different topics, as if they were one; topics sorted by bytes."""

    def __init__(self, parts: Sequence[Results]) -> None:
        self._parts = parts
        topics = [str(query) for part in parts for query in part.queries]
        self._rows = np.array(sorted(range(len(topics)), key=lambda row: topics[row].encode()), np.int64)
        self.topics = [topics[row] for row in self._rows]

    def values(self, metric: Metric) -> np.ndarray:
        """Return the value of each topic, 0 where it is undefined."""
        return np.nan_to_num(np.concatenate([part.values(metric) for part in self._parts])[self._rows])

    @property
    def highest(self) -> float:
        """The highest grade."""
        return max(part.conditions.grade_max or 0.0 for part in self._parts)


def evaluate_lines(options: Options, judgements: Judgements, run: Run, lines: Lines) -> TopicTable:
    """Evaluate against judgements, judgements by group, or preferences."""
    printed = lines(_settings(options, judgements.qrels))
    line_metrics = [metric for line in printed for metric in (line.metric, *line.text) if metric is not None]
    fair = [line for line in printed if line.metric is not None and line.metric.name == "prefs_avgjg_rnonrel"]
    by_groups = [OF_ALL, OF_THOSE] if any(line.metric.needed() for line in fair if line.metric) else []
    metrics = [*judged_metrics(), *line_metrics, *by_groups]
    of_run = _evaluate_listed(options, judgements, run, metrics)
    topics = {str(query) for part in of_run for query in part.queries}
    missing = sorted(set(judgements.topics) - topics, key=str.encode)
    of_missing = _evaluate_unlisted(options, judgements, missing, metrics)
    res = _Parts([*of_run, *of_missing])
    n = (
        judgements.all_topics if options.complete else len(res.topics)
    )  # -c takes the mean over all judged topics
    table = TopicTable(res.topics, n, printed, missing=missing)
    for line in printed:
        if line.text:
            pieces = [[piece.text(number) for number in res.values(piece)] for piece in line.text]
            table.texts[line.name] = ["".join(parts) for parts in zip(*pieces, strict=True)]
        elif line.kind == "text" and not line.is_summary:
            table.texts[line.name] = [""] * len(res.topics)
        elif line.metric is not None:
            table.columns[line.name] = line.values(res)
        elif line.kind == "real":
            table.columns[line.name] = np.zeros(len(res.topics))
    if of_missing:
        _clear(table)
    if options.complete and any(line.name == "num_rel" for line in printed):
        table.relevant = judgements.relevant
    table.add_totals()
    table.notes += _notes(options, table, _Parts(of_run or of_missing), judgements.qrels)
    if by_groups:
        table.notes += _groups_without(fair, *(res.values(metric) for metric in by_groups))
    return table


def _evaluate_listed(
    options: Options, judgements: Judgements, run: Run, metrics: Sequence[Metric]
) -> list[Results]:
    """Evaluate the topics that the run has; with -M 0 their lists are empty."""
    try:
        res = _results(options, judgements.qrels, run, metrics)
    except NothingInCommonError:
        if options.version == 9 or not options.complete:
            raise
        return []
    if options.depth != 0:
        return [res]
    topics = [str(query) for query in res.queries]
    return [_results(replace(options, judged_only=True), judgements.qrels, _nothing(topics), metrics)]


def _evaluate_unlisted(
    options: Options, judgements: Judgements, missing: list[str], metrics: Sequence[Metric]
) -> list[Results]:
    """With -c, version 10 evaluates a list of one unjudged document for each topic that the run lacks."""
    if not missing or not options.complete or options.version == 9:
        return []
    emptied = replace(options, judged_only=options.judged_only or options.depth == 0)
    return [_results(emptied, judgements.qrels, _nothing(missing), metrics)]


def _nothing(topics: list[str]) -> Run:
    return Run(topics, [NO_DOCUMENT] * len(topics), [1.0] * len(topics))


def _clear(table: TopicTable) -> None:
    """Remove what the list of one document adds to a missing topic, where the program does: by the name of the line."""
    rows = np.isin(table.topics, table.missing)
    for name, column in table.columns.items():
        if name in ("num_ret", "utility", "rbp_resid") or name.startswith("unj"):
            column[rows] = 0.0
    if "relstring" in table.texts:
        texts = table.texts["relstring"]
        table.texts["relstring"] = ["" if row else text for row, text in zip(rows, texts, strict=True)]


def _notes(options: Options, table: TopicTable, results: _Parts, qrels: Qrels) -> list[str]:
    """Name the values that are not those of the program."""
    retrieved, *counts = (results.values(metric) for metric in judged_metrics())
    names = {line.metric.name for line in table.lines if line.metric is not None}
    names_given = {text.partition(".")[0] for text in options.measures}
    has_gains = any(isinstance(line.metric, GainRBP) for line in table.lines)
    notes = ["gains less than 1 apart"] if _are_close(table.lines, grades_of(qrels)) else []
    notes += ["rbp with gains"] if has_gains else []
    if "rbp" in names_given and results.highest > 1 and not has_gains:
        notes.append("rbp of grades above 1")
    if "rbp_resid" in names_given and (retrieved == sum(counts)).any():
        notes.append("rbp_resid where nothing is unjudged")
    if "bpref" in names and options.level > results.highest + 1:
        notes.append("bpref of a level above all grades")
    if "prefs_avgjg_rnonrel" in names and np.count_nonzero(distinct(grades_of(qrels)) <= 0) > 1:
        notes.append("Rnonrel with several nonrelevant levels")
    return notes


def _are_close(lines: Sequence[PrintedLine], grades: np.ndarray) -> bool:
    """Whether a table gives two grades gains that differ by less than 1; a grade that it does not name gains itself."""
    # rbp has no ideal list, which is what the program sorts wrongly
    tables = [
        named_gains(gain)[0]
        for line in lines
        if not isinstance(gain := getattr(line.metric, "gain", ""), str)
        and not isinstance(line.metric, GainRBP)
    ]
    own = {grade: grade for grade in distinct(grades[grades >= 0]).tolist()} if tables else {}
    return any(
        0 < high - low < 1 for table in tables for low, high in pairwise(sorted((own | dict(table)).values()))
    )


def _groups_without(lines: Sequence[PrintedLine], of_all: np.ndarray, of_those: np.ndarray) -> list[str]:
    """Name the measures that the program prints as 0 for a topic with a group that has nothing relevant (retrieved)."""
    has = {
        "prefs_avgjg_Rnonrel": (of_all != of_those).any(),
        "prefs_avgjg_Rnonrel_ret": ((of_all > 0) & (of_all < 1)).any(),
    }
    return [
        f"{line.name} of a topic with a group without a relevant document" for line in lines if has[line.name]
    ]


def _settings(options: Options, qrels: Qrels) -> Settings:
    is_grouped = qrels.topic is not None and (qrels.subgroup is not None or len(qrels.topic.runs()) > 1)
    return Settings(options.level, options.version, options.collection, "topic" if is_grouped else "query")


def _results(options: Options, qrels: Qrels, run: Run, metrics: Sequence[Metric]) -> Results:
    is_prefs = options.rel_format in PREFERENCES
    policy = Policy(
        grades="judgements",
        undefined="zero",
        population="judged",
        # preferences order tied scores the other way round, and count every level
        ties="item-asc" if is_prefs else "item-desc",
        negative="nonrelevant" if is_prefs else "unjudged",
        scores="single" if options.is_single else "double",
        missing="skip",
        unjudged="condense" if options.judged_only and not is_prefs else "nonrelevant",
        depth=options.depth or None,
    )
    # the program prints no range of what ties could change
    request = Request(metrics=metrics_of(metrics), policy=policy, qrels=qrels, tie_ranges=False)
    return Evaluator.of(request).results_of(run)
