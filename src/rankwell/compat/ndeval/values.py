"""ndeval's values: its files read, its values computed from rankwell's metrics, printed as it prints them, and where they differ on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from rankwell.compat.ndeval.options import Options
from rankwell.errors import DataError, NothingInCommonError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.kernels import order
from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.metrics import metrics_of
from rankwell.metrics.diversity.alpha import NRBP, AlphaDCG, AlphanDCG, nNRBP
from rankwell.metrics.diversity.err_ia import ERRIA, nERRIA
from rankwell.metrics.diversity.intents import APIA, PIA
from rankwell.metrics.diversity.subtopics import OnTopics, Subtopics
from rankwell.metrics.diversity.topic_recall import SRecall
from rankwell.metrics.metric import Metric, definition
from rankwell.readers.bytes.files import File
from rankwell.readers.bytes.text import require_text, text_of
from rankwell.records import record
from rankwell.tables.ids import Ids
from rankwell.tables.lists import distinct
from rankwell.tables.run_qrels import Qrels, Run

QRELS, RUN = "topic subtopic docno grade", "topic Q0 docno rank score runid"


@record
class Judgements:
    """The judgements of a file, the number of subtopics with a relevant document per topic, and whether lines are repeated.

    Lines count as repeated if several have the same document and subtopic, and not all of them are 0.
    """

    qrels: Qrels
    subtopics: dict[int, int]
    is_repeated: bool


@record
class TopicLists:
    """The lists of a run: the documents of each topic, best first; topics in ascending order."""

    runid: bytes
    topics: np.ndarray
    query: np.ndarray
    item: Ids

    def run(self) -> Run:
        """Return a run whose rows are in the order of the lists."""
        return Run(self.query, self.item)


def read_judgements(path: str) -> Judgements:
    """Read the judgements; grades above 1 become 1, and the last of several for the same document and subtopic counts.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, or a line is malformed.
    """
    words = LineWords(path, QRELS)
    topic, subtopic = words.naturals("topic"), words.naturals("subtopic")
    grade, item = np.minimum(words.naturals("grade"), 1), words.ids("docno")
    documents, _ = item.group()
    rows = np.lexsort((subtopic, documents, topic))
    same = np.logical_and.reduce([np.diff(each[rows]) == 0 for each in (subtopic, documents, topic)])
    is_repeated = bool(np.any(same & (np.maximum(grade[rows][1:], grade[rows][:-1]) > 0)))
    rows = rows[np.append(~same, True)]
    topic, subtopic, grade, item = topic[rows], subtopic[rows], grade[rows], item[rows]
    # with counts, which nobody reads: without them np.unique loads numpy.ma, a tenth of a small command
    (relevant, _), _ = np.unique(np.stack([topic, subtopic])[:, grade > 0], axis=1, return_counts=True)
    counts = dict.fromkeys(distinct(topic).tolist(), 0) | dict(
        zip(*(each.tolist() for each in np.unique(relevant, return_counts=True)), strict=True)
    )
    # judgements of a single subtopic would be read as judgements without subtopics; a 0 for a second one changes no value
    every = np.append(np.arange(len(rows)), 0)
    subtopic, grade = np.append(subtopic, -1), np.append(grade, 0)
    return Judgements(Qrels(topic[every], item[every], grade, subtopic), counts, is_repeated)


def read_lists(path: str, options: Options) -> TopicLists:
    """Read a run, down to the depth: by rank, or by score and then document, both descending (-traditional).

    Raises
    ------
    InputError, DataError
        If the file cannot be read, a line is malformed, or a topic repeats a rank or a document.
    """
    words = LineWords(path, RUN)
    topic, rank = words.naturals("topic", _without_task), words.naturals("rank")
    item, start = words.ids("docno"), words.ids("runid")
    key = words.scores("score") if options.is_traditional else -rank.astype(np.float64)
    rows = np.argsort(topic, kind="stable")
    topics, firsts = np.unique(topic[rows], return_index=True)
    order.sort(rows, np.append(firsts, len(rows)), key, *item.columns, order.TIE_RULES["item-desc"])
    topic, rank = topic[rows], rank[rows]
    twice = np.flatnonzero((np.diff(topic) == 0) & (np.diff(rank) == 0))
    if len(twice) and not options.is_traditional:
        at = twice[0]
        raise DataError(
            f"{path}: duplicate rank ({rank[at]}) for topic {topic[at]}. Use -traditional to order by score instead."
        )
    is_within = np.arange(len(rows)) - np.repeat(firsts, np.diff(firsts, append=len(rows))) < (
        options.depth or len(rows)
    )
    rows, topic = rows[is_within], topic[is_within]
    _refuse_duplicates(path, topic, item[rows])
    runid = words.text[start.starts[0] : start.starts[0] + start.lengths[0]].tobytes()
    return TopicLists(runid, topics, topic, item[rows])


def _refuse_duplicates(path: str, topic: np.ndarray, item: Ids) -> None:
    documents, _ = item.group()
    rows = np.lexsort((documents, topic))
    twice = np.flatnonzero((np.diff(topic[rows]) == 0) & (np.diff(documents[rows]) == 0))
    if len(twice):
        at = int(rows[twice[0]])
        raise DataError(
            f"{path}: duplicate docno ({item.one(at)}) for topic {topic[at]}. Remove one of the lines."
        )


def _without_task(word: bytes) -> bytes:
    """Remove a task prefix from a topic number, such as ``wt09-1``."""
    return word if word[:1].isdigit() else word.partition(b"-")[2]


IS_SPACE = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
MOST = 1_000_009  # the largest integer that the program reads


class LineWords:
    """The first words of each line of a file; lines may have more words, but not fewer.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, is not text, or a line is too short.
    """

    def __init__(self, path: str, form: str) -> None:
        self.file, self.names = File(path), form.split()
        require_text(self.file)
        self.text, begin = text_of(self.file)
        is_space = IS_SPACE[self.text]
        is_space[:begin] = True
        self.file.check()
        # words begin and end in turn, as the text ends with a space
        edges = np.flatnonzero(np.diff(is_space, prepend=True))
        self._starts, self._lengths = edges[::2], (edges[1::2] - edges[::2]).astype(np.int32)
        ends = np.flatnonzero(self.text == 10)
        self._first = np.searchsorted(self._starts, np.append(0, ends[:-1]))
        counts = np.diff(self._first, append=len(self._starts))
        short = np.flatnonzero(counts < len(self.names))
        if len(short):
            row = int(short[0])
            raise self._wrong(row, f"it has {counts[row]} of {len(self.names)} words")

    def ids(self, column: str) -> Ids:
        """Return a column of words."""
        word = self._first + self.names.index(column)
        return Ids.of_spans(self.text, self._starts[word], self._lengths[word])

    def naturals(self, column: str, trimmed: Callable[[bytes], bytes] = bytes) -> np.ndarray:
        """Return a column of whole numbers; ``trimmed`` removes a prefix from each word."""

        def read(word: bytes) -> int | None:
            digits = trimmed(word)
            return int(digits) if digits.isdigit() and int(digits) <= MOST else None

        return self._numbers(column, read, f"not a whole number from 0 to {MOST:,}").astype(np.int64)

    def scores(self, column: str) -> np.ndarray:
        """Return a column of numbers."""

        def read(word: bytes) -> float | None:
            try:
                value = math.nan if b"_" in word else float(word)
            except ValueError:
                return None
            return None if math.isnan(value) else value

        return self._numbers(column, read, "not a number")

    def _numbers(self, column: str, read: Callable[[bytes], float | None], trouble: str) -> np.ndarray:
        ids = self.ids(column)
        codes, firsts = ids.group()
        values = []
        for row, start, length in zip(
            firsts.tolist(), ids.starts[firsts].tolist(), ids.lengths[firsts].tolist(), strict=True
        ):
            word = self.text[start : start + length].tobytes()
            value = read(word)
            if value is None:
                raise self._wrong(row, f"the {column} {word.decode(errors='replace')[:40]!r} is {trouble}")
            values.append(value)
        return np.array(values, np.float64)[codes]

    def _wrong(self, row: int, trouble: str) -> DataError:
        return DataError(
            f"{self.file.label}:{row + 1}: syntax error: {trouble}. The form of a line is: {' '.join(self.names)}."
        )


CUTS = (5, 10, 20)
DIGITS = 13  # further digits are rounding error
EXACT = ("NRBP", "MAP-IA", "P-IA", "strec")


class Unweighted(OnTopics):
    """A metric that sums over topics instead of averaging: the program divides last, and its last bit is to be reproduced."""

    def subtopics(self, pool: Pool, context: Context) -> Subtopics:
        """The same topics, each with weight 1."""
        return context.shared.once(_with_equal_weights, super().subtopics(pool, context))


def _with_equal_weights(_: Context, subtopics: Subtopics) -> Subtopics:
    return replace(subtopics, weight=np.ones(len(subtopics.weight)))


@definition
class SumOfNRBP(Unweighted, NRBP):
    """The sum in NRBP before it is divided, each rank's weight computed from the one before."""

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """Beta times beta times beta …"""
        # a running product, as in the program: a power rounds otherwise
        betas = np.full(int(ranks.max(initial=1)), self.beta)
        betas[0] = 1.0
        return np.cumprod(betas)[ranks.astype(np.int64) - 1]


@definition
class SumOfAP(Unweighted, APIA):
    """The sum of the subtopics' average precisions."""


def columns(alpha: float, beta: float) -> dict[str, Metric]:
    """Return the metric of each column, in print order."""
    metrics: dict[str, Metric] = {}
    metrics |= {f"ERR-IA@{k}": ERRIA(k=k, gain="binary", norm="ndeval", alpha=alpha) for k in CUTS}
    metrics |= {f"nERR-IA@{k}": nERRIA(k=k, gain="binary", alpha=alpha) for k in CUTS}
    metrics |= {f"alpha-DCG@{k}": AlphaDCG(k=k, norm="ndeval", alpha=alpha) for k in CUTS}
    metrics |= {f"alpha-nDCG@{k}": AlphanDCG(k=k, alpha=alpha) for k in CUTS}
    metrics |= {
        "NRBP": SumOfNRBP(alpha=alpha, beta=beta),
        "nNRBP": nNRBP(alpha=alpha, beta=beta),
        "MAP-IA": SumOfAP(),
    }
    metrics |= {f"P-IA@{k}": PIA(k=k) for k in CUTS}
    return metrics | {f"strec@{k}": SRecall(k=k) for k in CUTS}


class TopicValues:
    """Evaluates runs against the same judgements; columns that are ``is_exact`` match the program's bits."""

    def __init__(self, judgements: Judgements, alpha: float, beta: float) -> None:
        self.columns = columns(alpha, beta)
        self.is_exact = np.array([name.startswith(EXACT) for name in self.columns])
        self._subtopics = judgements.subtopics
        self._share = 1 - (1 - alpha) * beta
        policy = Policy(grades="judgements", ties="order", missing="skip", undefined="zero")
        metrics = metrics_of(self.columns.values())
        self._evaluator = Evaluator.of(Request(metrics=metrics, policy=policy, qrels=judgements.qrels))

    def of(self, lists: TopicLists) -> dict[int, np.ndarray]:
        """Return the values of each judged topic."""
        try:
            res = self._evaluator.results_of(lists.run())
        except NothingInCommonError:
            return {}
        topics = [int(topic) for topic in res.queries]
        subtopics = np.maximum([self._subtopics[topic] for topic in topics], 1)
        values = {name: res.values(metric) for name, metric in self.columns.items()}
        for k in CUTS:
            # a mean of means of hits is a whole number over k · subtopics: back to it, and one division as in the program
            values[f"P-IA@{k}"] = np.rint(values[f"P-IA@{k}"] * (k * subtopics)) / (k * subtopics)
        values["NRBP"] = values["NRBP"] * (self._share / subtopics)
        values["MAP-IA"] = values["MAP-IA"] / subtopics
        return dict(zip(topics, np.column_stack(list(values.values())), strict=True))


def print_table(
    options: Options, judgements: Judgements, run: TopicLists, baseline: TopicLists | None
) -> tuple[bytes, list[str]]:
    """Return the table, and notes on values that the program prints differently."""
    evaluated = TopicValues(judgements, options.alpha, options.beta)
    values, topics, name = evaluated.of(run), run.topics, run.runid
    count = len(judgements.subtopics if options.is_complete else values)
    base: dict[int, np.ndarray] = {}
    if baseline is not None:
        base = evaluated.of(baseline)
        topics = np.union1d(topics, baseline.topics) if options.is_complete else topics
        count = max(count, len(topics))
        name = b"%s (rel to. %s; rs=1+a; a=%s)" % (name, baseline.runid, options.risk_text.encode())
    rows_printed = topics.tolist()
    nothing = np.zeros(len(evaluated.columns))
    ours, theirs = (np.array([of.get(topic, nothing) for topic in rows_printed]) for of in (values, base))
    loss = 1 + options.risk_alpha
    # a loss counts 1 + α times, as in risk-sensitive runs
    rows = np.where(ours >= theirs, ours - theirs, loss * (ours - theirs))
    sums = np.cumsum(rows, axis=0)[-1]  # in sequence, as the program does
    table = np.vstack([rows, sums / count if count else np.full(len(sums), np.nan)])
    sizes = np.vstack([loss * np.maximum(ours, theirs), np.abs(rows).sum(axis=0) / max(count, 1)])
    # a difference that rounding made of equal values would be printed with a sign of its own on every machine
    is_noise = ~evaluated.is_exact & (np.abs(table) <= sizes * 10.0**-DIGITS)
    clean = np.where(evaluated.is_exact, table, np.round(np.where(is_noise, 0.0, table), DIGITS))
    lines = [",".join(["runid", "topic", *evaluated.columns]).encode()]
    lines += [
        name + f",{topic},{','.join(f'{x:.6f}' for x in row)}".encode()
        for topic, row in zip([*rows_printed, "amean"], clean.tolist(), strict=True)
    ]
    judged = {*values, *base}.intersection(rows_printed)
    rounded = np.array(list(evaluated.columns))[~evaluated.is_exact], clean[:, ~evaluated.is_exact]
    notes = notes_of_program(options, judgements, judged, count)
    notes += of_rounding(*rounded, (is_noise & (table != 0))[:, ~evaluated.is_exact])
    return b"\n".join(lines) + b"\n", notes


# Intended differences from the output of ndeval, and their reasons.


# where, what the program does, what is printed here
ALL = (
    ("nNRBP of a topic without a relevant document", "divides 0 by 0 and prints -nan, for amean too", "0, as its other values"),
    ("nNRBP with -alpha 0 -beta 1", "divides 0 by 0 and prints -nan", "0, as NRBP"),
    ("amean when no topic of the run is judged", "divides 0 by 0 and prints -nan", "nan"),
    ("a repeated line of the judgements", "counts a relevant document twice in MAP-IA", "counts it once"),
    ("two lines that contradict each other", "counts the subtopic, whichever line it uses", "the last line counts"),
    ("gains equal in theory, with -alpha such as .9", "rounding errors decide in the ideal list", "the last id is chosen (without a note)"),
    ("a value halfway between two printed ones*", "rounding errors decide", "rounded as if computed exactly"),
    ("a difference from a baseline, 0 in theory*", "may print -0.000000", "prints 0.000000"),
    ("ERR-IA, alpha-DCG at rank 1 (not printed)", "leaves out the division by the ideal ideal", "divides"),
    ("a topic of the run without a number", "reads the next word of the line, if a number", "refuses the line"),
    ("-traditional and a score that is not a number", "reads its leading digits, or any number", "refuses the line"),
    ("an option's value that is not a number", "reads its leading digits, or ignores it", "refuses it"),
    ("subtopic numbers of about a million", "may crash", "reads them"),
    ("a NUL byte", "loses the rest of the line, or crashes", "refuses the file"),
    ("compressed files, byte-order marks, standard input (-)", "does not read them", "reads them"),
    ("-help", "prints its manual", "prints a manual in other words"),
)  # fmt: skip


def table() -> str:
    """Return all differences as a table."""
    from rankwell.display.table import Column, Table

    columns = [Column("where"), Column("ndeval"), Column("rankwell ndeval")]
    note = "* except in NRBP, MAP-IA, P-IA and strec, whose last bit is the program's"
    return Table(columns, ALL, notes=[note]).to_text(None, False) + "\n"


def notes_of_program(
    options: Options, judgements: Judgements, topics: Iterable[int], count: int
) -> list[str]:
    """Return what is printed as defined for these judged topics; means are over ``count`` topics."""
    notes = []
    if not all(judgements.subtopics[topic] for topic in topics):
        notes.append("nNRBP of topics without a relevant document")
    if options.alpha == 0 and options.beta == 1:
        notes.append("nNRBP with -alpha 0 -beta 1")
    if judgements.is_repeated:
        notes.append("judgements of one document and subtopic twice")
    if not count:
        notes.append("amean when no topic of the run is judged")
    return notes


def of_rounding(columns: np.ndarray, values: np.ndarray, is_noise: np.ndarray) -> list[str]:
    """Return the columns in which the program's rounding errors may show: halfway between two values, or in the sign of 0."""
    is_half = np.abs(np.abs(values) * 1e6 % 1 - 0.5) < 1e-8
    kinds = (
        (is_half, "values halfway between two printed ones"),
        (is_noise, "differences that are 0 in theory"),
    )
    return [f"{what} ({', '.join(columns[mask.any(axis=0)])})" for mask, what in kinds if mask.any()]
